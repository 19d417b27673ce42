#include "views.h"

#include <algorithm>
#include <map>

#include "tenet/ir/builder.h"

namespace tenet::learn {

using ir::ExprId;
using ir::Op;

namespace {
/// "A message is sent" says that there is what is not said of it: an end, a field.
void anybody(const ir::Protocol& p, const ir::Expr& sent, const std::set<ir::TypeId>& outer, std::set<Sorts>& out) {
  const ir::MessageId message(sent.ref);
  const std::size_t fields = p[message].fields.size();
  const auto there_is = [&](ir::TypeId type) {
    for (const ir::TypeId from : outer) out.emplace(from, type);
  };
  for (std::size_t i = 0; i < fields; ++i) {
    if (!sent.args[i].valid()) there_is(p[message].fields[i].type);
  }
  const Ends ends = ends_of(p, message);
  for (const bool sender : {true, false}) {
    const std::size_t at = fields + (sender ? 0 : 1);
    if (at < sent.args.size() && sent.args[at].valid()) continue;
    for (const ir::RoleId role : sender ? ends.from : ends.to) {
      for (std::size_t t = 0; t < p.types.size(); ++t) {
        const ir::Type& type = p[ir::TypeId(t)];
        if (type.kind == ir::TypeKind::host && type.declaration == role.value) there_is(ir::TypeId(t));
      }
    }
  }
}
}  // namespace

void arrows(const ir::Protocol& p, ExprId id, bool positive, std::set<ir::TypeId> outer, std::set<Sorts>& out) {
  const ir::Expr& node = p[id];
  switch (node.op) {
    case Op::not_:
      return arrows(p, node.args[0], !positive, std::move(outer), out);
    case Op::implies:
      arrows(p, node.args[0], !positive, outer, out);
      return arrows(p, node.args[1], positive, std::move(outer), out);
    case Op::iff:
      for (const bool sign : {false, true}) {
        for (const ExprId arg : node.args) arrows(p, arg, sign, outer, out);
      }
      return;
    case Op::and_:
    case Op::or_:
      for (const ExprId arg : node.args) arrows(p, arg, positive, outer, out);
      return;
    case Op::forall:
    case Op::exists:
      for (const ir::LocalId binder : node.binders) {
        const ir::TypeId type = p[binder].type;
        if ((node.op == Op::forall) == positive) {
          outer.insert(type);
        } else {
          for (const ir::TypeId from : outer) out.emplace(from, type);
        }
      }
      return arrows(p, node.args[0], positive, std::move(outer), out);
    case Op::sent:
      if (positive) anybody(p, node, outer, out);
      return;
    default:
      return;
  }
}

bool leads(const std::set<Sorts>& arrows, ir::TypeId from, ir::TypeId to) {
  std::set<ir::TypeId> seen;
  const std::function<bool(ir::TypeId)> go = [&](ir::TypeId at) {
    if (at == to) return true;
    if (!seen.insert(at).second) return false;
    return std::any_of(arrows.begin(), arrows.end(), [&](const Sorts& a) { return a.first == at && go(a.second); });
  };
  return go(from);
}

Views::Size Views::add(const Template& shape, const std::vector<Sample>& samples, unsigned threads,
                       const std::function<bool()>& stop) {
  auto view = std::make_unique<View>();
  view->vocabulary = make_vocabulary(protocol_, shape);
  view->table = std::make_unique<Table>(protocol_, view->vocabulary);
  view->table->fill(samples, shape.existential, threads);
  for (Literal l = 0; l < view->table->literals(); ++l) {
    std::set<ir::TypeId> outer;
    for (const std::size_t x : view->table->variables(l)) outer.insert(view->vocabulary.variables[x].type);
    std::set<Sorts> made;
    if ((*view->table)[l].usable) arrows(protocol_, literal_of(*view, l), true, std::move(outer), made);
    view->arrows.emplace_back(made.begin(), made.end());
  }
  view->all = std::make_unique<Pool>(*view->table, shape.literals);
  if (!stop()) view->all->enumerate(stop);
  view->pool = std::make_unique<Pool>(*view->all);
  const Size size{view->vocabulary.atoms.size(), view->table->literals(), view->table->rows().size(),
                  view->all->size()};
  views_.push_back(std::move(view));
  return size;
}

void Views::refill() {
  for (const auto& view : views_) view->pool = std::make_unique<Pool>(*view->all);
}

Views::Look Views::look_at(const Sample& state, std::size_t from) {
  Look look;
  for (std::size_t v = from; v < views_.size(); ++v) {
    look.emplace_back(views_[v]->table->literals(), views_[v]->table->rows_of(state));
  }
  return look;
}

void Views::complete(Look& look, const Sample& state) {
  for (Columns& columns : look_at(state, look.size())) look.push_back(std::move(columns));
}

std::vector<Named> Views::best(std::span<const Look* const> states, std::span<const Look* const> others,
                               const Rank& rank, std::size_t most) const {
  struct Candidate {
    std::size_t spared = 0;  ///< of `states`
    std::size_t weight = 0;
    std::size_t spared_others = 0;
    Named named;
    auto operator<=>(const Candidate&) const = default;
  };
  const auto spared = [](std::span<const Look* const> looks, std::size_t view, const Clause& clause) {
    return static_cast<std::size_t>(
        std::count_if(looks.begin(), looks.end(), [&](const Look* look) { return (*look)[view].holds(clause); }));
  };
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Named>> failing;  // by `spared` and `weight`
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const Pool& pool = *views_[v]->pool;
    pool.visit([&](const Clause& clause) {
      const std::size_t left = spared(states, v, clause);
      if (left < states.size()) failing[{left, pool.weight(clause)}].push_back({v, clause});
    });
  }
  std::map<int, std::vector<Named>> by_rank;
  for (auto& [score, equals] : failing) {
    std::vector<Candidate> sorted;
    for (Named& named : equals) {
      sorted.push_back({score.first, score.second, spared(others, named.view, named.clause), std::move(named)});
    }
    std::sort(sorted.begin(), sorted.end());
    for (Candidate& candidate : sorted) {
      const std::optional<int> ranked = rank(candidate.named);
      if (ranked && by_rank[*ranked].size() < most) by_rank[*ranked].push_back(std::move(candidate.named));
    }
    if (by_rank[0].size() >= most) break;
  }
  std::vector<Named> found;
  for (auto& [ranked, list] : by_rank) {
    for (Named& named : list) {
      if (found.size() < most) found.push_back(std::move(named));
    }
  }
  return found;
}

void Views::learn(const Look& state) {
  for (std::size_t v = 0; v < views_.size(); ++v) views_[v]->pool->learn(state[v]);
}

ExprId Views::literal_of(const View& view, Literal literal) {
  ir::Builder b(protocol_);
  const LiteralMeaning& meaning = (*view.table)[literal];
  if (meaning.plain) {
    const ExprId atom = view.vocabulary.atoms[meaning.atom].formula;
    return meaning.negative ? b.negate(atom) : atom;
  }
  std::vector<ExprId> parts;
  for (const Literal part : meaning.parts) parts.push_back(literal_of(view, part));
  return b.quantifier(Op::exists, {view.vocabulary.variables[meaning.variable].local}, b.conjunction(parts));
}

ExprId Views::formula_of(const Named& named) {
  const View& view = *views_[named.view];
  ir::Builder b(protocol_);
  std::vector<ExprId> left, right;
  std::set<std::size_t> used;
  for (const Literal l : named.clause) {
    const LiteralMeaning& meaning = (*view.table)[l];
    used.insert(view.table->variables(l).begin(), view.table->variables(l).end());
    if (meaning.plain && meaning.negative) {
      left.push_back(view.vocabulary.atoms[meaning.atom].formula);
    } else {
      right.push_back(literal_of(view, l));
    }
  }
  ExprId body;
  if (left.empty()) {
    body = b.disjunction(right);
  } else if (right.empty()) {
    body = b.negate(b.conjunction(left));
  } else {
    body = b.binary(Op::implies, b.conjunction(left), b.disjunction(right));
  }
  if (used.empty()) return body;
  std::vector<ir::LocalId> binders;
  for (const std::size_t x : used) binders.push_back(view.vocabulary.variables[x].local);
  return b.quantifier(Op::forall, binders, body);
}

std::set<Sorts> Views::arrows_of(const Named& named) const {
  std::set<Sorts> made;
  for (const Literal l : named.clause) {
    const std::vector<Sorts>& mine = views_[named.view]->arrows[l];
    made.insert(mine.begin(), mine.end());
  }
  return made;
}

}  // namespace tenet::learn
