/// What a change touches: pairs of what was and what is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/gate/policy.h"
#include "tree.h"

namespace tenet::gate {

/// A protocol or a wrong variant of one commit.
struct Side {
  const TreeFile* file = nullptr;  ///< of the tree; null: not there
  std::string name;
  std::optional<frontend::Variant> variant;
  const SourceFile* protocol = nullptr;  ///< that a variant edits; of the tree
};

/// One piece of work.
struct Unit {
  frontend::FileKind kind = frontend::FileKind::protocol;
  Side base, head;
  /// Of a variant on both sides: it edits another protocol, not the same one under
  /// a new name or at a new place.
  bool edits_another = false;

  /// Where it is now; where it was, if it is gone.
  [[nodiscard]] const std::string& path() const { return head.file != nullptr ? head.file->path : base.file->path; }
  [[nodiscard]] const std::string& name() const { return head.file != nullptr ? head.name : base.name; }
  /// Different for different units of one plan.
  [[nodiscard]] std::string key() const;
};

struct Plan {
  std::vector<Unit> units;            ///< by key, ascending
  std::vector<std::string> problems;  ///< files of the head that cannot be used
  std::size_t untouched = 0;          ///< protocols and variants that are as they were
};

/// Compares the trees. A protocol is that of the same path, or of the same
/// name where only one bears it; a variant must have its name. Touched is what
/// differs in its own bytes or in those of the protocol that it edits; the
/// language has no other way to take something from another file. Errors:
/// `bad_input`: a touched file of the base that cannot be used.
[[nodiscard]] Result<Plan> make_plan(const Tree& base, const Tree& head, const Policy& policy);

}  // namespace tenet::gate
