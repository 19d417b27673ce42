#include "tenet/result/result_model.h"

#include <algorithm>

namespace tenet::result {

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::proved:
      return "proved";
    case Verdict::reached:
      return "reached";
    case Verdict::refuted:
      return "refuted";
    case Verdict::holds_bounded:
      return "holds-bounded";
    case Verdict::violated:
      return "violated";
    case Verdict::unknown:
      return "unknown";
    case Verdict::unsupported:
      return "unsupported";
    case Verdict::internal_error:
      return "internal-error";
  }
  return "internal-error";
}

std::string_view name(Level level) {
  switch (level) {
    case Level::pass:
      return "pass";
    case Level::note:
      return "note";
    case Level::warning:
      return "warning";
    case Level::failure:
      return "failure";
    case Level::bad_input:
      return "bad-input";
  }
  return "failure";
}

namespace {

/// What a run amounts to; the exit status is the first that is set of
/// internal, bad_input, violated, open.
struct Tally {
  bool internal = false, bad_input = false, violated = false, open = false, holds = false;

  void add(const Finding& finding, bool accept_bounded) {
    if (finding.level == Level::bad_input) bad_input = true;
    if (!finding.verdict) {
      // A failure nobody put a verdict on must never look like success.
      if (finding.level == Level::failure) open = true;
      return;
    }
    switch (*finding.verdict) {
      case Verdict::proved:
      case Verdict::reached:
      case Verdict::refuted:
        holds = true;
        break;
      case Verdict::holds_bounded:
        (accept_bounded ? holds : open) = true;
        break;
      case Verdict::violated:
        violated = true;
        break;
      case Verdict::unknown:
      case Verdict::unsupported:
        open = true;
        break;
      case Verdict::internal_error:
        internal = true;
        break;
    }
  }
};

}  // namespace

int exit_status(const RunResult& run) {
  if (run.conclusion) return run.conclusion->status;
  Tally tally;
  for (const Finding& finding : run.problems) tally.add(finding, run.accept_bounded);
  for (const FileResult& file : run.files) {
    Tally own;
    for (const Finding& finding : file.findings) {
      tally.add(finding, run.accept_bounded);
      own.add(finding, run.accept_bounded);
    }
    // A file about which nothing was asked proves nothing.
    if (!own.holds) tally.open = true;
  }
  if (tally.internal) return 4;
  if (tally.bad_input) return 3;
  if (tally.violated) return 1;
  if (tally.open || run.interrupted || !tally.holds) return 2;
  return 0;
}

namespace {

std::string steps(const SymbolicSearch& search) {
  return std::to_string(*search.depth) + (*search.depth == 1 ? " step" : " steps");
}

/// Why it went no further, after what is said before.
std::string rest(const SymbolicSearch& search, const std::string& said) {
  if (search.end == "depth" || search.end == "decided") return said;
  if (search.end == "exhausted") return said + "; no run is longer";
  return (said.empty() ? "" : said + ", then ") + (search.end == "unsupported" ? "not supported: " : "") +
         search.reason;
}

}  // namespace

std::string outcome(const SymbolicSearch& search) {
  return rest(search, search.depth ? "nothing within " + steps(search) + " with any numbers" : "");
}

std::string summary(const SymbolicSearch& search) {
  std::string said;
  if (search.depth) {
    said = std::to_string(search.found.size()) + " of " + std::to_string(search.properties.size()) +
           (search.properties.size() == 1 ? " property" : " properties") + " decided in runs of up to " + steps(search);
  }
  return search.instance + " with any numbers: " + rest(search, said);
}

std::size_t lines_of_text(std::string_view text) {
  std::size_t count = 0;
  bool in_block = false;  // inside /* … */
  bool seen = false;      // something but blanks and comments on this line
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view two = text.substr(i, 2);
    if (text[i] == '\n') {
      count += seen ? 1 : 0;
      seen = false;
    } else if (in_block) {
      if (two == "*/") {
        in_block = false;
        ++i;
      }
    } else if (two == "/*") {
      in_block = true;
      ++i;
    } else if (two == "//") {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r') {
      seen = true;
    }
  }
  return count + (seen ? 1 : 0);
}

}  // namespace tenet::result
