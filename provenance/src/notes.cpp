#include "notes.h"

#include <algorithm>
#include <unordered_map>

#include "tenet/smt/term_ops.h"

namespace tenet::provenance {

using smt::Term;

namespace {

/// The terms that a value is made of, in order; whether each part of it has one.
bool parts_of(const SymPtr& value, std::vector<Term>& out) {
  if (value->kind != Sym::Kind::structure) {
    if (!value->term.valid()) return false;
    out.push_back(value->term);
  }
  return std::all_of(value->parts.begin(), value->parts.end(), [&](const SymPtr& part) { return parts_of(part, out); });
}

class Notes {
 public:
  explicit Notes(Execution& execution) : x_(execution), tm_(execution.logic().terms) {}

  void note(const std::vector<Term>& terms, std::vector<smt::Note>& out);

 private:
  /// The atoms in a term replaced by what they mean.
  Term expand(Term term);
  Term meaning(Term atom);
  Term meaning_of_quantified(std::size_t index);
  Term meaning_of_comparison(std::size_t index);
  /// What has been said of new variables since there were `facts` facts: what their types imply.
  Term types_since(std::size_t facts);
  /// Evaluating makes new atoms, at the ends of the lists.
  void index_atoms();

  Execution& x_;
  smt::TermManager& tm_;
  std::unordered_map<Term, std::size_t> quantified_, compared_;
  std::size_t quantified_seen_ = 0, compared_seen_ = 0;
  std::unordered_map<Term, Term> meanings_;
};

void Notes::index_atoms() {
  for (; quantified_seen_ < x_.quantified.size(); ++quantified_seen_) {
    quantified_.emplace(x_.quantified[quantified_seen_].atom, quantified_seen_);
  }
  for (; compared_seen_ < x_.comparisons.size(); ++compared_seen_) {
    const Term atom = x_.comparisons[compared_seen_].atom;
    // Tokens are compared by themselves.
    if (atom.kind() == smt::Kind::application) compared_.emplace(atom, compared_seen_);
  }
}

Term Notes::types_since(std::size_t facts) {
  std::vector<Term> all;
  for (; facts < x_.facts.size(); ++facts) {
    if (x_.facts[facts].principle == Principle::type && !x_.facts[facts].term.closed())
      all.push_back(x_.facts[facts].term);
  }
  return tm_.and_(all);
}

Term Notes::meaning_of_quantified(std::size_t index) {
  const std::size_t before = x_.facts.size();
  std::vector<Term> variables;
  std::vector<SymPtr> values;
  for (const ir::TypeId type : std::vector<ir::TypeId>(x_.quantified[index].types)) {
    values.push_back(x_.of_variables(type, variables));
  }
  const Term types = types_since(before);
  const Term body = expand(x_.quantified[index].body(values));
  return x_.quantified[index].universal ? tm_.forall(variables, tm_.implies(types, body))
                                        : tm_.exists(variables, tm_.and_({types, body}));
}

Term Notes::meaning_of_comparison(std::size_t index) {
  const std::size_t before = x_.facts.size();
  std::vector<Term> variables;
  const SymPtr key = x_.of_variables(x_.comparisons[index].key, variables);
  const Term types = types_since(before);
  const Term differs = expand(x_.difference(x_.comparisons[index], key));
  return tm_.forall(variables, tm_.implies(types, tm_.not_(differs)));
}

Term Notes::meaning(Term atom) {
  const auto known = meanings_.find(atom);
  if (known != meanings_.end()) return known->second;
  Term made;
  if (const auto q = quantified_.find(atom); q != quantified_.end()) made = meaning_of_quantified(q->second);
  if (const auto c = compared_.find(atom); c != compared_.end()) made = meaning_of_comparison(c->second);
  meanings_.emplace(atom, made);
  return made;
}

Term Notes::expand(Term term) {
  index_atoms();
  std::vector<Term> atoms;
  smt::for_each_subterm({&term, 1}, [&](Term part) {
    if (quantified_.contains(part) || compared_.contains(part)) atoms.push_back(part);
  });
  smt::Substitution stands_for;
  for (const Term atom : atoms) stands_for.emplace(atom, meaning(atom));
  return stands_for.empty() ? term : smt::substitute(tm_, term, stands_for);
}

void Notes::note(const std::vector<Term>& terms, std::vector<smt::Note>& out) {
  index_atoms();
  std::vector<Term> symbols;
  smt::for_each_subterm(terms, [&](Term part) {
    if (part.kind() == smt::Kind::application && part.args().empty()) symbols.push_back(part);
  });
  const std::size_t comparisons = x_.comparisons.size();
  for (const Term symbol : symbols) {
    const Term means = meaning(symbol);
    if (!means.valid()) continue;
    out.push_back({"definition", symbol, {}, {means}});
    const auto q = quantified_.find(symbol);
    const std::vector<Term> witness =
        q != quantified_.end() ? x_.quantified[q->second].witness : x_.comparisons[compared_.at(symbol)].witness;
    if (!witness.empty()) out.push_back({"witness", symbol, {}, witness});
  }
  for (std::size_t c = 0; c < comparisons; ++c) {
    const Comparison& compared = x_.comparisons[c];
    if (compared.atom.kind() == smt::Kind::eq && !compared.witness.empty()) {
      std::vector<Term> parts{compared.atom.arg(0), compared.atom.arg(1)};
      parts.insert(parts.end(), compared.witness.begin(), compared.witness.end());
      out.push_back({"difference", {}, {}, std::move(parts)});
    }
    // Of a token: what it holds.
    const Term token = x_.comparisons[c].about;
    if (!x_.comparisons[c].atom.is_true() || !token.args().empty() || token.kind() != smt::Kind::application ||
        std::find(symbols.begin(), symbols.end(), token) == symbols.end()) {
      continue;
    }
    std::vector<Term> variables, parts;
    const SymPtr key = x_.of_variables(x_.comparisons[c].key, variables);
    x_.flatten(x_.comparisons[c].right->collection->apply(key), parts);
    for (Term& part : parts) part = expand(part);
    out.push_back({"value", token, variables, parts});
  }
}

}  // namespace

smt::Query noted_query(Execution& execution, const Slice& slice) {
  smt::TermManager& tm = execution.logic().terms;
  smt::Query query;
  std::vector<Term> terms;
  const std::size_t facts = execution.facts.size();
  for (std::size_t i = 0; i < facts; ++i) {
    const Fact& fact = execution.facts[i];
    // What was assumed to be quiet is not, in the end.
    if (fact.principle == Principle::extension && fact.about == kQuiet) continue;
    query.assertions.push_back({fact.term, name_of(fact.principle) + " " + std::to_string(i) + ": " + fact.about});
    terms.push_back(fact.term);
  }
  smt::Note steps{"steps", {}, {}, {}};
  steps.parts.push_back(tm.integer(static_cast<std::int64_t>(slice.subject.reach)));
  steps.parts.push_back(tm.integer(static_cast<std::int64_t>(slice.protocol.steps.size())));
  for (const ir::StepId step : slice.kept) steps.parts.push_back(tm.integer(static_cast<std::int64_t>(step.index())));
  query.notes.push_back(std::move(steps));
  for (std::size_t i = 0; i < facts; ++i) {
    const Fact& fact = execution.facts[i];
    if (!fact.atom.valid()) continue;
    std::vector<Term> parts{tm.integer(static_cast<std::int64_t>(i))};
    const bool known = std::all_of(fact.instance.begin(), fact.instance.end(),
                                   [&](const SymPtr& value) { return parts_of(value, parts); });
    if (known) query.notes.push_back({"instance", fact.atom, {}, std::move(parts)});
  }
  Notes(execution).note(terms, query.notes);
  return query;
}

}  // namespace tenet::provenance
