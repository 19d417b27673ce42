/// What a trace is made of once it is in memory: symbols, values, layouts, records.
///
/// Strings are symbols of a `Vocabulary`, which all traces of one piece of work share, so that names of different runs
/// compare as integers. A `Record` is a view: it is valid until the next call on the source that gave it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tenet::training {

/// Number of a string in a vocabulary; 0 is the empty string.
using Symbol = std::uint32_t;

/// Same numbers as TENET_TRACE_* in trace.h.
enum class ValueType : std::uint8_t { none, boolean, integer, real, text, hash, dims, ref };

/// A typed 8-byte value; text and dims hold a symbol. Equality is of type and bits (so NaN equals itself).
struct Value {
  ValueType type = ValueType::none;
  std::uint64_t bits = 0;

  [[nodiscard]] std::int64_t integer() const noexcept { return static_cast<std::int64_t>(bits); }
  [[nodiscard]] double real() const noexcept;
  [[nodiscard]] Symbol symbol() const noexcept { return static_cast<Symbol>(bits); }
  [[nodiscard]] bool is_number() const noexcept { return type == ValueType::integer || type == ValueType::real; }
  /// Of integers and reals.
  [[nodiscard]] double number() const noexcept;

  [[nodiscard]] static Value of(bool value) noexcept { return {ValueType::boolean, value ? 1U : 0U}; }
  [[nodiscard]] static Value of(std::int64_t value) noexcept {
    return {ValueType::integer, static_cast<std::uint64_t>(value)};
  }
  [[nodiscard]] static Value of(double value) noexcept;
  [[nodiscard]] static Value text(Symbol symbol) noexcept { return {ValueType::text, symbol}; }

  friend bool operator==(const Value&, const Value&) = default;
  friend auto operator<=>(const Value&, const Value&) = default;
};

/// The fields of a record: keys and types in a fixed order.
struct Layout {
  std::uint32_t id = 0;  ///< dense, from 0 (the empty layout)
  std::vector<Symbol> keys;
  std::vector<ValueType> types;

  /// Position of a key, or -1.
  [[nodiscard]] int find(Symbol key) const noexcept;
};

/// The strings and layouts of one piece of work. Thread-safe; symbols and layouts live as long as the vocabulary.
class Vocabulary {
 public:
  Vocabulary();
  ~Vocabulary();
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  [[nodiscard]] Symbol intern(std::string_view text);
  /// The symbol of a known string, 0 if it is not known.
  [[nodiscard]] Symbol find(std::string_view text) const;
  [[nodiscard]] std::string_view text(Symbol symbol) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return count_.load(std::memory_order_acquire); }

  [[nodiscard]] const Layout* layout(std::vector<Symbol> keys, std::vector<ValueType> types);

 private:
  static constexpr std::size_t kChunk = 4096;
  static constexpr std::size_t kChunks = 4096;
  struct Chunk;

  mutable std::mutex mutex_;
  std::unordered_map<std::string_view, Symbol> ids_;
  std::array<std::atomic<Chunk*>, kChunks> chunks_{};
  std::atomic<std::size_t> count_{0};
  std::deque<Layout> layouts_;
  std::unordered_map<std::string, const Layout*> layout_ids_;
};

/// Same numbers as TENET_TRACE_KIND_*.
enum class RecordKind : std::uint8_t { enter = 1, exit, fail, state, context, scalar, note };

/// One record; docs/training-trace-format.md says what each kind holds.
struct Record {
  RecordKind kind = RecordKind::note;
  bool thread_scope = false;  ///< context records: concerns the thread, not the process
  std::uint16_t process = 0;  ///< small number of the process inside the run
  std::uint16_t thread = 0;   ///< small number of the thread inside the process
  Symbol name = 0;            ///< function, variable, context key, scalar, exception type or text
  Symbol variable_type = 0;   ///< state records
  std::uint64_t call = 0;     ///< enter, exit, fail: id inside the process
  std::uint64_t time = 0;     ///< ns; comparable inside one run
  const Layout* layout = nullptr;
  std::span<const std::uint64_t> values;  ///< as many as the layout has fields

  [[nodiscard]] Value value(std::size_t field) const noexcept { return {layout->types[field], values[field]}; }
  /// The value of a key; false if the key is absent.
  [[nodiscard]] bool get(Symbol key, Value& out) const noexcept;
};

/// The integers of a `dims` text, "64,1,28,28". Stops at the first character that does not belong.
[[nodiscard]] std::vector<std::int64_t> parse_dims(std::string_view text);
/// The integer at `index` of a `dims` text; false if there are fewer.
[[nodiscard]] bool dims_at(std::string_view text, std::size_t index, std::int64_t& out) noexcept;

/// A value as people read it; hashes and refs in hexadecimal.
[[nodiscard]] std::string to_text(const Value& value, const Vocabulary& vocabulary);

}  // namespace tenet::training
