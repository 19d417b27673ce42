#include "tenet/derived/operation.h"

#include <array>
#include <cstdio>

namespace tenet::derived {

Value number_value(std::int64_t number) {
  Value value;
  value.word = static_cast<std::uint64_t>(number);
  value.number = true;
  return value;
}

Value bytes_value(std::string bytes) {
  Value value;
  value.word = tenet_monitor_v1_hash(bytes.data(), bytes.size());
  value.has_bytes = true;
  value.bytes = std::move(bytes);
  return value;
}

std::string show(const Value& value) {
  if (value.number) return std::to_string(static_cast<std::int64_t>(value.word));
  if (!value.has_bytes) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "~%016llx", static_cast<unsigned long long>(value.word));
    return text.data();
  }
  std::string out = "\"";
  constexpr std::size_t kLongest = 40;
  for (std::size_t i = 0; i < value.bytes.size() && i < kLongest; ++i) {
    const auto c = static_cast<unsigned char>(value.bytes[i]);
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
      out += static_cast<char>(c);
    } else {
      std::array<char, 8> text{};
      std::snprintf(text.data(), text.size(), "\\x%02x", c);
      out += text.data();
    }
  }
  out += value.bytes.size() > kLongest ? "\"… (" + std::to_string(value.bytes.size()) + " bytes)" : "\"";
  return out;
}

std::string show(const Operation& operation, const Schema& schema) {
  const OpInfo& info = schema.ops.at(operation.op);
  std::string out = info.name + "(";
  bool first = true;
  for (const FieldValue& field : operation.fields) {
    if (field.out) continue;
    out += (first ? "" : ", ") + schema.roles.at(field.role) + " = " + show(field.value);
    first = false;
  }
  out += ")";
  std::string results;
  const auto add = [&](const std::string& text) { results += (results.empty() ? " → " : ", ") + text; };
  if (info.has_outcome) add(schema.outcomes.at(operation.outcome));
  for (const FieldValue& field : operation.fields) {
    if (field.out) add(schema.roles.at(field.role) + " = " + show(field.value));
  }
  return out + results;
}

}  // namespace tenet::derived
