// What the grammar has a place for but this version cannot do: said clearly,
// never read as something else.
#include <fmt/format.h>

#include "lowering.h"

namespace tenet::frontend {

void Lowering::refuse(Span span, std::string_view what, std::string_view hint) {
  report("not-supported-yet", span, fmt::format("{} is not supported yet", what), std::string(hint));
}

void Lowering::refuse_unsupported(const ast::RoleDecl& decl) {
  if (decl.passive) refuse(decl.name.span, "a passive role");
  if (!decl.crashes.empty()) refuse(decl.crashes.span, "'crashes'");
  if (!decl.byzantine.empty()) refuse(decl.byzantine.span, "'byzantine'");
  for (const ast::RoleItem& item : decl.items) {
    if (const auto* var = std::get_if<ast::VarDecl>(&item)) {
      if (var->is_volatile) refuse(var->name.span, "a volatile variable");
      if (var->is_clock) refuse(var->name.span, "a clock");
    }
    if (const auto* step = std::get_if<ast::StepDecl>(&item); step != nullptr && step->is_operation) {
      refuse(step->name.span, "an operation of a passive role");
    }
  }
}

void Lowering::refuse_unsupported(const ast::Decl& decl) {
  if (const auto* role = std::get_if<ast::RoleDecl>(&decl)) refuse_unsupported(*role);
  if (const auto* message = std::get_if<ast::MessageDecl>(&decl)) {
    if (message->is_signed) refuse(message->name.span, "a signed message");
    if (message->delivery == ast::Delivery::in_order) {
      refuse(message->name.span, "delivery in order", "leave it out: messages then arrive in any order");
    }
  }
  if (const auto* relation = std::get_if<ast::RelationDecl>(&decl)) {
    not_declared_.insert(relation->name.text);
    refuse(relation->name.span, "a constant relation or function of one's own",
           "a constant may have the type 'T -> U'; 'import ring(R)' brings 'next' and 'between'");
  }
  if (const auto* quorums = std::get_if<ast::QuorumsDecl>(&decl)) {
    not_declared_.insert(quorums->name.text);
    refuse(quorums->name.span, "a named quorum system", "use 'majority(s)' or '|s| >= n'");
  }
}

}  // namespace tenet::frontend
