#include <fmt/format.h>

#include <algorithm>

#include "generated_text.h"
#include "plan.h"
#include "tenet/ir/printer.h"

namespace tenet::from_spec {
namespace {

class Header : private GeneratedText {
 public:
  explicit Header(const Plan& plan) : plan_(plan), p_(*plan.protocol), types_(p_) {}

  std::string write() {
    begin();
    values();
    events();
    for (const RolePlan& role : plan_.roles) role_state(role);
    for (const RolePlan& role : plan_.roles) role_monitor(role);
    checker();
    out_ += fmt::format("\n}}  // namespace {}\n", plan_.name);
    return out_;
  }

 private:
  void begin() {
    line("/// Monitor of the protocol {}: what its hosts tell. Made from {} by `tenet monitor generate`;", p_.name,
         plan_.source);
    line("/// do not edit. Stamp {}.", plan_.stamp);
    line("///");
    line(
        "/// The first part is C++11 without exceptions or RTTI, and belongs on the event path. Call the method of a "
        "step");
    line(
        "/// inside the critical section that makes the step atomic, when its result is durable, and before any "
        "message of");
    line(
        "/// the step leaves; then the method `sends_…` of every message, before its bytes leave. The state is the one "
        "after");
    line("/// the step, filled from what was stored. One object per host, used under the host's own lock.");
    line("#pragma once");
    line("");
    line("#include <cstdint>");
    line("#include \"tenet/monitor/hook.h\"");
    line("#if __cplusplus >= 201703L");
    line("#include <map>");
    line("#include <memory>");
    line("#include <optional>");
    line("#include <set>");
    line("#include \"tenet/monitor/monitor.h\"");
    line("#endif");
    line("");
    line("namespace {} {{", plan_.name);
    line("");
    line("using tenet::monitor::MessageId;");
    line("using tenet::monitor::none;");
  }

  void values() {
    line("\n// Hosts and values.\n");
    for (const ir::RoleDecl& role : p_.roles) index(role.name + "Id", "index", "std::uint32_t", "counted from 0");
    for (const ir::SortDecl& sort : p_.sorts) {
      line("/// An uninterpreted value{}: equal values have equal numbers.",
           sort.ordered ? ", ordered by its number" : "; take tenet::monitor::hash of what is long or private");
      index(safe(sort.name), "number", "std::uint64_t", "");
    }
    for (const ir::EnumDecl& decl : p_.enums) {
      std::string members;
      for (const std::string& name : decl.members) members += (members.empty() ? "" : ", ") + member(name);
      line("enum class {} : std::uint8_t {{ {} }};", safe(decl.name), members);
      line("inline void write(tenet::monitor::Writer& out, {} value) noexcept {{", safe(decl.name));
      line("  out.push(static_cast<std::uint64_t>(value));");
      line("}}");
    }
    for (const ir::StructDecl& decl : p_.structs) structure(decl);
  }

  void index(const std::string& name, const char* member, const char* type, const char* what) {
    line("struct {} {{", name);
    line("  {} {};{}{}", type, member, *what != '\0' ? "  ///< " : "", what);
    line("  explicit {0}({1} the_{2} = 0) noexcept : {2}(the_{2}) {{}}", name, type, member);
    line("}};");
    line("inline bool operator==({0} a, {0} b) noexcept {{ return a.{1} == b.{1}; }}", name, member);
    line("inline bool operator!=({0} a, {0} b) noexcept {{ return a.{1} != b.{1}; }}", name, member);
    line("inline bool operator<({0} a, {0} b) noexcept {{ return a.{1} < b.{1}; }}", name, member);
    line("inline bool operator<=({0} a, {0} b) noexcept {{ return a.{1} <= b.{1}; }}", name, member);
    line("inline bool operator>({0} a, {0} b) noexcept {{ return a.{1} > b.{1}; }}", name, member);
    line("inline bool operator>=({0} a, {0} b) noexcept {{ return a.{1} >= b.{1}; }}", name, member);
    line("inline void write(tenet::monitor::Writer& out, {} value) noexcept {{ out.push(value.{}); }}", name, member);
  }

  void structure(const ir::StructDecl& decl) {
    const std::string name = safe(decl.name);
    line("struct {} {{", name);
    for (const ir::FieldDecl& field : decl.fields) line("  {} {};", types_.hook(field.type), member(field.name));
    line("}};");
    line("inline void write(tenet::monitor::Writer& out, const {}& value) noexcept {{", name);
    line("  using tenet::monitor::write;");
    for (const ir::FieldDecl& field : decl.fields) line("  write(out, value.{});", member(field.name));
    line("}}");
  }

  void events() {
    line("\n// Event types.\n");
    line("namespace event {{");
    int number = 16;
    for (const RolePlan& role : plan_.roles) {
      line("constexpr std::uint16_t {}Begins = {};", role.constant, number++);
      line("constexpr std::uint16_t {}Recovers = {};", role.constant, number++);
      for (const StepPlan& step : role.steps) line("constexpr std::uint16_t {} = {};", step.constant, number++);
    }
    for (const ir::MessageDecl& message : p_.messages) {
      line("constexpr std::uint16_t kSends{} = {};", camel(message.name), number++);
    }
    line("}}  // namespace event");
  }

  void role_state(const RolePlan& role) {
    const ir::RoleDecl& decl = p_[role.role];
    if (!decl.constants.empty()) {
      line("\n/// What a {} is given once and for all.", decl.name);
      line("struct {}Constants {{", decl.name);
      for (const ir::ConstId id : decl.constants) line("  {} {};", types_.hook(p_[id].type), member(p_[id].name));
      line("}};");
      writer(decl.name + "Constants", decl.constants, [&](ir::ConstId id) { return member(p_[id].name); });
    }
    line("\n/// What a {} has stored.", decl.name);
    line("struct {}State {{", decl.name);
    for (const ir::VarId id : decl.variables) line("  {} {};", types_.hook(p_[id].type), member(p_[id].name));
    line("}};");
    writer(decl.name + "State", decl.variables, [&](ir::VarId id) { return member(p_[id].name); });
  }

  template <class Ids, class Name>
  void writer(const std::string& type, const Ids& ids, const Name& name) {
    if (ids.empty()) {
      line("inline void write(tenet::monitor::Writer&, const {}&) noexcept {{}}", type);
      return;
    }
    line("inline void write(tenet::monitor::Writer& out, const {}& value) noexcept {{", type);
    line("  using tenet::monitor::write;");
    for (const auto id : ids) line("  write(out, value.{});", name(id));
    line("}}");
  }

  void role_monitor(const RolePlan& role) {
    const ir::RoleDecl& decl = p_[role.role];
    const bool constants = !decl.constants.empty();
    const std::string given = constants ? fmt::format("const {}Constants& constants, ", decl.name) : "";
    line("\n/// The events of one {}. `key` tells independent runs of the protocol apart.", decl.name);
    line("class {}Monitor {{", decl.name);
    line(" public:");
    line("  /// Begins an incarnation of the host: once per start of the process.");
    line("  explicit {}Monitor(std::uint32_t index = 0) noexcept", decl.name);
    line("      : host_(tenet_monitor_v1_begin_host({}, index)) {{}}", role.role.value);
    line("");
    line(
        "  /// The host's first life in this run begins, as the specification says it begins. Nothing was sent "
        "before.");
    snapshot("begins", role.constant + "Begins", decl.name, given, constants);
    line("  /// After a restart: the state as it was found. Until then the host is unknown.");
    snapshot("recovers", role.constant + "Recovers", decl.name, given, constants);
    for (const StepPlan& step : role.steps) step_method(role, step);
    for (const ir::MessageId message : role.sends) send_method(message);
    line("");
    line(" private:");
    line("  tenet_monitor_v1_host* host_;");
    line("}};");
  }

  void snapshot(const char* method, const std::string& type, const std::string& role, const std::string& given,
                bool constants) {
    line("  void {}({}const {}State& stored, std::uint64_t key = 0) noexcept {{", method, given, role);
    line("    tenet::monitor::Writer out(host_, event::{}, key);", type);
    line("    if (!out) return;");
    if (constants) line("    write(out, constants);");
    line("    write(out, stored);");
    line("    (void)out.commit();");
    line("  }}");
  }

  void step_method(const RolePlan& role, const StepPlan& step) {
    const ir::Step& decl = p_[step.step];
    Locals locals(p_);
    std::string parameters;
    std::string values;
    const auto add = [&](const std::string& type, const std::string& name) {
      parameters += fmt::format("{} {}, ", type, name);
      values += fmt::format("    write(out, {});\n", name);
    };
    if (decl.receive) {
      parameters = "MessageId message, ";
      values = "    write(out, message);\n";
      if (decl.receive->from.valid()) {
        const std::string sender = "from_" + snake(p_[decl.receive->from].name);
        parameters += fmt::format("{} {}, ", types_.host_id(decl.receive->from), sender);
        values +=
            fmt::format("    out.push(std::uint64_t{{{}}} << 24 | {}.index);\n", decl.receive->from.value, sender);
      } else {
        add("std::uint64_t", "from_host");
      }
    }
    for (const Carried& carried : step.carried) {
      const std::string type = types_.hook(p_[carried.local].type);
      const bool small = type.find('<') == std::string::npos && type.find("::") == std::string::npos;
      add(small || type == "std::int64_t" ? type : "const " + type + "&", locals[carried.local]);
    }
    line("");
    line("  /// {}{}", decl.receive ? "" : "step ", decl.name);
    if (p_[decl.guard].op != ir::Op::bool_literal) line("  ///   when {}", ir::to_source(p_, decl.guard));
    line("  /// The name of the event, for the messages it sends.");
    line("  MessageId {}({}const {}State& after, std::uint64_t key = 0) noexcept {{", step.method, parameters,
         p_[role.role].name);
    line("    tenet::monitor::Writer out(host_, event::{}, key);", step.constant);
    line("    if (!out) return MessageId();");
    line("    using tenet::monitor::write;");
    out_ += values;
    line("    write(out, after);");
    line("    return out.commit();");
    line("  }}");
  }

  void send_method(ir::MessageId message) {
    const ir::MessageDecl& decl = p_[message];
    std::string parameters;
    std::string values;
    for (const ir::FieldDecl& field : decl.fields) {
      parameters += fmt::format("const {}& {}, ", types_.hook(field.type), safe(field.name));
      values += fmt::format("    write(out, {});\n", safe(field.name));
    }
    line("");
    line(
        "  /// {} is about to leave for the addressee, sent by the step of that name. The message's name travels with "
        "it.",
        decl.name);
    for (const ir::RoleId role : receivers(message)) {
      line("  MessageId sends_{}(MessageId step, {} to, {}std::uint64_t key = 0) noexcept {{", snake(decl.name),
           types_.host_id(role), parameters);
      line("    tenet::monitor::Writer out(host_, event::kSends{}, key);", camel(decl.name));
      line("    if (!out) return MessageId();");
      line("    using tenet::monitor::write;");
      line("    write(out, step);");
      line("    out.push(std::uint64_t{{{}}} << 24 | to.index);", role.value);
      out_ += values;
      line("    return out.commit();");
      line("  }}");
    }
  }

  // The roles that a message can be addressed to: those of the sends' targets.
  [[nodiscard]] std::vector<ir::RoleId> receivers(ir::MessageId message) const {
    std::vector<ir::RoleId> roles;
    for (const ir::Stmt& stmt : p_.stmts) {
      if (stmt.kind != ir::StmtKind::send || stmt.message != message) continue;
      ir::TypeId type = p_[stmt.target].type;
      if (p_[type].kind == ir::TypeKind::set) type = p_[type].first;
      const ir::RoleId role(p_[type].declaration);
      if (std::find(roles.begin(), roles.end(), role) == roles.end()) roles.push_back(role);
    }
    return roles;
  }

  void checker() {
    line("\n#if __cplusplus >= 201703L\n");
    line("/// The hosts and constants of the system that is watched.");
    line("struct Topology {{");
    for (const ir::RoleDecl& role : p_.roles) {
      line("  std::uint32_t {}_hosts = 1;  ///< how many hosts of role {}", snake(role.name), role.name);
    }
    for (const ir::ConstDecl& constant : p_.constants) {
      if (constant.role.valid() || constant.kind != ir::ConstKind::free || !constant.parameters.empty()) continue;
      line("  {} {}{{}};{}{}", types_.model(constant.type), member(constant.name),
           constant.doc.empty() ? "" : "  ///< ", one_line(constant.doc));
    }
    line("}};");
    line("");
    line("/// The rules of {}, for tenet::monitor::Monitor.", p_.name);
    line("std::unique_ptr<tenet::monitor::Rules> make_rules(const Topology& topology);");
    line("\n#endif");
  }

  static std::string one_line(std::string text) {
    for (char& c : text) {
      if (c == '\n') c = ' ';
    }
    return text;
  }

  const Plan& plan_;
  const ir::Protocol& p_;
  Types types_;
};

}  // namespace

std::string write_header(const Plan& plan) { return Header(plan).write(); }

}  // namespace tenet::from_spec
