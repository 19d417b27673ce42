// The running system: processes, sockets, files, kill -9.
#include <gtest/gtest.h>

#include <csignal>
#include <map>

#include "system.h"
#include "tenet/system/cluster.h"
#include "tenet/system/testing.h"

namespace mysystem_service {
namespace {

namespace sys = tenet::system;

sys::Setup setup(const sys::Folder& folder, unsigned test) {
  sys::Setup setup;
  setup.folder = folder.path;
  setup.base_port = sys::ports(test, 10);
  return setup;
}

TEST(Service, IsKilledWatchedAndExplained) {
  const sys::Folder folder, traces;
  std::filesystem::create_directories(traces.path);
  const std::string trace = (traces.path / "trace.jsonl").string();
  const std::string port = std::to_string(setup(folder, 0).base_port);
  EXPECT_EQ(sys::run_quietly(PROGRAM " chaos --operations 300 --keys 10 --reads 30 --kills 3 --delay 1000 --power-loss"
                                     " --folder " +
                             folder.path.string() + " --record " + trace + " --port " + port),
            0);
  EXPECT_EQ(sys::run_quietly(TENET " monitor validate " SPECIFICATION " " + trace), 0);
}

TEST(Service, ComesBackWithWhatWasAcknowledged) {
  const sys::Folder folder;
  const sys::Setup now = setup(folder, 1);
  System system;
  sys::Load load;
  load.operations = 100;
  load.keys = 5;
  std::map<std::string, std::uint64_t> versions;
  {
    sys::Launcher launcher(PROGRAM);
    ASSERT_TRUE(launch_all(launcher, system, now));
    const sys::Report report = sys::load(system, now, load);
    ASSERT_EQ(report.unanswered, 0U);
    for (const auto& operation : report.history) {
      versions[operation.key] = std::max(versions[operation.key], operation.version);
    }
    // The power fails everywhere at once.
    for (const std::string& server : system.servers()) launcher.kill(server, SIGUSR1);
  }
  sys::Launcher launcher(PROGRAM);
  ASSERT_TRUE(launch_all(launcher, system, now));
  load.reads = 100;
  const sys::Report report = sys::load(system, now, load);
  EXPECT_EQ(report.unanswered, 0U);
  for (const auto& operation : report.history) EXPECT_EQ(operation.version, versions[operation.key]) << operation.key;
}

}  // namespace
}  // namespace mysystem_service
