#include "tenet/training/online.h"

#include <memory>
#include <string>
#include <vector>

#include "tenet/training/check_report.h"
#include "tenet/training/trace_follow.h"

using namespace tenet::training;  // this file is the C face of the room

struct tenet_check {
  explicit tenet_check(InvariantSet set, std::string path)
      : trace(path),
        checker(vocabulary, std::move(set),
                {.keep_series = false,
                 .raw_values = false,
                 .on_violation = [this](const Violation& v) { found.push_back(v); }}),
        follower(std::move(path), vocabulary) {}

  std::string trace;
  std::vector<Violation> found;
  Vocabulary vocabulary;
  Checker checker;
  TraceFollower follower;
  std::string report;
  bool finished = false;
};

namespace {

template <typename Result, typename Body>
Result guarded(Result failure, Body body) noexcept {
  try {
    return body();
  } catch (...) {
    return failure;
  }
}

std::int64_t poll(tenet_check& check) {
  if (!check.finished) check.follower.poll([&](const Record& record) { check.checker.feed(record); });
  return static_cast<std::int64_t>(check.found.size());
}

}  // namespace

tenet_check* tenet_check_open(const char* invariants, const char* trace, const char** error) {
  const char* unused = nullptr;
  const char*& told = error != nullptr ? *error : unused;
  told = "out of memory";
  return guarded<tenet_check*>(nullptr, [&]() -> tenet_check* {
    thread_local std::string message;
    message = "a path is null";
    told = message.c_str();
    if (invariants == nullptr || trace == nullptr) return nullptr;
    auto set = load_invariants(invariants);
    if (!set) {
      message = set.error().message;
      told = message.c_str();
      return nullptr;
    }
    told = "";
    return std::make_unique<tenet_check>(std::move(*set), trace).release();
  });
}

int64_t tenet_check_poll(tenet_check* check) {
  return check == nullptr ? -1 : guarded<std::int64_t>(-1, [&] { return poll(*check); });
}

int64_t tenet_check_violations(const tenet_check* check) {
  return check == nullptr ? 0 : static_cast<std::int64_t>(check->found.size());
}

int64_t tenet_check_judged(const tenet_check* check) {
  return check == nullptr
             ? 0
             : guarded<std::int64_t>(-1, [&] { return static_cast<std::int64_t>(check->checker.so_far().triggered); });
}

const char* tenet_check_message(const tenet_check* check, size_t index) {
  return check == nullptr || index >= check->found.size() ? "" : check->found[index].message.c_str();
}

int64_t tenet_check_step(const tenet_check* check, size_t index) {
  return check == nullptr || index >= check->found.size() ? -1 : check->found[index].step;
}

const char* tenet_check_report(tenet_check* check) {
  if (check == nullptr) return "";
  return guarded<const char*>("", [&] {
    check->report = json_report({{check->trace, check->checker.so_far()}}, check->checker.invariants());
    return check->report.c_str();
  });
}

int64_t tenet_check_finish(tenet_check* check) {
  if (check == nullptr) return -1;
  return guarded<std::int64_t>(-1, [&] {
    (void)poll(*check);
    if (!check->finished) (void)check->checker.finish();
    check->finished = true;
    return static_cast<std::int64_t>(check->found.size());
  });
}

void tenet_check_close(tenet_check* check) { delete check; }
