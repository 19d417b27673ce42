/// From a protocol to a monitor: one C++ header that a service includes, one source that it links.
///
/// ```
/// auto generated = tenet::from_spec::generate(protocol, {"paxos.tenet"});
/// if (generated) write(generated->header_name, generated->header), …
/// ```
#pragma once

#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/ir/protocol.h"

namespace tenet::from_spec {

struct GenerateOptions {
  std::string source;  ///< how the specification is named in the generated text
  /// So many of the last properties are no part of the specification: the prover derived them (derived.h).
  std::size_t derived = 0;
  std::string stamp;  ///< of the specification without them; empty: of the protocol as it is
};

struct Generated {
  std::string header_name, header;  ///< `paxos_monitor.h`; the event path in it is C++11
  std::string source_name, source;  ///< `paxos_monitor.cpp`, C++17
  std::string stamp;                ///< see `stamp`
  std::vector<std::string> rules;   ///< the names of its rules
  std::vector<std::string> notes;   ///< properties that cannot be watched, and why
};

/// Tells versions of a protocol apart: 32 hexadecimal digits that depend on the protocol's meaning (its IR text), not
/// on its layout.
[[nodiscard]] std::string stamp(const ir::Protocol& protocol);

/// The protocol must pass `ir::verify_ir`. `unsupported`: a step uses a construct that no monitor can follow.
[[nodiscard]] Result<Generated> generate(const ir::Protocol& protocol, const GenerateOptions& options);

}  // namespace tenet::from_spec
