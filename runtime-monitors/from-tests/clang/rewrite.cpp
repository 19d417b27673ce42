#include "rewrite.h"

#include <fmt/format.h>

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
#include "clang/Rewrite/Core/Rewriter.h"
#include "hooks.h"
#include "names.h"
#include "sources.h"

namespace tenet::from_tests {
namespace {

using llvm::dyn_cast;
using llvm::isa;

/// The returns of one function, not those of lambdas and local classes in it.
class Returns : public clang::RecursiveASTVisitor<Returns> {
 public:
  std::vector<clang::ReturnStmt*> all;
  bool coroutine = false;
  bool TraverseLambdaExpr(clang::LambdaExpr*) { return true; }
  bool TraverseCXXRecordDecl(clang::CXXRecordDecl*) { return true; }
  bool VisitReturnStmt(clang::ReturnStmt* statement) {
    all.push_back(statement);
    return true;
  }
  bool VisitCoreturnStmt(clang::CoreturnStmt*) {
    coroutine = true;
    return true;
  }
};

class Writer : public clang::RecursiveASTVisitor<Writer> {
 public:
  Writer(const Model& model, clang::ASTContext& context, Rewritten& result)
      : model_(model),
        context_(context),
        sources_(context.getSourceManager()),
        result_(result),
        rewriter_(context.getSourceManager(), context.getLangOpts()) {}

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (!function->doesThisDeclarationHaveABody() || foreign(sources_, function->getLocation())) return true;
    const ClassModel* owner = nullptr;
    const Method* method = method_of(model_, function, &owner);
    if (method == nullptr || method->ignored) return true;
    // Cursors are watched by their decorators: the service has walks of its own of the same class.
    for (const Method& other : owner->methods) {
      if (other.kind == derived::OpKind::position) return true;
    }
    const std::string name =
        fmt::format("{} {}", function->getQualifiedNameAsString(), show(place_of(sources_, function->getLocation())));
    const std::string problem = change(*function, *owner, *method);
    (problem.empty() ? result_.done : result_.left_out).push_back(problem.empty() ? name : name + ": " + problem);
    return true;
  }

  void finish() {
    const std::string include = fmt::format("#include \"tenet_{}.h\"\n", identifier(model_.system));
    for (auto file = rewriter_.buffer_begin(); file != rewriter_.buffer_end(); ++file) {
      const auto entry = sources_.getFileEntryRefForID(file->first);
      if (!entry) continue;
      std::string text;
      llvm::raw_string_ostream out(text);
      file->second.write(out);
      out.flush();
      const std::string path = entry->getName().str();
      result_.files[path] = include + fmt::format("#line 1 \"{}\"\n", path) + text;
    }
  }

 private:
  static std::string identifier(const std::string& text) {
    std::string out;
    for (const char c : text) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return out;
  }

  std::string change(clang::FunctionDecl& function, const ClassModel& owner, const Method& method) {
    auto* body = dyn_cast<clang::CompoundStmt>(function.getBody());
    if (body == nullptr) return "its body is no block";
    if (function.isTemplated() || function.isTemplateInstantiation()) return "it is a template";
    if (function.isDefaulted()) return "it is defaulted";
    const clang::SourceLocation begin = body->getLBracLoc();
    if (begin.isMacroID() || function.getLocation().isMacroID()) return "it is made by a macro";
    if (sources_.getFileID(begin) != sources_.getMainFileID()) return "it is defined in a header";
    Returns returns;
    returns.TraverseStmt(body);
    if (returns.coroutine) return "it is a coroutine";
    for (const clang::ReturnStmt* statement : returns.all) {
      if (statement->getReturnLoc().isMacroID() || statement->getEndLoc().isMacroID()) {
        if (sources_.isMacroBodyExpansion(statement->getReturnLoc())) return "a macro in it returns";
      }
    }
    // Everything is looked at before anything is changed.
    std::vector<clang::CharSourceRange> values;
    for (const clang::ReturnStmt* statement : returns.all) {
      if (statement->getRetValue() == nullptr) continue;
      const clang::CharSourceRange range = clang::Lexer::makeFileCharRange(
          clang::CharSourceRange::getTokenRange(statement->getRetValue()->getSourceRange()), sources_,
          context_.getLangOpts());
      if (range.isInvalid()) return "a value that it returns is partly in a macro";
      values.push_back(range);
    }
    const bool is_void =
        function.getReturnType()->isVoidType() || isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(function);
    std::string arguments;
    const auto* member = dyn_cast<clang::CXXMethodDecl>(&function);
    if (member != nullptr && !member->isStatic()) arguments = "*this";
    for (clang::ParmVarDecl* parameter : function.parameters()) {
      std::string name = parameter->getNameAsString();
      if (name.empty()) {
        name = fmt::format("tenet_argument_{}", parameter->getFunctionScopeIndex());
        const clang::SourceLocation end = clang::Lexer::getLocForEndOfToken(
            parameter->getTypeSourceInfo()->getTypeLoc().getEndLoc(), 0, sources_, context_.getLangOpts());
        rewriter_.InsertTextAfter(end, " " + name);
      }
      arguments += (arguments.empty() ? "" : ", ") + name;
    }
    const std::string hook = "::tenet_" + identifier(model_.system) + "::" + hook_name(model_, owner, method);
    const std::string declaration =
        arguments.empty() ? fmt::format(" {} tenet_call;", hook) : fmt::format(" {} tenet_call({});", hook, arguments);
    rewriter_.InsertTextAfterToken(begin, declaration);
    if (is_void) return {};
    for (const clang::CharSourceRange& range : values) {
      rewriter_.InsertTextBefore(range.getBegin(), "tenet_call.returned(");
      rewriter_.InsertTextAfter(range.getEnd(), ")");
    }
    return {};
  }

  const Model& model_;
  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  Rewritten& result_;
  clang::Rewriter rewriter_;
};

}  // namespace

Rewritten rewrite(const Model& model, const clang::tooling::CompilationDatabase& database,
                  const std::vector<std::string>& files) {
  Rewritten result;
  visit_sources(
      database, files,
      [&](clang::ASTContext& context, clang::CompilerInstance&) {
        Writer writer(model, context, result);
        writer.TraverseDecl(context.getTranslationUnitDecl());
        writer.finish();
      },
      result.troubles);
  return result;
}

}  // namespace tenet::from_tests
