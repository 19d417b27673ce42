#include "tenet/verify/verify.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "commands.h"
#include "interrupt.h"
#include "output.h"
#include "tenet/cache/cache.h"
#include "terminal.h"

namespace tenet::cli {
namespace {

constexpr std::uint64_t kDefaultMemory = 4ULL << 30;

/// Half of the machine, so that the default never makes it swap.
std::uint64_t default_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long size = ::sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || size <= 0) return kDefaultMemory;
  return std::min(kDefaultMemory, static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) / 2);
}

/// `$XDG_CACHE_HOME/tenet` or `~/.cache/tenet`; empty if there is neither.
std::string cache_folder() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg != nullptr && *xdg == '/') return std::string(xdg) + "/tenet";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/tenet" : "";
}

/// What tells this program from any other build of it: its own bytes.
std::string build_id() {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(self)), std::istreambuf_iterator<char>());
  if (bytes.empty()) return "";
  const cache::Key key = cache::key({bytes});
  return std::string(TENET_VERSION) + std::string(key.begin(), key.end());
}

std::optional<cache::Cache> open_cache() {
  const std::string folder = cache_folder();
  if (folder.empty()) return std::nullopt;
  auto cache = cache::Cache::open(folder);
  if (cache) return std::move(*cache);
  complain("tenet: warning: no cache: " + cache.error().message + "\n");
  return std::nullopt;
}

}  // namespace

int run_verify(const VerifyArguments& arguments) {
  if (!arguments.show.empty()) return show_stage(arguments.paths, arguments.show, arguments.output.colour);
  verify::Options options;
  options.instance = arguments.instance;
  options.properties = arguments.properties;
  options.variants = arguments.variants;
  options.mutate = arguments.mutate;
  options.jobs = arguments.jobs != 0 ? arguments.jobs : std::max(1U, std::thread::hardware_concurrency());
  options.memory_bytes = arguments.memory != 0 ? arguments.memory : default_memory();
  options.max_violations = arguments.max_violations;
  options.accept_bounded = arguments.accept_bounded;
  options.version = TENET_VERSION;

  std::optional<cache::Cache> cache;
  if (!arguments.no_cache) {
    options.build = build_id();
    if (!options.build.empty()) cache = open_cache();
    if (cache) options.cache = &*cache;
  }

  StopFlag stop;
  options.stop = &stop;
  const InterruptGuard guard(stop);
  ProgressLine line(arguments.output.quiet);
  options.progress = [&](const verify::Progress& progress) { line.show(progress); };

  const result::RunResult run = verify::verify(arguments.paths, options);
  line.clear();
  if (cache && !cache->trouble().empty()) {
    complain("tenet: warning: " + cache->trouble() + "; results were computed afresh\n");
  }
  return deliver(run, arguments.output);
}

}  // namespace tenet::cli
