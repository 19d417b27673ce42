// The running system: real processes, sockets, files, kill -9.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <map>

#include "service.h"
#include "tenet/system/frame.h"
#include "tenet/system/testing.h"

namespace curp {
namespace {

namespace asio = boost::asio;
using tenet::system::Folder;
using tenet::system::run_quietly;

Setup setup(const Folder& folder, unsigned test) {
  Setup setup;
  setup.folder = folder.path;
  setup.base_port = tenet::system::ports(test, 100);
  setup.cluster.clients = 3;
  setup.cluster.masters = 2;
  return setup;
}

TEST(Service, IsKilledWatchedAndExplained) {
  const Folder folder;
  const std::string trace = folder.path.string() + ".jsonl";
  std::filesystem::remove(trace);
  EXPECT_EQ(
      run_quietly(
          CURP_PROGRAM
          " chaos --masters 3 --clients 3 --operations 120 --keys 10 --reads 20 --kills 4 --delay 2000 --folder " +
          folder.path.string() + " --record " + trace + " --port " + std::to_string(tenet::system::ports(0, 100))),
      0);
  EXPECT_EQ(run_quietly(CURP_TENET " monitor validate " CURP_SPEC " " + trace), 0);
  std::filesystem::remove(trace);
}

TEST(Service, OutlivesBadBytes) {
  const Folder folder;
  const auto now = setup(folder, 1);
  tenet::system::Launcher launcher(CURP_PROGRAM);
  ASSERT_TRUE(launch_all(launcher, now));
  asio::io_context io;
  std::vector<asio::ip::tcp::socket> half_open;
  const Message stranger{{Kind::client, 4000}, 0, {}, Update{{{4000, 1, "key0"}, "v"}, 0, false}};
  const Message liar{{Kind::backup, 77}, 0, {}, Replicated{1'000'000}};
  for (const Node node : servers(now.cluster)) {
    for (const std::string& bytes : {std::string("\xff\xff\xff\xff"), std::string("GET / HTTP/1.1\r\n\r\n"),
                                     std::string(3, '\0'), std::string("\x02\0\0\0zz", 6),
                                     tenet::system::frame(encode(stranger)) + tenet::system::frame(encode(stranger)),
                                     tenet::system::frame(encode(liar))}) {
      asio::ip::tcp::socket socket(io);
      boost::system::error_code error;
      socket.connect({asio::ip::address_v4::loopback(), port_of(now.base_port, node)}, error);
      ASSERT_FALSE(error);
      asio::write(socket, asio::buffer(bytes), error);
      half_open.push_back(std::move(socket));
    }
  }
  Load load;
  load.operations = 60;
  load.keys = 10;
  load.reads = 30;
  const Report report = curp::load(now, load);
  EXPECT_EQ(report.unanswered, 0U);
  EXPECT_TRUE(launcher.fallen().empty()) << "a server died of what it was sent";
}

TEST(Service, HasOneCoordinator) {
  const Folder folder;
  const auto now = setup(folder, 2);
  tenet::system::Launcher launcher(CURP_PROGRAM);
  ASSERT_TRUE(launch_all(launcher, now));
  std::string command = CURP_PROGRAM " node coordinator0";
  for (const std::string& word : words(now)) command += " " + word;
  EXPECT_EQ(run_quietly(command), 4) << "its files are another process's";
}

TEST(Service, ComesBackWithWhatWasFinished) {
  const Folder folder;
  const auto now = setup(folder, 3);
  Load load;
  load.operations = 40;
  load.keys = 5;
  std::map<std::string, std::uint64_t> versions;
  {
    tenet::system::Launcher launcher(CURP_PROGRAM);
    ASSERT_TRUE(launch_all(launcher, now));
    const Report report = curp::load(now, load);
    ASSERT_EQ(report.unanswered, 0U);
    for (const tenet::system::Operation& operation : report.history) {
      versions[operation.key] = std::max(versions[operation.key], operation.version);
    }
  }
  // Everything was killed at once; clients of this number are new ones.
  auto later = now;
  later.cluster.clients = 4;
  tenet::system::Launcher launcher(CURP_PROGRAM);
  for (const Node node : servers(now.cluster)) launch(launcher, later, node, false);
  load.reads = 100;
  const Report report = curp::load(later, load);
  EXPECT_EQ(report.unanswered, 0U);
  for (const tenet::system::Operation& operation : report.history)
    EXPECT_EQ(operation.version, versions[operation.key]) << operation.key;
}

}  // namespace
}  // namespace curp
