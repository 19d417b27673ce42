/// The monitor of a process: it takes events out of the rings, puts each host's events in order, hands them to the
/// rules of a specification, and says what they found. C++17.
///
/// ```
/// tenet::monitor::Options options;
/// options.file = "/dev/shm/store.tenet";
/// options.findings = "/var/log/store.findings.jsonl";
/// auto monitor = tenet::monitor::Monitor::start(options, paxos::make_rules(topology), error);
/// …
/// monitor->stop();
/// ```
///
/// The monitor never makes a service wait: what goes wrong here is counted and said, and the service goes on.
/// At most one monitor per process records events (`Options::file` non-empty); any number may watch files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tenet::monitor {

/// A host of the specification: role << 24 | index.
struct HostId {
  std::uint32_t word = 0;
  [[nodiscard]] std::uint32_t role() const { return word >> 24; }
  [[nodiscard]] std::uint32_t index() const { return word & 0xffffffu; }
  friend bool operator==(HostId a, HostId b) { return a.word == b.word; }
  friend bool operator<(HostId a, HostId b) { return a.word < b.word; }
};

/// One event, in the order of its host.
struct Event {
  std::uint16_t type = 0;
  HostId host;
  std::uint32_t incarnation = 0;
  std::uint64_t sequence = 0;  ///< from 1 in every incarnation; within it without gaps, or `Rules::on_gap` was told
  std::uint64_t key = 0;
  std::uint64_t stamp = 0;  ///< processor's time stamp counter: for reading, never for deciding
  std::vector<std::uint64_t> words;
};

/// The answer of one rule to one event.
enum class Verdict : std::uint8_t { passed, violated, unknown };

/// What is known of a rule before anything runs.
struct RuleInfo {
  std::string name;                  ///< stable: "Leader.propose", "agreement"
  std::string kind;                  ///< "guard", "effect", "monotone", "invariant", "safety", "provenance" …
  std::string text;                  ///< what it says, in the specification's words
  std::vector<std::string> depends;  ///< the events it reads
  bool keyed = true;                 ///< false: over state without a key; never sampled
};

/// Where rules say what they found.
class Sink {
 public:
  virtual ~Sink() = default;
  /// The rules check this event now, before they say anything of it: it may become evidence. Every event comes here
  /// once, in the order in which the rules check them, which need not be that in which they were handed over.
  virtual void remember(const Event& event) = 0;
  /// `detail` says what and why (used for violated only); `others` are hosts whose last events belong to the finding.
  virtual void verdict(std::size_t rule, Verdict verdict, const Event& event, const std::string& detail = {},
                       const std::vector<HostId>& others = {}) = 0;
};

/// How values are written into findings.
struct Rendering {
  bool reveal = false;     ///< false: numbers and uninterpreted values appear as keyed hashes
  std::uint64_t salt = 0;  ///< of those hashes; random for every monitor
};

/// The rules of one specification; generated code derives from it. Called from one thread at a time.
class Rules {
 public:
  virtual ~Rules() = default;
  [[nodiscard]] virtual const std::string& protocol() const = 0;
  /// Tells versions of the specification apart: in every ring file, finding and trace.
  [[nodiscard]] virtual const std::string& stamp() const = 0;
  [[nodiscard]] virtual const std::vector<RuleInfo>& rules() const = 0;
  /// Whether the topology has this host.
  [[nodiscard]] virtual bool knows(HostId host) const = 0;
  [[nodiscard]] virtual std::string name(HostId host) const = 0;
  /// The next event of its host. False: its words are not those of an event of this type; it counts as lost.
  [[nodiscard]] virtual bool on_event(const Event& event, Sink& sink) = 0;
  /// Events of this host between the last one and the next one are lost: any number of its steps.
  virtual void on_gap(HostId host, Sink& sink) = 0;
  /// The host was started again; `tail_lost`: events of its last incarnation may be missing at the end.
  virtual void on_restart(HostId host, bool tail_lost, Sink& sink) = 0;
  /// No more than so many bytes may be kept; what has to be forgotten becomes unknown.
  virtual void limit_memory(std::size_t bytes) = 0;
  /// A round is over: every event that was published before the round began has been handed over or given up. So what
  /// was handed over before the last call has all its causes handed over (or lost) by this one.
  virtual void on_settled(Sink& sink) { (void)sink; }
  /// How values are written into the details of violations.
  virtual void render_with(const Rendering& rendering) { (void)rendering; }
  [[nodiscard]] virtual std::size_t memory() const = 0;
  /// One event in words: `propose(fresh = #81c2) → promised = {Acceptor#1}`.
  [[nodiscard]] virtual std::string describe(const Event& event, const Rendering& rendering) const = 0;
  /// The same as a JSON object, for programs: what happened, and each part of it as text. Empty: it has no parts.
  [[nodiscard]] virtual std::string parts(const Event& event, const Rendering& rendering) const {
    (void)event;
    (void)rendering;
    return {};
  }
  /// The first line of a trace: format, protocol, stamp, how many hosts of each role, constants. JSON, without the line
  /// break.
  [[nodiscard]] virtual std::string trace_header() const = 0;
  /// One event, the core's among them, as a line of a trace (docs/monitors-validate.md), without the line break; empty:
  /// not part of one.
  [[nodiscard]] virtual std::string trace_line(const Event& event) const = 0;
};

struct Options {
  std::string file;                      ///< the mapped rings of this process, best in /dev/shm; empty: only watch
  std::vector<std::string> watch;        ///< ring files of other processes to take events from
  std::string findings;                  ///< JSON Lines, appended; empty: none written
  std::string metrics;                   ///< Prometheus text, replaced every second; empty: none written
  std::string control;                   ///< rules switched and silenced by an operator (docs/monitors.md); empty: none
                                         ///< a regular file, or none yet
  std::string record;                    ///< trace of all events as JSON Lines, appended; empty: none written
  bool record_only = false;              ///< record into `file` and leave the checking to a monitor that watches it
  bool inline_mode = false;              ///< no thread: `poll` does the work (tests)
  bool reveal = false;                   ///< values in findings as they are
  std::size_t ring_bytes = 256u << 10;   ///< per thread; rounded up to a power of two
  std::size_t rings = 32;                ///< threads that can record at a time
  std::size_t memory_bytes = 64u << 20;  ///< of the checker: waiting events and the rules' state
  std::uint32_t sample_one_in = 1;       ///< keys: only those that hash into `sample_slice` of so many
  std::uint32_t sample_slice = 0;
  std::uint32_t reorder_ms = 200;          ///< how long a missing event is waited for before it counts as lost
  std::uint32_t poll_us = 10'000;          ///< the checker thread sleeps at most so long, less while rings fill up
  std::uint32_t findings_per_minute = 30;  ///< per rule; more are counted only
};

/// Counters since start.
struct RuleCount {
  std::uint64_t passed = 0, violated = 0, unknown = 0, suppressed = 0;
};
struct Summary {
  std::uint64_t events = 0;   ///< handed to the rules
  std::uint64_t dropped = 0;  ///< by producers: a ring was full, or none free; and one for each host beyond 256
  std::uint64_t gaps = 0;     ///< places where events of a host are missing
  std::uint64_t late = 0;     ///< arrived after their gap was given up
  std::uint64_t duplicates = 0;
  std::uint64_t unknown_hosts = 0;  ///< events of hosts that the topology does not have
  std::uint64_t malformed = 0;
  std::uint64_t restarts = 0;
  std::uint64_t findings = 0;                 ///< written (or kept, without a file)
  std::uint64_t findings_lost = 0;            ///< could not be written: full disk
  std::uint64_t records_lost = 0;             ///< trace lines that could not be written
  std::uint64_t foreign_files = 0;            ///< ring files with another stamp or layout: nothing was read from them
  std::vector<std::string> control_problems;  ///< lines of the control file that are no orders, with their numbers
  bool memory_fallback = false;               ///< the ring file could not be made; events live in anonymous memory
  bool crashed = false;                       ///< the checker failed; the service goes on, nothing is checked any more
  std::string crash;                          ///< why
  std::size_t memory = 0;                     ///< bytes in use by the checker
  std::vector<RuleCount> rules;               ///< as in Rules::rules

  /// 1 violated; 2 nothing was checked: no event, no rule triggered, every triggered rule only unknown, a foreign
  /// file, or a crash; else 0.
  [[nodiscard]] int exit_status() const;
};
/// "12 rules: 10 passed, 0 violated, 1 unknown, 1 never triggered; 4,711 events, 3 dropped in 1 gap …"
[[nodiscard]] std::string to_text(const Summary& summary);

/// A rule as an operator sees it.
struct RuleState {
  RuleInfo info;
  bool on = true;
  std::string silenced_because;      ///< empty: not silenced
  std::uint64_t silenced_until = 0;  ///< seconds since 1970
  RuleCount count;
};

class Monitor {
 public:
  /// Null with `error` set if it cannot start: the service should go on without.
  static std::unique_ptr<Monitor> start(const Options& options, std::unique_ptr<Rules> rules, std::string& error);
  ~Monitor();  ///< as `stop`
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  /// Takes and checks what is there; for inline mode. False after a crash.
  bool poll();
  /// Until everything published before is checked, with gaps given up; at most `milliseconds`. False if not.
  bool flush(std::uint32_t milliseconds = 10000);
  /// Flushes, ends the thread, writes metrics. Events recorded later are dropped.
  void stop();

  void enable(bool on);  ///< the global switch
  [[nodiscard]] std::vector<RuleState> rules() const;
  /// False: no such rule.
  bool switch_rule(const std::string& rule, bool on);
  /// Checked and counted, but no finding is written, until `seconds` from now.
  bool silence_rule(const std::string& rule, const std::string& reason, std::uint64_t seconds);

  [[nodiscard]] Summary summary() const;
  [[nodiscard]] std::string metrics() const;  ///< Prometheus text format 0.0.4
  /// The last findings (at most 1000), as JSON, as they were written or would have been.
  [[nodiscard]] std::vector<std::string> findings() const;

 private:
  class Impl;
  explicit Monitor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tenet::monitor
