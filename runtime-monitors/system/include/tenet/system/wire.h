/// Structs as bytes. A struct says what it consists of once, for both directions, by a function that is found beside
/// it:
///
/// ```
/// void fields(auto& archive, Vote& vote) { tenet::system::each(archive, vote.ballot, vote.value); }
/// std::string bytes = tenet::system::encoded(vote);
/// bool good = tenet::system::decoded(bytes, vote);
/// ```
///
/// Numbers are eight bytes, the least first; an enum is one byte and says by `most_of` which of its members is the
/// last. Decoding never throws, reads only the bytes, and needs memory in proportion to them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tenet::system {

template <class... F>
void each(auto& archive, F&... field) {
  (archive(field), ...);
}

/// Appends values; the mirror image of `Reader`.
class Writer {
 public:
  void operator()(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>(value >> shift));
  }
  void operator()(std::uint32_t value) { (*this)(std::uint64_t{value}); }
  void operator()(bool value) { bytes.push_back(value ? 1 : 0); }
  template <class E>
    requires std::is_enum_v<E>
  void operator()(E value) {
    bytes.push_back(static_cast<char>(value));
  }
  void operator()(const std::string& text) {
    (*this)(std::uint64_t{text.size()});
    bytes += text;
  }
  template <class T>
  void operator()(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value) (*this)(*value);
  }
  template <class T>
  void operator()(const std::vector<T>& all) {
    sequence(all);
  }
  template <class T>
  void operator()(const std::set<T>& all) {
    sequence(all);
  }
  template <class K, class V>
  void operator()(const std::map<K, V>& all) {
    (*this)(std::uint64_t{all.size()});
    for (const auto& [key, value] : all) {
      (*this)(key);
      (*this)(value);
    }
  }
  template <class T>
    requires std::is_class_v<T>
  void operator()(const T& value) {
    // `fields` visits reading and writing alike, so it takes what it visits by reference.
    fields(*this, const_cast<T&>(value));
  }

  std::string bytes;

 private:
  void sequence(const auto& all) {
    (*this)(std::uint64_t{all.size()});
    for (const auto& one : all) (*this)(one);
  }
};

/// Takes values from bytes; after the first that is not there, `good` is false and nothing more is taken.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest(bytes) {}

  void operator()(std::uint64_t& value) {
    value = 0;
    if (!has(8)) return;
    for (unsigned i = 0; i < 8; ++i) value |= std::uint64_t{static_cast<unsigned char>(rest[i])} << (8 * i);
    rest.remove_prefix(8);
  }
  void operator()(std::uint32_t& value) {
    std::uint64_t wide = 0;
    (*this)(wide);
    if (wide > UINT32_MAX) good = false;
    value = static_cast<std::uint32_t>(wide);
  }
  void operator()(bool& value) { value = byte(1) != 0; }
  template <class E>
    requires std::is_enum_v<E>
  void operator()(E& value) {
    value = static_cast<E>(byte(static_cast<unsigned char>(most_of(E{}))));
  }
  void operator()(std::string& text) {
    std::uint64_t size = 0;
    (*this)(size);
    if (!has(size)) return;
    text.assign(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  template <class T>
  void operator()(std::optional<T>& value) {
    value.reset();
    bool there = false;
    (*this)(there);
    if (good && there) (*this)(value.emplace());
  }
  template <class T>
  void operator()(std::vector<T>& all) {
    for (std::uint64_t left = size(); left > 0 && good; --left) (*this)(all.emplace_back());
  }
  template <class T>
  void operator()(std::set<T>& all) {
    for (std::uint64_t left = size(); left > 0 && good; --left) {
      T one{};
      (*this)(one);
      if (!all.empty() && !(*all.rbegin() < one)) good = false;  // one way to write a set
      if (good) all.insert(all.end(), std::move(one));
    }
  }
  template <class K, class V>
  void operator()(std::map<K, V>& all) {
    for (std::uint64_t left = size(); left > 0 && good; --left) {
      K key{};
      V value{};
      (*this)(key);
      (*this)(value);
      if (!all.empty() && !(all.rbegin()->first < key)) good = false;
      if (good) all.emplace_hint(all.end(), std::move(key), std::move(value));
    }
  }
  template <class T>
    requires std::is_class_v<T>
  void operator()(T& value) {
    fields(*this, value);
  }

  [[nodiscard]] bool done() const { return good && rest.empty(); }

  std::string_view rest;
  bool good = true;

 private:
  bool has(std::uint64_t bytes) { return good = good && bytes <= rest.size(); }
  /// Every element takes at least eight bytes, so a wrong size costs no memory.
  std::uint64_t size() {
    std::uint64_t size = 0;
    (*this)(size);
    if (size > rest.size() / 8) good = false;
    return size;
  }
  unsigned char byte(unsigned char most) {
    if (!has(1)) return 0;
    const auto value = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    if (value > most) good = false;
    return good ? value : 0;
  }
};

template <class T>
std::string encoded(const T& value) {
  Writer writer;
  writer(value);
  return std::move(writer.bytes);
}
/// False: these bytes are not those of a T.
template <class T>
bool decoded(std::string_view bytes, T& value) {
  Reader reader(bytes);
  reader(value);
  return reader.done();
}

/// A variant as the number of its alternative, one byte, and the alternative.
template <class Variant>
void write_variant(Writer& writer, const Variant& variant) {
  writer.bytes.push_back(static_cast<char>(variant.index()));
  std::visit(writer, variant);
}
template <std::size_t I = 0, class Variant>
bool read_alternative(Reader& reader, std::size_t index, Variant& variant) {
  if constexpr (I < std::variant_size_v<Variant>) {
    if (index != I) return read_alternative<I + 1>(reader, index, variant);
    reader(variant.template emplace<I>());
    return true;
  } else {
    return reader.good = false;
  }
}
template <class Variant>
void read_variant(Reader& reader, Variant& variant) {
  if (reader.rest.empty()) {
    reader.good = false;
    return;
  }
  const std::size_t index = static_cast<unsigned char>(reader.rest.front());
  reader.rest.remove_prefix(1);
  (void)read_alternative(reader, index, variant);
}

}  // namespace tenet::system
