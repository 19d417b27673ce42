/// A role's process: timers, a clock, and its events recorded for whoever watches.
#pragma once

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "tenet/monitor/monitor.h"
#include "tenet/system/context.h"

namespace tenet::system {

/// A clock that never goes back, the same for all processes of this machine.
[[nodiscard]] Microseconds clock_now();
/// Tells the lives of a process apart.
[[nodiscard]] std::uint64_t new_boot();
/// Calls `then` once.
void call_after(boost::asio::io_context& io, Microseconds delay, std::function<void()> then);
/// Calls `beat` again and again until it says false.
void call_every(boost::asio::io_context& io, Microseconds period, std::function<bool()> beat);
/// Ends `io.run()` on SIGTERM and SIGINT.
void stop_on_signals(boost::asio::io_context& io);

/// Records the events of this process into a file, in rings and with sampling as `options` say; whoever watches it
/// checks them. Null: nobody can, and the service goes on without.
[[nodiscard]] std::unique_ptr<tenet::monitor::Monitor> record_events(const std::filesystem::path& file,
                                                                     std::unique_ptr<tenet::monitor::Rules> rules,
                                                                     tenet::monitor::Options options);

}  // namespace tenet::system
