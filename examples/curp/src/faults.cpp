#include "faults.h"

#include <array>

namespace curp {

namespace {

constexpr std::array kFaults = {
    FaultInfo{{"finishes_on_one_accept", true, "one witness is enough for the client"}, Fault::finishes_on_one_accept},
    FaultInfo{{"collects_before_sync", true, "witnesses forget what no backup has"}, Fault::collects_before_sync},
    FaultInfo{{"does_not_freeze", true, "a witness accepts after it was asked for recovery"}, Fault::does_not_freeze},
    FaultInfo{{"takes_old_epochs", true, "a backup follows a master of an old epoch"}, Fault::takes_old_epochs},
    FaultInfo{{"answers_despite_a_conflict", true, "a result that rests on an unsynced update is told at once"},
              Fault::answers_despite_a_conflict},
    FaultInfo{{"reads_unsynced", true, "a read does not look for unsynced updates"}, Fault::reads_unsynced},
    FaultInfo{{"replays_again", true, "replay does not ask whether a request was executed"}, Fault::replays_again},
    FaultInfo{{"synced_on_one_backup", true, "the first acknowledgement counts for all"}, Fault::synced_on_one_backup},
    FaultInfo{{"serves_old_lists", true, "the master does not compare versions of the list"}, Fault::serves_old_lists},
    FaultInfo{{"replays_newest_only", true, "replay takes a later request of a client for an acknowledgement"},
              Fault::replays_newest_only},
    FaultInfo{{"saves_conflicts", true, "a witness saves requests that do not commute"}, Fault::saves_conflicts},
    FaultInfo{{"installs_before_sync", true, "new witnesses before all is synced"}, Fault::installs_before_sync},
    FaultInfo{{"lost_update", false, "every eighth update does not reach the store"}, Fault::lost_update},
    FaultInfo{{"stale_cache", false, "reads come from a cache that misses updates"}, Fault::stale_cache},
    FaultInfo{{"off_by_one_suffix", false, "a suffix for the backups begins one late"}, Fault::off_by_one_suffix},
    FaultInfo{{"swapped_fields", false, "a backup stores client and number swapped"}, Fault::swapped_fields},
    FaultInfo{{"forgets_its_epoch", false, "a backup's epoch is in memory only"}, Fault::forgets_its_epoch},
    FaultInfo{{"forgets_it_is_frozen", false, "that a witness is frozen is in memory only"},
              Fault::forgets_it_is_frozen},
    FaultInfo{{"acknowledges_first", false, "a backup acknowledges before it writes"}, Fault::acknowledges_first},
    FaultInfo{{"accepts_first", false, "a witness accepts before it writes"}, Fault::accepts_first},
    FaultInfo{{"loses_last_of_backlog", false, "a backup reads one entry too few"}, Fault::loses_last_of_backlog},
    FaultInfo{{"forgets_results", false, "a new master's table of results begins empty"}, Fault::forgets_results},
    FaultInfo{{"conflict_check_too_early", false, "what is on its way to the backups counts as synced"},
              Fault::conflict_check_too_early},
    FaultInfo{{"keeps_old_accepts", false, "accepts of an old list count for the new one"}, Fault::keeps_old_accepts},
    FaultInfo{{"reads_without_lease", false, "a deposed master answers reads"}, Fault::reads_without_lease},
    FaultInfo{{"backup_without_fsync", false, "a backup does not fsync", true}, Fault::backup_without_fsync},
    FaultInfo{{"witness_without_fsync", false, "a witness does not fsync", true}, Fault::witness_without_fsync},
};

constexpr tenet::system::Names<FailPoint, 13> kPoints("none", "master_executed", "master_before_sync", "master_synced",
                                                      "master_replaying", "master_recovered", "backup_before_write",
                                                      "backup_written", "backup_acknowledged", "witness_before_write",
                                                      "witness_written", "witness_accepted", "witness_frozen");

}  // namespace

std::span<const FaultInfo> all_faults() { return kFaults; }

std::optional<Fault> fault_named(std::string_view name) { return tenet::system::named(all_faults(), name); }
std::optional<FailPoint> fail_point_named(std::string_view name) { return kPoints.named(name); }
std::string_view to_string(FailPoint point) { return kPoints.of(point); }
std::span<const FailPoint> all_fail_points() { return kPoints.members(); }

}  // namespace curp
