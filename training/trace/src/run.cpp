// A run: the files of its processes, merged by time.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "format.h"
#include "tenet/training/trace_source.h"

namespace tenet::training {
namespace {

namespace fs = std::filesystem;

void add(ReadReport& sum, const ReadReport& part) {
  sum.files += part.files;
  sum.processes += part.processes;
  sum.records += part.records;
  sum.bytes += part.bytes;
  sum.dropped += part.dropped;
  sum.lost += part.lost;
  sum.skipped += part.skipped;
  sum.torn_bytes += part.torn_bytes;
  sum.unclosed += part.unclosed;
  for (const std::string& problem : part.problems) {
    if (sum.problems.size() < 100) sum.problems.push_back(problem);
  }
}

// Merges by time with a heap of (time of the current record, file). Ties go to the earlier file, so that the order does
// not depend on anything but the traces.
class Merged final : public RecordSource {
 public:
  Merged(std::vector<std::unique_ptr<RecordSource>> parts, std::vector<std::string> problems)
      : parts_(std::move(parts)), opening_problems_(std::move(problems)) {
    for (std::size_t i = 0; i < parts_.size(); ++i) push(i);
  }

  const Record* next() override {
    if (current_ >= 0) push(static_cast<std::size_t>(current_));
    current_ = -1;
    if (heap_.empty()) return nullptr;
    std::ranges::pop_heap(heap_, later);
    const Entry top = heap_.back();
    heap_.pop_back();
    current_ = static_cast<int>(top.part);
    record_ = *top.record;
    record_.process = static_cast<std::uint16_t>(top.part);
    return &record_;
  }

  const ReadReport& report() const override {
    report_ = ReadReport{};
    report_.problems = opening_problems_;
    for (const auto& part : parts_) add(report_, part->report());
    return report_;
  }

 private:
  struct Entry {
    std::uint64_t time;
    std::size_t part;
    const Record* record;
  };
  static bool later(const Entry& a, const Entry& b) noexcept {
    return a.time != b.time ? a.time > b.time : a.part > b.part;
  }
  void push(std::size_t part) {
    const Record* record = parts_[part]->next();
    if (record == nullptr) return;
    heap_.push_back({record->time, part, record});
    std::ranges::push_heap(heap_, later);
  }

  std::vector<std::unique_ptr<RecordSource>> parts_;
  std::vector<std::string> opening_problems_;
  std::vector<Entry> heap_;
  int current_ = -1;
  Record record_;
  mutable ReadReport report_;
};

bool is_binary(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, 8> magic{};
  in.read(magic.data(), magic.size());
  return in.gcount() == 8 && magic == format::kFileMagic;
}

Result<std::unique_ptr<RecordSource>> open_folder(const std::string& path, Vocabulary& vocabulary) {
  std::vector<std::string> files;
  bool has_traincheck = false;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(path, failed)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".tnt")) files.push_back(entry.path().string());
    has_traincheck = has_traincheck || name.starts_with("trace_") || name == "proxy_log.json";
  }
  if (failed) return failure(ErrorKind::io, fmt::format("{}: {}", path, failed.message()));
  if (files.empty()) {
    if (has_traincheck) return open_traincheck(path, vocabulary);
    return failure(ErrorKind::bad_input,
                   fmt::format("{}: no trace in this folder (*.tnt, trace_*, proxy_log.json)", path));
  }
  std::ranges::sort(files);
  std::vector<std::unique_ptr<RecordSource>> parts;
  std::vector<std::string> problems;
  for (const std::string& file : files) {
    if (auto part = open_trace_file(file, vocabulary)) {
      parts.push_back(std::move(*part));
    } else {
      problems.push_back(part.error().message);
    }
  }
  if (parts.empty()) return failure(ErrorKind::bad_input, problems.front());
  return std::make_unique<Merged>(std::move(parts), std::move(problems));
}

}  // namespace

Result<std::unique_ptr<RecordSource>> open_run(const std::string& path, Vocabulary& vocabulary) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (failed || !fs::exists(status)) return failure(ErrorKind::io, fmt::format("{}: no such file or folder", path));
  if (fs::is_directory(status)) return open_folder(path, vocabulary);
  if (is_binary(path) || path.ends_with(".tnt")) return open_trace_file(path, vocabulary);
  return open_traincheck(path, vocabulary);
}

}  // namespace tenet::training
