// Steps and receives.
#include <fmt/format.h>

#include "lowering.h"

namespace tenet::frontend {

void Lowering::step_parameters(const ast::StepDecl& decl, ir::Step& step) {
  for (const ast::Field& parameter : decl.parameters) {
    step.parameters.push_back(bind(parameter.name, type(parameter.type)));
  }
}

void Lowering::receive_pattern(const ast::StepDecl& decl, ir::Step& step) {
  ir::ReceivePattern pattern;
  pattern.span = decl.name.span;
  const Symbol* symbol = symbols_.find(decl.name.text);
  const bool known = symbol != nullptr && symbol->kind == SymbolKind::message;
  if (!known) {
    unknown(decl.name, "message", names_of(SymbolKind::message), "unknown-message");
  } else {
    pattern.message = ir::MessageId(symbol->index);
    message_received_[symbol->index] = true;
    const std::size_t count = p_[pattern.message].fields.size();
    if (count != decl.pattern.size()) {
      report("argument-count", decl.name.span,
             fmt::format("message '{}' has {} field{}, {} named", decl.name.text, count, count == 1 ? "" : "s",
                         decl.pattern.size()),
             "name each field, or write '_' to ignore it");
    }
  }
  for (std::size_t i = 0; i < decl.pattern.size(); ++i) {
    const bool has = known && i < p_[pattern.message].fields.size();
    pattern.fields.push_back(bind(decl.pattern[i], has ? p_[pattern.message].fields[i].type : TypeId{}));
  }
  if (!decl.from.empty()) {
    const Symbol* role = symbols_.find(decl.from.text);
    if (role != nullptr && role->kind == SymbolKind::role) {
      pattern.from = ir::RoleId(role->index);
    } else if (role != nullptr) {
      report("unknown-role", decl.from.span,
             fmt::format("'{}' is {}, not a role", decl.from.text, describe(role->kind)));
    } else if (tree_->unread.count(decl.from.text) == 0) {
      std::string guess = did_you_mean(decl.from.text, names_of(SymbolKind::role));
      const bool bare = decl.sender.empty() && guess.empty();
      report("unknown-role", decl.from.span, fmt::format("unknown role '{}'", decl.from.text),
             bare            ? fmt::format("to name the sender write 'from {}: Role'", decl.from.text)
             : guess.empty() ? ""
                             : fmt::format("did you mean '{}'?", guess));
    }
  }
  if (!decl.sender.empty()) {
    pattern.sender = bind(decl.sender, pattern.from.valid() ? p_.types.host(pattern.from) : TypeId{});
  }
  step.receive = std::move(pattern);
}

void Lowering::unique_step_name(const ast::StepDecl& decl, const ir::Step& step) {
  const auto [earlier, added] = step_names_.emplace(step.name, decl.name.span);
  if (!added) {
    Diagnostic& d = diagnostics_->error("duplicate-name", decl.as.empty() ? decl.name.span : decl.as.span,
                                        fmt::format("'{}' is the name of another step of this role", step.name),
                                        decl.is_receive ? "give one of them a name, as in 'receive M as other …'" : "");
    d.notes.push_back({earlier->second, "the other one"});
  }
}

void Lowering::define_step(const ast::StepDecl& decl, ir::RoleId role) {
  ir::Step step;
  step.role = role;
  step.doc = decl.doc;
  step.span = decl.span;
  step.name = !decl.is_receive  ? std::string(decl.name.text)
              : decl.as.empty() ? fmt::format("receive {}", decl.name.text)
                                : std::string(decl.as.text);
  unique_step_name(decl, step);
  place_ = Place{"a step", role, {}, true, false, false, false};
  locals_.clear();
  narrowing_ = {};
  ast::Place place;
  place.kind = decl.is_receive ? ast::PlaceKind::receive : ast::PlaceKind::step;
  place.role.text = p_[role].name;
  place.name = decl.name;
  place.as = decl.as;
  if (decl.is_receive) {
    receive_pattern(decl, step);
  } else {
    step_parameters(decl, step);
  }
  enter_place(place);
  if (decl.guard.valid()) {
    note_conjuncts(decl.guard);
    step.guard = condition(decl.guard);
    if (step.guard.valid()) narrowing_.learn(certain_after(p_, step.guard).if_true);
  } else {
    step.guard = make({}).boolean(true);
  }
  const std::size_t scope = locals_.size();
  statements(decl.body.stmts, step.body);
  const ir::StepId id(p_.steps.size());
  p_.steps.push_back(std::move(step));
  p_.roles[role.index()].steps.push_back(id);
  finish_step_edits(decl, id);
  locals_.resize(scope);
  leave_place();
  locals_.clear();
  narrowing_ = {};
}

}  // namespace tenet::frontend
