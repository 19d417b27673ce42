// contains_call, contains_change, each_change: the functions and the changes seen below each call.
#include <algorithm>
#include <bit>
#include <map>

#include "proposer.h"

namespace tenet::training {
namespace {

using Bits = std::vector<std::uint64_t>;

void set_bit(Bits& bits, std::uint32_t bit) {
  if (bit / 64 >= bits.size()) bits.resize(bit / 64 + 1, 0);
  bits[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

void unite(Bits& into, const Bits& from) {
  if (into.size() < from.size()) into.resize(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) into[i] |= from[i];
}

template <typename Visit>
void each_bit(const Bits& bits, Visit visit) {
  for (std::size_t word = 0; word < bits.size(); ++word) {
    for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      visit(static_cast<std::uint32_t>(64 * word + static_cast<std::size_t>(std::countr_zero(rest))));
    }
  }
}

class ContainmentProposer final : public Proposer {
 public:
  explicit ContainmentProposer(const ProposerContext& context)
      : context_(context), plumbing_(*context.vocabulary, is_plumbing), builtin_(*context.vocabulary, is_builtin) {}

  void on_enter(Process& process, Thread& thread, Frame&) override {
    Below& below = stacks_.at(process, thread, thread.depth - 1);
    below.functions.clear();
    below.changes.clear();
  }

  void on_state(Process& process, Thread& thread, Variable& variable) override {
    if (thread.depth == 0 || passes_by(variable.type)) return;
    Below& below = stacks_.at(process, thread, thread.depth - 1);
    for (const auto& [key, event] : variable.changed) {
      if (event != process.event) continue;
      const int field = variable.layout->find(key);
      if (field < 0 || !is_content(key, variable.layout->types[static_cast<std::size_t>(field)])) continue;
      set_bit(below.changes, change(variable.type, key, Mode::changes));
      const bool cleared = is_cleared(key, norm_key(key), variable);
      Value before;
      const bool was_none = variable.get_before(key, before) && before.type == ValueType::none;
      if (cleared) set_bit(below.changes, change(variable.type, key, Mode::clears));
      if (!cleared && was_none) set_bit(below.changes, change(variable.type, key, Mode::fills));
    }
  }

  void on_exit(Process& process, Thread& thread, Frame& frame, const Record&) override {
    Below& below = stacks_.at(process, thread, thread.depth - 1);
    if (!plumbing_(frame.function) && !builtin_(frame.function)) {
      Parent& parent = parents_[frame.function];
      ++parent.calls;
      each_bit(below.functions, [&](std::uint32_t bit) { count(parent.functions, bit); });
      each_bit(below.changes, [&](std::uint32_t bit) { count(parent.changes, bit); });
    }
    if (thread.depth < 2) return;
    Below& above = stacks_.at(process, thread, thread.depth - 2);
    unite(above.functions, below.functions);
    unite(above.changes, below.changes);
    if (!plumbing_(frame.function) && !builtin_(frame.function)) set_bit(above.functions, functions_(frame.function));
  }

  void propose(std::vector<Proposal>& out) override {
    const Vocabulary& v = *context_.vocabulary;
    for (const auto& [function, parent] : parents_) {
      Invariant claim;
      claim.subject = v.text(function);
      claim.relation = Relation::contains_call;
      for (std::uint32_t i = 0; i < parent.functions.size(); ++i) {
        if (!likely(parent.functions[i], parent.calls) || functions_.symbol(i) == function) continue;
        // Which layers a model is made of is the model, not a rule.
        if (is_construction(claim.subject) || is_construction(v.text(functions_.symbol(i)))) continue;
        if (claim.subject == "torch.nn.Module.__call__" && is_computation(v.text(functions_.symbol(i)))) continue;
        claim.object = v.text(functions_.symbol(i));
        out.push_back({claim, {}});
      }
      for (std::uint32_t i = 0; i < parent.changes.size(); ++i) {
        if (!likely(parent.changes[i], parent.calls)) continue;
        claim.object = v.text(changes_[i].type);
        claim.field = v.text(changes_[i].key);
        claim.mode = changes_[i].mode;
        claim.relation = Relation::contains_change;
        out.push_back({claim, {}});
        claim.relation = Relation::each_change;
        out.push_back({claim, {}});
      }
    }
  }

 private:
  struct Below {
    Bits functions;
    Bits changes;
  };
  struct Parent {
    std::uint64_t calls = 0;
    std::vector<std::uint64_t> functions;
    std::vector<std::uint64_t> changes;
  };
  struct Change {
    Symbol type;
    Symbol key;
    Mode mode;
  };

  // What is looked at as it comes along: the next batch is not a change of the one before.
  bool passes_by(Symbol type) {
    const auto [found, fresh] = passing_.try_emplace(type, false);
    if (fresh) {
      const std::string_view name = context_.vocabulary->text(type);
      found->second = name.starts_with("batch") || name == "collective" || name.starts_with("checkpoint.");
    }
    return found->second;
  }
  // Hashes, and what may replace them; not identities, shapes or flags.
  bool is_content(Symbol key, ValueType type) {
    if (type == ValueType::hash) contents_.insert_or_assign(key, true);
    return contents_.contains(key);
  }
  Symbol norm_key(Symbol key) {
    Symbol& norm = norms_[key];
    if (norm == 0) norm = context_.vocabulary->intern(std::string(context_.vocabulary->text(key)) + ".norm");
    return norm;
  }
  std::uint32_t change(Symbol type, Symbol key, Mode mode) {
    const auto [found, fresh] =
        change_numbers_.try_emplace({type, key, mode}, static_cast<std::uint32_t>(changes_.size()));
    if (fresh) changes_.push_back({type, key, mode});
    return found->second;
  }
  static void count(std::vector<std::uint64_t>& counts, std::uint32_t index) {
    if (index >= counts.size()) counts.resize(index + 1U, 0);
    ++counts[index];
  }
  // Seen at all, and not merely by accident: a precondition can save what happens in a tenth of the calls.
  static bool likely(std::uint64_t seen, std::uint64_t calls) noexcept { return seen >= 1 && seen * 10 >= calls; }

  ProposerContext context_;
  NameTest plumbing_;
  NameTest builtin_;
  Numbering functions_;
  std::vector<Change> changes_;
  std::map<std::tuple<Symbol, Symbol, Mode>, std::uint32_t> change_numbers_;
  std::unordered_map<Symbol, bool> contents_;
  std::unordered_map<Symbol, bool> passing_;
  std::unordered_map<Symbol, Symbol> norms_;
  std::map<Symbol, Parent> parents_;
  Stacks<Below> stacks_;
};

}  // namespace

std::unique_ptr<Proposer> make_containment_proposer(const ProposerContext& context) {
  return std::make_unique<ContainmentProposer>(context);
}

}  // namespace tenet::training
