#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "expressions.h"
#include "generated_text.h"
#include "plan.h"
#include "tenet/ir/printer.h"

namespace tenet::from_spec {
namespace {

bool mentions(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const auto part = [&](std::size_t i) {
      return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
    };
    if ((at == 0 || !part(at - 1)) && !part(at + word.size())) return true;
  }
  return false;
}

// A long expression over several lines: the bodies of quantifiers on their own, and a break where a line is too long.
std::string laid_out(const std::string& text, std::size_t indent) {
  constexpr std::size_t kWidth = 100;
  if (indent + text.size() <= kWidth) return text;
  std::string out;
  std::size_t depth = 0;
  std::size_t column = indent + 7;
  const auto new_line = [&](std::size_t extra) {
    while (!out.empty() && out.back() == ' ') out.pop_back();
    column = indent + 2 * depth + extra;
    out += "\n" + std::string(column, ' ');
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto starts = [&](std::string_view what) { return text.compare(i, what.size(), what) == 0; };
    if (starts("{ return ")) {
      ++depth;
      out += '{';
      ++i;
      new_line(0);
      continue;
    }
    if (starts("; }")) {
      out += ';';
      --depth;
      i += 1;
      new_line(0);
      continue;
    }
    out += text[i];
    ++column;
    if (column > kWidth - 30 && (starts(" ")) &&
        (text.compare(i - 2, 2, "&&") == 0 || text.compare(i - 2, 2, "||") == 0)) {
      new_line(4);
    }
  }
  return out;
}

class Source : private GeneratedText {
 public:
  explicit Source(const Plan& plan) : plan_(plan), p_(*plan.protocol), types_(p_) {
    for (const FormulaPlan& formula : plan.formulas) {
      Locals locals(p_);
      Expressions probe(p_, locals);
      (void)probe.write(formula.formula);
      for (const ir::TypeId type : probe.seen_types()) seen_.insert(type);
    }
  }

  std::string write(std::string& unsupported) {
    begin();
    reading_and_showing();
    line("\nnamespace {{");
    models();
    model_functions();
    rules();
    run();
    checker();
    unsupported = unsupported_;
    return out_;
  }

 private:
  void begin() {
    line("// Checker of the protocol {}: its rules over the events of {}.h. Made from {} by", p_.name, plan_.name,
         plan_.source);
    line("// `tenet monitor generate`; do not edit. Stamp {}.", plan_.stamp);
    line("#include \"{}.h\"", plan_.name);
    line("");
    line("#include <cstddef>");
    line("#include <initializer_list>");
    line("#include <string>");
    line("#include <utility>");
    line("#include <vector>");
    line("");
    line("#include \"tenet/monitor/spec.h\"");
    line("");
    line("namespace {} {{", plan_.name);
    line("");
    line("namespace spec = tenet::monitor::spec;");
    line("using namespace tenet::monitor::spec;  // unite, majority …");
    line("using tenet::monitor::spec::read;");
    line("using tenet::monitor::spec::show;");
    line("using tenet::monitor::Event;");
    line("using tenet::monitor::HostId;");
    line("using tenet::monitor::Rendering;");
    line("using tenet::monitor::RuleInfo;");
    line("using tenet::monitor::Sink;");
    line("using tenet::monitor::Verdict;");
  }

  // ---- Values as the checker keeps them

  void model(const std::string& name, const std::vector<std::pair<std::string, std::string>>& members) {
    line("struct {} {{", name);
    for (const auto& [type, member] : members) line("  {} {}{{}};", type, member);
    line("}};");
    if (members.empty()) {
      line("[[maybe_unused]] inline bool operator==(const {0}&, const {0}&) {{ return true; }}", name);
      line("[[maybe_unused]] inline bool operator<(const {0}&, const {0}&) {{ return false; }}", name);
      return;
    }
    std::string equal;
    std::string less;
    for (const auto& [type, member] : members) {
      equal += fmt::format("{}a.{} == b.{}", equal.empty() ? "" : " && ", member, member);
      less += fmt::format("  if (!(a.{0} == b.{0})) return a.{0} < b.{0};\n", member);
    }
    line("[[maybe_unused]] inline bool operator==(const {0}& a, const {0}& b) {{ return {1}; }}", name, equal);
    line("[[maybe_unused]] inline bool operator<(const {0}& a, const {0}& b) {{", name);
    out_ += less;
    line("  return false;");
    line("}}");
  }

  void models() {
    line("\n// ---- Values as the checker keeps them\n");
    line("namespace model {{");
    for (const ir::StructDecl& decl : p_.structs) {
      std::vector<std::pair<std::string, std::string>> members;
      for (const ir::FieldDecl& field : decl.fields) members.emplace_back(types_.model(field.type), member(field.name));
      model(safe(decl.name), members);
      line("[[maybe_unused]] inline bool operator!=(const {0}& a, const {0}& b) {{ return !(a == b); }}",
           safe(decl.name));
    }
    line("}}  // namespace model");
    line("");
    line("namespace model {{  // hosts with their constants and variables");
    for (const ir::RoleDecl& role : p_.roles) {
      std::vector<std::pair<std::string, std::string>> members;
      for (const ir::ConstId id : role.constants) members.emplace_back(types_.model(p_[id].type), member(p_[id].name));
      for (const ir::VarId id : role.variables) members.emplace_back(types_.model(p_[id].type), member(p_[id].name));
      model(role.name + "Host", members);
    }
    line("}}  // namespace model");
    line("");
    line("namespace model {{  // messages that were sent");
    for (const ir::MessageDecl& message : p_.messages) {
      std::vector<std::pair<std::string, std::string>> members{{"HostId", "from_host"}, {"HostId", "to_host"}};
      for (const ir::FieldDecl& field : message.fields) {
        members.emplace_back(types_.model(field.type), member(field.name));
      }
      model(message_type(message), members);
    }
    line("}}  // namespace model");
  }

  [[nodiscard]] static std::string message_type(const ir::MessageDecl& message) { return safe(message.name); }

  // ---- Reading and showing

  void reading_and_showing() {
    line("\n// ---- Reading values from events, and showing them\n");
    for (std::size_t i = 0; i < p_.roles.size(); ++i) {
      const std::string id = types_.host_id(ir::RoleId(i));
      line("[[maybe_unused]] static void read(Reader& in, {}& value) {{ value = {}(in.host({})); }}", id, id, i);
      const std::string text =
          p_.roles[i].single ? literal(p_.roles[i].name)
                             : fmt::format("{} + std::to_string(value.index + 1)", literal(p_.roles[i].name + "#"));
      line("[[maybe_unused]] static std::string show({} {}, const Format& format) {{ return show_name({}, format); }}",
           id, p_.roles[i].single ? "" : "value", text);
      line(
          "[[maybe_unused]] static HostId id({} host) {{ return HostId{{(std::uint32_t{{{}}} << 24) | host.index}}; }}",
          id, i);
    }
    for (const ir::SortDecl& sort : p_.sorts) {
      const std::string name = safe(sort.name);
      line("[[maybe_unused]] static void read(Reader& in, {}& value) {{ value.number = in.word(); }}", name);
      line(
          "[[maybe_unused]] static std::string show({} value, const Format& format) {{ return "
          "show_number(value.number, format); }}",
          name);
    }
    for (const ir::EnumDecl& decl : p_.enums) {
      const std::string name = safe(decl.name);
      line("[[maybe_unused]] static void read(Reader& in, {}& value) {{ value = static_cast<{}>(in.below({})); }}",
           name, name, decl.members.size());
      line("[[maybe_unused]] static std::string show({} value, const Format& format) {{", name);
      std::string members;
      for (const std::string& one : decl.members) members += (members.empty() ? "" : ", ") + literal(one);
      line("  static const char* const kNames[] = {{{}}};", members);
      line("  return show_name(kNames[static_cast<std::size_t>(value)], format);");
      line("}}");
    }
  }

  // Containers find these by argument-dependent look-up: in the namespace of the type.
  void model_functions() {
    line("\nnamespace model {{  // reading and showing them");
    for (const ir::StructDecl& decl : p_.structs) {
      const std::string name = safe(decl.name);
      line("[[maybe_unused]] void read(Reader& in, {}& value) {{", name);
      line("  using spec::read;");
      for (const ir::FieldDecl& field : decl.fields) line("  read(in, value.{});", member(field.name));
      line("}}");
      line("[[maybe_unused]] std::string show(const {}& value, const Format& format) {{", name);
      line("  using spec::show;");
      std::string fields;
      std::string text;
      for (const ir::FieldDecl& field : decl.fields) {
        const std::string shown = fmt::format("show(value.{}, format)", member(field.name));
        fields += fmt::format("{}{{{}, {}}}", fields.empty() ? "" : ", ", literal(field.name), shown);
        text += (text.empty() ? "" : " + \", \" + ") + shown;
      }
      line("  if (format.json) return show_fields({{{}}}, format);", fields);
      line("  return {} + {} + \")\";", literal(decl.name + "("), text.empty() ? "\"\"" : text);
      line("}}");
    }
    for (const ir::RoleDecl& role : p_.roles) {
      shower(role.name + "Host", "variables", role.variables);
      if (!role.constants.empty()) shower(role.name + "Host", "constants", role.constants);
    }
    line("}}  // namespace model");
  }

  template <class Ids>
  void shower(const std::string& type, const char* what, const Ids& ids) {
    std::string fields;
    for (const auto id : ids) {
      fields += fmt::format("{}{{{}, show(host.{}, format)}}", fields.empty() ? "" : ", ", literal(p_[id].name),
                            member(p_[id].name));
    }
    if (ids.empty()) {
      line(
          "[[maybe_unused]] std::string show_{}(const {}&, const Format& format) {{ return show_fields({{}}, format); "
          "}}",
          what, type);
      return;
    }
    line("[[maybe_unused]] std::string show_{}(const {}& host, const Format& format) {{", what, type);
    line("  using spec::show;");
    line("  return show_fields({{{}}}, format);", fields);
    line("}}");
  }

  // ---- Rules

  void rules() {
    line("\n// ---- Rules\n");
    line("enum Rule : std::size_t {{");
    for (const RulePlan& rule : plan_.rules) line("  {},", rule.constant);
    line("}};");
    line("");
    line("std::vector<RuleInfo> rule_table() {{");
    line("  return {{");
    for (const RulePlan& rule : plan_.rules) {
      std::string depends;
      for (const std::string& event : rule.depends) depends += (depends.empty() ? "" : ", ") + literal(event);
      line("      {{{}, {}, {}, {{{}}}, true}},", literal(rule.name), literal(rule.kind), literal(rule.text), depends);
    }
    line("  }};");
    line("}}");
  }

  // ---- One run

  void run() {
    line("\n// ---- What is known of one run\n");
    line("struct Messages {{");
    for (std::size_t i = 0; i < p_.messages.size(); ++i) {
      line("  std::set<model::{}> {};", message_type(p_.messages[i]), types_.messages(ir::MessageId(i)));
    }
    line("  void merge({}) {{", p_.messages.empty() ? "const Messages&" : "const Messages& more");
    for (std::size_t i = 0; i < p_.messages.size(); ++i) {
      line("    {0}.insert(more.{0}.begin(), more.{0}.end());", types_.messages(ir::MessageId(i)));
    }
    line("  }}");
    line("}};");
    line("");
    line("struct Run final : RunBase {{");
    for (std::size_t i = 0; i < p_.roles.size(); ++i) {
      line("  std::vector<Tracked<model::{}Host>> {};", p_.roles[i].name, types_.tracked(ir::RoleId(i)));
    }
    line("  Messages sent;");
    for (const ir::TypeId type : seen_) line("  std::set<{}> {};", types_.model(type), seen_member(p_, type));
    line("  std::size_t values() const {{  // that were seen");
    std::string sum;
    for (const ir::TypeId type : seen_)
      sum += fmt::format("{}{}.size()", sum.empty() ? "" : " + ", seen_member(p_, type));
    line("    return {};", sum.empty() ? "0" : sum);
    line("  }}");
    line("  Answer answers[{}];", std::max<std::size_t>(1, plan_.formulas.size()));
    line("}};");
    line("");
    line("// What an event can have changed: a bit for every variable, and for every message.");
    line("struct Touched {{");
    line("  std::uint64_t variables;");
    line("  std::uint64_t messages;");
    line("}};");
  }

  // Bits of some variables or messages; from the 64th on they share the last one.
  template <class Ids>
  [[nodiscard]] static std::string bits(const Ids& ids) {
    std::uint64_t mask = 0;
    for (const auto id : ids) mask |= std::uint64_t{1} << std::min<std::size_t>(id.value, 63);
    return fmt::format("{}u", mask);
  }
  // The messages that a step sends.
  [[nodiscard]] std::set<ir::MessageId> sends(const std::vector<ir::StmtId>& stmts) const {
    std::set<ir::MessageId> all;
    for (const ir::StmtId id : stmts) {
      const ir::Stmt& stmt = p_[id];
      if (stmt.kind == ir::StmtKind::send) all.insert(stmt.message);
      all.merge(sends(stmt.then_branch));
      all.merge(sends(stmt.else_branch));
    }
    return all;
  }

  // ---- The checker

  void checker() {
    line("\n// ---- The checker\n");
    line("class Checker final : public Base {{");
    line(" public:");
    constructor();
    line("");
    line("  const std::string& protocol() const override {{ return protocol_; }}");
    line("  const std::string& stamp() const override {{ return stamp_; }}");
    line("  const std::vector<RuleInfo>& rules() const override {{ return rules_; }}");
    host_names();
    line("  std::string describe(const Event& event, const Rendering& rendering) const override {{");
    line("    return text(event, Format{{false, rendering, false}});");
    line("  }}");
    line("  std::string parts(const Event& event, const Rendering& rendering) const override {{");
    line("    return text(event, Format{{false, rendering, true}});");
    line("  }}");
    trace_header();
    line("  std::string trace_line(const Event& event) const override {{");
    line("    if (event.type == 0) return show_beginning(event, name(event.host));");
    line("    return text(event, Format{{true, Rendering(), false}});");
    line("  }}");
    line("");
    line(" private:");
    base_methods();
    accessors();
    for (const RolePlan& role : plan_.roles) role_methods(role);
    send_methods();
    properties();
    text();
    members();
    line("}};");
    line("");
    line("}}  // namespace");
    line("");
    line("std::unique_ptr<tenet::monitor::Rules> make_rules(const Topology& topology) {{");
    line("  return std::make_unique<Checker>(topology);");
    line("}}");
    line("");
    line("}}  // namespace {}", plan_.name);
  }

  void constructor() {
    std::string sizes;
    for (const ir::RoleDecl& role : p_.roles) {
      sizes += fmt::format("{}topology.{}_hosts", sizes.empty() ? "" : ", ", snake(role.name));
    }
    line("  explicit Checker(const Topology& topology) : Base({{{}}}), topology_(topology) {{", sizes);
    for (std::size_t i = 0; i < p_.roles.size(); ++i) {
      line("    for (std::uint32_t i = 0; i < hosts_[{}]; ++i) {}.insert({}(i));", i, types_.all_hosts(ir::RoleId(i)),
           types_.host_id(ir::RoleId(i)));
    }
    line("  }}");
  }

  void trace_header() {
    line("  std::string trace_header() const override {{");
    line("    const Format json{{true, Rendering(), false}};");
    line("    return show_fields({{{{\"format\", show_name(\"tenet-trace\", json)}},");
    line("                        {{\"version\", \"1\"}},");
    line("                        {{\"protocol\", show_name(protocol_, json)}},");
    line("                        {{\"stamp\", show_name(stamp_, json)}},");
    std::string sizes;
    for (std::size_t i = 0; i < p_.roles.size(); ++i) {
      sizes +=
          fmt::format("{}{{{}, std::to_string(hosts_[{}])}}", sizes.empty() ? "" : ", ", literal(p_.roles[i].name), i);
    }
    line("                        {{\"hosts\", show_fields({{{}}}, json)}},", sizes);
    std::string constants;
    for (const ir::ConstDecl& constant : p_.constants) {
      if (constant.role.valid() || constant.kind != ir::ConstKind::free || !constant.parameters.empty()) continue;
      constants += fmt::format("{}{{{}, show(topology_.{}, json)}}", constants.empty() ? "" : ", ",
                               literal(constant.name), member(constant.name));
    }
    line("                        {{\"constants\", show_fields({{{}}}, json)}}}},", constants);
    line("                       json);");
    line("  }}");
  }

  void host_names() {
    line("  std::string name(HostId host) const override {{");
    line("    switch (host.role()) {{");
    for (std::size_t i = 0; i < p_.roles.size(); ++i) {
      line("      case {}: return show({}(host.index()), Format());", i, types_.host_id(ir::RoleId(i)));
    }
    line("      default: return \"unknown host\";");
    line("    }}");
    line("  }}");
  }

  void base_methods() {
    line("  std::unique_ptr<RunBase> make_run() const override {{");
    line("    auto run = std::make_unique<Run>();");
    for (std::size_t i = 0; i < p_.roles.size(); ++i) {
      line("    run->{}.resize(hosts_[{}]);", types_.tracked(ir::RoleId(i)), i);
    }
    line("    return run;");
    line("  }}");
    line("  bool receives(std::uint16_t type) const override {{");
    line("    switch (type) {{");
    bool any = false;
    for (const RolePlan& role : plan_.roles) {
      for (const StepPlan& step : role.steps) {
        if (!p_[step.step].receive) continue;
        line("      case event::{}:", step.constant);
        any = true;
      }
    }
    if (any) line("        return true;");
    line("      default: return false;");
    line("    }}");
    line("  }}");
    was_sent();
    apply();
    line("  Knowledge& knowledge(RunBase& base, HostId host) const override {{");
    line("    Run& run = static_cast<Run&>(base);");
    line("    switch (host.role()) {{");
    for (std::size_t i = 0; i + 1 < p_.roles.size(); ++i) {
      line("      case {}: return run.{}[host.index()];", i, types_.tracked(ir::RoleId(i)));
    }
    line("      default: return run.{}[host.index()];", types_.tracked(ir::RoleId(p_.roles.size() - 1)));
    line("    }}");
    line("  }}");
    line("  std::size_t weight(const RunBase& base) const override {{");
    line("    const Run& run = static_cast<const Run&>(base);");
    std::string sum = "0";
    for (std::size_t i = 0; i < p_.messages.size(); ++i) {
      sum += fmt::format(" + run.sent.{}.size() * (kNodeBytes + sizeof(model::{}))", types_.messages(ir::MessageId(i)),
                         message_type(p_.messages[i]));
    }
    for (std::size_t i = 0; i < p_.roles.size(); ++i) {
      sum += fmt::format(" + run.{}.size() * sizeof(run.{}[0])", types_.tracked(ir::RoleId(i)),
                         types_.tracked(ir::RoleId(i)));
    }
    for (const ir::TypeId type : seen_) {
      sum += fmt::format(" + run.{}.size() * (kNodeBytes + sizeof({}))", seen_member(p_, type), types_.model(type));
    }
    line("    return {};", sum);
    line("  }}");
    line("  void forget_messages(RunBase& base) override {{");
    line("    Run& run = static_cast<Run&>(base);");
    line("    run.sent = Messages();");
    for (std::size_t i = 0; i < p_.roles.size(); ++i) {
      line("    for (auto& host : run.{}) host.complete = false;", types_.tracked(ir::RoleId(i)));
    }
    line("  }}");
  }

  // Reads the message that a receiving event carries, up to the step's parameters.
  void read_message(const ir::Step& step, const char* indent, Locals& locals) {
    const ir::ReceivePattern& receive = *step.receive;
    line("{}MessageId message;", indent);
    line("{}read(in, message);", indent);
    line("{}const HostId sender{{static_cast<std::uint32_t>(in.word())}};", indent);
    for (const ir::LocalId field : receive.fields) {
      line("{}{} {}{{}};", indent, types_.model(p_[field].type), locals[field]);
      line("{}read(in, {});", indent, locals[field]);
    }
  }

  [[nodiscard]] std::string received_message(const ir::Step& step, Locals& locals) {
    std::string out = fmt::format("model::{}{{sender, event.host", message_type(p_[step.receive->message]));
    for (const ir::LocalId field : step.receive->fields) out += ", " + locals[field];
    return out + "}";
  }

  void was_sent() {
    line("  bool was_sent(const RunBase& base, const Event& event) const override {{");
    line("    const Run& run = static_cast<const Run&>(base);");
    line("    Reader in(event.words, hosts_);");
    line("    switch (event.type) {{");
    for (const RolePlan& role : plan_.roles) {
      for (const StepPlan& plan : role.steps) {
        const ir::Step& step = p_[plan.step];
        if (!step.receive) continue;
        Locals locals(p_);
        line("      case event::{}: {{", plan.constant);
        read_message(step, "        ", locals);
        line("        return has(run.sent.{}, {});", types_.messages(step.receive->message),
             received_message(step, locals));
        line("      }}");
      }
    }
    line("      default: (void)run; (void)in; return true;");
    line("    }}");
    line("  }}");
  }

  void apply() {
    line("  bool apply(RunBase& base, const Event& event, Joined joined, Sink& sink) override {{");
    line("    run_ = static_cast<Run*>(&base);");
    line("    Reader in(event.words, hosts_);");
    line("    switch (event.type) {{");
    for (const RolePlan& role : plan_.roles) {
      const std::string method = snake(p_[role.role].name);
      line("      case event::{}Begins: return {}_snapshot(event, in, true, sink);", role.constant, method);
      line("      case event::{}Recovers: return {}_snapshot(event, in, false, sink);", role.constant, method);
      for (const StepPlan& step : role.steps) {
        line("      case event::{}: return {}_{}(event, in, {}sink);", step.constant, method, step.method,
             p_[step.step].receive ? "joined, " : "");
      }
    }
    for (const ir::MessageDecl& message : p_.messages) {
      line("      case event::kSends{}: return sends_{}(event, in, sink);", camel(message.name), snake(message.name));
    }
    line("      default: (void)joined; return false;");
    line("    }}");
    line("  }}");
  }

  void accessors() {
    line("");
    line("  // States of hosts that may be compared with others'; what is not known makes a formula undefined.");
    for (std::size_t i = 0; i < p_.roles.size(); ++i) {
      const ir::RoleId role(i);
      const std::string type = "model::" + p_.roles[i].name + "Host";
      line("  const {}& state({} host) const {{", type, types_.host_id(role));
      line("    auto& known = run_->{}[host.index];", types_.tracked(role));
      line("    refresh(known, id(host));");
      line("    return Base::joined(known, id(host)) ? known.state : nothing<{}>();", type);
      line("  }}");
      line("  const {}& own({} host) const {{  // whether or not it may be compared with others'", type,
           types_.host_id(role));
      line("    const auto& known = run_->{}[host.index];", types_.tracked(role));
      line("    return known.known ? known.state : nothing<{}>();", type);
      line("  }}");
      line("  const {}& earlier({} host) const {{  // the state that was seen before, whatever was lost since", type,
           types_.host_id(role));
      line("    const auto& known = run_->{}[host.index];", types_.tracked(role));
      line("    return known.before_seen ? known.before : nothing<{}>();", type);
      line("  }}");
      line("  const {}& old_state({} host) const {{", type, types_.host_id(role));
      line("    const auto& known = run_->{}[host.index];", types_.tracked(role));
      line("    return id(host) == stepping_ && known.before_known ? known.before : state(host);");
      line("  }}");
      line("  const {}& constants({} host) const {{", type, types_.host_id(role));
      line("    const auto& known = run_->{}[host.index];", types_.tracked(role));
      line("    return known.constants ? known.state : nothing<{}>();", type);
      line("  }}");
      line("  bool complete({} host) const {{", types_.host_id(role));
      line("    auto& known = run_->{}[host.index];", types_.tracked(role));
      line("    refresh(known, id(host));");
      line("    return known.complete;");
      line("  }}");
      line("  bool complete(const std::set<{}>& hosts) const {{", types_.host_id(role));
      line("    for (const {} host : hosts) {{", types_.host_id(role));
      line("      if (!complete(host)) return false;");
      line("    }}");
      line("    return true;");
      line("  }}");
    }
    line("  bool complete(HostId host) const {{");
    line("    Knowledge& known = knowledge(*run_, host);");
    line("    refresh(known, host);");
    line("    return known.complete;");
    line("  }}");
    line(
        "  // Whether such a message was sent: that it is not known says no only if its senders are completely known, "
        "and\n  // nobody has gone on from it before it was checked.");
    line("  template <class Set, class Matches, class... Senders>");
    line("  bool was_sent(const Set& messages, const Matches& matches, const Senders&... senders) const {{");
    line("    work(messages.size());");
    line("    for (const auto& message : messages) {{");
    line("      if (matches(message)) return true;");
    line("    }}");
    line("    if (!caught_up(*run_) || !(complete(senders) && ...)) undefined();");
    line("    return false;");
    line("  }}");
    ring();
    collectors();
  }

  void ring() {
    for (const ir::ConstDecl& constant : p_.constants) {
      if (constant.kind == ir::ConstKind::ring_next) {
        const ir::RoleId role(p_[constant.type].declaration);
        const std::string host = types_.host_id(role);
        line("  {} next({} host) const {{ return {}((host.index + 1) % hosts_[{}]); }}", host, host, host, role.value);
      } else if (constant.kind == ir::ConstKind::ring_between) {
        const ir::RoleId role(p_[constant.parameters[0]].declaration);
        const std::string host = types_.host_id(role);
        line("  // Going forward from a, b comes strictly before c; a host meets itself last.");
        line("  bool between({0} a, {0} b, {0} c) const {{", host);
        line("    const std::uint32_t n = hosts_[{}];", role.value);
        line("    const std::uint32_t to_b = b == a ? n : (b.index + n - a.index) % n;");
        line("    const std::uint32_t to_c = c == a ? n : (c.index + n - a.index) % n;");
        line("    return to_b < to_c;");
        line("  }}");
      }
    }
  }

  // Values that were ever seen, for quantifiers over types without an end.
  void collectors() {
    if (seen_.empty()) return;
    line("  // Quantifiers over types without an end range over the values that were seen.");
    line("  template <class T>");
    line("  void collect(const T&) const {{}}");
    const auto overload = [&](ir::TypeId type, const std::vector<std::string>& members) {
      line("  void collect(const {}& value) const {{", types_.model(type));
      if (seen_.count(type) != 0) line("    run_->{}.insert(value);", seen_member(p_, type));
      for (const std::string& name : members) line("    collect(value.{});", name);
      if (seen_.count(type) == 0 && members.empty()) line("    (void)value;");
      line("  }}");
    };
    for (std::size_t i = 0; i < p_.types.size(); ++i) {
      const ir::TypeId type(i);
      const ir::Type& t = p_[type];
      if (t.kind == ir::TypeKind::sort) overload(type, {});
      if (t.kind == ir::TypeKind::structure && types_.supported(type)) {
        std::vector<std::string> members;
        for (const ir::FieldDecl& field : p_.structs[t.declaration].fields) members.push_back(member(field.name));
        overload(type, members);
      }
    }
    std::string numbers;
    for (const ir::TypeId type : seen_) {
      if (types_.model(type) == "std::int64_t")
        numbers += fmt::format(" run_->{}.insert(value);", seen_member(p_, type));
    }
    if (!numbers.empty()) line("  void collect(std::int64_t value) const {{{} }}", numbers);
    line("  template <class T>");
    line("  void collect(const std::optional<T>& value) const {{");
    line("    if (value.has_value()) collect(*value);");
    line("  }}");
    line("  template <class T>");
    line("  void collect(const std::set<T>& value) const {{");
    line("    for (const T& element : value) collect(element);");
    line("  }}");
    line("  template <class K, class V>");
    line("  void collect(const std::map<K, V>& value) const {{");
    line("    for (const auto& entry : value) {{");
    line("      collect(entry.first);");
    line("      collect(entry.second);");
    line("    }}");
    line("  }}");
    line("  template <class K, class V>");
    line("  void collect(const Function<K, V>& value) const {{");
    line("    collect(value.otherwise);");
    line("    collect(value.entries);");
    line("  }}");
  }

  // ---- Roles

  void role_methods(const RolePlan& role) {
    const ir::RoleDecl& decl = p_[role.role];
    const std::string host = "model::" + decl.name + "Host";
    const std::string prefix = snake(decl.name);
    line("");
    line("  // -- {}", decl.name);
    line("");
    line("  static void read_variables({}, {}) {{", decl.variables.empty() ? "Reader&" : "Reader& in",
         host + (decl.variables.empty() ? "&" : "& host"));
    for (const ir::VarId id : decl.variables) line("    read(in, host.{});", member(p_[id].name));
    line("  }}");
    if (!decl.constants.empty()) {
      line("  static void read_constants(Reader& in, {}& host) {{", host);
      for (const ir::ConstId id : decl.constants) line("    read(in, host.{});", member(p_[id].name));
      line("  }}");
    }
    difference(decl, host);
    changed(decl, host);
    monotone(role, host);
    snapshot(role, host, prefix);
    for (const StepPlan& step : role.steps) step_method(role, step, host, prefix);
  }

  void difference(const ir::RoleDecl& decl, const std::string& host) {
    line("  // What differs, in words.");
    if (decl.variables.empty()) {
      line("  std::string difference(const {0}&, const {0}&) const {{ return std::string(); }}", host);
      return;
    }
    line("  std::string difference(const {0}& expected, const {0}& observed) const {{", host);
    line("    std::string out;");
    for (const ir::VarId id : decl.variables) {
      const std::string name = member(p_[id].name);
      line("    if (!(expected.{0} == observed.{0})) {{", name);
      line("      out += (out.empty() ? \"\" : \"; \") + std::string({}) +", literal(p_[id].name + " should be "));
      line("             show(expected.{0}, format_) + \", is \" + show(observed.{0}, format_);", name);
      line("    }}");
    }
    line("    return out;");
    line("  }}");
  }

  void changed(const ir::RoleDecl& decl, const std::string& host) {
    line("  // The variables that a step changed, or may have changed.");
    if (decl.variables.empty()) {
      line("  static std::uint64_t changed(const Tracked<{}>&) {{ return 0; }}", host);
      return;
    }
    line("  static std::uint64_t changed(const Tracked<{}>& host) {{", host);
    line("    if (!host.before_known) return {};", bits(decl.variables));
    line("    std::uint64_t variables = 0;");
    for (const ir::VarId id : decl.variables) {
      line("    if (!(host.before.{0} == host.state.{0})) variables |= {1};", member(p_[id].name), bits(std::set{id}));
    }
    line("    return variables;");
    line("  }}");
  }

  void monotone(const RolePlan& role, const std::string& host) {
    if (role.monotone.empty()) {
      line("  void judge_monotone(const Event&, const Tracked<{0}>&, const {0}&, Sink&) {{}}", host);
      return;
    }
    line("  // What only moves one way does so whatever was lost in between.");
    line("  void judge_monotone(const Event& event, const Tracked<{0}>& host, const {0}& after, Sink& sink) {{", host);
    for (const Monotone& m : role.monotone) {
      const std::string name = member(p_[m.variable].name);
      const std::string a = "a." + name;
      const std::string b = "b." + name;
      std::string formula;
      switch (m.growth) {
        case Growth::set_grows:
          formula = fmt::format("subset({}, {})", a, b);
          break;
        case Growth::function_grows:
          formula = fmt::format("grows_everywhere({}, {})", a, b);
          break;
        case Growth::stays_true:
          formula = fmt::format("!{} || {}", a, b);
          break;
        case Growth::stays_set:
          formula = fmt::format("stays_once_set({}, {})", a, b);
          break;
        case Growth::number_grows:
          formula = fmt::format("{} <= {}", a, b);
          break;
        case Growth::option_grows:
          formula = fmt::format("grows_once_set({}, {})", a, b);
          break;
      }
      line("    judge_since({}{}{}, event, host, after, sink, [](const {}& a, const {}& b) {{", role.constant,
           camel(p_[m.variable].name), camel(from_spec::name(m.growth)), host, host);
      line("      return {};", formula);
      line("    }});");
    }
    line("  }}");
  }

  void snapshot(const RolePlan& role, const std::string& host, const std::string& prefix) {
    const ir::RoleDecl& decl = p_[role.role];
    line("  bool {}_snapshot(const Event& event, Reader& in, bool fresh, Sink& sink) {{", prefix);
    line("    if (event.host.role() != {}) return false;", role.role.value);
    line("    const {} me(event.host.index());", types_.host_id(role.role));
    line("    auto& host = run_->{}[me.index];", types_.tracked(role.role));
    line("    {} stored;", host);
    if (!decl.constants.empty()) line("    read_constants(in, stored);");
    line("    read_variables(in, stored);");
    line("    if (!in.done()) return false;");
    std::string same;
    for (const ir::ConstId id : decl.constants) {
      same += fmt::format("{}host.state.{} == stored.{}", same.empty() ? "" : " && ", member(p_[id].name),
                          member(p_[id].name));
    }
    if (!same.empty()) {
      line("    if (host.constants) judge({}Constants, event, sink, [&] {{ return {}; }});", role.constant, same);
    }
    line("    judge_monotone(event, host, stored, sink);");
    Locals locals(p_);
    std::string initial;
    for (const ir::VarId id : decl.variables) {
      if (!p_[id].init.valid()) continue;
      Expressions write(p_, locals, role.role);
      const ir::Expr& init = p_[p_[id].init];
      const std::string name = "self." + member(p_[id].name);
      std::string test;
      if (init.op == ir::Op::none) {
        test = "!" + name + ".has_value()";
      } else if (init.op == ir::Op::set_literal && init.args.empty()) {
        test = name + ".empty()";
      } else {
        test = fmt::format("{} == {}", name, write.write(p_[id].init, Expressions::kCompare));
      }
      initial += (initial.empty() ? "" : " && ") + test;
      remember(write, p_[id].init, "the initialiser of " + p_[id].name);
    }
    const bool reads_self = mentions(initial, "self");
    line("    judge_snapshot({0}Initial, {0}Restart, event, host, stored, fresh, sink, [&](const {1}&{2}) {{",
         role.constant, host, reads_self ? " self" : "");
    line("      return {};", initial.empty() ? "true" : laid_out(initial, 6));
    line("    }});");
    if (!seen_.empty()) collect_host(decl, "stored");
    line("    judge_properties(event, false, Touched{{{}, 0}}, sink);", bits(decl.variables));
    line("    return true;");
    line("  }}");
  }

  void collect_host(const ir::RoleDecl& decl, const char* name) {
    for (const ir::ConstId id : decl.constants)
      collect_one(p_[id].type, fmt::format("{}.{}", name, member(p_[id].name)));
    for (const ir::VarId id : decl.variables) collect_one(p_[id].type, fmt::format("{}.{}", name, member(p_[id].name)));
  }
  void collect_one(ir::TypeId type, const std::string& value) {
    if (!seen_.empty() && types_.open(type)) line("    collect({});", value);
  }

  void remember(const Expressions& written, ir::ExprId, const std::string& where) {
    if (unsupported_.empty() && !written.unsupported().empty()) {
      unsupported_ = where + " uses " + written.unsupported() + ", which no monitor can follow";
    }
  }

  void step_method(const RolePlan& role, const StepPlan& plan, const std::string& host, const std::string& prefix) {
    const ir::Step& step = p_[plan.step];
    const ir::RoleDecl& decl = p_[role.role];
    Locals locals(p_);
    line("");
    line("  // {}", ir::place(p_, plan.step));
    line("  bool {}_{}(const Event& event, Reader& in, {}Sink& sink) {{", prefix, plan.method,
         step.receive ? "Joined joined, " : "");
    line("    if (event.host.role() != {}) return false;", role.role.value);
    line("    const {} me(event.host.index());", types_.host_id(role.role));
    line("    auto& host = run_->{}[me.index];", types_.tracked(role.role));
    if (step.receive) read_message(step, "    ", locals);
    for (const Carried& carried : plan.carried) {
      const bool field = step.receive && std::find(step.receive->fields.begin(), step.receive->fields.end(),
                                                   carried.local) != step.receive->fields.end();
      if (field) continue;
      line("    {} {}{{}};", types_.model(p_[carried.local].type), locals[carried.local]);
      line("    read(in, {});", locals[carried.local]);
    }
    line("    {} after;", host);
    for (const ir::ConstId id : decl.constants) line("    after.{0} = host.state.{0};", member(p_[id].name));
    line("    read_variables(in, after);");
    if (step.receive && step.receive->from.valid()) {
      line("    if (!in.done() || !knows(sender) || sender.role() != {}) return false;", step.receive->from.value);
    } else if (step.receive) {
      line("    if (!in.done() || !knows(sender)) return false;");
    } else {
      line("    if (!in.done()) return false;");
    }
    // A role without constants needs no snapshot to be known.
    if (decl.constants.empty()) line("    host.constants = true;");
    if (!seen_.empty()) {
      for (const Carried& carried : plan.carried) collect_one(p_[carried.local].type, locals[carried.local]);
      collect_host(decl, "after");
    }
    if (step.receive) {
      const std::string message = camel(p_[step.receive->message].name);
      line("    judge_received(k{}Received, event, joined, {}, run_->sent.{}, sink);", message,
           received_message(step, locals), types_.messages(step.receive->message));
    }
    line("    judge_monotone(event, host, after, sink);");
    Expressions write(p_, locals, role.role);
    const std::string guard = write.write(step.guard);
    std::string body;
    statements(step.body, "      ", write, locals, body);
    if (step.receive && step.receive->sender.valid()) {
      const std::string& sender = locals[step.receive->sender];
      if (mentions(guard + body, sender)) {
        line("    const {} {}(sender.index());", types_.model(p_[step.receive->sender].type), sender);
      }
    }
    line("    const auto guard = [&](const {}&{}) {{", host, mentions(guard, "self") ? " self" : "");
    line("      return {};", laid_out(guard, 6));
    line("    }};");
    line("    const auto effect = [&]({}&{}, Messages&{}) {{", host, mentions(body, "self") ? " self" : "",
         mentions(body, "sent") ? " sent" : "");
    out_ += body;
    line("      return true;");
    line("    }};");
    remember(write, step.guard, ir::place(p_, plan.step));
    line("    judge_step({0}Guard, {0}Effect, event, host, std::move(after), run_->sent, sink, guard, effect,",
         plan.constant);
    line("               [&](const {0}& expected, const {0}& observed) {{ return difference(expected, observed); }});",
         host);
    line("    judge_properties(event, host.before_known, Touched{{changed(host), {}}}, sink);", bits(sends(step.body)));
    line("    return true;");
    line("  }}");
  }

  void statements(const std::vector<ir::StmtId>& stmts, const std::string& indent, Expressions& write, Locals& locals,
                  std::string& out) {
    for (const ir::StmtId id : stmts) {
      const ir::Stmt& stmt = p_[id];
      switch (stmt.kind) {
        case ir::StmtKind::assign:
          out += indent + assignment(stmt, write) + "\n";
          break;
        case ir::StmtKind::if_:
          out += fmt::format("{}if ({}) {{\n", indent, write.write(stmt.value));
          statements(stmt.then_branch, indent + "  ", write, locals, out);
          if (!stmt.else_branch.empty()) {
            out += indent + "} else {\n";
            statements(stmt.else_branch, indent + "  ", write, locals, out);
          }
          out += indent + "}\n";
          break;
        case ir::StmtKind::choose:
          if (stmt.value.valid()) {
            out += fmt::format("{}if (!{}) return false;\n", indent, write.write(stmt.value, Expressions::kUnary));
          }
          break;
        case ir::StmtKind::let:
          out += fmt::format("{}const {} {} = {};\n", indent, types_.model(p_[stmt.local].type), locals[stmt.local],
                             write.write(stmt.value));
          break;
        case ir::StmtKind::send:
          send(stmt, indent, write, locals, out);
          break;
      }
    }
  }

  [[nodiscard]] std::string assignment(const ir::Stmt& stmt, Expressions& write) const {
    const std::string name = "self." + member(p_[stmt.var].name);
    const ir::Expr& value = p_[stmt.value];
    const auto is_it = [&](ir::ExprId id) {
      const ir::Expr& e = p_[id];
      return e.op == ir::Op::state_var && e.ref == stmt.var.value && p_[e.args[0]].op == ir::Op::self;
    };
    if (value.op == ir::Op::set_union && is_it(value.args[0])) {
      const ir::Expr& more = p_[value.args[1]];
      if (more.op == ir::Op::set_literal && more.args.size() == 1) {
        return fmt::format("{}.insert({});", name, write.write(more.args[0]));
      }
    }
    if (value.op == ir::Op::update && is_it(value.args[0])) {
      return fmt::format("{}.set({}, {});", name, write.write(value.args[1]), write.write(value.args[2]));
    }
    if (value.op == ir::Op::none) return name + ".reset();";
    if (value.op == ir::Op::some) return fmt::format("{} = {};", name, write.write(value.args[0]));
    if (value.op == ir::Op::set_literal && value.args.empty()) return name + ".clear();";
    return fmt::format("{} = {};", name, write.write(stmt.value));
  }

  void send(const ir::Stmt& stmt, const std::string& indent, Expressions& write, Locals& locals, std::string& out) {
    const ir::TypeId target = p_[stmt.target].type;
    const bool many = p_[target].kind == ir::TypeKind::set;
    const std::string to = !many ? write.write(stmt.target) : stmt.local.valid() ? locals[stmt.local] : "to";
    std::string message = fmt::format("{{id(me), id({})", to);
    for (const ir::ExprId arg : stmt.args) message += ", " + write.write(arg);
    message += "}";
    const std::string insert = fmt::format("sent.{}.insert({});", types_.messages(stmt.message), message);
    if (many) {
      out += fmt::format("{}for (const {} {} : {}) {}\n", indent, types_.model(p_[target].first), to,
                         write.write(stmt.target), insert);
    } else {
      out += indent + insert + "\n";
    }
  }

  // ---- Messages

  void send_methods() {
    line("");
    line("  // -- Messages");
    line("");
    line("  template <class Message>");
    line("  void judge_received(Rule rule, const Event& event, Joined joined, const Message& message,");
    line("                      const std::set<Message>& sent, Sink& sink) {{");
    line("    if (has(sent, message)) return sink.verdict(rule, Verdict::passed, event);");
    line("    const bool sure = joined == Joined::matched && complete(message.from_host);");
    line("    sink.verdict(rule, sure ? Verdict::violated : Verdict::unknown, event,");
    line(
        "                 sure ? name(message.from_host) + \" has not sent this\" : std::string(), "
        "{{message.from_host}});");
    line("  }}");
    for (std::size_t i = 0; i < p_.messages.size(); ++i) {
      const ir::MessageDecl& message = p_.messages[i];
      line("");
      line("  bool sends_{}(const Event& event, Reader& in, Sink& sink) {{", snake(message.name));
      line("    MessageId step;");
      line("    read(in, step);");
      line("    model::{} sent;", message_type(message));
      line("    sent.from_host = event.host;");
      line("    sent.to_host.word = static_cast<std::uint32_t>(in.word());");
      for (const ir::FieldDecl& field : message.fields) line("    read(in, sent.{});", member(field.name));
      line("    if (!in.done() || !knows(sent.to_host)) return false;");
      for (const ir::FieldDecl& field : message.fields) collect_one(field.type, "sent." + member(field.name));
      line("    if (!has(run_->sent.{}, sent)) {{", types_.messages(ir::MessageId(i)));
      line("      const bool sure = complete(event.host);");
      line("      sink.verdict(k{}Sent, sure ? Verdict::violated : Verdict::unknown, event,", camel(message.name));
      line(
          "                   sure ? std::string(\"no step of \") + name(event.host) + \" sends this\" : "
          "std::string());");
      line("      run_->sent.{}.insert(sent);", types_.messages(ir::MessageId(i)));
      line("      judge_properties(event, false, Touched{{0, {}}}, sink);", bits(std::set{ir::MessageId(i)}));
      line("      return true;");
      line("    }}");
      line("    sink.verdict(k{}Sent, Verdict::passed, event);", camel(message.name));
      line("    return true;");
      line("  }}");
    }
  }

  // ---- Properties

  void properties() {
    line("");
    line("  // -- Properties over all hosts");
    for (const FormulaPlan& formula : plan_.formulas) {
      Locals locals(p_);
      Expressions write(p_, locals);
      const bool about = formula.about.valid();
      const std::string text =
          about ? write.write_about(formula.formula, formula.about, formula.since) : write.write(formula.formula);
      line("");
      line("  // {}", ir::to_source(p_, formula.formula));
      line("  bool {}({}) const {{", formula.method,
           about ? types_.model(p_[formula.about].type) + " " + locals[formula.about] : "");
      line("    return {};", laid_out(text, 4));
      line("  }}");
    }
    line("");
    const bool transitions = std::any_of(plan_.formulas.begin(), plan_.formulas.end(),
                                         [](const FormulaPlan& f) { return f.transition && !f.since; });
    line("  void judge_properties(const Event& event, bool {}, const Touched& touched, Sink& sink) {{",
         transitions ? "stepped" : "");
    line("    stepping_ = event.host;");
    line("    const std::size_t values = run_->values();");
    line("    (void)values;");
    line("    (void)touched;");
    for (std::size_t i = 0; i < plan_.formulas.size(); ++i) judge_property(plan_.formulas[i], i);
    if (plan_.formulas.empty()) line("    (void)sink;");
    line("  }}");
  }

  void judge_property(const FormulaPlan& formula, std::size_t number) {
    if (!formula.about.valid() && !formula.transition) {
      line("    judge_again({}, (touched.variables & {}) != 0 || (touched.messages & {}) != 0, values,",
           formula.constant, bits(formula.variables), bits(formula.messages));
      line("                run_->answers[{}], event, sink, [&] {{ return {}(); }});", number, formula.method);
      return;
    }
    if (!formula.about.valid()) {
      line("    if (stepped) judge({}, event, sink, [&] {{ return {}(); }});", formula.constant, formula.method);
      return;
    }
    const ir::Type& type = p_[p_[formula.about].type];
    const std::string host = fmt::format("{}(event.host.index())", types_.model(p_[formula.about].type));
    line("    if (event.host.role() == {}{}) {{", type.declaration,
         formula.since
             ? fmt::format(" && run_->{}[event.host.index()].before_seen", types_.tracked(ir::RoleId(type.declaration)))
             : "");
    line("      judge({}, event, sink, [&] {{ return {}({}); }});", formula.constant, formula.method, host);
    line("    }}");
  }

  // ---- Events in words

  void text() {
    line("");
    line("  // -- Events in words and as lines of a trace");
    line("");
    line("  std::string text(const Event& event, const Format& format) const {{");
    line("    Reader in(event.words, hosts_);");
    line("    const std::string who = name(event.host);");
    line("    switch (event.type) {{");
    for (const RolePlan& role : plan_.roles) {
      const ir::RoleDecl& decl = p_[role.role];
      line("      case event::{}Begins:", role.constant);
      line("      case event::{}Recovers: {{", role.constant);
      line("        model::{}Host host;", decl.name);
      if (!decl.constants.empty()) line("        read_constants(in, host);");
      line("        read_variables(in, host);");
      line("        const char* kind = event.type == event::{}Begins ? \"begins\" : \"recovers\";", role.constant);
      line("        return show_event(event, who, \"snapshot\", kind,");
      line("                          {{{}{{\"state\", show_variables(host, format)}}}}, format);",
           decl.constants.empty() ? "" : "{\"constants\", show_constants(host, format)}, ");
      line("      }}");
      for (const StepPlan& step : role.steps) step_text(role, step);
    }
    for (const ir::MessageDecl& message : p_.messages) {
      line("      case event::kSends{}: {{", camel(message.name));
      line("        MessageId step;");
      line("        read(in, step);");
      line("        const HostId to{{static_cast<std::uint32_t>(in.word())}};");
      std::string fields;
      for (const ir::FieldDecl& field : message.fields) {
        const std::string name = "field_" + field.name;
        line("        {} {}{{}};", types_.model(field.type), name);
        line("        read(in, {});", name);
        fields += fmt::format("{}{{{}, show({}, format)}}", fields.empty() ? "" : ", ", literal(field.name), name);
      }
      line("        const MessageId mine(std::uint64_t{{event.host.word}} + 1, place_of(event));");
      line("        return show_event(event, who, \"send\", {},", literal(message.name));
      line("                          {{{{\"to\", show_name(knows(to) ? name(to) : \"?\", format)}},");
      line("                           {{\"arguments\", show_fields({{{}}}, format)}},", fields);
      line("                           {{\"id\", show_id(mine, who, format)}},");
      line("                           {{\"of_step\", show_id(step, who, format)}}}},");
      line("                          format);");
      line("      }}");
    }
    line("      default: return std::string();");
    line("    }}");
    line("  }}");
  }

  void step_text(const RolePlan& role, const StepPlan& plan) {
    const ir::Step& step = p_[plan.step];
    Locals locals(p_);
    line("      case event::{}: {{", plan.constant);
    std::string parts;
    if (step.receive) {
      read_message(step, "        ", locals);
      std::string fields;
      const ir::MessageDecl& message = p_[step.receive->message];
      for (std::size_t i = 0; i < message.fields.size(); ++i) {
        fields += fmt::format("{}{{{}, show({}, format)}}", fields.empty() ? "" : ", ", literal(message.fields[i].name),
                              locals[step.receive->fields[i]]);
      }
      line("        const HostId maker{{static_cast<std::uint32_t>(message.host - 1)}};");
      parts += fmt::format(
          "{{\"message\", show_name({}, format)}},\n{:26}{{\"from\", show_name(knows(sender) ? name(sender) : \"?\", "
          "format)}},\n{:26}{{\"arguments\", show_fields({{{}}}, format)}},\n{:26}{{\"received\", show_id(message, "
          "message.known() && knows(maker) ? name(maker) : \"?\", format)}},\n{:26}",
          literal(message.name), "", "", fields, "", "");
    }
    std::string parameters;
    std::string choices;
    for (const Carried& carried : plan.carried) {
      if (step.receive && std::find(step.receive->fields.begin(), step.receive->fields.end(), carried.local) !=
                              step.receive->fields.end()) {
        continue;
      }
      line("        {} {}{{}};", types_.model(p_[carried.local].type), locals[carried.local]);
      line("        read(in, {});", locals[carried.local]);
      std::string& list = carried.choice ? choices : parameters;
      list += fmt::format("{}{{{}, show({}, format)}}", list.empty() ? "" : ", ", literal(p_[carried.local].name),
                          locals[carried.local]);
    }
    if (!parameters.empty()) parts += fmt::format("{{\"parameters\", show_fields({{{}}}, format)}}, ", parameters);
    if (!choices.empty()) parts += fmt::format("{{\"choices\", show_fields({{{}}}, format)}}, ", choices);
    line("        model::{}Host host;", p_[role.role].name);
    line("        read_variables(in, host);");
    line("        return show_event(event, who, \"step\", {},", literal(step.name));
    line("                          {{{}{{\"state\", show_variables(host, format)}}}}, format);", parts);
    line("      }}");
  }

  void members() {
    line("");
    line("  static constexpr std::size_t kNodeBytes = 48;  // of a set, beside the element");
    line("  static std::uint64_t place_of(const Event& event) {{");
    line("    return (std::uint64_t{{event.incarnation}} << 40) | event.sequence;");
    line("  }}");
    line("");
    line("  const std::string protocol_ = {};", literal(p_.name));
    line("  const std::string stamp_ = {};", literal(plan_.stamp));
    line("  const std::vector<RuleInfo> rules_ = rule_table();");
    line("  const Topology topology_;");
    for (std::size_t i = 0; i < p_.roles.size(); ++i) {
      line("  std::set<{}> {};  // all of them", types_.host_id(ir::RoleId(i)), types_.all_hosts(ir::RoleId(i)));
    }
    line("  Run* run_ = nullptr;  // of the event that is judged");
    line("  HostId stepping_;");
  }

  const Plan& plan_;
  const ir::Protocol& p_;
  Types types_;
  std::set<ir::TypeId> seen_;
  std::string unsupported_;
};

}  // namespace

std::string write_source(const Plan& plan, std::string& unsupported) { return Source(plan).write(unsupported); }

}  // namespace tenet::from_spec
