#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "evidence.h"
#include "judge.h"
#include "parallel.h"
#include "session.h"
#include "tenet/ir/printer.h"

namespace tenet::verify {
namespace {

using result::FileResult;
using result::Finding;
using result::Level;
using result::Verdict;

std::optional<ir::PropertyId> property_named(const ir::Protocol& protocol, const std::string& name) {
  for (std::size_t i = 0; i < protocol.properties.size(); ++i) {
    if (protocol.properties[i].name == name) return ir::PropertyId(i);
  }
  return std::nullopt;
}

class VariantRun {
 public:
  VariantRun(const Runner& runner, const Options& options, PreparedVariant& prepared)
      : runner_(runner), options_(options), file_(prepared.file), variant_(*prepared.variant) {}

  void run() {
    finding_.subject = variant_.name;
    finding_.subject_kind = "variant";
    finding_.doc = variant_.doc;
    if (!variant_.description.empty())
      finding_.doc += (finding_.doc.empty() ? "" : " ") + ("(" + variant_.description + ")");
    finding_.span = variant_.expected_span;
    const auto property = property_named(*file_.ir, variant_.expected_property);
    if (!property) {
      finding_ =
          bad_input("unknown-property", fmt::format("the protocol has no property '{}'", variant_.expected_property));
      finding_.span = variant_.expected_span;
    } else if ((*file_.ir)[*property].kind == ir::PropertyKind::reachable) {
      finding_ = bad_input("not-violable",
                           fmt::format("'{}' is a 'reachable': no trace can violate it", variant_.expected_property));
      finding_.span = variant_.expected_span;
    } else {
      search(*property);
    }
    file_.findings.push_back(std::move(finding_));
  }

 private:
  void search(ir::PropertyId property) {
    const auto instances = resolve_instances(*file_.ir, options_.instance, file_.findings);
    if (instances.empty() && file_.findings.empty()) {
      finding_ = bad_input("unknown-instance",
                           fmt::format("{} has no instance '{}'", variant_.protocol_name, options_.instance));
      finding_.span = variant_.expected_span;
      return;
    }
    std::string open;     // why "not violated" cannot be said
    std::string instead;  // what was found in its place
    std::vector<Exploration> tried;
    for (const NamedInstance& instance : instances) {
      if (runner_.stopped()) {
        open = "interrupted";
        break;
      }
      const Exploration& e = tried.emplace_back(explore(instance, property));
      file_.runs.push_back(statistics(e));
      if (!e.report) {
        open = instance.name + ": " + e.error.message;
        continue;
      }
      if (refuted_by(property, e)) return;
      for (const explore::Found& found : e.report->found) {
        if (found.kind == explore::FoundKind::fault && instead.empty()) {
          instead = fmt::format("an error of the specification {} in {}", after_steps(found.trace), instance.name);
        }
      }
      if (!e.finished()) open = fmt::format("{}: {}", instance.name, describe(e));
    }
    finding_.rule = "variant-not-refuted";
    finding_.verdict = Verdict::unknown;
    const std::string why = !open.empty()      ? open
                            : !instead.empty() ? instead + " instead"
                                               : "no violation in " + names_of(tried);
    finding_.message = fmt::format("{} of {} does not violate {}: {}", variant_.name, variant_.protocol_name,
                                   variant_.expected_property, why);
    if (tried.empty() && open.empty()) finding_.message += "no instance";
    // Only when every state was seen, "never" means something.
    if (open.empty()) vacuous(property, tried);
  }

  /// Says why nothing could be violated, if that is so: the property claims
  /// nothing here, or the edit keeps steps from happening.
  void vacuous(ir::PropertyId property, const std::vector<Exploration>& tried) {
    const ir::Protocol& protocol = *file_.ir;
    for (const ir::ExprId side : in_all(tried, &explore::Report::never_true)) {
      if (!occurs(protocol, side, protocol[property].formula)) continue;
      finding_.message += fmt::format("; its left side '{}' is never true there", ir::to_source(protocol, side));
      finding_.hint = "an implication whose left side is never true claims nothing";
    }
    for (const ir::StepId step : in_all(tried, &explore::Report::never_enabled)) {
      finding_.message += fmt::format("; {} can never happen there", step_place(protocol, step));
    }
  }

  Exploration explore(const NamedInstance& instance, ir::PropertyId property) const {
    return runner_.run({.protocol = *file_.ir,
                        .instance = instance,
                        .source = *file_.trace_source,
                        .label = "variant " + variant_.name,
                        .salt = "variant " + std::string(file_.source->text()),
                        .threads = 1,
                        .memory_bytes = options_.memory_bytes / options_.jobs,
                        .properties = {property},
                        .max_violations = 1,
                        .deadlocks = false});
  }

  bool refuted_by(ir::PropertyId property, const Exploration& e) {
    for (const explore::Found& found : e.report->found) {
      if (found.kind != explore::FoundKind::violation || found.property != property || found.fault) continue;
      finding_.rule = "variant-refuted";
      finding_.level = Level::pass;
      finding_.verdict = Verdict::refuted;
      finding_.message = fmt::format("{} of {} violates {} {} in {}", variant_.name, variant_.protocol_name,
                                     variant_.expected_property, after_steps(found.trace), e.instance.name);
      add_evidence(finding_, *file_.ir, e.instance, found);
      return true;
    }
    return false;
  }

  const Runner& runner_;
  const Options& options_;
  FileResult& file_;
  const frontend::Variant& variant_;
  Finding finding_;
};

}  // namespace

std::vector<FileResult> explore_variants(const Runner& runner, const Options& options,
                                         std::vector<LoadedFile> variants) {
  Protocols protocols;
  std::vector<PreparedVariant> prepared;
  for (LoadedFile& variant : variants) prepared.push_back(prepare_variant(protocols, std::move(variant)));
  parallel_for(prepared.size(), options.jobs, [&](std::size_t i) {
    if (!prepared[i].variant) return;
    const auto begin = std::chrono::steady_clock::now();
    VariantRun(runner, options, prepared[i]).run();
    prepared[i].file.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  });
  std::vector<FileResult> results;
  for (PreparedVariant& each : prepared) results.push_back(std::move(each.file));
  return results;
}

}  // namespace tenet::verify
