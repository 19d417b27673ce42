/// The shipped protocols, their mutants and their wrong variants.
#include <gtest/gtest.h>

#include "oracle.h"
#include "orbits.h"
#include "samples.h"
#include "shipped.h"
#include "tenet/ir/edit.h"

namespace tenet::explore {
namespace {

class Shipped : public testing::TestWithParam<shipped::Small> {
 protected:
  void SetUp() override {
    protocol_ = shipped::load(GetParam().protocol);
    ASSERT_FALSE(protocol_.roles.empty());
  }
  ir::Protocol protocol_;
};

TEST_P(Shipped, AgreesWithTheObviousExplorer) {
  const ir::Instance instance = samples::instance(protocol_, GetParam().entries);
  const oracle::Answer answer = oracle::explore(protocol_, instance);
  for (const unsigned threads : {1U, 2U}) {
    Options options;
    options.threads = threads;
    options.symmetry = false;
    oracle::expect_agrees(protocol_, instance, answer, options);
    options.symmetry = true;
    oracle::expect_agrees(protocol_, instance, answer, options, false);
  }
}

TEST_P(Shipped, HasTheOrbitsThatAllPermutationsGive) {
  const ir::Instance instance = samples::instance(protocol_, GetParam().entries);
  const oracle::Orbits orbits(protocol_, instance);
  const oracle::Answer answer =
      oracle::explore(protocol_, instance, [&](const oracle::Whole& whole) { return orbits.smallest(whole); });
  oracle::expect_agrees(protocol_, instance, answer, Options{});
}

/// Mutants are protocols nobody thought of: some violate, fault or get cut.
TEST_P(Shipped, MutantsAgreeWithTheObviousExplorer) {
  const std::vector<ir::Mutant> mutants = ir::mutants(protocol_);
  const std::size_t stride = std::max<std::size_t>(1, mutants.size() / GetParam().mutants);
  for (std::size_t number = stride / 2; number < mutants.size(); number += stride) {
    const ir::Mutant& mutant = mutants[number];
    SCOPED_TRACE(mutant.description);
    const ir::Instance instance = samples::instance(mutant.protocol, GetParam().entries);
    const oracle::Answer answer = oracle::explore(mutant.protocol, instance);
    Options options;
    options.symmetry = false;
    options.threads = 1 + static_cast<unsigned>(number / stride % 2);
    oracle::expect_agrees(mutant.protocol, instance, answer, options);
    options.symmetry = true;
    oracle::expect_agrees(mutant.protocol, instance, answer, options, false);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Shipped, testing::ValuesIn(shipped::all_small()),
                         [](const auto& of) { return of.param.protocol + "_" + std::to_string(of.index); });

class Wrong : public testing::TestWithParam<std::string> {};

bool same_trace(const ir::Trace& a, const ir::Trace& b) {
  return a.constants == b.constants && a.actions == b.actions && a.states == b.states && a.sends == b.sends;
}

TEST_P(Wrong, VariantsGiveTheSameShortestTraceOnAnyNumberOfThreads) {
  for (const frontend::Variant& variant : shipped::variants(GetParam())) {
    SCOPED_TRACE(variant.name);
    const ir::Protocol& p = variant.protocol;
    Options options;
    for (std::size_t i = 0; i < p.properties.size(); ++i) {
      if (p.properties[i].name == variant.expected_property) options.properties.emplace_back(i);
    }
    ASSERT_EQ(options.properties.size(), 1U);
    bool violated = false;
    for (const ir::InstanceDecl& decl : p.instances) {
      Diagnostics diagnostics;
      const auto instance = ir::Instance::resolve(p, &decl, diagnostics);
      ASSERT_TRUE(instance);
      std::vector<Report> reports;
      for (const auto& [threads, symmetry] :
           {std::pair{1U, true}, std::pair{2U, true}, std::pair{1U, false}, std::pair{2U, false}}) {
        options.threads = threads;
        options.symmetry = symmetry;
        auto report = explore(p, *instance, options);
        ASSERT_TRUE(report) << report.error().message;
        reports.push_back(std::move(*report));
        if (threads == 1) continue;
        const Report& one = reports[reports.size() - 2];
        const Report& two = reports.back();
        EXPECT_EQ(one.states, two.states);
        EXPECT_EQ(one.transitions, two.transitions);
        ASSERT_EQ(one.found.size(), two.found.size());
        for (std::size_t i = 0; i < one.found.size(); ++i) {
          EXPECT_EQ(one.found[i].kind, two.found[i].kind);
          EXPECT_TRUE(same_trace(one.found[i].trace, two.found[i].trace));
        }
      }
      const auto shortest = [](const Report& report) {
        for (const Found& found : report.found) {
          if (found.kind == FoundKind::violation) return static_cast<int>(found.trace.actions.size());
        }
        return -1;
      };
      EXPECT_EQ(shortest(reports[0]), shortest(reports[2]));
      violated |= shortest(reports[0]) >= 0;
      if (violated) break;
    }
    EXPECT_TRUE(violated);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Wrong,
                         testing::Values("two_phase_commit", "echo_server", "simplified_leader_election",
                                         "ring_leader_election", "distributed_lock", "three_phase_commit"),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace tenet::explore
