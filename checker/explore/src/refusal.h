/// Giving up while an instance is being prepared.
#pragma once

#include <string>
#include <utility>

#include "tenet/base/result.h"

namespace tenet::explore {

/// Thrown only while layouts and programs are made; `explore` turns it into
/// the error it holds.
struct Refusal {
  Error error;
};

[[noreturn]] inline void refuse(ErrorKind kind, std::string message) {
  throw Refusal{Error{kind, std::move(message), {}, {}}};
}

}  // namespace tenet::explore
