// What an event costs the thread that makes it, beside an asynchronous spdlog call and an empty loop.
#include <benchmark/benchmark.h>
#include <spdlog/async.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "tenet/monitor/hook.h"
#include "tenet/monitor/monitor.h"

namespace {

using namespace tenet::monitor;

/// Rules that take everything and conclude nothing: the producer is measured.
class NoRules final : public Rules {
 public:
  const std::string& protocol() const override { return name_; }
  const std::string& stamp() const override { return name_; }
  const std::vector<RuleInfo>& rules() const override { return rules_; }
  bool knows(HostId) const override { return true; }
  std::string name(HostId) const override { return "host"; }
  bool on_event(const Event&, Sink&) override { return true; }
  void on_gap(HostId, Sink&) override {}
  void on_restart(HostId, bool, Sink&) override {}
  void limit_memory(std::size_t) override {}
  std::size_t memory() const override { return 0; }
  std::string describe(const Event&, const Rendering&) const override { return {}; }
  std::string trace_header() const override { return "{}"; }
  std::string trace_line(const Event&) const override { return {}; }

 private:
  std::string name_ = "bench";
  std::vector<RuleInfo> rules_;
};

std::unique_ptr<Monitor> start(std::uint32_t one_in, std::size_t ring_bytes) {
  Options options;
  options.file = "/dev/shm/tenet-bench-" + std::to_string(::getpid()) + "-" + std::to_string(ring_bytes);
  options.ring_bytes = ring_bytes;
  options.rings = 2;
  options.sample_one_in = one_in;
  options.inline_mode = true;
  std::string error;
  auto monitor = Monitor::start(options, std::make_unique<NoRules>(), error);
  ::unlink(options.file.c_str());
  return monitor;
}

void push(benchmark::State& state, int payload_words, std::uint32_t one_in, int events, std::size_t ring_bytes) {
  auto monitor = start(one_in, ring_bytes);
  tenet_monitor_v1_host* host = tenet_monitor_v1_begin_host(0, 0);
  std::uint64_t value = 0;
  std::uint64_t made = 0;
  const std::uint64_t room = ring_bytes / 8 / static_cast<std::uint64_t>(4 + payload_words) / 2;
  for (auto _ : state) {
    for (int e = 0; e < events; ++e) {
      Writer out(host, 16, 3);
      if (out) {
        for (int i = 0; i < payload_words; ++i) out.push(++value);
      }
      out.commit();
    }
    made += static_cast<std::uint64_t>(events);
    if (made > room) {  // the ring is emptied outside the measurement: nothing is dropped
      state.PauseTiming();
      monitor->poll();
      made = 0;
      state.ResumeTiming();
    }
  }
  monitor->flush();
  state.counters["dropped"] = static_cast<double>(monitor->summary().dropped);
}

constexpr std::size_t kRing = 256u << 10;  // the default

void empty_loop(benchmark::State& state) {
  std::uint64_t value = 0;
  for (auto _ : state) benchmark::DoNotOptimize(++value);
}
void push_32_bytes(benchmark::State& state) { push(state, 0, 1, 1, kRing); }
void push_32_bytes_and_32_of_payload(benchmark::State& state) { push(state, 4, 1, 1, kRing); }
void push_32_bytes_and_128_of_payload(benchmark::State& state) { push(state, 16, 1, 1, kRing); }
void two_stamps(benchmark::State& state) { push(state, 0, 1, 2, kRing); }
void not_sampled(benchmark::State& state) { push(state, 0, 1u << 30, 1, kRing); }
void full_ring(benchmark::State& state) {
  auto monitor = start(1, 8192);
  tenet_monitor_v1_host* host = tenet_monitor_v1_begin_host(0, 0);
  for (auto _ : state) Writer(host, 16, 3).commit();
}
void no_monitor(benchmark::State& state) {
  tenet_monitor_v1_host* host = nullptr;
  for (auto _ : state) {
    benchmark::DoNotOptimize(host);
    Writer(host, 16, 3).commit();
  }
}
void hash_bytes(benchmark::State& state) {
  const std::string text(static_cast<std::size_t>(state.range(0)), 'x');
  for (auto _ : state) {
    const char* at = text.data();
    benchmark::DoNotOptimize(at);
    benchmark::DoNotOptimize(tenet_monitor_v1_hash(at, text.size()));
  }
}
void spdlog_async(benchmark::State& state) {
  spdlog::init_thread_pool(1u << 20, 1);
  auto logger =
      std::make_shared<spdlog::async_logger>("bench", std::make_shared<spdlog::sinks::null_sink_mt>(),
                                             spdlog::thread_pool(), spdlog::async_overflow_policy::overrun_oldest);
  std::uint64_t value = 0;
  for (auto _ : state) logger->info("step {} of {} at {}", ++value, 3, 7);
  spdlog::shutdown();
}

BENCHMARK(empty_loop);
BENCHMARK(push_32_bytes);
BENCHMARK(push_32_bytes_and_32_of_payload);
BENCHMARK(push_32_bytes_and_128_of_payload);
BENCHMARK(two_stamps);
BENCHMARK(not_sampled);
BENCHMARK(full_ring);
BENCHMARK(no_monitor);
BENCHMARK(hash_bytes)->Arg(16)->Arg(100)->Arg(1024);
BENCHMARK(spdlog_async);

}  // namespace

BENCHMARK_MAIN();
