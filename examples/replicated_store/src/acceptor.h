/// The acceptor of a replica, in every slot.
#pragma once

#include "tell.h"

namespace replicated {

class Acceptor {
 public:
  Acceptor(Context& context, const Cluster& cluster, std::uint32_t index, tenet::system::Store& store)
      : context_(context), cluster_(cluster), slots_(store, "acceptor/"), monitor_(index) {}

  void on(const Prepare& prepare, const Message& message);
  void on(const Propose& propose, const Message& message);
  /// Says again what it has voted for.
  void on(const Ask& ask, const Message& message);

 private:
  using Slot = Slots<AcceptorSlot>::Slot;
  Slot& slot(std::uint64_t number);
  bool write(std::uint64_t number, const AcceptorSlot& next);
  void promise(const Message& message, const Promise& promise, spec::MessageId step);
  void preempt(const Message& message, const Preempt& preempt, spec::MessageId step);
  void accept(Node to, const Accept& accept, spec::MessageId step);

  Context& context_;
  const Cluster& cluster_;
  Slots<AcceptorSlot> slots_;
  spec::AcceptorMonitor monitor_;
};

}  // namespace replicated
