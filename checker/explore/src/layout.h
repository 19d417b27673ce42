/// Flat values: every type of an instance has a fixed number of cells.
///
/// | type                            | cells                                                  |
/// |---------------------------------|--------------------------------------------------------|
/// | bool, numbers, enum, sort, host | one: the number                                        |
/// | option                          | 0 or 1, then the payload (zeros for none)              |
/// | struct                          | its fields, one after the other                        |
/// | set                             | one bit per value of the element type, 64 a cell       |
/// | map                             | the set of its keys, then a value per key (0 if absent)|
/// | function                        | a value per argument                                   |
///
/// Equal values have equal cells.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"
#include "tenet/ir/value.h"

namespace tenet::explore {

using Cell = std::int64_t;

/// The values of a type in a slot, numbered in the instance's order.
class Domain {
 public:
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Position of a value; -1 if it lies outside.
  [[nodiscard]] std::int64_t index(const Cell* value) const;
  [[nodiscard]] const Cell* element(std::uint64_t index) const { return elements_.data() + index * width_; }
  [[nodiscard]] bool scalar() const { return way_ == Way::scalar; }
  /// For a scalar domain: the smallest value.
  [[nodiscard]] Cell low() const { return low_; }

 private:
  friend class Layouts;
  enum class Way : std::uint8_t { scalar, option, structure, lookup };
  [[nodiscard]] bool numbering_agrees() const;
  Way way_ = Way::lookup;
  std::uint64_t size_ = 0;
  std::uint32_t width_ = 1;
  Cell low_ = 0;
  std::vector<Cell> elements_;
  std::vector<std::pair<const Domain*, std::uint32_t>> parts_;  ///< payload or fields, with their offsets
  std::map<std::vector<Cell>, std::uint64_t> lookup_;
};

/// How a type lies in cells.
struct Shape {
  ir::TypeKind kind = ir::TypeKind::boolean;
  bool scalar = true;
  std::uint32_t cells = 1;
  std::uint32_t words = 0;             ///< set, map: cells of the bit set
  const Domain* elements = nullptr;    ///< of a set, keys of a map, arguments of a function
  const Shape* first = nullptr;        ///< payload, element, key, argument
  const Shape* second = nullptr;       ///< value of a map, result of a function
  std::vector<const Shape*> fields;    ///< of a struct
  std::vector<std::uint32_t> offsets;  ///< of the fields
};

/// Shapes and domains of one protocol in one instance, made on demand.
/// Immutable (and so thread-safe) once everything needed was asked for.
class Layouts {
 public:
  Layouts(const ir::Protocol& protocol, const ir::Instance& instance) : p_(protocol), instance_(instance) {}
  Layouts(const Layouts&) = delete;
  Layouts& operator=(const Layouts&) = delete;

  /// Throws Refusal for a type that has no finite layout.
  const Shape& shape(ir::TypeId type);
  const Domain& domain(ir::TypeId type, std::string_view slot);

  /// False: the value has no cells here (an element outside its domain).
  [[nodiscard]] bool to_cells(const Shape& shape, const ir::Value& value, Cell* out) const;
  [[nodiscard]] ir::Value to_value(const Shape& shape, const Cell* cells) const;

 private:
  Shape make_shape(ir::TypeId type);
  std::unique_ptr<Domain> make_domain(ir::TypeId type, std::string_view slot);
  [[nodiscard]] bool set_to_cells(const Shape& shape, const ir::Value& value, Cell* out) const;

  const ir::Protocol& p_;
  const ir::Instance& instance_;
  std::map<ir::TypeId, std::unique_ptr<Shape>> shapes_;
  std::map<std::pair<ir::TypeId, std::string>, std::unique_ptr<Domain>> domains_;
};

inline bool bit(const Cell* words, std::uint64_t index) {
  return ((static_cast<std::uint64_t>(words[index / 64]) >> (index % 64)) & 1U) != 0;
}
inline void set_bit(Cell* words, std::uint64_t index) {
  words[index / 64] = static_cast<Cell>(static_cast<std::uint64_t>(words[index / 64]) | (1ULL << (index % 64)));
}
inline void clear_bit(Cell* words, std::uint64_t index) {
  words[index / 64] = static_cast<Cell>(static_cast<std::uint64_t>(words[index / 64]) & ~(1ULL << (index % 64)));
}

}  // namespace tenet::explore
