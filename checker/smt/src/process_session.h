/// A conversation with an SMT-LIB solver in a child process.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "child_process.h"
#include "sexpr.h"
#include "tenet/smt/solver.h"

namespace tenet::smt {

/// Why a conversation is over.
struct Trouble {
  Cause cause = Cause::none;
  std::string reason;
};
template <class T>
using Reply = tl::expected<T, Trouble>;

/// Commands are queued and sent together with the next question; every
/// command is acknowledged (`:print-success`), so a rejected one cannot be
/// overlooked, and every question ends with an echo, so that an answer cannot
/// be taken for that of another question. After any trouble the session is of no further use.
class ProcessSession {
 public:
  struct Watch {
    ChildProcess::Deadline deadline;
    WakeEvent* wake = nullptr;
    std::function<bool()> interrupted;
    bool polled = false;  ///< `interrupted` is asked now and then, and not only when woken
  };

  /// Starts the program, checks who it is and sets it up.
  [[nodiscard]] static Reply<std::unique_ptr<ProcessSession>> start(const SolverConfig& config, const Watch& watch);

  /// Queues commands, one acknowledgement expected for each.
  void command(std::string_view text, std::size_t count = 1);
  /// Sends everything queued and the question, and waits for its answer.
  /// An `(error …)` is trouble (refused).
  [[nodiscard]] Reply<SExpr> ask(std::string_view question, const Watch& watch);

  /// The child is alive, as far as one can tell without asking.
  [[nodiscard]] bool alive() const { return !child_->ended(); }
  [[nodiscard]] const std::string& identity() const { return identity_; }
  [[nodiscard]] pid_t pid() const { return child_->pid(); }

 private:
  ProcessSession(const SolverConfig& config, std::unique_ptr<ChildProcess> child)
      : program_(config.program),
        limit_ms_(config.wall_clock_ms),
        child_(std::move(child)),
        reader_(config.answer_limit) {}
  [[nodiscard]] Reply<SExpr> answer(const Watch& watch);
  [[nodiscard]] Reply<void> introduce(const SolverConfig& config, const Watch& watch);
  [[nodiscard]] Reply<void> learn_echo(const Watch& watch);
  /// The next answer must be this symbol or text.
  [[nodiscard]] Reply<void> expect(std::string_view text, const Watch& watch);
  [[nodiscard]] Trouble trouble(ChildProcess::Event event);

  std::string program_;
  std::uint32_t limit_ms_;
  std::unique_ptr<ChildProcess> child_;
  SExprReader reader_;
  std::string out_;
  std::size_t unacknowledged_ = 0;
  std::size_t questions_ = 0;
  bool echo_acknowledged_ = false;
  std::string identity_;
};

/// The command line for this configuration, without the program.
[[nodiscard]] std::vector<std::string> command_line(const SolverConfig& config);

}  // namespace tenet::smt
