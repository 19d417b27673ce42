/// Sets, maps, functions, quantifiers and the network.
#include <algorithm>
#include <bit>

#include "compiler.h"
#include "refusal.h"

namespace tenet::explore {

namespace {

std::int64_t population(const Cell* words, std::uint32_t count) {
  std::int64_t total = 0;
  for (std::uint32_t i = 0; i < count; ++i) total += std::popcount(static_cast<std::uint64_t>(words[i]));
  return total;
}

/// The position of a value in a domain, read through a temporary.
struct Position {
  Compiled value;
  const Domain* domain;
  std::uint32_t temporary;
  [[nodiscard]] std::int64_t operator()(Frame& frame) const {
    value.store(frame, frame.cells.data() + temporary);
    return domain->index(frame.cells.data() + temporary);
  }
};

}  // namespace

const Node* Compiler::contains(Compiled element, Compiled set) {
  const Position position{element, set.shape->elements, program_.reserve(element.shape->cells)};
  return program_.scalar([=](Frame& frame) -> Cell {
    const std::int64_t index = position(frame);
    const Cell* members = set.cells(frame);  // always: it may be odd, whatever the element is
    return index >= 0 && bit(members, static_cast<std::uint64_t>(index));
  });
}

const Node* Compiler::set_literal(const ir::Expr& e, const Shape& shape) {
  std::vector<Position> elements;
  for (const Compiled& element : args(e)) {
    elements.push_back({element, shape.elements, program_.reserve(element.shape->cells)});
  }
  const std::uint32_t place = program_.reserve(shape.cells);
  return program_.composite([elements, place, width = shape.cells](Frame& frame) {
    std::fill_n(frame.cells.data() + place, width, 0);
    for (const Position& element : elements) {
      const std::int64_t index = element(frame);
      if (index < 0) {
        frame.odd = true;
      } else {
        set_bit(frame.cells.data() + place, static_cast<std::uint64_t>(index));
      }
    }
    return frame.cells.data() + place;
  });
}

const Node* Compiler::set_build(const ir::Expr& e, const Shape& shape) {
  const std::uint32_t place = program_.reserve(shape.cells);
  const std::uint32_t binder = local(e.binders.front());
  const bool bounded = e.args[0].valid();
  const Compiled domain = bounded ? expr(e.args[0]) : Compiled{};
  const Compiled predicate = expr(e.args[1]);
  const Domain* elements = shape.elements;
  const std::uint32_t width = shape.first->cells;
  // The domain is copied first: the predicate may evaluate the same nodes.
  const std::uint32_t candidates = program_.reserve(shape.cells);
  return program_.composite([=](Frame& frame) {
    if (bounded) domain.store(frame, frame.cells.data() + candidates);
    Cell* result = frame.cells.data() + place;
    std::fill_n(result, (elements->size() + 63) / 64, 0);
    for (std::uint64_t i = 0; i < elements->size(); ++i) {
      if (bounded && !bit(frame.cells.data() + candidates, i)) continue;
      std::copy_n(elements->element(i), width, frame.cells.data() + binder);
      if (predicate.truth(frame)) set_bit(result, i);
    }
    return static_cast<const Cell*>(result);
  });
}

const Node* Compiler::set_pair(const ir::Expr& e, const Shape& shape) {
  const Compiled a = expr(e.args[0]);
  const Compiled b = expr(e.args[1]);
  const std::uint32_t place = program_.reserve(shape.cells);
  const auto combine = [&](auto operation) {
    return program_.composite([=, width = shape.cells](Frame& frame) {
      const Cell* x = a.cells(frame);
      const Cell* y = b.cells(frame);
      for (std::uint32_t i = 0; i < width; ++i) frame.cells[place + i] = operation(x[i], y[i]);
      return static_cast<const Cell*>(frame.cells.data() + place);
    });
  };
  if (e.op == ir::Op::set_union) return combine([](Cell x, Cell y) { return x | y; });
  if (e.op == ir::Op::set_intersection) return combine([](Cell x, Cell y) { return x & y; });
  return combine([](Cell x, Cell y) { return x & ~y; });
}

const Node* Compiler::set(const ir::Expr& e, const Shape& shape) {
  switch (e.op) {
    case ir::Op::set_literal:
      return set_literal(e, shape);
    case ir::Op::set_build:
      return set_build(e, shape);
    case ir::Op::contains:
      return contains(expr(e.args[0]), expr(e.args[1]));
    case ir::Op::subset: {
      const Compiled a = expr(e.args[0]);
      const Compiled b = expr(e.args[1]);
      return program_.scalar([=](Frame& frame) -> Cell {
        const Cell* x = a.cells(frame);
        const Cell* y = b.cells(frame);
        for (std::uint32_t i = 0; i < a.shape->cells; ++i) {
          if ((x[i] & ~y[i]) != 0) return 0;
        }
        return 1;
      });
    }
    case ir::Op::cardinality: {
      const Compiled a = expr(e.args[0]);
      return program_.scalar([=](Frame& frame) { return population(a.cells(frame), a.shape->cells); });
    }
    case ir::Op::majority: {
      const Compiled a = expr(e.args[0]);
      const auto hosts = static_cast<std::int64_t>(a.shape->elements->size());
      return program_.scalar(
          [=](Frame& frame) -> Cell { return 2 * population(a.cells(frame), a.shape->cells) > hosts; });
    }
    default:
      return set_pair(e, shape);
  }
}

/// The value of a map or function at an argument; `partial`: it must be there.
const Node* Compiler::item(Compiled table, Compiled argument, const Shape& shape, bool partial) {
  const Position position{argument, table.shape->elements, program_.reserve(argument.shape->cells)};
  const std::uint32_t values = table.shape->words;
  const std::uint32_t width = shape.cells;
  const auto address = [=](Frame& frame) {
    std::int64_t index = position(frame);
    const Cell* cells = table.cells(frame);
    if (index < 0 || (partial && !bit(cells, static_cast<std::uint64_t>(index)))) {
      frame.odd = true;
      index = 0;
    }
    return cells + values + static_cast<std::uint64_t>(index) * width;
  };
  if (shape.scalar) return program_.scalar([=](Frame& frame) { return *address(frame); });
  return program_.composite(address);
}

const Node* Compiler::map(const ir::Expr& e, const Shape& shape) {
  if (e.op == ir::Op::map_get) return item(expr(e.args[0]), expr(e.args[1]), shape, true);
  if (e.op == ir::Op::map_keys) return part(expr(e.args[0]), 0, shape, false);
  if (e.op == ir::Op::map_has) return contains(expr(e.args[1]), expr(e.args[0]));
  return map_change(e, shape);
}

/// map_put, map_remove and update: a copy with one entry changed.
const Node* Compiler::map_change(const ir::Expr& e, const Shape& shape) {
  const Compiled table = expr(e.args[0]);
  const Compiled key = expr(e.args[1]);
  const bool removes = e.op == ir::Op::map_remove;
  const bool partial = shape.kind == ir::TypeKind::map;
  const Compiled value = removes ? Compiled{} : expr(e.args[2]);
  const Position position{key, shape.elements, program_.reserve(key.shape->cells)};
  const std::uint32_t place = program_.reserve(shape.cells);
  const std::uint32_t values = shape.words;
  const std::uint32_t width = shape.second->cells;
  return program_.composite([=](Frame& frame) {
    table.store(frame, frame.cells.data() + place);
    const std::int64_t index = position(frame);
    Cell* cells = frame.cells.data() + place;
    if (index < 0) {
      if (!removes) frame.odd = true;
      return static_cast<const Cell*>(cells);
    }
    Cell* entry = cells + values + static_cast<std::uint64_t>(index) * width;
    if (removes) {
      clear_bit(cells, static_cast<std::uint64_t>(index));
      std::fill_n(entry, width, 0);
    } else {
      value.store(frame, entry);
      if (partial) set_bit(cells, static_cast<std::uint64_t>(index));
    }
    return static_cast<const Cell*>(cells);
  });
}

const Node* Compiler::function(const ir::Expr& e, const Shape& shape) {
  if (e.op == ir::Op::apply) return item(expr(e.args[0]), expr(e.args[1]), shape, false);
  if (e.op == ir::Op::update) return map_change(e, shape);
  if (e.op == ir::Op::function_build) return function_build(e, shape);
  const Compiled value = expr(e.args[0]);  // constant_function
  const std::uint32_t place = program_.reserve(shape.cells);
  return program_.composite([=, count = shape.elements->size()](Frame& frame) {
    const std::uint32_t width = value.shape->cells;
    Cell* cells = frame.cells.data() + place;
    if (count > 0) value.store(frame, cells);
    for (std::uint64_t i = 1; i < count; ++i) std::copy_n(cells, width, cells + i * width);
    return static_cast<const Cell*>(cells);
  });
}

const Node* Compiler::function_build(const ir::Expr& e, const Shape& shape) {
  const std::uint32_t binder = local(e.binders.front());
  const Compiled body = expr(e.args[0]);
  const std::uint32_t place = program_.reserve(shape.cells);
  const Domain* arguments = shape.elements;
  const std::uint32_t argument_width = shape.first->cells;
  return program_.composite([=](Frame& frame) {
    Cell* cells = frame.cells.data() + place;
    for (std::uint64_t i = 0; i < arguments->size(); ++i) {
      std::copy_n(arguments->element(i), argument_width, frame.cells.data() + binder);
      body.store(frame, cells + i * body.shape->cells);
    }
    return static_cast<const Cell*>(cells);
  });
}

Compiled Compiler::exists(const ir::Expr& quantifier, Compiled body) {
  return {loop(quantifier, program_.scalar([body](Frame& frame) -> Cell { return body.truth(frame); })), body.shape};
}

const Node* Compiler::quantifier(const ir::Expr& e) {
  const bool wanted = e.op == ir::Op::exists;
  const Node* found = loop(e, program_.scalar([wanted, body = expr(e.args[0])](Frame& frame) -> Cell {
    return body.truth(frame) == wanted;
  }));
  if (wanted) return found;
  return program_.scalar([found](Frame& frame) -> Cell { return found->scalar(frame) == 0; });
}

const Node* Compiler::sum(const ir::Expr& e) {
  const std::uint32_t total = program_.reserve(1);
  const Node* all = loop(e, program_.scalar([total, summand = expr(e.args[0])](Frame& frame) -> Cell {
    const Cell value = summand.scalar(frame);
    if (__builtin_add_overflow(frame.cells[total], value, &frame.cells[total])) frame.odd = true;
    return 0;
  }));
  return program_.scalar([total, all](Frame& frame) {
    frame.cells[total] = 0;
    all->scalar(frame);
    return frame.cells[total];
  });
}

/// Runs `inner` for the values of the binders, until it gives something other than 0: whether it did.
const Node* Compiler::loop(const ir::Expr& quantifier, const Node* inner) {
  const std::vector<ir::LocalId>& binders = quantifier.binders;
  const ir::ExprId domain = quantifier.args.size() > 1 ? quantifier.args[1] : ir::ExprId{};
  for (std::size_t i = binders.size(); i-- > 0;) {
    const std::uint32_t binder = local(binders[i]);
    const Domain& values = layouts_.domain(p_[binders[i]].type, "");
    const std::uint32_t width = layouts_.shape(p_[binders[i]].type).cells;
    if (domain.valid()) {
      const Compiled set = expr(domain);
      const std::uint32_t candidates = program_.reserve(set.shape->cells);
      inner = program_.scalar([=, elements = set.shape->elements](Frame& frame) -> Cell {
        set.store(frame, frame.cells.data() + candidates);
        for (std::uint64_t n = 0; n < elements->size() && !frame.odd; ++n) {
          if (!bit(frame.cells.data() + candidates, n)) continue;
          std::copy_n(elements->element(n), width, frame.cells.data() + binder);
          if (inner->scalar(frame) != 0) return 1;
        }
        return 0;
      });
    } else if (values.scalar()) {
      const Cell low = values.low();
      const Cell end = low + static_cast<Cell>(values.size());
      inner = program_.scalar([=](Frame& frame) -> Cell {
        for (Cell n = low; n < end && !frame.odd; ++n) {
          frame.cells[binder] = n;
          if (inner->scalar(frame) != 0) return 1;
        }
        return 0;
      });
    } else {
      inner = program_.scalar([=, elements = &values](Frame& frame) -> Cell {
        for (std::uint64_t n = 0; n < elements->size() && !frame.odd; ++n) {
          std::copy_n(elements->element(n), width, frame.cells.data() + binder);
          if (inner->scalar(frame) != 0) return 1;
        }
        return 0;
      });
    }
  }
  return inner;
}

const Node* Compiler::old(const ir::Expr& e, const Shape& shape) {
  if (mode_ != Mode::formula) refuse(ErrorKind::unsupported, "a step that reads 'old' is not supported");
  const Compiled inner = expr(e.args[0]);
  const auto before = [=](Frame& frame, auto evaluate) {
    std::swap(frame.hosts, frame.before);
    std::swap(frame.network, frame.network_before);
    const auto value = evaluate(frame);
    std::swap(frame.hosts, frame.before);
    std::swap(frame.network, frame.network_before);
    return value;
  };
  if (shape.scalar) {
    return program_.scalar(
        [=](Frame& frame) { return before(frame, [&](Frame& then) { return inner.scalar(then); }); });
  }
  return program_.composite(
      [=](Frame& frame) { return before(frame, [&](Frame& then) { return inner.cells(then); }); });
}

const Node* Compiler::sent(const ir::Expr& e) {
  if (mode_ != Mode::formula) refuse(ErrorKind::unsupported, "a step that reads 'sent' is not supported yet");
  struct Part {
    Compiled value;
    std::uint32_t temporary = 0;
    std::int64_t first_host = 0;
  };
  std::vector<Part> parts;
  for (const ir::ExprId arg : e.args) {
    Part part;
    if (arg.valid()) {
      part.value = expr(arg);
      part.temporary = program_.reserve(part.value.shape->cells);
      const ir::Type& type = p_[p_[arg].type];
      if (type.kind == ir::TypeKind::host) part.first_host = places_.first_host(ir::RoleId(type.declaration));
    }
    parts.push_back(part);
  }
  const std::size_t fields = p_[ir::MessageId(e.ref)].fields.size();
  return program_.scalar([parts, fields, message = e.ref](Frame& frame) -> Cell {
    std::vector<const Cell*> wanted(fields, nullptr);
    std::int64_t ends[2] = {-1, -1};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Part& part = parts[i];
      if (part.value.node == nullptr) continue;
      Cell* place = frame.cells.data() + part.temporary;
      part.value.store(frame, place);
      if (i < fields) {
        wanted[i] = place;
      } else {
        ends[i - fields] = part.first_host + *place;
      }
    }
    return frame.network->sent(message, wanted, ends[0], ends[1]);
  });
}

}  // namespace tenet::explore
