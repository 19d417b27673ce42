#include "proof_codec.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tenet::verify {
namespace {

using Json = nlohmann::json;

}  // namespace

std::string encode(const result::Proof& proof) {
  Json claims = Json::array();
  for (const auto& c : proof.claims)
    claims.push_back(Json::array({c.property, c.proved, c.reason, c.open_execution, c.rests_on}));
  Json invariants = Json::array();
  for (const auto& i : proof.invariants) invariants.push_back(Json::array({i.kind, i.statement}));
  Json obligations = Json::array();
  for (const auto& o : proof.obligations) {
    Json uses = Json::array();
    for (const auto& use : o.uses) uses.push_back(Json::array({use.statement, use.earlier}));
    obligations.push_back(Json::array({o.kind, o.statement, o.part, o.discharged, o.solver, o.resources, o.seconds,
                                       o.facts, o.rounds, o.rechecked, std::move(uses), o.unconfirmed}));
  }
  Json frequent = Json::array();
  for (const auto& [source, count] : proof.frequent_facts) frequent.push_back(Json::array({source, count}));
  const Json json =
      Json::array({std::move(claims), std::move(invariants), std::move(obligations), proof.well_defined, proof.reason,
                   proof.seconds, std::move(frequent), proof.disagreements, proof.impossible, proof.unreachable});
  const std::vector<std::uint8_t> bytes = Json::to_cbor(json);
  return {bytes.begin(), bytes.end()};
}

std::optional<result::Proof> decode_proof(std::string_view bytes, const ir::Protocol& protocol) {
  try {
    const Json json = Json::from_cbor(bytes);
    result::Proof proof;
    for (const Json& c : json.at(0).get_ref<const Json::array_t&>()) {
      result::ProofClaim claim{c.at(0), c.at(1), c.at(2), c.at(3).get<std::vector<std::string>>(),
                               c.at(4).get<std::vector<std::string>>()};
      const bool known = std::any_of(protocol.properties.begin(), protocol.properties.end(),
                                     [&](const ir::Property& property) { return property.name == claim.property; });
      if (!known) return std::nullopt;
      proof.claims.push_back(std::move(claim));
    }
    for (const Json& i : json.at(1).get_ref<const Json::array_t&>()) proof.invariants.push_back({i.at(0), i.at(1)});
    for (const Json& o : json.at(2).get_ref<const Json::array_t&>()) {
      std::vector<result::ProofUse> uses;
      for (const Json& use : o.at(10).get_ref<const Json::array_t&>()) uses.push_back({use.at(0), use.at(1)});
      proof.obligations.push_back({o.at(0), o.at(1), o.at(2), o.at(3), o.at(4), o.at(5), o.at(6), o.at(7), o.at(8),
                                   o.at(9), std::move(uses), "", false, o.at(11)});
    }
    proof.well_defined = json.at(3);
    proof.reason = json.at(4);
    proof.seconds = json.at(5);
    for (const Json& f : json.at(6).get_ref<const Json::array_t&>())
      proof.frequent_facts.emplace_back(f.at(0), f.at(1));
    proof.disagreements = json.at(7).get<std::vector<std::string>>();
    proof.impossible = json.at(8).get<std::vector<std::string>>();
    proof.unreachable = json.at(9).get<std::vector<std::string>>();
    return proof;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace tenet::verify
