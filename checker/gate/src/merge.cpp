#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "exchange.h"
#include "sarif.h"
#include "situation.h"

namespace tenet::gate {
namespace {

/// In which way a shard is of another comparison; empty if it is of this one.
std::string foreign(const Stamp& ours, const Stamp& theirs) {
  if (theirs.base != ours.base) return "another base: " + theirs.base;
  if (theirs.merge_base != ours.merge_base) return "another merge base: " + theirs.merge_base;
  if (theirs.head != ours.head) return "another head: " + theirs.head;
  if (theirs.policy != ours.policy) return "another policy";
  if (theirs.version != ours.version) return "another version of Tenet: " + theirs.version;
  return theirs.units == ours.units ? "" : "another list of protocols and variants";
}

/// Whether the shard has just those units that fall to it.
bool complete(const Outcome& shard) {
  std::vector<std::string> due;
  for (std::size_t i = 0; i < shard.stamp.units.size(); ++i) {
    if (shard.shard.takes(i)) due.push_back(shard.stamp.units[i]);
  }
  return std::equal(due.begin(), due.end(), shard.units.begin(), shard.units.end(),
                    [](const std::string& key, const UnitOutcome& unit) { return key == unit.key; });
}

class Merge {
 public:
  explicit Merge(Situation& situation) : outcome_(situation.outcome) {}

  Result<Outcome> merge(const std::vector<ShardFile>& files) {
    for (const ShardFile& file : files) {
      auto shard = read_shard_file(file);
      if (!shard) return tl::make_unexpected(shard.error());
      if (const auto added = add(file.path, std::move(*shard)); !added) return tl::make_unexpected(added.error());
    }
    for (std::size_t i = 1; i <= count_; ++i) {
      if (from_.count(i) == 0)
        return failure(ErrorKind::bad_input, fmt::format("shard {} of {} is missing", i, count_));
    }
    if (count_ == 0) return failure(ErrorKind::bad_input, "there is no shard to merge");
    std::sort(outcome_.units.begin(), outcome_.units.end(),
              [](const UnitOutcome& a, const UnitOutcome& b) { return a.key < b.key; });
    outcome_.shard = Shard{};
    outcome_.sarif = joined_sarif(sarif_, 0, true);
    return std::move(outcome_);
  }

 private:
  Result<void> add(const std::string& path, Outcome shard) {
    const Shard& part = shard.shard;
    if (const std::string why = foreign(outcome_.stamp, shard.stamp); !why.empty()) {
      return failure(ErrorKind::bad_input, fmt::format("{}: a foreign shard, of {}", path, why));
    }
    if (part.count == 0 || part.index == 0 || part.index > part.count || (count_ != 0 && part.count != count_)) {
      return failure(ErrorKind::bad_input, fmt::format("{}: a foreign shard, {} of {}", path, part.index, part.count));
    }
    count_ = part.count;
    const auto [at, first] = from_.emplace(part.index, path);
    if (!first) {
      return failure(ErrorKind::bad_input,
                     fmt::format("{}: shard {} of {} is in {} already", path, part.index, part.count, at->second));
    }
    if (!complete(shard)) {
      return failure(ErrorKind::bad_input,
                     fmt::format("{}: its results are not those of shard {} of {}", path, part.index, part.count));
    }
    for (UnitOutcome& unit : shard.units) outcome_.units.push_back(std::move(unit));
    for (std::string& problem : shard.problems) {
      auto& known = outcome_.problems;
      if (std::find(known.begin(), known.end(), problem) == known.end()) known.push_back(std::move(problem));
    }
    outcome_.internal = outcome_.internal || shard.internal;
    outcome_.interrupted = outcome_.interrupted || shard.interrupted;
    sarif_.push_back(std::move(shard.sarif));
    return {};
  }

  Outcome& outcome_;
  std::size_t count_ = 0;
  std::map<std::size_t, std::string> from_;  // index, path
  std::vector<std::string> sarif_;
};

}  // namespace

Result<Outcome> merge(const Options& options, const std::vector<ShardFile>& files) {
  const auto found = situation(options);
  if (!found) return tl::make_unexpected(found.error());
  return Merge(**found).merge(files);
}

}  // namespace tenet::gate
