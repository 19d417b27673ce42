// A field a rule talks about: "arg.0.dtype", "ret.shape[0]", "context.autocast.dtype".
#pragma once

#include <cmath>
#include <string_view>

#include "replay.h"

namespace tenet::training {

class FieldPath {
 public:
  FieldPath() = default;
  FieldPath(std::string_view path, Vocabulary& vocabulary) : vocabulary_(&vocabulary) {
    if (path.ends_with(']')) {
      const auto bracket = path.rfind('[');
      index_ = 0;
      for (const char c : path.substr(bracket + 1)) {
        if (c >= '0' && c <= '9') index_ = index_ * 10 + (c - '0');
      }
      path = path.substr(0, bracket);
    }
    in_context_ = path.starts_with("context.");
    in_result_ = path == "ret" || path.starts_with("ret.");
    key_ = vocabulary.intern(in_context_ ? path.substr(8) : path);
  }

  [[nodiscard]] bool in_result() const noexcept { return in_result_; }
  [[nodiscard]] bool in_context() const noexcept { return in_context_; }
  [[nodiscard]] Symbol key() const noexcept { return key_; }

  // Of a call; `result` is null while the call is open.
  [[nodiscard]] bool get(const Process& process, const Frame& frame, const Record* result, Value& out) const noexcept {
    if (in_context_) return from_context(process, out);
    if (in_result_) return result != nullptr && result->get(key_, out) && pick(out);
    return frame.get(key_, out) && pick(out);
  }
  // Of a variable.
  [[nodiscard]] bool get(const Process& process, const Variable& variable, Value& out) const noexcept {
    if (in_context_) return from_context(process, out);
    return variable.get(key_, out) && pick(out);
  }

 private:
  [[nodiscard]] bool from_context(const Process& process, Value& out) const noexcept {
    const auto found = process.context.find(key_);
    if (found == process.context.end()) return false;
    out = found->second;
    return pick(out);
  }
  [[nodiscard]] bool pick(Value& value) const noexcept {
    if (index_ < 0) return true;
    std::int64_t number = 0;
    if (value.type != ValueType::dims ||
        !dims_at(vocabulary_->text(value.symbol()), static_cast<std::size_t>(index_), number)) {
      return false;
    }
    value = Value::of(number);
    return true;
  }

  Vocabulary* vocabulary_ = nullptr;
  Symbol key_ = 0;
  int index_ = -1;
  bool in_context_ = false;
  bool in_result_ = false;
};

// Equal, numbers within rounding.
[[nodiscard]] inline bool same_value(const Value& a, const Value& b) noexcept {
  if (a == b) return true;
  if (!a.is_number() || !b.is_number()) return false;
  const double x = a.number();
  const double y = b.number();
  return std::fabs(x - y) <= 1e-8 * std::fmax(1.0, std::fmax(std::fabs(x), std::fabs(y)));
}

}  // namespace tenet::training
