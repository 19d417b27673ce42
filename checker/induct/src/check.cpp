#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <variant>

#include <fmt/format.h>

#include "sizes.h"
#include "tenet/induct/induct.h"
#include "tenet/induct/questions.h"
#include "tenet/ir/printer.h"

namespace tenet::induct {

namespace {

/// Instances with up to so many hosts and values are searched for two states that show a failure.
constexpr std::int64_t kLargestInstance = 3;
/// Of one such search.
constexpr std::uint64_t kSearchLimit = 4'000'000;

constexpr std::string_view kByText = "the text alone";

bool is_true(const ir::Interpreter& interpreter, ir::ExprId formula, const ir::State& state,
             const ir::State* before = nullptr) {
  const auto value = interpreter.holds(formula, state, before);
  const bool* known = std::get_if<bool>(&value);
  return known != nullptr && *known;
}

/// Not where the instance does not tell.
bool is_false(const ir::Interpreter& interpreter, ir::ExprId formula, const ir::State& state,
              const ir::State* before = nullptr) {
  const auto value = interpreter.holds(formula, state, before);
  const bool* known = std::get_if<bool>(&value);
  return known != nullptr ? !*known : !ir::is_cut(value);
}

/// One kind of question about one step, or about the start: what a thread does at a time.
class Item {
 public:
  Item(const ir::Protocol& protocol, const std::vector<Claim>& claims, const Options& options)
      : protocol_(protocol), claims_(claims), options_(options) {
    for (std::size_t i = 0; i < claims_.size(); ++i) assumed_.push_back(i);
  }

  /// Instances have so many more numbers than hosts.
  void have_further_numbers(std::int64_t further) { further_ = further; }
  /// Before steps these claims hold; without it: all.
  void assume(std::vector<std::size_t> claims) { assumed_ = std::move(claims); }
  void ask(Obligation& o) {
    if (o.kind == ObligationKind::text_defined) {
      text(o);
    } else if (o.kind == ObligationKind::initiation) {
      start(o);
    } else {
      step(o);
    }
  }
  /// Whether no instance of a few hosts, and none of any size, lets the step happen where the claims hold.
  bool impossible(ir::StepId step) {
    prepare();
    const auto happens = [&](Questions& q) {
      Verdict verdict = Verdict::discharged;
      for (std::size_t at = 0; at < q.cases() && verdict == Verdict::discharged; ++at) {
        if (q.step(at) == step) verdict = q.impossible(at, assumed_).verdict;
      }
      return verdict;
    };
    for (std::int64_t size = 1; size <= kLargestInstance; ++size) {
      if (happens(small(size)) != Verdict::discharged) return false;
    }
    return happens(*general_) == Verdict::discharged;
  }

  /// Whether an instance of that size shows that the step does not keep the claim.
  bool breaks(std::int64_t size, Obligation& o) {
    prepare();
    Questions& q = small(size);
    const std::size_t goal[] = {o.claim};
    for (std::size_t at = 0; at < q.cases(); ++at) {
      if (q.step(at) != o.step || !q.touches(at, o.claim)) continue;
      Reply reply = q.consecution(at, assumed_, goal);
      if (reply.verdict != Verdict::refuted || !reply.counterexample || !replays(o, *reply.counterexample)) continue;
      accept(o, reply);
      simplify(o, *reply.counterexample);
      o.counterexample = std::move(reply.counterexample);
      return true;
    }
    return false;
  }

 private:
  void text(Obligation& o) {
    prepare();
    accept(o, general_->text_defined());
  }
  void start(Obligation& o) {
    prepare();
    const std::size_t goal[] = {o.claim};
    accept(o, general_->initiation(goal));
    if (o.verdict == Verdict::discharged || !options_.counterexamples) return;
    search(o, [&](Questions& q) { return q.initiation(goal); });
  }
  /// Whether the step is defined, and whether it keeps every claim.
  void step(Obligation& o) {
    prepare();
    if (o.kind == ObligationKind::consecution && refuse(o)) return;
    const std::size_t goal[] = {o.claim};
    const auto ask = [&](Questions& q, std::size_t at) {
      return o.kind == ObligationKind::consecution ? q.consecution(at, assumed_, goal) : q.step_defined(at, assumed_);
    };
    o.verdict = Verdict::discharged;
    o.solver = kByText;
    for (std::size_t at = 0; at < general_->cases() && o.verdict == Verdict::discharged; ++at) {
      if (general_->step(at) != o.step) continue;
      if (o.kind == ObligationKind::consecution && !general_->touches(at, o.claim)) continue;
      accept(o, ask(*general_, at));
    }
    if (o.verdict == Verdict::discharged || !options_.counterexamples) return;
    search(o, [&](Questions& q) {
      Reply reply;
      for (std::size_t at = 0; at < q.cases(); ++at) {
        if (q.step(at) != o.step) continue;
        reply = ask(q, at);
        if (reply.verdict == Verdict::refuted) break;
      }
      return reply;
    });
  }

  void prepare() {
    if (general_) return;
    QuestionOptions options;
    options.resource_limit = options_.resource_limit;
    options.second_limit = options_.second_limit;
    options.seed = options_.seed;
    options.keep_queries = options_.keep_queries;
    options.stop = options_.stop;
    general_ = std::make_unique<Questions>(protocol_, options);
    introduce(*general_);
  }
  void introduce(Questions& questions) const {
    for (const Claim& claim : claims_) (void)questions.claim(claim.formula);
  }
  bool refuse(Obligation& o) const {
    const std::string& why = general_->refused(o.claim);
    if (!why.empty()) o.reason = "no translation: " + why;
    return !why.empty();
  }
  static void accept(Obligation& o, Reply reply) {
    o.verdict = reply.verdict;
    o.reason = std::move(reply.reason);
    o.solver = reply.solver.empty() && reply.verdict == Verdict::discharged ? kByText : reply.solver;
    o.resources += reply.resources;
    o.seconds += reply.seconds;
    o.uses.insert(o.uses.end(), reply.core.begin(), reply.core.end());
    std::sort(o.uses.begin(), o.uses.end());
    o.uses.erase(std::unique(o.uses.begin(), o.uses.end()), o.uses.end());
    if (!reply.query.empty()) o.query += (o.query.empty() ? "" : "\n") + reply.query;
  }

  /// A model for any number of hosts is no refutation yet: some instance has to show two states.
  void search(Obligation& o, const std::function<Reply(Questions&)>& ask) {
    const bool had_model = o.verdict == Verdict::refuted;
    for (std::int64_t size = 1; size <= kLargestInstance; ++size) {
      if (options_.stop != nullptr && options_.stop->requested()) break;
      Reply reply = ask(small(size));
      if (reply.verdict != Verdict::refuted || !reply.counterexample || !replays(o, *reply.counterexample)) continue;
      o.verdict = Verdict::refuted;
      o.reason.clear();
      o.counterexample = std::move(reply.counterexample);
      return;
    }
    o.verdict = Verdict::open;
    if (had_model) {
      o.reason =
          fmt::format("the solver has a model, but no instance with up to {} of each shows it", kLargestInstance);
    }
  }
  Questions& small(std::int64_t size) {
    auto& made = small_[static_cast<std::size_t>(size - 1)];
    if (!made) {
      QuestionOptions options;
      options.resource_limit = kSearchLimit;
      options.seed = options_.seed;
      options.stop = options_.stop;
      made = std::make_unique<Questions>(protocol_, instance_of_about(protocol_, size, size + further_), options);
      introduce(*made);
    }
    return *made;
  }
  /// Leaves out messages, and empties variables, that are not needed.
  void simplify(const Obligation& o, Counterexample& shown) const {
    const auto try_without = [&](auto change) {
      Counterexample simpler = shown;
      change(simpler.before);
      if (simpler.before == shown.before || !replays(o, simpler)) return false;
      shown = std::move(simpler);
      return true;
    };
    for (std::size_t i = shown.before.network.size(); i-- > 0;) {
      try_without(
          [&](ir::State& state) { state.network.erase(state.network.begin() + static_cast<std::ptrdiff_t>(i)); });
    }
    for (std::size_t v = 0; v < protocol_.variables.size(); ++v) {
      if (protocol_[protocol_.variables[v].type].kind == ir::TypeKind::function) continue;  // has a value everywhere
      for (std::size_t host = 0; host < shown.before.variables[v].size(); ++host) {
        try_without([&](ir::State& state) { empty(protocol_.variables[v].type, state.variables[v][host]); });
      }
    }
  }
  /// The plainest value of a type that has one.
  void empty(ir::TypeId type, ir::Value& value) const {
    const ir::Type& t = protocol_[type];
    if (t.kind == ir::TypeKind::structure) {
      const auto& fields = protocol_[ir::StructId(t.declaration)].fields;
      for (std::size_t i = 0; i < fields.size(); ++i) empty(fields[i].type, value.items[i]);
    } else if (t.kind != ir::TypeKind::function) {
      value = {};
    }
  }
  /// On the reference interpreter; fills in the state after the step.
  bool replays(const Obligation& o, Counterexample& found) const {
    const ir::Interpreter interpreter(protocol_, found.instance, found.constants);
    if (o.kind == ObligationKind::initiation) return is_false(interpreter, claims_[o.claim].formula, found.before);
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      if (!general_->refused(i).empty() || about_steps(claims_[i].formula)) continue;
      if (!is_true(interpreter, claims_[i].formula, found.before)) return false;
    }
    ir::Outcome outcome = interpreter.apply(found.before, *found.action);
    if (o.kind == ObligationKind::step_defined) return std::holds_alternative<ir::Fault>(outcome);
    auto* happened = std::get_if<ir::Happened>(&outcome);
    if (happened == nullptr) return false;
    found.after = std::move(happened->next);
    return is_false(interpreter, claims_[o.claim].formula, *found.after, &found.before);
  }
  bool about_steps(ir::ExprId id) const {
    const ir::Expr& node = protocol_[id];
    return node.op == ir::Op::old || std::any_of(node.args.begin(), node.args.end(),
                                                 [&](ir::ExprId arg) { return arg.valid() && about_steps(arg); });
  }

  const ir::Protocol& protocol_;
  const std::vector<Claim>& claims_;
  const Options& options_;
  std::unique_ptr<Questions> general_;
  std::unique_ptr<Questions> small_[static_cast<std::size_t>(kLargestInstance)];
  std::vector<std::size_t> assumed_;
  std::int64_t further_ = 0;
};

/// Claims that hold by induction together, and nothing that they need is missing.
std::vector<bool> proved_of(const Report& report, std::size_t count) {
  std::vector<bool> proved(count, true);
  const auto needs = [&](const Obligation& o) {
    return o.verdict == Verdict::discharged &&
           std::all_of(o.uses.begin(), o.uses.end(), [&](std::size_t use) { return proved[use]; });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Obligation& o : report.obligations) {
      if (needs(o)) continue;
      // A step or a start that reads what is not there leaves nothing proved.
      for (std::size_t i = 0; i < count; ++i) {
        if ((o.claim == Obligation::kNone || o.claim == i) && proved[i]) {
          proved[i] = false;
          changed = true;
        }
      }
    }
  }
  return proved;
}

bool stopped(const Options& options) { return options.stop != nullptr && options.stop->requested(); }

/// What leans on a claim that fails is asked again without it, until the rest stands by itself: Houdini (Flanagan and
/// Leino, FME 2001). An answer takes the place of the earlier one only if it discharges.
void without_failing(const ir::Protocol& protocol, const std::vector<Claim>& claims, Options options, Report& report) {
  options.counterexamples = false;
  std::vector<bool> good(claims.size(), true);
  for (const Obligation& o : report.obligations) {
    if (o.verdict == Verdict::discharged) continue;
    if (o.claim == Obligation::kNone) return;  // nothing is proved
    good[o.claim] = false;
  }
  if (std::all_of(good.begin(), good.end(), [](bool b) { return b; })) return;
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      if (good[i]) rest.push_back(i);
    }
    if (rest.empty()) return;
    std::optional<Item> item;
    ir::StepId about;
    for (Obligation& o : report.obligations) {
      const bool wanted = o.claim == Obligation::kNone || good[o.claim];
      const bool leans = std::any_of(o.uses.begin(), o.uses.end(), [&](std::size_t use) { return !good[use]; });
      if (!wanted || !leans || o.verdict != Verdict::discharged) continue;
      if (stopped(options)) return;
      if (!item || o.step != about) {
        item.emplace(protocol, claims, options);
        item->assume(rest);
        about = o.step;
      }
      Obligation again;
      again.kind = o.kind;
      again.claim = o.claim;
      again.step = o.step;
      item->ask(again);
      if (again.verdict == Verdict::discharged) {
        o = std::move(again);
      } else if (o.claim == Obligation::kNone) {
        return;
      } else {
        good[o.claim] = false;
        changed = true;
      }
    }
  }
}

/// That the text names, as far as instances can have it.
std::int64_t largest_number(const ir::Protocol& protocol) {
  constexpr std::int64_t kMost = 64;
  std::int64_t largest = 0;
  for (const ir::Expr& e : protocol.exprs) {
    if (e.op == ir::Op::int_literal && e.value <= kMost) largest = std::max(largest, e.value);
  }
  return largest;
}

std::vector<ir::StepId> impossible_steps(const ir::Protocol& protocol, const std::vector<Claim>& claims,
                                         const Options& options, const std::vector<bool>& proved) {
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (proved[i]) known.push_back(i);
  }
  std::vector<ir::StepId> made;
  for (std::size_t s = 0; s < protocol.steps.size() && !stopped(options); ++s) {
    Item item(protocol, claims, options);
    item.assume(known);
    if (item.impossible(ir::StepId(s))) made.emplace_back(s);
  }
  return made;
}

}  // namespace

std::vector<ir::PropertyId> stated_claims(const ir::Protocol& protocol) {
  std::vector<ir::PropertyId> all;
  for (std::size_t i = 0; i < protocol.properties.size(); ++i) {
    if (protocol.properties[i].kind != ir::PropertyKind::reachable) all.push_back(ir::PropertyId(i));
  }
  return all;
}

Claim claim_of(const ir::Protocol& protocol, ir::PropertyId property) {
  return {protocol[property].name, protocol[property].formula};
}

std::string_view name_of(ObligationKind kind) {
  switch (kind) {
    case ObligationKind::text_defined:
      return "text defined";
    case ObligationKind::initiation:
      return "initiation";
    case ObligationKind::step_defined:
      return "step defined";
    case ObligationKind::consecution:
      break;
  }
  return "consecution";
}

bool Report::inductive() const {
  return refused.empty() && !obligations.empty() &&
         std::all_of(obligations.begin(), obligations.end(),
                     [](const Obligation& o) { return o.verdict == Verdict::discharged; });
}

std::optional<Obligation> break_claim(const ir::Protocol& protocol, const std::vector<Claim>& claims, std::size_t goal,
                                      const Options& options) {
  // A few numbers are enough for most claims, and those that the text names for others.
  for (const std::int64_t further : {std::int64_t{0}, largest_number(protocol)}) {
    Item item(protocol, claims, options);
    item.have_further_numbers(further);
    for (std::int64_t size = 1; size <= kLargestInstance; ++size) {
      for (std::size_t s = 0; s < protocol.steps.size(); ++s) {
        if (stopped(options)) return std::nullopt;
        Obligation o;
        o.claim = goal;
        o.step = ir::StepId(s);
        if (item.breaks(size, o)) return o;
      }
    }
  }
  return std::nullopt;
}

Report check(const ir::Protocol& protocol, const std::vector<Claim>& claims, const Options& options) {
  const auto begun = std::chrono::steady_clock::now();
  Report report;
  report.proved.assign(claims.size(), false);
  report.refused = Questions(protocol, {}).refused();
  if (!report.refused.empty()) return report;

  // The obligations, in the order of the text; each group is one thread's work at a time.
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  const auto add = [&](ObligationKind kind, std::size_t claim, ir::StepId step) {
    Obligation o;
    o.kind = kind;
    o.claim = claim;
    o.step = step;
    report.obligations.push_back(std::move(o));
  };
  const auto group = [&](auto fill) {
    const std::size_t from = report.obligations.size();
    fill();
    groups.emplace_back(from, report.obligations.size());
  };
  group([&] { add(ObligationKind::text_defined, Obligation::kNone, {}); });
  group([&] {
    for (std::size_t i = 0; i < claims.size(); ++i) add(ObligationKind::initiation, i, {});
  });
  for (std::size_t s = 0; s < protocol.steps.size(); ++s) {
    group([&] {
      add(ObligationKind::step_defined, Obligation::kNone, ir::StepId(s));
      for (std::size_t i = 0; i < claims.size(); ++i) add(ObligationKind::consecution, i, ir::StepId(s));
    });
  }
  std::atomic<std::size_t> next{0};
  std::mutex telling;
  const auto work = [&] {
    for (std::size_t g = next++; g < groups.size(); g = next++) {
      Item item(protocol, claims, options);
      for (std::size_t i = groups[g].first; i < groups[g].second; ++i) {
        Obligation& o = report.obligations[i];
        if (options.stop != nullptr && options.stop->requested()) {
          o.reason = "interrupted";
          continue;
        }
        item.ask(o);
        if (!options.progress) continue;
        const std::lock_guard lock(telling);
        options.progress(
            fmt::format("{} of {}", name_of(o.kind), o.claim == Obligation::kNone ? "the text" : claims[o.claim].name));
      }
    }
  };
  std::vector<std::jthread> others;
  for (unsigned t = 1; t < options.threads; ++t) others.emplace_back(work);
  work();
  others.clear();
  without_failing(protocol, claims, options, report);
  report.proved = proved_of(report, claims.size());
  if (options.impossible) report.impossible = impossible_steps(protocol, claims, options, report.proved);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return report;
}

}  // namespace tenet::induct
