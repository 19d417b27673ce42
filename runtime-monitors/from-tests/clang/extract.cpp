#include "extract.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
#include "expressions.h"
#include "names.h"
#include "slicer.h"
#include "sources.h"

namespace tenet::from_tests {
namespace {

using llvm::dyn_cast;
using llvm::isa;

constexpr int kDeepest = 4;  // helpers that assert, called by helpers

/// An assertion as it stands in the text of a function.
struct Written {
  clang::SourceLocation location;
  std::string relation;
  std::vector<const clang::Expr*> operands;
  const clang::Expr* matcher = nullptr;
};

bool is_assertion_macro(llvm::StringRef name) { return name.starts_with("ASSERT_") || name.starts_with("EXPECT_"); }

/// The macros that a location is in, innermost first.
std::vector<std::string> macros_of(const clang::ASTContext& context, clang::SourceLocation location) {
  std::vector<std::string> all;
  const clang::SourceManager& sources = context.getSourceManager();
  while (location.isMacroID()) {
    all.push_back(clang::Lexer::getImmediateMacroName(location, sources, context.getLangOpts()).str());
    location = sources.getImmediateMacroCallerLoc(location);
  }
  return all;
}

/// Finds the assertions of one body, by what GoogleTest's macros become.
class Finder : public clang::RecursiveASTVisitor<Finder> {
 public:
  explicit Finder(clang::ASTContext& context) : context_(context) {}
  std::vector<Written> found;
  bool threads = false;

  bool VisitCallExpr(clang::CallExpr* call) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    if (callee == nullptr) return true;
    const std::string name = callee->getQualifiedNameAsString();
    if (const auto relation = comparison(name); !relation.empty() && call->getNumArgs() >= 4) {
      found.push_back({call->getExprLoc(), relation, {call->getArg(2), call->getArg(3)}, nullptr});
    } else if (is_matcher_call(callee) && call->getNumArgs() == 3) {
      found.push_back({call->getExprLoc(), "THAT", {call->getArg(2)}, call->getArg(0)});
    } else if (name.rfind("testing::AssertPred", 0) == 0) {
      found.push_back({call->getExprLoc(), "PRED", {}, nullptr});
    } else if (name == "pthread_create") {
      threads = true;
    }
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* construct) {
    const std::string name = construct->getConstructor()->getParent()->getQualifiedNameAsString();
    if (name == "std::thread" && construct->getNumArgs() > 0) threads = true;
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) {
    if (variable->getName() != "gtest_ar_" || variable->getInit() == nullptr) return true;
    const clang::Expr* init = uncast(variable->getInit());
    const auto* construct = dyn_cast<clang::CXXConstructExpr>(init);
    while (construct != nullptr && construct->getNumArgs() > 0 &&
           isa<clang::CXXConstructExpr>(uncast(construct->getArg(0)))) {
      construct = llvm::cast<clang::CXXConstructExpr>(uncast(construct->getArg(0)));
    }
    if (construct == nullptr || construct->getNumArgs() == 0) return true;
    const clang::Expr* condition = uncast(construct->getArg(0));
    // ASSERT_FALSE negates what it is given; that `!` is the macro's, not the test's.
    bool wants_false = false;
    for (const std::string& macro : macros_of(context_, variable->getLocation())) {
      if (llvm::StringRef(macro).ends_with("_FALSE")) wants_false = true;
    }
    if (wants_false) {
      const auto* negation = dyn_cast<clang::UnaryOperator>(condition);
      if (negation != nullptr && negation->getOpcode() == clang::UO_LNot) condition = uncast(negation->getSubExpr());
    }
    found.push_back({variable->getLocation(), wants_false ? "FALSE" : "TRUE", {condition}, nullptr});
    return true;
  }
  bool TraverseLambdaExpr(clang::LambdaExpr* lambda) {
    return clang::RecursiveASTVisitor<Finder>::TraverseLambdaExpr(lambda);
  }

 private:
  static bool is_matcher_call(const clang::FunctionDecl* callee) {
    const auto* member = dyn_cast<clang::CXXMethodDecl>(callee);
    return member != nullptr && member->getOverloadedOperator() == clang::OO_Call &&
           member->getParent()->getNameAsString() == "PredicateFormatterFromMatcher";
  }
  static std::string comparison(const std::string& name) {
    if (name == "testing::internal::EqHelper::Compare" || name == "testing::internal::CmpHelperEQ") return "EQ";
    constexpr const char* kHelper = "testing::internal::CmpHelper";
    if (name.rfind(kHelper, 0) != 0) return {};
    const std::string what = name.substr(std::string(kHelper).size());
    for (const char* known : {"NE", "LE", "LT", "GE", "GT", "STREQ", "STRNE", "STRCASEEQ", "STRCASENE"}) {
      if (what == known) return what;
    }
    return what == "FloatingPointEQ" ? "NEAR" : std::string();
  }
  clang::ASTContext& context_;
};

/// Which member functions a matcher calls on what it is given: `arg.ok()`.
class MatcherCalls : public clang::RecursiveASTVisitor<MatcherCalls> {
 public:
  explicit MatcherCalls(const Model& model) : model_(model) {}
  std::string found;
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) {
    const StatusModel* status = status_of(model_, call->getImplicitObjectArgument()->getType());
    if (status == nullptr || call->getMethodDecl() == nullptr) return true;
    const std::string text = call->getMethodDecl()->getNameAsString() + "()";
    for (const auto& [name, expression] : status->classes) {
      if (expression == text) found = name;
    }
    return true;
  }

 private:
  const Model& model_;
};

class Extraction {
 public:
  Extraction(clang::ASTContext& context, const Model& model, Suite& suite)
      : context_(context), model_(model), slicer_(context, model), suite_(suite) {}

  void test(clang::CXXMethodDecl* body) {
    const clang::CXXRecordDecl* parent = body->getParent();
    Test test;
    std::string name = parent->getNameAsString();  // Suite_Name_Test
    if (name.size() > 5 && name.substr(name.size() - 5) == "_Test") name.resize(name.size() - 5);
    test.place = place_of(context_.getSourceManager(), body->getLocation());
    test.kind = "TEST";
    for (const std::string& macro : macros_of(context_, body->getLocation())) {
      if (macro == "TEST_F" || macro == "TEST_P" || macro == "TYPED_TEST" || macro == "TYPED_TEST_P" || macro == "TEST")
        test.kind = macro;
    }
    split(name, test);
    const Body* inner = slicer_.body(body);
    if (inner == nullptr) {
      test.notes.push_back("its body could not be analysed");
      add(std::move(test));
      return;
    }
    Frame root;
    root.body = inner;
    threads_ = false;
    assertions(root, root, {}, test, 0);
    if (threads_) test.notes.push_back("it starts threads, or hands functions to others that may");
    if (test.assertions.empty()) test.notes.push_back("it has no assertion");
    add(std::move(test));
  }

  void note_hidden_macros(const std::string& file) { (void)file; }

 private:
  /// "Suite_Name": where one ends is told by the text of the macro; GoogleTest forbids underscores but people use them.
  void split(const std::string& joined, Test& test) {
    const clang::SourceManager& sources = context_.getSourceManager();
    (void)sources;
    const std::size_t mark = joined.find('_');
    test.suite = joined.substr(0, mark);
    test.name = mark == std::string::npos ? "" : joined.substr(mark + 1);
  }

  void add(Test test) {
    for (const Test& known : suite_.tests) {
      if (known.suite == test.suite && known.name == test.name && known.place == test.place) return;  // of a typed test
    }
    suite_.tests.push_back(std::move(test));
  }

  void assertions(const Frame& frame, const Frame& root, std::vector<Place> callers, Test& test, int depth) {
    Finder finder(context_);
    finder.TraverseStmt(frame.body->function()->getBody());
    threads_ = threads_ || finder.threads;
    for (const Written& written : finder.found) assertion(written, frame, callers, test);
    if (depth >= kDeepest) return;
    // Helpers that assert themselves, and functions that are handed to others (threads).
    std::set<const clang::Expr*> callees;
    for (const clang::CFGBlock* block : frame.body->graph()) {
      if (block == nullptr) continue;
      for (const clang::CFGElement& element : *block) {
        const auto statement = element.getAs<clang::CFGStmt>();
        const auto* call = statement ? dyn_cast<clang::CallExpr>(statement->getStmt()) : nullptr;
        if (call != nullptr) callees.insert(uncast(call->getCallee()));
      }
    }
    for (const clang::CFGBlock* block : frame.body->graph()) {
      if (block == nullptr) continue;
      for (const clang::CFGElement& element : *block) {
        const auto statement = element.getAs<clang::CFGStmt>();
        if (const auto* name = statement ? dyn_cast<clang::DeclRefExpr>(statement->getStmt()) : nullptr) {
          const auto* handed = dyn_cast<clang::FunctionDecl>(name->getDecl());
          if (handed == nullptr || callees.count(name) != 0 || !asserting(handed, 0)) continue;
          const Body* inner = slicer_.body(handed);
          if (inner == nullptr || is_open(frame, inner)) continue;
          frames_.push_back(std::make_unique<Frame>(Frame{inner, nullptr, nullptr, frame.depth + 1}));
          threads_ = true;
          assertions(*frames_.back(), *frames_.back(), {}, test, depth + 1);
          continue;
        }
        const auto* call = statement ? dyn_cast<clang::CallExpr>(statement->getStmt()) : nullptr;
        if (call == nullptr || call->getDirectCallee() == nullptr) continue;
        const Body* inner = asserting(call->getDirectCallee(), 0) ? slicer_.body(call->getDirectCallee()) : nullptr;
        if (inner == nullptr || is_open(frame, inner)) continue;
        frames_.push_back(std::make_unique<Frame>(Frame{inner, &frame, call, frame.depth + 1}));
        std::vector<Place> chain = callers;
        chain.push_back(place_of(context_.getSourceManager(), call->getExprLoc()));
        assertions(*frames_.back(), root, chain, test, depth + 1);
      }
    }
  }

  static bool is_open(const Frame& frame, const Body* body) {
    for (const Frame* at = &frame; at != nullptr; at = at->caller) {
      if (at->body == body) return true;
    }
    return false;
  }

  /// Whether a helper, or a helper of it, has assertions.
  bool asserting(const clang::FunctionDecl* function, int depth) {
    const Body* body = slicer_.body(function);
    if (body == nullptr || depth > kDeepest) return false;
    const auto known = asserting_.find(body);
    if (known != asserting_.end()) return known->second;
    asserting_[body] = false;
    Finder finder(context_);
    finder.TraverseStmt(body->function()->getBody());
    bool found = !finder.found.empty();
    for (const clang::CFGBlock* block : body->graph()) {
      if (block == nullptr || found) continue;
      for (const clang::CFGElement& element : *block) {
        const auto statement = element.getAs<clang::CFGStmt>();
        const auto* call = statement ? dyn_cast<clang::CallExpr>(statement->getStmt()) : nullptr;
        if (call != nullptr && call->getDirectCallee() != nullptr && asserting(call->getDirectCallee(), depth + 1))
          found = true;
      }
    }
    asserting_[body] = found;
    return found;
  }

  void assertion(const Written& written, const Frame& frame, const std::vector<Place>& callers, Test& test) {
    Assertion assertion;
    assertion.place = place_of(context_.getSourceManager(), written.location);
    assertion.relation = written.relation;
    assertion.callers = callers;
    assertion.function = frame.body->function()->getNameAsString();
    for (const std::string& macro : macros_of(context_, written.location)) {
      if (is_assertion_macro(macro)) assertion.macro = macro;
    }
    for (const Assertion& known : test.assertions) {
      if (known.place == assertion.place && known.callers == assertion.callers &&
          known.relation == assertion.relation && known.macro == assertion.macro) {
        return;
      }
    }
    if (written.relation == "TRUE" || written.relation == "FALSE") {
      truth(written.operands.front(), frame, assertion);
    } else {
      for (const clang::Expr* operand : written.operands) {
        assertion.operands.push_back(slicer_.slice(operand, frame, frame));
        // The status itself is compared.
        if (status_of(model_, operand->getType()) != nullptr) assertion.operands.back().predicate = "=";
      }
    }
    if (written.matcher != nullptr && !assertion.operands.empty()) {
      const clang::QualType type = written.operands.front()->getType();
      if (status_of(model_, type) != nullptr) assertion.operands.front().predicate = matcher_class(written.matcher);
    }
    test.assertions.push_back(std::move(assertion));
  }

  /// A condition: a class of a status that is asked for, a negation, a comparison.
  void truth(const clang::Expr* condition, const Frame& frame, Assertion& assertion) {
    Slice slice = slicer_.slice(condition, frame, frame);
    const clang::Expr* inner = uncast(condition);
    while (const auto* negation = dyn_cast<clang::UnaryOperator>(inner)) {
      if (negation->getOpcode() != clang::UO_LNot) break;
      slice.negated = !slice.negated;
      inner = uncast(negation->getSubExpr());
    }
    if (const auto* call = dyn_cast<clang::CXXMemberCallExpr>(inner)) {
      const StatusModel* status = status_of(model_, call->getImplicitObjectArgument()->getType());
      if (status != nullptr && call->getMethodDecl() != nullptr) {
        for (const auto& [name, expression] : status->classes) {
          if (expression == call->getMethodDecl()->getNameAsString() + "()") slice.predicate = name;
        }
      }
    }
    const clang::Expr* left = nullptr;
    const clang::Expr* right = nullptr;
    if (const auto* compared = dyn_cast<clang::BinaryOperator>(inner);
        compared != nullptr && compared->getOpcode() == clang::BO_EQ) {
      left = compared->getLHS();
      right = compared->getRHS();
    } else if (const auto* op = dyn_cast<clang::CXXOperatorCallExpr>(inner);
               op != nullptr && op->getOperator() == clang::OO_EqualEqual && op->getNumArgs() == 2) {
      left = op->getArg(0);
      right = op->getArg(1);
    }
    slice.equality = left != nullptr;
    assertion.operands.push_back(std::move(slice));
    if (left != nullptr) {
      assertion.operands.push_back(slicer_.slice(left, frame, frame));
      assertion.operands.push_back(slicer_.slice(right, frame, frame));
    }
  }

  std::string matcher_class(const clang::Expr* formatter) {
    // The formatter is made by MakePredicateFormatterFromMatcher(matcher).
    class FindMatcher : public clang::RecursiveASTVisitor<FindMatcher> {
     public:
      const clang::CXXRecordDecl* record = nullptr;
      bool VisitExpr(clang::Expr* expression) {
        const auto* found = expression->getType()->getAsCXXRecordDecl();
        if (found != nullptr && record == nullptr && found->getNameAsString().find("Matcher") != std::string::npos &&
            found->getNameAsString().find("PredicateFormatter") == std::string::npos) {
          record = found;
        }
        return true;
      }
    } find;
    find.TraverseStmt(const_cast<clang::Expr*>(formatter));
    if (find.record == nullptr) return {};
    MatcherCalls calls(model_);
    calls.TraverseDecl(const_cast<clang::CXXRecordDecl*>(find.record));
    return calls.found;
  }

  clang::ASTContext& context_;
  const Model& model_;
  Slicer slicer_;
  Suite& suite_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::map<const Body*, bool> asserting_;
  bool threads_ = false;
};

class TestFinder : public clang::RecursiveASTVisitor<TestFinder> {
 public:
  explicit TestFinder(clang::ASTContext& context) : context_(context) {}
  std::vector<clang::CXXMethodDecl*> bodies;
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitCXXMethodDecl(clang::CXXMethodDecl* method) {
    if (method->getDeclName().isIdentifier() && method->getName() == "TestBody" &&
        method->doesThisDeclarationHaveABody() && !method->isDependentContext() &&
        !foreign(context_.getSourceManager(), method->getLocation())) {
      bodies.push_back(method);
    }
    return true;
  }

 private:
  clang::ASTContext& context_;
};

}  // namespace

Suite extract(const Model& model, const clang::tooling::CompilationDatabase& database,
              const std::vector<std::string>& files) {
  const auto begin = std::chrono::steady_clock::now();
  Suite suite;
  suite.stamp = model.schema.stamp;
  visit_sources(
      database, files,
      [&](clang::ASTContext& context, clang::CompilerInstance&) {
        TestFinder finder(context);
        finder.TraverseDecl(context.getTranslationUnitDecl());
        Extraction extraction(context, model, suite);
        const clang::SourceManager& sources = context.getSourceManager();
        if (finder.bodies.empty()) {
          suite.troubles.push_back(
              {sources.getFileEntryRefForID(sources.getMainFileID())->getName().str(), "has no test"});
        }
        for (clang::CXXMethodDecl* body : finder.bodies) extraction.test(body);
      },
      suite.troubles);
  suite.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return suite;
}

}  // namespace tenet::from_tests
