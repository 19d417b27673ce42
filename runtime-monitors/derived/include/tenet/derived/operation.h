/// One operation as the judge sees it, from a ring at run time or from a recording.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenet/derived/hook.h"
#include "tenet/derived/schema.h"

namespace tenet::derived {

/// A number, or bytes by their hash. `bytes` only where they were kept: keys, and recordings.
struct Value {
  std::uint64_t word = 0;
  bool number = false;
  bool has_bytes = false;
  std::string bytes;
  friend bool operator==(const Value& a, const Value& b) { return a.word == b.word && a.number == b.number; }
  friend bool operator!=(const Value& a, const Value& b) { return !(a == b); }
};
Value number_value(std::int64_t number);
Value bytes_value(std::string bytes);
/// For people: the number, the bytes in quotes, or a hash.
std::string show(const Value& value);

struct FieldValue {
  std::uint8_t role = 0;
  bool out = false;
  Value value;
};

struct Operation {
  std::uint64_t start = 0, end = 0;  ///< ordered stamps: it took effect between them
  std::uint64_t self = 0;            ///< the object
  std::uint64_t id = 0;              ///< of the recording or stream, for whoever asked
  std::uint32_t thread = 0;
  std::uint16_t op = 0;
  std::uint8_t outcome = 0;
  std::uint8_t effect = kNoEffect;
  std::vector<FieldValue> fields;

  [[nodiscard]] const Value* in(std::uint8_t role) const { return find(role, false); }
  [[nodiscard]] const Value* out(std::uint8_t role) const { return find(role, true); }

 private:
  [[nodiscard]] const Value* find(std::uint8_t role, bool out) const {
    for (const FieldValue& field : fields) {
      if (field.role == role && field.out == out) return &field.value;
    }
    return nullptr;
  }
};

/// `Get(key = "foo") → ok, value = "v1"`.
std::string show(const Operation& operation, const Schema& schema);

}  // namespace tenet::derived
