/// What the processes say to one another: one struct for each message of protocols/paxos_dynamic/paxos_dynamic.tenet,
/// with the slot whose run of the protocol it belongs to, and a few that only keep the service moving.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tenet/system/context.h"
#include "tenet/system/message.h"

namespace replicated {

using tenet::system::each;
using tenet::system::Peer;

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
  Peer client = 0;
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

void fields(auto& a, Ballot& v) { each(a, v.number, v.leader); }
void fields(auto& a, Vote& v) { each(a, v.ballot, v.value); }
void fields(auto& a, Command& v) { each(a, v.client, v.number, v.put, v.key, v.value); }
void fields(auto& a, Batch& v) { each(a, v.commands); }
void fields(auto& a, Result& v) { each(a, v.number, v.version, v.value); }
void fields(auto& a, Prepare& v) { each(a, v.slot, v.ballot); }
void fields(auto& a, Promise& v) { each(a, v.slot, v.ballot, v.voted); }
void fields(auto& a, Propose& v) { each(a, v.slot, v.vote); }
void fields(auto& a, Accept& v) { each(a, v.slot, v.vote); }
void fields(auto& a, Preempt& v) { each(a, v.slot, v.ballot); }
void fields(auto& a, Request& v) { each(a, v.command); }
void fields(auto& a, Answer& v) { each(a, v.result); }
void fields(auto& a, Beat& v) { each(a, v.next); }
void fields(auto& a, Ask& v) { each(a, v.slot); }

using Body = std::variant<Prepare, Promise, Propose, Accept, Preempt, Request, Answer, Beat, Ask>;
using Message = tenet::system::Message<Body>;

}  // namespace replicated
