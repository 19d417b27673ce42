/// Results of operations that can fail for a reason that is nobody's bug
/// (a file that cannot be read, an instance that is too large).
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "tenet/base/source.h"

namespace tenet {

enum class ErrorKind {
  bad_input,    ///< the user's text, file or option; exit status 3
  unsupported,  ///< a construct this version does not handle; exit status 2
  too_large,    ///< a stated bound was exceeded; exit status 2
  io,           ///< the file system or a child process; exit status 3
  interrupted,  ///< stopped by the user or a deadline; exit status 2
  internal,     ///< a bug of ours; exit status 4
};

/// Of a command that such an error ends.
[[nodiscard]] constexpr int exit_status(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::bad_input:
    case ErrorKind::io:
      return 3;
    case ErrorKind::unsupported:
    case ErrorKind::too_large:
    case ErrorKind::interrupted:
      return 2;
    case ErrorKind::internal:
      break;
  }
  return 4;
}

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;
  std::string id;  ///< of a finding about it, kebab-case; empty if there is no better one than its kind
  Span span;       ///< what it is about in the text of the protocol; empty if it is no place
};

template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> failure(ErrorKind kind, std::string message) {
  return tl::unexpected<Error>(Error{kind, std::move(message), {}, {}});
}

}  // namespace tenet
