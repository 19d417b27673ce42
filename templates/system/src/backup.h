/// A backup: it keeps what the primary tells it.
#pragma once

#include <optional>
#include <string>

#include "faults.h"
#include "message.h"
#include "tell.h"

namespace mysystem_service {

using tenet::system::Peer;

/// What a backup has stored of a key.
struct BackupRecord {
  std::uint64_t version = 0;
  std::optional<std::string> value;
};
void fields(auto& a, BackupRecord& v) { tenet::system::each(a, v.version, v.value); }

class Backup final : public tenet::system::Role {
 public:
  /// `index`: from 0 among the backups.
  Backup(tenet::system::Context& context, std::uint32_t index);

  [[nodiscard]] std::string open(tenet::system::Disk& disk) override;
  [[nodiscard]] bool receive(Peer from, std::string_view body) override;

 private:
  void on(const Replicate& replicate, MessageId name);
  BackupRecord& at(const std::string& key);
  bool write(const std::string& key, const BackupRecord& next);
  void answer(const std::string& key, std::uint64_t version, MessageId step);

  tenet::system::Context& context_;
  tenet::system::Store store_;
  tenet::system::Records<BackupRecord> records_;
  spec::BackupMonitor monitor_;
};

}  // namespace mysystem_service
