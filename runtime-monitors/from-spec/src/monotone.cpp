#include "monotone.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

namespace tenet::from_spec {

using ir::Expr;
using ir::ExprId;
using ir::Op;

namespace {

/// An assignment, and the conditions that hold where it stands. Conditions speak of the state before the step; they
/// count only while the variable and what they read was not assigned before.
struct Assignment {
  ExprId value;
  std::vector<ExprId> holds;
};

class Analysis {
 public:
  Analysis(const ir::Protocol& protocol, ir::VarId variable) : p_(protocol), variable_(variable) {}

  std::optional<Growth> run() {
    const ir::VarDecl& decl = p_[variable_];
    for (const ir::StepId id : p_[decl.role].steps) {
      const ir::Step& step = p_[id];
      assigned_.clear();
      walk(step.body, {step.guard});
    }
    const ir::Type& type = p_[decl.type];
    switch (type.kind) {
      case ir::TypeKind::set:
        return all(Growth::set_grows);
      case ir::TypeKind::boolean:
        return all(Growth::stays_true);
      case ir::TypeKind::integer:
      case ir::TypeKind::natural:
        return all(Growth::number_grows);
      case ir::TypeKind::function:
        return p_[type.second].kind == ir::TypeKind::set ? all(Growth::function_grows) : std::nullopt;
      case ir::TypeKind::option: {
        if (const auto stays = all(Growth::stays_set)) return stays;
        const ir::TypeKind payload = p_[type.first].kind;
        const bool number = payload == ir::TypeKind::natural || payload == ir::TypeKind::integer;
        return number ? all(Growth::option_grows) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

 private:
  void walk(const std::vector<ir::StmtId>& stmts, const std::vector<ExprId>& holds) {
    for (const ir::StmtId id : stmts) {
      const ir::Stmt& stmt = p_[id];
      if (stmt.kind == ir::StmtKind::assign) {
        if (stmt.var == variable_) {
          // After a first assignment in the same step, the variable is no longer what the conditions speak of.
          const bool again = assigned_.count(variable_) != 0;
          std::vector<ExprId> valid;
          for (const ExprId condition : holds) {
            if (!again && !reads_assigned(condition)) valid.push_back(condition);
          }
          assignments_.push_back({stmt.value, valid});
          twice_ = twice_ || again;
        }
        assigned_.insert(stmt.var);
      } else if (stmt.kind == ir::StmtKind::if_) {
        std::vector<ExprId> inside = holds;
        if (!reads_assigned(stmt.value)) inside.push_back(stmt.value);
        const std::set<ir::VarId> before = assigned_;
        walk(stmt.then_branch, inside);
        std::set<ir::VarId> after = assigned_;
        assigned_ = before;
        walk(stmt.else_branch, holds);
        assigned_.merge(after);
      }
    }
  }

  [[nodiscard]] bool reads_assigned(ExprId id) const {
    const Expr& e = p_[id];
    if (e.op == Op::state_var && assigned_.count(ir::VarId(e.ref)) != 0) return true;
    return std::any_of(e.args.begin(), e.args.end(), [&](ExprId a) { return a.valid() && reads_assigned(a); });
  }

  std::optional<Growth> all(Growth growth) const {
    if (twice_) return std::nullopt;
    const bool every = std::all_of(assignments_.begin(), assignments_.end(),
                                   [&](const Assignment& a) { return keeps(growth, a.value, a.holds); });
    return every ? std::optional<Growth>(growth) : std::nullopt;
  }

  [[nodiscard]] bool is_variable(ExprId id) const {
    const Expr& e = p_[id];
    return e.op == Op::state_var && e.ref == variable_.value && p_[e.args[0]].op == Op::self;
  }
  // The variable, or the number inside it.
  [[nodiscard]] bool is_present(ExprId id) const {
    const Expr& e = p_[id];
    if (e.op == Op::get || e.op == Op::to_int) return is_present(e.args[0]);
    return is_variable(id);
  }

  [[nodiscard]] bool keeps(Growth growth, ExprId value, const std::vector<ExprId>& holds) const {
    const Expr& e = p_[value];
    if (is_variable(value)) return true;
    if (e.op == Op::ite) {
      std::vector<ExprId> then = holds;
      then.push_back(e.args[0]);
      return keeps(growth, e.args[1], then) && keeps(growth, e.args[2], holds);
    }
    switch (growth) {
      case Growth::set_grows:
        return e.op == Op::set_union && (is_variable(e.args[0]) || is_variable(e.args[1]));
      case Growth::function_grows: {
        if (e.op != Op::update || !is_variable(e.args[0])) return false;
        const Expr& result = p_[e.args[2]];
        return result.op == Op::set_union && std::any_of(result.args.begin(), result.args.end(), [&](ExprId arg) {
                 const Expr& a = p_[arg];
                 return a.op == Op::apply && is_variable(a.args[0]) && same(a.args[1], e.args[1]);
               });
      }
      case Growth::stays_true:
        return (e.op == Op::bool_literal && e.value != 0) || implied(holds, growth, value);
      case Growth::number_grows:
        if (e.op == Op::add) return grows_by_addition(e);
        return implied(holds, growth, value);
      case Growth::stays_set:
      case Growth::option_grows:
        return e.op == Op::some && implied(holds, growth, e.args[0]);
    }
    return false;
  }

  [[nodiscard]] bool grows_by_addition(const Expr& e) const {
    const auto not_negative = [&](ExprId id) {
      const Expr& x = p_[id];
      return p_[x.type].kind == ir::TypeKind::natural || (x.op == Op::int_literal && x.value >= 0) ||
             x.op == Op::to_int;
    };
    return (is_variable(e.args[0]) && not_negative(e.args[1])) || (is_variable(e.args[1]) && not_negative(e.args[0]));
  }

  // Whether some of the conditions make the assignment keep to it: a conjunction needs one part that does, a
  // disjunction needs every part to.
  [[nodiscard]] bool implied(const std::vector<ExprId>& holds, Growth growth, ExprId value) const {
    return std::any_of(holds.begin(), holds.end(), [&](ExprId condition) { return enough(condition, growth, value); });
  }
  [[nodiscard]] bool enough(ExprId condition, Growth growth, ExprId value) const {
    const Expr& c = p_[condition];
    const auto part = [&](ExprId arg) { return enough(arg, growth, value); };
    if (c.op == Op::and_) return std::any_of(c.args.begin(), c.args.end(), part);
    if (c.op == Op::or_) return std::all_of(c.args.begin(), c.args.end(), part);
    const auto unset = [&](ExprId a, ExprId b) { return is_variable(a) && p_[b].op == Op::none; };
    switch (c.op) {
      case Op::not_:
        return growth == Growth::stays_true && is_variable(c.args[0]);
      case Op::eq:
        if (growth == Growth::stays_set || growth == Growth::option_grows) {
          if (unset(c.args[0], c.args[1]) || unset(c.args[1], c.args[0])) return true;
          // Equal to what is assigned, some(e) or the number in it.
          for (const int side : {0, 1}) {
            const ExprId one = c.args[static_cast<std::size_t>(side)];
            const ExprId two = c.args[static_cast<std::size_t>(1 - side)];
            if (!is_present(one)) continue;
            if (same(two, value) || (p_[two].op == Op::some && same(p_[two].args[0], value))) return true;
          }
          return false;
        }
        return growth == Growth::number_grows &&
               ((is_present(c.args[0]) && same(c.args[1], value)) || (is_present(c.args[1]) && same(c.args[0], value)));
      case Op::gt:
      case Op::ge:
        return upwards(growth) && is_present(c.args[1]) && same(c.args[0], value);
      case Op::lt:
      case Op::le:
        return upwards(growth) && is_present(c.args[0]) && same(c.args[1], value);
      default:
        return false;
    }
  }
  static bool upwards(Growth growth) { return growth == Growth::number_grows || growth == Growth::option_grows; }

  // Equal in form, reading constants and locals only: nothing the step changes.
  [[nodiscard]] bool same(ExprId a, ExprId b) const {
    const Expr& x = p_[a];
    const Expr& y = p_[b];
    if (x.op == Op::to_int) return same(x.args[0], b);
    if (y.op == Op::to_int) return same(a, y.args[0]);
    if (x.op == Op::state_var || x.op != y.op || x.ref != y.ref || x.value != y.value ||
        x.args.size() != y.args.size() || !x.binders.empty()) {
      return false;
    }
    for (std::size_t i = 0; i < x.args.size(); ++i) {
      if (!x.args[i].valid() || !y.args[i].valid() || !same(x.args[i], y.args[i])) return false;
    }
    return true;
  }

  const ir::Protocol& p_;
  ir::VarId variable_;
  std::set<ir::VarId> assigned_;
  std::vector<Assignment> assignments_;
  bool twice_ = false;
};

}  // namespace

std::vector<Monotone> monotone_variables(const ir::Protocol& p, ir::RoleId role) {
  std::vector<Monotone> found;
  for (const ir::VarId variable : p[role].variables) {
    if (p[variable].is_volatile) continue;
    if (const auto growth = Analysis(p, variable).run()) found.push_back({variable, *growth});
  }
  return found;
}

std::string describe(const ir::Protocol& p, const Monotone& rule) {
  const std::string& name = p[rule.variable].name;
  switch (rule.growth) {
    case Growth::set_grows:
      return name + " only gains elements";
    case Growth::function_grows:
      return "every value of " + name + " only gains elements";
    case Growth::stays_true:
      return name + ", once true, stays true";
    case Growth::stays_set:
      return name + ", once set, does not change";
    case Growth::number_grows:
      return name + " never sinks";
    case Growth::option_grows:
      return name + ", once set, never sinks";
  }
  return name;
}

std::string name(Growth growth) {
  return growth == Growth::stays_true || growth == Growth::stays_set ? "stays" : "grows";
}

}  // namespace tenet::from_spec
