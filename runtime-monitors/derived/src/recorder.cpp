#include "recorder.h"

#include <execinfo.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>

#include "tenet/derived/gtest_abi.h"
#include "tenet/derived/stamp.h"

namespace tenet::derived {
namespace {

constexpr std::size_t kShown = 512;  // bytes of a value; longer ones are told by length and hash
constexpr int kFrames = 48;

struct File {
  std::FILE* out = nullptr;
  std::mutex lock;
  std::uint64_t bias = 0;
  File() {
    const char* path = std::getenv("TENET_DERIVED_RECORD");
    if (path == nullptr || *path == 0) return;
    out = std::fopen(path, "ae");
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* self) {
          static_cast<File*>(self)->bias = info->dlpi_addr;
          return 1;  // the program comes first
        },
        this);
  }
};

File& file() {
  static File* one = new File;  // outlives the threads that record at exit
  return *one;
}

thread_local std::deque<std::string> kept;

std::uint32_t thread_number() {
  static std::atomic<std::uint32_t> next{0};
  thread_local const std::uint32_t number = next++;
  return number;
}

void append_text(std::string& line, const char* bytes, std::size_t size) {
  static const char* const kHex = "0123456789abcdef";
  line += '"';
  for (std::size_t i = 0; i < size; ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
      line += static_cast<char>(c);
    } else {
      line += "\\u00";
      line += kHex[c >> 4];
      line += kHex[c & 15];
    }
  }
  line += '"';
}

void append_bytes(std::string& line, const char* bytes, std::size_t size) {
  if (size <= kShown) {
    append_text(line, bytes, size);
    return;
  }
  line += "{\"size\":" + std::to_string(size) + ",\"hash\":" + std::to_string(tenet_monitor_v1_hash(bytes, size)) + "}";
}

void append_fields(std::string& line, const CallState& call, bool out) {
  bool first = true;
  for (std::size_t i = 0; i < call.count; ++i) {
    const Field& field = call.fields[i];
    if ((field.is_out != 0) != out) continue;
    line += first ? "[" : ",[";
    first = false;
    line += std::to_string(field.role) + ",";
    if (field.is_number != 0) {
      line += std::to_string(static_cast<std::int64_t>(field.word));
    } else {
      append_bytes(line, field.bytes, field.size);
    }
    line += "]";
  }
}

void append_frames(std::string& line) {
  std::array<void*, kFrames> frames{};
  const int count = ::backtrace(frames.data(), kFrames);
  const std::uint64_t bias = file().bias;
  bool first = true;
  for (int i = 2; i < count; ++i) {
    const auto address = reinterpret_cast<std::uint64_t>(frames[static_cast<std::size_t>(i)]) - bias;
    if (address > (std::uint64_t{1} << 40)) continue;  // of a library
    line += (first ? "" : ",") + std::to_string(address - 1);
    first = false;
  }
}

// A test that does very much is recorded up to a moment, with every operation that began before it.
std::atomic<std::uint64_t> lines{0};
std::atomic<std::uint64_t> cut{0};
std::uint64_t most_lines() {
  static const std::uint64_t most = [] {
    const char* text = std::getenv("TENET_DERIVED_RECORD_LIMIT");
    const std::uint64_t given = text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
    return given == 0 ? std::uint64_t{20000} : given;
  }();
  return most;
}

void write(const std::string& line);

/// Whether something that began at `start` is left out.
bool left_out(std::uint64_t start) {
  const std::uint64_t at = cut.load(std::memory_order_acquire);
  if (at != 0) return start >= at;
  if (lines.fetch_add(1, std::memory_order_relaxed) != most_lines()) return false;
  const std::uint64_t now = ordered_stamp();
  cut.store(now, std::memory_order_release);
  write("{\"e\":\"cut\",\"s\":" + std::to_string(now) + "}");
  return start >= now;
}

void write(const std::string& line) {
  const std::scoped_lock guard(file().lock);
  std::fwrite(line.data(), 1, line.size(), file().out);
  std::fputc('\n', file().out);
}

}  // namespace

bool recording() {
  static const bool on = file().out != nullptr;
  return on;
}

const char* keep_for_record(const char* bytes, std::size_t size) {
  kept.emplace_back(bytes, size);
  return kept.back().data();
}

void record_call(const CallState& call, std::uint64_t end, bool entry) {
  if (left_out(call.start)) {
    if (!entry) kept.clear();
    return;
  }
  std::string line = "{\"e\":\"op\",\"op\":" + std::to_string(call.op) + ",\"t\":" + std::to_string(thread_number()) +
                     ",\"self\":" + std::to_string(reinterpret_cast<std::uint64_t>(call.self)) +
                     ",\"s\":" + std::to_string(call.start) + ",\"f\":" + std::to_string(end) +
                     ",\"o\":" + std::to_string(call.outcome) + ",\"x\":" + std::to_string(call.effect) + ",\"in\":[";
  append_fields(line, call, false);
  line += "],\"out\":[";
  append_fields(line, call, true);
  line += "],\"at\":[";
  append_frames(line);
  line += "]}";
  write(line);
  if (!entry) kept.clear();
}

}  // namespace tenet::derived

using namespace tenet::derived;

extern "C" {

int tenet_derived_v1_recording() noexcept { return recording() ? 1 : 0; }

int tenet_derived_v1_first_listener() noexcept {
  static std::atomic<int> taken{0};
  return taken.exchange(1) == 0 ? 1 : 0;
}

void tenet_derived_v1_test(const char* suite, const char* name, int phase, int passed) noexcept {
  if (!recording()) return;
  lines.store(0);
  cut.store(0);
  std::string line = phase == 0 ? "{\"e\":\"begin\",\"suite\":" : "{\"e\":\"end\",\"suite\":";
  append_text(line, suite, std::strlen(suite));
  line += ",\"name\":";
  append_text(line, name, std::strlen(name));
  line += ",\"passed\":" + std::to_string(passed) + ",\"s\":" + std::to_string(ordered_stamp()) + "}";
  write(line);
  const std::scoped_lock guard(file().lock);
  std::fflush(file().out);
}

void tenet_derived_v1_assertion(const char* path, int line_number, const char* macro, int passed,
                                const char* const* values, const std::size_t* sizes, int count) noexcept {
  if (!recording() || left_out(ordered_stamp())) return;
  std::string line = "{\"e\":\"assert\",\"t\":" + std::to_string(thread_number()) + ",\"file\":";
  append_text(line, path, std::strlen(path));
  line += ",\"line\":" + std::to_string(line_number) + ",\"macro\":";
  append_text(line, macro, std::strlen(macro));
  line += ",\"passed\":" + std::to_string(passed) + ",\"s\":" + std::to_string(ordered_stamp()) + ",\"v\":[";
  for (int i = 0; i < count; ++i) {
    if (i > 0) line += ",";
    append_bytes(line, values[i], sizes[i]);
  }
  line += "],\"at\":[";
  append_frames(line);
  line += "]}";
  write(line);
}

}  // extern "C"
