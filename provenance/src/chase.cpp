#include "chase.h"

#include <algorithm>

namespace tenet::provenance {

using ir::RoleId;
using ir::StepId;
using ir::TypeId;
using ir::TypeKind;
using smt::Term;

namespace {
/// First elements of the keys of `done_`, one per use.
enum class Mark : std::uint32_t { held, touched, unique, one_state, two_states, size_grows, hypothesis };

/// Instances of one formula that are looked at in one round.
constexpr std::size_t kMostTuples = 1000;

std::uint32_t mark(Mark m) { return static_cast<std::uint32_t>(m); }
std::uint32_t small(std::size_t index) { return static_cast<std::uint32_t>(index); }
}  // namespace

Chase::Chase(Execution& execution, smt::Solver& solver, const std::vector<DerivedFact>& facts,
             const std::vector<Hypothesis>& hypotheses, Limits limits)
    : x_(execution), solver_(solver), facts_(facts), hypotheses_(hypotheses), limits_(limits) {
  facts_until = x_.last();
}

void Chase::assert_new_facts() {
  for (; asserted_ < x_.facts.size(); ++asserted_) solver_.assert_term(x_.facts[asserted_].term);
}

const smt::Value& Chase::value(Term term) {
  const auto found = values_.find(term.id());
  if (found != values_.end()) return found->second;
  Result<smt::Value> asked = solver_.value(term);
  if (!asked && reason_.empty()) reason_ = "the solver gave no value: " + asked.error().message;
  return values_.emplace(term.id(), asked ? *asked : smt::Value{}).first->second;
}

std::int64_t Chase::number(Term term) {
  const smt::Value& v = value(term);
  return v.number ? v.number->numerator() : 0;
}

ChaseEnd Chase::run(std::span<const Term> assumptions) {
  for (;;) {
    if (!x_.unsupported().empty()) {
      reason_ = x_.unsupported();
      return ChaseEnd::unsupported;
    }
    if (++rounds_ > limits_.rounds || x_.facts.size() > limits_.facts) {
      reason_ =
          "gave up after " + std::to_string(rounds_ - 1) + " rounds and " + std::to_string(x_.facts.size()) + " facts";
      return ChaseEnd::limit;
    }
    std::vector<Term> assumed = quiet_assumptions();
    assumed.insert(assumed.end(), assumptions.begin(), assumptions.end());
    assert_new_facts();
    const smt::CheckResult result = solver_.check(assumed);
    values_.clear();
    if (result.answer == smt::Answer::unsat) {
      if (!explain_core(result.core_assumptions)) return reason_.empty() ? ChaseEnd::contradiction : ChaseEnd::limit;
      continue;
    }
    if (result.answer == smt::Answer::unknown) {
      reason_ = result.reason;
      return ChaseEnd::unknown;
    }
    if (repair()) continue;
    if (!reason_.empty()) return ChaseEnd::unknown;
    if (repair_aliases() || repair_meetings() || (explain && explain_conflicts()) || repair_hypotheses(false) ||
        repair_hypotheses(true)) {
      continue;
    }
    return ChaseEnd::open;
  }
}

bool Chase::repair() {
  // Cheap and certain things first; a round may do several.
  bool any = repair_events();
  any = repair_effects() || any;
  any = repair_letters() || any;
  any = repair_starts() || any;
  if (any) return true;
  any = repair_held();
  any = repair_counting() || any;
  any = repair_unique() || any;
  any = repair_comparisons() || any;
  any = repair_quantified() || any;
  any = repair_derived() || any;
  return any;
}

bool Chase::live(const Event& event) { return event.asked && is_true(x_.real(event.time)); }

std::optional<StepId> Chase::step_of(const Event& event) {
  const std::int64_t kind = number(x_.kind(event.time));
  if (kind < 0 || kind >= static_cast<std::int64_t>(x_.protocol().steps.size())) return std::nullopt;
  return StepId(static_cast<std::size_t>(kind));
}

bool Chase::acts(const Event& event, StepId step, Term host) {
  const RoleId role = x_.protocol()[step].role;
  const Term actor = x_.actor(role, event.time);
  return actor.sort() == host.sort() && same(actor, host);
}

bool Chase::repair_events() {
  bool any = false;
  for (std::size_t e = 0; e < x_.events.size(); ++e) {
    if (!live(x_.events[e])) continue;
    const auto step = step_of(x_.events[e]);
    if (!step) continue;
    const auto& considered = x_.events[e].considered;
    if (std::find(considered.begin(), considered.end(), *step) != considered.end()) continue;
    x_.generation = x_.events[e].generation;
    x_.consider(e, *step);
    any = true;
  }
  return any;
}

bool Chase::repair_effects() {
  bool any = false;
  const auto needs = [&](std::size_t after, ir::VarId var, Term host, const std::vector<StepId>& effects,
                         bool framed) -> std::optional<StepId> {
    // The step whose effect is missing; an invalid id for the frame.
    if (after == Read::kNone || !live(x_.events[after])) return std::nullopt;
    const auto step = step_of(x_.events[after]);
    if (!step) return std::nullopt;
    if (x_.writes(*step, var) && acts(x_.events[after], *step, host)) {
      if (std::find(effects.begin(), effects.end(), *step) != effects.end()) return std::nullopt;
      return step;
    }
    if (framed) return std::nullopt;
    return StepId{};
  };
  for (std::size_t r = 0; r < x_.reads.size(); ++r) {
    const Read& read = x_.reads[r];
    const auto step = needs(read.after, read.cell.var, read.cell.host, read.effects, read.framed);
    if (!step) continue;
    x_.generation = read.generation;
    if (step->valid()) {
      x_.add_effect(r, *step);
    } else {
      x_.add_frame(r);
    }
    any = true;
  }
  for (std::size_t c = 0; c < x_.counted.size(); ++c) {
    const Counted& counted = x_.counted[c];
    if (!counted.cell) continue;
    const auto step = needs(counted.after, counted.cell->var, counted.cell->host, counted.effects, counted.framed);
    if (!step) continue;
    x_.generation = counted.generation;
    if (step->valid()) {
      x_.add_size_effect(c, *step);
    } else {
      x_.add_size_frame(c);
    }
    any = true;
  }
  return any;
}

bool Chase::repair_letters() {
  bool any = false;
  for (std::size_t l = 0; l < x_.letters.size(); ++l) {
    const Letter& letter = x_.letters[l];
    if (!letter.explained || !is_true(x_.in_network(letter.sent_at, x_.last()))) continue;
    const std::size_t e = x_.event(letter.sent_at);
    const auto step = step_of(x_.events[e]);
    if (!step || std::find(letter.sites.begin(), letter.sites.end(), *step) != letter.sites.end()) continue;
    x_.generation = letter.generation;
    x_.add_sites(l, *step);
    any = true;
  }
  return any;
}

bool Chase::repair_starts() {
  bool any = false;
  for (std::size_t r = 0; r < x_.reads.size(); ++r) {
    if (x_.reads[r].at_start || number(x_.reads[r].cell.time) != 0) continue;
    x_.generation = x_.reads[r].generation;
    x_.add_start(r);
    any = true;
  }
  return any;
}

bool Chase::same_cell(const Cell& a, const Cell& b) {
  if (a.var != b.var || a.layer != b.layer || !same(a.host, b.host)) return false;
  for (std::size_t i = 0; i < a.keys.size(); ++i) {
    if (!same(a.keys[i], b.keys[i])) return false;
  }
  return true;
}

bool Chase::repair_held() {
  bool any = false;
  for (std::size_t a = 0; a < x_.reads.size(); ++a) {
    if (!x_.reads[a].explained) continue;
    const std::int64_t from = number(x_.reads[a].changed_at);
    const std::int64_t until = number(x_.reads[a].cell.time);
    for (std::size_t b = 0; b < x_.reads.size(); ++b) {
      if (a == b || !same_cell(x_.reads[a].cell, x_.reads[b].cell)) continue;
      const std::int64_t at = number(x_.reads[b].cell.time);
      if (at <= from || at > until || is_true(x_.same_scalars(x_.reads[a].value, x_.reads[b].value))) continue;
      if (!done_.insert({mark(Mark::held), small(a), small(b)}).second) continue;
      x_.add_held(a, b);
      any = true;
    }
  }
  return any;
}

/// An event of the same host within the span since a value's last change (or
/// since the start, if it has no cause yet): what did it leave?
bool Chase::repair_aliases() {
  bool any = false;
  const std::size_t reads = x_.reads.size();
  const std::size_t events = x_.events.size();
  for (std::size_t e = 0; e < events; ++e) {
    if (!live(x_.events[e])) continue;
    const auto step = step_of(x_.events[e]);
    if (!step) continue;
    const std::int64_t ends = number(x_.events[e].time) + 1;
    for (std::size_t r = 0; r < reads; ++r) {
      const Read& read = x_.reads[r];
      if (read.after == e || !x_.writes(*step, read.cell.var) || !acts(x_.events[e], *step, read.cell.host)) continue;
      const std::int64_t at = number(read.cell.time);
      const std::int64_t since = read.explained ? number(read.changed_at) : -1;
      const bool within = since + 1 < ends && ends <= at;
      if (!within) continue;
      if (!done_.insert({mark(Mark::touched), small(e), small(r)}).second) continue;
      Cell cell = read.cell;
      cell.time = x_.logic().next(x_.events[e].time);
      x_.generation = std::max(read.generation, x_.events[e].generation);
      const std::size_t before = x_.reads.size();
      x_.touch(cell);
      any = any || x_.reads.size() != before;
    }
  }
  return any;
}

/// A value without a cause that is not what it was before: why not?
bool Chase::explain_conflicts() {
  bool any = false;
  const std::size_t reads = x_.reads.size();
  for (std::size_t a = 0; a < reads; ++a) {
    const Read& later = x_.reads[a];
    if (later.explained || later.generation >= limits_.generations) continue;
    if (later.after != Read::kNone && x_.events[later.after].asked) continue;
    const std::int64_t at = number(later.cell.time);
    if (at <= 0 || at > number(x_.last())) continue;
    for (std::size_t b = 0; b < reads; ++b) {
      if (a == b || !same_cell(later.cell, x_.reads[b].cell)) continue;
      const std::int64_t before = number(x_.reads[b].cell.time);
      if (before < 0 || before >= at || is_true(x_.same_scalars(later.value, x_.reads[b].value))) continue;
      x_.generation = later.generation + 1;
      x_.explain_read(a);
      any = true;
      break;
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

bool Chase::repair_quantified() {
  bool any = false;
  const std::size_t count = x_.quantified.size();
  for (std::size_t q = 0; q < count; ++q) {
    const bool holds = is_true(x_.quantified[q].atom);
    x_.generation = x_.quantified[q].generation;
    if (holds != x_.quantified[q].universal) {
      if (x_.quantified[q].witnessed) continue;
      x_.add_witness(x_.quantified[q]);
      any = true;
      continue;
    }
    struct Tuple {
      std::vector<SymPtr> values;
      int generation = 0;
    };
    std::vector<Tuple> tuples{{{}, x_.quantified[q].generation}};
    for (TypeId type : x_.quantified[q].types) {
      std::vector<Tuple> longer;
      const std::vector<Execution::Named> options = candidates(type);
      for (const Tuple& tuple : tuples) {
        for (const Execution::Named& option : options) {
          longer.push_back({tuple.values, std::max(tuple.generation, option.generation)});
          longer.back().values.push_back(option.value);
        }
      }
      // Oldest names first: leaving out the rest proves less, never more.
      std::stable_sort(longer.begin(), longer.end(),
                       [](const Tuple& a, const Tuple& b) { return a.generation < b.generation; });
      if (longer.size() > kMostTuples) longer.resize(kMostTuples);
      tuples = std::move(longer);
    }
    for (const Tuple& tuple : tuples) {
      const auto key = ids(tuple.values);
      if (x_.quantified[q].instances.count(key) != 0) continue;
      x_.generation = tuple.generation;
      const Term inside = x_.quantified[q].body(tuple.values);
      if (is_true(inside) == holds) continue;
      x_.quantified[q].instances.insert(key);
      x_.add_instance(q, tuple.values);
      any = true;
    }
  }
  return any;
}

bool Chase::repair_comparisons() {
  bool any = false;
  const std::size_t count = x_.comparisons.size();
  for (std::size_t c = 0; c < count; ++c) {
    x_.generation = x_.comparisons[c].generation;
    if (!is_true(x_.comparisons[c].atom)) {
      if (x_.comparisons[c].witnessed) continue;
      x_.add_witness(x_.comparisons[c]);
      any = true;
      continue;
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

bool Chase::repair_counting() {
  bool any = false;
  const std::size_t count = x_.counted.size();
  for (std::size_t a = 0; a < count; ++a) {
    if (!x_.counted[a].role.valid()) continue;
    x_.generation = x_.counted[a].generation;
    const std::int64_t all = number(x_.size_of_role(x_.counted[a].role));
    const std::int64_t size = number(x_.counted[a].size);
    if (size >= all) {
      for (const Execution::Named& host : candidates(x_.counted[a].element)) {
        if (x_.counted[a].members.count(host.value->term.id()) != 0) continue;
        x_.generation = std::max(x_.counted[a].generation, host.generation);
        if (is_true(x_.counted[a].set->collection->apply(host.value)->term)) continue;
        x_.add_full(a, host.value->term);
        any = true;
      }
    }
  }
  return any;
}

/// One pair of sets that must share a host, of different hosts if there is
/// one: what one host counted at two times says little.
bool Chase::repair_meetings() {
  const std::size_t count = x_.counted.size();
  for (const bool same_owner : {false, true}) {
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = a + 1; b < count; ++b) {
        const Counted& one = x_.counted[a];
        const Counted& other = x_.counted[b];
        if (!one.role.valid() || one.role != other.role || one.met.count(small(b)) != 0) continue;
        const bool owned =
            one.cell && other.cell && one.cell->var == other.cell->var && same(one.cell->host, other.cell->host);
        if (owned != same_owner) continue;
        if (number(one.size) + number(other.size) <= number(x_.size_of_role(one.role))) continue;
        x_.generation = std::max(one.generation, other.generation);
        x_.add_common_member(a, b);
        return true;
      }
    }
  }
  return false;
}

bool Chase::repair_unique() {
  bool any = false;
  for (std::size_t a = 0; a < x_.uniques.size(); ++a) {
    for (std::size_t b = a + 1; b < x_.uniques.size(); ++b) {
      const UniqueValue& u = x_.uniques[a];
      const UniqueValue& v = x_.uniques[b];
      if (u.constant != v.constant || same(u.host, v.host) || !same(u.value, v.value)) continue;
      if (!done_.insert({mark(Mark::unique), small(a), small(b)}).second) continue;
      x_.add_unique(u, v);
      any = true;
    }
  }
  return any;
}

bool Chase::repair_derived() {
  bool any = false;
  const std::size_t reads = x_.reads.size();
  const auto instance = [&](std::size_t f, const Read& at, Term old_time) {
    Scope scope;
    scope.time = at.cell.time;
    scope.old_time = old_time;
    scope.locals[facts_[f].host] = x_.host(facts_[f].role, at.cell.host);
    std::size_t used = 0;
    const auto& types = x_.key_types(at.cell);
    for (std::size_t k = 0; k < facts_[f].keys.size() && k < types.size(); ++k) {
      scope.locals[facts_[f].keys[k]] = x_.unflatten(types[k], at.cell.keys, used);
    }
    return x_.holds(facts_[f].formula, scope);
  };
  for (std::size_t f = 0; f < facts_.size(); ++f) {
    const DerivedFact& fact = facts_[f];
    for (std::size_t a = 0; a < reads; ++a) {
      const Cell cell = x_.reads[a].cell;
      if (cell.var != fact.focus || cell.keys.empty() != fact.keys.empty()) continue;
      x_.generation = x_.reads[a].generation;
      const std::int64_t now = number(cell.time);
      if (now < 0 || now > number(x_.last())) continue;
      if (!fact.two_state) {
        if (now > number(facts_until)) continue;
        if (done_.count({mark(Mark::one_state), small(f), small(a)}) != 0) continue;
        const Term inside = instance(f, x_.reads[a], Term{});
        if (is_true(inside)) continue;
        done_.insert({mark(Mark::one_state), small(f), small(a)});
        smt::TermManager& tm = x_.logic().terms;
        x_.add(tm.implies(tm.and_({tm.le(x_.start(), cell.time), tm.le(cell.time, facts_until)}), inside),
               Principle::derived, fact.name);
        any = true;
        continue;
      }
      for (std::size_t b = 0; b < reads; ++b) {
        // `b` is the earlier one.
        const Cell& earlier = x_.reads[b].cell;
        if (a == b || !same_cell(cell, earlier)) continue;
        const std::int64_t then = number(earlier.time);
        if (then < 0 || then >= now || is_true(x_.same_scalars(x_.reads[a].value, x_.reads[b].value))) continue;
        if (done_.count({mark(Mark::two_states), small(f), small(a), small(b)}) != 0) continue;
        const Term inside = instance(f, x_.reads[a], earlier.time);
        if (is_true(inside)) continue;
        done_.insert({mark(Mark::two_states), small(f), small(a), small(b)});
        smt::TermManager& tm = x_.logic().terms;
        std::vector<Term> when{tm.le(x_.start(), earlier.time), tm.le(earlier.time, cell.time),
                               tm.le(cell.time, x_.last()), tm.eq(cell.host, earlier.host)};
        x_.add(tm.implies(tm.and_(when), inside), Principle::derived, fact.name);
        any = true;
      }
    }
    if (!fact.set_grows) continue;
    const std::size_t count = x_.counted.size();
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        const Counted& later = x_.counted[a];
        const Counted& earlier = x_.counted[b];
        if (a == b || !later.cell || !earlier.cell || later.cell->var != fact.focus) continue;
        if (!same_cell(*later.cell, *earlier.cell)) continue;
        if (number(earlier.cell->time) < 0 || number(earlier.cell->time) >= number(later.cell->time)) continue;
        if (number(later.cell->time) > number(x_.last()) || number(earlier.size) <= number(later.size)) continue;
        if (!done_.insert({mark(Mark::size_grows), small(a), small(b)}).second) continue;
        smt::TermManager& tm = x_.logic().terms;
        std::vector<Term> when{tm.le(x_.start(), earlier.cell->time), tm.le(earlier.cell->time, later.cell->time),
                               tm.le(later.cell->time, x_.last()), tm.eq(later.cell->host, earlier.cell->host)};
        for (std::size_t i = 0; i < later.cell->keys.size(); ++i) {
          when.push_back(tm.eq(later.cell->keys[i], earlier.cell->keys[i]));
        }
        x_.add(tm.implies(tm.and_(when), tm.le(earlier.size, later.size)), Principle::derived, fact.name);
        any = true;
      }
    }
  }
  return any;
}

bool Chase::repair_hypotheses(bool at_events) {
  bool any = false;
  smt::TermManager& tm = x_.logic().terms;
  for (std::size_t h = 0; h < hypotheses_.size(); ++h) {
    std::vector<Term> times{x_.before_last()};
    if (!hypotheses_[h].only_before_last) times.push_back(x_.last());
    for (const Event& event : x_.events) {
      if (at_events && live(event)) times.push_back(event.time);
    }
    for (Term time : times) {
      if (number(time) < 0 || number(time) > number(x_.last())) continue;
      if (!done_.insert({mark(Mark::hypothesis), small(h), time.id()}).second) continue;
      Scope scope;
      scope.time = time;
      scope.strict = true;
      x_.generation = 0;
      const Term bound = hypotheses_[h].only_before_last ? tm.lt(time, x_.last()) : tm.le(time, x_.last());
      x_.add(tm.implies(tm.and_({tm.le(x_.start(), time), bound}), x_.holds(hypotheses_[h].formula, scope)),
             Principle::hypothesis, hypotheses_[h].name);
      any = true;
    }
  }
  return any;
}

std::vector<Term> Chase::quiet_assumptions() {
  std::vector<Term> result;
  if (!explain) return result;
  for (std::size_t r = 0; r < x_.reads.size(); ++r) {
    if (x_.reads[r].explained || x_.reads[r].cell.time == x_.start()) continue;
    // What an event left behind follows from the event.
    if (x_.reads[r].after != Read::kNone && x_.events[x_.reads[r].after].asked) continue;
    x_.generation = x_.reads[r].generation;
    if (!x_.reads[r].quiet.valid()) x_.quieten_read(r);
    result.push_back(x_.reads[r].quiet);
  }
  for (std::size_t l = 0; l < x_.letters.size(); ++l) {
    if (x_.letters[l].explained) continue;
    if (!x_.letters[l].quiet.valid()) x_.quieten_letter(l);
    result.push_back(x_.letters[l].quiet);
  }
  return result;
}

/// Gives a cause to what cannot be quiet. False: nothing was to be explained,
/// or (with a reason) the chain of causes is too long.
bool Chase::explain_core(const std::vector<Term>& core) {
  std::set<std::uint32_t> loud;
  for (Term literal : core) loud.insert(literal.id());
  bool any = false, too_long = false;
  const std::size_t reads = x_.reads.size();
  const std::size_t letters = x_.letters.size();
  for (std::size_t r = 0; r < reads; ++r) {
    const Read& read = x_.reads[r];
    if (read.explained || !read.quiet.valid() || loud.count(read.quiet.id()) == 0) continue;
    if (read.generation >= limits_.generations) {
      too_long = true;
      continue;
    }
    x_.generation = read.generation + 1;
    x_.explain_read(r);
    any = true;
  }
  for (std::size_t l = 0; l < letters; ++l) {
    const Letter& letter = x_.letters[l];
    if (letter.explained || !letter.quiet.valid() || loud.count(letter.quiet.id()) == 0) continue;
    if (letter.generation >= limits_.generations) {
      too_long = true;
      continue;
    }
    x_.generation = letter.generation + 1;
    x_.explain_letter(l);
    any = true;
  }
  if (!any && too_long) reason_ = "a chain of causes longer than " + std::to_string(limits_.generations);
  return any;
}

}  // namespace tenet::provenance
