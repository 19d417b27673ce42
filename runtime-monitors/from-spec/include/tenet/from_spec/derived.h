/// What the prover derived of a protocol, as a file: properties in the protocol's language, for one version of it.
///
/// A monitor watches them beside the protocol's own properties. They cost a proof once, and nothing when the monitor is
/// generated.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenet/base/result.h"

namespace tenet::from_spec {

/// A formula in the protocol's language that holds in every execution, for any number of hosts.
struct Derived {
  std::string kind;       ///< "state", "projection" …: the first part of the property's name
  std::string statement;  ///< of one state; with `old`, of any two states of which one is earlier
};

/// The file, for the protocol that has this stamp (`stamp` in generate.h).
[[nodiscard]] std::string write_derived(const std::string& protocol, const std::string& stamp,
                                        const std::vector<Derived>& facts);

/// Whether `text` is such a file for this version of the protocol; else what is wrong with it.
[[nodiscard]] Result<void> check_derived(std::string_view text, const std::string& stamp);

}  // namespace tenet::from_spec
