/// Reading traces: one run is one folder or file, in Tenet's binary format or in TrainCheck's JSON Lines.
///
///   Vocabulary vocabulary;
///   auto run = open_run("out/run1", vocabulary);
///   if (!run) return run.error();
///   while (const Record* record = (*run)->next()) use(*record);
///   for (const std::string& problem : (*run)->report().problems) tell(problem);
///
/// Reading streams: memory holds one block (or 16 MiB of text) per file, however long the trace is. A source is used by
/// one thread at a time; different sources may share a vocabulary.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/training/record.h"

namespace tenet::training {

/// What reading a run met; complete once `next` has answered null.
struct ReadReport {
  std::uint64_t files = 0;
  std::uint64_t processes = 0;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;            ///< on disk
  std::uint64_t dropped = 0;          ///< the writer says it could not write
  std::uint64_t lost = 0;             ///< being written when the process died
  std::uint64_t skipped = 0;          ///< unreadable records (text formats)
  std::uint64_t torn_bytes = 0;       ///< after the last whole block of binary files
  std::uint64_t unclosed = 0;         ///< files whose writer did not say goodbye
  std::vector<std::string> problems;  ///< one sentence each, at most 100
};

/// The records of a run, merged over its processes by time.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  /// The next record, or null at the end. The record is valid until the next call.
  [[nodiscard]] virtual const Record* next() = 0;
  [[nodiscard]] virtual const ReadReport& report() const = 0;
};

/// One binary trace file with its tail if there is one. `bad_input` when it is not a trace, `unsupported` when it was
/// written by another version of the format.
[[nodiscard]] Result<std::unique_ptr<RecordSource>> open_trace_file(const std::string& path, Vocabulary& vocabulary);

/// TrainCheck's `trace_*` and `proxy_log.json` files (a folder, or one such file). Both field prefixes are understood.
[[nodiscard]] Result<std::unique_ptr<RecordSource>> open_traincheck(const std::string& path, Vocabulary& vocabulary);

/// A folder or file in whichever of the two formats it is. A folder is one run of one or more processes.
[[nodiscard]] Result<std::unique_ptr<RecordSource>> open_run(const std::string& path, Vocabulary& vocabulary);

/// Trace bytes already in memory, for tests and fuzzing; `tail` may be empty.
[[nodiscard]] Result<std::unique_ptr<RecordSource>> open_trace_bytes(std::vector<std::uint8_t> file,
                                                                     std::vector<std::uint8_t> tail,
                                                                     Vocabulary& vocabulary);
[[nodiscard]] std::unique_ptr<RecordSource> open_traincheck_text(std::string text, Vocabulary& vocabulary);

}  // namespace tenet::training
