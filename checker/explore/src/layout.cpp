#include "layout.h"

#include <algorithm>

#include "refusal.h"

namespace tenet::explore {

namespace {

/// Larger domains make sets and functions that no instance could explore.
constexpr std::size_t kLargestDomain = std::size_t{1} << 16;
/// Cells of one value; beyond it an instance is refused as too large.
constexpr std::uint64_t kWidestValue = std::uint64_t{1} << 16;

std::uint32_t checked_width(std::uint64_t cells) {
  if (cells > kWidestValue) refuse(ErrorKind::too_large, "a value of this instance is too wide to be packed");
  return static_cast<std::uint32_t>(cells);
}

}  // namespace

std::int64_t Domain::index(const Cell* value) const {
  switch (way_) {
    case Way::scalar: {
      const std::uint64_t place = static_cast<std::uint64_t>(*value) - static_cast<std::uint64_t>(low_);
      return place < size_ ? static_cast<std::int64_t>(place) : -1;
    }
    case Way::option: {
      if (value[0] == 0) return 0;
      const std::int64_t payload = parts_[0].first->index(value + 1);
      return payload < 0 ? -1 : payload + 1;
    }
    case Way::structure: {
      std::int64_t place = 0;
      for (const auto& [part, offset] : parts_) {
        const std::int64_t digit = part->index(value + offset);
        if (digit < 0) return -1;
        place = place * static_cast<std::int64_t>(part->size()) + digit;
      }
      return place;
    }
    case Way::lookup:
      break;
  }
  const auto found = lookup_.find(std::vector<Cell>(value, value + width_));
  return found == lookup_.end() ? -1 : static_cast<std::int64_t>(found->second);
}

bool Domain::numbering_agrees() const {
  for (std::uint64_t i = 0; i < size_; ++i) {
    if (index(element(i)) != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

const Shape& Layouts::shape(ir::TypeId type) {
  auto& entry = shapes_[type];
  if (!entry) {
    entry = std::make_unique<Shape>();
    *entry = make_shape(type);
  }
  return *entry;
}

Shape Layouts::make_shape(ir::TypeId id) {
  const ir::Type type = p_[id];
  Shape shape;
  shape.kind = type.kind;
  const auto words_for = [](const Domain& domain) { return static_cast<std::uint32_t>((domain.size() + 63) / 64); };
  switch (type.kind) {
    case ir::TypeKind::real:
    case ir::TypeKind::sequence:
      refuse(ErrorKind::unsupported, "exploring protocols with reals or sequences is not supported yet");
    case ir::TypeKind::option:
      shape.first = &this->shape(type.first);
      shape.cells = checked_width(1 + shape.first->cells);
      break;
    case ir::TypeKind::structure: {
      std::uint64_t offset = 0;
      for (const ir::FieldDecl& field : p_.structs[type.declaration].fields) {
        shape.fields.push_back(&this->shape(field.type));
        shape.offsets.push_back(static_cast<std::uint32_t>(offset));
        offset = checked_width(offset + shape.fields.back()->cells);
      }
      shape.cells = static_cast<std::uint32_t>(offset);
      break;
    }
    case ir::TypeKind::set:
      shape.first = &this->shape(type.first);
      shape.elements = &domain(type.first, "");
      shape.cells = shape.words = words_for(*shape.elements);
      break;
    case ir::TypeKind::map:
    case ir::TypeKind::function: {
      shape.first = &this->shape(type.first);
      shape.second = &this->shape(type.second);
      shape.elements = &domain(type.first, "");
      if (type.kind == ir::TypeKind::map) shape.words = words_for(*shape.elements);
      shape.cells = checked_width(shape.words + shape.elements->size() * shape.second->cells);
      break;
    }
    default:
      return shape;
  }
  shape.scalar = false;
  return shape;
}

const Domain& Layouts::domain(ir::TypeId type, std::string_view slot) {
  auto& entry = domains_[{type, std::string(slot)}];
  if (!entry) entry = make_domain(type, slot);
  return *entry;
}

std::unique_ptr<Domain> Layouts::make_domain(ir::TypeId id, std::string_view slot) {
  const ir::Type type = p_[id];
  const Shape& form = shape(id);
  const Result<std::vector<ir::Value>> values = instance_.domain(p_, id, slot, kLargestDomain);
  if (!values) throw Refusal{values.error()};
  auto domain = std::make_unique<Domain>();
  domain->size_ = values->size();
  domain->width_ = form.cells;
  domain->elements_.resize(values->size() * form.cells);
  for (std::size_t i = 0; i < values->size(); ++i) {
    if (!to_cells(form, (*values)[i], domain->elements_.data() + i * form.cells)) {
      refuse(ErrorKind::internal, "a value of a domain has no layout");
    }
  }
  if (form.scalar) {
    domain->way_ = Domain::Way::scalar;
    domain->low_ = values->empty() ? 0 : values->front().number;
  } else if (type.kind == ir::TypeKind::option) {
    domain->way_ = Domain::Way::option;
    domain->parts_.emplace_back(&this->domain(type.first, slot), 1U);
  } else if (type.kind == ir::TypeKind::structure) {
    domain->way_ = Domain::Way::structure;
    const auto& fields = p_.structs[type.declaration].fields;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      domain->parts_.emplace_back(&this->domain(fields[i].type, fields[i].name), form.offsets[i]);
    }
  }
  if (domain->way_ == Domain::Way::lookup || !domain->numbering_agrees()) {
    domain->way_ = Domain::Way::lookup;
    for (std::uint64_t i = 0; i < domain->size_; ++i) {
      domain->lookup_.emplace(std::vector<Cell>(domain->element(i), domain->element(i) + form.cells), i);
    }
  }
  return domain;
}

bool Layouts::set_to_cells(const Shape& shape, const ir::Value& value, Cell* out) const {
  const bool map = shape.kind == ir::TypeKind::map;
  std::fill(out, out + shape.cells, 0);
  std::vector<Cell> element(shape.first->cells);
  for (std::size_t i = 0; i < value.items.size(); i += map ? 2 : 1) {
    if (!to_cells(*shape.first, value.items[i], element.data())) return false;
    const std::int64_t index = shape.elements->index(element.data());
    if (index < 0) return false;
    set_bit(out, static_cast<std::uint64_t>(index));
    if (!map) continue;
    Cell* place = out + shape.words + static_cast<std::uint64_t>(index) * shape.second->cells;
    if (!to_cells(*shape.second, value.items[i + 1], place)) return false;
  }
  return true;
}

bool Layouts::to_cells(const Shape& shape, const ir::Value& value, Cell* out) const {
  switch (shape.kind) {
    case ir::TypeKind::option:
      std::fill(out, out + shape.cells, 0);
      if (value.number == 0) return true;
      out[0] = 1;
      return to_cells(*shape.first, value.items.at(0), out + 1);
    case ir::TypeKind::structure:
      for (std::size_t i = 0; i < shape.fields.size(); ++i) {
        if (!to_cells(*shape.fields[i], value.items.at(i), out + shape.offsets[i])) return false;
      }
      return true;
    case ir::TypeKind::set:
    case ir::TypeKind::map:
      return set_to_cells(shape, value, out);
    case ir::TypeKind::function:
      if (value.items.size() != shape.elements->size()) return false;
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        if (!to_cells(*shape.second, value.items[i], out + i * shape.second->cells)) return false;
      }
      return true;
    default:
      *out = value.number;
      return true;
  }
}

ir::Value Layouts::to_value(const Shape& shape, const Cell* cells) const {
  ir::Value value;
  switch (shape.kind) {
    case ir::TypeKind::option:
      value.number = cells[0];
      if (cells[0] != 0) value.items.push_back(to_value(*shape.first, cells + 1));
      return value;
    case ir::TypeKind::structure:
      for (std::size_t i = 0; i < shape.fields.size(); ++i) {
        value.items.push_back(to_value(*shape.fields[i], cells + shape.offsets[i]));
      }
      return value;
    case ir::TypeKind::set:
    case ir::TypeKind::map:
      for (std::uint64_t i = 0; i < shape.elements->size(); ++i) {
        if (!bit(cells, i)) continue;
        value.items.push_back(to_value(*shape.first, shape.elements->element(i)));
        if (shape.kind == ir::TypeKind::map) {
          value.items.push_back(to_value(*shape.second, cells + shape.words + i * shape.second->cells));
        }
      }
      return value;
    case ir::TypeKind::function:
      for (std::uint64_t i = 0; i < shape.elements->size(); ++i) {
        value.items.push_back(to_value(*shape.second, cells + i * shape.second->cells));
      }
      return value;
    default:
      value.number = *cells;
      return value;
  }
}

}  // namespace tenet::explore
