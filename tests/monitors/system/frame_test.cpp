// Frames in a stream, and structs as bytes.
#include "tenet/system/frame.h"

#include <gtest/gtest.h>

#include "tenet/system/wire.h"

namespace tenet::system {
namespace {

TEST(Frame, ComesInPieces) {
  const std::vector<std::string> bodies = {"", "a", std::string(300, 'b'), std::string("\0\xff", 2)};
  std::string bytes;
  for (const std::string& body : bodies) bytes += frame(body);
  for (const std::size_t piece : {1UL, 3UL, 7UL, 1000UL}) {
    FrameParser parser;
    std::vector<std::string> again;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      EXPECT_TRUE(parser.feed(std::string_view(bytes).substr(at, piece), [&](std::string_view body) {
        again.emplace_back(body);
        return true;
      }));
    }
    EXPECT_EQ(again, bodies);
  }
}

TEST(Frame, IsRefusedIfItIsTooLongOrNoMessage) {
  FrameParser long_one, broken;
  EXPECT_FALSE(long_one.feed("\xff\xff\xff\xff", [](std::string_view) {
    ADD_FAILURE() << "there is no message";
    return true;
  }));
  EXPECT_FALSE(broken.feed(std::string("\x03\0\0\0abc", 7), [](std::string_view) { return false; }));
}

struct Point {
  std::uint64_t x = 0;
  std::optional<std::string> name;
  friend auto operator<=>(const Point&, const Point&) = default;
};
void fields(auto& archive, Point& point) { each(archive, point.x, point.name); }
struct Drawing {
  std::set<Point> points;
  std::map<std::uint64_t, std::vector<std::uint32_t>> lines;
  friend bool operator==(const Drawing&, const Drawing&) = default;
};
void fields(auto& archive, Drawing& drawing) { each(archive, drawing.points, drawing.lines); }

TEST(Wire, ComesBackAndIsRefusedIfItIsCut) {
  const Drawing drawing{{{1, "one"}, {2, {}}}, {{7, {1, 2, 3}}, {9, {}}}};
  const std::string bytes = encoded(drawing);
  Drawing again;
  ASSERT_TRUE(decoded(bytes, again));
  EXPECT_EQ(again, drawing);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decoded(std::string_view(bytes).substr(0, size), again)) << size;
  }
  EXPECT_FALSE(decoded(bytes + '\0', again));
}

TEST(Wire, HasOneWayToWriteASet) {
  Writer unsorted;
  unsorted(std::uint64_t{2});
  unsorted(std::uint64_t{5});
  unsorted(std::uint64_t{4});
  std::set<std::uint64_t> numbers;
  EXPECT_FALSE(decoded(unsorted.bytes, numbers));
}

TEST(Wire, NeedsNoMemoryForAWrongSize) {
  std::vector<std::uint64_t> numbers;
  EXPECT_FALSE(decoded(std::string(8, '\xff'), numbers));
  EXPECT_TRUE(numbers.empty());
}

}  // namespace
}  // namespace tenet::system
