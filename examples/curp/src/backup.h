/// A backup: the log of one epoch in LevelDB, and a fence against masters of older ones.
#pragma once

#include "context.h"
#include "tell.h"

namespace curp {

class Backup {
 public:
  Backup(Context& context, const Cluster& cluster, std::uint32_t index);
  /// Empty, or why it cannot begin.
  [[nodiscard]] std::string open(Disk& disk);
  void receive(const Message& message);

 private:
  template <class Event>
  spec::MessageId tell(Event event);
  void on(const Replicate& replicate, const Message& message);
  void on_fetch(const Message& message);
  [[nodiscard]] bool write(std::uint64_t epoch, std::size_t from, std::size_t old_size);
  void acknowledge(const Message& message, std::size_t count, spec::MessageId step);
  void alive();

  Context& context_;
  const Cluster& cluster_;
  spec::BackupMonitor monitor_;
  Store store_;
  std::uint64_t epoch_ = 0;
  std::vector<Entry> log_;
  Name backlog_;  ///< the answer to the last Fetch, for when it is asked for again
};

}  // namespace curp
