/// Results of earlier commands, where the user's cache may be used.
#pragma once

#include <optional>
#include <string>

#include "tenet/cache/cache.h"
#include "tenet/verify/verify.h"

namespace tenet::cli {

/// Opens the user's cache if `wanted`. What cannot be opened is warned of and
/// gone without.
class ResultsCache {
 public:
  explicit ResultsCache(bool wanted);

  /// Makes `options` use the cache, which must outlive them.
  void use(verify::Options& options);
  /// Warns of what went wrong since, if anything did.
  void complain_of_trouble() const;

 private:
  std::string build_;
  std::optional<cache::Cache> cache_;
};

}  // namespace tenet::cli
