#include "tenet/recheck/recheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include "manifest.h"
#include "tenet/base/file.h"
#include "tenet/smt/solver.h"

namespace tenet::recheck {

namespace {

namespace fs = std::filesystem;

/// An assertion follows from a few formulas, most of them at once.
constexpr std::uint64_t kAtOnce = 1'000'000;
constexpr std::uint64_t kAtLength = 3'000'000;
/// For what the limits of the solver do not see.
constexpr std::uint32_t kAtOnceMs = 5'000;
constexpr std::uint32_t kAtLengthMs = 20'000;
/// What the second solver has for one obligation.
constexpr std::uint32_t kSecondSolverMs = 120'000;

/// A pipe might never end, and a device never does.
Result<std::string> read_regular(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    return failure(ErrorKind::io, "cannot read '" + path.string() + "': it is no regular file");
  }
  return read_file(path);
}

/// "kind number: about" with the bytes that SMT-LIB does not allow written %XX.
std::pair<std::string, std::string> label(const std::string& name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool escaped = name[i] == '%' && i + 2 < name.size() &&
                         std::isxdigit(static_cast<unsigned char>(name[i + 1])) != 0 &&
                         std::isxdigit(static_cast<unsigned char>(name[i + 2])) != 0;
    text += escaped ? static_cast<char>(std::stoi(name.substr(i + 1, 2), nullptr, 16)) : name[i];
    if (escaped) i += 2;
  }
  const std::size_t colon = text.find(": ");
  const std::size_t space = text.rfind(' ', colon);
  if (colon == std::string::npos || space == std::string::npos) return {"", text};
  return {text.substr(0, space), text.substr(colon + 2)};
}

/// One obligation, by itself: threads share nothing of it.
struct Outcome {
  std::map<std::string, Count> assertions;
  std::vector<Trouble> refused, undecided;
  std::optional<Error> error;
  bool reproved = false;
  std::string solver;
};

class OneObligation {
 public:
  OneObligation(const Obligation& obligation, const Question& question, const Claims& claims, const Options& options)
      : o_(obligation), q_(question), protocol_(claims.protocol), options_(options) {}

  Outcome run(const fs::path& folder);

 private:
  void assertions(const smt::Script& script);
  bool follows(Theory& theory, const smt::Script::Line& line);
  bool follows(Term claim, const std::vector<Term>& from, bool at_once);
  void reprove(const smt::Script& script);
  void refuse(std::size_t line, std::string what) { out_.refused.push_back({o_.file, line, std::move(what)}); }

  const Obligation& o_;
  const Question& q_;
  ir::Protocol protocol_;
  const Options& options_;
  smt::TermManager terms_;
  std::unique_ptr<smt::Solver> quick_, thorough_;
  bool exhausted_ = false;  ///< some limit ended the search for the assertion at hand
  Outcome out_;
};

bool OneObligation::follows(Term claim, const std::vector<Term>& from, bool at_once) {
  std::unique_ptr<smt::Solver>& solver = at_once ? quick_ : thorough_;
  if (!solver) {
    smt::SolverConfig config = smt::z3_config();
    config.resource_limit = at_once ? kAtOnce : kAtLength;
    config.wall_clock_ms = at_once ? kAtOnceMs : kAtLengthMs;
    config.mbqi = !at_once;
    solver = smt::make_solver(config);
    solver->stop_on(options_.stop);
  }
  solver->push();
  for (const Term one : from) solver->assert_term(one);
  solver->assert_term(terms_.not_(claim));
  const smt::CheckResult result = solver->check();
  solver->pop();
  exhausted_ = exhausted_ || result.cause == smt::Cause::wall_clock || result.cause == smt::Cause::resource_limit ||
               result.cause == smt::Cause::memory;
  return result.answer == smt::Answer::unsat;
}

bool OneObligation::follows(Theory& theory, const smt::Script::Line& line) {
  const auto [kind, about] = label(line.assertion.name);
  const Term claim = theory.expanded(line.assertion.term);
  if (claim.is_true()) return true;
  const std::vector<Term> by_kind = theory.relevant(line.assertion.name, kind, about, claim, false);
  if (follows(claim, by_kind, true)) return true;
  const std::vector<Term> everything = theory.relevant(line.assertion.name, kind, about, claim, true);
  return follows(claim, everything, true) || follows(claim, by_kind, false) || follows(claim, everything, false);
}

void OneObligation::assertions(const smt::Script& script) {
  Meaning meaning(protocol_, terms_, script.functions);
  Theory theory(meaning, script, q_);
  for (const smt::Script::Line& line : script.assertions) {
    if (options_.stop != nullptr && options_.stop->requested()) return;
    const std::string kind = label(line.assertion.name).first;
    const auto& known = kinds();
    Count& count = out_.assertions[std::find(known.begin(), known.end(), kind) == known.end() ? "other" : kind];
    if (options_.trust.contains(kind)) {
      ++count.trusted;
      continue;
    }
    if (!line.assertion.term.quantifier_free()) {
      refuse(line.line, "an assertion with a quantifier");
      continue;
    }
    exhausted_ = false;
    if (follows(theory, line)) {
      ++count.regenerated;
      continue;
    }
    if (exhausted_) {
      out_.undecided.push_back({o_.file, line.line,
                                fmt::format("whether '{}' follows from the source was not found out "
                                            "within the limits",
                                            line.assertion.name)});
      continue;
    }
    const std::string missing = theory.missing();
    refuse(line.line, fmt::format("'{}' does not follow from the source{}", line.assertion.name,
                                  missing.empty() ? "" : " (the theory here lacks: " + missing + ")"));
  }
}

/// By the solver that did not make the proof.
void OneObligation::reprove(const smt::Script& script) {
  const bool made_by_z3 = o_.solver.find("cvc5") == std::string::npos;
  smt::SolverConfig config = made_by_z3 ? smt::cvc5_config() : smt::z3_config();
  config.wall_clock_ms = kSecondSolverMs;
  const std::unique_ptr<smt::Solver> solver = smt::make_solver(config);
  solver->stop_on(options_.stop);
  for (const smt::Script::Line& line : script.assertions) solver->assert_term(line.assertion.term);
  const smt::CheckResult result = solver->check();
  out_.solver = result.solver;
  if (result.answer == smt::Answer::unsat) {
    out_.reproved = true;
  } else if (result.answer == smt::Answer::sat) {
    refuse(0, "the assertions do not contradict one another");
  } else {
    out_.undecided.push_back(
        {o_.file, 0,
         "no answer: " + (result.reason.empty() ? std::string(smt::name_of(result.cause)) : result.reason)});
  }
}

Outcome OneObligation::run(const fs::path& folder) {
  if (fs::path(o_.file).filename() != fs::path(o_.file)) {
    refuse(0, "a file outside of the folder");
    return std::move(out_);
  }
  const Result<std::string> text = read_regular(folder / o_.file);
  if (!text) {
    out_.error = text.error();
    return std::move(out_);
  }
  const Result<smt::Script> script = smt::read_smtlib(*text, terms_);
  if (!script) {
    out_.error = Error{script.error().kind, (folder / o_.file).string() + ": " + script.error().message, {}, {}};
    return std::move(out_);
  }
  try {
    assertions(*script);
  } catch (const Refused& refused) {
    refuse(0, refused.what);
  } catch (const NotSupported& open) {
    out_.undecided.push_back({o_.file, 0, "not supported: " + open.what});
    return std::move(out_);
  }
  if (out_.refused.empty()) reprove(*script);
  return std::move(out_);
}

/// The script of a question about all steps without assertions of its own.
smt::Script whole_script(const ir::Protocol& protocol, smt::TermManager& terms) {
  smt::Script script;
  smt::Note steps{"steps", {}, {}, {terms.integer(2), terms.integer(static_cast<std::int64_t>(protocol.steps.size()))}};
  for (std::size_t s = 0; s < protocol.steps.size(); ++s) {
    steps.parts.push_back(terms.integer(static_cast<std::int64_t>(s)));
  }
  script.notes.push_back(std::move(steps));
  return script;
}

/// That some execution can begin: of none everything is true. What no solver contradicts counts as possible.
void check_start(const Claims& claims, const Options& options, Report& report) {
  ir::Protocol protocol = claims.protocol;
  smt::TermManager terms;
  Question question;
  question.ask = Ask::begins;
  question.axioms = protocol.axioms;
  question.inits = protocol.inits;
  try {
    Meaning meaning(protocol, terms, {});
    Theory theory(meaning, whole_script(protocol, terms), question);
    smt::SolverConfig config = smt::z3_config();
    config.resource_limit = kAtLength;
    const auto solver = smt::make_solver(config);
    solver->stop_on(options.stop);
    for (const Term one : theory.beginning()) solver->assert_term(one);
    if (solver->check().answer != smt::Answer::unsat) return;
    report.refused.push_back({"manifest.json", 0,
                              "no execution can begin: the axioms and what holds at the start "
                              "contradict one another"});
  } catch (const Refused& refused) {
    report.undecided.push_back({"manifest.json", 0, "whether an execution can begin: " + refused.what});
  } catch (const NotSupported& open) {
    report.undecided.push_back({"manifest.json", 0, "not supported: " + open.what});
  }
}

/// What the source reads that may not be there, and nothing in the certificate speaks of.
void check_unshown(const Manifest& manifest, const Claims& claims, const Options& options, Report& report) {
  for (const auto& [name, question] : unshown(manifest, claims)) {
    ir::Protocol protocol = claims.protocol;
    smt::TermManager terms;
    std::string why = "nothing shows that '" + name + "' reads only what is there";
    try {
      Meaning meaning(protocol, terms, {});
      Theory theory(meaning, whole_script(protocol, terms), question);
      const Term goal = terms.and_(theory.goal());
      if (goal.is_false()) continue;
      smt::SolverConfig config = smt::z3_config();
      config.resource_limit = kAtLength;
      const auto solver = smt::make_solver(config);
      solver->stop_on(options.stop);
      solver->assert_term(goal);
      for (const Term one : theory.relevant("", "", "", goal, true)) solver->assert_term(one);
      if (solver->check().answer == smt::Answer::unsat) continue;
    } catch (const Refused& refused) {
      why += " (" + refused.what + ")";
    } catch (const NotSupported& open) {
      why += " (not supported: " + open.what + ")";
    }
    report.refused.push_back({"manifest.json", 0, why});
  }
}

/// The certificate is about this text.
void check_source(const Manifest& manifest, const Options& options, Report& report) {
  if (!options.source.empty()) {
    if (options.source != manifest.text) report.refused.push_back({"manifest.json", 0, "it is about another source"});
    return;
  }
  std::error_code error;
  if (!fs::is_regular_file(manifest.path, error)) {
    report.not_compared = manifest.path;
    return;
  }
  const Result<std::string> text = read_file(manifest.path);
  if (text && *text != manifest.text) {
    report.refused.push_back({"manifest.json", 0, "it is about another text than there is in " + manifest.path});
  }
}

}  // namespace

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all{"start", "step",      "last change",  "first send", "counting",
                                            "type",  "extension", "derived fact", "hypothesis", "goal"};
  return all;
}

int Report::status() const {
  if (!refused.empty()) return 1;
  return undecided.empty() && open.empty() ? 0 : 2;
}

Result<Report> recheck(const std::string& folder, const Options& options) {
  const Result<std::string> text = read_regular(fs::path(folder) / "manifest.json");
  if (!text) return tl::make_unexpected(text.error());
  const Result<Manifest> manifest = read_manifest(*text);
  if (!manifest) return failure(manifest.error().kind, (fs::path(folder) / manifest.error().message).string());
  Report report;
  report.folder = folder;
  report.protocol = manifest->protocol;
  check_source(*manifest, options, report);
  const Result<Claims> claims = read_claims(*manifest, report.refused);
  if (!claims) return failure(claims.error().kind, folder + ": " + claims.error().message);
  if (!report.refused.empty()) return report;
  const auto asked = questions(*manifest, *claims, report.refused);
  for (const auto& [name, statement] : claims->statements) {
    const auto& properties = manifest->properties;
    if (std::find(properties.begin(), properties.end(), name) == properties.end()) continue;
    (manifest->proved.contains(name) ? report.claims : report.open).push_back(name);
  }
  if (!report.refused.empty()) return report;

  std::vector<Outcome> outcomes(asked.size());
  std::atomic<std::size_t> next{0}, done{0};
  std::mutex progress;
  const auto work = [&] {
    for (std::size_t i = next++; i < asked.size(); i = next++) {
      if (options.stop != nullptr && options.stop->requested()) return;
      if (asked[i]) outcomes[i] = OneObligation(manifest->obligations[i], *asked[i], *claims, options).run(folder);
      const std::lock_guard<std::mutex> lock(progress);
      ++done;
      if (options.progress) options.progress(fmt::format("{} of {} obligations", done.load(), asked.size()));
    }
  };
  std::vector<std::jthread> helpers;
  for (unsigned j = 1; j < options.jobs; ++j) helpers.emplace_back(work);
  work();
  helpers.clear();
  if (options.stop != nullptr && options.stop->requested()) return failure(ErrorKind::interrupted, "stopped");

  for (std::size_t i = 0; i < asked.size(); ++i) {
    Outcome& outcome = outcomes[i];
    if (outcome.error) return tl::make_unexpected(*outcome.error);
    if (!asked[i]) {
      if (manifest->obligations[i].kind == "derived fact") ++report.by_text;
      continue;
    }
    ++report.obligations;
    if (outcome.reproved) ++report.reproved;
    if (!outcome.solver.empty()) report.solver = outcome.solver;
    for (const auto& [kind, count] : outcome.assertions) {
      report.assertions[kind].regenerated += count.regenerated;
      report.assertions[kind].trusted += count.trusted;
    }
    std::move(outcome.refused.begin(), outcome.refused.end(), std::back_inserter(report.refused));
    std::move(outcome.undecided.begin(), outcome.undecided.end(), std::back_inserter(report.undecided));
  }
  check_unshown(*manifest, *claims, options, report);
  check_start(*claims, options, report);
  return report;
}

std::string text(const Report& report) {
  std::string out = fmt::format("{}  {}\n", report.folder, report.protocol);
  const auto troubles = [&](const char* word, const std::vector<Trouble>& all) {
    for (const Trouble& trouble : all) {
      const std::string line = trouble.line == 0 ? "" : ":" + std::to_string(trouble.line);
      out += fmt::format("  {}  {}{}: {}\n", word, trouble.file, line, trouble.what);
    }
  };
  std::size_t regenerated = 0, trusted = 0;
  for (const auto& [kind, count] : report.assertions) {
    regenerated += count.regenerated;
    trusted += count.trusted;
  }
  if (report.refused.empty()) {
    for (const std::string& claim : report.claims) out += fmt::format("  holds      {}\n", claim);
    for (const std::string& claim : report.open)
      out += fmt::format("  open       {}: the certificate does not say that it is proved\n", claim);
  }
  out += fmt::format("  assertions {} follow from the source", regenerated);
  if (trusted != 0) out += fmt::format(", {} were trusted", trusted);
  const char* separator = ":";
  for (const auto& [kind, count] : report.assertions) {
    out += fmt::format("{} {} {}", separator, count.regenerated, kind);
    if (count.trusted != 0) out += fmt::format(" ({} trusted)", count.trusted);
    separator = ",";
  }
  out += fmt::format("\n  obligations {} of {} proved again{}, {} by the text alone\n", report.reproved,
                     report.obligations, report.solver.empty() ? "" : " by " + report.solver, report.by_text);
  if (!report.not_compared.empty()) {
    out += fmt::format("  source     not compared: there is no {} here (--source FILE)\n", report.not_compared);
  }
  troubles("refused   ", report.refused);
  troubles("undecided ", report.undecided);
  return out;
}

}  // namespace tenet::recheck
