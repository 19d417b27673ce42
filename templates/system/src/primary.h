/// The primary: it serves clients, one write of a key after the other.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "faults.h"
#include "message.h"
#include "tell.h"

namespace mysystem_service {

using tenet::system::Peer;

/// What the primary has stored of a key: the variables of the specification, all durable, and whom to answer.
struct PrimaryRecord {
  std::uint64_t version = 0;
  std::optional<std::string> value;
  std::set<std::uint32_t> stored;  ///< backups, from 0
  std::uint64_t acknowledged = 0;
  Peer client = 0;           ///< whose request made this version
  std::uint64_t number = 0;  ///< of that request
};
void fields(auto& a, PrimaryRecord& v) {
  tenet::system::each(a, v.version, v.value, v.stored, v.acknowledged, v.client, v.number);
}

/// What a client's last write came to.
struct Done {
  std::uint64_t number = 0;  ///< of the request
  std::uint64_t version = 0;
};
void fields(auto& a, Done& v) { tenet::system::each(a, v.number, v.version); }

class Primary final : public tenet::system::Role {
 public:
  /// The backups are the peers after this one, which is peer 0.
  Primary(tenet::system::Context& context, std::uint32_t backups);

  [[nodiscard]] std::string open(tenet::system::Disk& disk) override;
  [[nodiscard]] bool receive(Peer from, std::string_view body) override;

 private:
  struct Asked {
    Peer client = 0;
    Request request;
  };

  PrimaryRecord& at(const std::string& key);
  bool write(const std::string& key, const PrimaryRecord& next, std::vector<tenet::system::Store::Change> more = {});
  void on(const Request& request, Peer from);
  void on(const Stored& stored, Peer from, MessageId name);
  void execute(const Asked& asked);
  void put(const Asked& asked);
  void replicate(const std::string& key, const PrimaryRecord& now, MessageId step, bool again);
  void acknowledge_if_all(const std::string& key);
  void reply(Peer client, const Reply& reply);
  void retry();

  tenet::system::Context& context_;
  std::uint32_t backups_;
  tenet::system::Store store_;
  tenet::system::Records<PrimaryRecord> records_;
  spec::PrimaryMonitor monitor_;
  std::map<std::string, std::deque<Asked>> busy_;  ///< keys with a write under way, and who waits for its end
  std::map<Peer, Done> done_;                      ///< the last write of every client, durable
  std::map<std::string, Reply> cache_;             ///< for a fault
};

}  // namespace mysystem_service
