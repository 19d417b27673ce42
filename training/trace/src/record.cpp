#include "tenet/training/record.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

namespace tenet::training {

double Value::real() const noexcept { return std::bit_cast<double>(bits); }
double Value::number() const noexcept { return type == ValueType::integer ? static_cast<double>(integer()) : real(); }
Value Value::of(double value) noexcept { return {ValueType::real, std::bit_cast<std::uint64_t>(value)}; }

int Layout::find(Symbol key) const noexcept {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return static_cast<int>(i);
  }
  return -1;
}

bool Record::get(Symbol key, Value& out) const noexcept {
  const int field = layout->find(key);
  if (field < 0) return false;
  out = value(static_cast<std::size_t>(field));
  return true;
}

struct Vocabulary::Chunk {
  std::array<std::string, kChunk> texts;
};

Vocabulary::Vocabulary() {
  (void)intern("");
  (void)layout({}, {});
}

Vocabulary::~Vocabulary() {
  for (auto& chunk : chunks_) delete chunk.load(std::memory_order_relaxed);
}

Symbol Vocabulary::intern(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const std::size_t id = count_.load(std::memory_order_relaxed);
  if (id >= kChunk * kChunks) return 0;
  auto& slot = chunks_[id / kChunk];
  if (slot.load(std::memory_order_relaxed) == nullptr) slot.store(new Chunk, std::memory_order_release);
  std::string& stored = slot.load(std::memory_order_relaxed)->texts[id % kChunk];
  stored = text;
  ids_.emplace(stored, static_cast<Symbol>(id));
  count_.store(id + 1, std::memory_order_release);
  return static_cast<Symbol>(id);
}

Symbol Vocabulary::find(std::string_view text) const {
  const std::scoped_lock lock(mutex_);
  const auto found = ids_.find(text);
  return found == ids_.end() ? 0 : found->second;
}

std::string_view Vocabulary::text(Symbol symbol) const noexcept {
  if (symbol >= count_.load(std::memory_order_acquire)) return {};
  return chunks_[symbol / kChunk].load(std::memory_order_acquire)->texts[symbol % kChunk];
}

const Layout* Vocabulary::layout(std::vector<Symbol> keys, std::vector<ValueType> types) {
  std::string identity;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    identity.append(reinterpret_cast<const char*>(&keys[i]), sizeof keys[i]).push_back(static_cast<char>(types[i]));
  }
  const std::scoped_lock lock(mutex_);
  if (const auto found = layout_ids_.find(identity); found != layout_ids_.end()) return found->second;
  layouts_.push_back({static_cast<std::uint32_t>(layouts_.size()), std::move(keys), std::move(types)});
  layout_ids_.emplace(std::move(identity), &layouts_.back());
  return &layouts_.back();
}

bool dims_at(std::string_view text, std::size_t index, std::int64_t& out) noexcept {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;; ++at) {
    const auto [next, failure] = std::from_chars(at, end, out);
    if (failure != std::errc{}) return false;
    if (index-- == 0) return true;
    at = next;
    if (at == end || *at != ',') return false;
  }
}

std::vector<std::int64_t> parse_dims(std::string_view text) {
  std::vector<std::int64_t> dims;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::int64_t value = 0;
    const auto [next, failure] = std::from_chars(at, end, value);
    if (failure != std::errc{}) break;
    dims.push_back(value);
    at = next;
    if (at == end || *at != ',') break;
    ++at;
  }
  return dims;
}

std::string to_text(const Value& value, const Vocabulary& vocabulary) {
  switch (value.type) {
    case ValueType::none:
      return "none";
    case ValueType::boolean:
      return value.bits != 0 ? "true" : "false";
    case ValueType::integer:
      return fmt::format("{}", value.integer());
    case ValueType::real:
      return fmt::format("{}", value.real());
    case ValueType::text:
      return std::string(vocabulary.text(value.symbol()));
    case ValueType::hash:
    case ValueType::ref:
      return fmt::format("{:#018x}", value.bits);
    case ValueType::dims:
      return fmt::format("[{}]", vocabulary.text(value.symbol()));
  }
  return "?";
}

}  // namespace tenet::training
