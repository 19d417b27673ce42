/// Renaming hosts and values everywhere: in values, constants, local states
/// and messages.
#pragma once

#include <cstdint>
#include <vector>

#include "universe.h"

namespace tenet::explore {

/// Where each host of each role and each value of each sort goes.
struct Renaming {
  std::vector<std::vector<std::uint32_t>> hosts;  ///< by role
  std::vector<std::vector<std::uint32_t>> sorts;  ///< by sort

  static Renaming identity(const ir::Protocol& protocol, const ir::Instance& instance);
};

class Permuter {
 public:
  Permuter(Universe& universe, Layouts& layouts) : universe_(universe), layouts_(layouts), p_(universe.protocol()) {}

  [[nodiscard]] std::uint32_t host(std::uint32_t number, const Renaming& renaming) const;
  /// The local state of the renamed host.
  [[nodiscard]] std::uint32_t local(const Local& local, const Renaming& renaming);
  [[nodiscard]] std::uint32_t message(std::uint32_t id, const Renaming& renaming);
  [[nodiscard]] ir::Value value(ir::TypeId type, const ir::Value& value, const Renaming& renaming);

 private:
  void cells(ir::TypeId type, const Cell* from, Cell* to, const Renaming& renaming);
  std::uint32_t config(std::uint32_t id, const Renaming& renaming);
  std::uint32_t row(const ir::ConstDecl& decl, std::uint32_t row, const Renaming& renaming);
  ir::Value function(const ir::Type& type, const ir::Value& value, const Renaming& renaming);

  Universe& universe_;
  Layouts& layouts_;
  const ir::Protocol& p_;
};

}  // namespace tenet::explore
