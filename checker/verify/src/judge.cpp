#include "judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "evidence.h"
#include "inputs.h"
#include "tenet/base/sort.h"
#include "tenet/ir/printer.h"
#include "tenet/result/trace_view.h"
#include "tenet/result/words.h"

namespace tenet::verify {
namespace {

using result::Finding;
using result::Level;
using result::Verdict;

/// A verdict from an exploration that has no report.
Verdict verdict_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::unsupported:
      return Verdict::unsupported;
    case ErrorKind::internal:
      return Verdict::internal_error;
    case ErrorKind::bad_input:
    case ErrorKind::io:
    case ErrorKind::too_large:
    case ErrorKind::interrupted:
      break;
  }
  return Verdict::unknown;
}

class Judge {
 public:
  Judge(const ir::Protocol& protocol, const std::vector<ir::PropertyId>& asked, const Explored& explored)
      : protocol_(protocol), asked_(asked), explored_(explored) {}

  std::vector<Finding> findings() {
    starts();
    if (!unusable_) {
      for (const ir::PropertyId id : asked_) property(id);
      if (asked_.empty()) nothing_asked();
      side_findings();
    }
    return std::move(out_);
  }

 private:
  /// An instance that has no constants or no initial state: nothing that is
  /// said about it would mean anything.
  void starts() {
    for (const Exploration& e : explored_.explorations) {
      if (e.report || (e.error.kind != ErrorKind::bad_input && e.error.kind != ErrorKind::io)) continue;
      Finding finding = bad_input(e.error.id.empty() ? "no-initial-state" : e.error.id, e.error.message);
      finding.span = e.error.span;
      out_.push_back(std::move(finding));
      unusable_ = true;
    }
  }

  void nothing_asked() {
    Finding finding = of_protocol(protocol_.name, "nothing-asked",
                                  "the protocol states no property: nothing was checked but that its steps can happen");
    finding.level = Level::warning;
    finding.hint = "add a 'safety' property";
    out_.push_back(std::move(finding));
  }

  template <class Look>
  static void for_each_found(const std::vector<Exploration>& explorations, Look look) {
    for (const Exploration& e : explorations) {
      if (!e.report) continue;
      for (const explore::Found& found : e.report->found) look(e, found);
    }
  }

  void property(ir::PropertyId id) {
    bool decided = false;
    const auto look = [&](const Exploration& e, const explore::Found& found) {
      const bool about_it = found.kind == explore::FoundKind::violation || found.kind == explore::FoundKind::reached;
      if (!about_it || found.property != id) return;
      // What is proved of all runs is not called into question by what may be none.
      const result::ProofClaim* claim = claim_of(id);
      const bool proved = claim != nullptr && claim->proved;
      if (proved && !undecided_start(protocol_, *e.instance.instance, found.trace).empty()) return;
      found_property(id, e, found);
      decided = true;
    };
    for_each_found(explored_.explorations, look);
    if (!decided) for_each_found(explored_.chance, look);
    if (decided) return;
    if (protocol_[id].kind == ir::PropertyKind::reachable) {
      unreached(id);
    } else {
      not_violated(id);
    }
  }

  void found_property(ir::PropertyId id, const Exploration& e, const explore::Found& found) {
    const ir::Property& property = protocol_[id];
    Finding finding = about(property);
    const std::string when = after_steps(found.trace) + " in " + e.instance.name;
    if (found.fault) {
      finding.rule = "fault";
      finding.verdict = Verdict::violated;
      finding.message = fmt::format("{} {} has no value {}: {}", finding.subject_kind, property.name, when,
                                    result::describe(protocol_, *found.fault));
      if (found.fault->where.valid()) finding.notes.push_back({protocol_[found.fault->where].span, "read here"});
    } else if (found.kind == explore::FoundKind::reached) {
      finding.rule = "reached";
      finding.level = Level::pass;
      finding.verdict = Verdict::reached;
      finding.message = fmt::format("reachable {} is reached {}", property.name, when);
    } else {
      finding.rule = "property-violated";
      finding.verdict = Verdict::violated;
      finding.message = fmt::format("{} {} is violated {}", finding.subject_kind, property.name, when);
    }
    add_evidence(finding, protocol_, e.instance, found);
    if (finding.trace) finding.category = e.category;
    if (const result::ProofClaim* claim = claim_of(id);
        claim != nullptr && claim->proved && finding.verdict == Verdict::violated &&
        found.kind == explore::FoundKind::violation && (!found.fault || ir::of_the_protocol(found.fault->kind))) {
      contradiction(finding);
    }
    out_.push_back(std::move(finding));
  }

  /// What the prover said of a property; null if it was not asked.
  [[nodiscard]] const result::ProofClaim* claim_of(ir::PropertyId id) const {
    if (!explored_.proof) return nullptr;
    for (const result::ProofClaim& claim : explored_.proof->proof.claims) {
      if (claim.property == protocol_[id].name) return &claim;
    }
    return nullptr;
  }

  /// The properties that a proof rests on, as far as they were not asked for.
  [[nodiscard]] std::vector<std::string> helpers_of(const result::ProofClaim& claim) const {
    std::vector<std::string> names;
    for (const std::string& name : claim.rests_on) {
      const bool asked = std::ranges::any_of(asked_, [&](ir::PropertyId id) { return protocol_[id].name == name; });
      if (!asked) names.push_back(name);
    }
    return names;
  }

  /// A run shows that a proof is wrong. The run stays as evidence.
  static void contradiction(Finding& finding) {
    finding.rule = "proof-contradicted";
    finding.level = Level::failure;
    finding.verdict = Verdict::internal_error;
    finding.message = "the prover proved what a run contradicts: " + finding.message;
    finding.hint = "this is a bug in Tenet, not in your protocol; please report it with the file";
  }

  /// Why the explorations say less than they might: the first that did not
  /// finish. Empty if all did.
  std::string open_end(ir::PropertyId id, Verdict& verdict) const {
    std::size_t looked = 0;
    for (std::size_t i = 0; i < explored_.explorations.size(); ++i) {
      const Exploration& e = explored_.explorations[i];
      const auto& ids = explored_.looked_at[i];
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) continue;
      ++looked;
      if (!e.report) {
        verdict = verdict_of(e.error.kind);
        return e.instance.name + ": " + e.error.message;
      }
      if (!e.finished()) {
        return fmt::format("{}: {} after {} states", e.instance.name, describe(e), e.report->states);
      }
      if (std::ranges::find(e.report->cut_properties, id) != e.report->cut_properties.end()) {
        return e.instance.name + ": it depends on numbers beyond the bounds in some states";
      }
    }
    if (explored_.interrupted) return "interrupted";
    return looked == 0 ? "no instance was explored" : "";
  }

  void not_violated(ir::PropertyId id) {
    const ir::Property& property = protocol_[id];
    const result::ProofClaim* claim = claim_of(id);
    Finding finding = about(property);
    Verdict verdict = Verdict::unknown;
    const std::string open = open_end(id, verdict);
    if (claim != nullptr && claim->proved) {
      finding.rule = "proved";
      finding.level = Level::pass;
      finding.verdict = Verdict::proved;
      finding.message = fmt::format("{} {} is proved for any number of hosts", finding.subject_kind, property.name);
      const std::vector<std::string> helpers = helpers_of(*claim);
      if (!helpers.empty()) finding.message += fmt::format(", with {}, proved on the way", result::listed(helpers));
    } else if (open.empty()) {
      finding.rule = "holds-bounded";
      finding.level = Level::pass;
      finding.verdict = Verdict::holds_bounded;
      finding.message = fmt::format("{} {}: no violation in {}", finding.subject_kind, property.name,
                                    names_of(explored_.explorations));
    } else {
      unknown(finding, verdict, open);
    }
    if (claim != nullptr && !claim->proved) {
      if (explored_.proof->timed_out && finding.hint.empty()) {
        finding.hint = explored_.inferred ? "--prove-seconds N allows more time"
                                          : "--infer looks for lemmas, --prove-seconds N allows more time";
      }
      finding.message += "; not proved: " + (claim->reason.empty() ? "no reason is known" : claim->reason);
    }
    searched(finding);
    out_.push_back(std::move(finding));
  }

  static void unknown(Finding& finding, Verdict verdict, const std::string& why) {
    finding.rule = verdict == Verdict::unsupported      ? "unsupported"
                   : verdict == Verdict::internal_error ? "internal-error"
                                                        : "unknown";
    finding.level = Level::failure;
    finding.verdict = verdict;
    finding.message = fmt::format("{} {} is {}: {}", finding.subject_kind, finding.subject,
                                  verdict == Verdict::unsupported ? "not supported" : "unknown", why);
    if (why.find("memory bound") != std::string::npos)
      finding.hint = "--memory SIZE allows more, a smaller instance needs less";
    if (why.find("time bound") != std::string::npos)
      finding.hint = "--explore-seconds N allows more, a smaller instance needs less";
  }

  /// What symbolic search has to say of what it did not find.
  void searched(Finding& finding) const {
    const std::string said = explored_.symbolic.about(finding.subject);
    if (!said.empty()) finding.message += "; " + said;
  }

  void unreached(ir::PropertyId id) {
    Finding finding = about(protocol_[id]);
    Verdict verdict = Verdict::unknown;
    const std::string open = open_end(id, verdict);
    unknown(finding, verdict, open.empty() ? "not reached in " + names_of(explored_.explorations) : open);
    if (open.empty()) {
      finding.rule = "not-reached";
      finding.hint = "the protocol may be unable to do this, or the instances are too small for it";
      if (explored_.proof && named_in(explored_.proof->proof.unreachable, protocol_[id].name)) {
        finding.message += ", nor with any number of hosts: that is proved";
        finding.hint = "the protocol is unable to do this";
      }
    }
    searched(finding);
    out_.push_back(std::move(finding));
  }

  void side_findings() {
    const std::size_t begin = out_.size();
    const auto look = [&](const Exploration& e, const explore::Found& found) {
      if (found.kind == explore::FoundKind::fault) fault(e, found);
    };
    for_each_found(explored_.explorations, look);
    for_each_found(explored_.chance, look);
    prover_failure();
    unconfirmed();
    never_enabled();
    never_true();
    deadlock();
    cuts();
    cut_properties();
    out_.insert(out_.end(), explored_.not_inductive.begin(), explored_.not_inductive.end());
    // In source order; equal places in the order in which they were found.
    stable_sort_by(out_, begin, [](const Finding& finding) { return finding.span.begin; });
  }

  void fault(const Exploration& e, const explore::Found& found) {
    Finding finding;
    finding.rule = "fault";
    finding.verdict = Verdict::violated;
    finding.subject_kind = "step";
    if (found.failing_action) {
      finding.subject = step_place(protocol_, found.failing_action->step);
      finding.span = protocol_[found.failing_action->step].span;
    } else if (found.property.valid()) {
      finding.subject_kind = ir::property_word(protocol_[found.property].kind);
      finding.subject = protocol_[found.property].name;
      finding.span = protocol_[found.property].span;
    }
    const std::string what = found.fault ? result::describe(protocol_, *found.fault) : "no value";
    if (found.fault && found.fault->where.valid() && !protocol_[found.fault->where].span.empty()) {
      finding.span = protocol_[found.fault->where].span;
    }
    finding.message =
        fmt::format("{} fails {} in {}: {}", finding.subject, after_steps(found.trace), e.instance.name, what);
    const bool known = std::any_of(out_.begin(), out_.end(), [&](const Finding& other) {
      return other.rule == finding.rule && other.subject == finding.subject && other.span == finding.span;
    });
    if (known) return;
    add_evidence(finding, protocol_, e.instance, found);
    if (finding.trace) finding.category = e.category;
    // A proof also says that no step ever reads what is not there.
    const bool excluded = !found.fault || ir::of_the_protocol(found.fault->kind);
    if (excluded && finding.verdict == Verdict::violated && explored_.proof && explored_.proof->proof.proved() > 0)
      contradiction(finding);
    out_.push_back(std::move(finding));
  }

  void prover_failure() {
    if (!explored_.proof) return;
    const auto& failure = explored_.proof->failure;
    if (!failure.empty())
      out_.push_back(broken_prover(protocol_.name, "prover-failed", "the prover failed: " + failure));
    for (const std::string& what : explored_.proof->proof.disagreements) {
      out_.push_back(broken_prover(protocol_.name, "solvers-disagree", "one of the solvers is wrong: " + what));
    }
  }

  /// What --recheck asked and got no answer to. The proof stands by the first solver's.
  void unconfirmed() {
    if (!explored_.proof) return;
    const std::vector<result::ProofObligation>& obligations = explored_.proof->proof.obligations;
    const auto is_unconfirmed = [](const result::ProofObligation& o) { return o.discharged && !o.unconfirmed.empty(); };
    const auto first = std::ranges::find_if(obligations, is_unconfirmed);
    if (first == obligations.end()) return;
    const auto count = std::ranges::count_if(obligations, is_unconfirmed);
    Finding finding = of_protocol(
        protocol_.name, "not-rechecked",
        fmt::format("the second solver did not confirm {} of {} obligations that --recheck put to it: {}", count,
                    static_cast<std::size_t>(count) + explored_.proof->proof.rechecked(), first->unconfirmed));
    finding.level = Level::warning;
    finding.hint = "what it did not contradict rests on the first solver alone";
    out_.push_back(std::move(finding));
  }

  /// Whether every exploration saw all states: only then "never" means something.
  [[nodiscard]] bool all_finished() const {
    return !explored_.interrupted && !explored_.explorations.empty() &&
           std::all_of(explored_.explorations.begin(), explored_.explorations.end(),
                       [](const Exploration& e) { return e.finished(); });
  }

  void never_enabled() {
    if (protocol_.steps.empty()) {
      Finding finding = of_protocol(protocol_.name, "no-steps",
                                    protocol_.name + " has no step: what holds at the start holds for ever");
      finding.verdict = Verdict::unknown;
      finding.hint = "a protocol that cannot move satisfies everything: give a role a 'step' or a 'receive'";
      out_.push_back(std::move(finding));
    }
    if (!all_finished()) return;
    for (const ir::StepId id : in_all(explored_.explorations, &explore::Report::never_enabled)) {
      Finding finding;
      finding.rule = "never-enabled";
      finding.verdict = Verdict::unknown;
      finding.subject = step_place(protocol_, id);
      finding.subject_kind = "step";
      finding.span = protocol_[id].span;
      finding.message = fmt::format("{} can never happen in {}", finding.subject, names_of(explored_.explorations));
      finding.hint =
          "what never happens breaks nothing: look at its guard and at what it waits for, or enlarge an instance";
      if (explored_.proof && named_in(explored_.proof->proof.impossible, finding.subject)) {
        finding.message += ", nor with any number of hosts: that is proved";
        finding.hint = "what it waits for never comes: look at its guard, and at what should make it true";
      }
      out_.push_back(std::move(finding));
    }
  }

  static bool named_in(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  void never_true() {
    if (!all_finished()) return;
    for (const ir::ExprId id : in_all(explored_.explorations, &explore::Report::never_true)) {
      Finding finding;
      finding.rule = "vacuous";
      finding.verdict = Verdict::unknown;
      finding.span = protocol_[id].span;
      finding.subject_kind = "formula";
      for (const ir::Property& property : protocol_.properties) {
        if (!occurs(protocol_, id, property.formula)) continue;
        finding.subject = property.name;
        finding.subject_kind = ir::property_word(property.kind);
        break;
      }
      finding.message = fmt::format("{} {}: the left side '{}' is never true in {}", finding.subject_kind,
                                    finding.subject, ir::to_source(protocol_, id), names_of(explored_.explorations));
      finding.hint = "an implication whose left side is never true claims nothing";
      out_.push_back(std::move(finding));
    }
  }

  void deadlock() {
    if (protocol_.deadlock_ok) return;
    for (const Exploration& e : explored_.explorations) {
      if (!e.report) continue;
      for (const explore::Found& found : e.report->found) {
        if (found.kind != explore::FoundKind::deadlock) continue;
        Finding finding =
            of_protocol(protocol_.name, "deadlock",
                        fmt::format("a run can come to rest {} in {}: nothing that may happen then changes anything",
                                    after_steps(found.trace), e.instance.name));
        finding.level = Level::warning;
        finding.hint = "'deadlock ok' in the protocol says that this is intended";
        add_evidence(finding, protocol_, e.instance, found);
        out_.push_back(std::move(finding));
        return;
      }
    }
  }

  void cuts() {
    struct Where {
      std::vector<std::string> instances;
      std::uint64_t count = 0;
    };
    std::map<std::pair<ir::StepId, std::string>, Where> all;
    for (const Exploration& e : explored_.explorations) {
      if (!e.report) continue;
      for (const explore::Cut& cut : e.report->cuts) {
        Where& where = all[{cut.step, cut.slot}];
        where.instances.push_back(e.instance.name);
        where.count += cut.count;
      }
    }
    for (const auto& [key, where] : all) {
      Finding finding;
      finding.rule = "cut-at-bound";
      finding.level = Level::note;
      finding.subject = step_place(protocol_, key.first);
      finding.subject_kind = "step";
      finding.span = protocol_[key.first].span;
      const bool copies = std::any_of(protocol_.messages.begin(), protocol_.messages.end(),
                                      [&](const ir::MessageDecl& m) { return m.name == key.second; });
      finding.message =
          fmt::format("{} was cut at the bound of {}'{}' in {} ({}): runs beyond it were not explored", finding.subject,
                      copies ? "equal messages " : "", key.second, result::listed(where.instances),
                      where.count == 1 ? "once" : std::to_string(where.count) + " times");
      out_.push_back(std::move(finding));
    }
  }

  void cut_properties() {
    std::map<ir::PropertyId, std::vector<std::string>> all;
    for (const Exploration& e : explored_.explorations) {
      if (!e.report) continue;
      for (const ir::PropertyId id : e.report->cut_properties) all[id].push_back(e.instance.name);
    }
    for (const auto& [id, instances] : all) {
      Finding finding = about(protocol_[id]);
      finding.rule = "cut-at-bound";
      finding.level = Level::note;
      finding.message = fmt::format(
          "{} {} has no value in some states of {}: it depends on numbers beyond the bounds, and counts neither as "
          "violated nor as reached there",
          finding.subject_kind, finding.subject, result::listed(instances));
      out_.push_back(std::move(finding));
    }
  }

  const ir::Protocol& protocol_;
  const std::vector<ir::PropertyId>& asked_;
  const Explored& explored_;
  std::vector<Finding> out_;
  bool unusable_ = false;
};

bool decides(const explore::Found& found) {
  return found.kind == explore::FoundKind::violation || found.kind == explore::FoundKind::reached;
}

}  // namespace

std::vector<ir::PropertyId> worth_proving(const ir::Protocol& protocol, const std::vector<ir::PropertyId>& asked,
                                          const Explored& explored) {
  bool begins = false;
  std::set<ir::PropertyId> decided;
  for (const Exploration& e : explored.explorations) {
    if (!e.report) {
      // What cannot start in one instance may be contradictory in all.
      if (e.error.kind == ErrorKind::bad_input || e.error.kind == ErrorKind::io) return {};
      continue;
    }
    begins = begins || e.report->initial_states > 0;
    for (const explore::Found& found : e.report->found) {
      if (found.kind == explore::FoundKind::fault) return {};
      if (decides(found)) decided.insert(found.property);
    }
  }
  std::vector<ir::PropertyId> open;
  if (!begins || explored.interrupted) return open;
  std::copy_if(asked.begin(), asked.end(), std::back_inserter(open), [&](ir::PropertyId id) {
    return protocol[id].kind != ir::PropertyKind::reachable && decided.count(id) == 0;
  });
  return open;
}

std::string names_of(const std::vector<Exploration>& explorations) {
  std::vector<std::string> names;
  for (const Exploration& e : explorations) names.push_back(e.instance.name);
  return result::listed(names);
}

std::vector<Finding> judge(const ir::Protocol& protocol, const std::vector<ir::PropertyId>& asked,
                           const Explored& explored) {
  return Judge(protocol, asked, explored).findings();
}

}  // namespace tenet::verify
