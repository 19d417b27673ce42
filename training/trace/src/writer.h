// What is behind the C interface: dictionaries, tail and block file of one trace.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "block_encode.h"
#include "block_file.h"
#include "tail.h"
#include "tenet/training/trace.h"

namespace tenet::training {

// Every member function expects `mutex` to be held, except the constructor.
class Writer {
 public:
  Writer(std::string prefix, std::size_t tail_bytes, int level);

  [[nodiscard]] bool open();
  // In a child of the process that opened the trace: continue in a file of its own; if that is impossible all records
  // are dropped.
  void follow_fork();

  [[nodiscard]] std::uint32_t intern(std::string_view text);
  [[nodiscard]] std::uint32_t layout(std::span<const std::uint32_t> keys, const std::uint8_t* types);
  [[nodiscard]] int put(const tenet_trace_row& row, const void* values, std::size_t bytes);
  [[nodiscard]] int seal(bool last);
  // Seals what is left and ends the trace; false if the rows had to stay in the tail file.
  [[nodiscard]] bool finish();
  void count_dropped(std::uint64_t count) noexcept;
  void fill(tenet_trace_statistics& out) const noexcept;

  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] std::uint64_t next_call() noexcept { return ++calls_; }
  [[nodiscard]] const char* path() const noexcept { return file_.path().c_str(); }

  std::mutex mutex;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
  };
  struct KeptContext {
    std::uint32_t layout;
    std::uint64_t value;
  };

  [[nodiscard]] int check(const tenet_trace_row& row, std::size_t bytes) const noexcept;
  [[nodiscard]] int put_row(const format::RowHeader& row, const void* payload, std::size_t bytes, bool is_record);
  [[nodiscard]] int define_string(std::uint32_t id);
  [[nodiscard]] int define_layout(std::uint32_t id);
  [[nodiscard]] bool open_files();
  [[nodiscard]] bool define_everything();

  std::string prefix_;
  std::size_t tail_bytes_;
  int level_;
  BlockFile file_;
  Tail tail_;
  std::vector<std::string> strings_;  // id - 1
  std::vector<LayoutFields> layouts_;
  std::size_t stored_strings_ = 0;
  std::size_t stored_layouts_ = 0;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> string_ids_;
  std::unordered_map<std::string, std::uint32_t> layout_ids_;
  std::unordered_map<std::uint32_t, KeptContext> context_;
  std::uint64_t calls_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t raw_bytes_ = 0;
  std::uint64_t generation_ = 0;
  bool failed_ = false;
};

// Number of forks this process is away from the one that loaded the library.
[[nodiscard]] std::uint64_t fork_generation() noexcept;
// The set of traces whose locks are taken around a fork.
void register_for_fork(Writer& writer);
void unregister_for_fork(Writer& writer);

[[nodiscard]] std::uint64_t monotonic_now() noexcept;

}  // namespace tenet::training
