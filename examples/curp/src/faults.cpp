#include "faults.h"

#include <algorithm>
#include <array>

namespace curp {

namespace {

constexpr std::array kFaults = {
    FaultInfo{Fault::finishes_on_one_accept, "finishes_on_one_accept", true, "one witness is enough for the client"},
    FaultInfo{Fault::collects_before_sync, "collects_before_sync", true, "witnesses forget what no backup has"},
    FaultInfo{Fault::does_not_freeze, "does_not_freeze", true, "a witness accepts after it was asked for recovery"},
    FaultInfo{Fault::takes_old_epochs, "takes_old_epochs", true, "a backup follows a master of an old epoch"},
    FaultInfo{Fault::answers_despite_a_conflict, "answers_despite_a_conflict", true,
              "a result that rests on an unsynced update is told at once"},
    FaultInfo{Fault::reads_unsynced, "reads_unsynced", true, "a read does not look for unsynced updates"},
    FaultInfo{Fault::replays_again, "replays_again", true, "replay does not ask whether a request was executed"},
    FaultInfo{Fault::synced_on_one_backup, "synced_on_one_backup", true, "the first acknowledgement counts for all"},
    FaultInfo{Fault::serves_old_lists, "serves_old_lists", true, "the master does not compare versions of the list"},
    FaultInfo{Fault::replays_newest_only, "replays_newest_only", true,
              "replay takes a later request of a client for an acknowledgement"},
    FaultInfo{Fault::saves_conflicts, "saves_conflicts", true, "a witness saves requests that do not commute"},
    FaultInfo{Fault::installs_before_sync, "installs_before_sync", true, "new witnesses before all is synced"},
    FaultInfo{Fault::lost_update, "lost_update", false, "every eighth update does not reach the store"},
    FaultInfo{Fault::stale_cache, "stale_cache", false, "reads come from a cache that misses updates"},
    FaultInfo{Fault::off_by_one_suffix, "off_by_one_suffix", false, "a suffix for the backups begins one late"},
    FaultInfo{Fault::swapped_fields, "swapped_fields", false, "a backup stores client and number swapped"},
    FaultInfo{Fault::forgets_its_epoch, "forgets_its_epoch", false, "a backup's epoch is in memory only"},
    FaultInfo{Fault::forgets_it_is_frozen, "forgets_it_is_frozen", false, "that a witness is frozen is in memory only"},
    FaultInfo{Fault::acknowledges_first, "acknowledges_first", false, "a backup acknowledges before it writes"},
    FaultInfo{Fault::accepts_first, "accepts_first", false, "a witness accepts before it writes"},
    FaultInfo{Fault::loses_last_of_backlog, "loses_last_of_backlog", false, "a backup reads one entry too few"},
    FaultInfo{Fault::forgets_results, "forgets_results", false, "a new master's table of results begins empty"},
    FaultInfo{Fault::conflict_check_too_early, "conflict_check_too_early", false,
              "what is on its way to the backups counts as synced"},
    FaultInfo{Fault::keeps_old_accepts, "keeps_old_accepts", false, "accepts of an old list count for the new one"},
    FaultInfo{Fault::reads_without_lease, "reads_without_lease", false, "a deposed master answers reads"},
    FaultInfo{Fault::backup_without_fsync, "backup_without_fsync", false, "a backup does not fsync"},
    FaultInfo{Fault::witness_without_fsync, "witness_without_fsync", false, "a witness does not fsync"},
};

constexpr std::array<std::string_view, 13> kPoints = {"none",
                                                      "master_executed",
                                                      "master_before_sync",
                                                      "master_synced",
                                                      "master_replaying",
                                                      "master_recovered",
                                                      "backup_before_write",
                                                      "backup_written",
                                                      "backup_acknowledged",
                                                      "witness_before_write",
                                                      "witness_written",
                                                      "witness_accepted",
                                                      "witness_frozen"};
constexpr auto kAllPoints = [] {
  std::array<FailPoint, kPoints.size() - 1> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<FailPoint>(i + 1);
  return all;
}();

}  // namespace

std::span<const FaultInfo> all_faults() { return kFaults; }

std::optional<Fault> fault_named(std::string_view name) {
  if (name == "none") return Fault::none;
  const auto found = std::ranges::find(kFaults, name, &FaultInfo::name);
  if (found == kFaults.end()) return std::nullopt;
  return found->fault;
}

std::optional<FailPoint> fail_point_named(std::string_view name) {
  const auto found = std::ranges::find(kPoints, name);
  if (found == kPoints.end()) return std::nullopt;
  return static_cast<FailPoint>(found - kPoints.begin());
}

std::string_view to_string(FailPoint point) { return kPoints.at(static_cast<std::size_t>(point)); }
std::span<const FailPoint> all_fail_points() { return kAllPoints; }

}  // namespace curp
