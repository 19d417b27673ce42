/// One exploration of one instance, from the cache where it was done before.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/explore/explorer.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"
#include "tenet/result/result_model.h"
#include "tenet/verify/verify.h"

namespace tenet::verify {

/// An instance with the words for it.
struct NamedInstance {
  std::shared_ptr<const ir::Instance> instance;
  std::string name;         ///< "small"; "default" if the file declares none
  std::string description;  ///< "small: Leader = 2, …"
};

/// The instances to explore: all of the file, the one that is asked for, or
/// the default one of a file without any. Problems become findings.
[[nodiscard]] std::vector<NamedInstance> resolve_instances(const ir::Protocol& protocol, const std::string& wanted,
                                                           std::vector<result::Finding>& problems);

/// An instance that Tenet chose by itself.
[[nodiscard]] NamedInstance small_instance(const ir::Protocol& protocol, const ir::Instance& instance);

/// What came of exploring one instance.
struct Exploration {
  NamedInstance instance;
  std::optional<explore::Report> report;
  Error error;  ///< if there is no report
  bool cached = false;
  std::string category;  ///< of findings with its traces: how they came about, if not by exploring
  bool timed_out = false;

  /// Of a single run that something else than an exploration came upon.
  [[nodiscard]] static Exploration of(NamedInstance instance, explore::Found found);
  [[nodiscard]] bool finished() const { return report && report->whole(); }
};

/// Runs explorations with the common options of a command. Thread-safe.
class Runner {
 public:
  explicit Runner(const Options& options) : options_(options) {}

  struct Task {
    const ir::Protocol& protocol;
    const NamedInstance& instance;
    const SourceFile& source;  ///< what the protocol was read from; part of the cache key
    std::string label;         ///< for progress
    std::string salt;          ///< tells edits of one source apart; part of the cache key
    unsigned threads = 1;
    std::uint64_t memory_bytes = 0;
    std::vector<ir::PropertyId> properties;
    std::size_t max_violations = 1;
    bool first_only = false;
    bool deadlocks = true;
  };
  [[nodiscard]] Exploration run(const Task& task) const;

  [[nodiscard]] bool stopped() const { return options_.stop != nullptr && options_.stop->requested(); }
  void report_progress(const Progress& progress) const;

 private:
  const Options& options_;
  mutable std::mutex progress_mutex_;
};

/// What every exploration found to be so.
template <class Id>
std::vector<Id> in_all(const std::vector<Exploration>& explorations, std::vector<Id> explore::Report::* list) {
  std::map<Id, std::size_t> seen;
  for (const Exploration& e : explorations) {
    if (!e.report) return {};
    const std::set<Id> distinct((*e.report.*list).begin(), (*e.report.*list).end());
    for (const Id id : distinct) ++seen[id];
  }
  std::vector<Id> result;
  for (const auto& [id, count] : seen) {
    if (count == explorations.size()) result.push_back(id);
  }
  return result;
}

/// Numbers for the report.
[[nodiscard]] result::Statistics statistics(const Exploration& exploration);
/// Why an exploration that has a report ended: "stopped at the memory bound" …
[[nodiscard]] std::string_view describe(const Exploration& exploration);

}  // namespace tenet::verify
