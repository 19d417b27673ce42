#include "expander.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tenet::explore {

namespace {

/// Whatever is true in one of them.
void join(std::vector<char>& into, const std::vector<char>& other) {
  into.resize(std::max(into.size(), other.size()));
  for (std::size_t i = 0; i < other.size(); ++i) {
    if (other[i] != 0) into[i] = 1;
  }
}

}  // namespace

void Tally::note(const Candidate& candidate, std::size_t keep) {
  auto& list = candidates[{candidate.kind, candidate.what}];
  if (!list.empty() && candidate.depth > list.front().depth) return;
  const auto place = std::lower_bound(list.begin(), list.end(), candidate,
                                      [](const Candidate& a, const Candidate& b) { return a.before(b); });
  if (place != list.end() && *place == candidate) return;
  if (list.size() >= keep) {
    if (place == list.end()) return;
    list.pop_back();
  }
  list.insert(place, candidate);
}

void Tally::merge(const Tally& other, std::size_t keep) {
  transitions += other.transitions;
  deadlocks += other.deadlocks;
  irreflexive |= other.irreflexive;
  cuts.resize(std::max(cuts.size(), other.cuts.size()));
  for (std::size_t i = 0; i < other.cuts.size(); ++i) cuts[i] += other.cuts[i];
  join(seen, other.seen);
  join(cut, other.cut);
  join(happened, other.happened);
  for (const auto& [key, list] : other.candidates) {
    for (const Candidate& candidate : list) note(candidate, keep);
  }
}

Expander::Expander(World& world, LevelContext& level)
    : world_(world),
      level_(level),
      stepper_(world.steps, world.universe),
      network_(world.canvas, nullptr),
      network_before_(world.canvas, nullptr),
      hosts_(world.places.host_count()),
      hosts_before_(world.places.host_count()),
      locals_(world.places.host_count()) {
  frame_.cells.resize(world.checks.frame_cells());
  reset_tally();
}

void Expander::reset_tally() {
  tally_ = Tally{};
  tally_.seen.resize(world_.checks.size());
  tally_.cut.resize(world_.checks.size());
  tally_.happened.resize(world_.p.steps.size());
}

bool Expander::expand(std::uint32_t index) {
  index_ = index;
  record_ = true;
  plain_ = world_.symmetry.trivial();
  world_.canvas.packing().load(level_.store->state(index), state_.words);
  read_locals();
  state_.hash = world_.canvas.inbox_hash(state_.words);
  for (const Local* local : locals_) state_.hash += local->hash;
  if (!successors() || !canonical_items() || !insert_items()) return false;
  tally_.transitions += transitions_;
  for (const std::uint32_t cut : cuts_) {
    if (tally_.cuts.size() <= cut) tally_.cuts.resize(cut + 1);
    ++tally_.cuts[cut];
  }
  if (!changes_ && !troubled_) {
    ++tally_.deadlocks;
    if (level_.deadlocks) {
      tally_.note({FoundKind::deadlock, 0, level_.depth, index_, state_.hash, 0}, level_.keep);
    }
  }
  return true;
}

void Expander::read_locals() {
  for (std::uint32_t host = 0; host < locals_.size(); ++host) locals_[host] = &world_.canvas.local(state_.words, host);
}

/// Fills `items_` with everything that can follow.
bool Expander::successors() {
  items_.clear();
  std::fill(base_known_.begin(), base_known_.end(), Base::unknown);
  cuts_.clear();
  transitions_ = 0;
  changes_ = stutters_ = troubled_ = false;
  const Packing& packing = world_.canvas.packing();
  Word inbox[kMaxWords];
  for (std::uint32_t host = 0; host < packing.hosts(); ++host) {
    Local& local = *locals_[host];
    const Packing::Field field = packing.inbox_field(host);
    const std::uint32_t words = (field.width + 63) / 64;
    const Memo* memo = local.memo.load(std::memory_order_acquire);
    bool covered = memo != nullptr && memo->words >= words;
    for (std::uint32_t w = 0; w < words; ++w) {
      inbox[w] = Packing::read(state_.words, field.offset + w * 64, std::min(64U, field.width - w * 64));
      covered = covered && (inbox[w] & ~memo->known[w]) == 0;
    }
    if (!covered) memo = &world_.memos.cover(local, inbox, words, stepper_);
    if (!apply_all(*memo->alone)) return false;
    for (std::uint32_t w = 0; w < words; ++w) {
      const Word still = inbox[w] & memo->still[w];
      transitions_ += static_cast<std::uint64_t>(std::popcount(still));
      stutters_ |= still != 0;
      for (Word rest = inbox[w] & memo->active[w]; rest != 0; rest &= rest - 1) {
        if (!apply_all(*memo->by_bit[w * 64 + static_cast<std::uint32_t>(std::countr_zero(rest))])) return false;
      }
    }
  }
  if (record_ && stutters_ && (level_.transition_live & level_.irreflexive) != 0) {
    check_transition(state_.words, state_.hash, 0, nullptr);
  }
  return true;
}

bool Expander::apply_all(const Outcomes& outcomes) {
  return std::all_of(outcomes.begin(), outcomes.end(), [&](const Outcome& outcome) { return apply(outcome); });
}

bool Expander::apply(const Outcome& outcome) {
  if (outcome.kind != Effect::Kind::happens) {
    trouble(outcome);
    return true;
  }
  if (!outcome.linked) {
    if (!record_) return true;  // then it cannot lead to a stored state
    level_.pause.fetch_or(LevelContext::kWiden, std::memory_order_relaxed);
    return false;
  }
  if (!outcome.moves && !outcome.counted && nothing_new(outcome)) {
    ++transitions_;
    stutters_ = true;
    return true;
  }
  const std::uint32_t words = world_.canvas.packing().words();
  Word* next = room_for_item(words);
  for (std::uint32_t w = 0; w < words; ++w) next[w] = state_.words[w];
  std::uint64_t hash = state_.hash;
  bool changed = outcome.moves;
  bool sent = false;
  if (!outcome.counted) {
    apply_plain(outcome, next, hash, changed, sent);
  } else if (apply_counted(outcome, next, hash, changed, sent)) {
    tally_.happened[outcome.step.index()] = 1;
  } else {
    return true;
  }
  ++transitions_;
  if (!changed) {
    stutters_ = true;
    return true;
  }
  changes_ = true;
  const std::uint64_t affected = outcome.affects_moving | (sent ? outcome.affects_sending : 0);
  if (record_ && (level_.transition_live & (affected | level_.irreflexive)) != 0) {
    check_transition(next, hash, affected, &outcome);
  }
  items_.push_back({hash, affected, &outcome});
  if (plain_) level_.store->prefetch_entry(hash);
  return true;
}

/// Whether every message that the outcome sends is there already.
bool Expander::nothing_new(const Outcome& outcome) const {
  return std::all_of(outcome.changes.begin(), outcome.changes.end(),
                     [&](const WordChange& change) { return (change.send & ~state_.words[change.word]) == 0; });
}

Word* Expander::room_for_item(std::uint32_t words) {
  const std::size_t place = items_.size() * words;
  if (item_words_.size() < place + words) item_words_.resize(2 * (place + words));
  return item_words_.data() + place;
}

/// Replaces successors by the canonical states of their orbits.
bool Expander::canonical_items() {
  if (plain_) return true;
  const std::uint32_t words = world_.canvas.packing().words();
  for (std::size_t i = 0; i < items_.size(); ++i) {
    Word* state = item_words_.data() + i * words;
    switch (world_.symmetry.canonical(world_.canvas, state, items_[i].hash, labelling_)) {
      case Symmetry::Form::done:
        break;
      case Symmetry::Form::wider:
        level_.pause.fetch_or(LevelContext::kWiden, std::memory_order_relaxed);
        return false;
      case Symmetry::Form::refresh:
        level_.pause.fetch_or(LevelContext::kRefresh, std::memory_order_relaxed);
        return false;
    }
    level_.store->prefetch_entry(items_[i].hash);
    // A single new permutation can take megabytes: too much to look only now and then.
    const std::uint64_t images = world_.symmetry.memory();
    if (std::exchange(images_, images) != images && world_.memory() + level_.store->memory() > level_.most_memory) {
      level_.pause.fetch_or(LevelContext::kMemory, std::memory_order_relaxed);
      return false;
    }
  }
  return true;
}

std::uint64_t Expander::orbit_hash(const Word* words, std::uint64_t hash) {
  if (plain_) return hash;
  Word copy[kMaxWords];
  std::copy_n(words, world_.canvas.packing().words(), copy);
  // Of no importance if it does not work out: it only breaks ties.
  (void)world_.symmetry.canonical(world_.canvas, copy, hash, labelling_);
  return hash;
}

void Expander::apply_plain(const Outcome& outcome, Word* words, std::uint64_t& hash, bool& changed, bool& sent) const {
  Word any = 0;
  for (const WordChange& change : outcome.changes) {
    const Word fresh = change.send & ~words[change.word];
    words[change.word] = (words[change.word] & ~change.clear) | change.set | change.send;
    any |= fresh;
    for (Word rest = fresh; rest != 0; rest &= rest - 1) {
      hash += world_.canvas.bit_hash(change.word * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
  }
  hash += outcome.hash_change;
  sent = any != 0;
  changed |= sent;
}

/// Message by message, in order. False: a copy more than the instance allows.
bool Expander::apply_counted(const Outcome& outcome, Word* words, std::uint64_t& hash, bool& changed, bool& sent) {
  const Packing& packing = world_.canvas.packing();
  for (const WordChange& change : outcome.changes) {
    words[change.word] = (words[change.word] & ~change.clear) | change.set;
  }
  hash += outcome.hash_change;
  const auto flip = [&](std::uint32_t place) { words[place / 64] ^= Word{1} << (place % 64); };
  if (outcome.received >= 0) {
    const Message& received = world_.universe.message(static_cast<std::uint32_t>(outcome.received));
    if (received.consumed) {
      const std::uint32_t place = packing.bit(received) + packing.copies(words, received) - 1;
      flip(place);
      hash -= world_.canvas.bit_hash(place);
    }
  }
  for (const std::uint32_t id : outcome.sends) {
    const Message& message = world_.universe.message(id);
    const std::uint32_t copies = packing.copies(words, message);
    if (copies == message.copies) {
      if (!message.consumed) continue;
      Effect cut;
      cut.kind = Effect::Kind::cut;
      cut.step = outcome.step;
      cut.slot = world_.p[message.constructor].name;
      troubled_ = true;
      cuts_.push_back(world_.memos.number(cut));
      return false;
    }
    flip(packing.bit(message) + copies);
    hash += world_.canvas.bit_hash(packing.bit(message) + copies);
    sent = true;
  }
  const std::uint32_t count = packing.words();
  changed = !std::equal(words, words + count, state_.words);
  return true;
}

void Expander::trouble(const Outcome& outcome) {
  troubled_ = true;
  if (outcome.kind == Effect::Kind::cut) {
    cuts_.push_back(outcome.problem);
  } else if (record_) {
    tally_.note({FoundKind::fault, outcome.problem, level_.depth, index_, state_.hash, 0}, level_.keep);
  }
}

bool Expander::insert_items() {
  const std::uint32_t words = world_.canvas.packing().words();
  const std::uint32_t parent = parent_link(state_.hash);
  for (const Item& item : items_) level_.store->prefetch_state(item.hash);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Word* state = item_words_.data() + i * words;
    const Store::Inserted inserted = level_.store->insert(state, items_[i].hash, parent, level_.level_end, numbers_);
    if (inserted.kind == Store::Inserted::Kind::full) {
      level_.pause.fetch_or(LevelContext::kGrow, std::memory_order_relaxed);
      return false;
    }
    if (inserted.kind == Store::Inserted::Kind::added) {
      const std::uint64_t todo = (items_[i].todo | level_.force) & level_.live;
      if (todo != 0) check_state(inserted.index, state, items_[i].hash, level_.depth + 1, todo, items_[i].outcome);
    }
  }
  return true;
}

bool Expander::leads_to(const Packed& from, const Word* target, std::uint64_t target_hash) {
  record_ = false;
  plain_ = world_.symmetry.trivial();
  state_ = from;
  read_locals();
  if (!successors()) return false;
  const std::uint32_t words = world_.canvas.packing().words();
  for (std::size_t i = 0; i < items_.size(); ++i) {
    Word* next = item_words_.data() + i * words;
    if (!world_.symmetry.trivial() &&
        world_.symmetry.canonical(world_.canvas, next, items_[i].hash, labelling_) != Symmetry::Form::done) {
      continue;
    }
    if (items_[i].hash == target_hash && std::equal(next, next + words, target)) return true;
  }
  return false;
}

}  // namespace tenet::explore
