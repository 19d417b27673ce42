#include "search.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "start_rules.h"
#include "tenet/ir/printer.h"
#include "walk.h"

namespace tenet::ir {

namespace {

/// More values than this in one constant are refused.
constexpr std::size_t kMostCells = std::size_t{1} << 14;
constexpr std::int64_t kMostRingHosts = 100;

}  // namespace

Search::Search(const Protocol& protocol, const Instance& instance, const Domains& domains, Wanted wanted,
               std::uint64_t limit)
    : p_(protocol), instance_(instance), domains_(domains), wanted_(std::move(wanted)), limit_(limit) {
  const auto claim = [&](ExprId formula, std::size_t count, auto reads_it) {
    Claim result{formula, std::vector<bool>(count)};
    for_each_expr(p_, formula, [&](ExprId id) {
      if (reads_it(p_[id].op)) result.reads[p_[id].ref] = true;
    });
    return result;
  };
  for (const std::size_t axiom : wanted_.axioms) {
    axioms_.push_back(claim(p_.axioms[axiom].formula, p_.constants.size(),
                            [](Op op) { return op == Op::host_const || op == Op::global_const; }));
  }
  for (const std::size_t init : wanted_.inits) {
    inits_.push_back(claim(p_.inits[init].formula, p_.variables.size(), [](Op op) { return op == Op::state_var; }));
  }
  start_.constants.values.resize(p_.constants.size());
  start_.state.variables.resize(p_.variables.size());
}

Result<void> Search::run(const std::function<bool(const Start&)>& visit) {
  visit_ = &visit;
  if (domains_.error()) return tl::unexpected<Error>(*domains_.error());
  if (!contradicted(axioms_, {})) constant(0);
  if (error_) return tl::unexpected<Error>(*error_);
  return {};
}

Context Search::context() const { return {&p_, &instance_, &domains_, &start_.constants, &start_.state, nullptr, {}}; }

bool Search::fail(ErrorKind kind, std::string message, std::string id, Span span) {
  if (!error_) error_ = Error{kind, std::move(message), std::move(id), span};
  return false;
}

bool Search::try_one() {
  if (++tried_ <= limit_) return true;
  return fail(ErrorKind::too_large, fmt::format("more than {} candidates for constants and initial states: make the "
                                                "instance smaller, or the axioms and init formulas stronger",
                                                limit_));
}

std::vector<std::size_t> Search::order(std::size_t values) {
  std::vector<std::size_t> result(values);
  std::iota(result.begin(), result.end(), std::size_t{0});
  // Not std::shuffle, which is another one on every platform.
  for (std::size_t i = values; random_ && i > 1; --i) std::swap(result[i - 1], result[(*random_)() % i]);
  return result;
}

bool Search::contradicted(const std::vector<Claim>& claims, std::optional<std::size_t> assigned) {
  Evaluator evaluator(context());
  return std::any_of(claims.begin(), claims.end(), [&](const Claim& claim) {
    return (!assigned || claim.reads[*assigned]) && certain(evaluator, claim.formula) == false;
  });
}

/// Whether all claims hold, now that everything has a value, in `fine`: as far as the instance shows.
bool Search::hold(const std::vector<Claim>& claims, const char* what, bool& fine) {
  Evaluator evaluator(context());
  for (const Claim& claim : claims) {
    try {
      if (evaluator.truth(claim.formula)) continue;
      fine = false;
      return true;
    } catch (const Stopped& stopped) {
      if (is_open(stopped)) continue;
      const Fault fault = fault_of(stopped);
      return fail(ErrorKind::bad_input,
                  fmt::format("{} '{}' {} in '{}'", what, to_source(p_, claim.formula), describe(fault.kind),
                              to_source(p_, fault.where)),
                  "fault-at-start", p_[fault.where].span);
    }
  }
  return true;
}

std::optional<std::vector<Value>> Search::domain(TypeId type, const std::string& slot, const std::string& name) {
  Result<std::vector<Value>> values = instance_.domain(p_, type, slot, kDomainLimit);
  if (values) return std::move(*values);
  fail(values.error().kind, fmt::format("'{}' may begin with any value, but {}", name, values.error().message));
  return {};
}

bool Search::constant(std::size_t id) {
  if (id == p_.constants.size()) return with_constants();
  const ConstDecl& decl = p_.constants[id];
  std::vector<Value>& values = start_.constants.values[id];
  const auto go_on = [&] { return contradicted(axioms_, id) || constant(id + 1); };
  if (decl.kind == ConstKind::ring_next || decl.kind == ConstKind::ring_between) {
    const RoleId role(p_[decl.parameters.front()].declaration);
    if (instance_.hosts(role) > kMostRingHosts) {
      return fail(ErrorKind::too_large, fmt::format("a ring of more than {} hosts is not supported", kMostRingHosts));
    }
    values = ring_table(instance_, decl, p_);
    return go_on();
  }
  if (decl.kind == ConstKind::defined) {
    auto computed = defined_values(context(), decl);
    if (const Fault* fault = std::get_if<Fault>(&computed)) {
      return fail(ErrorKind::bad_input,
                  fmt::format("constant '{}' {} in '{}'", full_name(p_, decl), describe(fault->kind),
                              to_source(p_, fault->where)),
                  "fault-at-start", p_[fault->where].span);
    }
    values = std::move(std::get<std::vector<Value>>(computed));
    return go_on();
  }
  const std::optional<std::int64_t> given = decl.role.valid() ? std::nullopt : instance_.constant(decl.name);
  if (given) {
    values = {Value{*given, {}}};
    return go_on();
  }
  if (cells_of(context(), decl) > kMostCells) {
    return fail(ErrorKind::too_large,
                fmt::format("constant '{}' has more than {} values", full_name(p_, decl), kMostCells));
  }
  const auto values_of = domain(decl.type, decl.name, full_name(p_, decl));
  if (!values_of) return false;
  values.clear();
  return constant_cell(id, 0, *values_of);
}

bool Search::constant_cell(std::size_t id, std::size_t cell, const std::vector<Value>& domain) {
  const ConstDecl& decl = p_.constants[id];
  if (cell == cells_of(context(), decl)) return constant(id + 1);
  for (const std::size_t next : order(domain.size())) {
    const Value& value = domain[next];
    std::vector<Value>& values = start_.constants.values[id];
    if (decl.unique && std::find(values.begin(), values.end(), value) != values.end()) continue;
    if (!try_one()) return false;
    values.push_back(value);
    const bool go_on = contradicted(axioms_, id) || constant_cell(id, cell + 1, domain);
    start_.constants.values[id].resize(cell);
    if (!go_on) return false;
  }
  return true;
}

bool Search::with_constants() {
  bool fine = true;
  if (!hold(axioms_, "axiom", fine)) return false;
  if (!fine) return true;
  if (wanted_.constants_only) return (*visit_)(start_);
  if (!set_initialised()) return false;
  const bool go_on = contradicted(inits_, {}) || variable(0);
  for (std::vector<Value>& values : start_.state.variables) values.clear();
  return go_on;
}

bool Search::set_initialised() {
  for (std::size_t id = 0; id < p_.variables.size(); ++id) {
    const VarDecl& decl = p_.variables[id];
    if (!decl.init.valid()) continue;
    auto computed = initial_values(context(), decl);
    if (const Fault* fault = std::get_if<Fault>(&computed)) {
      return fail(ErrorKind::bad_input,
                  fmt::format("initial value of '{}' {} in '{}'", full_name(p_, decl), describe(fault->kind),
                              to_source(p_, fault->where)),
                  "fault-at-start", p_[fault->where].span);
    }
    for (const Value& value : std::get<std::vector<Value>>(computed)) {
      const auto outside = instance_.outside(p_, decl.type, decl.name, value);
      if (!outside) continue;
      return fail(ErrorKind::bad_input,
                  fmt::format("initial value {} of '{}' lies outside the instance: widen the range of '{}'",
                              to_source(p_, instance_, decl.type, value), full_name(p_, decl), *outside),
                  "start-out-of-range", p_[decl.init].span);
    }
    start_.state.variables[id] = std::move(std::get<std::vector<Value>>(computed));
  }
  return true;
}

bool Search::variable(std::size_t id) {
  while (id < p_.variables.size() && p_.variables[id].init.valid()) ++id;
  if (id == p_.variables.size()) return with_state();
  const VarDecl& decl = p_.variables[id];
  const auto values_of = domain(decl.type, decl.name, full_name(p_, decl));
  return values_of && variable_cell(id, 0, *values_of);
}

bool Search::variable_cell(std::size_t id, std::size_t cell, const std::vector<Value>& domain) {
  if (cell == static_cast<std::size_t>(instance_.hosts(p_.variables[id].role))) return variable(id + 1);
  for (const std::size_t next : order(domain.size())) {
    const Value& value = domain[next];
    if (!try_one()) return false;
    start_.state.variables[id].push_back(value);
    const bool go_on = contradicted(inits_, id) || variable_cell(id, cell + 1, domain);
    start_.state.variables[id].resize(cell);
    if (!go_on) return false;
  }
  return true;
}

bool Search::with_state() {
  bool fine = true;
  if (!hold(inits_, "init formula", fine)) return false;
  return !fine || (*visit_)(start_);
}

}  // namespace tenet::ir
