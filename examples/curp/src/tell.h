/// The system's values in the words of the monitor that is generated from protocols/curp/curp.tenet. Nothing here is
/// kept: ranges are read while an event is written, from what the roles have stored.
#pragma once

#include <ranges>
#include <vector>

#include "curp_monitor.h"
#include "message.h"

namespace curp {

namespace spec = curp_monitor;

/// Whether events are recorded now. Filling them in takes time in proportion to the log, so ask first.
[[nodiscard]] inline bool watched() { return tenet_monitor_v1_wanted(0) != 0; }

[[nodiscard]] inline spec::MessageId told(Name name) { return {name.host, name.sequence}; }
[[nodiscard]] inline Name named(spec::MessageId id) { return {id.host, id.sequence}; }
[[nodiscard]] inline std::int64_t told(std::uint64_t number) { return static_cast<std::int64_t>(number); }
[[nodiscard]] inline spec::Key told_key(const std::string& key) {
  return spec::Key(tenet::monitor::hash(key.data(), key.size()));
}
[[nodiscard]] inline spec::Op told(const Op& op) {
  return {spec::ClientId(op.client), told(op.number), told_key(op.key)};
}
[[nodiscard]] inline spec::Entry told(const Entry& entry) { return {told(entry.request.op), told(entry.version)}; }
/// The first `count` entries of a log.
[[nodiscard]] inline auto told(const std::vector<Entry>& log, std::size_t count) {
  return log | std::views::take(static_cast<std::ptrdiff_t>(count)) |
         std::views::transform([](const Entry& entry) { return told(entry); });
}
[[nodiscard]] inline auto told(const std::vector<Request>& requests) {
  return requests | std::views::transform([](const Request& request) { return told(request.op); });
}
[[nodiscard]] inline spec::MasterId master_of(std::uint64_t epoch) {
  return spec::MasterId(static_cast<std::uint32_t>(epoch));
}

}  // namespace curp
