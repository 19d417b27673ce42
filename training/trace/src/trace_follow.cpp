#include "tenet/training/trace_follow.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "block_reader.h"

namespace tenet::training {

namespace fs = std::filesystem;

// One file, with how far it has been read: whole blocks, then bytes of the tail that will become the next block.
class TraceFollower::File {
 public:
  File(std::string path, std::uint16_t process, std::unique_ptr<Input> input, Vocabulary& vocabulary)
      : path_(path), process_(process), blocks_(std::move(path), std::move(input)), dictionary_(vocabulary) {}

  // False while there is no whole header yet.
  [[nodiscard]] bool ready() {
    ready_ = ready_ || blocks_.read_header().has_value();
    return ready_;
  }

  // The next piece of what is new; empty if there is nothing (yet).
  [[nodiscard]] std::span<const Record> fetch() {
    if (damaged_ || blocks_.closed()) return {};
    const std::span<const Record> from_tail = fetch_tail();
    return from_tail.empty() ? fetch_block() : from_tail;
  }

  [[nodiscard]] bool done() const noexcept { return damaged_ || blocks_.closed(); }
  [[nodiscard]] std::string take_problem() { return std::exchange(problem_, {}); }

 private:
  std::span<const Record> fetch_tail() {
    if (tail_ == nullptr) tail_ = open_tail(path_);
    format::TailHeader header;
    if (tail_ == nullptr || !tail_->read_header(blocks_.header(), header)) return {};
    if (header.sequence != blocks_.sequence() || header.committed_bytes <= tail_bytes_) return {};
    const std::vector<std::uint8_t> bytes = tail_->rows(header, tail_bytes_);
    format::TailHeader again;
    // Sealed while we read: what we have may be half of two lives of the tail. The block has it all.
    if (!tail_->read_header(blocks_.header(), again) || again.sequence != header.sequence ||
        again.committed_bytes < header.committed_bytes) {
      return {};
    }
    if (!decode_rows(bytes, dictionary_, rows_)) {
      damaged_ = true;
      problem_ = fmt::format("{}: the tail is damaged", path_);
    }
    tail_bytes_ += bytes.size();
    delivered_ += rows_.records.size();
    for (Record& record : rows_.records) record.time += blocks_.clock_offset();
    return placed();
  }

  std::span<const Record> fetch_block() {
    std::string why;
    // While the file is being written, an unfinished block looks like a damaged one; it is asked for again.
    if (blocks_.next(dictionary_, rows_, why) != BlockReader::Step::block) return {};
    const std::size_t known = std::min(delivered_, rows_.records.size());
    rows_.records.erase(rows_.records.begin(), rows_.records.begin() + static_cast<std::ptrdiff_t>(known));
    delivered_ = 0;
    tail_bytes_ = 0;
    if (rows_.records.empty() && !blocks_.closed()) return fetch_tail();
    return placed();
  }

  std::span<const Record> placed() {
    for (Record& record : rows_.records) record.process = process_;
    return rows_.records;
  }

  std::string path_;
  std::uint16_t process_;
  BlockReader blocks_;
  std::unique_ptr<TailReader> tail_;
  FileDictionary dictionary_;
  DecodedRows rows_;
  std::uint64_t tail_bytes_ = 0;  // of the current tail, given out already
  std::size_t delivered_ = 0;     // records of the current tail, given out already
  bool ready_ = false;
  bool damaged_ = false;
  std::string problem_;
};

TraceFollower::TraceFollower(std::string path, Vocabulary& vocabulary)
    : path_(std::move(path)), vocabulary_(&vocabulary) {}
TraceFollower::~TraceFollower() = default;

void TraceFollower::find_files() {
  std::vector<std::string> paths;
  std::error_code failed;
  if (fs::is_directory(path_, failed)) {
    for (const auto& entry : fs::directory_iterator(path_, failed)) {
      if (entry.path().extension() == ".tnt") paths.push_back(entry.path().string());
    }
    std::ranges::sort(paths);
  } else if (fs::exists(path_, failed)) {
    paths.push_back(path_);
  }
  for (const std::string& path : paths) {
    if (files_.contains(path)) continue;
    auto input = open_file(path);
    if (!input) continue;
    const auto process = static_cast<std::uint16_t>(files_.size());
    files_.emplace(path, std::make_unique<File>(path, process, std::move(*input), *vocabulary_));
  }
  report_.files = report_.processes = files_.size();
}

std::uint64_t TraceFollower::poll(const std::function<void(const Record&)>& use) {
  find_files();
  std::uint64_t given = 0;
  for (;;) {
    std::vector<std::span<const Record>> pieces;
    for (auto& [path, file] : files_) {
      if (!file->ready()) continue;
      pieces.push_back(file->fetch());
      if (std::string problem = file->take_problem(); !problem.empty()) report_.problems.push_back(std::move(problem));
    }
    std::uint64_t round = 0;
    for (;;) {
      std::span<const Record>* next = nullptr;
      for (auto& piece : pieces) {
        if (!piece.empty() && (next == nullptr || piece.front().time < next->front().time)) next = &piece;
      }
      if (next == nullptr) break;
      use(next->front());
      *next = next->subspan(1);
      ++round;
    }
    given += round;
    if (round == 0) break;
  }
  report_.records += given;
  return given;
}

bool TraceFollower::finished() const noexcept {
  return !files_.empty() && std::ranges::all_of(files_, [](const auto& entry) { return entry.second->done(); });
}

const ReadReport& TraceFollower::report() const noexcept { return report_; }

}  // namespace tenet::training
