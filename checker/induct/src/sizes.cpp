#include "sizes.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "tenet/induct/questions.h"

namespace tenet::induct {

namespace {

struct Bounds {
  std::int64_t least = 1;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

/// What the axioms say of the sizes of types, as far as it can be read off.
class Sizes {
 public:
  explicit Sizes(const ir::Protocol& protocol) : p_(protocol), bounds_(protocol.sorts.size()) {
    for (const ir::Formula& axiom : p_.axioms) axiom_of(axiom.formula);
    for (std::size_t s = 0; s < bounds_.size(); ++s) {
      Bounds& bounds = bounds_[s];
      bounds.least = std::max(bounds.least, told_apart(ir::SortId(s)));
      bounds.most = std::max(bounds.most, bounds.least);
    }
  }
  [[nodiscard]] const std::vector<Bounds>& bounds() const { return bounds_; }

 private:
  void axiom_of(ir::ExprId id) {
    const ir::Expr& e = p_[id];
    if (e.op == ir::Op::and_) {
      for (const ir::ExprId arg : e.args) axiom_of(arg);
    } else if (e.op == ir::Op::ne) {
      differ(e.args[0], e.args[1]);
    } else if (e.op == ir::Op::not_ && p_[e.args[0]].op == ir::Op::eq) {
      differ(p_[e.args[0]].args[0], p_[e.args[0]].args[1]);
    } else if (e.op == ir::Op::forall && e.binders.size() == 1 && e.args.size() == 1) {
      listed(e.binders[0], e.args[0]);
    }
  }
  [[nodiscard]] bool is_constant(ir::ExprId id) const {
    return p_[id].op == ir::Op::global_const && p_[id].args.empty();
  }
  void differ(ir::ExprId a, ir::ExprId b) {
    if (!is_constant(a) || !is_constant(b)) return;
    apart_.insert(std::minmax(p_[a].ref, p_[b].ref));
  }
  /// `x = a or x = b or …` for every `x`.
  void listed(ir::LocalId binder, ir::ExprId body) {
    const ir::Type& type = p_[p_[binder].type];
    if (type.kind != ir::TypeKind::sort) return;
    const std::vector<ir::ExprId> parts = p_[body].op == ir::Op::or_ ? p_[body].args : std::vector{body};
    std::set<std::uint32_t> values;
    for (const ir::ExprId part : parts) {
      const ir::Expr& e = p_[part];
      if (e.op != ir::Op::eq) return;
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const ir::Expr& variable = p_[e.args[side]];
        if (variable.op != ir::Op::local || variable.ref != binder.value || !is_constant(e.args[1 - side])) continue;
        values.insert(p_[e.args[1 - side]].ref);
      }
    }
    if (values.empty() || values.size() < parts.size()) return;
    Bounds& bounds = bounds_[type.declaration];
    bounds.most = std::min(bounds.most, static_cast<std::int64_t>(values.size()));
  }
  /// So many constants of the type differ from one another; one greedy choice.
  [[nodiscard]] std::int64_t told_apart(ir::SortId sort) const {
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t c = 0; c < p_.constants.size(); ++c) {
      const ir::Type& type = p_[p_.constants[c].type];
      if (type.kind != ir::TypeKind::sort || type.declaration != sort.value || !p_.constants[c].parameters.empty()) {
        continue;
      }
      const bool fits = std::all_of(chosen.begin(), chosen.end(),
                                    [&](std::uint32_t other) { return apart_.count(std::minmax(other, c)) > 0; });
      if (fits) chosen.push_back(c);
    }
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(chosen.size()));
  }

  const ir::Protocol& p_;
  std::vector<Bounds> bounds_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> apart_;
};

std::vector<std::int64_t> values_of_about(const std::vector<Bounds>& bounds, std::int64_t size) {
  std::vector<std::int64_t> values;
  for (const Bounds& each : bounds) values.push_back(std::clamp(size, each.least, each.most));
  return values;
}

}  // namespace

ir::Instance instance_of_about(const ir::Protocol& protocol, std::int64_t size) {
  return instance_of_about(protocol, size, size);
}

ir::Instance instance_of_about(const ir::Protocol& protocol, std::int64_t size, std::int64_t numbers) {
  const Sizes sizes(protocol);
  return instance_of_size(protocol, std::vector<std::int64_t>(protocol.roles.size(), size),
                          values_of_about(sizes.bounds(), size), numbers);
}

std::vector<ir::Instance> instances_up_to(const ir::Protocol& protocol, std::int64_t largest) {
  const Sizes sizes(protocol);
  const bool single =
      std::all_of(protocol.roles.begin(), protocol.roles.end(), [](const ir::RoleDecl& role) { return role.single; });
  bool numbers = false;
  for (std::size_t t = 0; t < protocol.types.size(); ++t) {
    const ir::TypeKind kind = protocol[ir::TypeId(t)].kind;
    numbers |= kind == ir::TypeKind::integer || kind == ir::TypeKind::natural;
  }
  std::set<std::pair<std::vector<std::int64_t>, std::int64_t>> seen;
  std::vector<ir::Instance> made;
  const auto add = [&](const std::vector<std::int64_t>& values, std::int64_t size) {
    // Hosts and numbers grow with the size even where the types do not.
    if (!seen.insert({values, single && !numbers ? 0 : size}).second) return;
    made.push_back(instance_of_size(protocol, std::vector<std::int64_t>(protocol.roles.size(), size), values, size));
  };
  const std::vector<std::int64_t> smallest = values_of_about(sizes.bounds(), 1);
  for (std::int64_t size = 1; size <= largest; ++size) {
    const std::vector<std::int64_t> all = values_of_about(sizes.bounds(), size);
    for (std::size_t s = 0; single && size > 1 && s < all.size(); ++s) {
      std::vector<std::int64_t> one = smallest;
      one[s] = all[s];
      add(one, size);
    }
    add(all, size);
  }
  return made;
}

}  // namespace tenet::induct
