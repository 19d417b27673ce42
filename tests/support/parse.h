/// A protocol from text, for tests that bring their own.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tenet/frontend/frontend.h"

namespace tenet::tests {

/// The text has no errors; if it has, the test fails and says which.
inline ir::Protocol parse(const std::string& text) {
  const SourceFile file("test.tenet", text);
  auto loaded = frontend::load_protocol(file);
  for (const auto& diagnostic : loaded.diagnostics.sorted()) {
    if (diagnostic.severity == Severity::error) ADD_FAILURE() << render(diagnostic, file, false);
  }
  return loaded.protocol ? *loaded.protocol : ir::Protocol{};
}

}  // namespace tenet::tests
