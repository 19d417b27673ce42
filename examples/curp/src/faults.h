/// Switches that make the system wrong in one way each, for finding out who notices, and fail points at which a process
/// can be made to die. None is on unless a test or a command line says so.
#pragma once

#include <array>

#include "tenet/system/role.h"

namespace curp {

using tenet::system::FailPoint;
using tenet::system::Switch;

// Called as on the command line.
// NOLINTBEGIN(readability-identifier-naming)
namespace fault {
// Each wrong variant of the specification, under its name.
inline constexpr Switch finishes_on_one_accept{"finishes_on_one_accept", true, "one witness is enough for the client"};
inline constexpr Switch collects_before_sync{"collects_before_sync", true, "witnesses forget what no backup has"};
inline constexpr Switch does_not_freeze{"does_not_freeze", true, "a witness accepts after it was asked for recovery"};
inline constexpr Switch takes_old_epochs{"takes_old_epochs", true, "a backup follows a master of an old epoch"};
inline constexpr Switch answers_despite_a_conflict{"answers_despite_a_conflict", true,
                                                   "a result that rests on an unsynced update is told at once"};
inline constexpr Switch reads_unsynced{"reads_unsynced", true, "a read does not look for unsynced updates"};
inline constexpr Switch replays_again{"replays_again", true, "replay does not ask whether a request was executed"};
inline constexpr Switch synced_on_one_backup{"synced_on_one_backup", true, "the first acknowledgement counts for all"};
inline constexpr Switch serves_old_lists{"serves_old_lists", true, "the master does not compare versions of the list"};
inline constexpr Switch replays_newest_only{"replays_newest_only", true,
                                            "replay takes a later request of a client for an acknowledgement"};
inline constexpr Switch saves_conflicts{"saves_conflicts", true, "a witness saves requests that do not commute"};
inline constexpr Switch installs_before_sync{"installs_before_sync", true, "new witnesses before all is synced"};
// Faults of the implementation, which the specification has no words for.
inline constexpr Switch lost_update{"lost_update", false, "every eighth update does not reach the store"};
inline constexpr Switch stale_cache{"stale_cache", false, "reads come from a cache that misses updates"};
inline constexpr Switch off_by_one_suffix{"off_by_one_suffix", false, "a suffix for the backups begins one late"};
inline constexpr Switch swapped_fields{"swapped_fields", false, "a backup stores client and number swapped"};
inline constexpr Switch forgets_its_epoch{"forgets_its_epoch", false, "a backup's epoch is in memory only"};
inline constexpr Switch forgets_it_is_frozen{"forgets_it_is_frozen", false,
                                             "that a witness is frozen is in memory only"};
inline constexpr Switch acknowledges_first{"acknowledges_first", false, "a backup acknowledges before it writes"};
inline constexpr Switch accepts_first{"accepts_first", false, "a witness accepts before it writes"};
inline constexpr Switch loses_last_of_backlog{"loses_last_of_backlog", false, "a backup reads one entry too few"};
inline constexpr Switch forgets_results{"forgets_results", false, "a new master's table of results begins empty"};
inline constexpr Switch conflict_check_too_early{"conflict_check_too_early", false,
                                                 "what is on its way to the backups counts as synced"};
inline constexpr Switch keeps_old_accepts{"keeps_old_accepts", false, "accepts of an old list count for the new one"};
inline constexpr Switch reads_without_lease{"reads_without_lease", false, "a deposed master answers reads"};
inline constexpr Switch backup_without_fsync{"backup_without_fsync", false, "a backup does not fsync", true};
inline constexpr Switch witness_without_fsync{"witness_without_fsync", false, "a witness does not fsync", true};
}  // namespace fault

inline constexpr std::array kFaults = {
    fault::finishes_on_one_accept,
    fault::collects_before_sync,
    fault::does_not_freeze,
    fault::takes_old_epochs,
    fault::answers_despite_a_conflict,
    fault::reads_unsynced,
    fault::replays_again,
    fault::synced_on_one_backup,
    fault::serves_old_lists,
    fault::replays_newest_only,
    fault::saves_conflicts,
    fault::installs_before_sync,
    fault::lost_update,
    fault::stale_cache,
    fault::off_by_one_suffix,
    fault::swapped_fields,
    fault::forgets_its_epoch,
    fault::forgets_it_is_frozen,
    fault::acknowledges_first,
    fault::accepts_first,
    fault::loses_last_of_backlog,
    fault::forgets_results,
    fault::conflict_check_too_early,
    fault::keeps_old_accepts,
    fault::reads_without_lease,
    fault::backup_without_fsync,
    fault::witness_without_fsync,
};

namespace point {
inline constexpr FailPoint master_executed = "master_executed";  // an update is in the log, and nothing was said of it
inline constexpr FailPoint master_before_sync = "master_before_sync";  // the backups are about to be told
inline constexpr FailPoint master_synced = "master_synced";            // all backups have it, and nobody was told
inline constexpr FailPoint master_replaying = "master_replaying";      // some of what a witness saved is replayed
inline constexpr FailPoint master_recovered =
    "master_recovered";  // all backups have what was recovered; there is no list of witnesses yet
inline constexpr FailPoint backup_before_write = "backup_before_write";
inline constexpr FailPoint backup_written = "backup_written";  // and not acknowledged
inline constexpr FailPoint backup_acknowledged = "backup_acknowledged";
inline constexpr FailPoint witness_before_write = "witness_before_write";
inline constexpr FailPoint witness_written = "witness_written";  // and not accepted
inline constexpr FailPoint witness_accepted = "witness_accepted";
inline constexpr FailPoint witness_frozen = "witness_frozen";
}  // namespace point
// NOLINTEND(readability-identifier-naming)

inline constexpr std::array kFailPoints = {
    point::master_executed,      point::master_before_sync,  point::master_synced,    point::master_replaying,
    point::master_recovered,     point::backup_before_write, point::backup_written,   point::backup_acknowledged,
    point::witness_before_write, point::witness_written,     point::witness_accepted, point::witness_frozen,
};

}  // namespace curp
