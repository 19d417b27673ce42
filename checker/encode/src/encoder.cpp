#include "tenet/encode/encoder.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "tenet/ir/numbers.h"
#include "tenet/ir/printer.h"

namespace tenet::encode {

using ir::Type;
using ir::TypeId;
using ir::TypeKind;

namespace {

/// The most values of a type that an instance may have to be written out.
constexpr std::size_t kDomainLimit = 4096;
/// Enumerations with at most so many members are written out where they are quantified.
constexpr std::size_t kEnumWrittenOut = 16;
/// A collection with at most so many keys can be a key itself, or a part of a message.
constexpr std::size_t kLargestPart = 16;

/// Message kinds by who sends them to whom.
class Traffic {
 public:
  explicit Traffic(const ir::Protocol& protocol) : p_(protocol) {
    senders.resize(p_.messages.size());
    addressees.resize(p_.messages.size());
  }
  void look() {
    for (const ir::Step& step : p_.steps) {
      role_ = step.role;
      block(step.body);
    }
  }
  std::vector<std::vector<ir::RoleId>> senders, addressees;

 private:
  void block(const std::vector<ir::StmtId>& stmts) {
    for (const ir::StmtId id : stmts) {
      const ir::Stmt& stmt = p_[id];
      block(stmt.then_branch);
      block(stmt.else_branch);
      if (stmt.kind != ir::StmtKind::send) continue;
      const Type& target = p_[p_[stmt.target].type];
      const TypeId host = target.kind == TypeKind::set ? target.first : p_[stmt.target].type;
      note(senders[stmt.message.index()], role_);
      note(addressees[stmt.message.index()], ir::RoleId(p_[host].declaration));
    }
  }
  static void note(std::vector<ir::RoleId>& roles, ir::RoleId role) {
    if (std::find(roles.begin(), roles.end(), role) == roles.end()) roles.push_back(role);
    std::sort(roles.begin(), roles.end());
  }
  const ir::Protocol& p_;
  ir::RoleId role_;
};

}  // namespace

Encoder::Encoder(ir::Protocol& protocol, const ir::Instance* instance, Numbers numbers)
    : p_(protocol), instance_(instance), numbers_(numbers) {
  Traffic traffic(p_);
  traffic.look();
  senders_ = std::move(traffic.senders);
  addressees_ = std::move(traffic.addressees);
  // Any numbers are integers to the solver: what is read from its models are numbers.
  arithmetic_ = (ground() && !bounded()) || std::any_of(p_.exprs.begin(), p_.exprs.end(), [](const ir::Expr& e) {
                  switch (e.op) {
                    case ir::Op::int_literal:
                    case ir::Op::role_size:
                    case ir::Op::cardinality:
                    case ir::Op::add:
                    case ir::Op::sub:
                    case ir::Op::mul:
                    case ir::Op::div:
                    case ir::Op::mod:
                    case ir::Op::neg:
                    case ir::Op::sum:
                    case ir::Op::to_int:
                      return true;
                    default:
                      return false;
                  }
                });
}

bool Encoder::enumerable(TypeId type) const { return ground() && (bounded() || !ir::has_numbers(p_, type)); }

void Encoder::refuse(const std::string& what) {
  if (refused_.empty()) refused_ = what;
}

// --- Values --------------------------------------------------------------------

smt::Sort Encoder::sort(TypeId type) {
  const Type t = p_[type];
  const auto elements = [&](const std::string& name, std::int64_t count) {
    std::vector<std::string> members;
    for (std::int64_t i = 1; i <= count; ++i) members.push_back(name + "#" + std::to_string(i));
    return terms.enumeration(name, members);
  };
  switch (t.kind) {
    case TypeKind::boolean:
      return terms.boolean_sort();
    case TypeKind::enumeration: {
      const ir::EnumDecl& decl = p_.enums[t.declaration];
      return terms.enumeration(decl.name, decl.members);
    }
    case TypeKind::host: {
      const ir::RoleDecl& role = p_[ir::RoleId(t.declaration)];
      if (role.single) return terms.enumeration(role.name, {role.name});
      if (ground()) return elements(role.name, instance_->hosts(ir::RoleId(t.declaration)));
      return terms.uninterpreted(role.name);
    }
    case TypeKind::sort: {
      const ir::SortDecl& decl = p_.sorts[t.declaration];
      if (ground()) return elements(decl.name, instance_->sort_size(ir::SortId(t.declaration)));
      const smt::Sort made = terms.uninterpreted(decl.name);
      if (decl.ordered) add_order(made);
      return made;
    }
    case TypeKind::real:
      refuse("real numbers");
      return terms.integer_sort();
    case TypeKind::natural:
    case TypeKind::integer:
      // Numbers that are only compared are as good as any total order; the solvers are better at those.
      if (only_ordered(t.kind) && ground()) {
        const ir::Range range = instance_->all_numbers(t.kind);
        return elements(t.kind == TypeKind::natural ? "nat" : "int", range.high - range.low + 1);
      }
      if (only_ordered(t.kind)) {
        const smt::Sort made = terms.uninterpreted(t.kind == TypeKind::natural ? "ordered nat" : "ordered int");
        add_order(made);
        return made;
      }
      return terms.integer_sort();
    default:
      return terms.integer_sort();
  }
}

void Encoder::add_order(smt::Sort sort) {
  if (std::find(orders_.begin(), orders_.end(), sort) != orders_.end()) return;
  orders_.push_back(sort);
  const smt::Function le = terms.function("<= of " + sort.name(), {sort, sort}, terms.boolean_sort());
  const Term a = terms.variable("a", sort), b = terms.variable("b", sort), c = terms.variable("c", sort);
  const auto leq = [&](Term x, Term y) { return terms.apply(le, {x, y}); };
  background.push_back(terms.forall({a}, leq(a, a)));
  background.push_back(terms.forall({a, b, c}, terms.implies(terms.and_({leq(a, b), leq(b, c)}), leq(a, c))));
  background.push_back(terms.forall({a, b}, terms.implies(terms.and_({leq(a, b), leq(b, a)}), terms.eq(a, b))));
  background.push_back(terms.forall({a, b}, terms.or_({leq(a, b), leq(b, a)})));
}

Term Encoder::less(const SymPtr& a, const SymPtr& b) {
  if (p_[a->type].kind != TypeKind::structure) return less(a->type, a->term, b->term);
  Term result = terms.boolean(false);
  for (std::size_t i = a->parts.size(); i-- > 0;) {
    const Term later = terms.and_({equal(a->parts[i], b->parts[i]), result});
    result = terms.or_({less(a->parts[i], b->parts[i]), later});
  }
  return result;
}

/// a < b of numbers or of an ordered type.
Term Encoder::less(TypeId type, Term a, Term b) {
  const TypeKind kind = p_[type].kind;
  if ((kind == TypeKind::integer || kind == TypeKind::natural) && !only_ordered(kind)) return terms.lt(a, b);
  if (kind != TypeKind::sort && !only_ordered(kind)) {
    refuse("an order of a type that has none");
    return terms.boolean(false);
  }
  const smt::Sort s = sort(type);
  if (!ground()) {
    const smt::Function le = terms.function("<= of " + s.name(), {s, s}, terms.boolean_sort());
    return terms.not_(terms.apply(le, {b, a}));
  }
  std::vector<Term> cases;
  for (std::size_t i = 0; i < s.members().size(); ++i) {
    for (std::size_t j = i + 1; j < s.members().size(); ++j) {
      cases.push_back(terms.and_({terms.eq(a, terms.enumerator(s, i)), terms.eq(b, terms.enumerator(s, j))}));
    }
  }
  return terms.or_(cases);
}

SymPtr Encoder::scalar(TypeId type, Term term) const {
  auto made = std::make_shared<Sym>();
  made->type = type;
  made->term = term;
  return made;
}

SymPtr Encoder::only(ir::RoleId role) {
  const TypeId type = p_.types.host(role);
  return scalar(type, terms.enumerator(sort(type), 0));
}

SymPtr Encoder::option(TypeId type, Term some, SymPtr payload) const {
  auto made = std::make_shared<Sym>();
  made->kind = Sym::Kind::option;
  made->type = type;
  made->term = some;
  made->parts.push_back(std::move(payload));
  return made;
}

SymPtr Encoder::collection(TypeId type, std::function<SymPtr(const SymPtr&)> apply, Support support) const {
  auto made = std::make_shared<Sym>();
  made->kind = Sym::Kind::collection;
  made->type = type;
  made->apply = std::move(apply);
  made->support = std::move(support);
  return made;
}

bool Encoder::keeps_support(TypeId type) const {
  const Type& t = p_[type];
  return ground() && (t.kind == TypeKind::set || t.kind == TypeKind::map) && !enumerable(t.first);
}

Encoder::Support Encoder::support_of(TypeId type, std::vector<SymPtr> keys) const {
  if (!keeps_support(type)) return nullptr;
  return std::make_shared<const std::vector<SymPtr>>(std::move(keys));
}

namespace {
/// The same terms: equal whatever they are.
bool identical(const SymPtr& a, const SymPtr& b) {
  if (a == b) return true;
  if (a->kind == Sym::Kind::collection || a->kind != b->kind || a->term != b->term) return false;
  return std::equal(a->parts.begin(), a->parts.end(), b->parts.begin(), b->parts.end(), identical);
}
}  // namespace

Encoder::Support Encoder::join(const Support& a, const Support& b) {
  if (!a || !b || a == b) return a && b ? a : nullptr;
  std::vector<SymPtr> keys = *a;
  for (const SymPtr& key : *b) {
    const bool known = std::any_of(keys.begin(), keys.end(), [&](const SymPtr& k) { return identical(k, key); });
    if (!known) keys.push_back(key);
  }
  return std::make_shared<const std::vector<SymPtr>>(std::move(keys));
}

TypeId Encoder::result_type(const Type& type) {
  const Type t = type;
  if (t.kind == TypeKind::set) return p_.types.boolean();
  if (t.kind == TypeKind::map) return p_.types.option(t.second);
  return t.second;
}

SymPtr Encoder::default_value(TypeId type) {
  const Type t = p_[type];
  switch (t.kind) {
    case TypeKind::option:
      return option(type, terms.boolean(false), default_value(t.first));
    case TypeKind::structure: {
      auto made = std::make_shared<Sym>();
      made->kind = Sym::Kind::structure;
      made->type = type;
      for (const ir::FieldDecl& field : p_[ir::StructId(t.declaration)].fields) {
        made->parts.push_back(default_value(field.type));
      }
      return made;
    }
    case TypeKind::set:
    case TypeKind::map:
    case TypeKind::function: {
      SymPtr value = default_value(result_type(t));
      return collection(type, [value](const SymPtr&) { return value; }, support_of(type, {}));
    }
    default:
      break;
  }
  const smt::Sort s = sort(type);
  switch (s.kind()) {
    case smt::SortKind::boolean:
      return scalar(type, terms.boolean(false));
    case smt::SortKind::enumeration:
      return scalar(type, terms.enumerator(s, 0));
    case smt::SortKind::uninterpreted:
      return scalar(type, terms.constant("some " + s.name(), s));
    default:
      return scalar(type, terms.integer(0));
  }
}

SymPtr Encoder::literal(TypeId type, const ir::Value& value) {
  const Type t = p_[type];
  switch (t.kind) {
    case TypeKind::boolean:
      return scalar(type, terms.boolean(value.number != 0));
    case TypeKind::enumeration:
    case TypeKind::host:
    case TypeKind::sort:
      return scalar(type, terms.enumerator(sort(type), static_cast<std::size_t>(value.number)));
    case TypeKind::option:
      return value.number == 0 ? default_value(type)
                               : option(type, terms.boolean(true), literal(t.first, value.items.front()));
    case TypeKind::structure: {
      auto made = std::make_shared<Sym>();
      made->kind = Sym::Kind::structure;
      made->type = type;
      const std::size_t fields = p_[ir::StructId(t.declaration)].fields.size();
      for (std::size_t i = 0; i < fields; ++i) {
        made->parts.push_back(literal(p_[ir::StructId(t.declaration)].fields[i].type, value.items[i]));
      }
      return made;
    }
    case TypeKind::set:
      return collection(type, [this, element = t.first, value](const SymPtr& key) {
        std::vector<Term> cases;
        for (const ir::Value& item : value.items) cases.push_back(equal(key, literal(element, item)));
        return scalar(p_.types.boolean(), terms.or_(cases));
      });
    case TypeKind::map:
      return collection(type, [this, t, value](const SymPtr& key) {
        SymPtr result = default_value(p_.types.option(t.second));
        for (std::size_t i = 0; i < value.items.size(); i += 2) {
          result = pick(equal(key, literal(t.first, value.items[i])),
                        option(p_.types.option(t.second), terms.boolean(true), literal(t.second, value.items[i + 1])),
                        result);
        }
        return result;
      });
    case TypeKind::function: {
      const auto keys = instance_->domain(p_, t.first, "", kDomainLimit);
      if (!keys || keys->size() != value.items.size()) {
        refuse("a function over too many arguments");
        return default_value(type);
      }
      return collection(type, [this, t, keys = *keys, value](const SymPtr& key) {
        SymPtr result = literal(t.second, value.items.back());
        for (std::size_t i = keys.size() - 1; i-- > 0;) {
          result = pick(equal(key, literal(t.first, keys[i])), literal(t.second, value.items[i]), result);
        }
        return result;
      });
    }
    case TypeKind::integer:
    case TypeKind::natural:
      if (only_ordered(t.kind)) {
        const std::int64_t low = instance_->all_numbers(t.kind).low;
        return scalar(type, terms.enumerator(sort(type), static_cast<std::size_t>(value.number - low)));
      }
      return scalar(type, terms.integer(value.number));
    default:
      refuse("a sequence or a real number");
      return scalar(type, terms.integer(0));
  }
}

Term Encoder::apply(const std::string& name, smt::Sort range, const std::vector<Term>& args) {
  std::vector<smt::Sort> domain;
  for (const Term arg : args) domain.push_back(arg.sort());
  return terms.apply(terms.function(name, domain, range), args);
}

SymPtr Encoder::named(TypeId type, const std::string& name, const std::vector<Term>& args) {
  const Type t = p_[type];
  switch (t.kind) {
    case TypeKind::option:
      return option(type, apply(name + "?", terms.boolean_sort(), args), named(t.first, name + "!", args));
    case TypeKind::structure: {
      auto made = std::make_shared<Sym>();
      made->kind = Sym::Kind::structure;
      made->type = type;
      const std::size_t fields = p_[ir::StructId(t.declaration)].fields.size();
      for (std::size_t i = 0; i < fields; ++i) {
        const ir::FieldDecl field = p_[ir::StructId(t.declaration)].fields[i];
        made->parts.push_back(named(field.type, name + "." + field.name, args));
      }
      return made;
    }
    case TypeKind::set:
    case TypeKind::map:
    case TypeKind::function: {
      const TypeId result = result_type(t);
      return collection(type, [this, result, name, args](const SymPtr& key) {
        std::vector<Term> below = args;
        flatten(key, below);
        return named(result, name + "[]", below);
      });
    }
    case TypeKind::host:
      if (p_[ir::RoleId(t.declaration)].single) return only(ir::RoleId(t.declaration));
      return scalar(type, apply(name, sort(type), args));
    case TypeKind::sequence:
      refuse("sequences");
      [[fallthrough]];
    default:
      return scalar(type, apply(name, sort(type), args));
  }
}

SymPtr Encoder::arbitrary(TypeId type, const std::string& name) {
  // A name that no other has: the fresh constant only lends it.
  const Term lender = terms.fresh_constant("a " + name, terms.boolean_sort());
  return named(type, lender.function().name() + ".", {});
}

Term Encoder::equal(const SymPtr& a, const SymPtr& b) {
  switch (a->kind) {
    case Sym::Kind::scalar:
      return terms.eq(a->term, b->term);
    case Sym::Kind::option:
      return terms.and_({terms.eq(a->term, b->term), terms.implies(a->term, equal(a->parts[0], b->parts[0]))});
    case Sym::Kind::structure: {
      std::vector<Term> all;
      for (std::size_t i = 0; i < a->parts.size(); ++i) all.push_back(equal(a->parts[i], b->parts[i]));
      return terms.and_(all);
    }
    case Sym::Kind::collection:
      break;
  }
  const Demands nobody(*this, nullptr);
  return for_all_keys(join(a->support, b->support), p_[a->type].first,
                      [&](const SymPtr& key) { return equal(a->apply(key), b->apply(key)); });
}

SymPtr Encoder::pick(Term condition, const SymPtr& then, const SymPtr& otherwise) {
  if (condition.is_true() || then == otherwise) return then;
  if (condition.is_false()) return otherwise;
  if (then->kind == Sym::Kind::collection) {
    return collection(
        then->type,
        [this, condition, then, otherwise](const SymPtr& key) {
          return pick(condition, then->apply(key), otherwise->apply(key));
        },
        join(then->support, otherwise->support));
  }
  auto made = std::make_shared<Sym>();
  made->kind = then->kind;
  made->type = then->type;
  if (then->term.valid()) made->term = terms.ite(condition, then->term, otherwise->term);
  for (std::size_t i = 0; i < then->parts.size(); ++i) {
    made->parts.push_back(pick(condition, then->parts[i], otherwise->parts[i]));
  }
  return made;
}

void Encoder::flatten(const SymPtr& value, std::vector<Term>& out) {
  switch (value->kind) {
    case Sym::Kind::scalar: {
      // The only host of its role tells nothing.
      const Type& t = p_[value->type];
      if (t.kind == TypeKind::host && p_[ir::RoleId(t.declaration)].single) return;
      out.push_back(value->term);
      return;
    }
    case Sym::Kind::option:
      out.push_back(value->term);
      flatten(pick(value->term, value->parts[0], default_value(value->parts[0]->type)), out);
      return;
    case Sym::Kind::structure:
      for (const SymPtr& part : value->parts) flatten(part, out);
      return;
    case Sym::Kind::collection: {
      const TypeId keys = p_[value->type].first;
      if (!enumerable(keys) || domain(keys).size() > kLargestPart) {
        return refuse("a set, map or function as a key, an element or a part of a message");
      }
      for (const ir::Value& key : domain(keys)) flatten(value->apply(literal(keys, key)), out);
    }
  }
}

Term Encoder::well_typed(const SymPtr& value, const std::string& slot) {
  const Type t = p_[value->type];
  switch (value->kind) {
    case Sym::Kind::scalar: {
      if (t.kind != TypeKind::natural && t.kind != TypeKind::integer) return terms.boolean(true);
      if (bounded()) {
        const ir::Range range = instance_->numbers(slot, t.kind);
        if (only_ordered(t.kind)) {
          const ir::Range all = instance_->all_numbers(t.kind);
          if (range == all) return terms.boolean(true);
          std::vector<Term> cases;
          for (std::int64_t n = std::max(range.low, all.low); n <= std::min(range.high, all.high); ++n) {
            cases.push_back(terms.eq(value->term, literal(value->type, {n, {}})->term));
          }
          return terms.or_(cases);
        }
        return terms.and_(
            {terms.le(terms.integer(range.low), value->term), terms.le(value->term, terms.integer(range.high))});
      }
      if (t.kind == TypeKind::integer || only_ordered(t.kind)) return terms.boolean(true);
      return terms.le(terms.integer(0), value->term);
    }
    case Sym::Kind::option:
      return terms.implies(value->term, well_typed(value->parts[0], slot));
    case Sym::Kind::structure: {
      std::vector<Term> all;
      for (std::size_t i = 0; i < value->parts.size(); ++i) {
        all.push_back(well_typed(value->parts[i], p_[ir::StructId(t.declaration)].fields[i].name));
      }
      return terms.and_(all);
    }
    case Sym::Kind::collection:
      break;
  }
  if (t.kind == TypeKind::set) return terms.boolean(true);
  const Demands nobody(*this, nullptr);
  return quantify(true, {t.first},
                  [&](const std::vector<SymPtr>& key) { return well_typed(value->apply(key[0]), slot); });
}

// --- Quantifiers ---------------------------------------------------------------

const std::vector<ir::Value>& Encoder::domain(TypeId type) {
  const auto found = domains_.find(type);
  if (found != domains_.end()) return found->second;
  auto values = instance_->domain(p_, type, "", kDomainLimit);
  if (!values) refuse("a quantifier over too many values");
  return domains_.emplace(type, values ? std::move(*values) : std::vector<ir::Value>()).first->second;
}

std::vector<Encoder::Alternative> Encoder::alternatives(TypeId type) {
  const Type t = p_[type];
  std::vector<Alternative> all;
  if (t.kind == TypeKind::host && p_[ir::RoleId(t.declaration)].single) {
    all.push_back({{}, {}, only(ir::RoleId(t.declaration))});
    return all;
  }
  if (enumerable(type)) {
    for (const ir::Value& value : domain(type)) all.push_back({{}, {}, literal(type, value)});
    return all;
  }
  switch (t.kind) {
    case TypeKind::boolean:
      for (const bool value : {false, true}) all.push_back({{}, {}, scalar(type, terms.boolean(value))});
      return all;
    case TypeKind::option:
      all.push_back({{}, {}, default_value(type)});
      for (Alternative& some : alternatives(t.first)) {
        all.push_back({std::move(some.variables), std::move(some.guards),
                       option(type, terms.boolean(true), std::move(some.value))});
      }
      return all;
    case TypeKind::structure: {
      auto empty = std::make_shared<Sym>();
      empty->kind = Sym::Kind::structure;
      empty->type = type;
      all.push_back({{}, {}, empty});
      const std::size_t fields = p_[ir::StructId(t.declaration)].fields.size();
      for (std::size_t i = 0; i < fields; ++i) {
        const std::vector<Alternative> next = alternatives(p_[ir::StructId(t.declaration)].fields[i].type);
        std::vector<Alternative> longer;
        for (const Alternative& front : all) {
          for (const Alternative& back : next) {
            Alternative both = front;
            both.variables.insert(both.variables.end(), back.variables.begin(), back.variables.end());
            both.guards.insert(both.guards.end(), back.guards.begin(), back.guards.end());
            auto grown = std::make_shared<Sym>(*front.value);
            grown->parts.push_back(back.value);
            both.value = grown;
            longer.push_back(std::move(both));
          }
        }
        all = std::move(longer);
      }
      return all;
    }
    case TypeKind::set:
    case TypeKind::map:
    case TypeKind::function:
    case TypeKind::sequence:
      refuse("a quantifier over sets, maps, functions or sequences");
      all.push_back({{}, {}, default_value(type)});
      return all;
    default:
      break;
  }
  const smt::Sort s = sort(type);
  if (s.kind() == smt::SortKind::enumeration && s.members().size() <= kEnumWrittenOut) {
    for (std::size_t i = 0; i < s.members().size(); ++i) all.push_back({{}, {}, scalar(type, terms.enumerator(s, i))});
    return all;
  }
  const Term variable = terms.fresh_variable("v", s);
  Alternative one{{variable}, {}, scalar(type, variable)};
  if (t.kind == TypeKind::natural && !only_ordered(t.kind)) one.guards.push_back(terms.le(terms.integer(0), variable));
  all.push_back(std::move(one));
  return all;
}

Term Encoder::quantify(bool universal, const std::vector<TypeId>& types,
                       const std::function<Term(const std::vector<SymPtr>&)>& body) {
  std::vector<std::vector<Alternative>> choices;
  for (const TypeId type : types) choices.push_back(alternatives(type));
  for (const auto& choice : choices) {
    if (choice.empty()) return terms.boolean(universal);
  }
  std::vector<std::size_t> at(types.size(), 0);
  std::vector<Term> results, all_demanded;
  for (;;) {
    std::vector<Term> variables, guards;
    std::vector<SymPtr> values;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const Alternative& a = choices[i][at[i]];
      variables.insert(variables.end(), a.variables.begin(), a.variables.end());
      guards.insert(guards.end(), a.guards.begin(), a.guards.end());
      values.push_back(a.value);
    }
    std::vector<Term> demanded;
    Term inside;
    {
      const Demands inner(*this, demands_ == nullptr ? nullptr : &demanded);
      inside = body(values);
    }
    const Term guard = terms.and_(guards);
    const auto close = [&](bool for_all, Term term) {
      if (term.is_true() || term.is_false()) return term;  // no sort is empty, and there is a natural number
      term = for_all ? terms.implies(guard, term) : terms.and_({guard, term});
      if (variables.empty()) return term;
      return for_all ? terms.forall(variables, term) : terms.exists(variables, term);
    };
    results.push_back(close(universal, inside));
    if (!demanded.empty()) all_demanded.push_back(close(true, terms.and_(demanded)));
    std::size_t next = types.size();
    while (next > 0 && ++at[next - 1] == choices[next - 1].size()) at[--next] = 0;
    if (next == 0) break;
  }
  if (!all_demanded.empty()) demand(terms.and_(all_demanded));
  return universal ? terms.and_(results) : terms.or_(results);
}

Term Encoder::for_all_keys(const Support& support, TypeId key, const std::function<Term(const SymPtr&)>& body) {
  if (!support) return quantify(true, {key}, [&](const std::vector<SymPtr>& values) { return body(values[0]); });
  std::vector<Term> all;
  for (const SymPtr& each : *support) all.push_back(body(each));
  return terms.and_(all);
}

Term Encoder::counted(const SymPtr& set, std::size_t at) {
  const std::vector<SymPtr>& keys = *set->support;
  std::vector<Term> all{set->apply(keys[at])->term};
  for (std::size_t i = 0; i < at; ++i) all.push_back(terms.not_(equal(keys[i], keys[at])));
  return terms.and_(all);
}

// --- Messages ------------------------------------------------------------------

const std::vector<ir::RoleId>& Encoder::sender_roles(ir::MessageId message) const { return senders_[message.index()]; }
const std::vector<ir::RoleId>& Encoder::addressee_roles(ir::MessageId message) const {
  return addressees_[message.index()];
}

Term Encoder::in_network(const char* relation, const Letter& letter, const std::string& suffix) {
  std::vector<Term> args;
  flatten(letter.sender, args);
  flatten(letter.addressee, args);
  for (const SymPtr& arg : letter.args) flatten(arg, args);
  const std::string name = std::string(relation) + " " + p_[letter.message].name + " " + p_[letter.from].name + " " +
                           p_[letter.to].name + suffix;
  return apply(name, terms.boolean_sort(), args);
}

Term Encoder::same_letter(const Letter& a, const Letter& b) {
  if (a.message != b.message || a.from != b.from || a.to != b.to) return terms.boolean(false);
  std::vector<Term> all{equal(a.sender, b.sender), equal(a.addressee, b.addressee)};
  for (std::size_t i = 0; i < a.args.size(); ++i) all.push_back(equal(a.args[i], b.args[i]));
  return terms.and_(all);
}

void Encoder::for_each_letter_kind(const std::function<void(ir::MessageId, ir::RoleId, ir::RoleId)>& visit) const {
  for (std::size_t m = 0; m < p_.messages.size(); ++m) {
    for (const ir::RoleId from : senders_[m]) {
      for (const ir::RoleId to : addressees_[m]) visit(ir::MessageId(m), from, to);
    }
  }
}

Term Encoder::for_all_letters(ir::MessageId message, ir::RoleId from, ir::RoleId to,
                              const std::function<Term(const Letter&)>& body) {
  std::vector<TypeId> types{p_.types.host(from), p_.types.host(to)};
  for (const ir::FieldDecl& field : p_[message].fields) types.push_back(field.type);
  return quantify(true, types, [&](const std::vector<SymPtr>& values) {
    return body({message, from, to, values[0], values[1], {values.begin() + 2, values.end()}});
  });
}

// --- States --------------------------------------------------------------------

StatePtr Encoder::named_state(const std::string& suffix) {
  auto state = std::make_shared<StateView>();
  state->read = [this, suffix](ir::VarId var, const SymPtr& host) {
    const ir::VarDecl& decl = p_[var];
    std::vector<Term> args;
    flatten(host, args);
    return named(decl.type, p_[decl.role].name + "." + decl.name + suffix, args);
  };
  state->sent = [this, suffix](const Letter& letter) { return in_network("sent", letter, suffix); };
  state->twice = [this, suffix](const Letter& letter) { return in_network("twice", letter, suffix); };
  return state;
}

Term Encoder::state_facts(const StatePtr& state) {
  const Demands nobody(*this, nullptr);
  std::vector<Term> facts;
  for (std::size_t v = 0; v < p_.variables.size(); ++v) {
    const ir::VarId var(v);
    const std::string name = p_[var].name;
    facts.push_back(quantify(true, {p_.types.host(p_[var].role)}, [&](const std::vector<SymPtr>& host) {
      return well_typed(state->read(var, host[0]), name);
    }));
  }
  for_each_letter_kind([&](ir::MessageId message, ir::RoleId from, ir::RoleId to) {
    const bool once = p_[message].delivery == ir::Delivery::at_most_once;
    if (!once && !ground()) return;
    facts.push_back(for_all_letters(message, from, to, [&](const Letter& letter) {
      std::vector<Term> typed;
      for (std::size_t i = 0; i < letter.args.size(); ++i) {
        typed.push_back(well_typed(letter.args[i], p_[message].fields[i].name));
      }
      std::vector<Term> all{terms.implies(state->sent(letter), terms.and_(typed))};
      if (once) all.push_back(terms.implies(state->twice(letter), state->sent(letter)));
      return terms.and_(all);
    }));
  });
  return terms.and_(facts);
}

StatePtr Encoder::initial_state(const StatePtr& free) {
  auto state = std::make_shared<StateView>();
  state->read = [this, free](ir::VarId var, const SymPtr& host) {
    const ir::ExprId init = p_[var].init;
    if (!init.valid()) return free->read(var, host);
    Scope scope;
    scope.self = host;
    const Demands nobody(*this, nullptr);
    return eval(init, scope);
  };
  state->sent = [this](const Letter&) { return terms.boolean(false); };
  state->twice = state->sent;
  return state;
}

Term Encoder::constant_facts() {
  const Demands nobody(*this, nullptr);
  std::vector<Term> facts;
  for (std::size_t c = 0; c < p_.constants.size(); ++c) {
    const ir::ConstDecl decl = p_.constants[c];
    if (decl.kind != ir::ConstKind::free) continue;
    std::vector<TypeId> types = decl.parameters;
    if (decl.role.valid()) types.insert(types.begin(), p_.types.host(decl.role));
    const std::string name = (decl.role.valid() ? p_[decl.role].name + "." : "") + decl.name;
    const auto value = [&](const std::vector<SymPtr>& keys) {
      std::vector<Term> args;
      for (const SymPtr& key : keys) flatten(key, args);
      return named(decl.type, name, args);
    };
    facts.push_back(
        quantify(true, types, [&](const std::vector<SymPtr>& keys) { return well_typed(value(keys), decl.name); }));
    if (!decl.unique || !decl.role.valid()) continue;
    const TypeId owner = p_.types.host(decl.role);
    facts.push_back(quantify(true, {owner, owner}, [&](const std::vector<SymPtr>& two) {
      return terms.implies(equal(value({two[0]}), value({two[1]})), equal(two[0], two[1]));
    }));
  }
  return terms.and_(facts);
}

}  // namespace tenet::encode
