#include "tenet/ir/confined.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "walk.h"

namespace tenet::ir {

namespace {

/// The set over whose elements a node binds, if it does.
ExprId set_of(const Expr& e) {
  if (e.op == Op::set_build) return e.args[0];
  const bool quantifier = e.op == Op::forall || e.op == Op::exists || e.op == Op::sum;
  return quantifier && e.args.size() > 1 ? e.args[1] : ExprId{};
}

/// Deeper types do not have finitely many values anyway.
constexpr int kDeepest = 200;

/// One number in a value of a binder's type.
struct Leaf {
  std::vector<std::uint32_t> path;  ///< fields that lead to it from the value
  /// The numbers that the instance has there; none where they lie in an option, set, map or function.
  std::optional<Range> range;
};

/// Whether a value of the type has numbers in it.
bool has_numbers(const Protocol& p, TypeId id, int depth = 0) {
  if (depth > kDeepest) return true;
  const Type& type = p[id];
  switch (type.kind) {
    case TypeKind::boolean:
    case TypeKind::enumeration:
    case TypeKind::sort:
    case TypeKind::host:
      return false;
    case TypeKind::structure: {
      const std::vector<FieldDecl>& fields = p.structs[type.declaration].fields;
      return std::any_of(fields.begin(), fields.end(),
                         [&](const FieldDecl& field) { return has_numbers(p, field.type, depth + 1); });
    }
    case TypeKind::option:
    case TypeKind::set:
      return has_numbers(p, type.first, depth + 1);
    case TypeKind::map:
    case TypeKind::function:
      return has_numbers(p, type.first, depth + 1) || has_numbers(p, type.second, depth + 1);
    default:
      return true;
  }
}

bool functions_of_numbers(const Protocol& p, TypeId id, int depth = 0) {
  if (depth > kDeepest) return true;
  const Type& type = p[id];
  switch (type.kind) {
    case TypeKind::function:
      return has_numbers(p, type.first) || functions_of_numbers(p, type.second, depth + 1);
    case TypeKind::option:
    case TypeKind::set:
      return functions_of_numbers(p, type.first, depth + 1);
    case TypeKind::map:
      return functions_of_numbers(p, type.first, depth + 1) || functions_of_numbers(p, type.second, depth + 1);
    case TypeKind::structure: {
      const std::vector<FieldDecl>& fields = p.structs[type.declaration].fields;
      return std::any_of(fields.begin(), fields.end(),
                         [&](const FieldDecl& field) { return functions_of_numbers(p, field.type, depth + 1); });
    }
    default:
      return false;
  }
}

}  // namespace

bool has_functions_of_numbers(const Protocol& protocol, TypeId type) { return functions_of_numbers(protocol, type); }

class Confinement {
 public:
  Confinement(const Protocol& protocol, const Instance& instance, const OpenQuantifiers& locals, ExprId quantifier)
      : p_(protocol), instance_(instance), locals_(locals), e_(protocol[quantifier]) {}

  bool open();

 private:
  enum class Side { below, above, beside };

  [[nodiscard]] bool collect(TypeId type, const std::string& slot, std::vector<std::uint32_t> path,
                             std::vector<Leaf>& leaves) const;
  bool confined(LocalId binder);
  bool body_settles() const;

  /// Whether a value outside makes the formula `wanted`.
  [[nodiscard]] bool settles(ExprId id, bool wanted) const;
  /// Whether, if the formula is `wanted` for all values of the instance, it is for those outside.
  [[nodiscard]] bool follows(ExprId id, bool wanted) const;
  [[nodiscard]] bool mentions(ExprId id) const;
  /// Whether the expression is the bound variable, or fields of it on the way to the number.
  [[nodiscard]] std::optional<std::size_t> chain(ExprId id) const;
  [[nodiscard]] bool is_number(ExprId id) const;
  [[nodiscard]] bool at_least_number(ExprId id) const;
  /// Whether a value of the instance cannot be equal to this one.
  [[nodiscard]] bool carries(ExprId id) const;
  [[nodiscard]] bool differ(ExprId a, ExprId b) const;
  [[nodiscard]] bool compares(ExprId less, ExprId more, bool strict, bool wanted) const;
  [[nodiscard]] bool any(const std::vector<ExprId>& args, const auto& test) const {
    return std::any_of(args.begin(), args.end(), test);
  }
  [[nodiscard]] bool all(const std::vector<ExprId>& args, const auto& test) const {
    return std::all_of(args.begin(), args.end(), test);
  }

  /// Where the value of a number lies, if the instance bounds it.
  [[nodiscard]] std::optional<Range> bounds(ExprId id) const;
  [[nodiscard]] std::optional<Range> constant_bounds(const Expr& e) const;
  [[nodiscard]] bool bounded_local(LocalId local) const;
  /// Whether all numbers in a value lie in the instance.
  [[nodiscard]] bool inside(ExprId id) const;
  [[nodiscard]] bool inside_at(const Expr& apply) const;

  const Protocol& p_;
  const Instance& instance_;
  const OpenQuantifiers& locals_;
  const Expr& e_;
  std::set<LocalId> loose_;  ///< may be outside: binders that are not shown to be confined, and what is bound inside
  LocalId binder_;
  const Leaf* leaf_ = nullptr;
  Side side_ = Side::beside;
};

/// False: there are functions of numbers in it, of which an instance knows only parts.
bool Confinement::collect(TypeId id, const std::string& slot, std::vector<std::uint32_t> path,
                          std::vector<Leaf>& leaves) const {
  if (!has_numbers(p_, id)) return true;
  const Type& type = p_[id];
  switch (type.kind) {
    case TypeKind::natural:
    case TypeKind::integer:
      leaves.push_back({std::move(path), slot.empty() ? instance_.all_numbers(type.kind)  //
                                                      : instance_.numbers(slot, type.kind)});
      return true;
    case TypeKind::structure: {
      if (path.size() > kDeepest) return false;
      const std::vector<FieldDecl>& fields = p_.structs[type.declaration].fields;
      for (std::uint32_t i = 0; i < fields.size(); ++i) {
        std::vector<std::uint32_t> longer = path;
        longer.push_back(i);
        if (!collect(fields[i].type, fields[i].name, std::move(longer), leaves)) return false;
      }
      return true;
    }
    case TypeKind::option:
    case TypeKind::set:
    case TypeKind::map:
      leaves.push_back({std::move(path), {}});
      return true;
    case TypeKind::function:
      leaves.push_back({std::move(path), {}});
      return !has_numbers(p_, type.first);
    default:
      return false;
  }
}

bool Confinement::open() {
  for (const LocalId binder : e_.binders) {
    if (has_numbers(p_, p_[binder].type)) loose_.insert(binder);
  }
  if (loose_.empty()) return false;
  std::vector<LocalId> left(loose_.begin(), loose_.end());
  const ExprId body = e_.op == Op::set_build ? e_.args[1] : e_.args[0];
  for_each_expr(p_, body, [&](ExprId id) {
    for (const LocalId inner : p_[id].binders) loose_.insert(inner);
  });
  // What is confined helps to confine the others.
  for (bool changed = true; changed && !left.empty();) {
    changed = std::erase_if(left, [&](LocalId binder) {
                if (!confined(binder)) return false;
                loose_.erase(binder);
                return true;
              }) > 0;
  }
  return !left.empty();
}

bool Confinement::confined(LocalId binder) {
  binder_ = binder;
  std::vector<Leaf> leaves;
  if (!collect(p_[binder].type, "", {}, leaves)) return false;
  return std::all_of(leaves.begin(), leaves.end(), [&](const Leaf& leaf) {
    leaf_ = &leaf;
    if (!leaf.range) {
      side_ = Side::beside;
      return body_settles();
    }
    side_ = Side::above;
    if (!body_settles()) return false;
    side_ = Side::below;
    // There are no naturals below 0.
    TypeId type = p_[binder].type;
    for (const std::uint32_t field : leaf.path) type = p_.structs[p_[type].declaration].fields[field].type;
    return (p_[type].kind == TypeKind::natural && leaf.range->low <= 0) || body_settles();
  });
}

bool Confinement::body_settles() const {
  switch (e_.op) {
    case Op::forall:
      return follows(e_.args[0], true);
    case Op::exists:
      return follows(e_.args[0], false);
    case Op::set_build:
      return settles(e_.args[1], false);
    default: {  // sum: what is outside adds nothing
      const Expr& summand = p_[e_.args[0]];
      const auto zero = [&](ExprId id) { return p_[id].op == Op::int_literal && p_[id].value == 0; };
      return summand.op == Op::ite && ((zero(summand.args[2]) && settles(summand.args[0], false)) ||
                                       (zero(summand.args[1]) && settles(summand.args[0], true)));
    }
  }
}

bool Confinement::mentions(ExprId id) const {
  bool found = false;
  for_each_expr(p_, id,
                [&](ExprId each) { found = found || (p_[each].op == Op::local && p_[each].ref == binder_.value); });
  return found;
}

bool Confinement::follows(ExprId id, bool wanted) const {
  if (!mentions(id) || settles(id, wanted)) return true;
  const Expr& e = p_[id];
  const auto one = [&](const std::vector<ExprId>& args) {
    return std::count_if(args.begin(), args.end(), [&](ExprId arg) { return mentions(arg); }) == 1;
  };
  const auto each = [&](ExprId arg) { return follows(arg, wanted); };
  switch (e.op) {
    case Op::not_:
      return follows(e.args[0], !wanted);
    case Op::and_:
    case Op::or_:
      return ((e.op == Op::and_) == wanted || one(e.args)) && all(e.args, each);
    case Op::implies:
      return (!wanted || one(e.args)) && follows(e.args[0], !wanted) && follows(e.args[1], wanted);
    case Op::forall:
    case Op::exists:
      return (e.op == Op::forall) == wanted && e.args.size() == 1 && follows(e.args[0], wanted);
    default:
      return false;
  }
}

bool Confinement::settles(ExprId id, bool wanted) const {
  const Expr& e = p_[id];
  const auto arg = [&](std::size_t i, bool value) { return settles(e.args[i], value); };
  const auto each = [&](ExprId a) { return settles(a, wanted); };
  switch (e.op) {
    case Op::bool_literal:
      return (e.value != 0) == wanted;
    case Op::not_:
      return arg(0, !wanted);
    case Op::and_:
      return wanted ? all(e.args, each) : any(e.args, each);
    case Op::or_:
      return wanted ? any(e.args, each) : all(e.args, each);
    case Op::implies:
      return wanted ? arg(0, false) || arg(1, true) : arg(0, true) && arg(1, false);
    case Op::ite:
      return arg(1, wanted) && arg(2, wanted);
    case Op::forall:
    case Op::exists:
      return wanted == (e.op == Op::forall) && arg(0, wanted);
    case Op::old:
      return arg(0, wanted);
    case Op::eq:
      return !wanted && (differ(e.args[0], e.args[1]) || differ(e.args[1], e.args[0]));
    case Op::ne:
      return wanted && (differ(e.args[0], e.args[1]) || differ(e.args[1], e.args[0]));
    case Op::lt:
    case Op::le:
      return compares(e.args[0], e.args[1], e.op == Op::lt, wanted);
    case Op::gt:
    case Op::ge:
      return compares(e.args[1], e.args[0], e.op == Op::gt, wanted);
    case Op::contains:
    case Op::subset:
      return !wanted && carries(e.args[0]) && inside(e.args[1]);
    case Op::map_has:
      return !wanted && carries(e.args[1]) && inside(e.args[0]);
    case Op::sent: {
      const std::size_t fields = p_[MessageId(e.ref)].fields.size();
      for (std::size_t i = 0; i < fields && !wanted; ++i) {
        if (e.args[i].valid() && carries(e.args[i])) return true;
      }
      return false;
    }
    default:
      return false;
  }
}

std::optional<std::size_t> Confinement::chain(ExprId id) const {
  const Expr& e = p_[id];
  if (e.op == Op::local && e.ref == binder_.value) return 0;
  if (e.op != Op::field) return {};
  const std::optional<std::size_t> length = chain(e.args[0]);
  if (!length || *length >= leaf_->path.size() || leaf_->path[*length] != e.ref) return {};
  return *length + 1;
}

bool Confinement::is_number(ExprId id) const { return leaf_->range && chain(id) == leaf_->path.size(); }

bool Confinement::at_least_number(ExprId id) const {
  if (is_number(id)) return true;
  const Expr& e = p_[id];
  if (e.op == Op::to_int) return at_least_number(e.args[0]);
  if (e.op != Op::add || p_[e.type].kind != TypeKind::natural) return false;
  return any(e.args, [&](ExprId arg) { return at_least_number(arg); });
}

bool Confinement::carries(ExprId id) const {
  if (const std::optional<std::size_t> length = chain(id)) {
    // A field alone may hold fewer numbers than the instance has elsewhere.
    const bool narrow = *length == leaf_->path.size() && *length > 0;
    return !narrow || (leaf_->range && *leaf_->range == instance_.all_numbers(p_[p_[id].type].kind));
  }
  const Expr& e = p_[id];
  const auto each = [&](ExprId arg) { return carries(arg); };
  switch (e.op) {
    case Op::some:
    case Op::old:
    case Op::to_int:
      return each(e.args[0]) && e.op != Op::to_int;
    case Op::make_struct:
    case Op::set_literal:
    case Op::set_union:
      return any(e.args, each);
    case Op::with_field:
      return each(e.args[1]);
    default:
      return false;
  }
}

bool Confinement::differ(ExprId a, ExprId b) const {
  if (is_number(a)) {
    const std::optional<Range> range = bounds(b);
    if (range && range->low >= leaf_->range->low && range->high <= leaf_->range->high) return true;
  }
  return carries(a) && inside(b);
}

/// `less < more` or `less <= more`. What is outside is at least 1 beyond the range.
bool Confinement::compares(ExprId less, ExprId more, bool strict, bool wanted) const {
  if (!leaf_->range) return false;
  const ExprId number = (side_ == Side::above) == wanted ? more : less;
  const std::optional<Range> other = bounds(number == less ? more : less);
  if (!other) return false;
  const std::int64_t slack = strict == wanted ? 0 : 1;
  if (side_ == Side::above) return at_least_number(number) && other->high <= leaf_->range->high + slack;
  return is_number(number) && other->low >= leaf_->range->low - slack;
}

std::optional<Range> Confinement::constant_bounds(const Expr& e) const {
  const ConstDecl& decl = p_[ConstId(e.ref)];
  if (decl.kind != ConstKind::free) return {};
  if (e.op == Op::global_const && e.args.empty()) {
    if (const auto given = instance_.constant(decl.name)) return Range{*given, *given};
  }
  return instance_.numbers(decl.name, p_[decl.type].kind);
}

/// Whether what is bound to it lies in the instance.
bool Confinement::bounded_local(LocalId local) const {
  if (loose_.contains(local) || local.index() >= locals_.computed_.size() || locals_.computed_[local.index()])
    return false;
  const ExprId set = locals_.element_of_[local.index()];
  return !set.valid() || inside(set);
}

std::optional<Range> Confinement::bounds(ExprId id) const {
  const Expr& e = p_[id];
  const TypeKind kind = p_[e.type].kind;
  const auto everywhere = [&](bool is_inside) {
    return is_inside ? std::optional(instance_.all_numbers(kind)) : std::nullopt;
  };
  switch (e.op) {
    case Op::int_literal:
      return Range{e.value, e.value};
    case Op::role_size:
      return Range{instance_.hosts(RoleId(e.ref)), instance_.hosts(RoleId(e.ref))};
    case Op::state_var:
      return instance_.numbers(p_[VarId(e.ref)].name, kind);
    case Op::host_const:
    case Op::global_const:
      return constant_bounds(e);
    case Op::local:
      return everywhere(bounded_local(LocalId(e.ref)));
    case Op::field:
      if (!inside(e.args[0])) return {};
      return instance_.numbers(p_.structs[p_[p_[e.args[0]].type].declaration].fields[e.ref].name, kind);
    case Op::get:
    case Op::map_get:
      return everywhere(inside(e.args[0]));
    case Op::apply:
      return everywhere(inside_at(e));
    case Op::old:
    case Op::to_int:
      return bounds(e.args[0]);
    case Op::ite: {
      const std::optional<Range> a = bounds(e.args[1]);
      const std::optional<Range> b = bounds(e.args[2]);
      if (!a || !b) return {};
      return Range{std::min(a->low, b->low), std::max(a->high, b->high)};
    }
    default:
      return {};
  }
}

/// A function of numbers has values outside at arguments outside.
bool Confinement::inside_at(const Expr& apply) const {
  const Expr& function = p_[apply.args[0]];
  if (!functions_of_numbers(p_, function.type)) return inside(apply.args[0]);
  const bool stored =
      function.op == Op::state_var || ((function.op == Op::host_const || function.op == Op::global_const) &&
                                       p_[ConstId(function.ref)].kind == ConstKind::free);
  return stored && !functions_of_numbers(p_, apply.type) && inside(apply.args[1]);
}

bool Confinement::inside(ExprId id) const {
  const Expr& e = p_[id];
  if (!has_numbers(p_, e.type)) return true;
  if (functions_of_numbers(p_, e.type)) return false;
  const TypeKind kind = p_[e.type].kind;
  if (kind == TypeKind::natural || kind == TypeKind::integer) {
    const std::optional<Range> range = bounds(id);
    const Range whole = instance_.all_numbers(kind);
    return range && range->low >= whole.low && range->high <= whole.high;
  }
  const auto each = [&](ExprId arg) { return inside(arg); };
  switch (e.op) {
    case Op::none:
    case Op::empty_map:
    case Op::state_var:
      return true;
    case Op::host_const:
    case Op::global_const:
      return p_[ConstId(e.ref)].kind == ConstKind::free;
    case Op::local:
      return bounded_local(LocalId(e.ref));
    case Op::some:
    case Op::get:
    case Op::field:
    case Op::set_intersection:
    case Op::set_difference:
    case Op::map_get:
    case Op::map_remove:
    case Op::map_keys:
    case Op::old:
      return each(e.args[0]);
    case Op::apply:
      return inside_at(e);
    case Op::set_literal:
    case Op::set_union:
      return all(e.args, each);
    case Op::ite:
      return each(e.args[1]) && each(e.args[2]);
    case Op::set_build:
      return e.args[0].valid() && each(e.args[0]);
    default:
      return false;
  }
}

OpenQuantifiers::OpenQuantifiers(const Protocol& protocol)
    : computed_(protocol.locals.size()), element_of_(protocol.locals.size()) {
  for (const Stmt& stmt : protocol.stmts) {
    if (stmt.kind == StmtKind::let) computed_[stmt.local.index()] = true;
  }
  for (const Expr& e : protocol.exprs) {
    const ExprId set = set_of(e);
    if (!set.valid()) continue;
    const std::size_t local = e.binders.front().index();
    if (element_of_[local].valid() && element_of_[local] != set) computed_[local] = true;
    element_of_[local] = set;
  }
}

bool OpenQuantifiers::contain(const Protocol& protocol, const Instance& instance, ExprId id) const {
  const Expr& e = protocol[id];
  const bool quantifier = e.op == Op::forall || e.op == Op::exists || e.op == Op::sum || e.op == Op::set_build;
  return quantifier && !set_of(e).valid() && Confinement(protocol, instance, *this, id).open();
}

}  // namespace tenet::ir
