/// TCP between processes on this machine, in one thread, with an injected delay.
///
/// Whom a frame (frame.h) comes from, its body says. Servers are reached at ports that the user knows, clients by the
/// connection that they opened. A frame that is too long or is no message ends its connection.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tenet/system/context.h"
#include "tenet/system/frame.h"

namespace tenet::system {

class Transport {
 public:
  /// Called with the body of every frame that comes. False: it is no message.
  using Receive = std::function<bool(std::string_view body)>;
  /// Where a peer listens; none if it does not.
  using PortOf = std::function<std::optional<std::uint16_t>(Peer)>;

  /// `delay`: added to every message that is sent.
  Transport(boost::asio::io_context& io, PortOf port_of, Microseconds delay, Receive receive);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// For servers. Empty, or why it cannot listen.
  [[nodiscard]] std::string listen(std::uint16_t port);
  /// Sends it, or drops it if there is no connection and none can be made.
  void send(Peer to, std::string_view body);
  /// From within `Receive`: what is sent to this peer goes the way that the present body came.
  void answer_here(Peer peer);

 private:
  class Connection;
  void accept();
  bool arrived(const std::shared_ptr<Connection>& from, std::string_view body);
  void ended(const std::shared_ptr<Connection>& connection);

  boost::asio::io_context& io_;
  PortOf port_of_;
  Microseconds delay_;
  Receive receive_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::map<Peer, std::shared_ptr<Connection>> ways_;  ///< to others
  std::map<Connection*, std::shared_ptr<Connection>> accepted_;
  std::shared_ptr<Connection> reading_;  ///< while `receive_` runs
};

/// Whether somebody listens there before `end`.
[[nodiscard]] bool wait_for_port(std::uint16_t port, std::chrono::steady_clock::time_point end);

}  // namespace tenet::system
