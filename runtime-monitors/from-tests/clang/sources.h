/// Running over C++ sources by a compile database.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "tenet/base/result.h"
#include "tenet/from_tests/suite.h"

namespace tenet::from_tests {

/// Calls `each` for every source that compiles; what does not is told in `troubles` and left out.
void visit_sources(const clang::tooling::CompilationDatabase& database, const std::vector<std::string>& files,
                   const std::function<void(clang::ASTContext&, clang::CompilerInstance&)>& each,
                   std::vector<Trouble>& troubles);

/// The same for a text that is compiled as if it were `path`, with these flags.
void visit_text(const std::string& text, const std::string& path, const std::vector<std::string>& flags,
                const std::function<void(clang::ASTContext&, clang::CompilerInstance&)>& each,
                std::vector<Trouble>& troubles);

/// The database in a build folder.
Result<std::unique_ptr<clang::tooling::CompilationDatabase>> load_database(const std::string& folder);

}  // namespace tenet::from_tests
