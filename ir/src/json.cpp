/// The protocol as JSON, for tools that read no IR text. The schema is in
/// docs/ir.md; raise kVersion when a member changes its meaning or goes away.
#include <nlohmann/json.hpp>

#include "ir_text.h"
#include "op_names.h"
#include "tenet/ir/printer.h"

namespace tenet::ir {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

class JsonWriter {
 public:
  explicit JsonWriter(const Protocol& protocol) : p_(protocol) {}

  Json protocol() const;

 private:
  std::string type(TypeId id) const { return to_source(p_, id); }
  static Json span(Span span) { return Json::array({span.begin, span.end}); }
  Json local(LocalId id) const { return {{"id", id.value}, {"name", p_[id].name}, {"type", type(p_[id].type)}}; }
  Json locals(const std::vector<LocalId>& ids) const {
    Json out = Json::array();
    for (const LocalId id : ids) out.push_back(local(id));
    return out;
  }
  Json expr(ExprId id) const;
  void reference(Json& out, const Expr& e) const;
  Json exprs(const std::vector<ExprId>& ids) const {
    Json out = Json::array();
    for (const ExprId id : ids) out.push_back(expr(id));
    return out;
  }
  Json stmt(StmtId id) const;
  Json block(const std::vector<StmtId>& stmts) const {
    Json out = Json::array();
    for (const StmtId id : stmts) out.push_back(stmt(id));
    return out;
  }
  Json fields(const std::vector<FieldDecl>& fields) const;
  Json types() const;
  Json messages() const;
  Json roles() const;
  Json constant(const ConstDecl& decl) const;
  Json variable(const VarDecl& decl) const;
  Json step(StepId id) const;
  Json formulas(const std::vector<Formula>& formulas) const;
  Json properties() const;
  Json traces() const;
  Json instances() const;

  const Protocol& p_;
};

/// What a node refers to, by name.
void JsonWriter::reference(Json& out, const Expr& e) const {
  switch (e.op) {
    case Op::bool_literal:
      out["value"] = e.value != 0;
      break;
    case Op::int_literal:
      out["value"] = e.value;
      break;
    case Op::real_literal:
      out["value"] = e.value;
      out["digits"] = e.ref;
      break;
    case Op::enum_literal:
      out["value"] = p_.enums[p_[e.type].declaration].members[static_cast<std::size_t>(e.value)];
      break;
    case Op::local:
      out["local"] = e.ref;
      out["name"] = p_[LocalId(e.ref)].name;
      break;
    case Op::role_size:
    case Op::single_host:
      out["name"] = p_[RoleId(e.ref)].name;
      break;
    case Op::state_var:
      out["name"] = p_[VarId(e.ref)].name;
      break;
    case Op::host_const:
    case Op::global_const:
      out["name"] = p_[ConstId(e.ref)].name;
      break;
    case Op::sent:
      out["name"] = p_[MessageId(e.ref)].name;
      break;
    case Op::field:
    case Op::with_field:
      out["name"] = p_.structs[p_[p_[e.args[0]].type].declaration].fields[e.ref].name;
      break;
    case Op::get:
      out["narrowed"] = e.value != 0;
      break;
    default:
      break;
  }
}

Json JsonWriter::expr(ExprId id) const {
  if (!id.valid()) return nullptr;
  const Expr& e = p_[id];
  Json out = {{"op", std::string(op_name(e.op))}, {"type", type(e.type)}};
  reference(out, e);
  if (!e.binders.empty()) out["binders"] = locals(e.binders);
  if (!e.args.empty()) out["args"] = exprs(e.args);
  if (!e.span.empty()) out["span"] = span(e.span);
  return out;
}

Json JsonWriter::stmt(StmtId id) const {
  const Stmt& s = p_[id];
  Json out;
  switch (s.kind) {
    case StmtKind::assign:
      out = {{"kind", "assign"}, {"variable", p_[s.var].name}, {"value", expr(s.value)}};
      break;
    case StmtKind::if_:
      out = {
          {"kind", "if"}, {"condition", expr(s.value)}, {"then", block(s.then_branch)}, {"else", block(s.else_branch)}};
      break;
    case StmtKind::send:
      out = {{"kind", "send"}, {"message", p_[s.message].name}, {"args", exprs(s.args)}, {"to", expr(s.target)}};
      if (s.local.valid()) out["each"] = local(s.local);
      break;
    case StmtKind::choose:
      out = {{"kind", "choose"}, {"local", local(s.local)}, {"where", expr(s.value)}};
      break;
    case StmtKind::let:
      out = {{"kind", "let"}, {"local", local(s.local)}, {"value", expr(s.value)}};
      break;
  }
  out["span"] = span(s.span);
  return out;
}

Json JsonWriter::fields(const std::vector<FieldDecl>& fields) const {
  Json out = Json::array();
  for (const FieldDecl& field : fields) out.push_back({{"name", field.name}, {"type", type(field.type)}});
  return out;
}

Json JsonWriter::types() const {
  Json out = Json::array();
  for (const EnumDecl& decl : p_.enums)
    out.push_back({{"kind", "enum"}, {"name", decl.name}, {"members", decl.members}});
  for (const SortDecl& decl : p_.sorts)
    out.push_back({{"kind", "sort"}, {"name", decl.name}, {"ordered", decl.ordered}});
  for (const StructDecl& decl : p_.structs) {
    out.push_back(
        {{"kind", "struct"}, {"name", decl.name}, {"fields", fields(decl.fields)}, {"ordered", decl.ordered}});
  }
  return out;
}

Json JsonWriter::messages() const {
  Json out = Json::array();
  for (const MessageDecl& decl : p_.messages) {
    out.push_back({{"name", decl.name},
                   {"fields", fields(decl.fields)},
                   {"delivery", std::string(delivery_word(decl.delivery))},
                   {"doc", decl.doc},
                   {"span", span(decl.span)}});
  }
  return out;
}

Json JsonWriter::constant(const ConstDecl& decl) const {
  Json parameters = Json::array();
  for (const TypeId id : decl.parameters) parameters.push_back(type(id));
  return {{"name", decl.name},        {"type", type(decl.type)},
          {"parameters", parameters}, {"kind", std::string(const_kind_word(decl.kind))},
          {"unique", decl.unique},    {"value", expr(decl.value)},
          {"doc", decl.doc},          {"span", span(decl.span)}};
}

Json JsonWriter::variable(const VarDecl& decl) const {
  return {{"name", decl.name},
          {"type", type(decl.type)},
          {"init", expr(decl.init)},
          {"doc", decl.doc},
          {"span", span(decl.span)}};
}

Json JsonWriter::step(StepId id) const {
  const Step& s = p_[id];
  Json out = {{"name", s.name}, {"place", place(p_, id)}, {"parameters", locals(s.parameters)}};
  if (s.receive) {
    const ReceivePattern& pattern = *s.receive;
    out["receive"] = {{"message", p_[pattern.message].name},
                      {"fields", locals(pattern.fields)},
                      {"from", pattern.from.valid() ? Json(p_[pattern.from].name) : Json(nullptr)},
                      {"sender", pattern.sender.valid() ? local(pattern.sender) : Json(nullptr)}};
  } else {
    out["receive"] = nullptr;
  }
  out["guard"] = expr(s.guard);
  out["body"] = block(s.body);
  out["doc"] = s.doc;
  out["span"] = span(s.span);
  return out;
}

Json JsonWriter::roles() const {
  Json out = Json::array();
  for (const RoleDecl& decl : p_.roles) {
    Json constants = Json::array();
    Json variables = Json::array();
    Json steps = Json::array();
    for (const ConstId id : decl.constants) constants.push_back(constant(p_[id]));
    for (const VarId id : decl.variables) variables.push_back(variable(p_[id]));
    for (const StepId id : decl.steps) steps.push_back(step(id));
    out.push_back({{"name", decl.name},
                   {"single", decl.single},
                   {"constants", constants},
                   {"variables", variables},
                   {"steps", steps},
                   {"doc", decl.doc},
                   {"span", span(decl.span)}});
  }
  return out;
}

Json JsonWriter::formulas(const std::vector<Formula>& formulas) const {
  Json out = Json::array();
  for (const Formula& formula : formulas) {
    out.push_back({{"text", to_source(p_, formula.formula)}, {"formula", expr(formula.formula)}});
  }
  return out;
}

Json JsonWriter::properties() const {
  Json out = Json::array();
  for (const Property& property : p_.properties) {
    out.push_back({{"kind", std::string(property_word(property.kind))},
                   {"name", property.name},
                   {"text", to_source(p_, property.formula)},
                   {"formula", expr(property.formula)},
                   {"doc", property.doc},
                   {"span", span(property.span)}});
  }
  return out;
}

Json JsonWriter::traces() const {
  Json out = Json::array();
  for (const TraceQuery& query : p_.traces) {
    Json items = Json::array();
    for (const TraceItem& item : query.items) {
      Json one = {{"kind", std::string(trace_item_word(item.kind))}, {"span", span(item.span)}};
      if (item.formula.valid()) one["formula"] = expr(item.formula);
      if (item.kind == TraceItemKind::steps) one["calls"] = Json::array();
      for (const TraceCall& call : item.calls) {
        Json arguments = Json::array();
        for (const ExprId argument : call.arguments) arguments.push_back(expr(argument));
        one["calls"].push_back(
            {{"step", p_[call.step].name}, {"role", p_[p_[call.step].role].name}, {"args", arguments}});
      }
      items.push_back(std::move(one));
    }
    out.push_back({{"name", query.name},
                   {"claim", std::string(trace_claim_word(query.claim))},
                   {"initial", query.initial},
                   {"items", items},
                   {"doc", query.doc},
                   {"span", span(query.span)}});
  }
  return out;
}

Json JsonWriter::instances() const {
  Json out = Json::array();
  for (const InstanceDecl& instance : p_.instances) {
    Json entries = Json::array();
    for (const InstanceEntry& entry : instance.entries) {
      Json one = {{"name", entry.name}};
      if (entry.is_range) {
        one["low"] = entry.low;
        one["high"] = entry.high;
      } else {
        one["value"] = entry.low;
      }
      entries.push_back(std::move(one));
    }
    out.push_back({{"name", instance.name}, {"entries", entries}});
  }
  return out;
}

Json JsonWriter::protocol() const {
  Json constants = Json::array();
  for (const ConstDecl& decl : p_.constants) {
    if (!decl.role.valid()) constants.push_back(constant(decl));
  }
  return {{"format", "tenet-ir"},
          {"version", kVersion},
          {"name", p_.name},
          {"doc", p_.doc},
          {"types", types()},
          {"messages", messages()},
          {"constants", constants},
          {"axioms", formulas(p_.axioms)},
          {"inits", formulas(p_.inits)},
          {"roles", roles()},
          {"properties", properties()},
          {"traces", traces()},
          {"instances", instances()},
          {"deadlock_ok", p_.deadlock_ok}};
}

}  // namespace

std::string to_json(const Protocol& protocol) {
  // Names that are no UTF-8 cannot come from the frontend; never throw for them.
  return JsonWriter(protocol).protocol().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tenet::ir
