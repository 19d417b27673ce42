#include "domain.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "tenet/ir/printer.h"

namespace tenet::ir {

namespace {

using Count = std::uint64_t;
constexpr Count kMany = std::numeric_limits<Count>::max();

Count times(Count a, Count b) {
  if (a == 0 || b == 0) return 0;
  return a > kMany / b ? kMany : a * b;
}

Count power(Count base, Count exponent) {
  if (base <= 1) return exponent == 0 ? 1 : base;
  Count result = 1;
  for (Count i = 0; i < exponent && result != kMany; ++i) result = times(result, base);
  return result;
}

/// Counts and lists the values of types in one instance.
class Enumeration {
 public:
  Enumeration(const Protocol& protocol, const Instance& instance) : p_(protocol), instance_(instance) {}

  Result<Count> count(TypeId id, std::string_view slot, int depth = 0) const;
  /// Ascending; only for types whose count is small.
  std::vector<Value> list(TypeId id, std::string_view slot) const;

 private:
  Range range(const Type& type, std::string_view slot) const {
    return slot.empty() ? instance_.all_numbers(type.kind) : instance_.numbers(slot, type.kind);
  }
  Count atoms(const Type& type) const;
  Result<Count> count_struct(const StructDecl& decl, int depth) const;

  const Protocol& p_;
  const Instance& instance_;
};

/// Number of values of a type that has no parts and no numbers.
Count Enumeration::atoms(const Type& type) const {
  switch (type.kind) {
    case TypeKind::boolean:
      return 2;
    case TypeKind::enumeration:
      return p_.enums[type.declaration].members.size();
    case TypeKind::sort:
      return static_cast<Count>(instance_.sort_size(SortId(type.declaration)));
    case TypeKind::host:
      return static_cast<Count>(instance_.hosts(RoleId(type.declaration)));
    default:
      return 0;
  }
}

Result<Count> Enumeration::count_struct(const StructDecl& decl, int depth) const {
  Count product = 1;
  for (const FieldDecl& field : decl.fields) {
    const Result<Count> part = count(field.type, field.name, depth + 1);
    if (!part) return part;
    product = times(product, *part);
  }
  return product;
}

Result<Count> Enumeration::count(TypeId id, std::string_view slot, int depth) const {
  constexpr int kDeepest = 200;
  if (depth > kDeepest)
    return failure(ErrorKind::unsupported, "a type is nested too deeply to have finitely many values");
  const Type& type = p_[id];
  switch (type.kind) {
    case TypeKind::boolean:
    case TypeKind::enumeration:
    case TypeKind::sort:
    case TypeKind::host:
      return atoms(type);
    case TypeKind::integer:
    case TypeKind::natural: {
      const Range r = range(type, slot);
      return static_cast<Count>(r.high) - static_cast<Count>(r.low) + 1;
    }
    case TypeKind::structure:
      return count_struct(p_.structs[type.declaration], depth);
    case TypeKind::real:
    case TypeKind::sequence:
      return failure(ErrorKind::unsupported,
                     fmt::format("values of type {} cannot be enumerated yet", to_source(p_, id)));
    default:
      break;
  }
  Result<Count> first = count(type.first, type.kind == TypeKind::function ? "" : slot, depth + 1);
  if (!first) return first;
  if (type.kind == TypeKind::option) return *first == kMany ? kMany : *first + 1;
  if (type.kind == TypeKind::set) return power(2, *first);
  if (*first > kDomainLimit) return kMany;
  Result<Count> second = count(type.second, slot, depth + 1);
  if (!second) return second;
  if (type.kind == TypeKind::map) return power(*second == kMany ? kMany : *second + 1, *first);
  return power(*second, *first);
}

/// All tuples that take one value of each list; the first list varies slowest.
std::vector<Value> tuples(const std::vector<std::vector<Value>>& lists) {
  std::vector<Value> result{Value{}};
  for (const std::vector<Value>& list : lists) {
    std::vector<Value> longer;
    longer.reserve(result.size() * list.size());
    for (const Value& prefix : result) {
      for (const Value& item : list) {
        longer.push_back(prefix);
        longer.back().items.push_back(item);
      }
    }
    result = std::move(longer);
  }
  return result;
}

/// All sets over `elements`.
std::vector<Value> subsets(const std::vector<Value>& elements) {
  std::vector<Value> result{Value{}};
  for (const Value& element : elements) {
    const std::size_t before = result.size();
    for (std::size_t i = 0; i < before; ++i) {
      result.push_back(result[i]);
      result.back().items.push_back(element);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// All partial maps from `keys` to `values`.
std::vector<Value> maps(const std::vector<Value>& keys, const std::vector<Value>& values) {
  std::vector<Value> result{Value{}};
  for (const Value& key : keys) {
    const std::size_t before = result.size();
    for (std::size_t i = 0; i < before; ++i) {
      for (const Value& value : values) {
        result.push_back(result[i]);
        result.back().items.push_back(key);
        result.back().items.push_back(value);
      }
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<Value> Enumeration::list(TypeId id, std::string_view slot) const {
  const Type& type = p_[id];
  std::vector<Value> result;
  switch (type.kind) {
    case TypeKind::integer:
    case TypeKind::natural: {
      const Range r = range(type, slot);
      for (std::int64_t n = r.low; n <= r.high; ++n) result.push_back({n, {}});
      return result;
    }
    case TypeKind::structure: {
      std::vector<std::vector<Value>> lists;
      for (const FieldDecl& field : p_.structs[type.declaration].fields) lists.push_back(list(field.type, field.name));
      return tuples(lists);
    }
    case TypeKind::option:
      result.push_back({0, {}});
      for (Value& payload : list(type.first, slot)) result.push_back({1, {std::move(payload)}});
      return result;
    case TypeKind::set:
      return subsets(list(type.first, slot));
    case TypeKind::map:
      return maps(list(type.first, slot), list(type.second, slot));
    case TypeKind::function:
      return tuples(std::vector<std::vector<Value>>(list(type.first, "").size(), list(type.second, slot)));
    default:
      for (Count n = 0; n < atoms(type); ++n) result.push_back({static_cast<std::int64_t>(n), {}});
      return result;
  }
}

/// Whether values are values of their types and within their ranges.
class Containment {
 public:
  Containment(const Protocol& protocol, const Instance& instance) : p_(protocol), instance_(instance) {}
  using Outside = std::optional<std::string>;

  Outside check(TypeId id, std::string_view slot, const Value& value) const;

 private:
  Outside atom(const Type& type, std::string_view slot, const Value& value) const;
  Outside number(const Type& type, std::string_view slot, const Value& value) const;
  Outside structure(const StructDecl& decl, std::string_view slot, const Value& value) const;
  Outside map(const Type& type, std::string_view slot, const Value& value) const;
  Outside function(const Type& type, std::string_view slot, const Value& value) const;
  Outside elements(TypeId element, std::string_view slot, const Value& value) const;

  const Protocol& p_;
  const Instance& instance_;
};

Containment::Outside Containment::atom(const Type& type, std::string_view slot, const Value& value) const {
  std::int64_t size = 2;
  if (type.kind == TypeKind::enumeration) size = static_cast<std::int64_t>(p_.enums[type.declaration].members.size());
  if (type.kind == TypeKind::sort) size = instance_.sort_size(SortId(type.declaration));
  if (type.kind == TypeKind::host) size = instance_.hosts(RoleId(type.declaration));
  if (value.items.empty() && value.number >= 0 && value.number < size) return {};
  return std::string(slot);
}

Containment::Outside Containment::number(const Type& type, std::string_view slot, const Value& value) const {
  const Range range = slot.empty() ? instance_.all_numbers(type.kind) : instance_.numbers(slot, type.kind);
  if (value.items.empty() && value.number >= range.low && value.number <= range.high) return {};
  if (slot.empty()) return type.kind == TypeKind::natural ? "nat" : "int";
  return std::string(slot);
}

Containment::Outside Containment::structure(const StructDecl& decl, std::string_view slot, const Value& value) const {
  if (value.number != 0 || value.items.size() != decl.fields.size()) return std::string(slot);
  for (std::size_t i = 0; i < decl.fields.size(); ++i) {
    if (Outside out = check(decl.fields[i].type, decl.fields[i].name, value.items[i])) return out;
  }
  return {};
}

Containment::Outside Containment::map(const Type& type, std::string_view slot, const Value& value) const {
  if (value.number != 0 || value.items.size() % 2 != 0) return std::string(slot);
  for (std::size_t i = 0; i < value.items.size(); i += 2) {
    if (i > 0 && value.items[i - 2] >= value.items[i]) return std::string(slot);
    if (Outside out = check(type.first, slot, value.items[i])) return out;
    if (Outside out = check(type.second, slot, value.items[i + 1])) return out;
  }
  return {};
}

Containment::Outside Containment::function(const Type& type, std::string_view slot, const Value& value) const {
  const Result<Count> arguments = Enumeration(p_, instance_).count(type.first, "");
  if (value.number != 0 || !arguments || value.items.size() != *arguments) return std::string(slot);
  return elements(type.second, slot, value);
}

Containment::Outside Containment::elements(TypeId element, std::string_view slot, const Value& value) const {
  for (const Value& item : value.items) {
    if (Outside out = check(element, slot, item)) return out;
  }
  return {};
}

Containment::Outside Containment::check(TypeId id, std::string_view slot, const Value& value) const {
  const Type& type = p_[id];
  switch (type.kind) {
    case TypeKind::boolean:
    case TypeKind::enumeration:
    case TypeKind::sort:
    case TypeKind::host:
      return atom(type, slot, value);
    case TypeKind::integer:
    case TypeKind::natural:
      return number(type, slot, value);
    case TypeKind::structure:
      return structure(p_.structs[type.declaration], slot, value);
    case TypeKind::option:
      if (value.number != 0 && value.number != 1) return std::string(slot);
      if (value.items.size() != static_cast<std::size_t>(value.number)) return std::string(slot);
      return elements(type.first, slot, value);
    case TypeKind::set:
      if (value.number != 0) return std::string(slot);
      for (std::size_t i = 1; i < value.items.size(); ++i) {
        if (value.items[i - 1] >= value.items[i]) return std::string(slot);
      }
      return elements(type.first, slot, value);
    case TypeKind::map:
      return map(type, slot, value);
    case TypeKind::function:
      return function(type, slot, value);
    case TypeKind::real:
    case TypeKind::sequence:
      break;
  }
  return std::string(slot);
}

}  // namespace

Result<std::vector<Value>> Instance::domain(const Protocol& protocol, TypeId type, std::string_view slot,
                                            std::size_t limit) const {
  const Enumeration values(protocol, *this);
  const Result<Count> size = values.count(type, slot);
  if (!size) return tl::unexpected<Error>(size.error());
  if (*size > limit) {
    return failure(ErrorKind::too_large,
                   fmt::format("type {} has more than {} values in this instance", to_source(protocol, type), limit));
  }
  return values.list(type, slot);
}

std::optional<std::string> Instance::outside(const Protocol& protocol, TypeId type, std::string_view slot,
                                             const Value& value) const {
  return Containment(protocol, *this).check(type, slot, value);
}

bool Instance::within(const Protocol& protocol, TypeId type, std::string_view slot, const Value& value) const {
  return !outside(protocol, type, slot, value);
}

std::optional<std::size_t> index_in(const std::vector<Value>& domain, const Value& value) {
  const auto found = std::lower_bound(domain.begin(), domain.end(), value);
  if (found == domain.end() || *found != value) return {};
  return static_cast<std::size_t>(found - domain.begin());
}

Domains::Domains(const Protocol& protocol, const Instance& instance)
    : by_type_(protocol.types.size()),
      by_local_(protocol.locals.size()),
      open_quantifiers_(protocol),
      known_open_(protocol.exprs.size()) {
  for (std::size_t i = 0; i < protocol.types.size(); ++i) {
    const Type& type = protocol[TypeId(i)];
    if (type.kind == TypeKind::function) need(protocol, instance, type.first);
  }
  for (const ConstDecl& constant : protocol.constants) {
    for (const TypeId parameter : constant.parameters) need(protocol, instance, parameter);
  }
  for (const Expr& expr : protocol.exprs) {
    const bool quantifier = expr.op == Op::forall || expr.op == Op::exists || expr.op == Op::sum;
    const bool over_type = (quantifier && expr.args.size() == 1) ||
                           (expr.op == Op::set_build && expr.args.size() == 2 && !expr.args[0].valid());
    if (!over_type) continue;
    for (const LocalId binder : expr.binders) need(protocol, instance, protocol[binder].type);
  }
  for (const Step& step : protocol.steps) {
    for (const LocalId parameter : step.parameters) need(protocol, instance, parameter);
  }
  for (const Stmt& stmt : protocol.stmts) {
    if (stmt.kind == StmtKind::choose) need(protocol, instance, stmt.local);
  }
}

void Domains::need(const Protocol& protocol, const Instance& instance, TypeId type) {
  Entry& entry = by_type_[type.index()];
  if (entry) return;
  Result<std::vector<Value>> values = instance.domain(protocol, type, "", kDomainLimit);
  if (values) {
    entry = std::move(*values);
  } else {
    if (!error_of_types_) error_of_types_ = values.error();
    if (!error_) error_ = values.error();
  }
}

void Domains::need(const Protocol& protocol, const Instance& instance, LocalId local) {
  Entry& entry = by_local_[local.index()];
  if (entry) return;
  Result<std::vector<Value>> values =
      instance.domain(protocol, protocol[local].type, protocol[local].name, kDomainLimit);
  if (values) {
    entry = std::move(*values);
  } else if (!error_) {
    error_ = values.error();
  }
}

bool Domains::open(const Protocol& protocol, const Instance& instance, ExprId quantifier) const {
  // Formulas may be added to a protocol while it is in use.
  if (quantifier.index() >= known_open_.size()) return open_quantifiers_.contain(protocol, instance, quantifier);
  std::atomic<std::uint8_t>& known = known_open_[quantifier.index()];
  std::uint8_t value = known.load(std::memory_order_relaxed);
  if (value == not_asked) {
    value = open_quantifiers_.contain(protocol, instance, quantifier) ? open_ended : confined;
    known.store(value, std::memory_order_relaxed);
  }
  return value == open_ended;
}

const std::vector<Value>* Domains::of(TypeId type) const {
  const Entry& entry = by_type_[type.index()];
  return entry ? &*entry : nullptr;
}

const std::vector<Value>* Domains::of(LocalId local) const {
  const Entry& entry = by_local_[local.index()];
  return entry ? &*entry : nullptr;
}

}  // namespace tenet::ir
