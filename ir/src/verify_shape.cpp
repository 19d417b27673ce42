#include <algorithm>

#include <fmt/format.h>

#include "verify.h"
#include "walk.h"

namespace tenet::ir {

namespace {

struct Arity {
  std::size_t least;
  std::size_t most;
};
constexpr std::size_t kAny = ~std::size_t{0};

Arity arity_of(const Protocol& p, const Expr& e) {
  switch (e.op) {
    case Op::global_const: {
      const std::size_t parameters = e.ref < p.constants.size() ? p.constants[e.ref].parameters.size() : 0;
      return {parameters, parameters};
    }
    case Op::sent: {
      const std::size_t fields = e.ref < p.messages.size() ? p.messages[e.ref].fields.size() : 0;
      return {fields + (e.value != 0 ? 2 : 0), fields + (e.value != 0 ? 2 : 0)};
    }
    case Op::and_:
    case Op::or_:
      return {2, kAny};
    case Op::make_struct:
    case Op::set_literal:
    case Op::seq_literal:
      return {0, kAny};
    case Op::forall:
    case Op::exists:
    case Op::sum:
      return {1, 2};
    case Op::ite:
    case Op::map_put:
    case Op::update:
      return {3, 3};
    case Op::state_var:
    case Op::host_const:
    case Op::not_:
    case Op::neg:
    case Op::to_int:
    case Op::some:
    case Op::get:
    case Op::field:
    case Op::cardinality:
    case Op::majority:
    case Op::map_keys:
    case Op::constant_function:
    case Op::function_build:
    case Op::seq_length:
    case Op::old:
    case Op::once:
      return {1, 1};
    default:
      return e.op <= Op::single_host ? Arity{0, 0} : Arity{2, 2};
  }
}

/// How large the table is that `ref` points into; nothing if it does not.
std::size_t table_of(const Protocol& p, Op op) {
  switch (op) {
    case Op::role_size:
    case Op::single_host:
      return p.roles.size();
    case Op::local:
      return p.locals.size();
    case Op::state_var:
      return p.variables.size();
    case Op::host_const:
    case Op::global_const:
      return p.constants.size();
    case Op::sent:
      return p.messages.size();
    default:
      return kAny;
  }
}

std::size_t binders_of(const Expr& e) {
  if (e.op == Op::set_build || e.op == Op::function_build) return 1;
  if (e.op != Op::forall && e.op != Op::exists && e.op != Op::sum) return 0;
  return std::max<std::size_t>(1, e.args.size() > 1 ? 1 : e.binders.size());
}

class Shape {
 public:
  Shape(const Protocol& protocol, Breaches& breaches) : p_(protocol), breaches_(breaches) {}
  void run();

 private:
  template <class... Args>
  void breach(fmt::format_string<Args...> format, Args&&... args) {
    breaches_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  bool has(ExprId id) const { return id.valid() && id.index() < p_.exprs.size(); }
  bool has(LocalId id) const { return id.valid() && id.index() < p_.locals.size(); }
  void expr(std::size_t index);
  void depth();
  void stmt(std::size_t index);
  void blocks();
  void root(ExprId id, const std::string& owner) {
    if (!has(id)) breach("{} has no expression", owner);
  }
  void roots();
  void pattern(const Step& step);
  void trace(const TraceQuery& query);

  const Protocol& p_;
  Breaches& breaches_;
};

void Shape::expr(std::size_t index) {
  const Expr& e = p_.exprs[index];
  if (static_cast<int>(e.op) >= kOpCount) return breach("expression {} has no operation", index);
  const std::size_t before = breaches_.size();
  if (!e.type.valid() || e.type.index() >= p_.types.size()) breach("expression {} has no type", index);
  const std::size_t table = table_of(p_, e.op);
  if (table != kAny && e.ref >= table) breach("expression {} refers to nothing", index);
  const Arity arity = arity_of(p_, e);
  if (e.args.size() < arity.least || e.args.size() > arity.most) {
    breach("expression {} has {} arguments", index, e.args.size());
  }
  if (e.binders.size() != binders_of(e)) breach("expression {} has {} binders", index, e.binders.size());
  for (const LocalId binder : e.binders) {
    if (!has(binder)) breach("expression {} binds no local", index);
  }
  if (breaches_.size() != before) return;
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    const bool may_miss = e.op == Op::sent || (e.op == Op::set_build && i == 0);
    if (!has(e.args[i]) && (e.args[i].valid() || !may_miss)) breach("expression {} misses argument {}", index, i);
  }
}

/// Finds circles, and nesting that would exhaust the stack of recursive
/// passes, without recursion of its own.
void Shape::depth() {
  constexpr std::uint32_t kDeepest = 800;
  constexpr std::uint32_t kOpen = ~0u;
  std::vector<std::uint32_t> heights(p_.exprs.size(), 0);  // 0: not visited
  std::vector<ExprId> stack;
  for (std::size_t root = 0; root < p_.exprs.size(); ++root) {
    if (heights[root] == 0) stack.emplace_back(root);
    while (!stack.empty()) {
      const ExprId id = stack.back();
      std::uint32_t& height = heights[id.index()];
      const bool first_visit = height == 0;
      std::uint32_t tallest = 0;
      bool ready = true;
      height = kOpen;
      for (const ExprId arg : p_[id].args) {
        if (!arg.valid()) continue;
        const std::uint32_t below = heights[arg.index()];
        if (below == kOpen) return breach("expression {} contains itself", arg.index());
        if (below == 0) {
          if (!first_visit) continue;
          stack.push_back(arg);
          ready = false;
        }
        tallest = std::max(tallest, below);
      }
      if (!ready) continue;
      height = tallest + 1;
      if (height > kDeepest) return breach("expression {} is nested more than {} deep", id.index(), kDeepest);
      stack.pop_back();
    }
  }
}

void Shape::stmt(std::size_t index) {
  const Stmt& s = p_.stmts[index];
  const auto wants = [&](bool fine, const char* what) {
    if (!fine) breach("statement {} has no {}", index, what);
  };
  switch (s.kind) {
    case StmtKind::assign:
      wants(s.var.valid() && s.var.index() < p_.variables.size(), "variable");
      wants(has(s.value), "value");
      break;
    case StmtKind::if_:
      wants(has(s.value), "condition");
      break;
    case StmtKind::send:
      wants(s.message.valid() && s.message.index() < p_.messages.size(), "message");
      wants(has(s.target), "target");
      wants(!s.local.valid() || has(s.local), "binder");
      for (const ExprId arg : s.args) wants(has(arg), "argument");
      break;
    case StmtKind::choose:
      wants(has(s.local), "local");
      wants(!s.value.valid() || has(s.value), "condition");
      break;
    case StmtKind::let:
      wants(has(s.local), "local");
      wants(has(s.value), "value");
      break;
  }
  if (s.kind != StmtKind::if_ && !(s.then_branch.empty() && s.else_branch.empty())) {
    breach("statement {} has branches but is no if", index);
  }
  for (const auto* branch : {&s.then_branch, &s.else_branch}) {
    for (const StmtId id : *branch) wants(id.valid() && id.index() < p_.stmts.size(), "such statement in a branch");
  }
}

/// Every statement occurs once: in the body of one step, or in one branch.
void Shape::blocks() {
  std::vector<int> uses(p_.stmts.size(), 0);
  const auto visit = [&](const std::vector<StmtId>& block) {
    std::vector<StmtId> stack(block.begin(), block.end());
    while (!stack.empty()) {
      const StmtId id = stack.back();
      stack.pop_back();
      if (++uses[id.index()] > 1) {
        breach("statement {} occurs twice", id.index());
        return;
      }
      stack.insert(stack.end(), p_[id].then_branch.begin(), p_[id].then_branch.end());
      stack.insert(stack.end(), p_[id].else_branch.begin(), p_[id].else_branch.end());
    }
  };
  for (const Step& step : p_.steps) visit(step.body);
}

void Shape::pattern(const Step& step) {
  if (!step.receive) return;
  const ReceivePattern& pattern = *step.receive;
  if (!pattern.message.valid() || pattern.message.index() >= p_.messages.size()) {
    return breach("step '{}' receives no message", step.name);
  }
  if (pattern.fields.size() != p_[pattern.message].fields.size()) {
    breach("step '{}' names {} fields of '{}'", step.name, pattern.fields.size(), p_[pattern.message].name);
  }
  for (const LocalId field : pattern.fields) {
    if (!has(field)) breach("step '{}' binds a field to no local", step.name);
  }
  if (pattern.sender.valid() && !has(pattern.sender)) breach("step '{}' binds the sender to no local", step.name);
  if (pattern.from.valid() && pattern.from.index() >= p_.roles.size()) {
    breach("step '{}' receives from no role", step.name);
  }
}

void Shape::trace(const TraceQuery& query) {
  for (const TraceItem& item : query.items) {
    if (item.kind == TraceItemKind::assert_) root(item.formula, fmt::format("trace '{}'", query.name));
    if (item.kind != TraceItemKind::assert_ && item.formula.valid()) {
      breach("trace '{}' asserts something in a step", query.name);
    }
    if ((item.kind == TraceItemKind::steps) == item.calls.empty()) {
      breach("trace '{}' has a step without a call, or the reverse", query.name);
    }
    for (const TraceCall& call : item.calls) {
      if (!call.step.valid() || call.step.index() >= p_.steps.size()) {
        breach("trace '{}' calls no step", query.name);
        continue;
      }
      if (call.arguments.size() != p_[call.step].parameters.size()) {
        breach("trace '{}' calls '{}' with {} arguments", query.name, p_[call.step].name, call.arguments.size());
      }
      for (const ExprId argument : call.arguments) {
        if (argument.valid()) root(argument, fmt::format("trace '{}'", query.name));
      }
    }
  }
}

void Shape::roots() {
  for (const ConstDecl& decl : p_.constants) {
    if (decl.value.valid()) root(decl.value, fmt::format("constant '{}'", decl.name));
  }
  for (const VarDecl& decl : p_.variables) {
    if (decl.init.valid()) root(decl.init, fmt::format("variable '{}'", decl.name));
  }
  for (const Step& step : p_.steps) {
    root(step.guard, fmt::format("step '{}'", step.name));
    pattern(step);
    for (const LocalId parameter : step.parameters) {
      if (!has(parameter)) breach("step '{}' has a parameter without a local", step.name);
    }
    for (const StmtId id : step.body) {
      if (!id.valid() || id.index() >= p_.stmts.size()) breach("step '{}' has no such statement", step.name);
    }
  }
  for (const Formula& axiom : p_.axioms) root(axiom.formula, "an axiom");
  for (const Formula& init : p_.inits) root(init.formula, "an init formula");
  for (const Property& property : p_.properties) root(property.formula, fmt::format("property '{}'", property.name));
  for (const TraceQuery& query : p_.traces) trace(query);
}

void Shape::run() {
  for (std::size_t i = 0; i < p_.exprs.size(); ++i) expr(i);
  for (std::size_t i = 0; i < p_.stmts.size(); ++i) stmt(i);
  roots();
  if (!breaches_.empty()) return;
  depth();
  blocks();
}

}  // namespace

void verify_shape(const Protocol& protocol, Breaches& breaches) { Shape(protocol, breaches).run(); }

}  // namespace tenet::ir
