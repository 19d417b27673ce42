/// What a generated monitor consists of, numbered once for the header and the source.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "monotone.h"
#include "names.h"
#include "tenet/ir/protocol.h"

namespace tenet::from_spec {

/// A value that a step's event carries beside the state: a parameter, a received field or a choice.
struct Carried {
  ir::LocalId local;
  bool choice = false;
};

struct StepPlan {
  ir::StepId step;
  std::string method;    ///< of the hook: `receive_promise`
  std::string constant;  ///< of the event type: `kLeaderReceivePromise`
  std::vector<Carried> carried;
};

struct RulePlan {
  std::string constant;  ///< `kLeaderProposeGuard`
  std::string name, kind, text;
  std::vector<std::string> depends;
};

struct RolePlan {
  ir::RoleId role;
  std::string constant;  ///< `kLeader`
  std::vector<StepPlan> steps;
  std::vector<ir::MessageId> sends;
  std::vector<Monotone> monotone;
};

/// A property or axiom that is watched.
struct FormulaPlan {
  ir::ExprId formula;
  std::string method;    ///< of the checker: `agreement`
  std::string constant;  ///< of the rule
  bool transition = false;
  bool axiom = false;
  /// Of a formula about single hosts of one role: the variable that stands for the host. It is judged for the host
  /// whose event it is, and reads only what is known of this one.
  ir::LocalId about;
  bool since = false;             ///< relates any earlier state of the host to the present one, whatever lies between
  std::set<ir::VarId> variables;  ///< of hosts, which it reads
  std::set<ir::MessageId> messages;  ///< whose sendings it reads
};

struct Plan {
  const ir::Protocol* protocol = nullptr;
  std::string name;    ///< namespace and files: `paxos_monitor`
  std::string source;  ///< how the specification is called
  std::string stamp;
  std::vector<RolePlan> roles;
  std::vector<FormulaPlan> formulas;
  std::vector<RulePlan> rules;
  std::vector<std::string> notes;  ///< what is not watched, and why
};

[[nodiscard]] Plan make_plan(const ir::Protocol& protocol, const std::string& source, const std::string& stamp,
                             std::size_t derived);

[[nodiscard]] std::string write_header(const Plan& plan);
/// Sets `unsupported` if a step cannot be written.
[[nodiscard]] std::string write_source(const Plan& plan, std::string& unsupported);

}  // namespace tenet::from_spec
