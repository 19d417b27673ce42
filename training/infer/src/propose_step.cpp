// each_step: functions that are called in most steps, with how often.
#include <algorithm>
#include <map>

#include "proposer.h"

namespace tenet::training {
namespace {

class StepProposer final : public Proposer {
 public:
  explicit StepProposer(const ProposerContext& context)
      : context_(context),
        plumbing_(*context.vocabulary, is_plumbing),
        computation_(*context.vocabulary, is_computation) {}

  void on_enter(Process& process, Thread&, Frame& frame) override {
    if (!plumbing_(frame.function) && !computation_(frame.function)) ++counts_[process.number][frame.function];
  }

  void on_step(Process& process, std::int64_t) override {
    auto& counts = counts_[process.number];
    if (process.step != kNoStep) {
      ++steps_;
      for (const auto& [function, calls] : counts) {
        Total& total = totals_[function];
        total.low = total.steps == 0 ? calls : std::min(total.low, calls);
        total.high = std::max(total.high, calls);
        ++total.steps;
      }
    }
    counts.clear();
  }

  void propose(std::vector<Proposal>& out) override {
    for (const auto& [function, total] : totals_) {
      const bool taste = context_.vocabulary->text(function) == "torch.nn.modules.module.Module.train";
      if (2 * total.steps < steps_ || total.steps < 2 || taste) continue;
      Invariant claim;
      claim.relation = Relation::each_step;
      claim.subject = context_.vocabulary->text(function);
      out.push_back({std::move(claim), {static_cast<double>(total.low), static_cast<double>(total.high), true}});
    }
  }

 private:
  struct Total {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t steps = 0;
  };
  ProposerContext context_;
  NameTest plumbing_;
  NameTest computation_;
  std::map<std::uint16_t, std::unordered_map<Symbol, std::uint64_t>> counts_;
  std::map<Symbol, Total> totals_;
  std::uint64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Proposer> make_step_proposer(const ProposerContext& context) {
  return std::make_unique<StepProposer>(context);
}

}  // namespace tenet::training
