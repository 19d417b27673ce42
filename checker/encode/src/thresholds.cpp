/// Sizes of sets. In an instance they are counted. For any number of hosts,
/// "at least so many" means that the set contains one of the sets that have so
/// many: those are a sort of their own, and that two of them share a host is
/// derived by linear arithmetic from what the axioms say of the sizes.
#include <algorithm>

#include "tenet/encode/encoder.h"
#include "tenet/smt/solver.h"

namespace tenet::encode {

using ir::Expr;
using ir::ExprId;
using ir::Op;
using ir::TypeId;
using ir::TypeKind;

namespace {
/// A question about a few numbers takes nowhere near this.
constexpr std::uint64_t kArithmeticLimit = 200'000;
/// Up to so many elements are named one by one.
constexpr std::int64_t kNamedElements = 3;
}  // namespace

bool Encoder::has_size(ExprId id) {
  const auto known = has_size_.find(id);
  if (known != has_size_.end()) return known->second;
  const Expr node = p_[id];
  bool has = node.op == Op::cardinality;
  if (p_[node.type].kind == TypeKind::natural || p_[node.type].kind == TypeKind::integer) {
    for (const ExprId arg : node.args) has = has || (arg.valid() && has_size(arg));
  }
  return has_size_[id] = has;
}

/// Whether a number is the same in all states and for all values of what is bound.
bool Encoder::rigid(ExprId id) const {
  const Expr& node = p_[id];
  switch (node.op) {
    case Op::int_literal:
    case Op::bool_literal:
    case Op::role_size:
    case Op::global_const:
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::neg:
    case Op::to_int:
    case Op::div:
    case Op::mod:
    case Op::not_:
    case Op::and_:
    case Op::or_:
    case Op::implies:
    case Op::iff:
    case Op::eq:
    case Op::ne:
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
      break;
    default:
      return false;
  }
  const TypeKind kind = p_[node.type].kind;
  if (kind != TypeKind::natural && kind != TypeKind::integer && kind != TypeKind::boolean) return false;
  return std::all_of(node.args.begin(), node.args.end(), [&](ExprId arg) { return rigid(arg); });
}

Term Encoder::role_size(ir::RoleId role) {
  if (p_[role].single) return terms.integer(1);
  if (ground()) return terms.integer(instance_->hosts(role));
  const Term size = terms.constant("size of " + p_[role].name, terms.integer_sort());
  const Term positive = terms.le(terms.integer(1), size);
  if (std::find(background.begin(), background.end(), positive) == background.end()) background.push_back(positive);
  return size;
}

Term Encoder::size_of(const SymPtr& set) {
  std::vector<Term> counted_in{terms.integer(0)};
  const Demands nobody(*this, nullptr);
  for (std::size_t i = 0; set->support && i < set->support->size(); ++i) {
    counted_in.push_back(terms.ite(counted(set, i), terms.integer(1), terms.integer(0)));
  }
  if (set->support) return terms.add(counted_in);
  for (const Alternative& each : alternatives(p_[set->type].first)) {
    if (!each.variables.empty()) {
      refuse("the size of a set of numbers");
      break;
    }
    counted_in.push_back(terms.ite(set->apply(each.value)->term, terms.integer(1), terms.integer(0)));
  }
  return terms.add(counted_in);
}

bool Encoder::linear(ExprId id, const Scope& scope, std::int64_t factor, Linear& out) {
  if (!has_size(id)) {
    if (!rigid(id)) return false;
    out.rest.push_back(terms.mul(factor, truth(id, scope)));
    return true;
  }
  const Expr node = p_[id];
  switch (node.op) {
    case Op::cardinality:
      out.sizes.emplace_back(factor, eval(node.args[0], scope));
      return true;
    case Op::to_int:
      return linear(node.args[0], scope, factor, out);
    case Op::add:
      return linear(node.args[0], scope, factor, out) && linear(node.args[1], scope, factor, out);
    case Op::sub:
      // Of naturals it may be undefined, which depends on the size itself.
      return p_[node.type].kind == TypeKind::integer && linear(node.args[0], scope, factor, out) &&
             linear(node.args[1], scope, -factor, out);
    case Op::mul:
      for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        if (p_[node.args[i]].op != Op::int_literal) continue;
        return linear(node.args[1 - i], scope, factor * p_[node.args[i]].value, out);
      }
      return false;
    default:
      return false;
  }
}

/// As "factor * |set| + rest <op> 0".
Term Encoder::compare_sizes(const Expr& node, const Scope& scope) {
  Linear sum;
  const bool can = linear(node.args[0], scope, 1, sum) && linear(node.args[1], scope, -1, sum);
  if (!can || sum.sizes.size() != 1 || sum.sizes[0].first == 0) {
    refuse("the size of a set other than compared with a bound that never changes");
    return terms.boolean(false);
  }
  sum.rest.push_back(terms.integer(0));
  const Term rest = terms.add(sum.rest);
  std::int64_t factor = sum.sizes[0].first;
  const SymPtr set = sum.sizes[0].second;
  const bool negative = factor < 0;
  if (negative) factor = -factor;
  // Now factor * size compared with `bound`; the direction turns with the sign.
  const Term bound = negative ? rest : terms.neg(rest);
  const Term one = terms.integer(1);
  const auto reaches = [&] { return at_least(set, factor, bound); };
  const auto exceeds = [&] { return at_least(set, factor, terms.add({bound, one})); };
  Op op = node.op;
  if (negative) {
    op = op == Op::lt ? Op::gt : op == Op::gt ? Op::lt : op == Op::le ? Op::ge : op == Op::ge ? Op::le : op;
  }
  switch (op) {
    case Op::ge:
      return reaches();
    case Op::gt:
      return exceeds();
    case Op::lt:
      return terms.not_(reaches());
    case Op::le:
      return terms.not_(exceeds());
    case Op::eq:
      return terms.and_({reaches(), terms.not_(exceeds())});
    default:
      return terms.not_(terms.and_({reaches(), terms.not_(exceeds())}));
  }
}

Term Encoder::majority(const SymPtr& set) {
  const ir::RoleId role(p_[p_[set->type].first].declaration);
  if (ground()) return terms.lt(role_size(role), terms.mul(2, size_of(set)));
  return at_least(set, 2, terms.add({role_size(role), terms.integer(1)}));
}

/// factor * |set| >= bound, with factor > 0.
Term Encoder::at_least(const SymPtr& set, std::int64_t factor, Term bound) {
  const TypeId element = p_[set->type].first;
  const Demands nobody(*this, nullptr);
  if (bound.kind() == smt::Kind::number && bound.number().denominator() == 1) {
    const std::int64_t n = bound.number().numerator();
    const std::int64_t needed = n <= 0 ? 0 : (n - 1) / factor + 1;
    if (needed == 0) return terms.boolean(true);
    if (needed <= kNamedElements) {
      const std::vector<TypeId> types(static_cast<std::size_t>(needed), element);
      return quantify(false, types, [&](const std::vector<SymPtr>& names) {
        std::vector<Term> all;
        for (std::size_t i = 0; i < names.size(); ++i) {
          all.push_back(set->apply(names[i])->term);
          for (std::size_t j = 0; j < i; ++j) all.push_back(terms.not_(equal(names[i], names[j])));
        }
        return terms.and_(all);
      });
    }
  }
  const Threshold made = threshold(element, factor, bound);
  if (made.impossible) return terms.boolean(false);
  const Term q = terms.fresh_variable("q", made.valid.domain()[0]);
  const Term inside = quantify(true, {element}, [&](const std::vector<SymPtr>& x) {
    std::vector<Term> args{q};
    flatten(x[0], args);
    return terms.implies(terms.apply(made.member, args), set->apply(x[0])->term);
  });
  return terms.exists({q}, made.always_valid ? inside : terms.and_({terms.apply(made.valid, {q}), inside}));
}

Encoder::Threshold& Encoder::threshold(TypeId element, std::int64_t factor, Term bound) {
  for (Threshold& known : thresholds_) {
    if (known.element == element && known.factor == factor && known.bound == bound) return known;
  }
  Threshold made;
  made.element = element;
  made.factor = factor;
  made.bound = bound;
  const std::string name = "large sets " + std::to_string(thresholds_.size() + 1);
  const smt::Sort quorum = terms.uninterpreted(name);
  std::vector<Term> probe;
  flatten(default_value(element), probe);
  std::vector<smt::Sort> domain{quorum};
  for (const Term part : probe) domain.push_back(part.sort());
  made.member = terms.function("in one of " + name, domain, terms.boolean_sort());
  made.valid = terms.function("is one of " + name, {quorum}, terms.boolean_sort());
  if (p_[element].kind == TypeKind::host) {
    const Term all = role_size(ir::RoleId(p_[element].declaration));
    made.always_valid = follows(terms.le(bound, terms.mul(factor, all)));
    made.impossible = !made.always_valid && follows(terms.lt(terms.mul(factor, all), bound));
  }
  thresholds_.push_back(made);
  // What is larger than nothing has an element.
  if (follows(terms.le(terms.integer(1), bound))) {
    const Term q = terms.variable("q", quorum);
    const Term some = quantify(false, {element}, [&](const std::vector<SymPtr>& x) {
      std::vector<Term> args{q};
      flatten(x[0], args);
      return terms.apply(made.member, args);
    });
    background.push_back(
        terms.forall({q}, made.always_valid ? some : terms.implies(terms.apply(made.valid, {q}), some)));
  }
  for (std::size_t i = 0; i < thresholds_.size(); ++i) relate(thresholds_[i], made);
  return thresholds_.back();
}

/// If two such sets together have more than all hosts, they share one.
void Encoder::relate(const Threshold& a, const Threshold& b) {
  if (a.element != b.element || p_[a.element].kind != TypeKind::host) return;
  const Term all = role_size(ir::RoleId(p_[a.element].declaration));
  const Term x = terms.constant("one size", terms.integer_sort());
  const Term y = terms.constant("another size", terms.integer_sort());
  const Term zero = terms.integer(0);
  const Term sizes = terms.and_({terms.le(a.bound, terms.mul(a.factor, x)), terms.le(b.bound, terms.mul(b.factor, y)),
                                 terms.le(zero, x), terms.le(zero, y), terms.le(x, all), terms.le(y, all)});
  if (!follows(terms.implies(sizes, terms.lt(all, terms.add({x, y}))))) return;
  const Term q = terms.variable("q", a.valid.domain()[0]);
  const Term r = terms.variable("r", b.valid.domain()[0]);
  const Term common = quantify(false, {a.element}, [&](const std::vector<SymPtr>& host) {
    std::vector<Term> in_a{q}, in_b{r};
    flatten(host[0], in_a);
    flatten(host[0], in_b);
    return terms.and_({terms.apply(a.member, in_a), terms.apply(b.member, in_b)});
  });
  std::vector<Term> valid;
  if (!a.always_valid) valid.push_back(terms.apply(a.valid, {q}));
  if (!b.always_valid) valid.push_back(terms.apply(b.valid, {r}));
  background.push_back(terms.forall({q, r}, terms.implies(terms.and_(valid), common)));
}

/// Whether it follows from the axioms about sizes and numbers.
bool Encoder::follows(Term claim) {
  const auto solver = smt::make_solver([] {
    smt::SolverConfig config = smt::z3_config();
    config.resource_limit = kArithmeticLimit;
    return config;
  }());
  const Demands nobody(*this, nullptr);
  for (std::size_t r = 0; r < p_.roles.size(); ++r) {
    solver->assert_term(terms.le(terms.integer(1), role_size(ir::RoleId(r))));
  }
  for (std::size_t c = 0; c < p_.constants.size(); ++c) {
    const ir::ConstDecl& decl = p_.constants[c];
    if (decl.role.valid() || !decl.parameters.empty() || decl.kind != ir::ConstKind::free) continue;
    if (p_[decl.type].kind != TypeKind::natural) continue;
    solver->assert_term(terms.le(terms.integer(0), terms.constant(decl.name, terms.integer_sort())));
  }
  for (const ir::Formula& axiom : p_.axioms) {
    if (rigid(axiom.formula)) solver->assert_term(holds(axiom.formula, Scope{}));
  }
  solver->assert_term(terms.not_(claim));
  return solver->check().answer == smt::Answer::unsat;
}

}  // namespace tenet::encode
