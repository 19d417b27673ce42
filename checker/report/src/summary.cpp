#include "summary.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tenet/result/words.h"
#include "wording.h"

namespace tenet::report {
namespace {

using result::Finding;
using result::Level;
using result::Verdict;

/// How many of each verdict, over the whole run.
struct Counts {
  std::map<Verdict, std::size_t> verdicts;
  std::size_t bad_input = 0;
  std::size_t files = 0;

  explicit Counts(const result::RunResult& run) {
    for (const Finding& finding : run.problems) add(finding);
    for (const auto& file : run.files) {
      ++files;
      for (const Finding& finding : file.findings) add(finding);
    }
  }
  void add(const Finding& finding) {
    if (finding.level == Level::bad_input) ++bad_input;
    if (finding.verdict) ++verdicts[*finding.verdict];
  }
  std::size_t operator[](Verdict verdict) const {
    const auto found = verdicts.find(verdict);
    return found == verdicts.end() ? 0 : found->second;
  }
};

std::string tally(const result::RunResult& run, const Counts& counts) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t number, std::string_view what) {
    if (number > 0) parts.push_back(fmt::format("{} {}", number, what));
  };
  add(counts[Verdict::internal_error], counts[Verdict::internal_error] == 1 ? "internal error" : "internal errors");
  add(counts.bad_input, counts.bad_input == 1 ? "error in the input" : "errors in the input");
  add(counts[Verdict::violated], "violated");
  add(counts[Verdict::unknown] + counts[Verdict::unsupported], "unknown");
  add(counts[Verdict::refuted],
      counts[Verdict::refuted] == 1 ? "variant refuted as it should be" : "variants refuted as they should be");
  if (run.command != "invariants") add(counts[Verdict::proved], run.command == "check" ? "right" : "proved");
  if (run.command == "simulate") {
    if (counts[Verdict::holds_bounded] > 0) parts.emplace_back("no violation in these runs");
  } else {
    add(counts[Verdict::holds_bounded],
        counts[Verdict::holds_bounded] == 1 ? "holds in the finite instances" : "hold in the finite instances");
  }
  add(counts[Verdict::reached], "reached");
  return result::listed(parts);
}

}  // namespace

MutantCounts count_mutants(const result::FileResult& file) {
  MutantCounts counts;
  for (const Finding& finding : file.findings) {
    if (finding.subject_kind != "mutant") continue;
    ++counts.made;
    counts.refuted += finding.rule == "mutant-refuted" ? 1U : 0U;
    counts.by_error += finding.rule == "mutant-refuted-by-error" ? 1U : 0U;
    counts.survived += finding.rule == "mutant-survived" ? 1U : 0U;
    counts.undecided += finding.rule == "mutant-undecided" ? 1U : 0U;
  }
  return counts;
}

Summary summarise(const result::RunResult& run) {
  const Counts counts(run);
  Summary summary;
  summary.status = result::exit_status(run);
  if (run.interrupted) summary.sentences.emplace_back("interrupted: what was not finished is unknown");
  if (counts[Verdict::holds_bounded] > 0 && run.command == "verify") {
    summary.sentences.emplace_back(run.accept_bounded
                                       ? "bounded results count as success (--accept-bounded): no proof for other sizes"
                                       : "no proof for other sizes: exit status 2 (--accept-bounded makes it 0)");
  }
  if (run.command == "invariants" && summary.status == 0) {
    std::size_t derived = 0;
    for (const auto& file : run.files) derived += file.proof ? file.proof->invariants.size() : 0;
    summary.verdict = counted(derived, "derived invariant");
    return summary;
  }
  if (run.conclusion) {
    summary.verdict = run.conclusion->text;
    return summary;
  }
  const std::string what = tally(run, counts);
  const std::string files = counts.files <= 1 ? "" : fmt::format("{}: ", counted(counts.files, "file"));
  summary.verdict = what.empty() ? files + "nothing was checked" : files + what;
  return summary;
}

}  // namespace tenet::report
