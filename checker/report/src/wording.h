/// Numbers and amounts as people read them, shared by the report writers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenet/result/result_model.h"

namespace tenet::report {

/// "1,234,567".
[[nodiscard]] std::string thousands(std::uint64_t number);
/// "1 state", "2,000 states"; `many` for words that do not just take an s.
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view one, std::string_view many = {});
/// "0.12 s", "3 min 20 s".
[[nodiscard]] std::string duration(double seconds);
/// "12.3 MB".
[[nodiscard]] std::string bytes(std::uint64_t amount);

/// "4 derived invariants, 23 obligations discharged by Z3".
[[nodiscard]] std::string proof_summary(const result::Proof& proof);
/// " (21 of 25 obligations from the cache)", or nothing.
[[nodiscard]] std::string from_cache(const result::Proof& proof);

/// `path:line:column` of the beginning of a span; only the path if it is empty.
[[nodiscard]] std::string place(const SourceFile& source, Span span);
/// The source that the spans of a file's traces point into.
[[nodiscard]] const SourceFile& trace_source(const result::FileResult& file);

}  // namespace tenet::report
