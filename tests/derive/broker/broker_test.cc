#include "broker.h"

#include <gtest/gtest.h>

#include <vector>

namespace broker {
namespace {

std::string pop_text(Queues& queues, const std::string& name) {
  const auto message = queues.pop(name);
  return message ? *message : "(none)";
}

TEST(Queues, FirstInFirstOut) {
  Queues queues;
  queues.push("mail", "a");
  queues.push("mail", "b");
  queues.push("jobs", "x");
  queues.push("mail", "c");
  EXPECT_EQ(pop_text(queues, "mail"), "a");
  EXPECT_EQ(pop_text(queues, "mail"), "b");
  EXPECT_EQ(pop_text(queues, "jobs"), "x");
  EXPECT_EQ(pop_text(queues, "mail"), "c");
  EXPECT_EQ(pop_text(queues, "mail"), "(none)");
}

TEST(Queues, FrontDoesNotTake) {
  Queues queues;
  EXPECT_FALSE(queues.front("mail").has_value());
  queues.push("mail", "a");
  queues.push("mail", "b");
  EXPECT_EQ(*queues.front("mail"), "a");
  EXPECT_EQ(*queues.front("mail"), "a");
  EXPECT_EQ(queues.size("mail"), 2);
}

TEST(Queues, Size) {
  Queues queues;
  EXPECT_EQ(queues.size("jobs"), 0);
  for (int i = 0; i < 5; ++i) {
    queues.push("jobs", std::to_string(i));
    EXPECT_EQ(queues.size("jobs"), i + 1);
  }
  queues.pop("jobs");
  EXPECT_EQ(queues.size("jobs"), 4);
}

TEST(Locks, OneOwner) {
  Locks locks;
  EXPECT_TRUE(locks.try_lock("disk", 1));
  EXPECT_FALSE(locks.try_lock("disk", 2));
  EXPECT_EQ(locks.owner("disk"), 1);
  EXPECT_TRUE(locks.unlock("disk", 1));
  EXPECT_TRUE(locks.try_lock("disk", 2));
  EXPECT_EQ(locks.owner("disk"), 2);
}

TEST(Locks, OnlyTheOwnerUnlocks) {
  Locks locks;
  ASSERT_TRUE(locks.try_lock("disk", 7));
  EXPECT_FALSE(locks.unlock("disk", 8));
  EXPECT_EQ(locks.owner("disk"), 7);
  EXPECT_TRUE(locks.unlock("disk", 7));
  EXPECT_EQ(locks.owner("disk"), 0);
  EXPECT_FALSE(locks.unlock("disk", 7));
}

TEST(Sequences, CountUp) {
  Sequences sequences;
  EXPECT_EQ(sequences.last("news"), 0);
  EXPECT_EQ(sequences.next("news"), 1);
  EXPECT_EQ(sequences.next("news"), 2);
  EXPECT_EQ(sequences.next("sport"), 1);
  sequences.skip("news", 10);
  EXPECT_EQ(sequences.last("news"), 12);
  EXPECT_EQ(sequences.next("news"), 13);
}

}  // namespace
}  // namespace broker
