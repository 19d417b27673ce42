#include "tenet/from_tests/model.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include <toml++/toml.h>

#include "tenet/monitor/abi.h"

namespace tenet::from_tests {
namespace {

using derived::OpKind;

const std::map<std::string, OpKind>& kinds() {
  static const std::map<std::string, OpKind> kAll{
      {"mutate", OpKind::mutate},     {"query", OpKind::query},     {"update", OpKind::update},
      {"open", OpKind::open},         {"close", OpKind::close},     {"erase", OpKind::erase},
      {"handle", OpKind::handle},     {"release", OpKind::release}, {"cursor", OpKind::cursor},
      {"position", OpKind::position}, {"observe", OpKind::observe}, {"control", OpKind::control}};
  return kAll;
}

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

class Reader {
 public:
  Reader(const std::string& path) { model_.path = path; }

  Result<Model> read(const std::string& text) {
    toml::table table;
    try {
      table = toml::parse(std::string_view(text), std::string_view(model_.path));
    } catch (const toml::parse_error& error) {
      return failure(ErrorKind::bad_input, model_.path + ":" + std::to_string(error.source().begin.line) + ": " +
                                               std::string(error.description()));
    }
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (name == "system") {
        model_.system = string(node, "system");
      } else if (name == "include") {
        model_.includes = strings(node, "include");
      } else if (name != "status" && name != "class" && name != "batch") {
        wrong(node, "'" + name + "' is no part of a model; there are system, include, status, class and batch");
      }
    }
    if (model_.system.empty()) wrong(table, "a model names its system: system = \"store\"");
    for (const auto& [name, body] : sorted(table["status"].node())) read_status(name, *body);
    for (const auto& [name, body] : sorted(table["class"].node())) read_class(name, *body);
    if (model_.classes.empty()) wrong(table, "a model has at least one class: [class.\"store::Store\"]");
    for (const auto& [name, body] : sorted(table["batch"].node())) read_batch(name, *body);
    if (!error_.empty()) return failure(ErrorKind::bad_input, error_);
    finish(text);
    if (!error_.empty()) return failure(ErrorKind::bad_input, error_);
    return std::move(model_);
  }

 private:
  void wrong(const toml::node& node, const std::string& what) {
    wrong(static_cast<int>(node.source().begin.line), what);
  }
  void wrong(int line, const std::string& what) {
    if (error_.empty()) error_ = model_.path + ":" + std::to_string(line) + ": " + what;
  }

  std::string string(const toml::node& node, const std::string& what) {
    const auto value = node.value<std::string>();
    if (!value || !node.is_string()) wrong(node, what + " is a string");
    return value.value_or("");
  }
  std::vector<std::string> strings(const toml::node& node, const std::string& what) {
    std::vector<std::string> all;
    if (node.is_string()) return {string(node, what)};
    const toml::array* array = node.as_array();
    if (array == nullptr) {
      wrong(node, what + " is a list of strings");
      return all;
    }
    for (const auto& element : *array) all.push_back(string(element, what));
    return all;
  }
  /// Entries in the order of the text: a table forgets it.
  std::vector<std::pair<std::string, const toml::node*>> sorted(const toml::node* node) {
    std::vector<std::pair<std::string, const toml::node*>> all;
    if (node == nullptr) return all;
    const toml::table* table = node->as_table();
    if (table == nullptr) {
      wrong(*node, "a table is expected here");
      return all;
    }
    for (const auto& [key, value] : *table) all.emplace_back(std::string(key.str()), &value);
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      const auto& x = a.second->source().begin;
      const auto& y = b.second->source().begin;
      return x.line != y.line ? x.line < y.line : x.column < y.column;
    });
    return all;
  }
  /// `["key", "value"]` is short for `{ key = "key", value = "value" }`.
  std::vector<RoleExpression> roles(const toml::node& node, const std::string& what) {
    std::vector<RoleExpression> all;
    if (node.is_table()) {
      for (const auto& [role, expression] : sorted(&node))
        all.emplace_back(role, string(*expression, what + "." + role));
    } else {
      for (const std::string& role : strings(node, what)) all.emplace_back(role, role);
    }
    for (const auto& [role, expression] : all) {
      const bool name = !role.empty() && std::all_of(role.begin(), role.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
      });
      if (!name) wrong(node, "'" + role + "' is no name of a role");
      if (trimmed(expression).empty()) wrong(node, "the expression of " + what + "." + role + " is empty");
    }
    return all;
  }

  void read_status(const std::string& type, const toml::node& body) {
    StatusModel status;
    status.type = type;
    for (const auto& [name, node] : sorted(&body)) {
      if (name == "refused") {
        status.refused = strings(*node, "refused");
      } else {
        status.classes.emplace_back(name, string(*node, name));
      }
    }
    if (status.classes.empty() || status.classes.front().first != "ok") {
      wrong(body, "the first class of a status is ok: ok = \"ok()\"");
    }
    for (const std::string& name : status.refused) {
      if (std::none_of(status.classes.begin(), status.classes.end(), [&](const auto& c) { return c.first == name; })) {
        wrong(body, "refused names '" + name + "', which is no class of this status");
      }
    }
    model_.statuses.push_back(std::move(status));
  }

  bool read_signature(const std::string& text, const toml::node& node, const std::string& class_name, Method& method) {
    const auto open = text.find('('), close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close < open) {
      wrong(node, "'" + text + "' is no method: get(key) is one, parameters named as the expressions use them");
      return false;
    }
    std::string name = trimmed(text.substr(0, open));
    if (name.rfind("static ", 0) == 0) {
      method.is_static = true;
      name = trimmed(name.substr(7));
    }
    const std::string simple =
        class_name.substr(class_name.rfind(':') == std::string::npos ? 0 : class_name.rfind(':') + 1);
    method.name = name == simple ? "" : name == "~" + simple ? "~" : name;
    std::stringstream list(text.substr(open + 1, close - open - 1));
    for (std::string parameter; std::getline(list, parameter, ',');) {
      parameter = trimmed(parameter);
      method.parameters.push_back(parameter);
    }
    return true;
  }

  void read_method(const std::string& signature, const toml::node& node, ClassModel& owner) {
    Method method;
    method.line = static_cast<int>(node.source().begin.line);
    if (!read_signature(signature, node, owner.name, method)) return;
    const toml::table* table = node.as_table();
    if (node.is_string()) {
      read_kind(node, method);
    } else if (table == nullptr) {
      wrong(node, "a method is a table: { kind = \"query\", in = [\"key\"] }");
      return;
    } else {
      for (const auto& [name, value] : sorted(&node)) {
        if (name == "kind") {
          read_kind(*value, method);
        } else if (name == "in") {
          method.in = roles(*value, "in");
        } else if (name == "out") {
          method.out = roles(*value, "out");
        } else if (name == "when") {
          method.when = roles(*value, "when");
        } else if (name == "applied") {
          method.applied = string(*value, "applied");
        } else if (name == "object") {
          method.object = string(*value, "object");
        } else if (name == "space") {
          method.space = string(*value, "space");
        } else if (name == "batch") {
          method.batch = string(*value, "batch");
        } else {
          wrong(*value,
                "'" + name + "' is no word of a method; there are kind, in, out, when, applied, object, space, batch");
        }
      }
      if (!table->contains("kind")) wrong(node, "a method says what it does: kind = \"query\"");
    }
    owner.methods.push_back(std::move(method));
  }

  void read_kind(const toml::node& node, Method& method) {
    const std::string kind = string(node, "kind");
    if (kind == "ignore") {
      method.ignored = true;
      return;
    }
    const auto found = kinds().find(kind);
    if (found == kinds().end()) {
      std::string all = "ignore";
      for (const auto& [name, value] : kinds()) all += ", " + name;
      wrong(node, "'" + kind + "' is no kind of method; there are " + all);
      return;
    }
    method.kind = found->second;
  }

  void read_class(const std::string& name, const toml::node& body) {
    ClassModel owner;
    owner.name = name;
    for (const auto& [signature, node] : sorted(&body)) {
      if (signature == "after") {
        owner.after = roles(*node, "after");
      } else {
        read_method(signature, *node, owner);
      }
    }
    for (Method& method : owner.methods) {
      if (method.kind == OpKind::position && method.out.empty()) method.out = owner.after;
    }
    if (owner.methods.empty()) wrong(body, "class " + name + " has no methods");
    model_.classes.push_back(std::move(owner));
  }

  void read_batch(const std::string& type, const toml::node& body) {
    BatchModel batch;
    batch.type = type;
    for (const auto& [name, node] : sorted(&body)) {
      if (name == "handler") {
        batch.handler = string(*node, name);
      } else if (name == "iterate") {
        batch.iterate = string(*node, name);
      } else {
        Method entry;
        entry.line = static_cast<int>(node->source().begin.line);
        if (!read_signature(name, *node, batch.handler, entry)) continue;
        for (const auto& [word, value] : sorted(node)) {
          if (word == "as") {
            entry.batch = string(*value, word);
          } else if (word == "in") {
            entry.in = roles(*value, word);
          } else {
            wrong(*value, "'" + word + "' is no word of a batch's entry; there are as and in");
          }
        }
        batch.entries.push_back(std::move(entry));
      }
    }
    if (batch.handler.empty() || batch.iterate.empty()) {
      wrong(body, "a batch names its handler class and the method that iterates: handler, iterate");
    }
    model_.batches.push_back(std::move(batch));
  }

  std::uint8_t role_number(const std::string& name, int line) {
    auto& all = model_.schema.roles;
    const auto found = std::find(all.begin(), all.end(), name);
    if (found != all.end()) return static_cast<std::uint8_t>(found - all.begin());
    if (all.size() >= 200) wrong(line, "too many roles");
    all.push_back(name);
    return static_cast<std::uint8_t>(all.size() - 1);
  }

  /// Numbers operations, roles and outcomes.
  void finish(const std::string& text) {
    derived::Schema& schema = model_.schema;
    schema.system = model_.system;
    char stamp[17];
    std::snprintf(stamp, sizeof stamp, "%016llx",
                  static_cast<unsigned long long>(tenet_monitor_v1_hash(text.data(), text.size())));
    schema.stamp = stamp;
    schema.roles = {"key", "value", "at", "handle", "cursor", "valid", "scope", "fresh"};
    schema.outcomes = {"ok"};
    for (const StatusModel& status : model_.statuses) {
      for (const auto& [name, expression] : status.classes) {
        if (std::find(schema.outcomes.begin(), schema.outcomes.end(), name) == schema.outcomes.end()) {
          schema.outcomes.push_back(name);
        }
      }
    }
    schema.outcomes.emplace_back("error");
    std::vector<std::string> spaces;
    std::map<std::string, int> uses;
    for (const ClassModel& owner : model_.classes) {
      for (const Method& method : owner.methods) ++uses[op_name(owner, method)];
    }
    for (ClassModel& owner : model_.classes) {
      for (Method& method : owner.methods) {
        if (method.ignored || !method.batch.empty()) continue;
        derived::OpInfo info;
        info.name = op_name(owner, method);
        if (uses[info.name] > 1 && !method.name.empty() && method.name != "~") {
          const std::string of =
              owner.name.substr(owner.name.rfind(':') == std::string::npos ? 0 : owner.name.rfind(':') + 1);
          info.name = of + "." + info.name;
        }
        info.kind = method.kind;
        if (!method.space.empty()) {
          const auto known = std::find(spaces.begin(), spaces.end(), method.space);
          info.space = static_cast<std::uint8_t>(known - spaces.begin() + 1);
          if (known == spaces.end()) spaces.push_back(method.space);
        }
        for (const auto& [role, expression] : method.in) info.in.push_back(role_number(role, method.line));
        for (const auto& [role, expression] : method.when) info.in.push_back(role_number(role, method.line));
        for (const auto& [role, expression] : method.out) {
          if (role == "status") {
            info.has_outcome = true;
          } else {
            info.out.push_back(role_number(role, method.line));
          }
        }
        if (method.kind == OpKind::position) model_.ordered = true;
        if (model_.op(info.name) >= 0) wrong(method.line, "two methods are called " + info.name);
        method.op = static_cast<std::uint16_t>(schema.ops.size());
        schema.ops.push_back(std::move(info));
      }
    }
    for (BatchModel& batch : model_.batches) {
      for (Method& entry : batch.entries) {
        const int op = model_.op(entry.batch);
        if (op < 0) {
          wrong(entry.line, "a batch's entry stands for an operation of the model: as = \"Put\"");
          return;
        }
        entry.op = static_cast<std::uint16_t>(op);
        for (const auto& [role, expression] : entry.in) (void)role_number(role, entry.line);
      }
    }
  }

  static std::string op_name(const ClassModel& owner, const Method& method) {
    const std::string of =
        owner.name.substr(owner.name.rfind(':') == std::string::npos ? 0 : owner.name.rfind(':') + 1);
    if (method.name.empty()) return of + ".new";
    return method.name == "~" ? of + ".delete" : method.name;
  }

  Model model_;
  std::string error_;
};

}  // namespace

const Method* Model::method(std::uint16_t op) const {
  for (const ClassModel& owner : classes) {
    for (const Method& method : owner.methods) {
      if (!method.ignored && method.batch.empty() && method.op == op) return &method;
    }
  }
  return nullptr;
}

namespace {
template <class Range, class Name>
int index_of(const Range& range, const Name& name) {
  for (std::size_t i = 0; i < range.size(); ++i) {
    if (name(range[i])) return static_cast<int>(i);
  }
  return -1;
}
}  // namespace

int Model::op(const std::string& name) const {
  return index_of(schema.ops, [&](const derived::OpInfo& op) { return op.name == name; });
}
int Model::role(const std::string& name) const {
  return index_of(schema.roles, [&](const std::string& role) { return role == name; });
}
int Model::outcome(const std::string& name) const {
  return index_of(schema.outcomes, [&](const std::string& outcome) { return outcome == name; });
}

Result<Model> parse_model(const std::string& text, const std::string& path) { return Reader(path).read(text); }

Result<Model> read_model(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return failure(ErrorKind::io, path + ": cannot be read");
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return parse_model(text, path);
}

}  // namespace tenet::from_tests
