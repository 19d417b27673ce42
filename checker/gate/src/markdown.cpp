#include <fmt/format.h>

#include <algorithm>

#include "judgement.h"

namespace tenet::gate {
namespace {

/// Services cut summaries beyond a mebibyte.
constexpr std::size_t kMostDetails = 20;
constexpr std::size_t kDetailBytes = 16'000;
constexpr std::size_t kMostRows = 500;

/// Text of somebody's file as plain text in a table cell: no markup, no HTML,
/// no mention of a user, no line break.
std::string cell(std::string_view raw) {
  std::string out;
  for (const char c : raw) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += ' ';
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '@') {
      out += "&#64;";
    } else {
      if (std::string_view("\\`*_{}[]()#+-!|~").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

/// A block of text with a fence that does not occur in it.
std::string fenced(std::string text) {
  if (text.size() > kDetailBytes) {
    text.resize(text.rfind('\n', kDetailBytes) + 1);  // between two lines; without any, nothing is left
    text += "… cut: the whole of it is in the report of 'tenet verify'\n";
  }
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return fence + "text\n" + text + (text.empty() || text.back() != '\n' ? "\n" : "") + fence + "\n";
}

std::string place(const Item& item) {
  return cell(item.line == 0 ? item.path : fmt::format("{}:{}", item.path, item.line));
}

class Summary {
 public:
  explicit Summary(const Outcome& outcome) : outcome_(outcome) {}

  std::string text() {
    const auto failing = items_with(outcome_, Reaction::fail);
    const auto warning = items_with(outcome_, Reaction::warn);
    out_ = "## Tenet gate: " + verdict(outcome_) + "\n\n";
    if (const std::string words = counted(failing); !words.empty()) out_ += "**Fails:** " + words + ".\n\n";
    if (const std::string words = counted(warning); !words.empty()) out_ += "**Warns:** " + words + ".\n\n";
    if (const std::string open = nothing_said(outcome_); !open.empty()) out_ += "**Not decided:** " + open + ".\n\n";
    list("Cannot be used", outcome_.problems);
    rows(failing, warning);
    details(failing);
    touched();
    list("Notes", outcome_.notes);
    out_ += fmt::format("Compared `{:.12}` with `{:.12}` by the policy of `{:.12}` ({}): {}.\n",
                        outcome_.stamp.merge_base, outcome_.stamp.head, outcome_.stamp.base,
                        outcome_.stamp.policy.empty() ? "the default one" : "`tenet.toml`", extent(outcome_));
    return std::move(out_);
  }

 private:
  void list(const std::string& title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    out_ += "### " + title + "\n\n";
    for (const std::string& line : lines) out_ += "- " + cell(line) + "\n";
    out_ += "\n";
  }

  void rows(const std::vector<const Item*>& failing, const std::vector<const Item*>& warning) {
    if (failing.empty() && warning.empty()) return;
    out_ += "| | change | what | where | before | now |\n| --- | --- | --- | --- | --- | --- |\n";
    std::size_t count = 0;
    for (const auto* items : {&failing, &warning}) {
      for (const Item* item : *items) {
        if (count++ >= kMostRows) continue;
        out_ +=
            fmt::format("| {} | {} | {} | {} | {} | {} |\n", name(outcome_.policy.reaction(item->change)),
                        name(item->change), cell(item->message), place(*item), cell(item->before), cell(item->after));
      }
    }
    if (count > kMostRows) out_ += fmt::format("\n… and {} more\n", count - kMostRows);
    out_ += "\n";
  }

  void details(const std::vector<const Item*>& items) {
    std::size_t count = 0;
    std::size_t left_out = 0;
    for (const Item* item : items) {
      if (item->details.empty()) continue;
      if (count++ >= kMostDetails) {
        ++left_out;
        continue;
      }
      out_ += "<details><summary>" + cell(item->subject) + ": a shortest run to it</summary>\n\n" +
              fenced(item->details) + "\n</details>\n\n";
    }
    if (left_out > 0) out_ += fmt::format("… and the runs of {} more\n\n", left_out);
  }

  void touched() {
    if (outcome_.units.empty()) return;
    out_ += "<details><summary>What was looked at</summary>\n\n| what | where | decided |\n| --- | --- | --- |\n";
    for (std::size_t i = 0; i < std::min(outcome_.units.size(), kMostRows); ++i) {
      const UnitOutcome& unit = outcome_.units[i];
      out_ += fmt::format("| {} | {} | {} |\n", cell(unit.what), cell(unit.path),
                          unit.asked == 0 ? "" : fmt::format("{} of {}", unit.decided, unit.asked));
    }
    if (outcome_.units.size() > kMostRows) out_ += fmt::format("\n… and {} more\n", outcome_.units.size() - kMostRows);
    out_ += "\n</details>\n\n";
  }

  const Outcome& outcome_;
  std::string out_;
};

}  // namespace

std::string markdown(const Outcome& outcome) { return Summary(outcome).text(); }

}  // namespace tenet::gate
