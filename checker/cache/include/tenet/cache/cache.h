/// Results of earlier runs, on disk.
///
/// ```
/// auto cache = tenet::cache::Cache::open("/home/me/.cache/tenet");
/// const auto key = tenet::cache::key({ir_text, instance, options, version});
/// if (auto bytes = cache->get(key)) use(*bytes); else cache->put(key, compute());
/// ```
/// A cache can only save time. A file that is damaged, read-only, locked or
/// somebody else's makes every `get` a miss; `trouble` says why, for a warning.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenet/base/result.h"

namespace tenet::cache {

/// 128 bits over everything that an answer depends on.
using Key = std::array<unsigned char, 16>;

/// XXH3-128 of the parts with their lengths, so that no two lists of parts
/// are the same bytes.
[[nodiscard]] Key key(const std::vector<std::string_view>& parts);

/// One file of results. Thread-safe; several processes may share the file.
class Cache {
 public:
  /// Opens or creates `results.sqlite` in `folder`, which is made if missing.
  [[nodiscard]] static Result<Cache> open(const std::string& folder);
  Cache(Cache&&) noexcept;
  Cache& operator=(Cache&&) noexcept;
  ~Cache();

  /// What was put under the key, bit for bit; nothing if there is nothing, or
  /// if it is not what was put.
  [[nodiscard]] std::optional<std::string> get(const Key& key);
  void put(const Key& key, std::string_view bytes);

  /// The first thing that went wrong; empty if nothing did.
  [[nodiscard]] std::string trouble() const;

 private:
  struct Database;
  explicit Cache(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

}  // namespace tenet::cache
