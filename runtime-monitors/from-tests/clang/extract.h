/// Tests and assertions of a suite, with the slices of their operands.
#pragma once

#include <string>
#include <vector>

#include "clang/Tooling/CompilationDatabase.h"
#include "tenet/from_tests/model.h"
#include "tenet/from_tests/suite.h"

namespace tenet::from_tests {

Suite extract(const Model& model, const clang::tooling::CompilationDatabase& database,
              const std::vector<std::string>& files);

}  // namespace tenet::from_tests
