/// What `tenet train trace` does: print, sum up, convert. Text goes to a sink given by the caller.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "tenet/base/result.h"
#include "tenet/training/trace_source.h"

namespace tenet::training {

using Sink = std::function<void(std::string_view)>;

struct CatOptions {
  bool json = false;        ///< one JSON object a line in place of text
  bool raw_values = true;   ///< false: numbers of tensors and scalars are replaced by their type
  std::uint64_t limit = 0;  ///< stop after so many records; 0 = all
  std::string only;         ///< only records whose name contains this
};

/// Prints every record, one a line.
void cat(RecordSource& run, const Vocabulary& vocabulary, const CatOptions& options, const Sink& sink);

struct TraceStatistics {
  ReadReport report;
  std::map<std::string, std::uint64_t> kinds;      ///< records by kind
  std::map<std::string, std::uint64_t> functions;  ///< calls by function
  std::map<std::string, std::uint64_t> variables;  ///< states by type
  std::uint64_t first_time = 0, last_time = 0;     ///< ns
  std::int64_t first_step = 0, last_step = -1;     ///< of the context variable `step`; none if last < first
};
[[nodiscard]] TraceStatistics statistics(RecordSource& run, const Vocabulary& vocabulary);
[[nodiscard]] std::string to_text(const TraceStatistics& statistics);

struct Converted {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  ///< of the files written
  std::vector<std::string> files;
};
/// Writes a run in the binary format, one file a process: PREFIX.PID.tnt, PREFIX.PID-1.tnt, …
[[nodiscard]] Result<Converted> convert(RecordSource& run, const Vocabulary& vocabulary, const std::string& prefix,
                                        int compression = 0);

}  // namespace tenet::training
