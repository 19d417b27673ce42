#include "tenet/monitor/monitor.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

#include "ring_file.h"
#include "toy.h"

namespace {

using tenet::monitor::Monitor;
using tenet::monitor::Options;
using tenet::monitor::Summary;
using testing::ElementsAre;
using testing::HasSubstr;

struct Started {
  toy::Rules* rules = nullptr;
  std::unique_ptr<Monitor> monitor;
  std::string error;
};

Started start(const Options& options) {
  Started started;
  auto rules = std::make_unique<toy::Rules>();
  started.rules = rules.get();
  started.monitor = Monitor::start(options, std::move(rules), started.error);
  return started;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Options inline_options(const toy::Folder& folder) {
  Options options;
  options.file = folder / "rings";
  options.inline_mode = true;
  return options;
}

/// One host that was seen once, before it has done anything.
class HostUnderWatch : public testing::Test {
 protected:
  void watch() {
    Started started = start(options);
    if (started.monitor == nullptr) throw std::runtime_error(started.error);
    rules = started.rules;
    monitor = std::move(started.monitor);
    host.emplace(0);  // begins to tell once somebody listens
    host->snapshot(0, 0);
  }

  const toy::Folder folder;
  Options options = inline_options(folder);
  toy::Rules* rules = nullptr;
  std::unique_ptr<Monitor> monitor;
  std::optional<toy::Host> host;
};

TEST_F(HostUnderWatch, ChecksEventsInlineAndPasses) {
  watch();
  for (std::uint64_t i = 1; i <= 100; ++i) host->step(0, i);
  monitor->poll();
  const Summary summary = monitor->summary();
  EXPECT_EQ(summary.events, 102u);
  EXPECT_EQ(summary.rules[0].passed, 100u);
  EXPECT_EQ(summary.gaps, 0u);
  EXPECT_EQ(summary.exit_status(), 0);
}

TEST(Monitor, SaysWhatIsWrongOnceWithTheEventsBeforeIt) {
  const toy::Folder folder;
  Options options = inline_options(folder);
  options.findings = folder / "findings.jsonl";
  options.reveal = true;
  auto [rules, monitor, error] = start(options);
  toy::Host host(2);
  host.snapshot(7, 0);
  host.step(7, 1);
  host.step(7, 1);  // lost update
  monitor->poll();
  EXPECT_EQ(monitor->summary().rules[0].violated, 1u);
  EXPECT_EQ(monitor->summary().exit_status(), 1);
  const auto finding = nlohmann::json::parse(text_of(options.findings));
  EXPECT_EQ(finding["rule"], "Counter.step");
  EXPECT_EQ(finding["host"], "Counter#3");
  EXPECT_EQ(finding["key"], 7);
  EXPECT_EQ(finding["detail"], "1 was followed by 1");
  EXPECT_EQ(finding["stamp"], "toy-1");
  ASSERT_EQ(finding["events"].size(), 3u);
  EXPECT_EQ(finding["events"][2]["event"], "step to 1");
}

TEST_F(HostUnderWatch, RepeatedFindingsAreWrittenOnceAndManyArePaced) {
  options.findings_per_minute = 5;
  watch();
  for (int i = 0; i < 50; ++i) host->step(0, 0);  // always the same
  monitor->poll();
  EXPECT_EQ(monitor->findings().size(), 1u);
  for (std::uint64_t i = 1; i <= 50; ++i) host->step(0, i * 10);  // always another
  monitor->poll();
  EXPECT_EQ(monitor->findings().size(), 5u) << "a minute border may add a few, but never fifty";
  const Summary summary = monitor->summary();
  EXPECT_EQ(summary.rules[0].violated, 100u);
  EXPECT_EQ(summary.rules[0].suppressed + summary.findings, 100u);
}

TEST_F(HostUnderWatch, RulesAreSilencedWithReasonAndSwitchedOff) {
  watch();
  EXPECT_FALSE(monitor->silence_rule("no such rule", "because", 60));
  ASSERT_TRUE(monitor->silence_rule("Counter.step", "known fault, repaired next week", 3600));
  host->step(0, 5);
  monitor->poll();
  EXPECT_TRUE(monitor->findings().empty());
  EXPECT_EQ(monitor->summary().rules[0].violated, 1u) << "silenced is still counted";
  EXPECT_EQ(monitor->rules()[0].silenced_because, "known fault, repaired next week");
  ASSERT_TRUE(monitor->silence_rule("Counter.step", "over", 0));
  ASSERT_TRUE(monitor->switch_rule("Counter.step", false));
  host->step(0, 50);
  monitor->poll();
  EXPECT_EQ(monitor->summary().rules[0].violated, 1u) << "off is not even counted";
  ASSERT_TRUE(monitor->switch_rule("Counter.step", true));
  host->step(0, 500);
  monitor->poll();
  EXPECT_EQ(monitor->findings().size(), 1u);
}

TEST(Monitor, AnOperatorSwitchesByFile) {
  const toy::Folder folder;
  Options options = inline_options(folder);
  options.control = folder / "control";
  std::ofstream(options.control) << "# quiet until the repair\nsilence Counter.step 2999-01-01 known fault\n";
  auto [rules, monitor, error] = start(options);
  EXPECT_EQ(monitor->rules()[0].silenced_because, "known fault");
  EXPECT_EQ(monitor->rules()[0].silenced_until, 32472144000u);
}

TEST(Monitor, SaysWhatItDoesNotUnderstandOfTheControlFile) {
  const toy::Folder folder;
  Options options = inline_options(folder);
  options.control = folder / "control";
  std::ofstream(options.control)
      << "off Counter.stop\nquiet Counter.step\nsilence Counter.step soon\noff Counter.step\n";
  auto [rules, monitor, error] = start(options);
  EXPECT_FALSE(monitor->rules()[0].on) << "what is an order holds";
  EXPECT_THAT(monitor->summary().control_problems,
              ElementsAre("line 1: there is no rule 'Counter.stop'", "line 2: 'quiet' is neither off nor silence",
                          "line 3: silencing a rule takes an end (2026-12-31) and a reason"));
  EXPECT_THAT(
      to_text(monitor->summary()),
      HasSubstr("3 orders not understood; control file: line 1: there is no rule 'Counter.stop'; control file:"));
  EXPECT_THAT(monitor->metrics(), HasSubstr("tenet_monitor_control_problems{protocol=\"toy\""));
}

TEST_F(HostUnderWatch, TheGlobalSwitchLeavesAGapAndNoAlarm) {
  watch();
  host->step(0, 1);
  monitor->enable(false);
  host->step(0, 2);
  host->step(0, 3);
  monitor->enable(true);
  host->step(0, 4);
  host->step(0, 5);
  monitor->flush();
  const Summary summary = monitor->summary();
  EXPECT_EQ(summary.rules[0].violated, 0u);
  EXPECT_EQ(summary.rules[0].unknown, 1u);
  EXPECT_EQ(summary.rules[0].passed, 2u);
  EXPECT_EQ(summary.gaps, 1u);
}

TEST_F(HostUnderWatch, OverflowIsCountedAndNeverAnAlarm) {
  options.ring_bytes = 8192;
  watch();
  std::mt19937 random(1);
  std::uint64_t steps = 0;
  for (int round = 0; round < 50; ++round) {
    const auto burst = random() % 1000;
    for (std::uint64_t i = 0; i < burst; ++i) host->step(0, ++steps);
    monitor->poll();
  }
  monitor->flush();
  const Summary summary = monitor->summary();
  EXPECT_GT(summary.dropped, 0u);
  EXPECT_EQ(summary.dropped + summary.events, steps + 2);
  EXPECT_GT(summary.gaps, 0u);
  EXPECT_GT(summary.rules[0].passed, 0u);
  EXPECT_EQ(summary.rules[0].violated, 0u);
}

TEST_F(HostUnderWatch, ManyThreadsOnOneHostUnderItsLock) {
  options.inline_mode = false;
  options.poll_us = 100;
  watch();
  std::mutex lock;
  std::uint64_t counter = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        const std::scoped_lock guard(lock);
        host->step(0, ++counter);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  ASSERT_TRUE(monitor->flush());
  const Summary summary = monitor->summary();
  EXPECT_EQ(summary.rules[0].violated, 0u);
  EXPECT_EQ(summary.events + summary.dropped, 8002u);
  if (summary.dropped == 0 && summary.late == 0) {
    EXPECT_EQ(summary.rules[0].passed, 8000u);
  }
}

TEST_F(HostUnderWatch, WithoutAFreeRingEventsAreCountedAndTheServiceGoesOn) {
  options.rings = 1;
  watch();
  std::thread([&] { host->step(0, 1); }).join();
  host->step(0, 2);
  host->step(0, 3);
  monitor->flush();
  EXPECT_EQ(monitor->summary().dropped, 1u);
  EXPECT_EQ(monitor->summary().rules[0].violated, 0u);
  EXPECT_EQ(monitor->summary().rules[0].passed, 1u);
}

TEST_F(HostUnderWatch, RingsOfFinishedThreadsAreUsedAgain) {
  options.rings = 2;
  watch();
  for (std::uint64_t i = 1; i <= 20; ++i) {
    std::thread([&] { host->step(0, i); }).join();
    monitor->poll();
  }
  EXPECT_EQ(monitor->summary().dropped, 0u);
  EXPECT_EQ(monitor->summary().rules[0].passed, 20u);
}

TEST(Monitor, SamplingTakesWholeKeys) {
  const toy::Folder folder;
  Options options = inline_options(folder);
  options.sample_one_in = 4;
  options.ring_bytes = 4u << 20;
  auto [rules, monitor, error] = start(options);
  toy::Host host(0);
  constexpr std::uint64_t kKeys = 400;
  for (std::uint64_t key = 1; key <= kKeys; ++key) host.snapshot(key, 0);
  for (std::uint64_t i = 1; i <= 10; ++i) {
    for (std::uint64_t key = 1; key <= kKeys; ++key) host.step(key, i);
  }
  monitor->flush();
  const Summary summary = monitor->summary();
  EXPECT_EQ(summary.rules[0].violated, 0u);
  EXPECT_EQ(summary.rules[0].unknown, 0u) << "a sampled key has all its events";
  EXPECT_EQ(summary.rules[0].passed % 10, 0u);
  EXPECT_GT(summary.rules[0].passed, 10 * kKeys / 8);
  EXPECT_LT(summary.rules[0].passed, 10 * kKeys / 2);
  EXPECT_EQ(summary.gaps, 0u);
}

TEST(Monitor, UnknownHostsAndForeignEventsAreCounted) {
  const toy::Folder folder;
  auto [rules, monitor, error] = start(inline_options(folder));
  toy::Host stranger(99);
  stranger.step(0, 1);
  toy::Host host(0);
  host.snapshot(0, 0);
  tenet::monitor::Writer odd(tenet_monitor_v1_begin_host(0, 1), 99, 0);
  odd.commit();
  host.step(0, 1);
  monitor->flush();
  const Summary summary = monitor->summary();
  EXPECT_EQ(summary.unknown_hosts, 2u);
  EXPECT_EQ(summary.malformed, 1u);
  EXPECT_EQ(summary.rules[0].passed, 1u);
}

TEST_F(HostUnderWatch, ACrashedCheckerIsSaidAndTheServiceGoesOn) {
  options.inline_mode = false;
  options.ring_bytes = 8192;
  options.metrics = folder / "metrics";
  watch();
  rules->crash_at = 3;
  for (std::uint64_t i = 1; i <= 3; ++i) host->step(0, i);
  EXPECT_FALSE(monitor->flush(5000));
  for (std::uint64_t i = 4; i <= 100000; ++i) host->step(0, i);  // nobody takes them any more
  const Summary summary = monitor->summary();
  EXPECT_TRUE(summary.crashed);
  EXPECT_EQ(summary.crash, "a rule failed");
  EXPECT_GT(summary.dropped, 90000u);
  EXPECT_EQ(summary.rules[0].violated, 0u);
  EXPECT_EQ(summary.exit_status(), 2);
  monitor->stop();
  EXPECT_THAT(text_of(options.metrics), HasSubstr("tenet_monitor_up{protocol=\"toy\"} 0"));
}

TEST_F(HostUnderWatch, AFullDiskLosesFindingsAndNothingElse) {
  options.findings = "/dev/full";
  options.record = "/dev/full";
  watch();
  host->step(0, 5);
  monitor->poll();
  const Summary summary = monitor->summary();
  EXPECT_EQ(summary.findings, 0u);
  EXPECT_EQ(summary.findings_lost, 1u);
  EXPECT_EQ(summary.records_lost, 3u);
  EXPECT_EQ(monitor->findings().size(), 1u) << "still there to be asked for";
}

TEST(Monitor, WithoutRoomForRingsEventsLiveInMemory) {
  const toy::Folder folder;
  Options options = inline_options(folder);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{4096, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  auto [rules, monitor, error] = start(options);
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_NE(monitor, nullptr);
  EXPECT_TRUE(monitor->summary().memory_fallback);
  toy::Host host(0);
  host.snapshot(0, 0);
  host.step(0, 1);
  monitor->poll();
  EXPECT_EQ(monitor->summary().rules[0].passed, 1u);
}

TEST(Monitor, NothingCheckedIsStatusTwo) {
  const toy::Folder folder;
  auto [rules, monitor, error] = start(inline_options(folder));
  EXPECT_EQ(monitor->summary().exit_status(), 2);
  toy::Host host(0);
  host.step(0, 1);  // never seeded: unknown
  monitor->flush();
  EXPECT_EQ(monitor->summary().rules[0].unknown, 1u);
  EXPECT_EQ(monitor->summary().exit_status(), 2);
}

TEST_F(HostUnderWatch, MetricsAreInPrometheusFormat) {
  watch();
  host->step(0, 1);
  monitor->poll();
  const std::string text = monitor->metrics();
  EXPECT_THAT(text, HasSubstr("# TYPE tenet_monitor_events_total counter\n"));
  EXPECT_THAT(text, HasSubstr("tenet_monitor_events_total{protocol=\"toy\"} 3\n"));
  EXPECT_THAT(text,
              HasSubstr("tenet_monitor_rule_total{protocol=\"toy\",rule=\"Counter.step\",verdict=\"passed\"} 1\n"));
}

TEST_F(HostUnderWatch, MetricsSayWhetherTheCheckerIsUp) {
  options.metrics = folder / "metrics";
  watch();
  EXPECT_THAT(monitor->metrics(), HasSubstr("tenet_monitor_up{protocol=\"toy\"} 1\n"));
  monitor->stop();
  EXPECT_THAT(monitor->metrics(), HasSubstr("tenet_monitor_up{protocol=\"toy\"} 0\n"));
  EXPECT_THAT(text_of(options.metrics), HasSubstr("tenet_monitor_up{protocol=\"toy\"} 0\n"));
}

TEST(Monitor, StartsAgainInTheSameProcessAndFile) {
  const toy::Folder folder;
  for (int round = 0; round < 3; ++round) {
    auto [rules, monitor, error] = start(inline_options(folder));
    ASSERT_NE(monitor, nullptr) << error;
    auto second = start(inline_options(folder));
    toy::Host host(0);
    host.snapshot(0, 0);
    host.step(0, 1);
    monitor->flush();
    EXPECT_EQ(monitor->summary().rules[0].passed, 1u);
    EXPECT_EQ(monitor->summary().rules[0].violated, 0u);
    monitor->stop();
  }
}

TEST(Monitor, AnotherVersionOfTheSpecificationIsNotRead) {
  const toy::Folder folder;
  Options options = inline_options(folder);
  {
    auto [rules, monitor, error] = start(options);
    toy::Host(0).snapshot(0, 0);
  }
  std::fstream file(options.file, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(24);
  file << "toy-0";
  file.close();
  Options watching;
  watching.watch = {options.file};
  watching.inline_mode = true;
  auto [rules, monitor, error] = start(watching);
  ASSERT_NE(monitor, nullptr) << error;
  EXPECT_EQ(monitor->summary().foreign_files, 1u);
  EXPECT_EQ(monitor->summary().exit_status(), 2);
}

// A process that counts, is killed, and counts on from where it was. Its events outlive it.
void run_and_kill(const std::string& rings, std::uint64_t& counter, unsigned seed) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    Options options;
    options.file = rings;
    options.inline_mode = true;
    options.ring_bytes = 1u << 20;
    std::string error;
    auto monitor = Monitor::start(options, std::make_unique<toy::Rules>(), error);
    toy::Host host(0);
    std::uint64_t mine = counter;
    host.snapshot(0, mine);
    for (;;) {
      ++mine;
      if (write(pipe_ends[1], &mine, sizeof mine) != sizeof mine) _exit(1);  // "durable" before it is said
      host.step(0, mine);
    }
  }
  close(pipe_ends[1]);
  std::mt19937 random(seed);
  const auto steps = 1 + random() % 300;
  for (std::uint64_t i = 0; i < steps; ++i) ASSERT_EQ(read(pipe_ends[0], &counter, sizeof counter), ssize_t{8});
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  std::uint64_t more = 0;
  while (read(pipe_ends[0], &more, sizeof more) == ssize_t{8}) counter = more;
  close(pipe_ends[0]);
}

TEST(Monitor, KilledAtRandomNeverAlarms) {
  const toy::Folder folder;
  std::uint64_t counter = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    run_and_kill(folder / "rings", counter, seed);
    ASSERT_FALSE(HasFatalFailure());
  }
  Options options;
  options.watch = {folder / "rings"};
  options.inline_mode = true;
  auto [rules, monitor, error] = start(options);
  ASSERT_NE(monitor, nullptr) << error;
  monitor->flush();
  const Summary summary = monitor->summary();
  EXPECT_GT(summary.events, 0u) << "events outlive the process that was killed";
  EXPECT_EQ(summary.rules[0].violated, 0u);
  EXPECT_GT(summary.rules[0].passed, 0u);
}

// What a killed process left in one ring, with an error in it, and the next incarnation's events in a ring before it.
TEST(Monitor, WhatAKilledProcessLeftIsCheckedHoweverMuchCameAfterIt) {
  const toy::Folder folder;
  Options options = inline_options(folder);
  options.ring_bytes = 1u << 20;
  const pid_t child = fork();
  if (child == 0) {
    std::string error;
    auto monitor = Monitor::start(options, std::make_unique<toy::Rules>(), error);
    // The first ring belongs to this thread as long as it lives, and the checker finds it empty and free later.
    tenet_monitor_v1_begin_host(0, 7);
    std::thread([] {
      toy::Host host(0);
      host.snapshot(0, 0);
      host.step(0, 5);
    }).join();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  {
    std::fstream file(options.file, std::ios::in | std::ios::out | std::ios::binary);
    constexpr std::streamoff kFirstRing = 4096 + 256 * 64;
    std::uint64_t published = 0;
    file.seekg(kFirstRing);
    file.read(reinterpret_cast<char*>(&published), sizeof published);
    file.seekp(kFirstRing + 64);
    file.write(reinterpret_cast<const char*>(&published), sizeof published);
    const std::uint32_t free = 0;
    file.seekp(kFirstRing + 128);
    file.write(reinterpret_cast<const char*>(&free), sizeof free);
  }
  auto [rules, monitor, error] = start(options);
  ASSERT_NE(monitor, nullptr) << error;
  toy::Host host(0);
  host.snapshot(0, 5);
  for (std::uint64_t counter = 6; counter < 10000; ++counter) host.step(0, counter);
  monitor->poll();
  const Summary summary = monitor->summary();
  EXPECT_EQ(summary.rules[0].violated, 1u);
  EXPECT_EQ(summary.duplicates, 0u);
  EXPECT_EQ(summary.dropped, 0u);
  EXPECT_EQ(summary.exit_status(), 1);
}

TEST(Monitor, AControlFileThatIsNoneIsRefusedAtTheStartAndIgnoredLater) {
  const toy::Folder folder;
  Options options = inline_options(folder);
  options.control = folder / "control";
  std::filesystem::create_directory(options.control);
  EXPECT_THAT(start(options).error, HasSubstr("control: not a regular file"));
  std::filesystem::remove(options.control);
  ASSERT_EQ(mkfifo(options.control.c_str(), 0600), 0);
  EXPECT_THAT(start(options).error, HasSubstr("control: not a regular file"));
  std::filesystem::remove(options.control);
  std::ofstream(options.control) << "off Counter.step\n";
  auto [rules, monitor, error] = start(options);
  ASSERT_NE(monitor, nullptr) << error;
  std::filesystem::remove(options.control);
  std::filesystem::create_directory(options.control);
  monitor->stop();  // reads it once more
  EXPECT_FALSE(monitor->summary().crashed);
  EXPECT_FALSE(monitor->rules()[0].on);
}

TEST_F(HostUnderWatch, APipeForFindingsIsNotWaitedForAndNotDiedOf) {
  options.findings = folder / "findings";
  ASSERT_EQ(mkfifo(options.findings.c_str(), 0600), 0);
  watch();
  host->step(0, 5);
  monitor->poll();
  EXPECT_EQ(monitor->summary().findings_lost, 1u) << "nobody reads";
  monitor->stop();
  const int reader = open(options.findings.c_str(), O_RDONLY | O_NONBLOCK);
  watch();
  close(reader);
  host->step(0, 5);
  monitor->poll();
  EXPECT_EQ(monitor->summary().findings_lost, 1u) << "nobody reads any more";
}

TEST(Monitor, WithoutAThreadToBeHadItDoesNotStartAndLetsGoOfItsFile) {
  const toy::Folder folder;
  Options options = inline_options(folder);
  options.inline_mode = false;
  const pid_t child = fork();
  if (child == 0) {
    // The superuser is not bound by RLIMIT_NPROC, but a thread's stack must fit into the address space.
    pthread_attr_t large;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, std::size_t{1} << 46);
    pthread_setattr_default_np(&large);
    const auto refused = start(options);
    if (refused.monitor != nullptr || refused.error.find("cannot start") == std::string::npos) _exit(1);
    options.inline_mode = true;
    _exit(start(options).monitor != nullptr ? 0 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "it was ended";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Monitor, ALineThatAKilledProcessLeftUnfinishedIsCutOff) {
  const toy::Folder folder;
  Options options = inline_options(folder);
  options.record = folder / "trace";
  options.findings = folder / "findings";
  std::ofstream(options.record) << "{}\n{\"host\":\"Counter#1\",\"seq";
  std::ofstream(options.findings) << "{\"format\":" << std::string(10000, ' ');
  {
    auto [rules, monitor, error] = start(options);
    ASSERT_NE(monitor, nullptr) << error;
  }
  EXPECT_EQ(text_of(options.record), "{}\n{}\n");
  EXPECT_EQ(text_of(options.findings), "");
}

TEST(Monitor, AFileOfSomethingElseIsLeftAsItIs) {
  const toy::Folder folder;
  const Options options = inline_options(folder);
  for (const std::string precious : {"precious data\n", "ab"}) {
    std::ofstream(options.file) << precious;
    auto [rules, monitor, error] = start(options);
    EXPECT_EQ(monitor, nullptr);
    EXPECT_THAT(error, HasSubstr("rings: holds something else than rings"));
    EXPECT_EQ(text_of(options.file), precious);
  }
  std::ofstream(options.file) << std::string(10000, '\0');
  EXPECT_NE(start(options).monitor, nullptr) << "killed while it was made";
}

TEST(Monitor, HostsWithoutASlotAreCounted) {
  const toy::Folder folder;
  auto [rules, monitor, error] = start(inline_options(folder));
  for (std::uint32_t i = 0; i < 258; ++i) EXPECT_EQ(tenet_monitor_v1_begin_host(0, i) != nullptr, i < 256);
  EXPECT_EQ(monitor->summary().dropped, 2u);
}

TEST(Monitor, AnOperatorSwitchesAWatcherOff) {
  const toy::Folder folder;
  Options recording = inline_options(folder);
  recording.record_only = true;
  auto recorder = start(recording);
  Options watching;
  watching.inline_mode = true;
  watching.watch = {recording.file};
  watching.control = folder / "control";
  std::ofstream(watching.control) << "off *\n";
  auto [rules, monitor, error] = start(watching);
  ASSERT_NE(monitor, nullptr) << error;
  toy::Host host(0);
  host.snapshot(0, 0);
  host.step(0, 5);
  monitor->flush();
  EXPECT_EQ(monitor->summary().events, 0u);
  monitor->enable(true);
  host.step(0, 7);
  host.step(0, 8);
  monitor->flush();
  EXPECT_EQ(monitor->summary().rules[0].unknown, 1u) << "what happened meanwhile is a gap";
  EXPECT_EQ(monitor->summary().rules[0].passed, 1u);
  EXPECT_EQ(monitor->summary().rules[0].violated, 0u);
}

TEST(Monitor, AFileHasOneConsumerThatLivesWhateverItsProcessIdSays) {
  const toy::Folder folder;
  const Options options = inline_options(folder);
  Options watching;
  watching.inline_mode = true;
  watching.watch = {options.file};
  int ready[2];
  int end[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(end), 0);
  char word = 0;
  const pid_t child = fork();
  if (child == 0) {
    close(end[1]);  // a parent that gives up is an end, too
    const auto consumer = start(options);
    _exit(write(ready[1], "r", 1) == 1 && read(end[0], &word, 1) == 1 ? 0 : 1);  // without an orderly end
  }
  close(ready[1]);
  ASSERT_EQ(read(ready[0], &word, 1), 1);
  const auto say = [&](pid_t consumer) {
    const auto number = static_cast<std::uint32_t>(consumer);
    std::fstream file(options.file, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(offsetof(tenet::monitor::FileHeader, consumer));
    file.write(reinterpret_cast<const char*>(&number), sizeof number);
  };
  EXPECT_THAT(start(watching).error, HasSubstr("another monitor takes its events"));
  say(getpid());  // as two processes of different containers have the same id
  EXPECT_THAT(start(watching).error, HasSubstr("another monitor takes its events"));
  ASSERT_EQ(write(end[1], "e", 1), 1);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  say(1);  // a process that lives and has nothing to do with it
  const auto watcher = start(watching);
  EXPECT_NE(watcher.monitor, nullptr) << watcher.error;
  EXPECT_THAT(start(watching).error, HasSubstr("another monitor takes its events")) << "in this process";
  for (const int fd : {ready[0], end[0], end[1]}) close(fd);
}

TEST(Monitor, AForkedChildLeavesTheEventsToItsParent) {
  const toy::Folder folder;
  const auto watched = start(inline_options(folder));
  ASSERT_NE(watched.monitor, nullptr) << watched.error;
  const pid_t child = fork();
  if (child == 0) {
    watched.monitor->stop();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  Options watching;
  watching.inline_mode = true;
  watching.watch = {inline_options(folder).file};
  EXPECT_THAT(start(watching).error, HasSubstr("another monitor takes its events"));
}

TEST(Monitor, AFileThatSomebodyRecordsIntoIsRefused) {
  const toy::Folder folder;
  const int fd = open((folder / "rings").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(flock(fd, LOCK_EX | LOCK_NB), 0);
  auto [rules, monitor, error] = start(inline_options(folder));
  EXPECT_EQ(monitor, nullptr);
  EXPECT_THAT(error, HasSubstr("another process records into it"));
  close(fd);
  EXPECT_NE(start(inline_options(folder)).monitor, nullptr);
}

// A service whose replies must not depend on the monitor.
std::string replies(toy::Host& host) {
  std::string out;
  std::uint64_t counter = 0;
  host.snapshot(0, 0);
  for (int i = 0; i < 20000; ++i) {
    ++counter;
    host.step(0, counter);
    out += "counter is " + std::to_string(counter) + "\n";
  }
  return out;
}

TEST(Monitor, RepliesAreTheSameOffOnOverflowingAndCrashed) {
  toy::Host off(0);
  const std::string expected = replies(off);
  for (const bool tiny : {false, true}) {
    for (const std::uint64_t crash : {0u, 10u}) {
      const toy::Folder folder;
      Options options;
      options.file = folder / "rings";
      options.ring_bytes = tiny ? 8192 : 8u << 20;
      auto [rules, monitor, error] = start(options);
      rules->crash_at = crash;
      toy::Host host(0);
      EXPECT_EQ(replies(host), expected);
      monitor->stop();
    }
  }
}

}  // namespace
