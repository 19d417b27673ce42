#include <fmt/format.h>

#include "judgement.h"
#include "tenet/base/utf8.h"

namespace tenet::gate {
namespace {

std::string place(const Item& item) {
  return item.line == 0 ? item.path : fmt::format("{}:{}:{}", item.path, item.line, item.column);
}

void list(const Outcome& outcome, Reaction reaction, std::string& out) {
  for (const Item* item : items_with(outcome, reaction)) {
    out += fmt::format("{:<5}{}  {}: {}\n", name(reaction), place(*item), name(item->change), item->message);
    if (!item->before.empty() && !item->after.empty()) {
      out += fmt::format("       {} before, {} now\n", item->before, item->after);
    }
    if (!item->details.empty()) out += item->details + "\n";
  }
}

}  // namespace

std::string text(const Outcome& outcome) {
  std::string out =
      fmt::format("compared {:.12} with {:.12}: {}\n", outcome.stamp.merge_base, outcome.stamp.head, extent(outcome));
  for (const std::string& note : outcome.notes) out += "note " + note + "\n";
  for (const std::string& problem : outcome.problems) out += "error " + problem + "\n";
  list(outcome, Reaction::fail, out);
  list(outcome, Reaction::warn, out);
  out += "gate " + verdict(outcome);
  const std::string failing = counted(items_with(outcome, Reaction::fail));
  const std::string open = nothing_said(outcome);
  if (!failing.empty()) {
    out += ": " + failing;
  } else if (!open.empty() && outcome.problems.empty()) {
    out += ": " + open;
  } else if (outcome.stamp.units.empty() && outcome.problems.empty()) {
    out += ": no protocol and no variant is touched";
  }
  return printable_lines(out + "\n");
}

}  // namespace tenet::gate
