#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tenet/from_tests/infer.h"

namespace tenet::from_tests {

std::string report(const Model& model, const Suite& suite, const Recording& recording, const Observed& observed,
                   const Inference& inference) {
  std::size_t on_query = 0, seen = 0, status = 0, nothing = 0, not_executed = 0, covered_on_query = 0;
  std::map<std::string, std::vector<std::string>> reasons;
  for (std::size_t a = 0; a < observed.assertions.size(); ++a) {
    const Observed::One& one = observed.assertions[a];
    const Test& test = suite.tests[one.test];
    const std::string where = test.suite + "." + test.name + " " + show(test.assertions[one.assertion].place);
    on_query += one.on_query ? 1u : 0u;
    const bool covered = a < inference.assertion_covered.size() && inference.assertion_covered[a];
    covered_on_query += one.on_query && covered ? 1u : 0u;
    switch (one.fate) {
      case Fate::observed:
        ++seen;
        if (!covered)
          reasons[inference.assertion_reason[a].empty() ? "no relation explains it" : inference.assertion_reason[a]]
              .push_back(where);
        break;
      case Fate::status_of_change:
        ++status;
        break;
      case Fate::no_operation:
        ++nothing;
        reasons[one.reason].push_back(where);
        break;
      case Fate::not_executed:
        ++not_executed;
        reasons[one.reason].push_back(where);
        break;
      case Fate::not_generalised:
        reasons[one.reason].push_back(where);
    }
  }
  std::string out;
  std::size_t passed = 0, without = 0;
  for (const RecordedTest& test : recording.tests) passed += test.passed ? 1u : 0u;
  for (const Test& test : suite.tests) without += test.assertions.empty() ? 1u : 0u;
  out += fmt::format("tests        {} in the sources ({} without assertions), {} recorded, {} passed\n",
                     suite.tests.size(), without, recording.tests.size(), passed);
  out += fmt::format("recording    {} operations, {} evaluations of assertions{}\n", recording.operations,
                     recording.assertions,
                     recording.malformed == 0 ? "" : fmt::format(", {} lines that are none", recording.malformed));
  out += fmt::format("assertions   {}: {} on results of queries, {} on the status of changes, {} on no operation\n",
                     observed.assertions.size(), on_query, status, nothing);
  out +=
      fmt::format("observed     {} assertions promise results, of {} operations\n", seen, observed.observations.size());
  out +=
      fmt::format("covered      {} of {} assertions on results of queries ({:.0f} %)\n", covered_on_query, on_query,
                  on_query == 0 ? 0.0 : 100.0 * static_cast<double>(covered_on_query) / static_cast<double>(on_query));
  out += fmt::format("checkers     {} kept, {} dropped, of {} hypotheses\n", inference.kept.size(),
                     inference.dropped.size(), inference.hypotheses);
  for (const CheckerResult& each : inference.kept) {
    out += fmt::format("  kept     {}: {} assertions of {} tests; passed {}, unknown {}\n", each.checker.name,
                       each.checker.assertions, each.checker.tests, each.passed, each.unknown);
  }
  for (const CheckerResult& each : inference.dropped) {
    out += fmt::format("  dropped  {}: contradicted {} times, by {}\n", each.checker.name, each.violated,
                       each.contradicted_by.empty() ? "nothing, but never asserted" : each.contradicted_by.front());
  }
  (void)model;
  if (!reasons.empty()) out += "not generalised\n";
  std::vector<std::pair<std::string, std::vector<std::string>>> sorted(reasons.begin(), reasons.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& x, const auto& y) { return x.second.size() > y.second.size(); });
  for (const auto& [reason, places] : sorted) {
    out += fmt::format("  {:4} {}\n", places.size(), reason);
    for (const std::string& place : places) out += "         " + place + "\n";
  }
  return out;
}

}  // namespace tenet::from_tests
