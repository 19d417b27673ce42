// The second half of declarations: values, formulas, properties, instances.
#include <fmt/format.h>

#include "lowering.h"

namespace tenet::frontend {

void Lowering::define() {
  for (const ast::Decl& decl : tree_->decls) {
    if (const auto* constant = std::get_if<ast::ConstDecl>(&decl)) define_const(*constant);
    if (const auto* role = std::get_if<ast::RoleDecl>(&decl)) define_role(*role);
    if (const auto* formula = std::get_if<ast::FormulaDecl>(&decl)) define_formula(*formula, {});
    if (const auto* property = std::get_if<ast::PropertyDecl>(&decl)) define_property(*property);
    if (const auto* instance = std::get_if<ast::InstanceDecl>(&decl)) define_instance(*instance);
  }
}

void Lowering::define_const(const ast::ConstDecl& decl) {
  if (!decl.value.valid() || index_of_.count(&decl) == 0) return;
  const std::uint32_t index = index_of_.at(&decl);
  const ir::RoleId role = p_.constants[index].role;
  place_ = Place{"the value of a constant", role, {}, false, false, false, false};
  ast::Place place;
  place.kind = ast::PlaceKind::constant;
  if (role.valid()) place.role.text = p_[role].name;
  place.name = decl.name;
  enter_place(place);
  defining_ = index;
  const ExprId value = check(decl.value, p_.constants[index].type);
  defining_.reset();
  leave_place();
  p_.constants[index].value = value;
  p_.constants[index].kind = ir::ConstKind::defined;
}

void Lowering::define_role(const ast::RoleDecl& decl) {
  if (index_of_.count(&decl) == 0) return;
  const ir::RoleId role(index_of_.at(&decl));
  step_names_.clear();
  for (const ast::RoleItem& item : decl.items) {
    if (const auto* constant = std::get_if<ast::ConstDecl>(&item)) define_const(*constant);
    if (const auto* var = std::get_if<ast::VarDecl>(&item)) define_var(*var, role);
    if (const auto* formula = std::get_if<ast::FormulaDecl>(&item)) define_formula(*formula, role);
    if (const auto* step = std::get_if<ast::StepDecl>(&item)) define_step(*step, role);
  }
}

void Lowering::define_var(const ast::VarDecl& decl, ir::RoleId role) {
  if (!decl.init.valid() || index_of_.count(&decl) == 0) return;
  const std::uint32_t index = index_of_.at(&decl);
  place_ = Place{"an initial value", role, {}, false, false, false, false};
  ast::Place place;
  place.kind = ast::PlaceKind::variable;
  place.role.text = p_[role].name;
  place.name = decl.name;
  enter_place(place);
  const TypeId expected = p_.variables[index].type;
  const ExprId value = expected.valid() ? check(decl.init, expected) : ExprId{};
  leave_place();
  p_.variables[index].init = value;
}

void Lowering::define_formula(const ast::FormulaDecl& decl, ir::RoleId role) {
  const bool axiom = decl.kind == ast::FormulaKind::axiom;
  place_ = axiom ? Place{"an axiom", {}, {}, false, false, false, false}
                 : Place{"'init'", role, {}, true, true, false, false};
  // An `init` of a role holds for every host of it.
  if (role.valid()) {
    place_.acting = p_.add(ir::LocalDecl{"self", p_.types.host(role), decl.span});
  }
  ast::Place place;
  place.kind = axiom ? ast::PlaceKind::axiom : ast::PlaceKind::init;
  if (role.valid()) place.role.text = p_[role].name;
  place.name = decl.name;
  enter_place(place);
  ExprId formula = condition(decl.formula);
  std::vector<ir::Formula>& list = axiom ? p_.axioms : p_.inits;
  finish_formula_edits(axiom, list.size());
  leave_place();
  if (!formula.valid()) return;
  if (role.valid()) formula = make(decl.span).quantifier(Op::forall, {place_.acting}, formula);
  list.push_back({formula, decl.span});
}

void Lowering::define_property(const ast::PropertyDecl& decl) {
  const auto [earlier, added] = property_names_.emplace(decl.name.text, decl.name.span);
  if (!added) clash(decl.name, earlier->second, "another property");
  const bool transition = decl.kind == ast::PropertyKind::transition;
  place_ = Place{"a property", {}, {}, true, true, true, transition};
  if (!transition) place_.name = "a property of one state";
  ast::Place place;
  place.kind = ast::PlaceKind::property;
  place.name = decl.name;
  enter_place(place);
  ir::Property out;
  switch (decl.kind) {
    case ast::PropertyKind::safety:
      out.kind = ir::PropertyKind::safety;
      break;
    case ast::PropertyKind::transition:
      out.kind = ir::PropertyKind::transition;
      break;
    case ast::PropertyKind::reachable:
      out.kind = ir::PropertyKind::reachable;
      break;
    case ast::PropertyKind::lemma:
      out.kind = ir::PropertyKind::lemma;
      break;
  }
  out.name = std::string(decl.name.text);
  out.doc = decl.doc;
  out.span = decl.span;
  out.formula = condition(decl.formula);
  leave_place();
  p_.properties.push_back(std::move(out));
}

void Lowering::define_instance(const ast::InstanceDecl& decl) {
  const auto [earlier, added] = instance_names_.emplace(decl.name.text, decl.name.span);
  if (!added) clash(decl.name, earlier->second, "another instance");
  ir::InstanceDecl out;
  out.name = std::string(decl.name.text);
  out.span = decl.span;
  for (const ast::InstanceEntry& entry : decl.entries) {
    ir::InstanceEntry e;
    e.name = std::string(entry.name.text);
    e.is_range = entry.is_range;
    const auto low = number(entry.low);
    const auto high = entry.is_range ? number(entry.high) : low;
    e.low = low.value_or(0);
    e.high = high.value_or(0);
    const ast::Ident& last = entry.is_range ? entry.high.digits : entry.low.digits;
    e.span = {entry.name.span.begin, last.span.end};
    if (low && high) out.entries.push_back(std::move(e));
  }
  p_.instances.push_back(std::move(out));
}

}  // namespace tenet::frontend
