/// What a service includes on its event path: values of a specification, written into a record.
///
/// C++11, without exceptions, RTTI, allocation or locks. Generated headers use it; a service sees of it the value
/// types: `Option`, `Range` for sets, `Entries` for maps and functions, `MessageId`.
///
/// ```
/// std::set<uint32_t> promised = …;
/// leader.propose(value, {/*promised=*/promised, /*highest=*/none, /*proposed=*/true});
/// ```
///
/// `Range` and `Entries` refer to the container they are made from: they live as long as the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "tenet/monitor/abi.h"

namespace tenet {
namespace monitor {

/// The name of a sent message: (host, incarnation and sequence of its send event). It travels with the message, 16
/// bytes, so that the receiver can say what it received. All zero: not known.
struct MessageId {
  std::uint64_t host;      ///< role << 24 | index, plus one; 0 if not known
  std::uint64_t sequence;  ///< incarnation << 40 | sequence
  MessageId() noexcept : host(0), sequence(0) {}
  MessageId(std::uint64_t h, std::uint64_t s) noexcept : host(h), sequence(s) {}
  bool known() const noexcept { return host != 0; }
};

/// A uninterpreted value (a payload, a client's value) as the monitor sees it: equal values have equal numbers.
inline std::uint64_t hash(const void* bytes, std::size_t length) noexcept {
  return tenet_monitor_v1_hash(bytes, length);
}

/// One event while it is written. `Writer writer(host, type, key); if (writer) { … } writer.commit();`
class Writer {
 public:
  Writer(tenet_monitor_v1_host* host, std::uint16_t type, std::uint64_t key) noexcept
      : on_(host != nullptr && tenet_monitor_v1_begin(&record_, host, type, key) != 0) {}
  explicit operator bool() const noexcept { return on_; }
  void push(std::uint64_t word) noexcept { tenet_monitor_v1_push(&record_, word); }
  /// A place to be filled in later (the size of a set).
  std::uint64_t reserve() noexcept {
    const std::uint64_t place = record_.position;
    push(0);
    return place;
  }
  void fill(std::uint64_t place, std::uint64_t word) noexcept {
    if (place < record_.limit) record_.words[place & record_.mask] = word;
  }
  /// Publishes it. The event's name; not known if nothing was recorded.
  MessageId commit() noexcept {
    if (!on_) return MessageId();
    const MessageId id(static_cast<std::uint64_t>(record_.host) + 1, record_.incarnation_sequence);
    tenet_monitor_v1_commit(&record_);
    return id;
  }

 private:
  tenet_monitor_v1_record record_;
  bool on_;
};

struct None {};
constexpr None none{};  // NOLINT(readability-identifier-naming)

/// A value or none. Implicitly made from either.
template <class T>
class Option {
 public:
  Option(None) noexcept : has_(false), value_() {}                // NOLINT(google-explicit-constructor)
  Option(const T& value) noexcept : has_(true), value_(value) {}  // NOLINT(google-explicit-constructor)
  bool has() const noexcept { return has_; }
  const T& value() const noexcept { return value_; }

 private:
  bool has_;
  T value_;
};

// Writing values. Generated code adds `write` for its own types in its own namespace.
inline void write(Writer& out, bool value) noexcept { out.push(value ? 1 : 0); }
inline void write(Writer& out, std::int64_t value) noexcept { out.push(static_cast<std::uint64_t>(value)); }
inline void write(Writer& out, std::uint64_t value) noexcept { out.push(value); }
inline void write(Writer& out, const MessageId& id) noexcept {
  out.push(id.host);
  out.push(id.sequence);
}
template <class T>
void write(Writer& out, const Option<T>& option) noexcept {
  out.push(option.has() ? 1 : 0);
  if (option.has()) write(out, option.value());
}

/// Writes an element of a container as a T.
template <class T>
struct AsValue {
  template <class Element>
  static void write_one(Writer& out, const Element& element) noexcept {
    write(out, T(element));
  }
};
/// Writes an entry of a map-like container as a K and a V.
template <class K, class V>
struct AsPair {
  template <class Entry>
  static void write_one(Writer& out, const Entry& entry) noexcept {
    write(out, K(entry.first));
    write(out, V(entry.second));
  }
};

/// The elements of any container, each written by `One`. Refers to the container.
template <class One>
class Elements {
 public:
  Elements() noexcept : container_(nullptr), write_(&write_empty) {}
  template <class Container, class = typename std::enable_if<!std::is_same<Container, Elements>::value>::type>
  Elements(const Container& container) noexcept  // NOLINT(google-explicit-constructor)
      : container_(&container), write_(&write_all<Container>) {}
  void write_to(Writer& out) const noexcept { write_(out, container_); }

 private:
  static void write_empty(Writer& out, const void*) noexcept { out.push(0); }
  template <class Container>
  static void write_all(Writer& out, const void* container) noexcept {
    const std::uint64_t place = out.reserve();
    std::uint64_t count = 0;
    for (const auto& element : *static_cast<const Container*>(container)) {
      One::write_one(out, element);
      ++count;
    }
    out.fill(place, count);
  }
  const void* container_;
  void (*write_)(Writer&, const void*);
};
template <class One>
void write(Writer& out, const Elements<One>& elements) noexcept {
  elements.write_to(out);
}

/// The elements of any container, each converted to T. Refers to the container.
template <class T>
using Range = Elements<AsValue<T>>;
/// The pairs of any map-like container, keys converted to K and values to V. Refers to the container.
template <class K, class V>
using Entries = Elements<AsPair<K, V>>;

/// A total function: its value for every argument that has no entry, and the entries.
template <class K, class V>
struct Function {
  V otherwise;
  Entries<K, V> entries;
  Function(const V& value_otherwise, const Entries<K, V>& the_entries) noexcept
      : otherwise(value_otherwise), entries(the_entries) {}
};
template <class K, class V>
void write(Writer& out, const Function<K, V>& function) noexcept {
  write(out, function.otherwise);
  write(out, function.entries);
}

}  // namespace monitor
}  // namespace tenet
