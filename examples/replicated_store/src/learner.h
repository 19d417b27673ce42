/// The learner of a replica, in every slot.
#pragma once

#include <functional>

#include "tell.h"

namespace replicated {

class Learner {
 public:
  /// `learned` is called once for every slot whose value becomes known.
  using Learned = std::function<void(std::uint64_t slot)>;
  Learner(Context& context, const Cluster& cluster, std::uint32_t index, tenet::system::Store& store, Learned learned)
      : context_(context),
        cluster_(cluster),
        slots_(store, "learner/"),
        learned_(std::move(learned)),
        monitor_(index) {}

  void on(const Accept& accept, Peer from, MessageId name);
  /// The slot's value, if it is known.
  [[nodiscard]] std::optional<std::string> value(std::uint64_t number) {
    return slots_.at(key_of(number)).record.learned;
  }

 private:
  using Slots = tenet::system::Records<LearnerSlot>;
  LearnerSlot& slot(std::uint64_t number);
  bool write(std::uint64_t number, const LearnerSlot& next);

  Context& context_;
  const Cluster& cluster_;
  Slots slots_;
  Learned learned_;
  spec::LearnerMonitor monitor_;
};

}  // namespace replicated
