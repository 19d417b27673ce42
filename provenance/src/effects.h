/// What a step makes of its host's variables, as expressions of the protocol.
#pragma once

#include <map>
#include <optional>

#include "proposer.h"

namespace tenet::provenance {

/// The body of a step run over expressions: what each variable of the acting
/// host is after it, in terms of the state before. A step that chooses has no
/// such expression.
class Effects {
 public:
  /// `locals`: what stands for the step's parameters and received fields.
  Effects(ir::Protocol& protocol, const ir::Step& step, ExprId self, std::map<LocalId, ExprId> locals)
      : p_(protocol), b_(protocol), self_(self), locals_(std::move(locals)) {
    known_ = run(step.body, written_);
  }

  /// Invalid: the step leaves the variable, or what it makes of it is not known.
  [[nodiscard]] ExprId after(ir::VarId var) const {
    const auto found = written_.find(var);
    return known_ && found != written_.end() ? found->second : ExprId{};
  }

  /// The expression with the step's locals and what it has assigned filled in.
  ExprId filled(ExprId id) { return fill(id, written_); }

  /// Whether `key` is in a set; what a function gives for it. Definitions of
  /// sets and functions are opened.
  ExprId member(ExprId key, ExprId set) {
    const ir::Expr node = p_[set];
    switch (node.op) {
      case Op::set_literal: {
        std::vector<ExprId> any;
        for (ExprId element : node.args) any.push_back(b_.binary(Op::eq, key, element));
        return b_.disjunction(std::move(any));
      }
      case Op::set_union:
        return b_.disjunction({member(key, node.args[0]), member(key, node.args[1])});
      case Op::set_intersection:
        return b_.conjunction({member(key, node.args[0]), member(key, node.args[1])});
      case Op::set_difference:
        return b_.conjunction({member(key, node.args[0]), b_.negate(member(key, node.args[1]))});
      case Op::set_build: {
        const ExprId inside = rewrite(p_, node.args[1], ExprId{}, {{node.binders[0], key}});
        return node.args[0].valid() ? b_.conjunction({member(key, node.args[0]), inside}) : inside;
      }
      case Op::all_hosts:
        return b_.boolean(true);
      case Op::ite:
        return b_.disjunction({b_.conjunction({node.args[0], member(key, node.args[1])}),
                               b_.conjunction({b_.negate(node.args[0]), member(key, node.args[2])})});
      default:
        return b_.binary(Op::contains, key, set);
    }
  }
  ExprId result(ExprId function, ExprId key) {
    const ir::Expr node = p_[function];
    switch (node.op) {
      case Op::function_build:
        return rewrite(p_, node.args[0], ExprId{}, {{node.binders[0], key}});
      case Op::constant_function:
        return node.args[0];
      case Op::update:
        return b_.ite(b_.binary(Op::eq, key, node.args[1]), node.args[2], result(node.args[0], key));
      case Op::ite:
        return b_.ite(node.args[0], result(node.args[1], key), result(node.args[2], key));
      default:
        return b_.binary(Op::apply, function, key);
    }
  }

 private:
  using Written = std::map<ir::VarId, ExprId>;

  ExprId fill(ExprId id, const Written& written) {
    const ir::Expr node = p_[id];
    if (node.op == Op::self) return self_;
    if (node.op == Op::local) {
      const auto found = locals_.find(LocalId(node.ref));
      return found == locals_.end() ? id : found->second;
    }
    if (node.op == Op::state_var && p_[node.args[0]].op == Op::self) {
      const auto found = written.find(ir::VarId(node.ref));
      if (found != written.end()) return found->second;
    }
    ir::Expr copy = node;
    bool changed = false;
    for (ExprId& arg : copy.args) {
      if (!arg.valid()) continue;
      const ExprId replaced = fill(arg, written);
      changed = changed || replaced != arg;
      arg = replaced;
    }
    return changed ? p_.add(std::move(copy)) : id;
  }

  bool run(const std::vector<ir::StmtId>& block, Written& written) {
    for (ir::StmtId id : block) {
      const ir::Stmt stmt = p_[id];
      switch (stmt.kind) {
        case ir::StmtKind::assign:
          written[stmt.var] = fill(stmt.value, written);
          break;
        case ir::StmtKind::let:
          locals_[stmt.local] = fill(stmt.value, written);
          break;
        case ir::StmtKind::send:
          break;
        case ir::StmtKind::choose:
          return false;
        case ir::StmtKind::if_: {
          const ExprId condition = fill(stmt.value, written);
          Written yes = written, no = written;
          if (!run(stmt.then_branch, yes) || !run(stmt.else_branch, no)) return false;
          Written both = yes;
          both.insert(no.begin(), no.end());
          for (auto& [var, value] : both) {
            const auto of = [&](const Written& side) {
              const auto found = side.find(var);
              return found == side.end() ? b_.state_var(var, self_) : found->second;
            };
            const ExprId then = of(yes), otherwise = of(no);
            written[var] = then == otherwise ? then : b_.ite(condition, then, otherwise);
          }
          break;
        }
      }
    }
    return true;
  }

  ir::Protocol& p_;
  Builder b_;
  ExprId self_;
  std::map<LocalId, ExprId> locals_;
  Written written_;
  bool known_ = false;
};

}  // namespace tenet::provenance
