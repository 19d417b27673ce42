#include "tenet/gate/shard.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace tenet::gate {
namespace {

constexpr std::size_t kMostShards = 100'000;

std::optional<std::size_t> number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() || value > kMostShards * 100) {
    return std::nullopt;
  }
  return value;
}

Result<Shard> checked(std::size_t index, std::size_t count, const std::string& where) {
  if (count == 0 || count > kMostShards) {
    return failure(ErrorKind::bad_input,
                   fmt::format("{}: there are 1 to {} shards, not {}", where, kMostShards, count));
  }
  if (index == 0 || index > count) {
    return failure(ErrorKind::bad_input, fmt::format("{}: there is no shard {} of {}", where, index, count));
  }
  return Shard{index, count};
}

/// What an engine says of this job; a part that it leaves open is absent.
class Engine {
 public:
  Engine(const Environment& environment, std::string variable)
      : environment_(environment), variable_(std::move(variable)) {}

  [[nodiscard]] bool present() const { return !environment_(variable_).empty(); }
  [[nodiscard]] const std::string& variable() const { return variable_; }
  /// Errors: not a number.
  [[nodiscard]] Result<std::size_t> value(const std::string& variable) const {
    const std::string text = environment_(variable);
    if (const auto found = number(text)) return *found;
    return failure(ErrorKind::bad_input, text.empty() ? fmt::format("{} is set but {} is not", variable_, variable)
                                                      : fmt::format("{} is no number: '{}'", variable, text));
  }
  [[nodiscard]] Result<std::size_t> value(const std::string& variable, std::size_t otherwise) const {
    return environment_(variable).empty() ? Result<std::size_t>(otherwise) : value(variable);
  }

 private:
  const Environment& environment_;
  std::string variable_;
};

Result<Shard> from_gitlab(const Engine& engine) {
  const auto index = engine.value("CI_NODE_INDEX");
  if (!index) return tl::make_unexpected(index.error());
  const auto count = engine.value("CI_NODE_TOTAL");
  if (!count) return tl::make_unexpected(count.error());
  return checked(*index, *count, "CI_NODE_INDEX");
}

Result<Shard> from_slurm(const Engine& engine) {
  const auto id = engine.value("SLURM_ARRAY_TASK_ID");
  if (!id) return tl::make_unexpected(id.error());
  const auto first = engine.value("SLURM_ARRAY_TASK_MIN");
  if (!first) return tl::make_unexpected(first.error());
  const auto count = engine.value("SLURM_ARRAY_TASK_COUNT");
  if (!count) return tl::make_unexpected(count.error());
  const auto step = engine.value("SLURM_ARRAY_TASK_STEP", 1);
  if (!step) return tl::make_unexpected(step.error());
  if (*step == 0 || *id < *first || (*id - *first) % *step != 0) {
    return failure(ErrorKind::bad_input, fmt::format("SLURM_ARRAY_TASK_ID {} is not in an array from {} by {}: use "
                                                     "--array=FIRST-LAST or FIRST-LAST:STEP",
                                                     *id, *first, *step));
  }
  return checked((*id - *first) / *step + 1, *count, "SLURM_ARRAY_TASK_ID");
}

Result<Shard> from_kubernetes(const Engine& engine, std::optional<std::size_t> total) {
  const auto index = engine.value("JOB_COMPLETION_INDEX");
  if (!index) return tl::make_unexpected(index.error());
  if (!total) {
    return failure(
        ErrorKind::bad_input,
        "JOB_COMPLETION_INDEX does not say of how many: write --shard auto/N with the completions of the job");
  }
  return checked(*index + 1, *total, "JOB_COMPLETION_INDEX");
}

Result<Shard> from_environment(const Environment& environment, std::optional<std::size_t> total) {
  const std::vector<Engine> engines{
      {environment, "CI_NODE_INDEX"}, {environment, "SLURM_ARRAY_TASK_ID"}, {environment, "JOB_COMPLETION_INDEX"}};
  const Engine* found = nullptr;
  for (const Engine& engine : engines) {
    if (!engine.present()) continue;
    if (found != nullptr) {
      return failure(ErrorKind::bad_input, fmt::format("both {} and {} are set: say which shard with --shard I/N",
                                                       found->variable(), engine.variable()));
    }
    found = &engine;
  }
  if (found == nullptr) {
    return failure(ErrorKind::bad_input,
                   "--shard auto needs CI_NODE_INDEX, SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX; none is set");
  }
  auto shard = found == &engines[0]   ? from_gitlab(*found)
               : found == &engines[1] ? from_slurm(*found)
                                      : from_kubernetes(*found, total);
  if (shard && total && shard->count != *total) {
    return failure(ErrorKind::bad_input, fmt::format("--shard auto/{} in a job of {} shards", *total, shard->count));
  }
  return shard;
}

}  // namespace

Result<Shard> read_shard(const std::string& text, const Environment& environment) {
  const std::size_t slash = text.find('/');
  const std::string first = text.substr(0, slash);
  std::optional<std::size_t> total;
  if (slash != std::string::npos) {
    total = number(std::string_view(text).substr(slash + 1));
    if (!total || *total == 0) return failure(ErrorKind::bad_input, "'" + text + "' is no shard: 2/5 and auto are");
  }
  if (first == "auto") return from_environment(environment, total);
  const auto index = number(first);
  if (!index || !total) return failure(ErrorKind::bad_input, "'" + text + "' is no shard: 2/5 and auto are");
  return checked(*index, *total, "--shard " + text);
}

}  // namespace tenet::gate
