// A run replayed record by record: which calls are open, what the variables look like, what the context is.
//
// State is bounded: frames of open calls, one entry per function and thread, the last two states per variable.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "facts.h"
#include "tenet/training/record.h"

namespace tenet::training {

inline constexpr std::int64_t kNoStep = -1;

// One open call.
struct Frame {
  Symbol function = 0;
  Symbol caller = 0;
  std::uint64_t call = 0;
  std::uint64_t entered = 0;  // event number
  std::uint64_t ordinal = 0;  // earlier calls of the function on this thread
  std::int64_t step = kNoStep;
  FactsId facts = 0;
  const Layout* layout = nullptr;
  std::vector<std::uint64_t> values;

  [[nodiscard]] bool get(Symbol key, Value& out) const noexcept;
};

// What is remembered of a function on one thread, as event numbers (0 = never).
struct FunctionState {
  std::uint64_t last_enter = 0;
  std::uint64_t last_exit = 0;
  std::uint64_t calls = 0;
  FactsId last_facts = 0;
  std::int64_t last_step = kNoStep;
};

struct Thread {
  std::uint16_t number = 0;
  std::vector<Frame> frames;
  std::size_t depth = 0;
  std::vector<FunctionState> functions;  // by symbol
  Facts context;                         // of the thread alone

  [[nodiscard]] Frame* top() noexcept { return depth == 0 ? nullptr : &frames[depth - 1]; }
  [[nodiscard]] FunctionState& function(Symbol symbol) {
    if (symbol >= functions.size()) functions.resize(symbol + 256);
    return functions[symbol];
  }
};

struct Variable {
  Symbol name = 0;
  Symbol type = 0;
  Symbol kind = 0;             // last part of the name: "weight", "bias"
  std::uint64_t observed = 0;  // event number of the last state
  std::uint64_t observed_before = 0;
  FactsId facts = 0;
  const Layout* layout = nullptr;
  std::vector<std::uint64_t> values;
  const Layout* layout_before = nullptr;  // null: this is the first state
  std::vector<std::uint64_t> values_before;
  std::vector<std::pair<Symbol, std::uint64_t>> changed;  // key, event number of its last change

  [[nodiscard]] bool get(Symbol key, Value& out) const noexcept;
  [[nodiscard]] bool get_before(Symbol key, Value& out) const noexcept;
  [[nodiscard]] std::uint64_t last_change(Symbol key) const noexcept;
};

struct Process {
  std::uint16_t number = 0;
  std::uint64_t event = 0;  // number of the current event, from 1
  std::uint64_t time = 0;
  std::int64_t step = kNoStep;
  std::int64_t rank = 0;
  std::unordered_map<Symbol, Value> context;
  Facts context_facts;  // what may be a condition
  Facts placement;      // where it stands among its peers
  std::vector<std::unique_ptr<Thread>> threads;
  std::unordered_map<std::uint64_t, std::unique_ptr<Variable>> variables;  // by type and name
  std::unordered_map<Symbol, std::list<Variable*>> recent;                 // by type, most recently observed first
  std::unordered_map<std::uint64_t, std::list<Variable*>::iterator> places;
  std::unordered_map<Symbol, Value> scalars;
  std::unordered_map<Symbol, std::uint64_t> calls;  // by function, whole run

  [[nodiscard]] Variable* find(Symbol type, Symbol name) noexcept;
  static std::uint64_t key(Symbol type, Symbol name) noexcept { return static_cast<std::uint64_t>(type) << 32U | name; }
};

// What happens during a replay. `frame` on exit is still on the stack. All references are valid during the call only.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on_enter(Process& /*process*/, Thread& /*thread*/, Frame& /*frame*/) {}
  virtual void on_exit(Process& /*process*/, Thread& /*thread*/, Frame& /*frame*/, const Record& /*record*/) {}
  virtual void on_state(Process& /*process*/, Thread& /*thread*/, Variable& /*variable*/) {}
  virtual void on_scalar(Process& /*process*/, Symbol /*name*/, Value /*value*/) {}
  // The step counter goes from `process.step` to `next`.
  virtual void on_step(Process& /*process*/, std::int64_t /*next*/) {}
  virtual void on_end(Process& /*process*/) {}
};

struct ReplayCounts {
  std::uint64_t calls = 0;
  std::uint64_t states = 0;
  std::uint64_t duplicated = 0;  // enter of a call that is open already
  std::uint64_t unmatched = 0;   // exit of a call that is not open
  std::uint64_t unfinished = 0;  // calls that never returned
  std::uint64_t step_restarts = 0;
};

class Replay {
 public:
  Replay(Vocabulary& vocabulary, FactsTable& facts) : names_(vocabulary), facts_(&facts) {}

  void add(Listener& listener) { listeners_.push_back(&listener); }
  void feed(const Record& record);
  void finish();

  [[nodiscard]] const Names& names() const noexcept { return names_; }
  [[nodiscard]] const ReplayCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] std::span<const std::unique_ptr<Process>> processes() const noexcept { return processes_; }

 private:
  Process& process(std::uint16_t number);
  Thread& thread(Process& process, std::uint16_t number);
  void enter(Process& process, Thread& thread, const Record& record);
  void leave(Process& process, Thread& thread, const Record& record);
  void state(Process& process, Thread& thread, const Record& record);
  void context(Process& process, Thread& thread, const Record& record);
  void observe(Process& process, Variable& variable, const Record& record);
  [[nodiscard]] FactsId facts_of(const Process& process, const Thread& thread, Symbol caller, const Layout& layout,
                                 std::span<const std::uint64_t> values, Facts extra);
  [[nodiscard]] bool usable(Symbol key, ValueType type);
  [[nodiscard]] Symbol family(Symbol function);

  Names names_;
  FactsTable* facts_;
  std::vector<Listener*> listeners_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::vector<std::uint8_t> usable_;  // by symbol: 0 unknown; bits 0, 1 boolean known, yes; bits 2, 3 text
  std::vector<Symbol> families_;      // by symbol: 0 unknown, else the name that rules use
  ReplayCounts counts_;
};

// The name under which rules know a function: all optimizers have one `step`, all schedulers another, so that what one
// program teaches holds for the next. Other names stay as they are.
[[nodiscard]] std::string family_name(std::string_view function);

// Whether a job that never calls the function at all is in want of it. A job without data loader or scheduler is not,
// so rules that ask for a call of those are judged only in jobs that use them.
[[nodiscard]] bool is_essential(std::string_view function) noexcept;

// Cleared means none, or a tensor whose norm (in field `norm`) is zero. False if the variable has no such field.
[[nodiscard]] bool is_cleared(Symbol key, Symbol norm, const Variable& variable) noexcept;

}  // namespace tenet::training
