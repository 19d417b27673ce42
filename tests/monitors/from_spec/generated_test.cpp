// The eight protocols, watched by the monitors that are generated from them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "../core/toy.h"
#include "drive.h"
#include "ring_file.h"
#include "tenet/from_spec/generate.h"
#include "tenet/validate/validate.h"

namespace {

using drive::Subject;
using drive::Told;
using drive::Trouble;
using tenet::monitor::Monitor;
using tenet::monitor::Options;
using tenet::monitor::RuleState;
using tenet::monitor::Summary;

class Watched {
 public:
  Watched(const std::string& protocol, const Subject& subject, const tenet::ir::Start& start, Options options = {}) {
    options.file = folder / "rings";
    options.inline_mode = true;
    options.reveal = true;
    std::string error;
    monitor = Monitor::start(options, drive::rules(protocol, subject, start), error);
    EXPECT_NE(monitor, nullptr) << error;
  }
  /// Names of violated rules and the first findings, for messages.
  std::string alarms() const {
    std::string out;
    for (const RuleState& rule : monitor->rules()) {
      if (rule.count.violated > 0) out += rule.info.name + " ";
    }
    for (const std::string& finding : monitor->findings()) {
      out += "\n" + finding;
      if (out.size() > 3000) break;
    }
    return out;
  }
  toy::Folder folder;
  std::unique_ptr<Monitor> monitor;
};

constexpr int kSeeds = 12;
constexpr int kSteps = 60;

class Protocols : public testing::TestWithParam<std::string> {
 protected:
  Subject subject_ = drive::load(GetParam() + "/" + GetParam() + ".tenet");
  const tenet::ir::Start& start(unsigned seed) const { return subject_.starts[seed % subject_.starts.size()]; }

  /// Correct runs with this trouble: there must be no alarm. Returns what was counted, summed up.
  Summary no_alarm(const Trouble& trouble, const Options& options = {}, int keys = 1) {
    Summary total;
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      std::mt19937 random(seed);
      Watched watched(GetParam(), subject_, start(seed), options);
      std::vector<std::unique_ptr<Told>> runs;
      for (int key = 0; key < keys; ++key) {
        const auto number = keys == 1 ? 0 : static_cast<std::uint64_t>(key) + 1;
        runs.push_back(std::make_unique<Told>(subject_, subject_, start(seed), number,
                                              runs.empty() ? nullptr : runs.front().get()));
      }
      for (auto& run : runs) run->begin();
      for (int i = 0; i < kSteps * keys; ++i) {
        if (!runs[random() % runs.size()]->step(random, trouble, *watched.monitor)) continue;
        if (random() % 8 == 0) watched.monitor->poll();
      }
      watched.monitor->flush();
      const Summary summary = watched.monitor->summary();
      for (const auto& rule : summary.rules) EXPECT_EQ(rule.violated, 0u);
      EXPECT_EQ(watched.alarms(), "") << "seed " << seed;
      EXPECT_EQ(summary.malformed, 0u);
      total.events += summary.events;
      total.dropped += summary.dropped;
      total.gaps += summary.gaps;
      total.rules.resize(summary.rules.size());
      for (std::size_t i = 0; i < summary.rules.size(); ++i) {
        total.rules[i].passed += summary.rules[i].passed;
        total.rules[i].unknown += summary.rules[i].unknown;
      }
      if (testing::Test::HasFailure()) break;
    }
    return total;
  }
};

TEST_P(Protocols, CorrectRunsPassEveryRuleThatIsTriggered) {
  const Summary total = no_alarm({});
  const auto infos = drive::rules(GetParam(), subject_, start(0))->rules();
  std::uint64_t passed = 0;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    // Properties over all hosts are unknown until all have begun.
    const bool over_all = infos[i].kind == "safety" || infos[i].kind == "transition" || infos[i].kind == "axiom" ||
                          infos[i].kind == "local invariant";
    if (!over_all) {
      EXPECT_EQ(total.rules[i].unknown, 0u) << "nothing was lost: " << infos[i].name;
    }
    if (total.rules[i].passed > 0) ++passed;
  }
  EXPECT_GE(passed, total.rules.size() * 2 / 3);
}

TEST_P(Protocols, UnnamedMessagesNeverAlarm) { no_alarm({.unnamed = 50}); }
TEST_P(Protocols, LossNeverAlarms) {
  const Summary total = no_alarm({.unnamed = 10, .muted = 10});
  EXPECT_GT(total.gaps, 0u);
}
TEST_P(Protocols, RestartsNeverAlarm) { no_alarm({.muted = 3, .killed = 15, .silent = 5}); }
TEST_P(Protocols, FullRingsNeverAlarm) {
  Options options;
  options.ring_bytes = 8192;
  no_alarm({}, options, 6);
}
TEST_P(Protocols, SampledKeysNeverAlarmAndAreWhole) {
  Options options;
  options.sample_one_in = 2;
  const Summary total = no_alarm({}, options, 5);
  EXPECT_GT(total.events, 0u);
}
TEST_P(Protocols, LittleMemoryNeverAlarms) {
  Options options;
  options.memory_bytes = 20000;
  no_alarm({.muted = 2}, options, 8);
}

enum class Clock { as_it_is, backwards, huge, equal };

/// Sets the time stamps of all events that wait in a ring file, and those of its making.
void set_clock(const std::string& path, const std::string& stamp, Clock clock) {
  const auto opened = tenet::monitor::RingFile::open_to_watch(path, stamp);
  ASSERT_NE(opened.file, nullptr) << opened.error;
  tenet::monitor::RingFile& file = *opened.file;
  std::uint64_t time = std::uint64_t{1} << 62;
  const auto next = [&] {
    return clock == Clock::backwards ? --time : clock == Clock::huge ? ~std::uint64_t{0} - (time++ & 3) : 0;
  };
  if (clock == Clock::as_it_is) return;
  file.header().clock_ticks = next();
  file.header().clock_ns = next();
  for (std::size_t i = 0; i < file.rings(); ++i) {
    const std::uint64_t mask = file.ring_words() - 1;
    std::uint64_t* const words = file.words(i);
    for (std::uint64_t at = file.ring(i).head; at != file.ring(i).tail; at += (words[at & mask] >> 16) & 0xffff) {
      words[(at + 3) & mask] = next();
    }
  }
}

/// All that was counted, found and recorded of one run with this clock; without the time of day of the findings.
std::string all_that_is_said(const std::string& protocol, const Subject& subject, unsigned seed, const Trouble& trouble,
                             Clock clock) {
  std::mt19937 random(seed);
  const tenet::ir::Start& start = subject.starts[seed % subject.starts.size()];
  const toy::Folder folder;
  Options options;
  options.record = folder / "trace.jsonl";
  options.findings_per_minute = 1'000'000;
  const Watched watched(protocol, subject, start, options);
  Told run(subject, subject, start, 0);
  run.begin();
  for (int i = 0; i < kSteps && run.step(random, trouble, *watched.monitor); ++i) continue;
  set_clock(watched.folder / "rings", tenet::from_spec::stamp(subject.protocol), clock);
  watched.monitor->stop();
  std::string out = to_text(watched.monitor->summary());
  for (const RuleState& rule : watched.monitor->rules()) {
    out += "\n" + rule.info.name;
    for (const std::uint64_t n : {rule.count.passed, rule.count.violated, rule.count.unknown}) {
      out += " " + std::to_string(n);
    }
  }
  for (std::string finding : watched.monitor->findings()) {
    const std::size_t time = finding.find("\"time\":");
    out += "\n" + finding.erase(time, finding.find(',', time) - time);
  }
  std::ifstream trace(options.record);
  return out + "\n" + std::string((std::istreambuf_iterator<char>(trace)), std::istreambuf_iterator<char>());
}

TEST_P(Protocols, ClocksDecideNothing) {
  for (const Trouble& trouble : {Trouble{}, Trouble{.unnamed = 10, .muted = 3, .killed = 5, .swapped = 20}}) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      const auto said = [&](Clock clock) { return all_that_is_said(GetParam(), subject_, seed, trouble, clock); };
      const std::string expected = said(Clock::as_it_is);
      for (const Clock clock : {Clock::backwards, Clock::huge, Clock::equal}) {
        ASSERT_EQ(said(clock), expected) << "seed " << seed << ", clock " << static_cast<int>(clock);
      }
    }
  }
}

// What a monitor records, the validator explains; also with loss and restarts, as far as they let it.
TEST_P(Protocols, RecordedTracesAreExplained) {
  for (const Trouble& trouble :
       {Trouble{}, Trouble{.unnamed = 20}, Trouble{.killed = 5}, Trouble{.muted = 2, .killed = 5}}) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      std::mt19937 random(seed);
      const toy::Folder folder;
      Options options;
      options.record = folder / "trace.jsonl";
      {
        Watched watched(GetParam(), subject_, start(seed), options);
        Told run(subject_, subject_, start(seed), 0);
        run.begin();
        for (int i = 0; i < kSteps && run.step(random, trouble, *watched.monitor); ++i) continue;
        watched.monitor->stop();
      }
      tenet::validate::Options how;
      how.stamp = tenet::from_spec::stamp(subject_.protocol);
      how.bound = 200;
      const auto report = tenet::validate::validate(subject_.protocol, {options.record}, how);
      ASSERT_TRUE(report.has_value()) << report.error().message;
      if (trouble.muted == 0) {
        EXPECT_EQ(report->answer, tenet::validate::Answer::explained) << to_text(*report);
        EXPECT_EQ(report->explained, report->events);
        EXPECT_EQ(report->searched, 0u) << "nothing is left open, so nothing is searched for";
      } else {
        EXPECT_NE(report->answer, tenet::validate::Answer::not_explained) << to_text(*report);
      }
    }
  }
}

TEST_P(Protocols, TracesOfAnotherVersionAreNotJudged) {
  const toy::Folder folder;
  std::ofstream(folder / "trace.jsonl") << "{\"format\":\"tenet-trace\",\"version\":1,\"stamp\":\"0\"}\n";
  tenet::validate::Options how;
  how.stamp = tenet::from_spec::stamp(subject_.protocol);
  const auto report = tenet::validate::validate(subject_.protocol, {folder / "trace.jsonl"}, how);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(tenet::validate::exit_status(*report), 2);
}

/// A finding ends with the event that is judged, and of a property it has events of every host that a value names.
void expect_evidence(const std::string& line) {
  const auto finding = nlohmann::json::parse(line);
  ASSERT_FALSE(finding["events"].empty()) << line;
  std::set<std::string> hosts;
  for (const auto& event : finding["events"]) hosts.insert(event["host"]);
  for (const char* part : {"host", "incarnation", "sequence"}) {
    EXPECT_EQ(finding["events"].back()[part], finding[part]) << line;
  }
  if (finding["kind"] != "safety") return;
  const std::string detail = finding["detail"];
  for (const char* name : {"a = ", "b = "}) {
    const auto at = detail.find(name);
    if (at == std::string::npos || detail.find('#', at) == std::string::npos) continue;
    const std::string value = detail.substr(at + 4, detail.find(',', at) - at - 4);
    if (value.find('#') != std::string::npos && std::isupper(static_cast<unsigned char>(value[0])) != 0) {
      EXPECT_EQ(hosts.count(value), 1u) << line;
    }
  }
}

// Faults of a service that the specification does not know: found, unless what is told is right by chance.
TEST_P(Protocols, FaultsOfTheServiceAreFound) {
  for (const Trouble& trouble : {Trouble{.swapped = 20}, Trouble{.skipped = 15}}) {
    int faulty = 0;
    int found = 0;
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      std::mt19937 random(seed);
      Watched watched(GetParam(), subject_, start(seed));
      Told run(subject_, subject_, start(seed), 0);
      run.begin();
      for (int i = 0; i < kSteps && run.step(random, trouble, *watched.monitor); ++i) continue;
      watched.monitor->flush();
      for (const std::string& finding : watched.monitor->findings()) expect_evidence(finding);
      if (run.faults() == 0) continue;
      ++faulty;
      if (watched.monitor->summary().exit_status() == 1) ++found;
    }
    // A step that was not told shows only when its host acts again.
    const int least = trouble.swapped > 0 ? 6 : 2;
    EXPECT_GE(found * 10, faulty * least) << "found " << found << " of " << faulty;
  }
}

/// One run of a wrong variant under the monitor of the protocol; the kinds of rules that found it.
std::set<std::string> kinds_that_find(const std::string& protocol, const Subject& right, const Subject& wrong,
                                      unsigned seed) {
  std::mt19937 random(seed);
  const tenet::ir::Start& begin = wrong.starts[seed % wrong.starts.size()];
  Watched watched(protocol, right, begin);
  Told run(wrong, right, begin, 0);
  run.begin();
  for (int i = 0; i < 120 && run.step(random, {}, *watched.monitor); ++i) continue;
  watched.monitor->flush();
  std::set<std::string> kinds;
  for (const RuleState& rule : watched.monitor->rules()) {
    if (rule.count.violated > 0) kinds.insert(rule.info.kind);
  }
  return kinds;
}

// With TENET_LONG set, every variant has 40 runs and a line of a table; otherwise as many as it takes.
TEST_P(Protocols, EveryWrongVariantIsFound) {
  const bool table = std::getenv("TENET_LONG") != nullptr;
  std::vector<Subject> right{subject_, drive::load(GetParam() + "/" + GetParam() + ".tenet", 1)};
  for (const std::string& path : drive::variants(GetParam())) {
    const std::vector<Subject> wrong{drive::load(path), drive::load(path, 1)};
    int found = 0;
    std::map<std::string, int> by_kind;
    for (unsigned seed = 0; seed < 40 && (table || found == 0); ++seed) {
      const std::size_t instance = seed % 2;
      const auto kinds = kinds_that_find(GetParam(), right[instance], wrong[instance], seed / 2);
      found += kinds.empty() ? 0 : 1;
      for (const std::string& kind : kinds) ++by_kind[kind];
    }
    EXPECT_GT(found, 0) << path;
    if (!table) continue;
    std::printf("| %s | %d |", path.c_str(), found);
    for (const char* kind : {"guard", "effect", "conformance", "monotone", "initial", "local invariant", "transition",
                             "safety", "provenance", "axiom"}) {
      std::printf(" %d |", by_kind[kind]);
    }
    std::printf("\n");
  }
}

INSTANTIATE_TEST_SUITE_P(Monitors, Protocols, testing::ValuesIn(drive::protocols()),
                         [](const auto& param) { return param.param; });

}  // namespace
