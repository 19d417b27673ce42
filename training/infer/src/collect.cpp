// The two passes over the traces.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <thread>

#include "proposer.h"
#include "rule_engine.h"
#include "tenet/training/infer.h"
#include "tenet/training/trace_source.h"

namespace tenet::training {
namespace {

constexpr std::uint64_t kProgressEvery = 50'000;

// Counts of one rule or function by facts.
class Tally {
 public:
  void add(FactsId facts, bool holds, std::int64_t step) {
    if (last_ >= entries_.size() || entries_[last_].facts != facts) last_ = find(facts);
    Examples& entry = entries_[last_];
    std::uint64_t& count = holds ? entry.positives : entry.negatives;
    std::int64_t& first = holds ? entry.first_positive : entry.first_negative;
    std::int64_t& last = holds ? entry.last_positive : entry.last_negative;
    first = count == 0 ? step : std::min(first, step);
    last = count == 0 ? step : std::max(last, step);
    ++count;
  }
  [[nodiscard]] std::vector<Examples>& entries() noexcept { return entries_; }

 private:
  std::size_t find(FactsId facts) {
    const auto [found, fresh] = index_.try_emplace(facts, static_cast<std::uint32_t>(entries_.size()));
    if (fresh) {
      entries_.push_back({});
      entries_.back().facts = facts;
    }
    return found->second;
  }
  std::vector<Examples> entries_;
  std::unordered_map<FactsId, std::uint32_t> index_;
  std::size_t last_ = 0;
};

class TallySink final : public OutcomeSink {
 public:
  explicit TallySink(std::size_t rules) : tallies_(rules) {}
  void outcome(std::uint32_t rule, bool holds, FactsId facts, const Place& place) override {
    tallies_[rule].add(facts, holds, place.step);
  }
  [[nodiscard]] Tally& at(std::size_t rule) noexcept { return tallies_[rule]; }

 private:
  std::vector<Tally> tallies_;
};

// Notes where functions are called at all, the quantities at the end, and the program.
class ExposureListener final : public Listener {
 public:
  explicit ExposureListener(Vocabulary& vocabulary)
      : vocabulary_(&vocabulary), program_name_(vocabulary.intern("program")), plumbing_(vocabulary, is_plumbing) {}

  void on_enter(Process&, Thread&, Frame& frame) override {
    if (!plumbing_(frame.function)) functions_[frame.function].add(frame.facts, true, frame.step);
  }
  void on_end(Process& process) override {
    const auto program = process.context.find(program_name_);
    if (program != process.context.end() && program->second.type == ValueType::text && process.event > largest_) {
      largest_ = process.event;
      program_ = vocabulary_->text(program->second.symbol());
    }
    Quantities quantities;
    for (const auto& [name, value] : process.scalars) {
      if (value.is_number()) quantities[std::string(vocabulary_->text(name))] = value.number();
    }
    for (const auto& [function, calls] : process.calls) {
      const std::string_view text = vocabulary_->text(function);
      if (text.ends_with(".step") || text.ends_with(".backward")) {
        quantities[fmt::format("calls({})", text)] = static_cast<double>(calls);
      }
    }
    quantities_.push_back(std::move(quantities));
  }

  std::map<Symbol, Tally> functions_;
  std::vector<Quantities> quantities_;
  std::string program_;

 private:
  Vocabulary* vocabulary_;
  Symbol program_name_;
  std::uint64_t largest_ = 0;  // events of the process whose program it is
  NameTest plumbing_;
};

struct RunState {
  std::string path;
  std::vector<Proposal> proposals;
  std::vector<std::string> problems;
  bool readable = false;
};

class Collector {
 public:
  Collector(const std::vector<std::string>& runs, const InferOptions& options) : options_(options) {
    for (const std::string& path : runs) states_.push_back({path, {}, {}, false});
  }

  Result<EvidenceSet> run() {
    in_parallel([this](std::size_t i) { first_pass(states_[i]); });
    if (std::ranges::none_of(states_, &RunState::readable)) {
      return failure(ErrorKind::bad_input, states_.empty() ? "no trace was given" : states_.front().problems.front());
    }
    form_hypotheses();
    in_parallel([this](std::size_t i) { second_pass(i); });
    if (options_.stop != nullptr && options_.stop->requested()) return failure(ErrorKind::interrupted, "stopped");
    for (Hypothesis& hypothesis : out_.hypotheses) {
      for (auto& examples : hypothesis.examples) std::ranges::sort(examples, {}, &Examples::facts);
    }
    for (const RunState& state : states_) {
      out_.problems.insert(out_.problems.end(), state.problems.begin(), state.problems.end());
    }
    return std::move(out_);
  }

 private:
  // Runs are independent; what they share is the vocabulary and, at the end of a pass, the result.
  template <typename Body>
  void in_parallel(Body body) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < states_.size(); i = next++) body(i);
    };
    const std::size_t count = std::min<std::size_t>(std::max(1U, options_.threads), states_.size());
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work);
    work();
  }

  template <typename Feed>
  bool read(RunState& state, int pass, Feed feed) {
    auto source = open_run(state.path, vocabulary_);
    if (!source) {
      if (pass == 1) state.problems.push_back(source.error().message);
      return false;
    }
    std::uint64_t pending = 0;
    while (const Record* record = (*source)->next()) {
      feed(*record);
      if (++pending == kProgressEvery) {
        report_progress(pass, pending);
        pending = 0;
        if (options_.stop != nullptr && options_.stop->requested()) return false;
      }
    }
    report_progress(pass, pending);
    if (pass == 1) {
      const auto& problems = (*source)->report().problems;
      state.problems.insert(state.problems.end(), problems.begin(), problems.end());
    }
    return (*source)->report().records > 0;
  }

  void report_progress(int pass, std::uint64_t records) {
    if (!options_.progress) return;
    const std::scoped_lock lock(mutex_);
    if (pass != pass_) records_ = 0;
    pass_ = pass;
    options_.progress(pass, records_ += records);
  }

  void first_pass(RunState& state) {
    FactsTable facts;
    Replay replay(vocabulary_, facts);
    std::vector<std::unique_ptr<Proposer>> proposers;
    const ProposerContext context{&vocabulary_, &options_};
    for (const auto make : {make_containment_proposer, make_order_proposer, make_field_proposer, make_shape_proposer,
                            make_variable_proposer, make_rank_proposer, make_step_proposer}) {
      proposers.push_back(make(context));
      replay.add(*proposers.back());
    }
    state.readable = read(state, 1, [&](const Record& record) { replay.feed(record); });
    if (!state.readable) {
      if (state.problems.empty()) state.problems.push_back(fmt::format("{}: the trace is empty", state.path));
      return;
    }
    replay.finish();
    for (const auto& proposer : proposers) proposer->propose(state.proposals);
    note_counts(state, replay.counts());
  }

  static void note_counts(RunState& state, const ReplayCounts& counts) {
    const auto note = [&](std::uint64_t count, std::string_view what) {
      if (count > 0) state.problems.push_back(fmt::format("{}: {} {}", state.path, count, what));
    };
    note(counts.duplicated, "calls were recorded twice; the second record is not used");
    note(counts.unmatched, "returns belong to no open call and are not used");
    note(counts.step_restarts, "times the step went back; what follows counts as further steps");
  }

  void form_hypotheses() {
    std::map<std::string, Hypothesis> merged;
    for (std::size_t run = 0; run < states_.size(); ++run) {
      for (Proposal& proposal : states_[run].proposals) {
        Hypothesis& hypothesis = merged[proposal.claim.key()];
        if (hypothesis.seen.empty()) {
          hypothesis.claim = std::move(proposal.claim);
          hypothesis.seen.resize(states_.size());
          hypothesis.examples.resize(states_.size());
        }
        hypothesis.seen[run] = proposal.seen;
      }
      states_[run].proposals.clear();
    }
    for (const Invariant& claim : options_.others) {
      const auto [found, fresh] = merged.try_emplace(claim.key());
      if (!fresh) continue;
      found->second = {claim, std::vector<std::vector<Examples>>(states_.size()), std::vector<Seen>(states_.size()),
                       false};
    }
    for (const RunState& state : states_) out_.runs.push_back(state.path);
    out_.programs.resize(states_.size());
    out_.exposure.resize(states_.size());
    out_.quantities.resize(states_.size());
    for (auto& [key, hypothesis] : merged) {
      // Judged with the widest interval: examples say where there was a number, `seen` says which.
      for (const Seen& seen : hypothesis.seen) {
        if (!seen.any || hypothesis.claim.relation == Relation::equal_fields) continue;
        hypothesis.claim.low = hypothesis.claim.relation == Relation::each_step ? 1 : -HUGE_VAL;
        hypothesis.claim.high = HUGE_VAL;
      }
      out_.hypotheses.push_back(std::move(hypothesis));
    }
  }

  void second_pass(std::size_t run) {
    if (!states_[run].readable) return;
    FactsTable facts;
    TallySink sink(out_.hypotheses.size());
    RuleEngine engine(vocabulary_, facts, sink);
    for (std::size_t i = 0; i < out_.hypotheses.size(); ++i) {
      (void)engine.add(out_.hypotheses[i].claim, static_cast<std::uint32_t>(i));
    }
    ExposureListener exposure(vocabulary_);
    engine.replay().add(exposure);
    if (!read(states_[run], 2, [&](const Record& record) { engine.feed(record); })) return;
    engine.finish();
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < out_.hypotheses.size(); ++i) {
      out_.hypotheses[i].examples[run] = portable(sink.at(i).entries(), facts);
    }
    for (auto& [function, tally] : exposure.functions_) {
      out_.exposure[run][std::string(vocabulary_.text(function))] = portable(tally.entries(), facts);
    }
    out_.quantities[run] = std::move(exposure.quantities_);
    out_.programs[run] = std::move(exposure.program_);
  }

  std::vector<Examples> portable(std::vector<Examples>& examples, const FactsTable& facts) {
    for (Examples& entry : examples) entry.facts = portable(facts.at(entry.facts));
    return std::move(examples);
  }

  std::uint32_t portable(const Facts& facts) {
    FactList list;
    for (const Fact& fact : facts) {
      list.emplace_back(std::string(vocabulary_.text(fact.key)), to_constant(fact.value, vocabulary_));
    }
    std::ranges::sort(list);
    const auto [found, fresh] = facts_.try_emplace(std::move(list), static_cast<std::uint32_t>(out_.facts.size()));
    if (fresh) out_.facts.push_back(found->first);
    return found->second;
  }

  const InferOptions& options_;
  Vocabulary vocabulary_;
  std::vector<RunState> states_;
  EvidenceSet out_;
  std::map<FactList, std::uint32_t> facts_;
  std::mutex mutex_;
  int pass_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace

Result<EvidenceSet> collect_evidence(const std::vector<std::string>& runs, const InferOptions& options) {
  return Collector(runs, options).run();
}

}  // namespace tenet::training
