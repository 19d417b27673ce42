#include "tenet/result/proof.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tenet::result {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 7> kTitles = {{
    {"state", "of the state of one host"},
    {"monotone", "between an earlier (old) and a later state of one host"},
    {"projection", "of hosts and messages at one time"},
    {"ownership", "what cannot be at two places"},
    {kDelivery, "with how often what is delivered at most once was sent and received"},
    {"lemma", "lemmas that a property needed"},
    {kLearned, "lemmas that make a property inductive"},
}};

}  // namespace

std::size_t Proof::proved() const {
  return static_cast<std::size_t>(std::count_if(claims.begin(), claims.end(), [](const auto& c) { return c.proved; }));
}

namespace {
template <typename Which>
std::size_t count_discharged(const Proof& proof, Which which) {
  return static_cast<std::size_t>(std::count_if(proof.obligations.begin(), proof.obligations.end(),
                                                [&](const auto& o) { return o.discharged && which(o); }));
}
}  // namespace

std::size_t Proof::discharged() const {
  return count_discharged(*this, [](const auto&) { return true; });
}
std::size_t Proof::rechecked() const {
  return count_discharged(*this, [](const auto& o) { return !o.rechecked.empty(); });
}
std::size_t Proof::syntactic() const {
  return count_discharged(*this, [](const auto& o) { return o.solver == kSyntactic; });
}
std::size_t Proof::from_cache() const {
  return count_discharged(*this, [this](const auto& o) { return o.solver != kSyntactic && (cached || o.cached); });
}

std::vector<InvariantGroup> grouped(const std::vector<DerivedInvariant>& invariants) {
  std::vector<InvariantGroup> groups;
  for (const auto& [kind, title] : kTitles) groups.push_back({kind, title, {}});
  for (const DerivedInvariant& invariant : invariants) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.kind == invariant.kind; });
    if (group == groups.end()) group = groups.insert(group, {invariant.kind, invariant.kind, {}});
    group->statements.push_back(invariant.statement);
  }
  std::erase_if(groups, [](const InvariantGroup& group) { return group.statements.empty(); });
  return groups;
}

std::vector<std::string> solvers(const Proof& proof) {
  std::vector<std::string> names;
  for (const ProofObligation& obligation : proof.obligations) {
    if (!obligation.discharged || obligation.solver == kSyntactic) continue;
    const std::string name = obligation.solver.substr(0, obligation.solver.find(' '));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace tenet::result
