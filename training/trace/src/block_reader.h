// The blocks and the tail of one trace file, as bytes on disk; used by reading to the end and by following.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "block_decode.h"
#include "format.h"
#include "input.h"
#include "tenet/base/result.h"

namespace tenet::training {

class BlockReader {
 public:
  BlockReader(std::string name, std::unique_ptr<Input> file) : name_(std::move(name)), file_(std::move(file)) {}

  // Must succeed before anything else.
  [[nodiscard]] Result<bool> read_header();

  enum class Step { block, end, damaged };
  // Reads the next block into `rows`. `end`: the file ends here, between blocks (or, while it is being written, inside
  // the next). `damaged`: `why` says how; reading again gives the same answer.
  [[nodiscard]] Step next(FileDictionary& dictionary, DecodedRows& rows, std::string& why);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const format::FileHeader& header() const noexcept { return header_; }
  [[nodiscard]] std::uint64_t unread_bytes() const { return file_->size() - std::min(file_->size(), offset_); }
  [[nodiscard]] std::uint64_t size() const { return file_->size(); }
  [[nodiscard]] std::uint32_t sequence() const noexcept { return sequence_; }  // of the next block
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }
  [[nodiscard]] bool closed() const noexcept { return closed_; }
  // Added to the times of the file: the processes of a run share the wall clock.
  [[nodiscard]] std::uint64_t clock_offset() const noexcept { return header_.wall_start - header_.monotonic_start; }

 private:
  std::string name_;
  std::unique_ptr<Input> file_;
  format::FileHeader header_{};
  std::uint64_t offset_ = sizeof(format::FileHeader);
  std::uint32_t sequence_ = 0;
  std::uint64_t dropped_ = 0;
  bool closed_ = false;
  std::vector<std::uint8_t> stored_;
  std::vector<std::uint8_t> body_;
};

class TailReader {
 public:
  explicit TailReader(std::unique_ptr<Input> file) : file_(std::move(file)) {}

  // False if the tail does not belong to the trace with this header.
  [[nodiscard]] bool read_header(const format::FileHeader& trace, format::TailHeader& out);
  // The committed rows from byte `from` on.
  [[nodiscard]] std::vector<std::uint8_t> rows(const format::TailHeader& header, std::uint64_t from);

 private:
  std::unique_ptr<Input> file_;
};

// The tail of a trace file, null if there is none.
[[nodiscard]] std::unique_ptr<TailReader> open_tail(const std::string& trace_path);

}  // namespace tenet::training
