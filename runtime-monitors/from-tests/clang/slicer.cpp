#include "slicer.h"

#include <algorithm>

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "expressions.h"
#include "llvm/ADT/SmallString.h"
#include "names.h"

namespace tenet::from_tests {
namespace {

constexpr int kDeepest = 6;  // helpers that call helpers

using llvm::dyn_cast;
using llvm::isa;

/// The variable (or field of this) that an lvalue is, or is a part of.
const clang::ValueDecl* root(const clang::Expr* expression) {
  for (expression = plain(expression); expression != nullptr; expression = plain(expression)) {
    if (const auto* name = dyn_cast<clang::DeclRefExpr>(expression)) return name->getDecl();
    if (const auto* member = dyn_cast<clang::MemberExpr>(expression)) {
      const clang::Expr* base = plain(member->getBase());
      if (isa<clang::CXXThisExpr>(base)) return member->getMemberDecl();
      expression = base;
    } else if (const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(expression)) {
      expression = subscript->getBase();
    } else if (const auto* star = dyn_cast<clang::UnaryOperator>(expression);
               star != nullptr && (star->getOpcode() == clang::UO_Deref || star->getOpcode() == clang::UO_AddrOf)) {
      expression = star->getSubExpr();
    } else if (const auto* index = dyn_cast<clang::CXXOperatorCallExpr>(expression);
               index != nullptr && index->getNumArgs() > 0 &&
               (index->getOperator() == clang::OO_Subscript || index->getOperator() == clang::OO_Star ||
                index->getOperator() == clang::OO_Arrow)) {
      expression = index->getArg(0);
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

bool takes_writable(const clang::FunctionDecl* callee, unsigned parameter) {
  if (parameter >= callee->getNumParams()) return false;
  const clang::QualType type = callee->getParamDecl(parameter)->getType();
  if (type->isLValueReferenceType()) return !type->getPointeeType().isConstQualified();
  return type->isPointerType() && !type->getPointeeType().isConstQualified();
}

const clang::FunctionDecl* callee_of(const clang::Expr* expression) {
  if (const auto* call = dyn_cast<clang::CallExpr>(expression)) return call->getDirectCallee();
  if (const auto* construct = dyn_cast<clang::CXXConstructExpr>(expression)) return construct->getConstructor();
  return nullptr;
}

/// Arguments as the parameters number them: the object of an operator that is a member is none.
std::vector<const clang::Expr*> arguments_of(const clang::Expr* expression) {
  std::vector<const clang::Expr*> all;
  if (const auto* call = dyn_cast<clang::CallExpr>(expression)) {
    const bool member = isa<clang::CXXOperatorCallExpr>(call) && call->getDirectCallee() != nullptr &&
                        isa<clang::CXXMethodDecl>(call->getDirectCallee());
    for (unsigned i = member ? 1 : 0; i < call->getNumArgs(); ++i) all.push_back(call->getArg(i));
  } else if (const auto* construct = dyn_cast<clang::CXXConstructExpr>(expression)) {
    for (const clang::Expr* argument : construct->arguments()) all.push_back(argument);
  }
  return all;
}

}  // namespace

Body::Body(clang::ASTContext& context, const clang::FunctionDecl* function) : function_(function) {
  clang::CFG::BuildOptions options;
  options.setAllAlwaysAdd();
  options.AddInitializers = false;
  graph_ = clang::CFG::buildCFG(function, function->getBody(), &context, options);
  parents_ = std::make_unique<clang::ParentMap>(function->getBody());
  if (graph_ == nullptr) return;
  for (const clang::CFGBlock* block : *graph_) {
    if (block == nullptr) continue;
    for (std::size_t i = 0; i < block->size(); ++i) {
      const auto statement = (*block)[static_cast<unsigned>(i)].getAs<clang::CFGStmt>();
      if (statement) places_.try_emplace(statement->getStmt(), Position{block, i});
    }
  }
}

Body::Position Body::find(const clang::Stmt* statement) const {
  for (; statement != nullptr; statement = parents_->getParent(statement)) {
    const auto place = places_.find(statement);
    if (place != places_.end()) return place->second;
  }
  return {};
}

bool Body::in_loop(const clang::Stmt* statement) const {
  for (; statement != nullptr; statement = parents_->getParent(statement)) {
    if (isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(statement)) return true;
  }
  return false;
}

struct Slicer::Work {
  Slice& slice;
  const Frame& root;
  std::set<std::pair<const void*, const Frame*>> seen;
  std::map<std::pair<const clang::Expr*, const Frame*>, const Frame*> called;
};

const Body* Slicer::body(const clang::FunctionDecl* function) {
  const clang::FunctionDecl* definition = nullptr;
  if (function == nullptr || !function->hasBody(definition) || definition == nullptr) return nullptr;
  if (definition->isDependentContext()) return nullptr;
  if (foreign(context_.getSourceManager(), definition->getLocation())) return nullptr;
  auto& known = bodies_[definition];
  if (known == nullptr) known = std::make_unique<Body>(context_, definition);
  return known->valid() ? known.get() : nullptr;
}

Slice Slicer::slice(const clang::Expr* expression, const Frame& frame, const Frame& root_frame) {
  Slice slice;
  slice.text = text_of(context_, expression->getSourceRange());
  Work work{slice, root_frame, {}, {}};
  value(expression, frame, work);
  std::sort(slice.literals.begin(), slice.literals.end());
  slice.literals.erase(std::unique(slice.literals.begin(), slice.literals.end()), slice.literals.end());
  return slice;
}

void Slicer::hidden(const std::string& what, Work& work) {
  auto& all = work.slice.opaque;
  if (std::find(all.begin(), all.end(), what) == all.end()) all.push_back(what);
}

void Slicer::site(const Method& method, const clang::Expr* call, const Frame& frame, Work& work) {
  Site found;
  found.op = method.ignored ? method.name : method.batch.empty() ? model_.schema.ops[method.op].name : method.name;
  found.ignored = method.ignored || !method.batch.empty();
  const clang::SourceManager& sources = context_.getSourceManager();
  found.chain.push_back(place_of(sources, call->getExprLoc()));
  found.repeated = &frame != &work.root && frame.body->in_loop(call);
  for (const Frame* at = &frame; at != &work.root && at->caller != nullptr; at = at->caller) {
    found.chain.insert(found.chain.begin(), place_of(sources, at->call->getExprLoc()));
    if (at->caller != &work.root && at->caller->body->in_loop(at->call)) found.repeated = true;
  }
  for (const Site& known : work.slice.sites) {
    if (known.op == found.op && known.chain == found.chain) return;
  }
  work.slice.sites.push_back(std::move(found));
}

void Slicer::value(const clang::Expr* expression, const Frame& frame, Work& work) {
  expression = plain(expression);
  if (expression == nullptr || !work.seen.insert({expression, &frame}).second) return;
  if (const auto* text = dyn_cast<clang::StringLiteral>(expression)) {
    if (text->getCharByteWidth() == 1) work.slice.literals.push_back(text->getString().str());
    return;
  }
  if (const auto* number = dyn_cast<clang::IntegerLiteral>(expression)) {
    llvm::SmallString<24> digits;
    number->getValue().toString(digits, 10, true);
    work.slice.literals.push_back(digits.str().str());
    return;
  }
  if (const auto* character = dyn_cast<clang::CharacterLiteral>(expression)) {
    work.slice.literals.push_back(std::string(1, static_cast<char>(character->getValue())));
    return;
  }
  if (const auto* truth = dyn_cast<clang::CXXBoolLiteralExpr>(expression)) {
    work.slice.literals.push_back(truth->getValue() ? "1" : "0");
    return;
  }
  if (const auto* name = dyn_cast<clang::DeclRefExpr>(expression)) {
    variable(name->getDecl(), name, frame, work);
    return;
  }
  if (const auto* member = dyn_cast<clang::MemberExpr>(expression)) {
    if (isa<clang::CXXThisExpr>(plain(member->getBase()))) {
      variable(member->getMemberDecl(), member, frame, work);
    } else {
      value(member->getBase(), frame, work);
    }
    return;
  }
  if (isa<clang::CallExpr>(expression) || isa<clang::CXXConstructExpr>(expression)) {
    call_value(expression, callee_of(expression), frame, work);
    return;
  }
  // Everything else is made of its parts: operators, conditionals, casts, initialiser lists.
  for (const clang::Stmt* child : expression->children()) {
    if (const auto* part = dyn_cast_or_null<clang::Expr>(child)) value(part, frame, work);
  }
}

void Slicer::call_value(const clang::Expr* call, const clang::FunctionDecl* callee, const Frame& frame, Work& work) {
  if (const Method* method = method_of(model_, callee)) {
    site(*method, call, frame, work);
    return;
  }
  if (callee != nullptr && !isa<clang::CXXConstructorDecl>(callee)) {
    results(callee, call, frame, work);
  }
  // A value depends on what it is made from, whatever the callee does with it.
  const bool summarised = body(callee) != nullptr && !isa<clang::CXXConstructorDecl>(callee);
  if (const auto* member = dyn_cast<clang::CXXMemberCallExpr>(call)) {
    const clang::Expr* object = plain(member->getImplicitObjectArgument());
    if (!summarised && object != nullptr && !isa<clang::CXXThisExpr>(object)) value(object, frame, work);
  } else if (const auto* op = dyn_cast<clang::CXXOperatorCallExpr>(call);
             op != nullptr && callee != nullptr && isa<clang::CXXMethodDecl>(callee) && !summarised) {
    value(op->getArg(0), frame, work);
  }
  if (!summarised) {
    for (const clang::Expr* argument : arguments_of(call)) value(argument, frame, work);
  }
  if (callee == nullptr) {
    hidden("a call through a pointer", work);
  } else if (!summarised && !foreign(context_.getSourceManager(), callee->getLocation()) &&
             !isa<clang::CXXConstructorDecl>(callee)) {
    hidden(callee->getQualifiedNameAsString(), work);
  }
}

/// What a function with a known body returns.
void Slicer::results(const clang::FunctionDecl* callee, const clang::Expr* call, const Frame& frame, Work& work) {
  const Body* inner = body(callee);
  if (inner == nullptr) return;
  if (frame.depth >= kDeepest) {
    hidden("helpers that are nested too deeply", work);
    return;
  }
  for (const Frame* at = &frame; at != nullptr; at = at->caller) {
    if (at->body == inner) {
      hidden("a helper that calls itself", work);
      return;
    }
  }
  auto& next = work.called[{call, &frame}];
  if (next == nullptr) {
    frames_.push_back(std::make_unique<Frame>(Frame{inner, &frame, call, frame.depth + 1}));
    next = frames_.back().get();
  }
  const Frame& called = *next;
  for (const clang::CFGBlock* block : inner->graph()) {
    if (block == nullptr) continue;
    for (const clang::CFGElement& element : *block) {
      const auto statement = element.getAs<clang::CFGStmt>();
      if (!statement) continue;
      const auto* back = dyn_cast<clang::ReturnStmt>(statement->getStmt());
      if (back == nullptr || back->getRetValue() == nullptr) continue;
      value(back->getRetValue(), called, work);
      conditions(back, nullptr, called, work);
    }
  }
}

/// What decides whether a statement is reached, unless its use is decided by the same.
void Slicer::conditions(const clang::Stmt* statement, const clang::Stmt* use, const Frame& frame, Work& work) {
  std::set<const clang::Stmt*> shared;
  for (const clang::Stmt* at = use; at != nullptr; at = frame.body->parents().getParent(at)) shared.insert(at);
  for (const clang::Stmt* at = statement; at != nullptr; at = frame.body->parents().getParent(at)) {
    if (shared.count(at) != 0) break;
    if (const auto* branch = dyn_cast<clang::IfStmt>(at)) {
      value(branch->getCond(), frame, work);
    } else if (const auto* loop = dyn_cast<clang::WhileStmt>(at)) {
      value(loop->getCond(), frame, work);
    } else if (const auto* counted = dyn_cast<clang::ForStmt>(at);
               counted != nullptr && counted->getCond() != nullptr) {
      value(counted->getCond(), frame, work);
    } else if (const auto* later = dyn_cast<clang::DoStmt>(at)) {
      value(later->getCond(), frame, work);
    } else if (const auto* choice = dyn_cast<clang::SwitchStmt>(at);
               choice != nullptr && !at->getBeginLoc().isMacroID()) {
      value(choice->getCond(), frame, work);
    }
  }
}

/// Whether a statement gives a variable a new value; what that value depends on goes into the slice.
/// True: the old value is gone.
bool Slicer::defines(const clang::Stmt* statement, const clang::ValueDecl* wanted, const Frame& frame, Work& work) {
  if (const auto* declared = dyn_cast<clang::DeclStmt>(statement)) {
    for (const clang::Decl* one : declared->decls()) {
      if (one != wanted) continue;
      const auto* variable = llvm::cast<clang::VarDecl>(one);
      if (variable->getInit() != nullptr) value(variable->getInit(), frame, work);
      return true;
    }
    return false;
  }
  if (const auto* assigned = dyn_cast<clang::BinaryOperator>(statement)) {
    if (!assigned->isAssignmentOp() || root(assigned->getLHS()) != wanted) return false;
    value(assigned->getRHS(), frame, work);
    return assigned->getOpcode() == clang::BO_Assign && isa<clang::DeclRefExpr>(plain(assigned->getLHS()));
  }
  const auto* call = dyn_cast<clang::Expr>(statement);
  if (call == nullptr || !isa<clang::CallExpr, clang::CXXConstructExpr>(call)) return false;
  const clang::FunctionDecl* callee = callee_of(call);
  if (callee == nullptr) return false;
  const std::vector<const clang::Expr*> arguments = arguments_of(call);
  // As the object of a call that may change it.
  const auto* member = dyn_cast<clang::CXXMethodDecl>(callee);
  const clang::Expr* object = nullptr;
  if (const auto* method_call = dyn_cast<clang::CXXMemberCallExpr>(call))
    object = method_call->getImplicitObjectArgument();
  if (const auto* op = dyn_cast<clang::CXXOperatorCallExpr>(call); op != nullptr && member != nullptr)
    object = op->getArg(0);
  if (object != nullptr && member != nullptr && !member->isConst() && root(object) == wanted &&
      method_of(model_, callee) == nullptr) {
    const bool is_pointer = wanted->getType()->isPointerType();
    const auto* op = dyn_cast<clang::CXXOperatorCallExpr>(call);
    if (op != nullptr && (op->getOperator() == clang::OO_Equal)) {
      for (const clang::Expr* argument : arguments) value(argument, frame, work);
      return isa<clang::DeclRefExpr>(plain(object));
    }
    const bool reads_only =
        op != nullptr && (op->getOperator() == clang::OO_Subscript || op->getOperator() == clang::OO_Star ||
                          op->getOperator() == clang::OO_Arrow);
    if (!is_pointer && !reads_only) {
      for (const clang::Expr* argument : arguments) value(argument, frame, work);
    }
    return false;
  }
  // As an argument that the callee may write.
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto number = static_cast<unsigned>(i);
    if (!takes_writable(callee, number) || root(arguments[i]) != wanted) continue;
    const bool by_address = isa<clang::UnaryOperator>(plain(arguments[i])) ||
                            callee->getParamDecl(number)->getType()->isReferenceType() ||
                            wanted->getType()->isPointerType() || wanted->getType()->isArrayType();
    if (!by_address) continue;
    if (const Method* method = method_of(model_, callee)) {
      site(*method, call, frame, work);
      return true;
    }
    if (body(callee) != nullptr) {
      writes(callee, number, call, frame, work);
    } else {
      for (std::size_t other = 0; other < arguments.size(); ++other) {
        if (other != i) value(arguments[other], frame, work);
      }
      if (!foreign(context_.getSourceManager(), callee->getLocation()))
        hidden(callee->getQualifiedNameAsString(), work);
    }
    return false;
  }
  return false;
}

/// What a helper writes through a parameter.
void Slicer::writes(const clang::FunctionDecl* callee, unsigned parameter, const clang::Expr* call, const Frame& frame,
                    Work& work) {
  const Body* inner = body(callee);
  if (frame.depth >= kDeepest) {
    hidden("helpers that are nested too deeply", work);
    return;
  }
  for (const Frame* at = &frame; at != nullptr; at = at->caller) {
    if (at->body == inner) return;
  }
  auto& next = work.called[{call, &frame}];
  if (next == nullptr) {
    frames_.push_back(std::make_unique<Frame>(Frame{inner, &frame, call, frame.depth + 1}));
    next = frames_.back().get();
  }
  const clang::ValueDecl* written = inner->function()->getParamDecl(parameter);
  if (!work.seen.insert({written, next}).second) return;
  for (const clang::CFGBlock* block : inner->graph()) {
    if (block == nullptr) continue;
    for (const clang::CFGElement& element : *block) {
      const auto statement = element.getAs<clang::CFGStmt>();
      if (!statement) continue;
      const std::size_t before = work.slice.sites.size() + work.slice.literals.size();
      (void)defines(statement->getStmt(), written, *next, work);
      if (work.slice.sites.size() + work.slice.literals.size() != before)
        conditions(statement->getStmt(), nullptr, *next, work);
    }
  }
}

/// The definitions of a variable that reach its use: backwards over the graph.
void Slicer::variable(const clang::ValueDecl* wanted, const clang::Stmt* use, const Frame& frame, Work& work) {
  if (isa<clang::EnumConstantDecl>(wanted)) {
    llvm::SmallString<24> digits;
    llvm::cast<clang::EnumConstantDecl>(wanted)->getInitVal().toString(digits, 10);
    work.slice.literals.push_back(digits.str().str());
    return;
  }
  if (isa<clang::FunctionDecl>(wanted)) return;
  // A variable of an enclosing function, in a lambda.
  const auto* owner = dyn_cast<clang::FunctionDecl>(wanted->getDeclContext());
  if (owner != nullptr && owner->getCanonicalDecl() != frame.body->function()->getCanonicalDecl()) {
    for (const Frame* at = frame.caller; at != nullptr; at = at->caller) {
      if (owner->getCanonicalDecl() == at->body->function()->getCanonicalDecl()) {
        const Frame* inner = &frame;
        while (inner->caller != at) inner = inner->caller;
        variable(wanted, inner->call, *at, work);
        return;
      }
    }
    hidden("a variable of another function: " + wanted->getNameAsString(), work);
    return;
  }
  if (const auto* global = dyn_cast<clang::VarDecl>(wanted);
      global != nullptr && global->hasGlobalStorage() && owner == nullptr) {
    const clang::VarDecl* definition = global->getDefinition();
    if (global->getType().isConstQualified() && definition != nullptr && definition->getInit() != nullptr) {
      value(definition->getInit(), frame, work);
    } else {
      hidden("the global " + wanted->getNameAsString(), work);
    }
    return;
  }
  const Body::Position at = frame.body->find(use);
  if (at.block == nullptr) return;
  std::set<const clang::CFGBlock*> visited;
  std::vector<std::pair<const clang::CFGBlock*, std::size_t>> open{{at.block, at.index}};
  bool entry = false;
  while (!open.empty()) {
    const auto [block, end] = open.back();
    open.pop_back();
    bool gone = false;
    for (std::size_t i = end; i-- > 0 && !gone;) {
      const auto statement = (*block)[static_cast<unsigned>(i)].getAs<clang::CFGStmt>();
      if (!statement || statement->getStmt() == use) continue;
      const std::size_t before = work.slice.sites.size() + work.slice.literals.size();
      gone = defines(statement->getStmt(), wanted, frame, work);
      if (gone || work.slice.sites.size() + work.slice.literals.size() != before) {
        conditions(statement->getStmt(), use, frame, work);
      }
    }
    if (gone) continue;
    if (block == &frame.body->graph().getEntry()) entry = true;
    for (const clang::CFGBlock* before : block->preds()) {
      if (before != nullptr && visited.insert(before).second) open.emplace_back(before, before->size());
    }
  }
  if (!entry) return;
  const auto* parameter = dyn_cast<clang::ParmVarDecl>(wanted);
  if (parameter != nullptr && frame.caller != nullptr) {
    const std::vector<const clang::Expr*> arguments = arguments_of(frame.call);
    const unsigned number = parameter->getFunctionScopeIndex();
    if (number < arguments.size()) value(arguments[number], *frame.caller, work);
  } else if (isa<clang::FieldDecl>(wanted) && frame.caller != nullptr) {
    // A field of the fixture: as its caller left it.
    variable(wanted, frame.call, *frame.caller, work);
  }
}

}  // namespace tenet::from_tests
