#include "plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "expressions.h"
#include "tenet/ir/printer.h"

namespace tenet::from_spec {
namespace {

void each_stmt(const ir::Protocol& p, const std::vector<ir::StmtId>& stmts,
               const std::function<void(const ir::Stmt&)>& visit) {
  for (const ir::StmtId id : stmts) {
    visit(p[id]);
    each_stmt(p, p[id].then_branch, visit);
    each_stmt(p, p[id].else_branch, visit);
  }
}

// The variable that stands for the host if the formula is about one host at a time, and nothing was sent: a local
// invariant.
ir::LocalId about(const ir::Protocol& p, ir::ExprId formula) {
  const ir::Expr& outer = p[formula];
  if (outer.op != ir::Op::forall || outer.args.size() != 1 || p[p[outer.binders[0]].type].kind != ir::TypeKind::host) {
    return {};
  }
  const std::function<bool(ir::ExprId)> only = [&](ir::ExprId id) {
    const ir::Expr& e = p[id];
    if (e.op == ir::Op::sent) return false;
    if (e.op == ir::Op::state_var || e.op == ir::Op::host_const) {
      const ir::Expr& host = p[e.args[0]];
      if (host.op != ir::Op::local || host.ref != outer.binders[0].value) return false;
    }
    return std::all_of(e.args.begin(), e.args.end(), [&](ir::ExprId arg) { return !arg.valid() || only(arg); });
  };
  return only(outer.args[0]) ? outer.binders[0] : ir::LocalId();
}

class Planner {
 public:
  Planner(Plan& plan, std::size_t derived) : plan_(plan), p_(*plan.protocol), derived_(derived) {}

  void run() {
    for (std::size_t r = 0; r < p_.roles.size(); ++r) role(ir::RoleId(r));
    for (const ir::MessageDecl& message : p_.messages) {
      const std::string name = camel(message.name);
      rule("k" + name + "Sent", message.name + ".sent", "conformance",
           "what is sent is what a step of the specification sends", {"send " + message.name});
      rule("k" + name + "Received", message.name + ".received", "provenance", "what is received was sent",
           {"receive " + message.name, "send " + message.name});
    }
    for (std::size_t i = 0; i < p_.axioms.size(); ++i) {
      formula(p_.axioms[i].formula, fmt::format("axiom_{}", i + 1), "axiom", false, true);
    }
    for (std::size_t i = 0; i < p_.properties.size(); ++i) {
      const ir::Property& property = p_.properties[i];
      if (property.kind == ir::PropertyKind::reachable) continue;
      const bool derived = i + derived_ >= p_.properties.size();
      const bool transition = property.kind == ir::PropertyKind::transition;
      const char* kind = derived                               ? "derived invariant"
                         : transition                          ? "transition"
                         : about(p_, property.formula).valid() ? "local invariant"
                                                               : "safety";
      formula(property.formula, property.name, kind, transition, false, derived);
    }
  }

 private:
  void rule(std::string constant, std::string name, std::string kind, std::string text,
            std::vector<std::string> depends) {
    plan_.rules.push_back({std::move(constant), std::move(name), std::move(kind), std::move(text), std::move(depends)});
  }

  void role(ir::RoleId id) {
    const ir::RoleDecl& decl = p_[id];
    RolePlan role;
    role.role = id;
    role.constant = "k" + camel(decl.name);
    std::set<ir::MessageId> sends;
    std::set<std::string> methods{"begins", "recovers"};
    std::vector<std::string> events{decl.name + " snapshot"};
    for (const ir::StepId step_id : decl.steps) {
      const ir::Step& step = p_[step_id];
      StepPlan plan;
      plan.step = step_id;
      plan.method = safe(snake(step.name));
      for (int i = 2; !methods.insert(plan.method).second; ++i) plan.method = fmt::format("{}_{}", snake(step.name), i);
      plan.constant = role.constant + camel(plan.method);
      if (step.receive) {
        for (const ir::LocalId field : step.receive->fields) plan.carried.push_back({field, false});
      }
      for (const ir::LocalId parameter : step.parameters) plan.carried.push_back({parameter, false});
      each_stmt(p_, step.body, [&](const ir::Stmt& stmt) {
        if (stmt.kind == ir::StmtKind::choose) plan.carried.push_back({stmt.local, true});
        if (stmt.kind == ir::StmtKind::send) sends.insert(stmt.message);
      });
      const std::string name = decl.name + "." + plan.method;
      events.push_back(decl.name + " " + step.name);
      rule(plan.constant + "Guard", name + ".guard", "guard", "when " + ir::to_source(p_, step.guard),
           {events.back(), decl.name + " *"});
      rule(plan.constant + "Effect", name + ".effect", "effect", "the step changes what the specification says",
           {events.back(), decl.name + " *"});
      role.steps.push_back(std::move(plan));
    }
    role.sends.assign(sends.begin(), sends.end());
    rule(role.constant + "Initial", decl.name + ".initial", "initial", "a fresh host is as the initialisers say",
         {decl.name + " snapshot"});
    if (!decl.constants.empty()) {
      rule(role.constant + "Constants", decl.name + ".constants", "constants", "constants never change",
           {decl.name + " snapshot"});
    }
    rule(role.constant + "Restart", decl.name + ".restart", "restart", "after a restart the host is as it was",
         {decl.name + " snapshot", decl.name + " *"});
    role.monotone = monotone_variables(p_, id);
    for (const Monotone& m : role.monotone) {
      const std::string variable = p_[m.variable].name;
      rule(role.constant + camel(variable) + camel(from_spec::name(m.growth)),
           decl.name + "." + variable + "." + from_spec::name(m.growth), "monotone", describe(p_, m), events);
    }
    plan_.roles.push_back(std::move(role));
  }

  void formula(ir::ExprId id, const std::string& name, const char* kind, bool transition, bool axiom,
               bool derived = false) {
    Locals locals(p_);
    Expressions probe(p_, locals);
    (void)probe.write(id);
    if (!probe.unsupported().empty()) {
      plan_.notes.push_back(fmt::format("{} is not watched: no monitor can follow {}", name, probe.unsupported()));
      return;
    }
    std::vector<std::string> depends;
    std::set<ir::RoleId> roles;
    for (const ir::VarId variable : probe.variables_read()) roles.insert(p_[variable].role);
    for (const ir::RoleId role : roles) depends.push_back(p_[role].name + " *");
    for (const ir::MessageId message : probe.messages_read()) depends.push_back("send " + p_[message].name);
    const std::string constant = "kProperty" + camel(name);
    rule(constant, name, kind, ir::to_source(p_, id), depends);
    // A transition of the specification speaks of the steps of all hosts; what is derived of two states of one host, of
    // any two.
    const ir::LocalId host = axiom || (transition && !derived) ? ir::LocalId() : about(p_, id);
    FormulaPlan formula{id,   safe("property_" + name),   constant, transition, axiom,
                        host, transition && host.valid(), {},       {}};
    formula.variables = probe.variables_read();
    formula.messages = probe.messages_read();
    plan_.formulas.push_back(std::move(formula));
  }

  Plan& plan_;
  const ir::Protocol& p_;
  std::size_t derived_;
};

}  // namespace

Plan make_plan(const ir::Protocol& protocol, const std::string& source, const std::string& stamp, std::size_t derived) {
  Plan plan;
  plan.protocol = &protocol;
  plan.name = protocol.name + "_monitor";
  plan.source = source;
  plan.stamp = stamp;
  Planner(plan, derived).run();
  return plan;
}

}  // namespace tenet::from_spec
