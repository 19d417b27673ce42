// Z3 as a library. The only file that knows its headers.
#include <z3++.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backends.h"
#include "names.h"
#include "responses.h"
#include "tenet/smt/term_ops.h"
#include "watchdog.h"

namespace tenet::smt {
namespace {

std::string version_text() {
  unsigned major = 0, minor = 0, build = 0, revision = 0;
  Z3_get_version(&major, &minor, &build, &revision);
  return "Z3 " + std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(build) + " in process";
}

/// Terms in a Z3 context. Names are those of the SMT-LIB text, so that the
/// library and the program see the same question.
class Translation {
 public:
  explicit Translation(z3::context& context) : c_(context) {}

  z3::expr term(Term root) {
    for_each_subterm(
        {&root, 1}, [&](Term t) { terms_.emplace(t, build(t)); }, [&](Term t) { return terms_.contains(t); });
    return terms_.at(root);
  }
  /// The literal that switches the assertions of this name on.
  z3::expr label(const std::string& name) { return c_.bool_const(names_.label(name).c_str()); }
  Value value(Term term, const z3::expr& result);
  z3::func_decl function(Function function);

 private:
  z3::sort sort(Sort sort);
  z3::expr build(Term term);
  z3::expr quantifier(Term term);
  z3::expr number(Term term);
  z3::expr_vector args(Term term);
  z3::expr checked(Z3_ast ast) {
    c_.check_error();
    return z3::expr(c_, ast);
  }

  z3::context& c_;
  Names names_;
  std::unordered_map<Sort, z3::sort> sorts_;
  std::unordered_map<Sort, std::vector<z3::func_decl>> members_;
  std::unordered_map<Function, z3::func_decl> functions_;
  std::unordered_map<Term, z3::expr> terms_;
};

/// Unquoted: Z3 takes any characters in a symbol.
const char* plain(const std::string& name, std::string& storage) {
  storage = name.size() > 1 && name.front() == '|' ? name.substr(1, name.size() - 2) : name;
  return storage.c_str();
}

z3::sort Translation::sort(Sort sort) {
  const auto found = sorts_.find(sort);
  if (found != sorts_.end()) return found->second;
  std::string storage;
  switch (sort.kind()) {
    case SortKind::boolean:
      return sorts_.emplace(sort, c_.bool_sort()).first->second;
    case SortKind::integer:
      return sorts_.emplace(sort, c_.int_sort()).first->second;
    case SortKind::real:
      return sorts_.emplace(sort, c_.real_sort()).first->second;
    case SortKind::uninterpreted:
      return sorts_.emplace(sort, c_.uninterpreted_sort(plain(names_.sort(sort), storage))).first->second;
    case SortKind::enumeration:
      break;
  }
  std::vector<std::string> texts(sort.members().size());
  std::vector<const char*> pointers;
  for (std::size_t i = 0; i < texts.size(); ++i) pointers.push_back(plain(names_.enumerator(sort, i), texts[i]));
  z3::func_decl_vector constructors(c_), testers(c_);
  const z3::sort made = c_.enumeration_sort(plain(names_.sort(sort), storage), static_cast<unsigned>(pointers.size()),
                                            pointers.data(), constructors, testers);
  std::vector<z3::func_decl>& list = members_[sort];
  for (unsigned i = 0; i < constructors.size(); ++i) list.push_back(constructors[static_cast<int>(i)]);
  return sorts_.emplace(sort, made).first->second;
}

z3::func_decl Translation::function(Function function) {
  const auto found = functions_.find(function);
  if (found != functions_.end()) return found->second;
  z3::sort_vector domain(c_);
  for (const Sort part : function.domain()) domain.push_back(sort(part));
  std::string storage;
  const z3::symbol name = c_.str_symbol(plain(names_.function(function), storage));
  return functions_.emplace(function, c_.function(name, domain, sort(function.range()))).first->second;
}

z3::expr_vector Translation::args(Term term) {
  z3::expr_vector result(c_);
  for (const Term arg : term.args()) result.push_back(terms_.at(arg));
  return result;
}

z3::expr Translation::number(Term term) {
  const std::string text = term.number().text();
  return term.sort().kind() == SortKind::real ? c_.real_val(text.c_str()) : c_.int_val(text.c_str());
}

z3::expr Translation::build(Term term) {
  const auto arg = [&](std::size_t index) { return terms_.at(term.arg(index)); };
  switch (term.kind()) {
    case Kind::boolean:
      return c_.bool_val(term.is_true());
    case Kind::number:
      return number(term);
    case Kind::enumerator:
      (void)sort(term.sort());
      return members_.at(term.sort())[term.member()]();
    case Kind::variable: {
      std::string storage;
      return c_.constant(plain(names_.variable(term), storage), sort(term.sort()));
    }
    case Kind::application:
      return function(term.function())(args(term));
    case Kind::not_:
      return !arg(0);
    case Kind::and_:
      return z3::mk_and(args(term));
    case Kind::or_:
      return z3::mk_or(args(term));
    case Kind::implies:
      return z3::implies(arg(0), arg(1));
    case Kind::ite:
      return z3::ite(arg(0), arg(1), arg(2));
    case Kind::eq:
      return arg(0) == arg(1);
    case Kind::distinct:
      return z3::distinct(args(term));
    case Kind::lt:
      return arg(0) < arg(1);
    case Kind::le:
      return arg(0) <= arg(1);
    case Kind::add:
      return z3::sum(args(term));
    case Kind::mul:
      return arg(0) * arg(1);
    case Kind::div:
      return arg(0) / arg(1);
    case Kind::mod:
      return z3::mod(arg(0), arg(1));
    case Kind::to_real:
      return checked(Z3_mk_int2real(c_, arg(0)));
    case Kind::forall:
    case Kind::exists:
      return quantifier(term);
  }
  throw z3::exception("a kind of term that is not translated");
}

z3::expr Translation::quantifier(Term term) {
  std::vector<Z3_app> bound;
  std::vector<z3::expr> keep;
  for (const Term variable : term.bound()) {
    keep.push_back(this->term(variable));
    bound.push_back(static_cast<Z3_app>(keep.back()));
  }
  std::vector<z3::ast> owned;
  std::vector<Z3_pattern> patterns;
  for (const std::vector<Term>& elements : term.patterns()) {
    std::vector<Z3_ast> list;
    for (const Term element : elements) list.push_back(this->term(element));
    const Z3_pattern pattern = Z3_mk_pattern(c_, static_cast<unsigned>(list.size()), list.data());
    c_.check_error();
    owned.emplace_back(c_, Z3_pattern_to_ast(c_, pattern));
    patterns.push_back(pattern);
  }
  std::string storage;
  const std::string& name = term.quantifier_name();
  const Z3_symbol id = name.empty() ? nullptr : Z3_symbol(c_.str_symbol(plain(names_.quantifier(name), storage)));
  constexpr unsigned kWeight = 1;  // as for text without a weight
  return checked(Z3_mk_quantifier_const_ex(
      c_, term.kind() == Kind::forall, kWeight, id, nullptr, static_cast<unsigned>(bound.size()), bound.data(),
      static_cast<unsigned>(patterns.size()), patterns.data(), 0, nullptr, terms_.at(term.body())));
}

Value Translation::value(Term term, const z3::expr& result) {
  Value value;
  value.sort = term.sort();
  switch (term.sort().kind()) {
    case SortKind::boolean:
      if (!result.is_true() && !result.is_false()) throw z3::exception("the model has no value for it");
      value.boolean = result.is_true();
      value.text = value.boolean ? "true" : "false";
      break;
    case SortKind::integer:
    case SortKind::real: {
      if (!result.is_numeral()) throw z3::exception("the model has no number for it");
      value.text = Z3_get_numeral_string(c_, result);
      c_.check_error();
      std::int64_t top = 0, bottom = 1;
      if (Z3_get_numeral_rational_int64(c_, result, &top, &bottom)) value.number = Rational::make(top, bottom);
      break;
    }
    case SortKind::uninterpreted:
      value.text = result.to_string();
      break;
    case SortKind::enumeration: {
      const std::vector<z3::func_decl>& list = members_.at(term.sort());
      const auto found = std::find_if(list.begin(), list.end(), [&](const z3::func_decl& member) {
        return result.is_app() && z3::eq(member, result.decl());
      });
      if (found == list.end()) throw z3::exception("the model has no member for it");
      value.member = static_cast<std::size_t>(found - list.begin());
      value.text = term.sort().members()[value.member];
      break;
    }
  }
  return value;
}

/// Z3 ignores what it does not know; a misspelt option shall not pass for one that helps.
void set_option(z3::params& params, z3::param_descrs& known, std::string name, const std::string& text) {
  if (name.starts_with("smt.")) name.erase(0, 4);
  if (known.kind(params.ctx().str_symbol(name.c_str())) == Z3_PK_INVALID) {
    throw z3::exception(("Z3 has no option '" + name + "'").c_str());
  }
  unsigned number = 0;
  double real = 0;
  const char* const end = text.data() + text.size();
  if (text == "true" || text == "false") {
    params.set(name.c_str(), text == "true");
  } else if (std::from_chars(text.data(), end, number).ptr == end) {
    params.set(name.c_str(), number);
  } else if (std::from_chars(text.data(), end, real).ptr == end) {
    params.set(name.c_str(), real);
  } else {
    params.set(name.c_str(), params.ctx().str_symbol(text.c_str()));
  }
}

/// What a model says of terms. Z3 evaluates every term from its leaves, and looks through a function's entries one by
/// one; here each part is evaluated once, and each function's entries are put into a table.
class ModelValues {
 public:
  ModelValues(const z3::model& model, Translation& translation) : model_(model), translation_(translation) {}

  z3::expr of(Term term) {
    const auto found = values_.find(term);
    if (found != values_.end()) return found->second;
    const bool looked_up = term.kind() == Kind::application && !term.args().empty();
    return values_.emplace(term, looked_up ? applied(term) : model_.eval(translation_.term(term), true)).first->second;
  }

 private:
  /// By the arguments' values, which Z3 keeps once each: their numbers tell them apart.
  struct Table {
    std::map<std::vector<unsigned>, z3::expr> entries;
    std::optional<z3::expr> otherwise;  ///< if it is a value
  };

  z3::expr applied(Term term) {
    const z3::func_decl function = translation_.function(term.function());
    z3::expr_vector args(model_.ctx());
    std::vector<unsigned> key;
    for (const Term arg : term.args()) {
      args.push_back(of(arg));
      key.push_back(args.back().id());
    }
    const Table& table = table_of(function);
    if (const auto entry = table.entries.find(key); entry != table.entries.end()) return entry->second;
    return table.otherwise ? *table.otherwise : model_.eval(function(args), true);
  }

  const Table& table_of(const z3::func_decl& function) {
    const auto [place, fresh] = tables_.try_emplace(function.id());
    Table& table = place->second;
    if (!fresh || !model_.has_interp(function)) return table;
    z3::func_interp known = model_.get_func_interp(function);
    for (unsigned i = 0; i < known.num_entries(); ++i) {
      z3::func_entry entry = known.entry(i);
      std::vector<unsigned> key;
      for (unsigned j = 0; j < entry.num_args(); ++j) key.push_back(entry.arg(j).id());
      table.entries.emplace(std::move(key), entry.value());
    }
    // A partial function has none, and else it may be a term over the arguments.
    if (const Z3_ast otherwise = Z3_func_interp_get_else(model_.ctx(), known); otherwise != nullptr) {
      z3::expr value(model_.ctx(), otherwise);
      if (value.is_numeral() || value.is_const()) table.otherwise = std::move(value);
    }
    return table;
  }

  z3::model model_;
  Translation& translation_;
  std::unordered_map<Term, z3::expr> values_;
  std::unordered_map<unsigned, Table> tables_;
};

/// One context with what was asserted in it. Thrown away after trouble: a
/// context that was interrupted is not trusted again.
struct Session {
  explicit Session(const SolverConfig& config) : solver(context, z3::solver::simple()), translation(context) {
    z3::params params(context);
    constexpr std::uint64_t kMost = std::numeric_limits<unsigned>::max();
    params.set("random_seed", config.seed);
    params.set("mbqi", config.mbqi);
    params.set("ematching", config.ematching);
    params.set("auto_config", config.auto_config);
    // Else Z3 takes SIGINT for itself during a check, and whoever started the check never hears of it.
    params.set("ctrl_c", false);
    if (config.resource_limit > 0) {
      params.set("rlimit", static_cast<unsigned>(std::min(config.resource_limit, kMost)));
    }
    z3::param_descrs known = solver.get_param_descrs();
    for (const auto& [name, value] : config.options) set_option(params, known, name, value);
    solver.set(params);
  }

  void add(const Assertion& assertion) {
    const z3::expr term = translation.term(assertion.term);
    solver.add(assertion.name.empty() ? term : z3::implies(translation.label(assertion.name), term));
  }

  [[nodiscard]] std::uint64_t resources() const {
    const z3::stats stats = solver.statistics();
    for (unsigned i = 0; i < stats.size(); ++i) {
      if (stats.key(i) == "rlimit count") return stats.is_uint(i) ? stats.uint_value(i) : 0;
    }
    return 0;
  }

  z3::context context;
  z3::solver solver;
  Translation translation;
  std::optional<ModelValues> model;  ///< of the last check, once asked for
};

class Z3Solver final : public Solver {
 public:
  explicit Z3Solver(SolverConfig config)
      : config_(std::move(config)), version_(version_text()), watchdog_([this] { Z3_interrupt(session_->context); }) {}

  [[nodiscard]] std::string configuration() const override { return describe(config_); }

 private:
  void on_push() override {
    guarded([&] { session_->solver.push(); });
  }
  void on_pop(std::size_t levels) override {
    guarded([&] { session_->solver.pop(static_cast<unsigned>(levels)); });
  }
  void on_assert(const Assertion& assertion) override {
    guarded([&] { session_->add(assertion); });
  }
  CheckResult on_check(std::span<const Term> assumptions) override;
  Result<Value> on_value(Term term) override;
  void on_interrupt() noexcept override { watchdog_.wake(); }

  /// Changes the session, if there is one; after trouble there is none, and
  /// the next check sets it up again from the stack.
  template <class Change>
  void guarded(Change change) {
    if (!session_) return;
    try {
      change();
    } catch (const std::exception&) {
      drop();
    }
  }
  void drop() {
    session_.reset();
    count_restart();
  }
  void prepare();
  /// Whether the check was stopped from outside: the session is not to be used again.
  [[nodiscard]] bool ask(std::span<const Term> assumptions, CheckResult& result);
  void read_core(std::span<const Term> assumptions, CheckResult& result);
  [[nodiscard]] Cause watched_check(const z3::expr_vector& literals, z3::check_result& answer);

  SolverConfig config_;
  std::string version_;
  std::unique_ptr<Session> session_;
  Watchdog watchdog_;
};

void Z3Solver::prepare() {
  if (session_) return;
  auto session = std::make_unique<Session>(config_);
  std::size_t next = 0;
  const auto add_until = [&](std::size_t end) {
    for (; next < end; ++next) session->add(assertions()[next]);
  };
  for (const std::size_t begin : levels()) {
    add_until(begin);
    session->solver.push();
  }
  add_until(assertions().size());
  session_ = std::move(session);
}

Cause Z3Solver::watched_check(const z3::expr_vector& literals, z3::check_result& answer) {
  Watchdog::Limits limits;
  limits.wall_clock = std::chrono::milliseconds(config_.wall_clock_ms);
  limits.interrupted = [this] { return interrupt_requested(); };
  limits.polled = has_stop();
  if (config_.memory_mb > 0) {
    limits.out_of_memory = [most = config_.memory_mb << 20] { return Z3_get_estimated_alloc_size() > most; };
  }
  session_->model.reset();
  watchdog_.arm(std::move(limits));
  try {
    answer = session_->solver.check(literals);
  } catch (...) {
    const Cause fired = watchdog_.disarm();
    if (fired == Cause::none) throw;
    return fired;
  }
  return watchdog_.disarm();
}

std::string explain(Cause cause, const SolverConfig& config) {
  switch (cause) {
    case Cause::wall_clock:
      return "stopped after " + std::to_string(config.wall_clock_ms) + " ms of wall clock";
    case Cause::memory:
      return "used more than " + std::to_string(config.memory_mb) + " MiB";
    case Cause::interrupted:
      return "interrupted";
    default:
      return {};
  }
}

bool Z3Solver::ask(std::span<const Term> assumptions, CheckResult& result) {
  prepare();
  z3::expr_vector literals(session_->context);
  for (const Term assumption : assumptions) literals.push_back(session_->translation.term(assumption));
  const std::string* previous = nullptr;
  for (const Assertion& assertion : assertions()) {
    if (assertion.name.empty() || (previous != nullptr && *previous == assertion.name)) continue;
    literals.push_back(session_->translation.label(assertion.name));
    previous = &assertion.name;
  }
  const std::uint64_t before = session_->resources();
  z3::check_result answer = z3::unknown;
  const Cause stopped = watched_check(literals, answer);
  if (stopped != Cause::none) {
    result.cause = stopped;
    result.reason = explain(stopped, config_);
    return true;
  }
  result.resources = session_->resources() - before;
  if (answer == z3::unknown) {
    result.reason = session_->solver.reason_unknown();
    result.cause = cause_of_unknown(result.reason);
    if (config_.resource_limit > 0 && result.resources >= config_.resource_limit) {
      result.cause = Cause::resource_limit;  // Z3 often says no more than "unknown"
    }
    return false;
  }
  if (answer == z3::unsat) read_core(assumptions, result);
  result.answer = answer == z3::sat ? Answer::sat : Answer::unsat;
  return false;
}

void Z3Solver::read_core(std::span<const Term> assumptions, CheckResult& result) {
  std::unordered_map<unsigned, Term> terms;
  for (const Term assumption : assumptions) terms.emplace(session_->translation.term(assumption).id(), assumption);
  std::unordered_map<unsigned, const std::string*> names;
  for (const Assertion& assertion : assertions()) {
    if (!assertion.name.empty()) names.emplace(session_->translation.label(assertion.name).id(), &assertion.name);
  }
  for (const z3::expr& literal : session_->solver.unsat_core()) {
    if (const auto term = terms.find(literal.id()); term != terms.end())
      result.core_assumptions.push_back(term->second);
    if (const auto name = names.find(literal.id()); name != names.end()) result.core.push_back(*name->second);
  }
}

CheckResult Z3Solver::on_check(std::span<const Term> assumptions) {
  CheckResult result;
  result.solver = version_;
  try {
    if (ask(assumptions, result)) drop();
  } catch (const std::exception& problem) {
    // z3::exception included; bad_alloc is Z3's or ours.
    const std::string text = problem.what();
    const bool memory = text.find("memory") != std::string::npos || text == std::bad_alloc().what();
    result = CheckResult{};
    result.solver = version_;
    result.cause = memory ? Cause::memory : Cause::refused;
    result.reason = text;
    drop();
  }
  return result;
}

Result<Value> Z3Solver::on_value(Term term) {
  try {
    // Taking the model out of the solver costs more than looking something up in it.
    if (!session_->model) session_->model.emplace(session_->solver.get_model(), session_->translation);
    return session_->translation.value(term, session_->model->of(term));
  } catch (const std::exception& problem) {
    return failure(ErrorKind::io, std::string("Z3 gives no value: ") + problem.what());
  }
}

}  // namespace

std::unique_ptr<Solver> make_z3_solver(const SolverConfig& config) { return std::make_unique<Z3Solver>(config); }

Result<std::string> probe_z3(const SolverConfig& config) {
  try {
    const Session session(config);
    return version_text();
  } catch (const std::exception& problem) {
    return failure(ErrorKind::io, std::string("Z3 does not accept the configuration: ") + problem.what());
  }
}

}  // namespace tenet::smt
