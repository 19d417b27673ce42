#include "sources.h"

#include <filesystem>

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Tooling/Tooling.h"

namespace tenet::from_tests {
namespace {

using Each = std::function<void(clang::ASTContext&, clang::CompilerInstance&)>;

/// Keeps the first error: the others follow from it.
class FirstError : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Error || !text_.empty()) return;
    llvm::SmallString<128> message;
    info.FormatDiagnostic(message);
    text_ = message.str().str();
    if (!info.hasSourceManager() || info.getLocation().isInvalid()) return;
    const clang::PresumedLoc at = info.getSourceManager().getPresumedLoc(info.getLocation());
    if (at.isValid()) text_ = std::string(at.getFilename()) + ":" + std::to_string(at.getLine()) + ": " + text_;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Consumer : public clang::ASTConsumer {
 public:
  Consumer(clang::CompilerInstance& compiler, const Each& each) : compiler_(compiler), each_(each) {}
  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (!context.getDiagnostics().hasErrorOccurred()) each_(context, compiler_);
  }

 private:
  clang::CompilerInstance& compiler_;
  const Each& each_;
};

class Action : public clang::ASTFrontendAction {
 public:
  explicit Action(const Each& each) : each_(each) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
    return std::make_unique<Consumer>(compiler, each_);
  }

 private:
  const Each& each_;
};

class Factory : public clang::tooling::FrontendActionFactory {
 public:
  explicit Factory(const Each& each) : each_(each) {}
  std::unique_ptr<clang::FrontendAction> create() override { return std::make_unique<Action>(each_); }

 private:
  const Each& each_;
};

std::vector<std::string> own_flags() {
  return {"-resource-dir", TENET_CLANG_RESOURCES, "-Wno-everything", "-fno-color-diagnostics", "-ferror-limit=1"};
}

}  // namespace

void visit_sources(const clang::tooling::CompilationDatabase& database, const std::vector<std::string>& files,
                   const Each& each, std::vector<Trouble>& troubles) {
  for (const std::string& file : files) {
    std::error_code problem;
    const std::string path = std::filesystem::absolute(file, problem).lexically_normal().string();
    if (!std::filesystem::is_regular_file(path, problem)) {
      troubles.push_back({file, "no such file"});
      continue;
    }
    if (database.getCompileCommands(path).empty()) {
      troubles.push_back({file, "the compile database does not say how it is compiled"});
      continue;
    }
    clang::tooling::ClangTool tool(database, {path});
    FirstError errors;
    tool.setDiagnosticConsumer(&errors);
    tool.setPrintErrorMessage(false);
    tool.appendArgumentsAdjuster(
        clang::tooling::getInsertArgumentAdjuster(own_flags(), clang::tooling::ArgumentInsertPosition::END));
    Factory factory(each);
    if (tool.run(&factory) != 0 || errors.getNumErrors() != 0) {
      troubles.push_back({file, "does not compile: " + (errors.text().empty() ? "no reason given" : errors.text())});
    }
  }
}

void visit_text(const std::string& text, const std::string& path, const std::vector<std::string>& flags,
                const Each& each, std::vector<Trouble>& troubles) {
  std::vector<std::string> all = own_flags();
  all.insert(all.end(), flags.begin(), flags.end());
  const clang::tooling::FixedCompilationDatabase database(".", all);
  clang::tooling::ClangTool tool(database, {path});
  tool.mapVirtualFile(path, text);
  FirstError errors;
  tool.setDiagnosticConsumer(&errors);
  tool.setPrintErrorMessage(false);
  Factory factory(each);
  if (tool.run(&factory) != 0 || errors.getNumErrors() != 0) {
    troubles.push_back({path, errors.text().empty() ? "does not compile" : errors.text()});
  }
}

Result<std::unique_ptr<clang::tooling::CompilationDatabase>> load_database(const std::string& folder) {
  std::string why;
  auto database = clang::tooling::CompilationDatabase::loadFromDirectory(folder, why);
  if (database == nullptr) {
    return failure(ErrorKind::bad_input,
                   folder + ": has no compile_commands.json (cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON writes one)");
  }
  return database;
}

}  // namespace tenet::from_tests
