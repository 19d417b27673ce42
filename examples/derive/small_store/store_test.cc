#include "store.h"

#include <gtest/gtest.h>

namespace store {
namespace {

class StoreTest : public testing::Test {
 protected:
  /// What a key holds, or "NOT_FOUND".
  std::string Get(const std::string& key) {
    std::string value;
    const Code code = store_.get(key, &value);
    if (code == Code::not_found) return "NOT_FOUND";
    return code == Code::ok ? value : "ERROR";
  }
  Store store_;
};

TEST_F(StoreTest, Empty) {
  EXPECT_EQ("NOT_FOUND", Get("apple"));
  EXPECT_FALSE(store_.contains("apple"));
}

TEST_F(StoreTest, ReadsWhatWasWritten) {
  ASSERT_EQ(Code::ok, store_.put("apple", "red"));
  EXPECT_EQ("red", Get("apple"));
  ASSERT_EQ(Code::ok, store_.put("plum", "blue"));
  ASSERT_EQ(Code::ok, store_.put("apple", "green"));
  EXPECT_EQ("green", Get("apple"));
  EXPECT_EQ("blue", Get("plum"));
  EXPECT_TRUE(store_.contains("plum"));
}

TEST_F(StoreTest, RemovedKeysAreGone) {
  store_.put("apple", "red");
  store_.remove("apple");
  EXPECT_EQ("NOT_FOUND", Get("apple"));
  EXPECT_FALSE(store_.contains("apple"));
  store_.put("apple", "yellow");
  std::string value;
  ASSERT_EQ(Code::ok, store_.get("apple", &value));
  EXPECT_EQ(value, "yellow");
}

TEST_F(StoreTest, CountersAddUp) {
  EXPECT_EQ(0, store_.count("visits"));
  store_.add("visits", 2);
  store_.add("visits", 3);
  EXPECT_EQ(5, store_.count("visits"));
  store_.add("errors", 1);
  EXPECT_EQ(5, store_.count("visits"));
}

TEST_F(StoreTest, InvalidKey) { EXPECT_EQ(Code::invalid, store_.put("", "x")); }

}  // namespace
}  // namespace store
