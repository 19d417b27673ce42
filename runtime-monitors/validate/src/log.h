/// Logs as lines of JSON, renamed, grouped by run and host.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/ir/protocol.h"
#include "tenet/validate/validate.h"

namespace tenet::validate {

using Json = nlohmann::json;

/// Where a line stands.
struct Place {
  std::uint32_t file = 0;
  std::uint64_t line = 0;
  std::size_t begin = 0, end = 0;  ///< bytes of the file's text
};

/// What the logs hold, before anything is judged.
struct Logs {
  std::vector<std::string> names;
  std::vector<std::string> texts;
  struct HostLog {
    struct Item {
      std::uint64_t incarnation = 0, sequence = 0;
      Place place;
      bool recovers = false;   ///< a snapshot after a restart
      bool after_gap = false;  ///< events of the host are missing before this one, or may be
    };
    std::vector<Item> items;  ///< in the host's order
    bool complete = false;    ///< the log says that it is not cut
  };
  std::map<std::uint64_t, std::map<std::string, HostLog>> runs;  ///< by key, then host
  /// The name of an event among those of its host.
  struct Name {
    std::uint64_t incarnation = 0, sequence = 0;
    auto operator<=>(const Name&) const = default;
  };
  /// By host and incarnation: the last event that the host took a number for before it, if a line says so.
  std::map<std::string, std::map<std::uint64_t, Name>> beginnings;
  std::map<std::string, std::int64_t> hosts;                ///< from headers
  std::map<std::string, Json> constants;                    ///< from headers
  std::map<std::string, std::set<std::string>> seen_hosts;  ///< names by role
  std::uint64_t events = 0;
  std::vector<std::string> notes;
  bool foreign = false;  ///< a header names another version of the protocol
};

/// Renames what is not called as Tenet calls it.
class Mapping {
 public:
  static Result<Mapping> load(const std::string& path);
  void apply(Json& line) const;

 private:
  std::map<std::string, std::string> fields_, steps_, hosts_;
};

/// Reads all files. Every line is parsed here once to find its host, and again when it is judged, so that a long log
/// needs little more memory than its text.
[[nodiscard]] Result<Logs> read_logs(const ir::Protocol& protocol, const std::vector<std::string>& files,
                                     const Options& options, const Mapping& mapping,
                                     const std::function<Result<void>(std::uint64_t key, const Json& line)>& visit);
[[nodiscard]] Json parse_line(const Logs& logs, const Place& place, const Mapping& mapping);

}  // namespace tenet::validate
