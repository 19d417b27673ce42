#include "reads.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace tenet::frontend::pyv {
namespace {

/// Visits every node with the names bound around it. The value of a `let` is
/// outside its variable's scope.
class Walk {
 public:
  using Visit = std::function<void(const Expr&, int state, bool bound)>;
  explicit Walk(Visit visit) : visit_(std::move(visit)) {}
  void bind(const std::vector<Variable>& variables) {
    for (const Variable& variable : variables) bound_.push_back(variable.name);
  }

  void run(const Expr& e, int state) {
    const bool named = e.kind == Kind::name || e.kind == Kind::apply;
    const bool bound = named && std::find(bound_.begin(), bound_.end(), e.name) != bound_.end();
    visit_(e, state, bound);
    if (e.kind == Kind::next) ++state;
    std::size_t first = 0;
    if (e.kind == Kind::let) {
      run(*e.args[0], state);
      first = 1;
    }
    bind(e.variables);
    for (std::size_t i = first; i < e.args.size(); ++i) run(*e.args[i], state);
    bound_.resize(bound_.size() - e.variables.size());
  }

 private:
  Visit visit_;
  std::vector<std::string> bound_;
};

}  // namespace

std::vector<Name> free_names(const Expr& expr) {
  std::vector<Name> names;
  std::set<std::string> seen;
  Walk walk([&](const Expr& e, int, bool bound) {
    if (e.kind == Kind::name && !bound && seen.insert(e.name).second) names.push_back({e.name, e.span});
  });
  walk.run(expr, 0);
  return names;
}

std::vector<Read> reads_of(const Program& program, const Expr& expr) {
  std::vector<Read> reads;
  std::set<std::pair<int, std::size_t>> seen;
  const auto add = [&](int state, std::size_t symbol, Span span) {
    if (program.file.symbols[symbol].is_mutable && seen.insert({state, symbol}).second) {
      reads.push_back({state, symbol, span});
    }
  };
  Walk walk([&](const Expr& e, int state, bool bound) {
    if ((e.kind != Kind::name && e.kind != Kind::apply) || bound) return;
    const Meaning* meaning = program.find(e.name);
    if (meaning == nullptr) return;
    const int shifted = state + static_cast<int>(e.primes);
    if (meaning->kind == Meaning::Kind::symbol) return add(shifted, meaning->index, e.span);
    for (const Read& read : program.reads[meaning->index]) add(shifted + read.state, read.symbol, e.span);
  });
  walk.run(expr, 0);
  return reads;
}

std::vector<std::size_t> call_order(const Program& program, std::vector<std::size_t>& circular) {
  const std::size_t count = program.file.definitions.size();
  std::vector<std::vector<std::size_t>> callees(count);
  for (std::size_t i = 0; i < count; ++i) {
    Walk walk([&](const Expr& e, int, bool bound) {
      if ((e.kind != Kind::name && e.kind != Kind::apply) || bound) return;
      const Meaning* meaning = program.find(e.name);
      if (meaning != nullptr && meaning->kind == Meaning::Kind::definition) callees[i].push_back(meaning->index);
    });
    walk.bind(program.file.definitions[i].parameters);
    walk.run(*program.file.definitions[i].body, 0);
  }
  // Depth first, without recursion: chains of calls may be long.
  enum class Mark { fresh, open, done };
  std::vector<Mark> marks(count, Mark::fresh);
  std::vector<std::size_t> order;
  for (std::size_t root = 0; root < count; ++root) {
    std::vector<std::pair<std::size_t, std::size_t>> stack;  // definition, next callee
    if (marks[root] == Mark::fresh) stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [at, next] = stack.back();
      marks[at] = Mark::open;
      if (next < callees[at].size()) {
        const std::size_t callee = callees[at][next++];
        if (marks[callee] == Mark::open) circular.push_back(callee);
        if (marks[callee] == Mark::fresh) stack.emplace_back(callee, 0);
        continue;
      }
      marks[at] = Mark::done;
      order.push_back(at);
      stack.pop_back();
    }
  }
  return order;
}

}  // namespace tenet::frontend::pyv
