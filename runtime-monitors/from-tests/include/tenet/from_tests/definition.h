/// Checker definitions as text that people read, review and edit; and as C++.
#pragma once

#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/derived/checker.h"
#include "tenet/from_tests/model.h"

namespace tenet::from_tests {

std::string print_checkers(const std::vector<derived::Checker>& checkers, const Model& model);
/// Errors name the file, the line and what is expected there.
Result<std::vector<derived::Checker>> parse_checkers(const std::string& text, const std::string& path,
                                                     const Model& model);
Result<std::vector<derived::Checker>> read_checkers(const std::string& path, const Model& model);

struct GeneratedCheckers {
  std::string header, source;  ///< `SYSTEM_checkers.h` and `.cc`
};
GeneratedCheckers generate_checkers(const std::vector<derived::Checker>& checkers, const Model& model);

}  // namespace tenet::from_tests
