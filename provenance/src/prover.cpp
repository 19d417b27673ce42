#include "tenet/provenance/prover.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <span>
#include <stdexcept>

#include "answers.h"
#include "deliveries.h"
#include "derive.h"
#include "lemmas.h"
#include "order.h"
#include "samples.h"
#include "tenet/ir/printer.h"

namespace tenet::provenance {

using ir::PropertyId;
using ir::PropertyKind;
using ir::StepId;
using smt::Term;

namespace {

constexpr std::size_t kSampleRuns = 24;
constexpr std::size_t kSampleSteps = 32;

/// For what a single step either keeps or not.
constexpr Strategy kOneStep = {.generations = 2, .rounds = 100, .facts = 1500, .one_step = true, .hypotheses = true};

/// For projections: the most that one which is kept has needed is 400, and those that are not kept cost all there is.
constexpr Strategy kKept = {.generations = 2, .rounds = 100, .facts = 500, .one_step = true, .hypotheses = true};

/// For what follows from little.
constexpr Strategy kFollows = {.generations = 1, .rounds = 20, .facts = 200, .one_state = true, .hypotheses = true};
/// For what follows from what is known of one state.
constexpr Strategy kOneState = {.generations = 1, .rounds = 60, .facts = 750, .one_state = true, .hypotheses = true};

/// For what follows from that and from what was known when a message was sent.
constexpr Strategy kSenders = {.generations = 1,
                               .rounds = 150,
                               .facts = 2000,
                               .one_state = true,
                               .forward = true,
                               .senders = true,
                               .hypotheses = true};

constexpr Strategy kLadder[] = {
    kOneState,
    kOneStep,
    kSenders,
    {.generations = 10, .rounds = 150, .facts = 800, .state_facts = false},
    {.generations = 6, .rounds = 100, .facts = 800},
    {.generations = 1, .rounds = 150, .facts = 1500, .one_state = true, .hypotheses = true},
    {.generations = 6, .rounds = 150, .facts = 2000, .hypotheses = true},
    {.generations = 12, .rounds = 400, .facts = 6000, .state_facts = false},
    {.generations = 12, .rounds = 400, .facts = 6000, .hypotheses = true, .at_events = true},
};

/// So many of the ladder have small limits.
constexpr std::size_t kSmall = 5;
constexpr std::uint32_t kSearchesMore = 3;

Obligation obligation_of(std::string kind, std::string statement, std::string part) {
  Obligation made;
  made.kind = std::move(kind);
  made.statement = std::move(statement);
  made.part = std::move(part);
  return made;
}

class Prover {
 public:
  Prover(const ir::Protocol& protocol, const ProveOptions& options)
      : p_(protocol), deliveries_(count_deliveries(p_)), options_(options), answers_(p_, options) {}

  Proof run() {
    const auto begin = std::chrono::steady_clock::now();
    pick_properties();
    if (steps_unsupported()) return std::move(proof_);
    say("sampling");
    const Samples samples(p_, kSampleRuns, kSampleSteps, options_.stop);
    pick_helpers(samples);
    say("deriving facts about single hosts");
    Deriver deriver(p_, samples, answers_, options_.stop, proof_.obligations);
    facts_ = deriver.derive();
    for (const DerivedFact& fact : facts_) {
      add_invariant(fact.two_state ? "monotone" : "state", fact.name, fact.formula);
    }
    say("projections");
    prove_projections(samples);
    // What the claims say counts only if the steps mean something. Early, so
    // that what is proved by the time of a stop is proved.
    proof_.well_defined = well_defined();
    // Little at hand and small limits first: most of what is provable is
    // provable so, and what is not costs little there.
    for (const Strategy& strategy : kLadder) {
      use(strategy);
      prove_claims();
      if (open_claims() && strategy_.hypotheses && !strategy_.one_state) prove_together(samples);
      if (open_claims() && strategy_.hypotheses && strategy_.one_state) prove_with_lemmas(samples);
    }
    // A lemma that helps only over many steps is looked for last: each attempt costs.
    for (const Strategy& strategy : kLadder) {
      use(strategy);
      if (open_claims() && strategy_.hypotheses && !strategy_.one_state) prove_with_lemmas(samples);
    }
    // What is instantiated depends on the models that the solver happens to find: what one search missed with small
    // limits another finds.
    const std::vector<Claim> with_large_limits = proof_.claims;
    for (std::uint32_t luck = 1; luck <= kSearchesMore; ++luck) {
      for (const Strategy& strategy : std::span(kLadder).first<kSmall>()) {
        use(strategy);
        strategy_.seed = luck;
        if (open_claims()) prove_claims();
      }
    }
    // Why a claim is open is said best by the search that went furthest.
    for (std::size_t i = 0; i < proof_.claims.size(); ++i) {
      if (proof_.claims[i].verdict == ClaimVerdict::unknown) proof_.claims[i] = with_large_limits[i];
    }
    // With the claims at hand it may be easier to see.
    if (!proof_.well_defined && !stopped()) proof_.well_defined = well_defined();
    if (proof_.well_defined) proof_.reason.clear();
    if (stopped()) {
      proof_.reason = "stopped";
      for (Claim& claim : proof_.claims) {
        if (claim.verdict != ClaimVerdict::proved && claim.reason.empty()) claim.reason = proof_.reason;
      }
    }
    if (!proof_.well_defined) withdraw();
    if (proof_.well_defined) look_for_the_impossible();
    const std::string wrong = out_of_order(proof_.obligations);
    if (!wrong.empty()) throw std::logic_error(wrong);
    leave_out_helpers();
    proof_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(proof_);
  }

 private:
  [[nodiscard]] bool stopped() const { return options_.stop != nullptr && options_.stop->requested(); }
  void say(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }

  void use(const Strategy& strategy) {
    strategy_ = strategy;
    strategy_.generations = std::min(strategy_.generations, options_.generations);
  }

  void add_invariant(const char* kind, const std::string& statement, ir::ExprId formula) {
    proof_.invariants.push_back({counts(p_, deliveries_, formula) ? "delivery" : kind, statement});
  }

  [[nodiscard]] bool asked_for(PropertyId id) const {
    return options_.properties.empty() || std::ranges::find(options_.properties, id) != options_.properties.end();
  }
  [[nodiscard]] bool wanted(const Claim& claim) const {
    return claim.verdict == ClaimVerdict::unknown && asked_for(claim.property);
  }

  void pick_properties() {
    for (std::size_t i = 0; i < p_.properties.size(); ++i) {
      const PropertyId id(i);
      if (p_[id].kind == PropertyKind::reachable || !asked_for(id)) continue;
      Claim claim;
      claim.property = id;
      proof_.claims.push_back(claim);
    }
  }

  /// Among the claims, at their places: all goes as if everything had been asked
  /// for, and ends once what was asked for is decided.
  void pick_helpers(const Samples& samples) {
    for (const PropertyId id : options_.helpers) {
      const PropertyKind kind = p_[id].kind;
      if (asked_for(id) || kind == PropertyKind::reachable) continue;
      if (kind != PropertyKind::transition && !samples.surviving(p_, {p_[id].formula}, false).front()) continue;
      Claim claim;
      claim.property = id;
      proof_.claims.insert(std::ranges::upper_bound(proof_.claims, id, {}, &Claim::property), claim);
    }
  }

  /// Says what of the properties each proof rests on, and forgets the attempts
  /// at others that led to nothing.
  void leave_out_helpers() {
    std::set<std::string> useless;
    for (const Claim& claim : proof_.claims) {
      if (!asked_for(claim.property)) useless.insert(p_[claim.property].name);
    }
    for (Claim& claim : proof_.claims) {
      if (claim.verdict != ClaimVerdict::proved || !asked_for(claim.property)) continue;
      const std::set<std::string> used = foundations(proof_.obligations, p_[claim.property].name);
      for (const Claim& other : proof_.claims) {
        const std::string& name = p_[other.property].name;
        if (other.property == claim.property || !used.contains(name)) continue;
        claim.rests_on.push_back(other.property);
        useless.erase(name);
      }
    }
    std::erase_if(proof_.claims, [this](const Claim& claim) { return !asked_for(claim.property); });
    std::erase_if(proof_.obligations,
                  [&](const Obligation& o) { return o.kind == "property" && useless.contains(o.statement); });
  }

  /// Each claim by itself first, with those proved before at hand; again as
  /// long as that proves another.
  void prove_claims() {
    for (bool progress = true; progress && open_claims();) {
      progress = false;
      for (Claim& claim : proof_.claims) {
        if (claim.verdict != ClaimVerdict::unknown || !open_claims()) continue;
        if (strategy_.one_state && p_[claim.property].kind == PropertyKind::transition) continue;
        say("proving " + p_[claim.property].name);
        if (!prove_claim(claim)) continue;
        progress = true;
        if (p_[claim.property].kind != PropertyKind::transition) {
          proved_.push_back({p_[claim.property].name, p_[claim.property].formula, false});
        }
      }
    }
  }

  [[nodiscard]] bool open_claims() const {
    return !stopped() && std::ranges::any_of(proof_.claims, [this](const Claim& claim) { return wanted(claim); });
  }

  /// The largest set of open claims and exclusions that hold together: at the
  /// first time one of them fails all of them held before.
  void prove_together(const Samples& samples) {
    struct Member {
      std::string name;
      ir::ExprId formula;
      Claim* claim = nullptr;
    };
    std::vector<Member> group;
    for (Claim& claim : proof_.claims) {
      if (claim.verdict != ClaimVerdict::unknown || p_[claim.property].kind == PropertyKind::transition) continue;
      group.push_back({p_[claim.property].name, p_[claim.property].formula, &claim});
    }
    for (const Proposal& proposal : surviving(samples, propose_ownership(p_, deliveries_))) {
      group.push_back({proposal.name, proposal.closed, nullptr});
    }
    std::vector<Obligation> obligations;
    for (bool stable = false; !stable && !stopped();) {
      stable = true;
      obligations.clear();
      for (std::size_t m = 0; m < group.size() && !stopped();) {
        say("proving together: " + group[m].name);
        std::vector<Hypothesis> hypotheses = proved_;
        for (const Member& member : group) hypotheses.push_back({member.name, member.formula, true});
        Obligation obligation = obligation_of(group[m].claim != nullptr ? "property" : "lemma", group[m].name,
                                              "at the first time one of the group fails");
        if (prove_closed(group[m].formula, hypotheses, obligation) == ChaseEnd::contradiction) {
          obligations.push_back(obligation);
          ++m;
          continue;
        }
        group.erase(group.begin() + static_cast<std::ptrdiff_t>(m));
        stable = false;
      }
      if (std::none_of(group.begin(), group.end(), [](const Member& m) { return m.claim != nullptr; })) return;
    }
    if (stopped()) return;
    proof_.obligations.insert(proof_.obligations.end(), obligations.begin(), obligations.end());
    for (const Member& member : group) {
      if (member.claim != nullptr) {
        member.claim->verdict = ClaimVerdict::proved;
        member.claim->reason.clear();
        member.claim->open_execution.clear();
      } else {
        add_invariant("ownership", member.name, member.formula);
      }
      proved_.push_back({member.name, member.formula, false});
    }
    prove_claims();
  }

  /// The largest set of history-free projections that every step keeps.
  void prove_projections(const Samples& samples) {
    std::vector<Proposal> proposals = propose_projections(p_);
    for (Proposal& proposal : propose_deliveries(p_, deliveries_)) proposals.push_back(std::move(proposal));
    std::vector<ir::ExprId> formulas;
    for (const Proposal& proposal : proposals) formulas.push_back(proposal.closed);
    std::vector<bool> alive = samples.surviving(p_, formulas, false);
    say(std::to_string(std::count(alive.begin(), alive.end(), true)) + " of " + std::to_string(proposals.size()) +
        " projections survive the samples");
    strategy_ = kKept;
    // What a stronger one implies waits until that one is given up.
    const auto wanted = [&](std::size_t i) {
      return alive[i] && std::none_of(proposals[i].stronger.begin(), proposals[i].stronger.end(),
                                      [&](std::size_t s) { return alive[s]; });
    };
    std::map<std::size_t, Obligation> obligations;
    for (bool stable = false; !stable && !stopped();) {
      stable = true;
      obligations.clear();
      std::vector<Hypothesis> hypotheses;
      for (std::size_t i = 0; i < proposals.size(); ++i) {
        if (wanted(i)) hypotheses.push_back({proposals[i].name, proposals[i].closed, true});
      }
      for (std::size_t i = 0; i < proposals.size() && !stopped(); ++i) {
        if (!wanted(i)) continue;
        Obligation obligation = obligation_of("projection", proposals[i].name, "at the first time one of them fails");
        // Most are kept for reasons of their own, or of a few others.
        std::vector<Hypothesis> near;
        for (std::size_t o = 0; o < proposals.size(); ++o) {
          const bool related = proposals[i].family != 0 && proposals[o].family == proposals[i].family;
          if (o == i || (related && wanted(o))) near.push_back({proposals[o].name, proposals[o].closed, true});
        }
        if (prove_closed(proposals[i].closed, near, obligation) == ChaseEnd::contradiction ||
            prove_closed(proposals[i].closed, hypotheses, obligation) == ChaseEnd::contradiction) {
          obligations.emplace(i, obligation);
          continue;
        }
        say("set aside " + proposals[i].name + " (" + std::to_string(obligation.facts) + " facts)");
        alive[i] = false;
        stable = false;
      }
    }
    if (stopped()) return;
    std::vector<Proposal> group;
    for (const auto& [i, obligation] : obligations) {
      group.push_back(proposals[i]);
      proof_.obligations.push_back(obligation);
    }
    // What follows from the others would only be in the way.
    for (std::size_t m = group.size(); m > 0 && !stopped();) {
      --m;
      std::vector<Hypothesis> others;
      for (std::size_t o = 0; o < group.size(); ++o) {
        if (o != m) others.push_back({group[o].name, group[o].closed, false});
      }
      strategy_ = kFollows;
      Obligation unneeded;
      unneeded.statement = group[m].name;
      if (prove_closed(group[m].closed, others, unneeded) == ChaseEnd::contradiction) {
        group.erase(group.begin() + static_cast<std::ptrdiff_t>(m));
      }
    }
    for (const Proposal& member : group) {
      add_invariant("projection", member.name, member.closed);
      proved_.push_back({member.name, member.closed, false});
    }
  }

  std::vector<Proposal> surviving(const Samples& samples, std::vector<Proposal> proposals) const {
    std::vector<ir::ExprId> formulas;
    for (const Proposal& proposal : proposals) formulas.push_back(proposal.closed);
    const std::vector<bool> alive = samples.surviving(p_, formulas, false);
    std::vector<Proposal> kept;
    for (std::size_t i = 0; i < proposals.size(); ++i) {
      if (alive[i]) kept.push_back(std::move(proposals[i]));
    }
    return kept;
  }

  /// Proposals that would close an open claim, each proved by itself.
  void prove_with_lemmas(const Samples& samples) {
    const std::vector<Proposal> proposals = surviving(samples, propose_agreement(p_));
    say(std::to_string(proposals.size()) + " proposals survive the samples");
    std::vector<bool> tried(proposals.size(), false);
    for (Claim& claim : proof_.claims) {
      if (claim.verdict != ClaimVerdict::unknown || !open_claims()) continue;
      if (strategy_.one_state && p_[claim.property].kind == PropertyKind::transition) continue;
      for (std::size_t i = 0; i < proposals.size() && !stopped(); ++i) {
        if (tried[i]) continue;
        const std::size_t before = proved_.size();
        proved_.push_back({proposals[i].name, proposals[i].closed, false});
        Claim attempt = claim;
        const std::size_t obligations = proof_.obligations.size();
        const bool helps = prove_claim(attempt);
        proof_.obligations.resize(obligations);
        proved_.resize(before);
        if (!helps) continue;
        tried[i] = true;
        say("proving the lemma " + proposals[i].name);
        if (!prove_lemma(proposals[i])) continue;
        add_invariant("lemma", proposals[i].name, proposals[i].closed);
        proved_.push_back({proposals[i].name, proposals[i].closed, false});
        prove_claims();
        if (strategy_.one_state) {
          // Of what happens, a step says all that a state could not.
          const Strategy current = strategy_;
          use(kOneStep);
          prove_claims();
          use(current);
        }
        break;
      }
    }
  }

  /// By the first time it fails, or by the smallest value of a measure.
  bool prove_lemma(const Proposal& proposal) {
    if (!strategy_.one_state) {
      std::vector<Hypothesis> hypotheses = proved_;
      hypotheses.push_back({proposal.name, proposal.closed, true});
      Obligation obligation = obligation_of("lemma", proposal.name, "at the first time it fails");
      if (prove_closed(proposal.closed, hypotheses, obligation) == ChaseEnd::contradiction) {
        proof_.obligations.push_back(obligation);
        return true;
      }
    }
    for (const ir::ExprId measure : proposal.measures) {
      if (stopped()) return false;
      Subject subject;
      subject.name = proposal.name;
      subject.reach = reach_of(strategy_);
      subject.formulas = {proposal.body, measure};
      subject.locals = proposal.binders;
      const Answer answer = ask("a claim holds at the smallest measure", subject, proved_, at_the_smallest);
      Obligation obligation = obligation_of("lemma", proposal.name, "at the smallest " + ir::to_source(p_, measure));
      answer.fill(obligation);
      if (answer.end != ChaseEnd::contradiction) {
        say("not at the smallest " + ir::to_source(p_, measure) + ": " + reason(answer));
        continue;
      }
      proof_.obligations.push_back(obligation);
      return true;
    }
    return false;
  }

  /// Of what the body says of its binders: where the measure is smaller, it holds.
  static bool at_the_smallest(Question& question, const Subject& subject) {
    Execution& x = question.execution;
    smt::TermManager& tm = question.logic.terms;
    const ir::ExprId body = subject.formulas[0], measure = subject.formulas[1];
    const std::vector<ir::LocalId> binders = subject.locals;
    Scope scope;
    scope.time = x.last();
    std::vector<ir::TypeId> types;
    for (const ir::LocalId binder : binders) {
      types.push_back(x.protocol()[binder].type);
      scope.locals[binder] = x.arbitrary(types.back(), x.protocol()[binder].name);
    }
    question.assume(tm.not_(x.holds_and_defined(body, scope)), Principle::goal, subject.name);
    const SymPtr value = x.eval(measure, scope);
    const auto smaller = [&x, body, measure, binders, scope, value](const std::vector<SymPtr>& values) {
      Scope inner = scope;
      for (std::size_t i = 0; i < values.size(); ++i) inner.locals[binders[i]] = values[i];
      smt::TermManager& terms = x.logic().terms;
      return terms.implies(x.less(x.eval(measure, inner), value), x.holds_and_defined(body, inner));
    };
    question.assume(x.quantify(true, types, smaller, subject.name, x.premises_of(body, binders, true, scope.time)),
                    Principle::hypothesis, subject.name);
    return true;
  }

  Answer ask(std::string_view kind, const Subject& subject, const std::vector<Hypothesis>& hypotheses,
             const Answers::Setup& setup) {
    // About states and steps much follows at once, or not soon.
    if ((strategy_.one_state || strategy_.one_step) && !strategy_.forward) {
      Strategy forward = strategy_;
      forward.forward = true;
      const Answer answer = answers_.ask(kind, subject, forward, facts_, hypotheses, setup);
      if (answer.end != ChaseEnd::saturated || stopped()) return answer;
    }
    return answers_.ask(kind, subject, strategy_, facts_, hypotheses, setup);
  }

  ChaseEnd prove_closed(ir::ExprId formula, const std::vector<Hypothesis>& hypotheses, Obligation& obligation) {
    Subject subject;
    subject.name = obligation.statement;
    subject.reach = reach_of(strategy_);
    subject.formulas = {formula};
    const Answer answer =
        ask("a claim holds at the end", subject, hypotheses, [](Question& question, const Subject& asked) {
          Execution& x = question.execution;
          Scope scope;
          scope.time = x.last();
          question.assume(question.logic.terms.not_(x.holds_and_defined(asked.formulas.front(), scope)),
                          Principle::goal, asked.name);
          return true;
        });
    answer.fill(obligation);
    return answer.end;
  }

  bool prove_claim(Claim& claim) {
    const ir::Property& property = p_[claim.property];
    const bool transition = property.kind == PropertyKind::transition;
    std::vector<Hypothesis> hypotheses = proved_;
    // The last time is the first at which the claim fails.
    if (!transition) hypotheses.push_back({property.name, property.formula, true});
    Subject subject;
    subject.name = property.name;
    subject.reach = reach_of(strategy_);
    subject.formulas = {property.formula};
    const Answer answer = transition ? ask("a claim holds of the last event", subject, hypotheses, of_the_last_event)
                                     : ask("a property holds at the end", subject, hypotheses, at_the_end);
    Obligation obligation =
        obligation_of("property", property.name, transition ? "after any step" : "at the first time it fails");
    record(obligation, answer);
    if (answer.end == ChaseEnd::contradiction) {
      claim.verdict = ClaimVerdict::proved;
      claim.reason.clear();
      claim.open_execution.clear();
      return true;
    }
    claim.reason = reason(answer);
    // A whole execution says more than a state or a step.
    const bool whole = !strategy_.one_state && !strategy_.one_step;
    if (answer.end == ChaseEnd::open && (whole || claim.open_execution.empty())) {
      claim.open_execution = answer.execution;
    }
    if (answer.end == ChaseEnd::unsupported) claim.verdict = ClaimVerdict::unsupported;
    return false;
  }

  static bool at_the_end(Question& question, const Subject& subject) {
    question.tell = true;
    Execution& x = question.execution;
    Scope scope;
    scope.time = x.last();
    question.assume(question.logic.terms.not_(x.holds_and_defined(subject.formulas.front(), scope)), Principle::goal,
                    subject.name);
    return true;
  }

  static bool of_the_last_event(Question& question, const Subject& subject) {
    question.tell = true;
    Execution& x = question.execution;
    smt::TermManager& tm = question.logic.terms;
    Scope scope;
    scope.time = x.last();
    scope.old_time = x.before_last();
    x.events[0].asked = true;
    question.assume(tm.le(x.start(), x.before_last()), Principle::hypothesis, "something happens");
    question.assume(tm.not_(x.holds_and_defined(subject.formulas.front(), scope)), Principle::goal, subject.name);
    return true;
  }

  static std::string reason(const Answer& answer) {
    switch (answer.end) {
      case ChaseEnd::contradiction:
        return {};
      case ChaseEnd::open:
        return "an execution that nothing known rules out remains";
      case ChaseEnd::saturated:
      case ChaseEnd::limit:
        return answer.reason;
      case ChaseEnd::unknown:
        return "the solver gave no answer: " + answer.reason;
      case ChaseEnd::unsupported:
        return "not supported by the prover yet: " + answer.reason;
    }
    return {};
  }

  void record(Obligation& obligation, const Answer& answer) {
    answer.fill(obligation);
    proof_.obligations.push_back(obligation);
  }

  /// Whether some step does what has no meaning here yet: then nothing can be
  /// proved, and nobody waits for it.
  bool steps_unsupported() {
    Logic logic(p_);
    Execution execution(p_, logic);
    for (std::size_t s = 0; s < p_.steps.size(); ++s) (void)execution.run(0, StepId(s));
    const std::string construct =
        deliveries_.asked ? "'sent' of a message that is delivered at most once" : execution.unsupported();
    if (construct.empty()) return false;
    proof_.reason = "not supported by the prover yet: " + construct;
    for (Claim& claim : proof_.claims) {
      claim.verdict = ClaimVerdict::unsupported;
      claim.reason = proof_.reason;
    }
    return true;
  }

  /// No axiom, initialiser or step reads what is not there. Claims are proved of
  /// executions in which what is not there is some value or other, so this is
  /// what makes them claims about the protocol.
  bool well_defined() {
    const Strategy current = strategy_;
    std::erase_if(proof_.obligations, [](const Obligation& o) { return o.kind == "well-defined"; });
    const bool shown = starts_defined() && can_begin() && steps_defined() && !stopped();
    strategy_ = current;
    return shown;
  }

  /// What is read at the start is there: by an axiom where the axioms shown so
  /// far hold, and so on with the constants, the initialisers and the init formulas.
  bool starts_defined() {
    ir::Protocol shown = p_;
    shown.axioms.clear();
    shown.inits.clear();
    if (!formulas_defined(shown, p_.axioms, shown.axioms, "axiom")) return false;
    for (const ir::ConstDecl& constant : p_.constants) {
      if (constant.kind != ir::ConstKind::defined) continue;
      if (!defined_at_start(shown, constant.value, constant.role, "constant " + constant.name)) return false;
    }
    for (const ir::VarDecl& var : p_.variables) {
      if (!var.init.valid()) continue;
      if (!defined_at_start(shown, var.init, var.role, p_[var.role].name + "." + var.name + " at the start")) {
        return false;
      }
    }
    return formulas_defined(shown, p_.inits, shown.inits, "init");
  }

  /// In whatever order they help one another. What is shown moves to `shown_ones`.
  bool formulas_defined(ir::Protocol& shown, const std::vector<ir::Formula>& formulas,
                        std::vector<ir::Formula>& shown_ones, const std::string& what) {
    std::vector<ir::Formula> open = formulas;
    while (!open.empty()) {
      const auto next = std::find_if(open.begin(), open.end(), [&](const ir::Formula& formula) {
        return !stopped() &&
               defined_at_start(shown, formula.formula, {}, what + " " + ir::to_source(p_, formula.formula));
      });
      if (next == open.end()) return false;
      shown_ones.push_back(*next);
      open.erase(next);
    }
    return true;
  }

  bool defined_at_start(ir::Protocol& shown, ir::ExprId expr, ir::RoleId role, const std::string& what) {
    Logic logic(shown);
    if (!Execution(shown, logic).may_be_undefined(expr)) return true;
    Subject subject;
    subject.name = what;
    subject.reach = Reach::now;
    subject.formulas = {expr};
    subject.role = role;
    Answers answers(shown, answers_);
    const Answer answer =
        answers.ask("defined at the start", subject, {}, {}, {}, [](Question& question, const Subject& asked) {
          question.chase.explain = false;
          Execution& x = question.execution;
          Scope scope;
          scope.time = x.start();
          if (asked.role.valid()) scope.self = x.arbitrary(x.protocol_types().host(asked.role), "host");
          question.assume(question.logic.terms.not_(x.defined(asked.formulas.front(), scope)), Principle::goal,
                          "undefined");
          return true;
        });
    if (answer.end == ChaseEnd::contradiction) {
      Obligation obligation = obligation_of("well-defined", what, "all it reads is there");
      record(obligation, answer);
      return true;
    }
    proof_.reason = "could not show that '" + what + "' never reads what is not there";
    return false;
  }

  /// Of a protocol of which no execution can begin everything is true, so nothing is said. What no search contradicts
  /// counts as possible.
  bool can_begin() {
    if (p_.axioms.empty() && p_.inits.empty()) return true;
    Subject subject;
    subject.name = "the start";
    subject.reach = Reach::now;
    for (const auto* formulas : {&p_.axioms, &p_.inits}) {
      for (const ir::Formula& formula : *formulas) subject.formulas.push_back(formula.formula);
    }
    strategy_ = {};
    const Answer answer = ask("a start", subject, {}, [](Question& question, const Subject& asked) {
      question.chase.explain = false;
      Execution& x = question.execution;
      Scope scope;
      scope.time = x.start();
      for (const ir::ExprId formula : asked.formulas) {
        question.assume(x.holds(formula, scope), Principle::hypothesis, "at the start");
        // There is a host of every role that a formula is about.
        const ir::Expr node = x.protocol()[formula];
        if (node.op != ir::Op::forall || node.binders.size() != 1) continue;
        const ir::LocalId binder = node.binders.front();
        if (x.protocol()[x.protocol()[binder].type].kind != ir::TypeKind::host) continue;
        Scope one = scope;
        one.locals[binder] = x.arbitrary(x.protocol()[binder].type, "host");
        question.assume(x.holds(node.args[0], one), Principle::hypothesis, "at the start");
      }
      return true;
    });
    if (answer.end != ChaseEnd::contradiction) return true;
    proof_.reason = "no execution can begin: the axioms and what holds at the start contradict one another";
    return false;
  }

  bool steps_defined() {
    strategy_ = {};
    for (std::size_t s = 0; s < p_.steps.size() && !stopped(); ++s) {
      Subject subject;
      subject.step = StepId(s);
      subject.name = p_[p_[subject.step].role].name + ", " + p_[subject.step].name;
      const Answer answer = ask("a step is defined", subject, {}, [](Question& question, const Subject& asked) {
        Execution& x = question.execution;
        smt::TermManager& tm = question.logic.terms;
        x.events[0].asked = true;
        const auto demands = x.run(0, asked.step).demands;
        if (demands.empty()) return false;
        std::vector<Term> broken;
        for (const auto& demand : demands) broken.push_back(tm.not_(demand.condition));
        // The guard itself may be what is undefined, so it is not assumed: each
        // demand comes with the conditions before it.
        question.assume(tm.and_({x.real(x.before_last()), tm.or_(broken)}), Principle::goal, "undefined");
        x.events[0].asked = false;
        return true;
      });
      if (!answer.asked) continue;
      if (answer.end == ChaseEnd::contradiction) {
        Obligation obligation = obligation_of("well-defined", subject.name, "all it reads is there");
        record(obligation, answer);
        continue;
      }
      proof_.reason = "could not show that '" + subject.name + "' never reads what is not there";
      return false;
    }
    return true;
  }

  // --- Sanity: what can never be -----------------------------------------------

  /// Steps that never happen and states that are never reached make claims
  /// easy to prove. One that does happen needs no proof: there is a run.
  void look_for_the_impossible() {
    for (const StepId step : options_.steps) {
      if (std::ranges::find(deliveries_.split, step) != deliveries_.split.end()) continue;
      Subject subject;
      subject.name = p_[p_[step].role].name + ", " + p_[step].name;
      subject.step = step;
      const bool never = impossible(subject, "never happens", [](Question& question, const Subject& asked) {
        Execution& x = question.execution;
        x.events[0].asked = true;
        question.assume(question.logic.terms.and_({x.real(x.before_last()), x.is_step(x.before_last(), asked.step)}),
                        Principle::goal, "it happens");
        return true;
      });
      if (never) proof_.impossible.push_back(step);
    }
    for (const PropertyId id : options_.reachables) {
      Subject subject;
      subject.name = p_[id].name;
      subject.formulas = {p_[id].formula};
      const bool never = impossible(subject, "is never reached", [](Question& question, const Subject& asked) {
        Execution& x = question.execution;
        Scope scope;
        scope.time = x.last();
        question.assume(x.holds(asked.formulas.front(), scope), Principle::goal, asked.name);
        return true;
      });
      if (never) proof_.unreachable.push_back(id);
    }
  }

  /// `part` also tells the questions apart.
  bool impossible(Subject subject, const std::string& part, const Answers::Setup& setup) {
    constexpr Strategy kCheap[] = {kOneStep, {.generations = 6, .rounds = 100, .facts = 1500, .hypotheses = true}};
    for (const Strategy& strategy : kCheap) {
      if (stopped()) return false;
      strategy_ = strategy;
      subject.reach = reach_of(strategy);
      const Answer answer = ask(part, subject, proved_, setup);
      if (answer.end != ChaseEnd::contradiction) continue;
      Obligation obligation = obligation_of("sanity", subject.name, part);
      record(obligation, answer);
      return true;
    }
    return false;
  }

  void withdraw() {
    for (Claim& claim : proof_.claims) {
      if (claim.verdict != ClaimVerdict::proved) continue;
      claim.verdict = ClaimVerdict::unknown;
      claim.reason = proof_.reason;
    }
  }

  ir::Protocol p_;  // a copy: guesses add expressions
  const Deliveries deliveries_;
  const ProveOptions& options_;
  Answers answers_;
  Proof proof_;
  std::vector<DerivedFact> facts_;
  std::vector<Hypothesis> proved_;
  Strategy strategy_;
};

}  // namespace

Proof prove(const ir::Protocol& protocol, const ProveOptions& options) { return Prover(protocol, options).run(); }

}  // namespace tenet::provenance
