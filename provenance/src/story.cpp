#include "story.h"

#include <algorithm>
#include <map>
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
    events();
    letters();
    values();
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
    for (const auto& [time, what] : happened) lines_.push_back(fmt::format("at {}: {}", time, what));
  }

  void letters() {
    for (const Letter& letter : x_.letters) {
      if (!x_.spoken(letter.sent_at)) continue;
      const std::int64_t time = chase_.number(letter.sent_at);
      if (time < 0 || time >= last_) continue;
      std::string args;
      for (const SymPtr& arg : letter.args) args += (args.empty() ? "" : ", ") + text(arg);
      add_once(fmt::format("{}({}) is sent by {} to {} at {}", p_[letter.message].name, args,
                           host(letter.sender_role, letter.sender), host(letter.addressee_role, letter.addressee),
                           time));
    }
  }

  void values() {
    // By place, then by time.
    std::map<std::string, std::map<std::int64_t, std::string>> places;
    for (Read& read : x_.reads) {
      const std::int64_t time = chase_.number(read.cell.time);
      if (!x_.spoken(read) || time < 0 || time > last_ || read.value->kind == Sym::Kind::collection) continue;
      places[place(read.cell)].emplace(time, text(read.value));
    }
    for (const auto& [where, history] : places) {
      std::string line = where + " is ", before;
      bool first = true;
      for (const auto& [time, value] : history) {
        if (value == before && time != last_) continue;
        line +=
            fmt::format("{}{} {}", first ? "" : ", ", value, time == last_ ? "at the end" : fmt::format("at {}", time));
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

  std::string host(ir::RoleId role, Term term) { return numbered(p_[role].name, term); }
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
    if (type.kind == TypeKind::host) return numbered(p_.roles[type.declaration].name, value->term);
    if (type.kind == TypeKind::sort && !p_.sorts[type.declaration].ordered) {
      return numbered(p_.sorts[type.declaration].name, value->term);
    }
    return chase_.text(value->term);
  }

  Chase& chase_;
  Execution& x_;
  const ir::Protocol& p_;
  std::int64_t last_ = 0;
  std::vector<std::string> lines_;
  std::map<std::string, std::map<std::string, std::size_t>> numbers_;
};

}  // namespace

std::vector<std::string> story(Chase& chase, Execution& execution) { return Teller(chase, execution).tell(); }

}  // namespace tenet::provenance
