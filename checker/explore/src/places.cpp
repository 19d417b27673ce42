#include "places.h"

#include "refusal.h"

namespace tenet::explore {

namespace {

/// Visits every expression below `id`.
template <class Visit>
void walk(const ir::Protocol& p, ir::ExprId id, const Visit& visit) {
  if (!id.valid()) return;
  visit(p[id]);
  for (const ir::ExprId arg : p[id].args) walk(p, arg, visit);
}

template <class Visit>
void walk(const ir::Protocol& p, const std::vector<ir::StmtId>& body, const Visit& visit) {
  for (const ir::StmtId id : body) {
    const ir::Stmt& stmt = p[id];
    walk(p, stmt.value, visit);
    walk(p, stmt.target, visit);
    for (const ir::ExprId arg : stmt.args) walk(p, arg, visit);
    walk(p, stmt.then_branch, visit);
    walk(p, stmt.else_branch, visit);
  }
}

}  // namespace

Places::Places(const ir::Protocol& protocol, const ir::Instance& instance, Layouts& layouts)
    : record_cells_(protocol.roles.size()),
      variable_(protocol.variables.size()),
      constant_(protocol.constants.size()),
      config_(protocol.constants.size()),
      rows_(protocol.constants.size(), 1),
      shared_(protocol.constants.size()) {
  for (std::size_t role = 0; role < protocol.roles.size(); ++role) {
    first_host_.push_back(host_count());
    for (std::int64_t i = 0; i < instance.hosts(ir::RoleId(role)); ++i) {
      hosts_.push_back({ir::RoleId(role), static_cast<std::uint32_t>(i)});
    }
  }
  for (std::size_t i = 0; i < protocol.variables.size(); ++i) {
    const ir::VarDecl& decl = protocol.variables[i];
    std::uint32_t& cells = record_cells_[decl.role.index()];
    variable_[i] = cells;
    cells += layouts.shape(decl.type).cells;
  }
  mark_shared(protocol);
  for (std::size_t i = 0; i < protocol.constants.size(); ++i) {
    const ir::ConstDecl& decl = protocol.constants[i];
    const std::uint32_t width = layouts.shape(decl.type).cells;
    if (decl.role.valid()) {
      std::uint32_t& cells = record_cells_[decl.role.index()];
      constant_[i] = cells;
      cells += width;
      rows_[i] = static_cast<std::uint32_t>(instance.hosts(decl.role));
      if (!shared_[i]) continue;
    }
    for (const ir::TypeId parameter : decl.parameters) {
      const std::uint64_t rows = rows_[i] * layouts.domain(parameter, "").size();
      if (rows > (1U << 20)) refuse(ErrorKind::too_large, "the table of constant '" + decl.name + "' is too large");
      rows_[i] = static_cast<std::uint32_t>(rows);
    }
    config_[i] = config_cells_;
    config_cells_ += rows_[i] * width;
  }
}

void Places::mark_shared(const ir::Protocol& protocol) {
  for (const ir::Step& step : protocol.steps) {
    const auto visit = [&](const ir::Expr& e) {
      if (e.op == ir::Op::host_const && protocol[e.args[0]].op != ir::Op::self) shared_[e.ref] = true;
    };
    walk(protocol, step.guard, visit);
    walk(protocol, step.body, visit);
  }
}

}  // namespace tenet::explore
