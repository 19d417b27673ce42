// before, after: functions called by the same caller. Functions called many times in a row have no order worth a rule.
#include <algorithm>
#include <map>

#include "proposer.h"

namespace tenet::training {
namespace {

constexpr std::uint64_t kLongestRow = 4;
constexpr std::size_t kMostSiblings = 80;
// Whether it is called in every step, in every epoch or once is taste; what has to come before it is not.
constexpr std::string_view kTrainMode = "torch.nn.modules.module.Module.train";

class OrderProposer final : public Proposer {
 public:
  explicit OrderProposer(const ProposerContext& context)
      : context_(context),
        plumbing_(*context.vocabulary, is_plumbing),
        computation_(*context.vocabulary, [](std::string_view function) noexcept {
          return is_computation(function) || is_construction(function);
        }) {}

  void on_enter(Process& process, Thread& thread, Frame& frame) override {
    const std::size_t depth = thread.depth;
    stacks_.at(process, thread, depth) = {};
    if (plumbing_(frame.function) || computation_(frame.function)) return;
    Row& row = stacks_.at(process, thread, depth - 1);
    row.length = row.last == frame.function ? row.length + 1 : 1;
    row.last = frame.function;
    Child& child = children_[frame.caller][frame.function];
    ++child.calls;
    child.longest_row = std::max(child.longest_row, row.length);
  }

  void propose(std::vector<Proposal>& out) override {
    for (const auto& [caller, children] : children_) {
      std::vector<std::pair<std::uint64_t, Symbol>> order;
      for (const auto& [function, child] : children) {
        if (child.longest_row <= kLongestRow) order.emplace_back(child.calls, function);
      }
      if (order.size() > kMostSiblings) {
        std::ranges::sort(order, [this](const auto& a, const auto& b) {
          return a.first != b.first ? a.first > b.first
                                    : context_.vocabulary->text(a.second) < context_.vocabulary->text(b.second);
        });
        order.resize(kMostSiblings);
      }
      for (const auto& [calls_a, a] : order) {
        for (const auto& [calls_b, b] : order) {
          if (a == b) continue;
          if (2 * calls_a >= calls_b && context_.vocabulary->text(a) != kTrainMode) add(Relation::before, a, b, out);
          if (2 * calls_b + 2 >= calls_a) add(Relation::after, a, b, out);
        }
      }
    }
  }

 private:
  struct Row {
    Symbol last = 0;
    std::uint64_t length = 0;
  };
  struct Child {
    std::uint64_t calls = 0;
    std::uint64_t longest_row = 0;
  };

  void add(Relation relation, Symbol a, Symbol b, std::vector<Proposal>& out) const {
    Invariant claim;
    claim.relation = relation;
    claim.subject = context_.vocabulary->text(a);
    claim.object = context_.vocabulary->text(b);
    out.push_back({std::move(claim), {}});
  }

  ProposerContext context_;
  NameTest plumbing_;
  NameTest computation_;
  std::map<Symbol, std::map<Symbol, Child>> children_;  // by caller
  Stacks<Row> stacks_;                                  // entry d: the calls made at depth d
};

}  // namespace

std::unique_ptr<Proposer> make_order_proposer(const ProposerContext& context) {
  return std::make_unique<OrderProposer>(context);
}

}  // namespace tenet::training
