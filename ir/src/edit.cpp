#include "tenet/ir/edit.h"

#include <algorithm>
#include <utility>

#include "rewrite.h"

namespace tenet::ir {

namespace {

/// Applies edits to a copy. Ids stay what they are until all edits are done:
/// what is dropped from a table is only marked.
class Editor {
 public:
  explicit Editor(const Protocol& protocol)
      : result_(protocol),
        dropped_steps_(protocol.steps.size()),
        dropped_axioms_(protocol.axioms.size()),
        dropped_inits_(protocol.inits.size()) {}

  void operator()(const ReplaceExpr& edit);
  void operator()(const DropGuard& edit);
  void operator()(const DropStmt& edit) { splice(edit.stmt, {}); }
  void operator()(const ReplaceStmt& edit) { splice(edit.from, edit.to); }
  void operator()(const InsertStmt& edit) {
    std::vector<StmtId>& body = result_.steps[edit.step.index()].body;
    body.insert(body.end(), edit.stmts.begin(), edit.stmts.end());
  }
  void operator()(const DropStep& edit) { dropped_steps_[edit.step.index()] = true; }
  void operator()(const DropAxiom& edit) { dropped_axioms_[edit.axiom] = true; }
  void operator()(const DropInit& edit) { dropped_inits_[edit.init] = true; }
  void operator()(const SetDelivery& edit) { result_.messages[edit.message.index()].delivery = edit.delivery; }

  Protocol finish();

 private:
  void splice(StmtId from, const std::vector<StmtId>& to);

  Protocol result_;
  std::vector<bool> dropped_steps_;
  std::vector<bool> dropped_axioms_;
  std::vector<bool> dropped_inits_;
};

/// The node itself takes over the content of `to`, so that every occurrence
/// changes and ids held by later edits stay good.
void Editor::operator()(const ReplaceExpr& edit) {
  if (edit.from == edit.to) return;
  // `replace e by f(e)`: the e inside must not change with the rest.
  const ExprId original = result_.add(Expr(result_[edit.from]));
  const ExprId to = replaced(result_, edit.to, edit.from, original);
  result_.exprs[edit.from.index()] = Expr(result_[to]);
}

void Editor::operator()(const DropGuard& edit) {
  Step& step = result_.steps[edit.step.index()];
  Expr truth;
  truth.type = result_[step.guard].type;
  truth.value = 1;
  truth.span = result_[step.guard].span;
  step.guard = result_.add(std::move(truth));
}

void Editor::splice(StmtId from, const std::vector<StmtId>& to) {
  // Only blocks that are part of a step: `to` may itself contain `from`.
  std::vector<std::vector<StmtId>*> blocks;
  for (Step& step : result_.steps) blocks.push_back(&step.body);
  while (!blocks.empty()) {
    std::vector<StmtId>& block = *blocks.back();
    blocks.pop_back();
    const auto found = std::find(block.begin(), block.end(), from);
    if (found != block.end()) {
      block.insert(block.erase(found), to.begin(), to.end());
      return;
    }
    for (const StmtId id : block) {
      blocks.push_back(&result_.stmts[id.index()].then_branch);
      blocks.push_back(&result_.stmts[id.index()].else_branch);
    }
  }
}

template <class T>
void erase_marked(std::vector<T>& items, const std::vector<bool>& marks) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (marks[i]) continue;
    if (kept != i) items[kept] = std::move(items[i]);
    ++kept;
  }
  items.resize(kept);
}

Protocol Editor::finish() {
  erase_marked(result_.axioms, dropped_axioms_);
  erase_marked(result_.inits, dropped_inits_);
  if (std::find(dropped_steps_.begin(), dropped_steps_.end(), true) != dropped_steps_.end()) {
    erase_marked(result_.steps, dropped_steps_);
    for (RoleDecl& role : result_.roles) role.steps.clear();
    for (std::size_t i = 0; i < result_.steps.size(); ++i) {
      result_.roles[result_.steps[i].role.index()].steps.emplace_back(i);
    }
  }
  return std::move(result_);
}

}  // namespace

Protocol apply(const Protocol& protocol, const std::vector<Edit>& edits) {
  Editor editor(protocol);
  for (const Edit& edit : edits) std::visit(editor, edit);
  return editor.finish();
}

}  // namespace tenet::ir
