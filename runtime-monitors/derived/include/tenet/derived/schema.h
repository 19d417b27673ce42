/// The model of a service's interface as the judge needs it: operations, roles of their fields, classes of statuses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tenet::derived {

enum class OpKind : std::uint8_t {
  mutate,    ///< changes the state of a subject (a key, or the whole object if it has none)
  query,     ///< reads it
  update,    ///< both: its result tells of the state before it
  open,      ///< begins the life of an object, perhaps on a store that was there before
  close,     ///< ends it; what was stored stays
  erase,     ///< removes a store and everything in it
  handle,    ///< pins the state for later reads
  release,   ///< ends a handle
  cursor,    ///< makes an object that walks over the keys in their order
  position,  ///< moves it
  observe,   ///< reads where it is: no event of its own at run time
  control,   ///< changes nothing that a caller can see (compaction, flush)
};

/// Roles with a meaning of their own; the model's other names follow from `kFirstNamed` on.
enum Role : std::uint8_t {
  kKey,     ///< the subject
  kValue,   ///< what is stored or read
  kAt,      ///< the handle through which is read
  kHandle,  ///< the handle that is made or released
  kCursor,  ///< the cursor that is made, moved or looked at
  kValid,   ///< whether a cursor is at a key
  kScope,   ///< the name of a store, by which it is found again
  kFresh,   ///< whether nothing was stored there before
  kFirstNamed,
};
constexpr std::uint8_t kOutcome = 255;  ///< stands for the class of the status where a role is asked for

struct OpInfo {
  std::string name;
  OpKind kind = OpKind::control;
  std::vector<std::uint8_t> in, out;
  bool has_outcome = false;
  std::uint8_t space = 0;  ///< keys of different spaces are different subjects; cursors walk over space 0
};

struct Schema {
  std::string system;
  std::string stamp;  ///< tells versions of the model and its checkers apart
  std::vector<OpInfo> ops;
  std::vector<std::string> roles;     ///< by number, the first eight as above
  std::vector<std::string> outcomes;  ///< by number; 0 is "ok", the last is "error"
};

constexpr bool changes(OpKind kind) { return kind == OpKind::mutate || kind == OpKind::update; }
constexpr bool reads(OpKind kind) {
  return kind == OpKind::query || kind == OpKind::update || kind == OpKind::position;
}

}  // namespace tenet::derived
