#include "implication.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace tenet::training {
namespace {

using Edge = std::pair<std::string, std::string>;

// Only unconditional links carry an implication on.
std::set<Edge> links(const std::vector<Invariant>& invariants, Relation relation) {
  std::set<Edge> out;
  for (const Invariant& i : invariants) {
    if (i.relation == relation && i.when.unconditional()) out.insert({i.subject, i.object});
  }
  return out;
}

// Is there a chain a - m - b of two links? For orders m must not be the same as an end.
bool has_middle(const std::set<Edge>& edges, const std::string& a, const std::string& b) {
  for (auto at = edges.lower_bound({a, ""}); at != edges.end() && at->first == a; ++at) {
    const std::string& middle = at->second;
    if (middle != a && middle != b && edges.contains({middle, b}) && !edges.contains({middle, a})) return true;
  }
  return false;
}

bool only_not_first(const Precondition& when) {
  return !when.inverted && when.any_of.size() == 1 && when.any_of[0].size() == 1 &&
         when.any_of[0][0].key == "first call";
}

std::string change_key(const Invariant& i, const std::string& subject, Relation relation) {
  return std::string(name(relation)) + '|' + subject + '|' + i.object + '|' + i.field + '|' + std::string(name(i.mode));
}

}  // namespace

void remove_implied(std::vector<Invariant>& invariants) {
  std::map<Relation, std::set<Edge>> edges;
  for (const Relation relation : {Relation::contains_call, Relation::before, Relation::after}) {
    edges[relation] = links(invariants, relation);
  }
  std::map<std::string, const Invariant*> changes;
  for (const Invariant& i : invariants) {
    if (i.relation == Relation::contains_change || i.relation == Relation::each_change) {
      changes[change_key(i, i.subject, i.relation)] = &i;
    }
  }
  // "b before every a but the first" is "b after every a", judged where it matters.
  std::set<Edge> before;
  for (const Invariant& i : invariants) {
    if (i.relation == Relation::before && (i.when.unconditional() || only_not_first(i.when))) {
      before.insert({i.subject, i.object});
    }
  }
  const auto implied = [&](const Invariant& i) {
    switch (i.relation) {
      case Relation::after:
        if (i.when.unconditional() && before.contains({i.object, i.subject})) return true;
        [[fallthrough]];
      case Relation::contains_call:
      case Relation::before:
        return i.when.unconditional() && has_middle(edges[i.relation], i.subject, i.object);
      case Relation::contains_change:
      case Relation::each_change: {
        if (i.relation == Relation::contains_change) {
          const auto each = changes.find(change_key(i, i.subject, Relation::each_change));
          if (each != changes.end() && each->second->when == i.when) return true;
        }
        // What an inner call always does, the outer call does.
        const auto& calls = edges[Relation::contains_call];
        for (auto at = calls.lower_bound({i.subject, ""}); at != calls.end() && at->first == i.subject; ++at) {
          const auto inner = changes.find(change_key(i, at->second, i.relation));
          if (inner != changes.end() && inner->second->when.unconditional() && at->second != i.subject) return true;
        }
        return false;
      }
      default:
        return false;
    }
  };
  std::vector<bool> drop;
  for (const Invariant& i : invariants) drop.push_back(implied(i));
  std::size_t index = 0;
  std::erase_if(invariants, [&](const Invariant&) { return drop[index++]; });
}

}  // namespace tenet::training
