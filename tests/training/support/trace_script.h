// Writes small traces by hand, through the C interface that jobs use.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tenet/training/trace.h"

namespace tenet::training::testing {

// A folder of its own for a test, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tenet-training-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct None {};
struct Hash {
  std::uint64_t value;
};
struct Ref {
  std::uint64_t value;
};
struct Dims {
  std::string value;
};
using Any = std::variant<None, bool, std::int64_t, double, std::string, Hash, Ref, Dims>;
using Fields = std::vector<std::pair<std::string, Any>>;

class TraceScript {
 public:
  explicit TraceScript(const std::string& prefix) : trace_(tenet_trace_open(prefix.c_str(), nullptr)) {
    EXPECT_NE(trace_, nullptr);
  }
  ~TraceScript() { close(); }
  TraceScript(const TraceScript&) = delete;
  TraceScript& operator=(const TraceScript&) = delete;

  std::uint64_t enter(const std::string& function, const Fields& fields = {}) {
    const auto [layout, values] = pack(fields);
    const std::uint64_t call = tenet_trace_enter(trace_, id(function), layout, values.data(), 8 * values.size());
    open_.push_back(call);
    return call;
  }
  void exit(const Fields& fields = {}) {
    const auto [layout, values] = pack(fields);
    EXPECT_EQ(tenet_trace_exit(trace_, open_.back(), layout, values.data(), 8 * values.size()), 0);
    open_.pop_back();
  }
  void call(const std::string& function, const Fields& arguments = {}, const Fields& results = {}) {
    enter(function, arguments);
    exit(results);
  }
  void state(const std::string& type, const std::string& name, const Fields& fields) {
    const auto [layout, values] = pack(fields);
    EXPECT_EQ(tenet_trace_state(trace_, id(name), id(type), layout, values.data(), 8 * values.size()), 0);
  }
  void context(const std::string& key, const Any& value) {
    const auto [type, bits] = slot(value);
    EXPECT_EQ(tenet_trace_context(trace_, TENET_TRACE_PROCESS, id(key), type, bits), 0);
  }
  void step(std::int64_t number) { context("step", number); }
  void stage(const std::string& name) { context("stage", name); }
  void scalar(const std::string& name, const Any& value) {
    const auto [type, bits] = slot(value);
    EXPECT_EQ(tenet_trace_scalar(trace_, id(name), type, bits), 0);
  }
  [[nodiscard]] tenet_trace* raw() { return trace_; }
  [[nodiscard]] std::string path() const { return tenet_trace_path(trace_); }
  void close() {
    if (trace_ == nullptr) return;
    EXPECT_EQ(tenet_trace_close(trace_), 0);
    trace_ = nullptr;
  }

 private:
  std::uint32_t id(const std::string& text) { return tenet_trace_string(trace_, text.data(), text.size()); }

  std::pair<std::uint8_t, std::uint64_t> slot(const Any& value) {
    struct Visit {
      TraceScript& script;
      std::pair<std::uint8_t, std::uint64_t> operator()(None) const { return {TENET_TRACE_NONE, 0}; }
      std::pair<std::uint8_t, std::uint64_t> operator()(bool v) const { return {TENET_TRACE_BOOL, v ? 1U : 0U}; }
      std::pair<std::uint8_t, std::uint64_t> operator()(std::int64_t v) const {
        return {TENET_TRACE_INT, static_cast<std::uint64_t>(v)};
      }
      std::pair<std::uint8_t, std::uint64_t> operator()(double v) const {
        return {TENET_TRACE_FLOAT, std::bit_cast<std::uint64_t>(v)};
      }
      std::pair<std::uint8_t, std::uint64_t> operator()(const std::string& v) const {
        return {TENET_TRACE_STR, script.id(v)};
      }
      std::pair<std::uint8_t, std::uint64_t> operator()(Hash v) const { return {TENET_TRACE_HASH, v.value}; }
      std::pair<std::uint8_t, std::uint64_t> operator()(Ref v) const { return {TENET_TRACE_REF, v.value}; }
      std::pair<std::uint8_t, std::uint64_t> operator()(const Dims& v) const {
        return {TENET_TRACE_DIMS, script.id(v.value)};
      }
    };
    return std::visit(Visit{*this}, value);
  }

  std::pair<std::uint32_t, std::vector<std::uint64_t>> pack(const Fields& fields) {
    std::vector<std::uint32_t> keys;
    std::vector<std::uint8_t> types;
    std::vector<std::uint64_t> values;
    for (const auto& [key, value] : fields) {
      const auto [type, bits] = slot(value);
      keys.push_back(id(key));
      types.push_back(type);
      values.push_back(bits);
    }
    const std::uint32_t layout =
        fields.empty() ? 0 : tenet_trace_layout(trace_, keys.data(), types.data(), keys.size());
    return {layout, std::move(values)};
  }

  tenet_trace* trace_;
  std::vector<std::uint64_t> open_;
};

inline std::vector<std::uint8_t> read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The shipped TrainCheck trace, unpacked into `folder`; returns the folder of the run.
inline std::string unpack_sample(const ScratchFolder& folder) {
  const std::string archive = std::string(TENET_SOURCE_DIR) + "/tests/training/data/mnist-small.tar.gz";
  EXPECT_EQ(std::system(("tar xzf '" + archive + "' -C '" + folder.path() + "'").c_str()), 0);
  return folder / "small";
}

}  // namespace tenet::training::testing
