/// Expressions of the IR as symbolic values.
#include <algorithm>
#include <cassert>

#include "execution.h"
#include "tenet/ir/printer.h"

namespace tenet::provenance {

using ir::Expr;
using ir::ExprId;
using ir::MessageId;
using ir::Op;
using ir::RoleId;
using ir::Type;
using ir::TypeId;
using ir::TypeKind;
using smt::Term;

namespace {
/// Keeps a condition on the path for as long as it lives.
class OnPath {
 public:
  OnPath(std::vector<Term>& path, Term condition) : path_(path) { path_.push_back(condition); }
  ~OnPath() { path_.pop_back(); }
  OnPath(const OnPath&) = delete;
  OnPath& operator=(const OnPath&) = delete;

 private:
  std::vector<Term>& path_;
};

/// While it lives, what is evaluated is a question of its own: with no path to
/// it, and its demands go to `to`.
class Asked {
 public:
  Asked(std::vector<Execution::Demand>*& demands, std::vector<Term>& path, std::vector<Execution::Demand>* to)
      : demands_(demands), path_(path), outer_(demands) {
    demands_ = to;
    std::swap(outer_path_, path_);
  }
  ~Asked() {
    demands_ = outer_;
    std::swap(outer_path_, path_);
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

 private:
  std::vector<Execution::Demand>*& demands_;
  std::vector<Term>& path_;
  std::vector<Execution::Demand>* outer_;
  std::vector<Term> outer_path_;
};

Scope bound(Scope scope, const std::vector<ir::LocalId>& binders, const std::vector<SymPtr>& values) {
  for (std::size_t i = 0; i < binders.size(); ++i) scope.locals[binders[i]] = values[i];
  return scope;
}
}  // namespace

void Execution::demand(ExprId where, Term condition) {
  if (demands_ == nullptr || condition.is_true()) return;
  // Most reads stand behind a test that they are there.
  const std::function<bool(Term)> says_so = [&](Term known) {
    if (known == condition) return true;
    return known.kind() == smt::Kind::and_ && std::any_of(known.args().begin(), known.args().end(), says_so);
  };
  if (std::any_of(path_.begin(), path_.end(), says_so)) return;
  demands_->push_back({where, logic_->terms.implies(path_condition(), condition)});
}

Term Execution::path_condition() { return logic_->terms.and_(path_); }

Term Execution::defined(ExprId expr, const Scope& scope) {
  if (!may_be_undefined(expr)) return logic_->terms.boolean(true);
  std::vector<Demand> demands;
  {
    const Asked asked(demands_, path_, &demands);
    (void)eval(expr, scope);
  }
  std::vector<Term> all;
  for (const Demand& d : demands) all.push_back(d.condition);
  return logic_->terms.and_(all);
}

/// What is demanded of a part stands beside that part, so that one instance of a
/// quantifier brings both.
Term Execution::holds_and_defined(ExprId formula, const Scope& scope) {
  if (!may_be_undefined(formula)) return holds(formula, scope);
  const Expr& node = (*protocol_)[formula];
  smt::TermManager& tm = logic_->terms;
  const auto args = node.args;
  const bool limited = args.size() > 1 && args[1].valid();
  if (node.op == Op::and_) {
    std::vector<Term> all;
    for (ExprId arg : args) all.push_back(holds_and_defined(arg, scope));
    return tm.and_(all);
  }
  if (node.op == Op::implies && !may_be_undefined(args[0])) {
    return tm.implies(holds(args[0], scope), holds_and_defined(args[1], scope));
  }
  if (node.op == Op::forall && !(limited && may_be_undefined(args[1]))) {
    return eval_quantified(formula, node, scope, true)->term;
  }
  return tm.and_({holds(formula, scope), defined(formula, scope)});
}

bool Execution::may_be_undefined(ExprId id) {
  if (!id.valid()) return false;
  const auto known = may_be_undefined_.find(id);
  if (known != may_be_undefined_.end()) return known->second;
  const Expr& node = (*protocol_)[id];
  bool may = node.op == Op::get || node.op == Op::map_get ||
             (node.op == Op::sub && (*protocol_)[node.type].kind == TypeKind::natural);
  if (node.op == Op::host_const || node.op == Op::global_const) {
    const ir::ConstDecl& decl = (*protocol_)[ir::ConstId(node.ref)];
    may = decl.kind == ir::ConstKind::defined && may_be_undefined(decl.value);
  }
  for (std::size_t i = 0; i < node.args.size() && !may; ++i) may = may_be_undefined((*protocol_)[id].args[i]);
  return may_be_undefined_[id] = may;
}

/// The value of what a binder binds in, at this value of its variable. Made when
/// somebody wants to know, so what it reads is demanded elsewhere.
SymPtr Execution::at(ExprId body, const Scope& scope, ir::LocalId binder, const SymPtr& value) {
  const Asked nobody(demands_, path_, nullptr);
  return eval(body, bound(scope, {binder}, {value}));
}

/// Demands the body of a binder at all values (in `domain`, unless null).
void Execution::demand_all(ExprId where, ExprId body, const std::vector<ir::LocalId>& binders, const SymPtr& domain,
                           const Scope& scope) {
  if (demands_ == nullptr || !may_be_undefined(body)) return;
  const auto key = key_of(where, scope);
  if (key) {
    const auto known = all_defined_.find(*key);
    if (known != all_defined_.end()) return demand(where, known->second);
  }
  std::vector<TypeId> types;
  for (ir::LocalId binder : binders) types.push_back((*protocol_)[binder].type);
  demand_all(where, std::move(types), [this, body, binders, domain, scope](const std::vector<SymPtr>& values) {
    const Term condition = defined(body, bound(scope, binders, values));
    if (!domain) return condition;
    const Asked nobody(demands_, path_, nullptr);
    return logic_->terms.implies(domain->collection->apply(values[0])->term, condition);
  });
  if (key) all_defined_[*key] = quantified.back().atom;
}

void Execution::demand_all(ExprId where, std::vector<TypeId> types,
                           std::function<Term(const std::vector<SymPtr>&)> condition) {
  demand(where, quantify(true, std::move(types), std::move(condition),
                         "'" + ir::to_source(*protocol_, where) + "' is defined"));
}

SymPtr Execution::eval(ExprId id, const Scope& scope) {
  const Expr& node = (*protocol_)[id];
  smt::TermManager& tm = logic_->terms;
  switch (node.op) {
    case Op::bool_literal:
      return scalar(node.type, tm.boolean(node.value != 0));
    case Op::int_literal:
      return scalar(node.type, tm.integer(node.value));
    case Op::enum_literal:
      return scalar(node.type, tm.enumerator(logic_->sort(node.type), static_cast<std::size_t>(node.value)));
    case Op::none:
    case Op::empty_map:
      return default_value(node.type);
    case Op::local: {
      const auto found = scope.locals.find(ir::LocalId(node.ref));
      if (found != scope.locals.end()) return found->second;
      refuse("an unbound name");
      return default_value(node.type);
    }
    case Op::self:
      return scope.self;
    case Op::single_host:
      return scalar(node.type, singles_.at(RoleId(node.ref)));
    case Op::state_var: {
      const SymPtr owner = eval(node.args[0], scope);
      const ir::VarId var(node.ref);
      const auto written = scope.written.find(var);
      if (written != scope.written.end() && scope.self && owner->term == scope.self->term) return written->second;
      return read_variable(var, owner->term, scope.time);
    }
    case Op::host_const:
    case Op::global_const:
      return eval_constant(node, scope);
    case Op::not_:
    case Op::and_:
    case Op::or_:
    case Op::implies:
    case Op::iff:
    case Op::ite:
    case Op::eq:
    case Op::ne:
      return eval_logic(node, scope);
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::mod:
    case Op::neg:
    case Op::to_int:
      return eval_arithmetic(id, node, scope);
    case Op::some:
      return option(node.type, tm.boolean(true), eval(node.args[0], scope));
    case Op::get: {
      const SymPtr value = eval(node.args[0], scope);
      demand(id, value->term);
      return value->parts[0];
    }
    case Op::make_struct: {
      std::vector<SymPtr> fields;
      for (ExprId arg : node.args) fields.push_back(eval(arg, scope));
      return structure(node.type, std::move(fields));
    }
    case Op::field:
      return eval(node.args[0], scope)->parts[node.ref];
    case Op::with_field: {
      std::vector<SymPtr> fields = eval(node.args[0], scope)->parts;
      fields[node.ref] = eval(node.args[1], scope);
      return structure(node.type, std::move(fields));
    }
    case Op::all_hosts:
    case Op::set_literal:
    case Op::contains:
    case Op::subset:
    case Op::set_union:
    case Op::set_intersection:
    case Op::set_difference:
    case Op::set_build:
    case Op::cardinality:
    case Op::majority:
    case Op::role_size:
      return eval_set(id, node, scope);
    case Op::map_get:
    case Op::map_has:
    case Op::map_put:
    case Op::map_remove:
    case Op::map_keys:
    case Op::constant_function:
    case Op::apply:
    case Op::update:
    case Op::function_build:
      return eval_map(id, node, scope);
    case Op::sum:
      return eval_sum(id, node, scope);
    case Op::forall:
    case Op::exists:
      return eval_quantified(id, node, scope, false);
    case Op::old: {
      Scope before = scope;
      before.time = scope.old_time;
      return eval(node.args[0], before);
    }
    case Op::sent:
      return scalar(node.type, eval_sent(node, scope));
    default:
      break;
  }
  refuse("'" + ir::to_source(*protocol_, id) + "'");
  return default_value(node.type);
}

SymPtr Execution::eval_logic(const Expr& node, const Scope& scope) {
  smt::TermManager& tm = logic_->terms;
  const auto give = [&](Term term) { return scalar(node.type, term); };
  switch (node.op) {
    case Op::not_:
      return give(tm.not_(eval_term(node.args[0], scope)));
    case Op::and_:
    case Op::or_: {
      const std::size_t depth = path_.size();
      std::vector<Term> parts;
      for (ExprId arg : node.args) {
        parts.push_back(eval_term(arg, scope));
        path_.push_back(node.op == Op::and_ ? parts.back() : tm.not_(parts.back()));
      }
      path_.resize(depth);
      return give(node.op == Op::and_ ? tm.and_(parts) : tm.or_(parts));
    }
    case Op::implies: {
      const Term left = eval_term(node.args[0], scope);
      const OnPath on(path_, left);
      return give(tm.implies(left, eval_term(node.args[1], scope)));
    }
    case Op::iff:
      return give(tm.iff(eval_term(node.args[0], scope), eval_term(node.args[1], scope)));
    case Op::ite: {
      const Term condition = eval_term(node.args[0], scope);
      SymPtr then, otherwise;
      {
        const OnPath on(path_, condition);
        then = eval(node.args[1], scope);
      }
      {
        const OnPath on(path_, tm.not_(condition));
        otherwise = eval(node.args[2], scope);
      }
      return pick(condition, then, otherwise);
    }
    default: {
      const Term same = equal(eval(node.args[0], scope), eval(node.args[1], scope));
      return give(node.op == Op::eq ? same : tm.not_(same));
    }
  }
}

SymPtr Execution::eval_arithmetic(ExprId id, const Expr& node, const Scope& scope) {
  smt::TermManager& tm = logic_->terms;
  if (node.op == Op::lt || node.op == Op::le || node.op == Op::gt || node.op == Op::ge) {
    const SymPtr left = eval(node.args[0], scope);
    const SymPtr right = eval(node.args[1], scope);
    const bool swapped = node.op == Op::gt || node.op == Op::le;
    const Term below = swapped ? less(right, left) : less(left, right);
    return scalar(node.type, node.op == Op::lt || node.op == Op::gt ? below : tm.not_(below));
  }
  const Term a = eval_term(node.args[0], scope);
  if (node.op == Op::neg) return scalar(node.type, tm.neg(a));
  if (node.op == Op::to_int) return scalar(node.type, a);
  const Term b = eval_term(node.args[1], scope);
  const auto give = [&](Term term) { return scalar(node.type, term); };
  switch (node.op) {
    case Op::add:
      return give(tm.add({a, b}));
    case Op::sub:
      if ((*protocol_)[node.type].kind == TypeKind::natural) {
        demand(id, tm.le(b, a));
        // Where it has no value, one of its type: another would contradict what is
        // known of the type, and then everything would follow.
        return give(tm.ite(tm.le(b, a), tm.sub(a, b), zero_));
      }
      return give(tm.sub(a, b));
    case Op::mul:
      if (a.kind() == smt::Kind::number) return give(tm.mul(a.number(), b));
      if (b.kind() == smt::Kind::number) return give(tm.mul(b.number(), a));
      break;
    default:
      break;
  }
  refuse("'" + ir::to_source(*protocol_, id) + "'");
  return default_value(node.type);
}

/// Structs are compared field by field: the first that differs decides.
Term Execution::less(const SymPtr& a, const SymPtr& b) {
  smt::TermManager& tm = logic_->terms;
  if (a->kind != Sym::Kind::structure) return tm.lt(a->term, b->term);
  std::vector<Term> cases, same;
  for (std::size_t i = 0; i < a->parts.size(); ++i) {
    std::vector<Term> here = same;
    here.push_back(less(a->parts[i], b->parts[i]));
    cases.push_back(tm.and_(here));
    same.push_back(equal(a->parts[i], b->parts[i]));
  }
  return tm.or_(cases);
}

/// Whether a type has finitely many values in every instance without bounds on numbers.
bool Execution::always_finite(TypeId type) const {
  const Type t = (*protocol_)[type];
  switch (t.kind) {
    case TypeKind::boolean:
    case TypeKind::enumeration:
    case TypeKind::sort:
    case TypeKind::host:
      return true;
    case TypeKind::option:
      return always_finite(t.first);
    case TypeKind::structure: {
      const auto& fields = protocol_->structs[t.declaration].fields;
      return std::all_of(fields.begin(), fields.end(), [&](const auto& field) { return always_finite(field.type); });
    }
    default:
      return false;
  }
}

/// One bound name at a time, so that a sum over two of them is a sum of sums;
/// each is a function of the values that are added up.
SymPtr Execution::eval_sum(ExprId id, const Expr& node, const Scope& scope) {
  const ExprId body = node.args[0];
  const bool endless = std::any_of(node.binders.begin(), node.binders.end(),
                                   [&](ir::LocalId binder) { return !always_finite((*protocol_)[binder].type); });
  if (endless || (node.args.size() > 1 && node.args[1].valid())) {
    refuse("'" + ir::to_source(*protocol_, id) + "'");
    return default_value(node.type);
  }
  demand_all(id, body, node.binders, nullptr, scope);
  return sum_over(node.type, body, node.binders, 0, scope);
}

SymPtr Execution::sum_over(TypeId type, ExprId body, const std::vector<ir::LocalId>& binders, std::size_t next,
                           const Scope& scope) {
  const ir::LocalId binder = binders[next];
  const TypeId function = protocol_->types.function((*protocol_)[binder].type, type);
  const Expr& summand = (*protocol_)[body];
  const bool innermost = next + 1 == binders.size();
  const Asked nobody(demands_, path_, nullptr);
  SymPtr added;
  // x => f[x] is f, which has a name.
  const bool applied = innermost && summand.op == Op::apply && (*protocol_)[summand.args[1]].op == Op::local &&
                       ir::LocalId((*protocol_)[summand.args[1]].ref) == binder &&
                       !mentions_local(summand.args[0], binder);
  if (applied) {
    added = eval(summand.args[0], scope);
  } else {
    added = collection(function, Collection::Shape::other,
                       [this, type, body, binders, next, scope, innermost, binder](const SymPtr& value) {
                         const Asked nobody_now(demands_, path_, nullptr);
                         const Scope inner = bound(scope, {binder}, {value});
                         return innermost ? eval(body, inner) : sum_over(type, body, binders, next + 1, inner);
                       });
  }
  smt::TermManager& tm = logic_->terms;
  const Term values = token_of(added);
  const smt::Function sum =
      tm.function("sum of " + ir::to_source(*protocol_, function), {values.sort()}, logic_->sort(type));
  const Term total = tm.apply(sum, {values});
  name_scalar(type, total);
  if (!probing_ && summed_.insert(total.id()).second) sums.push_back({total, of_token(function, values)});
  return scalar(type, total);
}

bool Execution::mentions_local(ExprId id, ir::LocalId local) const {
  const Expr& node = (*protocol_)[id];
  if (node.op == Op::local && ir::LocalId(node.ref) == local) return true;
  return std::any_of(node.args.begin(), node.args.end(),
                     [&](ExprId arg) { return arg.valid() && mentions_local(arg, local); });
}

SymPtr Execution::eval_map(ExprId id, const Expr& node, const Scope& scope) {
  smt::TermManager& tm = logic_->terms;
  SymPtr first = node.op == Op::function_build ? nullptr : eval(node.args[0], scope);
  switch (node.op) {
    case Op::map_get: {
      const SymPtr found = first->collection->apply(eval(node.args[1], scope));
      demand(id, found->term);
      return found->parts[0];
    }
    case Op::map_has:
      return boolean(first->collection->apply(eval(node.args[1], scope))->term);
    case Op::apply:
      return first->collection->apply(eval(node.args[1], scope));
    case Op::map_put:
    case Op::update:
    case Op::map_remove: {
      const SymPtr key = eval(node.args[1], scope);
      SymPtr value;
      if (node.op == Op::map_remove) {
        value = default_value(result_type((*protocol_)[node.type]));
      } else {
        value = eval(node.args[2], scope);
        if (node.op == Op::map_put) value = option(result_type((*protocol_)[node.type]), tm.boolean(true), value);
      }
      return collection(node.type, Collection::Shape::other, [this, first, key, value](const SymPtr& at) {
        return pick(equal(at, key), value, first->collection->apply(at));
      });
    }
    case Op::map_keys:
      return collection(
          node.type, Collection::Shape::other,
          [this, first](const SymPtr& at) { return boolean(first->collection->apply(at)->term); },
          [this] { return fresh("size", logic_->terms.integer_sort()); });
    case Op::constant_function:
      return collection(node.type, Collection::Shape::other, [first](const SymPtr&) { return first; });
    default: {
      const ir::LocalId binder = node.binders[0];
      const ExprId body = node.args[0];
      demand_all(id, body, {binder}, nullptr, scope);
      return collection(node.type, Collection::Shape::other,
                        [this, scope, binder, body](const SymPtr& key) { return at(body, scope, binder, key); });
    }
  }
}

SymPtr Execution::eval_constant(const Expr& node, const Scope& scope) {
  const ir::ConstId id(node.ref);
  const ir::ConstDecl& decl = (*protocol_)[id];
  smt::TermManager& tm = logic_->terms;
  if (decl.kind == ir::ConstKind::ring_next || decl.kind == ir::ConstKind::ring_between) {
    std::vector<Term> args;
    for (ExprId arg : node.args) args.push_back(eval_term(arg, scope));
    const RoleId role((*protocol_)[decl.parameters.front()].declaration);
    return decl.kind == ir::ConstKind::ring_next
               ? ring_next(id, role, args[0])
               : boolean(tm.lt(ring_distance(id, role, args[0], args[1]), ring_distance(id, role, args[0], args[2])));
  }
  const SymPtr owner = decl.role.valid() ? eval(node.args[0], scope) : nullptr;
  if (decl.kind == ir::ConstKind::defined) {
    Scope inner;
    inner.time = zero_;
    inner.self = owner;
    return eval(decl.value, inner);
  }
  if (!decl.role.valid() && !node.args.empty()) {
    refuse("constant '" + decl.name + "' with arguments");
    return default_value(node.type);
  }
  // A constant is a variable that never changes: read at the start of time.
  const std::string name = (decl.role.valid() ? (*protocol_)[decl.role].name + "." : std::string()) + decl.name;
  std::vector<Term> args;
  if (owner) args.push_back(owner->term);
  const SymPtr value = constant_value(decl.type, name, args);
  if (decl.unique && owner && value->kind == Sym::Kind::scalar) {
    bool known = false;
    for (const UniqueValue& u : uniques) known = known || (u.constant == id && u.host == owner->term);
    if (!known) uniques.push_back({id, owner->term, value->term});
  }
  return value;
}

// --- Rings ---------------------------------------------------------------------
// Hosts stand at the positions 0 … n-1 of a circle, each at its own.

Term Execution::ring_position(ir::ConstId ring, RoleId role, Term host_term) {
  smt::TermManager& tm = logic_->terms;
  const smt::Function at = tm.function("position of " + (*protocol_)[role].name, {host_term.sort()}, tm.integer_sort());
  const Term position = tm.apply(at, {host_term});
  if (!typed_.insert(position.id()).second) return position;
  add(tm.and_({tm.le(zero_, position), tm.lt(position, role_size(role))}), Principle::type, "a position");
  uniques.push_back({ring, host_term, position});
  return position;
}

/// Steps forward from one host to another; a host meets itself last.
Term Execution::ring_distance(ir::ConstId ring, RoleId role, Term from, Term to) {
  smt::TermManager& tm = logic_->terms;
  const Term a = ring_position(ring, role, from), b = ring_position(ring, role, to);
  const Term ahead = tm.sub(b, a);
  return tm.ite(tm.lt(a, b), ahead, tm.add({ahead, role_size(role)}));
}

SymPtr Execution::ring_next(ir::ConstId ring, RoleId role, Term of) {
  smt::TermManager& tm = logic_->terms;
  const smt::Sort sort = logic_->role_sort(role);
  const Term next = tm.apply(tm.function("next " + (*protocol_)[role].name, {sort}, sort), {of});
  ++generation;  // every host has a next one
  const SymPtr result = host(role, next);
  --generation;
  const Term step = logic_->next(ring_position(ring, role, of));
  const Term last = tm.eq(step, role_size(role));
  add(tm.eq(ring_position(ring, role, next), tm.ite(last, zero_, step)), Principle::type, "the next on the ring");
  return result;
}

SymPtr Execution::constant_value(TypeId type, const std::string& name, const std::vector<Term>& args) {
  const Type t = (*protocol_)[type];
  smt::TermManager& tm = logic_->terms;
  const auto apply = [&tm](const std::string& function, smt::Sort range, const std::vector<Term>& with) {
    std::vector<smt::Sort> domain;
    for (Term arg : with) domain.push_back(arg.sort());
    return tm.apply(tm.function(function, domain, range), with);
  };
  switch (t.kind) {
    case TypeKind::option:
      return option(type, apply(name + " is some", tm.boolean_sort(), args), constant_value(t.first, name + "?", args));
    case TypeKind::structure: {
      std::vector<SymPtr> fields;
      for (const auto& field : protocol_->structs[t.declaration].fields) {
        fields.push_back(constant_value(field.type, name + "." + field.name, args));
      }
      return structure(type, std::move(fields));
    }
    case TypeKind::set:
    case TypeKind::map:
    case TypeKind::function: {
      const TypeId bottom = result_type(t);
      std::function<Term()> cardinality;
      if (t.kind == TypeKind::set) {
        cardinality = [this, type, name, args, apply] {
          return count(constant_value(type, name, args), apply("size of " + name, logic_->terms.integer_sort(), args),
                       std::nullopt);
        };
      }
      return collection(
          type, Collection::Shape::other,
          [this, bottom, name, args](const SymPtr& key) {
            std::vector<Term> below = args;
            flatten(key, below);
            name_tuple(key);
            return constant_value(bottom, name + "[]", below);
          },
          cardinality, [apply, name, args, sort = token_sort(type)] { return apply("value of " + name, sort, args); });
    }
    case TypeKind::sequence:
      refuse("sequence");
      [[fallthrough]];
    default: {
      const Term term = apply(name, logic_->sort(type), args);
      name_scalar(type, term);
      return scalar(type, term);
    }
  }
}

Term Execution::quantify(bool universal, std::vector<TypeId> types,
                         std::function<Term(const std::vector<SymPtr>&)> body, std::string about, Premises premises) {
  Quantified made;
  made.atom = fresh(universal ? "for all" : "there is", logic_->terms.boolean_sort());
  made.universal = universal;
  made.types = std::move(types);
  made.body = std::move(body);
  made.about = std::move(about);
  made.premises = std::move(premises);
  made.generation = generation;
  quantified.push_back(std::move(made));
  return quantified.back().atom;
}

Premises Execution::premises_of(ExprId body, const std::vector<ir::LocalId>& binders, bool negative, Term time) {
  Premises found;
  found.time = time;
  const auto position = [&](ExprId id) {
    if (!id.valid() || (*protocol_)[id].op != Op::local) return SentPattern::kFixed;
    const auto at = std::find(binders.begin(), binders.end(), ir::LocalId((*protocol_)[id].ref));
    return at == binders.end() ? SentPattern::kFixed : static_cast<std::size_t>(at - binders.begin());
  };
  // The values that an atom depends on.
  const std::function<void(ExprId, std::vector<std::size_t>)> depends = [&](ExprId id, std::vector<std::size_t> keys) {
    const Expr& node = (*protocol_)[id];
    switch (node.op) {
      case Op::contains:
        keys.insert(keys.begin(), position(node.args[0]));
        depends(node.args[1], std::move(keys));
        break;
      case Op::apply:
        keys.insert(keys.begin(), position(node.args[1]));
        depends(node.args[0], std::move(keys));
        break;
      case Op::state_var:
        found.reads.push_back({ir::VarId(node.ref), position(node.args[0]), std::move(keys)});
        break;
      case Op::forall:
      case Op::exists:
        break;
      default:
        for (const ExprId arg : node.args) {
          if (arg.valid()) depends(arg, {});
        }
    }
  };
  const std::function<void(ExprId, bool)> look = [&](ExprId id, bool negated) {
    const Expr& node = (*protocol_)[id];
    switch (node.op) {
      case Op::not_:
        look(node.args[0], !negated);
        break;
      case Op::and_:
        for (ExprId arg : node.args) {
          if (!negated) look(arg, negated);
        }
        break;
      case Op::or_:
        for (ExprId arg : node.args) {
          if (negated) look(arg, negated);
        }
        break;
      case Op::implies:
        if (negated) {
          look(node.args[0], false);
          look(node.args[1], true);
        }
        break;
      case Op::sent: {
        if (negated) break;
        SentPattern pattern;
        pattern.message = MessageId(node.ref);
        const std::size_t n = (*protocol_)[pattern.message].fields.size();
        for (std::size_t i = 0; i < n; ++i) pattern.args.push_back(position(node.args[i]));
        if (node.value != 0) {
          pattern.sender = position(node.args[n]);
          pattern.addressee = position(node.args[n + 1]);
        }
        found.sent.push_back(std::move(pattern));
        break;
      }
      default:
        // What is to be so: not what follows.
        if (!negated) depends(id, {});
    }
  };
  look(body, negative);
  return found;
}

/// The same for the same expression in the same scope, if that can be told.
std::optional<std::vector<std::uint32_t>> Execution::key_of(ExprId expr, const Scope& scope) {
  if (!scope.written.empty()) return std::nullopt;
  std::vector<std::uint32_t> key{expr.value, scope.time.id(), scope.old_time.valid() ? scope.old_time.id() : 0,
                                 scope.self ? scope.self->term.id() : 0};
  for (const auto& [local, value] : scope.locals) {
    if (value->kind == Sym::Kind::collection) return std::nullopt;
    key.push_back(local.value);
    std::vector<Term> terms;
    flatten(value, terms);
    for (Term term : terms) key.push_back(term.id());
  }
  return key;
}

/// With `body_defined`: that its body holds and is defined.
SymPtr Execution::eval_quantified(ExprId id, const Expr& node, const Scope& scope, bool body_defined) {
  const auto binders = node.binders;
  const ExprId body = node.args[0];
  const bool limited = node.args.size() > 1 && node.args[1].valid();
  const SymPtr domain = limited ? eval(node.args[1], scope) : nullptr;
  demand_all(id, body, binders, domain, scope);
  auto key = key_of(id, scope);
  if (key) {
    key->push_back(body_defined ? 1 : 0);
    const auto found = quantified_index_.find(*key);
    if (found != quantified_index_.end()) return scalar(node.type, quantified[found->second].atom);
  }
  std::vector<TypeId> types;
  for (ir::LocalId binder : binders) types.push_back((*protocol_)[binder].type);
  const bool universal = node.op == Op::forall;
  auto instance = [this, scope, binders, body, domain, universal, body_defined](const std::vector<SymPtr>& values) {
    const Asked nobody(demands_, path_, nullptr);
    const Scope inner = bound(scope, binders, values);
    const Term inside = body_defined ? holds_and_defined(body, inner) : holds(body, inner);
    if (!domain) return inside;
    const Term within = domain->collection->apply(values[0])->term;
    return universal ? logic_->terms.implies(within, inside) : logic_->terms.and_({within, inside});
  };
  const Term atom = quantify(universal, std::move(types), std::move(instance), ir::to_source(*protocol_, id),
                             premises_of(body, binders, universal, scope.time));
  if (key && !probing_) quantified_index_[*key] = quantified.size() - 1;
  return scalar(node.type, atom);
}

Term Execution::eval_sent(const Expr& node, const Scope& scope) {
  const MessageId message(node.ref);
  const auto& fields = (*protocol_)[message].fields;
  const std::size_t n = fields.size();
  const bool named_ends = node.value != 0;
  const ExprId from = named_ends ? node.args[n] : ExprId{};
  const ExprId to = named_ends ? node.args[n + 1] : ExprId{};
  std::vector<SymPtr> given(n + 2);  // fields, sender, addressee; null where the text leaves them open
  for (std::size_t i = 0; i < node.args.size(); ++i) {
    if (node.args[i].valid()) given[i] = eval(node.args[i], scope);
  }
  std::vector<Term> cases;
  for (RoleId sender : sender_roles(message)) {
    if (from.valid() && (*protocol_)[(*protocol_)[from].type].declaration != sender.value) continue;
    for (RoleId addressee : addressee_roles(message)) {
      if (to.valid() && (*protocol_)[(*protocol_)[to].type].declaration != addressee.value) continue;
      // What the text leaves open is quantified.
      std::vector<TypeId> open;
      for (std::size_t i = 0; i < n; ++i) {
        if (!node.args[i].valid()) open.push_back(fields[i].type);
      }
      if (!from.valid()) open.push_back(protocol_->types.host(sender));
      if (!to.valid()) open.push_back(protocol_->types.host(addressee));
      auto body = [this, given, n, message, sender, addressee, time = scope.time](const std::vector<SymPtr>& values) {
        std::size_t next = 0;
        std::vector<SymPtr> all;
        for (std::size_t i = 0; i < n + 2; ++i) all.push_back(given[i] ? given[i] : values[next++]);
        const Term s = all[n]->term;
        const Term d = all[n + 1]->term;
        all.resize(n);
        return in_network(letter(message, sender, addressee, s, d, all), time);
      };
      if (open.empty()) {
        cases.push_back(body({}));
        continue;
      }
      SentPattern pattern;
      pattern.message = message;
      std::size_t next = 0;
      for (std::size_t i = 0; i < n; ++i) pattern.args.push_back(given[i] ? SentPattern::kFixed : next++);
      if (!from.valid()) pattern.sender = next++;
      if (!to.valid()) pattern.addressee = next++;
      cases.push_back(
          quantify(false, open, body, "sent " + (*protocol_)[message].name, {{std::move(pattern)}, {}, scope.time}));
    }
  }
  return logic_->terms.or_(cases);
}

}  // namespace tenet::provenance
