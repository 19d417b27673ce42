/// What the grammar makes of a text: plain data, no meaning yet.
///
/// Expressions, types and statements live in arenas of `Tree` and refer to
/// one another by index, so that a hostile depth cannot exhaust the stack
/// when a tree is freed and backtracking costs nothing.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tenet/base/source.h"

namespace tenet::frontend::ast {

template <class Tag>
struct Ref {
  static constexpr std::uint32_t kNone = 0xffffffff;
  std::uint32_t index = kNone;
  [[nodiscard]] bool valid() const { return index != kNone; }
  friend bool operator==(Ref, Ref) = default;
};
using ExprRef = Ref<struct ExprTag>;
using TypeRef = Ref<struct TypeTag>;
using StmtRef = Ref<struct StmtTag>;

/// A name where it is written; empty if the text has none there.
struct Ident {
  std::string_view text;
  Span span;
  [[nodiscard]] bool empty() const { return text.empty(); }
};

enum class TypeKind : std::uint8_t { boolean, integer, natural, real, named, option, set, map, seq, function };

struct Type {
  TypeKind kind = TypeKind::named;
  Ident name;
  std::vector<TypeRef> args;
  Span span;
  std::uint32_t height = 1;
};

enum class ExprKind : std::uint8_t {
  number,        ///< name holds the digits
  decimal,       ///< the same
  boolean,       ///< op: exists for true, forall for false is not used; `flag`
  none,          //
  some,          ///< [payload]
  self,          //
  all,           ///< name: the role, or empty
  name,          ///< name
  call,          ///< name, args
  field,         ///< [value], name
  index,         ///< [value, index]
  not_,          ///< [a]
  negate,        ///< [a]
  and_,          ///< two or more
  or_,           ///< two or more
  binary,        ///< op, [a, b]
  conditional,   ///< [condition, then, else]
  quantifier,    ///< flag: exists; binders; [body]
  cardinality,   ///< [a]
  majority,      ///< [a]
  sent,          ///< name; one per argument (invalid: `_`), then sender and addressee (each may be invalid)
  old,           ///< [a]
  once,          ///< [a]
  keys,          ///< [a]
  sum,           ///< binders; [summand]
  weighted_sum,  ///< [a]: not supported yet
  set_literal,   ///< elements
  set_build,     ///< one binder with one name; [predicate]
};

enum class BinaryOp : std::uint8_t {
  implies,
  iff,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  in,
  not_in,
  subset,
  add,
  sub,
  mul,
  div,
  mod,
  set_union,
  set_difference,
  set_intersection,
};

/// `a, b: T` or `a in s`.
struct Binder {
  std::vector<Ident> names;
  TypeRef type;
  ExprRef domain;
};

struct Expr {
  ExprKind kind = ExprKind::none;
  BinaryOp op = BinaryOp::eq;
  bool flag = false;
  bool parenthesised = false;
  std::uint32_t height = 1;
  Span span;
  Ident name;
  std::vector<ExprRef> args;
  std::vector<Binder> binders;
};

struct Block {
  std::vector<StmtRef> stmts;
  Span span;
};

enum class StmtKind : std::uint8_t { assign, if_, send, choose, let };
enum class AssignOp : std::uint8_t { set, add, remove };

struct Stmt {
  StmtKind kind = StmtKind::assign;
  AssignOp op = AssignOp::set;
  bool has_else = false;
  Span span;
  ExprRef place;  ///< assign: a chain of name, field, index
  ExprRef value;  ///< assign, let; if: the condition; choose: the `where` formula or invalid
  Block then_block;
  Block else_block;
  Ident name;  ///< send: the message; choose, let: what is bound
  TypeRef type;
  std::vector<ExprRef> args;
  Ident each;      ///< send: the binder of `to each x in s`
  ExprRef target;  ///< send
};

/// Where a declaration or an item begins and ends, and its documentation.
struct Position {
  Span span;
  std::string doc;
};

struct Field {
  Ident name;
  TypeRef type;
};

struct ImportDecl : Position {
  Ident library;
  Ident argument;
};
struct EnumDecl : Position {
  Ident name;
  std::vector<Ident> members;
};
struct SortDecl : Position {
  Ident name;
  bool ordered = false;
};
struct StructDecl : Position {
  Ident name;
  bool ordered = false;
  std::vector<Field> fields;
};
enum class Delivery : std::uint8_t { any, at_most_once, in_order };
struct MessageDecl : Position {
  bool is_signed = false;
  Ident name;
  std::vector<Field> fields;
  Delivery delivery = Delivery::any;
};
struct ConstDecl : Position {
  Ident name;
  TypeRef type;
  bool unique = false;
  ExprRef value;
};
/// `const relation between(…)` or `const function f(…): T`.
struct RelationDecl : Position {
  Ident name;
  std::vector<TypeRef> parameters;
  TypeRef result;
};
/// `quorums Q of R …`: place kept.
struct QuorumsDecl : Position {
  Ident name;
  Ident role;
};
enum class FormulaKind : std::uint8_t { axiom, init };
struct FormulaDecl : Position {
  FormulaKind kind = FormulaKind::axiom;
  Ident name;
  ExprRef formula;
};
struct VarDecl : Position {
  bool is_volatile = false;
  bool is_clock = false;
  Ident name;
  TypeRef type;
  ExprRef init;
};
struct StepDecl : Position {
  bool is_receive = false;
  bool is_operation = false;
  Ident name;  ///< of the step; of the message for a receive
  std::vector<Field> parameters;
  std::vector<Ident> pattern;  ///< text "_": ignored
  Ident sender;                ///< `from sender: role`
  Ident from;
  Ident as;
  ExprRef guard;
  Block body;
};
using RoleItem = std::variant<ConstDecl, VarDecl, FormulaDecl, StepDecl>;
struct RoleDecl : Position {
  bool passive = false;
  Ident name;
  bool single = false;
  Ident crashes;    ///< the word, if present
  Ident byzantine;  ///< the word, if present
  std::vector<RoleItem> items;
};
enum class PropertyKind : std::uint8_t { safety, transition, reachable, lemma };
struct PropertyDecl : Position {
  PropertyKind kind = PropertyKind::safety;
  Ident name;
  ExprRef formula;
};
struct DeadlockDecl : Position {};
/// A number with its sign as it is written.
struct Number {
  bool negative = false;
  Ident digits;
};
struct InstanceEntry {
  Ident name;
  bool is_range = false;
  Number low;
  Number high;
};
struct InstanceDecl : Position {
  Ident name;
  std::vector<InstanceEntry> entries;
};

using Decl = std::variant<ImportDecl, EnumDecl, SortDecl, StructDecl, MessageDecl, ConstDecl, RelationDecl, QuorumsDecl,
                          FormulaDecl, RoleDecl, PropertyDecl, DeadlockDecl, InstanceDecl>;

enum class PlaceKind : std::uint8_t { step, receive, constant, variable, axiom, init, message, property };
struct Place {
  PlaceKind kind = PlaceKind::step;
  Ident role;
  Ident name;
  Ident as;
  Span span;
};
enum class ChangeKind : std::uint8_t {
  drop_guard,
  drop_conjunct,
  drop_assignment,
  drop_send,
  drop_block,
  drop_place,
  replace_expr,
  replace_block,
  add_block,
  set_delivery,
};
struct Change {
  ChangeKind kind = ChangeKind::drop_guard;
  ExprRef from;
  ExprRef to;
  Ident name;
  Block from_block;
  Block to_block;
  Delivery delivery = Delivery::any;
  Span span;
};
struct Edit {
  Place place;
  std::vector<Change> changes;
  Span span;
};

/// One parsed file.
struct Tree {
  std::vector<Expr> exprs;
  std::vector<Type> types;
  std::vector<Stmt> stmts;

  bool is_variant = false;
  /// Words inside what could not be read: they may be names that it declared.
  std::set<std::string_view> unread;
  bool stopped = false;  ///< reading ended early: nothing further is known

  Ident name;
  std::string doc;
  std::vector<Decl> decls;
  // Variants only.
  Ident of;
  std::vector<Edit> edits;
  Ident expected;

  [[nodiscard]] const Expr& operator[](ExprRef ref) const { return exprs[ref.index]; }
  [[nodiscard]] const Type& operator[](TypeRef ref) const { return types[ref.index]; }
  [[nodiscard]] const Stmt& operator[](StmtRef ref) const { return stmts[ref.index]; }
};

}  // namespace tenet::frontend::ast
