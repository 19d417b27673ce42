/// Whether what is claimed now is at least what was claimed.
#pragma once

#include <string>
#include <vector>

#include "tenet/frontend/frontend.h"
#include "tenet/ir/protocol.h"

namespace tenet::gate {

/// Something that the base claims and the head does not.
struct Lost {
  std::string kind;      ///< "safety", "reachable", "instance", "protocol" …
  std::string subject;   ///< its name
  std::string message;   ///< one sentence
  Span span;             ///< in the head; empty if it is gone
  bool bounded = false;  ///< matters only for what is not proved for any size
};

/// Properties that are gone, renamed, of another kind, or whose formula is not
/// shown to imply the old one; roles and types of any size that have a fixed one
/// now; instances that are gone or smaller; `deadlock ok` where there was none. The implication is shown by structure
/// alone (a conjunct more, a hypothesis less, the same under the same quantifier), so a rewording that is as strong may
/// count as lost, and never the other way round, as long as the names in it mean what they meant.
[[nodiscard]] std::vector<Lost> lost_claims(const ir::Protocol& base, const ir::Protocol& head);

/// What the head assumes and the base does not: axioms and `init` formulas, also
/// with other definitions of the constants in them; constants that became
/// `unique` or got a definition; variables that got an initialiser; messages
/// that arrive at most once. Also of constants and messages that are new, as
/// a new name must not hide it.
[[nodiscard]] std::vector<Lost> added_assumptions(const ir::Protocol& base, const ir::Protocol& head);

/// A variant that expects another property, or whose edits were changed
/// although those of the base still fit the protocol. `still_fits`: the text
/// of the base loads against the protocol of the head.
[[nodiscard]] std::vector<Lost> lost_claims(const frontend::Variant& base, const frontend::Variant& head,
                                            bool still_fits);

}  // namespace tenet::gate
