#include "samples.h"

#include <random>
#include <variant>

namespace tenet::provenance {

namespace {
constexpr std::uint64_t kStartLimit = 200000;
constexpr std::size_t kStartsKept = 64;
constexpr std::size_t kManyBinders = 5;
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
  // A formula over many values takes long to evaluate: it sees fewer states.
  std::vector<std::size_t> stride;
  for (const ir::ExprId formula : formulas) stride.push_back(protocol[formula].binders.size() < kManyBinders ? 1 : 7);
  std::size_t tested = 0;
  const auto test = [&](const ir::Interpreter& interpreter, const ir::State& now, const ir::State* before) {
    ++tested;
    for (std::size_t f = 0; f < formulas.size() && !stopped(); ++f) {
      if (!alive[f] || tested % stride[f] != 0) continue;
      const auto result = interpreter.holds(formulas[f], now, before);
      const bool* value = std::get_if<bool>(&result);
      alive[f] = (value != nullptr && *value) || ir::is_cut(result);
    }
  };
  for (const Run& run : runs_) {
    if (stopped()) break;  // the values that the formulas range over are listed anew for each run
    const ir::Interpreter interpreter(protocol, instances_[run.instance], run.constants);
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
