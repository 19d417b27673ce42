#include "writer.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>

namespace tenet::training {
namespace {

constexpr std::size_t kDefaultTail = std::size_t{4} << 20U;
constexpr std::size_t kSmallestTail = std::size_t{64} << 10U;
constexpr std::size_t kLargestTail = std::size_t{32} << 20U;  // its body stays far below the largest block

constexpr std::size_t padded(std::size_t bytes) noexcept { return (bytes + 7) / 8 * 8; }

}  // namespace

Writer::Writer(std::string prefix, std::size_t tail_bytes, int level)
    : prefix_(std::move(prefix)),
      tail_bytes_(padded(std::clamp(tail_bytes == 0 ? kDefaultTail : tail_bytes, kSmallestTail, kLargestTail))),
      level_(level == 0 ? 3 : level) {}

bool Writer::open() {
  generation_ = fork_generation();
  return open_files();
}

bool Writer::open_files() {
  if (!file_.create(prefix_, monotonic_now())) return false;
  if (tail_.create(file_.tail_path(), tail_bytes_, file_.identity())) return true;
  ::unlink(file_.path().c_str());
  return false;
}

void Writer::follow_fork() {
  if (generation_ == fork_generation()) return;
  generation_ = fork_generation();
  tail_.unmap();
  stored_strings_ = stored_layouts_ = 0;
  records_ = dropped_ = raw_bytes_ = 0;
  failed_ = false;
  failed_ = !open_files() || !define_everything();
}

bool Writer::define_everything() {
  for (std::uint32_t id = 1; id <= strings_.size(); ++id) {
    if (define_string(id) != TENET_TRACE_OK) return false;
  }
  for (std::uint32_t id = 1; id <= layouts_.size(); ++id) {
    if (define_layout(id) != TENET_TRACE_OK) return false;
  }
  const auto kept = context_;
  for (const auto& [name, value] : kept) {
    const tenet_trace_row row{TENET_TRACE_KIND_CONTEXT, TENET_TRACE_PROCESS, 0, name, value.layout, monotonic_now(), 0};
    if (put(row, &value.value, 8) != TENET_TRACE_OK) return false;
  }
  return true;
}

std::uint32_t Writer::intern(std::string_view text) {
  if (text.empty()) return 0;
  if (const auto found = string_ids_.find(text); found != string_ids_.end()) return found->second;
  if (sizeof(format::RowHeader) + padded(text.size()) > tail_bytes_) return 0;
  strings_.emplace_back(text);
  const auto id = static_cast<std::uint32_t>(strings_.size());
  string_ids_.emplace(strings_.back(), id);
  return define_string(id) == TENET_TRACE_OK ? id : 0;
}

int Writer::define_string(std::uint32_t id) {
  const std::string& text = strings_[id - 1];
  const format::RowHeader row{.bytes = 0,
                              .kind = format::kRowString,
                              .scope = 0,
                              .thread = 0,
                              .name = id,
                              .layout = static_cast<std::uint32_t>(text.size()),
                              .time = 0,
                              .reference = 0};
  return put_row(row, text.data(), text.size(), false);
}

std::uint32_t Writer::layout(std::span<const std::uint32_t> keys, const std::uint8_t* types) {
  if (keys.empty() || keys.size() > format::kMaxFields) return 0;
  LayoutFields fields;
  std::string identity;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] > strings_.size() || types[i] > TENET_TRACE_REF) return 0;
    fields.push_back({keys[i], types[i]});
    identity.append(reinterpret_cast<const char*>(&keys[i]), sizeof keys[i]).push_back(static_cast<char>(types[i]));
  }
  if (const auto found = layout_ids_.find(identity); found != layout_ids_.end()) return found->second;
  layouts_.push_back(std::move(fields));
  const auto id = static_cast<std::uint32_t>(layouts_.size());
  layout_ids_.emplace(std::move(identity), id);
  return define_layout(id) == TENET_TRACE_OK ? id : 0;
}

int Writer::define_layout(std::uint32_t id) {
  Bytes payload;
  for (const LayoutField& field : layouts_[id - 1]) {
    put_u64(payload, field.key | static_cast<std::uint64_t>(field.type) << 32U);
  }
  const format::RowHeader row{.bytes = 0,
                              .kind = format::kRowLayout,
                              .scope = 0,
                              .thread = 0,
                              .name = id,
                              .layout = static_cast<std::uint32_t>(payload.size() / 8),
                              .time = 0,
                              .reference = 0};
  return put_row(row, payload.data(), payload.size(), false);
}

int Writer::check(const tenet_trace_row& row, std::size_t bytes) const noexcept {
  if (row.kind < TENET_TRACE_KIND_ENTER || row.kind > TENET_TRACE_KIND_NOTE) return TENET_TRACE_EINVAL;
  if (row.name > strings_.size() || row.layout > layouts_.size()) return TENET_TRACE_EINVAL;
  const std::size_t fields = row.layout == 0 ? 0 : layouts_[row.layout - 1].size();
  return bytes == 8 * fields ? TENET_TRACE_OK : TENET_TRACE_EINVAL;
}

int Writer::put(const tenet_trace_row& row, const void* values, std::size_t bytes) {
  int result = failed_ ? TENET_TRACE_ECLOSED : check(row, bytes);
  if (result == TENET_TRACE_OK) {
    const format::RowHeader header{.bytes = 0,
                                   .kind = row.kind,
                                   .scope = static_cast<std::uint8_t>(row.scope != 0),
                                   .thread = row.thread,
                                   .name = row.name,
                                   .layout = row.layout,
                                   .time = row.time,
                                   .reference = row.reference};
    result = put_row(header, values, bytes, true);
  }
  if (result != TENET_TRACE_OK) {
    count_dropped(1);
  } else if (row.kind == TENET_TRACE_KIND_CONTEXT && row.scope == TENET_TRACE_PROCESS && bytes == 8) {
    KeptContext& kept = context_[row.name];
    kept.layout = row.layout;
    std::memcpy(&kept.value, values, 8);
  }
  return result;
}

int Writer::put_row(const format::RowHeader& row, const void* payload, std::size_t bytes, bool is_record) {
  if (failed_) return TENET_TRACE_ECLOSED;
  const std::size_t total = sizeof row + padded(bytes);
  if (total > tail_.capacity()) return TENET_TRACE_ETOOBIG;
  std::uint8_t* to = tail_.reserve(total);
  if (to == nullptr) {
    if (const int result = seal(false); result != TENET_TRACE_OK) return result;
    to = tail_.reserve(total);
  }
  if (is_record) tail_.begin_record();
  format::RowHeader header = row;
  header.bytes = static_cast<std::uint32_t>(total);
  std::memcpy(to, &header, sizeof header);
  if (bytes != 0) {
    std::memset(to + total - 8, 0, 8);
    std::memcpy(to + sizeof header, payload, bytes);
  }
  tail_.commit(total, is_record);
  records_ += is_record ? 1 : 0;
  return TENET_TRACE_OK;
}

int Writer::seal(bool last) {
  if (failed_) return TENET_TRACE_ECLOSED;
  if (tail_.rows().empty() && !last) return TENET_TRACE_OK;
  const BlockBody body = encode_block(tail_.rows(), strings_, stored_strings_, layouts_, stored_layouts_);
  raw_bytes_ += tail_.rows().size();
  if (!file_.append(body.bytes, {.records = body.records, .dropped = dropped_, .last = last}, level_)) {
    failed_ = true;  // the rows stay in the tail, where a reader finds them
    return TENET_TRACE_EIO;
  }
  // A string is interned before its definition is in the tail, so what the block holds is everything known now, unless
  // the seal makes room for that very definition: then the block has it and the tail repeats it, which readers accept.
  stored_strings_ = strings_.size();
  stored_layouts_ = layouts_.size();
  tail_.restart(file_.blocks());
  return TENET_TRACE_OK;
}

bool Writer::finish() {
  const bool sealed = tail_.mapped() && seal(true) == TENET_TRACE_OK;
  if (sealed) ::unlink(file_.tail_path().c_str());
  tail_.unmap();
  file_.close();
  return sealed;
}

void Writer::count_dropped(std::uint64_t count) noexcept {
  dropped_ += count;
  if (tail_.mapped()) tail_.set_dropped(dropped_);
}

void Writer::fill(tenet_trace_statistics& out) const noexcept {
  out.records = records_;
  out.dropped = dropped_;
  out.blocks = file_.blocks();
  out.stored_bytes = file_.stored_bytes();
  out.raw_bytes = raw_bytes_;
}

std::uint64_t monotonic_now() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace tenet::training
