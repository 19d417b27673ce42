/// What generated hooks are written with: one `Call` for each call of the service's interface.
///
/// C++11, without exceptions, RTTI or locks. A call that is made inside another one (the service calling itself, or a
/// base class) is not told: every operation counts once, where its caller made it.
///
/// ```
/// Call call(kPut, this);
/// if (call.on()) call.in(kKey, key.data(), key.size());
/// …the operation…
/// if (call.on()) call.outcome(0);
/// ```
///
/// The destructor takes the end stamp and publishes one record. Without a running monitor or recorder, a call costs
/// two loads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "tenet/monitor/abi.h"

namespace tenet {
namespace derived {

/// Whether an operation changed the state of the service, as far as its caller can tell.
enum Effect : std::uint8_t { kNoEffect = 0, kApplied = 1, kPerhapsApplied = 2 };

/// One field of an operation.
struct Field {
  std::uint64_t word;       ///< the number, or the hash of the bytes
  const char* bytes;        ///< kept keys, and everything while recording; else null
  std::uint32_t size;       ///< of the bytes
  std::uint8_t role;        ///< index in the model's list of roles
  std::uint8_t is_out;      ///< a result, not an argument
  std::uint8_t is_number;   ///< no bytes
  std::uint8_t keep_bytes;  ///< the record carries the bytes (keys that have an order)
};

/// Added to an operation that is told to a recorder only.
enum : std::uint16_t { kOnlyRecorded = 0x8000 };
/// The operation of a call that is a batch: its entries are told, not itself.
enum : std::uint16_t { kNoOperation = 0xffff };
enum : std::size_t { kMostFields = 12, kLongestKey = 256 };

/// What the library knows of a call. Plain data; members are for the functions below.
struct CallState {
  const void* self;
  std::uint64_t start;
  std::uint64_t end;  ///< 0: when the call ends; entries of a batch share one
  Field fields[kMostFields];
  std::uint16_t op;
  std::uint8_t count;
  std::uint8_t outcome;
  std::uint8_t effect;
  std::uint8_t on;  ///< 0: nothing is told; 1: a monitor runs; 2: a recorder runs
  std::uint8_t outermost;
  std::uint8_t flying;  ///< it counts as running
  std::uint16_t kept;
  char bytes[512];  ///< of keys
};

}  // namespace derived
}  // namespace tenet

extern "C" {
/// Begins a call; `op` is the operation's index in the model. Sets `on`.
TENET_MONITOR_API void tenet_derived_v1_enter(tenet::derived::CallState* call, std::uint16_t op,
                                              const void* self) noexcept;
/// Ends it and publishes the record if `on`.
TENET_MONITOR_API void tenet_derived_v1_leave(tenet::derived::CallState* call) noexcept;
/// Adds bytes: their hash, and with `keep` a copy.
TENET_MONITOR_API void tenet_derived_v1_bytes(tenet::derived::CallState* call, std::uint8_t role, int is_out, int keep,
                                              const char* bytes, std::size_t size) noexcept;
/// Another record with the same interval (an entry of a batch): fields added until `leave` or the next `entry` are its
/// own.
TENET_MONITOR_API void tenet_derived_v1_entry(tenet::derived::CallState* call, std::uint16_t op) noexcept;
}

namespace tenet {
namespace derived {

/// The object that a factory made, however it is held.
template <class T>
const void* address_of(T* object) noexcept {
  return object;
}
template <class Holder>
auto address_of(const Holder& holder) noexcept -> decltype(static_cast<const void*>(holder.get())) {
  return holder.get();
}

/// Bytes of a value, wherever they are.
struct Bytes {
  const char* data;
  std::size_t size;
};

/// One call while it runs. Lives on the stack of the operation.
class Call {
 public:
  Call(std::uint16_t op, const void* self) noexcept { tenet_derived_v1_enter(&state_, op, self); }
  ~Call() { tenet_derived_v1_leave(&state_); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool on() const noexcept { return state_.on != 0; }
  const void* self() const noexcept { return state_.self; }
  /// Whether no other call of the service is around this one.
  bool outermost() const noexcept { return state_.outermost != 0; }
  /// The object of the call, where it is known only afterwards (a factory).
  void object(const void* self) noexcept { state_.self = self; }

  template <class T>
  void in(std::uint8_t role, const T& value, bool keep = false) noexcept {
    add(role, 0, keep, value);
  }
  template <class T>
  void out(std::uint8_t role, const T& value, bool keep = false) noexcept {
    add(role, 1, keep, value);
  }
  /// The class of the status: its index in the model's list of outcomes.
  void outcome(std::uint8_t outcome_class, Effect effect) noexcept {
    state_.outcome = outcome_class;
    state_.effect = effect;
  }
  void effect(Effect effect) noexcept { state_.effect = effect; }
  void entry(std::uint16_t op) noexcept { tenet_derived_v1_entry(&state_, op); }

 private:
  template <class T>
  typename std::enable_if<std::is_arithmetic<T>::value || std::is_enum<T>::value>::type add(std::uint8_t role,
                                                                                            int is_out, bool,
                                                                                            const T& value) noexcept {
    number(role, is_out, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  }
  template <class T>
  void add(std::uint8_t role, int is_out, bool, T* const& value) noexcept {
    number(role, is_out, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(value)));
  }
  void add(std::uint8_t role, int is_out, bool keep, const char* const& value) noexcept {
    std::size_t size = 0;
    while (value != nullptr && value[size] != 0) ++size;
    tenet_derived_v1_bytes(&state_, role, is_out, keep ? 1 : 0, value, size);
  }
  void add(std::uint8_t role, int is_out, bool keep, char* const& value) noexcept {
    add(role, is_out, keep, static_cast<const char* const&>(value));
  }
  void add(std::uint8_t role, int is_out, bool keep, const Bytes& value) noexcept {
    tenet_derived_v1_bytes(&state_, role, is_out, keep ? 1 : 0, value.data, value.size);
  }
  /// Strings, slices, views: whatever has data() and size().
  template <class T>
  auto add(std::uint8_t role, int is_out, bool keep, const T& value) noexcept
      -> decltype(static_cast<void>(value.data()), static_cast<void>(value.size())) {
    tenet_derived_v1_bytes(&state_, role, is_out, keep ? 1 : 0, value.data(), value.size());
  }
  void number(std::uint8_t role, int is_out, std::uint64_t word) noexcept {
    if (state_.count == kMostFields) return;
    Field& field = state_.fields[state_.count++];
    field.word = word;
    field.bytes = nullptr;
    field.size = 0;
    field.role = role;
    field.is_out = static_cast<std::uint8_t>(is_out);
    field.is_number = 1;
    field.keep_bytes = 0;
  }

  CallState state_;
};

}  // namespace derived
}  // namespace tenet
