/// Following a run while its processes write it: blocks as they are sealed, and rows from the mapped tail before that,
/// so that a record is seen as soon as it is asked for after it was written.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/training/record.h"
#include "tenet/training/trace_source.h"

namespace tenet::training {

/// Not thread-safe; may run in the process that writes the trace or in any other on the machine.
class TraceFollower {
 public:
  /// `path` is a folder (whose *.tnt files are one run; new ones are found as they appear) or one trace file.
  TraceFollower(std::string path, Vocabulary& vocabulary);
  ~TraceFollower();
  TraceFollower(const TraceFollower&) = delete;
  TraceFollower& operator=(const TraceFollower&) = delete;

  /// Gives every record written since the last call, merged by time over the processes, and returns how many.
  std::uint64_t poll(const std::function<void(const Record&)>& use);

  /// There is at least one trace, and every one was closed by its writer and read to the end.
  [[nodiscard]] bool finished() const noexcept;
  /// Records and problems so far.
  [[nodiscard]] const ReadReport& report() const noexcept;

 private:
  class File;
  void find_files();

  std::string path_;
  Vocabulary* vocabulary_;
  std::map<std::string, std::unique_ptr<File>> files_;
  ReadReport report_;
};

}  // namespace tenet::training
