#include <fmt/format.h>

#include "op_names.h"
#include "verify.h"

namespace tenet::ir {

namespace {

class Types {
 public:
  Types(const Protocol& protocol, Breaches& breaches) : p_(protocol), breaches_(breaches) {}
  void run();

 private:
  template <class... Args>
  void breach(fmt::format_string<Args...> format, Args&&... args) {
    breaches_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  bool boolean(ExprId id) const { return p_[p_[id].type].kind == TypeKind::boolean; }
  void stmt(std::size_t index);
  void send(std::size_t index);
  void pattern(const Step& step);
  void trace(const TraceQuery& query);
  void claims();

  const Protocol& p_;
  Breaches& breaches_;
};

void Types::send(std::size_t index) {
  const Stmt& s = p_.stmts[index];
  const std::vector<FieldDecl>& fields = p_[s.message].fields;
  if (s.args.size() != fields.size()) {
    return breach("statement {} sends '{}' with {} arguments", index, p_[s.message].name, s.args.size());
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (p_[s.args[i]].type != fields[i].type) breach("statement {} sends a wrong type in '{}'", index, fields[i].name);
  }
  const Type& target = p_[p_[s.target].type];
  const bool set = target.kind == TypeKind::set && p_[target.first].kind == TypeKind::host;
  if (!set && target.kind != TypeKind::host) breach("statement {} sends to no host", index);
  if (s.local.valid() && (!set || p_[s.local].type != target.first)) {
    breach("statement {} binds each addressee with a wrong type", index);
  }
}

void Types::stmt(std::size_t index) {
  const Stmt& s = p_.stmts[index];
  switch (s.kind) {
    case StmtKind::assign:
      if (p_[s.var].type != p_[s.value].type) breach("statement {} assigns a wrong type", index);
      break;
    case StmtKind::if_:
      if (!boolean(s.value)) breach("statement {} has a condition that is no boolean", index);
      break;
    case StmtKind::send:
      send(index);
      break;
    case StmtKind::choose:
      if (s.value.valid() && !boolean(s.value)) breach("statement {} has a condition that is no boolean", index);
      break;
    case StmtKind::let:
      if (p_[s.local].type != p_[s.value].type) breach("statement {} binds a wrong type", index);
      break;
  }
}

void Types::pattern(const Step& step) {
  if (!step.receive) return;
  const ReceivePattern& pattern = *step.receive;
  const std::vector<FieldDecl>& fields = p_[pattern.message].fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (p_[pattern.fields[i]].type != fields[i].type) {
      breach("step '{}' binds field '{}' with a wrong type", step.name, fields[i].name);
    }
  }
  if (!pattern.sender.valid()) return;
  const Type& sender = p_[p_[pattern.sender].type];
  const bool fits = pattern.from.valid() && sender.kind == TypeKind::host && sender.declaration == pattern.from.value;
  if (!fits) breach("step '{}' binds the sender with a wrong type", step.name);
}

void Types::trace(const TraceQuery& query) {
  for (const TraceItem& item : query.items) {
    if (item.formula.valid() && !boolean(item.formula)) breach("trace '{}' asserts what is no boolean", query.name);
    for (const TraceCall& call : item.calls) {
      for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        const ExprId argument = call.arguments[i];
        if (argument.valid() && p_[argument].type != p_[p_[call.step].parameters[i]].type) {
          breach("trace '{}' calls '{}' with a wrong type", query.name, p_[call.step].name);
        }
      }
    }
  }
}

void Types::claims() {
  for (const ConstDecl& decl : p_.constants) {
    if (decl.value.valid() && p_[decl.value].type != decl.type) breach("constant '{}' has a wrong type", decl.name);
  }
  for (const VarDecl& decl : p_.variables) {
    if (decl.init.valid() && p_[decl.init].type != decl.type)
      breach("variable '{}' begins with a wrong type", decl.name);
  }
  for (const Step& step : p_.steps) {
    if (!boolean(step.guard)) breach("step '{}' has a guard that is no boolean", step.name);
    pattern(step);
  }
  for (const Formula& axiom : p_.axioms) {
    if (!boolean(axiom.formula)) breach("an axiom is no boolean");
  }
  for (const Formula& init : p_.inits) {
    if (!boolean(init.formula)) breach("an init formula is no boolean");
  }
  for (const Property& property : p_.properties) {
    if (!boolean(property.formula)) breach("property '{}' is no boolean", property.name);
  }
  for (const TraceQuery& query : p_.traces) trace(query);
}

void Types::run() {
  for (std::size_t i = 0; i < p_.exprs.size(); ++i) {
    const std::string problem = type_problem(p_, p_.exprs[i]);
    if (!problem.empty()) breach("expression {} ({}) {}", i, op_name(p_.exprs[i].op), problem);
  }
  for (std::size_t i = 0; i < p_.stmts.size(); ++i) stmt(i);
  claims();
}

}  // namespace

void verify_types(const Protocol& protocol, Breaches& breaches) { Types(protocol, breaches).run(); }

}  // namespace tenet::ir
