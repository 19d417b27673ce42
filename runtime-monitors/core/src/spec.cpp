#include "tenet/monitor/spec.h"

#include "json.h"
#include "ring_file.h"

namespace tenet::monitor::spec {
namespace {

constexpr std::size_t kRunBytes = 1024;
constexpr std::size_t kHeldPerRun = 4096;

std::uint64_t place(const Event& event) {
  return (static_cast<std::uint64_t>(event.incarnation) << kSequenceBits) | event.sequence;
}

// The sending that a receiving event names, and who sent it.
struct Sending {
  MessageId id;
  HostId sender;
};
Sending sending(const Event& event) {
  Sending s;
  if (event.words.size() < 3) return s;
  s.id = MessageId(event.words[0], event.words[1]);
  s.sender = HostId{static_cast<std::uint32_t>(event.words[2])};
  return s;
}

std::string hashed(std::uint64_t value, const Rendering& rendering) {
  const std::uint64_t salted[2] = {value, rendering.salt};
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "~";
  std::uint64_t hash = tenet_monitor_v1_hash(salted, sizeof salted);
  for (int i = 0; i < 8; ++i, hash >>= 4) out += kDigits[hash & 15];
  return out;
}

}  // namespace

std::string show(std::int64_t value, const Format& format) {
  if (format.json || format.rendering.reveal) return std::to_string(value);
  return hashed(static_cast<std::uint64_t>(value), format.rendering);
}
std::string show_number(std::uint64_t value, const Format& format) {
  if (format.json || format.rendering.reveal) return std::to_string(value);
  return hashed(value, format.rendering);
}
std::string show_name(const std::string& name, const Format& format) { return format.json ? quoted(name) : name; }
std::string show_id(const MessageId& id, const std::string& host, const Format& format) {
  if (!id.known()) return format.json ? "null" : "";
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kSequenceBits) - 1;
  return show_name(
      host + "/" + std::to_string(id.sequence >> kSequenceBits) + "/" + std::to_string(id.sequence & kMask), format);
}
std::string show_fields(const std::vector<std::pair<std::string, std::string>>& fields, const Format& format) {
  std::string out;
  const bool object = format.json || format.parts;
  for (const auto& [name, value] : fields) {
    if (!out.empty()) out += object ? "," : ", ";
    out += object ? quoted(name) + ":" + (format.parts ? quoted(value) : value) : name + " = " + value;
  }
  return object ? "{" + out + "}" : out;
}

std::string show_event(const Event& event, const std::string& host, const std::string& kind, const std::string& name,
                       const std::vector<Part>& parts, const Format& format) {
  if (format.json) {
    std::string out = "{\"host\":" + quoted(host) + ",\"incarnation\":" + std::to_string(event.incarnation) +
                      ",\"sequence\":" + std::to_string(event.sequence) + ",\"key\":" + std::to_string(event.key) +
                      ",\"" + kind + "\":" + quoted(name);
    for (const auto& [label, text] : parts) out += "," + quoted(label) + ":" + text;
    return out + "}";
  }
  if (format.parts) {
    std::string out = "{" + quoted(kind) + ":" + quoted(name);
    for (const auto& [label, text] : parts) {
      // Fields are objects already; no name begins like one.
      if (!text.empty()) out += "," + quoted(label) + ":" + (text[0] == '{' ? text : quoted(text));
    }
    return out + "}";
  }
  std::string out = kind + " " + name;
  const char* separator = ", ";
  for (const auto& [label, text] : parts) {
    if (text.empty()) continue;
    out += separator + label + ": " + text;
    separator = "; ";
  }
  return out;
}

std::string show_beginning(const Event& event, const std::string& host) {
  if (event.type != 0 || event.words.size() != 2) return {};
  const auto number = [](std::uint64_t value) { return std::to_string(value); };
  return "{\"host\":" + quoted(host) + ",\"incarnation\":" + number(event.incarnation) +
         ",\"sequence\":" + number(event.sequence) + ",\"begins_after\":{\"incarnation\":" + number(event.words[0]) +
         ",\"sequence\":" + number(event.words[1]) + "}}";
}

std::int64_t Evaluation::divided(std::int64_t a, std::int64_t b) const {
  if (b == 0 || (b == -1 && a == INT64_MIN)) return checked(true, 0);
  const std::int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}
std::int64_t Evaluation::modulo(std::int64_t a, std::int64_t b) const {
  if (b == 0) return checked(true, 0);
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return (rest != 0 && (rest < 0) != (b < 0)) ? rest + b : rest;
}

void Base::refresh(Knowledge& knowledge, HostId host) const {
  const Progress& p = progress(host);
  if (knowledge.losses != p.losses) {
    knowledge.known = knowledge.complete = knowledge.resumable = false;
  } else if (knowledge.restarts != p.restarts) {
    knowledge.resumable = knowledge.known;
    knowledge.was_complete = knowledge.complete;
    knowledge.known = knowledge.complete = false;
  }
  knowledge.losses = p.losses;
  knowledge.restarts = p.restarts;
}

bool Base::joined(const Knowledge& knowledge, HostId host) const {
  note_read(host);
  const Progress& p = progress(host);
  return knowledge.known && knowledge.joined_at <= round_ && p.place >= p.required;
}

void Base::seen(Knowledge& knowledge, HostId host) const {
  refresh(knowledge, host);
  if (!knowledge.known) knowledge.joined_at = round_ + 2;
  knowledge.known = true;
  knowledge.seen = true;
}

RunBase& Base::run(std::uint64_t key) {
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    runs_.splice(runs_.begin(), runs_, found->second);
    return *runs_.front();
  }
  runs_.push_front(make_run());
  runs_.front()->key = key;
  by_key_[key] = runs_.begin();
  return *runs_.front();
}

void Base::weigh(RunBase& run) {
  bytes_ -= run.bytes;
  run.bytes = kRunBytes + weight(run);
  for (const auto& [host, events] : run.held) {
    for (const auto& held : events) run.bytes += sizeof(Event) + held.event.words.size() * sizeof(std::uint64_t);
  }
  bytes_ += run.bytes;
}

// Runs that were not used for longest are forgotten: their hosts are unknown when they come again.
void Base::make_room(const RunBase& keep) {
  while (bytes_ > limit_ && runs_.size() > 1 && runs_.back().get() != &keep) {
    bytes_ -= runs_.back()->bytes;
    by_key_.erase(runs_.back()->key);
    holding_.erase(runs_.back()->key);
    runs_.pop_back();
  }
  if (bytes_ <= limit_) return;
  RunBase& only = **by_key_[keep.key];
  forget_messages(only);
  weigh(only);
}

bool Base::ready(const RunBase& run, const Event& event) const {
  if (!receives(event.type)) return true;
  const Sending s = sending(event);
  if (!s.id.known()) return was_sent(run, event);
  const HostId from{static_cast<std::uint32_t>(s.id.host - 1)};
  if (!knows(from) || progress(from).place < s.id.sequence) return false;
  const auto waiting = run.held.find(from);
  return waiting == run.held.end() || waiting->second.empty() || place(waiting->second.front().event) > s.id.sequence;
}

// What a host says may rest on what others did and what was not checked yet, if its own way there is not known: after a
// loss, or after a restart into another state than it was in. Until all that was published before has been checked,
// that something was not sent is not known either.
void Base::note_ahead(RunBase& run, const Event& event, Joined joined) {
  if (!knows(event.host)) return;
  Knowledge& teller = knowledge(run, event.host);
  refresh(teller, event.host);
  if (receives(event.type) && joined == Joined::matched) {
    // What the sender's state may be too old for, the receiver's may be, too.
    const Sending s = sending(event);
    const HostId from = s.id.known() ? HostId{static_cast<std::uint32_t>(s.id.host - 1)} : s.sender;
    if (knows(from)) {
      Knowledge& sender = knowledge(run, from);
      refresh(sender, from);
      teller.joined_at = std::max(teller.joined_at, sender.known ? sender.joined_at : round_ + 2);
    }
  }
  const bool lost_its_way = !teller.known && (teller.seen || progress(event.host).losses > 0);
  if (lost_its_way) run.ahead_until = std::max(run.ahead_until, round_ + 2);
  if (teller.known) run.ahead_until = std::max(run.ahead_until, teller.joined_at);
}

bool Base::finish(RunBase& run, const Event& event, Joined joined, Sink& sink) {
  note_ahead(run, event, joined);
  sink.remember(event);
  return apply(run, event, joined, sink);
}

bool Base::on_event(const Event& event, Sink& sink) {
  if (!knows(event.host)) return false;
  Progress& p = progress(event.host);
  p.place = std::max(p.place, place(event));
  RunBase& r = run(event.key);
  bool fine = true;
  if (r.held.count(event.host) == 0 && ready(r, event)) {
    fine = finish(r, event, Joined::matched, sink);
    if (!r.held.empty()) release(r, sink, false);
  } else {
    auto& held = r.held[event.host];
    if (held.size() >= kHeldPerRun) {  // too much to wait for
      held.clear();
      on_gap(event.host, sink);
    }
    held.push_back({event, round_});
    holding_.insert(event.key);
  }
  weigh(r);
  make_room(r);
  return fine;
}

// Held events of the host come before the loss: in their runs, the loss has to wait for its place.
void Base::mark_held(HostId host) {
  for (const std::uint64_t key : holding_) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) continue;
    const auto held = (*found->second)->held.find(host);
    if (held != (*found->second)->held.end() && !held->second.empty()) held->second.push_back({Event{}, round_});
  }
}

void Base::on_gap(HostId host, Sink&) {
  ++progress(host).losses;
  mark_held(host);
}

void Base::on_restart(HostId host, bool tail_lost, Sink&) {
  Progress& p = progress(host);
  ++(tail_lost ? p.losses : p.restarts);
  mark_held(host);
}

// Lets go of events whose causes are there; with `settled` also of those that have waited two rounds.
void Base::release(RunBase& run, Sink& sink, bool settled) {
  for (bool again = true; again;) {
    again = false;
    for (auto& [host, events] : run.held) {
      while (!events.empty()) {
        if (events.front().event.type == 0) {
          Knowledge& lost = knowledge(run, host);
          lost.known = lost.complete = lost.resumable = false;
          events.pop_front();
          again = true;
          continue;
        }
        const bool matched = ready(run, events.front().event);
        if (!matched && !(settled && events.front().round + 2 <= round_)) break;
        const Event event = std::move(events.front().event);
        events.pop_front();
        again = true;
        if (matched) {
          if (!finish(run, event, Joined::matched, sink)) on_gap(event.host, sink);
          continue;
        }
        // Its cause is lost, or comes later: the sender's state is too old to be compared.
        const Sending s = sending(event);
        const HostId from = s.id.known() ? HostId{static_cast<std::uint32_t>(s.id.host - 1)} : s.sender;
        if (knows(from)) {
          Progress& p = progress(from);
          if (s.id.known()) p.required = std::max(p.required, s.id.sequence);
          ++p.losses;
        }
        if (!finish(run, event, Joined::by_content, sink)) on_gap(event.host, sink);
      }
    }
  }
  for (auto h = run.held.begin(); h != run.held.end();) h = h->second.empty() ? run.held.erase(h) : std::next(h);
  if (run.held.empty()) holding_.erase(run.key);
}

void Base::on_settled(Sink& sink) {
  ++round_;
  const std::vector<std::uint64_t> keys(holding_.begin(), holding_.end());
  for (const std::uint64_t key : keys) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) continue;
    release(**found->second, sink, true);
    weigh(**found->second);
  }
}

}  // namespace tenet::monitor::spec
