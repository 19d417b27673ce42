#include "lower.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace tenet::frontend::pyv {

Lowering::Lowering(const Program& program, const SourceFile& file, Diagnostics& diagnostics)
    : p_(program),
      file_(file),
      diagnostics_(diagnostics),
      translate_(program, tables_, ir_, bindings_, diagnostics),
      deriver_(program, bindings_, 0) {}

std::string Lowering::unique(const std::string& name, std::set<std::string>& taken) {
  std::string made = name;
  for (int i = 2; !taken.insert(made).second; ++i) made = fmt::format("{}_{}", name, i);
  return made;
}

std::string Lowering::line_name(Span span) const { return fmt::format("line_{}", file_.position(span.begin).line); }

std::string Lowering::claim_name(const Claim& claim) {
  std::set<std::string>& taken = claim.kind == Claim::Kind::theorem ? trace_names_ : property_names_;
  return unique(claim.name ? claim.name->text : line_name(claim.span), taken);
}

// ---- Declarations

void Lowering::symbol(std::size_t index) {
  const Symbol& symbol = p_.file.symbols[index];
  const Signature& signature = p_.signatures[index];
  tables_.constants.emplace_back();
  tables_.variables.emplace_back();
  if (symbol.is_mutable) {
    ir::VarDecl decl;
    decl.name = symbol.name.text;
    decl.role = tables_.role;
    decl.type = translate_.type(signature);
    decl.span = symbol.span;
    tables_.variables.back() = ir::VarId(ir_.variables.size());
    ir_.roles[tables_.role.index()].variables.push_back(tables_.variables.back());
    ir_.variables.push_back(std::move(decl));
    return;
  }
  ir::ConstDecl decl;
  decl.name = symbol.name.text;
  for (const Sort sort : signature.arity) decl.parameters.push_back(translate_.type(sort));
  decl.type = translate_.type(signature.result);
  decl.span = symbol.span;
  tables_.constants.back() = ir::ConstId(ir_.constants.size());
  ir_.constants.push_back(std::move(decl));
}

void Lowering::declarations() {
  ir_.name = std::filesystem::path(file_.path()).stem().string();
  if (ir_.name.empty()) ir_.name = "protocol";
  ir_.deadlock_ok = true;
  std::set<std::string> types;
  for (const Name& name : p_.file.sorts) {
    ir_.sorts.push_back({name.text, false, name.span});
    tables_.sorts.push_back(ir_.types.sort(ir::SortId(ir_.sorts.size() - 1)));
    types.insert(name.text);
  }
  ir::RoleDecl role;
  role.name = unique("System", types);
  role.single = true;
  tables_.role = ir::RoleId(0);
  ir_.roles.push_back(std::move(role));
  for (std::size_t i = 0; i < p_.file.symbols.size(); ++i) symbol(i);
}

/// Derived relations whose formula says `r(X) <-> …` of what is not derived, or derived before.
void Lowering::derivations() {
  for (std::size_t i = 0; i < p_.file.symbols.size(); ++i) {
    const Symbol& symbol = p_.file.symbols[i];
    if (symbol.derived == nullptr) continue;
    const Plan plan = deriver_.plan(deriver_.conjuncts(*symbol.derived, nullptr), {i});
    if (!plan.rest.empty() || plan.values.empty()) continue;
    std::set<std::size_t> needed;
    deriver_.dependencies(*plan.values.at(i), needed);
    const bool ready = std::all_of(needed.begin(), needed.end(), [&](std::size_t read) {
      return p_.file.symbols[read].derived == nullptr || derived_.count(read) > 0;
    });
    if (!ready) continue;
    derived_reads_[i] = std::move(needed);
    derived_next_.push_back(*plan.values.at(i));
    derived_next_.back().state = 1;
    derived_[i] = &derived_next_.back();
  }
}

void Lowering::axioms() {
  translate_.read(Reading::state);
  for (const Claim& claim : p_.file.claims) {
    if (claim.kind != Claim::Kind::axiom) continue;
    ir_.axioms.push_back({translate_.formula(*claim.formula), claim.span});
    translate_.check_heights(claim.span);
  }
}

/// What gives a variable its first value alone becomes its initialiser.
void Lowering::initial() {
  std::set<std::size_t> wanted;
  for (std::size_t i = 0; i < p_.file.symbols.size(); ++i) {
    if (p_.file.symbols[i].is_mutable && p_.file.symbols[i].derived == nullptr) wanted.insert(i);
  }
  Planner planner(p_, bindings_, 0);
  translate_.read(Reading::state);
  for (const Claim& claim : p_.file.claims) {
    if (claim.kind != Claim::Kind::init) continue;
    Plan plan = planner.plan(planner.conjuncts(*claim.formula, nullptr), wanted);
    std::vector<std::size_t> defined;
    for (const auto& [symbol, next] : plan.values) defined.push_back(symbol);
    for (const std::size_t symbol : defined) {
      std::set<std::size_t> needed;
      planner.dependencies(*plan.values[symbol], needed);
      ir::VarDecl& decl = ir_.variables[tables_.variables[symbol].index()];
      if (!needed.empty() || decl.init.valid()) {
        planner.take_back(plan, symbol);
      } else {
        const ir::ExprId value = translate_.function(symbol, *plan.values[symbol]);
        ir_.variables[tables_.variables[symbol].index()].init = value;
      }
    }
    for (const Rest& rest : plan.rest) ir_.inits.push_back({translate_.rest(rest), claim.span});
    translate_.check_heights(claim.span);
  }
  for (const Symbol& symbol : p_.file.symbols) {
    if (symbol.derived != nullptr) ir_.inits.push_back({translate_.formula(*symbol.derived), symbol.span});
  }
}

void Lowering::property(ir::PropertyKind kind, const std::string& name, ir::ExprId formula, Span span) {
  translate_.check_heights(span);
  ir_.properties.push_back({kind, name, formula, "", span});
}

void Lowering::properties() {
  translate_.read(Reading::state);
  for (const Claim& claim : p_.file.claims) {
    const bool safety = claim.kind == Claim::Kind::safety;
    if (!safety && claim.kind != Claim::Kind::invariant) continue;
    property(safety ? ir::PropertyKind::safety : ir::PropertyKind::lemma, claim_name(claim),
             translate_.formula(*claim.formula), claim.span);
  }
  // What a derived relation is derived from holds at the start, and every step keeps it.
  for (const Symbol& symbol : p_.file.symbols) {
    if (symbol.derived == nullptr) continue;
    property(ir::PropertyKind::lemma, unique("derived_" + symbol.name.text, property_names_),
             translate_.formula(*symbol.derived), symbol.span);
  }
}

ir::Protocol Lowering::run() {
  try {
    declarations();
    axioms();
    derivations();
    initial();
    for (const Definition& definition : p_.file.definitions) {
      if (definition.is_transition) step(definition);
    }
    properties();
    for (const Claim& claim : p_.file.claims) {
      if (claim.kind == Claim::Kind::theorem) theorem(claim);
    }
    for (const Trace& each : p_.file.traces) trace(each);
  } catch (const Refused&) {
    ir_ = {};  // the diagnostic says why
  }
  return std::move(ir_);
}

}  // namespace tenet::frontend::pyv
