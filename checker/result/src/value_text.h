/// Pieces of values as text: what differs between two of them, and tables.
#pragma once

#include <string>
#include <vector>

#include "tenet/ir/instance.h"
#include "tenet/ir/printer.h"
#include "tenet/ir/protocol.h"
#include "tenet/ir/state.h"
#include "tenet/result/result_model.h"

namespace tenet::result {

/// Protocol and instance: what printing a value takes.
struct Words {
  const ir::Protocol& protocol;
  const ir::Instance& instance;

  [[nodiscard]] std::string value(ir::TypeId type, const ir::Value& v) const {
    return ir::to_source(protocol, instance, type, v);
  }
  [[nodiscard]] std::string host(ir::HostRef h) const { return ir::to_source(protocol, h); }
};

/// Adds one change for each innermost part (field, key, argument) of `path`
/// in which the two values differ.
void add_differences(const Words& words, ir::TypeId type, const ir::Value& before, const ir::Value& after,
                     const std::string& host, const std::string& path, std::vector<TraceStep::Change>& out);

/// Adds what a run's constants are: one entry a host, or one for each argument
/// of a function; of a relation only the tuples that are in it.
void add_constants(const Words& words, const ir::Constants& constants, std::vector<TraceStep::Change>& out);

}  // namespace tenet::result
