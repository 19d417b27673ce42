/// Text as JSON, for the few records this library writes: it depends on nothing.
#pragma once

#include <string>
#include <string_view>

namespace tenet::monitor {

/// In quotes, escaped; bytes that are not ASCII pass unchanged.
std::string quoted(std::string_view text);
/// Seconds since 1970 as `2026-01-31T12:00:00Z`.
std::string utc(std::uint64_t seconds);
/// The opposite, also for a mere date or a number of seconds; 0 if it is neither.
std::uint64_t seconds_of(const std::string& text);

}  // namespace tenet::monitor
