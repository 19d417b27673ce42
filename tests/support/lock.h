/// The protocol that tests of whole commands work on, and a wrong variant of it.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace tenet::testing {

/// A file beside this one; empty if there is none.
inline std::string support_file(const std::string& name) {
  std::ifstream in(TENET_SOURCE_DIR "/tests/support/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A lock that one client holds at a time; correct.
inline const std::string kLock = support_file("lock.tenet");  // NOLINT(cert-err58-cpp)

/// The same with a server that forgets to note what it gave away.
inline const std::string kForgetful = support_file("forgetful.tenet");  // NOLINT(cert-err58-cpp)

}  // namespace tenet::testing
