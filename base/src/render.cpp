#include <algorithm>
#include <string>

#include "tenet/base/diagnostic.h"
#include "tenet/base/utf8.h"

namespace tenet {

namespace {

/// ANSI escapes, or nothing.
class Paint {
 public:
  explicit Paint(bool colour) : colour_(colour) {}
  [[nodiscard]] std::string operator()(const char* code, const std::string& text) const {
    return colour_ ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
  }

 private:
  bool colour_;
};

constexpr const char* kBold = "1";
constexpr const char* kRed = "1;31";
constexpr const char* kYellow = "1;33";
constexpr const char* kBlue = "1;34";
constexpr const char* kGreen = "1;32";

std::string severity_name(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      break;
  }
  return "error";
}

const char* severity_colour(Severity severity) {
  if (severity == Severity::error) return kRed;
  return severity == Severity::warning ? kYellow : kBlue;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::size_t code_points(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_continuation));
}

/// A long line is cut to what lies around the span.
struct Excerpt {
  std::string text;    ///< printable, tabs as blanks
  std::size_t before;  ///< code points before the underlined part
  std::size_t length;  ///< code points underlined, at least one
};

std::size_t whole(std::string_view line, std::size_t at) {
  while (at > 0 && at < line.size() && is_continuation(line[at])) --at;
  return std::min(at, line.size());
}

Excerpt excerpt(std::string_view line, std::size_t begin, std::size_t end) {
  constexpr std::size_t kWidest = 160;
  constexpr std::size_t kContext = 60;
  begin = std::min(begin, line.size());
  end = std::clamp(end, begin, line.size());
  std::size_t from = 0;
  std::size_t to = line.size();
  if (line.size() > kWidest) {
    from = begin > kContext ? whole(line, begin - kContext) : 0;
    to = whole(line, std::min(line.size(), from + kWidest));
    end = std::clamp(end, begin, std::max(begin, to));
  }
  Excerpt result;
  result.text = printable(line.substr(from, to - from));
  std::replace(result.text.begin(), result.text.end(), '\t', ' ');
  result.before = code_points(line.substr(from, begin - from));
  result.length = std::max<std::size_t>(1, code_points(line.substr(begin, end - begin)));
  if (from > 0) {
    result.text.insert(0, "…");
    ++result.before;
  }
  if (to < line.size()) result.text += "…";
  return result;
}

/// `path:line:column: kind: message`, the line, the span underlined.
std::string located(const SourceFile& file, Span span, Severity severity, const std::string& message, Paint paint) {
  const LineColumn at = file.position(span.begin);
  std::string out =
      paint(kBold, printable(file.path()) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ":") +
      " " + paint(severity_colour(severity), severity_name(severity) + ":") + " " + paint(kBold, printable(message)) +
      "\n";
  const std::string_view line = file.line(at.line);
  const auto line_begin = static_cast<std::size_t>(line.data() - file.text().data());
  const std::size_t begin = span.begin - std::min<std::size_t>(line_begin, span.begin);
  const std::size_t end = std::max(span.begin, span.end) - std::min<std::size_t>(line_begin, span.begin);
  const Excerpt shown = excerpt(line, begin, end);
  const std::string number = std::to_string(at.line);
  const std::string margin(std::max<std::size_t>(4, number.size() + 1), ' ');
  out += paint(kBlue, margin.substr(number.size()) + number + " |") + (shown.text.empty() ? "" : " ") + shown.text +
         "\n" + paint(kBlue, margin + " |") + " " + std::string(shown.before, ' ') +
         paint(severity_colour(severity), "^" + std::string(shown.length - 1, '~')) + "\n";
  return out;
}

}  // namespace

std::string render(const Diagnostic& diagnostic, const SourceFile& file, bool colour) {
  const Paint paint(colour);
  std::string out =
      located(file, diagnostic.span, diagnostic.severity, diagnostic.message + " [" + diagnostic.id + "]", paint);
  if (!diagnostic.hint.empty()) out += "     " + paint(kGreen, "hint:") + " " + printable(diagnostic.hint) + "\n";
  for (const DiagnosticNote& note : diagnostic.notes) {
    out += located(file, note.span, Severity::note, note.message, paint);
  }
  return out;
}

}  // namespace tenet
