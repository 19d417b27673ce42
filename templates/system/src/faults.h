/// Switches that make the system wrong in one way each, for finding out who notices, and the places at which a process
/// can be made to die. No switch touches what the monitor is told: that is what was stored and sent.
#pragma once

#include <array>

#include "tenet/system/role.h"

namespace mysystem_service {

using tenet::system::FailPoint;
using tenet::system::Switch;

namespace fault {
// The wrong variants of the specification, under their names.
inline constexpr Switch acknowledges_early{"acknowledges_early", true, "one backup is taken for all of them"};
inline constexpr Switch counts_old_answers{"counts_old_answers", true, "an answer counts whatever version it is for"};
inline constexpr Switch keeps_old_answers{"keeps_old_answers", true,
                                          "answers to the last write count for the next one"};
inline constexpr Switch takes_old_versions{"takes_old_versions", true, "a backup stores whatever comes"};
inline constexpr Switch forgets_the_value{"forgets_the_value", true, "a backup takes note of the version only"};
// Faults of the implementation, which the specification has no words for.
inline constexpr Switch primary_without_fsync{"primary_without_fsync", false, "the primary does not fsync", true};
inline constexpr Switch backup_without_fsync{"backup_without_fsync", false, "a backup does not fsync", true};
inline constexpr Switch answers_first{"answers_first", false, "a backup answers before it has written"};
inline constexpr Switch off_by_one{"off_by_one", false, "a version that is sent again is one too low"};
inline constexpr Switch executes_again{"executes_again", false, "a request that comes twice is executed twice"};
inline constexpr Switch stale_cache{"stale_cache", false, "reads come from a cache that misses every fourth write"};
}  // namespace fault

inline constexpr std::array kFaults = {
    fault::acknowledges_early, fault::counts_old_answers,    fault::keeps_old_answers,    fault::takes_old_versions,
    fault::forgets_the_value,  fault::primary_without_fsync, fault::backup_without_fsync, fault::answers_first,
    fault::off_by_one,         fault::executes_again,        fault::stale_cache,
};

namespace point {
inline constexpr FailPoint primary_before_write = "primary_before_write";
inline constexpr FailPoint primary_written = "primary_written";  // and nobody was told
inline constexpr FailPoint primary_sent = "primary_sent";
inline constexpr FailPoint backup_before_write = "backup_before_write";
inline constexpr FailPoint backup_written = "backup_written";
inline constexpr FailPoint backup_sent = "backup_sent";
}  // namespace point

inline constexpr std::array kFailPoints = {point::primary_before_write, point::primary_written, point::primary_sent,
                                           point::backup_before_write,  point::backup_written,  point::backup_sent};

}  // namespace mysystem_service
