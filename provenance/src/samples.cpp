#include "samples.h"

#include <algorithm>
#include <optional>
#include <random>
#include <variant>

#include "tenet/ir/builder.h"

namespace tenet::provenance {

namespace {
constexpr std::uint64_t kStartLimit = 200000;
constexpr std::size_t kStartsKept = 64;
constexpr std::size_t kManyBinders = 5;

/// A formula "for all binders: if these messages were sent (and more), then …". It can only be false of messages that
/// were sent, so these are what the binders are taken from: of all values there may be millions.
class Sampled {
 public:
  /// Adds expressions to the protocol.
  Sampled(ir::Protocol& p, ir::ExprId formula) : rest_(formula) {
    const ir::Expr all = p[formula];
    if (all.op != ir::Op::forall || all.args.size() != 1 || p[all.args[0]].op != ir::Op::implies) return;
    std::vector<ir::LocalId> bound;
    std::vector<ir::ExprId> conjuncts{p[all.args[0]].args[0]};
    for (std::size_t c = 0; c < conjuncts.size(); ++c) {
      const ir::Expr& sent = p[conjuncts[c]];
      if (sent.op == ir::Op::and_) conjuncts.insert(conjuncts.end(), sent.args.begin(), sent.args.end());
      if (sent.op != ir::Op::sent) continue;
      Pattern pattern;
      pattern.message = ir::MessageId(sent.ref);
      const auto take = [&](ir::ExprId arg) {
        if (!arg.valid()) return true;
        if (p[arg].op != ir::Op::local) return false;
        const ir::LocalId local(p[arg].ref);
        return std::ranges::find(all.binders, local) != all.binders.end();
      };
      if (!std::ranges::all_of(sent.args, take)) continue;
      for (const ir::ExprId arg : sent.args) {
        pattern.locals.push_back(arg.valid() ? std::optional(ir::LocalId(p[arg].ref)) : std::nullopt);
        if (arg.valid()) bound.emplace_back(p[arg].ref);
      }
      patterns_.push_back(std::move(pattern));
    }
    if (patterns_.empty()) return;
    std::vector<ir::LocalId> others;
    for (const ir::LocalId local : all.binders) {
      if (std::ranges::find(bound, local) == bound.end()) others.push_back(local);
    }
    binders_ = others.size();
    ir::Builder b(p);
    rest_ = others.empty() ? all.args[0] : b.quantifier(ir::Op::forall, others, all.args[0]);
  }

  /// How many are taken from all values of their types.
  [[nodiscard]] std::optional<std::size_t> binders() const {
    return patterns_.empty() ? std::nullopt : std::optional(binders_);
  }

  /// Not false, as far as the instance tells.
  [[nodiscard]] bool holds(const ir::Protocol& p, const ir::Interpreter& interpreter, const ir::State& now,
                           const ir::State* before) const {
    if (patterns_.empty()) {
      const auto result = interpreter.holds(rest_, now, before);
      const bool* value = std::get_if<bool>(&result);
      return (value != nullptr && *value) || ir::is_cut(result);
    }
    std::vector<ir::Interpreter::Binding> bindings;
    return holds_from(0, bindings, p, interpreter, now, before);
  }

 private:
  struct Pattern {
    ir::MessageId message;
    std::vector<std::optional<ir::LocalId>> locals;  ///< of the fields, the sender and the addressee
  };
  using Bindings = std::vector<ir::Interpreter::Binding>;

  bool holds_from(std::size_t next, Bindings& bindings, const ir::Protocol& p, const ir::Interpreter& interpreter,
                  const ir::State& now, const ir::State* before) const {
    if (next == patterns_.size()) {
      const auto result = interpreter.evaluate(rest_, bindings, now, before);
      if (const auto* fault = std::get_if<ir::Fault>(&result)) {
        return fault->kind == ir::FaultKind::outside_instance;
      }
      return std::get<ir::Value>(result).number != 0;
    }
    const Pattern& pattern = patterns_[next];
    for (const ir::Packet& packet : now.network) {
      if (packet.message != pattern.message) continue;
      const std::size_t before_this = bindings.size();
      const bool fits = bind(pattern, packet, p, bindings);
      const bool good = !fits || holds_from(next + 1, bindings, p, interpreter, now, before);
      bindings.resize(before_this);
      if (!good) return false;
    }
    return true;
  }

  static bool bind(const Pattern& pattern, const ir::Packet& packet, const ir::Protocol& p, Bindings& bindings) {
    const auto set = [&bindings](ir::LocalId local, ir::Value value) {
      const auto known =
          std::ranges::find_if(bindings, [&](const ir::Interpreter::Binding& b) { return b.local == local; });
      if (known != bindings.end()) return known->value == value;
      bindings.push_back({local, std::move(value)});
      return true;
    };
    const auto host = [&](std::size_t at, const ir::HostRef& ref) {
      if (at >= pattern.locals.size() || !pattern.locals[at]) return true;
      const ir::LocalId local = *pattern.locals[at];
      return p[p[local].type].declaration == ref.role.value && set(local, {static_cast<std::int64_t>(ref.index), {}});
    };
    const std::size_t n = packet.args.size();
    for (std::size_t i = 0; i < n; ++i) {
      if (pattern.locals[i] && !set(*pattern.locals[i], packet.args[i])) return false;
    }
    return host(n, packet.sender) && host(n + 1, packet.addressee);
  }

  std::vector<Pattern> patterns_;
  std::size_t binders_ = 0;
  ir::ExprId rest_;
};
}  // namespace

Samples::Samples(const ir::Protocol& protocol, std::size_t runs, std::size_t steps, const StopFlag* stop)
    : stop_(stop) {
  std::vector<const ir::InstanceDecl*> declared;
  for (const ir::InstanceDecl& decl : protocol.instances) declared.push_back(&decl);
  if (declared.empty()) declared.push_back(nullptr);
  std::mt19937_64 random(1);
  for (const ir::InstanceDecl* decl : declared) {
    Diagnostics diagnostics;
    auto instance = ir::Instance::resolve(protocol, decl, diagnostics);
    if (!instance) continue;
    std::vector<ir::Start> starts;
    const auto enumerated = ir::enumerate_starts(protocol, *instance, kStartLimit, [&](const ir::Start& start) {
      // A reservoir, so that late starts have their chance.
      starts.push_back(start);
      if (starts.size() > kStartsKept) {
        std::swap(starts[random() % kStartsKept], starts.back());
        starts.pop_back();
      }
      return true;
    });
    if (!enumerated || starts.empty()) continue;
    instances_.push_back(*instance);
    for (std::size_t r = 0; r < runs; ++r) {
      const ir::Start& start = starts[random() % starts.size()];
      Run run;
      run.instance = instances_.size() - 1;
      run.constants = start.constants;
      run.states.push_back(start.state);
      runs_.push_back(std::move(run));
    }
  }
  for (Run& run : runs_) {
    if (stopped()) break;
    const ir::Interpreter interpreter(protocol, instances_[run.instance], run.constants);
    for (std::size_t s = 0; s < steps && !stopped(); ++s) {
      std::vector<ir::State> next;
      interpreter.enabled(run.states.back(), [&](const ir::Action&, const ir::Outcome& outcome) {
        const auto* happened = std::get_if<ir::Happened>(&outcome);
        // Steps that change nothing lead nowhere.
        if (happened != nullptr && happened->next != run.states.back()) next.push_back(happened->next);
      });
      if (next.empty()) break;
      run.states.push_back(std::move(next[random() % next.size()]));
    }
  }
}

std::size_t Samples::states() const {
  std::size_t count = 0;
  for (const Run& run : runs_) count += run.states.size();
  return count;
}

std::vector<bool> Samples::surviving(const ir::Protocol& protocol, const std::vector<ir::ExprId>& formulas,
                                     bool between) const {
  std::vector<bool> alive(formulas.size(), true);
  ir::Protocol p = protocol;
  std::vector<Sampled> sampled;
  // A formula over many values takes long to evaluate: it sees fewer states.
  std::vector<std::size_t> stride;
  for (const ir::ExprId formula : formulas) {
    sampled.emplace_back(p, formula);
    stride.push_back(sampled.back().binders().value_or(p[formula].binders.size()) < kManyBinders ? 1 : 7);
  }
  std::size_t tested = 0;
  const auto test = [&](const ir::Interpreter& interpreter, const ir::State& now, const ir::State* before) {
    ++tested;
    for (std::size_t f = 0; f < formulas.size() && !stopped(); ++f) {
      if (!alive[f] || tested % stride[f] != 0) continue;
      alive[f] = sampled[f].holds(p, interpreter, now, before);
    }
  };
  for (const Run& run : runs_) {
    if (stopped()) break;  // the values that the formulas range over are listed anew for each run
    const ir::Interpreter interpreter(p, instances_[run.instance], run.constants);
    for (std::size_t i = 0; i < run.states.size(); ++i) {
      if (!between) {
        test(interpreter, run.states[i], nullptr);
        continue;
      }
      // Neighbours, and some pairs further apart.
      for (std::size_t j = i + 1; j < run.states.size(); j += 1 + 2 * (j - i)) {
        test(interpreter, run.states[j], &run.states[i]);
      }
    }
  }
  if (stopped()) alive.assign(formulas.size(), false);
  return alive;
}

}  // namespace tenet::provenance
