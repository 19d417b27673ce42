/// The system's values in the words of the monitor that is generated from protocols/paxos_dynamic/paxos_dynamic.tenet.
/// Nothing here is kept: ranges are read while an event is written, from what the roles have stored.
#pragma once

#include <ranges>
#include <utility>

#include "paxos_dynamic_monitor.h"
#include "records.h"
#include "system.h"

namespace replicated {

namespace spec = paxos_dynamic_monitor;
using tenet::monitor::MessageId;

/// A slot's run of the protocol. 0 would be a run without a key.
[[nodiscard]] inline std::uint64_t run_of(std::uint64_t slot) { return slot + 1; }
/// Whether events of this slot are recorded now. Filling them in takes time, so ask first.
[[nodiscard]] inline bool watched(std::uint64_t slot) { return tenet_monitor_v1_wanted(run_of(slot)) != 0; }

[[nodiscard]] inline spec::Ballot told(const Ballot& ballot) {
  return {static_cast<std::int64_t>(ballot.number), static_cast<std::int64_t>(ballot.leader)};
}
[[nodiscard]] inline spec::Value told_value(const std::string& value) {
  return spec::Value(tenet::monitor::hash(value.data(), value.size()));
}
[[nodiscard]] inline spec::Vote told(const Vote& vote) { return {told(vote.ballot), told_value(vote.value)}; }
[[nodiscard]] inline tenet::monitor::Option<spec::Vote> told(const std::optional<Vote>& vote) {
  if (!vote) return tenet::monitor::none;
  return told(*vote);
}

// States as they are stored. `event` is called with one.
template <class Event>
auto with_state(const LeaderSlot& slot, const Event& event) {
  return event(spec::LeaderState{told(slot.ballot), slot.promised, told(slot.highest), slot.proposed});
}
template <class Event>
auto with_state(const AcceptorSlot& slot, const Event& event) {
  tenet::monitor::Option<spec::Ballot> promised = tenet::monitor::none;
  if (slot.promised) promised = told(*slot.promised);
  return event(spec::AcceptorState{promised, told(slot.voted)});
}
template <class Event>
auto with_state(const LearnerSlot& slot, const Event& event) {
  const auto accepts = slot.accepts | std::views::transform([](const auto& entry) {
                         return std::pair<spec::Vote, const std::set<std::uint32_t>&>(told(entry.first), entry.second);
                       });
  tenet::monitor::Option<spec::Value> learned = tenet::monitor::none;
  if (slot.learned) learned = told_value(*slot.learned);
  const std::set<std::uint32_t> nobody;
  return event(spec::LearnerState{{nobody, accepts}, learned});
}

}  // namespace replicated
