/// The leader of a replica. It cares for one slot at a time.
#pragma once

#include <functional>

#include "tell.h"

namespace replicated {

class Leader {
 public:
  struct Owner {
    /// What to propose in this slot if nothing is bound.
    std::function<std::string(std::uint64_t slot)> fresh;
    /// Its ballot was beaten; whoever wants to can `drive` again after a while.
    std::function<void(std::uint64_t slot)> preempted;
  };
  Leader(Context& context, const Cluster& cluster, std::uint32_t index, tenet::system::Store& store, Owner owner);

  /// Begins a slot, or says again what was said last.
  void drive(std::uint64_t number);
  void on(const Promise& promise, Peer from, MessageId name);
  void on(const Preempt& preempt, Peer from, MessageId name);

 private:
  using Slots = tenet::system::Records<LeaderSlot>;
  LeaderSlot& slot(std::uint64_t number);
  bool write(std::uint64_t number, const LeaderSlot& next);
  void propose(std::uint64_t number);
  void send_proposal(std::uint64_t number, MessageId step);

  Context& context_;
  const Cluster& cluster_;
  std::uint32_t index_;
  Slots slots_;
  Owner owner_;
  spec::LeaderMonitor monitor_;
  std::optional<std::uint64_t> current_;
  std::size_t messages_ = 0;     ///< for a fault
  std::optional<Vote> carried_;  ///< for a fault
};

}  // namespace replicated
