/// Repairs of what a model breaks for all values: quantified formulas and
/// comparisons of collections.
#include <algorithm>

#include "chase.h"

namespace tenet::provenance {

using ir::RoleId;
using ir::TypeId;
using ir::TypeKind;
using smt::Term;

namespace {
/// Instances of one formula that are looked at in one round.
constexpr std::size_t kMostTuples = 1000;
/// … and added in one round.
constexpr std::size_t kMostInstances = 40;
/// Of two collections, in what they differ, if nothing else calls for it.
constexpr std::size_t kMostDifferences = 4;
}  // namespace

/// Tokens that differ stand for collections that differ.
bool Chase::repair_differences() {
  if (differences_ < kMostDifferences && (repair_twins() || repair_sums())) return true;
  const std::size_t count = x_.comparisons.size();
  for (std::size_t c = 0; c < count; ++c) {
    Comparison& comparison = x_.comparisons[c];
    if (!comparison.late || !x_.spoken(comparison.about) || is_true(comparison.atom)) continue;
    // Where they differ already nothing has to be named.
    bool differ = false;
    for (const Execution::Named& key : candidates(comparison.key)) {
      const Term difference = x_.difference(comparison, key.value);
      if (!x_.spoken(difference) || !is_true(difference)) continue;
      if (repair_equals(comparison.key, key)) return true;
      differ = true;
    }
    if (differ || comparison.witnessed || differences_ >= kMostDifferences) continue;
    x_.generation = comparison.generation;
    x_.add_witness(comparison);
    ++differences_;
    return true;
  }
  return false;
}

/// What two collections differ in, others that are equal hold alike. In a model that may be so only because nothing
/// speaks of it: what a step was given differs from the empty set, and the variable that took it is empty.
bool Chase::repair_equals(TypeId type, const Execution::Named& key) {
  bool any = false;
  const auto id = ids({key.value});
  for (std::size_t c = 0; c < x_.comparisons.size(); ++c) {
    const Comparison& equal = x_.comparisons[c];
    if (equal.key != type || !x_.spoken(equal.about) || !is_true(equal.atom) || equal.instances.contains(id)) continue;
    x_.generation = std::max(equal.generation, key.generation);
    x_.comparisons[c].instances.insert(id);
    x_.add_instance(c, key.value);
    any = true;
  }
  return any;
}

/// Two messages that differ in a collection only: in what?
bool Chase::repair_twins() {
  bool any = false;
  for (std::size_t a = 0; a < x_.letters.size(); ++a) {
    if (!x_.carries_collection(x_.letters[a])) continue;
    for (std::size_t b = a + 1; b < x_.letters.size(); ++b) {
      const Letter& one = x_.letters[a];
      const Letter& other = x_.letters[b];
      if (one.message != other.message || one.sender_role != other.sender_role ||
          one.addressee_role != other.addressee_role || same(one.sent_at, other.sent_at) || !x_.spoken(one.sent_at) ||
          !x_.spoken(other.sent_at) || !same(one.sender, other.sender) || !same(one.addressee, other.addressee)) {
        continue;
      }
      std::vector<Term> left, right;
      for (const SymPtr& arg : one.args) x_.flatten(arg, left);
      for (const SymPtr& arg : other.args) x_.flatten(arg, right);
      bool twins = true;
      for (std::size_t i = 0; i < left.size() && twins; ++i) {
        twins = same(left[i], right[i]) || x_.is_token(left[i]);
      }
      if (!twins || !done_.insert({mark(Mark::twins), small(a), small(b)}).second) continue;
      x_.generation = std::max(one.generation, other.generation);
      x_.add_twins(one.args, other.args);
      any = true;
    }
  }
  return any;
}

/// Two sums that differ, so what is added up does: in what?
bool Chase::repair_sums() {
  bool any = false;
  for (std::size_t a = 0; a < x_.sums.size(); ++a) {
    for (std::size_t b = a + 1; b < x_.sums.size(); ++b) {
      const Sum& one = x_.sums[a];
      const Sum& other = x_.sums[b];
      if (one.values->type != other.values->type || !x_.spoken(one.total) || !x_.spoken(other.total) ||
          same(one.total, other.total) || !done_.insert({mark(Mark::sums), small(a), small(b)}).second) {
        continue;
      }
      x_.add_twins({one.values}, {other.values});
      any = true;
    }
  }
  return any;
}

std::vector<Execution::Named> Chase::candidates(TypeId type) {
  // One for each value of the model: equal terms have equal instances.
  std::vector<Execution::Named> result;
  std::set<std::vector<std::string>> seen;
  std::vector<Execution::Named> named = x_.named(type);
  std::stable_sort(named.begin(), named.end(),
                   [](const auto& a, const auto& b) { return a.generation < b.generation; });
  const ir::Type t = x_.protocol()[type];
  Logic& logic = x_.logic();
  const auto literal = [&](Term term) {
    auto sym = std::make_shared<Sym>();
    sym->kind = Sym::Kind::scalar;
    sym->type = type;
    sym->term = term;
    named.insert(named.begin(), {sym, 0});
  };
  if (t.kind == TypeKind::boolean) {
    literal(logic.terms.boolean(false));
    literal(logic.terms.boolean(true));
  } else if (t.kind == TypeKind::enumeration) {
    for (std::size_t m = 0; m < x_.protocol().enums[t.declaration].members.size(); ++m) {
      literal(logic.terms.enumerator(logic.sort(type), m));
    }
  }
  for (const Execution::Named& one : named) {
    if (!x_.spoken(one.value)) continue;
    std::vector<Term> terms;
    x_.flatten(one.value, terms);
    std::vector<std::string> texts;
    for (Term term : terms) texts.push_back(value(term).text);
    if (seen.insert(texts).second) result.push_back(one);
  }
  return result;
}

std::vector<std::uint32_t> Chase::ids(const std::vector<SymPtr>& values) {
  std::vector<std::uint32_t> result;
  for (const SymPtr& v : values) {
    std::vector<Term> terms;
    x_.flatten(v, terms);
    for (Term term : terms) result.push_back(term.id());
  }
  return result;
}

/// What a quantified formula is tried with: the arguments of messages that it
/// cannot do without, and for the rest one name for each value of the model.
/// With `follows`, only what it could follow from at the values that facts speak of.
std::vector<Chase::Tuple> Chase::tuples_for(const Quantified& formula, bool follows) {
  const auto oldest_first = [](std::vector<Tuple>& tuples) {
    // Leaving out the rest proves less, never more.
    std::stable_sort(tuples.begin(), tuples.end(),
                     [](const Tuple& a, const Tuple& b) { return a.generation < b.generation; });
    if (tuples.size() > kMostTuples) tuples.resize(kMostTuples);
  };
  std::vector<Tuple> tuples{{std::vector<SymPtr>(formula.types.size()), formula.generation}};
  const auto join = [&](const std::vector<Row>& rows) {
    std::vector<Tuple> longer;
    std::set<std::string> seen;
    for (const Row& row : rows) {
      std::string text;
      for (const auto& [at, bound] : row.values) text += value_of(bound) + "|";
      if (!seen.insert(text).second) continue;
      for (const Tuple& tuple : tuples) {
        Tuple joined = tuple;
        joined.generation = std::max(joined.generation, row.generation);
        const bool agrees = std::all_of(row.values.begin(), row.values.end(), [&](const auto& bound) {
          SymPtr& here = joined.values[bound.first];
          if (here) return value_of(here) == value_of(bound.second);
          here = bound.second;
          return true;
        });
        if (agrees) longer.push_back(std::move(joined));
      }
    }
    oldest_first(longer);
    tuples = std::move(longer);
  };
  for (const SentPattern& pattern : formula.premises.sent) join(rows_of(formula, pattern));
  if (follows) {
    for (const ReadPattern& pattern : formula.premises.reads) join(rows_of(formula, pattern));
  }
  for (std::size_t t = 0; t < formula.types.size() && !tuples.empty(); ++t) {
    if (tuples.front().values[t]) continue;
    std::vector<Tuple> longer;
    const std::vector<Execution::Named> options = candidates(formula.types[t]);
    for (const Tuple& tuple : tuples) {
      for (const Execution::Named& option : options) {
        longer.push_back(tuple);
        longer.back().values[t] = option.value;
        longer.back().generation = std::max(tuple.generation, option.generation);
      }
    }
    oldest_first(longer);
    tuples = std::move(longer);
  }
  return tuples;
}

/// The messages that were sent, by the model.
std::vector<Chase::Row> Chase::rows_of(const Quantified& formula, const SentPattern& pattern) {
  std::vector<Row> rows;
  for (const Letter& letter : x_.letters) {
    if (letter.message != pattern.message || !x_.spoken(letter.sent_at)) continue;
    if (!is_true(x_.in_network(letter.sent_at, x_.last()))) continue;
    const auto fits = [&](std::size_t at, RoleId role) {
      return at == SentPattern::kFixed || formula.types[at] == x_.protocol_types().host(role);
    };
    if (!fits(pattern.sender, letter.sender_role) || !fits(pattern.addressee, letter.addressee_role)) continue;
    Row row;
    row.generation = letter.generation;
    const auto bind = [&row](std::size_t at, const SymPtr& value) {
      if (at != SentPattern::kFixed) row.values.emplace_back(at, value);
    };
    for (std::size_t i = 0; i < pattern.args.size(); ++i) bind(pattern.args[i], letter.args[i]);
    bind(pattern.sender, x_.host(letter.sender_role, letter.sender));
    bind(pattern.addressee, x_.host(letter.addressee_role, letter.addressee));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The values and sizes that facts speak of at the time of the formula.
std::vector<Chase::Row> Chase::rows_of(const Quantified& formula, const ReadPattern& pattern) {
  std::vector<Row> rows;
  const RoleId role = x_.protocol()[pattern.var].role;
  const auto add = [&](const Cell& cell, int generation) {
    if (cell.var != pattern.var || !same(cell.time, formula.premises.time)) return;
    Row row;
    row.generation = generation;
    const auto bind = [&row](std::size_t at, const SymPtr& value) {
      if (at != SentPattern::kFixed) row.values.emplace_back(at, value);
    };
    bind(pattern.host, x_.host(role, cell.host));
    std::size_t used = 0;
    const auto& types = x_.key_types(cell);
    std::size_t bound = 0;
    for (; bound < pattern.keys.size() && bound < types.size() && used < cell.keys.size(); ++bound) {
      bind(pattern.keys[bound], x_.unflatten(types[bound], cell.keys, used));
    }
    if (bound < pattern.keys.size() || used < cell.keys.size()) return;
    rows.push_back(std::move(row));
  };
  for (Read& read : x_.reads) {
    if (x_.spoken(read)) add(read.cell, read.generation);
  }
  for (const Counted& counted : x_.counted) {
    if (counted.cell && x_.spoken(counted.size)) add(*counted.cell, counted.generation);
  }
  return rows;
}

/// As a text, equal for values that are equal in the model.
std::string Chase::value_of(const SymPtr& sym) {
  std::vector<Term> terms;
  x_.flatten(sym, terms);
  std::string text;
  for (const Term term : terms) text += value(term).text + " ";
  return text;
}

/// Looks at the body of a quantified formula without saying anything of it.
Term Chase::body_at(std::size_t index, const Tuple& tuple) {
  const auto key = ids(tuple.values);
  x_.generation = tuple.generation;
  const auto known = x_.quantified[index].bodies.find(key);
  if (known != x_.quantified[index].bodies.end()) return known->second;
  const Term made = x_.quantified[index].body(tuple.values);
  return x_.quantified[index].bodies.emplace(key, made).first->second;
}

/// Something with a name is, in the model, the (counter-)example already. A name
/// of its own would call for more of them, and those for more.
bool Chase::has_witness(std::size_t index) {
  if (x_.quantified[index].types.size() != 1) return false;
  const bool wanted = !x_.quantified[index].universal;
  const int generation = x_.generation;
  bool found = false;
  for (const Tuple& tuple : tuples_for(x_.quantified[index], false)) {
    const Term inside = body_at(index, tuple);
    found = is_true(inside) == wanted && x_.settled(inside);
    if (found) break;
  }
  x_.generation = generation;
  return found;
}

bool Chase::repair_quantified() {
  bool any = false;
  std::vector<Instance> broken;
  const std::size_t count = x_.quantified.size();
  for (std::size_t q = 0; q < count; ++q) {
    if (!x_.spoken(x_.quantified[q].atom)) continue;
    const bool holds = is_true(x_.quantified[q].atom);
    x_.generation = x_.quantified[q].generation;
    if (holds != x_.quantified[q].universal) {
      if (x_.quantified[q].witnessed || (strategy_.forward && too_far(x_.quantified[q].generation)) || has_witness(q))
        continue;
      x_.generation = of_witness(x_.quantified[q].generation);
      x_.add_witness(x_.quantified[q]);
      any = true;
      continue;
    }
    for (Tuple& tuple : tuples_for(x_.quantified[q], strategy_.forward)) {
      if (x_.quantified[q].instances.count(ids(tuple.values)) != 0) continue;
      const Term inside = body_at(q, tuple);
      const bool as_it_must = is_true(inside) == holds;
      if (strategy_.forward) {
        // What is so in the model by chance only may lead on.
        if (as_it_must && (known(inside) || !leads_on(inside))) continue;
        if (open_parts(inside, holds) > 1) continue;
      } else {
        if (as_it_must) continue;
        if (broken.size() >= kMostInstances) break;
      }
      broken.push_back({q, std::move(tuple)});
    }
  }
  if (strategy_.forward) {
    keep_nearest(broken);
    std::erase_if(broken, [this](const Instance& one) { return too_far(one.tuple.generation); });
  }
  return add_instances(broken) || any;
}

void Chase::keep_nearest(std::vector<Instance>& instances) {
  std::stable_sort(instances.begin(), instances.end(),
                   [](const Instance& a, const Instance& b) { return a.tuple.generation < b.tuple.generation; });
  if (instances.size() > kMostInstances) instances.resize(kMostInstances);
}

/// Whether there were any.
bool Chase::add_instances(const std::vector<Instance>& instances) {
  for (const Instance& one : instances) {
    x_.generation = one.tuple.generation;
    x_.quantified[one.formula].instances.insert(ids(one.tuple.values));
    x_.add_instance(one.formula, one.tuple.values);
  }
  return !instances.empty();
}

bool Chase::repair_comparisons() {
  bool any = false;
  const std::size_t count = x_.comparisons.size();
  for (std::size_t c = 0; c < count; ++c) {
    if (!x_.spoken(x_.comparisons[c].about)) continue;
    x_.generation = x_.comparisons[c].generation;
    if (!is_true(x_.comparisons[c].atom)) {
      if (x_.comparisons[c].witnessed || x_.comparisons[c].late ||
          (strategy_.forward && too_far(x_.comparisons[c].generation)))
        continue;
      x_.generation = of_witness(x_.comparisons[c].generation);
      x_.add_witness(x_.comparisons[c]);
      any = true;
      continue;
    }
    if (!x_.comparisons[c].sized) {
      const Term sizes = x_.compare_sizes(x_.comparisons[c]);
      if (sizes.valid() && !is_true(sizes)) {
        x_.add_sizes(c);
        any = true;
      }
    }
    for (const Execution::Named& key : candidates(x_.comparisons[c].key)) {
      const auto id = ids({key.value});
      if (x_.comparisons[c].instances.count(id) != 0) continue;
      x_.generation = std::max(x_.comparisons[c].generation, key.generation);
      if (!is_true(x_.difference(x_.comparisons[c], key.value))) continue;
      x_.comparisons[c].instances.insert(id);
      x_.add_instance(c, key.value);
      any = true;
    }
  }
  return any;
}

/// What no fact speaks of has any value in a model. Before a model counts,
/// facts have to speak of all that instances depend on.
bool Chase::settle() {
  std::vector<Instance> unsettled;
  const std::size_t count = x_.quantified.size();
  for (std::size_t q = 0; q < count; ++q) {
    if (!x_.spoken(x_.quantified[q].atom) || is_true(x_.quantified[q].atom) != x_.quantified[q].universal) continue;
    for (Tuple& tuple : tuples_for(x_.quantified[q], false)) {
      const auto key = ids(tuple.values);
      const auto looked_at = x_.quantified[q].bodies.find(key);
      if (looked_at == x_.quantified[q].bodies.end() || x_.quantified[q].instances.count(key) != 0) continue;
      if (!x_.settled(looked_at->second)) unsettled.push_back({q, std::move(tuple)});
    }
  }
  keep_nearest(unsettled);
  return add_instances(unsettled);
}

}  // namespace tenet::provenance
