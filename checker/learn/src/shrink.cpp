#include "shrink.h"

#include <utility>
#include <variant>

#include "tenet/ir/interpreter.h"
#include "values.h"

namespace tenet::learn {

namespace {

using ir::TypeKind;
using ir::Value;

class Shrinker {
 public:
  Shrinker(const ir::Protocol& protocol, const std::vector<ir::ExprId>& hypotheses, ir::ExprId goal,
           induct::Counterexample& found)
      : p_(protocol),
        hypotheses_(hypotheses),
        goal_(goal),
        found_(found),
        interpreter_(protocol, found.instance, found.constants),
        values_(protocol) {
    sample_.instance = &found_.instance;
    sample_.constants = found_.constants;
  }

  void run() {
    if (!found_.action || !still(found_.before)) return;
    for (std::size_t i = found_.before.network.size(); i-- > 0;) {
      ir::State smaller = found_.before;
      smaller.network.erase(smaller.network.begin() + static_cast<std::ptrdiff_t>(i));
      if (still(smaller)) found_.before = std::move(smaller);
    }
    for (std::size_t v = 0; v < p_.variables.size(); ++v) {
      for (std::size_t host = 0; host < found_.before.variables[v].size(); ++host) variable(v, host);
    }
    ir::Outcome outcome = interpreter_.apply(found_.before, *found_.action);
    if (auto* happened = std::get_if<ir::Happened>(&outcome)) found_.after = std::move(happened->next);
  }

 private:
  void variable(std::size_t v, std::size_t host) {
    for (bool changed = true; changed;) {
      changed = false;
      std::vector<Value> simpler;
      collect(p_.variables[v].type, found_.before.variables[v][host], simpler);
      for (Value& value : simpler) {
        ir::State smaller = found_.before;
        smaller.variables[v][host] = std::move(value);
        if (!still(smaller)) continue;
        found_.before = std::move(smaller);
        changed = true;
        break;
      }
    }
  }

  /// Values with one thing less.
  void collect(ir::TypeId type, const Value& value, std::vector<Value>& out) const {
    const ir::Type& t = p_[type];
    const auto parts = [&](std::size_t i, ir::TypeId of) {
      std::vector<Value> inner;
      collect(of, value.items[i], inner);
      for (Value& each : inner) {
        out.push_back(value);
        out.back().items[i] = std::move(each);
      }
    };
    switch (t.kind) {
      case TypeKind::boolean:
        if (value.number != 0) out.push_back({0, {}});
        return;
      case TypeKind::option:
        if (value.number != 0) out.emplace_back();
        return;
      case TypeKind::set:
        for (std::size_t i = 0; i < value.items.size(); ++i) {
          out.push_back(value);
          out.back().items.erase(out.back().items.begin() + static_cast<std::ptrdiff_t>(i));
        }
        return;
      case TypeKind::map:
        for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
          out.push_back(value);
          out.back().items.erase(out.back().items.begin() + static_cast<std::ptrdiff_t>(i),
                                 out.back().items.begin() + static_cast<std::ptrdiff_t>(i + 2));
        }
        return;
      case TypeKind::function:
        for (std::size_t i = 0; i < value.items.size(); ++i) parts(i, t.second);
        return;
      case TypeKind::structure:
        for (std::size_t i = 0; i < value.items.size(); ++i) {
          parts(i, p_[ir::StructId(t.declaration)].fields[i].type);
        }
        return;
      default:
        return;
    }
  }

  bool holds(ir::ExprId formula, const ir::State& state) {
    sample_.state = state;
    values_.look_at(sample_);
    const bool value = values_.truth(formula);
    if (values_.known()) return value;
    const auto slow = interpreter_.holds(formula, state);
    const bool* known = std::get_if<bool>(&slow);
    return known != nullptr && *known;
  }

  bool still(const ir::State& before) {
    const ir::Outcome outcome = interpreter_.apply(before, *found_.action);
    if (!goal_.valid()) {
      if (!std::holds_alternative<ir::Fault>(outcome)) return false;
    } else {
      const auto* happened = std::get_if<ir::Happened>(&outcome);
      if (happened == nullptr) return false;
      const auto after = interpreter_.holds(goal_, happened->next, &before);
      const bool* value = std::get_if<bool>(&after);
      if ((value != nullptr && *value) || ir::is_cut(after)) return false;
    }
    for (const ir::ExprId hypothesis : hypotheses_) {
      if (!holds(hypothesis, before)) return false;
    }
    return true;
  }

  const ir::Protocol& p_;
  const std::vector<ir::ExprId>& hypotheses_;
  ir::ExprId goal_;
  induct::Counterexample& found_;
  ir::Interpreter interpreter_;
  Values values_;
  Sample sample_;
};

}  // namespace

void shrink(const ir::Protocol& protocol, const std::vector<ir::ExprId>& hypotheses, ir::ExprId goal,
            induct::Counterexample& found) {
  Shrinker(protocol, hypotheses, goal, found).run();
}

}  // namespace tenet::learn
