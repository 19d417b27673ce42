#include "tenet/base/line_difference.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tenet {
namespace {

using Lines = std::vector<std::string_view>;

/// With their newlines: a last line without one differs from the same with it.
Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// One line of the difference: ' ' in both texts, '-' and '+' in one.
struct Change {
  char kind;
  std::string_view line;
};
using Script = std::vector<Change>;

/// What stands in both texts at the beginning and at the end needs no search.
struct Common {
  std::size_t before = 0;
  std::size_t after = 0;
};
Common common_ends(const Lines& a, const Lines& b) {
  Common common;
  const std::size_t most = std::min(a.size(), b.size());
  while (common.before < most && a[common.before] == b[common.before]) ++common.before;
  while (common.after < most - common.before && a[a.size() - 1 - common.after] == b[b.size() - 1 - common.after]) {
    ++common.after;
  }
  return common;
}

/// Cells of the table below; their values fit into 16 bits because the shorter
/// side then has at most 2,000 lines.
constexpr std::size_t kMostCells = 4'000'000;

/// Length of the longest common subsequence of the rest of two texts, behind
/// each pair of lines (Wagner and Fischer 1974).
class Table {
 public:
  Table(const Lines& a, const Lines& b) : width_(b.size() + 1), cells_((a.size() + 1) * width_) {
    for (std::size_t i = a.size(); i-- > 0;) {
      for (std::size_t j = b.size(); j-- > 0;) {
        at(i, j) =
            a[i] == b[j] ? static_cast<std::uint16_t>(at(i + 1, j + 1) + 1) : std::max(at(i + 1, j), at(i, j + 1));
      }
    }
  }
  std::uint16_t& at(std::size_t i, std::size_t j) { return cells_[i * width_ + j]; }

 private:
  std::size_t width_;
  std::vector<std::uint16_t> cells_;
};

void add_middle(Script& script, const Lines& a, const Lines& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  if ((a.size() + 1) * (b.size() + 1) <= kMostCells) {
    Table table(a, b);
    while (i < a.size() && j < b.size()) {
      if (a[i] == b[j]) {
        script.push_back({' ', a[i]});
        ++i;
        ++j;
      } else if (table.at(i + 1, j) >= table.at(i, j + 1)) {
        script.push_back({'-', a[i++]});
      } else {
        script.push_back({'+', b[j++]});
      }
    }
  }
  while (i < a.size()) script.push_back({'-', a[i++]});
  while (j < b.size()) script.push_back({'+', b[j++]});
}

Script script_of(const Lines& a, const Lines& b) {
  const Common common = common_ends(a, b);
  const auto middle = [&](const Lines& lines) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(common.before),
                 lines.end() - static_cast<std::ptrdiff_t>(common.after));
  };
  Script script;
  for (std::size_t i = 0; i < common.before; ++i) script.push_back({' ', a[i]});
  add_middle(script, middle(a), middle(b));
  for (std::size_t i = a.size() - common.after; i < a.size(); ++i) script.push_back({' ', a[i]});
  return script;
}

/// Writes hunks, and counts what does not fit any more.
class Writer {
 public:
  explicit Writer(std::size_t most_lines) : left_(most_lines) {}

  void write(const Script& script) {
    for (std::size_t i = 0; i < script.size();) {
      const auto changed = [](const Change& change) { return change.kind != ' '; };
      const auto begin = script.begin() + static_cast<std::ptrdiff_t>(i);
      const auto first = static_cast<std::size_t>(std::find_if(begin, script.end(), changed) - script.begin());
      if (first == script.size()) break;
      const std::size_t from = first - std::min(first - i, kAround);
      std::size_t end = first;  // behind the last change of the hunk
      for (std::size_t k = first; k < script.size() && k - end <= 2 * kAround; ++k) {
        if (changed(script[k])) end = k + 1;
      }
      end = std::min(end + kAround, script.size());
      pass(script, i, from);
      hunk(script, from, end);
      i = end;
    }
    if (omitted_ != 0)
      text_ += "… and " + std::to_string(omitted_) + (omitted_ == 1 ? " more line\n" : " more lines\n");
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  static constexpr std::size_t kAround = 3;

  /// Counts lines that are not shown.
  void pass(const Script& script, std::size_t from, std::size_t end) {
    for (std::size_t i = from; i < end; ++i) {
      before_ += script[i].kind != '+' ? 1U : 0U;
      after_ += script[i].kind != '-' ? 1U : 0U;
    }
  }

  void hunk(const Script& script, std::size_t from, std::size_t end) {
    const std::size_t before = before_;
    const std::size_t after = after_;
    pass(script, from, end);
    line("@@ -" + range(before, before_) + " +" + range(after, after_) + " @@\n");
    for (std::size_t i = from; i < end; ++i) {
      std::string shown = script[i].kind + std::string(script[i].line);
      if (!shown.ends_with('\n')) shown += "\n\\ No newline at end of file\n";
      line(shown);
    }
  }
  /// An empty range is named by the line before it.
  static std::string range(std::size_t begin, std::size_t end) {
    if (end == begin) return std::to_string(begin) + ",0";
    const std::string first = std::to_string(begin + 1);
    return end == begin + 1 ? first : first + "," + std::to_string(end - begin);
  }
  void line(const std::string& shown) {
    if (left_ == 0) {
      ++omitted_;
      return;
    }
    --left_;
    text_ += shown;
  }

  std::size_t left_;
  std::size_t omitted_ = 0;
  std::size_t before_ = 0;
  std::size_t after_ = 0;
  std::string text_;
};

}  // namespace

std::string unified_difference(std::string_view before, std::string_view after, std::size_t most_lines) {
  if (before == after) return "";
  Writer writer(std::max<std::size_t>(most_lines, 1));
  writer.write(script_of(lines_of(before), lines_of(after)));
  return writer.take();
}

std::size_t first_different_line(std::string_view before, std::string_view after) {
  if (before == after) return 0;
  const auto [at, unused] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  return 1 + static_cast<std::size_t>(std::count(before.begin(), at, '\n'));
}

}  // namespace tenet
