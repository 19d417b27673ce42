// One binary trace file and its tail, read to the end.
#include <fmt/format.h>

#include "block_reader.h"
#include "tenet/training/trace_source.h"

namespace tenet::training {
namespace {

class TraceFile final : public RecordSource {
 public:
  TraceFile(std::string name, std::unique_ptr<Input> file, std::unique_ptr<TailReader> tail, Vocabulary& vocabulary)
      : blocks_(std::move(name), std::move(file)), tail_(std::move(tail)), dictionary_(vocabulary) {
    report_.files = report_.processes = 1;
    report_.bytes = blocks_.size();
  }

  [[nodiscard]] Result<bool> read_header() { return blocks_.read_header(); }

  const Record* next() override {
    while (at_ == rows_.records.size()) {
      if (ended_) return nullptr;
      at_ = 0;
      if (!next_block()) {
        ended_ = true;
        read_tail();
      }
    }
    ++report_.records;
    return &rows_.records[at_++];
  }

  const ReadReport& report() const override { return report_; }

 private:
  [[nodiscard]] bool next_block() {
    std::string why;
    const BlockReader::Step step = blocks_.next(dictionary_, rows_, why);
    report_.dropped = blocks_.dropped();
    if (step != BlockReader::Step::damaged) return step == BlockReader::Step::block;
    report_.torn_bytes = blocks_.unread_bytes();
    problem(fmt::format("{}; {} bytes after record {} are dropped", why, report_.torn_bytes, report_.records));
    return false;
  }

  void read_tail();
  void problem(std::string_view text) { report_.problems.push_back(fmt::format("{}: {}", blocks_.name(), text)); }

  BlockReader blocks_;
  std::unique_ptr<TailReader> tail_;
  FileDictionary dictionary_;
  ReadReport report_;
  bool ended_ = false;
  DecodedRows rows_;
  std::size_t at_ = 0;
};

void TraceFile::read_tail() {
  rows_.records.clear();
  if (blocks_.closed()) return;
  ++report_.unclosed;
  if (tail_ == nullptr) {
    problem("the trace was not closed and its tail file is missing; the last records are not known");
    return;
  }
  format::TailHeader header;
  if (!tail_->read_header(blocks_.header(), header)) {
    problem("the tail file does not belong to this trace; the last records are not known");
    return;
  }
  report_.dropped = header.dropped;
  report_.lost = header.begun - std::min(header.begun, header.committed);
  if (header.sequence != blocks_.sequence()) {
    problem(fmt::format("the tail continues block {} but the file has {}; the tail is dropped", header.sequence,
                        blocks_.sequence()));
    return;
  }
  const std::vector<std::uint8_t> bytes = tail_->rows(header, 0);
  const bool whole = decode_rows(bytes, dictionary_, rows_);
  for (Record& record : rows_.records) record.time += blocks_.clock_offset();
  if (whole) {
    problem(fmt::format("the trace was not closed; {} records come from its tail, {} being written were lost",
                        rows_.records.size(), report_.lost));
  } else {
    problem(fmt::format("the tail is damaged after {} records", rows_.records.size()));
  }
}

Result<std::unique_ptr<RecordSource>> open_inputs(std::string name, std::unique_ptr<Input> file,
                                                  std::unique_ptr<TailReader> tail, Vocabulary& vocabulary) {
  auto source = std::make_unique<TraceFile>(std::move(name), std::move(file), std::move(tail), vocabulary);
  if (auto header = source->read_header(); !header) return tl::unexpected(header.error());
  return source;
}

}  // namespace

Result<std::unique_ptr<RecordSource>> open_trace_file(const std::string& path, Vocabulary& vocabulary) {
  auto file = open_file(path);
  if (!file) return tl::unexpected(file.error());
  return open_inputs(path, std::move(*file), open_tail(path), vocabulary);
}

Result<std::unique_ptr<RecordSource>> open_trace_bytes(std::vector<std::uint8_t> file, std::vector<std::uint8_t> tail,
                                                       Vocabulary& vocabulary) {
  std::unique_ptr<TailReader> tail_reader;
  if (!tail.empty()) tail_reader = std::make_unique<TailReader>(from_memory(std::move(tail)));
  return open_inputs("memory", from_memory(std::move(file)), std::move(tail_reader), vocabulary);
}

}  // namespace tenet::training
