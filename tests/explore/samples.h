/// Small protocols made by hand, for tests that need no text.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tenet/ir/builder.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"

namespace tenet::explore::samples {

inline ir::Instance instance(const ir::Protocol& p, std::vector<ir::InstanceEntry> entries) {
  const ir::InstanceDecl decl{"test", std::move(entries), {}};
  Diagnostics diagnostics;
  auto resolved = ir::Instance::resolve(p, &decl, diagnostics);
  return resolved ? *resolved : *ir::Instance::resolve(p, nullptr, diagnostics);
}

inline ir::InstanceEntry size(std::string name, std::int64_t value) {
  return {std::move(name), value, value, false, {}};
}
inline ir::InstanceEntry range(std::string name, std::int64_t low, std::int64_t high) {
  return {std::move(name), low, high, true, {}};
}

/// Adds things to a protocol under construction.
struct Maker {
  ir::Protocol p;

  ir::RoleId role(std::string name, bool single = false) {
    ir::RoleDecl decl;
    decl.name = std::move(name);
    decl.single = single;
    p.roles.push_back(std::move(decl));
    return ir::RoleId(p.roles.size() - 1);
  }
  ir::EnumId enumeration(std::string name, std::vector<std::string> members) {
    p.enums.push_back({std::move(name), std::move(members), {}});
    return ir::EnumId(p.enums.size() - 1);
  }
  ir::MessageId message(std::string name, std::vector<ir::FieldDecl> fields = {},
                        ir::Delivery delivery = ir::Delivery::any) {
    ir::MessageDecl decl;
    decl.name = std::move(name);
    decl.fields = std::move(fields);
    decl.delivery = delivery;
    p.messages.push_back(std::move(decl));
    return ir::MessageId(p.messages.size() - 1);
  }
  ir::VarId variable(ir::RoleId role, std::string name, ir::TypeId type, ir::ExprId init) {
    ir::VarDecl decl;
    decl.name = std::move(name);
    decl.role = role;
    decl.type = type;
    decl.init = init;
    p.variables.push_back(std::move(decl));
    const ir::VarId id(p.variables.size() - 1);
    p.roles[role.index()].variables.push_back(id);
    return id;
  }
  ir::ConstId constant(ir::RoleId role, std::string name, ir::TypeId type) {
    ir::ConstDecl decl;
    decl.name = std::move(name);
    decl.role = role;
    decl.type = type;
    p.constants.push_back(std::move(decl));
    const ir::ConstId id(p.constants.size() - 1);
    if (role.valid()) p.roles[role.index()].constants.push_back(id);
    return id;
  }
  ir::LocalId local(std::string name, ir::TypeId type) { return p.add(ir::LocalDecl{std::move(name), type, {}}); }
  ir::StepId step(ir::RoleId role, std::string name, ir::ExprId guard, std::vector<ir::StmtId> body,
                  std::vector<ir::LocalId> parameters = {}, std::optional<ir::ReceivePattern> receive = {}) {
    ir::Step step;
    step.name = std::move(name);
    step.role = role;
    step.guard = guard;
    step.body = std::move(body);
    step.parameters = std::move(parameters);
    step.receive = std::move(receive);
    p.steps.push_back(std::move(step));
    const ir::StepId id(p.steps.size() - 1);
    p.roles[role.index()].steps.push_back(id);
    return id;
  }
  void property(ir::PropertyKind kind, std::string name, ir::ExprId formula) {
    ir::Property property;
    property.kind = kind;
    property.name = std::move(name);
    property.formula = formula;
    p.properties.push_back(std::move(property));
  }
};

/// Lamport's TwoPhase, step for step as in the TLA+ module (whose messages
/// are broadcast: here sent to all managers at once).
inline ir::Protocol lamport_two_phase() {
  Maker m;
  ir::Builder b(m.p);
  m.p.name = "two_phase";
  const ir::EnumId manager = m.enumeration("ManagerState", {"working", "prepared", "committed", "aborted"});
  const ir::EnumId coordinator = m.enumeration("CoordinatorState", {"init", "done"});
  const ir::RoleId tm = m.role("TM", true);
  const ir::RoleId rm = m.role("RM");
  const ir::MessageId prepared = m.message("Prepared");
  const ir::MessageId commit = m.message("Commit");
  const ir::MessageId abort = m.message("Abort");
  const ir::TypeId manager_state = m.p.types.enumeration(manager);
  const ir::TypeId hosts = m.p.types.set(m.p.types.host(rm));
  const ir::VarId state = m.variable(rm, "state", manager_state, b.enum_literal(manager, 0));
  const ir::VarId tm_state =
      m.variable(tm, "tm_state", m.p.types.enumeration(coordinator), b.enum_literal(coordinator, 0));
  const ir::VarId got = m.variable(tm, "got", hosts, b.set_literal(hosts, {}));
  const auto rm_is = [&](std::size_t n) {
    return b.binary(ir::Op::eq, b.state_var(state, b.self(rm)), b.enum_literal(manager, n));
  };
  const auto tm_init = [&] {
    return b.binary(ir::Op::eq, b.state_var(tm_state, b.self(tm)), b.enum_literal(coordinator, 0));
  };
  const auto become = [&](std::size_t n) { return b.assign(state, b.enum_literal(manager, n)); };
  m.step(rm, "prepare", rm_is(0), {become(1), b.send(prepared, {}, b.single_host(tm))});
  m.step(rm, "choose_abort", rm_is(0), {become(3)});
  m.step(rm, "receive Commit", b.boolean(true), {become(2)}, {}, ir::ReceivePattern{commit, {}, {}, {}, {}});
  m.step(rm, "receive Abort", b.boolean(true), {become(3)}, {}, ir::ReceivePattern{abort, {}, {}, {}, {}});
  const ir::LocalId sender = m.local("r", m.p.types.host(rm));
  m.step(tm, "receive Prepared", tm_init(),
         {b.assign(got,
                   b.binary(ir::Op::set_union, b.state_var(got, b.self(tm)), b.set_literal(hosts, {b.local(sender)})))},
         {}, ir::ReceivePattern{prepared, {}, sender, rm, {}});
  const auto finish = [&] { return b.assign(tm_state, b.enum_literal(coordinator, 1)); };
  m.step(tm, "commit", b.conjunction({tm_init(), b.binary(ir::Op::eq, b.state_var(got, b.self(tm)), b.all_hosts(rm))}),
         {finish(), b.send(commit, {}, b.all_hosts(rm))});
  m.step(tm, "abort", tm_init(), {finish(), b.send(abort, {}, b.all_hosts(rm))});

  const ir::LocalId x = m.local("x", m.p.types.host(rm));
  const ir::LocalId y = m.local("y", m.p.types.host(rm));
  const auto at = [&](ir::LocalId who, std::size_t n) {
    return b.binary(ir::Op::eq, b.state_var(state, b.local(who)), b.enum_literal(manager, n));
  };
  m.property(ir::PropertyKind::safety, "consistent",
             b.quantifier(ir::Op::forall, {x, y}, b.negate(b.conjunction({at(x, 2), at(y, 3)}))));
  const ir::LocalId z = m.local("z", m.p.types.host(rm));
  m.property(ir::PropertyKind::reachable, "commits", b.quantifier(ir::Op::exists, {z}, at(z, 2)));
  return m.p;
}

}  // namespace tenet::explore::samples
