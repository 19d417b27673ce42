/// A client: it asks the primary, again and again until it is answered.
#pragma once

#include <optional>
#include <string>

#include "message.h"
#include "tenet/system/role.h"

namespace mysystem_service {

class Client final : public tenet::system::Client {
 public:
  explicit Client(tenet::system::Context& context) : context_(context) {}

  void put(const std::string& key, const std::string& value, Done done) override;
  void get(const std::string& key, Done done) override;
  [[nodiscard]] bool receive(tenet::system::Peer from, std::string_view body) override;

 private:
  void call(Request request, Done done);
  void ask();

  tenet::system::Context& context_;
  std::uint64_t numbers_ = 0;
  std::optional<Request> request_;  ///< that is under way
  Done done_;
};

}  // namespace mysystem_service
