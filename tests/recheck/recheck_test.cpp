// A certificate holds as it was written, and does not once something in it was changed.
#include "tenet/recheck/recheck.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "scratch_folder.h"
#include "tenet/base/file.h"
#include "tenet/report/report.h"
#include "tenet/verify/verify.h"

namespace tenet::recheck {
namespace {

using Json = nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Files = std::map<std::string, std::string>;

/// Made once for each text: proofs cost more than looking at them.
const Files& certificate_of(const std::string& path) {
  static std::map<std::string, Files> made;
  Files& files = made[path];
  if (!files.empty()) return files;
  verify::Options options;
  options.keep_queries = true;
  options.prove_seconds = 200;
  for (const auto& file : report::certificate(verify::verify({path}, options))) {
    files[file.path.substr(file.path.find('/') + 1)] = file.text;
  }
  return files;
}

std::string shipped(const std::string& name) {
  return std::string(TENET_SOURCE_DIR) + "/protocols/" + name + "/" + name + ".tenet";
}

const Files& lock() { return certificate_of(shipped("distributed_lock")); }

Result<Report> check(const Files& files, const Options& options = {}) {
  const testing::ScratchFolder folder;
  for (const auto& [name, text] : files) folder.write(name, text);
  return recheck(folder.path().string(), options);
}

Files with_manifest(Files files, const std::function<void(Json&)>& change) {
  Json manifest = Json::parse(files.at("manifest.json"));
  change(manifest);
  files["manifest.json"] = manifest.dump(2);
  return files;
}

std::string refusals(const Result<Report>& report) {
  if (!report) return "error: " + report.error().message;
  std::string all;
  for (const Trouble& trouble : report->refused) all += trouble.file + ": " + trouble.what + "\n";
  return all;
}

/// Refused, with a sentence that has these words.
void expect_refused(const Files& files, const std::string& why) {
  const auto report = check(files);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->status(), 1);
  EXPECT_THAT(refusals(report), HasSubstr(why));
}

void expect_malformed(const Files& files, const std::string& why) {
  const auto report = check(files);
  ASSERT_FALSE(report) << text(*report);
  EXPECT_EQ(exit_status(report.error().kind), 3);
  EXPECT_THAT(report.error().message, HasSubstr(why));
}

/// The lines of a file of a certificate, changed where one begins as given; whether there was one.
bool change_line(std::string& file, const std::string& begin, const std::function<std::string(std::string)>& change,
                 std::size_t* number = nullptr) {
  std::istringstream in(file);
  std::string out, line;
  bool found = false;
  for (std::size_t n = 1; std::getline(in, line); ++n) {
    if (!found && line.find(begin) != std::string::npos && line.starts_with("(assert")) {
      found = true;
      line = change(line);
      if (number != nullptr) *number = n;
    }
    out += line + "\n";
  }
  file = out;
  return found;
}

class Shipped : public ::testing::TestWithParam<std::string> {};

TEST_P(Shipped, NothingIsMerelyTrusted) {
  const auto report = check(certificate_of(shipped(GetParam())));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->status(), 0) << text(*report);
  EXPECT_GT(report->obligations, 0U);
  EXPECT_EQ(report->reproved, report->obligations);
  EXPECT_THAT(report->open, IsEmpty());
  for (const auto& [kind, count] : report->assertions) EXPECT_EQ(count.trusted, 0U) << kind;
}

INSTANTIATE_TEST_SUITE_P(Protocols, Shipped,
                         ::testing::Values("distributed_lock", "echo_server", "lock_server", "raft_leader_election",
                                           "reduce", "ring_leader_election", "sharded_store",
                                           "simplified_leader_election", "two_phase_commit"),
                         [](const auto& test) { return test.param; });

/// Of every kind of assertion that there is: one that says something else does not follow.
TEST(Recheck, AnAssertionThatSaysSomethingElseIsRefused) {
  std::set<std::string> seen;
  for (const std::string name : {"distributed_lock", "two_phase_commit", "echo_server"}) {
    const Files& original = certificate_of(shipped(name));
    for (const std::string& kind : kinds()) {
      if (seen.contains(kind)) continue;
      for (const auto& [file, content] : original) {
        Files files = original;
        std::size_t line = 0;
        const auto negated = [](const std::string& assertion) {
          const std::size_t end = assertion.rfind(" :named ");
          return "(assert (! (not " + assertion.substr(11, end - 11) + ")" + assertion.substr(end);
        };
        if (!change_line(files[file], ":named |&" + kind + " ", negated, &line)) continue;
        seen.insert(kind);
        const auto report = check(files);
        ASSERT_TRUE(report) << report.error().message;
        EXPECT_EQ(report->status(), 1) << name << ": " << kind << " in " << file;
        // From a claim that is contradictory, as its proof says, its own negation follows: then the whole file is
        // refused.
        const bool there = std::any_of(report->refused.begin(), report->refused.end(), [&, &of = file](const auto& t) {
          return t.file == of && (t.line == line || (kind == "goal" && t.line == 0));
        });
        EXPECT_TRUE(there) << name << ": " << kind << " in " << file << ":" << line << "\n" << refusals(report);
        break;
      }
    }
  }
  EXPECT_EQ(seen.size(), kinds().size()) << ::testing::PrintToString(seen);
}

TEST(Recheck, AFrameThatForgetsAWriterIsRefused) {
  Files files = lock();
  bool changed = false;
  for (auto& [name, content] : files) {
    const std::string writers = "(or (= 0 (|$what happens| |$before last|)) (= 1 (|$what happens| |$before last|)))";
    const auto at = content.find(writers);
    if (changed || at == std::string::npos) continue;
    content.replace(at, writers.size(), "(= 0 (|$what happens| |$before last|))");
    changed = true;
  }
  ASSERT_TRUE(changed);
  expect_refused(files, "does not follow from the source");
}

TEST(Recheck, AnObligationThatIsMissingIsMissed) {
  const Json manifest = Json::parse(lock().at("manifest.json"));
  for (std::size_t i = 0; i < manifest.at("obligations").size(); ++i) {
    const auto report = check(with_manifest(lock(), [i](Json& json) { json["obligations"].erase(i); }));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->status(), 1) << manifest["obligations"][i].dump();
    EXPECT_THAT(refusals(report), HasSubstr("nothing shows"));
  }
}

TEST(Recheck, AClaimThatIsWeakenedIsRefused) {
  // In the manifest alone the files no longer fit …
  const std::string strong = "forall n: Node :: old(n.epoch) <= n.epoch";
  Files files = with_manifest(lock(), [&](Json& json) {
    for (Json& o : json["obligations"]) {
      if (o["statement"] == strong) o["statement"] = "forall n: Node :: old(n.epoch) <= n.epoch + 1";
      for (Json& use : o["uses"]) {
        if (use["statement"] == strong) use["statement"] = "forall n: Node :: old(n.epoch) <= n.epoch + 1";
      }
    }
  });
  expect_refused(files, "does not follow from the source");
  // … and a property of the source cannot be left out.
  files = with_manifest(lock(), [](Json& json) { json["claims"].erase(0); });
  expect_refused(files, "is missing");
  files = with_manifest(lock(), [](Json& json) { json["claims"][0]["property"] = "another"; });
  expect_refused(files, "no property 'another'");
}

TEST(Recheck, WhatIsNotProvedIsOpen) {
  const auto report = check(with_manifest(lock(), [](Json& json) { json["claims"][0]["proved"] = false; }));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->status(), 2);
  EXPECT_THAT(report->open, Contains("one_holder"));
}

TEST(Recheck, ACircleIsRefused) {
  const auto files = with_manifest(lock(), [](Json& json) {
    for (Json& o : json["obligations"]) {
      for (Json& use : o["uses"]) use["earlier"] = false;
    }
  });
  expect_refused(files, "circular");
}

TEST(Recheck, AUseThatIsNotDeclaredIsRefused) {
  const auto files = with_manifest(lock(), [](Json& json) {
    for (Json& o : json["obligations"]) o["uses"] = Json::array();
  });
  expect_refused(files, "does not follow from the source");
}

TEST(Recheck, AnotherSourceIsRefused) {
  Options options;
  options.source = "protocol distributed_lock\n";
  const auto report = check(lock(), options);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->status(), 1);
  EXPECT_THAT(refusals(report), HasSubstr("another source"));
  // Also if the manifest goes with it: a node keeps the lock that it hands on.
  const auto files = with_manifest(lock(), [](Json& json) {
    std::string text = json["text"];
    const std::string gives = "    held = false\n";
    text.replace(text.find(gives), gives.size(), "");
    json["text"] = text;
    json["path"] = "elsewhere.tenet";
  });
  expect_refused(files, "does not follow from the source");
}

TEST(Recheck, AStatementIsAFormulaAndNothingElse) {
  const auto files = with_manifest(
      lock(), [](Json& json) { json["obligations"][0]["statement"] = "forall n: Node :: true\naxiom: 1 == 2"; });
  expect_refused(files, "no formula of the language");
}

TEST(Recheck, DefinitionsAreTakenOnlyAsDefinitions) {
  // A name that stands for what it need not: two witnesses by one name.
  Files files = lock();
  bool changed = false;
  for (auto& [name, content] : files) {
    const auto at = content.find("(set-info :note-witness");
    if (changed || at == std::string::npos) continue;
    const std::string line = content.substr(at, content.find('\n', at) - at + 1);
    content.insert(at, line);
    changed = true;
  }
  ASSERT_TRUE(changed);
  expect_refused(files, "introduced twice");
}

TEST(Recheck, StepsThatMatterCannotBeLeftOut) {
  Files files = lock();
  bool changed = false;
  for (auto& [name, content] : files) {
    const std::string all = "(set-info :note-steps \"(() () 1 2 0 1)\")";
    const auto at = content.find(all);
    if (changed || at == std::string::npos) continue;
    content.replace(at, all.size(), "(set-info :note-steps \"(() () 1 2 0)\")");
    changed = true;
  }
  ASSERT_TRUE(changed);
  expect_refused(files, "is left out");
}

TEST(Recheck, WhatCannotBeReadIsSaidWithItsPlace) {
  Files files = lock();
  std::string& file = files["0007.smt2"];
  file.resize(file.size() / 2);
  expect_malformed(files, "0007.smt2: line ");
  files = lock();
  files.erase("0003.smt2");
  expect_malformed(files, "0003.smt2");
  files = lock();
  files["manifest.json"].resize(100);
  expect_malformed(files, "manifest.json");
  files = lock();
  files.erase("manifest.json");
  expect_malformed(files, "manifest.json");
  expect_malformed(with_manifest(lock(), [](Json& json) { json["format"] = "tenet certificate 7"; }), "format");
  expect_malformed(with_manifest(lock(), [](Json& json) { json.erase("obligations"); }), "obligations");
  expect_malformed(with_manifest(lock(), [](Json& json) { json["text"] = "protocol distributed_lock {"; }), "source");
}

TEST(Recheck, AFileIsOneOfTheFolder) {
  const auto files = with_manifest(lock(), [](Json& json) { json["obligations"][1]["file"] = "../other.smt2"; });
  expect_refused(files, "outside of the folder");
}

TEST(Recheck, WhatIsTrustedIsCounted) {
  Files files = lock();
  for (auto& [name, content] : files) {
    if (change_line(content, ":named |&start ",
                    [](const std::string& line) { return "(assert (! false" + line.substr(line.rfind(" :named ")); })) {
      break;
    }
  }
  expect_refused(files, "does not follow");
  Options options;
  options.trust = {"start"};
  const auto report = check(files, options);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->status(), 0) << text(*report);
  EXPECT_GT(report->assertions.at("start").trusted, 0U);
  EXPECT_EQ(report->assertions.at("start").regenerated, 0U);
  EXPECT_THAT(text(*report), HasSubstr("were trusted"));
}

TEST(Recheck, AStepThatReadsWhatIsNotThereIsNoticed) {
  // The obligations say nothing of it, and it is the checker that asks.
  const testing::ScratchFolder folder;
  const std::string path = folder.write("p.tenet",
                                        "protocol p\n\nrole R {\n  var a: option<nat> = some(1)\n  var b: nat = 0\n\n"
                                        "  step go when b == 0 and a != none { b = a + 1 }\n}\n\n"
                                        "safety small: forall r: R :: r.b == 0 or r.a != none\n\n"
                                        "reachable gone: exists r: R :: r.b > 0\n\ndeadlock ok\n\n"
                                        "instance one { R = 1  b in 0..3 }\n");
  const Files& files = certificate_of(path);
  auto report = check(files);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->status(), 0) << text(*report);
  std::filesystem::remove(path);  // the text in the manifest is all there is
  report = check(with_manifest(files, [](Json& json) {
    json["obligations"].erase(std::remove_if(json["obligations"].begin(), json["obligations"].end(),
                                             [](const Json& o) { return o["kind"] == "well-defined"; }),
                              json["obligations"].end());
    std::string text = json["text"];
    const std::string guard = " and a != none";
    text.replace(text.find(guard), guard.size(), "");
    text.replace(text.find("b = a + 1"), 9, "b = 2 - 3");
    json["text"] = text;
  }));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->status(), 1);
  EXPECT_THAT(refusals(report), HasSubstr("reads only what is there"));
}

/// Certificates that were written to get a false claim through (or none: those end with a crash), each by one trick.
/// All assertions of theirs but those of the trick are what they should be.
struct Forgery {
  const char* folder;
  const char* why;
};

Files forged(const std::string& name) {
  Files files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TENET_SOURCE_DIR) + "/tests/recheck/forged/" + name)) {
    files[entry.path().filename().string()] = *read_file(entry.path().string());
  }
  return files;
}

TEST(Recheck, ForgedCertificatesAreRefused) {
  for (const auto& [folder, why] : {
           Forgery{"one_step_over_many", "'hypothesis 2: one_more' does not follow"},
           Forgery{"span_by_itself", "'hypothesis 1: x' does not follow"},
           Forgery{"no_step_by_itself", "'hypothesis 3: forall r: R :: old(r.x) <= 1 and r.x == 1' does not follow"},
           Forgery{"span_and_claim", "'hypothesis 5: small' does not follow"},
           Forgery{"false_at_time_0", "do not contradict one another"},
           Forgery{"left_out_step", "'step 4: x' does not follow"},
           Forgery{"member_and_witness", "names that depend on themselves"},
           Forgery{"infinite_set", "'extension 0: x' does not follow"},
           Forgery{"axioms_in_a_circle", "nothing shows that 'axiom a - b > 0 or a == b' reads only"},
           Forgery{"axiom_by_claim", "uses a claim"},
           Forgery{"two_constants", "nothing shows that 'constant k' reads only"},
           Forgery{"change_without_host", "'last change of R.x' is declared as what it cannot be"},
           Forgery{"size_of_nothing", "'size of R.s' is declared as what it cannot be"},
           Forgery{"event_without_time", "'what happens' is declared as what it cannot be"},
           Forgery{"message_without_hosts", "is declared as what it cannot be"},
       }) {
    SCOPED_TRACE(folder);
    expect_refused(forged(folder), why);
  }
  const auto report = check(forged("ordered_type"));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::unsupported);
}

TEST(Recheck, NotesOfNothingAreRefused) {
  for (const std::string note : {"witness", "instance"}) {
    Files files = lock();
    std::string& file = files["0007.smt2"];
    file.insert(file.find("(assert"), "(set-info :note-" + note + " \"(() ())\")\n");
    expect_refused(files, "of what is not defined");
  }
}

TEST(Recheck, WhereNothingCanBeginNothingHolds) {
  const testing::ScratchFolder folder;
  const std::string path = folder.write("p.tenet",
                                        "protocol p\n\nconst n: nat\naxiom one: n == 1\n\nrole R {\n"
                                        "  var x: nat = 0\n  step go when x < n { x += 1 }\n}\n\n"
                                        "safety small: forall r: R :: r.x <= 1\n\ndeadlock ok\n\n"
                                        "instance one { R = 1  n = 1  x in 0..3 }\n");
  const Files files = certificate_of(path);
  ASSERT_EQ(check(files)->status(), 0);
  std::filesystem::remove(path);
  expect_refused(with_manifest(files,
                               [](Json& json) {
                                 std::string text = json["text"];
                                 text.insert(text.find("axiom one"), "axiom two: n == 2\n");
                                 json["text"] = text;
                               }),
                 "no execution can begin");
}

TEST(Recheck, PipesAndDevicesAreNoFiles) {
  const testing::ScratchFolder folder;
  for (const auto& [name, text] : lock()) folder.write(name, text);
  const auto file = folder.path() / "0007.smt2";
  std::filesystem::remove(file);
  std::filesystem::create_symlink("/dev/zero", file);
  const auto report = recheck(folder.path().string(), {});
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("it is no regular file"));
}

TEST(Recheck, SaysWhenTheSourceIsNotThere) {
  const auto files = with_manifest(lock(), [](Json& json) { json["path"] = "nowhere.tenet"; });
  const auto report = check(files);
  ASSERT_TRUE(report);
  EXPECT_THAT(text(*report), HasSubstr("not compared: there is no nowhere.tenet here"));
}

}  // namespace
}  // namespace tenet::recheck
