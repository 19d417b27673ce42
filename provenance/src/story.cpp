#include "story.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace tenet::provenance {

namespace {

using ir::TypeKind;
using smt::Term;

constexpr std::size_t kMostLines = 24;

class Teller {
 public:
  Teller(Chase& chase, Execution& execution) : chase_(chase), x_(execution), p_(execution.protocol()) {}

  std::vector<std::string> tell() {
    last_ = chase_.number(x_.last());
    // What the solver calls a time says nothing but its place in the order: the first round is for that.
    for (const bool ordered : {false, true}) {
      ordered_ = ordered;
      lines_.clear();
      named_.clear();
      events();
      letters();
      values();
    }
    if (lines_.size() > kMostLines) {
      const std::size_t more = lines_.size() - kMostLines;
      lines_.resize(kMostLines);
      lines_.push_back(fmt::format("… and {} more", more));
    }
    return std::move(lines_);
  }

 private:
  void events() {
    std::map<std::int64_t, std::string> happened;
    for (const Event& event : x_.events) {
      const std::int64_t time = chase_.number(event.time);
      const std::int64_t kind = chase_.number(x_.kind(event.time));
      const bool known = kind >= 0 && kind < static_cast<std::int64_t>(p_.steps.size());
      if (!event.asked || time < 0 || time >= last_ || !known) continue;
      const ir::Step& step = p_.steps[static_cast<std::size_t>(kind)];
      happened.emplace(time, fmt::format("{} does {}", host(step.role, x_.actor(step.role, event.time)), step.name));
    }
    for (const auto& [time, what] : happened) lines_.push_back(fmt::format("{}: {}", at(time), what));
  }

  void letters() {
    for (const Letter& letter : x_.letters) {
      if (!x_.spoken(letter.sent_at)) continue;
      const std::int64_t time = chase_.number(letter.sent_at);
      if (time < 0 || time >= last_) continue;
      std::string args;
      for (const SymPtr& arg : letter.args) args += (args.empty() ? "" : ", ") + text(arg);
      add_once(fmt::format("{}({}) is sent by {} to {} {}", p_[letter.message].name, args,
                           host(letter.sender_role, letter.sender), host(letter.addressee_role, letter.addressee),
                           at(time)));
    }
  }

  void values() {
    const std::set<std::string> active = named_;
    // By place, then by time.
    std::map<std::string, std::map<std::int64_t, std::string>> places;
    std::map<std::string, std::string> owner;
    std::set<std::string> keyed;
    for (Read& read : x_.reads) {
      const std::int64_t time = chase_.number(read.cell.time);
      if (!x_.spoken(read) || time < 0 || time > last_ || read.value->kind == Sym::Kind::collection) continue;
      const std::string where = place(read.cell);
      places[where].emplace(time, text(read.value));
      owner.emplace(where, host(p_[read.cell.var].role, read.cell.host));
      if (!read.cell.keys.empty()) keyed.insert(where);
    }
    for (const auto& [where, history] : places) {
      // Nothing was ever counted there.
      const bool counts_nothing = std::ranges::all_of(history, [](const auto& at) { return at.second == "0"; });
      if (keyed.contains(where) && counts_nothing) continue;
      // Of those who do nothing only the end matters.
      if (!active.contains(owner.at(where)) && !history.contains(last_)) continue;
      std::string line = where + " is ", before;
      bool first = true;
      for (const auto& [time, value] : history) {
        if (value == before && time != last_) continue;
        line += fmt::format("{}{} {}", first ? "" : ", ", value, at(time));
        before = value;
        first = false;
      }
      lines_.push_back(line);
    }
  }

  void add_once(std::string line) {
    if (std::find(lines_.begin(), lines_.end(), line) == lines_.end()) lines_.push_back(std::move(line));
  }

  /// "Learner#1.accepts[Vote(1, Value#2)][Acceptor#1]".
  std::string place(const Cell& cell) {
    const ir::VarDecl& var = p_[cell.var];
    std::string name = x_.describe(cell);
    name = host(var.role, cell.host) + name.substr(p_[var.role].name.size());
    std::size_t used = 0;
    for (const ir::TypeId type : x_.key_types(cell)) {
      const std::string key = text(x_.unflatten(type, cell.keys, used));
      const std::size_t hole = name.find("[]");
      if (hole != std::string::npos) name.replace(hole, 2, "[" + key + "]");
    }
    return name;
  }

  std::string at(std::int64_t time) {
    if (time == 0) return "at the start";
    if (time == last_) return "at the end";
    times_.insert(time);
    return fmt::format("at {}", ordered_ ? 1 + std::distance(times_.begin(), times_.find(time)) : 0);
  }
  std::string host(ir::RoleId role, Term term) {
    std::string name = p_[role].single ? p_[role].name : numbered(p_[role].name, term);
    named_.insert(name);
    return name;
  }
  std::string numbered(const std::string& sort, Term term) {
    auto& known = numbers_[sort];
    const std::string& named = chase_.text(term);
    return fmt::format("{}#{}", sort, known.emplace(named, known.size() + 1).first->second);
  }

  std::string text(const SymPtr& value) {
    const ir::Type& type = p_[value->type];
    switch (value->kind) {
      case Sym::Kind::option:
        return chase_.is_true(value->term) ? text(value->parts[0]) : "none";
      case Sym::Kind::structure: {
        std::string fields;
        for (const SymPtr& part : value->parts) fields += (fields.empty() ? "" : ", ") + text(part);
        return p_.structs[type.declaration].name + "(" + fields + ")";
      }
      case Sym::Kind::collection:
        return "…";
      case Sym::Kind::scalar:
        break;
    }
    if (type.kind == TypeKind::host) return host(ir::RoleId(type.declaration), value->term);
    if (type.kind == TypeKind::sort && !p_.sorts[type.declaration].ordered) {
      return numbered(p_.sorts[type.declaration].name, value->term);
    }
    return chase_.text(value->term);
  }

  Chase& chase_;
  Execution& x_;
  const ir::Protocol& p_;
  std::int64_t last_ = 0;
  bool ordered_ = false;
  std::set<std::int64_t> times_;
  std::set<std::string> named_;  ///< hosts in events and letters; those that are read join them later
  std::vector<std::string> lines_;
  std::map<std::string, std::map<std::string, std::size_t>> numbers_;
};

}  // namespace

std::vector<std::string> story(Chase& chase, Execution& execution) { return Teller(chase, execution).tell(); }

}  // namespace tenet::provenance
