#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "verify.h"

namespace tenet::ir {

namespace {

class Declarations {
 public:
  Declarations(const Protocol& protocol, Breaches& breaches) : p_(protocol), breaches_(breaches) {}
  void run();

 private:
  template <class... Args>
  void breach(fmt::format_string<Args...> format, Args&&... args) {
    breaches_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  bool has(TypeId id) const { return id.valid() && id.index() < p_.types.size(); }
  bool has(RoleId id) const { return id.valid() && id.index() < p_.roles.size(); }

  void types();
  void type(std::size_t index);
  void names();
  void fields(const std::string& owner, const std::vector<FieldDecl>& fields);
  void recursion();
  void orders();
  void constants();
  void ring(const ConstDecl& decl);
  void variables();
  void roles();

  const Protocol& p_;
  Breaches& breaches_;
};

void Declarations::type(std::size_t index) {
  const Type& type = p_[TypeId(index)];
  const auto declared = [&](std::size_t table) {
    if (type.declaration >= table) breach("type {} refers to no declaration", index);
  };
  const bool one = type.kind == TypeKind::option || type.kind == TypeKind::set || type.kind == TypeKind::sequence;
  const bool two = type.kind == TypeKind::map || type.kind == TypeKind::function;
  const auto part = [&](TypeId id, bool wanted) {
    // Parts come before the whole: no type contains itself.
    if (wanted ? !id.valid() || id.index() >= index : id.valid()) breach("type {} has wrong parts", index);
  };
  part(type.first, one || two);
  part(type.second, two);
  if (type.kind == TypeKind::enumeration) declared(p_.enums.size());
  if (type.kind == TypeKind::sort) declared(p_.sorts.size());
  if (type.kind == TypeKind::host) declared(p_.roles.size());
  if (type.kind == TypeKind::structure) declared(p_.structs.size());
  if (type.kind == TypeKind::real || type.kind == TypeKind::sequence) breach("type {} is not supported yet", index);
}

void Declarations::types() {
  for (std::size_t i = 0; i < p_.types.size(); ++i) {
    type(i);
    for (std::size_t j = 0; j < i; ++j) {
      if (p_[TypeId(i)] == p_[TypeId(j)]) breach("types {} and {} are equal", j, i);
    }
  }
}

void Declarations::names() {
  std::set<std::string> types;
  const auto one = [&](std::set<std::string>& scope, const std::string& name, const char* what) {
    if (name.empty()) breach("a {} has no name", what);
    if (!scope.insert(name).second) breach("two declarations are named '{}'", name);
  };
  for (const EnumDecl& decl : p_.enums) {
    one(types, decl.name, "enum");
    if (decl.members.empty()) breach("enum '{}' has no members", decl.name);
    std::set<std::string> members;
    for (const std::string& member : decl.members) one(members, member, "enum member");
  }
  for (const SortDecl& decl : p_.sorts) one(types, decl.name, "type");
  for (const StructDecl& decl : p_.structs) one(types, decl.name, "struct");
  for (const RoleDecl& decl : p_.roles) one(types, decl.name, "role");
  std::set<std::string> messages;
  for (const MessageDecl& decl : p_.messages) one(messages, decl.name, "message");
  std::set<std::string> properties;
  for (const Property& property : p_.properties) one(properties, property.name, "property");
  std::set<std::string> traces;
  for (const TraceQuery& query : p_.traces) one(traces, query.name, "trace");
  std::set<std::string> instances;
  for (const InstanceDecl& instance : p_.instances) one(instances, instance.name, "instance");
  std::set<std::string> globals;
  for (const ConstDecl& decl : p_.constants) {
    if (!decl.role.valid()) one(globals, decl.name, "constant");
  }
  for (std::size_t role = 0; role < p_.roles.size(); ++role) {
    std::set<std::string> own;
    std::set<std::string> steps;
    for (const ConstDecl& decl : p_.constants) {
      if (decl.role == RoleId(role)) one(own, decl.name, "constant");
    }
    for (const VarDecl& decl : p_.variables) {
      if (decl.role == RoleId(role)) one(own, decl.name, "variable");
    }
    for (const Step& step : p_.steps) {
      if (step.role == RoleId(role)) one(steps, step.name, "step");
    }
  }
}

void Declarations::fields(const std::string& owner, const std::vector<FieldDecl>& fields) {
  std::set<std::string> seen;
  for (const FieldDecl& field : fields) {
    if (field.name.empty() || !seen.insert(field.name).second) breach("'{}' has two fields of one name", owner);
    if (!has(field.type)) breach("field '{}' of '{}' has no type", field.name, owner);
  }
}

/// No struct contains itself, however deep.
void Declarations::recursion() {
  enum class Mark { fresh, open, done };
  std::vector<Mark> marks(p_.structs.size(), Mark::fresh);
  std::function<void(TypeId)> visit_type;
  const std::function<void(std::size_t)> visit = [&](std::size_t id) {
    if (marks[id] == Mark::open) breach("struct '{}' contains itself", p_.structs[id].name);
    if (marks[id] != Mark::fresh) return;
    marks[id] = Mark::open;
    for (const FieldDecl& field : p_.structs[id].fields) visit_type(field.type);
    marks[id] = Mark::done;
  };
  visit_type = [&](TypeId id) {
    const Type& type = p_[id];
    if (type.kind == TypeKind::structure) visit(type.declaration);
    if (type.first.valid()) visit_type(type.first);
    if (type.second.valid()) visit_type(type.second);
  };
  for (std::size_t id = 0; id < p_.structs.size(); ++id) visit(id);
}

/// The fields of an ordered struct have an order themselves.
void Declarations::orders() {
  for (const StructDecl& decl : p_.structs) {
    for (const FieldDecl& field : decl.fields) {
      if (decl.ordered && !has_order(p_, field.type)) {
        breach("field '{}' of '{}', which is ordered, has no order", field.name, decl.name);
      }
    }
  }
}

void Declarations::ring(const ConstDecl& decl) {
  const std::size_t arity = decl.kind == ConstKind::ring_next ? 1 : 3;
  const bool hosts =
      decl.parameters.size() == arity && std::all_of(decl.parameters.begin(), decl.parameters.end(), [&](TypeId id) {
        return id == decl.parameters.front() && p_[id].kind == TypeKind::host;
      });
  if (!hosts || decl.role.valid()) {
    breach("ring constant '{}' does not take {} host(s) of one role", decl.name, arity);
    return;
  }
  const bool result = decl.kind == ConstKind::ring_next ? decl.type == decl.parameters.front()
                                                        : p_[decl.type].kind == TypeKind::boolean;
  if (!result) breach("ring constant '{}' has a wrong result type", decl.name);
}

void Declarations::constants() {
  for (const ConstDecl& decl : p_.constants) {
    const bool typed = has(decl.type) &&
                       std::all_of(decl.parameters.begin(), decl.parameters.end(), [&](TypeId id) { return has(id); });
    if (!typed) {
      breach("constant '{}' has no type", decl.name);
      continue;
    }
    if (decl.role.valid() && !has(decl.role)) breach("constant '{}' is of no role", decl.name);
    if (decl.role.valid() && !decl.parameters.empty()) breach("constant '{}' of a role has parameters", decl.name);
    if (decl.unique && !decl.role.valid()) breach("constant '{}' is unique but of no role", decl.name);
    const bool defined = decl.kind == ConstKind::defined;
    if (defined != decl.value.valid()) breach("constant '{}' is defined without a value, or the reverse", decl.name);
    if (defined && (!decl.parameters.empty() || decl.unique)) {
      breach("constant '{}' is defined, yet has parameters or is unique", decl.name);
    }
    if (decl.kind == ConstKind::ring_next || decl.kind == ConstKind::ring_between) ring(decl);
  }
}

void Declarations::variables() {
  for (const VarDecl& decl : p_.variables) {
    if (!has(decl.type)) breach("variable '{}' has no type", decl.name);
    if (!has(decl.role)) breach("variable '{}' is of no role", decl.name);
    if (decl.is_volatile) breach("variable '{}' is volatile, which is not supported yet", decl.name);
  }
  for (const LocalDecl& decl : p_.locals) {
    if (!has(decl.type)) breach("local '{}' has no type", decl.name);
    if (decl.name.empty()) breach("a local has no name");
  }
  for (const Step& step : p_.steps) {
    if (!has(step.role)) breach("step '{}' is of no role", step.name);
  }
}

/// A role lists exactly what the tables say is its own, in table order.
void Declarations::roles() {
  for (std::size_t i = 0; i < p_.roles.size(); ++i) {
    const RoleDecl& role = p_.roles[i];
    const auto lists = [&](const auto& table, const auto& listed, const char* what) {
      std::remove_cvref_t<decltype(listed)> own;
      for (std::size_t id = 0; id < table.size(); ++id) {
        if (table[id].role == RoleId(i)) own.emplace_back(id);
      }
      if (own != listed) breach("role '{}' does not list its {} in table order", role.name, what);
    };
    lists(p_.constants, role.constants, "constants");
    lists(p_.variables, role.variables, "variables");
    lists(p_.steps, role.steps, "steps");
  }
}

void Declarations::run() {
  types();
  names();
  for (const StructDecl& decl : p_.structs) fields(decl.name, decl.fields);
  for (const MessageDecl& decl : p_.messages) {
    fields(decl.name, decl.fields);
    if (decl.delivery == Delivery::in_order) breach("message '{}' is in order, which is not supported yet", decl.name);
  }
  if (!breaches_.empty()) return;
  recursion();
  orders();
  constants();
  variables();
  roles();
}

}  // namespace

void verify_declarations(const Protocol& protocol, Breaches& breaches) { Declarations(protocol, breaches).run(); }

}  // namespace tenet::ir
