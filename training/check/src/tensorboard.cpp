// Event files: TFRecord framing around Event messages of the protocol buffer format, written by hand. Only what scalars
// need: Event { double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary = 5 },
// Summary { repeated Value value = 1 }, Value { string tag = 1; float simple_value = 2 }.
#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>

#include "tenet/training/check_report.h"

namespace tenet::training {
namespace {

using Buffer = std::vector<std::uint8_t>;

// CRC-32C (Castagnoli), reflected polynomial.
std::uint32_t crc32c(const Buffer& data) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const std::uint8_t byte : data) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
  }
  return ~crc;
}

// TFRecord stores a sum rotated and offset, so that a sum of data that holds sums is no fixed point.
std::uint32_t masked(std::uint32_t crc) { return std::rotr(crc, 15) + 0xA282EAD8U; }

template <typename Integer>
void put_fixed(Buffer& out, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

void put_varint(Buffer& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out.push_back(static_cast<std::uint8_t>(value | 0x80U));
  out.push_back(static_cast<std::uint8_t>(value));
}

enum Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

void put_key(Buffer& out, unsigned field, Wire wire) { put_varint(out, field << 3U | wire); }

template <typename Range>
void put_bytes_field(Buffer& out, unsigned field, const Range& data) {
  put_key(out, field, bytes);
  put_varint(out, data.size());
  out.insert(out.end(), data.begin(), data.end());
}

void put_record(Buffer& out, const Buffer& event) {
  Buffer length;
  put_fixed<std::uint64_t>(length, event.size());
  out.insert(out.end(), length.begin(), length.end());
  put_fixed<std::uint32_t>(out, masked(crc32c(length)));
  out.insert(out.end(), event.begin(), event.end());
  put_fixed<std::uint32_t>(out, masked(crc32c(event)));
}

Buffer event_head(double wall_time, std::int64_t step) {
  Buffer event;
  put_key(event, 1, fixed64);
  put_fixed(event, std::bit_cast<std::uint64_t>(wall_time));
  put_key(event, 2, varint);
  put_varint(event, static_cast<std::uint64_t>(step));
  return event;
}

void put_scalar(Buffer& out, double wall_time, std::int64_t step, std::string_view tag, double number) {
  Buffer value;
  put_bytes_field(value, 1, tag);
  put_key(value, 2, fixed32);
  put_fixed(value, std::bit_cast<std::uint32_t>(static_cast<float>(number)));
  Buffer summary;
  put_bytes_field(summary, 1, value);
  Buffer event = event_head(wall_time, step);
  put_bytes_field(event, 5, summary);
  put_record(out, event);
}

}  // namespace

std::vector<std::uint8_t> tensorboard_events(const CheckResult& result, double wall_time) {
  Buffer out;
  Buffer version = event_head(wall_time, 0);
  put_bytes_field(version, 3, std::string_view("brain.Event:2"));
  put_record(out, version);
  std::map<std::int64_t, int> started;
  for (const Violation& violation : result.violations) ++started[violation.step];
  int total = 0;
  for (const auto& [step, count] : started) {
    put_scalar(out, wall_time, step, "tenet/violations", total += count);
  }
  for (const Series& series : result.series) {
    std::string tag = "tenet/" + series.name;
    for (char& c : tag) c = c == ' ' ? '/' : c;
    for (const auto& [step, value] : series.points) put_scalar(out, wall_time, step, tag, value);
  }
  return out;
}

Result<std::string> write_tensorboard(const CheckResult& result, const std::string& folder) {
  const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return failure(ErrorKind::io, fmt::format("{}: {}", folder, failed.message()));
  std::string path = fmt::format("{}/events.out.tfevents.{}.tenet", folder, static_cast<std::int64_t>(now));
  const Buffer events = tensorboard_events(result, now);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(events.data()), static_cast<std::streamsize>(events.size()));
  file.close();
  if (!file) return failure(ErrorKind::io, path + ": cannot be written");
  return path;
}

}  // namespace tenet::training
