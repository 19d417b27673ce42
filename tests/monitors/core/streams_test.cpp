#include "streams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace {

using tenet::monitor::Event;
using tenet::monitor::HostId;
using tenet::monitor::Streams;

Event event(std::uint32_t incarnation, std::uint64_t sequence) {
  Event e;
  e.type = 16;
  e.incarnation = incarnation;
  e.sequence = sequence;
  return e;
}
Event begins(std::uint32_t incarnation, std::uint64_t last) {
  Event e = event(incarnation, 1);
  e.type = 0;
  e.words = {incarnation - 1, last};
  return e;
}

/// What comes out, in one line: `1.2` is an event, `gap` and `restart` as they are told.
struct Log {
  std::string text;
  Streams::Receiver receiver{
      [this](const Event& e) { text += std::to_string(e.incarnation) + "." + std::to_string(e.sequence) + " "; },
      [this](HostId) { text += "gap "; },
      [this](HostId, bool tail_lost) { text += tail_lost ? "restart(lost) " : "restart "; }};
};

TEST(Streams, OrdersWhatComesOutOfOrder) {
  Streams streams(1 << 20, std::chrono::hours(1));
  Log log;
  for (const std::uint64_t s : {3u, 2u, 4u}) streams.add(event(1, s));
  streams.deliver(log.receiver, false);
  EXPECT_EQ(log.text, "");
  streams.add(begins(1, 0));
  streams.deliver(log.receiver, false);
  EXPECT_EQ(log.text, "1.1 1.2 1.3 1.4 ");
}

TEST(Streams, OnlyTheNextEventOfAKnownHostFollows) {
  Streams streams(1 << 20, std::chrono::hours(1));
  Log log;
  EXPECT_FALSE(streams.follow(begins(1, 0), log.receiver)) << "nothing is known of the host yet";
  streams.add(begins(1, 0));
  streams.deliver(log.receiver, false);
  EXPECT_TRUE(streams.follow(event(1, 2), log.receiver));
  EXPECT_FALSE(streams.follow(event(1, 2), log.receiver)) << "a duplicate";
  EXPECT_FALSE(streams.follow(event(1, 4), log.receiver)) << "one is missing";
  streams.add(event(1, 4));
  EXPECT_FALSE(streams.follow(event(1, 3), log.receiver)) << "what waits is handed out with it";
  streams.add(event(1, 3));
  streams.deliver(log.receiver, false);
  EXPECT_FALSE(streams.follow(begins(2, 4), log.receiver)) << "another incarnation";
  EXPECT_TRUE(streams.follow(event(1, 5), log.receiver));
  EXPECT_EQ(log.text, "1.1 1.2 1.3 1.4 1.5 ");
}

TEST(Streams, GivesUpAGapWhenForcedAndCountsWhatComesLate) {
  Streams streams(1 << 20, std::chrono::hours(1));
  Log log;
  streams.add(begins(1, 0));
  streams.add(event(1, 4));
  streams.deliver(log.receiver, true);
  EXPECT_EQ(log.text, "1.1 gap 1.4 ");
  streams.add(event(1, 3));
  streams.add(event(1, 4));
  streams.deliver(log.receiver, true);
  EXPECT_EQ(log.text, "1.1 gap 1.4 ");
  EXPECT_EQ(streams.counts().late, 1u);
  EXPECT_EQ(streams.counts().duplicates, 1u);
  EXPECT_EQ(streams.counts().gaps, 1u);
}

TEST(Streams, GivesUpAGapWhenWaitingEventsAreTooMany) {
  Streams streams(2000, std::chrono::hours(1));
  Log log;
  streams.add(begins(1, 0));
  for (std::uint64_t s = 3; s < 50; ++s) streams.add(event(1, s));
  streams.deliver(log.receiver, false);
  EXPECT_EQ(log.text.substr(0, 12), "1.1 gap 1.3 ");
  EXPECT_EQ(streams.bytes(), 0u);
}

TEST(Streams, ARestartSaysWhetherTheEndBeforeItIsKnown) {
  Streams streams(1 << 20, std::chrono::hours(1));
  Log log;
  streams.add(begins(1, 0));
  streams.add(event(1, 2));
  streams.add(begins(2, 2));
  streams.add(begins(3, 5));
  streams.deliver(log.receiver, false);
  EXPECT_EQ(log.text, "1.1 1.2 restart 2.1 restart(lost) 3.1 ");
}

TEST(Streams, AGapAtTheEndOfAnIncarnationIsFinalOnceTheNextBegins) {
  Streams streams(1 << 20, std::chrono::hours(1));
  Log log;
  streams.add(begins(1, 0));
  streams.add(event(1, 5));
  streams.add(begins(2, 7));
  streams.deliver(log.receiver, false);
  EXPECT_EQ(log.text, "1.1 gap 1.5 restart(lost) 2.1 ");
}

TEST(Streams, AnyOrderAndAnyDuplicatesGiveTheSame) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Event> events{begins(1, 0), begins(2, 9)};
    for (std::uint64_t s = 2; s < 10; ++s) events.push_back(event(1, s));
    for (std::uint64_t s = 2; s < 10; ++s) events.push_back(event(2, s));
    for (int i = 0; i < 5; ++i) events.push_back(events[random() % events.size()]);
    std::shuffle(events.begin(), events.end(), random);
    Streams streams(1 << 20, std::chrono::hours(1));
    Log log;
    for (const Event& e : events) streams.add(e);
    streams.deliver(log.receiver, false);
    EXPECT_EQ(log.text, "1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 1.9 restart 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 ");
    EXPECT_EQ(streams.counts().duplicates, 5u);
  }
}

}  // namespace
