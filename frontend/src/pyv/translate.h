/// Formulas to IR expressions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "environment.h"
#include "next_values.h"
#include "program.h"
#include "tenet/base/diagnostic.h"
#include "tenet/ir/builder.h"
#include "tenet/ir/protocol.h"

namespace tenet::frontend::pyv {

/// Thrown when a formula cannot be lowered; the diagnostic was made.
struct Refused {};

/// Where the declared symbols are in the protocol.
struct Tables {
  ir::RoleId role;
  std::vector<ir::TypeId> sorts;       ///< of the declared sorts
  std::vector<ir::ConstId> constants;  ///< by symbol; valid if immutable
  std::vector<ir::VarId> variables;    ///< by symbol; valid if mutable
};

/// How a formula reads the states that it speaks of.
enum class Reading : std::uint8_t {
  state,       ///< one state, or none
  before,      ///< in a step: 0 is the state before, 1 what `New` says
  two_states,  ///< after a move: 0 is `old`, 1 the state reached
};

/// New values in a step: by symbol, at most one of the two; neither: it stays.
struct New {
  std::vector<const Next*> values;
  std::vector<ir::LocalId> chosen;
};

class Translator {
 public:
  Translator(const Program& program, const Tables& tables, ir::Protocol& protocol, Bindings& bindings,
             Diagnostics& diagnostics)
      : p_(program), tables_(tables), ir_(protocol), bindings_(bindings), diagnostics_(diagnostics), make_(protocol) {}

  void read(Reading reading, const New* next = nullptr) {
    reading_ = reading;
    new_ = next;
  }
  ir::ExprId formula(const Expr& e, Environment environment = nullptr, int state = 0);
  ir::ExprId conjunct(const Conjunct& conjunct, int state = 0);
  ir::ExprId rest(const Rest& rest, int state = 0);
  /// The symbol's new value as a value of its type.
  ir::ExprId function(std::size_t symbol, const Next& next);
  ir::ExprId current(std::size_t symbol);
  [[nodiscard]] ir::TypeId type(Sort sort);
  [[nodiscard]] ir::TypeId type(const Signature& signature);
  ir::LocalId local(const std::string& name, ir::TypeId type, Span span);
  /// Locals that were read since the last `forget_reads`.
  [[nodiscard]] const std::set<ir::LocalId>& locals_read() const { return locals_read_; }
  /// Variables that were read since then.
  [[nodiscard]] const std::set<ir::VarId>& variables_read() const { return variables_read_; }
  void forget_reads() {
    locals_read_.clear();
    variables_read_.clear();
  }
  /// Refuses what became nested too deeply since the last call.
  void check_heights(Span span);

  ir::Builder& make() { return make_; }

 private:
  ir::ExprId named(const Expr& e, Environment environment, int state);
  ir::ExprId called(const Expr& e, const Definition& definition, Environment environment, int state);
  ir::ExprId symbol(const Expr& e, std::size_t symbol, std::vector<ir::ExprId> args, int state);
  ir::ExprId value(const Next& next, const std::vector<ir::ExprId>& args);
  ir::ExprId apply(ir::ExprId function, const std::vector<ir::ExprId>& args);
  ir::ExprId quantified(const Expr& e, Environment environment, int state);
  ir::ExprId equal(ir::ExprId a, ir::ExprId b);
  ir::ExprId distinct(const Expr& e, Environment environment, int state);
  ir::ExprId compound(const Expr& e, Environment environment, int state);
  [[nodiscard]] bool is_boolean(ir::ExprId id) const { return ir_[ir_[id].type].kind == ir::TypeKind::boolean; }
  [[noreturn]] void refuse(const char* id, Span span, std::string message);

  const Program& p_;
  const Tables& tables_;
  ir::Protocol& ir_;
  Bindings& bindings_;
  Diagnostics& diagnostics_;
  ir::Builder make_;
  Reading reading_ = Reading::state;
  const New* new_ = nullptr;
  std::set<ir::LocalId> locals_read_;
  std::set<ir::VarId> variables_read_;
  std::vector<std::uint16_t> heights_;
  int depth_ = 0;
};

}  // namespace tenet::frontend::pyv
