/// Transitions: a formula over the states before and after becomes a guard, a
/// choice of what it does not determine, and assignments.
#include <algorithm>

#include "lower.h"

namespace tenet::frontend::pyv {

/// Whether a derived relation may have another value after `modified` changed.
bool Lowering::changes(std::size_t derived, const std::set<std::size_t>& modified) const {
  const std::set<std::size_t>& needed = derived_reads_.at(derived);
  return std::any_of(needed.begin(), needed.end(), [&](std::size_t symbol) {
    return modified.count(symbol) > 0 || (derived_.count(symbol) > 0 && changes(symbol, modified));
  });
}

void Lowering::choose(ir::Step& step) {
  for (const Chosen& chosen : chosen_) {
    ir::Stmt stmt;
    stmt.kind = ir::StmtKind::choose;
    stmt.local = chosen.local;
    if (!chosen.where.empty()) stmt.value = translate_.make().conjunction(chosen.where);
    stmt.span = step.span;
    step.body.push_back(ir_.add(std::move(stmt)));
  }
}

/// Assignments take effect in order, but all new values are those that the old
/// state determines: what a later one reads must not be overwritten before.
void Lowering::assign(ir::Step& step) {
  struct Assignment {
    ir::VarId var;
    ir::ExprId value;
    std::set<ir::VarId> reads;
  };
  std::vector<Assignment> pending;
  for (std::size_t i = 0; i < new_.values.size(); ++i) {
    const ir::VarId var = tables_.variables[i];
    if (new_.values[i] == nullptr && !new_.chosen[i].valid()) continue;
    translate_.forget_reads();
    const ir::ExprId value =
        new_.values[i] != nullptr ? translate_.function(i, *new_.values[i]) : translate_.make().local(new_.chosen[i]);
    pending.push_back({var, value, translate_.variables_read()});
  }
  while (!pending.empty()) {
    const auto free = std::find_if(pending.begin(), pending.end(), [&](const Assignment& a) {
      return std::none_of(pending.begin(), pending.end(),
                          [&](const Assignment& other) { return &other != &a && other.reads.count(a.var) > 0; });
    });
    if (free == pending.end()) {
      // Each is read by another, so one at least reads: keep its value aside.
      Assignment& first =
          *std::find_if(pending.begin(), pending.end(), [](const Assignment& a) { return !a.reads.empty(); });
      const ir::VarDecl& decl = ir_[first.var];
      const ir::LocalId kept = translate_.local(decl.name + "'", decl.type, step.span);
      ir::Stmt stmt;
      stmt.kind = ir::StmtKind::let;
      stmt.local = kept;
      stmt.value = first.value;
      stmt.span = step.span;
      step.body.push_back(ir_.add(std::move(stmt)));
      first.value = translate_.make().local(kept);
      first.reads.clear();
      continue;
    }
    step.body.push_back(translate_.make().assign(free->var, free->value));
    pending.erase(free);
  }
}

void Lowering::step(const Definition& definition) {
  ir::Step made;
  made.name = definition.name.text;
  made.role = tables_.role;
  made.span = definition.span;
  Environment environment = nullptr;
  for (const Variable& parameter : definition.parameters) {
    made.parameters.push_back(translate_.local(parameter.name, translate_.type(parameter.sort), parameter.span));
    environment = bindings_.value(environment, parameter.name, translate_.make().local(made.parameters.back()));
  }
  std::set<std::size_t> modified;
  for (const Name& name : definition.modifies) modified.insert(p_.find(name.text)->index);

  Planner planner(p_, bindings_, 1);
  Plan plan = planner.plan(planner.conjuncts(*definition.body, environment), modified);
  planner.break_circles(plan, derived_);

  const std::size_t count = p_.file.symbols.size();
  new_ = {std::vector<const Next*>(count, nullptr), std::vector<ir::LocalId>(count)};
  chosen_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const Symbol& symbol = p_.file.symbols[i];
    const bool derived = symbol.derived != nullptr;
    if (!derived && modified.count(i) == 0) continue;
    if (derived && derived_.count(i) > 0) {
      if (changes(i, modified)) new_.values[i] = derived_.at(i);
      continue;
    }
    const auto value = plan.values.find(i);
    if (value != plan.values.end()) {
      new_.values[i] = value->second;
      continue;
    }
    new_.chosen[i] = translate_.local(symbol.name.text + "'", translate_.type(p_.signatures[i]), definition.span);
    chosen_.push_back({i, new_.chosen[i], {}});
  }

  translate_.read(Reading::before, &new_);
  std::vector<ir::ExprId> guard;
  // A condition that reads chosen values belongs to the last of these choices, any other to the guard.
  const auto place = [&](ir::ExprId condition) {
    const auto last = std::find_if(chosen_.rbegin(), chosen_.rend(), [&](const Chosen& chosen) {
      return translate_.locals_read().count(chosen.local) > 0;
    });
    (last == chosen_.rend() ? guard : last->where).push_back(condition);
    translate_.forget_reads();
  };
  translate_.forget_reads();
  for (const Rest& rest : plan.rest) place(translate_.rest(rest));
  for (std::size_t i = 0; i < count; ++i) {
    const Symbol& symbol = p_.file.symbols[i];
    if (symbol.derived != nullptr && new_.chosen[i].valid()) place(translate_.formula(*symbol.derived, nullptr, 1));
  }
  translate_.make().at(definition.span);
  made.guard = translate_.make().conjunction(std::move(guard));
  choose(made);
  assign(made);
  translate_.check_heights(definition.span);
  ir_.roles[tables_.role.index()].steps.emplace_back(ir_.steps.size());
  ir_.steps.push_back(std::move(made));
}

}  // namespace tenet::frontend::pyv
