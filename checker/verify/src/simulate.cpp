#include <fmt/format.h>

#include "evidence.h"
#include "inputs.h"
#include "session.h"
#include "tenet/result/trace_view.h"
#include "tenet/verify/verify.h"

namespace tenet::verify {
namespace {

using result::Finding;
using result::Level;
using result::Verdict;

/// One random run as a finding: what ended it, and the run itself.
Finding run_finding(const ir::Protocol& protocol, const NamedInstance& instance, const explore::SimulatedRun& run,
                    std::size_t number) {
  Finding finding;
  finding.rule = "simulated-run";
  finding.level = Level::note;
  finding.subject = fmt::format("run {}", number);
  finding.subject_kind = "simulated";
  finding.category = "random-run";
  if (!run.found) {
    finding.message = fmt::format("run {}: {} {}{}", number, run.trace.actions.size(),
                                  run.trace.actions.size() == 1 ? "step" : "steps",
                                  run.at_rest ? ", then nothing can happen" : ", no violation on the way");
    explore::Found whole;
    whole.kind = explore::FoundKind::fault;  // nothing is claimed of its end
    whole.trace = run.trace;
    add_evidence(finding, protocol, instance, whole);
    return finding;
  }
  if (run.found->property.valid()) {
    const ir::Property& property = protocol[run.found->property];
    finding = about(property);
    finding.message = fmt::format("run {}: {} {} is violated {}", number, finding.subject_kind, property.name,
                                  after_steps(run.found->trace));
  } else {
    finding.message = fmt::format("run {}: an error of the specification {}", number, after_steps(run.found->trace));
    if (run.found->fault) finding.message += ": " + result::describe(protocol, *run.found->fault);
  }
  finding.category = "random-run";
  finding.rule = run.found->fault ? "fault" : "property-violated";
  finding.level = Level::failure;
  finding.verdict = Verdict::violated;
  add_evidence(finding, protocol, instance, *run.found);
  return finding;
}

/// Random runs are the smallest of bounded answers; the command asks for no more.
Finding no_violation(const ir::Protocol& protocol, const explore::SimulateOptions& options, bool any_step) {
  Finding finding;
  finding.rule = "simulated";
  finding.level = any_step ? Level::pass : Level::failure;
  finding.verdict = any_step ? Verdict::holds_bounded : Verdict::unknown;
  finding.subject = protocol.name;
  finding.subject_kind = "protocol";
  finding.message =
      any_step ? fmt::format("no violation in {} random {} of up to {} {} (seed {}); other runs were not looked at",
                             options.runs, options.runs == 1 ? "run" : "runs", options.steps,
                             options.steps == 1 ? "step" : "steps", options.seed)
               : "no step can happen in the initial states that were tried";
  return finding;
}

/// Too large or not supported is no answer; anything else is wrong in the text.
Finding cannot_simulate(const result::FileResult& file, const Error& error) {
  Finding finding = bad_input(error.id.empty() ? "cannot-simulate" : error.id, error.message);
  finding.subject = file.protocol;
  finding.subject_kind = "protocol";
  // The place is one in the protocol, which is another file than a variant.
  if (!file.trace_source) finding.span = error.span;
  if (error.kind == ErrorKind::bad_input || error.kind == ErrorKind::io) return finding;
  finding.level = Level::failure;
  finding.verdict = error.kind == ErrorKind::internal      ? Verdict::internal_error
                    : error.kind == ErrorKind::unsupported ? Verdict::unsupported
                                                           : Verdict::unknown;
  return finding;
}

}  // namespace

result::RunResult simulate(const std::string& path, const SimulateOptions& options) {
  result::RunResult run;
  run.command = "simulate";
  run.version = options.version;
  run.accept_bounded = true;
  LoadedFile loaded = load_file(path);
  Protocols protocols;
  result::FileResult file = loaded.kind == frontend::FileKind::variant
                                ? prepare_variant(protocols, std::move(loaded)).file
                                : std::move(loaded.result);
  if (file.ir) {
    const ir::Protocol& protocol = *file.ir;
    const auto instances = resolve_instances(protocol, options.instance, file.findings);
    if (instances.empty() && file.findings.empty()) {
      std::vector<std::string> names;
      for (const auto& decl : protocol.instances) names.push_back(decl.name);
      const std::string closest = did_you_mean(options.instance, names);
      run.problems.push_back(bad_input("unknown-instance",
                                       fmt::format("no instance '{}' in {}", options.instance, path),
                                       closest.empty() ? "" : fmt::format("did you mean '{}'?", closest)));
    } else if (!instances.empty()) {
      auto runs = explore::simulate(protocol, *instances.front().instance, options.runs);
      if (!runs) {
        file.findings.push_back(cannot_simulate(file, runs.error()));
      } else {
        bool violated = false;
        bool any_step = false;
        for (std::size_t i = 0; i < runs->size(); ++i) {
          file.findings.push_back(run_finding(protocol, instances.front(), (*runs)[i], i + 1));
          violated = violated || (*runs)[i].found.has_value();
          any_step = any_step || !(*runs)[i].trace.actions.empty();
        }
        if (!violated) file.findings.push_back(no_violation(protocol, options.runs, any_step));
      }
    }
  }
  run.interrupted = options.runs.stop != nullptr && options.runs.stop->requested();
  run.files.push_back(std::move(file));
  return run;
}

}  // namespace tenet::verify
