/// What the processes say to one another: a struct for each message of mysystem.tenet, with the key whose run of the
/// protocol it belongs to, and what clients ask for and are told.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "tenet/system/message.h"

namespace mysystem_service {

// Of the protocol.
struct Replicate {
  std::string key;
  std::uint64_t version = 0;
  std::string value;
};
struct Stored {
  std::string key;
  std::uint64_t version = 0;
};

// Of clients.
struct Request {
  std::uint64_t number = 0;  ///< from 1, growing within a client
  bool put = false;
  std::string key;
  std::string value;  ///< to be written
};
struct Reply {
  std::uint64_t number = 0;  ///< of the request
  std::uint64_t version = 0;
  std::string value;  ///< that was read
};

void fields(auto& a, Replicate& v) { tenet::system::each(a, v.key, v.version, v.value); }
void fields(auto& a, Stored& v) { tenet::system::each(a, v.key, v.version); }
void fields(auto& a, Request& v) { tenet::system::each(a, v.number, v.put, v.key, v.value); }
void fields(auto& a, Reply& v) { tenet::system::each(a, v.number, v.version, v.value); }

using Body = std::variant<Replicate, Stored, Request, Reply>;
using Message = tenet::system::Message<Body>;

}  // namespace mysystem_service
