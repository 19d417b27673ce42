#include "streams.h"

#include <algorithm>
#include <utility>

#include "ring_file.h"

namespace tenet::monitor {
namespace {

constexpr std::size_t kGapsKept = 256;
constexpr std::size_t kNodeBytes = 160;  // of a waiting event beside its words

std::uint64_t place(const Event& event) {
  return (static_cast<std::uint64_t>(event.incarnation) << kSequenceBits) | event.sequence;
}
std::uint64_t incarnation(std::uint64_t at) { return at >> kSequenceBits; }
std::size_t weight(const Event& event) { return kNodeBytes + event.words.size() * sizeof(std::uint64_t); }

}  // namespace

void Streams::add(Event event) {
  Stream& stream = streams_[event.host];
  const std::uint64_t at = place(event);
  if (stream.known && at < stream.next) {
    const bool was_missing = std::any_of(stream.missing.begin(), stream.missing.end(),
                                         [&](const Missing& m) { return m.from <= at && at < m.to; });
    ++(was_missing ? counts_.late : counts_.duplicates);
    return;
  }
  const std::size_t size = weight(event);
  if (stream.waiting.emplace(at, std::move(event)).second) {
    bytes_ += size;
  } else {
    ++counts_.duplicates;
  }
}

bool Streams::follow(const Event& event, const Receiver& receiver) {
  const auto stream = streams_.find(event.host);
  if (stream == streams_.end() || !stream->second.known || !stream->second.waiting.empty()) return false;
  if (place(event) != stream->second.next) return false;
  ++stream->second.next;
  receiver.event(event);
  return true;
}

void Streams::deliver(const Receiver& receiver, bool force) {
  for (auto& [host, stream] : streams_) deliver(host, stream, receiver, force || bytes_ > limit_);
}

void Streams::deliver_following(const Receiver& receiver) {
  for (auto& [host, stream] : streams_) {
    while (stream.known && !stream.waiting.empty() && stream.waiting.begin()->first == stream.next) {
      hand_out_first(stream, receiver);
    }
  }
  if (bytes_ > limit_) deliver(receiver, true);
}

void Streams::hand_out_first(Stream& stream, const Receiver& receiver) {
  const auto first = stream.waiting.begin();
  const Event event = std::move(first->second);
  stream.known = true;
  stream.next = first->first + 1;
  bytes_ -= weight(event);
  stream.waiting.erase(first);
  receiver.event(event);
}

void Streams::give_up(Stream& stream, std::uint64_t until) {
  ++counts_.gaps;
  if (stream.missing.size() == kGapsKept) stream.missing.erase(stream.missing.begin());
  stream.missing.push_back({stream.next, until});
}

// The incarnation's first event says how far the one before had come.
void Streams::begin_incarnation(HostId host, Stream& stream, const Event& first, const Receiver& receiver) {
  const bool says = first.type == 0 && first.sequence == 1 && first.words.size() == 2;
  const std::uint64_t last = says ? (first.words[0] << kSequenceBits) | first.words[1] : 0;
  const bool first_ever = says && first.words[0] == 0;
  if (stream.known || !first_ever) {
    const bool whole = says && stream.known && last + 1 == stream.next;
    ++counts_.restarts;
    receiver.restart(host, !whole);
    if (stream.known && !whole) give_up(stream, place(first));
    if (!stream.known) stream.missing.push_back({0, place(first)});  // what comes of it still comes late
  }
  stream.next = (static_cast<std::uint64_t>(first.incarnation) << kSequenceBits) | 1;
}

void Streams::deliver(HostId host, Stream& stream, const Receiver& receiver, bool force) {
  while (!stream.waiting.empty()) {
    auto first = stream.waiting.begin();
    const std::uint64_t at = first->first;
    const bool begins = !stream.known || incarnation(at) != incarnation(stream.next);
    const bool in_order = begins ? first->second.sequence == 1 : at == stream.next;
    if (!in_order && !force) {
      // A newer incarnation waits behind: nothing more will come of this one.
      const bool over = !begins && incarnation(stream.waiting.rbegin()->first) != incarnation(at);
      if (!stream.gap_seen) {
        stream.gap_seen = true;
        stream.since = Clock::now();
      }
      if (!over && Clock::now() - stream.since < wait_) return;
    }
    stream.gap_seen = false;
    if (begins) begin_incarnation(host, stream, first->second, receiver);
    if (stream.next != at) {
      give_up(stream, at);
      receiver.gap(host);
    }
    hand_out_first(stream, receiver);
  }
}

bool Streams::settle(const Issued& issued, const Receiver& receiver, bool force) {
  bool settled = true;
  for (const auto& [host, last] : issued) {
    Stream& stream = streams_[host];
    if (stream.known && stream.next > last) {
      stream.tail_seen = false;
      continue;
    }
    if (!stream.waiting.empty()) {
      settled = false;
      continue;
    }
    if (!stream.tail_seen) {
      stream.tail_seen = true;
      stream.tail_since = Clock::now();
    }
    if (!force && Clock::now() - stream.tail_since < wait_) {
      settled = false;
      continue;
    }
    stream.tail_seen = false;
    if (!stream.known) stream.next = 0;
    give_up(stream, last + 1);
    stream.known = true;
    stream.next = last + 1;
    receiver.gap(host);
  }
  for (const auto& [host, stream] : streams_) settled = settled && stream.waiting.empty();
  return settled;
}

}  // namespace tenet::monitor
