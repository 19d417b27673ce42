// The formats of others, on what real runs find: every kind of type, value,
// finding and trace that they can show.
#include "../report/schemas.h"
#include "tenet/report/report.h"
#include "workspace.h"

namespace tenet::verify {
namespace {

using Formats = testing::Workspace;
using testing::ItfCheck;
using testing::SarifCheck;

/// Something of every type; violated, reached, never enabled, vacuous, at
/// rest, cut.
constexpr const char* kEverything = R"(protocol everything
type Value
enum Mode { idle, busy }
struct Pair { first: nat, second: option<Value> }
message Plain
message Full(pair: Pair, modes: set<Mode>) at most once
const preferred: Value
const weight: Value -> nat
axiom forall v: Value :: weight[v] == 1
role Box single {
  var mode: Mode = idle
  var seen: set<Value> = {}
  var latest: map<Value, Pair> = {}
  var flags: Value -> bool = false
  var n: int = 0 - 1
  step put(v: Value) {
    mode = busy
    seen += v
    latest[v] = Pair(weight[v], v)
    flags[v] = true
    send Full(Pair(1, none), {idle, busy}) to all Guest
  }
  step grow { n = n + 1 }
  step never when n > 7 { n = 0 }
}
role Guest {
  const own: nat
  var got: option<Pair> = none
  receive Full(pair, modes) { got = pair  send Plain to Box }
}
safety few: forall v, w: Value :: v in Box.seen and w in Box.seen => v == w
safety vacuous: Box.n > 9 => Box.mode == idle
transition grows: Box.n >= old(Box.n)
reachable all_put: forall v: Value :: v in Box.seen
instance small { Guest = 2  Value = 2  nat in 0..1  n in -1..1  own in 0..0 }
)";

void expect_by_schema(const result::RunResult& run) {
  EXPECT_EQ(SarifCheck::wrong(report::sarif(run, {})), "");
  for (const auto& file : run.files) {
    for (const auto& finding : file.findings) {
      if (!finding.trace) continue;
      EXPECT_EQ(ItfCheck::wrong(report::itf(file, finding)), "") << finding.message;
    }
  }
}

TEST_F(Formats, FollowTheirSchemas) {
  const std::string path = write("everything.tenet", kEverything);
  const result::RunResult run = verify({path}, {});
  ASSERT_NE(find(run, "property-violated", "few"), nullptr) << rules(run);
  for (const char* rule : {"reached", "never-enabled", "vacuous", "cut-at-bound"}) {
    EXPECT_NE(find(run, rule), nullptr) << rule << " is missing in\n" << rules(run);
  }
  expect_by_schema(run);
}

TEST_F(Formats, FollowTheirSchemasForVariantsMutantsAndFaults) {
  write("lock.tenet", testing::kLock);
  write("wrong/forgetful.tenet", testing::kForgetful);
  const std::string faulty = write("faulty.tenet", R"(protocol faulty
role R { var n: nat = 1  step down { n = n - 1 } }
safety s: forall r: R :: r.n < 2
instance one { R = 1 }
)");
  Options options;
  options.variants = {folder_.string()};
  options.mutate = true;
  const result::RunResult run = verify({(folder_ / "lock.tenet").string(), faulty}, options);
  EXPECT_NE(find(run, "variant-refuted"), nullptr) << rules(run);
  EXPECT_NE(find(run, "fault"), nullptr) << rules(run);
  expect_by_schema(run);
}

TEST_F(Formats, FollowTheirSchemasForBadInput) {
  const std::string bad = write("a b ü.tenet", "protocol p\nrole R { var x: nut = 0 }\nsafety s: yes\n");
  expect_by_schema(verify({bad, (folder_ / "absent.tenet").string()}, {}));
  Options options;
  options.properties = {"nothing"};
  expect_by_schema(verify({write("lock.tenet", testing::kLock)}, options));
}

TEST_F(Formats, FollowTheirSchemasForRandomRuns) {
  SimulateOptions options;
  options.runs.runs = 3;
  expect_by_schema(simulate(write("everything.tenet", kEverything), options));
}

}  // namespace
}  // namespace tenet::verify
