/// Sets as predicates with a size. Sizes are uninterpreted numbers; what is
/// known of them are ground facts of counting, added where they matter.
#include <algorithm>

#include "execution.h"

namespace tenet::provenance {

using ir::Expr;
using ir::ExprId;
using ir::Op;
using ir::RoleId;
using ir::Type;
using ir::TypeId;
using ir::TypeKind;
using smt::Term;

Term Execution::role_size(RoleId role) {
  if ((*protocol_)[role].single) return logic_->number(1);
  const auto found = role_sizes_.find(role);
  if (found != role_sizes_.end()) return found->second;
  const Term size = logic_->terms.constant("number of " + (*protocol_)[role].name, logic_->terms.integer_sort());
  role_sizes_[role] = size;
  add(logic_->terms.lt(zero_, size), Principle::counting, "a role has a host");
  return size;
}

Term Execution::size_of(const SymPtr& set) {
  // Of a value that is only supposed nothing may be kept.
  if (probing_) return logic_->terms.fresh_constant("supposed size", logic_->terms.integer_sort());
  if (set->collection->cardinality) return set->collection->cardinality();
  refuse("the size of a computed set");
  return zero_;
}

/// Registers a set under its size and says what holds of any size.
Term Execution::count(const SymPtr& set, Term size, std::optional<Cell> cell) {
  const std::vector<std::uint32_t> key{size.id()};
  if (counted_index_.count(key) != 0) return size;
  counted_index_[key] = counted.size();
  Counted made;
  made.set = set;
  made.size = size;
  made.element = (*protocol_)[set->type].first;
  const Type element = (*protocol_)[made.element];
  if (element.kind == TypeKind::host) made.role = RoleId(element.declaration);
  made.cell = std::move(cell);
  made.generation = generation;
  if (made.cell) {
    const auto after = after_index_.find(made.cell->time.id());
    if (after != after_index_.end()) made.after = after->second;
  }
  counted.push_back(std::move(made));
  smt::TermManager& tm = logic_->terms;
  add(tm.le(zero_, size), Principle::type, "a size");
  const RoleId role = counted.back().role;
  if (role.valid()) add(tm.le(size, role_size(role)), Principle::type, "a subset of a role");
  return size;
}

namespace {
/// A size that is computed on first use and then always the same.
std::function<Term()> once(std::function<Term()> make) {
  auto made = std::make_shared<Term>();
  return [made, make = std::move(make)] {
    if (!made->valid()) *made = make();
    return *made;
  };
}
}  // namespace

SymPtr Execution::eval_set(ExprId id, const Expr& node, const Scope& scope) {
  smt::TermManager& tm = logic_->terms;
  const auto bounded = [this](std::function<Term()> least, std::function<Term()> most) {
    return once([this, least = std::move(least), most = std::move(most)] {
      const Term size = fresh("size", logic_->terms.integer_sort());
      add(logic_->terms.le(least(), size), Principle::counting, "a size");
      add(logic_->terms.le(size, most()), Principle::counting, "a size");
      return size;
    });
  };
  switch (node.op) {
    case Op::role_size:
      return scalar(node.type, role_size(RoleId(node.ref)));
    case Op::all_hosts: {
      const RoleId role((*protocol_)[(*protocol_)[node.type].first].declaration);
      return collection(
          node.type, Collection::Shape::all, [this](const SymPtr&) { return boolean(logic_->terms.boolean(true)); },
          [this, role] { return role_size(role); });
    }
    case Op::set_literal: {
      if (node.args.empty()) return default_value(node.type);
      std::vector<SymPtr> elements;
      for (ExprId arg : node.args) elements.push_back(eval(arg, scope));
      const auto many = static_cast<std::int64_t>(elements.size());
      return collection(
          node.type, Collection::Shape::other,
          [this, elements](const SymPtr& key) {
            std::vector<Term> any;
            for (const SymPtr& element : elements) any.push_back(equal(key, element));
            return boolean(logic_->terms.or_(any));
          },
          many == 1 ? std::function<Term()>([this] { return logic_->number(1); })
                    : bounded([this] { return logic_->number(1); }, [this, many] { return logic_->number(many); }));
    }
    case Op::contains: {
      const SymPtr element = eval(node.args[0], scope);
      return eval(node.args[1], scope)->collection->apply(element);
    }
    case Op::cardinality:
      return scalar(node.type, size_of(eval(node.args[0], scope)));
    case Op::majority: {
      const SymPtr set = eval(node.args[0], scope);
      const RoleId role((*protocol_)[(*protocol_)[set->type].first].declaration);
      return scalar(node.type, tm.lt(role_size(role), tm.mul(2, size_of(set))));
    }
    case Op::subset: {
      const SymPtr a = eval(node.args[0], scope);
      return scalar(node.type, compare_collections(a, eval(node.args[1], scope), true));
    }
    case Op::set_build: {
      const SymPtr domain = node.args[0].valid() ? eval(node.args[0], scope) : nullptr;
      const ExprId predicate = node.args[1];
      const ir::LocalId binder = node.binders[0];
      demand_all(id, predicate, {binder}, domain, scope);
      auto apply = [this, scope, domain, predicate, binder](const SymPtr& key) {
        const Term inside = at(predicate, scope, binder, key)->term;
        if (!domain) return boolean(inside);
        return boolean(logic_->terms.and_({domain->collection->apply(key)->term, inside}));
      };
      std::function<Term()> size;
      if (domain) {
        size = bounded([this] { return zero_; }, [this, domain] { return size_of(domain); });
      } else {
        size = once([this] {
          const Term made = fresh("size", logic_->terms.integer_sort());
          add(logic_->terms.le(zero_, made), Principle::counting, "a size");
          return made;
        });
      }
      return collection(node.type, Collection::Shape::other, apply, size);
    }
    default:
      break;
  }
  // Union, intersection, difference.
  const SymPtr a = eval(node.args[0], scope);
  const SymPtr b = eval(node.args[1], scope);
  const Op op = node.op;
  auto apply = [this, a, b, op](const SymPtr& key) {
    const Term in_a = a->collection->apply(key)->term;
    const Term in_b = b->collection->apply(key)->term;
    smt::TermManager& terms = logic_->terms;
    if (op == Op::set_union) return boolean(terms.or_({in_a, in_b}));
    if (op == Op::set_intersection) return boolean(terms.and_({in_a, in_b}));
    return boolean(terms.and_({in_a, terms.not_(in_b)}));
  };
  std::function<Term()> size;
  const Expr& right = (*protocol_)[node.args[1]];
  if (op != Op::set_intersection && right.op == Op::set_literal && right.args.size() == 1) {
    // One element more or less: the size is exact.
    const SymPtr element = eval(right.args[0], scope);
    size = once([this, a, element, op] {
      smt::TermManager& terms = logic_->terms;
      const Term inside = a->collection->apply(element)->term;
      const Term before = size_of(a);
      if (op == Op::set_union) return terms.ite(inside, before, terms.add({before, terms.integer(1)}));
      return terms.ite(inside, terms.sub(before, terms.integer(1)), before);
    });
  } else if (op == Op::set_union) {
    size =
        bounded([this, a] { return size_of(a); }, [this, a, b] { return logic_->terms.add({size_of(a), size_of(b)}); });
  } else {
    size = bounded([this] { return zero_; }, [this, a] { return size_of(a); });
  }
  return collection(node.type, Collection::Shape::other, apply, size);
}

// --- Counting ------------------------------------------------------------------

Term Execution::compare_sizes(const Comparison& comparison) {
  if ((*protocol_)[comparison.left->type].kind != TypeKind::set) return {};
  for (const SymPtr& side : {comparison.left, comparison.right}) {
    // The size of what is computed is not known any better.
    if (!side->term.valid() && side->collection->shape == Collection::Shape::other) return {};
  }
  const Term left = size_of(comparison.left), right = size_of(comparison.right);
  if (!spoken(left) && !spoken(right)) return {};
  return comparison.subset ? logic_->terms.le(left, right) : logic_->terms.eq(left, right);
}

/// Equal sets have equal sizes, and a subset has no larger one.
void Execution::add_sizes(std::size_t index) {
  comparisons[index].sized = true;
  const Term sizes = compare_sizes(comparisons[index]);
  add(logic_->terms.implies(comparisons[index].atom, sizes), Principle::counting, "sizes of equal sets");
}

void Execution::add_size_start(std::size_t index) {
  counted[index].at_start = true;
  Cell cell = *counted[index].cell;
  const ir::VarDecl& var = (*protocol_)[cell.var];
  if (!var.init.valid()) return;
  Scope scope;
  scope.time = zero_;
  scope.self = host(var.role, cell.host);
  const SymPtr initial = set_at(eval(var.init, scope), cell);
  // A time that some model has at 0 need not be 0 in another.
  cell.time = zero_;
  const Term size = size_of(set_at(read_variable(cell.var, cell.host, zero_), cell));
  add(logic_->terms.eq(size, size_of(initial)), Principle::start, describe(cell));
}

void Execution::add_size_effect(std::size_t index, ir::StepId step) {
  counted[index].effects.push_back(step);
  const Cell cell = *counted[index].cell;
  const std::size_t at = counted[index].after;
  const Term size = counted[index].size;
  const SymPtr after = set_at(run(at, step).written.at(cell.var), cell);
  smt::TermManager& tm = logic_->terms;
  add(tm.implies(tm.and_({happens(at, step), tm.eq(self_of(at, step), cell.host)}), tm.eq(size, size_of(after))),
      Principle::step, describe(cell));
}

void Execution::add_size_frame(std::size_t index) {
  counted[index].framed = true;
  Cell before = *counted[index].cell;
  const Term time = events[counted[index].after].time;
  const Term size = counted[index].size;
  const Term unchanged = untouched(before, time);
  before.time = time;
  const SymPtr variable = read_variable(before.var, before.host, time);
  add(logic_->terms.implies(logic_->terms.and_({real(time), unchanged}),
                            logic_->terms.eq(size, size_of(set_at(variable, before)))),
      Principle::step, describe(before));
}

/// More than all of a role together: two subsets share a host.
void Execution::add_common_member(std::size_t a, std::size_t b) {
  counted[a].met.insert(static_cast<std::uint32_t>(b));
  smt::TermManager& tm = logic_->terms;
  const RoleId role = counted[a].role;
  const SymPtr common = arbitrary(counted[a].element, "common member");
  const Term in_a = counted[a].set->collection->apply(common)->term;
  const Term in_b = counted[b].set->collection->apply(common)->term;
  add(tm.implies(tm.lt(role_size(role), tm.add({counted[a].size, counted[b].size})), tm.and_({in_a, in_b})),
      Principle::counting, "two sets larger than half");
}

/// A set whose size is above zero has a member.
void Execution::add_some_member(std::size_t a) {
  const Term inside = counted[a].set->collection->apply(arbitrary(counted[a].element, "member"))->term;
  add(logic_->terms.implies(logic_->terms.lt(zero_, counted[a].size), inside), Principle::counting,
      "a set that is not empty");
}

void Execution::add_not_empty(std::size_t a, const SymPtr& member) {
  const Term inside = counted[a].set->collection->apply(member)->term;
  add(logic_->terms.implies(inside, logic_->terms.lt(zero_, counted[a].size)), Principle::counting,
      "a set that is not empty");
}

void Execution::add_full(std::size_t a, Term named_host) {
  counted[a].members.insert(named_host.id());
  const RoleId role = counted[a].role;
  const Term inside = counted[a].set->collection->apply(host(role, named_host))->term;
  add(logic_->terms.implies(logic_->terms.le(role_size(role), counted[a].size), inside), Principle::counting,
      "a set as large as its role");
}

}  // namespace tenet::provenance
