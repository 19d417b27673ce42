// A small specification to test the core with: every host has a counter that grows by one with each step, and says it.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "scratch_folder.h"
#include "tenet/monitor/hook.h"
#include "tenet/monitor/monitor.h"

namespace toy {

using tenet::monitor::Event;
using tenet::monitor::HostId;
using tenet::monitor::Rendering;
using tenet::monitor::RuleInfo;
using tenet::monitor::Sink;
using tenet::monitor::Verdict;

inline constexpr std::uint16_t kSnapshot = 16;  // words: counter
inline constexpr std::uint16_t kStep = 17;      // words: counter after the step

/// What the service calls.
class Host {
 public:
  explicit Host(std::uint32_t index) : host_(tenet_monitor_v1_begin_host(0, index)) {}
  void snapshot(std::uint64_t key, std::uint64_t counter) { event(kSnapshot, key, counter); }
  void step(std::uint64_t key, std::uint64_t counter) { event(kStep, key, counter); }

 private:
  void event(std::uint16_t type, std::uint64_t key, std::uint64_t counter) {
    tenet::monitor::Writer out(host_, type, key);
    if (out) out.push(counter);
    out.commit();
  }
  tenet_monitor_v1_host* host_;
};

class Rules final : public tenet::monitor::Rules {
 public:
  std::uint64_t crash_at = 0;  ///< fails at the event with this counter

  const std::string& protocol() const override { return protocol_; }
  const std::string& stamp() const override { return stamp_; }
  const std::vector<RuleInfo>& rules() const override { return rules_; }
  bool knows(HostId host) const override { return host.role() == 0 && host.index() < 8; }
  std::string name(HostId host) const override { return "Counter#" + std::to_string(host.index() + 1); }
  bool on_event(const Event& event, Sink& sink) override {
    if (event.words.size() != 1 || event.type > kStep) return false;
    sink.remember(event);
    const std::uint64_t counter = event.words[0];
    if (crash_at != 0 && counter == crash_at) throw std::runtime_error("a rule failed");
    auto& state = states_[{event.host, event.key}];
    if (event.type == kStep) {
      if (!state) {
        sink.verdict(0, Verdict::unknown, event);
      } else if (counter == *state + 1) {
        sink.verdict(0, Verdict::passed, event);
      } else {
        sink.verdict(0, Verdict::violated, event,
                     std::to_string(*state) + " was followed by " + std::to_string(counter));
      }
    }
    state = counter;
    return true;
  }
  void on_gap(HostId host, Sink&) override { forget(host); }
  void on_restart(HostId host, bool, Sink&) override { forget(host); }
  void limit_memory(std::size_t) override {}
  std::size_t memory() const override { return states_.size() * 64; }
  std::string describe(const Event& event, const Rendering& rendering) const override {
    return event.type == kStep && rendering.reveal ? "step to " + std::to_string(event.words[0]) : "step";
  }
  std::string trace_header() const override { return "{}"; }
  std::string trace_line(const Event& event) const override {
    if (event.type == 0) return {};
    return "{\"host\":\"" + name(event.host) + "\",\"sequence\":" + std::to_string(event.sequence) + "}";
  }

 private:
  void forget(HostId host) {
    for (auto& [place, state] : states_) {
      if (place.first == host) state.reset();
    }
  }
  std::string protocol_ = "toy", stamp_ = "toy-1";
  std::vector<RuleInfo> rules_{{"Counter.step", "effect", "counter = counter + 1", {"step", "snapshot"}, true}};
  std::map<std::pair<HostId, std::uint64_t>, std::optional<std::uint64_t>> states_;
};

using Folder = tenet::testing::ScratchFolder;

}  // namespace toy
