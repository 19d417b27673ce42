/// Values of the IR in the Informal Trace Format.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"
#include "tenet/ir/state.h"

namespace tenet::report {

/// Numbers are `#bigint`, sets `#set`, maps and functions `#map`; options are
/// variants `some` and `none`; enum members, hosts and values of uninterpreted
/// types are strings.
[[nodiscard]] nlohmann::ordered_json itf_value(const ir::Protocol& protocol, const ir::Instance& instance,
                                               ir::TypeId type, const ir::Value& value);

/// A message as a record: its constructor and fields as a variant, sender and
/// addressee.
[[nodiscard]] nlohmann::ordered_json itf_packet(const ir::Protocol& protocol, const ir::Instance& instance,
                                                const ir::Packet& packet);

}  // namespace tenet::report
