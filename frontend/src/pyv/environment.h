/// What names stand for while a formula is lowered.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "ast.h"
#include "tenet/ir/ids.h"

namespace tenet::frontend::pyv {

/// A name and its meaning, and what was bound around it. Bindings are never
/// changed, so that a formula can be kept together with the names it was read with.
struct Binding {
  static constexpr int kWhereRead = -1;
  std::string name;
  ir::ExprId value;            ///< a value; invalid: `text` is what the name stands for
  const Expr* text = nullptr;  ///< read anew at every use, as if it stood there
  const Binding* around = nullptr;
  int state = kWhereRead;  ///< the state in which `text` is read; kWhereRead: that of the use
  const Binding* next = nullptr;
};

/// Null: nothing is bound.
using Environment = const Binding*;

/// Owns bindings.
class Bindings {
 public:
  Environment value(Environment rest, std::string name, ir::ExprId value) {
    return &all_.emplace_back(Binding{std::move(name), value, nullptr, nullptr, Binding::kWhereRead, rest});
  }
  Environment text(Environment rest, std::string name, const Expr* text, Environment around,
                   int state = Binding::kWhereRead) {
    return &all_.emplace_back(Binding{std::move(name), {}, text, around, state, rest});
  }

 private:
  std::deque<Binding> all_;
};

[[nodiscard]] inline const Binding* find(Environment environment, std::string_view name) {
  while (environment != nullptr && environment->name != name) environment = environment->next;
  return environment;
}

}  // namespace tenet::frontend::pyv
