#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compare.h"
#include "sarif.h"
#include "situation.h"
#include "tenet/report/report.h"

namespace tenet::gate {
namespace {

using frontend::FileKind;
using result::FileResult;
using result::Finding;
using result::RunResult;

void remove_all(std::string& text, const std::string& what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) text.erase(at, what.size());
}

std::shared_ptr<const SourceFile> moved(const std::shared_ptr<const SourceFile>& source, const std::string& prefix) {
  if (!source || !source->path().starts_with(prefix)) return source;
  return std::make_shared<SourceFile>(source->path().substr(prefix.size()), std::string(source->text()));
}

/// The files under the names that they have in the repository.
void relocate(RunResult& run, const std::string& prefix) {
  for (Finding& problem : run.problems) remove_all(problem.message, prefix);
  for (FileResult& file : run.files) {
    file.source = moved(file.source, prefix);
    file.trace_source = moved(file.trace_source, prefix);
    for (Finding& finding : file.findings) {
      remove_all(finding.message, prefix);
      remove_all(finding.hint, prefix);
      for (DiagnosticNote& note : finding.notes) remove_all(note.message, prefix);
    }
  }
}

/// Verifies some files of a tree; results by path.
class Verified {
 public:
  [[nodiscard]] static Result<Verified> make(const Tree& tree, const std::vector<const Side*>& sides,
                                             const verify::Options& options) {
    Verified verified;
    if (sides.empty()) return verified;
    auto checkout = Checkout::make(tree);
    if (!checkout) return tl::make_unexpected(checkout.error());
    verify::Options asked = options;
    asked.instance.clear();
    asked.properties.clear();
    asked.variants.clear();
    asked.mutate = false;
    std::vector<std::string> protocols;
    for (const Side* side : sides) {
      (side->variant ? asked.variants : protocols).push_back(checkout->place(side->file->path));
    }
    verified.run_ = verify::verify(protocols, asked);
    relocate(verified.run_, checkout->prefix());
    return verified;
  }

  [[nodiscard]] const FileResult* find(const Side& side) const {
    if (side.file == nullptr) return nullptr;
    const auto at = std::find_if(run_.files.begin(), run_.files.end(),
                                 [&](const FileResult& file) { return file.source->path() == side.file->path; });
    return at == run_.files.end() ? nullptr : &*at;
  }
  [[nodiscard]] bool interrupted() const { return run_.interrupted; }
  [[nodiscard]] bool internal() const {
    return any([](const Finding& finding) { return finding.verdict == result::Verdict::internal_error; });
  }
  /// What cannot be used after all: an instance without a start …
  [[nodiscard]] std::vector<std::string> problems() const {
    std::vector<std::string> all;
    for (const Finding& problem : run_.problems) all.push_back(problem.message);
    for (const FileResult& file : run_.files) {
      for (const Finding& finding : file.findings) {
        if (finding.level != result::Level::bad_input) continue;
        const LineColumn at = file.source->position(finding.span.begin);
        all.push_back(fmt::format("{}:{}:{}: {}", file.source->path(), at.line, at.column, finding.message));
      }
    }
    return all;
  }

 private:
  template <class Test>
  [[nodiscard]] bool any(const Test& test) const {
    return std::any_of(run_.files.begin(), run_.files.end(), [&](const FileResult& file) {
      return std::any_of(file.findings.begin(), file.findings.end(), test);
    });
  }
  RunResult run_;
};

/// The trace of one finding as the text report tells it.
std::string told(const FileResult& file, const Finding& finding) {
  if (!finding.trace) return "";
  RunResult run;
  FileResult only = file;
  only.findings = {finding};
  only.runs.clear();
  run.files.push_back(std::move(only));
  report::Style style;
  style.deterministic = true;
  return report::text(run, style);
}

class Run {
 public:
  Run(const Options& options, Situation& situation)
      : options_(options), situation_(situation), outcome_(situation.outcome) {}

  Result<Outcome> run() {
    const auto& all = situation_.plan.units;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (options_.shard.takes(i)) units_.push_back(&all[i]);
    }
    std::vector<const Side*> sides;
    for (const Unit* unit : units_) {
      if (unit->head.file != nullptr) sides.push_back(&unit->head);
    }
    auto head = Verified::make(situation_.head, sides, options_.verify);
    if (!head) return tl::make_unexpected(head.error());
    auto base = verify_base(*head);
    if (!base) return tl::make_unexpected(base.error());
    if (const auto wrong = base->problems(); !wrong.empty()) {
      return failure(ErrorKind::bad_input, "the base cannot be verified: " + wrong.front());
    }
    const auto wrong = head->problems();
    outcome_.problems.insert(outcome_.problems.end(), wrong.begin(), wrong.end());
    outcome_.interrupted = head->interrupted() || base->interrupted();
    outcome_.internal = head->internal() || base->internal();
    for (const Unit* unit : units_) add(*unit, base->find(unit->base), head->find(unit->head));
    outcome_.sarif = sarif_.text(outcome_.stamp.version);
    return std::move(outcome_);
  }

 private:
  /// Only where something at the head could have been better before.
  Result<Verified> verify_base(const Verified& head) const {
    std::vector<const Side*> sides;
    for (const Unit* unit : units_) {
      const FileResult* now = head.find(unit->head);
      if (unit->base.file != nullptr && now != nullptr && !beyond_doubt(*now)) sides.push_back(&unit->base);
    }
    return Verified::make(situation_.base, sides, options_.verify);
  }

  void add(const Unit& unit, const FileResult* base, const FileResult* head) {
    UnitOutcome made;
    made.key = unit.key();
    made.what = (unit.kind == FileKind::variant ? "variant " : "protocol ") + unit.name();
    made.path = unit.path();
    if (head != nullptr) {
      const Answers counted = answers(*head);
      made.asked = counted.asked;
      made.decided = counted.decided;
    }
    for (Compared& compared : compare(unit, base, head)) {
      if (compared.finding != nullptr && compared.item.change == Change::newly_violated) {
        compared.item.details = told(*head, *compared.finding);
      }
      sarif_.add(compared, outcome_.policy.reaction(compared.item.change), unit, head);
      made.items.push_back(std::move(compared.item));
    }
    outcome_.units.push_back(std::move(made));
  }

  const Options& options_;
  Situation& situation_;
  Outcome& outcome_;
  std::vector<const Unit*> units_;
  SarifResults sarif_;
};

}  // namespace

Result<Outcome> run(const Options& options) {
  const auto found = situation(options);
  if (!found) return tl::make_unexpected(found.error());
  return Run(options, **found).run();
}

}  // namespace tenet::gate
