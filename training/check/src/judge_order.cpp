// before(A, B): since the last call of B a call of A was completed, judged when B is entered.
// after(A, B): since the last call of A a call of B was entered, judged when A is entered again; the last A is not
// judged.
#include "judge.h"

namespace tenet::training {
namespace {

class OrderJudge final : public Judge {
 public:
  explicit OrderJudge(const JudgeContext& context) : context_(context) {}

  bool add(const Invariant& invariant, std::uint32_t rule) override {
    const Symbol subject = context_.vocabulary->intern(invariant.subject);
    const Symbol object = context_.vocabulary->intern(invariant.object);
    const bool before = invariant.relation == Relation::before;
    by_function_.add(before ? object : subject, static_cast<std::uint32_t>(rules_.size()));
    const std::string& wanted = before ? invariant.subject : invariant.object;
    rules_.push_back({rule, before, before ? subject : object, is_essential(wanted)});
    return true;
  }

  void on_enter(Process& process, Thread& thread, Frame& frame) override {
    for (const std::uint32_t number : by_function_.at(frame.function)) {
      const Rule& rule = rules_[number];
      const FunctionState other = thread.function(rule.other);
      const FunctionState own = thread.function(frame.function);
      if (own.last_enter > own.last_exit) continue;  // recursion
      if (!rule.essential && other.calls == 0) continue;
      Place place = place_of(process, thread, frame);
      if (rule.before) {
        context_.sink->outcome(rule.rule, other.last_exit > own.last_exit, frame.facts, place);
      } else if (own.calls > 0) {
        place.step = own.last_step;
        context_.sink->outcome(rule.rule, other.last_enter > own.last_exit, own.last_facts, place);
      }
    }
  }

 private:
  struct Rule {
    std::uint32_t rule;
    bool before;
    Symbol other;
    bool essential;
  };
  JudgeContext context_;
  std::vector<Rule> rules_;
  SymbolIndex by_function_;
};

}  // namespace

std::unique_ptr<Judge> make_order_judge(const JudgeContext& context) { return std::make_unique<OrderJudge>(context); }

}  // namespace tenet::training
