/// The system's values in the words of the monitor, which is generated from mysystem.tenet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mysystem_monitor.h"
#include "tenet/system/records.h"

namespace mysystem_service {

namespace spec = mysystem_monitor;
using tenet::monitor::MessageId;

/// A key's run of the protocol. 0 would be a run without a key.
[[nodiscard]] inline std::uint64_t run_of(const std::string& key) {
  return tenet::monitor::hash(key.data(), key.size()) | 1;
}
[[nodiscard]] inline std::int64_t told(std::uint64_t number) { return static_cast<std::int64_t>(number); }
[[nodiscard]] inline spec::Value told(const std::string& value) {
  return spec::Value(tenet::monitor::hash(value.data(), value.size()));
}
[[nodiscard]] inline tenet::monitor::Option<spec::Value> told(const std::optional<std::string>& value) {
  if (!value) return tenet::monitor::none;
  return told(*value);
}

}  // namespace mysystem_service
