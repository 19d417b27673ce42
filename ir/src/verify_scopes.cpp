#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "verify.h"
#include "walk.h"

namespace tenet::ir {

namespace {

using Locals = std::vector<LocalId>;  // ascending

Locals merged(const Locals& a, const Locals& b) {
  Locals result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

bool contains(const Locals& locals, LocalId id) { return std::binary_search(locals.begin(), locals.end(), id); }

/// What an expression reads, its parts included.
struct Facts {
  Locals free;   ///< locals read and not bound inside
  Locals bound;  ///< locals bound inside
  std::vector<RoleId> selves;
  bool state = false;          ///< reads a variable
  bool foreign_state = false;  ///< reads a variable of another host than self
  bool old = false;
  bool sent = false;
  std::optional<ConstId> last_constant;  ///< the one declared last of those it reads
};

/// Where an expression stands, and so what it may read.
struct Place {
  std::string name;
  std::optional<RoleId> self;
  bool state = false;
  bool only_own_state = false;
  bool old = false;
  bool sent = false;
  std::optional<ConstId> constants_before;  ///< only constants declared before this one
};

class Scopes {
 public:
  Scopes(const Protocol& protocol, Breaches& breaches) : p_(protocol), breaches_(breaches), facts_(p_.exprs.size()) {}
  void run();

 private:
  template <class... Args>
  void breach(fmt::format_string<Args...> format, Args&&... args) {
    breaches_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  const Facts& facts(ExprId id);
  void own_facts(const Expr& e, Facts& facts);
  void bind(const Expr& e, Facts& facts);
  void check(ExprId id, const Place& place, const Locals& scope);
  void take(Locals& scope, LocalId local, const std::string& where);
  void block(const std::vector<StmtId>& stmts, const Place& place, Locals scope);
  void step(const Step& step);
  void declarations();
  void claims();
  void trace(const TraceQuery& query);

  const Protocol& p_;
  Breaches& breaches_;
  std::vector<std::optional<Facts>> facts_;
  Locals taken_;  ///< bound by some step or statement
};

void Scopes::own_facts(const Expr& e, Facts& facts) {
  switch (e.op) {
    case Op::local:
      facts.free = merged(facts.free, {LocalId(e.ref)});
      break;
    case Op::self:
      facts.selves.emplace_back(p_[e.type].declaration);
      break;
    case Op::state_var:
      facts.state = true;
      facts.foreign_state |= p_[e.args[0]].op != Op::self;
      break;
    case Op::host_const:
    case Op::global_const:
      facts.last_constant = std::max(facts.last_constant, std::optional(ConstId(e.ref)));
      break;
    case Op::old:
      if (facts.old) breach("`old` inside `old`");
      facts.old = true;
      break;
    case Op::sent:
      facts.sent = true;
      if (p_.messages[e.ref].delivery != Delivery::any) {
        breach("`sent` of '{}', which is not delivered any number of times", p_.messages[e.ref].name);
      }
      break;
    default:
      break;
  }
}

/// Binders bind in the body or predicate, not in the set they range over.
void Scopes::bind(const Expr& e, Facts& result) {
  if (e.binders.empty()) return;
  const std::size_t body = e.op == Op::set_build ? 1 : 0;
  const Facts inside = facts(e.args[body]);
  Locals binders = e.binders;
  std::sort(binders.begin(), binders.end());
  if (std::adjacent_find(binders.begin(), binders.end()) != binders.end()) breach("one local is bound twice at once");
  for (const LocalId binder : binders) {
    if (contains(inside.bound, binder)) breach("local '{}' is bound again inside its own scope", p_[binder].name);
  }
  Locals free;
  std::set_difference(inside.free.begin(), inside.free.end(), binders.begin(), binders.end(), std::back_inserter(free));
  const ExprId domain = e.op == Op::set_build ? e.args[0] : e.args.size() > 1 ? e.args[1] : ExprId{};
  result.free = domain.valid() ? merged(free, facts(domain).free) : free;
  result.bound = merged(result.bound, binders);
}

const Facts& Scopes::facts(ExprId id) {
  std::optional<Facts>& known = facts_[id.index()];
  if (known) return *known;
  const Expr& e = p_[id];
  Facts result;
  for (const ExprId arg : e.args) {
    if (!arg.valid()) continue;
    const Facts& part = facts(arg);
    result.free = merged(result.free, part.free);
    result.bound = merged(result.bound, part.bound);
    result.selves.insert(result.selves.end(), part.selves.begin(), part.selves.end());
    std::sort(result.selves.begin(), result.selves.end());
    result.selves.erase(std::unique(result.selves.begin(), result.selves.end()), result.selves.end());
    result.state |= part.state;
    result.foreign_state |= part.foreign_state;
    result.old |= part.old;
    result.sent |= part.sent;
    result.last_constant = std::max(result.last_constant, part.last_constant);
  }
  own_facts(e, result);
  bind(e, result);
  known = std::move(result);
  return *known;
}

void Scopes::check(ExprId id, const Place& place, const Locals& scope) {
  const Facts& found = facts(id);
  for (const LocalId local : found.free) {
    if (!contains(scope, local)) breach("{}: local '{}' is read where it is not bound", place.name, p_[local].name);
  }
  for (const LocalId local : found.bound) {
    if (contains(scope, local))
      breach("{}: local '{}' is bound again inside its own scope", place.name, p_[local].name);
  }
  for (const RoleId self : found.selves) {
    if (self != place.self) breach("{}: `self` of {} where it has no meaning", place.name, p_[self].name);
  }
  if (found.state && !place.state) breach("{}: a variable is read where there is no state", place.name);
  if (found.foreign_state && place.only_own_state) breach("{}: a variable of another host is read", place.name);
  if (found.old && !place.old) breach("{}: `old` outside a transition property", place.name);
  if (found.sent && !place.sent) breach("{}: `sent` outside a formula over states", place.name);
  if (found.last_constant && place.constants_before && *found.last_constant >= *place.constants_before) {
    breach("{}: a constant is read that is not declared before", place.name);
  }
}

/// Every binding of a step or statement has a local of its own.
void Scopes::take(Locals& scope, LocalId local, const std::string& where) {
  if (contains(taken_, local)) breach("{}: local '{}' is bound by two", where, p_[local].name);
  taken_ = merged(taken_, {local});
  scope = merged(scope, {local});
}

void Scopes::block(const std::vector<StmtId>& stmts, const Place& place, Locals scope) {
  for (const StmtId id : stmts) {
    const Stmt& s = p_[id];
    switch (s.kind) {
      case StmtKind::assign:
        if (p_[s.var].role != place.self) breach("{}: assigns a variable of another role", place.name);
        check(s.value, place, scope);
        break;
      case StmtKind::if_:
        check(s.value, place, scope);
        block(s.then_branch, place, scope);
        block(s.else_branch, place, scope);
        break;
      case StmtKind::send: {
        check(s.target, place, scope);
        Locals inside = scope;
        if (s.local.valid()) take(inside, s.local, place.name);
        for (const ExprId arg : s.args) check(arg, place, inside);
        break;
      }
      case StmtKind::choose:
        take(scope, s.local, place.name);
        if (s.value.valid()) check(s.value, place, scope);
        break;
      case StmtKind::let:
        check(s.value, place, scope);
        take(scope, s.local, place.name);
        break;
    }
  }
}

void Scopes::step(const Step& step) {
  const Place place{fmt::format("step '{}'", step.name), step.role, true, true, false, false, {}};
  Locals scope;
  for (const LocalId parameter : step.parameters) take(scope, parameter, place.name);
  if (step.receive) {
    for (const LocalId field : step.receive->fields) take(scope, field, place.name);
    if (step.receive->sender.valid()) take(scope, step.receive->sender, place.name);
  }
  check(step.guard, place, scope);
  block(step.body, place, scope);
}

void Scopes::declarations() {
  for (std::size_t i = 0; i < p_.constants.size(); ++i) {
    const ConstDecl& decl = p_.constants[i];
    if (!decl.value.valid()) continue;
    const auto self = decl.role.valid() ? std::optional(decl.role) : std::nullopt;
    check(decl.value, {fmt::format("constant '{}'", decl.name), self, false, false, false, false, ConstId(i)}, {});
  }
  for (const VarDecl& decl : p_.variables) {
    if (!decl.init.valid()) continue;
    check(decl.init, {fmt::format("variable '{}'", decl.name), decl.role, false, false, false, false, {}}, {});
  }
}

void Scopes::claims() {
  for (const Formula& axiom : p_.axioms) check(axiom.formula, {"an axiom", {}, false, false, false, false, {}}, {});
  for (const Formula& init : p_.inits) check(init.formula, {"an init formula", {}, true, false, false, true, {}}, {});
  for (const Property& property : p_.properties) {
    const bool two_states = property.kind == PropertyKind::transition;
    check(property.formula, {fmt::format("property '{}'", property.name), {}, true, false, two_states, true, {}}, {});
  }
  for (const TraceQuery& query : p_.traces) trace(query);
}

void Scopes::trace(const TraceQuery& query) {
  const std::string name = fmt::format("trace '{}'", query.name);
  bool moved = false;
  for (const TraceItem& item : query.items) {
    if (item.formula.valid()) check(item.formula, {name, {}, true, false, moved, true, {}}, {});
    for (const TraceCall& call : item.calls) {
      for (const ExprId argument : call.arguments) {
        if (argument.valid()) check(argument, {name, {}, true, false, false, true, {}}, {});
      }
    }
    moved |= item.kind != TraceItemKind::assert_;
  }
}

void Scopes::run() {
  declarations();
  for (const Step& s : p_.steps) step(s);
  claims();
}

}  // namespace

void verify_scopes(const Protocol& protocol, Breaches& breaches) { Scopes(protocol, breaches).run(); }

}  // namespace tenet::ir
