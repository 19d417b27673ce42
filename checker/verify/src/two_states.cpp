#include "two_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "deadline.h"
#include "evidence.h"
#include "tenet/result/trace_view.h"

namespace tenet::verify {
namespace {

/// Of the search for one claim.
constexpr double kSeconds = 10;

}  // namespace

void show_unreachable(result::Finding& finding, const ir::Protocol& protocol, const ir::Instance& instance,
                      const ir::Trace& trace, ir::PropertyId property) {
  const NamedInstance where = small_instance(protocol, instance);
  result::TraceView view = result::view(protocol, instance, trace);
  if (property.valid()) {
    const ir::Interpreter interpreter(protocol, instance, trace.constants);
    const auto& states = trace.states;
    view.claim = protocol[property].name;
    result::explain(view, protocol, instance, protocol[property].formula,
                    interpreter.witness(protocol[property].formula, states.back(),
                                        states.size() > 1 ? &states[states.size() - 2] : nullptr));
  }
  finding.category = kUnreachableStart;
  finding.instance = where.description;
  finding.trace_instance = where.instance;
  finding.trace = std::move(view);
}

void show_counterexample(result::Finding& finding, const ir::Protocol& protocol, const induct::Counterexample& shown,
                         ir::PropertyId property) {
  ir::Trace trace;
  trace.constants = shown.constants;
  trace.states = {shown.before};
  if (shown.action && shown.after) {
    trace.actions = {*shown.action};
    trace.states.push_back(*shown.after);
    const ir::Interpreter interpreter(protocol, shown.instance, shown.constants);
    const ir::Outcome outcome = interpreter.apply(shown.before, *shown.action);
    const auto* happened = std::get_if<ir::Happened>(&outcome);
    trace.sends.push_back(happened != nullptr ? happened->sends : std::vector<ir::Packet>());
  }
  show_unreachable(finding, protocol, shown.instance, trace, property);
}

std::vector<result::Finding> not_inductive(const Runner& runner, const Options& options, const ir::Protocol& protocol,
                                           const std::vector<ir::PropertyId>& open) {
  const std::vector<ir::PropertyId> stated = induct::stated_claims(protocol);
  std::vector<induct::Claim> claims;
  for (const ir::PropertyId id : stated) claims.push_back(induct::claim_of(protocol, id));
  std::vector<result::Finding> findings;
  for (const ir::PropertyId id : open) {
    const auto at = std::find(stated.begin(), stated.end(), id);
    if (at == stated.end()) continue;
    runner.report_progress({fmt::format("{}: is {} inductive", protocol.name, protocol[id].name), {}});
    const Deadline deadline(options.stop, std::min(kSeconds, options.prove_seconds));
    induct::Options how;
    how.seed = options.seed;
    how.stop = &deadline.flag();
    std::optional<induct::Obligation> broken;
    try {
      broken = induct::break_claim(protocol, claims, static_cast<std::size_t>(at - stated.begin()), how);
    } catch (const std::bad_alloc&) {
      continue;  // it only explains
    }
    if (!broken) continue;
    result::Finding finding = about(protocol[id]);
    finding.rule = "not-inductive";
    finding.level = result::Level::note;
    finding.message = fmt::format("{} {} is not inductive: though all claims hold before, {} need not keep it",
                                  finding.subject_kind, finding.subject, step_place(protocol, broken->step));
    finding.hint = "either a further lemma excludes the state before the step, or a longer run leads there";
    show_counterexample(finding, protocol, *broken->counterexample, id);
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace tenet::verify
