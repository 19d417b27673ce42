#include "exchange.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

namespace tenet::gate {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "tenet-gate-shard";
constexpr int kVersion = 1;

Json to_json(const Item& item) {
  return {{"change", name(item.change)},
          {"path", item.path},
          {"line", item.line},
          {"column", item.column},
          {"subjectKind", item.subject_kind},
          {"subject", item.subject},
          {"message", item.message},
          {"before", item.before},
          {"after", item.after},
          {"details", item.details}};
}

Json to_json(const UnitOutcome& unit) {
  Json items = Json::array();
  for (const Item& item : unit.items) items.push_back(to_json(item));
  return {{"key", unit.key},         {"what", unit.what},   {"path", unit.path},
          {"decided", unit.decided}, {"asked", unit.asked}, {"items", std::move(items)}};
}

Json to_json(const Stamp& stamp) {
  return {{"base", stamp.base},     {"mergeBase", stamp.merge_base}, {"head", stamp.head},
          {"policy", stamp.policy}, {"version", stamp.version},      {"units", stamp.units}};
}

Change change_named(const std::string& word) {
  for (std::size_t i = 0; i < kChangeCount; ++i) {
    if (name(static_cast<Change>(i)) == word) return static_cast<Change>(i);
  }
  throw std::invalid_argument("there is no change '" + word + "'");
}

Item item_of(const Json& json) {
  Item item;
  item.change = change_named(json.at("change").get<std::string>());
  json.at("path").get_to(item.path);
  json.at("line").get_to(item.line);
  json.at("column").get_to(item.column);
  json.at("subjectKind").get_to(item.subject_kind);
  json.at("subject").get_to(item.subject);
  json.at("message").get_to(item.message);
  json.at("before").get_to(item.before);
  json.at("after").get_to(item.after);
  json.at("details").get_to(item.details);
  return item;
}

UnitOutcome unit_of(const Json& json) {
  UnitOutcome unit;
  json.at("key").get_to(unit.key);
  json.at("what").get_to(unit.what);
  json.at("path").get_to(unit.path);
  json.at("decided").get_to(unit.decided);
  json.at("asked").get_to(unit.asked);
  for (const Json& item : json.at("items")) unit.items.push_back(item_of(item));
  return unit;
}

Stamp stamp_of(const Json& json) {
  Stamp stamp;
  json.at("base").get_to(stamp.base);
  json.at("mergeBase").get_to(stamp.merge_base);
  json.at("head").get_to(stamp.head);
  json.at("policy").get_to(stamp.policy);
  json.at("version").get_to(stamp.version);
  json.at("units").get_to(stamp.units);
  return stamp;
}

Outcome outcome_of(const Json& json) {
  if (json.at("format") != kFormat) throw std::invalid_argument("this is no shard of tenet gate");
  if (json.at("formatVersion") != kVersion) throw std::invalid_argument("another version of the format");
  Outcome outcome;
  outcome.stamp = stamp_of(json.at("stamp"));
  json.at("shard").at("index").get_to(outcome.shard.index);
  json.at("shard").at("count").get_to(outcome.shard.count);
  json.at("problems").get_to(outcome.problems);
  json.at("internal").get_to(outcome.internal);
  json.at("interrupted").get_to(outcome.interrupted);
  for (const Json& unit : json.at("units")) outcome.units.push_back(unit_of(unit));
  outcome.sarif = json.at("sarif").dump();
  return outcome;
}

}  // namespace

std::string shard_text(const Outcome& outcome) {
  Json units = Json::array();
  for (const UnitOutcome& unit : outcome.units) units.push_back(to_json(unit));
  const Json json{{"format", kFormat},
                  {"formatVersion", kVersion},
                  {"stamp", to_json(outcome.stamp)},
                  {"shard", {{"index", outcome.shard.index}, {"count", outcome.shard.count}}},
                  {"problems", outcome.problems},
                  {"internal", outcome.internal},
                  {"interrupted", outcome.interrupted},
                  {"units", std::move(units)},
                  {"sarif", Json::parse(outcome.sarif, nullptr, false)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Outcome> read_shard_file(const ShardFile& file) {
  // The library reports a field that is missing or of another type by throwing.
  try {
    return outcome_of(Json::parse(file.text));
  } catch (const std::exception& error) {
    return failure(ErrorKind::bad_input, fmt::format("{}: {}", file.path, error.what()));
  }
}

}  // namespace tenet::gate
