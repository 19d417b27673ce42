/// Repairs of what a model breaks in time: events, effects, sends, and values
/// that must have a cause.
#include <algorithm>

#include "chase.h"

namespace tenet::provenance {

using ir::RoleId;
using ir::StepId;
using smt::Term;

namespace {
/// How much further back the causes of numbers are looked for.
constexpr int kNumberCost = 2;
/// Assumptions of a core that are tried one by one.
constexpr std::size_t kMostShrunk = 30;
}  // namespace

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

/// That nothing was sent which the last event sends.
bool Chase::repair_sends() {
  if (!strategy_.one_step || !live(x_.events[0])) return false;
  const auto step = step_of(x_.events[0]);
  if (!step) return false;
  bool any = false;
  const auto add = [&](ir::MessageId message, Term to, int generation) {
    if (!done_.insert({mark(Mark::sends), step->value, message.value, to.id()}).second) return;
    x_.generation = generation;
    const std::size_t before = x_.facts.size();
    x_.add_sends(0, *step, message, to);
    any = any || x_.facts.size() != before;
  };
  for (std::size_t l = 0; l < x_.letters.size(); ++l) {
    const Letter& letter = x_.letters[l];
    if (!x_.sends(*step, letter.message) || !x_.spoken(letter.sent_at)) continue;
    if (!acts(x_.events[0], *step, letter.sender) || is_true(x_.in_network(letter.sent_at, x_.last()))) continue;
    add(letter.message, letter.addressee, letter.generation);
  }
  const std::size_t count = x_.quantified.size();
  for (std::size_t q = 0; q < count; ++q) {
    if (!x_.spoken(x_.quantified[q].atom) || is_true(x_.quantified[q].atom) != x_.quantified[q].universal) continue;
    for (const SentPattern& pattern : std::vector<SentPattern>(x_.quantified[q].premises.sent)) {
      if (!x_.sends(*step, pattern.message)) continue;
      for (std::size_t r = 0; r < x_.protocol().roles.size(); ++r) {
        for (const Execution::Named& host : candidates(x_.protocol_types().host(RoleId(r)))) {
          add(pattern.message, host.value->term, host.generation);
        }
      }
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
