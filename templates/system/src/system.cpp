#include "system.h"

#include "backup.h"
#include "client.h"
#include "primary.h"

namespace mysystem_service {

namespace sys = tenet::system;

std::string System::says() const { return "mysystem: a store whose primary keeps every key on all its backups"; }

std::vector<std::string> System::servers() const {
  std::vector<std::string> all = {"primary0"};
  for (std::uint64_t i = 0; i < backups; ++i) all.push_back("backup" + std::to_string(i));
  return all;
}

std::unique_ptr<sys::Role> System::server(sys::Context& context, sys::Peer self) const {
  if (self == 0) return std::make_unique<Primary>(context, static_cast<std::uint32_t>(backups));
  return std::make_unique<Backup>(context, static_cast<std::uint32_t>(self - 1));
}

std::unique_ptr<sys::Client> System::client(sys::Context& context, sys::Peer) const {
  return std::make_unique<Client>(context);
}

std::unique_ptr<tenet::monitor::Rules> System::rules() const {
  mysystem_monitor::Topology topology;
  topology.backup_hosts = static_cast<std::uint32_t>(backups);
  return mysystem_monitor::make_rules(topology);
}

std::vector<sys::Setting> System::settings() { return {{"backups", "how many", &backups, 1, 20}}; }

}  // namespace mysystem_service
