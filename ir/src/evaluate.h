/// Evaluation of expressions: the meaning of every `Op`, in one place.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "domain.h"
#include "tenet/ir/interpreter.h"

namespace tenet::ir {

/// Thrown inside the interpreter only, and caught at its border: an
/// expression that has no value.
struct Stopped {
  struct Unassigned {};  ///< a constant or variable that has no value yet (only while starts are enumerated)
  struct OutOfDomain {   ///< depends on values that the instance does not have
    std::string slot;
    ExprId where;
    bool open = false;  ///< on the numbers beyond the range of a quantifier, not on one value
  };
  std::variant<Fault, OutOfDomain, Unassigned> why;
};

/// Outside of steps an argument beyond the instance is a fault like any other.
[[nodiscard]] Fault fault_of(const Stopped& stopped);

/// Whether it is a quantifier whose value rests on numbers beyond the instance. Axioms and `init` formulas are taken to
/// hold then: the instance shows nothing against them.
[[nodiscard]] bool is_open(const Stopped& stopped);

/// Everything that an expression may read. Pointers are not owned; null where
/// the expression may not read it.
struct Context {
  const Protocol* protocol = nullptr;
  const Instance* instance = nullptr;
  const Domains* domains = nullptr;
  const Constants* constants = nullptr;
  const State* state = nullptr;
  const State* before = nullptr;
  std::optional<HostRef> self;
};

/// Evaluates in a context that the caller may change between calls. Locals
/// are bound and unbound by the caller and by quantifiers.
class Evaluator {
 public:
  explicit Evaluator(Context context) : c_(context), p_(*context.protocol), locals_(p_.locals.size()) {}

  Value value(ExprId id);
  bool truth(ExprId id) { return value(id).number != 0; }
  /// Whether the quantifier is not decided by all values of the instance being alike.
  [[nodiscard]] bool open(ExprId id) const { return c_.domains->open(p_, *c_.instance, id); }
  void bind(LocalId local, Value value) { locals_[local.index()] = std::move(value); }
  [[nodiscard]] const Value& bound(LocalId local) const { return locals_[local.index()]; }
  Context& context() { return c_; }
  [[nodiscard]] const Context& context() const { return c_; }

  /// Runs `visit` for every value of the binders of a quantifier (one after
  /// the other, ascending) with the binders bound, until it returns true.
  template <class Visit>
  bool any_binding(const Expr& quantifier, std::size_t binder, const Visit& visit) {
    if (binder == quantifier.binders.size()) return visit();
    const LocalId local = quantifier.binders[binder];
    for (const Value& item : range(quantifier, local)) {
      bind(local, item);
      if (any_binding(quantifier, binder + 1, visit)) return true;
    }
    return false;
  }

  /// Every value of `type`, or Stopped.
  const std::vector<Value>& domain(TypeId type, ExprId where) const;

 private:
  const Expr& expr(ExprId id) const { return p_[id]; }
  Value arg(ExprId id, std::size_t i) { return value(expr(id).args[i]); }
  Value leaf(ExprId id) const;
  Value state(ExprId id);
  Value logic(ExprId id);
  Value comparison(ExprId id);
  Value arithmetic(ExprId id);
  Value option_or_struct(ExprId id);
  Value set(ExprId id);
  Value map(ExprId id);
  Value function(ExprId id);
  Value quantifier(ExprId id);
  [[noreturn]] void cut_open(ExprId id) const;
  Value sum(ExprId id);
  Value sent(ExprId id);
  Value global_const(ExprId id);
  std::size_t index(TypeId type, ExprId where, const Value& argument) const;
  std::vector<Value> range(const Expr& quantifier, LocalId binder);
  [[noreturn]] void fault(FaultKind kind, ExprId where) const { throw Stopped{Fault{kind, where}}; }

  Context c_;
  const Protocol& p_;
  std::vector<Value> locals_;
};

}  // namespace tenet::ir
