// Warnings about what is declared and never used.
#include <fmt/format.h>

#include "lowering.h"

namespace tenet::frontend {

Span Lowering::name_span(ir::RoleId role, const std::string& name) const {
  const Symbol* symbol = role.valid() ? symbols_.find(role, name) : symbols_.find(name);
  return symbol == nullptr ? Span{} : symbol->span;
}

void Lowering::warn_unused() {
  for (std::size_t i = 0; i < p_.constants.size(); ++i) {
    const ir::ConstDecl& constant = p_.constants[i];
    const bool imported = constant.kind == ir::ConstKind::ring_next || constant.kind == ir::ConstKind::ring_between;
    if (const_used_[i] || imported) continue;
    diagnostics_->warning("unused-constant", name_span(constant.role, constant.name),
                          fmt::format("constant '{}' is never read", constant.name));
  }
  for (std::size_t i = 0; i < p_.variables.size(); ++i) {
    if (var_read_[i]) continue;
    const ir::VarDecl& var = p_.variables[i];
    diagnostics_->warning("unused-variable", name_span(var.role, var.name),
                          fmt::format("variable '{}' of {} is {}", var.name, p_[var.role].name,
                                      var_written_[i] ? "assigned and never read" : "never used"));
  }
  for (std::size_t i = 0; i < p_.messages.size(); ++i) {
    const ir::MessageDecl& message = p_.messages[i];
    const Span span = name_span({}, message.name);
    if (!message_sent_[i] && !message_received_[i]) {
      diagnostics_->warning("unused-message", span,
                            fmt::format("message '{}' is never sent or received", message.name));
    } else if (!message_sent_[i]) {
      diagnostics_->warning("never-sent", span, fmt::format("message '{}' is received but never sent", message.name));
    } else if (!message_received_[i] && !message_named_[i]) {
      diagnostics_->warning("never-received", span,
                            fmt::format("message '{}' is sent but never received", message.name));
    }
  }
}

}  // namespace tenet::frontend
