/// Names and sorts. A variable without a sort gets a slot; slots are joined
/// where their variables meet, and solved where one meets a known sort.
#include <algorithm>

#include <fmt/format.h>

#include "program.h"
#include "reads.h"

namespace tenet::frontend::pyv {
namespace {

constexpr std::size_t kMaxArity = 64;

/// Python's `isupper`: some letter, and no lower-case one.
bool is_capital(const std::string& name) {
  bool upper = false;
  for (const char c : name) {
    if (c >= 'a' && c <= 'z') return false;
    upper |= c >= 'A' && c <= 'Z';
  }
  return upper;
}

class Check {
 public:
  Check(File&& file, Diagnostics& diagnostics) : diagnostics_(diagnostics) { p_.file = std::move(file); }

  Program run();

 private:
  struct Bound {
    std::string name;
    Sort sort;
  };

  // Declarations.
  void sorts();
  void symbols();
  void definitions();
  void name_claim(std::size_t claim);
  void all_safety();
  void declare(const Name& name, Meaning meaning, const char* what);
  Sort sort(const Name& name);
  void circles();
  void definition(std::size_t index);
  void modifies(const Definition& definition, std::size_t index);
  void claims();
  void claim(const Claim& claim);
  void stateless(const Claim& claim);
  void derived(std::size_t symbol);
  void trace(const Trace& trace);
  void call(const Call& call);
  void bind(std::vector<Variable>& variables);
  Expr* close(Expr* formula, const std::vector<Variable>& parameters, Span span);
  void finish();

  // Sorts.
  Sort fresh() {
    parents_.push_back(static_cast<std::int32_t>(parents_.size()));
    solutions_.emplace_back();
    return {-2 - parents_.back()};
  }
  Sort resolve(Sort sort);
  Sort unify(Span span, Sort expected, Sort actual);
  [[nodiscard]] std::string text(Sort sort) const;

  // Expressions.
  Sort expr(Expr& e, Sort expected);
  Sort named(const Expr& e, Sort expected);
  Sort applied(Expr& e, Sort expected);
  Sort scoped(Expr& e, Sort expected);
  Sort unknown(const Expr& e);
  void arguments(Expr& e, const std::vector<Sort>& arity);
  bool readable(const Expr& e, const Symbol& symbol);
  bool callable(const Expr& e, const Definition& definition);
  void operands(Expr& e, Sort sort) {
    for (Expr* arg : e.args) expr(*arg, sort);
  }

  template <class... Args>
  Diagnostic& error(const char* id, Span span, fmt::format_string<Args...> format, Args&&... args) {
    return diagnostics_.error(id, span, fmt::format(format, std::forward<Args>(args)...));
  }

  Diagnostics& diagnostics_;
  Program p_;
  std::map<std::string, std::size_t, std::less<>> sorts_;
  std::map<std::string, Span, std::less<>> declared_;
  std::vector<Bound> scope_;
  std::vector<Variable*> open_;  ///< without a sort of their own
  std::vector<std::int32_t> parents_;
  std::vector<Sort> solutions_;
  int states_ = 0;
  int state_ = 0;
};

// ---- Sorts

Sort Check::resolve(Sort sort) {
  if (sort.id > -2) return sort;
  std::int32_t at = -2 - sort.id;
  while (parents_[static_cast<std::size_t>(at)] != at) {
    std::int32_t& parent = parents_[static_cast<std::size_t>(at)];
    parent = parents_[static_cast<std::size_t>(parent)];
    at = parent;
  }
  const Sort solution = solutions_[static_cast<std::size_t>(at)];
  return solution.id == Sort::kUnknown ? Sort{-2 - at} : solution;
}

std::string Check::text(Sort sort) const {
  if (sort == Sort::boolean()) return "bool";
  if (sort == Sort::integer()) return "int";
  return p_.file.sorts[sort.index()].text;
}

Sort Check::unify(Span span, Sort expected, Sort actual) {
  const Sort a = resolve(expected);
  const Sort b = resolve(actual);
  if (a == b || b.id == Sort::kUnknown) return a;
  if (a.id == Sort::kUnknown) return b;
  const auto slot = [](Sort sort) { return static_cast<std::size_t>(-2 - sort.id); };
  if (a.id <= -2) {
    if (b.id <= -2) {
      parents_[slot(a)] = static_cast<std::int32_t>(slot(b));
    } else {
      solutions_[slot(a)] = b;
    }
    return b;
  }
  if (b.id <= -2) {
    solutions_[slot(b)] = a;
    return a;
  }
  error("type-mismatch", span, "this is of sort '{}', but '{}' is needed here", text(b), text(a));
  return {};
}

Sort Check::sort(const Name& name) {
  if (name.text == "bool") return Sort::boolean();
  if (name.text == "int") return Sort::integer();
  const auto found = sorts_.find(name.text);
  if (found != sorts_.end()) return Sort::declared(found->second);
  std::vector<std::string> candidates{"bool", "int"};
  for (const Name& each : p_.file.sorts) candidates.push_back(each.text);
  const std::string closest = did_you_mean(name.text, candidates);
  Diagnostic& made = error("unknown-type", name.span, "no sort '{}' is declared", name.text);
  made.hint = closest.empty() ? "" : fmt::format("did you mean '{}'?", closest);
  return {};
}

// ---- Declarations

void Check::declare(const Name& name, Meaning meaning, const char* what) {
  const auto [known, added] = declared_.emplace(name.text, name.span);
  if (!added) {
    Diagnostic& made =
        error("duplicate-name", name.span, "'{}' is declared already, so it cannot name a {}", name.text, what);
    if (!known->second.empty()) made.notes.push_back({known->second, "it is declared here"});
    return;
  }
  p_.names.emplace(name.text, meaning);
}

void Check::sorts() {
  for (std::size_t i = 0; i < p_.file.sorts.size(); ++i) {
    const Name& name = p_.file.sorts[i];
    const auto [known, added] = sorts_.emplace(name.text, i);
    if (added) continue;
    Diagnostic& made = error("duplicate-name", name.span, "sort '{}' is declared already", name.text);
    made.notes.push_back({p_.file.sorts[known->second].span, "it is declared here"});
  }
}

void Check::symbols() {
  constexpr const char* kWhat[] = {"relation", "function", "constant"};
  for (std::size_t i = 0; i < p_.file.symbols.size(); ++i) {
    const Symbol& symbol = p_.file.symbols[i];
    const char* what = kWhat[static_cast<std::size_t>(symbol.kind)];
    Signature signature;
    for (const Name& name : symbol.arity) {
      signature.arity.push_back(sort(name));
      const Sort made = signature.arity.back();
      if (made == Sort::boolean() || made == Sort::integer()) {
        error("not-allowed-here", name.span, "an argument of a {} cannot be of sort '{}': only declared sorts can",
              what, name.text);
      }
    }
    if (signature.arity.size() > kMaxArity) {
      error("file-too-complex", symbol.name.span, "'{}' has more than {} arguments", symbol.name.text, kMaxArity);
    }
    signature.result = symbol.sort_name ? sort(*symbol.sort_name) : Sort::boolean();
    p_.signatures.push_back(std::move(signature));
    declare(symbol.name, {Meaning::Kind::symbol, i}, what);
  }
}

void Check::bind(std::vector<Variable>& variables) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    Variable& variable = variables[i];
    const auto global = declared_.find(variable.name);
    if (global != declared_.end()) {
      Diagnostic& made = error("duplicate-name", variable.span,
                               "'{}' would hide what the file declares under that name", variable.name);
      if (!global->second.empty()) made.notes.push_back({global->second, "it is declared here"});
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (variables[j].name != variable.name) continue;
      Diagnostic& made = error("duplicate-name", variable.span, "'{}' is bound twice at once", variable.name);
      made.notes.push_back({variables[j].span, "it is bound here"});
    }
    variable.sort = variable.sort_name ? sort(*variable.sort_name) : fresh();
    if (!variable.sort_name) open_.push_back(&variable);
  }
}

/// Capital names that stand free are bound by a `forall` around everything.
Expr* Check::close(Expr* formula, const std::vector<Variable>& parameters, Span span) {
  std::vector<Variable> bound;
  for (const Name& name : free_names(*formula)) {
    const bool parameter =
        std::any_of(parameters.begin(), parameters.end(), [&](const Variable& v) { return v.name == name.text; });
    if (!is_capital(name.text) || parameter || declared_.count(name.text) > 0) continue;
    Variable variable;
    variable.name = name.text;
    variable.span = name.span;
    bound.push_back(std::move(variable));
  }
  if (bound.empty()) return formula;
  Expr& made = p_.file.nodes.emplace_back();
  made.kind = Kind::forall;
  made.height = static_cast<std::uint16_t>(formula->height + 1);
  made.args = {formula};
  made.variables = std::move(bound);
  made.span = span;
  return &made;
}

/// Named claims can be called like definitions of one state (a theorem: of its own number).
void Check::name_claim(std::size_t index) {
  const Claim& claim = p_.file.claims[index];
  if (!claim.name) return;
  Definition made;
  made.name = *claim.name;
  made.states = claim.states;
  made.body = claim.formula;
  made.span = claim.span;
  p_.claim_definitions[index] = p_.file.definitions.size();
  declare(made.name, {Meaning::Kind::definition, p_.file.definitions.size()}, "claim");
  p_.file.definitions.push_back(std::move(made));
}

void Check::all_safety() {
  Expr& all = p_.file.nodes.emplace_back();
  for (const Claim& claim : p_.file.claims) {
    if (claim.kind == Claim::Kind::safety) all.args.push_back(claim.formula);
  }
  all.kind = Kind::conjunction;
  if (all.args.size() < 2) {
    all.kind = Kind::truth;
    all.number = 1;
  }
  for (const Expr* arg : all.args) all.height = std::max<std::uint16_t>(all.height, arg->height + 1);
  Definition made;
  made.name.text = "safety";
  made.body = all.args.size() == 1 ? all.args.front() : &all;
  if (all.args.size() == 1) all.args.clear();
  p_.safety_definition = p_.file.definitions.size();
  declare(made.name, {Meaning::Kind::definition, p_.safety_definition}, "claim");
  p_.file.definitions.push_back(std::move(made));
}

void Check::definitions() {
  for (std::size_t i = 0; i < p_.file.definitions.size(); ++i) {
    const Definition& made = p_.file.definitions[i];
    declare(made.name, {Meaning::Kind::definition, i}, made.is_transition ? "transition" : "definition");
  }
  p_.claim_definitions.assign(p_.file.claims.size(), static_cast<std::size_t>(-1));
  for (std::size_t i = 0; i < p_.file.claims.size(); ++i) name_claim(i);
  const std::vector<Variable> none;
  for (Definition& made : p_.file.definitions) made.body = close(made.body, made.parameters, made.span);
  for (std::size_t i = 0; i < p_.file.claims.size(); ++i) {
    Claim& claim = p_.file.claims[i];
    const std::size_t definition = p_.claim_definitions[i];
    const bool named = definition != static_cast<std::size_t>(-1);
    claim.formula = named ? p_.file.definitions[definition].body : close(claim.formula, none, claim.span);
  }
  all_safety();
  for (Symbol& symbol : p_.file.symbols) {
    if (symbol.derived != nullptr) symbol.derived = close(symbol.derived, none, symbol.span);
  }
  for (Trace& trace : p_.file.traces) {
    for (Component& component : trace.components) {
      if (component.formula != nullptr) component.formula = close(component.formula, none, component.span);
    }
  }
}

void Check::circles() {
  std::vector<std::size_t> circular;
  const std::vector<std::size_t> order = call_order(p_, circular);
  for (const std::size_t index : circular) {
    const Name& name = p_.file.definitions[index].name;
    error("recursive-definition", name.span, "'{}' is defined by itself", name.text);
  }
  p_.reads.resize(p_.file.definitions.size());
  for (const std::size_t index : order) p_.reads[index] = reads_of(p_, *p_.file.definitions[index].body);
}

void Check::modifies(const Definition& made, std::size_t index) {
  std::vector<bool> listed(p_.file.symbols.size(), false);
  for (const Name& name : made.modifies) {
    const Meaning* meaning = p_.find(name.text);
    if (meaning == nullptr || meaning->kind != Meaning::Kind::symbol) {
      std::vector<std::string> candidates;
      for (const Symbol& symbol : p_.file.symbols) candidates.push_back(symbol.name.text);
      const std::string closest = did_you_mean(name.text, candidates);
      Diagnostic& bad =
          error("unknown-name", name.span, "no relation, function or constant '{}' is declared", name.text);
      bad.hint = closest.empty() ? "" : fmt::format("did you mean '{}'?", closest);
      continue;
    }
    const Symbol& symbol = p_.file.symbols[meaning->index];
    if (!symbol.is_mutable) {
      error("not-allowed-here", name.span, "'{}' is immutable: no transition modifies it", name.text);
    } else if (symbol.derived != nullptr) {
      error("not-allowed-here", name.span, "'{}' is derived: it changes with what it is derived from", name.text);
    }
    listed[meaning->index] = true;
  }
  if (!made.is_transition) return;
  std::vector<bool> constrained(p_.file.symbols.size(), false);
  for (const Read& read : p_.reads[index]) {
    const Symbol& symbol = p_.file.symbols[read.symbol];
    if (read.state != 1 || symbol.derived != nullptr) continue;
    constrained[read.symbol] = true;
    if (listed[read.symbol]) continue;
    Diagnostic& bad = error("not-modified", read.span, "this speaks of the new value of '{}', which is not modified",
                            symbol.name.text);
    bad.hint = fmt::format("add it to the 'modifies' of '{}'", made.name.text);
  }
  for (const Name& name : made.modifies) {
    const Meaning* meaning = p_.find(name.text);
    const bool known = meaning != nullptr && meaning->kind == Meaning::Kind::symbol;
    if (!known || constrained[meaning->index] || diagnostics_.has_errors()) continue;
    diagnostics_.warning("any-value-next", name.span,
                         fmt::format("'{}' may take any new value here: the formula says nothing of it", name.text));
  }
}

void Check::definition(std::size_t index) {
  Definition& made = p_.file.definitions[index];
  for (const Variable& parameter : made.parameters) scope_.push_back({parameter.name, parameter.sort});
  states_ = made.states;
  expr(*made.body, Sort::boolean());
  scope_.clear();
  modifies(made, index);
}

void Check::claim(const Claim& claim) {
  states_ = claim.kind == Claim::Kind::axiom ? 0 : claim.kind == Claim::Kind::theorem ? claim.states : 1;
  expr(*claim.formula, Sort::boolean());
}

void Check::stateless(const Claim& claim) {
  if (claim.kind == Claim::Kind::axiom || claim.kind == Claim::Kind::theorem) return;
  if (!reads_of(p_, *claim.formula).empty()) return;
  diagnostics_.warning("says-nothing-of-states", claim.span,
                       "this speaks of nothing that is mutable, so it is the same in every state",
                       claim.kind == Claim::Kind::init ? "'axiom' says that it always holds" : "");
}

void Check::claims() {
  for (std::size_t i = 0; i < p_.file.claims.size(); ++i) {
    const Claim& each = p_.file.claims[i];
    // The formula of a named claim is that of its definition, and checked there;
    // an axiom may read less than a definition of one state.
    const bool again = p_.claim_definitions[i] == static_cast<std::size_t>(-1) || each.kind == Claim::Kind::axiom;
    if (again) claim(each);
  }
}

void Check::derived(std::size_t index) {
  const Symbol& symbol = p_.file.symbols[index];
  states_ = 1;
  expr(*symbol.derived, Sort::boolean());
}

void Check::call(const Call& made) {
  const Meaning* meaning = p_.find(made.target.text);
  const bool known = meaning != nullptr && meaning->kind == Meaning::Kind::definition &&
                     p_.file.definitions[meaning->index].is_transition;
  if (!known) {
    std::vector<std::string> candidates;
    for (const Definition& definition : p_.file.definitions) {
      if (definition.is_transition) candidates.push_back(definition.name.text);
    }
    const std::string closest = did_you_mean(made.target.text, candidates);
    Diagnostic& bad = error("unknown-name", made.target.span, "no transition '{}' is declared", made.target.text);
    bad.hint = closest.empty() ? "" : fmt::format("did you mean '{}'?", closest);
    return;
  }
  const Definition& target = p_.file.definitions[meaning->index];
  if (!made.has_arguments) return;
  if (made.arguments.size() != target.parameters.size()) {
    error("argument-count", made.span, "'{}' has {} parameter(s), but {} argument(s) are given", made.target.text,
          target.parameters.size(), made.arguments.size());
    return;
  }
  for (std::size_t i = 0; i < made.arguments.size(); ++i) {
    if (made.arguments[i] != nullptr) expr(*made.arguments[i], target.parameters[i].sort);
  }
}

void Check::trace(const Trace& made) {
  states_ = 1;
  bool begun = false;
  for (const Component& component : made.components) {
    switch (component.kind) {
      case Component::Kind::assertion:
        expr(*component.formula, Sort::boolean());
        break;
      case Component::Kind::initial:
        if (begun) error("not-allowed-here", component.span, "'assert init' is for the first state of a trace");
        break;
      case Component::Kind::calls:
        for (const Call& each : component.calls) call(each);
        begun = true;
        break;
      case Component::Kind::any:
        begun = true;
        break;
    }
  }
}

/// Every variable must have got a sort by now.
void Check::finish() {
  for (Variable* variable : open_) {
    variable->sort = resolve(variable->sort);
    if (variable->sort.id <= -2) {
      error("unknown-sort", variable->span, "nothing says over which sort '{}' ranges", variable->name).hint =
          fmt::format("write '{}: SORT' where it is bound", variable->name);
      variable->sort = {};
    }
  }
}

Program Check::run() {
  sorts();
  symbols();
  definitions();
  circles();
  for (Definition& made : p_.file.definitions) bind(made.parameters);
  for (std::size_t i = 0; i < p_.file.symbols.size(); ++i) {
    if (p_.file.symbols[i].derived != nullptr) derived(i);
  }
  for (std::size_t i = 0; i < p_.file.definitions.size(); ++i) {
    // Its parts are checked as the claims they are.
    if (i != p_.safety_definition) definition(i);
  }
  claims();
  for (const Trace& each : p_.file.traces) trace(each);
  finish();
  if (!diagnostics_.has_errors()) {
    for (const Claim& each : p_.file.claims) stateless(each);
  }
  return std::move(p_);
}

// ---- Expressions

Sort Check::unknown(const Expr& e) {
  std::vector<std::string> candidates;
  for (const auto& [name, meaning] : p_.names) candidates.push_back(name);
  for (const Bound& bound : scope_) candidates.push_back(bound.name);
  const std::string closest = did_you_mean(e.name, candidates);
  Diagnostic& made = error("unknown-name", {e.span.begin, e.span.begin + static_cast<std::uint32_t>(e.name.size())},
                           "'{}' is neither declared nor bound here", e.name);
  made.hint = closest.empty() ? "" : fmt::format("did you mean '{}'?", closest);
  if (e.kind == Kind::apply && e.name == "old") made.hint = "the old state is what is read without 'new'";
  return {};
}

void Check::arguments(Expr& e, const std::vector<Sort>& arity) {
  if (e.args.size() != arity.size()) {
    error("argument-count", e.span, "'{}' takes {} argument(s), but {} are given", e.name, arity.size(), e.args.size());
  }
  for (std::size_t i = 0; i < e.args.size(); ++i) expr(*e.args[i], i < arity.size() ? arity[i] : Sort{});
}

/// Whether the states that the name reads exist here.
bool Check::readable(const Expr& e, const Symbol& symbol) {
  if (!symbol.is_mutable) {
    if (e.primes > 0) error("not-allowed-here", e.span, "'{}' is immutable: it has no new value", e.name);
    return e.primes == 0;
  }
  if (states_ == 0) {
    error("not-allowed-here", e.span, "'{}' is mutable, but there is no state here", e.name);
    return false;
  }
  if (state_ + static_cast<int>(e.primes) < states_) return true;
  error("not-allowed-here", e.span, "'{}' is read in a state that this formula does not speak of", e.name);
  return false;
}

bool Check::callable(const Expr& e, const Definition& definition) {
  if (state_ + definition.states - 1 + static_cast<int>(e.primes) < states_) return true;
  error("not-allowed-here", e.span, "'{}' speaks of {} state(s), which are not there in this place", e.name,
        definition.states);
  return false;
}

Sort Check::applied(Expr& e, Sort expected) {
  const bool bound = std::any_of(scope_.begin(), scope_.end(), [&](const Bound& b) { return b.name == e.name; });
  const Meaning* meaning = bound ? nullptr : p_.find(e.name);
  if (meaning == nullptr) {
    if (!bound) {
      unknown(e);
    } else {
      error("not-a-value", e.span, "'{}' is a variable: it takes no arguments", e.name);
    }
    for (Expr* arg : e.args) expr(*arg, {});
    return {};
  }
  if (meaning->kind == Meaning::Kind::definition) {
    const Definition& definition = p_.file.definitions[meaning->index];
    std::vector<Sort> arity;
    for (const Variable& parameter : definition.parameters) arity.push_back(parameter.sort);
    callable(e, definition);
    arguments(e, arity);
    return unify(e.span, expected, Sort::boolean());
  }
  const Symbol& symbol = p_.file.symbols[meaning->index];
  readable(e, symbol);
  arguments(e, p_.signatures[meaning->index].arity);
  return unify(e.span, expected, p_.signatures[meaning->index].result);
}

Sort Check::named(const Expr& e, Sort expected) {
  for (auto bound = scope_.rbegin(); bound != scope_.rend(); ++bound) {
    if (bound->name != e.name) continue;
    if (e.primes > 0) error("not-allowed-here", e.span, "'{}' is a variable: it has no new value", e.name);
    return unify(e.span, expected, bound->sort);
  }
  const Meaning* meaning = p_.find(e.name);
  if (meaning == nullptr) return unknown(e);
  if (meaning->kind == Meaning::Kind::definition) {
    const Definition& definition = p_.file.definitions[meaning->index];
    if (!definition.parameters.empty()) {
      error("argument-count", e.span, "'{}' has {} parameter(s), but no arguments are given", e.name,
            definition.parameters.size());
      return {};
    }
    callable(e, definition);
    return unify(e.span, expected, Sort::boolean());
  }
  const Signature& signature = p_.signatures[meaning->index];
  if (!signature.arity.empty()) {
    error("argument-count", e.span, "'{}' takes {} argument(s), but none are given", e.name, signature.arity.size());
    return {};
  }
  readable(e, p_.file.symbols[meaning->index]);
  return unify(e.span, expected, signature.result);
}

/// Quantifiers and `let`.
Sort Check::scoped(Expr& e, Sort expected) {
  std::vector<Variable>& variables = e.variables;
  // A named axiom is checked twice: as a definition, too.
  if (std::none_of(variables.begin(), variables.end(), [](const Variable& v) { return v.sort.id != Sort::kUnknown; })) {
    bind(variables);
  }
  const bool let = e.kind == Kind::let;
  if (let) expr(*e.args[0], variables[0].sort);
  for (const Variable& variable : variables) scope_.push_back({variable.name, variable.sort});
  const Sort result = expr(*e.args[let ? 1 : 0], let ? expected : Sort::boolean());
  scope_.resize(scope_.size() - variables.size());
  return let ? result : unify(e.span, expected, Sort::boolean());
}

Sort Check::expr(Expr& e, Sort expected) {
  switch (e.kind) {
    case Kind::truth:
      return unify(e.span, expected, Sort::boolean());
    case Kind::integer:
      return unify(e.span, expected, Sort::integer());
    case Kind::name:
      return named(e, expected);
    case Kind::apply:
      return applied(e, expected);
    case Kind::negation:
    case Kind::conjunction:
    case Kind::disjunction:
    case Kind::implies:
    case Kind::iff:
      operands(e, Sort::boolean());
      return unify(e.span, expected, Sort::boolean());
    case Kind::next: {
      if (state_ + 1 >= states_) {
        error("not-allowed-here", e.span, "'new' has no meaning here: this formula speaks of {} state(s)", states_);
      }
      ++state_;
      const Sort result = expr(*e.args[0], expected);
      --state_;
      return result;
    }
    case Kind::distinct:
    case Kind::equal:
    case Kind::differs: {
      Sort common;
      for (Expr* arg : e.args) {
        const Sort sort = expr(*arg, common);
        if (common.id == Sort::kUnknown) common = sort;
      }
      return unify(e.span, expected, Sort::boolean());
    }
    case Kind::ge:
    case Kind::gt:
    case Kind::le:
    case Kind::lt:
      operands(e, Sort::integer());
      return unify(e.span, expected, Sort::boolean());
    case Kind::plus:
    case Kind::minus:
    case Kind::times:
      operands(e, Sort::integer());
      return unify(e.span, expected, Sort::integer());
    case Kind::forall:
    case Kind::exists:
    case Kind::let:
      return scoped(e, expected);
    case Kind::branch: {
      expr(*e.args[0], Sort::boolean());
      const Sort then = expr(*e.args[1], expected);
      return expr(*e.args[2], then.id == Sort::kUnknown ? expected : then);
    }
  }
  return {};
}

}  // namespace

Program check(File file, Diagnostics& diagnostics) { return Check(std::move(file), diagnostics).run(); }

}  // namespace tenet::frontend::pyv
