#include "verify_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <map>

#include "deadline.h"
#include "evidence.h"
#include "inference.h"
#include "inputs.h"
#include "tenet/induct/induct.h"
#include "tenet/ir/builder.h"
#include "tenet/result/trace_view.h"
#include "tenet/result/words.h"
#include "two_states.h"

namespace tenet::verify {
namespace {

using result::Finding;
using result::Level;
using result::Verdict;

/// Of runs that are searched for one that violates a claim that is not inductive.
constexpr std::size_t kLongestRun = 4;
/// Of one such search, in Z3's unit.
constexpr std::uint64_t kRunResources = 3'000'000;

std::string word(ir::PropertyKind kind) {
  return kind == ir::PropertyKind::lemma ? "invariant" : std::string(ir::property_word(kind));
}

class Claims {
 public:
  Claims(const Runner& runner, const Options& options, result::FileResult& file)
      : runner_(runner), options_(options), file_(file), p_(*file.ir), deadline_(options.stop, options.prove_seconds) {}

  void run() {
    if (!options_.prove) return not_asked();
    if (options_.recheck) not_rechecked();
    if (options_.mutate) not_mutated();
    if (!can_begin()) return;
    ids_ = induct::stated_claims(p_);
    const std::vector<ir::PropertyId> asked = asked_properties(p_, options_.properties);
    if (!ids_.empty() && options_.infer) {
      infer_claims(asked);
    } else if (!ids_.empty()) {
      check();
      for (std::size_t i = 0; i < ids_.size(); ++i) {
        if (std::find(asked.begin(), asked.end(), ids_[i]) != asked.end()) claim(i);
      }
      proof();
    }
    // Traces have no part in what `--property` names.
    if (options_.properties.empty()) {
      for (const ir::TraceQuery& query : p_.traces) trace(query);
    }
    if (ids_.empty() && p_.traces.empty()) {
      nothing_asked();
    } else {
      file_.proof = std::move(proof_);
    }
  }

 private:
  [[nodiscard]] induct::Options induct_options(const std::string& what) const {
    induct::Options made;
    made.threads = options_.jobs;
    made.seed = options_.seed;
    made.keep_queries = options_.keep_queries;
    made.stop = &deadline_.flag();
    made.progress = [this, what](const std::string& now) {
      runner_.report_progress({p_.name + ", " + what + (now.empty() ? "" : ": " + now), {}});
    };
    return made;
  }

  void check() {
    std::vector<induct::Claim> claims;
    for (const ir::PropertyId id : ids_) claims.push_back(induct::claim_of(p_, id));
    induct::Options how = induct_options("induction");
    how.impossible = true;
    report_ = induct::check(p_, claims, how);
    for (const ir::StepId id : report_.impossible) impossible(id);
  }

  void impossible(ir::StepId id) {
    Finding finding;
    finding.rule = "never-enabled";
    finding.level = Level::warning;
    finding.subject = p_[id].name;
    finding.subject_kind = "transition";
    finding.span = p_[id].span;
    finding.message = "transition " + finding.subject + " can never happen: that is proved";
    finding.hint = "what it waits for never comes: look at its guard, and at what should make it true";
    add(std::move(finding));
  }

  void not_asked() {
    Finding finding =
        of_protocol(p_.name, "unknown", p_.name + " is unknown: the claims of such a file are proved, not explored");
    finding.verdict = Verdict::unknown;
    finding.hint = "without --explore-only they are";
    add(std::move(finding));
  }

  void not_rechecked() {
    Finding finding =
        of_protocol(p_.name, "not-rechecked",
                    "induction over single states is not put to a second solver: --recheck does nothing here");
    finding.level = Level::note;
    add(std::move(finding));
  }

  void not_mutated() {
    Finding finding =
        of_protocol(p_.name, "not-mutated", "no mutants are made of such files: --mutate does nothing here");
    finding.level = Level::note;
    add(std::move(finding));
  }

  /// Where no run begins, every claim is true and none means anything.
  bool can_begin() {
    const auto answer = [&](bool initial) {
      ir::TraceQuery query;
      query.initial = initial;
      query.name = initial ? "an initial state" : "a state";
      return induct::find_trace(p_, query, induct_options("whether there is " + query.name));
    };
    const induct::TraceAnswer start = answer(true);
    if (start.verdict == induct::Verdict::refuted || start.model) return true;
    if (start.verdict == induct::Verdict::discharged) {
      const bool axioms = answer(false).verdict == induct::Verdict::discharged;
      Finding finding =
          axioms ? bad_input("contradictory-axioms", "the axioms contradict each other: there is no state at all")
                 : bad_input("no-initial-state", "no initial state exists: what is said of the start is contradictory");
      const std::vector<ir::Formula>& said = axioms ? p_.axioms : p_.inits;
      if (!said.empty()) finding.span = said.front().span;
      add(std::move(finding));
      return false;
    }
    Finding finding = of_protocol(p_.name, "unknown",
                                  fmt::format("{} is unknown: whether there is an initial state: {}", p_.name,
                                              stopped() ? why_stopped() : start.reason));
    finding.verdict = Verdict::unknown;
    add(std::move(finding));
    return true;
  }

  /// Without the invariants of the file: lemmas are looked for.
  void infer_claims(const std::vector<ir::PropertyId>& asked) {
    std::vector<ir::PropertyId> wanted;
    for (const ir::PropertyId id : ids_) {
      const bool lemma = p_[id].kind == ir::PropertyKind::lemma;
      if (!lemma && std::find(asked.begin(), asked.end(), id) != asked.end()) wanted.push_back(id);
    }
    if (wanted.empty()) return nothing_asked();
    Inference found = infer(runner_, options_, Seeded{p_, {}}, wanted);
    for (const ir::PropertyId id : wanted) {
      const auto violation = std::find_if(found.violations.begin(), found.violations.end(),
                                          [&](const learn::Violation& v) { return v.found.property == id; });
      if (violation != found.violations.end()) {
        Finding finding = about(p_[id]);
        finding.subject_kind = word(p_[id].kind);
        violated(finding, violation->instance, violation->found);
        proof_.claims.push_back({p_[id].name, false, "it is violated", {}});
        add(std::move(finding));
        continue;
      }
      const bool proved = std::find(found.proved.begin(), found.proved.end(), id) != found.proved.end();
      const std::string why = found.reason.empty() ? "it was not proved" : found.reason;
      Finding finding = about(p_[id]);
      finding.subject_kind = word(p_[id].kind);
      finding.rule = proved ? "proved" : "unknown";
      finding.level = proved ? Level::pass : Level::failure;
      finding.verdict = proved ? Verdict::proved : Verdict::unknown;
      finding.message = fmt::format("{} {} is {}", finding.subject_kind, p_[id].name,
                                    proved ? "proved for any number of hosts" : "unknown: inference: " + why);
      if (!proved && found.timed_out) finding.hint = "--prove-seconds N allows more time";
      proof_.claims.push_back({p_[id].name, proved, proved ? "" : why, {}});
      add(std::move(finding));
    }
    proof_.invariants = std::move(found.lemmas);
    proof_.obligations = std::move(found.obligations);
    proof_.well_defined = !found.proved.empty();
    proof_.seconds = found.seconds;
  }

  void nothing_asked() {
    Finding finding = of_protocol(p_.name, "nothing-asked",
                                  "the protocol claims nothing: there is no safety, invariant, theorem or trace");
    finding.level = Level::warning;
    add(std::move(finding));
  }

  [[nodiscard]] bool stopped() const { return deadline_.flag().requested(); }
  [[nodiscard]] std::string why_stopped() const {
    return deadline_.expired() ? fmt::format("stopped after {:g} s", options_.prove_seconds) : "interrupted";
  }

  // ---- Claims

  /// The obligations of a claim that are not discharged.
  [[nodiscard]] std::vector<const induct::Obligation*> open_of(std::size_t claim) const {
    std::vector<const induct::Obligation*> open;
    for (const induct::Obligation& o : report_.obligations) {
      if (o.verdict != induct::Verdict::discharged && o.claim == claim) open.push_back(&o);
    }
    return open;
  }

  void claim(std::size_t at) {
    const ir::Property& property = p_[ids_[at]];
    Finding finding = about(property);
    finding.subject_kind = word(property.kind);
    const std::string name = finding.subject_kind + " " + property.name;
    if (at < report_.proved.size() && report_.proved[at]) {
      finding.rule = "proved";
      finding.level = Level::pass;
      finding.verdict = Verdict::proved;
      finding.message = name + " is proved for any number of hosts";
      return add(std::move(finding));
    }
    finding.verdict = Verdict::unknown;
    if (!report_.refused.empty()) {
      finding.rule = "unsupported";
      finding.verdict = Verdict::unsupported;
      finding.message = fmt::format("{} is not supported: {}", name, report_.refused);
      return add(std::move(finding));
    }
    const std::vector<const induct::Obligation*> open = open_of(at);
    const auto refuted = std::find_if(
        open.begin(), open.end(), [](const induct::Obligation* o) { return o->verdict == induct::Verdict::refuted; });
    if (refuted != open.end()) {
      if (violated(at, finding, **refuted)) return add(std::move(finding));
      not_inductive(finding, name, **refuted, at);
    } else if (!open.empty()) {
      finding.rule = "unknown";
      finding.message = fmt::format("{} is unknown: {}: {}", name, place(*open.front()),
                                    stopped() ? why_stopped() : open.front()->reason);
      if (stopped() && deadline_.expired()) finding.hint = "--prove-seconds N allows more time";
    } else {
      finding.rule = "unknown";
      finding.message = fmt::format("{} is unknown: it is kept only together with {}", name, unproved(at));
      if (stopped()) finding.message += fmt::format("; {} before it was asked without them", why_stopped());
    }
    add(std::move(finding));
  }

  [[nodiscard]] std::string place(const induct::Obligation& o) const {
    if (o.kind == induct::ObligationKind::initiation) return "whether it holds initially";
    return o.step.valid() ? fmt::format("whether step {} keeps it", p_[o.step].name) : "whether it has a value";
  }

  /// What else must hold for this claim to be kept, and is not proved.
  [[nodiscard]] std::string unproved(std::size_t at) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (i != at && !report_.proved[i] && !open_of(i).empty()) names.push_back(p_[ids_[i]].name);
    }
    return names.empty() ? "claims that are not proved" : "claims that are not proved: " + result::listed(names);
  }

  /// A run from an initial state that ends where the claim is false.
  bool violated(std::size_t at, Finding& finding, const induct::Obligation& refuted) {
    explore::Found found;
    found.kind = explore::FoundKind::violation;
    found.property = ids_[at];
    std::optional<ir::Instance> instance;
    if (refuted.kind == induct::ObligationKind::initiation && refuted.counterexample) {
      found.trace.constants = refuted.counterexample->constants;
      found.trace.states = {refuted.counterexample->before};
      instance = refuted.counterexample->instance;
    } else {
      for (std::size_t steps = 1; steps <= kLongestRun && !instance && !stopped(); ++steps) {
        induct::TraceAnswer answer = run_of(at, steps);
        if (answer.verdict != induct::Verdict::refuted || !answer.trace || !answer.instance) continue;
        found.trace = std::move(*answer.trace);
        instance = std::move(answer.instance);
      }
    }
    if (!instance) return false;
    const ir::Interpreter interpreter(p_, *instance, found.trace.constants);
    found.binding = interpreter.witness(p_[ids_[at]].formula, found.trace.states.back());
    violated(finding, *instance, found);
    return true;
  }

  void violated(Finding& finding, const ir::Instance& instance, const explore::Found& found) {
    const NamedInstance where = small_instance(p_, instance);
    finding.rule = found.fault ? "fault" : "property-violated";
    finding.verdict = Verdict::violated;
    finding.message = fmt::format("{} {} {} {} in {}", finding.subject_kind, finding.subject,
                                  found.fault ? "has no value" : "is violated", after_steps(found.trace), where.name);
    add_evidence(finding, p_, where, found);
  }

  /// Is the claim false after so many steps?
  [[nodiscard]] induct::TraceAnswer run_of(std::size_t at, std::size_t steps) const {
    ir::Protocol protocol = p_;
    ir::TraceQuery query;
    query.name = "a run";
    query.items.resize(steps + 1);
    for (std::size_t i = 0; i < steps; ++i) query.items[i].kind = ir::TraceItemKind::any;
    query.items.back().formula = ir::Builder(protocol).negate(p_[ids_[at]].formula);
    induct::Options options = induct_options(fmt::format("runs of {} steps", steps));
    options.resource_limit = kRunResources;
    options.second_limit = 0;
    return induct::find_trace(protocol, query, options);
  }

  void not_inductive(Finding& finding, const std::string& name, const induct::Obligation& refuted, std::size_t at) {
    finding.rule = "not-inductive";
    const bool initially = refuted.kind == induct::ObligationKind::initiation;
    finding.message = initially ? name + " is unknown: it is not shown to hold initially"
                                : fmt::format("{} is unknown: it is not inductive, step {} need not keep it", name,
                                              p_[refuted.step].name);
    finding.hint = initially
                       ? "a solver has a model in which it fails, but no small instance shows it"
                       : "either a further invariant excludes the state before the step, or a longer run leads there";
    if (!refuted.counterexample) {
      if (!initially) finding.message += " (a solver has a model, but no small instance shows it)";
      return;
    }
    show_counterexample(finding, p_, *refuted.counterexample, ids_[at]);
  }

  void proof() {
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const bool proved = i < report_.proved.size() && report_.proved[i];
      proof_.claims.push_back({p_[ids_[i]].name, proved, proved ? "" : "it is not shown to be inductive", {}});
    }
    std::vector<std::string> names;
    for (const ir::PropertyId id : ids_) names.push_back(p_[id].name);
    for (induct::Obligation& o : report_.obligations) proof_.obligations.push_back(in_words(p_, names, std::move(o)));
    proof_.reason = report_.refused;
    proof_.well_defined = report_.inductive();
    proof_.seconds = report_.seconds;
  }

  /// That there is no such run is a proof, too.
  void prove_impossible(const ir::TraceQuery& query, induct::TraceAnswer& answer, const std::string& kind) {
    result::ProofObligation made;
    made.kind = kind;
    made.statement = query.name;
    made.part = query.claim == ir::TraceClaim::theorem ? "in every state" : "no such run";
    made.discharged = true;
    made.solver = answer.solver;
    made.resources = answer.resources;
    made.seconds = answer.seconds;
    made.query = std::move(answer.query);
    proof_.obligations.push_back(std::move(made));
    proof_.seconds += answer.seconds;
  }

  // ---- Traces

  void trace(const ir::TraceQuery& query) {
    Finding finding;
    finding.subject = query.name;
    finding.subject_kind = query.claim == ir::TraceClaim::theorem ? "theorem" : "trace";
    finding.span = query.span;
    finding.doc = query.doc;
    const std::string name = finding.subject_kind + " " + query.name;
    induct::TraceAnswer answer = induct::find_trace(p_, query, induct_options(name));
    if (answer.verdict == induct::Verdict::open || (answer.verdict == induct::Verdict::refuted && !answer.trace)) {
      finding.rule = "unknown";
      finding.verdict = Verdict::unknown;
      finding.message = fmt::format("{} is unknown: {}", name, stopped() ? why_stopped() : answer.reason);
      return add(std::move(finding));
    }
    const bool exists = answer.verdict == induct::Verdict::refuted;
    if (!exists) prove_impossible(query, answer, finding.subject_kind);
    const bool claimed = (query.claim == ir::TraceClaim::possible) == exists;
    finding.level = claimed ? Level::pass : Level::failure;
    finding.verdict = !claimed ? Verdict::violated : exists ? Verdict::reached : Verdict::proved;
    finding.rule = exists ? "trace-found" : "trace-impossible";
    if (exists) {
      finding.message = query.claim == ir::TraceClaim::theorem
                            ? name + " does not hold"
                            : fmt::format("{} is possible: {}{}", name, after_steps(*answer.trace),
                                          claimed ? "" : ", though it is declared 'unsat'");
      show_unreachable(finding, p_, *answer.instance, *answer.trace, {});
      if (query.initial) finding.category.clear();
    } else {
      finding.message = query.claim == ir::TraceClaim::theorem
                            ? name + " is proved for any number of hosts"
                            : fmt::format("{} is impossible for any number of hosts: that is proved{}", name,
                                          claimed ? "" : ", though it is declared 'sat'");
    }
    add(std::move(finding));
  }

  void add(Finding finding) { file_.findings.push_back(std::move(finding)); }

  const Runner& runner_;
  const Options& options_;
  result::FileResult& file_;
  const ir::Protocol& p_;
  Deadline deadline_;
  std::vector<ir::PropertyId> ids_;
  induct::Report report_;
  result::Proof proof_;
};

}  // namespace

void verify_claims(const Runner& runner, const Options& options, result::FileResult& file) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    Claims(runner, options, file).run();
  } catch (const std::exception& error) {
    file.findings.push_back(
        broken_prover(file.protocol, "prover-failed", std::string("checking induction failed: ") + error.what()));
  }
  file.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace tenet::verify
