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
enum class Mark : std::uint32_t {
  held,
  touched,
  unique,
  one_state,
  two_states,
  size_grows,
  hypothesis,
  twins,
  member,
  sends,
  sums
};

/// Instances of one formula that are looked at in one round.
constexpr std::size_t kMostTuples = 1000;
/// … and added in one round.
constexpr std::size_t kMostInstances = 40;
/// Sums and products of a few numbers below it fit.
constexpr std::int64_t kSmallNumber = 1'000'000'000;
constexpr int kNumberCost = 2;
/// Of two collections, in what they differ, if nothing else calls for it.
constexpr std::size_t kMostDifferences = 4;
/// Assumptions of a core that are tried one by one.
constexpr std::size_t kMostShrunk = 30;

std::uint32_t mark(Mark m) { return static_cast<std::uint32_t>(m); }
std::uint32_t small(std::size_t index) { return static_cast<std::uint32_t>(index); }
}  // namespace

Chase::Chase(Execution& execution, smt::Solver& solver, const std::vector<DerivedFact>& facts,
             const std::vector<Hypothesis>& hypotheses, Strategy strategy)
    : x_(execution), solver_(solver), facts_(facts), hypotheses_(hypotheses), strategy_(strategy) {
  facts_until = x_.last();
  if (strategy_.one_state) explain = false;
  if (strategy_.one_step) {
    explain = false;
    x_.events[0].asked = true;
  }
}

void Chase::assert_new_facts() {
  for (; asserted_ < x_.facts.size(); ++asserted_) solver_.assert_term(x_.facts[asserted_].term);
}

/// Most terms share most of their parts, and asking the solver costs more than
/// looking: it is asked for applications only, once for each value of the
/// arguments.
const smt::Value& Chase::value(Term term) {
  const auto found = values_.find(term.id());
  if (found != values_.end()) return found->second;
  smt::Value made;
  made.sort = term.sort();
  const auto truth = [&made](bool is) {
    made.boolean = is;
    made.text = is ? "true" : "false";
  };
  const auto whole = [&made](std::int64_t number) {
    made.number = smt::Rational::make(number, 1);
    made.text = std::to_string(number);
  };
  const auto args = term.args();
  const auto integers = [&] {
    return std::all_of(args.begin(), args.end(), [this](Term arg) {
      const smt::Value& v = value(arg);
      return v.number && v.number->denominator() == 1 && std::abs(v.number->numerator()) < kSmallNumber;
    });
  };
  bool known = true;
  switch (term.kind()) {
    case smt::Kind::boolean:
      truth(term.is_true());
      break;
    case smt::Kind::not_:
      truth(!is_true(args[0]));
      break;
    case smt::Kind::and_:
      truth(std::all_of(args.begin(), args.end(), [this](Term arg) { return is_true(arg); }));
      break;
    case smt::Kind::or_:
      truth(std::any_of(args.begin(), args.end(), [this](Term arg) { return is_true(arg); }));
      break;
    case smt::Kind::implies:
      truth(!is_true(args[0]) || is_true(args[1]));
      break;
    case smt::Kind::ite:
      made = value(is_true(args[0]) ? args[1] : args[2]);
      break;
    case smt::Kind::eq:
      truth(same(args[0], args[1]));
      break;
    case smt::Kind::lt:
    case smt::Kind::le:
      known = integers();
      if (!known) break;
      truth(term.kind() == smt::Kind::lt ? number(args[0]) < number(args[1]) : number(args[0]) <= number(args[1]));
      break;
    case smt::Kind::add: {
      known = term.sort().kind() == smt::SortKind::integer && integers();
      std::int64_t sum = 0;
      if (known) {
        for (Term arg : args) sum += number(arg);
        whole(sum);
      }
      break;
    }
    case smt::Kind::mul:
      known = term.sort().kind() == smt::SortKind::integer && integers();
      if (known) whole(number(args[0]) * number(args[1]));
      break;
    case smt::Kind::application: {
      known = !args.empty();
      if (!known) break;
      std::string key = std::to_string(term.function().id());
      for (Term arg : args) key += "|" + value(arg).text;
      const auto [at, fresh] = applications_.emplace(key, term);
      known = !fresh;
      if (known) made = value(at->second);
      break;
    }
    default:
      known = false;
  }
  if (!known) {
    Result<smt::Value> asked = solver_.value(term);
    if (!asked && reason_.empty()) reason_ = "the solver gave no value: " + asked.error().message;
    made = asked ? *asked : smt::Value{};
  }
  return values_.insert_or_assign(term.id(), std::move(made)).first->second;
}

std::int64_t Chase::number(Term term) {
  const smt::Value& v = value(term);
  return v.number ? v.number->numerator() : 0;
}

ChaseEnd Chase::run() {
  for (;;) {
    if (!x_.unsupported().empty()) {
      reason_ = x_.unsupported();
      return ChaseEnd::unsupported;
    }
    if (stop != nullptr && stop->requested()) {
      reason_ = "stopped";
      return ChaseEnd::limit;
    }
    if (++rounds_ > strategy_.rounds || x_.facts.size() > strategy_.facts) {
      reason_ =
          "gave up after " + std::to_string(rounds_ - 1) + " rounds and " + std::to_string(x_.facts.size()) + " facts";
      return ChaseEnd::limit;
    }
    const std::vector<Term> assumed = quiet_assumptions();
    assert_new_facts();
    const smt::CheckResult result = solver_.check(assumed);
    values_.clear();
    timelines_.reset();
    applications_.clear();
    if (result.answer == smt::Answer::unsat) {
      if (result.core_assumptions.empty()) return ChaseEnd::contradiction;
      if (!explain_core(smaller_core(result.core_assumptions))) {
        reason_ = "the solver's core names nothing that was assumed";
        return ChaseEnd::unknown;
      }
      continue;
    }
    if (result.answer == smt::Answer::unknown) {
      reason_ = result.reason;
      return ChaseEnd::unknown;
    }
    if (repair()) continue;
    if (!reason_.empty()) return ChaseEnd::unknown;
    if (repair_aliases() || repair_sends() || repair_meetings() || (strategy_.hypotheses && repair_hypotheses(false)) ||
        (explain && explain_conflicts()) || (strategy_.at_events && repair_hypotheses(true)) || repair_members()) {
      continue;
    }
    if (explain && deepen()) continue;
    if (settle() || repair_differences()) continue;
    if (!reason_.empty()) return ChaseEnd::limit;
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
    if (!x_.spoken(x_.reads[r])) continue;
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
    if (!counted.cell || !x_.spoken(counted.size)) continue;
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
    const bool known =
        letter.explained || (strategy_.one_step && x_.spoken(letter.sent_at) && same(letter.sent_at, x_.before_last()));
    if (!known || !is_true(x_.in_network(letter.sent_at, x_.last()))) continue;
    const std::size_t e = x_.event(strategy_.one_step ? x_.before_last() : letter.sent_at);
    const auto step = step_of(x_.events[e]);
    if (!step || std::find(letter.sites.begin(), letter.sites.end(), *step) != letter.sites.end()) continue;
    x_.generation = letter.generation;
    x_.add_sites(l, *step, e);
    any = true;
  }
  return any;
}

/// Tokens that differ stand for collections that differ.
bool Chase::repair_differences() {
  if (differences_ >= kMostDifferences) return false;
  if (repair_twins() || repair_sums()) return true;
  const std::size_t count = x_.comparisons.size();
  for (std::size_t c = 0; c < count; ++c) {
    Comparison& comparison = x_.comparisons[c];
    if (!comparison.late || comparison.witnessed || !x_.spoken(comparison.about) || is_true(comparison.atom)) continue;
    // Where they differ already nothing has to be named.
    const auto keys = candidates(comparison.key);
    const bool differ = std::any_of(keys.begin(), keys.end(), [&](const Execution::Named& key) {
      const Term difference = x_.difference(comparison, key.value);
      return x_.spoken(difference) && is_true(difference);
    });
    if (differ) continue;
    x_.generation = comparison.generation;
    x_.add_witness(comparison);
    ++differences_;
    return true;
  }
  return false;
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

/// That nothing was sent which the last event sends.
bool Chase::repair_sends() {
  if (!strategy_.one_step || !live(x_.events[0])) return false;
  const auto step = step_of(x_.events[0]);
  if (!step) return false;
  bool any = false;
  const std::size_t count = x_.quantified.size();
  for (std::size_t q = 0; q < count; ++q) {
    if (!x_.spoken(x_.quantified[q].atom) || is_true(x_.quantified[q].atom) != x_.quantified[q].universal) continue;
    for (const SentPattern& pattern : std::vector<SentPattern>(x_.quantified[q].patterns)) {
      if (!x_.sends(*step, pattern.message)) continue;
      for (std::size_t r = 0; r < x_.protocol().roles.size(); ++r) {
        const RoleId role(r);
        for (const Execution::Named& host : candidates(x_.protocol_types().host(role))) {
          const std::vector<std::uint32_t> key{mark(Mark::sends), step->value, pattern.message.value,
                                               host.value->term.id()};
          if (!done_.insert(key).second) continue;
          x_.generation = host.generation;
          const std::size_t before = x_.facts.size();
          x_.add_sends(0, *step, pattern.message, host.value->term);
          any = any || x_.facts.size() != before;
        }
      }
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

bool Chase::repair_starts() {
  bool any = false;
  for (std::size_t r = 0; r < x_.reads.size(); ++r) {
    if (x_.reads[r].at_start || !x_.spoken(x_.reads[r]) || number(x_.reads[r].cell.time) != 0) continue;
    x_.generation = x_.reads[r].generation;
    x_.add_start(r);
    any = true;
  }
  for (std::size_t c = 0; c < x_.counted.size(); ++c) {
    const Counted& counted = x_.counted[c];
    if (counted.at_start || !counted.cell || !x_.spoken(counted.size) || number(counted.cell->time) != 0) continue;
    x_.generation = counted.generation;
    x_.add_size_start(c);
    any = true;
  }
  return any;
}

/// The cells that the model tells apart, each with the times that it is spoken
/// of, in order; one read for each time.
const Chase::Timelines& Chase::timelines() {
  if (timelines_) return *timelines_;
  std::map<std::string, std::map<std::int64_t, std::size_t>> by_cell;
  for (std::size_t r = 0; r < x_.reads.size(); ++r) {
    if (!x_.spoken(x_.reads[r])) continue;
    const Cell& cell = x_.reads[r].cell;
    std::string key = std::to_string(cell.var.value) + "." + std::to_string(cell.layer) + " " + value(cell.host).text;
    for (Term k : cell.keys) key += ", " + value(k).text;
    by_cell[key].emplace(number(cell.time), r);
  }
  timelines_.emplace();
  for (auto& [key, times] : by_cell) timelines_->emplace_back(times.begin(), times.end());
  return *timelines_;
}

bool Chase::repair_held() {
  bool any = false;
  for (const Timeline& line : timelines()) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::size_t a = line[i].second;
      if (!x_.reads[a].explained) continue;
      const std::int64_t from = number(x_.reads[a].changed_at);
      for (std::size_t j = i; j > 0 && line[j - 1].first > from; --j) {
        const std::size_t b = line[j - 1].second;
        if (is_true(x_.same_scalars(x_.reads[a].value, x_.reads[b].value))) continue;
        if (!done_.insert({mark(Mark::held), small(a), small(b)}).second) continue;
        x_.add_held(a, b);
        any = true;
      }
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
      if (!x_.spoken(x_.reads[r])) continue;
      const Read& read = x_.reads[r];
      if (read.after == e || !x_.writes(*step, read.cell.var) || !acts(x_.events[e], *step, read.cell.host)) continue;
      const std::int64_t at = number(read.cell.time);
      const std::int64_t since = read.explained ? number(read.changed_at) : -1;
      const bool within = since + 1 < ends && ends <= at;
      if (!within || done_.count({mark(Mark::touched), small(e), small(r)}) != 0) continue;
      // Only where the model has it that the event left something else.
      x_.generation = std::max(read.generation, x_.events[e].generation);
      const Execution::Change change = x_.probe(e, *step, read.cell, read.value);
      if (is_true(x_.same_scalars(read.value, change.after)) || is_true(x_.same_scalars(change.before, change.after))) {
        continue;
      }
      done_.insert({mark(Mark::touched), small(e), small(r)});
      Cell cell = read.cell;
      cell.time = x_.logic().next(x_.events[e].time);
      Read& left = x_.reads[x_.touch(cell)];
      any = any || !x_.spoken(left);
      left.spoken = true;
    }
  }
  return any;
}

/// A value without a cause that is not what it was before: why not?
bool Chase::explain_conflicts() {
  std::vector<std::size_t> unexplained;
  for (const Timeline& line : timelines()) {
    for (std::size_t i = 1; i < line.size(); ++i) {
      const Read& later = x_.reads[line[i].second];
      if (later.explained || cost(later) + 1 >= depth_ || line[i].first > number(x_.last())) continue;
      if (later.after != Read::kNone && x_.events[later.after].asked) continue;
      const Read& earlier = x_.reads[line[i - 1].second];
      if (line[i - 1].first < 0 || is_true(x_.same_scalars(later.value, earlier.value))) continue;
      unexplained.push_back(line[i].second);
    }
  }
  for (std::size_t r : unexplained) {
    x_.generation = x_.reads[r].generation + 1;
    x_.explain_read(r);
  }
  return !unexplained.empty();
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
std::vector<Chase::Tuple> Chase::tuples_for(const Quantified& formula) {
  const auto bind = [](Tuple& tuple, std::size_t at, const SymPtr& value, int generation) {
    tuple.generation = std::max(tuple.generation, generation);
    if (at != SentPattern::kFixed && !tuple.values[at]) tuple.values[at] = value;
  };
  const auto oldest_first = [](std::vector<Tuple>& tuples) {
    // Leaving out the rest proves less, never more.
    std::stable_sort(tuples.begin(), tuples.end(),
                     [](const Tuple& a, const Tuple& b) { return a.generation < b.generation; });
    if (tuples.size() > kMostTuples) tuples.resize(kMostTuples);
  };
  std::vector<Tuple> tuples{{std::vector<SymPtr>(formula.types.size()), formula.generation}};
  for (const SentPattern& pattern : formula.patterns) {
    std::vector<Tuple> longer;
    std::set<std::string> seen;
    for (const Letter& letter : x_.letters) {
      if (letter.message != pattern.message || !x_.spoken(letter.sent_at)) continue;
      if (!is_true(x_.in_network(letter.sent_at, x_.last()))) continue;
      const auto fits = [&](std::size_t at, RoleId role) {
        return at == SentPattern::kFixed || formula.types[at] == x_.protocol_types().host(role);
      };
      if (!fits(pattern.sender, letter.sender_role) || !fits(pattern.addressee, letter.addressee_role)) continue;
      std::vector<Term> terms{letter.sender, letter.addressee};
      for (const SymPtr& arg : letter.args) x_.flatten(arg, terms);
      std::string text;
      for (Term term : terms) text += value(term).text + "|";
      if (!seen.insert(text).second) continue;
      for (const Tuple& tuple : tuples) {
        longer.push_back(tuple);
        for (std::size_t i = 0; i < pattern.args.size(); ++i) {
          bind(longer.back(), pattern.args[i], letter.args[i], letter.generation);
        }
        bind(longer.back(), pattern.sender, x_.host(letter.sender_role, letter.sender), letter.generation);
        bind(longer.back(), pattern.addressee, x_.host(letter.addressee_role, letter.addressee), letter.generation);
      }
    }
    oldest_first(longer);
    tuples = std::move(longer);
  }
  for (std::size_t t = 0; t < formula.types.size() && !tuples.empty(); ++t) {
    if (tuples.front().values[t]) continue;
    std::vector<Tuple> longer;
    const std::vector<Execution::Named> options = candidates(formula.types[t]);
    for (const Tuple& tuple : tuples) {
      for (const Execution::Named& option : options) {
        longer.push_back(tuple);
        bind(longer.back(), t, option.value, option.generation);
      }
    }
    oldest_first(longer);
    tuples = std::move(longer);
  }
  return tuples;
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
  for (const Tuple& tuple : tuples_for(x_.quantified[index])) {
    const Term inside = body_at(index, tuple);
    found = is_true(inside) == wanted && x_.settled(inside);
    if (found) break;
  }
  x_.generation = generation;
  return found;
}

bool Chase::repair_quantified() {
  bool any = false;
  std::size_t added = 0;
  const std::size_t count = x_.quantified.size();
  for (std::size_t q = 0; q < count; ++q) {
    if (!x_.spoken(x_.quantified[q].atom)) continue;
    const bool holds = is_true(x_.quantified[q].atom);
    x_.generation = x_.quantified[q].generation;
    if (holds != x_.quantified[q].universal) {
      if (x_.quantified[q].witnessed || has_witness(q)) continue;
      x_.add_witness(x_.quantified[q]);
      any = true;
      continue;
    }
    for (const Tuple& tuple : tuples_for(x_.quantified[q])) {
      const auto key = ids(tuple.values);
      if (x_.quantified[q].instances.count(key) != 0) continue;
      const Term inside = body_at(q, tuple);
      if (is_true(inside) == holds) continue;
      x_.quantified[q].instances.insert(key);
      x_.add_instance(q, tuple.values);
      any = true;
      if (++added >= kMostInstances) return true;
    }
  }
  return any;
}

bool Chase::repair_comparisons() {
  bool any = false;
  const std::size_t count = x_.comparisons.size();
  for (std::size_t c = 0; c < count; ++c) {
    if (!x_.spoken(x_.comparisons[c].about)) continue;
    x_.generation = x_.comparisons[c].generation;
    if (!is_true(x_.comparisons[c].atom)) {
      if (x_.comparisons[c].witnessed || x_.comparisons[c].late) continue;
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

bool Chase::repair_counting() {
  bool any = false;
  const std::size_t count = x_.counted.size();
  for (std::size_t a = 0; a < count; ++a) {
    if (!x_.counted[a].role.valid() || !x_.spoken(x_.counted[a].size)) continue;
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

/// Whose set it is: what is counted at another time is much the same set.
std::string Chase::owner(const Counted& counted) {
  if (!counted.cell) return "size " + std::to_string(counted.size.id());
  std::string text = std::to_string(counted.cell->var.value) + "." + std::to_string(counted.cell->layer) + " of " +
                     value(counted.cell->host).text;
  for (Term key : counted.cell->keys) text += ", " + value(key).text;
  return text;
}

/// One pair of sets that must share a host, and one for each two owners before
/// looking further back; of different owners if there are such.
bool Chase::repair_meetings() {
  const std::size_t count = x_.counted.size();
  struct Pair {
    std::size_t a = 0, b = 0;
    bool same_owner = false;
    int generation = 0;
    std::pair<std::string, std::string> owners;
  };
  std::optional<Pair> best;
  for (std::size_t a = 0; a < count; ++a) {
    const Counted& one = x_.counted[a];
    if (!one.role.valid() || one.generation >= depth_ || !x_.spoken(one.size)) continue;
    for (std::size_t b = a + 1; b < count; ++b) {
      const Counted& other = x_.counted[b];
      if (one.role != other.role || other.generation >= depth_ || one.met.count(small(b)) != 0 ||
          !x_.spoken(other.size))
        continue;
      if (number(one.size) + number(other.size) <= number(x_.size_of_role(one.role))) continue;
      Pair pair{a, b, false, std::max(one.generation, other.generation), {}};
      pair.owners = std::minmax({owner(one), owner(other)});
      pair.same_owner = pair.owners.first == pair.owners.second;
      const auto met = met_.find(pair.owners);
      if (met != met_.end() && met->second >= depth_) continue;
      if (best && std::tie(best->same_owner, best->generation) <= std::tie(pair.same_owner, pair.generation)) continue;
      best = pair;
    }
  }
  if (!best) return false;
  met_[best->owners] = depth_;
  x_.generation = best->generation;
  x_.add_common_member(best->a, best->b);
  return true;
}

/// A set that is not empty, none of whose members has a name; an empty set with a member.
bool Chase::repair_members() {
  const std::size_t count = x_.counted.size();
  std::set<std::string> shared;  // owners of sets that have a member in common with another
  for (const auto& [owners, depth] : met_) {
    shared.insert(owners.first);
    shared.insert(owners.second);
  }
  for (std::size_t a = 0; a < count; ++a) {
    const Counted& one = x_.counted[a];
    if ((explain && one.generation >= depth_) || !x_.spoken(one.size)) continue;
    const bool empty = number(one.size) == 0;
    if (empty && !one.set->collection->cardinality) continue;
    const std::string whose = owner(one);
    if (!empty && shared.count(whose) != 0) continue;
    const auto named = candidates(one.element);
    const auto member = std::find_if(named.begin(), named.end(), [&](const Execution::Named& candidate) {
      const Term inside = one.set->collection->apply(candidate.value)->term;
      return x_.spoken(inside) && is_true(inside);
    });
    if (empty == (member == named.end())) continue;
    if (!done_.insert({mark(Mark::member), small(a), empty ? 1U : 0U}).second) continue;
    x_.generation = one.generation;
    if (empty) {
      x_.add_not_empty(a, member->value);
    } else {
      met_[{whose, ""}] = depth_;
      x_.add_some_member(a);
    }
    return true;
  }
  return false;
}

bool Chase::repair_unique() {
  bool any = false;
  for (std::size_t a = 0; a < x_.uniques.size(); ++a) {
    for (std::size_t b = a + 1; b < x_.uniques.size(); ++b) {
      const UniqueValue& u = x_.uniques[a];
      const UniqueValue& v = x_.uniques[b];
      if (u.constant != v.constant || !x_.spoken(u.value) || !x_.spoken(v.value) || same(u.host, v.host) ||
          !same(u.value, v.value))
        continue;
      if (!done_.insert({mark(Mark::unique), small(a), small(b)}).second) continue;
      x_.add_unique(u, v);
      any = true;
    }
  }
  return any;
}

bool Chase::repair_derived() {
  bool any = false;
  const auto instance = [&](std::size_t f, std::size_t read, Term old_time) {
    const std::vector<std::uint32_t> key{small(f), small(read), old_time.valid() ? old_time.id() : 0};
    const auto known = instances_.find(key);
    if (known != instances_.end()) return known->second;
    const Read& at = x_.reads[read];
    Scope scope;
    scope.time = at.cell.time;
    scope.old_time = old_time;
    scope.locals[facts_[f].host] = x_.host(facts_[f].role, at.cell.host);
    std::size_t used = 0;
    const auto& types = x_.key_types(at.cell);
    for (std::size_t k = 0; k < facts_[f].keys.size() && k < types.size(); ++k) {
      scope.locals[facts_[f].keys[k]] = x_.unflatten(types[k], at.cell.keys, used);
    }
    return instances_.emplace(key, x_.holds(facts_[f].formula, scope)).first->second;
  };
  const Timelines lines = timelines();
  for (std::size_t f = 0; f < facts_.size(); ++f) {
    const DerivedFact& fact = facts_[f];
    if (!fact.two_state && !strategy_.state_facts) continue;
    for (const Timeline& line : lines) {
      const Cell& one = x_.reads[line.front().second].cell;
      if (one.var != fact.focus || one.keys.empty() != fact.keys.empty()) continue;
      for (std::size_t i = 0; i < line.size(); ++i) {
        const std::size_t a = line[i].second;
        const Cell cell = x_.reads[a].cell;
        const std::int64_t now = line[i].first;
        if (now < 0 || now > number(x_.last())) continue;
        x_.generation = x_.reads[a].generation;
        smt::TermManager& tm = x_.logic().terms;
        if (!fact.two_state) {
          if (now > number(facts_until)) continue;
          if (done_.count({mark(Mark::one_state), small(f), small(a)}) != 0) continue;
          const Term inside = instance(f, a, Term{});
          if (is_true(inside)) continue;
          done_.insert({mark(Mark::one_state), small(f), small(a)});
          x_.add(tm.implies(tm.and_({tm.le(x_.start(), cell.time), tm.le(cell.time, facts_until)}), inside),
                 Principle::derived, fact.name);
          any = true;
          continue;
        }
        // Such facts are transitive: neighbours in time are enough.
        if (i == 0 || line[i - 1].first < 0) continue;
        const std::size_t b = line[i - 1].second;
        const Cell& earlier = x_.reads[b].cell;
        if (is_true(x_.same_scalars(x_.reads[a].value, x_.reads[b].value))) continue;
        if (done_.count({mark(Mark::two_states), small(f), small(a), small(b)}) != 0) continue;
        x_.generation = std::max(x_.reads[a].generation, x_.reads[b].generation);
        const Term inside = instance(f, a, earlier.time);
        if (is_true(inside)) continue;
        done_.insert({mark(Mark::two_states), small(f), small(a), small(b)});
        std::vector<Term> when{tm.le(x_.start(), earlier.time), tm.le(earlier.time, cell.time),
                               tm.le(cell.time, x_.last()), tm.eq(cell.host, earlier.host)};
        for (std::size_t k = 0; k < cell.keys.size(); ++k) when.push_back(tm.eq(cell.keys[k], earlier.keys[k]));
        x_.add(tm.implies(tm.and_(when), inside), Principle::derived, fact.name);
        any = true;
      }
    }
    if (fact.set_grows) any = repair_growth(fact) || any;
  }
  return any;
}

/// A set that only grows has at least as many members later: neighbours in
/// time are enough.
bool Chase::repair_growth(const DerivedFact& fact) {
  std::map<std::string, std::map<std::int64_t, std::size_t>> by_owner;
  for (std::size_t c = 0; c < x_.counted.size(); ++c) {
    const Counted& counted = x_.counted[c];
    if (!counted.cell || counted.cell->var != fact.focus || !x_.spoken(counted.size)) continue;
    const std::int64_t time = number(counted.cell->time);
    if (time >= 0 && time <= number(x_.last())) by_owner[owner(counted)].emplace(time, c);
  }
  bool any = false;
  smt::TermManager& tm = x_.logic().terms;
  for (const auto& [whose, times] : by_owner) {
    for (auto next = times.begin(), before = next++; next != times.end(); before = next++) {
      const Counted& earlier = x_.counted[before->second];
      const Counted& later = x_.counted[next->second];
      if (number(earlier.size) <= number(later.size)) continue;
      if (!done_.insert({mark(Mark::size_grows), small(next->second), small(before->second)}).second) continue;
      std::vector<Term> when{tm.le(x_.start(), earlier.cell->time), tm.le(earlier.cell->time, later.cell->time),
                             tm.le(later.cell->time, x_.last()), tm.eq(later.cell->host, earlier.cell->host)};
      for (std::size_t i = 0; i < later.cell->keys.size(); ++i) {
        when.push_back(tm.eq(later.cell->keys[i], earlier.cell->keys[i]));
      }
      x_.add(tm.implies(tm.and_(when), tm.le(earlier.size, later.size)), Principle::derived, fact.name);
      any = true;
    }
  }
  return any;
}

bool Chase::repair_hypotheses(bool at_events) {
  bool any = false;
  smt::TermManager& tm = x_.logic().terms;
  for (std::size_t h = 0; h < hypotheses_.size(); ++h) {
    std::vector<std::pair<Term, int>> times;
    if (!strategy_.one_state) times.emplace_back(x_.before_last(), 0);
    if (!hypotheses_[h].only_before_last) times.emplace_back(x_.last(), 0);
    for (const Event& event : x_.events) {
      if (at_events && live(event)) times.emplace_back(event.time, event.generation);
    }
    for (const auto& [time, generation] : times) {
      if (number(time) < 0 || number(time) > number(x_.last())) continue;
      if (!done_.insert({mark(Mark::hypothesis), small(h), time.id()}).second) continue;
      Scope scope;
      scope.time = time;
      x_.generation = generation;
      const Term bound = hypotheses_[h].only_before_last ? tm.lt(time, x_.last()) : tm.le(time, x_.last());
      x_.add(tm.implies(tm.and_({tm.le(x_.start(), time), bound}), x_.holds_and_defined(hypotheses_[h].formula, scope)),
             Principle::hypothesis, hypotheses_[h].name);
      hypotheses_used_.insert({hypotheses_[h].name, hypotheses_[h].only_before_last});
      any = true;
    }
  }
  return any;
}

/// What no fact speaks of has any value in a model. Before a model counts,
/// facts have to speak of all that instances depend on.
bool Chase::settle() {
  struct Instance {
    std::size_t formula;
    Tuple tuple;
  };
  std::vector<Instance> unsettled;
  const std::size_t count = x_.quantified.size();
  for (std::size_t q = 0; q < count; ++q) {
    if (!x_.spoken(x_.quantified[q].atom) || is_true(x_.quantified[q].atom) != x_.quantified[q].universal) continue;
    for (Tuple& tuple : tuples_for(x_.quantified[q])) {
      const auto key = ids(tuple.values);
      const auto known = x_.quantified[q].bodies.find(key);
      if (known == x_.quantified[q].bodies.end() || x_.quantified[q].instances.count(key) != 0) continue;
      if (!x_.settled(known->second)) unsettled.push_back({q, std::move(tuple)});
    }
  }
  std::stable_sort(unsettled.begin(), unsettled.end(),
                   [](const Instance& a, const Instance& b) { return a.tuple.generation < b.tuple.generation; });
  if (unsettled.size() > kMostInstances) unsettled.resize(kMostInstances);
  for (const Instance& one : unsettled) {
    x_.generation = one.tuple.generation;
    x_.quantified[one.formula].instances.insert(ids(one.tuple.values));
    x_.add_instance(one.formula, one.tuple.values);
  }
  return !unsettled.empty();
}

/// How far back the cause of a value is looked for: a number that is not what
/// it was at the start is nothing strange.
int Chase::cost(const Read& read) const {
  const bool number = read.value->kind == Sym::Kind::scalar && read.value->term.sort().is_numeric();
  return read.generation + (number ? kNumberCost : 0);
}

/// Everything known so far fits together: looks one cause further back.
/// False: there is nothing without a cause, or (with a reason) the chain of
/// causes is too long.
bool Chase::deepen() {
  const bool further = std::any_of(x_.reads.begin(), x_.reads.end(),
                                   [&](Read& r) { return !r.explained && cost(r) >= depth_ && x_.spoken(r); }) ||
                       std::any_of(x_.letters.begin(), x_.letters.end(), [&](const Letter& l) {
                         return !l.explained && l.generation >= depth_ && x_.spoken(l.sent_at);
                       });
  if (!further) return false;
  if (depth_ >= strategy_.generations) {
    reason_ = "a chain of causes longer than " + std::to_string(strategy_.generations);
    return false;
  }
  ++depth_;
  return true;
}

/// Drops assumptions one by one as long as the rest is still contradictory:
/// each that stays costs an explanation.
std::vector<Term> Chase::smaller_core(std::vector<Term> core) {
  if (core.size() > kMostShrunk) return core;
  for (std::size_t i = core.size(); i > 0 && core.size() > 1;) {
    --i;
    std::vector<Term> rest = core;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    const smt::CheckResult result = solver_.check(rest);
    if (result.answer != smt::Answer::unsat) continue;
    core = std::move(rest);
  }
  return core;
}

std::vector<Term> Chase::quiet_assumptions() {
  std::vector<Term> result;
  if (!explain) return result;
  for (std::size_t r = 0; r < x_.reads.size(); ++r) {
    if (x_.reads[r].explained || cost(x_.reads[r]) >= depth_ || x_.reads[r].cell.time == x_.start()) continue;
    if (!x_.spoken(x_.reads[r])) continue;
    // What an event left behind follows from the event.
    if (x_.reads[r].after != Read::kNone && x_.events[x_.reads[r].after].asked) continue;
    x_.generation = x_.reads[r].generation;
    if (!x_.reads[r].quiet.valid()) x_.quieten_read(r);
    result.push_back(x_.reads[r].quiet);
  }
  for (std::size_t l = 0; l < x_.letters.size(); ++l) {
    if (x_.letters[l].explained || x_.letters[l].generation >= depth_ || !x_.spoken(x_.letters[l].sent_at)) continue;
    if (!x_.letters[l].quiet.valid()) x_.quieten_letter(l);
    result.push_back(x_.letters[l].quiet);
  }
  return result;
}

/// Gives a cause to what cannot be quiet. False: there is no such thing.
bool Chase::explain_core(const std::vector<Term>& core) {
  std::set<std::uint32_t> loud;
  for (Term literal : core) loud.insert(literal.id());
  bool any = false;
  const std::size_t reads = x_.reads.size();
  const std::size_t letters = x_.letters.size();
  for (std::size_t r = 0; r < reads; ++r) {
    const Read& read = x_.reads[r];
    if (read.explained || !read.quiet.valid() || loud.count(read.quiet.id()) == 0) continue;
    x_.generation = read.generation + 1;
    x_.explain_read(r);
    any = true;
  }
  for (std::size_t l = 0; l < letters; ++l) {
    const Letter& letter = x_.letters[l];
    if (letter.explained || !letter.quiet.valid() || loud.count(letter.quiet.id()) == 0) continue;
    x_.generation = letter.generation + 1;
    x_.explain_letter(l);
    any = true;
  }
  return any;
}

}  // namespace tenet::provenance
