// Any SMT-LIB 2 solver as a child process.
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backends.h"
#include "process_session.h"
#include "responses.h"
#include "writer.h"

namespace tenet::smt {
namespace {

class ProcessSolver final : public Solver {
 public:
  explicit ProcessSolver(SolverConfig config) : config_(std::move(config)) {}
  [[nodiscard]] std::string configuration() const override { return describe(config_); }

 private:
  void on_push() override {
    if (session_) push_level();
  }
  void on_pop(std::size_t levels) override {
    if (!session_) return;
    for (std::size_t i = 0; i < levels; ++i) writer_.pop();
    session_->command("(pop " + std::to_string(levels) + ")\n");
  }
  void on_assert(const Assertion& assertion) override {
    if (session_) add(assertion);
  }
  CheckResult on_check(std::span<const Term> assumptions) override;
  Result<Value> on_value(Term term) override;
  void on_interrupt() noexcept override { wake_.set(); }

  void push_level();
  void add(const Assertion& assertion);
  void declare(std::span<const Term> terms);
  void drop() {
    session_.reset();
    count_restart();
  }
  [[nodiscard]] ProcessSession::Watch watch();
  [[nodiscard]] Reply<void> prepare(const ProcessSession::Watch& watch);
  [[nodiscard]] Reply<void> run(std::span<const Term> assumptions, CheckResult& result);
  [[nodiscard]] Reply<void> read_core(const std::map<std::string, Term>& literals, const ProcessSession::Watch& watch,
                                      CheckResult& result);
  [[nodiscard]] Reply<void> read_resources(const ProcessSession::Watch& watch, CheckResult& result);
  /// Assumptions by their text without quotes.
  [[nodiscard]] std::string question(std::span<const Term> assumptions, std::map<std::string, Term>& literals);

  SolverConfig config_;
  std::unique_ptr<ProcessSession> session_;
  Writer writer_;
  std::uint64_t resources_before_ = 0;
  WakeEvent wake_;
};

std::string without_quotes(const std::string& symbol) {
  std::string result;
  std::copy_if(symbol.begin(), symbol.end(), std::back_inserter(result), [](char c) { return c != '|'; });
  return result;
}

void ProcessSolver::push_level() {
  writer_.push();
  session_->command("(push 1)\n");
}

void ProcessSolver::declare(std::span<const Term> terms) {
  std::string text;
  writer_.declare(terms, text);
  session_->command(text, static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
}

void ProcessSolver::add(const Assertion& assertion) {
  declare({&assertion.term, 1});
  const std::string text = writer_.text(assertion.term);
  if (assertion.name.empty()) {
    session_->command("(assert " + text + ")\n");
    return;
  }
  // A literal for each name: what a core is made of.
  const std::string& name = writer_.names().label(assertion.name);
  if (writer_.declare_label(assertion.name)) session_->command("(declare-fun " + name + " () Bool)\n");
  session_->command("(assert (=> " + name + ' ' + text + "))\n");
}

ProcessSession::Watch ProcessSolver::watch() {
  ProcessSession::Watch watch;
  if (config_.wall_clock_ms > 0) {
    watch.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(config_.wall_clock_ms);
  }
  watch.wake = &wake_;
  watch.interrupted = [this] { return interrupt_requested(); };
  watch.polled = has_stop();
  return watch;
}

Reply<void> ProcessSolver::prepare(const ProcessSession::Watch& watch) {
  if (session_ && !session_->alive()) drop();
  if (session_) return {};
  auto session = ProcessSession::start(config_, watch);
  if (!session) return tl::unexpected<Trouble>(std::move(session.error()));
  session_ = std::move(*session);
  writer_ = Writer();
  resources_before_ = 0;
  std::size_t next = 0;
  for (const std::size_t begin : levels()) {
    for (; next < begin; ++next) add(assertions()[next]);
    push_level();
  }
  for (; next < assertions().size(); ++next) add(assertions()[next]);
  return {};
}

std::string ProcessSolver::question(std::span<const Term> assumptions, std::map<std::string, Term>& literals) {
  std::string list;
  for (const Term assumption : assumptions) {
    const std::string text = writer_.text(assumption);
    literals.emplace(without_quotes(text), assumption);
    list += ' ' + text;
  }
  std::set<std::string> seen;
  for (const Assertion& assertion : assertions()) {
    if (!assertion.name.empty() && seen.insert(assertion.name).second)
      list += ' ' + writer_.names().label(assertion.name);
  }
  return list.empty() ? "(check-sat)\n" : "(check-sat-assuming (" + list.substr(1) + "))\n";
}

Reply<void> ProcessSolver::run(std::span<const Term> assumptions, CheckResult& result) {
  const ProcessSession::Watch watched = watch();
  if (auto prepared = prepare(watched); !prepared) return prepared;
  result.solver = session_->identity();
  declare(assumptions);
  std::map<std::string, Term> literals;
  const std::string text = question(assumptions, literals);
  const auto reply = session_->ask(text, watched);
  if (!reply) return tl::unexpected<Trouble>(reply.error());
  const auto answer = parse_answer(*reply);
  if (!answer) return tl::unexpected<Trouble>(Trouble{Cause::garbage, "'" + shown(*reply) + "' for sat or unsat"});
  if (*answer == Answer::unsat && text != "(check-sat)\n") {
    if (auto read = read_core(literals, watched, result); !read) return read;
  }
  if (*answer == Answer::unknown) {
    const auto why = session_->ask("(get-info :reason-unknown)\n", watched);
    if (!why) return tl::unexpected<Trouble>(why.error());
    result.reason = parse_info(*why, ":reason-unknown").value_or("no reason given");
    result.cause = cause_of_unknown(result.reason);
  }
  if (auto read = read_resources(watched, result); !read) return read;
  if (*answer == Answer::unknown && config_.resource_limit > 0 && result.resources >= config_.resource_limit) {
    result.cause = Cause::resource_limit;  // Z3 often says no more than "unknown"
  }
  result.answer = *answer;
  return {};
}

Reply<void> ProcessSolver::read_core(const std::map<std::string, Term>& literals, const ProcessSession::Watch& watch,
                                     CheckResult& result) {
  const auto reply = session_->ask("(get-unsat-assumptions)\n", watch);
  if (!reply) return tl::unexpected<Trouble>(reply.error());
  std::map<std::string, std::string> names;
  for (const Assertion& assertion : assertions()) {
    if (!assertion.name.empty()) {
      names.emplace(without_quotes(writer_.names().label(assertion.name)), assertion.name);
    }
  }
  const auto core = parse_literals(*reply);
  bool understood = core.has_value();
  for (std::size_t i = 0; understood && i < core->size(); ++i) {
    const auto term = literals.find((*core)[i]);
    const auto name = names.find((*core)[i]);
    if (term != literals.end()) result.core_assumptions.push_back(term->second);
    if (name != names.end()) result.core.push_back(name->second);
    understood = term != literals.end() || name != names.end();
  }
  if (understood) return {};
  return tl::unexpected<Trouble>(Trouble{Cause::garbage, "'" + shown(*reply) + "' for an unsatisfiable core"});
}

Reply<void> ProcessSolver::read_resources(const ProcessSession::Watch& watch, CheckResult& result) {
  if (config_.dialect == Dialect::generic) return {};
  const auto reply = session_->ask("(get-info :all-statistics)\n", watch);
  if (!reply) return tl::unexpected<Trouble>(reply.error());
  if (const auto total = parse_resources(*reply, config_.dialect)) {
    result.resources = *total - std::min(*total, resources_before_);
    resources_before_ = *total;
  }
  return {};
}

CheckResult ProcessSolver::on_check(std::span<const Term> assumptions) {
  wake_.clear();
  CheckResult result;
  auto done = interrupt_requested() ? Reply<void>(tl::unexpected<Trouble>(Trouble{Cause::interrupted, "interrupted"}))
                                    : run(assumptions, result);
  if (done) return result;
  // Whatever had been answered before the trouble does not count.
  CheckResult failed;
  failed.solver = result.solver.empty() ? config_.program : result.solver;
  failed.cause = done.error().cause;
  failed.reason = std::move(done.error().reason);
  if (session_) drop();
  return failed;
}

Result<Value> ProcessSolver::on_value(Term term) {
  if (!session_) return failure(ErrorKind::io, "the solver's process is gone");
  declare({&term, 1});
  const auto reply = session_->ask("(get-value (" + writer_.text(term) + "))\n", watch());
  if (!reply) {
    drop();
    return failure(ErrorKind::io, reply.error().reason);
  }
  if (auto value = parse_value(*reply, term.sort(), writer_.names())) return *value;
  return failure(ErrorKind::io, "'" + shown(*reply) + "' for a value");
}

}  // namespace

std::unique_ptr<Solver> make_process_solver(const SolverConfig& config) {
  return std::make_unique<ProcessSolver>(config);
}

Result<std::string> probe_process(const SolverConfig& config) {
  constexpr std::chrono::seconds kPatience{20};
  WakeEvent wake;
  ProcessSession::Watch watch;
  watch.deadline = std::chrono::steady_clock::now() + kPatience;
  watch.wake = &wake;
  auto session = ProcessSession::start(config, watch);
  if (!session) return failure(ErrorKind::io, session.error().reason);
  return (*session)->identity();
}

}  // namespace tenet::smt
