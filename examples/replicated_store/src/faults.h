/// Switches that make the system wrong in one way each, for finding out who notices, and fail points at which a process
/// can be made to die. None is on unless a test or a command line says so, and none touches how events are told.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tenet/system/faults.h"

namespace replicated {

enum class Fault : std::uint8_t {
  none,
  // Each wrong variant of the specification, under its name.
  believes_old_news,
  compares_numbers_only,
  counts_old_promises,
  forgets_its_vote,
  ignores_its_promise,
  insists_on_its_value,
  keeps_its_promises,
  tries_the_same_number,
  // Faults of the implementation, which the specification has no words for.
  acceptor_without_fsync,
  leader_without_fsync,
  learner_without_fsync,
  accepts_first,
  swapped_fields,
  carries_votes_over,
  counts_messages,
  off_by_one_slot,
  loses_last_slot,
  lost_update,
  stale_cache,
  executes_again,
  answers_first,
  applies_out_of_order,
};

using FaultInfo = tenet::system::FaultInfo<Fault>;
/// All but `none`, with what they do.
[[nodiscard]] std::span<const FaultInfo> all_faults();
[[nodiscard]] std::optional<Fault> fault_named(std::string_view name);

/// Places in the code at which a process can die.
enum class FailPoint : std::uint8_t {
  none,
  acceptor_before_write,
  acceptor_written,  ///< and nobody was told
  acceptor_sent,
  leader_before_write,
  leader_written,
  leader_sent,
  learner_before_write,
  learner_written,
  replica_applied,  ///< and no client was answered
};
[[nodiscard]] std::optional<FailPoint> fail_point_named(std::string_view name);
[[nodiscard]] std::string_view to_string(FailPoint point);
[[nodiscard]] std::span<const FailPoint> all_fail_points();

}  // namespace replicated
