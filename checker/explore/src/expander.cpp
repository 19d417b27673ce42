#include "expander.h"

#include <algorithm>
#include <bit>

namespace tenet::explore {

namespace {

constexpr unsigned kCacheBits = 12;
constexpr std::size_t kCacheEntries = std::size_t{1} << kCacheBits;

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
  seen.resize(std::max(seen.size(), other.seen.size()));
  for (std::size_t i = 0; i < other.seen.size(); ++i) seen[i] |= other.seen[i];
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
      hosts_before_(world.places.host_count()) {
  frame_.cells.resize(world.checks.frame_cells());
  tally_.seen.resize(world.checks.size());
}

bool Expander::expand(std::uint32_t index) {
  index_ = index;
  record_ = true;
  plain_ = world_.symmetry.trivial();
  world_.canvas.packing().load(level_.store->state(index), state_.words);
  state_.hash = world_.canvas.hash(state_.words);
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

/// Fills `items_` with everything that can follow.
bool Expander::successors() {
  items_.clear();
  cuts_.clear();
  transitions_ = 0;
  changes_ = stutters_ = troubled_ = false;
  const Packing& packing = world_.canvas.packing();
  Word inbox[kMaxWords];
  for (std::uint32_t host = 0; host < packing.hosts(); ++host) {
    Local& local = world_.canvas.local(state_.words, host);
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
    check_transition(state_.words, state_.hash, 0);
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
  std::copy_n(state_.words, words, next);
  std::uint64_t hash = state_.hash;
  bool changed = outcome.moves;
  bool sent = false;
  if (!outcome.counted) {
    apply_plain(outcome, next, hash, changed, sent);
  } else if (!apply_counted(outcome, next, hash, changed, sent)) {
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
    check_transition(next, hash, affected);
  }
  items_.push_back({hash, affected});
  if (plain_) level_.store->prefetch(hash);
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
    level_.store->prefetch(items_[i].hash);
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
  const std::uint32_t units = world_.canvas.packing().units();
  const std::uint32_t parent = parent_link(state_.hash);
  units_.resize(units);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Word* state = item_words_.data() + i * words;
    std::memcpy(units_.data(), state, units * sizeof(Unit));
    const Store::Inserted inserted =
        level_.store->insert(units_.data(), items_[i].hash, parent, level_.level_end, spare_);
    if (inserted.kind == Store::Inserted::Kind::full) {
      level_.pause.fetch_or(LevelContext::kGrow, std::memory_order_relaxed);
      return false;
    }
    if (inserted.kind == Store::Inserted::Kind::added) {
      const std::uint64_t todo = (items_[i].todo | level_.force) & level_.live;
      if (todo != 0) check_state(inserted.index, state, items_[i].hash, level_.depth + 1, todo);
    }
  }
  return true;
}

void Expander::look_at(const Word* words, std::vector<const Cell*>& hosts) const {
  for (std::uint32_t host = 0; host < hosts.size(); ++host) {
    hosts[host] = world_.canvas.local(words, host).cells.data();
  }
}

/// Nothing: evaluating it is an error of the specification.
std::optional<bool> Expander::evaluate(const Check& check, const Word* words, const Word* before) {
  look_at(words, hosts_);
  network_.look_at(words);
  frame_.hosts = hosts_.data();
  frame_.network = &network_;
  if (before != nullptr) {
    look_at(before, hosts_before_);
    network_before_.look_at(before);
  }
  frame_.before = hosts_before_.data();
  frame_.network_before = &network_before_;
  const std::uint32_t config = hosts_.empty() ? 0 : world_.canvas.local(words, 0).config;
  frame_.config = world_.universe.config(config).cells.data();
  frame_.odd = false;
  const bool truth = check.compiled.truth(frame_);
  if (!frame_.odd) return truth;
  if (check.role == Check::Role::antecedent) return true;  // whether it can be true is not known: no finding
  const ir::Constants constants = world_.canvas.constants(words);
  const ir::Interpreter interpreter(world_.p, world_.instance, constants);
  const ir::State now = world_.canvas.unpack(words);
  std::variant<bool, ir::Fault> holds;
  if (before != nullptr) {
    const ir::State then = world_.canvas.unpack(before);
    holds = interpreter.holds(check.formula, now, &then);
  } else {
    holds = interpreter.holds(check.formula, now);
  }
  if (const bool* value = std::get_if<bool>(&holds)) return *value;
  return {};
}

void Expander::prepare() {
  const auto hosts = static_cast<std::uint32_t>(hosts_.size());
  caches_.resize(world_.checks.size());
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    const std::vector<bool>& messages = world_.universe.footprints()[i].messages;
    auto width = static_cast<std::uint32_t>(std::bit_width(world_.universe.projection_count(i)));
    const bool reads_messages = std::find(messages.begin(), messages.end(), true) != messages.end();
    if (reads_messages || world_.universe.config_count() > 1 || width * hosts > 62) width = 0;
    if (width == caches_[i].width) continue;
    caches_[i].width = width;
    caches_[i].entries.assign(width == 0 ? 0 : kCacheEntries, 0);
  }
}

std::optional<std::uint64_t> Expander::cache_key(std::size_t check, const Word* words) const {
  const std::uint32_t width = caches_[check].width;
  if (width == 0) return {};
  std::uint64_t key = 0;
  for (std::uint32_t host = 0; host < hosts_.size(); ++host) {
    const std::uint32_t projection = world_.canvas.local(words, host).projections[check];
    if (projection >> width != 0) return {};  // discovered since
    key = key << width | projection;
  }
  return key;
}

/// A check of one state, or of the step that changes nothing in it.
std::optional<bool> Expander::value_in_state(std::size_t i, const Word* words) {
  const Check& check = world_.checks[i];
  const std::optional<std::uint64_t> key = cache_key(i, words);
  const Word* before = check.transition ? words : nullptr;
  if (!key) return evaluate(check, words, before);
  std::uint64_t& entry = caches_[i].entries[*key * 0x9e3779b97f4a7c15ULL >> (64 - kCacheBits)];
  if (entry != 0 && (entry - 1) >> 1 == *key) return ((entry - 1) & 1) != 0;
  const std::optional<bool> value = evaluate(check, words, before);
  if (value) entry = (*key << 1 | (*value ? 1U : 0U)) + 1;
  return value;
}

void Expander::check_state(std::uint32_t index, const Word* words, std::uint64_t hash, std::uint32_t depth,
                           std::uint64_t todo) {
  for (std::size_t i = 0; i < world_.checks.size(); ++i) {
    const Check& check = world_.checks[i];
    if ((todo & Checks::mask_of(i)) == 0 || level_.wanted[i] == 0) continue;
    if (check.role == Check::Role::antecedent && tally_.seen[i] != 0) continue;
    const std::optional<bool> value = value_in_state(i, words);
    if (check.transition) {
      // What holds of a step that changes nothing here need not be tried on one.
      if (value != (check.role == Check::Role::claim)) tally_.irreflexive |= Checks::mask_of(i);
      continue;
    }
    const auto number = static_cast<std::uint32_t>(i);
    if (check.role == Check::Role::antecedent) {
      if (value.value_or(false)) tally_.seen[i] = 1;
    } else if (check.role == Check::Role::witness && value.value_or(false)) {
      tally_.note({FoundKind::reached, number, depth, index, hash, 0}, 1);
    } else if (!value || (check.role == Check::Role::claim && !*value)) {
      tally_.note({FoundKind::violation, number, depth, index, hash, 0}, level_.keep);
    }
  }
}

/// `affected`: checks that read something that changes. The others see a step
/// that changes nothing, which is known to be in order for all but the irreflexive.
void Expander::check_transition(const Word* after, std::uint64_t hash, std::uint64_t affected) {
  for (std::size_t i = 0; i < world_.checks.size(); ++i) {
    const Check& check = world_.checks[i];
    if (!check.transition || level_.wanted[i] == 0) continue;
    if (((affected | level_.irreflexive) & Checks::mask_of(i)) == 0) continue;
    if (check.role == Check::Role::antecedent && tally_.seen[i] != 0) continue;
    const std::optional<bool> value = evaluate(check, after, state_.words);
    if (check.role == Check::Role::antecedent) {
      if (value.value_or(false)) tally_.seen[i] = 1;
    } else if (!value.value_or(false)) {
      const auto number = static_cast<std::uint32_t>(i);
      tally_.note({FoundKind::violation, number, level_.depth, index_, state_.hash, orbit_hash(after, hash)},
                  level_.keep);
    }
  }
}

void Expander::check_initial(std::uint32_t index, const Packed& state) {
  if (caches_.empty()) prepare();
  check_state(index, state.words, state.hash, 0, ~std::uint64_t{0});
}

bool Expander::leads_to(const Packed& from, const Word* target, std::uint64_t target_hash) {
  record_ = false;
  plain_ = world_.symmetry.trivial();
  state_ = from;
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
