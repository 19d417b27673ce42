/// One process of the store: leader, acceptor and learner of every slot, and the machine that executes the log.
#pragma once

#include <deque>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "acceptor.h"
#include "leader.h"
#include "learner.h"
#include "machine.h"

namespace replicated {

class Replica : public tenet::system::Role {
 public:
  Replica(Context& context, const Cluster& cluster, std::uint32_t index);

  [[nodiscard]] std::string open(tenet::system::Disk& disk) override;
  [[nodiscard]] bool receive(Peer from, std::string_view body) override;
  /// Slots before this one are learned and executed.
  [[nodiscard]] std::uint64_t next() const { return next_; }

 private:
  void on(const Request& request, Peer from);
  void learned(std::uint64_t slot);
  void execute(std::uint64_t slot);
  std::string fresh(std::uint64_t slot);
  void preempted(std::uint64_t slot);
  void drive();
  void beat();
  void retry();
  void answer(Peer client, const Result& result);

  Context& context_;
  const Cluster& cluster_;
  std::uint32_t index_;
  tenet::system::Store store_;
  std::optional<Acceptor> acceptor_;
  std::optional<Leader> leader_;
  std::optional<Learner> learner_;
  Machine machine_;
  std::mt19937_64 random_;
  std::uint64_t next_ = 0;
  std::set<std::uint64_t> executed_early_;  ///< for a fault
  std::deque<Command> pending_;             ///< of clients that wait for an answer from here
  std::optional<std::uint64_t> driven_;     ///< the slot that the leader was last told to drive
  unsigned attempts_ = 0;                   ///< in this slot, that were preempted
  std::uint64_t ahead_ = 0;                 ///< another replica has learned all slots before this one
  std::uint64_t next_at_beat_ = 0;
  unsigned beats_behind_ = 0;  ///< without learning anything
};

}  // namespace replicated
