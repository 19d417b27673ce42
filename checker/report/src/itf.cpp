#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "itf_value.h"
#include "narration.h"
#include "tenet/ir/printer.h"
#include "tenet/report/report.h"

namespace tenet::report {
namespace {

using Json = nlohmann::ordered_json;

/// Names of the ITF variables: identifiers, so "Leader_promised".
class Names {
 public:
  std::string of(const std::string& role, const std::string& name) {
    std::string text = role.empty() ? name : role + "_" + name;
    while (!taken_.insert(text).second) text += "_";
    return text;
  }

 private:
  std::set<std::string> taken_;
};

/// One row of a table by host: the value itself for a role of exactly one.
Json by_host(const ir::Protocol& protocol, const ir::Instance& instance, ir::RoleId role, ir::TypeId type,
             const std::vector<ir::Value>& values) {
  if (protocol[role].single && values.size() == 1) return itf_value(protocol, instance, type, values.front());
  Json rows = Json::array();
  for (std::uint32_t h = 0; h < values.size(); ++h) {
    rows.push_back(
        Json::array({ir::to_source(protocol, ir::HostRef{role, h}), itf_value(protocol, instance, type, values[h])}));
  }
  return {{"#map", std::move(rows)}};
}

class Document {
 public:
  Document(const result::FileResult& file, const result::Finding& finding)
      : file_(file),
        finding_(finding),
        protocol_(*file.ir),
        instance_(*finding.trace_instance),
        trace_(finding.trace->raw) {}

  Json write() {
    Names names;
    Json constants = Json::object();
    for (std::size_t c = 0; c < protocol_.constants.size() && c < trace_.constants.values.size(); ++c) {
      const ir::ConstDecl& decl = protocol_.constants[c];
      const auto& values = trace_.constants.values[c];
      // Relations and functions of the protocol follow from its text.
      if (!decl.parameters.empty() || values.empty()) continue;
      const std::string name = names.of(decl.role.valid() ? protocol_[decl.role].name : "", decl.name);
      constants[name] = decl.role.valid() ? by_host(protocol_, instance_, decl.role, decl.type, values)
                                          : itf_value(protocol_, instance_, decl.type, values.front());
    }
    for (const ir::VarDecl& decl : protocol_.variables)
      variables_.push_back(names.of(protocol_[decl.role].name, decl.name));
    network_ = names.of("", "network");
    // Equal at-most-once messages can be in the network twice: a list then.
    bag_ = std::any_of(protocol_.messages.begin(), protocol_.messages.end(),
                       [](const ir::MessageDecl& decl) { return decl.delivery != ir::Delivery::any; });
    happened_ = names.of("", "step");

    Json json{{"#meta",
               {{"format", "ITF"},
                {"generator", "tenet"},
                {"format-description", "https://apalache-mc.org/docs/adr/015adr-trace.html"},
                {"description", finding_.message},
                {"source", file_.source->path()},
                // Of a variant: the property that its trace violates.
                {"property", finding_.trace->claim.empty() ? finding_.subject : finding_.trace->claim},
                {"instance", finding_.instance}}}};
    json["params"] = Json::array();
    Json vars = Json::array();
    for (const auto& item : constants.items()) {
      json["params"].push_back(item.key());
      vars.push_back(item.key());
    }
    for (const std::string& name : variables_) vars.push_back(name);
    vars.push_back(network_);
    vars.push_back(happened_);
    json["vars"] = std::move(vars);
    json["states"] = Json::array();
    for (std::size_t i = 0; i < trace_.states.size(); ++i) json["states"].push_back(state(i, constants));
    return json;
  }

 private:
  [[nodiscard]] Json state(std::size_t index, const Json& constants) const {
    const ir::State& s = trace_.states[index];
    Json json{{"#meta", {{"index", index}}}};
    for (const auto& item : constants.items()) json[item.key()] = item.value();
    for (std::size_t v = 0; v < protocol_.variables.size(); ++v) {
      const ir::VarDecl& decl = protocol_.variables[v];
      json[variables_[v]] = by_host(protocol_, instance_, decl.role, decl.type, s.variables[v]);
    }
    Json packets = Json::array();
    for (const ir::Packet& packet : s.network) packets.push_back(itf_packet(protocol_, instance_, packet));
    json[network_] = bag_ ? std::move(packets) : Json{{"#set", std::move(packets)}};
    const auto& steps = finding_.trace->steps;
    json[happened_] =
        index == 0 || index > steps.size() ? "init" : steps[index - 1].host + " " + deed(steps[index - 1]);
    return json;
  }

  const result::FileResult& file_;
  const result::Finding& finding_;
  const ir::Protocol& protocol_;
  const ir::Instance& instance_;
  const ir::Trace& trace_;
  std::vector<std::string> variables_;
  std::string network_;
  bool bag_ = false;
  std::string happened_;
};

}  // namespace

std::string itf(const result::FileResult& file, const result::Finding& finding) {
  if (!file.ir || !finding.trace || !finding.trace_instance) return itf_without_trace();
  return Document(file, finding).write().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string itf_without_trace() {
  const Json json{{"#meta", {{"format", "ITF"}, {"generator", "tenet"}, {"description", "no trace was found"}}},
                  {"vars", Json::array()},
                  {"states", Json::array()}};
  return json.dump(2) + "\n";
}

}  // namespace tenet::report
