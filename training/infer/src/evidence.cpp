// Merging evidence, and the file that carries it between machines.
#include "tenet/training/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tenet::training {
namespace {

using nlohmann::json;
constexpr int kEvidenceVersion = 1;

class Merger {
 public:
  Merger(EvidenceSet into, const EvidenceSet& from) : into_(std::move(into)), from_(from) {
    for (std::size_t i = 0; i < into_.facts.size(); ++i) index_.emplace(into_.facts[i], static_cast<std::uint32_t>(i));
    for (const FactList& facts : from_.facts) {
      const auto [found, fresh] = index_.try_emplace(facts, static_cast<std::uint32_t>(into_.facts.size()));
      if (fresh) into_.facts.push_back(facts);
      translation_.push_back(found->second);
    }
  }

  EvidenceSet run() {
    const std::size_t before = into_.runs.size();
    const std::size_t after = before + from_.runs.size();
    for (const auto& exposure : from_.exposure) {
      into_.exposure.emplace_back();
      for (const auto& [function, examples] : exposure) into_.exposure.back()[function] = translated(examples);
    }
    into_.runs.insert(into_.runs.end(), from_.runs.begin(), from_.runs.end());
    into_.programs.insert(into_.programs.end(), from_.programs.begin(), from_.programs.end());
    into_.quantities.insert(into_.quantities.end(), from_.quantities.begin(), from_.quantities.end());
    into_.problems.insert(into_.problems.end(), from_.problems.begin(), from_.problems.end());

    std::map<std::string, Hypothesis> all;
    for (Hypothesis& hypothesis : into_.hypotheses) {
      Hypothesis& entry = all[hypothesis.claim.key()] = std::move(hypothesis);
      entry.examples.resize(after);
      entry.seen.resize(after);
    }
    for (const Hypothesis& hypothesis : from_.hypotheses) {
      const auto [found, fresh] = all.try_emplace(hypothesis.claim.key());
      Hypothesis& entry = found->second;
      if (fresh) {
        entry.claim = hypothesis.claim;
        entry.proposed = hypothesis.proposed;
        entry.examples.resize(after);
        entry.seen.resize(after);
        assume_exceptions(entry, 0, before);
      }
      entry.proposed = entry.proposed || hypothesis.proposed;
      for (std::size_t run = 0; run < from_.runs.size(); ++run) {
        entry.examples[before + run] = translated(hypothesis.examples[run]);
        entry.seen[before + run] = hypothesis.seen[run];
      }
      known_.insert({found->first, true});
    }
    into_.hypotheses.clear();
    for (auto& [key, hypothesis] : all) {
      if (!known_.contains(key)) assume_exceptions(hypothesis, before, after);
      into_.hypotheses.push_back(std::move(hypothesis));
    }
    return std::move(into_);
  }

 private:
  std::vector<Examples> translated(const std::vector<Examples>& examples) const {
    std::vector<Examples> out = examples;
    for (Examples& entry : out) entry.facts = translation_[entry.facts];
    std::ranges::sort(out, {}, &Examples::facts);
    return out;
  }

  // A shard that called the function and did not form the hypothesis never saw it hold.
  void assume_exceptions(Hypothesis& hypothesis, std::size_t first, std::size_t last) {
    const Invariant& claim = hypothesis.claim;
    std::string function = claim.subject;
    if (claim.relation == Relation::before) function = claim.object;
    const bool counts = claim.relation == Relation::contains_call || claim.relation == Relation::before ||
                        claim.relation == Relation::after;
    if (!counts) return;
    for (std::size_t run = first; run < last; ++run) {
      const auto found = into_.exposure[run].find(function);
      if (found == into_.exposure[run].end()) continue;
      hypothesis.examples[run] = found->second;
      for (Examples& entry : hypothesis.examples[run]) {
        entry.negatives = std::exchange(entry.positives, 0);
        entry.first_negative = entry.first_positive;
        entry.last_negative = entry.last_positive;
      }
    }
  }

  EvidenceSet into_;
  const EvidenceSet& from_;
  std::map<FactList, std::uint32_t> index_;
  std::vector<std::uint32_t> translation_;
  std::map<std::string, bool> known_;
};

json constant_json(const Constant& c) {
  return json::array({static_cast<int>(c.type), c.text.empty() ? json(c.bits) : json(c.text)});
}

Constant constant_from(const json& j) {
  Constant c;
  const int type = j.at(0).get<int>();
  if (type < 0 || type > static_cast<int>(ValueType::ref)) throw std::out_of_range("value type");
  c.type = static_cast<ValueType>(type);
  if (j.at(1).is_string())
    c.text = j.at(1).get<std::string>();
  else
    c.bits = j.at(1).get<std::uint64_t>();
  return c;
}

json examples_json(const std::vector<Examples>& examples) {
  json out = json::array();
  for (const Examples& e : examples) {
    out.push_back(
        {e.facts, e.positives, e.negatives, e.first_positive, e.last_positive, e.first_negative, e.last_negative});
  }
  return out;
}

std::vector<Examples> examples_from(const json& j, std::size_t facts) {
  std::vector<Examples> out;
  for (const json& e : j) {
    out.push_back({e.at(0), e.at(1), e.at(2), e.at(3), e.at(4), e.at(5), e.at(6)});
    if (out.back().facts >= facts) throw std::out_of_range("facts");
  }
  return out;
}

json bound_json(double value) {  // JSON has no infinity
  return std::isfinite(value) ? json(value) : json(nullptr);
}

json hypothesis_json(const Hypothesis& h) {
  json out{{"relation", name(h.claim.relation)},
           {"kind", static_cast<int>(h.claim.kind)},
           {"subject", h.claim.subject},
           {"object", h.claim.object},
           {"field", h.claim.field},
           {"other", h.claim.other_field},
           {"mode", name(h.claim.mode)},
           {"unbounded", h.claim.high == HUGE_VAL}};
  if (h.claim.value) out["value"] = constant_json(*h.claim.value);
  if (!h.proposed) out["proposed"] = false;
  json runs = json::array();
  for (std::size_t i = 0; i < h.examples.size(); ++i) {
    json run = json::object();
    if (!h.examples[i].empty()) run["examples"] = examples_json(h.examples[i]);
    if (h.seen[i].any) run["seen"] = {bound_json(h.seen[i].low), bound_json(h.seen[i].high)};
    runs.push_back(std::move(run));
  }
  out["runs"] = std::move(runs);
  return out;
}

Hypothesis hypothesis_from(const json& j, std::size_t runs, std::size_t facts) {
  Hypothesis h;
  const auto relation = relation_named(j.at("relation").get<std::string>());
  const auto mode = mode_named(j.at("mode").get<std::string>());
  if (!relation || !mode || j.at("runs").size() != runs) throw std::out_of_range("hypothesis");
  h.claim.relation = *relation;
  h.claim.mode = *mode;
  h.claim.kind = j.at("kind").get<int>() == 0 ? SubjectKind::function : SubjectKind::variable_type;
  h.claim.subject = j.at("subject");
  h.claim.object = j.at("object");
  h.claim.field = j.at("field");
  h.claim.other_field = j.at("other");
  if (j.at("unbounded").get<bool>()) {
    h.claim.low = h.claim.relation == Relation::each_step ? 1 : -HUGE_VAL;
    h.claim.high = HUGE_VAL;
  }
  if (j.contains("value")) h.claim.value = constant_from(j["value"]);
  h.proposed = j.value("proposed", true);
  for (const json& run : j.at("runs")) {
    h.examples.push_back(run.contains("examples") ? examples_from(run["examples"], facts) : std::vector<Examples>{});
    Seen seen;
    if (run.contains("seen")) {
      seen = {run["seen"].at(0).is_null() ? -HUGE_VAL : run["seen"].at(0).get<double>(),
              run["seen"].at(1).is_null() ? HUGE_VAL : run["seen"].at(1).get<double>(), true};
    }
    h.seen.push_back(seen);
  }
  return h;
}

EvidenceSet evidence_from(const json& document) {
  EvidenceSet out;
  out.runs = document.at("runs").get<std::vector<std::string>>();
  out.programs = document.value("programs", std::vector<std::string>(out.runs.size()));
  for (const json& list : document.at("facts")) {
    FactList facts;
    for (const json& fact : list) facts.emplace_back(fact.at(0).get<std::string>(), constant_from(fact.at(1)));
    out.facts.push_back(std::move(facts));
  }
  for (const json& h : document.at("hypotheses")) {
    out.hypotheses.push_back(hypothesis_from(h, out.runs.size(), out.facts.size()));
  }
  for (const json& run : document.at("exposure")) {
    out.exposure.emplace_back();
    for (const auto& [function, examples] : run.items()) {
      out.exposure.back()[function] = examples_from(examples, out.facts.size());
    }
  }
  out.quantities = document.at("quantities").get<std::vector<std::vector<Quantities>>>();
  out.problems = document.at("problems").get<std::vector<std::string>>();
  if (out.programs.size() != out.runs.size() || out.exposure.size() != out.runs.size() ||
      out.quantities.size() != out.runs.size()) {
    throw std::out_of_range("runs");
  }
  return out;
}

}  // namespace

EvidenceSet merge(EvidenceSet a, const EvidenceSet& b) { return Merger(std::move(a), b).run(); }

std::string print_evidence(const EvidenceSet& evidence) {
  json facts = json::array();
  for (const FactList& list : evidence.facts) {
    json out = json::array();
    for (const auto& [key, value] : list) out.push_back({key, constant_json(value)});
    facts.push_back(std::move(out));
  }
  json hypotheses = json::array();
  for (const Hypothesis& h : evidence.hypotheses) hypotheses.push_back(hypothesis_json(h));
  json exposure = json::array();
  for (const auto& run : evidence.exposure) {
    json out = json::object();
    for (const auto& [function, examples] : run) out[function] = examples_json(examples);
    exposure.push_back(std::move(out));
  }
  json quantities = json::array();
  for (const auto& run : evidence.quantities) {
    json processes = json::array();
    for (const Quantities& process : run) {
      json out = json::object();
      for (const auto& [name, value] : process) {
        if (std::isfinite(value)) out[name] = value;
      }
      processes.push_back(std::move(out));
    }
    quantities.push_back(std::move(processes));
  }
  const json document{{"tenet_training_evidence", kEvidenceVersion},
                      {"runs", evidence.runs},
                      {"programs", evidence.programs},
                      {"facts", facts},
                      {"hypotheses", hypotheses},
                      {"exposure", exposure},
                      {"quantities", quantities},
                      {"problems", evidence.problems}};
  return document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<EvidenceSet> parse_evidence(std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded() || !document.is_object() || !document.contains("tenet_training_evidence")) {
    return failure(ErrorKind::bad_input, "this is not an evidence file (written by infer --shard)");
  }
  if (document["tenet_training_evidence"] != kEvidenceVersion) {
    return failure(ErrorKind::unsupported,
                   fmt::format("the evidence file has another version than {}", kEvidenceVersion));
  }
  try {
    return evidence_from(document);
  } catch (const std::exception& error) {
    return failure(ErrorKind::bad_input, fmt::format("the evidence file is damaged: {}", error.what()));
  }
}

Result<EvidenceSet> load_evidence(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return failure(ErrorKind::io, path + ": cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  auto evidence = parse_evidence(text.str());
  if (!evidence) return failure(evidence.error().kind, path + ": " + evidence.error().message);
  return evidence;
}

}  // namespace tenet::training
