/// The header that tells what a service does: a hook class for each method of the model, decorators for its virtual
/// classes, wrapped factories. C++11, clean without exceptions and RTTI.
#pragma once

#include <string>
#include <vector>

#include "tenet/from_tests/model.h"

namespace tenet::from_tests {

struct Hooks {
  std::string header;                     ///< `tenet_SYSTEM.h`
  std::string factories;                  ///< `tenet_SYSTEM_factories.cc`: for -Wl,--wrap; empty if there is none
  std::vector<std::string> link_options;  ///< -Wl,--wrap=…
  std::vector<std::string> notes;
};

/// Checks the model against the headers (with these compiler flags) and generates. Errors name the model's line.
Result<Hooks> make_hooks(const Model& model, const std::vector<std::string>& flags);

/// A model to begin with, from the public classes of a header: every method as a comment-free line whose kind has to be
/// filled in.
Result<std::string> draft_model(const std::string& header, const std::vector<std::string>& flags);

/// The name of an operation's hook class.
std::string hook_name(const Model& model, const ClassModel& owner, const Method& method);

}  // namespace tenet::from_tests
