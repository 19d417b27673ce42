/// The reader of IR text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sexp.h"
#include "tenet/ir/protocol.h"

namespace tenet::ir {

/// Thrown inside the reader and caught in `read`.
struct BadText {
  std::string message;
};

/// Builds a protocol from a tree. What it returns still has to pass
/// `verify_ir`: the reader checks no types.
class IrReader {
 public:
  explicit IrReader(const Sexp& tree) : tree_(tree) {}
  Protocol run();

 private:
  [[noreturn]] static void bad(const Sexp& where, std::string_view what);
  static const Sexp& at(const Sexp& list, std::size_t i);
  static const std::string& word(const Sexp& tree);
  static std::int64_t number(const Sexp& tree);
  static std::uint32_t small_number(const Sexp& tree);

  template <class Id, class Table>
  Id named(const Table& table, const Sexp& name) const {
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table[i].name == word(name)) return Id(i);
    }
    bad(name, "'" + name.word + "' is not declared");
  }
  /// A variable or constant of a role (or of the protocol, without one).
  template <class Id, class Table>
  Id of_role(const Table& table, RoleId role, const Sexp& name) const {
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table[i].role == role && table[i].name == word(name)) return Id(i);
    }
    bad(name, "'" + name.word + "' is not declared");
  }

  // read.cpp
  TypeId type(const Sexp& tree);
  std::vector<FieldDecl> fields(const Sexp& tree);
  LocalId binder(const Sexp& tree);
  ExprId expr(const Sexp& tree);
  void args(Expr& e, const Sexp& tree, std::size_t from);
  bool reference(Expr& e, const Sexp& tree, std::size_t& next);
  void bound(Expr& e, const Sexp& tree);
  void generic(Expr& e, const Sexp& tree);
  std::vector<StmtId> block(const Sexp& tree, RoleId role);
  StmtId stmt(const Sexp& tree, RoleId role);
  void send(Stmt& s, const Sexp& tree);

  // read_declarations.cpp
  void announce(const Sexp& tree);
  void declare(const Sexp& tree);
  void define(const Sexp& tree);
  void enumeration(const Sexp& tree);
  void message(const Sexp& tree);
  void constant(const Sexp& tree);
  void variable(const Sexp& tree);
  void step(const Sexp& tree);
  void receive(Step& step, const Sexp& tree);
  void property(const Sexp& tree, PropertyKind kind);
  void trace(const Sexp& tree);
  TraceCall call(const Sexp& tree);
  void instance(const Sexp& tree);

  const Sexp& tree_;
  Protocol p_;
  std::map<std::string, LocalId> locals_;
  /// How many declarations of each table have been filled in.
  std::size_t structs_ = 0, constants_ = 0, variables_ = 0;
};

}  // namespace tenet::ir
