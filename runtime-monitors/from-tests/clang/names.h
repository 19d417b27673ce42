/// Between Clang's declarations and the names of a model.
#pragma once

#include <string>

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "tenet/from_tests/model.h"
#include "tenet/from_tests/suite.h"

namespace tenet::from_tests {

/// The model's method that a declaration is: of a class of the model, or of one that overrides it. Null: none.
/// `owner` (if given) is set to its class.
const Method* method_of(const Model& model, const clang::FunctionDecl* function, const ClassModel** owner = nullptr);
/// The status of the model that a type is; null if none.
const StatusModel* status_of(const Model& model, clang::QualType type);

/// Where a location is in the text that people see: outside of every macro.
Place place_of(const clang::SourceManager& sources, clang::SourceLocation location);
/// Whether it is in a header of the system, of GoogleTest or the like.
bool foreign(const clang::SourceManager& sources, clang::SourceLocation location);
std::string text_of(const clang::ASTContext& context, clang::SourceRange range);

}  // namespace tenet::from_tests
