/// What is special about a terminal: colours, and a line that rewrites itself.
#pragma once

#include <chrono>
#include <string>

#include "arguments.h"
#include "tenet/verify/verify.h"

namespace tenet::cli {

/// Whether text for the file descriptor may have colours.
[[nodiscard]] bool use_colour(Colour colour, int descriptor);

/// Progress on standard error: on a terminal one line that rewrites itself;
/// elsewhere a line now and then, and none for short runs.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const verify::Progress& progress);
  /// Takes the line away before other output.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point last_;
};

}  // namespace tenet::cli
