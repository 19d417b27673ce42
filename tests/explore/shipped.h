/// Loading the shipped protocols and their wrong variants.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "samples.h"
#include "tenet/frontend/frontend.h"

namespace tenet::explore::shipped {

inline std::filesystem::path folder() { return std::filesystem::path(TENET_SOURCE_DIR) / "protocols"; }

inline SourceFile source(const std::filesystem::path& path) {
  const auto read = frontend::read_source(path.string());
  EXPECT_TRUE(read) << read.error().message;
  return read ? *read : SourceFile();
}

inline SourceFile source_of(const std::string& protocol) { return source(folder() / protocol / (protocol + ".tenet")); }

inline ir::Protocol load(const std::string& protocol) {
  const SourceFile file = source_of(protocol);
  auto loaded = frontend::load_protocol(file);
  for (const Diagnostic& diagnostic : loaded.diagnostics.sorted()) ADD_FAILURE() << render(diagnostic, file, false);
  return loaded.protocol ? std::move(*loaded.protocol) : ir::Protocol{};
}

/// A shipped protocol in a size that the obvious explorer copes with.
struct Small {
  std::string protocol;
  std::vector<ir::InstanceEntry> entries;
  std::size_t mutants = 12;  ///< how many are compared: some take the obvious explorer long
};

inline void PrintTo(const Small& of, std::ostream* out) { *out << of.protocol; }

inline std::vector<Small> all_small() {
  using samples::range;
  using samples::size;
  return {
      {"two_phase_commit", {size("Participant", 2)}},
      {"two_phase_commit", {size("Participant", 3)}},
      {"echo_server", {}},
      {"simplified_leader_election", {}},
      {"ring_leader_election", {}},
      {"ring_leader_election", {size("Node", 3), range("id", 0, 2)}},  // only rotations are symmetries
      {"distributed_lock", {}},
      {"raft_leader_election", {}, 1},
      {"three_phase_commit", {size("Participant", 2)}},
      {"paxos", {size("Leader", 1), size("Acceptor", 2), size("Learner", 1), size("Value", 2), range("ballot", 0, 1)}},
      {"lock_server", {size("Client", 2), range("epoch", 0, 4)}},
      {"sharded_store", {size("Node", 2), size("Key", 1), range("version", 0, 2)}},
      {"sharded_store_batched", {size("Node", 2), size("Key", 2), range("version", 0, 1)}, 2},
      {"reduce",
       {size("Worker", 2), size("Place", 1), range("numbers", -1, 1), range("total", -1, 1), range("totals", -1, 1),
        range("result", -2, 2)}},
      {"flexible_paxos",
       {size("Leader", 1), size("Acceptor", 2), size("Learner", 1), size("Value", 2), range("ballot", 0, 1),
        range("promises_needed", 1, 2), range("votes_needed", 1, 2)},
       4},
      {"paxos_dynamic",
       {size("Leader", 2), size("Acceptor", 1), size("Learner", 1), size("Value", 1), range("id", 0, 1),
        range("leader", 0, 1), range("number", 0, 1)},
       1},
      {"multi_paxos",
       {size("Leader", 1), size("Acceptor", 1), size("Learner", 1), size("Slot", 2), size("Value", 1),
        range("id", 0, 0), range("leader", 0, 0), range("number", 0, 1)},
       4}};
}

/// The wrong variants of a protocol, in the order of their names.
inline std::vector<frontend::Variant> variants(const std::string& protocol) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder() / protocol / "wrong")) {
    if (entry.path().extension() == ".tenet") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  const SourceFile base = source_of(protocol);
  std::vector<frontend::Variant> result;
  for (const auto& path : paths) {
    auto loaded = frontend::load_variant(source(path), base);
    EXPECT_TRUE(loaded.variant.has_value()) << path;
    if (loaded.variant) result.push_back(std::move(*loaded.variant));
  }
  return result;
}

}  // namespace tenet::explore::shipped
