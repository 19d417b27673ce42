/// Declarations of IR text. Names come first, then types, then everything
/// that contains expressions, so that order in the text does not matter.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "ir_text.h"
#include "read.h"

namespace tenet::ir {

namespace {

/// The second word of the part `(name word)`; empty without such a part.
const Sexp* part(const Sexp& tree, std::string_view name) {
  for (const Sexp& item : tree.items) {
    if (item.starts(name)) return &item;
  }
  return nullptr;
}

std::string doc_of(const Sexp& tree) {
  const Sexp* doc = part(tree, "doc");
  return doc != nullptr && doc->items.size() > 1 ? doc->items[1].word : "";
}

}  // namespace

/// First pass: names.
void IrReader::announce(const Sexp& tree) {
  if (tree.starts("enum")) {
    enumeration(tree);
  } else if (tree.starts("sort")) {
    p_.sorts.push_back({word(at(tree, 1)), tree.items.size() > 2, {}});
  } else if (tree.starts("struct")) {
    p_.structs.push_back({word(at(tree, 1)), {}, tree.items.size() > 3, {}});
  } else if (tree.starts("role")) {
    RoleDecl role;
    role.name = word(at(tree, 1));
    role.single = part(tree, "single") != nullptr;
    role.doc = doc_of(tree);
    p_.roles.push_back(std::move(role));
  } else if (tree.starts("doc")) {
    p_.doc = word(at(tree, 1));
  } else if (tree.starts("deadlock_ok")) {
    p_.deadlock_ok = true;
  }
}

void IrReader::enumeration(const Sexp& tree) {
  EnumDecl decl;
  decl.name = word(at(tree, 1));
  for (std::size_t i = 2; i < tree.items.size(); ++i) decl.members.push_back(word(tree.items[i]));
  p_.enums.push_back(std::move(decl));
}

/// Second pass: types of fields, constants and variables.
void IrReader::declare(const Sexp& tree) {
  if (tree.starts("struct")) {
    p_.structs[structs_++].fields = fields(at(tree, 2));
  } else if (tree.starts("message")) {
    message(tree);
  } else if (tree.starts("const")) {
    constant(tree);
  } else if (tree.starts("var")) {
    variable(tree);
  } else if (tree.starts("instance")) {
    instance(tree);
  }
}

void IrReader::message(const Sexp& tree) {
  MessageDecl decl;
  decl.name = word(at(tree, 1));
  for (const Delivery delivery : {Delivery::at_most_once, Delivery::in_order}) {
    if (!at(tree, 2).is_list && tree.items[2].word == delivery_word(delivery)) decl.delivery = delivery;
  }
  if (const Sexp* list = part(tree, "fields")) decl.fields = fields(*list);
  decl.doc = doc_of(tree);
  p_.messages.push_back(std::move(decl));
}

void IrReader::constant(const Sexp& tree) {
  ConstDecl decl;
  decl.name = word(at(tree, 1));
  decl.type = type(at(tree, 2));
  if (const Sexp* role = part(tree, "role")) {
    decl.role = named<RoleId>(p_.roles, at(*role, 1));
    p_.roles[decl.role.index()].constants.emplace_back(p_.constants.size());
  }
  decl.unique = part(tree, "unique") != nullptr;
  if (part(tree, "value") != nullptr) decl.kind = ConstKind::defined;
  for (const ConstKind kind : {ConstKind::ring_next, ConstKind::ring_between}) {
    if (part(tree, const_kind_word(kind)) != nullptr) decl.kind = kind;
  }
  for (const Sexp& item : tree.items) {
    if (item.starts("parameter")) decl.parameters.push_back(type(at(item, 1)));
  }
  decl.doc = doc_of(tree);
  p_.constants.push_back(std::move(decl));
}

void IrReader::variable(const Sexp& tree) {
  VarDecl decl;
  decl.name = word(at(tree, 1));
  decl.type = type(at(tree, 2));
  const Sexp* role = part(tree, "role");
  if (role == nullptr) bad(tree, "a variable belongs to a role");
  decl.role = named<RoleId>(p_.roles, at(*role, 1));
  decl.is_volatile = part(tree, "volatile") != nullptr;
  decl.doc = doc_of(tree);
  p_.roles[decl.role.index()].variables.emplace_back(p_.variables.size());
  p_.variables.push_back(std::move(decl));
}

void IrReader::instance(const Sexp& tree) {
  InstanceDecl decl;
  decl.name = word(at(tree, 1));
  for (std::size_t i = 2; i < tree.items.size(); ++i) {
    const Sexp& item = tree.items[i];
    InstanceEntry entry;
    entry.name = word(at(item, 0));
    entry.low = number(at(item, 1));
    entry.is_range = item.items.size() > 2;
    entry.high = entry.is_range ? number(item.items[2]) : entry.low;
    decl.entries.push_back(std::move(entry));
  }
  p_.instances.push_back(std::move(decl));
}

/// Third pass: everything that contains expressions.
void IrReader::define(const Sexp& tree) {
  const Sexp* value = part(tree, "value");
  if (tree.starts("const")) {
    ConstDecl& decl = p_.constants[constants_++];
    if (value != nullptr) decl.value = expr(at(*value, 1));
  } else if (tree.starts("var")) {
    VarDecl& decl = p_.variables[variables_++];
    if (value != nullptr) decl.init = expr(at(*value, 1));
  } else if (tree.starts("step")) {
    step(tree);
  } else if (tree.starts("axiom")) {
    p_.axioms.push_back({expr(at(tree, 1)), {}});
  } else if (tree.starts("init")) {
    p_.inits.push_back({expr(at(tree, 1)), {}});
  } else {
    for (const PropertyKind kind :
         {PropertyKind::safety, PropertyKind::transition, PropertyKind::reachable, PropertyKind::lemma}) {
      if (tree.starts(property_word(kind))) property(tree, kind);
    }
  }
}

void IrReader::property(const Sexp& tree, PropertyKind kind) {
  p_.properties.push_back({kind, word(at(tree, 1)), expr(at(tree, 2)), doc_of(tree), {}});
}

/// Fourth pass: trace queries name steps.
void IrReader::trace(const Sexp& tree) {
  TraceQuery query;
  query.name = word(at(tree, 1));
  bool claimed = false;
  for (const TraceClaim claim : {TraceClaim::possible, TraceClaim::impossible, TraceClaim::theorem}) {
    if (word(at(tree, 2)) != trace_claim_word(claim)) continue;
    query.claim = claim;
    claimed = true;
  }
  if (!claimed) bad(tree, "a trace is possible, impossible or a theorem");
  query.initial = part(tree, "initial") != nullptr;
  query.doc = doc_of(tree);
  for (const Sexp& item : tree.items) {
    for (const TraceItemKind kind :
         {TraceItemKind::assert_, TraceItemKind::steps, TraceItemKind::any, TraceItemKind::arbitrary}) {
      if (!item.starts(trace_item_word(kind))) continue;
      TraceItem one;
      one.kind = kind;
      if (kind == TraceItemKind::assert_) one.formula = expr(at(item, 1));
      for (const Sexp& words : item.items) {
        if (kind == TraceItemKind::steps && words.starts("call")) one.calls.push_back(call(words));
      }
      query.items.push_back(std::move(one));
    }
  }
  p_.traces.push_back(std::move(query));
}

TraceCall IrReader::call(const Sexp& tree) {
  TraceCall result;
  result.step = of_role<StepId>(p_.steps, named<RoleId>(p_.roles, at(tree, 1)), at(tree, 2));
  for (std::size_t i = 3; i < tree.items.size(); ++i) {
    const bool any = !tree.items[i].is_list && tree.items[i].word == "_";
    result.arguments.push_back(any ? ExprId{} : expr(tree.items[i]));
  }
  return result;
}

void IrReader::step(const Sexp& tree) {
  Step result;
  result.name = word(at(tree, 1));
  const Sexp* role = part(tree, "role");
  const Sexp* guard = part(tree, "guard");
  const Sexp* body = part(tree, "body");
  if (role == nullptr || guard == nullptr || body == nullptr) bad(tree, "a step has a role, a guard and a body");
  result.role = named<RoleId>(p_.roles, at(*role, 1));
  for (const Sexp& item : tree.items) {
    if (item.starts("parameter")) result.parameters.push_back(binder(at(item, 1)));
  }
  if (const Sexp* pattern = part(tree, "receive")) receive(result, *pattern);
  result.guard = expr(at(*guard, 1));
  result.body = block(*body, result.role);
  result.doc = doc_of(tree);
  p_.roles[result.role.index()].steps.emplace_back(p_.steps.size());
  p_.steps.push_back(std::move(result));
}

void IrReader::receive(Step& step, const Sexp& tree) {
  ReceivePattern pattern;
  pattern.message = named<MessageId>(p_.messages, at(tree, 1));
  if (const Sexp* from = part(tree, "from")) pattern.from = named<RoleId>(p_.roles, at(*from, 1));
  if (const Sexp* sender = part(tree, "sender")) pattern.sender = binder(at(*sender, 1));
  for (const Sexp& item : tree.items) {
    if (item.starts("field")) pattern.fields.push_back(binder(at(item, 1)));
  }
  step.receive = std::move(pattern);
}

Protocol IrReader::run() {
  if (!tree_.starts("protocol")) bad(tree_, "a protocol is expected");
  p_.name = word(at(tree_, 1));
  constexpr std::string_view kKnown[] = {"doc",    "deadlock_ok", "enum",      "sort",  "struct",   "message",
                                         "role",   "const",       "var",       "step",  "axiom",    "init",
                                         "safety", "transition",  "reachable", "lemma", "instance", "trace"};
  for (std::size_t i = 2; i < tree_.items.size(); ++i) {
    const bool known = std::any_of(std::begin(kKnown), std::end(kKnown),
                                   [&](std::string_view name) { return tree_.items[i].starts(name); });
    if (!known) bad(tree_.items[i], "this is no declaration");
    announce(tree_.items[i]);
  }
  for (std::size_t i = 2; i < tree_.items.size(); ++i) declare(tree_.items[i]);
  for (std::size_t i = 2; i < tree_.items.size(); ++i) define(tree_.items[i]);
  for (std::size_t i = 2; i < tree_.items.size(); ++i) {
    if (tree_.items[i].starts("trace")) trace(tree_.items[i]);
  }
  return std::move(p_);
}

}  // namespace tenet::ir
