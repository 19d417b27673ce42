#include "process_session.h"

#include <strings.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "responses.h"

namespace tenet::smt {
namespace {

constexpr std::chrono::milliseconds kTick{50};

tl::unexpected<Trouble> fail(Cause cause, std::string reason) {
  return tl::unexpected<Trouble>(Trouble{cause, std::move(reason)});
}

/// The solver's own limit comes first and speaks; this one stops what ignores it.
std::uint64_t address_space(std::uint64_t memory_mb) {
  constexpr std::uint64_t kProgramItself = 512;
  return memory_mb == 0 ? 0 : (memory_mb + kProgramItself) << 20;
}

void add_z3_arguments(const SolverConfig& config, std::vector<std::string>& arguments) {
  const auto flag = [](bool on) { return on ? "true" : "false"; };
  arguments.insert(arguments.end(), {"-in", "-smt2", "smt.random_seed=" + std::to_string(config.seed)});
  arguments.push_back(std::string("smt.mbqi=") + flag(config.mbqi));
  arguments.push_back(std::string("smt.ematching=") + flag(config.ematching));
  arguments.push_back(std::string("smt.auto_config=") + flag(config.auto_config));
  if (config.resource_limit > 0) arguments.push_back("rlimit=" + std::to_string(config.resource_limit));
  if (config.memory_mb > 0) arguments.push_back("-memory:" + std::to_string(config.memory_mb));
  for (const auto& [name, value] : config.options) arguments.push_back(name + '=' + value);
}

void add_cvc5_arguments(const SolverConfig& config, std::vector<std::string>& arguments) {
  arguments.insert(arguments.end(), {"--lang=smt2", "--incremental", "--quiet", "--seed=" + std::to_string(config.seed),
                                     "--sat-random-seed=" + std::to_string(config.seed)});
  if (!config.ematching) arguments.emplace_back("--no-e-matching");
  if (config.resource_limit > 0) arguments.push_back("--rlimit-per=" + std::to_string(config.resource_limit));
  for (const auto& [name, value] : config.options) {
    if (value == "true" || value == "false") {
      arguments.push_back((value == "true" ? "--" : "--no-") + name);
    } else {
      arguments.push_back("--" + name + '=' + value);
    }
  }
}

}  // namespace

std::vector<std::string> command_line(const SolverConfig& config) {
  std::vector<std::string> arguments = config.arguments;
  if (config.dialect == Dialect::z3) add_z3_arguments(config, arguments);
  if (config.dialect == Dialect::cvc5) add_cvc5_arguments(config, arguments);
  return arguments;
}

Reply<std::unique_ptr<ProcessSession>> ProcessSession::start(const SolverConfig& config, const Watch& watch) {
  auto child = ChildProcess::start({config.program, command_line(config), address_space(config.memory_mb)});
  if (!child) {
    return fail(Cause::unavailable, child.error().message + "; install it or put it into PATH");
  }
  std::unique_ptr<ProcessSession> session(new ProcessSession(config, std::move(*child)));
  if (auto introduced = session->introduce(config, watch); !introduced) {
    return tl::unexpected<Trouble>(std::move(introduced.error()));
  }
  return session;
}

Reply<void> ProcessSession::introduce(const SolverConfig& config, const Watch& watch) {
  command("(set-option :print-success true)\n");
  command("(set-option :produce-models true)\n");
  command("(set-option :produce-unsat-assumptions true)\n");
  if (const auto learned = learn_echo(watch); !learned) return learned;
  const auto name_answer = ask("(get-info :name)\n", watch);
  if (!name_answer) return tl::unexpected<Trouble>(name_answer.error());
  const auto version_answer = ask("(get-info :version)\n", watch);
  if (!version_answer) return tl::unexpected<Trouble>(version_answer.error());
  const auto name = parse_info(*name_answer, ":name");
  const auto version = parse_info(*version_answer, ":version");
  if (!name || !version) return fail(Cause::garbage, "'" + program_ + "' does not tell its name and version");
  identity_ = *name + ' ' + *version;
  if (!config.required_name.empty() && ::strcasecmp(name->c_str(), config.required_name.c_str()) != 0) {
    return fail(Cause::unavailable, "'" + program_ + "' is " + identity_ + ", not " + config.required_name);
  }
  if (!version_at_least(*version, config.minimum_version)) {
    return fail(Cause::unavailable,
                "'" + program_ + "' is " + identity_ + "; version " + config.minimum_version + " or later is needed");
  }
  command("(set-logic ALL)\n");
  return {};
}

/// Some solvers also acknowledge an echo.
Reply<void> ProcessSession::learn_echo(const Watch& watch) {
  for (std::size_t i = 0; i < 2; ++i) out_ += "(echo \"tenet\")\n";
  for (; unacknowledged_ > 0; --unacknowledged_) {
    if (const auto done = expect("success", watch); !done) return done;
  }
  if (const auto first = expect("tenet", watch); !first) return first;
  const auto second = answer(watch);
  if (!second) return tl::unexpected<Trouble>(second.error());
  if (second->value == "tenet") return {};
  echo_acknowledged_ = second->is_atom("success");
  if (echo_acknowledged_) unacknowledged_ = 1;
  return echo_acknowledged_ ? expect("tenet", watch) : fail(Cause::garbage, "'" + shown(*second) + "' for an echo");
}

Reply<void> ProcessSession::expect(std::string_view text, const Watch& watch) {
  const auto reply = answer(watch);
  if (!reply) return tl::unexpected<Trouble>(reply.error());
  if (!reply->is_list() && reply->value == text) return {};
  return fail(Cause::garbage, "'" + shown(*reply) + "' for '" + std::string(text) + "'");
}

void ProcessSession::command(std::string_view text, std::size_t count) {
  out_ += text;
  unacknowledged_ += count;
}

Reply<SExpr> ProcessSession::ask(std::string_view question, const Watch& watch) {
  const std::string mark = "tenet-" + std::to_string(++questions_);
  out_ += question;
  out_ += "(echo \"" + mark + "\")\n";
  for (; unacknowledged_ > 0; --unacknowledged_) {
    if (const auto done = expect("success", watch); !done) return tl::unexpected<Trouble>(done.error());
  }
  auto reply = answer(watch);
  if (!reply) return reply;
  if (const auto done = expect(mark, watch); !done) return tl::unexpected<Trouble>(done.error());
  unacknowledged_ = echo_acknowledged_ ? 1 : 0;
  return reply;
}

Reply<SExpr> ProcessSession::answer(const Watch& watch) {
  std::string in;
  for (;;) {
    if (auto expr = reader_.next()) {
      if (auto message = parse_error(*expr)) return fail(cause_of_error(*message), std::move(*message));
      return std::move(*expr);
    }
    if (!reader_.error().empty()) return fail(Cause::garbage, reader_.error());
    if (watch.interrupted && watch.interrupted()) return tl::unexpected<Trouble>(trouble(ChildProcess::Event::woken));
    ChildProcess::Deadline until = watch.deadline;
    if (watch.polled) {
      const auto tick = std::chrono::steady_clock::now() + kTick;
      until = until ? std::min(*until, tick) : tick;
    }
    const ChildProcess::Event event = child_->exchange(out_, in, until, *watch.wake);
    if (event == ChildProcess::Event::woken) watch.wake->clear();
    const bool tick = event == ChildProcess::Event::late && until != watch.deadline;
    if ((event == ChildProcess::Event::late && !tick) || event == ChildProcess::Event::closed) {
      return tl::unexpected<Trouble>(trouble(event));
    }
    reader_.feed(in);
    in.clear();
  }
}

Trouble ProcessSession::trouble(ChildProcess::Event event) {
  switch (event) {
    case ChildProcess::Event::late:
      return {Cause::wall_clock, "stopped after " + std::to_string(limit_ms_) + " ms of wall clock"};
    case ChildProcess::Event::woken:
      return {Cause::interrupted, "interrupted"};
    default:
      break;
  }
  const std::string how = child_->finish();
  const bool memory = how.find("memory") != std::string::npos || how.find("bad_alloc") != std::string::npos;
  return {memory ? Cause::memory : Cause::died, "the solver's process " + how};
}

}  // namespace tenet::smt
