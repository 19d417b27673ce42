#include "guesses.h"

#include <algorithm>
#include <string>

#include "proposer.h"
#include "tenet/ir/builder.h"
#include "tenet/ir/printer.h"

namespace tenet::provenance {

using ir::VarId;

namespace {

bool has_collection(const ir::Protocol& p, TypeId type) {
  const Type t = p[type];
  switch (t.kind) {
    case TypeKind::set:
    case TypeKind::map:
    case TypeKind::function:
    case TypeKind::sequence:
      return true;
    case TypeKind::option:
      return has_collection(p, t.first);
    case TypeKind::structure:
      for (const auto& field : p.structs[t.declaration].fields) {
        if (has_collection(p, field.type)) return true;
      }
      return false;
    default:
      return false;
  }
}

/// A value that a host has at one key (or without a key), as an expression.
struct Place {
  VarId var;
  std::vector<LocalId> keys;
  ExprId now;
  TypeId type;
  bool member = false;  ///< membership of a key in a set
};

/// Number parts of a value that may be none: the number, and when it exists.
struct NumberPart {
  VarId var;
  ExprId exists;  ///< invalid: always
  ExprId value;
  TypeId type;
  bool inside = false;  ///< of a value that has an order of its own
};

class Guesser {
 public:
  explicit Guesser(ir::Protocol& protocol) : p_(protocol), b_(protocol) {}

  void start(RoleId role) {
    role_ = role;
    host_ = p_.add(ir::LocalDecl{lower(p_[role].name), p_.types.host(role), {}});
  }

  ExprId variable(VarId var) { return b_.state_var(var, b_.local(host_)); }
  ExprId old(ExprId e) {
    ir::Expr node;
    node.op = Op::old;
    node.type = p_[e].type;
    node.args = {e};
    return p_.add(node);
  }
  ExprId is_some(ExprId option) { return b_.binary(Op::ne, option, b_.none(p_[option].type)); }
  ExprId implies(ExprId a, ExprId c) { return b_.binary(Op::implies, a, c); }
  ExprId equal(ExprId a, ExprId c) { return b_.binary(Op::eq, a, c); }
  ExprId both(ExprId a, ExprId c) { return b_.conjunction({a, c}); }

  std::vector<Place> places(VarId var) {
    std::vector<Place> result;
    walk(var, variable(var), p_[var].type, {}, result);
    return result;
  }

  void walk(VarId var, ExprId at, TypeId type, std::vector<LocalId> keys, std::vector<Place>& out) {
    const Type t = p_[type];
    if (t.kind == TypeKind::set) {
      keys.push_back(p_.add(ir::LocalDecl{"k" + std::to_string(keys.size() + 1), t.first, {}}));
      out.push_back({var, keys, b_.binary(Op::contains, b_.local(keys.back()), at), p_.types.boolean(), true});
      return;
    }
    if (t.kind == TypeKind::function) {
      keys.push_back(p_.add(ir::LocalDecl{"k" + std::to_string(keys.size() + 1), t.first, {}}));
      walk(var, b_.binary(Op::apply, at, b_.local(keys.back())), t.second, keys, out);
      return;
    }
    if (has_collection(p_, type)) return;  // maps, options of sets …: no guesses yet
    out.push_back({var, keys, at, type, false});
  }

  std::vector<NumberPart> numbers(VarId var) {
    std::vector<NumberPart> result;
    number_parts(var, ExprId{}, variable(var), p_[var].type, result);
    return result;
  }

  void number_parts(VarId var, ExprId exists, ExprId at, TypeId type, std::vector<NumberPart>& out,
                    bool inside = false) {
    const Type t = p_[type];
    if (ir::has_order(p_, type)) out.push_back({var, exists, at, type, inside});
    if (t.kind == TypeKind::option) {
      const ExprId here = exists.valid() ? both(exists, is_some(at)) : is_some(at);
      number_parts(var, here, b_.get(at, true), t.first, out, inside);
    }
    if (t.kind == TypeKind::structure) {
      for (std::size_t f = 0; f < p_.structs[t.declaration].fields.size(); ++f) {
        number_parts(var, exists, b_.field(at, f), p_.structs[t.declaration].fields[f].type, out,
                     inside || ir::has_order(p_, type));
      }
    }
  }

  Guess make(VarId focus, const std::vector<LocalId>& keys, ExprId formula, bool two_state, int strength) {
    Guess guess;
    guess.fact.role = role_;
    guess.fact.host = host_;
    guess.fact.formula = formula;
    guess.fact.two_state = two_state;
    guess.fact.focus = focus;
    guess.fact.keys = keys;
    guess.strength = strength;
    std::vector<LocalId> binders{host_};
    binders.insert(binders.end(), keys.begin(), keys.end());
    guess.closed = b_.quantifier(Op::forall, binders, formula);
    guess.fact.name = ir::to_source(p_, guess.closed);
    return guess;
  }

  /// Two-state laws of one place, strongest first.
  struct Law {
    ExprId formula;
    int strength;
  };
  std::vector<Law> laws(const Place& place) {
    std::vector<Law> result;
    const ExprId now = place.now;
    const Type t = p_[place.type];
    result.push_back({equal(now, old(now)), 9});
    if (t.kind == TypeKind::boolean) {
      result.push_back({implies(old(now), now), 5});
      result.push_back({implies(now, old(now)), 5});
    } else if (t.kind == TypeKind::option) {
      result.push_back({implies(is_some(old(now)), equal(now, old(now))), 7});
      std::vector<NumberPart> parts, parts_old;
      number_parts(place.var, ExprId{}, now, place.type, parts);
      number_parts(place.var, ExprId{}, old(now), place.type, parts_old);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!parts[i].exists.valid() || parts[i].inside) continue;
        result.push_back(
            {implies(parts_old[i].exists, both(parts[i].exists, b_.binary(Op::le, parts_old[i].value, parts[i].value))),
             6});
      }
      result.push_back({implies(is_some(old(now)), is_some(now)), 4});
    } else if (ir::has_order(p_, place.type)) {
      result.push_back({b_.binary(Op::le, old(now), now), 5});
      result.push_back({b_.binary(Op::le, now, old(now)), 5});
    } else if (t.kind == TypeKind::enumeration) {
      for (std::size_t m = 0; m < p_.enums[t.declaration].members.size(); ++m) {
        const ExprId member = b_.enum_literal(ir::EnumId(t.declaration), m);
        result.push_back({implies(equal(old(now), member), equal(now, member)), 5});
      }
    }
    return result;
  }

  /// Conditions of a host that may freeze others: flags, states, thresholds.
  std::vector<std::pair<VarId, ExprId>> conditions() {
    std::vector<std::pair<VarId, ExprId>> result;
    for (VarId var : p_[role_].variables) {
      const Type t = p_[p_[var].type];
      const ExprId value = variable(var);
      if (t.kind == TypeKind::boolean) {
        result.emplace_back(var, value);
        result.emplace_back(var, b_.negate(value));
      }
      if (t.kind == TypeKind::option) result.emplace_back(var, is_some(value));
      if (t.kind == TypeKind::enumeration) {
        for (std::size_t m = 0; m < p_.enums[t.declaration].members.size(); ++m) {
          result.emplace_back(var, equal(value, b_.enum_literal(ir::EnumId(t.declaration), m)));
          if (p_.enums[t.declaration].members.size() > 2) {
            result.emplace_back(var, b_.binary(Op::ne, value, b_.enum_literal(ir::EnumId(t.declaration), m)));
          }
        }
      }
      if (t.kind == TypeKind::set && p_[t.first].kind == TypeKind::host) {
        result.emplace_back(var, b_.unary(Op::majority, value));
        if (!p_.roles[p_[t.first].declaration].single) {
          result.emplace_back(var, equal(value, b_.all_hosts(RoleId(p_[t.first].declaration))));
        }
      }
    }
    for (StepId step : std::vector<StepId>(p_[role_].steps)) thresholds(p_[step].guard, result);
    return result;
  }

  /// Comparisons of a set's size with what is no part of the step.
  void thresholds(ExprId id, std::vector<std::pair<VarId, ExprId>>& out) {
    const ir::Expr node = p_[id];
    const bool compares = node.op == Op::ge || node.op == Op::gt || node.op == Op::le || node.op == Op::lt;
    if (!compares) {
      for (ExprId arg : node.args) {
        if (arg.valid()) thresholds(arg, out);
      }
      return;
    }
    for (ExprId side : node.args) {
      if (p_[side].op != Op::cardinality || p_[p_[side].args[0]].op != Op::state_var || has_locals(id, {})) continue;
      const ExprId here = rewrite(p_, id, b_.local(host_), {});
      const std::string text = ir::to_source(p_, here);
      const bool known =
          std::any_of(out.begin(), out.end(), [&](const auto& c) { return ir::to_source(p_, c.second) == text; });
      if (!known) out.emplace_back(VarId(p_[p_[side].args[0]].ref), here);
    }
  }

  /// Names of the step, as opposed to those that are bound within.
  bool has_locals(ExprId id, std::vector<LocalId> bound) {
    const ir::Expr& node = p_[id];
    if (node.op == Op::local) return std::find(bound.begin(), bound.end(), LocalId(node.ref)) == bound.end();
    bound.insert(bound.end(), node.binders.begin(), node.binders.end());
    return std::any_of(node.args.begin(), node.args.end(),
                       [&](ExprId arg) { return arg.valid() && has_locals(arg, bound); });
  }

  ExprId self_test(VarId var) {
    // What may be said of a host's own name in one of its variables.
    const Type t = p_[p_[var].type];
    const ExprId host = b_.local(host_);
    const TypeId own = p_.types.host(role_);
    if (t.kind == TypeKind::set && t.first == own) return b_.binary(Op::contains, host, variable(var));
    if (t.kind == TypeKind::option && t.first == own) return equal(variable(var), b_.some(host));
    if (p_[var].type == own) return equal(variable(var), host);
    return ExprId{};
  }

  ir::Protocol& p_;
  Builder b_;
  RoleId role_;
  LocalId host_;

 private:
  static std::string lower(std::string name) {
    name[0] = static_cast<char>(name[0] >= 'A' && name[0] <= 'Z' ? name[0] - 'A' + 'a' : name[0]);
    return name.substr(0, 1);
  }
};

}  // namespace

std::vector<Guess> guess_two_state(ir::Protocol& protocol) {
  std::vector<Guess> result;
  Guesser g(protocol);
  for (std::size_t r = 0; r < protocol.roles.size(); ++r) {
    g.start(RoleId(r));
    const std::vector<VarId> variables = protocol.roles[r].variables;
    for (VarId var : variables) {
      for (const Place& place : g.places(var)) {
        for (const auto& law : g.laws(place)) {
          Guess guess = g.make(var, place.keys, law.formula, true, law.strength);
          guess.fact.set_grows =
              place.member && law.strength == 5 && protocol[protocol[law.formula].args[0]].op == Op::old;
          result.push_back(std::move(guess));
        }
      }
    }
    const auto conditions = g.conditions();
    for (VarId var : variables) {
      for (const Place& place : g.places(var)) {
        // Frozen once a condition holds.
        for (const auto& [guard_var, guard] : conditions) {
          if (guard_var == var) continue;
          result.push_back(
              g.make(var, place.keys, g.implies(g.old(guard), g.equal(place.now, g.old(place.now))), true, 9));
          result.back().conditional = true;
        }
        // A law that holds while a number stays the same.
        for (VarId clock : variables) {
          if (clock == var || !ir::has_order(protocol, protocol[clock].type)) continue;
          const ExprId same = g.equal(g.variable(clock), g.old(g.variable(clock)));
          for (const auto& law : g.laws(place)) {
            result.push_back(g.make(var, place.keys, g.implies(same, law.formula), true, law.strength));
            result.back().conditional = true;
          }
        }
      }
    }
  }
  return result;
}

std::vector<Guess> guess_one_state(ir::Protocol& protocol) {
  std::vector<Guess> result;
  Guesser g(protocol);
  for (std::size_t r = 0; r < protocol.roles.size(); ++r) {
    g.start(RoleId(r));
    const std::vector<VarId> variables = protocol.roles[r].variables;
    const auto conditions = g.conditions();
    const auto say = [&](VarId focus, ExprId formula) { result.push_back(g.make(focus, {}, formula, false, 1)); };
    for (const auto& [var, condition] : conditions) {
      for (const auto& [other, consequence] : conditions) {
        if (var != other) say(var, g.implies(condition, consequence));
      }
      for (VarId other : variables) {
        const ExprId test = g.self_test(other);
        if (test.valid() && other != var) say(var, g.implies(condition, test));
      }
    }
    // What was put there is what is there now.
    for (ir::StepId step : std::vector<ir::StepId>(protocol.roles[r].steps)) {
      for (ir::StmtId id : std::vector<ir::StmtId>(protocol[step].body)) {
        const ir::Stmt stmt = protocol[id];
        if (stmt.kind != ir::StmtKind::assign || protocol[protocol[stmt.var].type].kind != TypeKind::option) continue;
        const ir::Expr value = protocol[stmt.value];
        if (value.op != Op::some || g.has_locals(stmt.value, {})) continue;
        const ExprId there = rewrite(protocol, stmt.value, g.b_.local(g.host_), {});
        say(stmt.var, g.implies(g.is_some(g.variable(stmt.var)), g.equal(g.variable(stmt.var), there)));
      }
    }
    for (VarId a : variables) {
      for (const NumberPart& x : g.numbers(a)) {
        for (VarId b : variables) {
          if (a == b) continue;
          for (const NumberPart& y : g.numbers(b)) {
            if (x.type != y.type || x.inside || y.inside) continue;
            ExprId claim = g.b_.binary(Op::le, x.value, y.value);
            if (y.exists.valid()) claim = g.both(y.exists, claim);
            if (x.exists.valid()) claim = g.implies(x.exists, claim);
            say(a, claim);
          }
        }
        // Against the host's own constants of the same type.
        for (ir::ConstId c : protocol.roles[r].constants) {
          if (protocol[c].type != x.type) continue;
          for (const Op op : {Op::le, Op::ge}) {
            ExprId claim = g.b_.binary(op, x.value, g.b_.host_const(c, g.b_.local(g.host_)));
            if (x.exists.valid()) claim = g.implies(x.exists, claim);
            say(a, claim);
          }
        }
      }
    }
  }
  return result;
}

}  // namespace tenet::provenance
