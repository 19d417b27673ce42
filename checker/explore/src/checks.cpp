#include "checks.h"

#include <algorithm>

namespace tenet::explore {

/// What surrounds a part of a formula: quantifiers and left sides, outermost first.
struct Checks::Path {
  struct Step {
    const ir::Expr* quantifier = nullptr;
    ir::ExprId condition;
  };
  std::vector<Step> steps;
};

Checks::Checks(const ir::Protocol& protocol, const ir::Instance& instance, Layouts& layouts, const Places& places,
               const std::vector<ir::PropertyId>& properties)
    : p_(protocol), places_(places), layouts_(layouts) {
  Compiler compiler(protocol, instance, layouts, places, program_, Compiler::Mode::formula);
  for (const ir::PropertyId id : properties) {
    const ir::Property& property = protocol[id];
    Check check;
    check.role = property.kind == ir::PropertyKind::reachable ? Check::Role::witness : Check::Role::claim;
    check.transition = property.kind == ir::PropertyKind::transition;
    check.property = id;
    check.formula = property.formula;
    check.compiled = compiler.expr(property.formula);
    add(check, property.formula);
  }
  for (const ir::PropertyId id : properties) {
    if (protocol[id].kind == ir::PropertyKind::reachable) continue;
    Path path;
    antecedents(compiler, protocol[id], id, protocol[id].formula, path);
  }
}

void Checks::add(Check check, ir::ExprId whole) {
  Footprint footprint;
  footprint.cells.resize(p_.roles.size());
  footprint.messages.resize(p_.messages.size());
  read(whole, footprint);
  for (auto& ranges : footprint.cells) {
    std::sort(ranges.begin(), ranges.end());
    ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
  }
  checks_.push_back(check);
  footprints_.push_back(std::move(footprint));
}

void Checks::read(ir::ExprId id, Footprint& footprint) const {
  if (!id.valid()) return;
  const ir::Expr& e = p_[id];
  if (e.op == ir::Op::state_var) {
    const ir::VarDecl& decl = p_[ir::VarId(e.ref)];
    footprint.cells[decl.role.index()].emplace_back(places_.variable(ir::VarId(e.ref)),
                                                    layouts_.shape(decl.type).cells);
  }
  if (e.op == ir::Op::host_const) {
    // Never changes, but the value of a formula depends on it.
    const ir::ConstDecl& decl = p_[ir::ConstId(e.ref)];
    footprint.cells[decl.role.index()].emplace_back(places_.constant(ir::ConstId(e.ref)),
                                                    layouts_.shape(decl.type).cells);
  }
  if (e.op == ir::Op::sent) footprint.messages[e.ref] = true;
  for (const ir::ExprId arg : e.args) read(arg, footprint);
}

void Checks::antecedents(Compiler& compiler, const ir::Property& property, ir::PropertyId id, ir::ExprId formula,
                         Path& path) {
  const ir::Expr& e = p_[formula];
  if (e.op == ir::Op::forall) {
    path.steps.push_back({&e, {}});
    antecedents(compiler, property, id, e.args[0], path);
    path.steps.pop_back();
  } else if (e.op == ir::Op::and_) {
    for (const ir::ExprId arg : e.args) antecedents(compiler, property, id, arg, path);
  } else if (e.op == ir::Op::implies) {
    path.steps.push_back({nullptr, e.args[0]});
    Check check;
    check.role = Check::Role::antecedent;
    check.transition = property.kind == ir::PropertyKind::transition;
    check.property = id;
    check.formula = e.args[0];
    for (std::size_t i = path.steps.size(); i-- > 0;) {
      const Path::Step& step = path.steps[i];
      if (step.quantifier != nullptr) {
        check.compiled = compiler.exists(*step.quantifier, check.compiled);
      } else {
        const Compiled condition = compiler.expr(step.condition);
        check.compiled = check.compiled.node == nullptr ? condition : compiler.conjunction(condition, check.compiled);
      }
    }
    // It reads no more than the whole claim does.
    add(check, property.formula);
    antecedents(compiler, property, id, e.args[1], path);
    path.steps.pop_back();
  }
}

}  // namespace tenet::explore
