#include "names.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

namespace tenet::from_tests {
namespace {

/// `(anonymous namespace)::` and the like are no part of a name in a model.
std::string qualified(const clang::NamedDecl* decl) { return decl->getQualifiedNameAsString(); }

const Method* find_in(const ClassModel& owner, const clang::FunctionDecl* function) {
  const bool constructor = llvm::isa<clang::CXXConstructorDecl>(function);
  const bool destructor = llvm::isa<clang::CXXDestructorDecl>(function);
  const std::string name = constructor ? "" : destructor ? "~" : function->getDeclName().getAsString();
  const Method* by_name = nullptr;
  for (const Method& method : owner.methods) {
    if (method.name != name) continue;
    if (method.parameters.size() == function->getNumParams()) return &method;
    if (by_name == nullptr) by_name = nullptr;
  }
  return by_name;
}

const Method* find(const Model& model, const clang::CXXMethodDecl* function, const ClassModel** owner, int depth) {
  const clang::CXXRecordDecl* parent = function->getParent();
  std::string name = qualified(parent);
  for (const ClassModel& candidate : model.classes) {
    if (candidate.name != name) continue;
    if (const Method* method = find_in(candidate, function)) {
      if (owner != nullptr) *owner = &candidate;
      return method;
    }
  }
  if (depth > 8) return nullptr;
  for (const clang::CXXMethodDecl* overridden : function->overridden_methods()) {
    if (const Method* method = find(model, overridden, owner, depth + 1)) return method;
  }
  return nullptr;
}

}  // namespace

const Method* method_of(const Model& model, const clang::FunctionDecl* function, const ClassModel** owner) {
  if (function == nullptr) return nullptr;
  if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function)) return find(model, method, owner, 0);
  // A free function: the model names it with its namespace as the "class".
  const auto* scope = llvm::dyn_cast<clang::NamedDecl>(function->getDeclContext());
  if (scope == nullptr) return nullptr;
  const std::string name = qualified(scope);
  for (const ClassModel& candidate : model.classes) {
    if (candidate.name != name) continue;
    if (const Method* method = find_in(candidate, function)) {
      if (owner != nullptr) *owner = &candidate;
      return method;
    }
  }
  return nullptr;
}

const StatusModel* status_of(const Model& model, clang::QualType type) {
  if (type.isNull()) return nullptr;
  const clang::QualType plain = type.getNonReferenceType().getUnqualifiedType().getCanonicalType();
  std::string name = plain.getAsString();
  if (const auto* record = plain->getAsCXXRecordDecl()) {
    name = qualified(record);
  } else if (const auto* number = plain->getAs<clang::EnumType>()) {
    name = qualified(number->getDecl());
  }
  for (const StatusModel& status : model.statuses) {
    if (status.type == name) return &status;
  }
  return nullptr;
}

Place place_of(const clang::SourceManager& sources, clang::SourceLocation location) {
  const clang::PresumedLoc at = sources.getPresumedLoc(sources.getExpansionLoc(location));
  if (at.isInvalid()) return {};
  return {at.getFilename(), static_cast<int>(at.getLine()), static_cast<int>(at.getColumn())};
}

bool foreign(const clang::SourceManager& sources, clang::SourceLocation location) {
  const clang::SourceLocation at = sources.getExpansionLoc(location);
  if (at.isInvalid() || sources.isInSystemHeader(at)) return true;
  const llvm::StringRef file = sources.getFilename(at);
  return file.starts_with("/usr/include") || file.contains("/gtest/") || file.contains("/gmock/");
}

std::string text_of(const clang::ASTContext& context, clang::SourceRange range) {
  const clang::SourceManager& sources = context.getSourceManager();
  // An argument of a macro is where it is spelled.
  const clang::CharSourceRange chars =
      clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(range), sources, context.getLangOpts());
  const llvm::StringRef text = clang::Lexer::getSourceText(chars, sources, context.getLangOpts());
  constexpr std::size_t kLongest = 120;
  std::string out;
  for (const char c : text.substr(0, kLongest)) {
    const bool space = c == '\n' || c == ' ' || c == '\t';
    if (!space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

}  // namespace tenet::from_tests
