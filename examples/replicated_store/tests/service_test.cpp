// The running system: real processes, sockets, files, kill -9.
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <map>

#include "message.h"
#include "system.h"
#include "tenet/system/cluster.h"
#include "tenet/system/frame.h"
#include "tenet/system/testing.h"

namespace replicated {
namespace {

namespace asio = boost::asio;
using tenet::system::Folder;
using tenet::system::Launcher;
using tenet::system::Load;
using tenet::system::Report;
using tenet::system::run_quietly;
using tenet::system::Setup;

Setup setup(const Folder& folder, unsigned test) {
  Setup setup;
  setup.folder = folder.path;
  setup.base_port = tenet::system::ports(test, 10);
  return setup;
}

TEST(Service, IsKilledWatchedAndExplained) {
  const Folder folder;
  const std::string trace = folder.path.string() + ".jsonl";
  std::filesystem::remove(trace);
  EXPECT_EQ(
      run_quietly(
          STORE_PROGRAM
          " chaos --operations 400 --clients 4 --keys 10 --reads 20 --kills 4 --delay 1000 --power-loss --folder " +
          folder.path.string() + " --record " + trace + " --port " + std::to_string(tenet::system::ports(0, 10))),
      0);
  EXPECT_EQ(run_quietly(STORE_TENET " monitor validate " STORE_SPEC " " + trace), 0);
  std::filesystem::remove(trace);
}

TEST(Service, OutlivesBadBytes) {
  const Folder folder;
  System system;
  const auto now = setup(folder, 1);
  Launcher launcher(STORE_PROGRAM);
  ASSERT_TRUE(launch_all(launcher, system, now));
  asio::io_context io;
  std::vector<asio::ip::tcp::socket> half_open;
  const auto framed = [](Peer from, const Body& body) {
    return tenet::system::enveloped(from, encode(Message{{}, body}));
  };
  constexpr Peer kStranger = tenet::system::kClients + 4000, kLiar = kStranger + 1;
  const std::string stranger = framed(kStranger, Request{{kStranger, 1, true, "key0", "v"}});
  const std::string liar = framed(kLiar, Request{{kStranger, 9, true, "key0", "not mine"}});
  const std::string replica_asks = framed(1, Request{{1, 1, true, "key0", "no client"}});
  const std::string nobody = framed(77, Accept{0, {{1, 1}, "no batch"}});
  for (Peer replica = 0; replica < system.cluster.replicas; ++replica) {
    for (const std::string& bytes :
         {std::string("\xff\xff\xff\xff"), std::string("GET / HTTP/1.1\r\n\r\n"), std::string(3, '\0'),
          std::string("\x02\0\0\0zz", 6), tenet::system::enveloped(kStranger, "zz"), stranger + stranger, liar,
          replica_asks, nobody}) {
      asio::ip::tcp::socket socket(io);
      boost::system::error_code error;
      socket.connect({asio::ip::address_v4::loopback(), port_of(now, replica)}, error);
      ASSERT_FALSE(error);
      asio::write(socket, asio::buffer(bytes), error);
      half_open.push_back(std::move(socket));
    }
  }
  Load load;
  load.operations = 100;
  load.keys = 10;
  load.reads = 30;
  const Report report = tenet::system::load(system, now, load);
  EXPECT_EQ(report.unanswered, 0U);
  EXPECT_TRUE(launcher.fallen().empty()) << "a replica died of what it was sent";
}

/// What was told to clients, read again from the whole cluster.
void expect_kept(const System& system, const Setup& setup, const Report& before) {
  Load load;
  load.operations = 60;
  load.keys = 5;
  load.reads = 100;
  std::map<std::string, std::uint64_t> versions;
  for (const tenet::system::Operation& operation : before.history) {
    if (operation.returned) versions[operation.key] = std::max(versions[operation.key], operation.version);
  }
  const Report after = tenet::system::load(system, setup, load);
  EXPECT_EQ(after.unanswered, 0U);
  for (const tenet::system::Operation& operation : after.history) {
    EXPECT_GE(operation.version, versions[operation.key]) << operation.key;
  }
}

TEST(Service, ComesBackWithWhatWasAnswered) {
  const Folder folder;
  System system;
  const auto now = setup(folder, 2);
  Load load;
  load.operations = 100;
  load.keys = 5;
  Report report;
  {
    Launcher launcher(STORE_PROGRAM);
    ASSERT_TRUE(launch_all(launcher, system, now));
    report = tenet::system::load(system, now, load);
    ASSERT_EQ(report.unanswered, 0U);
    for (const std::string& server : system.servers()) launcher.kill(server, SIGUSR1);
  }
  Launcher launcher(STORE_PROGRAM);
  ASSERT_TRUE(launch_all(launcher, system, now));
  expect_kept(system, now, report);
}

TEST(Service, LosesNothingWhenADiskIsFull) {
  const Folder folder;
  System system;
  auto now = setup(folder, 3);
  now.disk_bytes = 60'000;
  Load load;
  load.operations = 2000;
  load.keys = 5;
  load.patience = 2'000'000;
  Report report;
  {
    Launcher launcher(STORE_PROGRAM);
    ASSERT_TRUE(launch_all(launcher, system, now));
    report = tenet::system::load(system, now, load);
    EXPECT_GT(report.unanswered, 0U) << "the disks were not full";
    EXPECT_LT(report.unanswered, load.operations) << "nothing was ever answered";
    EXPECT_FALSE(launcher.fallen().empty()) << "a replica without a disk goes on";
  }
  now.disk_bytes = 0;
  Launcher launcher(STORE_PROGRAM);
  ASSERT_TRUE(launch_all(launcher, system, now));
  expect_kept(system, now, report);
}

TEST(Service, HasOneProcessForEveryReplica) {
  const Folder folder;
  System system;
  const auto now = setup(folder, 4);
  Launcher launcher(STORE_PROGRAM);
  ASSERT_TRUE(launch_all(launcher, system, now));
  std::string command = STORE_PROGRAM " node replica1";
  for (const std::string& word : words(system, now)) command += " " + word;
  EXPECT_EQ(run_quietly(command), 4) << "its files are another process's";
}

}  // namespace
}  // namespace replicated
