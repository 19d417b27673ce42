#include "tenet/derived/shadow.h"

#include <algorithm>
#include <limits>

namespace tenet::derived {
namespace {

constexpr std::size_t kMostChanges = 64;  // of a subject while an old handle is alive
constexpr std::size_t kMostPending = 1 << 16;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return (a * 0x9e3779b97f4a7c15ULL) ^ (b + (a >> 31)); }

std::uint64_t subject_key(std::uint64_t word, std::uint8_t space) {
  const std::uint64_t key = space == 0 ? word : mix(word, space);
  return key == 0 ? 1 : key;
}

std::uint64_t key_of(const Operation& operation, const Schema& schema) {
  const Value* key = operation.in(kKey);
  const std::uint8_t space = schema.ops[operation.op].space;
  return key == nullptr ? space : subject_key(key->word, space);
}

std::size_t weight(const Change& change) { return sizeof(Change) + change.arguments.size() * sizeof(FieldValue); }

Change change_of(const Operation& operation) {
  Change change;
  change.start = operation.start;
  change.end = operation.end;
  change.op = operation.op;
  change.effect = operation.effect;
  change.thread = operation.thread;
  for (const FieldValue& field : operation.fields) {
    if (field.role == kKey || field.out) continue;
    change.arguments.push_back(field);
    if (!field.value.number && field.value.bytes.size() > 64) change.arguments.back().value.has_bytes = false;
    if (!change.arguments.back().value.has_bytes) change.arguments.back().value.bytes.clear();
  }
  return change;
}

const Value* argument(const Change& change, std::uint8_t role) {
  for (const FieldValue& field : change.arguments) {
    if (field.role == role) return &field.value;
  }
  return nullptr;
}

}  // namespace

/// What is known of a subject's past at a moment.
struct Shadow::Past {
  Answer answer = Answer::unknown;  ///< passed: `change` is it
  const Change* change = nullptr;   ///< null: it was never changed
};

Shadow::Shadow(const Schema& schema, std::size_t memory_bytes) : schema_(schema), limit_(memory_bytes) {}

std::size_t Shadow::subjects() const {
  std::size_t total = 0;
  for (const auto& [name, store] : stores_) total += store.subjects.size();
  return total;
}

Store& Shadow::store_of(const Operation& operation) {
  const auto name = names_.try_emplace(operation.self, mix(operation.self, 1)).first->second;
  return stores_[name];
}

const Store* Shadow::find_store(const Operation& operation) const {
  const auto name = names_.find(operation.self);
  if (name == names_.end()) return nullptr;
  const auto store = stores_.find(name->second);
  return store == stores_.end() ? nullptr : &store->second;
}

namespace {

/// Changes of one subject that ended later than what is handled now.
struct Later {
  std::vector<const Operation*> operations;  // by end
  std::vector<std::uint64_t> earliest;       // start of any from here on
  std::size_t next = 0;
};

}  // namespace

struct Shadow::Window {
  std::unordered_map<std::uint64_t, Later> by_subject;
};

bool Shadow::upcoming(std::uint64_t self, std::uint64_t key, std::uint64_t until) const {
  if (window_ == nullptr) return false;
  const auto found = window_->by_subject.find(mix(self, key));
  if (found == window_->by_subject.end()) return false;
  const Later& later = found->second;
  return later.next < later.earliest.size() && later.earliest[later.next] <= until;
}

void Shadow::advance(std::uint64_t mark, const Reader& reader) {
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [](const Operation& a, const Operation& b) { return a.end < b.end; });
  Window window;
  std::vector<std::uint64_t> earliest(waiting_.size() + 1, mark);
  for (std::size_t i = waiting_.size(); i-- > 0;) earliest[i] = std::min(earliest[i + 1], waiting_[i].start);
  for (const Operation& operation : waiting_) {
    if (changes(schema_.ops[operation.op].kind) && operation.effect != kNoEffect) {
      window.by_subject[mix(operation.self, key_of(operation, schema_))].operations.push_back(&operation);
    }
  }
  for (auto& [subject, later] : window.by_subject) {
    later.earliest.resize(later.operations.size());
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t i = later.operations.size(); i-- > 0;) {
      least = std::min(least, later.operations[i]->start);
      later.earliest[i] = least;
    }
  }
  window_ = &window;
  std::size_t done = 0;
  for (; done < waiting_.size() && waiting_[done].end < mark; ++done) {
    const Operation& operation = waiting_[done];
    earliest_waiting_ = earliest[done + 1];
    const OpKind kind = schema_.ops[operation.op].kind;
    if (changes(kind) && operation.effect != kNoEffect)
      ++window.by_subject[mix(operation.self, key_of(operation, schema_))].next;
    if (reads(kind)) {
      ++clock_;
      reader(operation);
    }
    apply(operation);
  }
  window_ = nullptr;
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(done));
  if (bytes_ > limit_) forget_some();
}

void Shadow::lose(std::uint64_t self, std::uint64_t stamp) {
  // What waits is from before: it is taken in, and nothing is judged by it.
  advance(std::numeric_limits<std::uint64_t>::max(), [](const Operation&) {});
  lost_to_ = std::max(lost_to_, stamp);
  for (auto& [name, store] : stores_) {
    if (self != 0) {
      const auto found = names_.find(self);
      if (found == names_.end() || found->second != name) continue;
    }
    store.complete = false;
    store.known_from = std::max(store.known_from, stamp);
    store.cursors.clear();
    for (auto& [key, subject] : store.subjects) {
      subject.tally_known = subject.pending_known = false;
      subject.first.reset();
    }
  }
}

std::uint64_t Shadow::oldest_view(const Store& store) const {
  std::uint64_t oldest = earliest_waiting_;
  for (const auto& [handle, interval] : store.handles) oldest = std::min(oldest, interval.first);
  for (const auto& [id, cursor] : store.cursors) oldest = std::min(oldest, cursor.start);
  return oldest;
}

void Shadow::prune(Store& store, Subject& subject) {
  auto& all = subject.changes;
  if (all.size() < 2) return;
  const std::uint64_t oldest = oldest_view(store);
  // The newest change that every living reader sees as past hides what ended before it began.
  std::uint64_t hides = 0;
  for (const Change& change : all) {
    if (change.effect == kApplied && change.end < oldest) hides = std::max(hides, change.start);
  }
  const auto dead = std::stable_partition(all.begin(), all.end(), [&](const Change& c) { return c.end >= hides; });
  for (auto c = dead; c != all.end(); ++c) bytes_ -= std::min(bytes_, weight(*c));
  if (dead != all.end()) subject.cut = true;
  all.erase(dead, all.end());
  while (all.size() > kMostChanges) {
    bytes_ -= std::min(bytes_, weight(all.front()));
    subject.cut_to = std::max(subject.cut_to, all.front().end);
    all.erase(all.begin());
    subject.cut = true;
  }
}

void Shadow::change(Store& store, const Operation& operation) {
  const std::uint64_t key = key_of(operation, schema_);
  const auto [place, is_new] = store.subjects.try_emplace(key);
  Subject& subject = place->second;
  if (is_new) {
    bytes_ += sizeof(Subject) + 64;
    subject.cut = !store.complete || only_some_;
    subject.tally_known = subject.pending_known = store.complete;
    subject.counts.resize(schema_.ops.size());
    subject.sums.resize(schema_.ops.size());
    const Value* bytes = operation.in(kKey);
    if (bytes != nullptr && bytes->has_bytes && schema_.ops[operation.op].space == 0) {
      store.order.emplace(bytes->bytes, key);
      bytes_ += bytes->bytes.size() + 64;
    }
  }
  subject.touched = ++clock_;
  Change now = change_of(operation);
  auto& all = subject.changes;
  // The entries of one batch take effect in their order.
  if (!all.empty() && all.back().start == now.start && all.back().end == now.end && all.back().thread == now.thread) {
    bytes_ -= std::min(bytes_, weight(all.back()));
    all.pop_back();
  }
  const bool overlaps = now.start <= subject.last_end;
  if (subject.first == nullptr && is_new && store.complete && now.effect == kApplied) {
    subject.first = std::make_unique<Change>(now);
  } else if (subject.first != nullptr && now.start <= subject.first->end) {
    subject.first.reset();
  }
  // Sums do not mind the order; queues do.
  const Value* amount = operation.in(kValue);
  ++subject.counts[operation.op];
  if (amount != nullptr && amount->number) subject.sums[operation.op] += static_cast<std::int64_t>(amount->word);
  if (operation.effect == kPerhapsApplied) subject.tally_known = subject.pending_known = false;
  if (overlaps) subject.pending_known = false;
  const Value* taken = operation.out(kValue);
  if (amount != nullptr) {
    if (subject.pending.size() < kMostPending) {
      subject.pending.push_back(now);
    } else {
      subject.pending_known = false;
    }
  } else if (taken != nullptr && subject.pending_known) {
    // Whichever end it was taken from.
    const auto same = [&](const Change& c) {
      const Value* value = argument(c, kValue);
      return value != nullptr && *value == *taken;
    };
    if (!subject.pending.empty() && same(subject.pending.front())) {
      subject.pending.erase(subject.pending.begin());
    } else if (!subject.pending.empty() && same(subject.pending.back())) {
      subject.pending.pop_back();
    } else {
      subject.pending_known = false;
      subject.pending.clear();
    }
  }
  subject.last_end = std::max(subject.last_end, operation.end);
  bytes_ += weight(now);
  all.push_back(std::move(now));
  prune(store, subject);
}

void Shadow::apply(const Operation& operation) {
  const OpInfo& info = schema_.ops[operation.op];
  now_ = operation.end;
  switch (info.kind) {
    case OpKind::open: {
      if (operation.effect != kApplied) return;
      const Value* scope = operation.in(kScope);
      const std::uint64_t name = scope != nullptr ? mix(scope->word, 2) : mix(operation.self, operation.end);
      names_[operation.self] = name;
      Store& store = stores_[name];
      const Value* fresh = operation.in(kFresh);
      if (scope == nullptr || (fresh != nullptr && fresh->word != 0)) {
        store = Store();
        store.complete = operation.start > lost_to_;
        store.known_from = store.complete ? 0 : lost_to_;
      } else if (store.known_from == 0 && !store.complete) {
        store.known_from = std::max(operation.start, lost_to_);
      }
      store.opens.emplace_back(operation.start, operation.end);
      store.handles.clear();
      store.cursors.clear();
      store.conditions.clear();
      for (const FieldValue& field : operation.fields) {
        if (field.role >= kFirstNamed && !field.out) store.conditions.push_back(field);
      }
      return;
    }
    case OpKind::close:
      names_.erase(operation.self);
      return;
    case OpKind::erase: {
      const Value* scope = operation.in(kScope);
      Store& store = scope != nullptr ? stores_[mix(scope->word, 2)] : store_of(operation);
      if (operation.effect == kApplied) {
        store = Store();
        store.complete = operation.start > lost_to_;
        store.known_from = store.complete ? 0 : lost_to_;
      } else if (operation.effect == kPerhapsApplied) {
        store.complete = false;
        store.known_from = operation.end;
      }
      return;
    }
    case OpKind::handle: {
      const Value* handle = operation.out(kHandle);
      if (handle != nullptr) store_of(operation).handles[handle->word] = {operation.start, operation.end};
      return;
    }
    case OpKind::release: {
      Store& store = store_of(operation);
      if (const Value* handle = operation.in(kHandle)) store.handles.erase(handle->word);
      if (const Value* cursor = operation.in(kCursor)) store.cursors.erase(cursor->word);
      return;
    }
    case OpKind::cursor: {
      Store& store = store_of(operation);
      const Value* made = operation.out(kCursor);
      if (made == nullptr) return;
      Cursor cursor;
      cursor.start = operation.start;
      cursor.end = operation.end;
      const Value* at = operation.in(kAt);
      if (at != nullptr && at->word != 0) {
        const auto handle = store.handles.find(at->word);
        if (handle == store.handles.end()) return;
        cursor.start = handle->second.first;
        cursor.end = handle->second.second;
      }
      store.cursors[made->word] = cursor;
      return;
    }
    case OpKind::position: {
      const Value* id = operation.in(kCursor);
      if (id == nullptr) return;
      Store& store = store_of(operation);
      const auto cursor = store.cursors.find(id->word);
      if (cursor == store.cursors.end()) return;
      const Value* valid = operation.out(kValid);
      const Value* key = operation.out(kKey);
      cursor->second.valid = valid != nullptr && valid->word != 0;
      cursor->second.known = !cursor->second.valid || (key != nullptr && key->has_bytes);
      cursor->second.key = cursor->second.valid && key != nullptr ? key->bytes : std::string();
      return;
    }
    case OpKind::update:
      // That nothing was there to be taken settles what was unclear.
      if (operation.effect == kNoEffect) {
        const auto found = names_.find(operation.self);
        if (found == names_.end()) return;
        Store& store = stores_[found->second];
        const auto subject = store.subjects.find(key_of(operation, schema_));
        if (operation.in(kValue) == nullptr && subject != store.subjects.end() &&
            subject->second.last_end < operation.start &&
            !upcoming(operation.self, key_of(operation, schema_), operation.end) && !info.out.empty() &&
            std::find(info.out.begin(), info.out.end(), kValue) != info.out.end()) {
          subject->second.pending.clear();
          subject->second.pending_known = true;
        }
        return;
      }
      change(store_of(operation), operation);
      return;
    case OpKind::mutate:
      if (operation.effect != kNoEffect) change(store_of(operation), operation);
      return;
    case OpKind::query:
    case OpKind::observe:
    case OpKind::control:
      return;
  }
}

void Shadow::forget_some() {
  std::uint64_t keep = clock_ / 2;
  for (int round = 0; round < 8 && bytes_ > limit_ / 4 * 3; ++round, keep /= 2) {
    for (auto& [name, store] : stores_) {
      for (auto subject = store.subjects.begin(); subject != store.subjects.end();) {
        if (subject->second.touched + keep > clock_) {
          ++subject;
          continue;
        }
        for (const Change& change : subject->second.changes) bytes_ -= std::min(bytes_, weight(change));
        bytes_ -= std::min(bytes_, sizeof(Subject) + 64);
        subject = store.subjects.erase(subject);
        store.complete = false;
        ++forgotten_;
      }
      for (auto entry = store.order.begin(); entry != store.order.end();) {
        if (store.subjects.count(entry->second) != 0) {
          ++entry;
          continue;
        }
        bytes_ -= std::min(bytes_, entry->first.size() + 64);
        entry = store.order.erase(entry);
      }
    }
  }
}

bool Shadow::window(const Store& store, const Operation& operation, std::uint64_t& start, std::uint64_t& end) const {
  start = operation.start;
  end = operation.end;
  if (schema_.ops[operation.op].kind == OpKind::position) {
    const Value* id = operation.in(kCursor);
    const auto cursor = id == nullptr ? store.cursors.end() : store.cursors.find(id->word);
    if (cursor == store.cursors.end()) return false;
    start = cursor->second.start;
    end = cursor->second.end;
    return true;
  }
  const Value* at = operation.in(kAt);
  if (at == nullptr || at->word == 0) return true;
  const auto handle = store.handles.find(at->word);
  if (handle == store.handles.end()) return false;
  start = handle->second.first;
  end = handle->second.second;
  return true;
}

Shadow::Past Shadow::past(const Store& store, const Operation& reader, std::uint64_t key, std::uint64_t start,
                          std::uint64_t end) const {
  if (upcoming(reader.self, key, end)) return {Answer::ambiguous, nullptr};
  const auto found = store.subjects.find(key);
  if (found == store.subjects.end()) {
    return {store.complete && !only_some_ ? Answer::passed : Answer::unknown, nullptr};
  }
  const Subject& subject = found->second;
  std::uint64_t newest = 0;  // start of the newest change that certainly happened before
  for (const Change& change : subject.changes) {
    if (change.start > end) continue;
    if (change.end >= start) return {Answer::ambiguous, nullptr};
    if (change.effect == kApplied) newest = std::max(newest, change.start);
  }
  const Change* candidate = nullptr;
  for (const Change& change : subject.changes) {
    if (change.start > end || change.end < newest) continue;
    if (candidate != nullptr) return {Answer::ambiguous, nullptr};
    candidate = &change;
  }
  if (candidate == nullptr) {
    return {!subject.cut && store.complete ? Answer::passed : Answer::unknown, nullptr};
  }
  if (candidate->effect == kPerhapsApplied) return {Answer::ambiguous, nullptr};
  if (candidate->start < store.known_from) return {Answer::unknown, nullptr};
  return {Answer::passed, candidate};
}

/// Every change that may be the last one for this reader; `nothing`: that there was none is possible, too. None: not
/// known.
std::optional<std::vector<Change>> Shadow::possible_pasts(const Store& store, const Operation& reader,
                                                          bool& nothing) const {
  std::uint64_t start = 0, end = 0;
  if (!window(store, reader, start, end)) return std::nullopt;
  const std::uint64_t key = key_of(reader, schema_);
  const auto found = store.subjects.find(key);
  const Change* certain = nullptr;  // the newest that certainly happened before
  if (found != store.subjects.end()) {
    for (const Change& change : found->second.changes) {
      const bool before = change.effect == kApplied && change.end < start;
      if (before && (certain == nullptr || change.start > certain->start)) certain = &change;
    }
  }
  nothing = certain == nullptr;
  const bool whole = store.complete && !only_some_ && (found == store.subjects.end() || !found->second.cut);
  if (nothing ? !whole : certain->start < store.known_from || certain->start <= found->second.cut_to)
    return std::nullopt;

  std::vector<Change> possible;
  const std::uint64_t from = nothing ? 0 : certain->start;
  if (found != store.subjects.end()) {
    for (const Change& change : found->second.changes) {
      if (change.start <= end && change.end >= from) possible.push_back(change);
    }
  }
  if (window_ == nullptr) return possible;
  const auto later = window_->by_subject.find(mix(reader.self, key));
  if (later == window_->by_subject.end()) return possible;
  const auto& operations = later->second.operations;
  for (std::size_t i = later->second.next; i < operations.size(); ++i) {
    if (operations[i]->start <= end) possible.push_back(change_of(*operations[i]));
  }
  return possible;
}

bool Shadow::reopened(const Store& store, const Change& change, const Operation& reader) const {
  return std::any_of(store.opens.begin(), store.opens.end(),
                     [&](const auto& open) { return open.first > change.end && open.second < reader.start; });
}

Answer Shadow::situation(const Operation& operation, View view, Given& given) const {
  const Store* store = find_store(operation);
  if (store == nullptr) return Answer::unknown;
  given = Given();
  given.view = view;
  const Value* at = operation.in(kAt);
  given.as_of = at != nullptr && at->word != 0;
  const std::uint64_t key = key_of(operation, schema_);
  std::uint64_t start = 0, end = 0;
  if (!window(*store, operation, start, end)) return Answer::unknown;
  if (view == View::order) return Answer::passed;
  if (view == View::last || view == View::last_match) {
    const Past known = past(*store, operation, key, start, end);
    if (known.answer != Answer::passed) return known.answer;
    given.change = known.change == nullptr ? Given::kNothing : known.change->op;
    given.reopened = known.change != nullptr && reopened(*store, *known.change, operation);
    if (view == View::last_match && known.change != nullptr) {
      const Value* mine = operation.in(kValue);
      const Value* theirs = argument(*known.change, kValue);
      if (mine == nullptr || theirs == nullptr) return Answer::unknown;
      given.same = *mine == *theirs;
    }
    return Answer::passed;
  }
  // The other views are of now, and of everything that was.
  if (given.as_of) return Answer::unknown;
  if (upcoming(operation.self, key, operation.end)) return Answer::ambiguous;
  const auto found = store->subjects.find(key);
  const Subject* subject = found == store->subjects.end() ? nullptr : &found->second;
  if (subject == nullptr) {
    if (!store->complete || only_some_) return Answer::unknown;
    given.change = view == View::first ? Given::kNothing : Given::kAny;
    return Answer::passed;
  }
  if (subject->last_end >= operation.start) return Answer::ambiguous;
  if (view == View::first) {
    if (subject->first == nullptr) return Answer::unknown;
    given.change = subject->first->op;
    given.reopened = reopened(*store, *subject->first, operation);
    return Answer::passed;
  }
  if (view == View::tally) return subject->tally_known ? Answer::passed : Answer::unknown;
  given.pending = !subject->pending.empty();
  return subject->pending_known ? Answer::passed : Answer::unknown;
}

std::vector<FieldValue> Shadow::conditions(const Operation& operation) const {
  std::vector<FieldValue> all;
  const auto add = [&](const std::vector<FieldValue>& fields) {
    for (const FieldValue& field : fields) {
      if (field.role >= kFirstNamed && !field.out) all.push_back(field);
    }
  };
  add(operation.fields);
  const Store* store = find_store(operation);
  if (store == nullptr) return all;
  add(store->conditions);
  std::uint64_t start = 0, end = 0;
  if (!window(*store, operation, start, end)) return all;
  const Past known = past(*store, operation, key_of(operation, schema_), start, end);
  if (known.change != nullptr) add(known.change->arguments);
  return all;
}

bool Shadow::silent(const Checker& checker, const Operation& operation, const Change* change) const {
  if (checker.unless.empty()) return false;
  const Store* store = find_store(operation);
  for (const Unless& unless : checker.unless) {
    const auto has = [&](const std::vector<FieldValue>& fields) {
      return std::any_of(fields.begin(), fields.end(), [&](const FieldValue& field) {
        return field.role == unless.role && !field.out && field.value == unless.value;
      });
    };
    if (has(operation.fields) || (store != nullptr && has(store->conditions)) ||
        (change != nullptr && has(change->arguments))) {
      return true;
    }
  }
  return false;
}

Judgement Shadow::compare(const Checker& checker, const Operation& operation, const Change* change) const {
  for (const Expected& expected : checker.then) {
    const std::string what = expected.field == kOutcome ? "outcome" : schema_.roles[expected.field];
    if (expected.field == kOutcome) {
      if (operation.outcome == expected.constant.word) continue;
      return {Answer::violated, "expected outcome " + schema_.outcomes[expected.constant.word] + ", seen " +
                                    schema_.outcomes[operation.outcome]};
    }
    const Value* seen = operation.out(expected.field);
    const Value* wanted = &expected.constant;
    if (expected.kind == Expected::Kind::of_change) {
      wanted = change == nullptr ? nullptr : argument(*change, expected.role);
    }
    if (wanted == nullptr) return {Answer::unknown, {}};
    if (seen == nullptr) return {Answer::violated, "expected " + what + " = " + show(*wanted) + ", seen none"};
    if (*seen == *wanted) continue;
    std::string why = "expected " + what + " = " + show(*wanted);
    if (expected.kind == Expected::Kind::of_change) why += " as in " + schema_.ops[change->op].name;
    return {Answer::violated, why + ", seen " + show(*seen)};
  }
  return {Answer::passed, {}};
}

Judgement Shadow::judge_tally(const Checker& checker, const Operation& operation, const Store& store) const {
  const auto found = store.subjects.find(key_of(operation, schema_));
  std::int64_t sum = 0;
  // What the operation itself adds: it tells of the state after it.
  if (changes(schema_.ops[operation.op].kind) && operation.effect == kApplied &&
      operation.op < checker.weights.size()) {
    const Value* value = operation.in(kValue);
    const auto amount = value == nullptr ? 0 : static_cast<std::int64_t>(value->word);
    switch (checker.weights[operation.op]) {
      case Weight::none:
        break;
      case Weight::plus_one:
        sum = 1;
        break;
      case Weight::minus_one:
        sum = -1;
        break;
      case Weight::plus_value:
        sum = amount;
        break;
      case Weight::minus_value:
        sum = -amount;
    }
  }
  if (found != store.subjects.end()) {
    for (std::size_t op = 0; op < checker.weights.size() && op < found->second.counts.size(); ++op) {
      switch (checker.weights[op]) {
        case Weight::none:
          break;
        case Weight::plus_one:
          sum += found->second.counts[op];
          break;
        case Weight::minus_one:
          sum -= found->second.counts[op];
          break;
        case Weight::plus_value:
          sum += found->second.sums[op];
          break;
        case Weight::minus_value:
          sum -= found->second.sums[op];
          break;
      }
    }
  }
  for (const Expected& expected : checker.then) {
    if (expected.field == kOutcome) {
      if (operation.outcome == expected.constant.word) continue;
      return {Answer::violated, "expected outcome " + schema_.outcomes[expected.constant.word] + ", seen " +
                                    schema_.outcomes[operation.outcome]};
    }
    const Value* seen = operation.out(expected.field);
    const Value wanted = expected.kind == Expected::Kind::tally ? number_value(sum) : expected.constant;
    if (seen != nullptr && *seen == wanted) continue;
    return {Answer::violated, "expected " + schema_.roles[expected.field] + " = " + show(wanted) + ", seen " +
                                  (seen == nullptr ? "none" : show(*seen))};
  }
  return {Answer::passed, {}};
}

Judgement Shadow::judge_order(const Checker& checker, const Operation& operation, const Store& store) const {
  const Value* id = operation.in(kCursor);
  const auto cursor = id == nullptr ? store.cursors.end() : store.cursors.find(id->word);
  if (cursor == store.cursors.end()) return {Answer::unknown, {}};
  const std::uint64_t start = cursor->second.start, end = cursor->second.end;

  // From where, and which way.
  const bool down = checker.near == Near::largest || checker.near == Near::at_or_before_key ||
                    checker.near == Near::before_key || checker.near == Near::before_current;
  const std::string* from = nullptr;
  const bool with_it = checker.near == Near::at_or_after_key || checker.near == Near::at_or_before_key;
  if (checker.near == Near::after_current || checker.near == Near::before_current) {
    if (!cursor->second.known || !cursor->second.valid) return {Answer::unknown, {}};
    from = &cursor->second.key;
  } else if (checker.near != Near::smallest && checker.near != Near::largest) {
    const Value* key = operation.in(kKey);
    if (key == nullptr || !key->has_bytes) return {Answer::unknown, {}};
    from = &key->bytes;
  }
  const Value* valid = operation.out(kValid);
  const Value* key = operation.out(kKey);
  if (valid == nullptr) return {Answer::unknown, {}};
  const bool at_key = valid->word != 0;
  if (at_key && (key == nullptr || !key->has_bytes)) return {Answer::unknown, {}};
  const auto shown = [&](const std::string& bytes) { return show(bytes_value(bytes)); };
  if (at_key && from != nullptr) {
    const int side = key->bytes.compare(*from);
    const bool right = down ? side < 0 || (with_it && side == 0) : side > 0 || (with_it && side == 0);
    if (!right) return {Answer::violated, "key " + shown(key->bytes) + " is on the wrong side of " + shown(*from)};
  }

  // Whether a key is there, as far as is known.
  bool doubt = !store.complete || only_some_;
  const auto there = [&](const std::string& bytes, std::uint64_t hash, const Change*& change, Answer& answer) {
    (void)bytes;
    const Past known = past(store, operation, hash, start, end);
    answer = known.answer;
    change = known.change;
    return known.answer == Answer::passed && known.change != nullptr &&
           std::find(checker.live.begin(), checker.live.end(), known.change->op) != checker.live.end();
  };
  Judgement skipped;
  const auto look = [&](const std::pair<const std::string, std::uint64_t>& entry) {
    const Change* change = nullptr;
    Answer answer = Answer::unknown;
    if (there(entry.first, entry.second, change, answer)) {
      skipped = {Answer::violated, "key " + shown(entry.first) + " is there and was passed over; seen " +
                                       (at_key ? shown(key->bytes) : std::string("the end"))};
      return false;
    }
    if (answer != Answer::passed) doubt = true;
    return true;
  };
  if (!down) {
    auto at = from == nullptr ? store.order.begin()
                              : (with_it ? store.order.lower_bound(*from) : store.order.upper_bound(*from));
    for (; at != store.order.end() && (!at_key || at->first < key->bytes); ++at) {
      if (!look(*at)) return skipped;
    }
  } else {
    auto at = from == nullptr ? store.order.end()
                              : (with_it ? store.order.upper_bound(*from) : store.order.lower_bound(*from));
    while (at != store.order.begin()) {
      --at;
      if (at_key && !(at->first > key->bytes)) break;
      if (!look(*at)) return skipped;
    }
  }
  if (!at_key) return {doubt ? Answer::unknown : Answer::passed, {}};

  const std::uint64_t hash = subject_key(key->word, 0);
  const Change* change = nullptr;
  Answer answer = Answer::unknown;
  if (!there(key->bytes, hash, change, answer)) {
    if (answer != Answer::passed) return {answer, {}};
    return {Answer::violated,
            "key " + shown(key->bytes) +
                (change == nullptr ? " was never written" : " is not there since " + schema_.ops[change->op].name)};
  }
  for (const Expected& expected : checker.then) {
    if (expected.field == kValid || expected.field == kKey || expected.field == kOutcome) continue;
    const Value* wanted = argument(*change, expected.role);
    const Value* seen = operation.out(expected.field);
    if (wanted == nullptr || seen == nullptr) return {Answer::unknown, {}};
    if (*wanted != *seen) {
      return {Answer::violated, "expected " + schema_.roles[expected.field] + " = " + show(*wanted) + " at key " +
                                    shown(key->bytes) + ", seen " + show(*seen)};
    }
  }
  return {Answer::passed, {}};
}

Judgement Shadow::judge(const Checker& checker, const Operation& operation) const {
  if (checker.op != operation.op) return {};
  Given given;
  const Answer known = situation(operation, checker.given.view, given);
  const Store* store = find_store(operation);
  if (store == nullptr) return {Answer::unknown, {}};
  if (checker.given.as_of != given.as_of && checker.given.view != View::order) return {};
  const Change* change = nullptr;
  if (known == Answer::passed) {
    const auto found = store->subjects.find(key_of(operation, schema_));
    if (checker.given.view == View::last || checker.given.view == View::first ||
        checker.given.view == View::last_match) {
      if (given.change != checker.given.change || given.reopened != checker.given.reopened ||
          given.same != checker.given.same)
        return {};
      if (checker.given.view == View::first) {
        change = found == store->subjects.end() ? nullptr : found->second.first.get();
      } else if (given.change != Given::kNothing) {
        std::uint64_t start = 0, end = 0;
        (void)window(*store, operation, start, end);
        change = past(*store, operation, key_of(operation, schema_), start, end).change;
      }
    } else if (checker.given.view == View::queue || checker.given.view == View::stack) {
      if (given.pending != checker.given.pending) return {};
      if (given.pending) {
        const auto& pending = found->second.pending;
        change = checker.given.view == View::queue ? &pending.front() : &pending.back();
      }
    }
  }
  if (silent(checker, operation, change)) return {};
  if (known != Answer::passed) return {known, {}};
  switch (checker.given.view) {
    case View::order:
      return judge_order(checker, operation, *store);
    case View::tally:
      return judge_tally(checker, operation, *store);
    default:
      return compare(checker, operation, change);
  }
}

std::optional<Contradiction> Shadow::contradicts_every_past(const std::vector<Checker>& checkers,
                                                            const Operation& operation) const {
  const Store* store = find_store(operation);
  if (store == nullptr) return std::nullopt;
  bool nothing = false;
  const auto possible = possible_pasts(*store, operation, nothing);
  if (!possible.has_value()) return std::nullopt;
  const Value* at = operation.in(kAt);
  const bool as_of = at != nullptr && at->word != 0;
  // Of the checkers for this past, one that is contradicted.
  const auto contradicted = [&](const Change* change) -> std::optional<Contradiction> {
    Given given;
    given.change = change == nullptr ? Given::kNothing : static_cast<int>(change->op);
    given.as_of = as_of;
    given.reopened = change != nullptr && reopened(*store, *change, operation);
    for (std::size_t i = 0; i < checkers.size(); ++i) {
      const Checker& checker = checkers[i];
      if (checker.op != operation.op || !(checker.given == given) || silent(checker, operation, change)) continue;
      Judgement judged = compare(checker, operation, change);
      if (judged.answer == Answer::violated) return Contradiction{i, std::move(judged.detail)};
    }
    return std::nullopt;
  };
  std::optional<Contradiction> newest;
  if (nothing) {
    newest = contradicted(nullptr);
    if (!newest.has_value()) return std::nullopt;
  }
  std::uint64_t start = 0;
  for (const Change& change : *possible) {
    auto one = contradicted(&change);
    if (!one.has_value()) return std::nullopt;
    if (change.start < start) continue;
    start = change.start;
    newest = std::move(one);
  }
  if (newest.has_value() && possible->size() + (nothing ? 1 : 0) > 1)
    newest->detail += "; no other change that may be the last explains it";
  return newest;
}

std::string Shadow::history(const Operation& operation) const {
  const Store* store = find_store(operation);
  if (store == nullptr) return {};
  std::uint64_t key = key_of(operation, schema_);
  if (schema_.ops[operation.op].kind == OpKind::position) {
    const Value* at = operation.out(kKey);
    key = at == nullptr ? 0 : subject_key(at->word, 0);
  }
  const auto found = store->subjects.find(key);
  if (found == store->subjects.end()) return {};
  std::string out;
  const auto& all = found->second.changes;
  constexpr std::size_t kShown = 8;
  for (std::size_t i = all.size() > kShown ? all.size() - kShown : 0; i < all.size(); ++i) {
    out += (out.empty() ? "" : "; ") + schema_.ops[all[i].op].name + "(";
    bool first = true;
    for (const FieldValue& field : all[i].arguments) {
      out += (first ? "" : ", ") + schema_.roles[field.role] + " = " + show(field.value);
      first = false;
    }
    out += all[i].effect == kPerhapsApplied ? ") perhaps" : ")";
  }
  return out;
}

}  // namespace tenet::derived
