/// IR and values as text.
#pragma once

#include <string>
#include <string_view>

#include "tenet/base/result.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"
#include "tenet/ir/state.h"

namespace tenet::ir {

/// The whole protocol as IR text; `read(print(p))` equals `p` up to ids and
/// spans, and prints the same text.
[[nodiscard]] std::string print(const Protocol& protocol);
/// Reads IR text (trusted input of tests and tools, yet never crashes).
[[nodiscard]] Result<Protocol> read(std::string_view text);
/// The protocol as JSON (documented in docs/ir.md).
[[nodiscard]] std::string to_json(const Protocol& protocol);

// In the protocol language's own words, for findings and traces:

/// An expression as a user would write it; narrowed reads do not show.
[[nodiscard]] std::string to_source(const Protocol& protocol, ExprId expr);
[[nodiscard]] std::string to_source(const Protocol& protocol, TypeId type);
/// A statement on one line: `accepts[v] += a`, `send Promise(b, voted) to l`.
[[nodiscard]] std::string to_source(const Protocol& protocol, StmtId stmt);
/// Where a step is: `Leader, step propose` or `Leader, receive Promise`.
[[nodiscard]] std::string place(const Protocol& protocol, StepId step);
/// A value; `type` says how to read it. Hosts print as `Acceptor#2` (from 1;
/// a single host as `Coordinator`), sort values as `Value#1`, structs as
/// `Vote(1, Value#2)`, functions as `{Vote(0, Value#1): {Acceptor#1}, else {}}`.
/// `instance` gives function arguments their names.
[[nodiscard]] std::string to_source(const Protocol& protocol, const Instance& instance, TypeId type,
                                    const Value& value);
[[nodiscard]] std::string to_source(const Protocol& protocol, HostRef host);
/// `Promise(1, none)` without sender and addressee.
[[nodiscard]] std::string to_source(const Protocol& protocol, const Instance& instance, const Packet& packet);

}  // namespace tenet::ir
