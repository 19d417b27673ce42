/// The mutants that `--mutate` makes: one small slip each.
#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "rewrite.h"
#include "tenet/ir/builder.h"
#include "tenet/ir/edit.h"
#include "tenet/ir/printer.h"
#include "walk.h"

namespace tenet::ir {

namespace {

/// Whether an expression, where it stands, makes its condition truer or less
/// true when it becomes truer; neither under `<=>` and the like.
enum class Polarity { positive, negative, none };

Polarity flipped(Polarity polarity) {
  if (polarity == Polarity::none) return polarity;
  return polarity == Polarity::positive ? Polarity::negative : Polarity::positive;
}

class Mutations {
 public:
  explicit Mutations(const Protocol& protocol) : p_(protocol) { seen_.insert(print(protocol)); }

  std::vector<Mutant> run();

 private:
  /// One expression of a step, and how a copy gets another one in its place.
  struct Site {
    StepId step;
    ExprId root;
    std::function<void(Protocol&, ExprId)> put;
  };
  /// What `from` becomes, made in the copy.
  using Make = std::function<ExprId(Protocol&)>;

  void step(StepId id);
  void condition(const Site& site);
  void conjuncts(const Site& site, ExprId id);
  void comparisons(const Site& site, ExprId id, Polarity polarity);
  void comparison(const Site& site, ExprId id, Polarity polarity);
  void thresholds(const Site& site);
  void threshold(const Site& site, ExprId id);
  void statement(const Site& site, StmtId id);
  void replace(const Site& site, MutationKind kind, ExprId from, const Make& make);
  void drop(StepId step, StmtId stmt, MutationKind kind);
  void keep(MutationKind kind, StepId step, const std::string& what, Span span, Protocol protocol);
  [[nodiscard]] bool counts(ExprId id) const;
  [[nodiscard]] bool is_threshold(const Expr& e) const;
  [[nodiscard]] bool whole_role(ExprId id) const { return p_[id].op == Op::all_hosts; }

  const Protocol& p_;
  std::set<std::string> seen_;
  std::vector<Mutant> mutants_;
};

void Mutations::keep(MutationKind kind, StepId step, const std::string& what, Span span, Protocol protocol) {
  if (!seen_.insert(print(protocol)).second) return;
  mutants_.push_back({kind, fmt::format("{}: {}", place(p_, step), what), span, std::move(protocol)});
}

void Mutations::replace(const Site& site, MutationKind kind, ExprId from, const Make& make) {
  Protocol copy = p_;
  const ExprId to = make(copy);
  const std::string before = to_source(copy, from);
  const std::string what = kind == MutationKind::drop_conjunct
                               ? fmt::format("drop '{}'", before)
                               : fmt::format("replace '{}' by '{}'", before, to_source(copy, to));
  const ExprId root = replaced(copy, site.root, from, to);
  site.put(copy, root);
  keep(kind, site.step, what, p_[from].span, std::move(copy));
}

void Mutations::drop(StepId step, StmtId stmt, MutationKind kind) {
  keep(kind, step, fmt::format("drop '{}'", to_source(p_, stmt)), p_[stmt].span, apply(p_, {DropStmt{stmt}}));
}

void Mutations::conjuncts(const Site& site, ExprId id) {
  if (p_[id].op == Op::and_) {
    for (const ExprId arg : p_[id].args) conjuncts(site, arg);
    return;
  }
  replace(site, MutationKind::drop_conjunct, id, [](Protocol& copy) { return Builder(copy).boolean(true); });
}

/// Whether a number has to do with how many hosts or elements there are.
bool Mutations::counts(ExprId id) const {
  bool found = false;
  for_each_expr(p_, id, [&](ExprId part) { found |= p_[part].op == Op::cardinality || p_[part].op == Op::role_size; });
  return found;
}

bool Mutations::is_threshold(const Expr& e) const {
  switch (e.op) {
    case Op::majority:
      return true;
    case Op::eq: {
      if (whole_role(e.args[0]) || whole_role(e.args[1])) return true;
      const TypeKind kind = p_[p_[e.args[0]].type].kind;
      return (kind == TypeKind::natural || kind == TypeKind::integer) && (counts(e.args[0]) || counts(e.args[1]));
    }
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
      return counts(e.args[0]) || counts(e.args[1]);
    default:
      return false;
  }
}

void Mutations::comparison(const Site& site, ExprId id, Polarity polarity) {
  const Expr& e = p_[id];
  if (polarity == Polarity::none || is_threshold(e)) return;
  const bool weaker = polarity == Polarity::positive;
  const Op softer = e.op == Op::lt ? Op::le : e.op == Op::gt ? Op::ge : e.op;
  const Op harder = e.op == Op::le ? Op::lt : e.op == Op::ge ? Op::gt : e.op;
  const Op other = weaker ? softer : harder;
  replace(site, MutationKind::weaken_comparison, id, [&](Protocol& copy) {
    Builder make(copy);
    make.at(p_[id].span);
    if (other == p_[id].op) return make.boolean(weaker);
    return make.binary(other, p_[id].args[0], p_[id].args[1]);
  });
}

void Mutations::comparisons(const Site& site, ExprId id, Polarity polarity) {
  const Expr& e = p_[id];
  const auto below = [&](std::size_t i, Polarity part) { comparisons(site, e.args[i], part); };
  switch (e.op) {
    case Op::not_:
      return below(0, flipped(polarity));
    case Op::implies:
      below(0, flipped(polarity));
      return below(1, polarity);
    case Op::iff:
      below(0, Polarity::none);
      return below(1, Polarity::none);
    case Op::eq:
    case Op::ne:
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
    case Op::contains:
    case Op::subset:
    case Op::map_has:
      comparison(site, id, polarity);
      polarity = Polarity::none;
      break;
    default:
      break;
  }
  for (const ExprId arg : e.args) {
    if (arg.valid()) comparisons(site, arg, polarity);
  }
}

void Mutations::threshold(const Site& site, ExprId id) {
  const Expr& e = p_[id];
  if (!is_threshold(e)) return;
  replace(site, MutationKind::shrink_threshold, id, [&](Protocol& copy) {
    Builder make(copy);
    make.at(e.span);
    const auto one = [&](ExprId like) {
      return p_[p_[like].type].kind == TypeKind::natural ? make.natural(1) : make.integer(1);
    };
    const auto role_of = [&](ExprId set) { return RoleId(p_[p_[p_[set].type].first].declaration); };
    if (e.op == Op::majority) {  // half is enough
      const ExprId twice = make.binary(Op::mul, make.natural(2), make.unary(Op::cardinality, e.args[0]));
      return make.binary(Op::ge, twice, make.role_size(role_of(e.args[0])));
    }
    const bool left_is_all = whole_role(e.args[0]);
    if (left_is_all || whole_role(e.args[1])) {  // all but one
      const ExprId set = e.args[left_is_all ? 1 : 0];
      const ExprId more = make.binary(Op::add, make.unary(Op::cardinality, set), make.natural(1));
      return make.binary(Op::ge, more, make.role_size(role_of(set)));
    }
    if (e.op == Op::lt) return make.binary(Op::le, e.args[0], e.args[1]);
    if (e.op == Op::gt) return make.binary(Op::ge, e.args[0], e.args[1]);
    // One more on the side that has to be large: never one less on the other,
    // which could go below zero.
    const auto cardinality_in = [&](ExprId side) {
      bool found = false;
      for_each_expr(p_, side, [&](ExprId part) { found |= p_[part].op == Op::cardinality; });
      return found;
    };
    const bool right_is_large = e.op == Op::le || (e.op == Op::eq && !cardinality_in(e.args[0]));
    const ExprId large = e.args[right_is_large ? 1 : 0];
    const ExprId small = e.args[right_is_large ? 0 : 1];
    const ExprId more = make.binary(Op::add, large, one(large));
    return right_is_large ? make.binary(Op::le, small, more) : make.binary(Op::ge, more, small);
  });
}

void Mutations::thresholds(const Site& site) {
  std::set<ExprId> once;
  for_each_expr(p_, site.root, [&](ExprId id) {
    if (once.insert(id).second) threshold(site, id);
  });
}

void Mutations::condition(const Site& site) {
  conjuncts(site, site.root);
  comparisons(site, site.root, Polarity::positive);
  thresholds(site);
}

void Mutations::statement(const Site& site, StmtId id) {
  const Stmt& stmt = p_[id];
  const bool is_condition = stmt.kind == StmtKind::if_ || stmt.kind == StmtKind::choose;
  if (stmt.value.valid()) {
    const auto put = [id](Protocol& copy, ExprId root) { copy.stmts[id.index()].value = root; };
    const Site value{site.step, stmt.value, put};
    is_condition ? condition(value) : thresholds(value);
  }
  for (std::size_t i = 0; i < stmt.args.size(); ++i) {
    thresholds(
        {site.step, stmt.args[i], [id, i](Protocol& copy, ExprId root) { copy.stmts[id.index()].args[i] = root; }});
  }
  if (stmt.kind == StmtKind::assign) drop(site.step, id, MutationKind::drop_assignment);
  if (stmt.kind == StmtKind::send) drop(site.step, id, MutationKind::drop_send);
}

void Mutations::step(StepId id) {
  const Step& step = p_[id];
  const Site guard{id, step.guard, [id](Protocol& copy, ExprId root) { copy.steps[id.index()].guard = root; }};
  condition(guard);
  for_each_stmt(p_, step.body, [&](StmtId stmt) { statement(guard, stmt); });
}

std::vector<Mutant> Mutations::run() {
  for (std::size_t i = 0; i < p_.steps.size(); ++i) step(StepId(i));
  std::vector<std::pair<std::uint32_t, std::size_t>> order;
  for (std::size_t i = 0; i < mutants_.size(); ++i) order.emplace_back(mutants_[i].span.begin, i);
  std::sort(order.begin(), order.end());
  std::vector<Mutant> sorted;
  sorted.reserve(mutants_.size());
  for (const auto& [begin, i] : order) sorted.push_back(std::move(mutants_[i]));
  return sorted;
}

}  // namespace

std::vector<Mutant> mutants(const Protocol& protocol) { return Mutations(protocol).run(); }

}  // namespace tenet::ir
