/// Expressions as symbolic values.
#include "tenet/encode/encoder.h"
#include "tenet/ir/printer.h"

namespace tenet::encode {

using ir::Expr;
using ir::ExprId;
using ir::Op;
using ir::RoleId;
using ir::TypeId;
using ir::TypeKind;

namespace {
Scope bound(Scope scope, const std::vector<ir::LocalId>& binders, const std::vector<SymPtr>& values) {
  for (std::size_t i = 0; i < binders.size(); ++i) scope.locals[binders[i]] = values[i];
  return scope;
}
}  // namespace

void Encoder::demand(Term condition) {
  if (demands_ == nullptr || condition.is_true()) return;
  demands_->push_back(terms.implies(path_condition(), condition));
}

Term Encoder::defined(ExprId expr, const Scope& scope) {
  if (!may_be_undefined(expr)) return terms.boolean(true);
  std::vector<Term> demanded;
  {
    const Demands here(*this, &demanded);
    (void)eval(expr, scope);
  }
  return terms.and_(demanded);
}

Term Encoder::holds_and_defined(ExprId formula, const Scope& scope) {
  std::vector<Term> demanded;
  Term value;
  {
    const Demands here(*this, &demanded);
    value = holds(formula, scope);
  }
  demanded.push_back(value);
  return terms.and_(demanded);
}

bool Encoder::may_be_undefined(ExprId id) {
  if (!id.valid()) return false;
  const auto known = may_be_undefined_.find(id);
  if (known != may_be_undefined_.end()) return known->second;
  const Expr node = p_[id];
  bool may =
      node.op == Op::get || node.op == Op::map_get || (node.op == Op::sub && p_[node.type].kind == TypeKind::natural);
  if (node.op == Op::host_const || node.op == Op::global_const) {
    const ir::ConstDecl& decl = p_[ir::ConstId(node.ref)];
    may = decl.kind == ir::ConstKind::defined && may_be_undefined(decl.value);
  }
  for (const ExprId arg : node.args) may = may || may_be_undefined(arg);
  return may_be_undefined_[id] = may;
}

/// The value of what a binder binds in, at this value of its variable; what it
/// reads is demanded elsewhere.
SymPtr Encoder::at(ExprId body, const Scope& scope, ir::LocalId binder, const SymPtr& value) {
  const Demands nobody(*this, nullptr);
  return eval(body, bound(scope, {binder}, {value}));
}

/// Demands the body of a binder at all values (in `domain`, unless null).
void Encoder::demand_all(ExprId body, ir::LocalId binder, const SymPtr& domain, const Scope& scope) {
  if (demands_ == nullptr || !may_be_undefined(body)) return;
  (void)for_all_keys(domain ? domain->support : nullptr, p_[binder].type, [&](const SymPtr& value) {
    const Term within = domain ? domain->apply(value)->term : terms.boolean(true);
    const OnPath on(*this, within);
    (void)eval(body, bound(scope, {binder}, {value}));
    return terms.boolean(true);
  });
}

SymPtr Encoder::eval(ExprId id, const Scope& scope) {
  const Expr node = p_[id];  // a copy: types may be added on the way
  switch (node.op) {
    case Op::bool_literal:
      return scalar(node.type, terms.boolean(node.value != 0));
    case Op::int_literal:
      if (only_ordered(p_[node.type].kind)) {
        refuse("a number in a claim about a protocol that has none");
        return default_value(node.type);
      }
      return scalar(node.type, terms.integer(node.value));
    case Op::enum_literal:
      return scalar(node.type, terms.enumerator(sort(node.type), static_cast<std::size_t>(node.value)));
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
      if (scope.self) return scope.self;
      refuse("'self' outside of steps");
      return default_value(node.type);
    case Op::single_host:
      return only(RoleId(node.ref));
    case Op::state_var: {
      const SymPtr owner = eval(node.args[0], scope);
      const ir::VarId var(node.ref);
      if (!scope.now) {
        refuse("a variable where there is no state");
        return default_value(node.type);
      }
      const auto written = scope.written.find(var);
      if (written == scope.written.end()) return scope.now->read(var, owner);
      const Term own = equal(owner, scope.self);
      return own.is_true() ? written->second : pick(own, written->second, scope.now->read(var, owner));
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
      return eval_logic(node, scope);
    case Op::eq:
    case Op::ne:
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
      return eval_comparison(node, scope);
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::mod:
    case Op::neg:
    case Op::to_int:
    case Op::role_size:
      return eval_arithmetic(node, scope);
    case Op::some:
      return option(node.type, terms.boolean(true), eval(node.args[0], scope));
    case Op::get: {
      const SymPtr value = eval(node.args[0], scope);
      demand(value->term);
      return value->parts[0];
    }
    case Op::make_struct: {
      auto made = std::make_shared<Sym>();
      made->kind = Sym::Kind::structure;
      made->type = node.type;
      for (const ExprId arg : node.args) made->parts.push_back(eval(arg, scope));
      return made;
    }
    case Op::field:
      return eval(node.args[0], scope)->parts[node.ref];
    case Op::with_field: {
      auto made = std::make_shared<Sym>(*eval(node.args[0], scope));
      made->parts[node.ref] = eval(node.args[1], scope);
      return made;
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
      return eval_set(node, scope);
    case Op::map_get:
    case Op::map_has:
    case Op::map_put:
    case Op::map_remove:
    case Op::map_keys:
    case Op::constant_function:
    case Op::apply:
    case Op::update:
    case Op::function_build:
      return eval_map(node, scope);
    case Op::forall:
    case Op::exists:
      return eval_quantified(node, scope);
    case Op::sum:
      if (!ground()) break;
      return eval_sum(node, scope);
    case Op::old: {
      if (!scope.before) {
        refuse("'old' where there is no state before");
        return default_value(node.type);
      }
      Scope earlier = scope;
      earlier.now = scope.before;
      earlier.before = nullptr;
      earlier.written.clear();
      return eval(node.args[0], earlier);
    }
    case Op::sent:
      return boolean(eval_sent(node, scope));
    default:
      break;
  }
  refuse("'" + ir::to_source(p_, id) + "'");
  return default_value(node.type);
}

SymPtr Encoder::eval_logic(const Expr& node, const Scope& scope) {
  switch (node.op) {
    case Op::not_:
      return boolean(terms.not_(truth(node.args[0], scope)));
    case Op::and_:
    case Op::or_: {
      const std::size_t depth = path_.size();
      std::vector<Term> parts;
      for (const ExprId arg : node.args) {
        parts.push_back(truth(arg, scope));
        path_.push_back(node.op == Op::and_ ? parts.back() : terms.not_(parts.back()));
      }
      path_.resize(depth);
      return boolean(node.op == Op::and_ ? terms.and_(parts) : terms.or_(parts));
    }
    case Op::implies: {
      const Term left = truth(node.args[0], scope);
      const OnPath on(*this, left);
      return boolean(terms.implies(left, truth(node.args[1], scope)));
    }
    case Op::iff: {
      const Term left = truth(node.args[0], scope);
      return boolean(terms.iff(left, truth(node.args[1], scope)));
    }
    default: {  // ite
      const Term condition = truth(node.args[0], scope);
      SymPtr then, otherwise;
      {
        const OnPath on(*this, condition);
        then = eval(node.args[1], scope);
      }
      {
        const OnPath on(*this, terms.not_(condition));
        otherwise = eval(node.args[2], scope);
      }
      return pick(condition, then, otherwise);
    }
  }
}

SymPtr Encoder::eval_comparison(const Expr& node, const Scope& scope) {
  if (!ground() && (has_size(node.args[0]) || has_size(node.args[1]))) return boolean(compare_sizes(node, scope));
  const SymPtr a = eval(node.args[0], scope);
  const SymPtr b = eval(node.args[1], scope);
  switch (node.op) {
    case Op::eq:
      return boolean(equal(a, b));
    case Op::ne:
      return boolean(terms.not_(equal(a, b)));
    case Op::lt:
      return boolean(less(a, b));
    case Op::gt:
      return boolean(less(b, a));
    case Op::le:
      return boolean(terms.not_(less(b, a)));
    default:
      return boolean(terms.not_(less(a, b)));
  }
}

SymPtr Encoder::eval_arithmetic(const Expr& node, const Scope& scope) {
  if (only_ordered(p_[node.type].kind)) {
    refuse("arithmetic in a claim about a protocol that has none");
    return default_value(node.type);
  }
  if (node.op == Op::role_size) return scalar(node.type, role_size(RoleId(node.ref)));
  const Term a = truth(node.args[0], scope);
  if (node.op == Op::neg) return scalar(node.type, terms.neg(a));
  if (node.op == Op::to_int) return scalar(node.type, a);
  const Term b = truth(node.args[1], scope);
  switch (node.op) {
    case Op::add:
      return scalar(node.type, terms.add({a, b}));
    case Op::sub:
      if (p_[node.type].kind == TypeKind::natural) {
        demand(terms.le(b, a));
        // Where it has no value, one of its type: another could contradict the facts about the type.
        return scalar(node.type, terms.ite(terms.le(b, a), terms.sub(a, b), terms.integer(0)));
      }
      return scalar(node.type, terms.sub(a, b));
    case Op::mul:
      if (a.kind() == smt::Kind::number) return scalar(node.type, terms.mul(a.number(), b));
      if (b.kind() == smt::Kind::number) return scalar(node.type, terms.mul(b.number(), a));
      break;
    default: {
      // By a positive number that is known: rounded down as the language has it.
      if (b.kind() == smt::Kind::number && b.number().integral() && b.number().numerator() > 0) {
        const std::int64_t divisor = b.number().numerator();
        return scalar(node.type, node.op == Op::div ? terms.div(a, divisor) : terms.mod(a, divisor));
      }
    }
  }
  refuse("a product or quotient of two variables");
  return default_value(node.type);
}

SymPtr Encoder::eval_set(const Expr& node, const Scope& scope) {
  switch (node.op) {
    case Op::all_hosts:
      return collection(node.type, [this](const SymPtr&) { return boolean(terms.boolean(true)); });
    case Op::set_literal: {
      std::vector<SymPtr> elements;
      for (const ExprId arg : node.args) elements.push_back(eval(arg, scope));
      return collection(
          node.type,
          [this, elements](const SymPtr& key) {
            std::vector<Term> cases;
            for (const SymPtr& element : elements) cases.push_back(equal(key, element));
            return boolean(terms.or_(cases));
          },
          support_of(node.type, elements));
    }
    case Op::contains: {
      const SymPtr element = eval(node.args[0], scope);
      const SymPtr set = eval(node.args[1], scope);
      return boolean(set->apply(element)->term);
    }
    case Op::subset: {
      const SymPtr a = eval(node.args[0], scope);
      const SymPtr b = eval(node.args[1], scope);
      const Demands nobody(*this, nullptr);
      return boolean(for_all_keys(a->support, p_[a->type].first, [&](const SymPtr& key) {
        return terms.implies(a->apply(key)->term, b->apply(key)->term);
      }));
    }
    case Op::set_build: {
      const SymPtr domain = node.args[0].valid() ? eval(node.args[0], scope) : nullptr;
      const ExprId predicate = node.args[1];
      const ir::LocalId binder = node.binders[0];
      demand_all(predicate, binder, domain, scope);
      return collection(
          node.type,
          [this, scope, domain, predicate, binder](const SymPtr& key) {
            const Term inside = at(predicate, scope, binder, key)->term;
            if (!domain) return boolean(inside);
            return boolean(terms.and_({domain->apply(key)->term, inside}));
          },
          domain ? domain->support : nullptr);
    }
    case Op::cardinality: {
      const SymPtr set = eval(node.args[0], scope);
      if (ground()) return scalar(node.type, size_of(set));
      refuse("the size of a set other than compared with a bound that never changes");
      return default_value(node.type);
    }
    case Op::majority:
      return boolean(majority(eval(node.args[0], scope)));
    default:
      break;
  }
  const SymPtr a = eval(node.args[0], scope);
  const SymPtr b = eval(node.args[1], scope);
  Support support = a->support;
  if (node.op == Op::set_union) support = join(a->support, b->support);
  if (node.op == Op::set_intersection && !support) support = b->support;
  return collection(
      node.type,
      [this, a, b, op = node.op](const SymPtr& key) {
        const Term in_a = a->apply(key)->term;
        const Term in_b = b->apply(key)->term;
        if (op == Op::set_union) return boolean(terms.or_({in_a, in_b}));
        if (op == Op::set_intersection) return boolean(terms.and_({in_a, in_b}));
        return boolean(terms.and_({in_a, terms.not_(in_b)}));
      },
      std::move(support));
}

SymPtr Encoder::eval_map(const Expr& node, const Scope& scope) {
  if (node.op == Op::constant_function) {
    SymPtr value = eval(node.args[0], scope);
    return collection(node.type, [value](const SymPtr&) { return value; });
  }
  if (node.op == Op::function_build) {
    const ExprId body = node.args[0];
    const ir::LocalId binder = node.binders[0];
    demand_all(body, binder, nullptr, scope);
    return collection(node.type,
                      [this, scope, body, binder](const SymPtr& key) { return at(body, scope, binder, key); });
  }
  const SymPtr map = eval(node.args[0], scope);
  if (node.op == Op::map_keys) {
    return collection(
        node.type, [this, map](const SymPtr& key) { return boolean(map->apply(key)->term); }, map->support);
  }
  const SymPtr key = eval(node.args[1], scope);
  switch (node.op) {
    case Op::map_has:
      return boolean(map->apply(key)->term);
    case Op::map_get: {
      const SymPtr value = map->apply(key);
      demand(value->term);
      return value->parts[0];
    }
    case Op::apply:
      return map->apply(key);
    case Op::map_remove:
      return collection(
          node.type,
          [this, map, key](const SymPtr& k) {
            const SymPtr value = map->apply(k);
            return option(value->type, terms.and_({value->term, terms.not_(equal(k, key))}), value->parts[0]);
          },
          map->support);
    default: {  // map_put, update
      const SymPtr value = eval(node.args[2], scope);
      const bool put = node.op == Op::map_put;
      const TypeId result = result_type(p_[node.type]);
      return collection(
          node.type,
          [this, map, key, value, put, result](const SymPtr& k) {
            const SymPtr now = put ? option(result, terms.boolean(true), value) : value;
            return pick(equal(k, key), now, map->apply(k));
          },
          put ? join(map->support, support_of(node.type, {key})) : nullptr);
    }
  }
}

SymPtr Encoder::eval_quantified(const Expr& node, const Scope& scope) {
  const ExprId body = node.args[0];
  const bool limited = node.args.size() > 1 && node.args[1].valid();
  const SymPtr domain = limited ? eval(node.args[1], scope) : nullptr;
  std::vector<TypeId> types;
  for (const ir::LocalId binder : node.binders) types.push_back(p_[binder].type);
  const bool universal = node.op == Op::forall;
  if (domain && domain->support) {
    std::vector<Term> results;
    for (const SymPtr& key : *domain->support) {
      const Term within = domain->apply(key)->term;
      const OnPath on(*this, within);
      const Term inside = truth(body, bound(scope, node.binders, {key}));
      results.push_back(universal ? terms.implies(within, inside) : terms.and_({within, inside}));
    }
    return boolean(universal ? terms.and_(results) : terms.or_(results));
  }
  return boolean(quantify(universal, types, [&](const std::vector<SymPtr>& values) {
    const Term within = domain ? domain->apply(values[0])->term : terms.boolean(true);
    const OnPath on(*this, within);
    const Term inside = truth(body, bound(scope, node.binders, values));
    return universal ? terms.implies(within, inside) : terms.and_({within, inside});
  }));
}

/// In an instance; what is added up is what the interpreter adds up.
SymPtr Encoder::eval_sum(const Expr& node, const Scope& scope) {
  const bool limited = node.args.size() > 1 && node.args[1].valid();
  const SymPtr domain = limited ? eval(node.args[1], scope) : nullptr;
  std::vector<Term> summands{terms.integer(0)};
  const auto add = [&](Term within, const std::vector<SymPtr>& values) {
    const OnPath on(*this, within);
    summands.push_back(terms.ite(within, truth(node.args[0], bound(scope, node.binders, values)), terms.integer(0)));
  };
  if (domain && domain->support) {
    for (std::size_t i = 0; i < domain->support->size(); ++i) add(counted(domain, i), {(*domain->support)[i]});
    return scalar(node.type, terms.add(summands));
  }
  std::vector<TypeId> types;
  for (const ir::LocalId binder : node.binders) types.push_back(p_[binder].type);
  const bool finite = std::all_of(types.begin(), types.end(), [&](TypeId type) { return enumerable(type); });
  if (!finite) {
    refuse("a sum over numbers");
    return default_value(node.type);
  }
  (void)quantify(true, types, [&](const std::vector<SymPtr>& values) {
    add(domain ? domain->apply(values[0])->term : terms.boolean(true), values);
    return terms.boolean(true);
  });
  return scalar(node.type, terms.add(summands));
}

Term Encoder::eval_sent(const Expr& node, const Scope& scope) {
  const ir::MessageId message(node.ref);
  if (!scope.now) {
    refuse("'sent' where there is no state");
    return terms.boolean(false);
  }
  const std::size_t n = p_[message].fields.size();
  const ExprId from = node.value != 0 ? node.args[n] : ExprId{};
  const ExprId to = node.value != 0 ? node.args[n + 1] : ExprId{};
  std::vector<SymPtr> given(n + 2);  // fields, sender, addressee; null where the text leaves them open
  for (std::size_t i = 0; i < node.args.size() && i < n + 2; ++i) {
    if (node.args[i].valid()) given[i] = eval(node.args[i], scope);
  }
  std::vector<Term> cases;
  for (const RoleId sender : sender_roles(message)) {
    if (from.valid() && p_[p_[from].type].declaration != sender.value) continue;
    for (const RoleId addressee : addressee_roles(message)) {
      if (to.valid() && p_[p_[to].type].declaration != addressee.value) continue;
      std::vector<TypeId> open;  // what the text leaves open is quantified
      for (std::size_t i = 0; i < n; ++i) {
        if (!given[i]) open.push_back(p_[message].fields[i].type);
      }
      if (!given[n]) open.push_back(p_.types.host(sender));
      if (!given[n + 1]) open.push_back(p_.types.host(addressee));
      const Demands nobody(*this, nullptr);
      cases.push_back(quantify(false, open, [&](const std::vector<SymPtr>& values) {
        std::size_t next = 0;
        std::vector<SymPtr> all;
        for (std::size_t i = 0; i < n + 2; ++i) all.push_back(given[i] ? given[i] : values[next++]);
        const SymPtr s = all[n], d = all[n + 1];
        all.resize(n);
        return scope.now->sent({message, sender, addressee, s, d, std::move(all)});
      }));
    }
  }
  return terms.or_(cases);
}

// --- Constants -----------------------------------------------------------------

SymPtr Encoder::eval_constant(const Expr& node, const Scope& scope) {
  std::vector<SymPtr> args;
  for (const ExprId arg : node.args) args.push_back(eval(arg, scope));
  return constant(ir::ConstId(node.ref), args);
}

SymPtr Encoder::constant(ir::ConstId id, const std::vector<SymPtr>& args) {
  const ir::ConstDecl decl = p_[id];
  if (decl.kind == ir::ConstKind::ring_next || decl.kind == ir::ConstKind::ring_between) {
    SymPtr next;
    const Term between = ring(decl, args, &next);
    return next ? next : boolean(between);
  }
  if (decl.kind == ir::ConstKind::defined) {
    Scope inner;
    if (decl.role.valid()) inner.self = args[0];
    return eval(decl.value, inner);
  }
  std::vector<Term> flat;
  for (const SymPtr& arg : args) flatten(arg, flat);
  const std::string name = (decl.role.valid() ? p_[decl.role].name + "." : "") + decl.name;
  return named(decl.type, name, flat);
}

/// In an instance the hosts stand in the order of their numbers, which is one
/// of the orders that a ring may have.
Term Encoder::ring(const ir::ConstDecl& decl, const std::vector<SymPtr>& args, SymPtr* next) {
  const TypeId type = decl.parameters[0];
  const smt::Sort s = sort(type);
  if (!ground()) {
    add_ring(decl);
    const smt::Function step = terms.function("next on " + s.name(), {s}, s);
    const smt::Function between = terms.function("between on " + s.name(), {s, s, s}, terms.boolean_sort());
    if (decl.kind == ir::ConstKind::ring_between) {
      return terms.apply(between, {args[0]->term, args[1]->term, args[2]->term});
    }
    *next = scalar(type, terms.apply(step, {args[0]->term}));
    return {};
  }
  const std::size_t n = s.members().size();
  const auto is = [&](std::size_t arg, std::size_t i) { return terms.eq(args[arg]->term, terms.enumerator(s, i)); };
  if (decl.kind == ir::ConstKind::ring_next) {
    Term value = terms.enumerator(s, 0);
    for (std::size_t i = 0; i + 1 < n; ++i) value = terms.ite(is(0, i), terms.enumerator(s, i + 1), value);
    *next = scalar(type, value);
    return {};
  }
  std::vector<Term> cases;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      for (std::size_t c = 0; c < n; ++c) {
        const std::size_t to_b = b == a ? n : (b + n - a) % n, to_c = c == a ? n : (c + n - a) % n;
        if (to_b < to_c) cases.push_back(terms.and_({is(0, a), is(1, b), is(2, c)}));
      }
    }
  }
  return terms.or_(cases);
}

/// Seen from any host, the hosts are in a strict total order with itself last;
/// all hosts see the same circle; the successor comes first.
void Encoder::add_ring(const ir::ConstDecl& decl) {
  const smt::Sort s = sort(decl.parameters[0]);
  if (rings_[s.name()]++ > 0) return;
  const smt::Function next = terms.function("next on " + s.name(), {s}, s);
  const smt::Function between = terms.function("between on " + s.name(), {s, s, s}, terms.boolean_sort());
  const Term a = terms.variable("a", s), b = terms.variable("b", s), c = terms.variable("c", s),
             d = terms.variable("d", s);
  const auto first = [&](Term x, Term y, Term z) { return terms.apply(between, {x, y, z}); };
  background.push_back(terms.forall({a, b}, terms.not_(first(a, b, b))));
  background.push_back(
      terms.forall({a, b, c, d}, terms.implies(terms.and_({first(a, b, c), first(a, c, d)}), first(a, b, d))));
  background.push_back(terms.forall({a, b, c}, terms.or_({terms.eq(b, c), first(a, b, c), first(a, c, b)})));
  background.push_back(terms.forall({a, b}, terms.or_({terms.eq(a, b), first(a, b, a)})));
  background.push_back(terms.forall(
      {a, b, c}, terms.implies(terms.and_({first(a, b, c), terms.ne(a, c), terms.ne(a, b)}), first(b, c, a))));
  const Term after = terms.apply(next, {a});
  background.push_back(terms.forall({a, b}, terms.or_({terms.eq(b, after), first(a, after, b)})));
}

}  // namespace tenet::encode
