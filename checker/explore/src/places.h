/// Where variables and constants lie: in the cells of a host (its variables
/// and its own constants), or in the configuration (constants that any host
/// may read: those of the protocol, and those of a role that a step reads at
/// another host than the acting one).
#pragma once

#include <cstdint>
#include <vector>

#include "layout.h"
#include "tenet/ir/state.h"

namespace tenet::explore {

class Places {
 public:
  Places(const ir::Protocol& protocol, const ir::Instance& instance, Layouts& layouts);

  /// Hosts are numbered role by role.
  [[nodiscard]] std::uint32_t host_count() const { return static_cast<std::uint32_t>(hosts_.size()); }
  [[nodiscard]] ir::HostRef host(std::uint32_t number) const { return hosts_[number]; }
  [[nodiscard]] std::uint32_t number(ir::HostRef host) const { return first_host_[host.role.index()] + host.index; }
  [[nodiscard]] std::uint32_t first_host(ir::RoleId role) const { return first_host_[role.index()]; }

  [[nodiscard]] std::uint32_t record_cells(ir::RoleId role) const { return record_cells_[role.index()]; }
  [[nodiscard]] std::uint32_t config_cells() const { return config_cells_; }
  /// In the cells of a host of its role.
  [[nodiscard]] std::uint32_t variable(ir::VarId id) const { return variable_[id.index()]; }
  [[nodiscard]] std::uint32_t constant(ir::ConstId id) const { return constant_[id.index()]; }
  /// In the configuration: the first row of a constant of the protocol or of
  /// a shared constant of a role.
  [[nodiscard]] std::uint32_t config(ir::ConstId id) const { return config_[id.index()]; }
  [[nodiscard]] std::uint32_t rows(ir::ConstId id) const { return rows_[id.index()]; }
  [[nodiscard]] bool shared(ir::ConstId id) const { return shared_[id.index()]; }

 private:
  void mark_shared(const ir::Protocol& protocol);
  std::vector<ir::HostRef> hosts_;
  std::vector<std::uint32_t> first_host_, record_cells_, variable_, constant_, config_, rows_;
  std::vector<bool> shared_;
  std::uint32_t config_cells_ = 0;
};

}  // namespace tenet::explore
