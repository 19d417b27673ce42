// First pass: watching a run to form hypotheses.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "replay.h"
#include "tenet/training/evidence.h"
#include "tenet/training/infer.h"

namespace tenet::training {

// A hypothesis with what one run says about its numbers.
struct Proposal {
  Invariant claim;
  Seen seen;
};

class Proposer : public Listener {
 public:
  virtual void propose(std::vector<Proposal>& out) = 0;
};

struct ProposerContext {
  Vocabulary* vocabulary;
  const InferOptions* options;
};

[[nodiscard]] std::unique_ptr<Proposer> make_containment_proposer(const ProposerContext& context);
[[nodiscard]] std::unique_ptr<Proposer> make_order_proposer(const ProposerContext& context);
[[nodiscard]] std::unique_ptr<Proposer> make_field_proposer(const ProposerContext& context);
[[nodiscard]] std::unique_ptr<Proposer> make_shape_proposer(const ProposerContext& context);
[[nodiscard]] std::unique_ptr<Proposer> make_variable_proposer(const ProposerContext& context);
[[nodiscard]] std::unique_ptr<Proposer> make_rank_proposer(const ProposerContext& context);
[[nodiscard]] std::unique_ptr<Proposer> make_step_proposer(const ProposerContext& context);

// Functions nobody wants rules about: private helpers, plumbing of the framework.
[[nodiscard]] bool is_plumbing(std::string_view function) noexcept;

// Functions that only compute: layers and tensor operations. Their order is the architecture of one model, not a rule.
[[nodiscard]] bool is_computation(std::string_view function) noexcept;

// Functions that build models and enter contexts: which layers a model is made of, and in which order, is the model.
[[nodiscard]] bool is_construction(std::string_view function) noexcept;

// Those of them that are part of torch itself: which of them a layer uses changes from version to version.
[[nodiscard]] bool is_builtin(std::string_view function) noexcept;

// "arg.grads.3.dtype": one of a list that is as long as the model happens to be.
[[nodiscard]] bool is_list_member(std::string_view key) noexcept;

// A property of names, decided once per symbol.
class NameTest {
 public:
  using Test = bool (*)(std::string_view) noexcept;
  NameTest(const Vocabulary& vocabulary, Test test) : vocabulary_(&vocabulary), test_(test) {}
  [[nodiscard]] bool operator()(Symbol function) {
    if (function >= known_.size()) known_.resize(function + 256, 0);
    if (known_[function] == 0) known_[function] = test_(vocabulary_->text(function)) ? 2 : 1;
    return known_[function] == 2;
  }

 private:
  const Vocabulary* vocabulary_;
  Test test_;
  std::vector<std::uint8_t> known_;
};

// Small numbers for symbols, in order of first use.
class Numbering {
 public:
  [[nodiscard]] std::uint32_t operator()(Symbol symbol) {
    if (symbol >= numbers_.size()) numbers_.resize(symbol + 256, 0);
    if (numbers_[symbol] == 0) {
      symbols_.push_back(symbol);
      numbers_[symbol] = static_cast<std::uint32_t>(symbols_.size());
    }
    return numbers_[symbol] - 1;
  }
  [[nodiscard]] Symbol symbol(std::uint32_t number) const noexcept { return symbols_[number]; }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(symbols_.size()); }

 private:
  std::vector<std::uint32_t> numbers_;
  std::vector<Symbol> symbols_;
};

// A number per open call of each thread, kept in step with the replay's stack.
template <typename Entry>
class Stacks {
 public:
  [[nodiscard]] Entry& at(const Process& process, const Thread& thread, std::size_t depth) {
    auto& stack = stacks_[static_cast<std::uint32_t>(process.number) << 16U | thread.number];
    if (depth >= stack.size()) stack.resize(depth + 8);
    return stack[depth];
  }

 private:
  std::unordered_map<std::uint32_t, std::vector<Entry>> stacks_;
};

}  // namespace tenet::training
