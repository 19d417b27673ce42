#include "meaning.h"

#include <algorithm>

#include "tenet/ir/footprint.h"
#include "tenet/ir/printer.h"
#include "tenet/smt/term_ops.h"

namespace tenet::recheck {

using ir::Expr;
using ir::ExprId;
using ir::Op;
using ir::RoleId;
using ir::Type;
using ir::TypeId;
using ir::TypeKind;

namespace {

bool is_collection(TypeKind kind) {
  return kind == TypeKind::set || kind == TypeKind::map || kind == TypeKind::function;
}

void sends_in(const ir::Protocol& p, const std::vector<ir::StmtId>& block,
              const std::function<void(ir::MessageId, RoleId to)>& visit) {
  for (const ir::StmtId id : block) {
    const ir::Stmt& stmt = p[id];
    sends_in(p, stmt.then_branch, visit);
    sends_in(p, stmt.else_branch, visit);
    if (stmt.kind != ir::StmtKind::send) continue;
    const Type target = p[p[stmt.target].type];
    visit(stmt.message, RoleId(target.kind == TypeKind::set ? p[target.first].declaration : target.declaration));
  }
}

void note(std::vector<RoleId>& roles, RoleId role) {
  if (std::find(roles.begin(), roles.end(), role) == roles.end()) roles.push_back(role);
}

}  // namespace

Meaning::Meaning(ir::Protocol& protocol, smt::TermManager& terms, const std::vector<smt::Function>& declared)
    : p(protocol), tm(terms) {
  for (const smt::Function& function : declared) {
    // Names of one spelling and different signatures have numbers.
    const std::string& name = function.name();
    const std::size_t mark = name.starts_with("some ") ? std::string::npos : name.rfind('!');
    Signature signature{name.substr(0, mark), {}};
    for (const smt::Sort each : function.domain()) signature.second.push_back(each.id());
    signature.second.push_back(function.range().id());
    declared_.emplace(std::move(signature), function);
  }
  senders_.resize(p.messages.size());
  addressees_.resize(p.messages.size());
  for (const ir::Step& step : p.steps) {
    sends_in(p, step.body, [&](ir::MessageId message, RoleId to) {
      note(senders_[message.index()], step.role);
      note(addressees_[message.index()], to);
    });
  }
}

// --- Symbols -----------------------------------------------------------------------

smt::Sort Meaning::sort(TypeId type) {
  const Type t = p[type];
  switch (t.kind) {
    case TypeKind::boolean:
      return tm.boolean_sort();
    case TypeKind::enumeration:
      return tm.enumeration(p.enums[t.declaration].name, p.enums[t.declaration].members);
    case TypeKind::sort:
      // Of an ordered sort only the order matters, and any finite one is one of integers.
      return p.sorts[t.declaration].ordered ? tm.integer_sort() : tm.uninterpreted(p.sorts[t.declaration].name);
    case TypeKind::host:
      return role_sort(RoleId(t.declaration));
    case TypeKind::integer:
    case TypeKind::natural:
      return tm.integer_sort();
    default:
      refuse("type " + ir::to_source(p, type));
  }
}

Term Meaning::apply(const std::string& name, const std::vector<Term>& args, smt::Sort range) {
  std::vector<smt::Sort> domain;
  Signature signature{name, {}};
  for (const Term arg : args) {
    domain.push_back(arg.sort());
    signature.second.push_back(arg.sort().id());
  }
  signature.second.push_back(range.id());
  const auto known = declared_.find(signature);
  if (known != declared_.end()) return tm.apply(known->second, args);
  return tm.apply(tm.function(name, domain, range), args);
}

smt::Sort Meaning::token_sort(TypeId type) { return tm.uninterpreted("values of " + ir::to_source(p, type)); }

TypeId Meaning::result_type(TypeId collection) {
  const Type t = p[collection];
  if (t.kind == TypeKind::set) return p.types.boolean();
  return t.kind == TypeKind::map ? p.types.option(t.second) : t.second;
}

ValPtr Meaning::named(TypeId type, const std::string& name, const std::vector<Term>& before,
                      const std::vector<Term>& after) {
  const Type t = p[type];
  std::vector<Term> args = before;
  args.insert(args.end(), after.begin(), after.end());
  switch (t.kind) {
    case TypeKind::option:
      return option(type, apply(name + " is some", args, tm.boolean_sort()), named(t.first, name + "?", before, after));
    case TypeKind::structure: {
      std::vector<ValPtr> fields;
      for (const ir::FieldDecl& field : std::vector(p.structs[t.declaration].fields)) {
        fields.push_back(named(field.type, name + "." + field.name, before, after));
      }
      return structure(type, std::move(fields));
    }
    case TypeKind::set:
    case TypeKind::map:
    case TypeKind::function: {
      const TypeId result = result_type(type);
      std::function<Term()> size;
      if (t.kind == TypeKind::set) {
        size = [this, name, args] { return apply("size of " + name, args, tm.integer_sort()); };
      }
      return collection(
          type,
          [this, result, name, before, after](const ValPtr& key) {
            std::vector<Term> below = before;
            flatten(key, below);
            return named(result, name + "[]", below, after);
          },
          [this, type, name, args] { return apply("value of " + name, args, token_sort(type)); }, size);
    }
    default:
      return scalar(type, apply(name, args, sort(type)));
  }
}

ValPtr Meaning::variable(ir::VarId var, Term host, Term time) {
  return named(p[var].type, p[p[var].role].name + "." + p[var].name, {host}, {time});
}

ValPtr Meaning::of_token(TypeId type, Term token) {
  auto made = std::make_shared<Val>(*named(type, "in " + ir::to_source(p, type), {token}, {}));
  made->token = [token] { return token; };
  return made;
}

ValPtr Meaning::made_of(TypeId type, const std::string& name, const Maker& make) {
  const Type t = p[type];
  if (t.kind == TypeKind::option) {
    const Term some = make(name + " is some", tm.boolean_sort());
    return option(type, some, made_of(t.first, name + "?", make));
  }
  if (t.kind == TypeKind::structure) {
    std::vector<ValPtr> fields;
    for (const ir::FieldDecl& field : std::vector(p.structs[t.declaration].fields)) {
      fields.push_back(made_of(field.type, name + "." + field.name, make));
    }
    return structure(type, std::move(fields));
  }
  if (is_collection(t.kind)) return of_token(type, make(name, token_sort(type)));
  return scalar(type, make(name, sort(type)));
}

ValPtr Meaning::of_event(TypeId type, const std::string& name, Term time) {
  return made_of(type, name, [&](const std::string& part, smt::Sort range) { return apply(part, {time}, range); });
}

ValPtr Meaning::some(TypeId type, const std::string& name) {
  return made_of(type, name, [&](const std::string& part, smt::Sort range) {
    const int number = numbered_[part]++;
    return apply("some " + part + (number == 0 ? "" : "!" + std::to_string(number)), {}, range);
  });
}

ValPtr Meaning::host(RoleId role, Term term) { return scalar(p.types.host(role), term); }

Term Meaning::role_size(RoleId role) {
  return p[role].single ? tm.integer(1) : apply("number of " + p[role].name, {}, tm.integer_sort());
}

Term Meaning::position(RoleId role, Term host) {
  return apply("position of " + p[role].name, {host}, tm.integer_sort());
}

Term Meaning::send_time(ir::MessageId message, RoleId from, RoleId to, Term sender, Term addressee,
                        const std::vector<ValPtr>& args) {
  std::vector<Term> all{sender, addressee};
  for (const ValPtr& arg : args) flatten(arg, all);
  return apply("send time of " + p[message].name + " from " + p[from].name + " to " + p[to].name, all,
               tm.integer_sort());
}

// --- Values ------------------------------------------------------------------------

ValPtr Meaning::scalar(TypeId type, Term term) const {
  auto made = std::make_shared<Val>();
  made->type = type;
  made->term = term;
  return made;
}

ValPtr Meaning::option(TypeId type, Term some, ValPtr payload) const {
  auto made = std::make_shared<Val>();
  made->kind = Val::Kind::option;
  made->type = type;
  made->term = some;
  made->parts = {std::move(payload)};
  return made;
}

ValPtr Meaning::structure(TypeId type, std::vector<ValPtr> fields) const {
  auto made = std::make_shared<Val>();
  made->kind = Val::Kind::structure;
  made->type = type;
  made->parts = std::move(fields);
  return made;
}

ValPtr Meaning::collection(TypeId type, std::function<ValPtr(const ValPtr&)> at, std::function<Term()> token,
                           std::function<Term()> size) const {
  auto made = std::make_shared<Val>();
  made->kind = Val::Kind::collection;
  made->type = type;
  made->at = std::move(at);
  made->token = std::move(token);
  made->size = std::move(size);
  return made;
}

/// What stands where nothing is: the same for all.
ValPtr Meaning::default_value(TypeId type) {
  const Type t = p[type];
  switch (t.kind) {
    case TypeKind::boolean:
      return boolean(tm.boolean(false));
    case TypeKind::enumeration:
      return scalar(type, tm.enumerator(sort(type), 0));
    case TypeKind::sort:
      if (p.sorts[t.declaration].ordered) return scalar(type, tm.integer(0));
      return scalar(type, apply("default value", {}, sort(type)));
    case TypeKind::host:
      return scalar(type, apply("default host", {}, sort(type)));
    case TypeKind::option:
      return option(type, tm.boolean(false), default_value(t.first));
    case TypeKind::structure: {
      std::vector<ValPtr> fields;
      for (const ir::FieldDecl& field : std::vector(p.structs[t.declaration].fields)) {
        fields.push_back(default_value(field.type));
      }
      return structure(type, std::move(fields));
    }
    case TypeKind::set:
    case TypeKind::map:
    case TypeKind::function: {
      const ValPtr nothing = default_value(result_type(type));
      std::function<Term()> size;
      if (t.kind == TypeKind::set) size = [this] { return tm.integer(0); };
      return collection(
          type, [nothing](const ValPtr&) { return nothing; },
          [this, type] { return apply("the empty value", {}, token_sort(type)); }, size);
    }
    default:
      return scalar(type, tm.integer(0));
  }
}

ValPtr Meaning::pick(Term condition, const ValPtr& a, const ValPtr& b) {
  if (condition.is_true() || a == b) return a;
  if (condition.is_false()) return b;
  if (a->kind == Val::Kind::collection) {
    std::function<Term()> size, name;
    if (p[a->type].kind == TypeKind::set) {
      size = [this, condition, a, b] { return tm.ite(condition, this->size(a), this->size(b)); };
    }
    name = [this, condition, a, b] { return tm.ite(condition, token(a), token(b)); };
    return collection(
        a->type, [this, condition, a, b](const ValPtr& key) { return pick(condition, a->at(key), b->at(key)); }, name,
        size);
  }
  auto made = std::make_shared<Val>();
  made->kind = a->kind;
  made->type = a->type;
  if (a->term.valid()) made->term = tm.ite(condition, a->term, b->term);
  for (std::size_t i = 0; i < a->parts.size(); ++i) made->parts.push_back(pick(condition, a->parts[i], b->parts[i]));
  return made;
}

/// Every value of a collection has a token. One without a name gets one, unless it depends on what is bound.
Term Meaning::token(const ValPtr& value) {
  if (value->token) return value->token();
  const Term made = tm.fresh_constant("own value", token_sort(value->type));
  const ValPtr held = of_token(value->type, made);
  const Term holds = quantify(true, {p[value->type].first}, [&](const std::vector<ValPtr>& key) {
    return equal(held->at(key[0]), value->at(key[0]));
  });
  if (!holds.closed()) refuse("a computed collection that depends on what is quantified");
  introduced.push_back(holds);
  return made;
}

Term Meaning::size(const ValPtr& set) {
  if (set->size) return set->size();
  const Term made = tm.fresh_constant("own size", tm.integer_sort());
  const Term all =
      quantify(true, {p[set->type].first}, [&](const std::vector<ValPtr>& key) { return set->at(key[0])->term; });
  if (!all.closed()) refuse("the size of a computed set that depends on what is quantified");
  counted.push_back({made, set});
  return made;
}

Term Meaning::equal(const ValPtr& a, const ValPtr& b) {
  switch (a->kind) {
    case Val::Kind::scalar:
      return tm.eq(a->term, b->term);
    case Val::Kind::option:
      return tm.and_({tm.eq(a->term, b->term), tm.implies(a->term, equal(a->parts[0], b->parts[0]))});
    case Val::Kind::structure: {
      std::vector<Term> all;
      for (std::size_t i = 0; i < a->parts.size(); ++i) all.push_back(equal(a->parts[i], b->parts[i]));
      return tm.and_(all);
    }
    case Val::Kind::collection:
      break;
  }
  return quantify(true, {p[a->type].first},
                  [&](const std::vector<ValPtr>& key) { return equal(a->at(key[0]), b->at(key[0])); });
}

Term Meaning::identical(const ValPtr& a, const ValPtr& b) {
  if (a->kind == Val::Kind::collection) {
    return quantify(true, {p[a->type].first},
                    [&](const std::vector<ValPtr>& key) { return identical(a->at(key[0]), b->at(key[0])); });
  }
  std::vector<Term> all;
  if (a->term.valid()) all.push_back(tm.eq(a->term, b->term));
  for (std::size_t i = 0; i < a->parts.size(); ++i) all.push_back(identical(a->parts[i], b->parts[i]));
  return tm.and_(all);
}

Term Meaning::alike(const ValPtr& a, const ValPtr& b) {
  if (a->kind == Val::Kind::collection) return tm.boolean(true);
  std::vector<Term> all;
  for (std::size_t i = 0; i < a->parts.size(); ++i) all.push_back(alike(a->parts[i], b->parts[i]));
  if (a->kind == Val::Kind::option) all = {tm.implies(a->term, tm.and_(all))};
  if (a->term.valid()) all.push_back(tm.eq(a->term, b->term));
  return tm.and_(all);
}

/// Structs: the first field that differs decides.
Term Meaning::less(const ValPtr& a, const ValPtr& b) {
  if (a->kind != Val::Kind::structure) return tm.lt(a->term, b->term);
  Term result = tm.boolean(false);
  for (std::size_t i = a->parts.size(); i-- > 0;) {
    result = tm.or_({less(a->parts[i], b->parts[i]), tm.and_({equal(a->parts[i], b->parts[i]), result})});
  }
  return result;
}

void Meaning::flatten(const ValPtr& value, std::vector<Term>& out) {
  switch (value->kind) {
    case Val::Kind::scalar:
      out.push_back(value->term);
      return;
    case Val::Kind::option: {
      out.push_back(value->term);
      std::vector<Term> payload, nothing;
      flatten(value->parts[0], payload);
      flatten(default_value(value->parts[0]->type), nothing);
      for (std::size_t i = 0; i < payload.size(); ++i) out.push_back(tm.ite(value->term, payload[i], nothing[i]));
      return;
    }
    case Val::Kind::structure:
      for (const ValPtr& part : value->parts) flatten(part, out);
      return;
    case Val::Kind::collection:
      out.push_back(token(value));
  }
}

ValPtr Meaning::unflatten(TypeId type, const std::vector<Term>& terms, std::size_t& next) {
  return made_of(type, "", [&](const std::string&, smt::Sort range) {
    if (next >= terms.size() || terms[next].sort() != range) refuse("a value with other parts");
    return terms[next++];
  });
}

Term Meaning::typed(const ValPtr& value) {
  if (value->kind == Val::Kind::collection) return tm.boolean(true);
  std::vector<Term> all;
  if (p[value->type].kind == TypeKind::natural) all.push_back(tm.le(tm.integer(0), value->term));
  for (const ValPtr& part : value->parts) all.push_back(typed(part));
  return tm.and_(all);
}

Term Meaning::quantify(bool universal, const std::vector<TypeId>& types,
                       const std::function<Term(const std::vector<ValPtr>&)>& body) {
  std::vector<Term> variables, guards;
  std::vector<ValPtr> values;
  for (const TypeId type : types) {
    values.push_back(made_of(type, "v", [&](const std::string& name, smt::Sort range) {
      variables.push_back(tm.fresh_variable(name, range));
      return variables.back();
    }));
    guards.push_back(typed(values.back()));
  }
  const Term guard = tm.and_(guards);
  const Term inside = body(values);
  return close(universal, variables, universal ? tm.implies(guard, inside) : tm.and_({guard, inside}));
}

Term Meaning::close(bool universal, std::vector<Term> variables, Term matrix) {
  const std::vector<Term> free = smt::free_variables(matrix);
  std::erase_if(variables, [&](Term one) { return std::find(free.begin(), free.end(), one) == free.end(); });
  const auto flag = std::find_if(variables.begin(), variables.end(), [](Term one) { return one.sort().is_boolean(); });
  if (flag == variables.end()) return universal ? tm.forall(variables, matrix) : tm.exists(variables, matrix);
  const Term which = *flag;
  variables.erase(flag);
  std::vector<Term> cases;
  for (const bool value : {false, true}) {
    cases.push_back(close(universal, variables, smt::substitute(tm, matrix, {{which, tm.boolean(value)}})));
  }
  return universal ? tm.and_(cases) : tm.or_(cases);
}

Term Meaning::by_cases(Term formula) {
  if (formula.quantifier_free()) return formula;
  std::vector<Term> args;
  for (const Term arg : formula.args()) args.push_back(by_cases(arg));
  if (!formula.is_quantifier()) return tm.rebuild(formula, args);
  return close(formula.kind() == smt::Kind::forall, {formula.bound().begin(), formula.bound().end()}, args[0]);
}

// --- Expressions -------------------------------------------------------------------

ValPtr Meaning::eval(ExprId id, const Env& env) {
  const Expr node = p[id];
  switch (node.op) {
    case Op::bool_literal:
      return boolean(tm.boolean(node.value != 0));
    case Op::int_literal:
      return scalar(node.type, tm.integer(node.value));
    case Op::enum_literal:
      return scalar(node.type, tm.enumerator(sort(node.type), static_cast<std::size_t>(node.value)));
    case Op::none:
    case Op::empty_map:
      return default_value(node.type);
    case Op::local: {
      const auto found = env.locals.find(ir::LocalId(node.ref));
      if (found == env.locals.end()) refuse("a free name");
      return found->second;
    }
    case Op::self:
      if (!env.self) refuse("self outside of a step");
      return env.self;
    case Op::single_host:
      return scalar(node.type, apply("the only " + p[RoleId(node.ref)].name, {}, sort(node.type)));
    case Op::state_var: {
      const ValPtr owner = eval(node.args[0], env);
      const ir::VarId var(node.ref);
      const ValPtr now = variable(var, owner->term, env.time);
      const auto written = env.written.find(var);
      if (written == env.written.end()) return now;
      return pick(tm.eq(owner->term, env.self->term), written->second, now);
    }
    case Op::host_const:
    case Op::global_const:
      return eval_constant(node, env);
    case Op::not_:
    case Op::and_:
    case Op::or_:
    case Op::implies:
    case Op::iff:
    case Op::ite:
    case Op::eq:
    case Op::ne:
      return eval_logic(node, env);
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::neg:
    case Op::to_int:
      return eval_arithmetic(node, env);
    case Op::some:
      return option(node.type, tm.boolean(true), eval(node.args[0], env));
    case Op::get:
      return eval(node.args[0], env)->parts[0];
    case Op::make_struct: {
      std::vector<ValPtr> fields;
      for (const ExprId arg : node.args) fields.push_back(eval(arg, env));
      return structure(node.type, std::move(fields));
    }
    case Op::field:
      return eval(node.args[0], env)->parts[node.ref];
    case Op::with_field: {
      std::vector<ValPtr> fields = eval(node.args[0], env)->parts;
      fields[node.ref] = eval(node.args[1], env);
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
      return eval_set(node, env);
    case Op::map_get:
    case Op::map_has:
    case Op::map_put:
    case Op::map_remove:
    case Op::map_keys:
    case Op::constant_function:
    case Op::apply:
    case Op::update:
    case Op::function_build:
      return eval_map(node, env);
    case Op::forall:
    case Op::exists: {
      const ExprId domain = node.args.size() > 1 ? node.args[1] : ExprId{};
      return boolean(over_domain(node.op == Op::forall, node, domain, env,
                                 [&](const Env& inner) { return truth(node.args[0], inner); }));
    }
    case Op::sum:
      if (node.args.size() > 1 && node.args[1].valid()) break;
      return eval_sum(node.type, node.args[0], node.binders, 0, env);
    case Op::old: {
      Env before = env;
      before.time = env.old_time;
      before.written.clear();
      return eval(node.args[0], before);
    }
    case Op::sent:
      return boolean(eval_sent(node, env));
    default:
      break;
  }
  refuse("'" + ir::to_source(p, id) + "'");
}

/// The binders of a node range over their types, or the only one over a domain.
Term Meaning::over_domain(bool universal, const Expr& node, ExprId domain, const Env& env,
                          const std::function<Term(const Env&)>& body) {
  std::vector<TypeId> types;
  for (const ir::LocalId binder : node.binders) types.push_back(p[binder].type);
  const ValPtr within = domain.valid() ? eval(domain, env) : nullptr;
  return quantify(universal, types, [&](const std::vector<ValPtr>& values) {
    Env inner = env;
    for (std::size_t i = 0; i < values.size(); ++i) inner.locals[node.binders[i]] = values[i];
    const Term inside = body(inner);
    if (!within) return inside;
    const Term member = within->at(values[0])->term;
    return universal ? tm.implies(member, inside) : tm.and_({member, inside});
  });
}

ValPtr Meaning::eval_logic(const Expr& node, const Env& env) {
  const auto arg = [&](std::size_t i) { return truth(node.args[i], env); };
  switch (node.op) {
    case Op::not_:
      return boolean(tm.not_(arg(0)));
    case Op::and_:
    case Op::or_: {
      std::vector<Term> parts;
      for (std::size_t i = 0; i < node.args.size(); ++i) parts.push_back(arg(i));
      return boolean(node.op == Op::and_ ? tm.and_(parts) : tm.or_(parts));
    }
    case Op::implies:
      return boolean(tm.implies(arg(0), arg(1)));
    case Op::iff:
      return boolean(tm.iff(arg(0), arg(1)));
    case Op::ite:
      return pick(arg(0), eval(node.args[1], env), eval(node.args[2], env));
    default: {
      const Term same = equal(eval(node.args[0], env), eval(node.args[1], env));
      return boolean(node.op == Op::eq ? same : tm.not_(same));
    }
  }
}

ValPtr Meaning::eval_arithmetic(const Expr& node, const Env& env) {
  const ValPtr a = eval(node.args[0], env);
  if (node.op == Op::neg) return scalar(node.type, tm.neg(a->term));
  if (node.op == Op::to_int) return scalar(node.type, a->term);
  const ValPtr b = eval(node.args[1], env);
  switch (node.op) {
    case Op::lt:
      return boolean(less(a, b));
    case Op::gt:
      return boolean(less(b, a));
    case Op::le:
      return boolean(tm.not_(less(b, a)));
    case Op::ge:
      return boolean(tm.not_(less(a, b)));
    case Op::add:
      return scalar(node.type, tm.add({a->term, b->term}));
    case Op::sub:
      // Below zero there is no value; what stands there is a natural number.
      if (p[node.type].kind != TypeKind::natural) return scalar(node.type, tm.sub(a->term, b->term));
      return scalar(node.type, tm.ite(tm.le(b->term, a->term), tm.sub(a->term, b->term), tm.integer(0)));
    default:
      break;
  }
  if (a->term.kind() == smt::Kind::number) return scalar(node.type, tm.mul(a->term.number(), b->term));
  if (b->term.kind() == smt::Kind::number) return scalar(node.type, tm.mul(b->term.number(), a->term));
  refuse("a product of what varies");
}

ValPtr Meaning::eval_set(const Expr& node, const Env& env) {
  switch (node.op) {
    case Op::role_size:
      return scalar(node.type, role_size(RoleId(node.ref)));
    case Op::all_hosts: {
      const RoleId role(p[p[node.type].first].declaration);
      return collection(
          node.type, [this](const ValPtr&) { return boolean(tm.boolean(true)); }, {},
          [this, role] { return role_size(role); });
    }
    case Op::set_literal: {
      if (node.args.empty()) return default_value(node.type);
      std::vector<ValPtr> elements;
      for (const ExprId arg : node.args) elements.push_back(eval(arg, env));
      return collection(node.type, [this, elements](const ValPtr& key) {
        std::vector<Term> any;
        for (const ValPtr& element : elements) any.push_back(equal(key, element));
        return boolean(tm.or_(any));
      });
    }
    case Op::contains: {
      const ValPtr element = eval(node.args[0], env);
      return eval(node.args[1], env)->at(element);
    }
    case Op::cardinality:
      return scalar(node.type, size(eval(node.args[0], env)));
    case Op::majority: {
      const ValPtr set = eval(node.args[0], env);
      const RoleId role(p[p[set->type].first].declaration);
      return boolean(tm.lt(role_size(role), tm.mul(2, size(set))));
    }
    case Op::subset: {
      const ValPtr a = eval(node.args[0], env), b = eval(node.args[1], env);
      return boolean(quantify(true, {p[a->type].first}, [&](const std::vector<ValPtr>& key) {
        return tm.implies(a->at(key[0])->term, b->at(key[0])->term);
      }));
    }
    case Op::set_build: {
      const ValPtr domain = node.args[0].valid() ? eval(node.args[0], env) : nullptr;
      return collection(node.type,
                        [this, env, domain, predicate = node.args[1], binder = node.binders[0]](const ValPtr& key) {
                          Env inner = env;
                          inner.locals[binder] = key;
                          const Term inside = truth(predicate, inner);
                          return boolean(domain ? tm.and_({domain->at(key)->term, inside}) : inside);
                        });
    }
    default:
      break;
  }
  const ValPtr a = eval(node.args[0], env), b = eval(node.args[1], env);
  return collection(node.type, [this, a, b, op = node.op](const ValPtr& key) {
    const Term in_a = a->at(key)->term, in_b = b->at(key)->term;
    if (op == Op::set_union) return boolean(tm.or_({in_a, in_b}));
    return boolean(tm.and_({in_a, op == Op::set_intersection ? in_b : tm.not_(in_b)}));
  });
}

ValPtr Meaning::eval_map(const Expr& node, const Env& env) {
  if (node.op == Op::function_build) {
    return collection(node.type, [this, env, body = node.args[0], binder = node.binders[0]](const ValPtr& key) {
      Env inner = env;
      inner.locals[binder] = key;
      return eval(body, inner);
    });
  }
  const ValPtr first = eval(node.args[0], env);
  switch (node.op) {
    case Op::map_get:
      return first->at(eval(node.args[1], env))->parts[0];
    case Op::map_has:
      return boolean(first->at(eval(node.args[1], env))->term);
    case Op::apply:
      return first->at(eval(node.args[1], env));
    case Op::map_keys:
      return collection(node.type, [this, first](const ValPtr& key) { return boolean(first->at(key)->term); });
    case Op::constant_function:
      return collection(node.type, [first](const ValPtr&) { return first; });
    default:
      break;
  }
  const ValPtr key = eval(node.args[1], env);
  ValPtr value;
  if (node.op == Op::map_remove) {
    value = default_value(result_type(node.type));
  } else {
    value = eval(node.args[2], env);
    if (node.op == Op::map_put) value = option(result_type(node.type), tm.boolean(true), value);
  }
  return collection(node.type,
                    [this, first, key, value](const ValPtr& at) { return pick(equal(at, key), value, first->at(at)); });
}

ValPtr Meaning::eval_constant(const Expr& node, const Env& env) {
  const ir::ConstDecl decl = p[ir::ConstId(node.ref)];
  if (decl.kind == ir::ConstKind::ring_next || decl.kind == ir::ConstKind::ring_between) {
    const RoleId role(p[decl.parameters.front()].declaration);
    std::vector<Term> hosts;
    for (const ExprId arg : node.args) hosts.push_back(eval(arg, env)->term);
    if (decl.kind == ir::ConstKind::ring_next) {
      return scalar(node.type, apply("next " + p[role].name, hosts, role_sort(role)));
    }
    // Steps forward from the first; a host meets itself last.
    const auto distance = [&](Term to) {
      const Term ahead = tm.sub(position(role, to), position(role, hosts[0]));
      return tm.ite(tm.lt(tm.integer(0), ahead), ahead, tm.add({ahead, role_size(role)}));
    };
    return boolean(tm.lt(distance(hosts[1]), distance(hosts[2])));
  }
  const ValPtr owner = decl.role.valid() ? eval(node.args[0], env) : nullptr;
  if (decl.kind == ir::ConstKind::defined) {
    Env inner;
    inner.time = tm.integer(0);
    inner.self = owner;
    return eval(decl.value, inner);
  }
  if (!owner && !node.args.empty()) refuse("constant '" + decl.name + "' with arguments");
  std::vector<Term> args;
  if (owner) args.push_back(owner->term);
  return named(decl.type, (owner ? p[decl.role].name + "." : "") + decl.name, args, {});
}

bool Meaning::mentions(ExprId id, ir::LocalId local) const {
  const Expr& node = p[id];
  if (node.op == Op::local && ir::LocalId(node.ref) == local) return true;
  return std::any_of(node.args.begin(), node.args.end(),
                     [&](ExprId arg) { return arg.valid() && mentions(arg, local); });
}

/// A sum is a function of what is added up, one bound name at a time.
ValPtr Meaning::eval_sum(TypeId type, ExprId body, const std::vector<ir::LocalId>& binders, std::size_t next,
                         const Env& env) {
  const ir::LocalId binder = binders[next];
  const TypeId function = p.types.function(p[binder].type, type);
  const bool innermost = next + 1 == binders.size();
  const Expr summand = p[body];
  ValPtr added;
  if (innermost && summand.op == Op::apply && p[summand.args[1]].op == Op::local &&
      ir::LocalId(p[summand.args[1]].ref) == binder && !mentions(summand.args[0], binder)) {
    added = eval(summand.args[0], env);
  } else {
    added = collection(function, [this, type, body, binders, next, env, innermost, binder](const ValPtr& key) {
      Env inner = env;
      inner.locals[binder] = key;
      return innermost ? eval(body, inner) : eval_sum(type, body, binders, next + 1, inner);
    });
  }
  return scalar(type, apply("sum of " + ir::to_source(p, function), {token(added)}, sort(type)));
}

Term Meaning::eval_sent(const Expr& node, const Env& env) {
  const ir::MessageId message(node.ref);
  const std::vector<ir::FieldDecl> fields = p[message].fields;
  const std::size_t n = fields.size();
  std::vector<ValPtr> given(n + 2);
  for (std::size_t i = 0; i < node.args.size(); ++i) {
    if (node.args[i].valid()) given[i] = eval(node.args[i], env);
  }
  std::vector<Term> cases;
  for (const RoleId from : senders(message)) {
    if (given[n] && p[given[n]->type].declaration != from.value) continue;
    for (const RoleId to : addressees(message)) {
      if (given[n + 1] && p[given[n + 1]->type].declaration != to.value) continue;
      std::vector<TypeId> open;
      for (std::size_t i = 0; i < n + 2; ++i) {
        if (given[i]) continue;
        open.push_back(i < n ? fields[i].type : p.types.host(i == n ? from : to));
      }
      cases.push_back(quantify(false, open, [&](const std::vector<ValPtr>& values) {
        std::vector<ValPtr> all = given;
        std::size_t next = 0;
        for (ValPtr& each : all) {
          if (!each) each = values[next++];
        }
        const std::vector<ValPtr> args(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
        return between(tm.integer(0), send_time(message, from, to, all[n]->term, all[n + 1]->term, args), env.time);
      }));
    }
  }
  return tm.or_(cases);
}

Term Meaning::defined(ExprId id, const Env& env) {
  if (!id.valid()) return tm.boolean(true);
  const Expr node = p[id];
  const auto arg = [&](std::size_t i) { return defined(node.args[i], env); };
  std::vector<Term> all;
  switch (node.op) {
    case Op::and_:
    case Op::or_: {
      // Each part is read only if those before it leave the truth open.
      std::vector<Term> before;
      for (std::size_t i = 0; i < node.args.size(); ++i) {
        all.push_back(tm.implies(tm.and_(before), arg(i)));
        const Term part = truth(node.args[i], env);
        before.push_back(node.op == Op::and_ ? part : tm.not_(part));
      }
      return tm.and_(all);
    }
    case Op::implies:
      return tm.and_({arg(0), tm.implies(truth(node.args[0], env), arg(1))});
    case Op::ite: {
      const Term condition = truth(node.args[0], env);
      return tm.and_({arg(0), tm.implies(condition, arg(1)), tm.implies(tm.not_(condition), arg(2))});
    }
    case Op::forall:
    case Op::exists:
    case Op::sum:
    case Op::function_build: {
      const ExprId domain = node.args.size() > 1 ? node.args[1] : ExprId{};
      return tm.and_({defined(domain, env), over_domain(true, node, domain, env, [&](const Env& inner) {
                        return defined(node.args[0], inner);
                      })});
    }
    case Op::set_build:
      return tm.and_({defined(node.args[0], env), over_domain(true, node, node.args[0], env, [&](const Env& inner) {
                        return defined(node.args[1], inner);
                      })});
    case Op::old: {
      Env before = env;
      before.time = env.old_time;
      before.written.clear();
      return defined(node.args[0], before);
    }
    default:
      break;
  }
  for (std::size_t i = 0; i < node.args.size(); ++i) all.push_back(arg(i));
  if (node.op == Op::get) all.push_back(eval(node.args[0], env)->term);
  if (node.op == Op::map_get) all.push_back(eval(node.args[0], env)->at(eval(node.args[1], env))->term);
  if (node.op == Op::sub && p[node.type].kind == TypeKind::natural) {
    all.push_back(tm.le(truth(node.args[1], env), truth(node.args[0], env)));
  }
  if (node.op == Op::div || node.op == Op::mod) refuse("'" + ir::to_source(p, id) + "'");
  if (node.op == Op::host_const || node.op == Op::global_const) {
    const ir::ConstDecl decl = p[ir::ConstId(node.ref)];
    if (decl.kind == ir::ConstKind::defined) {
      Env inner;
      inner.time = tm.integer(0);
      if (decl.role.valid()) inner.self = eval(node.args[0], env);
      all.push_back(defined(decl.value, inner));
    }
  }
  return tm.and_(all);
}

}  // namespace tenet::recheck
