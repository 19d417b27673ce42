/// Attachment by rewriting: the definitions of the model's methods, in copies of the sources, tell what they do.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "clang/Tooling/CompilationDatabase.h"
#include "tenet/from_tests/model.h"
#include "tenet/from_tests/suite.h"

namespace tenet::from_tests {

struct Rewritten {
  std::map<std::string, std::string> files;  ///< path to new text
  std::vector<std::string> done;             ///< "leveldb::DBImpl::Get db_impl.cc:1118"
  std::vector<std::string> left_out;         ///< with the reason
  std::vector<Trouble> troubles;
};

/// Only bodies change, and the first lines of each file; line numbers of the original are kept by #line.
Rewritten rewrite(const Model& model, const clang::tooling::CompilationDatabase& database,
                  const std::vector<std::string>& files);

}  // namespace tenet::from_tests
