/// Statements in the protocol language's own words.
#include <fmt/format.h>

#include "tenet/ir/printer.h"
#include "walk.h"

namespace tenet::ir {

namespace {

/// `x[k] = e` reaches the IR as `x = update(x, k, e)`: takes that apart again.
class Assignment {
 public:
  Assignment(const Protocol& protocol, const Stmt& stmt) : p_(protocol), var_(stmt.var), value_(stmt.value) {}

  std::string text() {
    while (descend()) {
    }
    return combined();
  }

 private:
  /// One step down the target: `[argument]` or `.field`.
  struct Accessor {
    Op reader;  ///< apply, map_get or field
    ExprId argument;
    std::uint32_t field;
  };
  /// Whether `id` reads what the first `depth` accessors lead to.
  [[nodiscard]] bool reads(ExprId id, std::size_t depth) const;
  bool descend();
  [[nodiscard]] std::string combined() const;
  [[nodiscard]] std::string target() const;

  const Protocol& p_;
  VarId var_;
  ExprId value_;
  std::vector<Accessor> path_;
  std::vector<std::string> names_;  ///< of the fields on the path
};

bool Assignment::reads(ExprId id, std::size_t depth) const {
  const Expr& e = p_[id];
  if (e.op == Op::get) return reads(e.args[0], depth);
  if (depth == 0) return e.op == Op::state_var && e.ref == var_.value && p_[e.args[0]].op == Op::self;
  const Accessor& last = path_[depth - 1];
  if (e.op != last.reader || !reads(e.args[0], depth - 1)) return false;
  return e.op == Op::field ? e.ref == last.field : same_expr(p_, e.args[1], last.argument);
}

bool Assignment::descend() {
  ExprId id = value_;
  // A field of an option that is known to be there: x.f = e is x = some(x with f = e).
  if (p_[id].op == Op::some && p_[p_[id].args[0]].op == Op::with_field) id = p_[id].args[0];
  const Expr& e = p_[id];
  if (e.op != Op::update && e.op != Op::map_put && e.op != Op::with_field) return false;
  if (!reads(e.args[0], path_.size())) return false;
  if (e.op == Op::with_field) {
    path_.push_back({Op::field, {}, e.ref});
    names_.push_back(p_.structs[p_[e.type].declaration].fields[e.ref].name);
    value_ = e.args[1];
  } else {
    path_.push_back({e.op == Op::update ? Op::apply : Op::map_get, e.args[1], 0});
    names_.emplace_back();
    value_ = e.args[2];
  }
  return true;
}

std::string Assignment::target() const {
  std::string result = p_[var_].name;
  for (std::size_t i = 0; i < path_.size(); ++i) {
    result += names_[i].empty() ? fmt::format("[{}]", to_source(p_, path_[i].argument)) : "." + names_[i];
  }
  return result;
}

std::string Assignment::combined() const {
  const Expr& e = p_[value_];
  const bool plus = e.op == Op::set_union || e.op == Op::add;
  const bool minus = e.op == Op::set_difference || e.op == Op::sub || e.op == Op::map_remove;
  if (!(plus || minus) || !reads(e.args[0], path_.size()))
    return fmt::format("{} = {}", target(), to_source(p_, value_));
  const Expr& by = p_[e.args[1]];
  const bool element = by.op == Op::set_literal && by.args.size() == 1;
  return fmt::format("{} {} {}", target(), plus ? "+=" : "-=", to_source(p_, element ? by.args[0] : e.args[1]));
}

std::string send_text(const Protocol& p, const Stmt& stmt) {
  std::string args;
  for (std::size_t i = 0; i < stmt.args.size(); ++i) {
    if (i > 0) args += ", ";
    args += to_source(p, stmt.args[i]);
  }
  if (!args.empty()) args = "(" + args + ")";
  const std::string each = stmt.local.valid() ? fmt::format("each {} in ", p[stmt.local].name) : "";
  return fmt::format("send {}{} to {}{}", p[stmt.message].name, args, each, to_source(p, stmt.target));
}

std::string block_text(const Protocol& p, const std::vector<StmtId>& stmts) {
  std::string result;
  for (const StmtId stmt : stmts) result += " " + to_source(p, stmt) + (stmt == stmts.back() ? "" : ";");
  return "{" + result + " }";
}

}  // namespace

std::string to_source(const Protocol& protocol, StmtId id) {
  const Stmt& stmt = protocol[id];
  switch (stmt.kind) {
    case StmtKind::assign:
      return Assignment(protocol, stmt).text();
    case StmtKind::if_: {
      std::string start =
          fmt::format("if {} {}", to_source(protocol, stmt.value), block_text(protocol, stmt.then_branch));
      if (stmt.else_branch.empty()) return start;
      return fmt::format("{} else {}", start, block_text(protocol, stmt.else_branch));
    }
    case StmtKind::send:
      return send_text(protocol, stmt);
    case StmtKind::choose: {
      const LocalDecl& local = protocol[stmt.local];
      const std::string where = stmt.value.valid() ? " where " + to_source(protocol, stmt.value) : "";
      return fmt::format("choose {}: {}{}", local.name, to_source(protocol, local.type), where);
    }
    case StmtKind::let:
      return fmt::format("let {} = {}", protocol[stmt.local].name, to_source(protocol, stmt.value));
  }
  return "";
}

}  // namespace tenet::ir
