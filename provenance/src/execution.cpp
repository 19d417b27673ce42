/// Naming things: cells, messages, events, and the values they have.
#include "execution.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "tenet/ir/printer.h"

namespace tenet::provenance {

using ir::ConstId;
using ir::MessageId;
using ir::RoleId;
using ir::StepId;
using ir::Type;
using ir::TypeId;
using ir::TypeKind;
using ir::VarId;
using smt::Sort;
using smt::Term;

std::string name_of(Principle principle) {
  switch (principle) {
    case Principle::start:
      return "start";
    case Principle::step:
      return "step";
    case Principle::last_change:
      return "last change";
    case Principle::first_send:
      return "first send";
    case Principle::counting:
      return "counting";
    case Principle::type:
      return "type";
    case Principle::extension:
      return "extension";
    case Principle::derived:
      return "derived fact";
    case Principle::hypothesis:
      return "hypothesis";
    case Principle::goal:
      return "goal";
  }
  return {};
}

Execution::Execution(ir::Protocol& protocol, Logic& logic) : protocol_(&protocol), logic_(&logic) {
  smt::TermManager& tm = logic.terms;
  zero_ = tm.integer(0);
  before_last_ = tm.constant("before last", tm.integer_sort());
  last_ = logic.next(before_last_);
  add(tm.le(zero_, last_), Principle::type, "time starts at 0");
  for (std::size_t v = 0; v < protocol.variables.size(); ++v) {
    const ir::VarDecl& var = protocol.variables[v];
    lay_out(VarId(v), var.type, protocol[var.role].name + "." + var.name, {}, {});
  }
  for (std::size_t s = 0; s < protocol.steps.size(); ++s) {
    changes_.push_back(ir::changed_by(protocol, StepId(s)));
    sent_.push_back(ir::sent_by(protocol, StepId(s)));
  }
  for (std::size_t r = 0; r < protocol.roles.size(); ++r) {
    if (!protocol.roles[r].single) continue;
    singles_[RoleId(r)] = tm.constant("the only " + protocol.roles[r].name, logic.role_sort(RoleId(r)));
  }
  event(before_last_);
  Scope at_start;
  at_start.time = zero_;
  for (const ir::Formula& axiom : protocol.axioms) add(holds(axiom.formula, at_start), Principle::start, "axiom");
  for (const ir::Formula& init : protocol.inits) add(holds(init.formula, at_start), Principle::start, "init");
}

void Execution::add(Term term, Principle principle, std::string about) {
  if (term.is_true()) return;
  // What a type implies holds of a thing whether or not it matters.
  if (principle != Principle::type) speak(term);
  facts.push_back({term, principle, std::move(about), {}, {}});
}

void Execution::speak(Term term) {
  if (!spoken_.insert(term.id()).second) return;
  if (term.kind() == smt::Kind::application && !term.args().empty()) spoken_applications_.push_back(term);
  for (Term arg : term.args()) speak(arg);
}

bool Execution::spoken(const SymPtr& value) {
  std::vector<Term> terms;
  flatten(value, terms);
  return std::any_of(terms.begin(), terms.end(), [this](Term term) { return term.args().empty() || spoken(term); });
}

bool Execution::settled(Term formula) const {
  if (spoken(formula)) return true;
  const smt::Kind kind = formula.kind();
  if (kind == smt::Kind::number || kind == smt::Kind::boolean || kind == smt::Kind::enumerator) return true;
  if (kind == smt::Kind::application) return false;
  return std::all_of(formula.args().begin(), formula.args().end(), [this](Term arg) { return settled(arg); });
}

/// Some scalar of the value is spoken of.
bool Execution::mentions(const SymPtr& value) const {
  if (value->kind == Sym::Kind::collection) return false;
  if (value->term.valid() && spoken(value->term)) return true;
  return std::any_of(value->parts.begin(), value->parts.end(), [this](const SymPtr& part) { return mentions(part); });
}

bool Execution::spoken(Read& read) {
  read.spoken = read.spoken || mentions(read.value);
  return read.spoken;
}

void Execution::refuse(const std::string& construct) {
  if (unsupported_.empty()) unsupported_ = construct;
}

Term Execution::fresh(const std::string& name, Sort sort) { return logic_->terms.fresh_constant("some " + name, sort); }

// --- Layout of variables -----------------------------------------------------

namespace {
bool is_collection(TypeKind kind) {
  return kind == TypeKind::set || kind == TypeKind::map || kind == TypeKind::function;
}
}  // namespace

/// One layer per collection on the way down, and one for the root. Scalars of
/// a layer that are not below a further collection belong to it.
void Execution::lay_out(VarId var, TypeId type, const std::string& name, const std::vector<Selector>& path,
                        const std::vector<TypeId>& keys) {
  layouts_[var].push_back({name, path, keys, type});
  const std::function<void(TypeId, const std::string&, std::vector<Selector>)> walk =
      [&](TypeId at, const std::string& here, std::vector<Selector> way) {
        const Type t = (*protocol_)[at];
        if (t.kind == TypeKind::option) {
          way.push_back({Selector::Kind::payload, 0});
          walk(t.first, here + "?", way);
        } else if (t.kind == TypeKind::structure) {
          const auto& fields = protocol_->structs[t.declaration].fields;
          for (std::size_t f = 0; f < fields.size(); ++f) {
            auto next = way;
            next.push_back({Selector::Kind::field, f});
            walk(fields[f].type, here + "." + fields[f].name, next);
          }
        } else if (is_collection(t.kind)) {
          auto below = keys;
          below.push_back(t.first);
          way.push_back({Selector::Kind::key, 0});
          lay_out(var, result_type(t), here + "[]", way, below);
        } else if (t.kind == TypeKind::sequence) {
          refuse("sequence");
        }
      };
  walk(type, name, path);
}

/// What applying a collection gives.
TypeId Execution::result_type(const Type& collection) {
  if (collection.kind == TypeKind::set) return protocol_->types.boolean();
  if (collection.kind == TypeKind::map) return protocol_->types.option(collection.second);
  return collection.second;
}

std::size_t Execution::layer_named(VarId var, const std::string& name) const {
  const auto& layers = layouts_.at(var);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].name == name) return i;
  }
  assert(false && "every collection has a layer");
  return 0;
}

std::string Execution::describe(const Cell& cell) const { return layouts_.at(cell.var)[cell.layer].name; }

// --- Making values -----------------------------------------------------------

SymPtr Execution::scalar(TypeId type, Term term) {
  auto sym = std::make_shared<Sym>();
  sym->kind = Sym::Kind::scalar;
  sym->type = type;
  sym->term = term;
  return sym;
}

SymPtr Execution::boolean(Term term) { return scalar(protocol_->types.boolean(), term); }

SymPtr Execution::option(TypeId type, Term is_some, SymPtr payload) {
  auto sym = std::make_shared<Sym>();
  sym->kind = Sym::Kind::option;
  sym->type = type;
  sym->term = is_some;
  sym->parts = {std::move(payload)};
  return sym;
}

SymPtr Execution::structure(TypeId type, std::vector<SymPtr> fields) {
  auto sym = std::make_shared<Sym>();
  sym->kind = Sym::Kind::structure;
  sym->type = type;
  sym->parts = std::move(fields);
  return sym;
}

SymPtr Execution::collection(TypeId type, Collection::Shape shape, std::function<SymPtr(const SymPtr&)> apply,
                             std::function<Term()> cardinality, std::function<Term()> name) {
  auto made = std::make_shared<Collection>();
  made->shape = shape;
  made->apply = std::move(apply);
  made->cardinality = std::move(cardinality);
  made->name = std::move(name);
  auto sym = std::make_shared<Sym>();
  sym->kind = Sym::Kind::collection;
  sym->type = type;
  sym->collection = made;
  return sym;
}

Sort Execution::token_sort(TypeId type) {
  const Sort sort = logic_->terms.uninterpreted("values of " + ir::to_source(*protocol_, type));
  token_sorts_.insert(sort.id());
  return sort;
}

/// The collection that a token stands for.
SymPtr Execution::of_token(TypeId type, Term token) {
  auto sym = std::make_shared<Sym>(*constant_value(type, "in " + ir::to_source(*protocol_, type), {token}));
  sym->term = token;
  sym->collection->token = token;
  return sym;
}

/// A token that stands for a collection. There is one for each value that a
/// collection ever has, so this says nothing new.
Term Execution::token_of(const SymPtr& value) {
  if (value->term.valid()) return value->term;
  const Collection& it = *value->collection;
  if (it.token.valid()) return it.token;
  it.token = it.name ? it.name() : fresh("value", token_sort(value->type));
  if (!tokens_.insert(it.token.id()).second) return it.token;
  Comparison definition;
  definition.atom = logic_->terms.boolean(true);
  definition.about = it.token;
  definition.left = of_token(value->type, it.token);
  definition.right = value;
  definition.key = (*protocol_)[value->type].first;
  definition.generation = generation;
  comparisons.push_back(std::move(definition));
  return it.token;
}

SymPtr Execution::host(RoleId role, Term term) {
  const TypeId type = protocol_->types.host(role);
  name_scalar(type, term);
  return scalar(type, term);
}

void Execution::name_tuple(const SymPtr& value) {
  if (probing_) return;
  std::vector<Term> terms;
  flatten(value, terms);
  std::vector<std::uint32_t> key;
  for (Term term : terms) key.push_back(term.id());
  if (named_seen_[value->type].insert(key).second) named_[value->type].push_back({value, generation});
}

/// Registers a scalar as a thing to instantiate with, and says what its type implies.
void Execution::name_scalar(TypeId type, Term term) {
  if (probing_) return;
  if (typed_.insert(term.id()).second) {
    const Type& t = (*protocol_)[type];
    if (t.kind == TypeKind::natural) add(logic_->terms.le(zero_, term), Principle::type, "a natural number");
    if (t.kind == TypeKind::host) {
      const auto single = singles_.find(RoleId(t.declaration));
      if (single != singles_.end()) add(logic_->terms.eq(term, single->second), Principle::type, "the only host");
    }
  }
  name_tuple(scalar(type, term));
}

const std::vector<Execution::Named>& Execution::named(TypeId type) const {
  static const std::vector<Named> kNothing;
  const auto found = named_.find(type);
  return found == named_.end() ? kNothing : found->second;
}

/// Builds a value of `type` from solver functions `name…` of (host, keys, time).
SymPtr Execution::build(const Cell& cell, TypeId type, const std::string& name) {
  const Type t = (*protocol_)[type];
  smt::TermManager& tm = logic_->terms;
  const auto apply = [&tm, cell](const std::string& function, Sort range) {
    std::vector<Sort> domain{cell.host.sort()};
    std::vector<Term> args{cell.host};
    for (Term key : cell.keys) {
      domain.push_back(key.sort());
      args.push_back(key);
    }
    domain.push_back(tm.integer_sort());
    args.push_back(cell.time);
    return tm.apply(tm.function(function, domain, range), args);
  };
  switch (t.kind) {
    case TypeKind::option:
      return option(type, apply(name + " is some", tm.boolean_sort()), build(cell, t.first, name + "?"));
    case TypeKind::structure: {
      std::vector<SymPtr> fields;
      for (const ir::FieldDecl& field : protocol_->structs[t.declaration].fields) {
        fields.push_back(build(cell, field.type, name + "." + field.name));
      }
      SymPtr value = structure(type, std::move(fields));
      return value;
    }
    case TypeKind::set:
    case TypeKind::map:
    case TypeKind::function: {
      Cell below = cell;
      below.layer = layer_named(cell.var, name + "[]");
      const std::string inner = name + "[]";
      auto at_key = [this, below, t, inner](const SymPtr& key) -> SymPtr {
        Cell here = below;
        flatten(key, here.keys);
        name_tuple(key);
        // Collections further down are rebuilt from the cell; scalars are those of the read.
        return value_of(here);
      };
      std::function<Term()> cardinality;
      if (t.kind == TypeKind::set) {
        cardinality = [this, below, type, name, cell]() {
          smt::TermManager& terms = logic_->terms;
          std::vector<Sort> domain{cell.host.sort()};
          std::vector<Term> args{cell.host};
          for (Term key : cell.keys) {
            domain.push_back(key.sort());
            args.push_back(key);
          }
          domain.push_back(terms.integer_sort());
          args.push_back(cell.time);
          Term size = terms.apply(terms.function("size of " + name, domain, terms.integer_sort()), args);
          Cell whole = cell;
          whole.layer = below.layer;
          return count(build(cell, type, name), size, whole);
        };
      }
      return collection(type, Collection::Shape::variable, at_key, cardinality,
                        [apply, name, sort = token_sort(type)] { return apply("value of " + name, sort); });
    }
    case TypeKind::sequence:
      refuse("sequence");
      [[fallthrough]];
    default: {
      Term term = apply(name, logic_->sort(type));
      name_scalar(type, term);
      return scalar(type, term);
    }
  }
}

std::vector<std::uint32_t> Execution::key_of(const Cell& cell) const {
  std::vector<std::uint32_t> key{cell.var.value, static_cast<std::uint32_t>(cell.layer), cell.host.id()};
  for (Term k : cell.keys) key.push_back(k.id());
  key.push_back(cell.time.id());
  return key;
}

SymPtr Execution::value_of(const Cell& cell) {
  if (!probing_) return reads[touch(cell)].value;
  const auto found = read_index_.find(key_of(cell));
  if (found != read_index_.end()) return reads[found->second].value;
  const Cell& taken = probing_->first;
  if (taken.var == cell.var && taken.layer == cell.layer && taken.keys == cell.keys) return probing_->second;
  return build(cell, layouts_.at(cell.var)[cell.layer].type, layouts_.at(cell.var)[cell.layer].name);
}

std::size_t Execution::touch(const Cell& cell) {
  const std::vector<std::uint32_t> key = key_of(cell);
  const auto found = read_index_.find(key);
  if (found != read_index_.end()) return found->second;
  const std::size_t index = reads.size();
  read_index_[key] = index;
  const Layer& layer = layouts_.at(cell.var)[cell.layer];
  reads.push_back({});
  reads[index].cell = cell;
  reads[index].generation = generation;
  const auto after = after_index_.find(cell.time.id());
  if (after != after_index_.end()) reads[index].after = after->second;

  const SymPtr value = build(cell, layer.type, layer.name);
  reads[index].value = value;
  return index;
}

SymPtr Execution::read_variable(VarId var, Term host, Term time) {
  Cell cell{var, 0, host, {}, time};
  const TypeKind kind = (*protocol_)[(*protocol_)[var].type].kind;
  if (is_collection(kind)) return build(cell, (*protocol_)[var].type, layouts_.at(var)[0].name);
  return value_of(cell);
}

/// The part of a whole variable's value that a cell speaks of.
SymPtr Execution::descend(const SymPtr& variable, const Cell& cell) {
  const Layer& layer = layouts_.at(cell.var)[cell.layer];
  SymPtr at = variable;
  std::size_t used = 0, key = 0;
  for (const Selector& selector : layer.path) {
    if (selector.kind == Selector::Kind::key) {
      const SymPtr argument = unflatten(layer.keys[key++], cell.keys, used);
      at = at->collection->apply(argument);
    } else {
      at = at->parts[selector.kind == Selector::Kind::payload ? 0 : selector.index];
    }
  }
  return at;
}

/// A value made of terms that `make` names; a collection is a token.
SymPtr Execution::made_of(TypeId type, const std::string& name, const Maker& make) {
  const Type t = (*protocol_)[type];
  switch (t.kind) {
    case TypeKind::option:
      return option(type, make(name + " is some", logic_->terms.boolean_sort()), made_of(t.first, name + "?", make));
    case TypeKind::structure: {
      std::vector<SymPtr> fields;
      for (const auto& field : protocol_->structs[t.declaration].fields) {
        fields.push_back(made_of(field.type, name + "." + field.name, make));
      }
      SymPtr value = structure(type, std::move(fields));
      name_tuple(value);
      return value;
    }
    case TypeKind::set:
    case TypeKind::map:
    case TypeKind::function: {
      SymPtr value = of_token(type, make(name, token_sort(type)));
      name_tuple(value);
      return value;
    }
    case TypeKind::sequence:
      refuse("sequence");
      return default_value(type);
    default: {
      const Term term = make(name, logic_->sort(type));
      name_scalar(type, term);
      return scalar(type, term);
    }
  }
}

SymPtr Execution::arbitrary(TypeId type, const std::string& name, std::vector<Term>* made) {
  return made_of(type, name, [this, made](const std::string& part, Sort sort) {
    const Term constant = fresh(part, sort);
    if (made != nullptr) made->push_back(constant);
    return constant;
  });
}

SymPtr Execution::of_variables(TypeId type, std::vector<Term>& variables) {
  return made_of(type, "x", [this, &variables](const std::string& part, Sort sort) {
    variables.push_back(logic_->terms.fresh_variable(part, sort));
    return variables.back();
  });
}

/// A value of an event: a function of its time.
SymPtr Execution::argument(TypeId type, const std::string& name, Term time) {
  return made_of(type, name, [this, time](const std::string& part, Sort sort) {
    smt::TermManager& tm = logic_->terms;
    return tm.apply(tm.function(part, {tm.integer_sort()}, sort), {time});
  });
}

/// The value that stands where none is: any will do, but always the same.
SymPtr Execution::default_value(TypeId type) {
  const Type t = (*protocol_)[type];
  smt::TermManager& tm = logic_->terms;
  const auto token = [this, type] { return logic_->terms.constant("the empty value", token_sort(type)); };
  switch (t.kind) {
    case TypeKind::boolean:
      return scalar(type, tm.boolean(false));
    case TypeKind::enumeration:
      return scalar(type, tm.enumerator(logic_->sort(type), 0));
    case TypeKind::real:
      return scalar(type, tm.real(0));
    case TypeKind::sort:
      if (!protocol_->sorts[t.declaration].ordered)
        return scalar(type, tm.constant("default value", logic_->sort(type)));
      return scalar(type, zero_);
    case TypeKind::host:
      return scalar(type, tm.constant("default host", logic_->sort(type)));
    case TypeKind::option:
      return option(type, tm.boolean(false), default_value(t.first));
    case TypeKind::structure: {
      std::vector<SymPtr> fields;
      for (const auto& field : protocol_->structs[t.declaration].fields) fields.push_back(default_value(field.type));
      return structure(type, std::move(fields));
    }
    case TypeKind::set:
      return collection(
          type, Collection::Shape::empty, [this](const SymPtr&) { return boolean(logic_->terms.boolean(false)); },
          [this] { return zero_; }, token);
    case TypeKind::map: {
      SymPtr nothing = default_value(result_type(t));
      return collection(type, Collection::Shape::empty, [nothing](const SymPtr&) { return nothing; }, {}, token);
    }
    case TypeKind::function: {
      SymPtr result = default_value(t.second);
      return collection(type, Collection::Shape::other, [result](const SymPtr&) { return result; }, {}, token);
    }
    default:
      return scalar(type, zero_);
  }
}

SymPtr Execution::pick(Term condition, const SymPtr& a, const SymPtr& b) {
  if (condition.is_true() || a == b) return a;
  if (condition.is_false()) return b;
  smt::TermManager& tm = logic_->terms;
  switch (a->kind) {
    case Sym::Kind::scalar:
      return scalar(a->type, tm.ite(condition, a->term, b->term));
    case Sym::Kind::option:
      return option(a->type, tm.ite(condition, a->term, b->term), pick(condition, a->parts[0], b->parts[0]));
    case Sym::Kind::structure: {
      std::vector<SymPtr> fields;
      for (std::size_t i = 0; i < a->parts.size(); ++i) fields.push_back(pick(condition, a->parts[i], b->parts[i]));
      return structure(a->type, std::move(fields));
    }
    case Sym::Kind::collection: {
      std::function<Term()> cardinality;
      if ((*protocol_)[a->type].kind == TypeKind::set) {
        cardinality = [this, condition, a, b] { return logic_->terms.ite(condition, size_of(a), size_of(b)); };
      }
      return collection(
          a->type, Collection::Shape::other,
          [this, condition, a, b](const SymPtr& key) {
            return pick(condition, a->collection->apply(key), b->collection->apply(key));
          },
          cardinality, [this, condition, a, b] { return logic_->terms.ite(condition, token_of(a), token_of(b)); });
    }
  }
  return a;
}

void Execution::flatten(const SymPtr& value, std::vector<Term>& out) {
  switch (value->kind) {
    case Sym::Kind::scalar:
      out.push_back(value->term);
      break;
    case Sym::Kind::option: {
      out.push_back(value->term);
      std::vector<Term> payload, nothing;
      flatten(value->parts[0], payload);
      flatten(default_value(value->parts[0]->type), nothing);
      for (std::size_t i = 0; i < payload.size(); ++i) {
        out.push_back(logic_->terms.ite(value->term, payload[i], nothing[i]));
      }
      break;
    }
    case Sym::Kind::structure:
      for (const SymPtr& part : value->parts) flatten(part, out);
      break;
    case Sym::Kind::collection:
      out.push_back(token_of(value));
      break;
  }
}

SymPtr Execution::unflatten(TypeId type, const std::vector<Term>& terms, std::size_t& at) {
  const Type t = (*protocol_)[type];
  if (t.kind == TypeKind::option) {
    Term is_some = terms[at++];
    return option(type, is_some, unflatten(t.first, terms, at));
  }
  if (t.kind == TypeKind::structure) {
    std::vector<SymPtr> fields;
    for (const auto& field : protocol_->structs[t.declaration].fields) {
      fields.push_back(unflatten(field.type, terms, at));
    }
    return structure(type, std::move(fields));
  }
  return is_collection(t.kind) ? of_token(type, terms[at++]) : scalar(type, terms[at++]);
}

Term Execution::same_scalars(const SymPtr& a, const SymPtr& b) {
  smt::TermManager& tm = logic_->terms;
  switch (a->kind) {
    case Sym::Kind::scalar:
      return tm.eq(a->term, b->term);
    case Sym::Kind::option:
      return tm.and_({tm.eq(a->term, b->term), tm.implies(a->term, same_scalars(a->parts[0], b->parts[0]))});
    case Sym::Kind::structure: {
      std::vector<Term> all;
      for (std::size_t i = 0; i < a->parts.size(); ++i) all.push_back(same_scalars(a->parts[i], b->parts[i]));
      return tm.and_(all);
    }
    case Sym::Kind::collection:
      return tm.boolean(true);
  }
  return tm.boolean(true);
}

Term Execution::equal(const SymPtr& a, const SymPtr& b) {
  smt::TermManager& tm = logic_->terms;
  switch (a->kind) {
    case Sym::Kind::scalar:
      return tm.eq(a->term, b->term);
    case Sym::Kind::option:
      if (b->term.is_false()) return tm.not_(a->term);
      if (a->term.is_false()) return tm.not_(b->term);
      return tm.and_({tm.eq(a->term, b->term), tm.implies(a->term, equal(a->parts[0], b->parts[0]))});
    case Sym::Kind::structure: {
      std::vector<Term> all;
      for (std::size_t i = 0; i < a->parts.size(); ++i) all.push_back(equal(a->parts[i], b->parts[i]));
      return tm.and_(all);
    }
    case Sym::Kind::collection:
      return compare_collections(a, b, false);
  }
  return tm.boolean(true);
}

Term Execution::compare_collections(const SymPtr& a, const SymPtr& b, bool subset) {
  const auto is_token = [](const SymPtr& value) { return value->term.valid() || value->collection->token.valid(); };
  const auto has_token = [&](const SymPtr& value) { return is_token(value) || value->collection->name; };
  // Tokens are equal exactly if what they stand for is.
  const bool by_token = !subset && (is_token(a) || is_token(b)) && has_token(a) && has_token(b);
  Term atom = by_token ? logic_->terms.eq(token_of(a), token_of(b))
                       : fresh(subset ? "subset" : "same", logic_->terms.boolean_sort());
  if (atom.is_true()) return atom;
  if (by_token && !compared_.insert(std::minmax(token_of(a).id(), token_of(b).id())).second) return atom;
  Comparison comparison;
  comparison.atom = atom;
  comparison.about = atom;
  comparison.late = by_token;
  comparison.subset = subset;
  comparison.left = a;
  comparison.right = b;
  comparison.key = (*protocol_)[a->type].first;
  comparison.generation = generation;
  comparisons.push_back(comparison);
  return atom;
}

}  // namespace tenet::provenance
