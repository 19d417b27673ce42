#include "tenet/ir/instance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures.h"
#include "tenet/ir/printer.h"

namespace tenet::ir::test {
namespace {

Protocol sample() {
  return from_text(R"(
(protocol p (enum Colour red green) (sort Item) (struct Vote (fields (ballot nat) (item (sort Item))))
  (message M (fields (vote (struct Vote)) (offset int)))
  (role Boss (single)) (role Node)
  (const f nat) (const flag bool) (const id nat (role Node))
  (var votes (fun (struct Vote) (set (host Node))) (role Node)
    (value (constant_function (fun (struct Vote) (set (host Node))) (set_literal (set (host Node))))))
  (var count nat (role Node) (value (int_literal nat 0)))
  (step s (role Node) (parameter (%0 pick nat)) (guard true) (body)))
)");
}

/// What is wrong with an instance.
std::vector<std::string> problems(std::string_view entries) {
  const Protocol p = sample();
  Diagnostics diagnostics;
  InstanceDecl decl = instance_decl(entries);
  for (std::size_t i = 0; i < decl.entries.size(); ++i) {  // a span of its own each
    decl.entries[i].span = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + 1)};
  }
  const bool resolved = Instance::resolve(p, &decl, diagnostics).has_value();
  EXPECT_NE(resolved, diagnostics.has_errors());
  std::vector<std::string> result;
  for (const Diagnostic& d : diagnostics.sorted()) {
    result.push_back(d.message + (d.hint.empty() ? "" : " (" + d.hint + ")"));
  }
  return result;
}

TEST(Instance, HasDefaults) {
  const Protocol p = sample();
  Diagnostics diagnostics;
  const auto defaults = Instance::resolve(p, nullptr, diagnostics);
  ASSERT_TRUE(defaults);
  EXPECT_EQ(defaults->hosts(RoleId(0)), 1) << "a single role has one host";
  EXPECT_EQ(defaults->hosts(RoleId(1)), kDefaultHosts);
  EXPECT_EQ(defaults->sort_size(SortId(0)), kDefaultSortSize);
  EXPECT_EQ(defaults->numbers("count", TypeKind::natural), kDefaultNaturals);
  EXPECT_EQ(defaults->all_numbers(TypeKind::integer), kDefaultIntegers);
  EXPECT_EQ(defaults->copies(), kDefaultCopies);
  EXPECT_EQ(defaults->constant("f"), std::nullopt);
}

TEST(Instance, GivesSizesRangesAndValues) {
  const Instance where = instance(sample(), "Node=5 Item=1 nat=0..2 ballot=1..7 f=9 copies=4 offset=-5..-4");
  EXPECT_EQ(where.hosts(RoleId(1)), 5);
  EXPECT_EQ(where.sort_size(SortId(0)), 1);
  EXPECT_EQ(where.numbers("ballot", TypeKind::natural), (Range{1, 7}));
  EXPECT_EQ(where.numbers("count", TypeKind::natural), (Range{0, 2}));
  EXPECT_EQ(where.all_numbers(TypeKind::natural), (Range{0, 9})) << "the hull of all of them";
  EXPECT_EQ(where.all_numbers(TypeKind::integer), (Range{-5, 3}));
  EXPECT_EQ(where.constant("f"), 9);
  EXPECT_EQ(where.copies(), 4);
}

TEST(Instance, NamesWhatIsWrong) {
  using testing::ElementsAre;
  EXPECT_THAT(problems("Node=0"), ElementsAre("role 'Node' has size 0: the least is 1"));
  EXPECT_THAT(problems("Node=5000"), ElementsAre("role 'Node' has size 5000: at most 4096 is supported"));
  EXPECT_THAT(problems("Item=-1"), ElementsAre("type 'Item' has size -1: the least is 1"));
  EXPECT_THAT(problems("Boss=2"), ElementsAre("role 'Boss' is single: it has exactly one host"));
  EXPECT_THAT(problems("Node=1..3"), ElementsAre("'Node' is a role: it takes a size, not a range (Node = 3)"));
  EXPECT_THAT(problems("count=3"), ElementsAre("'count' takes a range of numbers, not one value (count in 0..3)"));
  EXPECT_THAT(problems("count=3..2"), ElementsAre("range 3..2 of 'count' is empty"));
  EXPECT_THAT(problems("count=-1..2"), ElementsAre("'count' is a natural number: its range -1..2 goes below zero"));
  EXPECT_THAT(problems("nat=-1..2"), ElementsAre("range -1..2 of 'nat' goes below zero"));
  EXPECT_THAT(
      problems("int=0..9000000000000000000"),
      ElementsAre(
          "range 0..9000000000000000000 of 'int' leaves -1099511627776..1099511627776, which instances can have"));
  EXPECT_THAT(
      problems("f=9000000000000000000"),
      ElementsAre("9000000000000000000 of 'f' lies outside -1099511627776..1099511627776, which instances can have"));
  EXPECT_THAT(problems("f=-1"), ElementsAre("'f' is a natural number: it cannot be -1"));
  EXPECT_THAT(problems("flag=1"), ElementsAre(testing::StartsWith("constant 'flag' is not a number")));
  EXPECT_THAT(problems("votes=0..1"), ElementsAre("'votes' holds no numbers: it takes no range"));
  EXPECT_THAT(problems("Nod=3"),
              ElementsAre("unknown name 'Nod': an instance names roles, types, constants, fields, variables and "
                          "parameters (did you mean 'Node'?)"));
  EXPECT_THAT(problems("Node=3 Item=2 Node=4"), ElementsAre("instance 'test' names 'Node' twice"));
  EXPECT_THAT(problems("Node=0 count=3"), testing::SizeIs(2)) << "all of them in one run";
}

TEST(Instance, DomainsAscendAndHoldExactlyWhatIsWithin) {
  const Protocol p = kitchen_sink();
  const Instance where = instance(p, "Node=2 Item=2 Level=2 nat=0..2 int=-1..1");
  for (std::size_t i = 0; i < p.types.size(); ++i) {
    const auto domain = where.domain(p, TypeId(i), "", 100'000);
    ASSERT_TRUE(domain) << domain.error().message;
    EXPECT_FALSE(domain->empty());
    for (std::size_t v = 0; v < domain->size(); ++v) {
      EXPECT_TRUE(where.within(p, TypeId(i), "", (*domain)[v]));
      if (v > 0) {
        EXPECT_LT((*domain)[v - 1], (*domain)[v]);
      }
    }
    EXPECT_FALSE(where.within(p, TypeId(i), "", {77, {}})) << to_source(p, TypeId(i));
    EXPECT_FALSE(where.within(p, TypeId(i), "", {0, {{77, {}}, {0, {}}, {0, {}}}})) << to_source(p, TypeId(i));
  }
}

TEST(Instance, SlotsOfAStructAreItsFields) {
  const Protocol p = sample();
  const Instance where = instance(p, "Node=1 Item=1 ballot=2..3");
  const TypeId vote = p.messages[0].fields[0].type;
  const auto domain = where.domain(p, vote, "vote", 100);
  ASSERT_TRUE(domain);
  EXPECT_EQ(domain->size(), 2u);
  EXPECT_EQ(where.outside(p, vote, "vote", {0, {{1, {}}, {0, {}}}}), "ballot");
  EXPECT_EQ(where.outside(p, vote, "vote", {0, {{2, {}}, {0, {}}}}), std::nullopt);
}

TEST(Instance, TooLargeDomainsAreRefusedNotBuilt) {
  Protocol p = sample();
  const TypeId sets = p.types.set(p.types.set(p.types.natural()));
  const Instance where = instance(p, "Node=1 nat=0..1000000000");
  for (const TypeId type : {p.types.natural(), sets, p.types.function(p.types.natural(), p.types.boolean()),
                            p.types.map(p.types.natural(), p.types.natural())}) {
    const auto domain = where.domain(p, type, "", 1000);
    ASSERT_FALSE(domain);
    EXPECT_EQ(domain.error().kind, ErrorKind::too_large);
  }
  EXPECT_EQ(where.domain(p, p.types.real(), "", 1000).error().kind, ErrorKind::unsupported);
  EXPECT_EQ(where.domain(p, p.types.sequence(p.types.boolean()), "", 1000).error().kind, ErrorKind::unsupported);
}

}  // namespace
}  // namespace tenet::ir::test
