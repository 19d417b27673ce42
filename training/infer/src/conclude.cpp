// From evidence to invariants: support, preconditions, validation on held-out runs, intervals of numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "implication.h"
#include "laws.h"
#include "precondition.h"
#include "tenet/training/infer.h"

namespace tenet::training {
namespace {

constexpr std::size_t kNobody = SIZE_MAX;

// Runs that are left out together to see whether what the others teach holds for them: by run, the number of its group.
using Groups = std::vector<std::size_t>;

std::vector<Examples> gathered(const Hypothesis& hypothesis, const Groups& groups, std::size_t without) {
  std::vector<Examples> out;
  for (std::size_t run = 0; run < hypothesis.examples.size(); ++run) {
    if (groups[run] == without) continue;
    out.insert(out.end(), hypothesis.examples[run].begin(), hypothesis.examples[run].end());
  }
  // Groups of different runs with the same facts are one group, so that the result does not depend on how the runs
  // were cut.
  std::ranges::stable_sort(out, {}, &Examples::facts);
  std::vector<Examples> merged;
  for (const Examples& entry : out) {
    if (merged.empty() || merged.back().facts != entry.facts) {
      merged.push_back(entry);
      continue;
    }
    Examples& into = merged.back();
    const auto join = [](std::int64_t& first, std::int64_t& last, std::uint64_t& count, std::int64_t other_first,
                         std::int64_t other_last, std::uint64_t other_count) {
      if (other_count == 0) return;
      first = count == 0 ? other_first : std::min(first, other_first);
      last = count == 0 ? other_last : std::max(last, other_last);
      count += other_count;
    };
    join(into.first_positive, into.last_positive, into.positives, entry.first_positive, entry.last_positive,
         entry.positives);
    join(into.first_negative, into.last_negative, into.negatives, entry.first_negative, entry.last_negative,
         entry.negatives);
  }
  return merged;
}

bool is_numeric(Relation relation) noexcept {
  return relation == Relation::range || relation == Relation::ratio || relation == Relation::increment ||
         relation == Relation::each_step;
}

bool wants_slack(Relation relation) noexcept { return relation == Relation::range || relation == Relation::ratio; }

// The interval that all runs but those of one group have seen; widened, for magnitudes, on both sides.
Seen interval(const Hypothesis& hypothesis, const Groups& groups, std::size_t without, double slack) {
  Seen out;
  for (std::size_t run = 0; run < hypothesis.seen.size(); ++run) {
    const Seen& seen = hypothesis.seen[run];
    if (groups[run] == without || !seen.any) continue;
    out.low = out.any ? std::min(out.low, seen.low) : seen.low;
    out.high = out.any ? std::max(out.high, seen.high) : seen.high;
    out.any = true;
  }
  const Relation relation = hypothesis.claim.relation;
  if (relation == Relation::each_step) out.high = HUGE_VAL;  // more often than needed is a matter of the program
  if (!out.any || !wants_slack(relation)) return out;
  const double factor = relation == Relation::range ? 10 * slack : slack;
  out.low = out.low > 0 ? out.low / factor : out.low * factor;
  out.high = out.high > 0 ? out.high * factor : out.high / factor;
  return out;
}

// A lower bound on the size of something is a rule about the program, not about training.
void shape(Invariant& claim, const Seen& bounds) {
  claim.low = claim.relation == Relation::range ? 0 : bounds.low;
  // How often more than once is a matter of the program too: of how many parameters it has, for one.
  if (claim.relation == Relation::each_step) claim.low = std::min(claim.low, 1.0);
  claim.high = bounds.high;
}

bool has_positives(const std::vector<Examples>& run) {
  return std::ranges::any_of(run, [](const Examples& entry) { return entry.positives > 0; });
}

// What is said of them is said of the circumstances in which it was seen; the first two always.
constexpr std::array<std::string_view, 7> kPlaces{"stage",         "op",           "in_optimizer", "requires_grad",
                                                  "self.training", "grad_enabled", "autocast"};

// If none of n programs contradicts a claim, the next one does with a probability of 1 / (n + 2), however many of the n
// have anything to say about it (the rule of succession). From here on that is one in twenty: enough for any claim.
constexpr std::size_t kManyPrograms = 18;

// How a loop is written and how large numbers get, rather than what training is: true of many programs before it is
// expected of the next. So is where the line between a rule and its exceptions was found.
bool is_habit(const Invariant& claim) noexcept {
  if (claim.evidence.negatives > 0) return true;
  switch (claim.relation) {
    case Relation::constant:
      return claim.value && claim.value->type == ValueType::integer && !claim.field.ends_with(".nan") &&
             !claim.field.ends_with(".inf");
    case Relation::before:
    case Relation::after:
    case Relation::contains_call:
    case Relation::each_step:
    case Relation::loop_law:
    case Relation::range:
    case Relation::ratio:
    case Relation::increment:
      return true;
    default:
      return false;
  }
}

// Where something of the program's own is named: what it is called in the next program is an accident.
bool names_the_script(const Invariant& claim) {
  // As a child that multiprocessing has spawned calls it, too.
  const auto own = [](std::string_view name) {
    return name.starts_with("__main__") || name.starts_with("__mp_main__");
  };
  return own(claim.subject) || own(claim.object) ||
         std::ranges::any_of(claim.when.any_of, [&](const Conjunction& conjunction) {
           return std::ranges::any_of(conjunction, [&](const Condition& condition) {
             return std::ranges::any_of(condition.values, [&](const Constant& value) { return own(value.text); });
           });
         });
}

// A count that is not zero belongs to one program; it is a rule only where nothing speaks against it.
bool is_count(const Invariant& claim) {
  return claim.relation == Relation::constant && claim.kind == SubjectKind::variable_type && claim.value &&
         claim.value->type == ValueType::integer && claim.value->bits != 0;
}

class Concluder {
 public:
  Concluder(const EvidenceSet& evidence, const InferOptions& options) : evidence_(evidence), options_(options) {
    groups_.resize(evidence.runs.size());
    std::iota(groups_.begin(), groups_.end(), 0);
    if (options.programs == Programs::each && groups_.size() >= 2) shared_ = groups_.size();
    if (options.programs == Programs::recorded) group_by_program();
  }

  Conclusion run() {
    out_.hypotheses = evidence_.hypotheses.size();
    out_.invariants.runs = evidence_.runs.size();
    out_.programs = shared_;
    for (const Hypothesis& hypothesis : evidence_.hypotheses) {
      if (hypothesis.proposed) judge(hypothesis);
    }
    auto& invariants = out_.invariants.invariants;
    const std::size_t before = invariants.size();
    remove_implied(invariants);
    out_.implied = before - invariants.size();
    for (Invariant& invariant : invariants) confine(invariant);
    for (Invariant& law :
         loop_laws(evidence_, groups_, shared_ != 0, programs_needed({.relation = Relation::loop_law}))) {
      invariants.push_back(std::move(law));
    }
    std::ranges::sort(invariants, {}, &Invariant::key);
    return std::move(out_);
  }

 private:
  // Runs that do not name their program, or could not be read, are no sign of a second one.
  void group_by_program() {
    std::map<std::string_view, std::size_t> numbers;
    for (const std::string& program : evidence_.programs) numbers.try_emplace(program, numbers.size());
    if (numbers.size() < (numbers.contains("") ? 3U : 2U)) return;
    shared_ = numbers.size();
    std::ranges::transform(evidence_.programs, groups_.begin(), [&](const std::string& p) { return numbers.at(p); });
  }

  void judge(const Hypothesis& hypothesis) {
    const std::vector<Examples> all = gathered(hypothesis, groups_, kNobody);
    Invariant claim = hypothesis.claim;
    const auto when = separate(claim, all, evidence_.facts);
    if (!when) {
      std::uint64_t positives = 0;
      for (const Examples& entry : all) positives += entry.positives;
      ++(positives < options_.min_support ? out_.unsupported : out_.superficial);
      return;
    }
    if ((claim.relation == Relation::equal_fields && !varied(hypothesis)) ||
        (is_count(claim) && !when->unconditional())) {
      ++out_.superficial;
      return;
    }
    claim.when = *when;
    const Inside inside = count_inside(claim.when, all, evidence_.facts);
    if (inside.positives < needed(claim)) {
      ++out_.unsupported;
      return;
    }
    if (is_numeric(claim.relation)) {
      const Seen bounds = interval(hypothesis, groups_, kNobody, options_.slack);
      if (!bounds.any) return;
      if (claim.relation == Relation::each_step && bounds.low < 1) return;
      shape(claim, bounds);
    }
    claim.evidence.positives = inside.positives;
    claim.evidence.negatives = inside.negatives_outside;
    std::set<std::size_t> groups;
    for (std::size_t run = 0; run < hypothesis.examples.size(); ++run) {
      if (!has_positives(hypothesis.examples[run])) continue;
      ++claim.evidence.runs;
      groups.insert(groups_[run]);
    }
    if (shared_ != 0) claim.evidence.programs = groups.size();
    if (claim.evidence.runs < std::min<std::size_t>(options_.min_runs, evidence_.runs.size()) ||
        groups.size() < programs_needed(claim)) {
      ++out_.unsupported;
      return;
    }
    if (shared_ != 0 && names_the_script(claim)) {
      ++out_.superficial;
      return;
    }
    for (const auto& run : hypothesis.examples) claim.evidence.steps += steps_of(run);
    if (options_.validate && claim.evidence.runs >= 2 && !survives(hypothesis)) {
      ++out_.flaky;
      return;
    }
    note_places(claim, all);
    out_.invariants.invariants.push_back(std::move(claim));
  }

  // Of how many programs: none in particular if the runs are all of one.
  std::size_t programs_needed(const Invariant& claim) const {
    if (shared_ == 0) return 0;
    if (shared_ >= kManyPrograms) return 1;
    return is_habit(claim) ? options_.min_habit_programs : std::min<std::size_t>(options_.min_programs, shared_);
  }

  // Where the claim was seen to hold: in which stages, of which collectives; if every example says so. Of several
  // programs, also in which other circumstances.
  void note_places(const Invariant& claim, const std::vector<Examples>& examples) {
    for (const std::string_view key : kPlaces) {
      if (shared_ == 0 && key != "stage" && key != "op") break;
      if (key == claim.field || key == claim.other_field) continue;
      std::set<Constant> values;
      bool everywhere = true;
      for (const Examples& entry : examples) {
        if (entry.positives == 0) continue;
        const FactList& facts = evidence_.facts[entry.facts];
        const auto found = std::ranges::find(facts, key, &std::pair<std::string, Constant>::first);
        everywhere = everywhere && found != facts.end();
        if (everywhere) values.insert(found->second);
      }
      if (everywhere) places_[claim.key()][std::string(key)] = std::move(values);
    }
  }

  // What was learned from training alone is not claimed of an evaluation, what was learned from one collective not of
  // another.
  void confine(Invariant& invariant) const {
    const auto found = places_.find(invariant.key());
    if (found == places_.end() || invariant.when.inverted) return;
    for (const auto& [key, seen] : found->second) {
      if (seen.empty()) continue;
      std::set<Constant> values = seen;
      // What has to come first is missed before anything has begun, if it is missed at all.
      if (key == "stage" && invariant.relation == Relation::before) values.insert({ValueType::text, 0, "init"});
      const Condition here{key, {values.begin(), values.end()}, 0};
      if (invariant.when.any_of.empty()) invariant.when.any_of.emplace_back();
      for (Conjunction& conjunction : invariant.when.any_of) {
        if (std::ranges::find(conjunction, key, &Condition::key) != conjunction.end()) continue;
        conjunction.push_back(here);
        std::ranges::sort(conjunction);
      }
    }
  }

  std::uint64_t needed(const Invariant& claim) const {
    const bool order = claim.relation == Relation::before || claim.relation == Relation::after;
    return order && claim.when.unconditional() ? std::max(options_.min_order_support, options_.min_support)
                                               : options_.min_support;
  }

  static std::uint64_t steps_of(const std::vector<Examples>& run) {
    std::int64_t first = 0;
    std::int64_t last = -1;
    for (const Examples& entry : run) {
      if (entry.positives == 0) continue;
      first = last < first ? entry.first_positive : std::min(first, entry.first_positive);
      last = std::max(last, entry.last_positive);
    }
    return static_cast<std::uint64_t>(last - first + 1);
  }

  // Sizes that were the same everywhere may be equal by accident.
  bool varied(const Hypothesis& hypothesis) const {
    const Seen sizes = interval(hypothesis, groups_, kNobody, 1);
    return !sizes.any || sizes.low < sizes.high;
  }

  // Learned without a run, or without all runs of a program, the invariant holds on them.
  bool survives(const Hypothesis& hypothesis) const {
    std::map<std::size_t, std::optional<Precondition>> learned;  // by group left out
    for (std::size_t run = 0; run < hypothesis.examples.size(); ++run) {
      if (hypothesis.examples[run].empty()) continue;
      const auto [found, fresh] = learned.try_emplace(groups_[run]);
      if (fresh)
        found->second = separate(hypothesis.claim, gathered(hypothesis, groups_, groups_[run]), evidence_.facts);
      const auto& when = found->second;
      if (!when) continue;  // the others alone would not have proposed it
      if (count_inside(*when, hypothesis.examples[run], evidence_.facts).negatives > 0) return false;
      if (!is_numeric(hypothesis.claim.relation) || !hypothesis.seen[run].any) continue;
      const Seen bounds = interval(hypothesis, groups_, groups_[run], options_.slack);
      const Seen& seen = hypothesis.seen[run];
      const bool low_matters = hypothesis.claim.relation != Relation::range;
      if (bounds.any && ((low_matters && seen.low < bounds.low) || seen.high > bounds.high)) return false;
    }
    return true;
  }

  const EvidenceSet& evidence_;
  const InferOptions& options_;
  Groups groups_;
  std::size_t shared_ = 0;  // number of programs if what they share is learned
  Conclusion out_;
  std::map<std::string, std::map<std::string, std::set<Constant>>> places_;  // by key of the claim, by fact
};

}  // namespace

Conclusion conclude(const EvidenceSet& evidence, const InferOptions& options) {
  return Concluder(evidence, options).run();
}

}  // namespace tenet::training
