#include "tenet/smt/term_manager.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "tenet/smt/term_ops.h"
#include "term_tables.h"

namespace tenet::smt {
namespace {

std::size_t mix(std::size_t seed, std::size_t value) { return (seed ^ value) * 0x9e3779b97f4a7c15ull + (seed >> 17); }

}  // namespace

std::size_t TermHash::operator()(const TermData* term) const {
  std::size_t hash = mix(static_cast<std::size_t>(term->kind), term->sort.id());
  hash = mix(hash, static_cast<std::size_t>(term->number.numerator()));
  hash = mix(hash, static_cast<std::size_t>(term->number.denominator()));
  if (term->function.valid()) hash = mix(hash, term->function.id());
  if (term->name != nullptr) hash = mix(hash, std::hash<std::string>{}(*term->name));
  if (term->quantifier != nullptr) {
    for (const Term variable : term->quantifier->variables) hash = mix(hash, variable.id());
    hash = mix(hash, std::hash<std::string>{}(term->quantifier->name));
  }
  for (const Term arg : term->args) hash = mix(hash, arg.id());
  return hash;
}

bool TermEqual::operator()(const TermData* a, const TermData* b) const {
  if (a->kind != b->kind || a->sort != b->sort || a->number != b->number || a->function != b->function) return false;
  if ((a->name == nullptr) != (b->name == nullptr) || (a->name != nullptr && *a->name != *b->name)) return false;
  if ((a->quantifier == nullptr) != (b->quantifier == nullptr)) return false;
  if (a->quantifier != nullptr && !(*a->quantifier == *b->quantifier)) return false;
  return std::equal(a->args.begin(), a->args.end(), b->args.begin(), b->args.end());
}

TermManager::TermManager() : tables_(std::make_unique<Tables>()) {
  const auto basic = [&](SortKind kind, const char* name) {
    SortData& data = tables_->sorts.emplace_back();
    data = {static_cast<std::uint32_t>(tables_->sorts.size() - 1), kind, name, {}, this};
    return Sort(&data);
  };
  boolean_sort_ = basic(SortKind::boolean, "Bool");
  integer_sort_ = basic(SortKind::integer, "Int");
  real_sort_ = basic(SortKind::real, "Real");
}

TermManager::~TermManager() = default;

std::size_t TermManager::size() const { return tables_->terms.size(); }

Sort TermManager::uninterpreted(std::string_view name) {
  auto& same_name = tables_->sorts_by_name[std::string(name)];
  for (const SortData* data : same_name) {
    if (data->kind == SortKind::uninterpreted) return Sort(data);
  }
  SortData& data = tables_->sorts.emplace_back();
  data = {static_cast<std::uint32_t>(tables_->sorts.size() - 1), SortKind::uninterpreted, std::string(name), {}, this};
  same_name.push_back(&data);
  return Sort(&data);
}

Sort TermManager::enumeration(std::string_view name, std::vector<std::string> members) {
  assert(!members.empty());
  auto& same_name = tables_->sorts_by_name[std::string(name)];
  for (const SortData* data : same_name) {
    if (data->kind == SortKind::enumeration && data->members == members) return Sort(data);
  }
  SortData& data = tables_->sorts.emplace_back();
  data = {static_cast<std::uint32_t>(tables_->sorts.size() - 1), SortKind::enumeration, std::string(name),
          std::move(members), this};
  same_name.push_back(&data);
  return Sort(&data);
}

Function TermManager::function(std::string_view name, std::vector<Sort> domain, Sort range) {
  auto& same_name = tables_->functions_by_name[std::string(name)];
  for (const FunctionData* data : same_name) {
    if (data->domain == domain && data->range == range) return Function(data);
  }
  FunctionData& data = tables_->functions.emplace_back();
  data = {static_cast<std::uint32_t>(tables_->functions.size() - 1), std::string(name), std::move(domain), range, this};
  same_name.push_back(&data);
  return Function(&data);
}

Function TermManager::fresh_function(std::string_view name, std::vector<Sort> domain, Sort range) {
  std::string candidate(name);
  std::uint64_t& next = tables_->fresh_functions[candidate];
  while (tables_->functions_by_name.contains(candidate)) candidate = std::string(name) + '!' + std::to_string(++next);
  return function(candidate, std::move(domain), range);
}

Term TermManager::constant(std::string_view name, Sort sort) {
  return apply(function(name, {}, sort), std::span<const Term>{});
}

Term TermManager::fresh_constant(std::string_view name, Sort sort) {
  return apply(fresh_function(name, {}, sort), std::span<const Term>{});
}

Term TermManager::intern(const TermData& candidate) {
  const auto found = tables_->term_set.find(&candidate);
  if (found != tables_->term_set.end()) return Term(*found);
  TermData& data = tables_->terms.emplace_back(candidate);
  data.id = static_cast<std::uint32_t>(tables_->terms.size() - 1);
  data.manager = this;
  if (!candidate.args.empty()) {
    auto* copy = static_cast<Term*>(tables_->arguments.allocate(candidate.args.size() * sizeof(Term), alignof(Term)));
    std::uninitialized_copy(candidate.args.begin(), candidate.args.end(), copy);
    data.args = {copy, candidate.args.size()};
  }
  tables_->term_set.insert(&data);
  return Term(&data);
}

Term TermManager::make(Kind kind, Sort sort, std::span<const Term> args) {
  TermData candidate;
  candidate.kind = kind;
  candidate.sort = sort;
  candidate.args = args;
  for (const Term arg : args) {
    assert(arg.manager() == this);
    candidate.closed = candidate.closed && arg.closed();
    candidate.quantifier_free = candidate.quantifier_free && arg.quantifier_free();
  }
  return intern(candidate);
}

Term TermManager::make_number(Sort sort, Rational value) {
  TermData candidate;
  candidate.kind = sort.is_boolean() ? Kind::boolean : sort.is_numeric() ? Kind::number : Kind::enumerator;
  candidate.sort = sort;
  candidate.number = value;
  return intern(candidate);
}

Term TermManager::apply(Function function, std::span<const Term> args) {
  assert(function.data_->manager == this);
  assert(function.domain().size() == args.size());
  TermData candidate;
  candidate.kind = Kind::application;
  candidate.sort = function.range();
  candidate.function = function;
  candidate.args = args;
  for (std::size_t i = 0; i < args.size(); ++i) {
    assert(args[i].manager() == this && args[i].sort() == function.domain()[i]);
    candidate.closed = candidate.closed && args[i].closed();
    candidate.quantifier_free = candidate.quantifier_free && args[i].quantifier_free();
  }
  return intern(candidate);
}

Term TermManager::boolean(bool value) { return make_number(boolean_sort_, value ? 1 : 0); }
Term TermManager::integer(std::int64_t value) { return make_number(integer_sort_, value); }
Term TermManager::real(Rational value) { return make_number(real_sort_, value); }
Term TermManager::enumerator(Sort sort, std::size_t member) {
  assert(sort.kind() == SortKind::enumeration && member < sort.members().size());
  return make_number(sort, static_cast<std::int64_t>(member));
}

Term TermManager::variable(std::string_view name, Sort sort) {
  auto found = tables_->variables_by_name.find(name);
  if (found == tables_->variables_by_name.end()) {
    const std::string& stored = tables_->variable_names.emplace_back(name);
    found = tables_->variables_by_name.emplace(stored, &stored).first;
  }
  TermData candidate;
  candidate.kind = Kind::variable;
  candidate.sort = sort;
  candidate.name = found->second;
  candidate.closed = false;
  return intern(candidate);
}

Term TermManager::fresh_variable(std::string_view name, Sort sort) {
  std::string candidate(name);
  std::uint64_t& next = tables_->fresh_variables[candidate];
  while (tables_->variables_by_name.contains(candidate)) candidate = std::string(name) + '!' + std::to_string(++next);
  return variable(candidate, sort);
}

Term TermManager::quantifier(Kind kind, std::vector<Term> variables, Term body, std::vector<std::vector<Term>> patterns,
                             std::string_view name) {
  assert(body.sort().is_boolean());
  // Sorts are never empty, so a constant body is the value of the whole.
  if (variables.empty() || body.is_true() || body.is_false()) return body;
  for ([[maybe_unused]] const std::vector<Term>& pattern : patterns) assert(good_pattern(variables, pattern));
  const QuantifierData content{std::move(variables), std::move(patterns), std::string(name)};
  TermData candidate;
  candidate.kind = kind;
  candidate.sort = boolean_sort_;
  candidate.args = {&body, 1};
  candidate.quantifier_free = false;
  candidate.quantifier = &content;
  const auto& found = tables_->term_set.find(&candidate);
  if (found != tables_->term_set.end()) return Term(*found);
  const std::vector<Term> free = free_variables(body);
  candidate.closed = std::all_of(free.begin(), free.end(), [&](Term variable) {
    return std::find(content.variables.begin(), content.variables.end(), variable) != content.variables.end();
  });
  candidate.quantifier = &tables_->quantifiers.emplace_back(content);
  return intern(candidate);
}

Term TermManager::forall(std::vector<Term> variables, Term body, std::vector<std::vector<Term>> patterns,
                         std::string_view name) {
  return quantifier(Kind::forall, std::move(variables), body, std::move(patterns), name);
}

Term TermManager::exists(std::vector<Term> variables, Term body, std::vector<std::vector<Term>> patterns,
                         std::string_view name) {
  return quantifier(Kind::exists, std::move(variables), body, std::move(patterns), name);
}

Term TermManager::rebuild(Term term, std::span<const Term> args) {
  assert(args.size() == term.args().size());
  switch (term.kind()) {
    case Kind::boolean:
    case Kind::number:
    case Kind::enumerator:
    case Kind::variable:
      return term;
    case Kind::application:
      return apply(term.function(), args);
    case Kind::not_:
      return not_(args[0]);
    case Kind::and_:
      return and_(args);
    case Kind::or_:
      return or_(args);
    case Kind::implies:
      return implies(args[0], args[1]);
    case Kind::ite:
      return ite(args[0], args[1], args[2]);
    case Kind::eq:
      return eq(args[0], args[1]);
    case Kind::distinct:
      return distinct(args);
    case Kind::lt:
      return lt(args[0], args[1]);
    case Kind::le:
      return le(args[0], args[1]);
    case Kind::add:
      return add(args);
    case Kind::mul:
      return mul(term.arg(0).number(), args[1]);
    case Kind::div:
      return div(args[0], term.arg(1).number().numerator());
    case Kind::mod:
      return mod(args[0], term.arg(1).number().numerator());
    case Kind::to_real:
      return to_real(args[0]);
    case Kind::forall:
    case Kind::exists: {
      const std::span<const Term> bound = term.bound();
      return quantifier(term.kind(), {bound.begin(), bound.end()}, args[0], term.patterns(), term.quantifier_name());
    }
  }
  return term;
}

}  // namespace tenet::smt
