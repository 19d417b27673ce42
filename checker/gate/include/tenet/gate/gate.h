/// Whether a change keeps what was verified: the work behind `tenet gate`.
///
/// ```
/// tenet::gate::Options options;
/// options.base = "origin/main";
/// const auto outcome = tenet::gate::run(options);
/// if (!outcome) return complain(outcome.error());
/// fmt::print("{}", tenet::gate::text(*outcome));
/// return tenet::gate::exit_status(*outcome);
/// ```
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/gate/policy.h"
#include "tenet/gate/shard.h"
#include "tenet/verify/verify.h"

namespace tenet::gate {

struct Options {
  std::string repository = ".";  ///< a folder in it
  std::string base;              ///< a revision: what the change is to be merged into
  std::string head = "HEAD";     ///< a revision: the change
  Shard shard;
  verify::Options verify;  ///< how to verify; instance, properties, variants and mutate are not looked at
};

/// One way in which the head differs from the base.
struct Item {
  Change change = Change::newly_violated;
  std::string path;                    ///< from the root of the repository
  std::uint32_t line = 0, column = 0;  ///< in the head; 0: no place there
  std::string subject_kind, subject;   ///< "safety", "agreement"
  std::string message;                 ///< one sentence
  std::string before, after;           ///< verdicts, by result::name; "absent"
  std::string details;                 ///< the trace, as text; may be empty
};

/// What came of one protocol or variant that the change touches.
struct UnitOutcome {
  std::string key;   ///< of the plan
  std::string what;  ///< "protocol paxos", "variant forgets_its_vote"
  std::string path;
  std::size_t decided = 0;  ///< answers other than "unknown"
  std::size_t asked = 0;    ///< answers; 0 for what is gone
  std::vector<Item> items;
};

/// What tells this comparison from another.
struct Stamp {
  std::string base;                ///< commit that was named
  std::string merge_base;          ///< commit that was compared with
  std::string head;                ///< commit
  std::string policy;              ///< text of the `tenet.toml` of the base; empty if there is none
  std::string version;             ///< of Tenet
  std::vector<std::string> units;  ///< keys of the whole plan
  friend bool operator==(const Stamp&, const Stamp&) = default;
};

struct Outcome {
  Stamp stamp;
  Policy policy;
  Shard shard;
  std::vector<UnitOutcome> units;     ///< of this shard
  std::vector<std::string> problems;  ///< files of the head that cannot be used
  std::vector<std::string> notes;     ///< the policy is changed …
  std::size_t untouched = 0;          ///< protocols and variants that are as they were
  bool empty = false;                 ///< neither commit has a protocol that the policy covers
  bool internal = false;              ///< a bug of ours was met
  bool interrupted = false;
  std::string sarif;  ///< of `items`, as JSON text
};

/// Verifies what the change from the merge base of `base` and `head` to `head`
/// touches, of this only the shard, and compares it with the same at the merge
/// base. Reads commits, never the work tree. The policy is that of `base`.
/// Errors: `bad_input`: a revision that is not there, a clone too shallow to
/// find the merge base, a base that does not load, a policy that cannot be
/// read; `io`: Git, or temporary files.
[[nodiscard]] Result<Outcome> run(const Options& options);

/// One outcome from those of all shards, as `shard_text` wrote them; `paths`
/// are only names for messages. The plan is made anew from the repository.
/// Errors: those of `run`, and `bad_input` for what is no shard file, and for
/// a missing, duplicate or foreign shard (of another comparison, policy,
/// version or number of shards).
struct ShardFile {
  std::string path, text;
};
[[nodiscard]] Result<Outcome> merge(const Options& options, const std::vector<ShardFile>& files);

/// A shard's outcome for `merge`. JSON; docs/gate.md describes it.
[[nodiscard]] std::string shard_text(const Outcome& outcome);

/// By the policy: 0 nothing fails, 1 something violated fails, 2 something
/// else fails, or nothing could be decided or was there to decide, 3 the head
/// cannot be used, 4 a bug of ours; of several the first of 4, 3, 1, 2. A
/// change that touches nothing is 0.
[[nodiscard]] int exit_status(const Outcome& outcome);

/// For a terminal, without colours.
[[nodiscard]] std::string text(const Outcome& outcome);
/// A summary that GitHub and GitLab render. What it quotes is escaped.
[[nodiscard]] std::string markdown(const Outcome& outcome);
/// SARIF 2.1.0 of the items that fail or warn; the exit code is `exit_status`.
[[nodiscard]] std::string sarif(const Outcome& outcome);

}  // namespace tenet::gate
