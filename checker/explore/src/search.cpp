#include "search.h"

#include <algorithm>
#include <thread>

#include "refusal.h"
#include "traces.h"

namespace tenet::explore {

namespace {

using Clock = std::chrono::steady_clock;

/// Assignments tried while the starts are enumerated.
constexpr std::uint64_t kMostStarts = 1ULL << 26;
constexpr std::uint32_t kChunk = 64;
/// A level smaller than this is not worth a second thread.
constexpr std::uint32_t kSmallLevel = 512;
constexpr std::uint64_t kFirstSlots = 1 << 12;
/// The last state that a 32-bit number can name.
constexpr std::uint64_t kMostStates = 0xfffff000ULL;
/// Candidates of one kind that are kept when several violations are wanted.
constexpr std::size_t kCandidatesPerViolation = 64;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

Search::Search(World& world, const Options& options) : world_(world), options_(options) {
  const std::size_t checks = world.checks.size();
  violations_.resize(checks);
  reached_.resize(checks);
  level_.wanted.assign(checks, 1);
  level_.keep = options.max_violations <= 1 ? 1 : options.max_violations * kCandidatesPerViolation;
  level_.deadlocks = options.deadlocks && !world.p.deadlock_ok;
  level_.most_memory = options.memory_bytes;
  for (std::size_t i = 0; i < checks; ++i) level_.live |= Checks::mask_of(i);
}

bool Search::is_hole(std::uint32_t index) const { return std::binary_search(holes_.begin(), holes_.end(), index); }

/// Interns every start, finds the symmetries, stores the initial states.
Result<void> Search::begin(Report& report) {
  std::vector<StartCode> starts;
  Universe& universe = world_.universe;
  const std::uint32_t hosts = world_.places.host_count();
  bool stopped = false;
  bool too_many = false;
  std::uint64_t used = 0;
  Result<void> enumerated = ir::enumerate_starts(world_.p, world_.instance, kMostStarts, [&](const ir::Start& start) {
    StartCode code;
    const std::uint32_t config = universe.intern_config(start.constants);
    for (std::uint32_t host = 0; host < hosts; ++host) {
      code.push_back(universe.intern_local(host, config, start.constants, start.state));
    }
    for (const ir::Packet& packet : start.state.network) code.push_back(universe.intern_packet(packet));
    std::sort(code.begin() + hosts, code.end());
    used += code.capacity() * sizeof(std::uint32_t) + sizeof(StartCode) + 32;
    starts.push_back(std::move(code));
    too_many = used + world_.memory() > options_.memory_bytes;
    stopped = options_.stop != nullptr && options_.stop->requested();
    return !stopped && !too_many;
  });
  if (!enumerated) return enumerated;
  if (too_many) return failure(ErrorKind::too_large, "the initial states of this instance do not fit the memory bound");
  if (stopped) return failure(ErrorKind::interrupted, "stopped while initial states were enumerated");
  if (options_.symmetry) world_.symmetry.detect(starts);
  for (unsigned i = 0; i < std::max(1U, options_.threads); ++i) {
    expanders_.push_back(std::make_unique<Expander>(world_, level_));
  }
  for (bool fits = false; !fits;) {
    if (!world_.widen()) return failure(ErrorKind::too_large, "a state of this instance has too many bits");
    store_ = std::make_unique<Store>(world_.canvas.packing().units());
    store_->grow(std::max<std::uint64_t>(kFirstSlots, starts.size() * 2), {}, {});
    level_.store = store_.get();
    fits = std::all_of(starts.begin(), starts.end(), [&](const StartCode& start) { return insert_initial(start); });
    store_->give_back(std::exchange(numbers_, {}));
  }
  report.initial_states = store_->size();
  return {};
}

/// False: its canonical form does not fit the packing.
bool Search::insert_initial(const StartCode& start) {
  const Packing& packing = world_.canvas.packing();
  Packed state;
  std::fill_n(state.words, packing.words(), 0);
  for (std::uint32_t host = 0; host < packing.hosts(); ++host) packing.set_local(state.words, host, start[host]);
  for (std::size_t i = packing.hosts(); i < start.size(); ++i) {
    const Message& message = world_.universe.message(start[i]);
    const std::uint32_t place = packing.bit(message) + (message.consumed ? packing.copies(state.words, message) : 0);
    state.words[place / 64] |= Word{1} << (place % 64);
  }
  state.hash = world_.canvas.hash(state.words);
  if (!world_.canonical(state)) return false;
  const Store::Inserted inserted = store_->insert(state.words, state.hash, Store::kNoParent, 0xffffffff, numbers_);
  if (inserted.kind == Store::Inserted::Kind::added) expanders_[0]->check_initial(inserted.index, state);
  return true;
}

Result<void> Search::run(Report& report) {
  started_ = told_ = Clock::now();
  if (Result<void> begun = begin(report); !begun) return begun;
  report.end = End::complete;
  levels_ = {0, store_->size()};
  while (true) {
    const std::uint32_t begin = levels_[levels_.size() - 2];
    const std::uint32_t end = levels_.back();
    const auto depth = static_cast<std::uint32_t>(levels_.size() - 2);
    const Result<bool> decided = settle();
    if (!decided) return tl::unexpected<Error>(decided.error());
    if (*decided) {
      report.end = End::satisfied;
      break;
    }
    if (begin == end) break;
    if (depth >= options_.max_depth || store_->size() >= options_.max_states) {
      report.end = End::depth;
      break;
    }
    level_.depth = depth;
    level_.level_end = end;
    const std::optional<End> ended = expand_level(begin, end);
    collect_holes();
    levels_.push_back(store_->size());
    if (ended) {
      report.end = *ended;
      if (const Result<bool> settled = settle(); !settled) return tl::unexpected<Error>(settled.error());
      break;
    }
  }
  return finish(report);
}

std::optional<End> Search::expand_level(std::uint32_t begin, std::uint32_t end) {
  cursor_ = begin;
  range_end_ = end;
  expanded_ = 0;
  expanded_when_forgotten_ = ~std::uint64_t{0};
  while (true) {
    level_.pause = 0;
    world_.canvas.refresh();
    world_.symmetry.refresh();
    world_.memos.tidy();
    for (const auto& expander : expanders_) expander->prepare();
    const bool alone = expanders_.size() == 1 || range_end_ - cursor_ < kSmallLevel;
    {
      std::vector<std::jthread> helpers;
      for (std::size_t i = 1; i < expanders_.size() && !alone; ++i) {
        helpers.emplace_back([this, i] { work_safely(*expanders_[i], false); });
      }
      work_safely(*expanders_[0], true);
    }
    if (failure_) std::rethrow_exception(failure_);
    const unsigned pause = level_.pause.load();
    if (pause == 0) return {};
    if (const std::optional<End> ended = maintain(pause)) return ended;
  }
}

/// An exception of one thread stops them all and goes on in the first.
void Search::work_safely(Expander& expander, bool reports) {
  try {
    work(expander, reports);
  } catch (...) {
    level_.pause.fetch_or(LevelContext::kStop);
    const std::lock_guard lock(ranges_mutex_);
    failure_ = std::current_exception();
  }
}

bool Search::take(Range& range) {
  const std::lock_guard lock(ranges_mutex_);
  if (!leftovers_.empty()) {
    range = leftovers_.back();
    leftovers_.pop_back();
    return true;
  }
  if (cursor_ == range_end_ || store_->size() >= options_.max_states) return false;
  range.begin = cursor_;
  range.end = cursor_ += std::min(kChunk, range_end_ - cursor_);
  return true;
}

void Search::work(Expander& expander, bool reports) {
  Range range{};
  while (level_.pause.load(std::memory_order_relaxed) == 0 && take(range)) {
    auto hole = std::lower_bound(holes_.begin(), holes_.end(), range.begin);
    for (std::uint32_t index = range.begin; index < range.end; ++index) {
      if (hole != holes_.end() && *hole == index) {
        ++hole;
        continue;
      }
      if (!expander.expand(index)) {
        const std::lock_guard lock(ranges_mutex_);
        leftovers_.push_back({index, range.end});
        expanded_.fetch_add(index - range.begin, std::memory_order_relaxed);
        return;
      }
    }
    expanded_.fetch_add(range.end - range.begin, std::memory_order_relaxed);
    if (options_.stop != nullptr && options_.stop->requested()) level_.pause.fetch_or(LevelContext::kStop);
    if (memory() > options_.memory_bytes) level_.pause.fetch_or(LevelContext::kMemory);
    if (reports) tell_progress(false);
  }
}

std::optional<End> Search::maintain(unsigned pause) {
  if ((pause & LevelContext::kStop) != 0) return End::stopped;
  if ((pause & LevelContext::kMemory) != 0 && !make_room()) return End::memory;
  collect_holes();
  world_.symmetry.refresh();
  if ((pause & LevelContext::kGrow) != 0 && !grow() && !(make_room() && grow())) return End::memory;
  if ((pause & LevelContext::kWiden) != 0) {
    const Packing before = world_.canvas.packing();
    if (!world_.widen()) refuse(ErrorKind::too_large, "a state of this instance has too many bits");
    const Packing& now = world_.canvas.packing();
    const Repacking repacked(before, now);
    Word from[kMaxWords];
    Word to[kMaxWords];
    store_->repack(now.units(), [&](const Unit* old, Unit* fresh) {
      before.load(old, from);
      repacked(from, to);
      std::memcpy(fresh, to, now.units() * sizeof(Unit));
    });
  }
  return {};
}

/// States come before images under permutations, which can be found again. In
/// vain if that frees little, or if nothing was expanded since the last time.
bool Search::make_room() {
  const std::uint64_t expanded = expanded_.load(std::memory_order_relaxed);
  if (expanded == expanded_when_forgotten_) return false;
  expanded_when_forgotten_ = expanded;
  world_.symmetry.forget();
  return memory() <= options_.memory_bytes / 8 * 7;
}

bool Search::grow() {
  const std::uint64_t slots = store_->slots();
  const std::uint64_t without_table = memory() - slots * sizeof(Unit);
  for (const std::uint64_t wanted : {slots * 2, slots + slots / 2, slots + slots / 4}) {
    if (static_cast<double>(wanted) * 0.8 > static_cast<double>(kMostStates)) continue;
    if (without_table + wanted * sizeof(Unit) > options_.memory_bytes) continue;
    Word words[kMaxWords];
    store_->grow(wanted, holes_, [&](const Unit* state) {
      world_.canvas.packing().load(state, words);
      return world_.canvas.hash(words);
    });
    return true;
  }
  return false;
}

/// Numbers that threads took but did not use stay unused.
void Search::collect_holes() {
  std::vector<Store::Numbers> unused;
  for (const auto& expander : expanders_) unused.push_back(expander->release_numbers());
  std::sort(unused.begin(), unused.end(), [](const auto& a, const auto& b) { return a.begin > b.begin; });
  for (const Store::Numbers& numbers : unused) {
    if (numbers.empty() || store_->give_back(numbers)) continue;
    for (std::uint32_t index = numbers.begin; index < numbers.end; ++index) holes_.push_back(index);
  }
  std::sort(holes_.begin(), holes_.end());
}

Result<bool> Search::settle() {
  for (const auto& expander : expanders_) {
    tally_.merge(expander->tally(), level_.keep);
    expander->reset_tally();
  }
  if (options_.max_violations > 1) {
    if (Result<void> built = distinct_violations(); !built) return tl::unexpected<Error>(built.error());
  }
  return decide();
}

bool Search::decide() {
  const std::size_t enough = std::max<std::size_t>(1, options_.max_violations);
  level_.live = level_.force = level_.transition_live = 0;
  level_.irreflexive = tally_.irreflexive;
  bool all_decided = world_.checks.size() > 0;
  bool any_violated = false;
  const bool any_fault = std::any_of(tally_.candidates.begin(), tally_.candidates.end(), [](const auto& entry) {
    return entry.first.first == FoundKind::fault && !entry.second.empty();
  });
  for (std::size_t i = 0; i < world_.checks.size(); ++i) {
    const Check& check = world_.checks[i];
    const auto number = static_cast<std::uint32_t>(i);
    if (tally_.seen[i] != 0) reached_[i] = 1;
    if (tally_.candidates.contains({FoundKind::reached, number})) reached_[i] = 1;
    if (violations_[i] == 0 && tally_.candidates.contains({FoundKind::violation, number})) violations_[i] = 1;
    any_violated |= violations_[i] != 0;
    const bool decided =
        violations_[i] >= enough || (check.role != Check::Role::claim && (reached_[i] != 0 || violations_[i] != 0));
    level_.wanted[i] = decided ? 0 : 1;
    if (check.role != Check::Role::antecedent) all_decided &= decided;
    if (decided) continue;
    level_.live |= Checks::mask_of(i);
    if (check.transition) level_.transition_live |= Checks::mask_of(i);
    if (violations_[i] != 0) level_.force |= Checks::mask_of(i);
  }
  if (options_.first_only && (any_violated || any_fault)) return true;
  return all_decided && (any_violated || !options_.properties.empty());
}

/// A violation that only goes on from an earlier state is the same one again.
static bool goes_on(const World& world, const Check& check, const Found& found) {
  const ir::Interpreter interpreter(world.p, world.instance, found.trace.constants);
  const auto& states = found.trace.states;
  for (std::size_t i = 0; i + 1 < states.size(); ++i) {
    if (check.transition && i == 0) continue;
    const auto holds = interpreter.holds(check.formula, states[i], check.transition ? &states[i - 1] : nullptr);
    if (ir::is_cut(holds)) continue;
    if (!std::get_if<bool>(&holds) || !std::get<bool>(holds)) return true;
  }
  return false;
}

Result<void> Search::distinct_violations() {
  signatures_.resize(world_.checks.size());
  std::vector<Candidate> wanted;
  for (auto& [key, list] : tally_.candidates) {
    if (key.first != FoundKind::violation) continue;
    wanted.insert(wanted.end(), list.begin(), list.end());
    list.clear();
  }
  std::erase_if(tally_.candidates, [](const auto& entry) { return entry.second.empty(); });
  if (wanted.empty()) return {};
  Result<std::vector<Found>> found = Traces(world_, *this).build(wanted);
  if (!found) return tl::unexpected<Error>(found.error());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::uint32_t what = wanted[i].what;
    if (violations_[what] >= options_.max_violations || goes_on(world_, world_.checks[what], (*found)[i])) continue;
    if (!signatures_[what].insert(signature(world_.p, (*found)[i])).second) continue;
    ++violations_[what];
    kept_.push_back({wanted[i], std::move((*found)[i])});
  }
  return {};
}

/// Traces for everything that was not built level by level, in report order.
Result<void> Search::build_rest(Report& report) {
  std::vector<Candidate> wanted;
  for (const auto& [key, list] : tally_.candidates) {
    if (!list.empty()) wanted.push_back(list.front());
  }
  Result<std::vector<Found>> found = Traces(world_, *this).build(wanted);
  if (!found) return tl::unexpected<Error>(found.error());
  for (std::size_t i = 0; i < wanted.size(); ++i) kept_.push_back({wanted[i], std::move((*found)[i])});
  std::sort(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) {
    const auto rank = [](const Kept& kept) {
      return std::tuple(kept.found.trace.actions.size(), kept.found.property.value, static_cast<int>(kept.found.kind));
    };
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    if (a.found.failing_action != b.found.failing_action) return a.found.failing_action < b.found.failing_action;
    return a.candidate.before(b.candidate);
  });
  for (Kept& kept : kept_) report.found.push_back(std::move(kept.found));
  return {};
}

void Search::tell_progress(bool always) {
  if (!options_.progress) return;
  const Clock::time_point now = Clock::now();
  const double since = std::chrono::duration<double>(now - told_).count();
  if (!always && since < 0.2) return;
  Progress progress;
  progress.states = store_->size() - holes_.size();
  progress.transitions = tally_.transitions + expanders_[0]->tally().transitions * expanders_.size();
  progress.depth = level_.depth;
  const std::uint64_t level_states = range_end_ - levels_[levels_.size() - 2];
  progress.queued = level_states - std::min<std::uint64_t>(level_states, expanded_.load(std::memory_order_relaxed));
  progress.states_per_second = since > 0 ? static_cast<double>(progress.states - told_states_) / since : 0;
  progress.memory = memory();
  told_ = now;
  told_states_ = progress.states;
  options_.progress(progress);
}

void Search::show_states() const {
  const Packing& packing = world_.canvas.packing();
  for (std::uint32_t index = 0; index < store_->size(); ++index) {
    if (is_hole(index)) continue;
    Word words[kMaxWords];
    packing.load(store_->state(index), words);
    options_.visit(world_.canvas.constants(words), world_.canvas.unpack(words));
  }
}

Result<void> Search::finish(Report& report) {
  report.states = store_->size() - holes_.size();
  report.transitions = tally_.transitions;
  for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
    if (levels_[level] < levels_[level + 1]) report.depth = static_cast<std::uint32_t>(level);
  }
  report.deadlocks = tally_.deadlocks;
  report.memory = memory();
  report.bytes_per_state =
      report.states == 0 ? 0 : static_cast<double>(report.memory) / static_cast<double>(report.states);
  for (std::size_t i = 0; i < world_.checks.size(); ++i) {
    const Check& check = world_.checks[i];
    if (tally_.cut[i] != 0) report.cut_properties.push_back(check.property);
    if (reached_[i] != 0 || check.role == Check::Role::claim) continue;
    if (check.role == Check::Role::witness) report.unreached.push_back(check.property);
    if (check.role == Check::Role::antecedent) report.never_true.push_back(check.formula);
  }
  const std::vector<bool> enabled = world_.memos.enabled_steps();
  for (std::size_t i = 0; i < enabled.size(); ++i) {
    const bool happened = i < tally_.happened.size() && tally_.happened[i] != 0;
    if (!enabled[i] && !happened) report.never_enabled.emplace_back(i);
  }
  for (std::uint32_t i = 0; i < tally_.cuts.size(); ++i) {
    if (tally_.cuts[i] == 0) continue;
    const Problem problem = world_.memos.problem(i);
    report.cuts.push_back({problem.step, problem.slot, tally_.cuts[i]});
  }
  std::sort(report.cuts.begin(), report.cuts.end(),
            [](const Cut& a, const Cut& b) { return std::tie(a.step, a.slot) < std::tie(b.step, b.slot); });
  const bool cut = !report.cuts.empty() || !report.cut_properties.empty();
  if (report.end == End::complete && cut) report.end = End::cut;
  if (options_.visit) show_states();
  const Result<void> built = build_rest(report);
  report.seconds = seconds_since(started_);
  return built;
}

}  // namespace tenet::explore
