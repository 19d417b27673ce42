/// What an instrumented test did: operations with their fields and the places they were called from, and assertions
/// with the values they compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/derived/operation.h"
#include "tenet/from_tests/model.h"
#include "tenet/from_tests/suite.h"

namespace tenet::from_tests {

/// One operation or one assertion.
struct Recorded {
  bool is_assertion = false;
  derived::Operation operation;
  Place place;  ///< of an assertion
  bool passed = true;
  std::vector<derived::Value> values;  ///< that it compared, as text
  std::vector<std::uint32_t> frames;   ///< innermost first, into Recording::places
};

struct RecordedTest {
  std::string suite, name;
  bool passed = false, ended = false;
  std::uint64_t known_to = UINT64_MAX;  ///< every operation that began before this stamp is here
  std::vector<Recorded> items;          ///< in the order in which they were recorded: an operation when it ended
};

struct Recording {
  std::vector<Place> places;
  std::vector<RecordedTest> tests;
  std::size_t operations = 0, assertions = 0;
  std::size_t malformed = 0;  ///< lines that are none, as the last one of a killed test
};

/// Reads a recording; `binary` is the program that wrote it, for the places of calls (by llvm-symbolizer).
Result<Recording> read_recording(const std::string& path, const std::string& binary, const Model& model);

/// Adds the tests of another program.
void append(Recording& to, Recording&& more);

}  // namespace tenet::from_tests
