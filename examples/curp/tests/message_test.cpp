// Messages as bytes, and bytes that are none.
#include <gtest/gtest.h>

#include <random>

#include "message.h"

namespace curp {
namespace {

std::vector<Message> one_of_each() {
  const Op op{3, 17, "a key"};
  const Request request{op, std::string("with\0zero", 9)};
  const std::vector<Entry> entries = {{request, 4}, {{{1, 2, ""}, ""}, 1}};
  const std::vector<Body> bodies = {Update{request, 5, true},
                                    Record{request, 6},
                                    Accepted{op, 7},
                                    Result{op, 8, 9, true},
                                    Read{10, "k"},
                                    Value{11, "k", "v", 12, 13},
                                    Replicate{14, entries},
                                    Replicated{15},
                                    Collect{16, op},
                                    Promote{17, 18, 1, 2},
                                    Fetch{},
                                    Backlog{entries},
                                    Freeze{19},
                                    Saved{20, {request}},
                                    Install{21, {0}},
                                    Start{22},
                                    Installed{23},
                                    Config{24, 1, {2, 0}},
                                    Refused{op, 25, Why::conflict},
                                    Lacks{26},
                                    Deposed{},
                                    Recovered{},
                                    AskConfig{},
                                    Heartbeat{27, 28},
                                    Lease{29},
                                    Stuck{op}};
  std::vector<Message> messages;
  for (const Body& body : bodies) messages.push_back({{Kind::witness, 4}, 1ULL << 63, {5, 6}, body});
  return messages;
}

TEST(Message, ComesBackAsItWas) {
  const auto messages = one_of_each();
  EXPECT_EQ(messages.size(), std::variant_size_v<Body>);
  for (const Message& message : messages) {
    const std::string bytes = encode(message);
    Message again;
    ASSERT_TRUE(decode(bytes, again)) << message.body.index();
    EXPECT_EQ(again.body.index(), message.body.index());
    EXPECT_EQ(again.from, message.from);
    EXPECT_EQ(encode(again), bytes);
  }
}

TEST(Message, IsNoneIfAnythingIsMissingOrTooMuch) {
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
}  // namespace curp
