/// Checkers as rules of the monitor of a process.
///
/// ```
/// std::string error;
/// auto monitor = tenet::monitor::Monitor::start(options, tenet::derived::make_rules(schema, checkers), error);
/// ```
///
/// The judge and the service are one process: which operations are running is known only there. Generated code has a
/// `make_rules()` that needs no arguments.
#pragma once

#include <memory>
#include <vector>

#include "tenet/derived/checker.h"
#include "tenet/monitor/monitor.h"

namespace tenet::derived {

std::unique_ptr<monitor::Rules> make_rules(Schema schema, std::vector<Checker> checkers);

/// Until everything that was told before is judged. False if that took longer than `milliseconds`.
bool settle(monitor::Monitor& monitor, std::uint32_t milliseconds = 10000);

}  // namespace tenet::derived
