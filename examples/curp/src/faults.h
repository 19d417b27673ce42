/// Switches that make the system wrong in one way each, for finding out who notices, and fail points at which a process
/// can be made to die. None is on unless a test or a command line says so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tenet/system/faults.h"

namespace curp {

enum class Fault : std::uint8_t {
  none,
  // Each wrong variant of the specification, under its name.
  finishes_on_one_accept,
  collects_before_sync,
  does_not_freeze,
  takes_old_epochs,
  answers_despite_a_conflict,
  reads_unsynced,
  replays_again,
  synced_on_one_backup,
  serves_old_lists,
  replays_newest_only,
  saves_conflicts,
  installs_before_sync,
  // Faults of the implementation, which the specification has no words for.
  lost_update,               ///< every eighth update is logged and answered, and the store keeps the old version
  stale_cache,               ///< reads come from a cache that is not told of every update
  off_by_one_suffix,         ///< a suffix for the backups begins one entry late
  swapped_fields,            ///< a backup stores client and number of a request in each other's place
  forgets_its_epoch,         ///< a backup keeps its epoch in memory only
  forgets_it_is_frozen,      ///< a witness keeps in memory only that it is frozen
  acknowledges_first,        ///< a backup acknowledges before it has written
  accepts_first,             ///< a witness accepts before it has written
  loses_last_of_backlog,     ///< a backup reads one entry too few when it starts
  forgets_results,           ///< a new master does not enter the backlog into its table of results
  conflict_check_too_early,  ///< what is on its way to the backups counts as synced
  keeps_old_accepts,         ///< a client counts accepts of an old list for the new one
  reads_without_lease,       ///< a master answers reads although it may have been deposed
  backup_without_fsync,      ///< matters when the power fails
  witness_without_fsync,     ///< matters when the power fails
};

using FaultInfo = tenet::system::FaultInfo<Fault>;
/// All but `none`.
[[nodiscard]] std::span<const FaultInfo> all_faults();
[[nodiscard]] std::optional<Fault> fault_named(std::string_view name);

/// Places in the code at which a process can die.
enum class FailPoint : std::uint8_t {
  none,
  master_executed,     ///< an update is in the log, and nothing was said of it
  master_before_sync,  ///< the backups are about to be told
  master_synced,       ///< all backups have it, and nobody was told
  master_replaying,    ///< some of what a witness saved is replayed
  master_recovered,    ///< all backups have what was recovered; there is no list of witnesses yet
  backup_before_write,
  backup_written,  ///< and not acknowledged
  backup_acknowledged,
  witness_before_write,
  witness_written,  ///< and not accepted
  witness_accepted,
  witness_frozen,
};
[[nodiscard]] std::optional<FailPoint> fail_point_named(std::string_view name);
[[nodiscard]] std::string_view to_string(FailPoint point);
[[nodiscard]] std::span<const FailPoint> all_fail_points();

}  // namespace curp
