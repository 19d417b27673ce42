// Edits of a variant: found on the protocol's tree, lowered where they stand.
#include <fmt/format.h>

#include <algorithm>

#include "lowering.h"

namespace tenet::frontend {

using ast::ChangeKind;
using ast::PlaceKind;

std::string place_text(const ast::Place& place) {
  const std::string owner = place.role.empty() ? "" : fmt::format("{}, ", place.role.text);
  switch (place.kind) {
    case PlaceKind::step:
      return fmt::format("{}step {}", owner, place.name.text);
    case PlaceKind::receive:
      return fmt::format("{}receive {}{}", owner, place.name.text,
                         place.as.empty() ? "" : fmt::format(" as {}", place.as.text));
    case PlaceKind::constant:
      return fmt::format("{}const {}", owner, place.name.text);
    case PlaceKind::variable:
      return fmt::format("{}var {}", owner, place.name.text);
    case PlaceKind::axiom:
      return place.name.empty() ? "axiom" : fmt::format("axiom {}", place.name.text);
    case PlaceKind::init:
      return owner + "init";
    case PlaceKind::message:
      return fmt::format("message {}", place.name.text);
    case PlaceKind::property:
      break;
  }
  return fmt::format("property {}", place.name.text);
}

void Lowering::enter_place(const ast::Place& place) {
  if (plan_ == nullptr) return;
  plan_->places.push_back(place_text(place));
  plan_->active.clear();
  plan_->conjuncts.clear();
  for (PlannedChange& planned : plan_->changes) {
    const ast::Place& wanted_place = planned.edit->place;
    const bool any_name = wanted_place.kind == PlaceKind::axiom && wanted_place.name.empty();
    if (wanted_place.kind != place.kind || wanted_place.role.text != place.role.text) continue;
    if (!any_name && wanted_place.name.text != place.name.text) continue;
    if (!wanted_place.as.empty() && wanted_place.as.text != place.as.text) continue;
    ++planned.places;
    plan_->active.push_back(&planned);
  }
}

void Lowering::leave_place() {
  if (plan_ != nullptr) plan_->active.clear();
}

/// Runs `work` on the text of the edit, in the scope of the place.
template <class Work>
auto Lowering::in_edit(Span span, Work work) {
  const SourceFile* file = std::exchange(file_, plan_->file);
  const ast::Tree* tree = std::exchange(tree_, plan_->tree);
  Diagnostics* diagnostics = std::exchange(diagnostics_, plan_->diagnostics);
  const Span outer = std::exchange(edit_span_, span);
  plan_->inside_edit = true;
  const Narrowing narrowing = narrowing_;
  const std::size_t scope = locals_.size();
  auto result = work();
  locals_.resize(scope);
  narrowing_ = narrowing;
  plan_->inside_edit = false;
  edit_span_ = outer;
  diagnostics_ = diagnostics;
  tree_ = tree;
  file_ = file;
  return result;
}

void Lowering::note_conjuncts(ast::ExprRef condition_ref) {
  if (plan_ == nullptr || plan_->inside_edit) return;
  const ast::Expr& e = at(condition_ref);
  plan_->conjuncts.insert(condition_ref.index);
  if (e.kind != ExprKind::and_) return;
  for (const ast::ExprRef arg : e.args) note_conjuncts(arg);
}

void Lowering::look_for_edit(ast::ExprRef ref, ExprId lowered) {
  if (plan_ == nullptr || plan_->inside_edit) return;
  for (PlannedChange* planned : plan_->active) {
    const ast::Change& change = *planned->change;
    const bool drops = change.kind == ChangeKind::drop_conjunct;
    if (!drops && change.kind != ChangeKind::replace_expr) continue;
    if (drops && plan_->conjuncts.count(ref.index) == 0) continue;
    if (same_expr(*plan_->tree, change.from, *tree_, ref)) {
      replace(*planned, lowered, at(ref).span);
    } else if (planned->matches == 0 && (drops || at(ref).kind == (*plan_->tree)[change.from].kind)) {
      planned->near.push_back(source(ref));
    }
  }
}

void Lowering::replace(PlannedChange& planned, ExprId lowered, Span span) {
  ++planned.matches;
  if (!lowered.valid()) return;
  const ast::Change& change = *planned.change;
  ExprId to;
  if (change.kind == ChangeKind::drop_conjunct) {
    to = make(span).boolean(true);
  } else {
    const TypeId type = p_[lowered].type;
    to = in_edit(span, [&] { return check(change.to, type); });
  }
  if (to.valid()) plan_->edits.emplace_back(ir::ReplaceExpr{lowered, to});
}

/// `a and b` inside `a and b and c`: how many operands from `first` on an
/// edit takes together; 0 if none does.
std::size_t Lowering::edited_run(const std::vector<ast::ExprRef>& args, std::size_t first, ExprKind kind,
                                 PlannedChange*& found) const {
  if (plan_ == nullptr || plan_->inside_edit) return 0;
  for (PlannedChange* planned : plan_->active) {
    const ast::Change& change = *planned->change;
    if (change.kind != ChangeKind::replace_expr && change.kind != ChangeKind::drop_conjunct) continue;
    const ast::Expr& from = (*plan_->tree)[change.from];
    if (from.kind != kind || from.args.size() >= args.size() || first + from.args.size() > args.size()) continue;
    const bool same = std::equal(from.args.begin(), from.args.end(), args.begin() + static_cast<std::ptrdiff_t>(first),
                                 [&](ast::ExprRef x, ast::ExprRef y) { return same_expr(*plan_->tree, x, *tree_, y); });
    if (!same) continue;
    found = planned;
    return from.args.size();
  }
  return 0;
}

void Lowering::look_for_block(const std::vector<ast::StmtRef>& list, std::size_t first, std::vector<BlockEdit>& found) {
  if (plan_ == nullptr || plan_->inside_edit) return;
  for (PlannedChange* planned : plan_->active) {
    const ast::Change& change = *planned->change;
    const ast::Stmt& stmt = (*tree_)[list[first]];
    BlockEdit edit{&change, first, 1, {}};
    bool matches = false;
    if (change.kind == ChangeKind::drop_send) {
      matches = stmt.kind == ast::StmtKind::send && stmt.name.text == change.name.text;
    } else if (change.kind == ChangeKind::drop_assignment && stmt.kind == ast::StmtKind::assign) {
      ast::ExprRef root = stmt.place;
      while (at(root).kind == ExprKind::index ||
             (at(root).kind == ExprKind::field && at(at(root).args[0]).kind != ExprKind::self)) {
        root = at(root).args[0];
      }
      matches = at(root).name.text == change.name.text;
    } else if (change.kind == ChangeKind::drop_block || change.kind == ChangeKind::replace_block) {
      const std::vector<ast::StmtRef>& wanted_stmts = change.from_block.stmts;
      edit.count = wanted_stmts.size();
      matches = edit.count > 0 && first + edit.count <= list.size();
      for (std::size_t i = 0; matches && i < edit.count; ++i) {
        matches = same_stmt(*plan_->tree, wanted_stmts[i], *tree_, list[first + i]);
      }
      const bool alike =
          !matches && planned->matches == 0 && edit.count > 0 && stmt.kind == (*plan_->tree)[wanted_stmts[0]].kind;
      if (alike) planned->near.push_back(std::string(file_->text(stmt.span)));
    }
    if (!matches) continue;
    ++planned->matches;
    if (change.kind == ChangeKind::replace_block) {
      edit.to = in_edit(stmt.span, [&] { return block(change.to_block); });
    }
    found.push_back(std::move(edit));
  }
}

void Lowering::record_blocks(const std::vector<BlockEdit>& found, const std::vector<ir::StmtId>& lowered) {
  for (const BlockEdit& edit : found) {
    if (edit.first + edit.count > lowered.size()) continue;  // errors elsewhere
    for (std::size_t i = 0; i < edit.count; ++i) {
      const ir::StmtId stmt = lowered[edit.first + i];
      if (i == 0 && edit.change->kind == ChangeKind::replace_block) {
        plan_->edits.emplace_back(ir::ReplaceStmt{stmt, edit.to});
      } else {
        plan_->edits.emplace_back(ir::DropStmt{stmt});
      }
    }
  }
}

void Lowering::finish_step_edits(const ast::StepDecl& decl, ir::StepId step) {
  if (plan_ == nullptr) return;
  for (PlannedChange* planned : plan_->active) {
    const ast::Change& change = *planned->change;
    if (change.kind == ChangeKind::drop_guard && decl.guard.valid()) {
      ++planned->matches;
      plan_->edits.emplace_back(ir::DropGuard{step});
    } else if (change.kind == ChangeKind::drop_place) {
      ++planned->matches;
      plan_->edits.emplace_back(ir::DropStep{step});
    } else if (change.kind == ChangeKind::add_block) {
      ++planned->matches;
      std::vector<ir::StmtId> stmts = in_edit(decl.span, [&] { return block(change.to_block); });
      plan_->edits.emplace_back(ir::InsertStmt{step, std::move(stmts)});
    }
  }
}

void Lowering::finish_formula_edits(bool axiom, std::size_t index) {
  if (plan_ == nullptr) return;
  for (PlannedChange* planned : plan_->active) {
    if (planned->change->kind != ChangeKind::drop_place) continue;
    ++planned->matches;
    if (axiom) {
      plan_->edits.emplace_back(ir::DropAxiom{index});
    } else {
      plan_->edits.emplace_back(ir::DropInit{index});
    }
  }
}

void Lowering::finish_message_edits(const ast::MessageDecl& decl, ir::MessageId message) {
  if (plan_ == nullptr) return;
  ast::Place place;
  place.kind = PlaceKind::message;
  place.name = decl.name;
  enter_place(place);
  for (PlannedChange* planned : plan_->active) {
    if (planned->change->kind != ChangeKind::set_delivery) continue;
    ++planned->matches;
    const bool once = planned->change->delivery == ast::Delivery::at_most_once;
    plan_->edits.emplace_back(ir::SetDelivery{message, once ? ir::Delivery::at_most_once : ir::Delivery::any});
  }
  leave_place();
}

}  // namespace tenet::frontend
