/// The rules of the generated monitor for a cluster.
#pragma once

#include <memory>

#include "context.h"
#include "tell.h"

namespace curp {

[[nodiscard]] inline std::unique_ptr<tenet::monitor::Rules> rules(const Cluster& cluster) {
  spec::Topology topology;
  topology.client_hosts = cluster.clients;
  topology.master_hosts = cluster.epochs;
  topology.backup_hosts = cluster.backups;
  topology.witness_hosts = cluster.witnesses;
  topology.f = cluster.f();
  for (std::uint32_t w = 0; w < cluster.f(); ++w) topology.first_witnesses.insert(spec::WitnessId(w));
  topology.first_master = spec::MasterId(0);
  topology.reads = 1;
  return spec::make_rules(topology);
}

}  // namespace curp
