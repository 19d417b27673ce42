/// What a team lets pass: the table `[gate]` of `tenet.toml`.
///
/// ```toml
/// [gate]
/// paths = ["protocols"]       # default: the whole repository
/// newly-unknown = "warn"      # "fail", "warn" or "ignore"
/// ```
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tenet/base/result.h"

namespace tenet::gate {

/// How what is asked may differ from the base.
enum class Change {
  newly_violated,    ///< violated now, and was not (or was not there)
  variant_survived,  ///< a wrong variant that no trace refutes now, and that was refuted (or was not there)
  proof_lost,        ///< less is claimed, or for fewer sizes: removed, renamed, weakened, or no longer proved
  newly_unknown,     ///< undecided now, and was decided (or was not there)
  assumption_added,  ///< something is assumed that the base does not assume
  still_violated,    ///< violated before and after
  still_unknown,     ///< undecided before and after
  only_bounded,      ///< holds in the finite instances, no proof for other sizes
};
inline constexpr std::size_t kChangeCount = 8;
/// "newly-violated" …: the keys of the policy, and rule ids in reports.
[[nodiscard]] std::string_view name(Change change);

enum class Reaction { fail, warn, ignore };
[[nodiscard]] std::string_view name(Reaction reaction);

struct Policy {
  std::vector<std::string> paths;  ///< files and folders from the root of the repository; empty: all of it
  std::array<Reaction, kChangeCount> reactions = {Reaction::fail, Reaction::fail, Reaction::fail, Reaction::fail,
                                                  Reaction::warn, Reaction::warn, Reaction::warn, Reaction::ignore};

  [[nodiscard]] Reaction reaction(Change change) const { return reactions[static_cast<std::size_t>(change)]; }
  /// Whether a file counts. `path` is relative to the root of the repository, with `/`.
  [[nodiscard]] bool covers(std::string_view path) const;
};

/// Reads the text of a `tenet.toml`; other tables than `[gate]` are somebody
/// else's. Errors: `bad_input` with line, for what is no TOML, an unknown key
/// or a value that is none of those allowed. `where` is what to call the file.
[[nodiscard]] Result<Policy> read_policy(std::string_view text, const std::string& where);

}  // namespace tenet::gate
