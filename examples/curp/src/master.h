/// A master process: stands by until it is promoted, recovers, and serves as the master of that epoch.
///
/// Everything it holds is in memory: what it has executed is on the backups, or at the witnesses, or not promised.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "context.h"
#include "tell.h"

namespace curp {

class Master {
 public:
  /// `serving`: it is the master of epoch 0, which begins with nothing to recover.
  Master(Context& context, const Cluster& cluster, bool serving);
  void receive(const Message& message);

 private:
  using Phase = spec::Phase;
  struct Stored {
    std::uint64_t version = 0;
    std::string value;
    std::size_t place = 0;  ///< in the log, of the last update
  };

  template <class Event>
  spec::MessageId tell(Event event);
  void begin(std::uint64_t epoch, Phase phase);
  void stand_by();
  void alive();

  void on(const Promote& promote, const Message& message);
  void on(const Backlog& backlog, const Message& message);
  void on_saved(const Message& message);
  void on(const Update& update, const Message& message);
  void on(const Read& read, const Message& message);
  void on(const Replicated& replicated, const Message& message);
  void on(const Install& install, const Message& message);
  void on(const Stuck& stuck);
  [[nodiscard]] bool replayed(const Op& op) const;
  const Entry& execute(const Request& request);
  [[nodiscard]] bool conflicts(const std::string& key) const;
  void refuse(const Message& message, const Op& op, Why why);
  void answer(std::size_t place);
  void collect(std::size_t place);
  void answer_read(Node client, const Read& read);
  void sync();
  void sync_soon();
  void all_have(std::size_t count);
  void replicate(std::uint32_t backup);
  void try_install();
  /// Sends again, until something else has happened.
  template <class Send>
  void insist(Send send);

  Context& context_;
  const Cluster& cluster_;
  std::optional<spec::MasterMonitor> monitor_;

  std::uint64_t epoch_ = 0;
  Phase phase_ = Phase::waiting;
  std::uint64_t list_ = 0;
  Witnesses witnesses_;
  std::vector<Entry> log_;
  std::size_t synced_ = 0;   ///< so many entries are on all backups
  std::size_t syncing_ = 0;  ///< so many were sent to them
  std::set<std::uint32_t> acknowledged_;
  std::vector<Request> todo_;
  std::optional<Message> saved_;  ///< came before the log

  std::map<Op, std::size_t> results_;  ///< RIFL's completion records: where in the log a request is
  std::map<std::string, Stored> store_;
  std::map<std::string, Stored> cache_;       ///< of the fault `stale_cache`
  std::map<std::uint32_t, std::size_t> has_;  ///< how many entries a backup has acknowledged
  std::map<std::uint32_t, Name> replicate_;   ///< names of the messages of the synchronisation under way
  std::set<std::size_t> awaited_;             ///< entries whose result was not told yet
  std::vector<std::pair<Node, Read>> reads_;  ///< which wait for a synchronisation
  std::optional<std::pair<Install, Name>> install_;
  std::map<std::uint32_t, Name> start_;
  bool sync_planned_ = false;
  Microseconds lease_until_ = 0;
  std::uint64_t progress_ = 0;  ///< counts what happened, so that a retry knows that it is late
};

}  // namespace curp
