#include "tenet/system/host.h"

#include <unistd.h>

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <utility>

namespace tenet::system {

namespace asio = boost::asio;

Microseconds clock_now() {
  using namespace std::chrono;
  return static_cast<Microseconds>(duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count());
}

std::uint64_t new_boot() { return clock_now() ^ (static_cast<std::uint64_t>(::getpid()) << 40); }

void call_after(asio::io_context& io, Microseconds delay, std::function<void()> then) {
  auto timer = std::make_shared<asio::steady_timer>(io, std::chrono::microseconds(delay));
  timer->async_wait([timer, then = std::move(then)](const boost::system::error_code& error) {
    if (!error) then();
  });
}

void call_every(asio::io_context& io, Microseconds period, std::function<bool()> beat) {
  call_after(io, period, [&io, period, beat = std::move(beat)] {
    if (beat()) call_every(io, period, beat);
  });
}

void stop_on_signals(asio::io_context& io) {
  auto signals = std::make_shared<asio::signal_set>(io, SIGTERM, SIGINT);
  signals->async_wait([&io, signals](const auto&, int) { io.stop(); });
}

std::unique_ptr<tenet::monitor::Monitor> record_events(const std::filesystem::path& file,
                                                       std::unique_ptr<tenet::monitor::Rules> rules,
                                                       tenet::monitor::Options options) {
  options.file = file.string();
  options.record_only = true;
  std::string error;
  return tenet::monitor::Monitor::start(options, std::move(rules), error);
}

}  // namespace tenet::system
