/// Walking the graphs of a protocol.
#pragma once

#include <functional>
#include <vector>

#include "tenet/ir/protocol.h"

namespace tenet::ir {

/// Equal in form: same operations, references and literals; spans and
/// whether a read is narrowed do not count.
[[nodiscard]] bool same_expr(const Protocol& protocol, ExprId a, ExprId b);

/// Every occurrence of a node at or below `root`, children after parents.
void for_each_expr(const Protocol& protocol, ExprId root, const std::function<void(ExprId)>& visit);

/// Every statement at or below `stmts`, in source order.
void for_each_stmt(const Protocol& protocol, const std::vector<StmtId>& stmts,
                   const std::function<void(StmtId)>& visit);

/// The expressions that a statement holds itself (not those of its branches).
[[nodiscard]] std::vector<ExprId> exprs_of(const Stmt& stmt);

}  // namespace tenet::ir
