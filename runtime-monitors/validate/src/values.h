/// Values of a protocol from JSON, in an instance that the values of a run determine.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "log.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/state.h"

namespace tenet::validate {

/// What a line says of a message.
struct SaidMessage {
  bool said = false;  ///< anything at all
  ir::MessageId message;
  std::optional<ir::HostRef> peer;
  std::vector<std::optional<ir::Value>> args;  ///< by field; none without a message
  [[nodiscard]] bool complete() const;
  /// Whether it may be this one, which goes to or comes from `other`.
  [[nodiscard]] bool fits(const ir::Packet& packet, ir::HostRef other) const;
};

/// How many hosts of each role the logs mention; the runs of a service share its hosts.
using RoleSizes = std::map<std::uint32_t, std::int64_t>;

/// Collects what the logs mention of one run, makes an instance of it, and reads values in it. An instance for each run
/// keeps small what ranges over values and numbers: a service that lives long sees any number of them, a run few.
class Values {
 public:
  Values(const ir::Protocol& protocol, RoleSizes& sizes) : p_(protocol), sizes_(sizes) {}

  // First pass.
  Result<void> collect_line(const Json& line);
  Result<void> collect(ir::TypeId type, const Json& json);
  /// After it, of all runs: the instance. Sizes of roles from `hosts`, else from what was seen.
  Result<void> resolve(const Options& options, const Logs& logs);

  // Second pass.
  [[nodiscard]] const ir::Instance& instance() const { return *instance_; }
  [[nodiscard]] std::shared_ptr<const ir::Instance> shared_instance() const { return instance_; }
  [[nodiscard]] Result<ir::Value> read(ir::TypeId type, const Json& json) const;
  [[nodiscard]] Result<ir::HostRef> host(const std::string& name) const;
  /// The message of a line, as far as the line says it: its name in the member `name` (else it is `expected`, if that
  /// is valid), the other host in the member `peer`.
  [[nodiscard]] Result<SaidMessage> said_message(const Json& line, const char* name, const char* peer,
                                                 ir::MessageId expected) const;
  [[nodiscard]] const ir::Step* step(ir::RoleId role, const std::string& name, ir::StepId& id) const;

 private:
  Result<void> collect_fields(const std::vector<ir::FieldDecl>& fields, const Json& json);
  [[nodiscard]] static std::string sort_text(const Json& json);
  Result<const std::vector<ir::Value>*> arguments(ir::TypeId type) const;
  const ir::Protocol& p_;
  RoleSizes& sizes_;
  std::shared_ptr<const ir::Instance> instance_;
  std::int64_t low_ = 0, high_ = 0;
  std::map<std::uint32_t, std::set<Json>> sort_values_;
  std::map<std::uint32_t, std::map<Json, std::int64_t>> sort_index_;
  mutable std::map<ir::TypeId, std::vector<ir::Value>> arguments_;  ///< the domains of functions, each enumerated once
};

}  // namespace tenet::validate
