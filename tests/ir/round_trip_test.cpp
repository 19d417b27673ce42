/// Everything the tests know, through printer, reader, verifier and JSON.
#include <fstream>
#include <iterator>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fixtures.h"
#include "tenet/frontend/frontend.h"
#include "tenet/ir/edit.h"
#include "tenet/ir/printer.h"
#include "tenet/ir/verifier.h"

namespace tenet::ir::test {
namespace {

TEST(RoundTrip, EverythingIsWellFormed) {
  for (const Protocol& p : all_protocols()) EXPECT_THAT(verify_ir(p), testing::IsEmpty()) << p.name;
}

TEST(RoundTrip, ReadingWhatWasPrintedGivesTheSame) {
  for (const Protocol& p : all_protocols()) {
    const std::string text = print(p);
    const Result<Protocol> again = read(text);
    ASSERT_TRUE(again) << p.name << ": " << again.error().message << "\n" << text;
    EXPECT_EQ(print(*again), text) << p.name;
    EXPECT_EQ(again->steps.size(), p.steps.size());
    EXPECT_EQ(again->properties.size(), p.properties.size());
    for (std::size_t i = 0; i < p.properties.size(); ++i) {
      EXPECT_EQ(to_source(*again, again->properties[i].formula), to_source(p, p.properties[i].formula));
    }
  }
}

TEST(RoundTrip, WhatWasReadBehavesTheSame) {
  for (const Protocol& p : {two_phase_commit(), lamport_two_phase(), kitchen_sink()}) {
    const Explored before = explore(p, named_instance(p, p.instances[0].name));
    const Protocol again = from_text(print(p));
    const Explored after = explore(again, named_instance(again, p.instances[0].name));
    EXPECT_EQ(before.states, after.states);
    EXPECT_EQ(before.depth, after.depth);
    EXPECT_EQ(before.faults, after.faults);
    EXPECT_EQ(before.reached, after.reached);
  }
}

TEST(RoundTrip, TruncatedOrChangedTextNeverCrashes) {
  const std::string text = print(kitchen_sink());
  for (std::size_t size = 0; size < text.size(); size += 7) EXPECT_FALSE(read(text.substr(0, size)));
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string changed = text;
    for (int changes = 0; changes < 2; ++changes) {
      const std::size_t at = random() % changed.size();
      const std::size_t from = random() % text.size();
      changed.replace(at, random() % 12, text.substr(from, random() % 12));
    }
    const Result<Protocol> result = read(changed);
    if (result) {
      EXPECT_THAT(verify_ir(*result), testing::IsEmpty());
    } else {
      ++refused;
      EXPECT_EQ(result.error().kind, ErrorKind::bad_input);
    }
  }
  EXPECT_GT(refused, 500u);
}

TEST(RoundTrip, DeepTextIsRefused) {
  EXPECT_FALSE(read(std::string(100'000, '(')));
  std::string deep = "true";
  for (int i = 0; i < 1000; ++i) deep = "(not " + deep + ")";
  const Result<Protocol> result = read("(protocol p (safety s " + deep + "))");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, testing::HasSubstr("nested more than"));
}

TEST(RoundTrip, AsDeepAsAllowedWorks) {
  std::string deep = "(exists ((%0 b bool)) %0)";
  for (int i = 0; i < 790; ++i) deep = "(not " + deep + ")";
  const Protocol p = from_text("(protocol p (role A) (safety s " + deep + "))");
  ASSERT_EQ(p.properties.size(), 1u);
  EXPECT_EQ(from_text(print(p)).properties.size(), 1u);
  const Instance where = instance(p, "A=1");
  const Start start = first_start(p, where);
  EXPECT_EQ(std::get<bool>(Interpreter(p, where, start.constants).holds(p.properties[0].formula, start.state)), true);
  EXPECT_THAT(to_source(p, p.properties[0].formula), testing::StartsWith("not not not"));
  EXPECT_FALSE(to_json(p).empty());
}

TEST(RoundTrip, ReadErrorsNameTheLine) {
  const auto error = [](std::string_view text) {
    const auto result = read(text);
    return result ? "reads" : result.error().message;
  };
  EXPECT_EQ(error(""), "line 1: the text ends where something is expected");
  EXPECT_EQ(error("(protocol p\n (rule x))"), "line 2: this is no declaration");
  EXPECT_EQ(error("(protocol p\n\n (safety s %0))"), "line 3: '%0' is bound nowhere");
  EXPECT_EQ(error("(protocol p (safety s (frob true)))"), "line 1: 'frob' is no operation");
  EXPECT_EQ(error("(protocol p (const c (host X)))"), "line 1: 'X' is not declared");
  EXPECT_EQ(error("(protocol p (safety s (int_literal nat x)))"), "line 1: a number is expected");
  EXPECT_EQ(error("(protocol p) more"), "line 1: something follows the end");
  EXPECT_EQ(error("(protocol p (doc \"x))"), "line 1: a quoted word has no end");
  EXPECT_EQ(error("(protocol p (safety s (int_literal nat 1)))"), "property 's' is no boolean");
}

TEST(RoundTrip, JsonHoldsTheWholeProtocol) {
  for (const Protocol& p : all_protocols()) {
    const nlohmann::json json = nlohmann::json::parse(to_json(p));
    EXPECT_EQ(json["format"], "tenet-ir");
    EXPECT_EQ(json["version"], 1);
    EXPECT_EQ(json["name"], p.name);
    EXPECT_EQ(json["roles"].size(), p.roles.size());
    EXPECT_EQ(json["properties"].size(), p.properties.size());
    EXPECT_EQ(json["traces"].size(), p.traces.size());
    std::size_t steps = 0;
    for (const auto& role : json["roles"]) steps += role["steps"].size();
    EXPECT_EQ(steps, p.steps.size());
    EXPECT_EQ(to_json(p), to_json(p));
  }
  const nlohmann::json json = nlohmann::json::parse(to_json(two_phase_commit()));
  const auto& guard = json["roles"][0]["steps"][2]["guard"];
  EXPECT_EQ(guard["op"], "and");
  EXPECT_EQ(guard["args"][0]["op"], "eq");
  EXPECT_EQ(guard["args"][0]["args"][0]["name"], "decision");
  EXPECT_EQ(json["roles"][0]["steps"][1]["receive"]["from"], "Participant");
}

/// The text of every guard and property means, read by the frontend again,
/// what it meant: printing that once more gives the same.
TEST(RoundTrip, FormulasInTheUsersWordsReadBack) {
  for (const char* name :
       {"distributed_lock", "echo_server", "flexible_paxos", "lock_server", "multi_paxos", "paxos", "paxos_combined",
        "paxos_dynamic", "raft_leader_election", "reduce", "ring_leader_election", "sharded_store",
        "sharded_store_batched", "simplified_leader_election", "three_phase_commit", "two_phase_commit"}) {
    const std::string path = std::string("protocols/") + name + "/" + name + ".tenet";
    const Protocol p = from_file(path);
    std::ifstream stream(std::string(TENET_SOURCE_DIR) + "/" + path);
    std::string text((std::istreambuf_iterator<char>(stream)), {});
    std::string added;
    for (std::size_t i = 0; i < p.properties.size(); ++i) {
      const Property& property = p.properties[i];
      added += (property.kind == PropertyKind::transition ? "\ntransition again_" : "\nsafety again_") + property.name +
               ": " + to_source(p, property.formula);
    }
    const SourceFile file(path, text + added + "\n");
    frontend::Loaded loaded = frontend::load_protocol(file);
    for (const Diagnostic& d : loaded.diagnostics.sorted()) ADD_FAILURE() << render(d, file, false);
    ASSERT_TRUE(loaded.protocol);
    const Protocol& again = *loaded.protocol;
    for (std::size_t i = 0; i < p.properties.size(); ++i) {
      EXPECT_EQ(to_source(again, again.properties[p.properties.size() + i].formula),
                to_source(p, p.properties[i].formula));
    }
  }
}

}  // namespace
}  // namespace tenet::ir::test
