/// What the system consists of: one primary and some backups.
#pragma once

#include "faults.h"
#include "tenet/system/role.h"

namespace mysystem_service {

class System final : public tenet::system::System {
 public:
  [[nodiscard]] std::string name() const override { return "mysystem"; }
  [[nodiscard]] std::string says() const override;
  [[nodiscard]] std::vector<std::string> servers() const override;
  [[nodiscard]] std::unique_ptr<tenet::system::Role> server(tenet::system::Context& context,
                                                            tenet::system::Peer self) const override;
  [[nodiscard]] std::unique_ptr<tenet::system::Client> client(tenet::system::Context& context,
                                                              tenet::system::Peer self) const override;
  [[nodiscard]] std::unique_ptr<tenet::monitor::Rules> rules() const override;
  [[nodiscard]] std::span<const Switch> faults() const override { return kFaults; }
  [[nodiscard]] std::span<const FailPoint> fail_points() const override { return kFailPoints; }
  [[nodiscard]] std::vector<tenet::system::Setting> settings() override;

  std::uint64_t backups = 2;
};

}  // namespace mysystem_service
