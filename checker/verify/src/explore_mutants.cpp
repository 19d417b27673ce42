#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "evidence.h"
#include "parallel.h"
#include "session.h"
#include "tenet/ir/edit.h"

namespace tenet::verify {
namespace {

using result::Finding;
using result::Level;
using result::Verdict;

std::string_view kind_name(ir::MutationKind kind) {
  switch (kind) {
    case ir::MutationKind::drop_conjunct:
      return "drop-conjunct";
    case ir::MutationKind::weaken_comparison:
      return "weaken-comparison";
    case ir::MutationKind::shrink_threshold:
      return "shrink-threshold";
    case ir::MutationKind::drop_assignment:
      return "drop-assignment";
    case ir::MutationKind::drop_send:
      return "drop-send";
  }
  return "edit";
}

/// How a mutant gave itself away; `rule` stays empty if it did not.
struct Outcome {
  std::string rule;
  std::string message;
};

/// Of what one exploration found, the first that refutes the mutant and whose
/// trace replays.
Outcome judged(const ir::Protocol& mutant, const Exploration& e) {
  for (const explore::Found& found : e.report->found) {
    const bool violation = found.kind == explore::FoundKind::violation;
    if (!violation && found.kind != explore::FoundKind::fault) continue;
    if (!undecided_start(mutant, *e.instance.instance, found.trace).empty()) continue;
    const std::string wrong = objection(mutant, *e.instance.instance, found);
    if (!wrong.empty()) return {"trace-does-not-replay", "the explorer's trace does not replay: " + wrong};
    const std::string when = after_steps(found.trace) + " in " + e.instance.name;
    if (violation && !found.fault) {
      return {"mutant-refuted", fmt::format("violates {} {}", mutant[found.property].name, when)};
    }
    return {"mutant-refuted-by-error", "an error of the specification " + when};
  }
  return {};
}

/// What the protocol can do and the mutant cannot, after all instances.
Outcome lost_abilities(const ir::Protocol& mutant, const std::vector<ir::PropertyId>& asked,
                       const std::vector<Exploration>& explorations) {
  for (const ir::PropertyId id : asked) {
    if (mutant[id].kind != ir::PropertyKind::reachable) continue;
    const bool reached = std::any_of(explorations.begin(), explorations.end(), [&](const Exploration& e) {
      return std::any_of(e.report->found.begin(), e.report->found.end(), [&](const explore::Found& found) {
        return found.kind == explore::FoundKind::reached && found.property == id;
      });
    });
    if (!reached) return {"mutant-refuted", "no longer reaches " + mutant[id].name};
  }
  for (std::size_t s = 0; s < mutant.steps.size(); ++s) {
    const ir::StepId step(s);
    const bool never = std::all_of(explorations.begin(), explorations.end(), [&](const Exploration& e) {
      const auto& list = e.report->never_enabled;
      return std::find(list.begin(), list.end(), step) != list.end();
    });
    if (never) return {"mutant-refuted", step_place(mutant, step) + " can never happen any more"};
  }
  return {};
}

Outcome try_mutant(const Runner& runner, const Options& options, const result::FileResult& file,
                   const ir::Mutant& mutant, std::size_t index, std::size_t count) {
  const std::vector<ir::PropertyId> asked = asked_properties(mutant.protocol, options.properties);
  std::vector<Finding> problems;
  const auto instances = resolve_instances(mutant.protocol, options.instance, problems);
  std::vector<Exploration> explorations;
  std::string undecided;
  for (const NamedInstance& instance : instances) {
    if (runner.stopped()) return {"mutant-undecided", "interrupted"};
    Exploration e = runner.run({.protocol = mutant.protocol,
                                .instance = instance,
                                .source = *file.source,
                                .label = fmt::format("{}, mutant {} of {}", file.protocol, index + 1, count),
                                .salt = "mutant " + std::to_string(index),
                                .threads = 1,
                                .memory_bytes = options.memory_bytes / options.jobs,
                                .properties = asked,
                                .max_violations = 1,
                                .first_only = true,
                                .deadlocks = false});
    if (!e.report) {
      // The protocol itself starts: an edit after which nothing does shows at once.
      const bool cannot_start = e.error.kind == ErrorKind::bad_input;
      if (cannot_start) return {"mutant-refuted-by-error", e.error.message};
      undecided = instance.name + ": " + e.error.message;
      continue;
    }
    if (Outcome outcome = judged(mutant.protocol, e); !outcome.rule.empty()) return outcome;
    if (!e.finished() && e.report->end != explore::End::satisfied) {
      undecided = fmt::format("{}: {} after {} states", instance.name, describe(e), e.report->states);
    }
    explorations.push_back(std::move(e));
  }
  if (!undecided.empty()) return {"mutant-undecided", undecided};
  if (Outcome lost = lost_abilities(mutant.protocol, asked, explorations); !lost.rule.empty()) return lost;
  return {"mutant-survived", "no property notices this edit"};
}

}  // namespace

void explore_mutants(const Runner& runner, const Options& options, result::FileResult& file) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<ir::Mutant> mutants = ir::mutants(*file.ir);
  std::vector<Outcome> outcomes(mutants.size());
  parallel_for(mutants.size(), options.jobs,
               [&](std::size_t i) { outcomes[i] = try_mutant(runner, options, file, mutants[i], i, mutants.size()); });
  for (std::size_t i = 0; i < mutants.size(); ++i) {
    Finding finding;
    finding.rule = outcomes[i].rule;
    finding.message = outcomes[i].message;
    finding.subject = mutants[i].description;
    finding.subject_kind = "mutant";
    finding.category = kind_name(mutants[i].kind);
    finding.span = mutants[i].span;
    const bool refuted = finding.rule == "mutant-refuted" || finding.rule == "mutant-refuted-by-error";
    finding.level = refuted ? Level::pass : Level::note;
    if (finding.rule == "trace-does-not-replay") {
      finding.level = Level::failure;
      finding.verdict = Verdict::internal_error;
    }
    file.findings.push_back(std::move(finding));
  }
  file.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace tenet::verify
