/// The acceptor of a replica, in every slot.
#pragma once

#include "tell.h"

namespace replicated {

class Acceptor {
 public:
  Acceptor(Context& context, const Cluster& cluster, std::uint32_t index, tenet::system::Store& store)
      : context_(context), cluster_(cluster), slots_(store, "acceptor/"), monitor_(index) {}

  void on(const Prepare& prepare, Peer from, MessageId name);
  void on(const Propose& propose, Peer from, MessageId name);
  /// Says again what it has voted for.
  void on(const Ask& ask, Peer from);

 private:
  using Slots = tenet::system::Records<AcceptorSlot>;
  AcceptorSlot& slot(std::uint64_t number);
  bool write(std::uint64_t number, const AcceptorSlot& next);
  void promise(Peer to, const Promise& promise, MessageId step);
  void preempt(Peer to, const Preempt& preempt, MessageId step);
  void accept(Peer to, const Accept& accept, MessageId step);

  Context& context_;
  const Cluster& cluster_;
  Slots slots_;
  spec::AcceptorMonitor monitor_;
};

}  // namespace replicated
