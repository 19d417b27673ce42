/// The part of an expander that evaluates checks, and remembers their values.
#include <algorithm>
#include <bit>

#include "expander.h"

namespace tenet::explore {

namespace {

constexpr unsigned kCacheBits = 12;
constexpr std::size_t kCacheEntries = std::size_t{1} << kCacheBits;
/// A key leaves room for what kind it is and for the value.
constexpr std::uint32_t kKeyBits = 60;

}  // namespace

void Expander::look_at(const Word* words, std::vector<const Cell*>& hosts) const {
  for (std::uint32_t host = 0; host < hosts.size(); ++host) {
    hosts[host] = world_.canvas.local(words, host).cells.data();
  }
}

/// Nothing: evaluating it is an error of the specification. What is cut is neither violated nor reached.
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
  if (!ir::is_cut(holds)) return {};
  tally_.cut[static_cast<std::size_t>(&check - world_.checks.all().data())] = 1;
  return check.role == Check::Role::claim;
}

void Expander::prepare() {
  const auto hosts = static_cast<std::uint32_t>(hosts_.size());
  caches_.resize(world_.checks.size());
  base_known_.resize(world_.checks.size());
  base_keys_.resize(world_.checks.size());
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    const std::vector<bool>& messages = world_.universe.footprints()[i].messages;
    auto width = static_cast<std::uint32_t>(std::bit_width(world_.universe.projection_count(i)));
    const bool reads_messages = std::find(messages.begin(), messages.end(), true) != messages.end();
    if (reads_messages || world_.universe.config_count() > 1 || width * hosts > kKeyBits) width = 0;
    if (width == caches_[i].width) continue;
    caches_[i].width = width;
    caches_[i].entries.assign(width == 0 ? 0 : kCacheEntries, 0);
  }
}

template <class LocalOf>
std::optional<std::uint64_t> Expander::cache_key(std::size_t check, const LocalOf& local_of) const {
  const std::uint32_t width = caches_[check].width;
  if (width == 0) return {};
  std::uint64_t key = 0;
  for (std::uint32_t host = 0; host < hosts_.size(); ++host) {
    const std::uint32_t projection = local_of(host).projections[check];
    if (projection >> width != 0) return {};  // discovered since
    key = key << width | projection;
  }
  return key;
}

/// The key of the state being expanded.
std::optional<std::uint64_t> Expander::base_key(std::size_t check) {
  Base& known = base_known_[check];
  if (known == Base::unknown) {
    const std::optional<std::uint64_t> key =
        cache_key(check, [this](std::uint32_t host) -> const Local& { return *locals_[host]; });
    known = key ? Base::known : Base::none;
    base_keys_[check] = key.value_or(0);
  }
  if (known == Base::none) return {};
  return base_keys_[check];
}

/// What a check sees of the acting host after an outcome; nothing if that is
/// too new to be part of a key.
std::optional<std::uint32_t> Expander::seen_after(std::size_t check, const Outcome& outcome) const {
  const std::uint32_t seen = outcome.to->projections[check];
  if (seen >> caches_[check].width != 0) return {};
  return seen;
}

template <class Evaluate>
std::optional<bool> Expander::cached(std::size_t i, std::uint64_t key, const Evaluate& evaluate) {
  std::uint64_t& entry = caches_[i].entries[key * 0x9e3779b97f4a7c15ULL >> (64 - kCacheBits)];
  if (entry != 0 && (entry - 1) >> 1 == key) return ((entry - 1) & 1) != 0;
  const std::optional<bool> value = evaluate();
  if (value) entry = (key << 1 | (*value ? 1U : 0U)) + 1;
  return value;
}

/// A check of one state, or of the step that changes nothing in it. `outcome`:
/// how it follows from the state being expanded, if it does.
std::optional<bool> Expander::value_in_state(std::size_t i, const Word* words, const Outcome* outcome) {
  const Check& check = world_.checks[i];
  const auto evaluated = [&] { return evaluate(check, words, check.transition ? words : nullptr); };
  const std::uint32_t width = caches_[i].width;
  std::optional<std::uint64_t> key;
  if (outcome == nullptr) {
    key = cache_key(i, [&](std::uint32_t host) -> const Local& { return world_.canvas.local(words, host); });
  } else if (const auto base = width == 0 ? std::nullopt : base_key(i)) {
    if (const auto seen = seen_after(i, *outcome)) {
      const auto shift = width * (static_cast<std::uint32_t>(hosts_.size()) - 1 - outcome->host);
      const std::uint64_t mask = ((std::uint64_t{1} << width) - 1) << shift;
      key = (*base & ~mask) | std::uint64_t{*seen} << shift;
    }
  }
  return key ? cached(i, *key << 1, evaluated) : evaluated();
}

/// A check of the step from the state being expanded to `after`.
std::optional<bool> Expander::value_of_step(std::size_t i, const Word* after, const Outcome* outcome) {
  const auto evaluated = [&] { return evaluate(world_.checks[i], after, state_.words); };
  const std::uint32_t width = caches_[i].width;
  const auto hosts = static_cast<std::uint32_t>(hosts_.size());
  const auto host_bits = static_cast<std::uint32_t>(std::bit_width(hosts));
  if (outcome == nullptr || width == 0 || width * (hosts + 1) + host_bits > kKeyBits) return evaluated();
  const auto base = base_key(i);
  const auto seen = seen_after(i, *outcome);
  if (!base || !seen) return evaluated();
  const std::uint64_t key = ((*base << width | *seen) << host_bits | outcome->host) << 1 | 1;
  return cached(i, key, evaluated);
}

void Expander::check_state(std::uint32_t index, const Word* words, std::uint64_t hash, std::uint32_t depth,
                           std::uint64_t todo, const Outcome* outcome) {
  for (std::size_t i = 0; i < world_.checks.size(); ++i) {
    const Check& check = world_.checks[i];
    if ((todo & Checks::mask_of(i)) == 0 || level_.wanted[i] == 0) continue;
    if (check.role == Check::Role::antecedent && tally_.seen[i] != 0) continue;
    const std::optional<bool> value = value_in_state(i, words, outcome);
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
void Expander::check_transition(const Word* after, std::uint64_t hash, std::uint64_t affected, const Outcome* outcome) {
  for (std::size_t i = 0; i < world_.checks.size(); ++i) {
    const Check& check = world_.checks[i];
    if (!check.transition || level_.wanted[i] == 0) continue;
    if (((affected | level_.irreflexive) & Checks::mask_of(i)) == 0) continue;
    if (check.role == Check::Role::antecedent && tally_.seen[i] != 0) continue;
    const std::optional<bool> value = value_of_step(i, after, outcome);
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
  check_state(index, state.words, state.hash, 0, ~std::uint64_t{0}, nullptr);
}

}  // namespace tenet::explore
