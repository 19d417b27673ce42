/// From tree to IR: names, types and narrowing in one walk.
///
/// `Lowering` is split over several files by construct: lower_declarations,
/// lower_types, lower_statements, lower_names, lower_operators,
/// lower_collections, lower_patterns, edits. An expression that was reported
/// lowers to an invalid id, which makes everything above it invalid without
/// another word.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "edit_plan.h"
#include "narrowing.h"
#include "parse.h"
#include "symbols.h"
#include "tenet/base/diagnostic.h"
#include "tenet/ir/builder.h"
#include "tenet/ir/protocol.h"

namespace tenet::frontend {

class Lowering {
 public:
  /// `plan`: edits to look for on the way, or null.
  Lowering(const SourceFile& file, const ast::Tree& tree, Diagnostics& diagnostics, EditPlan* plan = nullptr);

  /// The protocol; meaningful only if no errors were reported.
  ir::Protocol run();

 private:
  using ExprId = ir::ExprId;
  using TypeId = ir::TypeId;
  using LocalId = ir::LocalId;
  using Op = ir::Op;
  using ExprKind = ast::ExprKind;

  /// What the formula at hand may speak of.
  struct Place {
    std::string_view name;  ///< "an axiom", "a step"
    ir::RoleId role;        ///< whose names need no dot; invalid: nobody's
    LocalId acting;         ///< that host if it is a bound variable, else Op::self
    bool variables = false;
    bool others = false;  ///< variables of other hosts
    bool past = false;    ///< `sent`, `once`
    bool old = false;
  };

  struct Local {
    std::string_view name;
    LocalId id;  ///< invalid: its type was reported already
    Span span;
  };

  // lower_declarations.cpp
  void declare_all();
  void declare(const ast::Decl& decl);
  void declare_role(const ast::RoleDecl& decl);
  bool declare_global(const ast::Ident& name, SymbolKind kind, std::size_t index);
  bool declare_member(ir::RoleId role, const ast::Ident& name, SymbolKind kind, std::size_t index);
  bool clash(const ast::Ident& name, Span earlier, std::string_view what);
  void declare_import(const ast::ImportDecl& decl);
  void declare_const(const ast::ConstDecl& decl, ir::RoleId role);
  void declare_var(const ast::VarDecl& decl, ir::RoleId role);
  void resolve_types();
  void resolve_item_types(const ast::RoleDecl& decl);
  std::vector<ir::FieldDecl> resolve_fields(const std::vector<ast::Field>& fields, std::string_view what);
  void check_recursion();
  void check_orders();
  // lower_definitions.cpp
  void define();
  void define_const(const ast::ConstDecl& decl);
  void define_var(const ast::VarDecl& decl, ir::RoleId role);
  void define_role(const ast::RoleDecl& decl);
  void define_formula(const ast::FormulaDecl& decl, ir::RoleId role);
  void define_property(const ast::PropertyDecl& decl);
  void define_instance(const ast::InstanceDecl& decl);
  std::optional<std::int64_t> number(const ast::Number& number);

  // lower_steps.cpp
  void define_step(const ast::StepDecl& decl, ir::RoleId role);
  void step_parameters(const ast::StepDecl& decl, ir::Step& step);
  void receive_pattern(const ast::StepDecl& decl, ir::Step& step);
  void unique_step_name(const ast::StepDecl& decl, const ir::Step& step);

  // unsupported.cpp
  void refuse(Span span, std::string_view what, std::string_view hint = {});
  void refuse_unsupported(const ast::Decl& decl);
  void refuse_unsupported(const ast::RoleDecl& decl);

  // lower_types.cpp
  TypeId type(ast::TypeRef ref);
  TypeId named_type(const ast::Ident& name);
  std::string type_name(TypeId id) const;
  /// The first of `id`, its payload, its result … that is of this kind.
  TypeId wanted(TypeId id, ir::TypeKind kind) const;
  const ir::Type& shape(TypeId id) const { return p_.types[id]; }
  bool is(TypeId id, ir::TypeKind kind) const { return id.valid() && p_.types[id].kind == kind; }

  // lower_statements.cpp
  std::vector<ir::StmtId> block(const ast::Block& block);
  void statements(const std::vector<ast::StmtRef>& list, std::vector<ir::StmtId>& out);
  ir::StmtId statement(ast::StmtRef ref);
  ir::StmtId assignment(const ast::Stmt& stmt);
  ir::StmtId if_statement(const ast::Stmt& stmt);
  ir::StmtId send(const ast::Stmt& stmt);
  ir::StmtId choose(const ast::Stmt& stmt);
  ir::StmtId let(const ast::Stmt& stmt);
  bool assignable(const ast::Ident& root, ir::VarId& var);
  ExprId assigned_value(const ast::Stmt& stmt, ExprId current);
  ExprId put(ExprId whole, const std::vector<ast::ExprRef>& path, std::size_t at, const ast::Stmt& stmt);
  void remember_assigned(ExprId place);
  bool set_or_element(ast::ExprRef operand, TypeId element);
  ExprId added_or_removed(const ast::Stmt& stmt, ExprId current);
  ir::StmtId add(ir::Stmt stmt);

  // lower_expr.cpp
  /// Checked against `expected`: lifted, converted, or reported.
  ExprId check(ast::ExprRef ref, TypeId expected);
  /// Of any type; `hint` helps what has none of its own (`none`, `{}` …).
  ExprId infer(ast::ExprRef ref, TypeId hint = {});
  ExprId lower(ast::ExprRef ref, TypeId hint);
  ExprId coerce(ExprId id, TypeId expected, Span span);
  ExprId condition(ast::ExprRef ref) { return check(ref, p_.types.boolean()); }
  /// The option that a narrowed read was made of.
  ExprId unnarrowed(ExprId id);
  /// Checked reads are put in where the path is known not to be none.
  ExprId narrowed(ExprId id);
  void mismatch(Span span, TypeId expected, TypeId found);
  void may_be_none(ExprId option, Span span);
  ExprId literal(const ast::Expr& e, TypeId hint);
  ExprId need_type(Span span, std::string_view what, std::string_view hint);
  std::string source(ast::ExprRef ref) const;

  // lower_names.cpp
  ExprId name(const ast::Expr& e, TypeId hint);
  ExprId self(Span span);
  ExprId role_member(const Symbol& symbol, ExprId host, const ast::Ident& written, bool own);
  ExprId global(const Symbol& symbol, const ast::Ident& written);
  /// A constant's value reads only constants declared before it.
  bool readable(ir::ConstId id, const ast::Ident& written);
  ExprId enum_member(const ast::Ident& written, TypeId hint);
  ExprId field(const ast::Expr& e);
  ExprId index(const ast::Expr& e);
  ExprId call(const ast::Expr& e);
  /// How to write a name that a role has, and that does not stand alone here; empty if no role has it.
  std::string owned_by(std::string_view name) const;
  void unknown(const ast::Ident& written, std::string_view what, const std::vector<std::string>& candidates,
               std::string_view id = "unknown-name");
  std::vector<std::string> visible_names() const;
  std::vector<std::string> names_of(SymbolKind kind) const;
  std::vector<std::string> type_names() const;
  std::vector<ExprId> arguments(const std::vector<ast::ExprRef>& args, const std::vector<TypeId>& types,
                                const ast::Ident& callee, std::string_view what, Span span);
  const Local* find_local(std::string_view name) const;
  LocalId bind(const ast::Ident& name, TypeId type);
  bool bindable(const ast::Ident& name);

  // lower_operators.cpp
  ExprId negation(const ast::Expr& e);
  ExprId chain(const ast::Expr& e);
  ExprId chain_of(const std::vector<ast::ExprRef>& args, ExprKind kind, Span span);
  ExprId binary(const ast::Expr& e, TypeId hint);
  ExprId implication(const ast::Expr& e);
  ExprId equality(const ast::Expr& e);
  ExprId ordering(const ast::Expr& e);
  ExprId arithmetic(const ast::Expr& e, TypeId hint);
  ExprId conditional(const ast::Expr& e, TypeId hint);
  bool unify(ExprId& a, ExprId& b);
  bool needs_context(ast::ExprRef ref) const;
  /// Both operands, the one that has a type of its own first.
  bool operands(const ast::Expr& e, TypeId hint, ExprId& a, ExprId& b);
  ExprId numeric(ExprId id, Span span, std::string_view what);

  // lower_collections.cpp
  ExprId set_literal(const ast::Expr& e, TypeId hint);
  ExprId all(const ast::Expr& e, TypeId hint);
  ExprId membership(const ast::Expr& e);
  ExprId set_operation(const ast::Expr& e, TypeId hint);
  ExprId cardinality(const ast::Expr& e);
  ExprId majority(const ast::Expr& e);
  ExprId keys(const ast::Expr& e);
  /// What a bound variable ranges over: the values of a type, or the elements
  /// of a set. `element` is invalid after an error.
  struct Range {
    TypeId element;
    ExprId domain;
  };
  Range range_of(const ast::Binder& binder);
  /// Names bound side by side in one operation: over types, or one over a set.
  struct BinderGroup {
    std::vector<LocalId> binders;
    ExprId domain;
  };
  /// Binds the names of `forall`, `exists` or `sum`; false after an error.
  bool bind_groups(const ast::Expr& e, std::vector<BinderGroup>& groups);
  ExprId quantifier(const ast::Expr& e);
  ExprId sum(const ast::Expr& e, TypeId hint);
  ExprId set_build(const ast::Expr& e);
  ExprId lambda(const ast::Expr& e, TypeId function);
  bool is_lambda(const ast::Expr& e) const;
  ExprId sent(const ast::Expr& e);
  ExprId old(const ast::Expr& e);
  TypeId element_of(ExprId set, Span span);

  // edits.cpp
  /// Statements of a list that an edit takes out, and what comes instead.
  struct BlockEdit {
    const ast::Change* change = nullptr;
    std::size_t first = 0;
    std::size_t count = 0;
    std::vector<ir::StmtId> to;
  };
  void enter_place(const ast::Place& place);
  void leave_place();
  template <class Work>
  auto in_edit(Span span, Work work);
  void note_conjuncts(ast::ExprRef condition_ref);
  void look_for_edit(ast::ExprRef ref, ExprId lowered);
  void replace(PlannedChange& planned, ExprId lowered, Span span);
  std::size_t edited_run(const std::vector<ast::ExprRef>& args, std::size_t first, ExprKind kind,
                         PlannedChange*& found) const;
  void look_for_block(const std::vector<ast::StmtRef>& list, std::size_t first, std::vector<BlockEdit>& found);
  void record_blocks(const std::vector<BlockEdit>& found, const std::vector<ir::StmtId>& lowered);
  void finish_step_edits(const ast::StepDecl& decl, ir::StepId step);
  void finish_formula_edits(bool axiom, std::size_t index);
  void finish_message_edits(const ast::MessageDecl& decl, ir::MessageId message);

  // unused.cpp
  void warn_unused();
  Span name_span(ir::RoleId role, const std::string& name) const;

  void report(std::string_view id, Span span, std::string message, std::string hint = {});
  const ast::Expr& at(ast::ExprRef ref) const { return (*tree_)[ref]; }
  Span where(Span span) const { return edit_span_.empty() ? span : edit_span_; }
  ir::Builder& make(Span span) {
    b_.at(where(span));
    return b_;
  }
  void use(const Symbol& symbol);

  const SourceFile* file_;
  const ast::Tree* tree_;
  Diagnostics* diagnostics_;
  EditPlan* plan_;

  ir::Protocol p_;
  ir::Builder b_{p_};
  Symbols symbols_;
  std::map<const void*, std::uint32_t> index_of_;  ///< table index of a declaration that was accepted

  Place place_;
  std::optional<std::uint32_t> defining_;  ///< the constant whose value is being lowered
  std::vector<Local> locals_;
  Narrowing narrowing_;
  std::set<std::string> assigned_;           ///< paths that the assignment at hand makes values
  std::set<std::string_view> not_declared_;  ///< what a refused or failed declaration would have declared
  int reported_ = 0;                         ///< errors; beyond kMaxErrors nothing more is said
  static constexpr int kMaxErrors = 200;
  /// Names bound at one place; more is no protocol, and would be slow.
  static constexpr std::size_t kMaxLocals = 1000;
  std::map<std::string, Span> step_names_;  ///< of the role at hand
  std::map<std::string, Span> property_names_;
  std::map<std::string, Span> instance_names_;
  Span edit_span_;  ///< while an edit's text is lowered: the span it replaces

  // Use, for warnings; by table index.
  std::vector<bool> const_used_, var_read_, var_written_, message_sent_, message_received_, message_named_;
};

}  // namespace tenet::frontend
