#include "memo.h"

#include <algorithm>
#include <bit>

namespace tenet::explore {

std::uint32_t Memos::number(const Effect& effect) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = problem_ids_.try_emplace({effect.step.value, static_cast<int>(effect.kind), effect.slot,
                                                         static_cast<int>(effect.fault.kind), effect.fault.where.value},
                                                        static_cast<std::uint32_t>(problems_.size()));
  if (is_new) problems_.push_back({effect.kind, effect.step, effect.slot, effect.fault});
  return entry->second;
}

Problem Memos::problem(std::uint32_t id) const {
  const std::lock_guard lock(mutex_);
  return problems_[id];
}

std::uint32_t Memos::problem_count() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint32_t>(problems_.size());
}

std::vector<bool> Memos::enabled_steps() const {
  const std::lock_guard lock(mutex_);
  std::vector<bool> result = enabled_;
  result.resize(universe_.protocol().steps.size());
  return result;
}

Outcome Memos::outcome(const Local& local, std::optional<std::uint32_t> message, const Effect& effect) {
  Outcome result;
  result.kind = effect.kind;
  result.host = local.host;
  result.step = effect.step;
  if (message) result.received = *message;
  if (effect.kind != Effect::Kind::happens) {
    result.problem = number(effect);
    return result;
  }
  result.sends = effect.sends;
  result.counted = message && universe_.message(*message).consumed;
  for (const std::uint32_t sent : effect.sends) result.counted |= universe_.message(sent).consumed;
  const Local& to = universe_.local(local.host, effect.local);
  result.moves = effect.local != local.id;
  result.to = &to;
  result.hash_change = to.hash - local.hash;
  const auto& footprints = universe_.footprints();
  for (std::size_t i = 0; i < footprints.size(); ++i) {
    const std::uint64_t check = 1ULL << std::min<std::size_t>(i, 63);
    if (local.projections[i] != to.projections[i]) result.affects_moving |= check;
    const auto reads = [&](std::uint32_t id) {
      return footprints[i].messages[universe_.message(id).constructor.index()];
    };
    if (std::any_of(effect.sends.begin(), effect.sends.end(), reads)) result.affects_sending |= check;
    if (message && result.counted && reads(*message)) result.affects_moving |= check;
  }
  link(result);
  return result;
}

/// Turns numbers into bits of the current packing, if they fit it.
void Memos::link(Outcome& outcome) const {
  outcome.changes.clear();
  outcome.linked = outcome.kind != Effect::Kind::happens;
  if (outcome.linked || packing_.hosts() == 0) return;
  if (!packing_.fits_local(outcome.host, outcome.to->id)) return;
  std::map<std::uint32_t, WordChange> words;
  if (outcome.moves) {
    const Packing::Field field = packing_.local_field(outcome.host);
    for (std::uint32_t i = 0; i < field.width; ++i) {
      const std::uint32_t place = field.offset + i;
      WordChange& change = words[place / 64];
      change.clear |= Word{1} << (place % 64);
      if ((outcome.to->id >> i & 1) != 0) change.set |= Word{1} << (place % 64);
    }
  }
  for (const std::uint32_t id : outcome.sends) {
    const Message& message = universe_.message(id);
    if (!packing_.fits(message)) return;
    if (outcome.counted) continue;  // bit by bit, when it happens
    const std::uint32_t place = packing_.bit(message);
    words[place / 64].send |= Word{1} << (place % 64);
  }
  for (auto& [word, change] : words) {
    change.word = word;
    outcome.changes.push_back(change);
  }
  outcome.linked = true;
}

Outcomes* Memos::outcomes(const Local& local, std::optional<std::uint32_t> message, Stepper& stepper) {
  auto result = std::make_unique<Outcomes>();
  stepper.run(local, message, [&](const Effect& effect) { result->push_back(outcome(local, message, effect)); });
  // Equal outcomes of one step (for other parameters) stay: they are other transitions.
  std::uint64_t bytes = sizeof(Outcomes);
  for (const Outcome& made : *result) {
    bytes += sizeof(Outcome) + made.changes.size() * sizeof(WordChange) + made.sends.size() * 4;
  }
  memory_ += bytes;
  const std::lock_guard lock(mutex_);
  enabled_.resize(universe_.protocol().steps.size());
  // What is only ever cut at a bound has never happened; if copies count, that depends on what is in flight.
  for (const Outcome& made : *result) {
    if (made.kind != Effect::Kind::cut && !made.counted) enabled_[made.step.index()] = true;
  }
  all_.push_back(std::move(result));
  return all_.back().get();
}

void Memos::try_message(const Local& local, Memo& memo, std::uint32_t inbox_bit, Stepper& stepper) {
  const std::uint32_t id = universe_.message_at(local.host, inbox_bit);
  const std::uint32_t word = inbox_bit / 64;
  const Word mask = Word{1} << (inbox_bit % 64);
  memo.known[word] |= mask;
  if (universe_.message(id).bit != inbox_bit) return;  // a further copy: the first one stands for it
  const Outcomes* found = outcomes(local, id, stepper);
  if (found->empty()) return;
  const Outcome& first = found->front();
  if (found->size() == 1 && first.kind == Effect::Kind::happens && !first.moves && first.sends.empty() &&
      !first.counted) {
    memo.still[word] |= mask;
  } else {
    memo.active[word] |= mask;
    memo.by_bit[inbox_bit] = found;
  }
}

const Memo& Memos::cover(Local& local, const Word* inbox, std::uint32_t words, Stepper& stepper) {
  const std::lock_guard lock(locks_[local.host]);
  const Memo* before = local.memo.load(std::memory_order_relaxed);
  auto memo = before != nullptr ? std::make_unique<Memo>(*before) : std::make_unique<Memo>();
  if (before == nullptr) memo->alone = outcomes(local, {}, stepper);
  bool same = before != nullptr && before->words >= words;
  for (std::uint32_t w = 0; w < words && same; ++w) same = (inbox[w] & ~before->known[w]) == 0;
  if (same) return *before;
  if (memo->words < words) {
    memo->words = words;
    memo->known.resize(words);
    memo->still.resize(words);
    memo->active.resize(words);
    memo->by_bit.resize(std::size_t{words} * 64);
  }
  for (std::uint32_t w = 0; w < words; ++w) {
    for (Word todo = inbox[w] & ~memo->known[w]; todo != 0; todo &= todo - 1) {
      try_message(local, *memo, w * 64 + static_cast<std::uint32_t>(std::countr_zero(todo)), stepper);
    }
  }
  memory_ += sizeof(Memo) + words * (3 * sizeof(Word) + 64 * sizeof(void*));
  const std::lock_guard all(mutex_);
  memos_.emplace_back(&local, std::move(memo));
  const Memo* made = memos_.back().second.get();
  local.memo.store(made, std::memory_order_release);
  return *made;
}

void Memos::relink(const Packing& packing) {
  packing_ = packing;
  for (const auto& list : all_) {
    for (Outcome& outcome : *list) link(outcome);
  }
  tidied_ = 0;
  tidy();
}

void Memos::tidy() {
  constexpr std::size_t kFew = 1024;
  if (memos_.size() < 2 * tidied_ + kFew) return;
  const auto replaced = std::partition(memos_.begin(), memos_.end(), [](const auto& entry) {
    return entry.first->memo.load(std::memory_order_relaxed) == entry.second.get();
  });
  for (auto i = replaced; i != memos_.end(); ++i) {
    memory_ -= sizeof(Memo) + i->second->words * (3 * sizeof(Word) + 64 * sizeof(void*));
  }
  memos_.erase(replaced, memos_.end());
  tidied_ = memos_.size();
}

}  // namespace tenet::explore
