/// Whether what the clients saw is linearizable, key by key: J. Wing and C. Gong's search (Testing and Verifying
/// Concurrent Objects, JPDC 1993), with the set of visited configurations of G. Lowe (Testing for Linearizability, CCPE
/// 2017). Linearizability is local (M. Herlihy and J. Wing, TOPLAS 1990), so keys are checked one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tenet::system {

/// One operation of a client on a key.
struct Operation {
  std::uint32_t client = 0;
  std::string key;
  bool put = false;
  std::string value;                      ///< written, or read
  std::uint64_t version = 0;              ///< returned
  std::uint64_t called = 0;               ///< any clock that all operations share
  std::optional<std::uint64_t> returned;  ///< none: not known whether it was ever done
};

struct Judgement {
  bool linearizable = true;
  bool decided = true;  ///< false: the search was given up
  std::string key;      ///< where not
  std::string because;
};

/// A put writes its value and returns the next version (from 1), a get returns value and version (0 and empty at
/// first).
[[nodiscard]] Judgement judge(const std::vector<Operation>& history, std::size_t most_configurations = 1'000'000);

}  // namespace tenet::system
