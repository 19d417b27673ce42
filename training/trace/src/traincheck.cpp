// A folder of TrainCheck's JSON Lines as one run.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "json_lines.h"
#include "tenet/training/trace_source.h"
#include "traincheck_record.h"

namespace tenet::training {
namespace {

namespace fs = std::filesystem;

class TrainCheck final : public RecordSource {
 public:
  TrainCheck(std::vector<std::unique_ptr<JsonLines>> files, Vocabulary& vocabulary)
      : files_(std::move(files)), converter_(vocabulary) {
    for (std::size_t i = 0; i < files_.size(); ++i) push(i);
  }

  const Record* next() override {
    while (at_ == converter_.count() || !usable_) {
      if (heap_.empty()) return nullptr;
      std::ranges::pop_heap(heap_, later);
      const Entry top = heap_.back();
      heap_.pop_back();
      usable_ = converter_.convert(top.object);
      at_ = 0;
      if (!usable_ && unusable_++ == 0) first_unusable_ = fmt::format("{}:{}", files_[top.file]->name(), top.line);
      push(top.file);
    }
    ++records_;
    return &converter_.record(at_++);
  }

  const ReadReport& report() const override {
    report_ = ReadReport{};
    report_.files = files_.size();
    report_.processes = converter_.processes();
    report_.records = records_;
    report_.skipped = unusable_;
    for (const auto& file : files_) {
      report_.bytes += file->bytes();
      report_.skipped += file->bad_lines();
      if (file->bad_lines() == 0) continue;
      report_.problems.push_back(fmt::format("{}:{}: {} lines are not JSON objects and were passed over", file->name(),
                                             file->first_bad_line(), file->bad_lines()));
    }
    if (unusable_ > 0) {
      report_.problems.push_back(
          fmt::format("{}: {} records miss a field that is needed and were passed over", first_unusable_, unusable_));
    }
    return report_;
  }

 private:
  struct Entry {
    std::int64_t time;
    std::size_t file;
    std::uint64_t line;
    simdjson::dom::object object;
  };
  static bool later(const Entry& a, const Entry& b) noexcept {
    return a.time != b.time ? a.time > b.time : a.file > b.file;
  }
  void push(std::size_t file) {
    simdjson::dom::object object;
    if (!files_[file]->next(object)) return;
    std::int64_t time = 0;
    if (object["time"].get_int64().get(time) != simdjson::SUCCESS) time = 0;
    heap_.push_back({time, file, files_[file]->line(), object});
    std::ranges::push_heap(heap_, later);
  }

  std::vector<std::unique_ptr<JsonLines>> files_;
  TrainCheckConverter converter_;
  std::vector<Entry> heap_;
  std::size_t at_ = 0;
  bool usable_ = true;
  std::uint64_t records_ = 0;
  std::uint64_t unusable_ = 0;
  std::string first_unusable_;
  mutable ReadReport report_;
};

bool is_trace_name(const std::string& name) { return name.starts_with("trace_") || name == "proxy_log.json"; }

}  // namespace

Result<std::unique_ptr<RecordSource>> open_traincheck(const std::string& path, Vocabulary& vocabulary) {
  std::vector<std::string> names;
  std::error_code failed;
  if (fs::is_directory(path, failed)) {
    for (const auto& entry : fs::directory_iterator(path, failed)) {
      if (is_trace_name(entry.path().filename().string())) names.push_back(entry.path().string());
    }
    std::ranges::sort(names);
    if (names.empty()) {
      return failure(ErrorKind::bad_input, fmt::format("{}: no trace_* or proxy_log.json in this folder", path));
    }
  } else {
    names.push_back(path);
  }
  std::vector<std::unique_ptr<JsonLines>> files;
  for (const std::string& name : names) {
    auto input = open_file(name);
    if (!input) return tl::unexpected(input.error());
    files.push_back(std::make_unique<JsonLines>(name, std::move(*input)));
  }
  return std::make_unique<TrainCheck>(std::move(files), vocabulary);
}

std::unique_ptr<RecordSource> open_traincheck_text(std::string text, Vocabulary& vocabulary) {
  std::vector<std::unique_ptr<JsonLines>> files;
  files.push_back(std::make_unique<JsonLines>("memory", from_memory({text.begin(), text.end()})));
  return std::make_unique<TrainCheck>(std::move(files), vocabulary);
}

}  // namespace tenet::training
