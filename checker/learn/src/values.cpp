#include "values.h"

#include <algorithm>

namespace tenet::learn {

using ir::Op;
using ir::Value;

namespace {
constexpr std::size_t kDomainLimit = 4096;
}

void Values::look_at(const Sample& sample) {
  sample_ = &sample;
  if (domains_of_ != sample.instance) {
    domains_of_ = sample.instance;
    domains_.clear();
  }
  locals_.resize(p_.locals.size(), nullptr);
}

void Values::bind(ir::LocalId local, const Value& value) {
  if (locals_.size() <= local.index()) locals_.resize(p_.locals.size(), nullptr);
  locals_[local.index()] = &value;
}

bool Values::truth(ir::ExprId formula) {
  known_ = true;
  used_ = 0;
  const Value* result = value(formula);
  return known_ && result->number != 0;
}

const std::vector<Value>& Values::domain(ir::TypeId type) {
  const auto found = domains_.find(type);
  if (found != domains_.end()) return found->second;
  auto values = sample_->instance->domain(p_, type, "", kDomainLimit);
  if (!values) known_ = false;
  return domains_.emplace(type, values ? std::move(*values) : std::vector<Value>()).first->second;
}

const Value* Values::keep(Value made) {
  if (used_ == made_.size()) made_.emplace_back();
  made_[used_] = std::move(made);
  return &made_[used_++];
}

const Value* Values::unknown() {
  known_ = false;
  return &false_;
}

std::size_t Values::position(ir::TypeId type, const Value& value) {
  const ir::TypeKind kind = p_[type].kind;
  if (kind == ir::TypeKind::host || kind == ir::TypeKind::sort || kind == ir::TypeKind::enumeration ||
      kind == ir::TypeKind::boolean) {
    return static_cast<std::size_t>(value.number);
  }
  const std::vector<Value>& all = domain(type);
  const auto found = std::lower_bound(all.begin(), all.end(), value);
  if (found == all.end() || *found != value) {
    known_ = false;
    return 0;
  }
  return static_cast<std::size_t>(found - all.begin());
}

std::size_t Values::row(const std::vector<ir::TypeId>& parameters, const ir::Expr& node) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < node.args.size(); ++i) {
    at = at * domain(parameters[i]).size() + position(parameters[i], *value(node.args[i]));
  }
  return at;
}

bool Values::quantifier(const ir::Expr& node) {
  const bool universal = node.op == Op::forall;
  if (node.args.size() > 1) return unknown()->number != 0;
  std::vector<const Value*> outer;
  for (const ir::LocalId binder : node.binders) {
    if (locals_.size() <= binder.index()) locals_.resize(p_.locals.size(), nullptr);
    outer.push_back(locals_[binder.index()]);
  }
  std::vector<std::size_t> at(node.binders.size(), 0);
  bool result = universal;
  for (const ir::LocalId binder : node.binders) {
    if (domain(p_[binder].type).empty()) return universal;
  }
  for (;;) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      locals_[node.binders[i].index()] = &domain(p_[node.binders[i]].type)[at[i]];
    }
    const bool inside = value(node.args[0])->number != 0;
    if (!known_ || inside != universal) {
      result = inside;
      break;
    }
    std::size_t next = at.size();
    while (next > 0 && ++at[next - 1] == domain(p_[node.binders[next - 1]].type).size()) at[--next] = 0;
    if (next == 0) break;
  }
  for (std::size_t i = 0; i < outer.size(); ++i) locals_[node.binders[i].index()] = outer[i];
  return result;
}

bool Values::sent(const ir::Expr& node) {
  const std::size_t n = p_[ir::MessageId(node.ref)].fields.size();
  std::vector<const Value*> wanted;
  for (const ir::ExprId arg : node.args) wanted.push_back(arg.valid() ? value(arg) : nullptr);
  const auto is = [&](std::size_t part, ir::HostRef host) {
    if (part >= wanted.size() || wanted[part] == nullptr) return true;
    return p_[p_[node.args[part]].type].declaration == host.role.value &&
           wanted[part]->number == static_cast<std::int64_t>(host.index);
  };
  return std::any_of(sample_->state.network.begin(), sample_->state.network.end(), [&](const ir::Packet& packet) {
    if (packet.message.value != node.ref) return false;
    for (std::size_t i = 0; i < n; ++i) {
      if (wanted[i] != nullptr && !(*wanted[i] == packet.args[i])) return false;
    }
    return is(n, packet.sender) && is(n + 1, packet.addressee);
  });
}

const Value* Values::value(ir::ExprId id) {
  const ir::Expr& node = p_[id];
  const auto arg = [&](std::size_t i) -> const Value& { return *value(node.args[i]); };
  switch (node.op) {
    case Op::bool_literal:
      return boolean(node.value != 0);
    case Op::int_literal:
    case Op::enum_literal:
      return keep({node.value, {}});
    case Op::none:
    case Op::empty_map:
    case Op::single_host:
      return &false_;  // number 0, no items
    case Op::local: {
      const Value* bound = node.ref < locals_.size() ? locals_[node.ref] : nullptr;
      return bound != nullptr ? bound : unknown();
    }
    case Op::state_var: {
      const auto host = static_cast<std::size_t>(arg(0).number);
      const auto& values = sample_->state.variables[node.ref];
      return host < values.size() ? &values[host] : unknown();
    }
    case Op::host_const: {
      const auto host = static_cast<std::size_t>(arg(0).number);
      const auto& values = sample_->constants.values[node.ref];
      return host < values.size() ? &values[host] : unknown();
    }
    case Op::global_const: {
      const auto& values = sample_->constants.values[node.ref];
      const std::size_t at = row(p_[ir::ConstId(node.ref)].parameters, node);
      return at < values.size() ? &values[at] : unknown();
    }
    case Op::role_size:
      return keep({sample_->instance->hosts(ir::RoleId(node.ref)), {}});
    case Op::all_hosts:
      return keep({0, domain(p_[node.type].first)});
    case Op::not_:
      return boolean(arg(0).number == 0);
    case Op::and_:
      for (const ir::ExprId part : node.args) {
        if (value(part)->number == 0) return &false_;
      }
      return &true_;
    case Op::or_:
      for (const ir::ExprId part : node.args) {
        if (value(part)->number != 0) return &true_;
      }
      return &false_;
    case Op::implies:
      return arg(0).number == 0 ? &true_ : value(node.args[1]);
    case Op::iff:
      return boolean(arg(0).number == arg(1).number);
    case Op::ite:
      return value(node.args[arg(0).number != 0 ? 1 : 2]);
    case Op::eq:
    case Op::ne: {
      const Value* a = value(node.args[0]);
      const Value* b = value(node.args[1]);
      return boolean((*a == *b) == (node.op == Op::eq));
    }
    case Op::lt:
      if (p_[p_[node.args[0]].type].kind == ir::TypeKind::structure) return unknown();
      return boolean(arg(0).number < arg(1).number);
    case Op::le:
      if (p_[p_[node.args[0]].type].kind == ir::TypeKind::structure) return unknown();
      return boolean(arg(0).number <= arg(1).number);
    case Op::gt:
      if (p_[p_[node.args[0]].type].kind == ir::TypeKind::structure) return unknown();
      return boolean(arg(0).number > arg(1).number);
    case Op::ge:
      if (p_[p_[node.args[0]].type].kind == ir::TypeKind::structure) return unknown();
      return boolean(arg(0).number >= arg(1).number);
    case Op::add:
      return keep({arg(0).number + arg(1).number, {}});
    case Op::sub: {
      const std::int64_t result = arg(0).number - arg(1).number;
      if (result < 0 && p_[node.type].kind == ir::TypeKind::natural) return unknown();
      return keep({result, {}});
    }
    case Op::mul:
      return keep({arg(0).number * arg(1).number, {}});
    case Op::to_int:
      return value(node.args[0]);
    case Op::some:
      return keep({1, {arg(0)}});
    case Op::get: {
      const Value* option = value(node.args[0]);
      return option->number != 0 && !option->items.empty() ? &option->items.front() : unknown();
    }
    case Op::make_struct: {
      Value made;
      for (const ir::ExprId part : node.args) made.items.push_back(*value(part));
      return keep(std::move(made));
    }
    case Op::field: {
      const Value* whole = value(node.args[0]);
      return node.ref < whole->items.size() ? &whole->items[node.ref] : unknown();
    }
    case Op::set_literal: {
      Value made;
      for (const ir::ExprId part : node.args) made.items.push_back(*value(part));
      std::sort(made.items.begin(), made.items.end());
      made.items.erase(std::unique(made.items.begin(), made.items.end()), made.items.end());
      return keep(std::move(made));
    }
    case Op::contains: {
      const Value* element = value(node.args[0]);
      const Value* set = value(node.args[1]);
      return boolean(std::binary_search(set->items.begin(), set->items.end(), *element));
    }
    case Op::subset: {
      const Value* a = value(node.args[0]);
      const Value* b = value(node.args[1]);
      return boolean(std::includes(b->items.begin(), b->items.end(), a->items.begin(), a->items.end()));
    }
    case Op::cardinality:
      return keep({static_cast<std::int64_t>(arg(0).items.size()), {}});
    case Op::majority: {
      const Value* set = value(node.args[0]);
      const ir::RoleId role(p_[p_[p_[node.args[0]].type].first].declaration);
      return boolean(2 * static_cast<std::int64_t>(set->items.size()) > sample_->instance->hosts(role));
    }
    case Op::map_get:
    case Op::map_has: {
      const Value* map = value(node.args[0]);
      const Value* key = value(node.args[1]);
      for (std::size_t i = 0; i < map->items.size(); i += 2) {
        if (map->items[i] == *key) return node.op == Op::map_has ? &true_ : &map->items[i + 1];
      }
      return node.op == Op::map_has ? &false_ : unknown();
    }
    case Op::apply: {
      const Value* function = value(node.args[0]);
      const std::size_t at = position(p_[p_[node.args[0]].type].first, *value(node.args[1]));
      return at < function->items.size() ? &function->items[at] : unknown();
    }
    case Op::forall:
    case Op::exists:
      return boolean(quantifier(node));
    case Op::sent:
      return boolean(sent(node));
    default:
      return unknown();
  }
}

}  // namespace tenet::learn
