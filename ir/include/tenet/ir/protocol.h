/// The typed transition system that every engine of Tenet works on.
///
/// A `Protocol` is a value: copy it to make a variant. Tables refer to one
/// another by typed ids (ids.h). Build one with `Builder` (builder.h) or the
/// frontend, check it with `verify_ir` (verifier.h), print it with `print`
/// (printer.h). Start reading at `Step`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenet/ir/expr.h"
#include "tenet/ir/ids.h"
#include "tenet/ir/types.h"

namespace tenet::ir {

struct EnumDecl {
  std::string name;
  std::vector<std::string> members;
  Span span;
};

/// An uninterpreted type: finite and non-empty in every instance.
struct SortDecl {
  std::string name;
  bool ordered = false;  ///< has a total order (lt, le …)
  Span span;
};

struct FieldDecl {
  std::string name;
  TypeId type;
  Span span;
};

struct StructDecl {
  std::string name;
  std::vector<FieldDecl> fields;
  bool ordered = false;  ///< compared field by field, in their order; every field has an order
  Span span;
};

/// How often and in which order a message may be received.
enum class Delivery : std::uint8_t {
  any,           ///< any number of times, in any order, at any later time (the default)
  at_most_once,  ///< consumed by the receive that fires; equal sends are distinct messages
  in_order,      ///< place kept; refused as not supported yet
};

struct MessageDecl {
  std::string name;
  std::vector<FieldDecl> fields;
  Delivery delivery = Delivery::any;
  std::string doc;
  Span span;
};

/// What fixes the meaning of a constant.
enum class ConstKind : std::uint8_t {
  free,          ///< any value that the axioms allow; the same in every state of a run
  defined,       ///< by its initialiser (`value`)
  ring_next,     ///< R -> R: the successor on the ring of role R (import ring)
  ring_between,  ///< R, R, R -> bool: going forward from the first, the second comes strictly before the third
                 ///< (a host meets itself last: between(a, b, a) for every b != a, never between(a, a, b))
};

struct ConstDecl {
  std::string name;
  RoleId role;                     ///< invalid for a constant of the protocol
  std::vector<TypeId> parameters;  ///< non-empty for a relation or function
  TypeId type;                     ///< of the (result) value
  ConstKind kind = ConstKind::free;
  bool unique = false;  ///< per-host constants only: distinct across the hosts of the role
  ExprId value;         ///< for `defined`; may read earlier constants and self
  std::string doc;
  Span span;
};

struct VarDecl {
  std::string name;
  RoleId role;
  TypeId type;
  ExprId init;               ///< may read constants and self; invalid: any value that the `init` formulas allow
  bool is_volatile = false;  ///< place kept; refused as not supported yet
  std::string doc;
  Span span;
};

/// A parameter, received field, chosen value or bound variable. Every binding
/// has a local of its own.
struct LocalDecl {
  std::string name;  ///< "_" for a received field that is ignored
  TypeId type;
  Span span;
};

struct RoleDecl {
  std::string name;
  bool single = false;  ///< exactly one host
  std::vector<ConstId> constants;
  std::vector<VarId> variables;
  std::vector<StepId> steps;
  std::string doc;
  Span span;
};

enum class StmtKind : std::uint8_t { assign, if_, send, choose, let };

/// One statement of a step; they take effect in order.
struct Stmt {
  StmtKind kind = StmtKind::assign;
  VarId var;      ///< assign: a variable of the acting host
  ExprId value;   ///< assign, let: the (whole) new value; if_: the condition; choose: the `where` formula
  LocalId local;  ///< choose, let: what is bound; send: the binder of `to each x in s`, if any
  std::vector<StmtId> then_branch;  ///< if_
  std::vector<StmtId> else_branch;  ///< if_
  MessageId message;                ///< send
  std::vector<ExprId> args;         ///< send: one per field
  ExprId target;                    ///< send: a host, or a set of hosts (one message for each)
  Span span;
};

/// What a receive step matches: any message of this constructor addressed to
/// the acting host, sent by a host of `from` (or by any).
struct ReceivePattern {
  MessageId message;
  std::vector<LocalId> fields;  ///< one per field of the message
  LocalId sender;               ///< bound to the true sender; invalid if the text does not name it
  RoleId from;                  ///< invalid: any sender
  Span span;
};

/// One atomic step of one host: enabled when `guard` holds for the acting
/// host's state, the parameters and the received message.
struct Step {
  std::string name;  ///< `prepare`; `receive Promise` for a receive without a name of its own
  RoleId role;
  std::vector<LocalId> parameters;  ///< chosen freely when the step happens
  std::optional<ReceivePattern> receive;
  ExprId guard;  ///< boolean; never invalid (true when the text has no `when`)
  std::vector<StmtId> body;
  std::string doc;
  Span span;
};

enum class PropertyKind : std::uint8_t {
  safety,      ///< holds in every reachable state
  transition,  ///< holds between every reachable state and its successors (`old`)
  reachable,   ///< holds in some reachable state
  lemma,       ///< a safety claim that the prover may use once it is proved
};

/// "safety", "transition", "reachable", "lemma": the word it is declared with.
[[nodiscard]] std::string_view property_word(PropertyKind kind);

struct Property {
  PropertyKind kind = PropertyKind::safety;
  std::string name;
  ExprId formula;
  std::string doc;
  Span span;
};

/// A formula without a name of its own: an axiom over constants, or a
/// condition on initial states.
struct Formula {
  ExprId formula;
  Span span;
};

/// One line of an `instance`: `Name = value` or `Name in low..high`.
struct InstanceEntry {
  std::string name;  ///< role, type, constant, field, variable or parameter; "nat" and "int" for the default range
  std::int64_t low = 0;
  std::int64_t high = 0;  ///< equal to `low` for a size or a value
  bool is_range = false;
  Span span;
};

struct InstanceDecl {
  std::string name;
  std::vector<InstanceEntry> entries;
  Span span;
};

/// What a trace query says of the runs that it describes.
enum class TraceClaim : std::uint8_t {
  possible,    ///< there is such a run
  impossible,  ///< there is none
  theorem,     ///< there is none, and that is a theorem: the last item asserts its negation
};

/// "possible", "impossible", "theorem".
[[nodiscard]] std::string_view trace_claim_word(TraceClaim claim);

enum class TraceItemKind : std::uint8_t {
  assert_,    ///< `formula` holds in the state reached so far
  steps,      ///< one of `calls` happens
  any,        ///< some step of the protocol happens, or nothing changes
  arbitrary,  ///< every variable takes any value of its type
};

/// A step that happens in a trace query.
struct TraceCall {
  StepId step;
  std::vector<ExprId> arguments;  ///< one per parameter, read in the state before; invalid: any value
  Span span;
};

struct TraceItem {
  TraceItemKind kind = TraceItemKind::assert_;
  ExprId formula;                ///< assert_; `old` in it: in the state before the last item that is no assert_
  std::vector<TraceCall> calls;  ///< steps: at least one
  Span span;
};

/// A question about runs: is there one that goes through these items in order?
struct TraceQuery {
  std::string name;  ///< unique among trace queries
  TraceClaim claim = TraceClaim::possible;
  bool initial = true;  ///< the run begins in an initial state; otherwise in any state (axioms hold in all)
  std::vector<TraceItem> items;
  std::string doc;
  Span span;
};

struct Protocol {
  std::string name;
  std::string doc;
  TypeTable types;
  std::vector<EnumDecl> enums;
  std::vector<SortDecl> sorts;
  std::vector<StructDecl> structs;
  std::vector<MessageDecl> messages;
  std::vector<RoleDecl> roles;
  std::vector<ConstDecl> constants;  ///< global ones and those of roles
  std::vector<VarDecl> variables;
  std::vector<Step> steps;
  std::vector<Formula> axioms;
  std::vector<Formula> inits;
  std::vector<Property> properties;
  std::vector<TraceQuery> traces;
  std::vector<InstanceDecl> instances;
  bool deadlock_ok = false;  ///< the text says that coming to rest is intended

  std::vector<LocalDecl> locals;
  std::vector<Expr> exprs;
  std::vector<Stmt> stmts;

  [[nodiscard]] const Expr& operator[](ExprId id) const { return exprs[id.index()]; }
  [[nodiscard]] const Stmt& operator[](StmtId id) const { return stmts[id.index()]; }
  [[nodiscard]] const Step& operator[](StepId id) const { return steps[id.index()]; }
  [[nodiscard]] const RoleDecl& operator[](RoleId id) const { return roles[id.index()]; }
  [[nodiscard]] const VarDecl& operator[](VarId id) const { return variables[id.index()]; }
  [[nodiscard]] const ConstDecl& operator[](ConstId id) const { return constants[id.index()]; }
  [[nodiscard]] const MessageDecl& operator[](MessageId id) const { return messages[id.index()]; }
  [[nodiscard]] const LocalDecl& operator[](LocalId id) const { return locals[id.index()]; }
  [[nodiscard]] const Property& operator[](PropertyId id) const { return properties[id.index()]; }
  [[nodiscard]] const EnumDecl& operator[](EnumId id) const { return enums[id.index()]; }
  [[nodiscard]] const SortDecl& operator[](SortId id) const { return sorts[id.index()]; }
  [[nodiscard]] const StructDecl& operator[](StructId id) const { return structs[id.index()]; }
  [[nodiscard]] const Type& operator[](TypeId id) const { return types[id]; }

  ExprId add(Expr expr) {
    exprs.push_back(std::move(expr));
    return ExprId(exprs.size() - 1);
  }
  StmtId add(Stmt stmt) {
    stmts.push_back(std::move(stmt));
    return StmtId(stmts.size() - 1);
  }
  LocalId add(LocalDecl local) {
    locals.push_back(std::move(local));
    return LocalId(locals.size() - 1);
  }
};

/// Whether values of the type are compared by `lt`, `le` …: numbers, ordered sorts, ordered structs.
[[nodiscard]] bool has_order(const Protocol& protocol, TypeId type);

}  // namespace tenet::ir
