#include "tenet/monitor/monitor.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <exception>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "control.h"
#include "drain.h"
#include "findings.h"
#include "json.h"
#include "line_file.h"
#include "metrics.h"
#include "ring_file.h"
#include "streams.h"
#include "tenet/monitor/abi.h"

namespace tenet::monitor {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t kBatch = 4096;  // events taken before what is in order among them is checked
constexpr auto kHousekeeping = std::chrono::seconds(1);

std::size_t power_of_two(std::size_t at_least) {
  std::size_t value = 1024;
  while (value < at_least && value < (std::size_t{1} << 32)) value *= 2;
  return value;
}

std::uint64_t random_salt() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

}  // namespace

class Monitor::Impl {
 public:
  Impl(const Options& options, std::unique_ptr<Rules> rules)
      : options_(options),
        rules_(std::move(rules)),
        findings_(*rules_, options_, random_salt()),
        streams_(options.memory_bytes / 4, std::chrono::milliseconds(options.reorder_ms)) {
    rules_->limit_memory(options.memory_bytes / 2);
  }

  // Lets go of everything again if it cannot start. Whatever fails, the service goes on.
  bool open(std::string& error) {
    try {
      if (open_all(error)) return true;
    } catch (const std::exception& failure) {
      error = std::string("the monitor cannot start: ") + failure.what();
    }
    close_files();
    return false;
  }

  bool poll() {
    const std::scoped_lock guard(lock_);
    return pass(false).has_value();
  }

  bool flush(std::uint32_t milliseconds) {
    std::unique_lock guard(lock_);
    if (!thread_.joinable()) return pass(true).has_value();
    const std::uint64_t wanted = ++flush_wanted_;
    wake_.notify_all();
    return flushed_.wait_for(guard, std::chrono::milliseconds(milliseconds), [&] {
      return flush_done_ >= wanted || summary_.crashed;
    }) && !summary_.crashed;
  }

  void stop() {
    stopping_ = true;  // before the lock, which the checker thread holds while it checks
    {
      const std::scoped_lock guard(lock_);
      if (stopped_) return;
      stopped_ = true;
      if (recording_ != nullptr) record_into(nullptr);
      wake_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
    const std::scoped_lock guard(lock_);
    (void)pass(true);
    housekeeping();
    close_files();
  }

  void enable(bool on) {
    const std::scoped_lock guard(lock_);
    set_enabled(on);
  }

  std::vector<RuleState> states() const {
    const std::scoped_lock guard(lock_);
    return findings_.states();
  }

  template <class Change>
  bool change(const std::string& name, const Change& apply) {
    const std::scoped_lock guard(lock_);
    for (RuleState& state : findings_.states()) {
      if (state.info.name != name) continue;
      apply(state);
      return true;
    }
    return false;
  }

  Summary summary() const {
    const std::scoped_lock guard(lock_);
    return sum_up();
  }
  std::string metrics() const {
    const std::scoped_lock guard(lock_);
    return metrics_text();
  }
  std::vector<std::string> findings() const {
    const std::scoped_lock guard(lock_);
    return findings_.last();
  }

 private:
  bool open_all(std::string& error) {
    struct stat info{};
    if (!options_.control.empty() && ::stat(options_.control.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
      error = options_.control + ": not a regular file";
      return false;
    }
    if (!options_.file.empty()) {
      const std::size_t words = power_of_two(options_.ring_bytes / sizeof(std::uint64_t));
      const std::size_t rings = std::clamp<std::size_t>(options_.rings, 1, 4096);
      auto opened = RingFile::open_to_record(options_.file, rules_->stamp(), rings, words);
      if (opened.file == nullptr) {
        error = opened.error;
        return false;
      }
      summary_.memory_fallback = opened.anonymous;
      if (opened.foreign) ++summary_.foreign_files;
      FileHeader& header = opened.file->header();
      header.sample_one_in.store(std::max(1u, options_.sample_one_in));
      header.sample_slice.store(options_.sample_slice);
      recording_ = opened.file;
      if (!options_.record_only) {
        if (!recording_->begin_consuming()) {
          error = options_.file + ": another monitor takes its events (record_only leaves them to it)";
          return false;
        }
        files_.push_back(std::move(opened.file));
      }
      dropped_before_ = dropped();
    }
    for (const std::string& path : options_.watch) {
      auto opened = RingFile::open_to_watch(path, rules_->stamp());
      if (opened.file == nullptr && !opened.foreign) {
        error = opened.error;
        return false;
      }
      if (opened.foreign) {
        ++summary_.foreign_files;
      } else if (!opened.file->begin_consuming()) {
        error = path + ": another monitor takes its events";
        return false;
      } else {
        files_.push_back(std::move(opened.file));
      }
    }
    if (!options_.findings.empty()) (void)findings_.open(options_.findings);
    if (!options_.record.empty() && record_.open(options_.record)) {
      record_line(rules_->trace_header());
    }
    read_control();
    if (!options_.inline_mode && !files_.empty()) thread_ = std::thread([this] { run(); });
    if (recording_ != nullptr) record_into(recording_);
    return true;
  }

  void close_files() {
    for (const auto& file : files_) file->end_consuming();
    if (recording_ != nullptr) recording_->unlock();
  }

  void run() {
    // The service comes first. Linux takes a thread's id here.
    (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 19);
    auto next_housekeeping = Clock::now() + kHousekeeping;
    std::unique_lock guard(lock_);
    while (!stopped_) {
      const std::uint64_t flush_goal = flush_wanted_;
      const auto done = pass(flush_goal != flush_done_);
      if (!done) break;
      if (flush_goal != flush_done_) {
        flush_done_ = flush_goal;
        flushed_.notify_all();
      }
      if (Clock::now() >= next_housekeeping) {
        housekeeping();
        next_housekeeping = Clock::now() + kHousekeeping;
      }
      const auto rest = pause();
      if (rest > std::chrono::microseconds(0) && flush_wanted_ == flush_done_) {
        wake_.wait_for(guard, rest, [&] { return stopped_ || flush_wanted_ != flush_done_; });
      } else {  // let others at the lock
        guard.unlock();
        guard.lock();
      }
    }
    if (summary_.crashed) housekeeping();
    flushed_.notify_all();
  }

  // How long to sleep now. Looking rarely and taking much at a time disturbs the service least, as long as no ring
  // comes near its end.
  std::chrono::microseconds pause() {
    const double fullest = std::exchange(fullest_, 0);
    const std::chrono::microseconds longest(options_.poll_us);
    if (fullest > 0.5) {
      pause_ = longest / 16;
      return std::chrono::microseconds(0);
    }
    if (fullest > 0.125) pause_ /= 2;
    if (fullest < 0.03125) pause_ *= 2;
    pause_ = std::clamp(pause_, std::max(longest / 16, std::chrono::microseconds(1)),
                        std::max(longest, std::chrono::microseconds(1)));
    return pause_;
  }

  // One round: take what is there, check what is in order. Nothing after a crash; else the events taken.
  std::optional<std::uint64_t> pass(bool force) {
    if (summary_.crashed) return std::nullopt;
    try {
      std::uint64_t taken = 0;
      const Streams::Receiver receiver{
          [this](const Event& event) { check(event); }, [this](HostId host) { rules_->on_gap(host, findings_); },
          [this](HostId host, bool tail_lost) { rules_->on_restart(host, tail_lost, findings_); }};
      for (bool more = true; more;) {
        more = false;
        const Streams::Issued before = issued();
        std::uint64_t now = 0;
        for (const auto& file : files_) {
          const Drained done = drain(*file, [&](Event& event) {
            // A process that records drops its events itself; of those watched here nothing else does.
            if (enabled_ || file == recording_) admit(event, receiver);
            if (++now % kBatch == 0) streams_.deliver_following(receiver);
            return force || !stopping_.load(std::memory_order_relaxed);
          });
          summary_.malformed += done.malformed;
          fullest_ = std::max(fullest_, done.fullest);
        }
        taken += now;
        if (!force && stopping_.load(std::memory_order_relaxed)) return taken;
        more = force && now > 0;
        // Every ring must be drained before gaps are given up or a new incarnation begins.
        streams_.deliver(receiver, force && !more);
        if (!more && streams_.settle(before, receiver, force)) rules_->on_settled(findings_);
      }
      if (force) rules_->on_settled(findings_);
      return taken;
    } catch (const std::exception& error) {
      summary_.crash = error.what();
    } catch (...) {
      summary_.crash = "unknown exception";
    }
    summary_.crashed = true;
    return std::nullopt;
  }

  // How far every host has come, before the rings are looked at.
  Streams::Issued issued() const {
    Streams::Issued all;
    for (const auto& file : files_) {
      for (std::size_t i = 0; i < kHostSlots; ++i) {
        HostSlot& slot = file->host(i);
        const std::uint32_t used = slot.used.load(std::memory_order_acquire);
        if (used == 0) break;  // they are taken in order
        if (used != 1) continue;
        const HostId host{slot.host};
        if (!rules_->knows(host)) continue;
        // The incarnation first: with a newer sequence it is too early, and merely nothing is settled.
        const std::uint64_t incarnation = slot.incarnation.load(std::memory_order_acquire);
        const std::uint64_t sequence = slot.sequence.load(std::memory_order_acquire);
        if (sequence == 0 || incarnation == 0) continue;
        std::uint64_t& last = all[host];
        last = std::max(last, (incarnation << kSequenceBits) | sequence);
      }
    }
    return all;
  }

  void admit(Event& event, const Streams::Receiver& receiver) {
    if (!rules_->knows(event.host)) {
      ++summary_.unknown_hosts;
    } else if (!streams_.follow(event, receiver)) {
      streams_.add(std::move(event));
    }
  }

  void check(const Event& event) {
    ++summary_.events;
    if (event.type >= TENET_MONITOR_V1_FIRST_TYPE) {
      if (!rules_->on_event(event, findings_)) {
        ++summary_.malformed;
        rules_->on_gap(event.host, findings_);
        return;
      }
    }
    if (!record_.is_open() && options_.record.empty()) return;
    const std::string line = rules_->trace_line(event);
    if (!line.empty()) record_line(line);
  }

  void record_line(const std::string& line) {
    if (!record_.append(line)) ++summary_.records_lost;
  }

  void housekeeping() {
    read_control();
    if (!options_.metrics.empty()) {
      (void)replace_file(options_.metrics, metrics_text());
    }
  }

  std::string metrics_text() const {
    return prometheus(*rules_, findings_.states(), sum_up(), enabled_, !stopped_ && !summary_.crashed);
  }

  void read_control() {
    if (options_.control.empty()) return;
    struct stat info{};
    if (::stat(options_.control.c_str(), &info) != 0) return;
    const auto changed = std::make_pair(info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    if (changed == control_changed_) return;
    std::string text;
    if (!read_regular(options_.control, text)) {  // the orders before stay in force
      summary_.control_problems = {"not a readable regular file"};
      return;
    }
    control_changed_ = changed;
    bool on = true;
    summary_.control_problems = apply_control(text, findings_.states(), on);
    set_enabled(on);
  }

  void set_enabled(bool on) {
    enabled_ = on;
    if (recording_ != nullptr) recording_->header().enabled.store(on ? 1 : 0);
  }

  std::uint64_t dropped() const {
    std::uint64_t total = 0;
    for (const auto& file : files_) {
      total += file->header().no_ring.load();
      for (std::size_t i = 0; i < file->rings(); ++i) total += file->ring(i).dropped.load();
    }
    return total;
  }

  Summary sum_up() const {
    Summary s = summary_;
    const Streams::Counts& counts = streams_.counts();
    s.gaps = counts.gaps;
    s.late = counts.late;
    s.duplicates = counts.duplicates;
    s.restarts = counts.restarts;
    s.dropped = dropped() - std::min(dropped(), dropped_before_);
    s.findings = findings_.written();
    s.findings_lost = findings_.lost();
    s.memory = streams_.bytes() + findings_.bytes() + rules_->memory();
    for (const RuleState& state : findings_.states()) s.rules.push_back(state.count);
    return s;
  }

  const Options options_;
  std::unique_ptr<Rules> rules_;
  Findings findings_;
  Streams streams_;
  std::vector<std::shared_ptr<RingFile>> files_;
  std::shared_ptr<RingFile> recording_;
  LineFile record_;
  std::uint64_t dropped_before_ = 0;
  Summary summary_;
  bool enabled_ = true;
  std::pair<std::int64_t, std::int64_t> control_changed_{-1, -1};

  mutable std::mutex lock_;
  std::condition_variable wake_, flushed_;
  std::uint64_t flush_wanted_ = 0, flush_done_ = 0;
  bool stopped_ = false;
  std::atomic<bool> stopping_{false};  // what is left is checked by who stops, not at the lowest priority
  double fullest_ = 0;                 // ring at the last pass
  std::chrono::microseconds pause_{1};
  std::thread thread_;
};

Monitor::Monitor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Monitor::~Monitor() { stop(); }

std::unique_ptr<Monitor> Monitor::start(const Options& options, std::unique_ptr<Rules> rules, std::string& error) {
  auto impl = std::make_unique<Impl>(options, std::move(rules));
  if (!impl->open(error)) return nullptr;
  return std::unique_ptr<Monitor>(new Monitor(std::move(impl)));
}

bool Monitor::poll() { return impl_->poll(); }
bool Monitor::flush(std::uint32_t milliseconds) { return impl_->flush(milliseconds); }
void Monitor::stop() { impl_->stop(); }
void Monitor::enable(bool on) { impl_->enable(on); }
std::vector<RuleState> Monitor::rules() const { return impl_->states(); }

bool Monitor::switch_rule(const std::string& rule, bool on) {
  return impl_->change(rule, [&](RuleState& state) { state.on = on; });
}

bool Monitor::silence_rule(const std::string& rule, const std::string& reason, std::uint64_t seconds) {
  return impl_->change(rule, [&](RuleState& state) {
    state.silenced_because = reason.empty() ? "no reason given" : reason;
    state.silenced_until = static_cast<std::uint64_t>(std::time(nullptr)) + seconds;
  });
}

Summary Monitor::summary() const { return impl_->summary(); }
std::string Monitor::metrics() const { return impl_->metrics(); }
std::vector<std::string> Monitor::findings() const { return impl_->findings(); }

}  // namespace tenet::monitor
