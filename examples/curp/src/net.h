/// TCP between processes on this machine, in one thread, with an injected delay.
///
/// Servers are reached at ports that follow from the
/// cluster; clients by the connection that they opened. A frame that is too long or is no message (frame.h) ends its
/// connection.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "context.h"
#include "frame.h"

namespace curp {

/// Where a server listens.
[[nodiscard]] std::uint16_t port_of(std::uint16_t base, Node node);

class Transport {
 public:
  using Receive = std::function<void(const Message&)>;

  /// `delay`: added to every message that is sent, in microseconds.
  Transport(boost::asio::io_context& io, Node self, std::uint16_t base_port, Microseconds delay, Receive receive);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// For servers. Empty, or why it cannot listen.
  [[nodiscard]] std::string listen();
  /// Sends it, or drops it if there is no connection and none can be made.
  void send(Node to, const Message& message);

 private:
  class Connection;
  void accept();
  void arrived(const std::shared_ptr<Connection>& from, Message&& message);
  void ended(const std::shared_ptr<Connection>& connection);

  boost::asio::io_context& io_;
  Node self_;
  std::uint16_t base_port_;
  Microseconds delay_;
  Receive receive_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::map<Node, std::shared_ptr<Connection>> ways_;  ///< to others
  std::map<Connection*, std::shared_ptr<Connection>> accepted_;
};

}  // namespace curp
