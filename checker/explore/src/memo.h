/// What each local state can do, computed once: the heart of the explorer's
/// speed. A step reads only its host's variables, the constants and one
/// message, so that what it does is a function of (local state, message).
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "packing.h"
#include "stepper.h"
#include "universe.h"

namespace tenet::explore {

/// A change to one word of a packed state.
struct WordChange {
  std::uint32_t word = 0;
  Word clear = 0;  ///< the old local state
  Word set = 0;    ///< the new local state
  Word send = 0;   ///< messages
};

/// One way in which a step happens, ready to be applied to packed states. What
/// is read each time comes first, in one line of the cache.
struct alignas(64) Outcome {
  Effect::Kind kind = Effect::Kind::happens;
  bool linked = false;   ///< `changes` is valid under the current packing
  bool counted = false;  ///< takes or sends messages whose copies count
  bool moves = false;    ///< the local state changes
  std::uint32_t host = 0;
  const Local* to = nullptr;         ///< happens: the local state after it
  std::uint64_t hash_change = 0;     ///< of the local state
  std::uint64_t affects_moving = 0;  ///< checks that read what changes in the local state
  std::uint64_t affects_sending = 0;
  std::vector<WordChange> changes;
  std::vector<std::uint32_t> sends;
  std::uint32_t problem = 0;  ///< cut, fault: number in Memos
  ir::StepId step;
  std::int64_t received = -1;
};

using Outcomes = std::vector<Outcome>;

/// All that is known of one local state. Immutable; replaced as a whole when
/// more messages have been tried.
struct Memo {
  const Outcomes* alone = nullptr;
  std::uint32_t words = 0;              ///< inbox words covered
  std::vector<Word> known;              ///< messages that were tried
  std::vector<Word> still;              ///< exactly one outcome, which changes nothing
  std::vector<Word> active;             ///< any other outcomes
  std::vector<const Outcomes*> by_bit;  ///< for active inbox bits
};

/// A cut or a fault, numbered.
struct Problem {
  Effect::Kind kind = Effect::Kind::cut;
  ir::StepId step;
  std::string slot;
  ir::Fault fault;
};

/// Makes and keeps memos. Lookup is a load from the local state; making locks
/// per host.
class Memos {
 public:
  Memos(const Steps& steps, Universe& universe)
      : steps_(steps), universe_(universe), locks_(universe.places().host_count()) {}

  /// The memo of `local` that covers every message in `inbox` (words of its
  /// inbox field).
  const Memo& cover(Local& local, const Word* inbox, std::uint32_t words, Stepper& stepper);

  [[nodiscard]] const Steps& steps() const { return steps_; }
  /// Those that happened, or met an error of the specification, in some local state; without what depends on copies.
  [[nodiscard]] std::vector<bool> enabled_steps() const;
  /// Only while no other thread is at work: makes all outcomes fit `packing`
  /// and drops memos that were replaced.
  void relink(const Packing& packing);
  /// Drops memos that were replaced, if there are many.
  void tidy();
  /// The number of a cut or fault; thread-safe.
  std::uint32_t number(const Effect& effect);
  [[nodiscard]] Problem problem(std::uint32_t id) const;
  [[nodiscard]] std::uint32_t problem_count() const;
  [[nodiscard]] std::uint64_t memory() const { return memory_.load(std::memory_order_relaxed); }

 private:
  Outcomes* outcomes(const Local& local, std::optional<std::uint32_t> message, Stepper& stepper);
  Outcome outcome(const Local& local, std::optional<std::uint32_t> message, const Effect& effect);
  void link(Outcome& outcome) const;

  void try_message(const Local& local, Memo& memo, std::uint32_t inbox_bit, Stepper& stepper);

  const Steps& steps_;
  Universe& universe_;
  Packing packing_;
  std::vector<std::mutex> locks_;  ///< by host: one thread makes the memos of a host
  mutable std::mutex mutex_;       ///< for what follows
  std::deque<std::unique_ptr<Outcomes>> all_;
  std::vector<std::pair<Local*, std::unique_ptr<const Memo>>> memos_;
  std::vector<Problem> problems_;
  std::map<std::tuple<std::uint32_t, int, std::string, int, std::uint32_t>, std::uint32_t> problem_ids_;
  std::vector<bool> enabled_;
  std::size_t tidied_ = 0;  ///< memos left the last time
  std::atomic<std::uint64_t> memory_{0};
};

}  // namespace tenet::explore
