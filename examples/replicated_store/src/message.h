/// What the processes say to one another: one struct for each message of protocols/paxos_dynamic/paxos_dynamic.tenet,
/// with the slot whose run of the protocol it belongs to, and a few that only keep the service moving.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tenet/system/context.h"

namespace replicated {

struct Ballot {
  std::uint64_t number = 0;
  std::uint32_t leader = 0;
  friend auto operator<=>(const Ballot&, const Ballot&) = default;
};
/// A value is the bytes of a `Batch`.
struct Vote {
  Ballot ballot;
  std::string value;
  friend auto operator<=>(const Vote&, const Vote&) = default;
};

/// What a client asks for.
struct Command {
  std::uint64_t client = 0;
  std::uint64_t number = 0;  ///< from 1, growing within a client
  bool put = false;
  std::string key;
  std::string value;  ///< to be written
  friend auto operator<=>(const Command&, const Command&) = default;
};
/// What one slot of the log holds: commands in order, each a part of a round trip of its own; none: the slot was only
/// filled.
struct Batch {
  std::vector<Command> commands;
};
/// What a command came to.
struct Result {
  std::uint64_t number = 0;   ///< of the command
  std::uint64_t version = 0;  ///< of the key: how many puts it has seen
  std::string value;          ///< that was read
};

enum class Kind : std::uint8_t { client, replica };
constexpr Kind most_of(Kind) { return Kind::replica; }
/// A replica by its number from 0, a client by its own.
struct Node {
  Kind kind = Kind::client;
  std::uint64_t index = 0;
  friend auto operator<=>(Node, Node) = default;
};
[[nodiscard]] std::string to_string(Node node);
/// As the network knows it.
[[nodiscard]] inline tenet::system::Peer peer(Node node) {
  return (static_cast<tenet::system::Peer>(node.kind) << 62) | node.index;
}
/// Clients have numbers below this one.
constexpr std::uint64_t kClients = std::uint64_t{1} << 62;

// Of the protocol.
struct Prepare {
  std::uint64_t slot = 0;
  Ballot ballot;
};
struct Promise {
  std::uint64_t slot = 0;
  Ballot ballot;
  std::optional<Vote> voted;
};
struct Propose {
  std::uint64_t slot = 0;
  Vote vote;
};
struct Accept {
  std::uint64_t slot = 0;
  Vote vote;
};
struct Preempt {
  std::uint64_t slot = 0;
  Ballot ballot;
};

// Of the service.
struct Request {
  Command command;
};
struct Answer {
  Result result;
};
/// A replica lives, and has learned all slots before this one.
struct Beat {
  std::uint64_t next = 0;
};
/// What was voted for in this slot and those after it?
struct Ask {
  std::uint64_t slot = 0;
};

using Body = std::variant<Prepare, Promise, Propose, Accept, Preempt, Request, Answer, Beat, Ask>;

/// The name under which the monitor knows a sent message; zero if it knows none.
struct Name {
  std::uint64_t host = 0;
  std::uint64_t sequence = 0;
};

struct Message {
  Node from;
  Name name;
  Body body;
};

/// A message as bytes, without the length that goes before it on a connection.
[[nodiscard]] std::string encode(const Message& message);
/// False: these bytes are none of a message. Never throws, reads only `bytes`, needs memory in proportion to them.
[[nodiscard]] bool decode(std::string_view bytes, Message& message);

/// A batch as a value, and back.
[[nodiscard]] std::string encode(const Batch& batch);
[[nodiscard]] bool decode(std::string_view bytes, Batch& batch);

}  // namespace replicated
