/// Edits of a protocol, and the mutants that `--mutate` makes by itself.
///
/// A wrong variant written by a user is lowered by the frontend to the same
/// edits, so that both are applied by one function.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/ir/protocol.h"

namespace tenet::ir {

/// Every occurrence of node `from`, in whatever step or property it stands,
/// becomes `to` (both in the same protocol's tables; `to` may contain `from`).
struct ReplaceExpr {
  ExprId from;
  ExprId to;
};
/// The guard becomes true.
struct DropGuard {
  StepId step;
};
struct DropStmt {
  StmtId stmt;
};
struct ReplaceStmt {
  StmtId from;
  std::vector<StmtId> to;
};
/// At the end of the step's body.
struct InsertStmt {
  StepId step;
  std::vector<StmtId> stmts;
};
struct DropStep {
  StepId step;
};
struct DropAxiom {
  std::size_t axiom;
};
struct DropInit {
  std::size_t init;
};
struct SetDelivery {
  MessageId message;
  Delivery delivery;
};
using Edit =
    std::variant<ReplaceExpr, DropGuard, DropStmt, ReplaceStmt, InsertStmt, DropStep, DropAxiom, DropInit, SetDelivery>;

/// A copy of `protocol` with the edits applied, in order.
[[nodiscard]] Protocol apply(const Protocol& protocol, const std::vector<Edit>& edits);

/// What kind of slip a mutant stands for.
enum class MutationKind { drop_conjunct, weaken_comparison, shrink_threshold, drop_assignment, drop_send };

struct Mutant {
  MutationKind kind = MutationKind::drop_conjunct;
  std::string description;  ///< "Leader, step propose: drop 'not proposed'"
  Span span;
  Protocol protocol;
};

/// All first-order mutants in source order: each guard conjunct dropped
/// (conditions of `if` included), each comparison weakened (`<` to `<=`,
/// `==` to true …), each threshold lowered by one (`majority` to half, `all`
/// to all but one), each assignment and each send removed.
[[nodiscard]] std::vector<Mutant> mutants(const Protocol& protocol);

}  // namespace tenet::ir
