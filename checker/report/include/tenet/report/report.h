/// Report writers over the result model. Each returns the whole text; the
/// caller writes it. With `deterministic`, times, rates and memory are left out.
#pragma once

#include <string>

#include "tenet/result/result_model.h"

namespace tenet::report {

struct Style {
  bool colour = false;
  bool deterministic = false;
  bool quiet = false;
};

[[nodiscard]] std::string text(const result::RunResult& run, const Style& style);
[[nodiscard]] std::string json(const result::RunResult& run,
                               const Style& style);  ///< docs/reports.md, schema version inside
[[nodiscard]] std::string sarif(const result::RunResult& run, const Style& style);  ///< SARIF 2.1.0
[[nodiscard]] std::string junit(const result::RunResult& run, const Style& style);
/// Informal Trace Format of one trace (Apalache ADR-015).
[[nodiscard]] std::string itf(const result::FileResult& file, const result::Finding& finding);
[[nodiscard]] std::string html(const result::RunResult& run, const Style& style);  ///< one self-contained page

}  // namespace tenet::report
