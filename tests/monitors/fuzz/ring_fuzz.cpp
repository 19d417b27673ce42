// Ring files of any contents, as a watcher finds them. A whole file is made; the input overwrites words of it
// (offset, value), or is records in its rings: else hardly any would be read beyond its header.
//
//   byte 0: how many patches, then for each 2 bytes where (in words) and 8 bytes what; the rest fills the rings.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ring_file.h"
#include "scratch_folder.h"
#include "tenet/monitor/monitor.h"
#include "tenet/monitor/spec.h"

namespace {

using namespace tenet::monitor;

constexpr std::size_t kRings = 2;
constexpr std::size_t kWords = 256;
constexpr std::size_t kRingHeaders = kPage + kHostSlots * sizeof(HostSlot);
constexpr std::size_t kData = (kRingHeaders + kRings * sizeof(RingHeader) + kPage - 1) / kPage * kPage;

// Reads events as generated checkers do.
class Reading final : public Rules {
 public:
  const std::string& protocol() const override { return name_; }
  const std::string& stamp() const override { return name_; }
  const std::vector<RuleInfo>& rules() const override { return rules_; }
  bool knows(HostId host) const override { return host.role() < hosts_.size() && host.index() < hosts_[host.role()]; }
  std::string name(HostId host) const override {
    if (!knows(host)) std::abort();
    return std::to_string(host.word);
  }
  bool on_event(const Event& event, Sink& sink) override {
    spec::Reader in(event.words, hosts_);
    std::map<std::int64_t, std::set<std::optional<bool>>> map;
    spec::Function<std::int64_t, std::optional<std::int64_t>> function;
    MessageId id;
    spec::read(in, id);
    (void)in.host(0);
    spec::read(in, map);
    spec::read(in, function);
    if (in.bad()) return false;
    sink.verdict(0, in.done() ? Verdict::passed : Verdict::violated, event);
    return true;
  }
  void on_gap(HostId host, Sink&) override { require(host); }
  void on_restart(HostId host, bool, Sink&) override { require(host); }
  void limit_memory(std::size_t) override {}
  std::size_t memory() const override { return 0; }
  std::string describe(const Event&, const Rendering&) const override { return "event"; }
  std::string trace_header() const override { return "{}"; }
  std::string trace_line(const Event& event) const override { return spec::show_beginning(event, name(event.host)); }

 private:
  void require(HostId host) const {
    if (!knows(host)) std::abort();
  }
  std::string name_ = "fuzz";
  std::vector<RuleInfo> rules_{{"rule", "guard", "", {}, true}};
  std::vector<std::uint32_t> hosts_{3, 1};
};

void put(std::string& file, std::size_t at, const void* bytes, std::size_t size) {
  if (at + size <= file.size()) std::memcpy(file.data() + at, bytes, size);
}

std::string whole_file() {
  std::string file(kData + kRings * kWords * sizeof(std::uint64_t), '\0');
  const auto number = [&](std::size_t at, auto value) { put(file, at, &value, sizeof value); };
  put(file, 0, "TENETRNG", 8);
  number(8, kFileVersion);
  number(12, static_cast<std::uint32_t>(kRings));
  number(16, std::uint64_t{kWords});
  put(file, 24, "fuzz", 4);
  for (std::size_t i = 0; i < kRings; ++i) {
    const std::size_t ring = kRingHeaders + i * sizeof(RingHeader);
    number(ring, std::uint64_t{kWords});            // tail: full
    number(ring + 128, std::uint32_t{kAbandoned});  // owner
  }
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tenet::testing::ScratchFolder folder;
  std::string file = whole_file();
  std::size_t at = 0;
  for (std::size_t patches = size > 0 ? data[at++] % 8u : 0; patches > 0 && at + 10 <= size; --patches, at += 10) {
    const std::size_t word = data[at] | (std::size_t{data[at + 1]} << 8);
    put(file, word * sizeof(std::uint64_t), data + at + 2, sizeof(std::uint64_t));
  }
  // Nobody else takes the events: else nothing is read.
  const std::uint32_t nobody = 0;
  put(file, offsetof(FileHeader, consumer), &nobody, sizeof nobody);
  put(file, kData, data + at, std::min(size - at, file.size() - kData));
  Options options;
  options.watch = {folder.write("rings", file)};
  options.record = folder / "trace";
  options.inline_mode = true;
  options.memory_bytes = 1 << 20;
  std::string error;
  const auto monitor = Monitor::start(options, std::make_unique<Reading>(), error);
  if (monitor == nullptr) {
    if (error.empty()) std::abort();
    return 0;
  }
  (void)monitor->poll();
  monitor->stop();
  const Summary summary = monitor->summary();
  if (summary.crashed || to_text(summary).empty()) std::abort();
  // Nothing is checked of a file that is none.
  if (summary.foreign_files > 0 && (summary.events > 0 || summary.exit_status() != 2)) std::abort();
  std::filesystem::remove(options.record);
  return 0;
}
