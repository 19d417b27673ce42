/// The coordinator: who is master in which epoch, and which list of witnesses clients use. What it knows is in LevelDB.
/// (A real one would be replicated; that is another protocol.)
#pragma once

#include <map>
#include <optional>

#include "context.h"
#include "tell.h"

namespace curp {

class Coordinator {
 public:
  Coordinator(Context& context, const Cluster& cluster);
  /// Empty, or why it cannot begin.
  [[nodiscard]] std::string open(Disk& disk);
  void receive(const Message& message);

 private:
  template <class Event>
  spec::MessageId tell(Event event);
  [[nodiscard]] bool write();
  void on(const Heartbeat& heartbeat, const Message& message);
  void on(const Installed& installed, const Message& message);
  void watch();
  void promote();
  void choose_helpers();
  void propose();
  [[nodiscard]] bool lives(Node node) const;
  [[nodiscard]] Node master() const { return {Kind::master, process_}; }

  Context& context_;
  const Cluster& cluster_;
  spec::CoordinatorMonitor monitor_;
  Store store_;

  std::uint64_t epoch_ = 0;
  std::uint64_t list_ = 0;
  std::uint32_t process_ = 0;  ///< in which the master of the epoch is
  Witnesses witnesses_;
  std::uint64_t proposed_ = 0;
  Witnesses proposed_witnesses_;

  std::uint64_t boot_ = 0;  ///< the life of the master's process; 0: that of epoch 0

  std::map<Node, Microseconds> heard_;            ///< when a server last said that it lives
  std::map<std::uint32_t, std::uint64_t> boots_;  ///< the lives of the master processes
  Microseconds leased_until_ = 0;                 ///< the master may answer reads until then
  bool recovered_ = true;                         ///< the master of the epoch can take a list
  Microseconds promoted_at_ = 0;
  std::uint32_t backup_ = 0;  ///< whom the master of the epoch asks
  std::uint32_t witness_ = 0;
  Name promote_;
  Name install_;
  std::map<std::uint32_t, Name> config_;  ///< for each client, the message about the list
};

}  // namespace curp
