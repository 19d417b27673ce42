/// Which options are known not to be none at a place in the text.
///
/// A path (a variable, a field of it, an entry of a function …) is named by a
/// key made from its IR; a condition yields the keys that it makes certain.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tenet/ir/protocol.h"

namespace tenet::frontend {

/// The key of a path; nothing if the expression is no path.
[[nodiscard]] std::optional<std::string> path_key(const ir::Protocol& protocol, ir::ExprId expr);

/// The paths that are not none if a condition is true, and if it is false.
struct Certain {
  std::set<std::string> if_true;
  std::set<std::string> if_false;
};
[[nodiscard]] Certain certain_after(const ir::Protocol& protocol, ir::ExprId condition);

/// What is known here; scopes restore it.
class Narrowing {
 public:
  [[nodiscard]] bool knows(const std::string& key) const { return known_.count(key) > 0; }
  void learn(const std::set<std::string>& keys);
  /// Everything that depends on a variable of the acting host is forgotten.
  void forget(ir::VarId var);

  [[nodiscard]] std::size_t mark() const { return learnt_.size(); }
  /// Forgets what was learnt since `mark`.
  void restore(std::size_t mark);

  /// What is known whichever of two ways was taken.
  [[nodiscard]] static Narrowing join(const Narrowing& a, const Narrowing& b);
  /// What is known inside `old(…)`.
  [[nodiscard]] Narrowing before() const;

 private:
  std::set<std::string> known_;
  std::vector<std::string> learnt_;
};

}  // namespace tenet::frontend
