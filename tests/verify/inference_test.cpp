#include "inference.h"

#include <gtest/gtest.h>

#include "tenet/frontend/frontend.h"

namespace tenet::verify {
namespace {

// Clauses say which of two numbers is larger, and no more.
const SourceFile kTwice("twice.tenet", R"(protocol twice
role Node {
  var a: nat = 0
  var b: nat = 0
  step go { a += 1  b += 2 }
}
safety two: forall n: Node :: n.b == 4 => n.a == 2
)");

TEST(Inference, UsesWhatTheProverDerived) {
  const auto loaded = frontend::load_protocol(kTwice);
  ASSERT_TRUE(loaded.protocol.has_value());
  const std::vector<ir::PropertyId> two{ir::PropertyId(std::size_t{0})};
  Options options;
  options.prove_seconds = 20;
  const Runner runner(options);
  EXPECT_TRUE(infer(runner, options, Seeded{*loaded.protocol, {}}, two).proved.empty());
  const Seeded more = seeded(kTwice, *loaded.protocol,
                             {{"monotone", "forall n: Node :: old(n.a) <= n.a"},
                              {"state", "what the language cannot say"},
                              {"state", "forall n: Node :: n.b == n.a + n.a"}});
  EXPECT_EQ(more.seeds.size(), 1U);
  const Inference found = infer(runner, options, more, two);
  EXPECT_EQ(found.proved, two) << found.reason;
}

}  // namespace
}  // namespace tenet::verify
