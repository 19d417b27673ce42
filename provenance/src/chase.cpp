#include "chase.h"

#include <algorithm>

namespace tenet::provenance {

using smt::Term;

namespace {
/// Sums and products of a few numbers below it fit.
constexpr std::int64_t kSmallNumber = 1'000'000'000;
/// How much later what is known of the state after a step has its turn: most follows from the state before it.
constexpr int kAfterwards = 8;
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
      const auto [at, fresh] = applications_.emplace(application_key(term), term);
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
    repeats_ = repeats_ && asked.has_value();
    made = asked ? *asked : smt::Value{};
  }
  return values_.insert_or_assign(term.id(), std::move(made)).first->second;
}

std::string Chase::application_key(Term term) {
  std::string key = std::to_string(term.function().id());
  for (const Term arg : term.args()) key += "|" + value(arg).text;
  return key;
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
      repeats_ = false;
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
    nearest_.reset();
    timelines_.reset();
    applications_.clear();
    known_.clear();
    spoken_applications_.reset();
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
      repeats_ = result.cause == smt::Cause::incomplete || result.cause == smt::Cause::resource_limit;
      return ChaseEnd::unknown;
    }
    if (repair()) continue;
    if (!reason_.empty()) return ChaseEnd::unknown;
    if (repair_aliases() || repair_sends() || repair_meetings() || (strategy_.hypotheses && repair_hypotheses(false)) ||
        (explain && explain_conflicts()) || (strategy_.at_events && repair_hypotheses(true)) || repair_members()) {
      continue;
    }
    if (strategy_.senders && (explain_senders() || repair_hypotheses(true))) continue;
    if (strategy_.forward) {
      if (nearest_) {
        depth_ = *nearest_ + 1;
        continue;
      }
      reason_ = "nothing more follows from what is known";
      return ChaseEnd::saturated;
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

bool Chase::repair_hypotheses(bool at_events) {
  bool any = false;
  smt::TermManager& tm = x_.logic().terms;
  for (std::size_t h = 0; h < hypotheses_.size(); ++h) {
    std::vector<std::pair<Term, int>> times;
    if (!strategy_.one_state) times.emplace_back(x_.before_last(), 0);
    if (!hypotheses_[h].only_before_last)
      times.emplace_back(x_.last(), strategy_.forward && strategy_.one_step ? kAfterwards : 0);
    for (const Event& event : x_.events) {
      if (!at_events || !live(event)) continue;
      if (strategy_.forward && too_far(event.generation)) continue;
      times.emplace_back(event.time, event.generation);
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

}  // namespace tenet::provenance
