/// What generated checkers are written with: values of a specification, formulas over what is known, and the order of
/// events across hosts. C++17; included by generated sources only.
///
/// Formulas are ordinary C++ expressions. Reading something that is not known (the state of a host after a gap, the
/// payload of none) does not stop them: it marks the evaluation as undefined, and its result then counts as unknown.
/// `forall` and `exists` look past such marks: a counterexample or witness among what is known decides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenet/monitor/hook.h"
#include "tenet/monitor/monitor.h"

namespace tenet::monitor::spec {

// ---- Values ---------------------------------------------------------------------------------------------------------

/// A total function: one value for all arguments but finitely many.
template <class K, class V>
struct Function {
  V otherwise{};
  std::map<K, V> entries;
  [[nodiscard]] const V& operator()(const K& argument) const {
    const auto entry = entries.find(argument);
    return entry == entries.end() ? otherwise : entry->second;
  }
  /// Equal functions have equal members: no entry repeats `otherwise`.
  void set(const K& argument, V value) {
    if (value == otherwise) {
      entries.erase(argument);
    } else {
      entries[argument] = std::move(value);
    }
  }
  friend bool operator==(const Function& a, const Function& b) {
    return a.otherwise == b.otherwise && a.entries == b.entries;
  }
  friend bool operator!=(const Function& a, const Function& b) { return !(a == b); }
  friend bool operator<(const Function& a, const Function& b) {
    return a.otherwise < b.otherwise || (a.otherwise == b.otherwise && a.entries < b.entries);
  }
};

template <class K, class V>
Function<K, V> updated(Function<K, V> function, const K& argument, V value) {
  function.set(argument, std::move(value));
  return function;
}

template <class T>
bool has(const std::set<T>& set, const T& element) {
  return set.count(element) != 0;
}
template <class T>
bool subset(const std::set<T>& a, const std::set<T>& b) {
  return std::includes(b.begin(), b.end(), a.begin(), a.end());
}
template <class T>
std::set<T> unite(std::set<T> a, const std::set<T>& b) {
  a.insert(b.begin(), b.end());
  return a;
}
template <class T>
std::set<T> without(std::set<T> a, const std::set<T>& b) {
  for (const T& element : b) a.erase(element);
  return a;
}
template <class T>
std::set<T> common(const std::set<T>& a, const std::set<T>& b) {
  std::set<T> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  return both;
}
template <class T>
std::int64_t count(const std::set<T>& set) {
  return static_cast<std::int64_t>(set.size());
}
/// More than half of all hosts of the role.
template <class T>
bool majority(const std::set<T>& set, const std::set<T>& all) {
  return 2 * set.size() > all.size();
}
template <class K, class V>
std::set<K> keys(const std::map<K, V>& map) {
  std::set<K> all;
  for (const auto& entry : map) all.insert(entry.first);
  return all;
}
template <class K, class V>
std::map<K, V> put(std::map<K, V> map, const K& key, V value) {
  map[key] = std::move(value);
  return map;
}
template <class K, class V>
std::map<K, V> removed(std::map<K, V> map, const K& key) {
  map.erase(key);
  return map;
}

/// A copy with one member replaced.
template <class S, class M>
S with(S structure, M S::* member, M value) {
  structure.*member = std::move(value);
  return structure;
}
/// The elements of a range for which a formula holds.
template <class T, class Range, class Formula>
std::set<T> chosen(const Range& range, const Formula& formula) {
  std::set<T> out;
  for (const T& element : range) {
    if (formula(element)) out.insert(element);
  }
  return out;
}
/// The function that has these values for a role's hosts.
template <class K, class V, class Range, class Body>
Function<K, V> tabulated(const Range& range, const Body& body) {
  Function<K, V> out;
  for (const K& argument : range) out.set(argument, body(argument));
  return out;
}

/// From none to some, and then unchanged.
template <class T>
bool stays_once_set(const std::optional<T>& before, const std::optional<T>& after) {
  return !before.has_value() || before == after;
}
/// From none to some, and then upwards.
template <class T>
bool grows_once_set(const std::optional<T>& before, const std::optional<T>& after) {
  return !before.has_value() || (after.has_value() && !(*after < *before));
}
/// Every value of the function only gains elements.
template <class K, class T>
bool grows_everywhere(const Function<K, std::set<T>>& before, const Function<K, std::set<T>>& after) {
  if (!subset(before.otherwise, after.otherwise)) return false;
  const auto grew = [&](const auto& entry) { return subset(before(entry.first), after(entry.first)); };
  return std::all_of(before.entries.begin(), before.entries.end(), grew) &&
         std::all_of(after.entries.begin(), after.entries.end(), grew);
}

// ---- Reading events -------------------------------------------------------------------------------------------------

/// Takes values out of an event's words. What does not fit sets `bad`; reading goes on with zeros.
class Reader {
 public:
  Reader(const std::vector<std::uint64_t>& words, const std::vector<std::uint32_t>& hosts)
      : words_(words), hosts_(hosts) {}
  std::uint64_t word() {
    if (at_ < words_.size()) return words_[at_++];
    bad_ = true;
    return 0;
  }
  /// A word below `limit`.
  std::uint64_t below(std::uint64_t limit) {
    const std::uint64_t value = word();
    if (value >= limit) bad_ = true;
    return value >= limit ? 0 : value;
  }
  /// The index of a host of a role.
  std::uint32_t host(std::size_t role) { return static_cast<std::uint32_t>(below(hosts_[role])); }
  /// A number of elements that the rest of the event can hold.
  std::size_t count() { return static_cast<std::size_t>(below(words_.size() - at_ + 1)); }
  [[nodiscard]] bool bad() const { return bad_; }
  /// Everything read, and nothing wrong.
  [[nodiscard]] bool done() const { return !bad_ && at_ == words_.size(); }

 private:
  const std::vector<std::uint64_t>& words_;
  const std::vector<std::uint32_t>& hosts_;
  std::size_t at_ = 0;
  bool bad_ = false;
};

inline void read(Reader& in, bool& value) { value = in.below(2) != 0; }
inline void read(Reader& in, std::int64_t& value) { value = static_cast<std::int64_t>(in.word()); }
inline void read(Reader& in, MessageId& id) {
  id.host = in.word();
  id.sequence = in.word();
}
template <class T>
void read(Reader& in, std::optional<T>& value);
template <class T>
void read(Reader& in, std::set<T>& value);
template <class K, class V>
void read(Reader& in, std::map<K, V>& value);
template <class K, class V>
void read(Reader& in, Function<K, V>& value);

template <class T>
void read(Reader& in, std::optional<T>& value) {
  value.reset();
  if (in.below(2) != 0) read(in, value.emplace());
}
template <class T>
void read(Reader& in, std::set<T>& value) {
  value.clear();
  for (std::size_t left = in.count(); left > 0 && !in.bad(); --left) {
    T element{};
    read(in, element);
    value.insert(std::move(element));
  }
}
template <class K, class V>
void read(Reader& in, std::map<K, V>& value) {
  value.clear();
  for (std::size_t left = in.count(); left > 0 && !in.bad(); --left) {
    K key{};
    read(in, key);
    read(in, value[key]);
  }
}
template <class K, class V>
void read(Reader& in, Function<K, V>& value) {
  std::map<K, V> entries;
  read(in, value.otherwise);
  read(in, entries);
  value.entries.clear();
  for (auto& [argument, result] : entries) value.set(argument, std::move(result));
}

// ---- Writing values -------------------------------------------------------------------------------------------------

/// How a value is written: for people (perhaps hashed), or as JSON for traces.
struct Format {
  bool json = false;
  Rendering rendering;
  bool parts = false;  ///< an event as a JSON object whose values are texts
};

std::string show(std::int64_t value, const Format& format);
inline std::string show(bool value, const Format&) { return value ? "true" : "false"; }
/// An uninterpreted value.
std::string show_number(std::uint64_t value, const Format& format);
/// A name: of a host or of an enum's member.
std::string show_name(const std::string& name, const Format& format);
/// `Acceptor#1/2/5`: host, incarnation, sequence; as JSON `null` if not known.
std::string show_id(const MessageId& id, const std::string& host, const Format& format);

template <class T>
std::string show(const std::optional<T>& value, const Format& format);
template <class T>
std::string show(const std::set<T>& value, const Format& format);
template <class K, class V>
std::string show(const std::map<K, V>& value, const Format& format);
template <class K, class V>
std::string show(const Function<K, V>& value, const Format& format);

template <class T>
struct IsOption : std::false_type {};
template <class T>
struct IsOption<std::optional<T>> : std::true_type {};

template <class T>
std::string show(const std::optional<T>& value, const Format& format) {
  if (!value.has_value()) return format.json ? "null" : "none";
  if (format.json && IsOption<T>::value) return "{\"some\":" + show(*value, format) + "}";
  return format.json ? show(*value, format) : "some(" + show(*value, format) + ")";
}
template <class T>
std::string show(const std::set<T>& value, const Format& format) {
  std::string out;
  for (const T& element : value) out += (out.empty() ? "" : format.json ? "," : ", ") + show(element, format);
  return format.json ? "[" + out + "]" : "{" + out + "}";
}
template <class K, class V>
std::string show(const std::map<K, V>& value, const Format& format) {
  std::string out;
  for (const auto& [key, entry] : value) {
    out += out.empty() ? "" : format.json ? "," : ", ";
    out += format.json ? "[" + show(key, format) + "," + show(entry, format) + "]"
                       : show(key, format) + ": " + show(entry, format);
  }
  return format.json ? "[" + out + "]" : "{" + out + "}";
}
template <class K, class V>
std::string show(const Function<K, V>& value, const Format& format) {
  if (format.json) {
    return "{\"otherwise\":" + show(value.otherwise, format) + ",\"entries\":" + show(value.entries, format) + "}";
  }
  const std::string entries = show(value.entries, format);
  return entries.substr(0, entries.size() - 1) + (value.entries.empty() ? "" : ", ") + "else " +
         show(value.otherwise, format) + "}";
}

/// `name: value` pairs, and as JSON an object (of texts, as `parts`).
std::string show_fields(const std::vector<std::pair<std::string, std::string>>& fields, const Format& format);

/// A part of an event: its label and what it shows.
using Part = std::pair<std::string, std::string>;
/// One event: `step propose, parameters: fresh = ~12ab; state: …`, and as JSON a line of a trace; as `parts`
/// `{"step":"propose","parameters":{"fresh":"~12ab"},"state":{…}}`.
std::string show_event(const Event& event, const std::string& host, const std::string& kind, const std::string& name,
                       const std::vector<Part>& parts, const Format& format);

/// The line of a trace for an incarnation that begins (the core's event 0): which event was the last one before. Empty:
/// the event does not say it.
std::string show_beginning(const Event& event, const std::string& host);

// ---- Formulas -------------------------------------------------------------------------------------------------------

/// Evaluates formulas. Generated checkers derive from it, so that formulas read like formulas.
class Evaluation {
 protected:
  /// Before every formula.
  void begin() {
    undefined_ = false;
    witness_.clear();
    work_ = 0;
    reads_.clear();
  }
  [[nodiscard]] Verdict verdict(bool holds) const {
    return undefined_ ? Verdict::unknown : holds ? Verdict::passed : Verdict::violated;
  }
  /// Something is not known: this evaluation means nothing.
  void undefined() const { undefined_ = true; }
  /// So many values or messages were looked at. A formula that would take too many is given up: nobody knows then.
  void work(std::size_t count) const { work_ += count; }
  /// The values for which the formula is false: `x = Learner#1, y = Learner#2`.
  [[nodiscard]] const std::string& witness() const { return witness_; }
  /// The formula reads the state of this host.
  void note_read(HostId host) const {
    if (reading_) reads_.push_back(host);
  }
  /// The hosts whose states make the formula what it is, perhaps more than once: of a quantifier, those that were read
  /// for the value that decides it, or for all values if none does. Evaluates the formula again, so that only who asks
  /// pays for keeping account.
  template <class Formula>
  [[nodiscard]] std::vector<HostId> hosts_read(const Formula& formula) {
    begin();
    reading_ = true;
    (void)formula();
    reading_ = false;
    return std::move(reads_);
  }

  template <class Range, class Body>
  bool forall(const char* name, const Range& range, const Body& body) const {
    return !quantify(name, range, body, false);
  }
  template <class Range, class Body>
  bool exists(const char* name, const Range& range, const Body& body) const {
    return quantify(name, range, body, true);
  }
  /// The same over the values that were ever seen: that there is none among them does not say that there is none.
  template <class Range, class Body>
  bool exists_seen(const char* name, const Range& range, const Body& body) const {
    if (quantify(name, range, body, true)) return true;
    undefined();
    return false;
  }

  /// The values of a term added up in the order of the range; 0 if there are none. Undefined if one of them is, or if a
  /// part of the sum leaves 64 bits.
  template <class Range, class Term>
  std::int64_t sum(const Range& range, const Term& term) const {
    std::int64_t total = 0;
    for (const auto& element : range) {
      if (++work_ > kMostWork) {
        undefined();
        return 0;
      }
      total = plus(total, term(element));
    }
    return total;
  }

  template <class T>
  const T& value(const std::optional<T>& option) const {
    if (option.has_value()) return *option;
    return nothing<T>();
  }
  template <class K, class V>
  const V& at(const std::map<K, V>& map, const K& key) const {
    const auto entry = map.find(key);
    if (entry != map.end()) return entry->second;
    return nothing<V>();
  }
  template <class T>
  const T& nothing() const {
    static const T kNothing{};
    undefined();
    return kNothing;
  }

  // Whole numbers; what leaves 64 bits or a natural number below zero is undefined.
  std::int64_t plus(std::int64_t a, std::int64_t b) const {
    std::int64_t sum = 0;
    const bool overflow = __builtin_add_overflow(a, b, &sum);
    return checked(overflow, sum);
  }
  std::int64_t minus(std::int64_t a, std::int64_t b) const {
    std::int64_t difference = 0;
    const bool overflow = __builtin_sub_overflow(a, b, &difference);
    return checked(overflow, difference);
  }
  std::int64_t times(std::int64_t a, std::int64_t b) const {
    std::int64_t product = 0;
    const bool overflow = __builtin_mul_overflow(a, b, &product);
    return checked(overflow, product);
  }
  std::int64_t natural_minus(std::int64_t a, std::int64_t b) const {
    const std::int64_t difference = minus(a, b);
    return checked(difference < 0, difference);
  }
  std::int64_t divided(std::int64_t a, std::int64_t b) const;  ///< rounds down
  std::int64_t modulo(std::int64_t a, std::int64_t b) const;   ///< has the sign of b

 private:
  std::int64_t checked(bool wrong, std::int64_t value) const {
    if (wrong) undefined();
    return wrong ? 0 : value;
  }
  // Whether some element makes the body `wanted`; undefined if none does for certain but one might.
  template <class Range, class Body>
  bool quantify(const char* name, const Range& range, const Body& body, bool wanted) const {
    const bool before = undefined_;
    const std::size_t reads_before = reads_.size();
    bool perhaps = false;
    for (const auto& element : range) {
      if (++work_ > kMostWork) {
        perhaps = true;
        break;
      }
      undefined_ = false;
      witness_.clear();
      const std::size_t reads_of_others = reads_.size() - reads_before;
      const bool is = body(element) == wanted;
      if (undefined_) {
        perhaps = true;
      } else if (is) {
        undefined_ = before;
        const auto others = reads_.begin() + static_cast<std::ptrdiff_t>(reads_before);
        reads_.erase(others, others + static_cast<std::ptrdiff_t>(reads_of_others));
        if (!wanted)
          witness_ = std::string(name) + " = " + show(element, format_) + (witness_.empty() ? "" : ", ") + witness_;
        return true;
      }
    }
    undefined_ = before || perhaps;
    witness_.clear();
    return false;
  }

  static constexpr std::size_t kMostWork = 100'000;  ///< for one formula, once
  mutable bool undefined_ = false;
  mutable std::size_t work_ = 0;
  mutable std::string witness_;
  mutable std::vector<HostId> reads_;
  bool reading_ = false;

 protected:
  Format format_;
};

// ---- What is known of hosts -----------------------------------------------------------------------------------------

/// What is known of one host in one run.
struct Knowledge {
  bool seen = false;       ///< there is a state, perhaps an old one
  bool known = false;      ///< it is the state after the host's last event
  bool constants = false;  ///< the host's constants are known
  bool complete = false;   ///< everything it has sent is known
  /// Before a restart that lost nothing, the state was known: a snapshot that equals it continues it.
  bool resumable = false;
  bool was_complete = false;
  std::uint64_t losses = 0;     ///< of the host, when this was true
  std::uint64_t restarts = 0;   ///< the same
  std::uint64_t joined_at = 0;  ///< round from which on its state fits to those of other hosts
};
template <class State>
struct Tracked : Knowledge {
  State state{};
  State before{};             ///< the state that was seen before the last event
  bool before_seen = false;   ///< there is one, perhaps with events lost in between
  bool before_known = false;  ///< it is the state before the step that is judged
};

/// A run of the protocol: all events of one key. Generated code derives from it.
struct RunBase {
  virtual ~RunBase() = default;
  std::uint64_t key = 0;
  /// Events that wait for the sending of what they received, by host.
  struct Held {
    Event event;          ///< of type 0: here something was lost
    std::uint64_t round;  ///< when it came
  };
  std::map<HostId, std::deque<Held>> held;  ///< between events none is empty
  std::size_t bytes = 0;                    ///< of facts and states, estimated
  std::uint64_t ahead_until = 0;  ///< some host may have done what follows from events that come before this round
  /// How a formula was answered last.
  struct Answer {
    bool known = false;
    std::size_t values = 0;  ///< how many values of types without an end had been seen
  };
};

/// How a received message was joined to its sending.
enum class Joined : std::uint8_t {
  matched,    ///< the sender is known to have come past the sending
  by_content  ///< nothing names the sending, or it was not waited for any longer
};

/// Orders events across hosts and keeps runs, within a memory limit. The generated class supplies the specification.
///
/// Two things order events of different hosts: what one host does comes in order, and what is received was sent before.
/// An event that received a message waits until the sending has been checked. If that is lost, or not named, it waits
/// until everything that was published before has been checked; states that may not fit together are not compared.
class Base : public Rules, protected Evaluation {
 public:
  bool on_event(const Event& event, Sink& sink) override;
  void on_gap(HostId host, Sink& sink) override;
  void on_restart(HostId host, bool tail_lost, Sink& sink) override;
  void on_settled(Sink& sink) override;
  void limit_memory(std::size_t bytes) override { limit_ = bytes; }
  void render_with(const Rendering& rendering) override { format_.rendering = rendering; }
  [[nodiscard]] std::size_t memory() const override { return bytes_; }
  [[nodiscard]] bool knows(HostId host) const override {
    return host.role() < hosts_.size() && host.index() < hosts_[host.role()];
  }

 protected:
  /// `hosts`: how many of each role.
  explicit Base(std::vector<std::uint32_t> hosts) : hosts_(std::move(hosts)) {
    for (const std::uint32_t count : hosts_) progress_.emplace_back(count);
  }

  [[nodiscard]] virtual std::unique_ptr<RunBase> make_run() const = 0;
  /// Whether events of this type received a message; they begin with its id (two words) and its sender (one word).
  [[nodiscard]] virtual bool receives(std::uint16_t type) const = 0;
  /// Whether the run holds the message that the event received, as sent. Used when no id says where it was sent.
  [[nodiscard]] virtual bool was_sent(const RunBase& run, const Event& event) const = 0;
  /// Checks one event whose causes have been checked. False: it is none of the specification.
  [[nodiscard]] virtual bool apply(RunBase& run, const Event& event, Joined joined, Sink& sink) = 0;
  /// What is known of a host in the run; the host is one of the topology.
  [[nodiscard]] virtual Knowledge& knowledge(RunBase& run, HostId host) const = 0;
  /// The bytes that the run's facts take, estimated.
  [[nodiscard]] virtual std::size_t weight(const RunBase& run) const = 0;
  /// Forgets the messages sent in this run, and with them that they are complete.
  virtual void forget_messages(RunBase& run) = 0;

  /// Forgets what losses made uncertain. Before `knowledge` is used.
  void refresh(Knowledge& knowledge, HostId host) const;
  /// Whether the host's state may be compared with others'.
  [[nodiscard]] bool joined(const Knowledge& knowledge, HostId host) const;
  /// Whether all that the run's hosts have done rests on events that were checked. If not, it is not known of any
  /// message that it was not sent.
  [[nodiscard]] bool caught_up(const RunBase& run) const { return run.ahead_until <= round_; }
  /// A state was seen: it is known now. After a loss it fits to others' only once everything before it is checked.
  void seen(Knowledge& knowledge, HostId host) const;

  /// Judges one formula.
  template <class Formula>
  Verdict judge(std::size_t rule, const Event& event, Sink& sink, const Formula& formula) {
    begin();
    const bool holds = formula();
    const Verdict answer = verdict(holds);
    if (answer == Verdict::violated) {
      const std::string detail = witness();
      sink.verdict(rule, answer, event, detail, hosts_read(formula));
    } else {
      sink.verdict(rule, answer, event);
    }
    return answer;
  }
  /// Judges a formula of one state, unless it is certain that its answer is the last one: that one was not unknown, and
  /// neither has anything changed that the formula reads (`touched`), nor was a new value seen since (`values`).
  template <class Formula>
  void judge_again(std::size_t rule, bool touched, std::size_t values, RunBase::Answer& last, const Event& event,
                   Sink& sink, const Formula& formula) {
    if (!touched && last.known && last.values == values) return;
    last.known = judge(rule, event, sink, formula) != Verdict::unknown;
    last.values = values;
  }
  /// Judges a step by the specification: `guard(before)` and `effect(before, sent)`, which changes its arguments.
  /// Afterwards the host is in the state that was observed, whatever the specification says.
  template <class State, class Messages, class Guard, class Effect, class Difference>
  void judge_step(std::size_t guard_rule, std::size_t effect_rule, const Event& event, Tracked<State>& host,
                  State after, Messages& sent, Sink& sink, const Guard& guard, const Effect& effect,
                  const Difference& difference) {
    refresh(host, event.host);
    host.before_known = host.known;
    host.before_seen = host.seen;
    host.before = std::move(host.state);
    if (host.known) {
      judge(guard_rule, event, sink, [&] { return guard(host.before); });
      State expected = host.before;
      Messages messages;
      begin();
      const bool possible = effect(expected, messages);
      if (verdict(possible) == Verdict::unknown) {
        host.complete = false;
        sink.verdict(effect_rule, Verdict::unknown, event);
      } else if (!possible) {
        sink.verdict(effect_rule, Verdict::violated, event, "no choice of the step allows this");
      } else if (expected == after) {
        sink.verdict(effect_rule, Verdict::passed, event);
      } else {
        sink.verdict(effect_rule, Verdict::violated, event, difference(expected, after));
      }
      sent.merge(messages);
    } else {
      sink.verdict(guard_rule, Verdict::unknown, event);
      sink.verdict(effect_rule, Verdict::unknown, event);
      host.complete = false;
    }
    host.state = std::move(after);
    if (host.constants) seen(host, event.host);
  }
  /// Takes in a snapshot. `fresh`: the host begins its first life in this run, in a state that `initial` allows.
  template <class State, class Initial>
  void judge_snapshot(std::size_t initial_rule, std::size_t restart_rule, const Event& event, Tracked<State>& host,
                      const State& state, bool fresh, Sink& sink, const Initial& initial) {
    refresh(host, event.host);
    host.before_known = false;
    host.before_seen = host.seen;
    host.before = host.state;
    const bool first = !host.seen;
    if (fresh && first) judge(initial_rule, event, sink, [&] { return initial(state); });
    const bool continued = host.resumable && host.state == state;
    if (!first) sink.verdict(restart_rule, continued ? Verdict::passed : Verdict::unknown, event);
    const std::uint64_t joined_at = host.joined_at;
    host.state = state;
    host.constants = true;
    seen(host, event.host);
    if (continued) {
      host.complete = host.was_complete;
      host.joined_at = joined_at;
    } else if (fresh && first) {
      host.complete = true;
      host.joined_at = 0;
    }
    host.resumable = false;
  }

  /// Judges what relates the last state that was seen to the present one, whatever lies between.
  template <class State, class Relation>
  void judge_since(std::size_t rule, const Event& event, const Tracked<State>& host, const State& after, Sink& sink,
                   const Relation& relation) {
    if (host.seen) judge(rule, event, sink, [&] { return relation(host.state, after); });
  }

  std::vector<std::uint32_t> hosts_;

 private:
  struct Progress {
    std::uint64_t place = 0;     ///< incarnation << 40 | sequence of the last event handed over
    std::uint64_t losses = 0;    ///< gaps and restarts that lost events
    std::uint64_t restarts = 0;  ///< those that lost nothing
    std::uint64_t required = 0;  ///< others have received what it sent here
  };
  /// Of a host of the topology.
  Progress& progress(HostId host) { return progress_[host.role()][host.index()]; }
  [[nodiscard]] const Progress& progress(HostId host) const { return progress_[host.role()][host.index()]; }
  RunBase& run(std::uint64_t key);
  void weigh(RunBase& run);
  void make_room(const RunBase& keep);
  [[nodiscard]] bool ready(const RunBase& run, const Event& event) const;
  void note_ahead(RunBase& run, const Event& event, Joined joined);
  bool finish(RunBase& run, const Event& event, Joined joined, Sink& sink);
  void mark_held(HostId host);
  void release(RunBase& run, Sink& sink, bool settled);

  std::vector<std::vector<Progress>> progress_;  ///< by role and index
  std::list<std::unique_ptr<RunBase>> runs_;     ///< the last used first
  std::map<std::uint64_t, std::list<std::unique_ptr<RunBase>>::iterator> by_key_;
  std::set<std::uint64_t> holding_;  ///< keys of runs with held events
  std::uint64_t round_ = 0;
  std::size_t bytes_ = 0;
  std::size_t limit_ = std::size_t{32} << 20;
};

}  // namespace tenet::monitor::spec
