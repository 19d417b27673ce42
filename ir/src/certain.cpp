#include "certain.h"

namespace tenet::ir {

namespace {

using Known = std::optional<bool>;

/// One operand equal to `decides` decides; if none does and all are known the
/// result is the other one.
template <class Operands>
Known first_deciding(bool decides, const Operands& for_each_operand) {
  bool unknown = false;
  const bool decided = for_each_operand([&](Known operand) {
    unknown |= !operand.has_value();
    return operand == decides;
  });
  if (decided) return decides;
  return unknown ? Known{} : Known{!decides};
}

Known plain(Evaluator& evaluator, ExprId formula) {
  try {
    return evaluator.truth(formula);
  } catch (const Stopped&) {
    return {};
  }
}

Known quantifier(Evaluator& evaluator, ExprId id) {
  const Expr& e = (*evaluator.context().protocol)[id];
  const bool decides_by_one = e.op == Op::exists;
  try {
    const Known known = first_deciding(decides_by_one, [&](const auto& decides) {
      return evaluator.any_binding(e, 0, [&] { return decides(certain(evaluator, e.args[0])); });
    });
    return known && known != decides_by_one && evaluator.open(id) ? Known{} : known;
  } catch (const Stopped&) {
    return {};  // the domain is not known
  }
}

}  // namespace

std::optional<bool> certain(Evaluator& evaluator, ExprId formula) {
  const Expr& e = (*evaluator.context().protocol)[formula];
  const auto negated = [](Known known) { return known ? Known{!*known} : known; };
  switch (e.op) {
    case Op::not_:
      return negated(certain(evaluator, e.args[0]));
    case Op::and_:
    case Op::or_:
      return first_deciding(e.op == Op::or_, [&](const auto& decides) {
        for (const ExprId arg : e.args) {
          if (decides(certain(evaluator, arg))) return true;
        }
        return false;
      });
    case Op::implies:
      return first_deciding(true, [&](const auto& decides) {
        return decides(negated(certain(evaluator, e.args[0]))) || decides(certain(evaluator, e.args[1]));
      });
    case Op::ite: {
      const Known condition = certain(evaluator, e.args[0]);
      return condition ? certain(evaluator, e.args[*condition ? 1 : 2]) : condition;
    }
    case Op::forall:
    case Op::exists:
      return quantifier(evaluator, formula);
    default:
      return plain(evaluator, formula);
  }
}

}  // namespace tenet::ir
