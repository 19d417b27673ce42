/// What the formats of others ask of a document: SARIF 2.1.0 (OASIS; the
/// properties that its schema allows and requires, and their types) and the
/// Informal Trace Format (Apalache ADR-015). Each check returns what is wrong
/// and where; empty: nothing.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace tenet::testing {

class SarifCheck {
 public:
  static std::string wrong(const std::string& text) {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) return "this is no JSON";
    SarifCheck check;
    check.log(json);
    return check.wrong_;
  }

 private:
  using Json = nlohmann::json;

  void say(const std::string& where, const std::string& what) { wrong_ += where + ": " + what + "\n"; }

  /// An object with all of `required` and nothing but those and `allowed`.
  bool object(const Json& json, const std::string& where, const std::set<std::string>& required,
              const std::set<std::string>& allowed) {
    if (!json.is_object()) return say(where, "no object"), false;
    for (const std::string& name : required) {
      if (!json.contains(name)) say(where, "lacks " + name);
    }
    for (const auto& [name, value] : json.items()) {
      if (required.count(name) == 0 && allowed.count(name) == 0) say(where, "has no property " + name);
    }
    return true;
  }
  template <class Each>
  void list(const Json& json, const std::string& name, const std::string& where, std::size_t least, const Each& each) {
    if (!json.contains(name)) return;
    const Json& items = json[name];
    if (!items.is_array()) return say(where + "." + name, "no array");
    if (items.size() < least) say(where + "." + name, "too few items");
    for (std::size_t i = 0; i < items.size(); ++i) each(items[i], where + "." + name + "[" + std::to_string(i) + "]");
  }
  void string(const Json& json, const std::string& name, const std::string& where) {
    if (json.contains(name) && !json[name].is_string()) say(where + "." + name, "no string");
  }
  void word(const Json& json, const std::string& name, const std::string& where, const std::set<std::string>& words) {
    if (!json.contains(name)) return;
    if (!json[name].is_string() || words.count(json[name].get<std::string>()) == 0)
      say(where + "." + name, "no such word");
  }
  void number(const Json& json, const std::string& name, const std::string& where, std::int64_t least) {
    if (!json.contains(name)) return;
    if (!json[name].is_number_integer() || json[name].get<std::int64_t>() < least) say(where + "." + name, "too small");
  }

  void log(const Json& json) {
    if (!object(json, "$", {"version", "runs"}, {"$schema", "properties"})) return;
    word(json, "version", "$", {"2.1.0"});
    list(json, "runs", "$", 0, [this](const Json& each, const std::string& at) { run(each, at); });
  }
  void run(const Json& json, const std::string& at) {
    if (!object(json, at, {"tool"}, {"invocations", "artifacts", "results", "columnKind", "properties"})) return;
    if (json.contains("tool") && object(json["tool"], at + ".tool", {"driver"}, {"extensions"})) {
      component(json["tool"].value("driver", Json()), at + ".tool.driver");
    }
    word(json, "columnKind", at, {"utf16CodeUnits", "unicodeCodePoints"});
    list(json, "invocations", at, 0, [this](const Json& each, const std::string& place) {
      if (!object(each, place, {"executionSuccessful"}, {"exitCode", "commandLine", "properties"})) return;
      if (!each["executionSuccessful"].is_boolean()) say(place, "executionSuccessful is no boolean");
      number(each, "exitCode", place, 0);
    });
    std::set<Json> artifacts;
    list(json, "artifacts", at, 0, [&](const Json& each, const std::string& place) {
      if (object(each, place, {}, {"location", "properties"})) artifact(each.value("location", Json()), place);
      if (!artifacts.insert(each).second) say(place, "is there twice");
    });
    list(json, "results", at, 0, [this](const Json& each, const std::string& place) { result(each, place); });
  }
  void component(const Json& json, const std::string& at) {
    if (!object(json, at, {"name"}, {"version", "rules", "informationUri", "properties"})) return;
    string(json, "name", at);
    string(json, "version", at);
    std::set<std::string> ids;
    list(json, "rules", at, 0, [&](const Json& each, const std::string& place) {
      if (!object(each, place, {"id"}, {"name", "shortDescription", "fullDescription", "properties"})) return;
      string(each, "id", place);
      if (!ids.insert(each.value("id", "")).second) say(place, "is there twice");
      if (each.contains("shortDescription")) message(each["shortDescription"], place + ".shortDescription");
    });
    rules_ = ids;
  }
  void message(const Json& json, const std::string& at) {
    if (!object(json, at, {}, {"text", "markdown", "id", "arguments", "properties"})) return;
    if (!json.contains("text") && !json.contains("id")) say(at, "has neither text nor id");
    string(json, "text", at);
  }
  /// A URI has none of these; ours are relative or files.
  void artifact(const Json& json, const std::string& at) {
    if (!object(json, at, {}, {"uri", "uriBaseId", "index", "description"})) return;
    string(json, "uri", at);
    const std::string uri = json.value("uri", "");
    const bool odd = std::any_of(uri.begin(), uri.end(), [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte <= 0x20 || byte >= 0x7f || std::string_view("\"<>\\^`{|}").find(c) != std::string_view::npos;
    });
    if (odd) say(at, "'" + uri + "' is no URI");
  }
  void region(const Json& json, const std::string& at) {
    if (!object(json, at, {}, {"startLine", "startColumn", "endLine", "endColumn", "snippet", "message"})) return;
    for (const char* name : {"startLine", "startColumn", "endLine", "endColumn"}) number(json, name, at, 1);
    const auto start = std::pair(json.value("startLine", 1), json.value("startColumn", 1));
    const auto end = std::pair(json.value("endLine", start.first), json.value("endColumn", start.second));
    if (end < start) say(at, "ends before it begins");
  }
  void location(const Json& json, const std::string& at) {
    if (!object(json, at, {}, {"id", "physicalLocation", "logicalLocations", "message", "properties"})) return;
    if (json.contains("message")) message(json["message"], at + ".message");
    if (json.contains("physicalLocation")) {
      const std::string place = at + ".physicalLocation";
      if (object(json["physicalLocation"], place, {"artifactLocation"}, {"region", "contextRegion"})) {
        artifact(json["physicalLocation"].value("artifactLocation", Json()), place + ".artifactLocation");
        if (json["physicalLocation"].contains("region")) region(json["physicalLocation"]["region"], place + ".region");
      }
    }
    list(json, "logicalLocations", at, 0, [this](const Json& each, const std::string& place) {
      if (!object(each, place, {}, {"name", "fullyQualifiedName", "kind", "index"})) return;
      string(each, "name", place);
      string(each, "kind", place);
    });
  }
  void result(const Json& json, const std::string& at) {
    if (!object(json, at, {"message"},
                {"ruleId", "ruleIndex", "kind", "level", "locations", "relatedLocations", "codeFlows", "properties"}))
      return;
    message(json.value("message", Json()), at + ".message");
    string(json, "ruleId", at);
    if (rules_.count(json.value("ruleId", "")) == 0) say(at, "its rule is not declared");
    word(json, "kind", at, {"notApplicable", "pass", "fail", "review", "open", "informational"});
    word(json, "level", at, {"none", "note", "warning", "error"});
    // SARIF 3.27.9: where the kind is present and not "fail", the level is absent or "none".
    if (json.value("kind", "fail") != "fail" && json.value("level", "none") != "none")
      say(at, "its level fits no kind");
    const auto each_location = [this](const Json& each, const std::string& place) { location(each, place); };
    list(json, "locations", at, 0, each_location);
    list(json, "relatedLocations", at, 0, each_location);
    list(json, "codeFlows", at, 0, [this](const Json& flow, const std::string& place) {
      if (!object(flow, place, {"threadFlows"}, {"message"})) return;
      list(flow, "threadFlows", place, 1, [this](const Json& thread, const std::string& in) {
        if (!object(thread, in, {"locations"}, {"id", "message"})) return;
        list(thread, "locations", in, 1, [this](const Json& step, const std::string& on) {
          if (!object(step, on, {}, {"location", "executionOrder", "importance", "state", "kinds"})) return;
          location(step.value("location", Json()), on + ".location");
          number(step, "executionOrder", on, 0);
          word(step, "importance", on, {"important", "essential", "unimportant"});
        });
      });
    });
    if (json.contains("properties") && !json["properties"].is_object()) say(at, "properties are no object");
  }

  std::set<std::string> rules_;
  std::string wrong_;
};

class ItfCheck {
 public:
  static std::string wrong(const std::string& text) {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) return "this is no JSON";
    ItfCheck check;
    check.trace(json);
    return check.wrong_;
  }

 private:
  using Json = nlohmann::json;
  void say(const std::string& where, const std::string& what) { wrong_ += where + ": " + what + "\n"; }

  std::set<std::string> names(const Json& json, const std::string& of) {
    std::set<std::string> result;
    if (!json.is_array()) return say(of, "no array"), result;
    for (const Json& name : json) {
      if (!name.is_string()) return say(of, "a name is no string"), result;
      const auto text = name.get<std::string>();
      if (text.empty() || text[0] == '#') say(of, "'" + text + "' is no name");
      if (!result.insert(text).second) say(of, text + " is there twice");
    }
    return result;
  }
  void trace(const Json& json) {
    if (!json.is_object()) return say("$", "no object");
    for (const auto& [name, value] : json.items()) {
      if (std::set<std::string>{"#meta", "params", "vars", "states", "loop"}.count(name) == 0) say("$", "has " + name);
    }
    if (json.contains("#meta") && !json["#meta"].is_object()) say("#meta", "no object");
    if (json.contains("params")) (void)names(json["params"], "params");
    const std::set<std::string> vars = names(json.value("vars", Json()), "vars");
    const Json states = json.value("states", Json());
    if (!states.is_array()) return say("states", "no array");
    for (std::size_t i = 0; i < states.size(); ++i) {
      const std::string at = "states[" + std::to_string(i) + "]";
      if (!states[i].is_object()) {
        say(at, "no object");
        continue;
      }
      std::set<std::string> seen;
      for (const auto& [name, value] : states[i].items()) {
        if (name == "#meta") {
          if (value.value("index", Json()) != Json(i)) say(at, "its index is another");
          continue;
        }
        seen.insert(name);
        expression(value, at + "." + name);
      }
      if (seen != vars) say(at, "its variables are not those declared");
    }
  }
  void all(const Json& json, const std::string& at) {
    if (!json.is_array()) return say(at, "no array");
    for (const Json& each : json) expression(each, at);
  }
  void expression(const Json& json, const std::string& at) {
    if (json.is_boolean() || json.is_string()) return;
    if (json.is_number()) return say(at, "numbers are written as #bigint");
    if (json.is_array()) return all(json, at);
    if (!json.is_object()) return say(at, "no expression");
    if (json.size() == 1 && json.begin().key().starts_with("#"))
      return special(json.begin().key(), json.begin().value(), at);
    for (const auto& [name, value] : json.items()) {
      if (name.starts_with("#")) say(at, "a record has a field " + name);
      expression(value, at + "." + name);
    }
  }
  void special(const std::string& kind, const Json& json, const std::string& at) {
    if (kind == "#tup") return all(json, at);
    if (kind == "#set") {
      all(json, at);
      if (std::set<Json>(json.begin(), json.end()).size() != json.size()) say(at, "a set has an element twice");
    } else if (kind == "#map") {
      std::set<Json> keys;
      if (!json.is_array()) return say(at, "no array");
      for (const Json& pair : json) {
        if (!pair.is_array() || pair.size() != 2) return say(at, "a map is made of pairs");
        if (!keys.insert(pair[0]).second) say(at, "a map has a key twice");
        all(pair, at);
      }
    } else if (kind == "#bigint") {
      const std::string digits = json.is_string() ? json.get<std::string>() : "";
      const std::size_t first = digits.starts_with("-") ? 1 : 0;
      if (first == digits.size() || digits.find_first_not_of("0123456789", first) != std::string::npos)
        say(at, "'" + digits + "' is no number");
    } else if (kind != "#unserializable" || !json.is_string()) {
      say(at, kind + " is no expression");
    }
  }

  std::string wrong_;
};

}  // namespace tenet::testing
