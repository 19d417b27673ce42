#include "evaluate.h"

#include <algorithm>
#include <utility>

namespace tenet::ir {

namespace {

Value boolean(bool value) { return {value ? 1 : 0, {}}; }

Value number(std::size_t value) { return {static_cast<std::int64_t>(value), {}}; }

/// Sorted without doubles: the canonical form of a set.
Value set_of(std::vector<Value> elements) {
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  return {0, std::move(elements)};
}

bool has(const Value& set, const Value& element) {
  return std::binary_search(set.items.begin(), set.items.end(), element);
}

/// Kleene's three values: what depends on values outside the instance is unknown, and an operand that decides does so
/// wherever it stands. What comes after something unknown might not be evaluated, and so is unknown where it has no
/// value.
class Decision {
 public:
  explicit Decision(bool decides) : decides_(decides) {}
  /// Whether the operand decides.
  template <class Operand>
  bool by(const Operand& operand) {
    try {
      return operand() == decides_;
    } catch (const Stopped& stopped) {
      if (!unknown_ && !std::holds_alternative<Stopped::OutOfDomain>(stopped.why)) throw;
      if (!unknown_) unknown_ = stopped;
      return false;
    }
  }
  Value result(bool decided) const {
    if (!decided && unknown_) throw Stopped(*unknown_);
    return boolean(decided == decides_);
  }

 private:
  bool decides_;
  std::optional<Stopped> unknown_;
};

}  // namespace

Fault fault_of(const Stopped& stopped) {
  if (const auto* out = std::get_if<Stopped::OutOfDomain>(&stopped.why))
    return {FaultKind::outside_instance, out->where};
  return std::get<Fault>(stopped.why);
}

bool is_open(const Stopped& stopped) {
  const auto* out = std::get_if<Stopped::OutOfDomain>(&stopped.why);
  return out != nullptr && out->open;
}

const std::vector<Value>& Evaluator::domain(TypeId type, ExprId where) const {
  const std::vector<Value>* values = c_.domains->of(type);
  if (values == nullptr) throw Stopped{Stopped::OutOfDomain{"a quantifier over too many values", where}};
  return *values;
}

std::size_t Evaluator::index(TypeId type, ExprId where, const Value& argument) const {
  const std::optional<std::size_t> position = index_in(domain(type, where), argument);
  if (position) return *position;
  throw Stopped{Stopped::OutOfDomain{c_.instance->outside(p_, type, "", argument).value_or(""), where}};
}

std::vector<Value> Evaluator::range(const Expr& quantifier, LocalId binder) {
  const bool is_set_build = quantifier.op == Op::set_build;
  const ExprId set = is_set_build ? quantifier.args[0] : quantifier.args.size() > 1 ? quantifier.args[1] : ExprId{};
  if (set.valid()) return value(set).items;
  return domain(p_[binder].type, quantifier.args[is_set_build ? 1 : 0]);
}

Value Evaluator::value(ExprId id) {
  const Op op = expr(id).op;
  if (op <= Op::single_host) return leaf(id);
  if (op <= Op::global_const) return state(id);
  if (op <= Op::ite) return logic(id);
  if (op <= Op::ge) return comparison(id);
  if (op <= Op::to_int) return arithmetic(id);
  if (op <= Op::with_field) return option_or_struct(id);
  if (op <= Op::majority) return set(id);
  if (op <= Op::map_keys) return map(id);
  if (op <= Op::function_build) return function(id);
  if (op == Op::forall || op == Op::exists) return quantifier(id);
  if (op == Op::sum) return sum(id);
  if (op == Op::sent) return sent(id);
  if (op == Op::old) {
    std::swap(c_.state, c_.before);
    struct Restore {
      Context& c;
      ~Restore() { std::swap(c.state, c.before); }
    } restore{c_};
    return arg(id, 0);
  }
  // Sequences and `once` are refused before anything is evaluated.
  throw Stopped{Stopped::OutOfDomain{"an operation that is not supported yet", id}};
}

Value Evaluator::leaf(ExprId id) const {
  const Expr& e = expr(id);
  switch (e.op) {
    case Op::bool_literal:
    case Op::int_literal:
    case Op::enum_literal:
      return {e.value, {}};
    case Op::all_hosts: {
      Value all;
      const RoleId role(p_[p_[e.type].first].declaration);
      for (std::int64_t i = 0; i < c_.instance->hosts(role); ++i) all.items.push_back({i, {}});
      return all;
    }
    case Op::role_size:
      return {c_.instance->hosts(RoleId(e.ref)), {}};
    case Op::local:
      return locals_[e.ref];
    case Op::self:
      return {c_.self->index, {}};
    case Op::real_literal:
      throw Stopped{Stopped::OutOfDomain{"real numbers, which are not supported yet", id}};
    default:  // none, empty_map, single_host
      return {};
  }
}

Value Evaluator::state(ExprId id) {
  const Expr& e = expr(id);
  if (e.op == Op::global_const) return global_const(id);
  const auto host = static_cast<std::size_t>(arg(id, 0).number);
  const std::vector<Value>& values = e.op == Op::state_var ? c_.state->variables[e.ref] : c_.constants->values[e.ref];
  if (host >= values.size()) throw Stopped{Stopped::Unassigned{}};
  return values[host];
}

Value Evaluator::global_const(ExprId id) {
  const Expr& e = expr(id);
  const ConstDecl& decl = p_[ConstId(e.ref)];
  std::size_t row = 0;
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    const TypeId parameter = decl.parameters[i];
    row = row * domain(parameter, id).size() + index(parameter, id, arg(id, i));
  }
  const std::vector<Value>& values = c_.constants->values[e.ref];
  if (row >= values.size()) throw Stopped{Stopped::Unassigned{}};
  return values[row];
}

Value Evaluator::logic(ExprId id) {
  const Expr& e = expr(id);
  switch (e.op) {
    case Op::not_:
      return boolean(!truth(e.args[0]));
    case Op::and_:
    case Op::or_: {
      Decision decision(e.op == Op::or_);
      return decision.result(
          std::any_of(e.args.begin(), e.args.end(), [&](ExprId a) { return decision.by([&] { return truth(a); }); }));
    }
    case Op::implies: {
      Decision decision(true);
      return decision.result(decision.by([&] { return !truth(e.args[0]); }) ||
                             decision.by([&] { return truth(e.args[1]); }));
    }
    case Op::iff:
      return boolean(truth(e.args[0]) == truth(e.args[1]));
    default:  // ite
      return value(truth(e.args[0]) ? e.args[1] : e.args[2]);
  }
}

Value Evaluator::comparison(ExprId id) {
  const Value a = arg(id, 0);
  const Value b = arg(id, 1);
  const Op op = expr(id).op;
  switch (op) {
    case Op::eq:
    case Op::ne: {
      const bool alike = a == b;
      const TypeId type = expr(expr(id).args[0]).type;
      if (alike && has_functions_of_numbers(p_, type)) {
        throw Stopped{Stopped::OutOfDomain{"functions of numbers that are alike in the ranges", id, true}};
      }
      return boolean(alike == (op == Op::eq));
    }
    case Op::lt:
      return boolean(a < b);
    case Op::le:
      return boolean(a <= b);
    case Op::gt:
      return boolean(a > b);
    default:  // ge
      return boolean(a >= b);
  }
}

Value Evaluator::arithmetic(ExprId id) {
  const Expr& e = expr(id);
  const std::int64_t a = arg(id, 0).number;
  if (e.op == Op::to_int) return {a, {}};
  const std::int64_t b = e.op == Op::neg ? 0 : arg(id, 1).number;
  std::int64_t result = 0;
  bool overflow = false;
  switch (e.op) {
    case Op::add:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Op::sub:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Op::neg:
      overflow = __builtin_sub_overflow(std::int64_t{0}, a, &result);
      break;
    case Op::mul:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    default: {  // div and mod: rounded down
      if (b == 0) fault(FaultKind::divide_by_zero, id);
      if (b == -1) {  // apart, because the least number has no negative
        overflow = e.op == Op::div && __builtin_sub_overflow(std::int64_t{0}, a, &result);
        break;
      }
      const bool inexact = a % b != 0 && (a < 0) != (b < 0);
      result = e.op == Op::div ? a / b - (inexact ? 1 : 0) : a % b + (inexact ? b : 0);
    }
  }
  if (overflow) fault(FaultKind::overflow, id);
  if (p_[e.type].kind == TypeKind::natural && result < 0) fault(FaultKind::below_zero, id);
  return {result, {}};
}

Value Evaluator::option_or_struct(ExprId id) {
  const Expr& e = expr(id);
  switch (e.op) {
    case Op::some:
      return {1, {arg(id, 0)}};
    case Op::get: {
      Value option = arg(id, 0);
      if (option.number == 0) fault(FaultKind::read_none, id);
      return std::move(option.items.front());
    }
    case Op::make_struct: {
      Value result;
      for (const ExprId field : e.args) result.items.push_back(value(field));
      return result;
    }
    case Op::field:
      return arg(id, 0).items[e.ref];
    default: {  // with_field
      Value result = arg(id, 0);
      result.items[e.ref] = arg(id, 1);
      return result;
    }
  }
}

Value Evaluator::set(ExprId id) {
  const Expr& e = expr(id);
  if (e.op == Op::set_literal) {
    std::vector<Value> elements;
    for (const ExprId element : e.args) elements.push_back(value(element));
    return set_of(std::move(elements));
  }
  if (e.op == Op::set_build) {
    if (open(id)) cut_open(id);
    std::vector<Value> elements;
    const LocalId binder = e.binders.front();
    for (const Value& item : range(e, binder)) {
      bind(binder, item);
      if (truth(e.args[1])) elements.push_back(item);
    }
    return set_of(std::move(elements));
  }
  const Value a = arg(id, 0);
  if (e.op == Op::cardinality) return number(a.items.size());
  if (e.op == Op::majority) {
    const RoleId role(p_[p_[p_[e.args[0]].type].first].declaration);
    return boolean(2 * static_cast<std::int64_t>(a.items.size()) > c_.instance->hosts(role));
  }
  const Value b = arg(id, 1);
  if (e.op == Op::contains) return boolean(has(b, a));
  if (e.op == Op::subset) {
    return boolean(std::all_of(a.items.begin(), a.items.end(), [&](const Value& x) { return has(b, x); }));
  }
  std::vector<Value> elements;
  for (const Value& x : a.items) {
    const bool keep = e.op == Op::set_union || has(b, x) == (e.op == Op::set_intersection);
    if (keep) elements.push_back(x);
  }
  if (e.op == Op::set_union) elements.insert(elements.end(), b.items.begin(), b.items.end());
  return set_of(std::move(elements));
}

Value Evaluator::map(ExprId id) {
  const Op op = expr(id).op;
  Value map = arg(id, 0);
  if (op == Op::map_keys) {
    std::vector<Value> keys;
    for (std::size_t i = 0; i < map.items.size(); i += 2) keys.push_back(map.items[i]);
    return set_of(std::move(keys));
  }
  const Value key = arg(id, 1);
  std::size_t at = 0;
  while (at < map.items.size() && map.items[at] < key) at += 2;
  const bool present = at < map.items.size() && map.items[at] == key;
  if (op == Op::map_has) return boolean(present);
  if (op == Op::map_get) {
    if (!present) fault(FaultKind::missing_key, id);
    return std::move(map.items[at + 1]);
  }
  const auto place = map.items.begin() + static_cast<std::ptrdiff_t>(at);
  if (op == Op::map_remove) {
    if (present) map.items.erase(place, place + 2);
    return map;
  }
  Value put = arg(id, 2);
  if (present) {
    map.items[at + 1] = std::move(put);
  } else {
    map.items.insert(place, {key, std::move(put)});
  }
  return map;
}

Value Evaluator::function(ExprId id) {
  const Expr& e = expr(id);
  if (e.op == Op::constant_function) {
    return {0, std::vector<Value>(domain(p_[e.type].first, id).size(), arg(id, 0))};
  }
  if (e.op == Op::function_build) {
    Value table;
    for (const Value& argument : domain(p_[e.type].first, id)) {
      bind(e.binders.front(), argument);
      table.items.push_back(value(e.args[0]));
    }
    return table;
  }
  Value table = arg(id, 0);
  const std::size_t row = index(p_[p_[e.args[0]].type].first, id, arg(id, 1));
  if (e.op == Op::apply) return std::move(table.items[row]);
  table.items[row] = arg(id, 2);
  return table;
}

void Evaluator::cut_open(ExprId id) const {
  const auto of = [&](TypeKind kind) {
    const auto& binders = expr(id).binders;
    return std::any_of(binders.begin(), binders.end(), [&](LocalId local) { return p_[p_[local].type].kind == kind; });
  };
  throw Stopped{Stopped::OutOfDomain{of(TypeKind::natural)   ? "nat"
                                     : of(TypeKind::integer) ? "int"
                                                             : p_[expr(id).binders.front()].name,
                                     id, true}};
}

Value Evaluator::quantifier(ExprId id) {
  const Expr& e = expr(id);
  Decision decision(e.op == Op::exists);
  const bool decided = any_binding(e, 0, [&] { return decision.by([&] { return truth(e.args[0]); }); });
  const Value result = decision.result(decided);
  if (!decided && open(id)) cut_open(id);
  return result;
}

Value Evaluator::sum(ExprId id) {
  const Expr& e = expr(id);
  if (open(id)) cut_open(id);
  std::int64_t total = 0;
  any_binding(e, 0, [&] {
    if (__builtin_add_overflow(total, value(e.args[0]).number, &total)) fault(FaultKind::overflow, id);
    return false;
  });
  return {total, {}};
}

Value Evaluator::sent(ExprId id) {
  const Expr& e = expr(id);
  const std::size_t fields = p_[MessageId(e.ref)].fields.size();
  std::vector<std::optional<Value>> wanted;
  for (const ExprId part : e.args) wanted.push_back(part.valid() ? std::optional(value(part)) : std::nullopt);
  const auto role_of = [&](std::size_t part) { return RoleId(p_[p_[e.args[part]].type].declaration); };
  const auto is = [&](std::size_t part, HostRef host) {
    if (part >= wanted.size() || !wanted[part]) return true;
    return host == HostRef{role_of(part), static_cast<std::uint32_t>(wanted[part]->number)};
  };
  return boolean(std::any_of(c_.state->network.begin(), c_.state->network.end(), [&](const Packet& packet) {
    if (packet.message.value != e.ref) return false;
    for (std::size_t i = 0; i < fields; ++i) {
      if (wanted[i] && *wanted[i] != packet.args[i]) return false;
    }
    return is(fields, packet.sender) && is(fields + 1, packet.addressee);
  }));
}

}  // namespace tenet::ir
