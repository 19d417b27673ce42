#include <algorithm>
#include <set>

#include "tenet/result/trace_view.h"
#include "value_text.h"

namespace tenet::result {
namespace {

/// More than this explains nothing.
constexpr std::size_t kMaxParts = 40;

/// Walks a formula and evaluates its closed parts: first what is read, then
/// the conditions on it, in source order.
class Explanation {
 public:
  Explanation(const Words& words, const ir::Trace& trace, const std::vector<ir::Interpreter::Binding>& binding)
      : words_(words), trace_(trace), interpreter_(words.protocol, words.instance, trace.constants), binding_(binding) {
    for (const auto& b : binding) bound_.insert(b.local);
  }

  void condition(ir::ExprId id) {
    const ir::Expr& expr = words_.protocol[id];
    switch (expr.op) {
      case ir::Op::not_:
      case ir::Op::and_:
      case ir::Op::or_:
      case ir::Op::implies:
      case ir::Op::iff:
        for (const ir::ExprId arg : expr.args) condition(arg);
        return;
      case ir::Op::forall:
      case ir::Op::exists: {
        const bool opened = std::all_of(expr.binders.begin(), expr.binders.end(),
                                        [&](ir::LocalId local) { return bound_.count(local) != 0; });
        if (opened && !expr.args.empty()) return condition(expr.args.front());
        break;
      }
      default:
        terms(id);
        break;
    }
    add(conditions_, id);
  }

  std::vector<NamedText> take() {
    std::vector<NamedText> all = std::move(terms_);
    all.insert(all.end(), conditions_.begin(), conditions_.end());
    if (all.size() > kMaxParts) all.resize(kMaxParts);
    return all;
  }

 private:
  /// Reads of state and constants: the longest closed paths in `id`.
  void terms(ir::ExprId id) {
    const ir::Expr& expr = words_.protocol[id];
    switch (expr.op) {
      case ir::Op::state_var:
      case ir::Op::host_const:
      case ir::Op::field:
      case ir::Op::apply:
      case ir::Op::map_get:
      case ir::Op::sum:
      case ir::Op::get:
        if (expr.op == ir::Op::get && expr.value == 1) {
          // A narrowed read looks like the option it reads: show that.
          return terms(expr.args.front());
        }
        add(terms_, id);
        return;
      case ir::Op::old:
        add(terms_, id);
        return;
      case ir::Op::forall:
      case ir::Op::exists:
      case ir::Op::set_build:
      case ir::Op::function_build:
        return;
      default:
        for (const ir::ExprId arg : expr.args) {
          if (arg.valid()) terms(arg);
        }
    }
  }

  void add(std::vector<NamedText>& out, ir::ExprId id) {
    if (out.size() >= kMaxParts || !closed(id)) return;
    std::string text = ir::to_source(words_.protocol, id);
    if (!seen_.insert(text).second) return;
    const ir::State* before = trace_.states.size() > 1 ? &trace_.states[trace_.states.size() - 2] : nullptr;
    const auto value = interpreter_.evaluate(id, binding_, trace_.states.back(), before);
    if (const auto* v = std::get_if<ir::Value>(&value)) {
      out.emplace_back(std::move(text), words_.value(words_.protocol[id].type, *v));
    } else {
      // Not reached by the formula itself: a left side was false before it.
      out.emplace_back(std::move(text), "no value");
    }
  }

  [[nodiscard]] bool closed(ir::ExprId id) const {
    std::set<ir::LocalId> inner = bound_;
    return closed(id, inner);
  }
  [[nodiscard]] bool closed(ir::ExprId id, std::set<ir::LocalId>& known) const {
    const ir::Expr& expr = words_.protocol[id];
    if (expr.op == ir::Op::self) return false;
    if (expr.op == ir::Op::local) return known.count(ir::LocalId(expr.ref)) != 0;
    known.insert(expr.binders.begin(), expr.binders.end());
    return std::all_of(expr.args.begin(), expr.args.end(),
                       [&](ir::ExprId arg) { return !arg.valid() || closed(arg, known); });
  }

  const Words& words_;
  const ir::Trace& trace_;
  ir::Interpreter interpreter_;
  const std::vector<ir::Interpreter::Binding>& binding_;
  std::set<ir::LocalId> bound_;
  std::set<std::string> seen_;
  std::vector<NamedText> terms_;
  std::vector<NamedText> conditions_;
};

}  // namespace

void explain(TraceView& view, const ir::Protocol& protocol, const ir::Instance& instance, ir::ExprId formula,
             const std::vector<ir::Interpreter::Binding>& binding) {
  const Words words{protocol, instance};
  view.why.clear();
  view.binding.clear();
  for (const auto& [local, value] : binding) {
    const ir::LocalDecl& decl = protocol[local];
    view.binding.emplace_back(decl.name, words.value(decl.type, value));
    view.why += (view.why.empty() ? "" : ", ") + view.binding.back().first + " = " + view.binding.back().second;
  }
  if (view.raw.states.empty()) return;
  Explanation explanation(words, view.raw, binding);
  explanation.condition(formula);
  view.evaluation = explanation.take();
}

}  // namespace tenet::result
