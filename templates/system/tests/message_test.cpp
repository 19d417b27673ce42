// Messages as bytes, and bytes that are none.
#include "message.h"

#include <gtest/gtest.h>

namespace mysystem_service {
namespace {

std::vector<Message> one_of_each() {
  const std::string zero("a\0b", 3);
  const std::vector<Body> bodies = {Replicate{"key", 1, zero}, Stored{"", 2}, Request{3, true, zero, "v"},
                                    Reply{4, 5, ""}};
  std::vector<Message> messages;
  for (const Body& body : bodies) messages.push_back({{6, 7}, body});
  return messages;
}

TEST(Message, ComesBackAsItWas) {
  EXPECT_EQ(one_of_each().size(), std::variant_size_v<Body>);
  for (const Message& message : one_of_each()) {
    const std::string bytes = encode(message);
    Message again;
    ASSERT_TRUE(decode(bytes, again));
    EXPECT_EQ(again.body.index(), message.body.index());
    EXPECT_EQ(encode(again), bytes);
  }
}

TEST(Message, IsNoneIfItIsCutOrTooLong) {
  for (const Message& message : one_of_each()) {
    const std::string bytes = encode(message);
    Message again;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(decode(std::string_view(bytes).substr(0, size), again)) << size;
    }
    EXPECT_FALSE(decode(bytes + '\0', again));
  }
}

}  // namespace
}  // namespace mysystem_service
