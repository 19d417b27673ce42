// same_on_ranks: whatever more than one process records, and the arguments of collectives.
#include <map>
#include <set>

#include "proposer.h"

namespace tenet::training {
namespace {

class RankProposer final : public Proposer {
 public:
  explicit RankProposer(const ProposerContext& context) : context_(context) {}

  void on_state(Process& process, Thread&, Variable& variable) override {
    see(process, variable.type, SubjectKind::variable_type, *variable.layout);
  }
  void on_enter(Process& process, Thread&, Frame& frame) override {
    if (is_collective(frame.function)) see(process, frame.function, SubjectKind::function, *frame.layout);
  }

  void propose(std::vector<Proposal>& out) override {
    for (const auto& [place, processes] : seen_) {
      if (processes.size() < 2) continue;
      Invariant claim;
      claim.relation = Relation::same_on_ranks;
      claim.kind = std::get<0>(place);
      claim.subject = context_.vocabulary->text(std::get<1>(place));
      claim.field = context_.vocabulary->text(std::get<2>(place));
      out.push_back({std::move(claim), {}});
    }
  }

 private:
  void see(const Process& process, Symbol subject, SubjectKind kind, const Layout& layout) {
    if (!layouts_.insert({process.number, subject, layout.id}).second) return;
    for (std::size_t i = 0; i < layout.keys.size(); ++i) {
      const ValueType type = layout.types[i];
      if (type == ValueType::none || type == ValueType::ref || type == ValueType::boolean) continue;
      if (type == ValueType::text && !may_be_fact(context_.vocabulary->text(layout.keys[i]), type)) continue;
      seen_[{kind, subject, layout.keys[i]}].insert(process.number);
    }
  }
  bool is_collective(Symbol function) {
    if (function >= collective_.size()) collective_.resize(function + 256, 0);
    if (collective_[function] == 0) {
      const std::string_view text = context_.vocabulary->text(function);
      const bool yes =
          text.find("distributed") != std::string_view::npos || text.find("all_") != std::string_view::npos;
      collective_[function] = yes ? 2 : 1;
    }
    return collective_[function] == 2;
  }

  ProposerContext context_;
  std::set<std::tuple<std::uint16_t, Symbol, std::uint32_t>> layouts_;
  std::map<std::tuple<SubjectKind, Symbol, Symbol>, std::set<std::uint16_t>> seen_;
  std::vector<std::uint8_t> collective_;
};

}  // namespace

std::unique_ptr<Proposer> make_rank_proposer(const ProposerContext& context) {
  return std::make_unique<RankProposer>(context);
}

}  // namespace tenet::training
