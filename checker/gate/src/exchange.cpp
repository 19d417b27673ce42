#include "exchange.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

namespace tenet::gate {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "tenet-gate-shard";
constexpr int kVersion = 1;

// Each kind of object names its plain fields once, for writing and reading.

template <class AnItem, class Visit>
void each_field(AnItem& item, Visit visit, const Item* /*kind*/) {
  visit("path", item.path);
  visit("line", item.line);
  visit("column", item.column);
  visit("subjectKind", item.subject_kind);
  visit("subject", item.subject);
  visit("message", item.message);
  visit("before", item.before);
  visit("after", item.after);
  visit("details", item.details);
}

template <class AUnit, class Visit>
void each_field(AUnit& unit, Visit visit, const UnitOutcome* /*kind*/) {
  visit("key", unit.key);
  visit("what", unit.what);
  visit("path", unit.path);
  visit("decided", unit.decided);
  visit("asked", unit.asked);
}

template <class AStamp, class Visit>
void each_field(AStamp& stamp, Visit visit, const Stamp* /*kind*/) {
  visit("base", stamp.base);
  visit("mergeBase", stamp.merge_base);
  visit("head", stamp.head);
  visit("policy", stamp.policy);
  visit("version", stamp.version);
  visit("units", stamp.units);
}

template <class AShard, class Visit>
void each_field(AShard& shard, Visit visit, const Shard* /*kind*/) {
  visit("index", shard.index);
  visit("count", shard.count);
}

template <class AnOutcome, class Visit>
void each_field(AnOutcome& outcome, Visit visit, const Outcome* /*kind*/) {
  visit("problems", outcome.problems);
  visit("internal", outcome.internal);
  visit("interrupted", outcome.interrupted);
}

template <class T>
void write(Json& json, const T& object) {
  each_field(object, [&](const char* key, const auto& value) { json[key] = value; }, &object);
}
template <class T>
void read(const Json& json, T& object) {
  each_field(object, [&](const char* key, auto& value) { json.at(key).get_to(value); }, &object);
}

template <class T>
Json written(const T& object) {
  Json json;
  write(json, object);
  return json;
}

Change change_named(const std::string& word) {
  for (std::size_t i = 0; i < kChangeCount; ++i) {
    if (name(static_cast<Change>(i)) == word) return static_cast<Change>(i);
  }
  throw std::invalid_argument("there is no change '" + word + "'");
}

Json to_json(const UnitOutcome& unit) {
  Json json = written(unit);
  json["items"] = Json::array();
  for (const Item& item : unit.items) {
    Json each{{"change", name(item.change)}};
    write(each, item);
    json["items"].push_back(std::move(each));
  }
  return json;
}

UnitOutcome unit_of(const Json& json) {
  UnitOutcome unit;
  read(json, unit);
  for (const Json& each : json.at("items")) {
    Item item;
    item.change = change_named(each.at("change").get<std::string>());
    read(each, item);
    unit.items.push_back(std::move(item));
  }
  return unit;
}

Outcome outcome_of(const Json& json) {
  if (json.at("format") != kFormat) throw std::invalid_argument("this is no shard of tenet gate");
  if (json.at("formatVersion") != kVersion) throw std::invalid_argument("another version of the format");
  Outcome outcome;
  read(json.at("stamp"), outcome.stamp);
  read(json.at("shard"), outcome.shard);
  read(json, outcome);
  for (const Json& unit : json.at("units")) outcome.units.push_back(unit_of(unit));
  outcome.sarif = json.at("sarif").dump();
  return outcome;
}

}  // namespace

std::string shard_text(const Outcome& outcome) {
  Json json{{"format", kFormat}, {"formatVersion", kVersion}};
  json["stamp"] = written(outcome.stamp);
  json["shard"] = written(outcome.shard);
  write(json, outcome);
  json["units"] = Json::array();
  for (const UnitOutcome& unit : outcome.units) json["units"].push_back(to_json(unit));
  json["sarif"] = Json::parse(outcome.sarif, nullptr, false);
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
