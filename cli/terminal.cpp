#include "terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "output.h"

namespace tenet::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kRedraw = 100ms;
/// Logs of a build server: seldom, and never for a run that is over by then.
constexpr auto kLogEvery = 10s;

std::size_t terminal_width() {
  winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string text_of(const verify::Progress& progress) {
  const explore::Progress& n = progress.numbers;
  if (n.states == 0) return progress.what;
  return fmt::format("{}: {} states, depth {}, {:.0f} states/s, {} queued, {} MB", progress.what, n.states, n.depth,
                     n.states_per_second, n.queued, n.memory >> 20);
}

}  // namespace

bool use_colour(Colour colour, int descriptor) {
  if (colour != Colour::automatic) return colour == Colour::always;
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* term = std::getenv("TERM");
  if (term != nullptr && std::string_view(term) == "dumb") return false;
  return ::isatty(descriptor) == 1;
}

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1), last_(Clock::now()) {}

void ProgressLine::show(const verify::Progress& progress) {
  const Clock::time_point now = Clock::now();
  if (quiet_ || now - last_ < (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kLogEvery))) return;
  last_ = now;
  std::string line = text_of(progress);
  if (!terminal_) return complain("tenet: " + line + "\n");
  const std::size_t width = terminal_width();
  if (line.size() >= width) line.resize(width - 1);
  complain("\r\x1b[K" + line);
  drawn_ = true;
}

void ProgressLine::clear() {
  if (drawn_) complain("\r\x1b[K");
  drawn_ = false;
}

}  // namespace tenet::cli
