#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "narration.h"
#include "paint.h"
#include "summary.h"
#include "tenet/base/utf8.h"
#include "tenet/report/report.h"
#include "text_trace.h"
#include "wording.h"

namespace tenet::report {
namespace {

using result::FileResult;
using result::Finding;
using result::Level;
using result::Verdict;

constexpr std::size_t kExcerptLines = 8;

class TextReport {
 public:
  TextReport(const result::RunResult& run, const Style& style) : run_(run), style_(style), paint_(style.colour) {}

  std::string write() {
    for (const Finding& problem : run_.problems) bare_problem(problem);
    for (const FileResult& file : run_.files) {
      if (style_.quiet) {
        quiet_file(file);
      } else {
        whole_file(file);
      }
    }
    if (!style_.quiet) closing();
    return std::move(out_);
  }

 private:
  void bare_problem(const Finding& problem) {
    out_ += paint_.bad("error:") + " " + paint_.bold(printable(problem.message)) + "\n";
    if (!problem.hint.empty()) out_ += "  " + printable(problem.hint) + "\n";
  }

  /// One line for each finding that makes the exit status what it is.
  void quiet_file(const FileResult& file) {
    for (const Finding& finding : file.findings) {
      if (finding.level == Level::bad_input) {
        diagnostic(file, finding);
      } else if (finding.level == Level::failure) {
        out_ += fmt::format("{}: {}\n", printable(place(*file.source, finding.span)), printable(finding.message));
      }
    }
  }

  void whole_file(const FileResult& file) {
    const bool short_one = brief(file);
    if (!out_.empty() && !(short_one && after_brief_)) out_ += "\n";
    after_brief_ = short_one;
    if (file.protocol.empty()) return problems_only(file);
    if (short_one) return one_line(file);
    out_ += paint_.bold(printable(file.source->path()));
    // Files that are no protocol have no lines of one.
    const std::string lines = file.lines == 0 ? "" : fmt::format(", {} of text", counted(file.lines, "line"));
    out_ += paint_.dim(fmt::format("  {}{}", file.protocol, lines)) + "\n";
    for (const result::Statistics& run : file.runs) statistics(run);
    for (const Finding& finding : file.findings) {
      if (finding.level != Level::bad_input && finding.subject_kind != "mutant") line(file, finding);
    }
    if (file.proof && run_.command == "invariants") {
      invariants(*file.proof);
    } else if (file.proof) {
      proof(*file.proof);
      if (!style_.quiet) open_executions(*file.proof);
      if (style_.profile) profile(*file.proof);
    }
    for (const result::SymbolicSearch& search : file.searches) symbolic(search);
    mutants(file);
    for (const Finding& finding : file.findings) details(file, finding);
  }

  /// A file with one answer that needs no more words: a refuted variant, a
  /// file that was only checked.
  static bool brief(const FileResult& file) {
    if (file.findings.size() != 1) return false;
    const Finding& only = file.findings.front();
    return only.rule == "variant-refuted" || only.rule == "variant-not-refuted" || only.rule == "well-formed";
  }

  void one_line(const FileResult& file) {
    const Finding& only = file.findings.front();
    std::string times;
    if (!style_.deterministic && only.subject_kind == "variant" && only.rule != "well-formed") {
      times = paint_.dim(fmt::format("  ({})", duration(file.seconds)));
    }
    out_ += fmt::format("  {} {}{}\n", mark(only), printable(only.message), times);
    if (only.level != Level::pass)
      out_ += paint_.dim("            " + printable(place(*file.source, only.span))) + "\n";
  }

  void problems_only(const FileResult& file) {
    for (const Finding& finding : file.findings) diagnostic(file, finding);
  }

  void statistics(const result::Statistics& run) {
    out_ += "  in " + run.instance + "\n";
    if (run.states == 0) {
      out_ += "    " + paint_.open(run.end) + "\n";
      return;
    }
    const std::string states = counted(run.states, "state") + (run.symmetry ? " up to symmetry" : "");
    out_ += fmt::format("    {}, {}, {} {}", states, counted(run.transitions, "transition"),
                        run.diameter ? "diameter" : "depth", run.depth);
    if (!style_.deterministic) {
      out_ +=
          fmt::format(", {}, {}{}", duration(run.seconds), bytes(run.memory), run.cached ? " (from the cache)" : "");
    }
    if (!run.complete) out_ += "; " + paint_.open(run.end);
    out_ += "\n";
  }

  /// What kind of line a finding gets, eight letters or fewer.
  [[nodiscard]] std::string mark(const Finding& finding) const {
    if (!finding.verdict) {
      const std::string word = finding.level == Level::warning ? "warning" : finding.level == Level::note ? "note" : "";
      return paint_.open(fmt::format("{:<9}", word));
    }
    switch (*finding.verdict) {
      case Verdict::proved:
        return paint_.good(fmt::format("{:<9}", finding.rule == "well-formed" ? "right" : "proved"));
      case Verdict::reached:
        return paint_.good(fmt::format("{:<9}", "reached"));
      case Verdict::refuted:
        return paint_.good(fmt::format("{:<9}", "refuted"));
      case Verdict::holds_bounded:
        return paint_.good(fmt::format("{:<9}", finding.rule == "simulated" ? "passed" : "holds"));
      case Verdict::violated:
        return paint_.bad(fmt::format("{:<9}", "violated"));
      case Verdict::internal_error:
        return paint_.bad(fmt::format("{:<9}", "internal"));
      case Verdict::unknown:
      case Verdict::unsupported:
        break;
    }
    return paint_.open(fmt::format("{:<9}", "unknown"));
  }

  void line(const FileResult& file, const Finding& finding) {
    out_ += fmt::format("  {} {}", mark(finding), printable(finding.message));
    const bool located = !finding.span.empty() && finding.level != Level::pass;
    if (located) out_ += paint_.dim(fmt::format("  ({})", printable(place(*file.source, finding.span))));
    out_ += "\n";
    if (!finding.hint.empty()) out_ += fmt::format("            {}\n", printable(finding.hint));
  }

  /// What the proof rests on, in a line; `tenet invariants` and the page tell it.
  void proof(const result::Proof& proof) {
    if (proof.invariants.empty() && proof.proved() == 0) return;  // each property says why
    out_ += fmt::format("  proof     {} of {}: {}{}\n", proof.proved(),
                        counted(proof.claims.size(), "property", "properties"), proof_summary(proof),
                        style_.deterministic ? "" : fmt::format(", {}{}", duration(proof.seconds), from_cache(proof)));
    // Nobody has seen these before; what is derived is shown by `tenet invariants`.
    for (const result::DerivedInvariant& invariant : proof.invariants) {
      if (invariant.kind == result::kLearned) out_ += "    learned  " + printable(invariant.statement) + "\n";
    }
  }

  void symbolic(const result::SymbolicSearch& search) {
    out_ += fmt::format("  symbolic  {}{}\n", printable(result::summary(search)),
                        style_.deterministic ? "" : ", " + duration(search.seconds));
  }

  /// Where a proof got stuck: what a user can rule out with a `lemma`, or make happen.
  void open_executions(const result::Proof& proof) {
    for (const result::ProofClaim& claim : proof.claims) {
      if (claim.proved || claim.open_execution.empty()) continue;
      out_ += fmt::format(
          "  open      {}: nothing known rules this out (times need not be consecutive, nor such a run exist)\n",
          claim.property);
      for (const std::string& line : claim.open_execution) out_ += "            " + printable(line) + "\n";
    }
  }

  /// Where the work went, for those who want to make a proof cheaper.
  void profile(const result::Proof& proof) {
    constexpr std::size_t kShown = 8;
    std::vector<const result::ProofObligation*> slowest;
    for (const result::ProofObligation& o : proof.obligations) slowest.push_back(&o);
    std::ranges::stable_sort(slowest, std::ranges::greater(),
                             [&](const auto* o) { return style_.deterministic ? o->facts : o->resources; });
    if (slowest.size() > kShown) slowest.resize(kShown);
    out_ += "  profile   the hardest obligations\n";
    for (const result::ProofObligation* o : slowest) {
      out_ += fmt::format("    {:>9}{}  {}{}: {}, {}\n", counted(o->facts, "fact"),
                          style_.deterministic ? "" : fmt::format("  {:>8}", duration(o->seconds)),
                          o->discharged ? "" : "in vain: ", o->kind, printable(o->statement), o->part);
    }
    out_ += "            facts most often given to the solver\n";
    for (const auto& [source, count] : proof.frequent_facts) {
      out_ += fmt::format("    {:>9}  {}\n", thousands(count), printable(source));
    }
  }

  void invariants(const result::Proof& proof) {
    for (const result::InvariantGroup& group : result::grouped(proof.invariants)) {
      out_ += "\n" + paint_.bold(group.kind) + paint_.dim(": " + group.title) + "\n";
      for (const std::string& statement : group.statements) out_ += "  " + printable(statement) + "\n";
    }
  }

  void mutants(const FileResult& file) {
    const MutantCounts counts = count_mutants(file);
    if (counts.made == 0) return;
    out_ += fmt::format("  mutants   {} made: {} refuted, {} refuted by error, {} survived", counts.made,
                        counts.refuted, counts.by_error, counts.survived);
    if (counts.undecided > 0) out_ += fmt::format(", {} undecided", counts.undecided);
    out_ += "\n";
    for (const Finding& finding : file.findings) {
      if (finding.subject_kind != "mutant" || finding.level == Level::pass) continue;
      const std::uint32_t at = file.source->position(finding.span.begin).line;
      out_ += fmt::format("    {}  line {:>3}  {:<18} {}\n",
                          paint_.open(finding.rule == "mutant-survived" ? "survived " : "undecided"), at,
                          finding.category, finding.subject);
      if (finding.rule != "mutant-survived") out_ += fmt::format("               {}\n", finding.message);
    }
  }

  /// Errors of the text with their place; failures with their trace.
  void details(const FileResult& file, const Finding& finding) {
    if (finding.level == Level::bad_input) return diagnostic(file, finding);
    const bool shown = finding.trace && (finding.level == Level::failure || finding.rule == "simulated-run" ||
                                         finding.rule == "not-inductive");
    if (!shown) return;
    out_ += "\n" + paint_.bad(finding.verdict == Verdict::violated ? "violated: " : "") + paint_.bold(title(finding)) +
            paint_.dim("  " + printable(place(*file.source, finding.span))) + "\n";
    out_ += excerpt(*file.source, finding.span, paint_, kExcerptLines);
    if (!finding.doc.empty()) out_ += "  " + paint_.dim(printable(finding.doc)) + "\n";
    out_ += "\n" + trace_text(file, finding, paint_);
  }

  void diagnostic(const FileResult& file, const Finding& finding) {
    if (finding.level != Level::bad_input) return;
    if (file.source->text().empty() || finding.span.empty()) {
      // What cannot be read is named in the message.
      const std::string path = file.source->text().empty() ? "" : file.source->path() + ": ";
      // What is about the whole text has an id all the same.
      const std::string id = path.empty() ? "" : fmt::format(" [{}]", finding.rule);
      out_ += fmt::format("{}{} {}{}\n", printable(path), paint_.bad("error:"), paint_.bold(printable(finding.message)),
                          id);
      if (!finding.hint.empty()) out_ += "  " + printable(finding.hint) + "\n";
      return;
    }
    const Diagnostic diagnostic{finding.rule,    Severity::error, finding.span,
                                finding.message, finding.hint,    finding.notes};
    out_ += render(diagnostic, *file.source, style_.colour);
    if (!out_.empty() && out_.back() != '\n') out_ += "\n";
  }

  void closing() {
    const Summary summary = summarise(run_);
    if (!out_.empty()) out_ += "\n";
    for (const std::string& text : summary.sentences) out_ += text + "\n";
    skipped();
    const bool good = summary.status == 0;
    std::string verdict = summary.verdict;
    if (!style_.deterministic && run_.seconds > 0) verdict += fmt::format(" ({})", duration(run_.seconds));
    out_ += (good ? paint_.good(verdict) : summary.status == 2 ? paint_.open(verdict) : paint_.bad(verdict)) + "\n";
  }

  /// Files that nothing was asked of, under each reason: a line a folder.
  void skipped() {
    std::map<std::string, std::map<std::string, std::vector<std::string>>> by_reason;
    for (const auto& [path, reason] : run_.skipped) {
      const std::filesystem::path whole(path);
      by_reason[reason][whole.parent_path().string()].push_back(whole.stem().string());
    }
    for (const auto& [reason, folders] : by_reason) {
      std::size_t files = 0;
      for (const auto& [folder, names] : folders) files += names.size();
      out_ += paint_.dim(fmt::format("skipped {}: {}", counted(files, "file"), reason)) + "\n";
      for (const auto& [folder, names] : folders) {
        std::string line = folder.empty() ? "  " : "  " + folder + "/: ";
        for (const std::string& name : names) line += (&name == &names.front() ? "" : ", ") + name;
        out_ += paint_.dim(printable(line)) + "\n";
      }
    }
  }

  const result::RunResult& run_;
  const Style& style_;
  Paint paint_;
  std::string out_;
  bool after_brief_ = false;
};

}  // namespace

std::string text(const result::RunResult& run, const Style& style) { return TextReport(run, style).write(); }

}  // namespace tenet::report
