/// IR expressions to closures.
#pragma once

#include <vector>

#include "layout.h"
#include "places.h"
#include "program.h"
#include "tenet/ir/confined.h"
#include "tenet/ir/protocol.h"

namespace tenet::explore {

/// Compiles the expressions of one protocol in one instance into a Program.
/// Throws Refusal for what cannot be explored.
class Compiler {
 public:
  enum class Mode : std::uint8_t {
    step,    ///< reads the acting host
    formula  ///< reads any host, and `old`
  };
  Compiler(const ir::Protocol& protocol, const ir::Instance& instance, Layouts& layouts, const Places& places,
           Program& program, Mode mode);

  Compiled expr(ir::ExprId id);
  /// Where a bound local lies in the frame.
  [[nodiscard]] std::uint32_t local(ir::LocalId id);
  [[nodiscard]] Layouts& layouts() { return layouts_; }
  [[nodiscard]] Program& program() { return program_; }

  /// `exists` over the binders of a quantifier (with their domain): true if
  /// `body` is true for some value.
  Compiled exists(const ir::Expr& quantifier, Compiled body);
  Compiled conjunction(Compiled a, Compiled b);

 private:
  using Args = std::vector<Compiled>;
  const Node* odd_if_undecided(const ir::Expr& e, const Node* inner);
  const Node* node(const ir::Expr& e, const Shape& shape);
  const Node* leaf(const ir::Expr& e, const Shape& shape);
  const Node* local_value(std::uint32_t place, const Shape& shape);
  const Node* constant(const Shape& shape, std::vector<Cell> cells);
  const Node* state(const ir::Expr& e, const Shape& shape);
  const Node* own_state(std::uint32_t place, const Shape& shape);
  const Node* any_state(const ir::Expr& e, std::uint32_t place, const Shape& shape);
  const Node* shared_constant(const ir::Expr& e, const Shape& shape);
  const Node* global_constant(const ir::Expr& e, const Shape& shape);
  const Node* config_value(const Node* row, std::uint32_t place, std::uint32_t rows, const Shape& shape);
  const Node* logic(const ir::Expr& e, const Shape& shape);
  const Node* comparison(const ir::Expr& e);
  const Node* struct_order(ir::Op op, Compiled a, Compiled b);
  const Node* arithmetic(const ir::Expr& e);
  const Node* division(const ir::Expr& e, Compiled a, Compiled b);
  const Node* option_or_struct(const ir::Expr& e, const Shape& shape);
  const Node* part(Compiled whole, std::uint32_t offset, const Shape& shape, bool checked);
  const Node* set(const ir::Expr& e, const Shape& shape);
  const Node* set_literal(const ir::Expr& e, const Shape& shape);
  const Node* set_build(const ir::Expr& e, const Shape& shape);
  const Node* set_pair(const ir::Expr& e, const Shape& shape);
  const Node* contains(Compiled element, Compiled set);
  const Node* map(const ir::Expr& e, const Shape& shape);
  const Node* map_change(const ir::Expr& e, const Shape& shape);
  const Node* function(const ir::Expr& e, const Shape& shape);
  const Node* function_build(const ir::Expr& e, const Shape& shape);
  const Node* item(Compiled table, Compiled argument, const Shape& shape, bool partial);
  const Node* quantifier(const ir::Expr& e);
  const Node* sum(const ir::Expr& e);
  const Node* loop(const ir::Expr& quantifier, const Node* inner);
  const Node* old(const ir::Expr& e, const Shape& shape);
  const Node* sent(const ir::Expr& e);
  [[nodiscard]] bool is_self(ir::ExprId host) const;
  Args args(const ir::Expr& e);

  const ir::Protocol& p_;
  const ir::Instance& instance_;
  Layouts& layouts_;
  const Places& places_;
  Program& program_;
  Mode mode_;
  std::vector<std::uint32_t> locals_;
  ir::OpenQuantifiers open_;
};

}  // namespace tenet::explore
