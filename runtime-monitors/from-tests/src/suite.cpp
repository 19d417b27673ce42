#include "tenet/from_tests/suite.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace tenet::from_tests {
namespace {

using nlohmann::json;

json to_json_value(const Place& place) { return json::array({place.file, place.line, place.column}); }
json to_json_value(const std::vector<Place>& places) {
  json all = json::array();
  for (const Place& place : places) all.push_back(to_json_value(place));
  return all;
}
Place place_of(const json& value) { return {value.at(0), value.at(1), value.at(2)}; }
std::vector<Place> places_of(const json& value) {
  std::vector<Place> all;
  for (const json& place : value) all.push_back(place_of(place));
  return all;
}

json to_json_value(const Slice& slice) {
  json sites = json::array();
  for (const Site& site : slice.sites) {
    sites.push_back({{"op", site.op},
                     {"ignored", site.ignored},
                     {"chain", to_json_value(site.chain)},
                     {"repeated", site.repeated}});
  }
  return {{"text", slice.text},        {"sites", sites},           {"literals", slice.literals},
          {"opaque", slice.opaque},    {"negated", slice.negated}, {"predicate", slice.predicate},
          {"equality", slice.equality}};
}

Slice slice_of(const json& value) {
  Slice slice;
  slice.text = value.at("text");
  for (const json& site : value.at("sites")) {
    slice.sites.push_back({site.at("op"), site.at("ignored"), places_of(site.at("chain")), site.at("repeated")});
  }
  slice.literals = value.at("literals").get<std::vector<std::string>>();
  slice.opaque = value.at("opaque").get<std::vector<std::string>>();
  slice.predicate = value.at("predicate");
  slice.negated = value.at("negated");
  slice.equality = value.at("equality");
  return slice;
}

}  // namespace

std::string show(const Place& place) {
  const auto slash = place.file.rfind('/');
  return (slash == std::string::npos ? place.file : place.file.substr(slash + 1)) + ":" + std::to_string(place.line);
}

std::string to_json(const Suite& suite) {
  json tests = json::array();
  for (const Test& test : suite.tests) {
    json assertions = json::array();
    for (const Assertion& a : test.assertions) {
      json operands = json::array();
      for (const Slice& slice : a.operands) operands.push_back(to_json_value(slice));
      assertions.push_back({{"place", to_json_value(a.place)},
                            {"macro", a.macro},
                            {"relation", a.relation},
                            {"function", a.function},
                            {"callers", to_json_value(a.callers)},
                            {"operands", operands}});
    }
    tests.push_back({{"suite", test.suite},
                     {"name", test.name},
                     {"kind", test.kind},
                     {"place", to_json_value(test.place)},
                     {"assertions", assertions},
                     {"notes", test.notes}});
  }
  json troubles = json::array();
  for (const Trouble& trouble : suite.troubles) troubles.push_back({{"file", trouble.file}, {"what", trouble.what}});
  const json all = {{"format", "tenet-suite"}, {"version", 1},         {"model", suite.stamp},
                    {"tests", tests},          {"troubles", troubles}, {"seconds", suite.seconds}};
  return all.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<Suite> read_suite(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return failure(ErrorKind::io, path + ": cannot be read");
  try {
    const json all = json::parse(in);
    if (all.at("format") != "tenet-suite" || all.at("version") != 1) {
      return failure(ErrorKind::bad_input, path + ": is no suite of this version ('tenet derive extract' writes them)");
    }
    Suite suite;
    suite.stamp = all.at("model");
    suite.seconds = all.at("seconds");
    for (const json& t : all.at("tests")) {
      Test test;
      test.suite = t.at("suite");
      test.name = t.at("name");
      test.kind = t.at("kind");
      test.place = place_of(t.at("place"));
      test.notes = t.at("notes").get<std::vector<std::string>>();
      for (const json& a : t.at("assertions")) {
        Assertion assertion;
        assertion.place = place_of(a.at("place"));
        assertion.macro = a.at("macro");
        assertion.relation = a.at("relation");
        assertion.function = a.at("function");
        assertion.callers = places_of(a.at("callers"));
        for (const json& slice : a.at("operands")) assertion.operands.push_back(slice_of(slice));
        test.assertions.push_back(std::move(assertion));
      }
      suite.tests.push_back(std::move(test));
    }
    for (const json& trouble : all.at("troubles")) suite.troubles.push_back({trouble.at("file"), trouble.at("what")});
    return suite;
  } catch (const json::exception& error) {
    return failure(ErrorKind::bad_input, path + ": is no suite: " + error.what());
  }
}

}  // namespace tenet::from_tests
