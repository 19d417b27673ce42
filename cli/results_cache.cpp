#include "results_cache.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "output.h"

namespace tenet::cli {
namespace {

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

ResultsCache::ResultsCache(bool wanted) {
  if (!wanted) return;
  build_ = build_id();
  if (!build_.empty()) cache_ = open_cache();
}

void ResultsCache::use(verify::Options& options) {
  options.build = build_;
  if (cache_) options.cache = &*cache_;
}

void ResultsCache::complain_of_trouble() const {
  if (!cache_ || cache_->trouble().empty()) return;
  complain("tenet: warning: " + cache_->trouble() + "; results were computed afresh\n");
}

}  // namespace tenet::cli
