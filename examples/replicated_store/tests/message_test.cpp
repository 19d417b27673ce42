// Messages as bytes, and bytes that are none.
#include "message.h"

#include <gtest/gtest.h>

#include <random>

namespace replicated {
namespace {

std::vector<Message> one_of_each() {
  const Vote vote{{3, 1}, tenet::system::encoded(Batch{{{5, 6, true, "a key", std::string("with\0zero", 9)}}})};
  const std::vector<Body> bodies = {
      Prepare{1, {2, 0}}, Promise{2, {3, 1}, vote},        Promise{3, {3, 1}, {}}, Propose{4, vote}, Accept{5, vote},
      Preempt{6, {9, 2}}, Request{{7, 8, false, "k", ""}}, Answer{{9, 10, "v"}},   Beat{11},         Ask{12}};
  std::vector<Message> messages;
  for (const Body& body : bodies) messages.push_back({{4, 5}, body});
  return messages;
}

TEST(Message, ComesBackAsItWas) {
  for (const Message& message : one_of_each()) {
    const std::string bytes = encode(message);
    Message again;
    ASSERT_TRUE(decode(bytes, again)) << message.body.index();
    EXPECT_EQ(again.name.host, message.name.host);
    EXPECT_EQ(again.name.sequence, message.name.sequence);
    EXPECT_EQ(again.body.index(), message.body.index());
    EXPECT_EQ(encode(again), bytes);
  }
}

TEST(Message, IsRefusedIfItIsCutOrTooLong) {
  for (const Message& message : one_of_each()) {
    const std::string bytes = encode(message);
    Message again;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(decode(std::string_view(bytes).substr(0, size), again)) << message.body.index() << " " << size;
    }
    EXPECT_FALSE(decode(bytes + '\0', again));
  }
}

/// A fixed slice of what the fuzz target does for longer.
TEST(Message, SurvivesChangedBytes) {
  std::mt19937_64 random(1);
  const auto messages = one_of_each();
  std::size_t taken = 0;
  for (int round = 0; round < 40'000; ++round) {
    std::string bytes = encode(messages[random() % messages.size()]);
    for (std::uint64_t i = 0; i < 1 + random() % 3; ++i) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    Message message;
    if (!decode(bytes, message)) continue;
    ++taken;
    EXPECT_EQ(encode(message), bytes);
  }
  EXPECT_GT(taken, 0U);
}

}  // namespace
}  // namespace replicated
