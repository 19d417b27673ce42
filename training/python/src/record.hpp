// The trace of this process and one record of it under construction.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tenet/training/trace.h"

namespace tenet::training::collect {

// Null when nothing is being collected. `epoch` counts how often a trace was opened: ids of strings belong to one.
struct Trace {
  tenet_trace* handle = nullptr;
  std::uint32_t epoch = 0;
};
Trace& trace();

// A string whose id is looked up once per trace.
class Name {
 public:
  Name() = default;
  explicit Name(std::string_view text) : text_(text) {}

  const std::string& text() const { return text_; }
  std::uint32_t id() const {
    if (epoch_ != trace().epoch) intern();
    return id_;
  }

 private:
  void intern() const;

  std::string text_;
  mutable std::uint32_t id_ = 0;
  mutable std::uint32_t epoch_ = 0;
};

// The fields of one record. Fields that do not fit are left out and counted.
class Fields {
 public:
  void none(const Name& key) { add(key, TENET_TRACE_NONE, 0); }
  void boolean(const Name& key, bool value) { add(key, TENET_TRACE_BOOL, value); }
  void integer(const Name& key, std::int64_t value) { add(key, TENET_TRACE_INT, static_cast<std::uint64_t>(value)); }
  void real(const Name& key, double value) { add(key, TENET_TRACE_FLOAT, std::bit_cast<std::uint64_t>(value)); }
  void text(const Name& key, std::uint32_t id) { add(key, TENET_TRACE_STR, id); }
  void hash(const Name& key, std::uint64_t value) { add(key, TENET_TRACE_HASH, value); }
  void dims(const Name& key, std::uint32_t id) { add(key, TENET_TRACE_DIMS, id); }
  void reference(const Name& key, const void* value) {
    add(key, TENET_TRACE_REF, reinterpret_cast<std::uintptr_t>(value));
  }

  bool full() const { return count_ >= room; }
  std::uint32_t layout() const;
  const void* values() const { return values_; }
  std::size_t bytes() const { return count_ * sizeof(std::uint64_t); }

 private:
  void add(const Name& key, std::uint8_t type, std::uint64_t value) {
    if (full()) return;
    keys_[count_] = key.id();
    types_[count_] = type;
    values_[count_] = value;
    ++count_;
  }

  static constexpr std::size_t room = 160;
  std::size_t count_ = 0;
  std::uint32_t keys_[room];
  std::uint8_t types_[room];
  std::uint64_t values_[room];
};

}  // namespace tenet::training::collect
