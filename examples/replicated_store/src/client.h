/// A client of the store: it asks one replica, and another one if it is not answered.
#pragma once

#include <optional>
#include <string>

#include "message.h"
#include "system.h"

namespace replicated {

class Client final : public tenet::system::Client {
 public:
  /// `self`: no other client has this number in the life of the cluster.
  Client(Context& context, const Cluster& cluster, Peer self) : context_(context), cluster_(cluster), self_(self) {}

  void put(const std::string& key, const std::string& value, Done done) override;
  void get(const std::string& key, Done done) override;
  [[nodiscard]] bool receive(Peer from, std::string_view body) override;

 private:
  void call(Command command, Done done);
  void ask();

  Context& context_;
  const Cluster& cluster_;
  Peer self_;
  std::uint64_t commands_ = 0;
  Peer target_ = 0;  ///< the replica that is asked
  std::optional<Command> command_;
  Done done_;
};

}  // namespace replicated
