#include "hooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>

#include "clang/AST/Mangle.h"
#include "clang/AST/QualTypeNames.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "names.h"
#include "sources.h"
#include "tenet/base/diagnostic.h"

namespace tenet::from_tests {
namespace {

using derived::OpKind;

/// Classes by qualified name, and functions by that of their namespace.
class Declarations : public clang::RecursiveASTVisitor<Declarations> {
 public:
  std::map<std::string, const clang::CXXRecordDecl*> classes;
  std::map<std::string, std::vector<const clang::FunctionDecl*>> functions;
  bool VisitCXXRecordDecl(clang::CXXRecordDecl* record) {
    if (record->isThisDeclarationADefinition() && !record->isDependentContext()) {
      classes.emplace(record->getQualifiedNameAsString(), record);
    }
    return true;
  }
  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    const auto* scope = llvm::dyn_cast<clang::NamespaceDecl>(function->getDeclContext());
    if (scope != nullptr && !function->isDependentContext())
      functions[scope->getQualifiedNameAsString()].push_back(function);
    return true;
  }
};

/// Every virtual method that a class has, its own and inherited, each once.
void virtual_methods(const clang::CXXRecordDecl* record, std::vector<const clang::CXXMethodDecl*>& all) {
  for (const clang::CXXMethodDecl* method : record->methods()) {
    if (!method->isVirtual() || llvm::isa<clang::CXXDestructorDecl>(method)) continue;
    bool known = false;
    for (const clang::CXXMethodDecl* other : all) {
      for (const clang::CXXMethodDecl* overridden : other->overridden_methods()) known = known || overridden == method;
    }
    if (!known) all.push_back(method);
  }
  for (const clang::CXXBaseSpecifier& base : record->bases()) {
    if (const auto* parent = base.getType()->getAsCXXRecordDecl()) virtual_methods(parent, all);
  }
}

std::string identifier(const std::string& text) {
  std::string out;
  for (const char c : text) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return out;
}

std::string simple_name(const std::string& qualified) {
  const auto colon = qualified.rfind(':');
  return colon == std::string::npos ? qualified : qualified.substr(colon + 1);
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

/// `condition ? value` tells the value only if the condition holds.
std::pair<std::string, std::string> conditional(const std::string& expression) {
  const auto mark = expression.find('?');
  if (mark == std::string::npos || expression.find(':', mark) != std::string::npos) {
    // `::` is no colon of a conditional.
    std::string rest = mark == std::string::npos ? std::string() : replaced(expression.substr(mark), "::", "");
    if (mark == std::string::npos || rest.find(':') != std::string::npos) return {"", expression};
  }
  return {expression.substr(0, mark), expression.substr(mark + 1)};
}

class Generator {
 public:
  Generator(const Model& model, clang::ASTContext& context)
      : model_(model), context_(context), policy_(context.getLangOpts()) {
    policy_.SuppressTagKeyword = true;
    policy_.Bool = true;
    declarations_.TraverseDecl(context.getTranslationUnitDecl());
  }

  std::string error;
  Hooks result;

  void run() {
    std::string hooks, late, decorators, factories;
    for (const ClassModel& owner : model_.classes) {
      const auto record = declarations_.classes.find(owner.name);
      const auto functions = declarations_.functions.find(owner.name);
      if (record == declarations_.classes.end() && functions == declarations_.functions.end()) {
        fail(owner.methods.front().line, fmt::format("the headers have no class {}", owner.name));
        return;
      }
      std::map<const clang::FunctionDecl*, const Method*> known;
      std::vector<std::pair<const Method*, const clang::FunctionDecl*>> in_order;
      for (const Method& method : owner.methods) {
        const clang::FunctionDecl* function = find(owner, method);
        if (function == nullptr) return;
        known[function] = &method;
        in_order.emplace_back(&method, function);
        if (method.ignored) continue;
        hooks += hook(owner, method, function);
        if (method.kind == OpKind::cursor) late += cursor_return(owner, method, function);
        if (!error.empty()) return;
      }
      if (record != declarations_.classes.end() && record->second->isPolymorphic()) {
        decorators += decorator(owner, record->second, known);
      }
      // What is no method of an object can only be told by wrapping it at link time.
      for (const auto& [method, function] : in_order) {
        const bool of_object = record != declarations_.classes.end() && !method->is_static;
        if (!of_object && !method->ignored) factories += factory(owner, *method, function);
      }
    }
    const std::string space = "tenet_" + identifier(model_.system);
    std::string out = fmt::format(
        "// Generated by `tenet derive attach` from {}: what {} tells its checkers. Do not edit.\n#pragma once\n\n",
        std::filesystem::path(model_.path).filename().string(), model_.system);
    for (const std::string& include : model_.includes) out += fmt::format("#include \"{}\"\n", include);
    out += "#include \"tenet/derived/hook.h\"\n\nnamespace " + space + " {\n\n";
    out += outcomes();
    out += forward_;
    out += hooks + decorators + late;
    out += "}  // namespace " + space + "\n";
    result.header = out;
    if (!factories.empty()) {
      result.factories =
          fmt::format(
              "// Generated by `tenet derive attach` from {}: factories whose objects are watched. Link with\n// "
              "{}\n#include \"{}.h\"\n\n",
              std::filesystem::path(model_.path).filename().string(), fmt::join(result.link_options, " "), space) +
          factories;
    }
  }

 private:
  void fail(int line, const std::string& what) {
    if (error.empty()) error = fmt::format("{}:{}: {}", model_.path, line, what);
  }

  std::string type(clang::QualType qualified) const {
    return clang::TypeName::getFullyQualifiedName(qualified, context_, policy_);
  }

  const clang::FunctionDecl* find(const ClassModel& owner, const Method& method) {
    std::vector<std::string> names;
    std::vector<const clang::FunctionDecl*> all;
    if (const auto record = declarations_.classes.find(owner.name); record != declarations_.classes.end()) {
      for (const clang::CXXMethodDecl* candidate : record->second->methods()) {
        if (!candidate->isImplicit() || llvm::isa<clang::CXXDestructorDecl>(candidate)) all.push_back(candidate);
      }
    } else {
      for (const clang::FunctionDecl* candidate : declarations_.functions[owner.name]) all.push_back(candidate);
    }
    const clang::FunctionDecl* by_name = nullptr;
    for (const clang::FunctionDecl* candidate : all) {
      const bool constructor = llvm::isa<clang::CXXConstructorDecl>(candidate);
      const bool destructor = llvm::isa<clang::CXXDestructorDecl>(candidate);
      const std::string name = constructor ? "" : destructor ? "~" : candidate->getDeclName().getAsString();
      names.push_back(name);
      if (name != method.name) continue;
      by_name = candidate;
      if (candidate->getNumParams() != method.parameters.size()) continue;
      const auto* member = llvm::dyn_cast<clang::CXXMethodDecl>(candidate);
      if (member != nullptr && !constructor && !destructor && member->isStatic() != method.is_static) continue;
      return candidate;
    }
    if (method.name == "~" || method.name.empty()) {
      fail(method.line,
           fmt::format("{} declares no such {}", owner.name, method.name.empty() ? "constructor" : "destructor"));
    } else if (by_name != nullptr) {
      fail(method.line,
           fmt::format("{}::{} has {} parameters, and {} static", owner.name, method.name, by_name->getNumParams(),
                       llvm::isa<clang::CXXMethodDecl>(by_name) && llvm::cast<clang::CXXMethodDecl>(by_name)->isStatic()
                           ? "is"
                           : "is not"));
    } else {
      const std::string guess = did_you_mean(method.name, names);
      fail(method.line, fmt::format("{} has no method {}{}", owner.name, method.name,
                                    guess.empty() ? "" : fmt::format("; did you mean {}", guess)));
    }
    return nullptr;
  }

  /// Functions from a status to its class, and to what it says of the effect.
  std::string outcomes() const {
    std::string out;
    for (const StatusModel& status : model_.statuses) {
      out += fmt::format("inline ::std::uint8_t outcome_of(const {}& status) {{\n", status.type);
      for (const auto& [name, expression] : status.classes) {
        const std::string test =
            expression.find('$') == std::string::npos ? "status." + expression : replaced(expression, "$", "status");
        out += fmt::format("  if ({}) return {};  // {}\n", test, model_.outcome(name), name);
      }
      out += fmt::format("  return {};  // error\n}}\n", model_.schema.outcomes.size() - 1);
    }
    std::string refused;
    std::set<std::string> names;
    for (const StatusModel& status : model_.statuses) names.insert(status.refused.begin(), status.refused.end());
    for (const std::string& name : names)
      refused +=
          fmt::format("  if (outcome == {}) return ::tenet::derived::kNoEffect;  // {}\n", model_.outcome(name), name);
    out += fmt::format(
        "inline ::tenet::derived::Effect effect_of(::std::uint8_t outcome) {{\n{}  return outcome == 0 ? "
        "::tenet::derived::kApplied : ::tenet::derived::kPerhapsApplied;\n}}\n\n",
        refused);
    return out;
  }

  struct Shape {
    std::string name;         // of the hook class
    bool has_object = false;  // the expressions may say `self`
    std::string object;       // its type
    std::string returned;     // type, or "void"
    std::vector<std::string> types;
  };

  Shape shape(const ClassModel& owner, const Method& method, const clang::FunctionDecl* function) {
    Shape s;
    s.name = hook_name(model_, owner, method);
    const auto* member = llvm::dyn_cast<clang::CXXMethodDecl>(function);
    s.has_object = member != nullptr && !member->isStatic();
    if (s.has_object) s.object = (member->isConst() ? "const ::" : "::") + owner.name;
    const bool special =
        llvm::isa<clang::CXXConstructorDecl>(function) || llvm::isa<clang::CXXDestructorDecl>(function);
    s.returned = special ? "void" : type(function->getReturnType());
    for (const clang::ParmVarDecl* parameter : function->parameters()) {
      const clang::QualType declared = parameter->getType();
      const bool as_it_is = declared->isReferenceType() || declared->isPointerType() || declared->isScalarType();
      s.types.push_back(as_it_is ? type(declared) : "const " + type(declared.getUnqualifiedType()) + "&");
    }
    return s;
  }

  std::string tell(const char* verb, const std::string& role, const std::string& expression,
                   const std::string& result_name) {
    const int number = model_.role(role);
    const bool keep = role == "key";
    auto [condition, value] = conditional(expression);
    const std::string test = condition.empty() ? "" : fmt::format("if ({}) ", replaced(condition, "$", result_name));
    return fmt::format("      {}call_.{}({}, {}{});\n", test, verb, number, replaced(value, "$", result_name),
                       keep ? ", true" : "");
  }

  std::string hook(const ClassModel& owner, const Method& method, const clang::FunctionDecl* function) {
    const Shape s = shape(owner, method, function);
    const bool is_cursor_op = method.kind == OpKind::position || method.kind == OpKind::observe ||
                              (method.kind == OpKind::release && method.name == "~");
    std::string op = fmt::format("{}", method.op);
    if (method.kind == OpKind::observe) op += " | ::tenet::derived::kOnlyRecorded";
    if (!method.batch.empty()) op = "::tenet::derived::kNoOperation";

    std::string arguments, initialisers, members;
    const bool of_cursor = is_cursor_class(owner);
    if (of_cursor) arguments += ", const void* object";
    if (s.has_object) {
      arguments += fmt::format(", {}& self_", s.object);
      initialisers += ", self(self_)";
      members += fmt::format("  {}& self;\n", s.object);
    }
    for (std::size_t i = 0; i < s.types.size(); ++i) {
      std::string name = method.parameters[i];
      if (name.empty() || name == "_") name = fmt::format("unused_{}", i);
      arguments += fmt::format(", {} {}_", s.types[i], name);
      initialisers += fmt::format(", {}({}_)", name, name);
      members += fmt::format("  {} {};\n", s.types[i], name);
    }
    std::string before;
    if (is_cursor_op)
      before +=
          fmt::format("      call_.in({}, static_cast<const void*>(&self));\n", static_cast<int>(derived::kCursor));
    for (const auto& [role, expression] : method.in) before += tell("in", role, expression, "");
    for (const auto& [role, expression] : method.when) before += tell("in", role, expression, "");

    std::string after;
    for (const auto& [role, expression] : method.out) {
      if (role == "status") {
        after += fmt::format(
            "      const ::std::uint8_t tenet_outcome = outcome_of({});\n      call_.outcome(tenet_outcome, "
            "effect_of(tenet_outcome));\n",
            replaced(expression, "$", "tenet_result"));
      }
    }
    if (!method.applied.empty()) {
      after += fmt::format("      call_.effect(({}) ? ::tenet::derived::kApplied : ::tenet::derived::kNoEffect);\n",
                           replaced(method.applied, "$", "tenet_result"));
    }
    std::string outs;
    for (const auto& [role, expression] : method.out) {
      if (role != "status") outs += tell("out", role, expression, "tenet_result");
    }
    const bool has_status =
        std::any_of(method.out.begin(), method.out.end(), [](const auto& r) { return r.first == "status"; });
    if (!outs.empty()) after += has_status ? "      if (tenet_outcome == 0) {\n" + outs + "      }\n" : outs;
    if (!method.object.empty()) {
      const std::string object = replaced(method.object, "$", "tenet_result");
      after += fmt::format("      {}call_.object(::tenet::derived::address_of({}));\n",
                           has_status ? "if (tenet_outcome == 0) " : "", object);
    }
    if (!method.batch.empty()) after += batch_entries(method, s);

    std::string text = fmt::format("/// {}::{}\nclass {} {{\n public:\n", owner.name,
                                   method.name.empty() ? "(constructor)" : method.name, s.name);
    const std::string object = of_cursor ? "object" : s.has_object ? "static_cast<const void*>(&self_)" : "nullptr";
    text += fmt::format("  explicit {}({}) noexcept : call_({}, {}){} {{\n", s.name,
                        arguments.empty() ? arguments : arguments.substr(2), op, object, initialisers);
    if (s.returned != "void" && (has_status || !method.applied.empty())) {
      // Until it has returned: an exception may leave it half done.
      before = fmt::format("      call_.outcome({}, ::tenet::derived::kPerhapsApplied);\n",
                           model_.schema.outcomes.size() - 1) +
               before;
    }
    text += before.empty() ? "" : "    if (call_.on()) {\n" + before + "    }\n";
    text += "  }\n";
    if (s.returned == "void") {
      text += fmt::format("  ~{}() {{\n    if (call_.on()) {{\n{}    }}\n  }}\n", s.name, after);
    } else if (method.kind == OpKind::cursor) {
      text += fmt::format("  inline {0} returned({0} tenet_result) noexcept;\n", s.returned);
    } else {
      text +=
          fmt::format("  {0} returned({0} tenet_result) {{\n    if (call_.on()) {{\n{1}    }}\n    return {2};\n  }}\n",
                      s.returned, after,
                      movable(function->getReturnType()) ? fmt::format("static_cast<{}&&>(tenet_result)", s.returned)
                                                         : "tenet_result");
    }
    text += fmt::format(
        "  {0}(const {0}&) = delete;\n  {0}& operator=(const {0}&) = delete;\n\n protected:\n  ::tenet::derived::Call "
        "call_;\n",
        s.name);
    text += members + "};\n\n";
    return text;
  }

  static bool is_cursor_class(const ClassModel& owner) {
    return std::any_of(owner.methods.begin(), owner.methods.end(),
                       [](const Method& m) { return m.kind == OpKind::position; });
  }
  static bool movable(clang::QualType returned) { return returned->isRecordType(); }

  /// A cursor is returned in its decorator.
  std::string cursor_return(const ClassModel& owner, const Method& method, const clang::FunctionDecl* function) {
    const Shape s = shape(owner, method, function);
    const clang::QualType pointee = function->getReturnType()->getPointeeType();
    const auto* record = pointee.isNull() ? nullptr : pointee->getAsCXXRecordDecl();
    if (record == nullptr || !record->isPolymorphic()) {
      fail(method.line, "a method of kind cursor returns a pointer to a class with virtual methods");
      return {};
    }
    const std::string decorated = simple_name(record->getQualifiedNameAsString()) + "Watched";
    return fmt::format(
        "inline {0} {1}::returned({0} tenet_result) noexcept {{\n"
        "  if (tenet_result == nullptr || !call_.outermost()) return tenet_result;\n"
        "  {2}* const watched = new {2}(tenet_result, call_.self());\n"
        "  if (call_.on()) call_.out({3}, static_cast<const void*>(static_cast<{0}>(watched)));\n"
        "  return watched;\n}}\n\n",
        s.returned, s.name, decorated, static_cast<int>(derived::kCursor));
  }

  std::string batch_entries(const Method& method, const Shape& s) {
    std::string type_name;
    for (std::size_t i = 0; i < method.parameters.size(); ++i) {
      if (method.parameters[i] != method.batch) continue;
      for (const BatchModel& batch : model_.batches) {
        if (s.types[i].find(simple_name(batch.type)) == std::string::npos) continue;
        type_name = batch.type;
        const bool pointer = s.types[i].find('*') != std::string::npos;
        if (batches_done_.insert(batch.type).second) batch_reader(batch, method);
        const std::string guard = pointer ? fmt::format("if ({} != nullptr) ", method.batch) : "";
        return fmt::format("      {}Reader tenet_reader(call_{});\n      {}static_cast<void>({}{}{}(&tenet_reader));\n",
                           simple_name(batch.type), batch_conditions(method), guard, method.batch, pointer ? "->" : ".",
                           batch.iterate);
      }
    }
    fail(method.line, fmt::format("batch = \"{}\" is no parameter whose type has a [batch.…]", method.batch));
    return {};
  }

  std::string batch_conditions(const Method& method) {
    std::string out = ", tenet_outcome";
    for (const auto& [role, expression] : method.when) out += ", " + expression;
    return out;
  }

  /// A handler that tells each entry of a batch as an operation of its own.
  void batch_reader(const BatchModel& batch, const Method& method) {
    const auto record = declarations_.classes.find(batch.handler);
    if (record == declarations_.classes.end()) {
      fail(batch.entries.empty() ? 0 : batch.entries.front().line,
           fmt::format("the headers have no class {}", batch.handler));
      return;
    }
    std::string methods;
    for (const Method& entry : batch.entries) {
      const clang::CXXMethodDecl* declared = nullptr;
      for (const clang::CXXMethodDecl* candidate : record->second->methods()) {
        if (candidate->getDeclName().getAsString() == entry.name &&
            candidate->getNumParams() == entry.parameters.size())
          declared = candidate;
      }
      if (declared == nullptr) {
        fail(entry.line,
             fmt::format("{} has no method {} with {} parameters", batch.handler, entry.name, entry.parameters.size()));
        return;
      }
      std::string parameters;
      for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
        parameters += (i == 0 ? "" : ", ") + type(declared->getParamDecl(static_cast<unsigned>(i))->getType()) + " " +
                      entry.parameters[i];
      }
      std::string body =
          fmt::format("    call_.entry({});\n    call_.outcome(outcome_, effect_of(outcome_));\n", entry.op);
      for (const auto& [role, expression] : entry.in) body += "  " + tell("in", role, expression, "").substr(2);
      for (std::size_t i = 0; i < method.when.size(); ++i)
        body += fmt::format("    call_.in({}, when_{});\n", model_.role(method.when[i].first), i);
      methods += fmt::format("  {} {}({}) override {{\n{}  }}\n", type(declared->getReturnType()), entry.name,
                             parameters, body);
    }
    std::string constructor, initialisers, members;
    for (std::size_t i = 0; i < method.when.size(); ++i) {
      constructor += fmt::format(", ::std::int64_t when_{0}_", i);
      initialisers += fmt::format(", when_{0}(when_{0}_)", i);
      members += fmt::format("  ::std::int64_t when_{};\n", i);
    }
    forward_ += fmt::format(
        "/// The entries of a {0}, each as an operation.\nclass {1}Reader : public ::{2} {{\n public:\n  "
        "{1}Reader(::tenet::derived::Call& call, ::std::uint8_t outcome{3}) noexcept\n      : call_(call), "
        "outcome_(outcome){4} {{}}\n{5}\n private:\n  ::tenet::derived::Call& call_;\n  ::std::uint8_t "
        "outcome_;\n{6}}};\n\n",
        batch.type, simple_name(batch.type), batch.handler, constructor, initialisers, methods, members);
  }

  std::string decorator(const ClassModel& owner, const clang::CXXRecordDecl* record,
                        const std::map<const clang::FunctionDecl*, const Method*>& known) {
    std::vector<const clang::CXXMethodDecl*> all;
    virtual_methods(record, all);
    const std::string name = simple_name(owner.name) + "Watched";
    const bool cursor = is_cursor_class(owner);
    std::string methods;
    for (const clang::CXXMethodDecl* method : all) {
      if (method->getAccess() != clang::AS_public) {
        if (method->isPureVirtual()) {
          result.notes.push_back(
              fmt::format("{} cannot be decorated: {} is not public", owner.name, method->getNameAsString()));
          return {};
        }
        continue;
      }
      std::string parameters, arguments;
      for (const clang::ParmVarDecl* parameter : method->parameters()) {
        const std::string each = fmt::format("argument_{}", parameter->getFunctionScopeIndex());
        parameters += (parameters.empty() ? "" : ", ") + type(parameter->getType()) + " " + each;
        const bool moves = parameter->getType()->isRValueReferenceType() || parameter->getType()->isRecordType();
        arguments +=
            (arguments.empty() ? "" : ", ") +
            (moves ? fmt::format("static_cast<{}&&>({})", type(parameter->getType().getNonReferenceType()), each)
                   : each);
      }
      const std::string tail =
          std::string(method->isConst() ? " const" : "") +
          (llvm::cast<clang::FunctionProtoType>(method->getType().getTypePtr())->isNothrow() ? " noexcept" : "") +
          " override";
      const std::string forward = fmt::format("real_->{}({})", method->getNameAsString(), arguments);
      const bool returns = !method->getReturnType()->isVoidType();
      std::string body = fmt::format("    {}{};\n", returns ? "return " : "", forward);
      const auto modelled = known.find(method);
      if (modelled != known.end() && !modelled->second->ignored) {
        const std::string hook_class = hook_name(model_, owner, *modelled->second);
        std::string passed;
        for (const clang::ParmVarDecl* parameter : method->parameters())
          passed += fmt::format(", argument_{}", parameter->getFunctionScopeIndex());
        body = fmt::format("    {} tenet_call({}*this{});\n", hook_class, cursor ? "owner_, " : "", passed);
        body +=
            returns ? fmt::format("    return tenet_call.returned({});\n", forward) : fmt::format("    {};\n", forward);
      }
      methods += fmt::format("  {} {}({}){} {{\n{}  }}\n", type(method->getReturnType()), method->getNameAsString(),
                             parameters, tail, body);
    }
    std::string destructor = "delete real_;";
    for (const Method& method : owner.methods) {
      if (method.name != "~" || method.ignored) continue;
      destructor = fmt::format("{{\n      {} tenet_call({}*this);\n      delete real_;\n      real_ = nullptr;\n    }}",
                               hook_name(model_, owner, method), cursor ? "owner_, " : "");
    }
    const std::string extra = cursor ? ", const void* owner" : "";
    return fmt::format(
        "/// A {0} that tells what is done with it.\nclass {1} final : public ::{0} {{\n public:\n  explicit "
        "{1}(::{0}* real{2}) : real_(real){3} {{}}\n  ~{1}() override {{\n    {4}\n  }}\n  {1}(const {1}&) = delete;\n "
        " {1}& operator=(const {1}&) = delete;\n{5}\n private:\n  ::{0}* real_;\n{6}}};\n\n",
        owner.name, name, extra, cursor ? ", owner_(owner)" : "", destructor, methods,
        cursor ? "  const void* owner_;\n" : "");
  }

  /// A factory for -Wl,--wrap: the object it makes is decorated.
  std::string factory(const ClassModel& owner, const Method& method, const clang::FunctionDecl* function) {
    const std::unique_ptr<clang::ItaniumMangleContext> mangler(
        clang::ItaniumMangleContext::create(context_, context_.getDiagnostics()));
    std::string mangled;
    llvm::raw_string_ostream stream(mangled);
    if (mangler->shouldMangleDeclName(function)) {
      mangler->mangleName(clang::GlobalDecl(function), stream);
    } else {
      stream << function->getNameAsString();
    }
    stream.flush();
    const Shape s = shape(owner, method, function);
    if (method.kind != OpKind::open) {
      std::string declared, passed;
      for (std::size_t i = 0; i < s.types.size(); ++i) {
        const std::string each = fmt::format("argument_{}", i);
        declared +=
            (i == 0 ? "" : ", ") + type(function->getParamDecl(static_cast<unsigned>(i))->getType()) + " " + each;
        passed += (i == 0 ? "" : ", ") + each;
      }
      result.link_options.push_back("-Wl,--wrap=" + mangled);
      const std::string space = "tenet_" + identifier(model_.system) + "::";
      const std::string call = fmt::format("tenet_real_{}({})", s.name, passed);
      return fmt::format(
          "{0} tenet_real_{1}({2}) __asm__(\"__real_{3}\");\n{0} tenet_wrap_{1}({2}) __asm__(\"__wrap_{3}\");\n\n"
          "{0} tenet_wrap_{1}({2}) {{\n  {4}{1} tenet_call{5};\n  {6};\n}}\n\n",
          s.returned, s.name, declared, mangled, space, passed.empty() ? "" : "(" + passed + ")",
          s.returned == "void" ? call : "return tenet_call.returned(" + call + ")");
    }
    if (s.returned == "void" || method.object.empty()) return {};
    const bool from_result = method.object.find('$') != std::string::npos;
    clang::QualType made = function->getReturnType();
    if (!from_result) {
      made = clang::QualType();
      for (std::size_t i = 0; i < method.parameters.size(); ++i) {
        if (method.object.find(method.parameters[i]) != std::string::npos) {
          made = function->getParamDecl(static_cast<unsigned>(i))->getType()->getPointeeType();
        }
      }
    }
    if (made.isNull()) return {};
    const bool raw = made->isPointerType();
    const clang::CXXRecordDecl* record = raw ? made->getPointeeType()->getAsCXXRecordDecl() : nullptr;
    if (!raw) {
      // unique_ptr and its like: by their first argument.
      const auto* special = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(made->getAsCXXRecordDecl());
      if (special != nullptr && special->getTemplateArgs().size() > 0)
        record = special->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
    }
    if (record == nullptr || !record->isPolymorphic()) return {};
    result.link_options.push_back("-Wl,--wrap=" + mangled);
    std::string parameters, arguments;
    for (std::size_t i = 0; i < s.types.size(); ++i) {
      const std::string declared = type(function->getParamDecl(static_cast<unsigned>(i))->getType());
      parameters += (i == 0 ? "" : ", ") + declared + " " + method.parameters[i];
      arguments += (i == 0 ? "" : ", ") + method.parameters[i];
    }
    const std::string hook_class = "tenet_" + identifier(model_.system) + "::" + s.name;
    const std::string watched =
        "tenet_" + identifier(model_.system) + "::" + simple_name(record->getQualifiedNameAsString()) + "Watched";
    const std::string object = replaced(method.object, "$", "tenet_result");
    const std::string wrap = raw ? fmt::format("{0} = new {1}({0});", object, watched)
                                 : fmt::format("{0}.reset(new {1}({0}.release()));", object, watched);
    std::string ok = "true";
    for (const auto& [role, expression] : method.out) {
      if (role == "status")
        ok = fmt::format("tenet_{}::outcome_of({}) == 0", identifier(model_.system),
                         replaced(expression, "$", "tenet_result"));
    }
    return fmt::format(
        "{0} tenet_real_{1}({2}) __asm__(\"__real_{3}\");\n{0} tenet_wrap_{1}({2}) __asm__(\"__wrap_{3}\");\n\n{0} "
        "tenet_wrap_{1}({2}) {{\n  {4} tenet_call{5}{6}{10};\n  {0} tenet_result = tenet_real_{1}({6});\n  if ({7} && "
        "{8} != nullptr) {{\n    {9}\n  }}\n  return tenet_call.returned(static_cast<{0}&&>(tenet_result));\n}}\n\n",
        s.returned, s.name, parameters, mangled, hook_class, s.types.empty() ? "" : "(", arguments, ok, object, wrap,
        s.types.empty() ? "" : ")");
  }

  const Model& model_;
  clang::ASTContext& context_;
  clang::PrintingPolicy policy_;
  Declarations declarations_;
  std::string forward_;
  std::set<std::string> batches_done_;
};

}  // namespace

std::string hook_name(const Model& model, const ClassModel& owner, const Method& method) {
  if (!method.batch.empty()) return identifier(simple_name(owner.name) + "_" + method.name);
  (void)owner;
  return identifier(model.schema.ops[method.op].name) + "Call";
}

Result<Hooks> make_hooks(const Model& model, const std::vector<std::string>& flags) {
  std::string text;
  for (const std::string& include : model.includes) text += fmt::format("#include \"{}\"\n", include);
  std::vector<Trouble> troubles;
  Hooks hooks;
  std::string error;
  visit_text(
      text, std::filesystem::absolute("tenet_model_headers.cc").string(), flags,
      [&](clang::ASTContext& context, clang::CompilerInstance&) {
        Generator generator(model, context);
        generator.run();
        hooks = std::move(generator.result);
        error = generator.error;
      },
      troubles);
  if (!troubles.empty())
    return failure(ErrorKind::bad_input, model.path + ": its headers do not compile: " + troubles.front().what);
  if (!error.empty()) return failure(ErrorKind::bad_input, error);
  // The expressions, too, must mean something there.
  std::vector<std::string> with_hooks = flags;
  with_hooks.push_back("-Wno-everything");
  visit_text(
      hooks.header, std::filesystem::absolute("tenet_hooks_check.cc").string(), with_hooks,
      [](clang::ASTContext&, clang::CompilerInstance&) {}, troubles);
  if (!troubles.empty()) {
    return failure(ErrorKind::bad_input,
                   model.path + ": an expression does not fit the headers: " + troubles.front().what);
  }
  return hooks;
}

Result<std::string> draft_model(const std::string& header, const std::vector<std::string>& flags) {
  std::vector<Trouble> troubles;
  std::string out;
  const std::string path = std::filesystem::absolute(header).lexically_normal().string();
  visit_text(
      fmt::format("#include \"{}\"\n", path), std::filesystem::absolute("tenet_draft.cc").string(), flags,
      [&](clang::ASTContext& context, clang::CompilerInstance&) {
        Declarations declarations;
        declarations.TraverseDecl(context.getTranslationUnitDecl());
        out = fmt::format("system  = \"{}\"\ninclude = [\"{}\"]\n", std::filesystem::path(header).stem().string(),
                          std::filesystem::path(header).filename().string());
        for (const auto& [name, record] : declarations.classes) {
          if (place_of(context.getSourceManager(), record->getLocation()).file != path) continue;
          std::string methods;
          for (const clang::CXXMethodDecl* method : record->methods()) {
            if (method->getAccess() != clang::AS_public || method->isImplicit() || method->isOverloadedOperator() ||
                method->isDeleted())
              continue;
            std::string parameters;
            for (const clang::ParmVarDecl* parameter : method->parameters()) {
              const std::string each = parameter->getNameAsString();
              parameters += (parameters.empty() ? "" : ", ") + (each.empty() ? std::string("_") : each);
            }
            const bool special =
                llvm::isa<clang::CXXConstructorDecl>(method) || llvm::isa<clang::CXXDestructorDecl>(method);
            methods +=
                fmt::format("\"{}{}({})\" = {{ kind = \"ignore\" }}  # {}\n", method->isStatic() ? "static " : "",
                            method->getNameAsString(), parameters,
                            special ? std::string(llvm::isa<clang::CXXDestructorDecl>(method) ? "close?" : "open?")
                                    : (method->isConst() ? "const; " : "") + std::string("returns ") +
                                          method->getReturnType().getAsString());
          }
          if (!methods.empty()) out += fmt::format("\n[class.\"{}\"]\n{}", name, methods);
        }
      },
      troubles);
  if (!troubles.empty()) return failure(ErrorKind::bad_input, header + ": " + troubles.front().what);
  return out;
}

}  // namespace tenet::from_tests
