#include "facts.h"

#include <algorithm>
#include <array>

namespace tenet::training {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29U);
}

std::uint64_t hash_of(const Facts& facts) noexcept {
  std::uint64_t hash = facts.size();
  for (const Fact& fact : facts) {
    hash = mix(hash, fact.key);
    hash = mix(hash, fact.value.bits + static_cast<std::uint64_t>(fact.value.type));
  }
  return hash;
}

std::string_view last_part(std::string_view key) noexcept {
  const auto dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

}  // namespace

FactsId FactsTable::intern(Facts facts) {
  std::ranges::sort(facts);
  const std::uint64_t hash = hash_of(facts);
  const auto [first, last] = ids_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (sets_[at->second] == facts) return at->second;
  }
  const auto id = static_cast<FactsId>(sets_.size());
  sets_.push_back(std::move(facts));
  ids_.emplace(hash, id);
  return id;
}

Names::Names(Vocabulary& v)
    : vocabulary(&v),
      step(v.intern("step")),
      stage(v.intern("stage")),
      rank(v.intern("rank")),
      self_training(v.intern("self.training")),
      caller(v.intern("caller")),
      first(v.intern("first call")),
      first_rank(v.intern("first rank")),
      variable_kind(v.intern("variable kind")) {}

bool may_be_fact(std::string_view key, ValueType type) noexcept {
  if (type != ValueType::boolean && type != ValueType::text) return false;
  const std::string_view part = last_part(key);
  for (const std::string_view prefix : {"is_", "has_", "can_"}) {
    if (part.starts_with(prefix)) return false;
  }
  constexpr std::array<std::string_view, 11> never{"mode",          "dump_loc",     "name",          "message",
                                                   "exception_msg", "retains_grad", "grad_fn",       "path",
                                                   "summary",       "program",      "requires_grad_"};
  if (std::ranges::find(never, part) != never.end()) return false;
  if (type == ValueType::text && key.starts_with("arg")) return part == "dtype" || part == "device";
  return true;
}

bool is_placement(std::string_view key) noexcept {
  return key == "rank" || key.ends_with("_rank") || key.ends_with("_RANK") || key.ends_with("_GROUP") ||
         key.ends_with("_group");
}

}  // namespace tenet::training
