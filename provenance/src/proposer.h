/// What proposals are made of: atoms over variables of their own.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lemmas.h"
#include "tenet/ir/builder.h"
#include "tenet/ir/footprint.h"
#include "tenet/ir/printer.h"

namespace tenet::provenance {

using ir::Builder;
using ir::ExprId;
using ir::LocalId;
using ir::Op;
using ir::RoleId;
using ir::StepId;
using ir::Type;
using ir::TypeId;
using ir::TypeKind;

/// A copy of an expression with self and some locals replaced.
inline ExprId rewrite(ir::Protocol& p, ExprId id, ExprId self, const std::map<LocalId, ExprId>& locals) {
  const ir::Expr node = p[id];
  if (node.op == Op::self) return self;
  if (node.op == Op::local) {
    const auto found = locals.find(LocalId(node.ref));
    return found == locals.end() ? id : found->second;
  }
  ir::Expr copy = node;
  bool changed = false;
  for (ExprId& arg : copy.args) {
    if (!arg.valid()) continue;
    const ExprId replaced = rewrite(p, arg, self, locals);
    changed = changed || replaced != arg;
    arg = replaced;
  }
  return changed ? p.add(std::move(copy)) : id;
}

/// Something that may hold, over variables of its own.
struct Atom {
  std::vector<LocalId> binders;
  ExprId formula;
  std::vector<LocalId> values;  ///< binders whose parts are worth comparing
  bool message = false;         ///< its values are arguments of a sent message
  RoleId host_role;             ///< of the host it is about, if any
  LocalId host;
};

/// A scalar inside a value.
struct Part {
  ExprId expr;
  TypeId type;
  bool number = false;
};

class Proposer {
 public:
  explicit Proposer(ir::Protocol& protocol) : p_(protocol), b_(protocol) {}

  LocalId fresh(const std::string& name, TypeId type) {
    return p_.add(ir::LocalDecl{name + std::to_string(++named_[name]), type, {}});
  }

  /// sent M(x…) from s to d, all of them variables.
  Atom sent(ir::MessageId message, RoleId from, RoleId to) {
    Atom atom;
    atom.message = true;
    ir::Expr node;
    node.op = Op::sent;
    node.type = p_.types.boolean();
    node.ref = message.value;
    node.value = 1;
    for (const ir::FieldDecl& field : p_[message].fields) {
      atom.binders.push_back(fresh(field.name, field.type));
      atom.values.push_back(atom.binders.back());
      node.args.push_back(b_.local(atom.binders.back()));
    }
    const LocalId sender = fresh("s", p_.types.host(from));
    const LocalId addressee = fresh("d", p_.types.host(to));
    atom.binders.push_back(sender);
    atom.binders.push_back(addressee);
    node.args.push_back(b_.local(sender));
    node.args.push_back(b_.local(addressee));
    atom.host = addressee;
    atom.host_role = to;
    atom.formula = p_.add(std::move(node));
    return atom;
  }

  /// The roles with a step that sends it.
  std::vector<RoleId> senders(ir::MessageId message) {
    std::vector<RoleId> result;
    for (std::size_t s = 0; s < p_.steps.size(); ++s) {
      if (!ir::sent_by(p_, StepId(s)).contains(message)) continue;
      if (std::find(result.begin(), result.end(), p_.steps[s].role) == result.end()) result.push_back(p_.steps[s].role);
    }
    return result;
  }

  /// Thresholds that guards and conditions speak of.
  std::vector<Atom> thresholds() {
    std::vector<Atom> result;
    for (std::size_t s = 0; s < p_.steps.size(); ++s) {
      const ir::Step step = p_.steps[s];
      std::vector<ExprId> found;
      const std::function<void(ExprId)> look = [&](ExprId id) {
        const ir::Expr node = p_[id];
        const bool compares = node.op == Op::ge || node.op == Op::gt || node.op == Op::le || node.op == Op::lt;
        const bool counts =
            compares && (p_[node.args[0]].op == Op::cardinality || p_[node.args[1]].op == Op::cardinality);
        if (node.op == Op::majority || counts) found.push_back(id);
        for (ExprId arg : node.args) {
          if (arg.valid()) look(arg);
        }
      };
      look(step.guard);
      for (ExprId threshold : found) {
        Atom atom;
        atom.host_role = step.role;
        atom.host = fresh("h", p_.types.host(step.role));
        atom.binders = {atom.host};
        std::map<LocalId, ExprId> locals;
        for (LocalId parameter : step.parameters) {
          if (!mentions(threshold, parameter)) continue;
          const LocalId value = fresh(p_[parameter].name, p_[parameter].type);
          locals[parameter] = b_.local(value);
          atom.binders.push_back(value);
          atom.values.push_back(value);
        }
        if (step.receive && atom.values.empty()) continue;
        atom.formula = rewrite(p_, threshold, b_.local(atom.host), locals);
        result.push_back(std::move(atom));
      }
    }
    return result;
  }

  bool mentions(ExprId id, LocalId local) {
    const ir::Expr& node = p_[id];
    if (node.op == Op::local && LocalId(node.ref) == local) return true;
    for (ExprId arg : node.args) {
      if (arg.valid() && mentions(arg, local)) return true;
    }
    return false;
  }

  /// Sorts that variables hold something for: slots of a log, keys of a store.
  std::set<TypeId> key_sorts() {
    std::set<TypeId> result;
    const std::function<void(TypeId)> look = [&](TypeId type) {
      const Type t = p_[type];
      const bool keyed = t.kind == TypeKind::function || t.kind == TypeKind::set;
      if (keyed && p_[t.first].kind == TypeKind::sort) result.insert(t.first);
      if (t.first.valid()) look(t.first);
      if (t.second.valid()) look(t.second);
    };
    for (const ir::VarDecl& var : p_.variables) look(var.type);
    return result;
  }

  /// What is inside a value with an order of its own is rarely worth comparing: only if `inside`.
  void parts(ExprId expr, TypeId type, std::vector<Part>& out, bool inside = false) {
    const Type t = p_[type];
    const bool ordered = ir::has_order(p_, type);
    if (t.kind == TypeKind::structure) {
      if (ordered) out.push_back({expr, type, true});
      if (ordered && !inside) return;
      for (std::size_t f = 0; f < p_.structs[t.declaration].fields.size(); ++f) {
        parts(b_.field(expr, f), p_.structs[t.declaration].fields[f].type, out, inside);
      }
      return;
    }
    if (ordered || t.kind == TypeKind::sort || t.kind == TypeKind::host || t.kind == TypeKind::enumeration ||
        t.kind == TypeKind::boolean) {
      out.push_back({expr, type, ordered});
    }
  }

  std::vector<Part> parts_of(const Atom& atom) {
    std::vector<Part> result;
    for (LocalId value : atom.values) parts(b_.local(value), p_[value].type, result);
    // A host's own constants are values of what it has reached.
    if (!atom.message && atom.host.valid()) {
      for (ir::ConstId c : std::vector<ir::ConstId>(p_[atom.host_role].constants)) {
        parts(b_.host_const(c, b_.local(atom.host)), p_[c].type, result);
      }
    }
    return result;
  }

  Proposal close(std::vector<LocalId> binders, ExprId body, std::vector<ExprId> measures) {
    Proposal result;
    result.binders = std::move(binders);
    result.body = body;
    result.closed = b_.quantifier(Op::forall, result.binders, body);
    result.measures = std::move(measures);
    result.name = ir::to_source(p_, result.closed);
    return result;
  }

  static std::vector<LocalId> joined(const Atom& a, const Atom& c) {
    std::vector<LocalId> all = a.binders;
    all.insert(all.end(), c.binders.begin(), c.binders.end());
    return all;
  }

  ir::Protocol& p_;
  Builder b_;

 private:
  std::map<std::string, int> named_;
};

}  // namespace tenet::provenance
