#include <fmt/format.h>

#include "escape.h"
#include "narration.h"
#include "paint.h"
#include "tenet/report/report.h"
#include "text_trace.h"
#include "wording.h"

namespace tenet::report {
namespace {

using result::FileResult;
using result::Finding;
using result::Level;
using result::Verdict;

/// What a test case came to, in JUnit's words.
enum class Outcome { passed, failure, error, skipped };

/// Everything asked, and every finding that must not pass unseen, is a test
/// case. A bounded result is "skipped": neither green nor red, unless the user
/// accepts it.
Outcome outcome(const Finding& finding, bool accept_bounded) {
  if (finding.level == Level::bad_input) return Outcome::error;
  if (!finding.verdict) return finding.level == Level::failure ? Outcome::failure : Outcome::passed;
  switch (*finding.verdict) {
    case Verdict::proved:
    case Verdict::reached:
    case Verdict::refuted:
      return Outcome::passed;
    case Verdict::holds_bounded:
      return accept_bounded ? Outcome::passed : Outcome::skipped;
    case Verdict::violated:
      return Outcome::failure;
    case Verdict::unknown:
    case Verdict::unsupported:
    case Verdict::internal_error:
      break;
  }
  return Outcome::error;
}

bool is_test_case(const Finding& finding) {
  return finding.verdict || finding.level == Level::failure || finding.level == Level::bad_input;
}

struct Suite {
  std::string name;
  std::string cases;
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

std::string body(const FileResult* file, const Finding& finding) {
  std::string text = finding.hint.empty() ? "" : finding.hint + "\n";
  if (file != nullptr && finding.trace) text += trace_text(*file, finding, Paint(false));
  return escape_markup(text);
}

void add_case(Suite& suite, const FileResult* file, const Finding& finding, bool accept_bounded) {
  const Outcome what = outcome(finding, accept_bounded);
  const std::string name = finding.subject.empty() ? finding.rule : title(finding);
  std::string where;
  if (file != nullptr) {
    where = fmt::format(" file=\"{}\"", escape_markup(file->source->path()));
    if (!finding.span.empty()) where += fmt::format(" line=\"{}\"", file->source->position(finding.span.begin).line);
  }
  ++suite.tests;
  suite.cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\"{}", escape_markup(suite.name),
                             escape_markup(name), where);
  const std::string message = escape_markup(finding.message);
  switch (what) {
    case Outcome::passed:
      suite.cases += "/>\n";
      return;
    case Outcome::skipped:
      ++suite.skipped;
      suite.cases += fmt::format(">\n      <skipped message=\"{}; no proof for other sizes\"/>\n", message);
      break;
    case Outcome::failure:
    case Outcome::error: {
      const char* tag = what == Outcome::failure ? "failure" : "error";
      (what == Outcome::failure ? suite.failures : suite.errors) += 1;
      suite.cases += fmt::format(">\n      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", tag,
                                 escape_markup(finding.rule), message, body(file, finding));
      break;
    }
  }
  suite.cases += "    </testcase>\n";
}

std::string totals(const Suite& suite, const Style& style) {
  std::string text = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", suite.tests,
                                 suite.failures, suite.errors, suite.skipped);
  if (!style.deterministic) text += fmt::format(" time=\"{:.3f}\"", suite.seconds);
  return text;
}

}  // namespace

std::string junit(const result::RunResult& run, const Style& style) {
  std::vector<Suite> suites;
  if (!run.problems.empty()) {
    suites.push_back({"tenet " + run.command, "", 0, 0, 0, 0, 0});
    for (const Finding& problem : run.problems) add_case(suites.back(), nullptr, problem, run.accept_bounded);
  }
  for (const FileResult& file : run.files) {
    suites.push_back({file.source->path(), "", 0, 0, 0, 0, file.seconds});
    for (const Finding& finding : file.findings) {
      if (is_test_case(finding)) add_case(suites.back(), &file, finding, run.accept_bounded);
    }
  }
  Suite all;
  all.seconds = run.seconds;
  std::string inner;
  for (const Suite& suite : suites) {
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
    all.skipped += suite.skipped;
    inner += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", escape_markup(suite.name),
                         totals(suite, style), suite.cases);
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tenet\" {}>\n{}</testsuites>\n",
                     totals(all, style), inner);
}

}  // namespace tenet::report
