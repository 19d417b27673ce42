/// What the processes say to one another: one struct for each message of protocols/curp/curp.tenet, and a few that
/// only keep the service moving (refusals, heartbeats, leases).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tenet/system/context.h"

namespace curp {

/// A request by its RIFL id, and the key it updates.
struct Op {
  std::uint32_t client = 0;
  std::uint64_t number = 0;  ///< from 1, growing within a client
  std::string key;
  friend auto operator<=>(const Op&, const Op&) = default;
};

/// A request with what it writes.
struct Request {
  Op op;
  std::string value;
  friend bool operator==(const Request&, const Request&) = default;
};

/// An executed update: it made this version of its key, counted from 1.
struct Entry {
  Request request;
  std::uint64_t version = 0;
  friend bool operator==(const Entry&, const Entry&) = default;
};

/// The kinds of processes. A master process waits until it is promoted; then it is the master of one epoch.
enum class Kind : std::uint8_t { client, coordinator, master, backup, witness };
constexpr Kind most_of(Kind) { return Kind::witness; }
/// A process: its kind, and which of them, counted from 0.
struct Node {
  Kind kind = Kind::client;
  std::uint32_t index = 0;
  friend auto operator<=>(Node, Node) = default;
};
[[nodiscard]] std::string to_string(Node node);
/// As the network knows it.
[[nodiscard]] inline tenet::system::Peer peer(Node node) {
  return (static_cast<tenet::system::Peer>(node.kind) << 32) | node.index;
}

using Witnesses = std::vector<std::uint32_t>;

// Of the protocol.
struct Update {
  Request request;
  std::uint64_t list = 0;
  bool sync = false;  ///< asks for a result that is synced
};
struct Record {
  Request request;
  std::uint64_t list = 0;
};
struct Accepted {
  Op op;
  std::uint64_t list = 0;
};
struct Result {
  Op op;
  std::uint64_t version = 0;
  std::uint64_t list = 0;
  bool synced = false;
};
struct Read {
  std::uint64_t number = 0;  ///< tells the reads of a client apart
  std::string key;
};
struct Value {
  std::uint64_t number = 0;
  std::string key;
  std::string value;
  std::uint64_t version = 0;  ///< 0: never written
  std::uint64_t list = 0;
};
struct Replicate {
  std::uint64_t start = 0;  ///< how many entries of the log come before these
  std::vector<Entry> entries;
};
struct Replicated {
  std::uint64_t count = 0;  ///< the backup has so many entries of this epoch's log
};
struct Collect {
  std::uint64_t list = 0;
  Op op;
};
struct Promote {
  std::uint64_t boot = 0;  ///< the life of the process that is meant; another one has lost what this one had
  std::uint64_t list = 0;
  std::uint32_t backup = 0;   ///< to ask for the log
  std::uint32_t witness = 0;  ///< to ask for what is saved
};
struct Fetch {};
struct Backlog {
  std::vector<Entry> entries;
};
struct Freeze {
  std::uint64_t list = 0;
};
struct Saved {
  std::uint64_t list = 0;
  std::vector<Request> requests;
};
struct Install {
  std::uint64_t list = 0;
  Witnesses witnesses;
};
struct Start {
  std::uint64_t list = 0;
};
struct Installed {
  std::uint64_t list = 0;
};
struct Config {
  std::uint64_t list = 0;
  std::uint32_t process = 0;  ///< which master process the master is
  Witnesses witnesses;
};

// Of the service.
enum class Why : std::uint8_t { not_serving, other_list, conflict, no_room };
constexpr Why most_of(Why) { return Why::no_room; }
/// A witness does not save a request, or a process that is no master (any more) was asked.
struct Refused {
  Op op;
  std::uint64_t list = 0;
  Why why = Why::not_serving;
};
/// A backup lacks what comes before a Replicate.
struct Lacks {
  std::uint64_t count = 0;
};
/// A backup follows a later epoch than the sender's.
struct Deposed {};
/// The master's log is on all backups: it wants a list of witnesses.
struct Recovered {};
struct AskConfig {};
/// A server lives. A master that serves asks by it for the lease under which it may answer reads.
struct Heartbeat {
  std::uint64_t boot = 0;  ///< tells the lives of a process apart
  std::uint64_t sent = 0;  ///< microseconds of the sender's clock
};
struct Lease {
  std::uint64_t sent = 0;  ///< of the heartbeat it answers
};
/// A saved request stands in the way of another one for long: is it synced?
struct Stuck {
  Op op;
};

using Body = std::variant<Update, Record, Accepted, Result, Read, Value, Replicate, Replicated, Collect, Promote, Fetch,
                          Backlog, Freeze, Saved, Install, Start, Installed, Config, Refused, Lacks, Deposed, Recovered,
                          AskConfig, Heartbeat, Lease, Stuck>;

/// The name under which the monitor knows a sent message; zero if it knows none.
struct Name {
  std::uint64_t host = 0;
  std::uint64_t sequence = 0;
};

struct Message {
  Node from;
  std::uint64_t epoch = 0;  ///< of the master it comes from, or is meant for
  Name name;
  Body body;
};

/// A message as bytes, without the length that goes before it on a connection.
[[nodiscard]] std::string encode(const Message& message);
/// False: these bytes are none of a message. Never throws, reads only `bytes`, needs memory in proportion to them.
[[nodiscard]] bool decode(std::string_view bytes, Message& message);

// Entries and requests alone, as they are stored.
[[nodiscard]] std::string encode(const Entry& entry);
[[nodiscard]] bool decode(std::string_view bytes, Entry& entry);
[[nodiscard]] std::string encode(const Request& request);
[[nodiscard]] bool decode(std::string_view bytes, Request& request);

}  // namespace curp
