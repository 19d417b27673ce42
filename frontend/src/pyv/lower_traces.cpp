/// Theorems and traces become trace queries.
#include "lower.h"

namespace tenet::frontend::pyv {

void Lowering::add_assertion(ir::TraceQuery& query, ir::ExprId formula, Span span) {
  ir::TraceItem item;
  item.formula = formula;
  item.span = span;
  query.items.push_back(std::move(item));
}

/// States that no step led to must still be such that derived relations are
/// what they are derived from.
void Lowering::assert_derived(ir::TraceQuery& query, Reading reading, int state) {
  translate_.read(reading);
  for (const Symbol& symbol : p_.file.symbols) {
    if (symbol.derived == nullptr) continue;
    add_assertion(query, translate_.formula(*symbol.derived, nullptr, state), symbol.span);
  }
}

void Lowering::theorem(const Claim& claim) {
  ir::TraceQuery query;
  query.name = claim_name(claim);
  query.claim = ir::TraceClaim::theorem;
  query.initial = false;
  query.span = claim.span;
  const bool two = claim.states == 2;
  if (claim.states > 0) assert_derived(query, Reading::state, 0);
  if (two) {
    ir::TraceItem item;
    item.kind = ir::TraceItemKind::arbitrary;
    item.span = claim.span;
    query.items.push_back(std::move(item));
    assert_derived(query, Reading::two_states, 1);
  }
  translate_.read(two ? Reading::two_states : Reading::state);
  const ir::ExprId formula = translate_.formula(*claim.formula);
  add_assertion(query, translate_.make().negate(formula), claim.span);
  translate_.check_heights(claim.span);
  ir_.traces.push_back(std::move(query));
}

ir::TraceItem Lowering::called(const Component& component) {
  ir::TraceItem item;
  item.kind = ir::TraceItemKind::steps;
  item.span = component.span;
  for (const Call& call : component.calls) {
    ir::TraceCall made;
    for (std::size_t i = 0; i < ir_.steps.size(); ++i) {
      if (ir_.steps[i].name == call.target.text) made.step = ir::StepId(i);
    }
    const std::size_t parameters = ir_[made.step].parameters.size();
    for (std::size_t i = 0; i < parameters; ++i) {
      const Expr* argument = call.has_arguments ? call.arguments[i] : nullptr;
      made.arguments.push_back(argument != nullptr ? translate_.formula(*argument) : ir::ExprId{});
    }
    made.span = call.span;
    item.calls.push_back(std::move(made));
  }
  return item;
}

/// A trace that begins with an assertion begins in any state, unless the
/// assertion is `init`; one that begins with a transition, in an initial state.
void Lowering::trace(const Trace& trace) {
  ir::TraceQuery query;
  query.name = unique(line_name(trace.span), trace_names_);
  query.claim = trace.sat ? ir::TraceClaim::possible : ir::TraceClaim::impossible;
  query.initial = !trace.components.empty() && trace.components.front().kind != Component::Kind::assertion;
  query.span = trace.span;
  for (const Component& component : trace.components) {
    if (component.kind == Component::Kind::initial) query.initial = true;
  }
  if (!query.initial) assert_derived(query, Reading::state, 0);
  translate_.read(Reading::state);
  for (const Component& component : trace.components) {
    switch (component.kind) {
      case Component::Kind::assertion:
        add_assertion(query, translate_.formula(*component.formula), component.span);
        break;
      case Component::Kind::calls:
        query.items.push_back(called(component));
        break;
      case Component::Kind::any: {
        ir::TraceItem item;
        item.kind = ir::TraceItemKind::any;
        item.span = component.span;
        query.items.push_back(std::move(item));
        break;
      }
      case Component::Kind::initial:
        break;
    }
  }
  translate_.check_heights(trace.span);
  ir_.traces.push_back(std::move(query));
}

}  // namespace tenet::frontend::pyv
