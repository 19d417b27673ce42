// The producers' side: from a call to a record in the core's ring, or to the recorder.
#include <array>
#include <atomic>
#include <mutex>
#include <unordered_map>

#include "in_flight.h"
#include "recorder.h"
#include "tenet/derived/hook.h"
#include "tenet/derived/operation.h"
#include "tenet/derived/stamp.h"
#include "wire.h"

namespace tenet::derived {
namespace {

thread_local std::uint32_t depth = 0;

std::atomic<tenet_monitor_v1_host*> current_host{nullptr};

// The one host that tells the process's operations. A host has one sequence of events.
tenet_monitor_v1_host* host() {
  static std::mutex lock;
  std::atomic<tenet_monitor_v1_host*>& current = current_host;
  static std::atomic<std::uint64_t> generation{0};
  tenet_monitor_v1_host* known = current.load(std::memory_order_acquire);
  if (known != nullptr && generation.load(std::memory_order_relaxed) == monitor_generation()) return known;
  const std::scoped_lock guard(lock);
  if (current.load() == nullptr || generation.load() != monitor_generation()) {
    current.store(tenet_monitor_v1_begin_host(0, 0));
    generation.store(monitor_generation());
  }
  return current.load();
}

std::uint32_t thread_number() {
  static std::atomic<std::uint32_t> next{0};
  thread_local const std::uint32_t number = next++;
  return number;
}

// What sampling goes by: the subject, else the cursor; 0 is always recorded.
std::uint64_t sampling_key(const CallState& call) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < call.count; ++i) {
    const Field& field = call.fields[i];
    if (field.role == kCursor && field.is_out == 0) return field.word;
    if (field.role == kKey && field.is_out == 0) key = field.word == 0 ? 1 : field.word;
  }
  return key;
}

void publish(const CallState& call, std::uint64_t end) {
  tenet_monitor_v1_record record;
  if (tenet_monitor_v1_begin(&record, host(), static_cast<std::uint16_t>(kFirstOperation + call.op),
                             sampling_key(call)) == 0) {
    return;
  }
  const auto push = [&](std::uint64_t word) { tenet_monitor_v1_push(&record, word); };
  push(call.start);
  push(end);
  push(reinterpret_cast<std::uint64_t>(call.self));
  push(pack_head(thread_number(), call.outcome, call.effect, call.count));
  for (std::size_t i = 0; i < call.count; ++i) {
    const Field& field = call.fields[i];
    const bool bytes = field.keep_bytes != 0 && field.bytes != nullptr && field.size <= kLongestKey;
    push(pack_field(field.role, field.is_out != 0, field.is_number != 0, bytes, bytes ? field.size : 0));
    push(field.word);
    if (!bytes) continue;
    std::uint64_t word = 0;
    std::size_t at = 0;
    for (; at + sizeof word <= field.size; at += sizeof word) {
      __builtin_memcpy(&word, field.bytes + at, sizeof word);
      push(word);
    }
    if (at < field.size) {
      word = 0;
      __builtin_memcpy(&word, field.bytes + at, field.size - at);
      push(word);
    }
  }
  tenet_monitor_v1_commit(&record);
}

void emit(const CallState& call, std::uint64_t end, bool entry) {
  if (call.on == 2) record_call(call, end, entry);
  if (call.on != 0 && tenet_monitor_v1_wanted(0) != 0) publish(call, end);
}

}  // namespace

tenet_monitor_v1_host* telling_host() { return current_host.load(std::memory_order_acquire); }

}  // namespace tenet::derived

using namespace tenet::derived;

extern "C" {

void tenet_derived_v1_enter(CallState* call, std::uint16_t op, const void* self) noexcept {
  call->on = 0;
  call->flying = 0;
  call->self = self;
  call->outermost = depth == 0 ? 1 : 0;
  if (depth++ != 0) return;
  const bool for_recorder = op != kNoOperation && (op & kOnlyRecorded) != 0;
  if (recording()) {
    call->on = 2;
    if (for_recorder) op = static_cast<std::uint16_t>(op & ~kOnlyRecorded);
  } else if (for_recorder || tenet_monitor_v1_wanted(0) == 0) {
    return;
  } else {
    call->on = 1;
  }
  call->op = op;
  call->self = self;
  call->end = 0;
  call->count = 0;
  call->kept = 0;
  call->outcome = 0;
  call->effect = kApplied;
  call->flying = 1;
  FlightSlot* slot = flight_slot();
  if (slot != nullptr) {
    slot->start.store(1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    call->start = ordered_stamp();
    slot->start.store(call->start, std::memory_order_relaxed);
  } else {
    call->start = ordered_stamp();
  }
}

void tenet_derived_v1_leave(CallState* call) noexcept {
  --depth;
  if (call->flying == 0) return;
  if (call->on != 0 && call->op != kNoOperation) emit(*call, call->end != 0 ? call->end : ordered_stamp(), false);
  FlightSlot* slot = flight_slot();
  if (slot != nullptr) slot->start.store(0, std::memory_order_release);
}

void tenet_derived_v1_entry(CallState* call, std::uint16_t op) noexcept {
  if (call->on == 0) return;
  if (call->end == 0) call->end = ordered_stamp();
  if (call->op != kNoOperation) emit(*call, call->end, true);
  call->op = op;
  call->count = 0;
  call->kept = 0;
}

void tenet_derived_v1_bytes(CallState* call, std::uint8_t role, int is_out, int keep, const char* bytes,
                            std::size_t size) noexcept {
  if (call->count == kMostFields) return;
  Field& field = call->fields[call->count++];
  field.word = tenet_monitor_v1_hash(bytes, size);
  field.bytes = nullptr;
  if (call->on == 2) {
    field.bytes = keep_for_record(bytes, size);
  } else if (keep != 0 && size <= sizeof call->bytes - call->kept) {
    field.bytes = call->bytes + call->kept;
    if (size > 0) __builtin_memcpy(call->bytes + call->kept, bytes, size);
    call->kept = static_cast<std::uint16_t>(call->kept + size);
  }
  field.size = static_cast<std::uint32_t>(size);
  field.role = role;
  field.is_out = static_cast<std::uint8_t>(is_out);
  field.is_number = 0;
  field.keep_bytes = static_cast<std::uint8_t>(keep);
  // A subject that is not sampled: nothing more is done for it. (A cursor is sampled as such, and is told first.)
  const bool decides = role == kKey && is_out == 0 && call->on == 1 && call->fields[0].role != kCursor;
  if (decides && call->op != kNoOperation && tenet_monitor_v1_wanted(field.word == 0 ? 1 : field.word) == 0)
    call->on = 0;
}

}  // extern "C"
