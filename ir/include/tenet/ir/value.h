/// Run-time values of the reference interpreter, of traces and of reports.
///
/// The explorer has a packed form of its own; it converts to this one at its
/// border. Values are canonical: equal values compare equal member by member.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "tenet/ir/protocol.h"

namespace tenet::ir {

/// One value. What `number` and `items` hold depends on the type:
///
/// | type        | number               | items                                             |
/// |-------------|----------------------|---------------------------------------------------|
/// | boolean     | 0 or 1               |                                                   |
/// | int, nat    | the number           |                                                   |
/// | enumeration | member index         |                                                   |
/// | sort, host  | index from 0         |                                                   |
/// | option      | 0 none, 1 some       | the payload                                       |
/// | set         |                      | elements, ascending                               |
/// | map         |                      | key, value, key, value …, keys ascending          |
/// | function    |                      | one result per argument, in domain order          |
/// | sequence    |                      | elements                                          |
/// | structure   |                      | fields                                            |
struct Value {
  std::int64_t number = 0;
  std::vector<Value> items;

  friend std::strong_ordering operator<=>(const Value& a, const Value& b) {
    if (auto order = a.number <=> b.number; order != 0) return order;
    const std::size_t common = a.items.size() < b.items.size() ? a.items.size() : b.items.size();
    for (std::size_t i = 0; i < common; ++i) {
      if (auto order = a.items[i] <=> b.items[i]; order != 0) return order;
    }
    return a.items.size() <=> b.items.size();
  }
  friend bool operator==(const Value& a, const Value& b) { return a.number == b.number && a.items == b.items; }
};

}  // namespace tenet::ir
