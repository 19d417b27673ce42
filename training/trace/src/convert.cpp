// A run to the binary format, through the same writer that jobs use.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "tenet/training/trace.h"
#include "tenet/training/trace_tools.h"

namespace tenet::training {
namespace {

// One process of the run: symbols and layouts of the work to ids of its file.
class Target {
 public:
  Target(tenet_trace* trace, const Vocabulary& vocabulary) : trace_(trace), vocabulary_(&vocabulary) {}

  [[nodiscard]] int put(const Record& record) {
    values_.assign(record.values.begin(), record.values.end());
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const ValueType type = record.layout->types[i];
      if (type == ValueType::text || type == ValueType::dims) values_[i] = string(static_cast<Symbol>(values_[i]));
    }
    const bool state = record.kind == RecordKind::state;
    const tenet_trace_row row{static_cast<std::uint8_t>(record.kind),
                              static_cast<std::uint8_t>(record.thread_scope ? TENET_TRACE_THREAD : TENET_TRACE_PROCESS),
                              record.thread,
                              string(record.name),
                              layout(*record.layout),
                              record.time,
                              state ? string(record.variable_type) : record.call};
    return tenet_trace_put(trace_.get(), &row, values_.data(), 8 * values_.size());
  }

  [[nodiscard]] std::string path() const { return tenet_trace_path(trace_.get()); }
  [[nodiscard]] int close() { return tenet_trace_close(trace_.release()); }

 private:
  struct Close {
    void operator()(tenet_trace* trace) const noexcept { (void)tenet_trace_close(trace); }
  };

  std::uint32_t string(Symbol symbol) {
    if (symbol >= strings_.size()) strings_.resize(symbol + 1024, 0);
    if (strings_[symbol] == 0 && symbol != 0) {
      const std::string_view text = vocabulary_->text(symbol);
      strings_[symbol] = tenet_trace_string(trace_.get(), text.data(), text.size());
    }
    return strings_[symbol];
  }

  std::uint32_t layout(const Layout& layout) {
    if (layout.id >= layouts_.size()) layouts_.resize(layout.id + 256, 0);
    if (layouts_[layout.id] == 0 && !layout.keys.empty()) {
      std::vector<std::uint32_t> keys;
      std::vector<std::uint8_t> types;
      for (std::size_t i = 0; i < layout.keys.size(); ++i) {
        keys.push_back(string(layout.keys[i]));
        types.push_back(static_cast<std::uint8_t>(layout.types[i]));
      }
      layouts_[layout.id] = tenet_trace_layout(trace_.get(), keys.data(), types.data(), keys.size());
    }
    return layouts_[layout.id];
  }

  std::unique_ptr<tenet_trace, Close> trace_;
  const Vocabulary* vocabulary_;
  std::vector<std::uint32_t> strings_;
  std::vector<std::uint32_t> layouts_;
  std::vector<std::uint64_t> values_;
};

}  // namespace

Result<Converted> convert(RecordSource& run, const Vocabulary& vocabulary, const std::string& prefix, int compression) {
  std::vector<Target> targets;
  const tenet_trace_options options{sizeof options, 0, compression};
  Converted out;
  while (const Record* record = run.next()) {
    while (record->process >= targets.size()) {
      tenet_trace* trace = tenet_trace_open(prefix.c_str(), &options);
      if (trace == nullptr) return failure(ErrorKind::io, fmt::format("{}: {}", prefix, std::strerror(errno)));
      targets.emplace_back(trace, vocabulary);
    }
    const int result = targets[record->process].put(*record);
    if (result != TENET_TRACE_OK) return failure(ErrorKind::io, tenet_trace_message(result));
    ++out.records;
  }
  for (Target& target : targets) {
    const std::string path = target.path();
    const int result = target.close();
    if (result != TENET_TRACE_OK)
      return failure(ErrorKind::io, fmt::format("{}: {}", path, tenet_trace_message(result)));
    struct stat status{};
    if (::stat(path.c_str(), &status) == 0) out.bytes += static_cast<std::uint64_t>(status.st_size);
    out.files.push_back(path);
  }
  return out;
}

}  // namespace tenet::training
