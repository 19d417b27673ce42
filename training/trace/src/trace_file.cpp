// One binary trace file and its tail.
#include <fmt/format.h>
#include <zstd.h>

#include <cstring>
#include <filesystem>
#include <limits>

#include "block_decode.h"
#include "input.h"
#include "tenet/training/trace_source.h"

namespace tenet::training {
namespace {

class TraceFile final : public RecordSource {
 public:
  TraceFile(std::string name, std::unique_ptr<Input> file, std::unique_ptr<Input> tail, Vocabulary& vocabulary)
      : name_(std::move(name)), file_(std::move(file)), tail_(std::move(tail)), dictionary_(vocabulary) {
    report_.files = report_.processes = 1;
    report_.bytes = file_->size();
  }

  [[nodiscard]] Result<bool> read_header();
  const Record* next() override;
  const ReadReport& report() const override { return report_; }

 private:
  [[nodiscard]] bool next_block();
  [[nodiscard]] bool load_block(const format::BlockHeader& header);
  void read_tail();
  void problem(std::string text) { report_.problems.push_back(fmt::format("{}: {}", name_, text)); }
  void end_of_blocks(std::string_view why);

  std::string name_;
  std::unique_ptr<Input> file_;
  std::unique_ptr<Input> tail_;
  FileDictionary dictionary_;
  ReadReport report_;
  format::FileHeader header_{};
  std::uint64_t offset_ = sizeof(format::FileHeader);
  std::uint64_t clock_offset_ = 0;  // added to times: processes of one run share the wall clock
  std::uint32_t sequence_ = 0;
  bool closed_ = false;
  bool ended_ = false;
  std::vector<std::uint8_t> stored_;
  std::vector<std::uint8_t> body_;
  DecodedRows rows_;
  std::size_t at_ = 0;
};

Result<bool> TraceFile::read_header() {
  std::array<std::uint8_t, sizeof header_> bytes{};
  const std::size_t size = file_->read(0, bytes);
  std::memcpy(&header_, bytes.data(), sizeof header_);
  if (size < sizeof header_ || header_.magic != format::kFileMagic) {
    return failure(ErrorKind::bad_input, fmt::format("{}: not a training trace (it should begin with TENETTRC)", name_));
  }
  if (header_.version != format::kVersion) {
    return failure(ErrorKind::unsupported, fmt::format("{}: version {} of the trace format; this is version {}", name_,
                                                       header_.version, format::kVersion));
  }
  if (header_.checksum != format::checksum(header_)) {
    return failure(ErrorKind::bad_input, fmt::format("{}: the file header is damaged (checksum)", name_));
  }
  clock_offset_ = header_.wall_start - header_.monotonic_start;
  return true;
}

const Record* TraceFile::next() {
  while (at_ == rows_.records.size()) {
    if (ended_) return nullptr;
    at_ = 0;
    if (!next_block()) {
      ended_ = true;
      read_tail();
      at_ = 0;
    }
  }
  ++report_.records;
  Record& record = rows_.records[at_++];
  record.time += clock_offset_;
  return &record;
}

bool TraceFile::next_block() {
  rows_.records.clear();
  if (offset_ >= file_->size()) return false;
  format::BlockHeader header;
  std::array<std::uint8_t, sizeof header> bytes{};
  if (file_->read(offset_, bytes) < sizeof header) {
    end_of_blocks("ends inside a block header");
    return false;
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != format::kBlockMagic || header.sequence != sequence_) {
    end_of_blocks("what follows is not the next block");
    return false;
  }
  return load_block(header);
}

bool TraceFile::load_block(const format::BlockHeader& header) {
  const std::uint64_t left = file_->size() - offset_ - sizeof header;
  if (header.stored_bytes > left || header.body_bytes > format::kMaxBodyBytes) {
    end_of_blocks("the last block is cut off");
    return false;
  }
  stored_.resize(header.stored_bytes);
  if (file_->read(offset_ + sizeof header, stored_) < stored_.size() ||
      header.checksum != format::checksum(header, stored_.data())) {
    end_of_blocks("a block does not match its checksum");
    return false;
  }
  body_.resize(header.body_bytes);
  const std::size_t size = ZSTD_decompress(body_.data(), body_.size(), stored_.data(), stored_.size());
  if (ZSTD_isError(size) != 0 || size != body_.size() ||
      !decode_block(body_, header.records, dictionary_, rows_)) {
    end_of_blocks("a block is not well formed");
    return false;
  }
  offset_ += sizeof header + header.stored_bytes;
  ++sequence_;
  report_.dropped = header.dropped;
  closed_ = (header.flags & format::kLastBlockFlag) != 0;
  return true;
}

void TraceFile::end_of_blocks(std::string_view why) {
  rows_.records.clear();
  report_.torn_bytes = file_->size() - offset_;
  problem(fmt::format("{}; {} bytes after record {} are dropped", why, report_.torn_bytes, report_.records));
}

void TraceFile::read_tail() {
  if (closed_) return;
  ++report_.unclosed;
  if (tail_ == nullptr) {
    problem("the trace was not closed and its tail file is missing; the last records are not known");
    return;
  }
  format::TailHeader header;
  std::vector<std::uint8_t> bytes(sizeof header);
  const bool whole = tail_->read(0, bytes) == sizeof header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (!whole || header.magic != format::kTailMagic || header.version != format::kVersion ||
      header.identity != header_.identity) {
    problem("the tail file does not belong to this trace; the last records are not known");
    return;
  }
  report_.dropped = header.dropped;
  report_.lost = header.begun - std::min(header.begun, header.committed);
  const std::uint64_t rows = std::min<std::uint64_t>(header.committed_bytes, format::kMaxBodyBytes);
  if (header.sequence != sequence_ || header.rows_offset != format::kTailRowsOffset) {
    problem(fmt::format("the tail continues block {} but the file has {}; the tail is dropped", header.sequence,
                        sequence_));
    return;
  }
  bytes.resize(rows);
  bytes.resize(tail_->read(header.rows_offset, bytes));
  if (!decode_rows(bytes, dictionary_, rows_)) {
    problem(fmt::format("the tail is damaged after {} records", rows_.records.size()));
  } else {
    problem(fmt::format("the trace was not closed; {} records come from its tail, {} being written were lost",
                        rows_.records.size(), report_.lost));
  }
}

Result<std::unique_ptr<RecordSource>> open_inputs(std::string name, std::unique_ptr<Input> file,
                                                  std::unique_ptr<Input> tail, Vocabulary& vocabulary) {
  auto source = std::make_unique<TraceFile>(std::move(name), std::move(file), std::move(tail), vocabulary);
  if (auto header = source->read_header(); !header) return tl::unexpected(header.error());
  return source;
}

}  // namespace

Result<std::unique_ptr<RecordSource>> open_trace_file(const std::string& path, Vocabulary& vocabulary) {
  auto file = open_file(path);
  if (!file) return tl::unexpected(file.error());
  std::unique_ptr<Input> tail;
  if (std::error_code none; std::filesystem::exists(path + ".tail", none)) {
    if (auto opened = open_file(path + ".tail")) tail = std::move(*opened);
  }
  return open_inputs(path, std::move(*file), std::move(tail), vocabulary);
}

Result<std::unique_ptr<RecordSource>> open_trace_bytes(std::vector<std::uint8_t> file, std::vector<std::uint8_t> tail,
                                                       Vocabulary& vocabulary) {
  std::unique_ptr<Input> tail_input;
  if (!tail.empty()) tail_input = from_memory(std::move(tail));
  return open_inputs("memory", from_memory(std::move(file)), std::move(tail_input), vocabulary);
}

}  // namespace tenet::training
