// The running system: real processes, sockets, files, kill -9.
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <map>

#include "service.h"
#include "tenet/system/frame.h"
#include "tenet/system/testing.h"

namespace replicated {
namespace {

namespace asio = boost::asio;
using tenet::system::Folder;
using tenet::system::run_quietly;

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
  const auto now = setup(folder, 1);
  tenet::system::Launcher launcher(STORE_PROGRAM);
  ASSERT_TRUE(launch_all(launcher, now));
  asio::io_context io;
  std::vector<asio::ip::tcp::socket> half_open;
  const auto framed = [](const Message& message) { return tenet::system::frame(encode(message)); };
  const Message stranger{{Kind::client, 4000}, {}, Request{{4000, 1, true, "key0", "v"}}};
  const Message liar{{Kind::client, 4001}, {}, Request{{4000, 9, true, "key0", "not mine"}}};
  const Message nobody{{Kind::replica, 77}, {}, Accept{0, {{1, 1}, "no batch"}}};
  for (std::uint64_t replica = 0; replica < now.cluster.replicas; ++replica) {
    for (const std::string& bytes :
         {std::string("\xff\xff\xff\xff"), std::string("GET / HTTP/1.1\r\n\r\n"), std::string(3, '\0'),
          std::string("\x02\0\0\0zz", 6), framed(stranger) + framed(stranger), framed(liar), framed(nobody)}) {
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
  const Report report = replicated::load(now, load);
  EXPECT_EQ(report.unanswered, 0U);
  EXPECT_TRUE(launcher.fallen().empty()) << "a replica died of what it was sent";
}

/// What was told to clients, read again from the whole cluster.
void expect_kept(const Setup& setup, const Report& before) {
  Load load;
  load.operations = 60;
  load.keys = 5;
  load.reads = 100;
  std::map<std::string, std::uint64_t> versions;
  for (const tenet::system::Operation& operation : before.history) {
    if (operation.returned) versions[operation.key] = std::max(versions[operation.key], operation.version);
  }
  const Report after = replicated::load(setup, load);
  EXPECT_EQ(after.unanswered, 0U);
  for (const tenet::system::Operation& operation : after.history) {
    EXPECT_GE(operation.version, versions[operation.key]) << operation.key;
  }
}

TEST(Service, ComesBackWithWhatWasAnswered) {
  const Folder folder;
  const auto now = setup(folder, 2);
  Load load;
  load.operations = 100;
  load.keys = 5;
  Report report;
  {
    tenet::system::Launcher launcher(STORE_PROGRAM);
    ASSERT_TRUE(launch_all(launcher, now));
    report = replicated::load(now, load);
    ASSERT_EQ(report.unanswered, 0U);
    for (const std::string& server : servers(now)) launcher.kill(server, SIGUSR1);
  }
  tenet::system::Launcher launcher(STORE_PROGRAM);
  ASSERT_TRUE(launch_all(launcher, now));
  expect_kept(now, report);
}

TEST(Service, LosesNothingWhenADiskIsFull) {
  const Folder folder;
  auto now = setup(folder, 3);
  now.disk_bytes = 60'000;
  Load load;
  load.operations = 2000;
  load.keys = 5;
  load.patience = 2'000'000;
  Report report;
  {
    tenet::system::Launcher launcher(STORE_PROGRAM);
    ASSERT_TRUE(launch_all(launcher, now));
    report = replicated::load(now, load);
    EXPECT_GT(report.unanswered, 0U) << "the disks were not full";
    EXPECT_LT(report.unanswered, load.operations) << "nothing was ever answered";
    EXPECT_FALSE(launcher.fallen().empty()) << "a replica without a disk goes on";
  }
  now.disk_bytes = 0;
  tenet::system::Launcher launcher(STORE_PROGRAM);
  ASSERT_TRUE(launch_all(launcher, now));
  expect_kept(now, report);
}

TEST(Service, HasOneProcessForEveryReplica) {
  const Folder folder;
  const auto now = setup(folder, 4);
  tenet::system::Launcher launcher(STORE_PROGRAM);
  ASSERT_TRUE(launch_all(launcher, now));
  std::string command = STORE_PROGRAM " node replica1";
  for (const std::string& word : words(now)) command += " " + word;
  EXPECT_EQ(run_quietly(command), 4) << "its files are another process's";
}

}  // namespace
}  // namespace replicated
