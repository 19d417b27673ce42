/// Backward slices of expressions, over the control flow graphs of the functions they are in.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/ParentMap.h"
#include "clang/Analysis/CFG.h"
#include "tenet/from_tests/model.h"
#include "tenet/from_tests/suite.h"

namespace tenet::from_tests {

/// The body of one function, with its graph.
class Body {
 public:
  Body(clang::ASTContext& context, const clang::FunctionDecl* function);
  struct Position {
    const clang::CFGBlock* block = nullptr;
    std::size_t index = 0;
  };
  [[nodiscard]] bool valid() const { return graph_ != nullptr; }
  /// Where a statement (or what encloses it) is in the graph.
  [[nodiscard]] Position find(const clang::Stmt* statement) const;
  [[nodiscard]] const clang::ParentMap& parents() const { return *parents_; }
  [[nodiscard]] const clang::FunctionDecl* function() const { return function_; }
  [[nodiscard]] const clang::CFG& graph() const { return *graph_; }
  [[nodiscard]] bool in_loop(const clang::Stmt* statement) const;

 private:
  const clang::FunctionDecl* function_;
  std::unique_ptr<clang::CFG> graph_;
  std::unique_ptr<clang::ParentMap> parents_;
  std::map<const clang::Stmt*, Position> places_;
};

/// A function as it is called on the way to an assertion.
struct Frame {
  const Body* body = nullptr;
  const Frame* caller = nullptr;
  const clang::Expr* call = nullptr;  ///< in the caller
  int depth = 0;
};

class Slicer {
 public:
  Slicer(clang::ASTContext& context, const Model& model) : context_(context), model_(model) {}

  /// Null if its body is not in this translation unit.
  const Body* body(const clang::FunctionDecl* function);
  /// What the value of an expression at its place in `frame` depends on. Places in chains begin at `root`'s function.
  Slice slice(const clang::Expr* expression, const Frame& frame, const Frame& root);

  [[nodiscard]] clang::ASTContext& context() { return context_; }
  [[nodiscard]] const Model& model() const { return model_; }

 private:
  struct Work;
  void value(const clang::Expr* expression, const Frame& frame, Work& work);
  void call_value(const clang::Expr* call, const clang::FunctionDecl* callee, const Frame& frame, Work& work);
  void variable(const clang::ValueDecl* variable, const clang::Stmt* use, const Frame& frame, Work& work);
  bool defines(const clang::Stmt* statement, const clang::ValueDecl* variable, const Frame& frame, Work& work);
  void writes(const clang::FunctionDecl* callee, unsigned parameter, const clang::Expr* call, const Frame& frame,
              Work& work);
  void conditions(const clang::Stmt* statement, const clang::Stmt* use, const Frame& frame, Work& work);
  void results(const clang::FunctionDecl* callee, const clang::Expr* call, const Frame& frame, Work& work);
  void site(const Method& method, const clang::Expr* call, const Frame& frame, Work& work);
  void hidden(const std::string& what, Work& work);

  clang::ASTContext& context_;
  const Model& model_;
  std::map<const clang::FunctionDecl*, std::unique_ptr<Body>> bodies_;
  std::vector<std::unique_ptr<Frame>> frames_;
};

}  // namespace tenet::from_tests
