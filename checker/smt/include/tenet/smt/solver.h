/// One interface to every solver.
///
///     TermManager m;
///     const Term x = m.constant("x", m.integer_sort());
///     std::unique_ptr<Solver> solver = make_solver(z3_config());
///     solver->assert_term(m.lt(x, m.integer(0)), "x is negative");
///     const CheckResult result = solver->check();
///     if (result.answer == Answer::sat) { const Result<Value> value = solver->value(x); … }
///
/// A solver belongs to one thread at a time; `interrupt` may be called from
/// any. The manager of the terms must outlive it. Nothing here throws, and
/// trouble of any kind (a solver that is missing, dies, hangs, prints garbage
/// or contradicts another) is an `unknown` with its cause: never a verdict.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/base/stop.h"
#include "tenet/smt/query.h"
#include "tenet/smt/term.h"
#include "tenet/smt/value.h"

namespace tenet::smt {

/// Why there is no verdict.
enum class Cause : std::uint8_t {
  none,            ///< there is one
  incomplete,      ///< the solver gave up: the question is too hard for its method
  resource_limit,  ///< the resource limit was used up
  wall_clock,      ///< the last resort against a hang; says nothing about the question
  memory,          ///< out of memory
  interrupted,     ///< `interrupt` was called
  unavailable,     ///< no such program, or not the solver or version asked for
  died,            ///< the solver's process ended
  garbage,         ///< its answer was not understood
  refused,         ///< it reported an error
  disagreement,    ///< two solvers contradict each other: one of them is wrong
  misuse,          ///< a question that cannot be asked (an open term, for example)
};

[[nodiscard]] std::string_view name_of(Cause cause);

enum class Backend : std::uint8_t {
  z3_in_process,
  process,  ///< any SMT-LIB 2 solver as a child process
};

/// How a child process is spoken to beyond the standard.
enum class Dialect : std::uint8_t { generic, z3, cvc5 };

/// Which solver, and how it is set up. Everything that can change a verdict
/// is here, so two runs with equal configurations repeat.
struct SolverConfig {
  Backend backend = Backend::z3_in_process;
  std::uint64_t resource_limit = 0;  ///< for each check, in the solver's own unit; 0: none
  std::uint32_t seed = 0;
  bool mbqi = true;         ///< Z3: model-based instantiation of quantifiers
  bool ematching = true;    ///< instantiation by patterns
  bool auto_config = true;  ///< Z3: adapts its settings to the question
  /// Further options by the solver's own names ("smt.relevancy", "enum-inst").
  std::vector<std::pair<std::string, std::string>> options;
  std::uint64_t memory_mb = 0;            ///< 0: none. Z3 in process: of all its contexts together
  std::uint32_t wall_clock_ms = 600'000;  ///< the last resort; far above what the resource limit takes. 0: none

  // Of a process only
  Dialect dialect = Dialect::generic;
  std::string program;                   ///< looked up in PATH unless it has a slash
  std::vector<std::string> arguments;    ///< before those made from the above
  std::string required_name;             ///< what it must call itself; empty: anything
  std::string minimum_version;           ///< "1.0"; empty: any
  std::size_t answer_limit = 64u << 20;  ///< bytes of one answer that are read

  friend bool operator==(const SolverConfig&, const SolverConfig&) = default;
};

/// Z3 as a library.
[[nodiscard]] SolverConfig z3_config();
/// The `z3` program over a pipe.
[[nodiscard]] SolverConfig z3_process_config();
/// The `cvc5` program over a pipe.
[[nodiscard]] SolverConfig cvc5_config();

/// "Z3 in process seed=1 limit=100000 mbqi=off": for reports and cache keys;
/// different for configurations that can answer differently.
[[nodiscard]] std::string describe(const SolverConfig& config);

/// What one member of a portfolio answered.
struct Attempt {
  std::string solver;
  Answer answer = Answer::unknown;
  Cause cause = Cause::none;
  std::string reason;
  std::uint64_t resources = 0;
  double seconds = 0;
};

struct CheckResult {
  Answer answer = Answer::unknown;
  Cause cause = Cause::none;  ///< `none` exactly if the answer is not unknown
  std::string reason;         ///< of an unknown: one sentence for people
  /// After unsat: names of assertions and assumptions that together are
  /// unsatisfiable with the unnamed assertions, in the order they were given.
  /// Not necessarily minimal.
  std::vector<std::string> core;
  std::vector<Term> core_assumptions;
  std::string solver;             ///< name and version of who answered: "Z3 4.8.12 in process"
  std::string configuration;      ///< `describe` of it
  std::uint64_t resources = 0;    ///< used by this check, in the solver's unit; 0 if it does not tell
  double seconds = 0;             ///< wall clock
  std::vector<Attempt> attempts;  ///< of a portfolio: every member that was asked, in their order
};

/// Since the solver was made.
struct Statistics {
  std::uint64_t checks = 0, sat = 0, unsat = 0, unknown = 0;
  std::uint64_t resources = 0;
  double seconds = 0;
  std::uint64_t restarts = 0;  ///< times the solver was set up again after trouble
};

class Solver {
 public:
  virtual ~Solver() = default;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  void push();
  /// Forgets what was asserted since the matching push; of more levels than
  /// there are: all.
  void pop(std::size_t levels = 1);
  [[nodiscard]] std::size_t level() const { return levels_.size(); }

  /// A closed Boolean term; anything else makes every check at this level
  /// answer unknown (misuse).
  void assert_term(Term term, std::string_view name = {});

  /// Assumptions are Boolean constants or negations of such.
  [[nodiscard]] CheckResult check(std::span<const Term> assumptions = {});

  /// The value of a closed term in the model of the last check, which must
  /// have answered sat with nothing asserted, pushed or popped since.
  [[nodiscard]] Result<Value> value(Term term);

  /// Stops the running check, or else the next one at its start; that check
  /// answers unknown (interrupted). Safe from any thread; not from a signal
  /// handler.
  void interrupt() noexcept;
  /// From now on checks are interrupted, too, once `stop` is requested, which is looked at some twenty times a second;
  /// null: nothing stops them. It must outlive the solver.
  void stop_on(const StopFlag* stop) {
    stop_ = stop;
    on_stop_on(stop);
  }
  /// Takes back an interrupt that has not stopped a check yet.
  void reset_interrupt() noexcept { interrupted_.store(false); }

  [[nodiscard]] const Statistics& statistics() const { return statistics_; }
  [[nodiscard]] virtual std::string configuration() const = 0;

  /// What `check` would ask now.
  [[nodiscard]] Query query(std::span<const Term> assumptions = {}) const;

 protected:
  Solver() = default;

  /// Told after the stack has changed.
  virtual void on_push() = 0;
  virtual void on_pop(std::size_t levels) = 0;
  virtual void on_assert(const Assertion& assertion) = 0;
  /// Time, statistics, and the order of the core are the caller's business.
  virtual CheckResult on_check(std::span<const Term> assumptions) = 0;
  virtual Result<Value> on_value(Term term) = 0;
  /// Called from other threads, whether or not a check is running.
  virtual void on_interrupt() noexcept = 0;

  [[nodiscard]] const std::vector<Assertion>& assertions() const { return assertions_; }
  /// For every level the number of assertions below it.
  [[nodiscard]] const std::vector<std::size_t>& levels() const { return levels_; }
  virtual void on_stop_on(const StopFlag* /*stop*/) {}

  [[nodiscard]] bool interrupt_requested() const noexcept {
    return interrupted_.load() || (stop_ != nullptr && stop_->requested());
  }
  /// Whether an interrupt may come without `on_interrupt` being called.
  [[nodiscard]] bool has_stop() const noexcept { return stop_ != nullptr; }
  void count_restart() { ++statistics_.restarts; }

 private:
  [[nodiscard]] std::string complaint(std::span<const Term> assumptions) const;
  void order_core(CheckResult& result, std::span<const Term> assumptions) const;

  std::vector<Assertion> assertions_;
  std::vector<std::size_t> levels_;
  std::string misuse_;  ///< of an assertion; empty: none
  std::size_t misuse_level_ = 0;
  std::atomic<bool> interrupted_{false};
  const StopFlag* stop_ = nullptr;
  bool has_model_ = false;
  Statistics statistics_;
};

/// A solver with this configuration. Starting it is left to the first check,
/// whose answer says if that failed.
[[nodiscard]] std::unique_ptr<Solver> make_solver(const SolverConfig& config);

/// Starts the solver once: its name and version, or why it cannot be used
/// and what to do (`io`).
[[nodiscard]] Result<std::string> probe(const SolverConfig& config);

}  // namespace tenet::smt
