#include "tenet/derived/rules.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "in_flight.h"
#include "tenet/derived/shadow.h"
#include "tenet/derived/stamp.h"
#include "wire.h"

namespace tenet::derived {
namespace {

constexpr int kSequenceBits = 40;  // of an event's name, below its incarnation
std::atomic<std::uint64_t> generation{1};

using monitor::Event;
using monitor::HostId;
using monitor::RuleInfo;
using monitor::Sink;

/// An operation from its record; false if the words are none.
bool unpack(const Event& event, const Schema& schema, Operation& operation) {
  const auto& words = event.words;
  if (event.type < kFirstOperation || words.size() < 4) return false;
  operation.op = static_cast<std::uint16_t>(event.type - kFirstOperation);
  if (operation.op >= schema.ops.size()) return false;
  operation.start = words[0];
  operation.end = words[1];
  operation.self = words[2];
  operation.thread = static_cast<std::uint32_t>(words[3] >> 32);
  operation.outcome = static_cast<std::uint8_t>(words[3] >> 16);
  operation.effect = static_cast<std::uint8_t>(words[3] >> 8);
  if (operation.outcome >= schema.outcomes.size() || operation.effect > kPerhapsApplied) return false;
  std::size_t at = 4;
  for (std::size_t left = words[3] & 0xff; left > 0; --left) {
    if (at + 2 > words.size()) return false;
    const std::uint64_t head = words[at];
    FieldValue field;
    field.role = static_cast<std::uint8_t>(head >> 8);
    if (field.role >= schema.roles.size()) return false;
    field.out = (head & 1) != 0;
    field.value.number = (head & 2) != 0;
    field.value.word = words[at + 1];
    at += 2;
    if ((head & 4) != 0) {
      const std::size_t size = head >> 32;
      const std::size_t taken = (size + 7) / 8;
      if (taken > words.size() - at) return false;
      field.value.has_bytes = true;
      field.value.bytes.resize(size);
      if (size > 0) std::memcpy(field.value.bytes.data(), &words[at], size);
      at += taken;
    }
    operation.fields.push_back(std::move(field));
  }
  return at == words.size();
}

void hide(Operation& operation, const monitor::Rendering& rendering) {
  if (rendering.reveal) return;
  for (FieldValue& field : operation.fields) {
    field.value.has_bytes = false;
    if (!field.value.number) field.value.word = (field.value.word ^ rendering.salt) * 0x9e3779b97f4a7c15ULL;
  }
}

class DerivedRules final : public monitor::Rules {
 public:
  DerivedRules(Schema schema, std::vector<Checker> checkers)
      : schema_(std::move(schema)), checkers_(std::move(checkers)), shadow_(schema_) {
    ++generation;
    for (const Checker& checker : checkers_) {
      RuleInfo info;
      info.name = checker.name;
      info.kind = "test";
      info.text = sentence(checker, schema_);
      info.depends.push_back(schema_.ops[checker.op].name);
      for (const std::string& origin : checker.origins) info.text += "; from " + origin;
      infos_.push_back(std::move(info));
    }
  }

  [[nodiscard]] const std::string& protocol() const override { return schema_.system; }
  [[nodiscard]] const std::string& stamp() const override { return schema_.stamp; }
  [[nodiscard]] const std::vector<RuleInfo>& rules() const override { return infos_; }
  [[nodiscard]] bool knows(HostId host) const override { return host.word == 0; }
  [[nodiscard]] std::string name(HostId) const override { return schema_.system; }

  bool on_event(const Event& event, Sink& sink) override {
    sink.remember(event);
    handed_over_ = std::uint64_t{event.incarnation} << kSequenceBits | event.sequence;
    Operation operation;
    if (!unpack(event, schema_, operation)) return false;
    operation.id = ++last_id_;
    if (reads(schema_.ops[operation.op].kind)) {
      Event kept = event;
      kept.words.clear();
      waiting_.emplace(operation.id, std::move(kept));
    }
    shadow_.add(std::move(operation));
    return true;
  }

  void on_gap(HostId, Sink& sink) override {
    (void)sink;
    // Everything until now is unknown from here on: nothing needs to be waited for.
    lost_at_ = ordered_stamp();
    handed_over_ = std::max(handed_over_, tenet_monitor_v1_issued(telling_host()));
  }
  void on_restart(HostId host, bool tail_lost, Sink& sink) override {
    if (tail_lost) on_gap(host, sink);
  }

  void on_settled(Sink& sink) override {
    // What had begun before the mark of the last round has been handed over by now. Nothing waits: no need of a mark,
    // which interrupts every processor of the service.
    if (lost_at_ == 0 && shadow_.waiting() == 0) return;
    look_at_sampling();
    if (lost_at_ != 0) {
      shadow_.lose(0, lost_at_);
      lost_at_ = 0;
    }
    // What had begun before the mark was published when the mark was taken; is it here?
    if (mark_ != 0 && handed_over_ < needed_) return;
    if (mark_ != judged_to_) shadow_.advance(mark_, [&](const Operation& operation) { judge(operation, sink); });
    judged_to_ = mark_;
    mark_ = watermark();
    needed_ = tenet_monitor_v1_issued(telling_host());
  }

  void limit_memory(std::size_t bytes) override { shadow_.limit_memory(bytes); }
  void render_with(const monitor::Rendering& rendering) override { rendering_ = rendering; }
  [[nodiscard]] std::size_t memory() const override { return shadow_.memory(); }

  [[nodiscard]] std::string describe(const Event& event, const monitor::Rendering& rendering) const override {
    Operation operation;
    if (!unpack(event, schema_, operation)) {
      // Of an operation that waited to be judged only this is kept; the finding's detail tells it.
      const std::size_t op = std::size_t{event.type} - kFirstOperation;
      return event.words.empty() && op < schema_.ops.size() ? schema_.ops[op].name : "(not an operation)";
    }
    hide(operation, rendering);
    return show(operation, schema_);
  }
  [[nodiscard]] std::string trace_header() const override { return "{\"format\":\"tenet-operations\",\"version\":1}"; }
  [[nodiscard]] std::string trace_line(const Event&) const override { return {}; }

 private:
  /// Which subjects are told is decided in the ring file, for all threads at once; here it is seen from outside. When
  /// the choice changes, what is known of those that were not told in between is old.
  void look_at_sampling() {
    if (tenet_monitor_v1_wanted(0) == 0) return;
    constexpr int kProbes = 64;
    std::uint64_t told = 0;
    for (int i = 0; i < kProbes; ++i) {
      const std::uint64_t probe = (static_cast<std::uint64_t>(i) + 1) * 0xd1342543de82ef95ULL;
      told |= static_cast<std::uint64_t>(tenet_monitor_v1_wanted(probe)) << i;
    }
    shadow_.only_some(told != ~std::uint64_t{0});
    if (looked_ && told != told_) shadow_.lose(0, ordered_stamp());
    looked_ = true;
    told_ = told;
  }

  void judge(const Operation& operation, Sink& sink) {
    const auto kept = waiting_.find(operation.id);
    if (kept == waiting_.end()) return;
    std::optional<Contradiction> in_any_case;
    bool asked = false;
    for (std::size_t i = 0; i < checkers_.size(); ++i) {
      Judgement judged = shadow_.judge(checkers_[i], operation);
      if (judged.answer == Answer::ambiguous) {
        if (!asked) in_any_case = shadow_.contradicts_every_past(checkers_, operation);
        asked = true;
        if (in_any_case.has_value() && in_any_case->checker == i) judged = {Answer::violated, in_any_case->detail};
      }
      switch (judged.answer) {
        case Answer::not_concerned:
          break;
        case Answer::passed:
          sink.verdict(i, monitor::Verdict::passed, kept->second);
          break;
        case Answer::ambiguous:
        case Answer::unknown:
          sink.verdict(i, monitor::Verdict::unknown, kept->second);
          break;
        case Answer::violated: {
          Operation shown = operation;
          hide(shown, rendering_);
          const std::string history = rendering_.reveal ? shadow_.history(operation) : std::string();
          std::string detail = (rendering_.reveal ? judged.detail + ": " : std::string()) + show(shown, schema_);
          if (!history.empty()) detail += "; changes before: " + history;
          sink.verdict(i, monitor::Verdict::violated, kept->second, detail);
        }
      }
    }
    waiting_.erase(kept);
  }

  const Schema schema_;
  const std::vector<Checker> checkers_;
  std::vector<RuleInfo> infos_;
  Shadow shadow_;
  monitor::Rendering rendering_;
  std::unordered_map<std::uint64_t, Event> waiting_;
  std::uint64_t last_id_ = 0, mark_ = 0, judged_to_ = 0, lost_at_ = 0;
  std::uint64_t handed_over_ = 0, needed_ = 0;  // names of events
  bool looked_ = false;
  std::uint64_t told_ = 0;  // which probes are sampled
};

}  // namespace

std::uint64_t monitor_generation() { return generation.load(std::memory_order_relaxed); }

std::unique_ptr<monitor::Rules> make_rules(Schema schema, std::vector<Checker> checkers) {
  return std::make_unique<DerivedRules>(std::move(schema), std::move(checkers));
}

bool settle(monitor::Monitor& monitor, std::uint32_t milliseconds) {
  // Twice: the first round says what has ended, the second judges it.
  return monitor.flush(milliseconds) && monitor.flush(milliseconds);
}

}  // namespace tenet::derived
