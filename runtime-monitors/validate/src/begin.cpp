/// How a run begins: its constants, and the state before the first event.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "replay.h"
#include "tenet/ir/printer.h"

namespace tenet::validate {
namespace {

// Some value of the type: the first of its domain.
ir::Value some_value(const ir::Protocol& p, const ir::Instance& instance, ir::TypeId id) {
  ir::Value value;
  const ir::Type& type = p[id];
  if (type.kind == ir::TypeKind::structure) {
    for (const ir::FieldDecl& field : p.structs[type.declaration].fields) {
      value.items.push_back(some_value(p, instance, field.type));
    }
  } else if (type.kind == ir::TypeKind::function) {
    const auto domain = instance.domain(p, type.first, "", 100'000);
    if (domain) value.items.assign(domain->size(), some_value(p, instance, type.second));
  }
  return value;
}

}  // namespace

// Constants of hosts come from their first snapshot, those of the protocol from the headers.
Result<void> Replay::constants(Node&) {
  const ir::Instance& instance = values_->instance();
  constants_.values.assign(p_.constants.size(), {});
  missing_.clear();
  unsaid_.clear();
  for (std::size_t c = 0; c < p_.constants.size(); ++c) {
    const ir::ConstDecl& decl = p_.constants[c];
    auto& cells = constants_.values[c];
    if (decl.role.valid()) {
      cells.assign(static_cast<std::size_t>(instance.hosts(decl.role)), some_value(p_, instance, decl.type));
      if (decl.kind != ir::ConstKind::free) missing_.push_back(decl.name);
      continue;
    }
    if (decl.kind == ir::ConstKind::ring_next || decl.kind == ir::ConstKind::ring_between) {
      const std::int64_t n = instance.hosts(ir::RoleId(p_[decl.parameters[0]].declaration));
      const auto way = [n](std::int64_t a, std::int64_t b) { return b == a ? n : (b + n - a) % n; };
      for (std::int64_t a = 0; a < n; ++a) {
        if (decl.kind == ir::ConstKind::ring_next) cells.push_back({(a + 1) % n, {}});
        for (std::int64_t b = 0; decl.kind == ir::ConstKind::ring_between && b < n; ++b) {
          for (std::int64_t to = 0; to < n; ++to) cells.push_back({way(a, b) < way(a, to) ? 1 : 0, {}});
        }
      }
      continue;
    }
    cells.assign(1, some_value(p_, instance, decl.type));
    if (!decl.parameters.empty()) {
      return failure(ErrorKind::unsupported, fmt::format("the relation or function '{}'", decl.name));
    }
    if (decl.kind == ir::ConstKind::defined) continue;  // below, when the others are known
    const auto said = logs_.constants.find(decl.name);
    const std::optional<std::int64_t> chosen = instance.constant(decl.name);
    if (said == logs_.constants.end()) {
      if (!chosen) missing_.push_back(decl.name);
      if (chosen) cells[0].number = *chosen;
      continue;
    }
    auto value = values_->read(decl.type, said->second);
    if (!value) return tl::make_unexpected(value.error());
    if (chosen && value->number != *chosen) {
      return failure(ErrorKind::bad_input, fmt::format("the constant {} is {} in the logs and {} in instance {}",
                                                       decl.name, value->number, *chosen, instance.name()));
    }
    cells[0] = std::move(*value);
  }
  for (const Host& host : hosts_) {
    if (p_[host.ref.role].constants.empty()) continue;
    const Json* found = nullptr;
    Json line;
    for (const auto& item : host.log->items) {
      line = parse_line(logs_, item.place, mapping_);
      if (line.contains("constants")) {
        found = &line["constants"];
        break;
      }
      if (item.place.line > host.log->items.front().place.line + 1000) break;
    }
    for (const ir::ConstId id : p_[host.ref.role].constants) {
      if (found == nullptr || !found->contains(p_[id].name)) {
        missing_.push_back(host.name + "." + p_[id].name);
        continue;
      }
      auto value = values_->read(p_[id].type, (*found)[p_[id].name]);
      if (!value) return tl::make_unexpected(value.error());
      constants_.values[id.index()][host.ref.index] = std::move(*value);
    }
  }
  return {};
}

/// An earlier host of the role that has the same value of a constant that is unique, as the logs say of both.
std::string Replay::same_unique(std::size_t h, ir::ConstId id) const {
  const auto said = [&](const Host& host) {
    return std::find(missing_.begin(), missing_.end(), host.name + "." + p_[id].name) == missing_.end();
  };
  const auto& values = constants_.values[id.index()];
  if (!p_[id].unique || !said(hosts_[h])) return {};
  for (std::size_t other = 0; other < h; ++other) {
    if (hosts_[other].ref.role != hosts_[h].ref.role || !said(hosts_[other])) continue;
    if (values[hosts_[other].ref.index] == values[hosts_[h].ref.index]) return hosts_[other].name;
  }
  return {};
}

Result<void> Replay::start(Node& node) {
  if (auto done = constants(node); !done) return done;
  const ir::Instance& instance = values_->instance();
  for (const ir::VarDecl& variable : p_.variables) {
    node.state.variables.emplace_back(static_cast<std::size_t>(instance.hosts(variable.role)),
                                      some_value(p_, instance, variable.type));
  }
  interpreter_ = std::make_unique<ir::Interpreter>(extended_, instance, constants_);
  for (std::size_t c = 0; c < p_.constants.size(); ++c) {
    const ir::ConstDecl& decl = p_.constants[c];
    if (decl.role.valid() || decl.kind != ir::ConstKind::defined) continue;
    const auto value = interpreter_->evaluate(decl.value, {}, node.state);
    if (const auto* known = std::get_if<ir::Value>(&value)) constants_.values[c][0] = *known;
  }
  for (std::size_t r = 0; r < p_.roles.size(); ++r) {
    for (std::uint32_t i = 0; i < static_cast<std::uint64_t>(instance.hosts(ir::RoleId(r))); ++i) {
      ir::Action action;
      action.step = initialise_[r];
      action.host = {ir::RoleId(r), i};
      const ir::Outcome outcome = interpreter_->apply(node.state, action);
      if (const auto* happened = std::get_if<ir::Happened>(&outcome)) node.state = happened->next;
    }
  }
  node.state.network.clear();
  node.position.assign(hosts_.size(), 0);
  node.status.assign(hosts_.size(), Status::ready);
  node.reason.assign(hosts_.size(), "");
  node.loss.assign(hosts_.size(), Loss::none);
  // Variables without an initialiser begin as the first snapshot says.
  for (const Host& host : hosts_) {
    if (host.log->items.empty()) continue;
    auto first = event(host, host.log->items.front());
    if (!first) return tl::make_unexpected(first.error());
    const bool begins = first->kind == Event::Kind::snapshot && first->fresh;
    for (const ir::VarId id : p_[host.ref.role].variables) {
      if (p_[id].init.valid()) continue;
      const auto said =
          std::find_if(first->state.begin(), first->state.end(), [&](const auto& v) { return v.first == id; });
      if (begins && said != first->state.end()) {
        node.state.variables[id.index()][host.ref.index] = said->second;
      } else {
        unsaid_.push_back(host.name + "." + p_[id].name);
      }
    }
  }
  start_ = node.state;
  if (missing_.empty()) return axioms(node);
  return {};
}

/// Whether a formula is about nothing but numbers, constants and this host: there may be more hosts and values than the
/// logs mention, and what it says of all of them they do not tell.
bool Replay::only_about(ir::ExprId id, ir::LocalId host) const {
  const ir::Expr& e = p_[id];
  const auto unknown = [&](ir::TypeId type) {
    return p_[type].kind == ir::TypeKind::host || p_[type].kind == ir::TypeKind::sort;
  };
  if (e.op == ir::Op::local && host.valid() && ir::LocalId(e.ref) == host) return true;
  if (e.op == ir::Op::all_hosts || e.op == ir::Op::role_size || e.op == ir::Op::majority) return false;
  if (p_[e.type].kind == ir::TypeKind::host) return false;
  if (std::any_of(e.binders.begin(), e.binders.end(), [&](ir::LocalId b) { return unknown(p_[b].type); })) return false;
  return std::all_of(e.args.begin(), e.args.end(),
                     [&](ir::ExprId arg) { return !arg.valid() || only_about(arg, host); });
}

/// The constants that the logs say are some that the protocol has, as far as that can be seen.
Result<void> Replay::axioms(const Node& node) const {
  for (const ir::Formula& axiom : p_.axioms) {
    if (!only_about(axiom.formula, {})) continue;
    const auto holds = interpreter_->holds(axiom.formula, node.state);
    const bool* value = std::get_if<bool>(&holds);
    if (value == nullptr || *value) continue;
    return failure(ErrorKind::bad_input,
                   "the constants in the logs break the axiom " + ir::to_source(p_, axiom.formula));
  }
  return {};
}

/// An `init` formula of a role that is false of a host that begins.
std::string Replay::broken_init(const Node& node, std::size_t h) const {
  const ir::HostRef ref = hosts_[h].ref;
  for (const ir::Formula& init : p_.inits) {
    const ir::Expr& all = p_[init.formula];
    if (all.op != ir::Op::forall || all.binders.size() != 1 || all.args.size() != 1) continue;
    const ir::LocalId host = all.binders.front();
    const ir::Type& type = p_[p_[host].type];
    if (type.kind != ir::TypeKind::host || type.declaration != ref.role.value) continue;
    if (!only_about(all.args[0], host)) continue;
    const auto holds = interpreter_->evaluate(all.args[0], {{host, {ref.index, {}}}}, node.state);
    const ir::Value* value = std::get_if<ir::Value>(&holds);
    if (value != nullptr && value->number == 0) return ir::to_source(p_, all.args[0]);
  }
  return {};
}

}  // namespace tenet::validate
