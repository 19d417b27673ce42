// The invariants file.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tenet/training/invariant.h"

namespace tenet::training {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json constant_json(const Constant& constant) {
  switch (constant.type) {
    case ValueType::none:
      return nullptr;
    case ValueType::boolean:
      return constant.bits != 0;
    case ValueType::integer:
      return static_cast<std::int64_t>(constant.bits);
    case ValueType::real:
      return {{"real", fmt::format("{}", std::bit_cast<double>(constant.bits))}};
    case ValueType::dims:
      return {{"dims", constant.text}};
    default:
      return constant.text;
  }
}

std::optional<Constant> parse_constant(const json& value) {
  if (value.is_null()) return Constant{};
  if (value.is_boolean()) return Constant{ValueType::boolean, value.get<bool>() ? 1U : 0U, {}};
  if (value.is_number_integer()) {
    return Constant{ValueType::integer, static_cast<std::uint64_t>(value.get<std::int64_t>()), {}};
  }
  if (value.is_number()) return Constant{ValueType::real, std::bit_cast<std::uint64_t>(value.get<double>()), {}};
  if (value.is_string()) return Constant{ValueType::text, 0, value.get<std::string>()};
  if (value.is_object() && value.contains("dims") && value["dims"].is_string()) {
    return Constant{ValueType::dims, 0, value["dims"].get<std::string>()};
  }
  if (value.is_object() && value.contains("real") && value["real"].is_string()) {
    char* end = nullptr;
    const std::string text = value["real"].get<std::string>();
    const double number = std::strtod(text.c_str(), &end);
    if (end != text.c_str()) return Constant{ValueType::real, std::bit_cast<std::uint64_t>(number), {}};
  }
  return std::nullopt;
}

ordered_json condition_json(const Condition& condition) {
  if (condition.is_step()) return {{"key", "step"}, {"at_least", condition.min_step}};
  ordered_json values = ordered_json::array();
  for (const Constant& value : condition.values) values.push_back(constant_json(value));
  return {{"key", condition.key}, {"in", values}};
}

ordered_json to_json(const Invariant& i) {
  ordered_json out{{"id", i.id()}, {"text", i.text()}, {"relation", name(i.relation)}, {"subject", i.subject}};
  if (i.kind == SubjectKind::variable_type) out["of"] = "variables";
  if (!i.object.empty()) out["object"] = i.object;
  if (!i.field.empty()) out["field"] = i.field;
  if (!i.other_field.empty()) out["other_field"] = i.other_field;
  if (i.mode != Mode::none) out["mode"] = name(i.mode);
  if (i.value) out["value"] = constant_json(*i.value);
  if (i.low != 0 || i.high != 0) {
    out["low"] = i.low;
    out["high"] = std::isfinite(i.high) ? ordered_json(i.high) : ordered_json(nullptr);
  }
  if (!i.when.unconditional()) {
    ordered_json any = ordered_json::array();
    for (const Conjunction& conjunction : i.when.any_of) {
      ordered_json all = ordered_json::array();
      for (const Condition& condition : conjunction) all.push_back(condition_json(condition));
      any.push_back(all);
    }
    out[i.when.inverted ? "except" : "when"] = any;
  }
  out["evidence"] = {{"positives", i.evidence.positives},
                     {"negatives", i.evidence.negatives},
                     {"runs", i.evidence.runs},
                     {"steps", i.evidence.steps}};
  if (i.evidence.programs > 0) out["evidence"]["programs"] = i.evidence.programs;
  if (!i.silenced.empty()) out["silenced"] = i.silenced;
  return out;
}

// Reads one entry; throws json exceptions for values of another type, which the caller turns into a problem.
std::optional<std::string> parse_when(const json& any, Precondition& when) {
  for (const json& all : any) {
    Conjunction conjunction;
    for (const json& entry : all) {
      Condition condition;
      condition.key = entry.at("key").get<std::string>();
      if (condition.is_step()) {
        condition.min_step = entry.at("at_least").get<std::int64_t>();
      } else {
        for (const json& value : entry.at("in")) {
          const auto constant = parse_constant(value);
          if (!constant) return "a value of a condition is not understood";
          condition.values.push_back(*constant);
        }
      }
      conjunction.push_back(std::move(condition));
    }
    when.any_of.push_back(std::move(conjunction));
  }
  return std::nullopt;
}

std::optional<std::string> parse_entry(const json& entry, Invariant& out) {
  const auto relation = relation_named(entry.at("relation").get<std::string>());
  if (!relation) return fmt::format("unknown relation '{}'", entry["relation"].get<std::string>());
  out.relation = *relation;
  out.subject = entry.at("subject").get<std::string>();
  if (entry.value("of", "functions") == "variables") out.kind = SubjectKind::variable_type;
  out.object = entry.value("object", "");
  out.field = entry.value("field", "");
  out.other_field = entry.value("other_field", "");
  const auto mode = mode_named(entry.value("mode", ""));
  if (!mode) return "unknown mode";
  out.mode = *mode;
  if (entry.contains("value")) {
    out.value = parse_constant(entry["value"]);
    if (!out.value) return "the value is not understood";
  }
  if (out.relation == Relation::constant && !out.value) return "a constant needs a value";
  out.low = entry.contains("low") ? entry["low"].get<double>() : 0;
  out.high = !entry.contains("high") ? 0 : entry["high"].is_null() ? HUGE_VAL : entry["high"].get<double>();
  out.when.inverted = entry.contains("except");
  if (const char* key = out.when.inverted ? "except" : "when"; entry.contains(key)) {
    if (auto problem = parse_when(entry[key], out.when)) return problem;
  }
  if (entry.contains("evidence")) {
    const json& evidence = entry["evidence"];
    out.evidence = {evidence.value("positives", std::uint64_t{0}), evidence.value("negatives", std::uint64_t{0}),
                    evidence.value("runs", std::uint64_t{0}), evidence.value("steps", std::uint64_t{0}),
                    evidence.value("programs", std::uint64_t{0})};
  }
  out.silenced = entry.value("silenced", "");
  return std::nullopt;
}

}  // namespace

Result<InvariantSet> parse_invariants(std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) return failure(ErrorKind::bad_input, "the invariants file is not JSON");
  if (!document.is_object() || !document.contains("tenet_training_invariants") ||
      !document["tenet_training_invariants"].is_number_integer()) {
    return failure(ErrorKind::bad_input, "this is not an invariants file (no \"tenet_training_invariants\": version)");
  }
  if (const auto version = document["tenet_training_invariants"].get<std::int64_t>(); version != kInvariantsVersion) {
    return failure(ErrorKind::unsupported, fmt::format("the invariants file has version {}; this is version {}; infer "
                                                       "again or use the Tenet that wrote it",
                                                       version, kInvariantsVersion));
  }
  if (!document.contains("invariants") || !document["invariants"].is_array()) {
    return failure(ErrorKind::bad_input, "the invariants file has no list \"invariants\"");
  }
  InvariantSet set;
  if (document.contains("runs") && document["runs"].is_number_unsigned()) set.runs = document["runs"];
  std::size_t index = 0;
  for (const json& entry : document["invariants"]) {
    Invariant invariant;
    std::optional<std::string> problem;
    try {
      problem = parse_entry(entry, invariant);
    } catch (const json::exception& error) {
      problem = error.what();
    }
    if (problem) {
      if (set.problems.size() < 100) set.problems.push_back(fmt::format("invariant {}: {}; left out", index, *problem));
    } else {
      set.invariants.push_back(std::move(invariant));
    }
    ++index;
  }
  return set;
}

Result<InvariantSet> load_invariants(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return failure(ErrorKind::io, path + ": cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  auto set = parse_invariants(text.str());
  if (!set) return failure(set.error().kind, path + ": " + set.error().message);
  return set;
}

std::string print_invariants(const InvariantSet& set) {
  ordered_json document{{"tenet_training_invariants", kInvariantsVersion}, {"runs", set.runs}};
  std::string out = document.dump();
  out.back() = ',';
  out += "\n\"invariants\": [";
  const char* separator = "\n";
  for (const Invariant& invariant : set.invariants) {
    out += separator + to_json(invariant).dump(-1, ' ', false, json::error_handler_t::replace);
    separator = ",\n";
  }
  return out + "\n]}\n";
}

}  // namespace tenet::training
