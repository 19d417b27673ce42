// Reports; the event file is read back by a decoder of the test's own (Debian ships no independent one).
#include "tenet/training/check_report.h"

#include <bit>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "toy_job.h"

namespace tenet::training {
namespace {

using namespace testing;

class Reports : public ::testing::Test {
 protected:
  void SetUp() override {
    const ScratchFolder folder;
    {
      TraceScript t(folder / "run");
      ToyJob job;
      job.zero_grad_until = 5;
      job.run(t);
      t.scalar("loop.loss", 1.5);
      t.step(30);
      t.scalar("loop.loss", 0.5);
    }
    Invariant i;
    i.relation = Relation::before;
    i.subject = "torch.optim.Optimizer.zero_grad";
    i.object = "torch.Tensor.backward";
    set_.invariants.push_back(i);
    auto result = check_run(folder.path(), set_, {});
    ASSERT_TRUE(result);
    results_.push_back({"<run>", std::move(*result)});
  }
  InvariantSet set_;
  std::vector<NamedResult> results_;
};

TEST_F(Reports, Console) {
  const std::string text = console_report(results_, set_, {});
  EXPECT_NE(text.find("violated"), std::string::npos);
  EXPECT_NE(text.find("step 5"), std::string::npos);
}

TEST_F(Reports, Json) {
  const auto document = nlohmann::json::parse(json_report(results_, set_));
  EXPECT_EQ(document["runs"][0]["status"], 1);
  EXPECT_EQ(document["runs"][0]["groups"][0]["step"], 5);
}

TEST_F(Reports, HtmlIsEscapedAndSelfContained) {
  const std::string page = html_report(results_, set_);
  EXPECT_NE(page.find("&lt;run&gt;"), std::string::npos);
  EXPECT_EQ(page.find("<run>"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_NE(page.find("<polyline"), std::string::npos);
}

// A bitwise CRC-32C and a protocol buffer walker, written from the formats' descriptions and not from the encoder.
std::uint32_t castagnoli(const std::uint8_t* data, std::size_t size) {
  std::uint32_t table[256];
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1U) != 0 ? 0x82F63B78U ^ (c >> 1U) : c >> 1U;
    table[i] = c;
  }
  std::uint32_t crc = 0xFFFFFFFFU;
  for (std::size_t i = 0; i < size; ++i) crc = table[(crc ^ data[i]) & 0xFFU] ^ (crc >> 8U);
  return crc ^ 0xFFFFFFFFU;
}

template <typename Integer>
Integer fixed(const std::uint8_t* data) {
  Integer value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

using Message = std::multimap<unsigned, std::vector<std::uint8_t>>;
Message walk(const std::vector<std::uint8_t>& data) {
  Message fields;
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = data.at(at++);
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if ((byte & 0x80U) == 0) return value;
    }
  };
  while (at < data.size()) {
    const std::uint64_t key = varint();
    std::size_t size = 0;
    std::vector<std::uint8_t> value;
    switch (key & 7U) {
      case 0: {
        const std::uint64_t number = varint();
        value.resize(8);
        std::memcpy(value.data(), &number, 8);
        fields.emplace(static_cast<unsigned>(key >> 3U), value);
        continue;
      }
      case 1:
        size = 8;
        break;
      case 2:
        size = varint();
        break;
      case 5:
        size = 4;
        break;
      default:
        ADD_FAILURE() << "wire type";
        return fields;
    }
    value.assign(data.begin() + static_cast<std::ptrdiff_t>(at), data.begin() + static_cast<std::ptrdiff_t>(at + size));
    at += size;
    fields.emplace(static_cast<unsigned>(key >> 3U), value);
  }
  return fields;
}

std::string text(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

TEST_F(Reports, TensorBoardEventsAreWellFormed) {
  EXPECT_EQ(castagnoli(reinterpret_cast<const std::uint8_t*>("123456789"), 9), 0xE3069283U);  // the known check value
  const auto bytes = tensorboard_events(results_[0].result, 123.5);
  std::map<std::string, std::map<std::int64_t, float>> scalars;
  std::size_t at = 0;
  std::size_t events = 0;
  while (at < bytes.size()) {
    const auto size = fixed<std::uint64_t>(bytes.data() + at);
    const auto unmask = [](std::uint32_t crc) { return std::rotl(crc - 0xA282EAD8U, 15); };
    ASSERT_EQ(unmask(fixed<std::uint32_t>(bytes.data() + at + 8)), castagnoli(bytes.data() + at, 8));
    const std::vector<std::uint8_t> event(bytes.begin() + static_cast<std::ptrdiff_t>(at + 12),
                                          bytes.begin() + static_cast<std::ptrdiff_t>(at + 12 + size));
    ASSERT_EQ(unmask(fixed<std::uint32_t>(bytes.data() + at + 12 + size)), castagnoli(event.data(), size));
    at += 16 + size;
    const Message fields = walk(event);
    EXPECT_EQ(fixed<double>(fields.find(1)->second.data()), 123.5);
    if (events++ == 0) {
      EXPECT_EQ(text(fields.find(3)->second), "brain.Event:2");
      continue;
    }
    const Message value = walk(walk(fields.find(5)->second).find(1)->second);
    scalars[text(value.find(1)->second)][fixed<std::int64_t>(fields.find(2)->second.data())] =
        fixed<float>(value.find(2)->second.data());
  }
  EXPECT_EQ(scalars["tenet/violations"][5], 1.0F);
  EXPECT_EQ(scalars["tenet/loop.loss"][30], 0.5F);
}

}  // namespace
}  // namespace tenet::training
