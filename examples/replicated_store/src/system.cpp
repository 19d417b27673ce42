#include "system.h"

#include "client.h"
#include "replica.h"

namespace replicated {

namespace sys = tenet::system;

std::string System::says() const { return "a replicated store: one run of Paxos for every slot of a log"; }

std::vector<std::string> System::servers() const {
  std::vector<std::string> all;
  for (std::uint64_t i = 0; i < cluster.replicas; ++i) all.push_back("replica" + std::to_string(i));
  return all;
}

std::unique_ptr<sys::Role> System::server(Context& context, sys::Peer self) const {
  return std::make_unique<Replica>(context, cluster, static_cast<std::uint32_t>(self));
}

std::unique_ptr<sys::Client> System::client(Context& context, sys::Peer self) const {
  return std::make_unique<Client>(context, cluster, self);
}

std::unique_ptr<tenet::monitor::Rules> System::rules() const {
  spec::Topology topology;
  topology.leader_hosts = topology.acceptor_hosts = topology.learner_hosts =
      static_cast<std::uint32_t>(cluster.replicas);
  return spec::make_rules(topology);
}

std::vector<sys::Setting> System::settings() {
  return {{"replicas", "three or five, say", &cluster.replicas, 1, 20},
          {"batch", "commands of a slot, at most", &cluster.batch, 1, 10'000},
          {"retry", "microseconds after which a message is sent again", &cluster.retry, 1}};
}

}  // namespace replicated
