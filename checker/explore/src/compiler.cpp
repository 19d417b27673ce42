#include "compiler.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "refusal.h"

namespace tenet::explore {

void Compiled::store(Frame& frame, Cell* out) const {
  if (shape->scalar) {
    *out = node->scalar(frame);
  } else {
    const Cell* from = node->cells(frame);
    std::memmove(out, from, shape->cells * sizeof(Cell));
  }
}

std::uint32_t Program::reserve(std::uint64_t cells) {
  const std::uint32_t place = frame_cells_;
  if (place + cells > (1U << 24))
    refuse(ErrorKind::too_large, "the values of this instance are too wide to compute with");
  frame_cells_ += static_cast<std::uint32_t>(cells);
  return place;
}

Compiler::Compiler(const ir::Protocol& protocol, const ir::Instance& instance, Layouts& layouts, const Places& places,
                   Program& program, Mode mode)
    : p_(protocol),
      instance_(instance),
      layouts_(layouts),
      places_(places),
      program_(program),
      mode_(mode),
      locals_(protocol.locals.size(), 0xffffffff),
      open_(protocol) {}

std::uint32_t Compiler::local(ir::LocalId id) {
  std::uint32_t& place = locals_[id.index()];
  if (place == 0xffffffff) place = program_.reserve(layouts_.shape(p_[id].type).cells);
  return place;
}

Compiled Compiler::expr(ir::ExprId id) {
  const ir::Expr& e = p_[id];
  const Shape& shape = layouts_.shape(e.type);
  const Node* made = node(e, shape);
  if (open_.contain(p_, instance_, id)) made = odd_if_undecided(e, made);
  return {made, &shape};
}

/// The value of an open quantifier is known only if one value of the instance decides it.
const Node* Compiler::odd_if_undecided(const ir::Expr& e, const Node* inner) {
  if (e.op == ir::Op::forall || e.op == ir::Op::exists) {
    return program_.scalar([inner, decided = Cell{e.op == ir::Op::exists}](Frame& frame) {
      const Cell value = inner->scalar(frame);
      if (value != decided) frame.odd = true;
      return value;
    });
  }
  if (e.op == ir::Op::sum) {
    return program_.scalar([inner](Frame& frame) {
      frame.odd = true;
      return inner->scalar(frame);
    });
  }
  return program_.composite([inner](Frame& frame) {
    frame.odd = true;
    return inner->cells(frame);
  });
}

Compiler::Args Compiler::args(const ir::Expr& e) {
  Args result;
  for (const ir::ExprId arg : e.args) result.push_back(expr(arg));
  return result;
}

const Node* Compiler::node(const ir::Expr& e, const Shape& shape) {
  using ir::Op;
  if (e.op <= Op::single_host) return leaf(e, shape);
  if (e.op <= Op::global_const) return state(e, shape);
  if (e.op <= Op::ite) return logic(e, shape);
  if (e.op <= Op::ge) return comparison(e);
  if (e.op <= Op::to_int) return arithmetic(e);
  if (e.op <= Op::with_field) return option_or_struct(e, shape);
  if (e.op <= Op::majority) return set(e, shape);
  if (e.op <= Op::map_keys) return map(e, shape);
  if (e.op <= Op::function_build) return function(e, shape);
  if (e.op == Op::forall || e.op == Op::exists) return quantifier(e);
  if (e.op == Op::sum) return sum(e);
  if (e.op == Op::old) return old(e, shape);
  if (e.op == Op::sent) return sent(e);
  refuse(ErrorKind::unsupported, "exploring protocols with sequences or 'once' is not supported yet");
}

const Node* Compiler::leaf(const ir::Expr& e, const Shape& shape) {
  switch (e.op) {
    case ir::Op::bool_literal:
    case ir::Op::int_literal:
    case ir::Op::enum_literal:
      return constant(shape, {e.value});
    case ir::Op::all_hosts: {
      std::vector<Cell> all(shape.cells);
      for (std::uint64_t i = 0; i < shape.elements->size(); ++i) set_bit(all.data(), i);
      return constant(shape, std::move(all));
    }
    case ir::Op::role_size:
      return constant(shape, {instance_.hosts(ir::RoleId(e.ref))});
    case ir::Op::local:
      return local_value(local(ir::LocalId(e.ref)), shape);
    case ir::Op::self:
      return program_.scalar([](Frame& frame) { return frame.self; });
    case ir::Op::real_literal:
      refuse(ErrorKind::unsupported, "exploring protocols with reals is not supported yet");
    default:  // none, empty_map, single_host
      return constant(shape, std::vector<Cell>(shape.cells));
  }
}

const Node* Compiler::constant(const Shape& shape, std::vector<Cell> cells) {
  if (shape.scalar) return program_.scalar([value = cells[0]](Frame&) { return value; });
  return program_.composite([cells = std::move(cells)](Frame&) { return cells.data(); });
}

const Node* Compiler::local_value(std::uint32_t place, const Shape& shape) {
  if (shape.scalar) return program_.scalar([place](Frame& frame) { return frame.cells[place]; });
  return program_.composite([place](Frame& frame) { return frame.cells.data() + place; });
}

bool Compiler::is_self(ir::ExprId host) const { return p_[host].op == ir::Op::self; }

const Node* Compiler::state(const ir::Expr& e, const Shape& shape) {
  if (e.op == ir::Op::global_const) return global_constant(e, shape);
  const std::uint32_t place = e.op == ir::Op::state_var ? places_.variable(ir::VarId(e.ref))  //
                                                        : places_.constant(ir::ConstId(e.ref));
  if (mode_ == Mode::formula) return any_state(e, place, shape);
  if (is_self(e.args[0])) return own_state(place, shape);
  if (e.op == ir::Op::host_const) return shared_constant(e, shape);
  refuse(ErrorKind::unsupported, "a step that reads a variable of another host is not supported yet");
}

const Node* Compiler::own_state(std::uint32_t place, const Shape& shape) {
  if (shape.scalar) return program_.scalar([place](Frame& frame) { return frame.work[place]; });
  return program_.composite([place](Frame& frame) { return frame.work + place; });
}

const Node* Compiler::any_state(const ir::Expr& e, std::uint32_t place, const Shape& shape) {
  const Compiled host = expr(e.args[0]);
  const std::uint32_t first = places_.first_host(ir::RoleId(p_[p_[e.args[0]].type].declaration));
  const auto address = [=](Frame& frame) {
    return frame.hosts[first + static_cast<std::uint32_t>(host.scalar(frame))] + place;
  };
  if (shape.scalar) return program_.scalar([=](Frame& frame) { return *address(frame); });
  return program_.composite(address);
}

const Node* Compiler::config_value(const Node* row, std::uint32_t place, std::uint32_t rows, const Shape& shape) {
  const std::uint32_t width = shape.cells;
  const auto address = [=](Frame& frame) {
    auto index = static_cast<std::uint64_t>(row->scalar(frame));
    if (index >= rows) {
      frame.odd = true;
      index = 0;
    }
    return frame.config + place + index * width;
  };
  if (shape.scalar) return program_.scalar([=](Frame& frame) { return *address(frame); });
  return program_.composite(address);
}

const Node* Compiler::shared_constant(const ir::Expr& e, const Shape& shape) {
  const ir::ConstId id(e.ref);
  return config_value(expr(e.args[0]).node, places_.config(id), places_.rows(id), shape);
}

const Node* Compiler::global_constant(const ir::Expr& e, const Shape& shape) {
  const ir::ConstId id(e.ref);
  const std::uint32_t place = places_.config(id);
  if (e.args.empty()) {
    if (shape.scalar) return program_.scalar([place](Frame& frame) { return frame.config[place]; });
    return program_.composite([place](Frame& frame) { return frame.config + place; });
  }
  struct Parameter {
    Compiled value;
    const Domain* domain;
    std::uint32_t temporary;
  };
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    const Compiled value = expr(e.args[i]);
    parameters.push_back({value, &layouts_.domain(p_[id].parameters[i], ""), program_.reserve(value.shape->cells)});
  }
  const Node* row = program_.scalar([parameters](Frame& frame) -> Cell {
    std::int64_t place_in_table = 0;
    for (const Parameter& parameter : parameters) {
      parameter.value.store(frame, frame.cells.data() + parameter.temporary);
      const std::int64_t digit = parameter.domain->index(frame.cells.data() + parameter.temporary);
      if (digit < 0) return -1;
      place_in_table = place_in_table * static_cast<std::int64_t>(parameter.domain->size()) + digit;
    }
    return place_in_table;
  });
  return config_value(row, place, places_.rows(id), shape);
}

Compiled Compiler::conjunction(Compiled a, Compiled b) {
  return {program_.scalar([=](Frame& frame) -> Cell { return a.truth(frame) && b.truth(frame); }), a.shape};
}

const Node* Compiler::logic(const ir::Expr& e, const Shape& shape) {
  const Args a = args(e);
  switch (e.op) {
    case ir::Op::not_:
      return program_.scalar([x = a[0]](Frame& frame) -> Cell { return !x.truth(frame); });
    case ir::Op::and_:
      if (a.size() == 2) return conjunction(a[0], a[1]).node;
      return program_.scalar([a](Frame& frame) -> Cell {
        return std::all_of(a.begin(), a.end(), [&](const Compiled& x) { return x.truth(frame); });
      });
    case ir::Op::or_:
      return program_.scalar([a](Frame& frame) -> Cell {
        return std::any_of(a.begin(), a.end(), [&](const Compiled& x) { return x.truth(frame); });
      });
    case ir::Op::implies:
      return program_.scalar([x = a[0], y = a[1]](Frame& frame) -> Cell { return !x.truth(frame) || y.truth(frame); });
    case ir::Op::iff:
      return program_.scalar([x = a[0], y = a[1]](Frame& frame) -> Cell { return x.truth(frame) == y.truth(frame); });
    default:  // ite
      if (shape.scalar) {
        return program_.scalar([c = a[0], x = a[1], y = a[2]](Frame& frame) {
          return c.truth(frame) ? x.scalar(frame) : y.scalar(frame);
        });
      }
      return program_.composite(
          [c = a[0], x = a[1], y = a[2]](Frame& frame) { return c.truth(frame) ? x.cells(frame) : y.cells(frame); });
  }
}

/// The fields of an ordered struct, and of those inside it, are one cell each and lie in their order.
const Node* Compiler::struct_order(ir::Op op, Compiled a, Compiled b) {
  const bool swapped = op == ir::Op::gt || op == ir::Op::le;  // a > b is b < a, a <= b is not b < a
  const bool negated = op == ir::Op::le || op == ir::Op::ge;
  const std::size_t width = a.shape->cells;
  return program_.scalar([=](Frame& frame) -> Cell {
    const Cell* x = a.cells(frame);
    const Cell* y = b.cells(frame);
    if (swapped) std::swap(x, y);
    return std::lexicographical_compare(x, x + width, y, y + width) != negated;
  });
}

const Node* Compiler::comparison(const ir::Expr& e) {
  const Compiled a = expr(e.args[0]);
  const Compiled b = expr(e.args[1]);
  if (!a.shape->scalar && e.op != ir::Op::eq && e.op != ir::Op::ne) return struct_order(e.op, a, b);
  switch (e.op) {
    case ir::Op::lt:
      return program_.scalar([=](Frame& frame) -> Cell { return a.scalar(frame) < b.scalar(frame); });
    case ir::Op::le:
      return program_.scalar([=](Frame& frame) -> Cell { return a.scalar(frame) <= b.scalar(frame); });
    case ir::Op::gt:
      return program_.scalar([=](Frame& frame) -> Cell { return a.scalar(frame) > b.scalar(frame); });
    case ir::Op::ge:
      return program_.scalar([=](Frame& frame) -> Cell { return a.scalar(frame) >= b.scalar(frame); });
    default:
      break;
  }
  const bool equal = e.op == ir::Op::eq;
  if (a.shape->scalar) {
    return program_.scalar([=](Frame& frame) -> Cell { return (a.scalar(frame) == b.scalar(frame)) == equal; });
  }
  const std::size_t width = a.shape->cells;
  const bool partly_known = ir::has_functions_of_numbers(p_, p_[e.args[0]].type);
  return program_.scalar([=](Frame& frame) -> Cell {
    const Cell* x = a.cells(frame);
    const Cell* y = b.cells(frame);
    Cell different = 0;  // mostly a few cells: a loop beats a call
    for (std::size_t i = 0; i < width; ++i) different |= x[i] ^ y[i];
    if (different == 0 && partly_known) frame.odd = true;
    return (different == 0) == equal;
  });
}

const Node* Compiler::arithmetic(const ir::Expr& e) {
  const Compiled a = expr(e.args[0]);
  if (e.op == ir::Op::to_int) return a.node;
  const bool natural = p_[e.type].kind == ir::TypeKind::natural;
  const auto checked = [natural](Frame& frame, bool overflow, Cell result) {
    if (overflow || (natural && result < 0)) frame.odd = true;
    return result;
  };
  if (e.op == ir::Op::neg) {
    return program_.scalar([=](Frame& frame) {
      Cell result = 0;
      const bool overflow = __builtin_sub_overflow(Cell{0}, a.scalar(frame), &result);
      return checked(frame, overflow, result);
    });
  }
  const Compiled b = expr(e.args[1]);
  switch (e.op) {
    case ir::Op::add:
      return program_.scalar([=](Frame& frame) {
        Cell result = 0;
        const bool overflow = __builtin_add_overflow(a.scalar(frame), b.scalar(frame), &result);
        return checked(frame, overflow, result);
      });
    case ir::Op::sub:
      return program_.scalar([=](Frame& frame) {
        Cell result = 0;
        const bool overflow = __builtin_sub_overflow(a.scalar(frame), b.scalar(frame), &result);
        return checked(frame, overflow, result);
      });
    case ir::Op::mul:
      return program_.scalar([=](Frame& frame) {
        Cell result = 0;
        const bool overflow = __builtin_mul_overflow(a.scalar(frame), b.scalar(frame), &result);
        return checked(frame, overflow, result);
      });
    default:
      return division(e, a, b);
  }
}

const Node* Compiler::division(const ir::Expr& e, Compiled a, Compiled b) {
  const bool quotient = e.op == ir::Op::div;
  return program_.scalar([=](Frame& frame) -> Cell {
    const Cell x = a.scalar(frame);
    const Cell y = b.scalar(frame);
    if (y == 0 || y == -1) {  // a fault, or the least number over -1: rare enough for the interpreter
      frame.odd = true;
      return 0;
    }
    const bool inexact = x % y != 0 && (x < 0) != (y < 0);
    return quotient ? x / y - (inexact ? 1 : 0) : x % y + (inexact ? y : 0);
  });
}

/// A part of a composite at a fixed offset; `checked`: the payload of an
/// option, which must be there.
const Node* Compiler::part(Compiled whole, std::uint32_t offset, const Shape& shape, bool checked) {
  const auto address = [=](Frame& frame) {
    const Cell* cells = whole.cells(frame);
    if (checked && cells[0] == 0) frame.odd = true;
    return cells + offset;
  };
  if (shape.scalar) return program_.scalar([=](Frame& frame) { return *address(frame); });
  return program_.composite(address);
}

const Node* Compiler::option_or_struct(const ir::Expr& e, const Shape& shape) {
  const Args a = args(e);
  if (e.op == ir::Op::get) return part(a[0], 1, shape, true);
  if (e.op == ir::Op::field) return part(a[0], a[0].shape->offsets[e.ref], shape, false);
  const std::uint32_t place = program_.reserve(shape.cells);
  if (e.op == ir::Op::some) {
    return program_.composite([place, x = a[0]](Frame& frame) {
      x.store(frame, frame.cells.data() + place + 1);
      frame.cells[place] = 1;
      return frame.cells.data() + place;
    });
  }
  if (e.op == ir::Op::with_field) {
    const std::uint32_t offset = shape.offsets[e.ref];
    return program_.composite([=, x = a[0], y = a[1]](Frame& frame) {
      x.store(frame, frame.cells.data() + place);
      y.store(frame, frame.cells.data() + place + offset);
      return frame.cells.data() + place;
    });
  }
  return program_.composite([place, a, offsets = shape.offsets](Frame& frame) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i].store(frame, frame.cells.data() + place + offsets[i]);
    return frame.cells.data() + place;
  });
}

}  // namespace tenet::explore
