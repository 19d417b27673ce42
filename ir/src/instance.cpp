#include "tenet/ir/instance.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace tenet::ir {

namespace {

/// Which numbers occur in a slot's type, apart from those that have another
/// slot: struct fields and the arguments of functions.
struct Numbers {
  bool natural = false;
  bool integer = false;
};

void find_numbers(const Protocol& p, TypeId id, Numbers& out) {
  const Type& type = p[id];
  out.natural |= type.kind == TypeKind::natural;
  out.integer |= type.kind == TypeKind::integer;
  if (type.first.valid() && type.kind != TypeKind::function) find_numbers(p, type.first, out);
  if (type.second.valid()) find_numbers(p, type.second, out);
}

/// Everything that an instance can name, and what kind of thing it is.
class Names {
 public:
  explicit Names(const Protocol& protocol);

  [[nodiscard]] std::optional<RoleId> role(std::string_view name) const { return find<RoleId>(p_.roles, name); }
  [[nodiscard]] std::optional<SortId> sort(std::string_view name) const { return find<SortId>(p_.sorts, name); }
  /// A constant of the protocol that is free to have any value.
  [[nodiscard]] const ConstDecl* constant(std::string_view name) const;
  /// The numbers of all slots of that name; nothing if there is no such slot.
  [[nodiscard]] std::optional<Numbers> slot(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> all() const;

 private:
  template <class Id, class Table>
  static std::optional<Id> find(const Table& table, std::string_view name) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table[i].name == name) return Id(i);
    }
    return {};
  }
  void add(const std::string& name, TypeId type);

  const Protocol& p_;
  std::vector<std::pair<std::string, Numbers>> slots_;
};

Names::Names(const Protocol& protocol) : p_(protocol) {
  for (const ConstDecl& constant : p_.constants) add(constant.name, constant.type);
  for (const VarDecl& variable : p_.variables) add(variable.name, variable.type);
  for (const StructDecl& decl : p_.structs) {
    for (const FieldDecl& field : decl.fields) add(field.name, field.type);
  }
  for (const MessageDecl& message : p_.messages) {
    for (const FieldDecl& field : message.fields) add(field.name, field.type);
  }
  for (const Step& step : p_.steps) {
    for (const LocalId parameter : step.parameters) add(p_[parameter].name, p_[parameter].type);
  }
  for (const Stmt& stmt : p_.stmts) {
    if (stmt.kind == StmtKind::choose) add(p_[stmt.local].name, p_[stmt.local].type);
  }
}

void Names::add(const std::string& name, TypeId type) {
  auto known = std::find_if(slots_.begin(), slots_.end(), [&](const auto& slot) { return slot.first == name; });
  if (known == slots_.end()) known = slots_.insert(slots_.end(), {name, Numbers{}});
  find_numbers(p_, type, known->second);
}

const ConstDecl* Names::constant(std::string_view name) const {
  for (const ConstDecl& decl : p_.constants) {
    const bool settable = !decl.role.valid() && decl.kind == ConstKind::free && decl.parameters.empty();
    if (settable && decl.name == name) return &decl;
  }
  return nullptr;
}

std::optional<Numbers> Names::slot(std::string_view name) const {
  for (const auto& [known, numbers] : slots_) {
    if (known == name) return numbers;
  }
  return {};
}

std::vector<std::string> Names::all() const {
  std::vector<std::string> names;
  for (const RoleDecl& role : p_.roles) names.push_back(role.name);
  for (const SortDecl& sort : p_.sorts) names.push_back(sort.name);
  for (const auto& [name, numbers] : slots_) {
    if (numbers.natural || numbers.integer || constant(name) != nullptr) names.push_back(name);
  }
  for (const char* name : {"nat", "int", "copies"}) names.emplace_back(name);
  return names;
}

Range hull(Range a, Range b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

/// Numbers further from zero are refused: sums of a few of them still fit, and nothing could enumerate more.
constexpr std::int64_t kWidest = std::int64_t{1} << 40;

}  // namespace

/// Fills one instance, entry by entry.
class InstanceReader {
 public:
  InstanceReader(const Protocol& protocol, Diagnostics& diagnostics)
      : p_(protocol), names_(protocol), diagnostics_(diagnostics) {}

  Instance defaults() const;
  void entry(Instance& to, const InstanceEntry& entry);
  void hulls(Instance& of) const;

 private:
  void error(const InstanceEntry& entry, std::string message, std::string hint = {}) {
    diagnostics_.error("bad-instance", entry.span, std::move(message), std::move(hint));
  }
  bool size(const InstanceEntry& entry, std::string_view of);
  void range(Instance& to, const InstanceEntry& entry);
  void default_range(Range& to, const InstanceEntry& entry);
  void constant(Instance& to, const ConstDecl& decl, const InstanceEntry& entry);
  bool valid_range(const InstanceEntry& entry);

  const Protocol& p_;
  Names names_;
  Diagnostics& diagnostics_;
};

Instance InstanceReader::defaults() const {
  Instance result;
  for (const RoleDecl& role : p_.roles) result.role_sizes_.push_back(role.single ? 1 : kDefaultHosts);
  result.sort_sizes_.assign(p_.sorts.size(), kDefaultSortSize);
  return result;
}

bool InstanceReader::size(const InstanceEntry& entry, std::string_view of) {
  if (entry.is_range) {
    error(entry, fmt::format("'{}' is a {}: it takes a size, not a range", entry.name, of),
          fmt::format("{} = {}", entry.name, std::max<std::int64_t>(1, entry.high)));
  } else if (entry.low < 1) {
    error(entry, fmt::format("{} '{}' has size {}: the least is 1", of, entry.name, entry.low));
  } else if (entry.low > kMaxInstanceSize) {
    error(entry,
          fmt::format("{} '{}' has size {}: at most {} is supported", of, entry.name, entry.low, kMaxInstanceSize));
  } else {
    return true;
  }
  return false;
}

bool InstanceReader::valid_range(const InstanceEntry& entry) {
  if (!entry.is_range) {
    error(entry, fmt::format("'{}' takes a range of numbers, not one value", entry.name),
          fmt::format("{} in {}..{}", entry.name, std::min<std::int64_t>(0, entry.low), entry.low));
  } else if (entry.low > entry.high) {
    error(entry, fmt::format("range {}..{} of '{}' is empty", entry.low, entry.high, entry.name));
  } else if (entry.low < -kWidest || entry.high > kWidest) {
    error(entry, fmt::format("range {0}..{1} of '{2}' leaves -{3}..{3}, which instances can have", entry.low,
                             entry.high, entry.name, kWidest));
  } else {
    return true;
  }
  return false;
}

void InstanceReader::default_range(Range& to, const InstanceEntry& entry) {
  if (!valid_range(entry)) return;
  if (entry.name == "nat" && entry.low < 0) {
    error(entry, fmt::format("range {}..{} of 'nat' goes below zero", entry.low, entry.high));
    return;
  }
  to = {entry.low, entry.high};
}

void InstanceReader::range(Instance& to, const InstanceEntry& entry) {
  const std::optional<Numbers> numbers = names_.slot(entry.name);
  if (!numbers) {
    const std::string near = did_you_mean(entry.name, names_.all());
    diagnostics_.error(
        "unknown-name", entry.span,
        fmt::format("unknown name '{}': an instance names roles, types, constants, fields, variables and parameters",
                    entry.name),
        near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    return;
  }
  if (!numbers->natural && !numbers->integer) {
    error(entry, fmt::format("'{}' holds no numbers: it takes no range", entry.name));
    return;
  }
  if (!valid_range(entry)) return;
  if (numbers->natural && entry.low < 0 && (!numbers->integer || entry.high < 0)) {
    error(entry,
          fmt::format("'{}' is a natural number: its range {}..{} goes below zero", entry.name, entry.low, entry.high));
    return;
  }
  to.ranges_.push_back({entry.name, {entry.low, entry.high}});
}

void InstanceReader::constant(Instance& to, const ConstDecl& decl, const InstanceEntry& entry) {
  const Type& type = p_[decl.type];
  const bool number = type.kind == TypeKind::natural || type.kind == TypeKind::integer;
  if (!number) {
    error(entry, fmt::format("constant '{}' is not a number: an instance cannot give it a value", entry.name),
          "say what it is in the text: 'const NAME: TYPE = VALUE', or an axiom");
  } else if (type.kind == TypeKind::natural && entry.low < 0) {
    error(entry, fmt::format("'{}' is a natural number: it cannot be {}", entry.name, entry.low));
  } else if (entry.low < -kWidest || entry.low > kWidest) {
    error(entry,
          fmt::format("{0} of '{1}' lies outside -{2}..{2}, which instances can have", entry.low, entry.name, kWidest));
  } else {
    to.constants_.emplace_back(entry.name, entry.low);
  }
}

void InstanceReader::entry(Instance& to, const InstanceEntry& entry) {
  if (const auto role = names_.role(entry.name)) {
    if (!size(entry, "role")) return;
    if (p_[*role].single && entry.low != 1) {
      error(entry, fmt::format("role '{}' is single: it has exactly one host", entry.name));
      return;
    }
    to.role_sizes_[role->index()] = entry.low;
  } else if (const auto sort = names_.sort(entry.name)) {
    if (size(entry, "type")) to.sort_sizes_[sort->index()] = entry.low;
  } else if (entry.name == "nat" || entry.name == "int") {
    default_range(entry.name == "nat" ? to.naturals_ : to.integers_, entry);
  } else if (entry.name == "copies" && !names_.slot(entry.name)) {
    if (size(entry, "bound")) to.copies_ = entry.low;
  } else if (const ConstDecl* decl = names_.constant(entry.name); decl != nullptr && !entry.is_range) {
    constant(to, *decl, entry);
  } else {
    range(to, entry);
  }
}

void InstanceReader::hulls(Instance& of) const {
  of.all_naturals_ = of.naturals_;
  of.all_integers_ = of.integers_;
  const auto widen = [&](const std::string& name, Range range) {
    const std::optional<Numbers> numbers = names_.slot(name);
    if (numbers && numbers->natural)
      of.all_naturals_ = hull(of.all_naturals_, {std::max<std::int64_t>(0, range.low), range.high});
    if (numbers && numbers->integer) of.all_integers_ = hull(of.all_integers_, range);
  };
  for (const auto& named : of.ranges_) widen(named.name, named.range);
  for (const auto& [name, value] : of.constants_) widen(name, {value, value});
}

std::optional<Instance> Instance::resolve(const Protocol& protocol, const InstanceDecl* decl,
                                          Diagnostics& diagnostics) {
  Diagnostics found;
  InstanceReader reader(protocol, found);
  Instance result = reader.defaults();
  if (decl != nullptr) {
    result.name_ = decl->name;
    for (std::size_t i = 0; i < decl->entries.size(); ++i) {
      const InstanceEntry& entry = decl->entries[i];
      const auto earlier = std::find_if(decl->entries.begin(), decl->entries.begin() + static_cast<std::ptrdiff_t>(i),
                                        [&](const InstanceEntry& other) { return other.name == entry.name; });
      if (earlier != decl->entries.begin() + static_cast<std::ptrdiff_t>(i)) {
        found.error("bad-instance", entry.span, fmt::format("instance '{}' names '{}' twice", decl->name, entry.name))
            .notes.push_back({earlier->span, "first named here"});
        continue;
      }
      reader.entry(result, entry);
    }
  }
  for (Diagnostic& diagnostic : found.sorted()) diagnostics.add(std::move(diagnostic));
  if (found.has_errors()) return std::nullopt;
  reader.hulls(result);
  return result;
}

Range Instance::numbers(std::string_view slot, TypeKind kind) const {
  for (const NamedRange& named : ranges_) {
    if (named.name != slot) continue;
    if (kind == TypeKind::natural) return {std::max<std::int64_t>(0, named.range.low), named.range.high};
    return named.range;
  }
  return kind == TypeKind::natural ? naturals_ : integers_;
}

Range Instance::all_numbers(TypeKind kind) const { return kind == TypeKind::natural ? all_naturals_ : all_integers_; }

std::optional<std::int64_t> Instance::constant(std::string_view name) const {
  for (const auto& [known, value] : constants_) {
    if (known == name) return value;
  }
  return {};
}

}  // namespace tenet::ir
