/// What the commands on specifications do with files: load, explore, prove, judge.
/// No output and no parsing of options; every answer is a `result::RunResult`.
///
/// ```
/// tenet::verify::Options options;
/// options.jobs = 2;
/// const auto run = tenet::verify::verify({"protocols"}, options);
/// fmt::print("{}", tenet::report::text(run, {}));
/// return tenet::result::exit_status(run);
/// ```
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tenet/base/stop.h"
#include "tenet/cache/cache.h"
#include "tenet/explore/explorer.h"
#include "tenet/result/result_model.h"

namespace tenet::verify {

/// What is being done right now. Reported from one thread at a time.
struct Progress {
  std::string what;           ///< "paxos, instance small"; "paxos, mutant 3 of 41"
  explore::Progress numbers;  ///< zero while there are none
};

struct Options {
  std::string instance;                     ///< only this one; empty: every instance of a file
  std::vector<std::string> properties;      ///< only these; empty: all
  std::vector<std::string> variants;        ///< files and folders with wrong variants to run
  bool mutate = false;                      ///< make mutants of every protocol that holds, and try to refute them
  unsigned jobs = 1;                        ///< threads, at least 1
  std::uint64_t memory_bytes = 4ULL << 30;  ///< for stored states, all threads together
  double explore_seconds = 0;               ///< an instance; what is not found by then is not found. 0: no limit
  std::size_t max_violations = 1;           ///< per property
  bool accept_bounded = false;
  bool prove = true;   ///< ask the prover about what no exploration violates
  bool infer = false;  ///< look for lemmas that make inductive what is not proved otherwise
  /// Look for violations with any numbers in runs of so many steps; 0: do not. Nothing: where a proof stays open that
  /// the explorations say little of.
  std::optional<unsigned> symbolic_depth;
  double prove_seconds = 60;       ///< a file; what is not proved by then is not proved
  std::uint32_t seed = 0;          ///< of the prover's solver
  bool recheck = false;            ///< every contradiction is also put to a second solver (cvc5)
  bool keep_queries = false;       ///< for `report::certificate`; proofs are then made anew, not taken from the cache
  std::string version = "0";       ///< for reports
  std::string build;               ///< what tells this build's results from another's; part of cache keys
  cache::Cache* cache = nullptr;   ///< not owned; null: none
  const StopFlag* stop = nullptr;  ///< not owned; what is unfinished becomes unknown
  std::function<void(const Progress&)> progress;
};

/// Explores the protocols in `paths` (files; folders are searched for
/// protocols, wrong variants in them are listed as skipped), tries to prove
/// for any number of hosts what no exploration violates, and runs the variants
/// and mutants that are asked for. Every violation was replayed by the
/// reference interpreter. If a proof and a run contradict one another, that is
/// an internal error.
[[nodiscard]] result::RunResult verify(const std::vector<std::string>& paths, const Options& options);

/// Loads protocols and variants: names and types only.
[[nodiscard]] result::RunResult check(const std::vector<std::string>& paths, const std::string& version);

/// What the prover derives of one protocol or wrong variant: in
/// `FileResult::proof`. Nothing is explored. Of `options` counts what concerns
/// the prover, the cache, progress and stopping.
[[nodiscard]] result::RunResult invariants(const std::string& path, const Options& options);

struct SimulateOptions {
  std::string instance;  ///< empty: the first of the file
  explore::SimulateOptions runs;
  std::string version = "0";
};
/// Random runs of one protocol. What no run violates is still unknown.
[[nodiscard]] result::RunResult simulate(const std::string& path, const SimulateOptions& options);

}  // namespace tenet::verify
