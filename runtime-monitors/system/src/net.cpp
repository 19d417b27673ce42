#include "tenet/system/net.h"

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <thread>
#include <utility>

namespace tenet::system {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t kMostQueued = std::size_t{64} << 20;
constexpr std::size_t kMostConnections = 512;

}  // namespace

class Transport::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Transport& owner, tcp::socket socket)
      : owner_(&owner), socket_(std::move(socket)), timer_(socket_.get_executor()) {}

  void connect(std::uint16_t port) {
    connected_ = false;
    socket_.async_connect({asio::ip::address_v4::loopback(), port},
                          [self = shared_from_this()](const error_code& error) {
                            if (error) return self->end();
                            self->begin();
                          });
  }
  void begin() {
    connected_ = true;
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    read();
    flush();
  }
  void send(std::string bytes, Microseconds delay) {
    queued_ += bytes.size();
    if (queued_ > kMostQueued) return end();
    queue_.push_back({Clock::now() + std::chrono::microseconds(delay), std::move(bytes)});
    flush();
  }
  void end() {
    if (!owner_) return;
    error_code ignored;
    socket_.close(ignored);
    timer_.cancel();
    std::exchange(owner_, nullptr)->ended(shared_from_this());
  }
  /// The transport is no more.
  void orphan() {
    owner_ = nullptr;
    error_code ignored;
    socket_.close(ignored);
    timer_.cancel();
  }

 private:
  struct Waiting {
    Clock::time_point due;
    std::string bytes;
  };

  void read() {
    socket_.async_read_some(
        asio::buffer(buffer_), [self = shared_from_this()](const error_code& error, std::size_t size) {
          if (!self->owner_) return;
          const bool good = !error && self->parser_.feed({self->buffer_.data(), size}, [&](std::string_view body) {
            return self->owner_ != nullptr && self->owner_->arrived(self, body);
          });
          if (!good) return self->end();
          if (self->owner_) self->read();
        });
  }
  /// Writes what is due, all at once; what is not yet, when it is.
  void flush() {
    if (!connected_ || writing_ || queue_.empty() || !owner_) return;
    const Clock::time_point now = Clock::now();
    if (queue_.front().due > now) {
      timer_.expires_at(queue_.front().due);
      timer_.async_wait([self = shared_from_this()](const error_code& error) {
        if (!error) self->flush();
      });
      return;
    }
    out_.clear();
    while (!queue_.empty() && queue_.front().due <= now) {
      out_ += queue_.front().bytes;
      queue_.pop_front();
    }
    writing_ = true;
    asio::async_write(socket_, asio::buffer(out_),
                      [self = shared_from_this()](const error_code& error, std::size_t size) {
                        self->writing_ = false;
                        self->queued_ -= std::min(size, self->queued_);
                        if (error) return self->end();
                        self->flush();
                      });
  }

  Transport* owner_;
  tcp::socket socket_;
  asio::steady_timer timer_;
  FrameParser parser_;
  std::array<char, 65536> buffer_{};
  std::deque<Waiting> queue_;
  std::size_t queued_ = 0;
  std::string out_;
  bool connected_ = true;
  bool writing_ = false;
};

Transport::Transport(asio::io_context& io, PortOf port_of, Microseconds delay, Receive receive)
    : io_(io), port_of_(std::move(port_of)), delay_(delay), receive_(std::move(receive)), acceptor_(io) {}

Transport::~Transport() {
  for (const auto& [peer, connection] : ways_) connection->orphan();
  for (const auto& [address, connection] : accepted_) connection->orphan();
}

std::string Transport::listen(std::uint16_t port) {
  error_code error;
  const tcp::endpoint here(asio::ip::address_v4::loopback(), port);
  acceptor_.open(here.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(here, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) return "cannot listen at port " + std::to_string(here.port()) + ": " + error.message();
  accept();
  return {};
}

void Transport::accept() {
  acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error && accepted_.size() < kMostConnections) {
      const auto connection = std::make_shared<Connection>(*this, std::move(socket));
      accepted_[connection.get()] = connection;
      connection->begin();
    }
    accept();
  });
}

bool Transport::arrived(const std::shared_ptr<Connection>& from, std::string_view body) {
  reading_ = from;
  const bool good = receive_(body);
  reading_.reset();
  return good;
}

void Transport::answer_here(Peer peer) { ways_[peer] = reading_; }

void Transport::ended(const std::shared_ptr<Connection>& connection) {
  accepted_.erase(connection.get());
  std::erase_if(ways_, [&](const auto& way) { return way.second == connection; });
}

void Transport::send(Peer to, std::string_view body) {
  auto way = ways_.find(to);
  if (way == ways_.end()) {
    const auto port = port_of_(to);
    if (!port) return;
    const auto connection = std::make_shared<Connection>(*this, tcp::socket(io_));
    way = ways_.emplace(to, connection).first;
    connection->connect(*port);
  }
  const std::shared_ptr<Connection> connection = way->second;
  connection->send(frame(body), delay_);
}

bool wait_for_port(std::uint16_t port, std::chrono::steady_clock::time_point end) {
  asio::io_context io;
  for (;;) {
    tcp::socket socket(io);
    error_code error;
    socket.connect({asio::ip::address_v4::loopback(), port}, error);
    if (!error) return true;
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace tenet::system
