#include "launch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <thread>

#include "net.h"

namespace curp {

std::vector<std::string> words(const Setup& setup) {
  const Cluster& c = setup.cluster;
  std::vector<std::string> all;
  const auto add = [&](const char* name, auto value) {
    all.emplace_back(name);
    all.push_back(std::to_string(value));
  };
  add("--clients", c.clients);
  add("--masters", c.masters);
  add("--backups", c.backups);
  add("--witnesses", c.witnesses);
  add("--sync-after", c.sync_after);
  add("--sync-batch", c.sync_batch);
  add("--retry", c.retry);
  add("--dead-after", c.dead_after);
  add("--lease", c.lease);
  add("--port", setup.base_port);
  add("--delay", setup.delay);
  all.insert(all.end(), {"--folder", setup.folder.string()});
  if (c.synchronous) all.emplace_back("--synchronous");
  if (c.unreplicated) all.emplace_back("--unreplicated");
  if (setup.watched) all.emplace_back("--watched");
  for (const FaultInfo& fault : all_faults()) {
    if (fault.fault == setup.fault) all.insert(all.end(), {"--fault", std::string(fault.name)});
  }
  return all;
}

Launcher::~Launcher() {
  for (const auto& [node, child] : children_) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
}

std::vector<Node> Launcher::servers() const {
  std::vector<Node> all;
  const auto add = [&](Kind kind, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) all.push_back({kind, i});
  };
  add(Kind::coordinator, 1);
  add(Kind::witness, setup_.cluster.witnesses);
  add(Kind::backup, setup_.cluster.backups);
  add(Kind::master, setup_.cluster.masters);
  return all;
}

void Launcher::start(Node node, bool first, const Death& death) {
  std::vector<std::string> all = {program_, "node", to_string(node)};
  const std::vector<std::string> common = words(setup_);
  all.insert(all.end(), common.begin(), common.end());
  if (first) all.emplace_back("--first");
  if (death.point != FailPoint::none) {
    all.insert(all.end(),
               {"--die-at", std::string(to_string(death.point)), "--die-times", std::to_string(death.times)});
  }
  if (death.power_loss) all.emplace_back("--power-loss");
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    // Nobody is left behind if whoever started them is killed.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(4);
    ::execv(program_.c_str(), arguments.data());
    ::_exit(4);
  }
  if (child > 0) children_[node] = child;
}

bool Launcher::start_all() {
  std::filesystem::create_directories(setup_.folder);
  for (const Node node : servers()) start(node, true);
  boost::asio::io_context io;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  for (const Node node : servers()) {
    for (;;) {
      boost::asio::ip::tcp::socket socket(io);
      boost::system::error_code error;
      socket.connect({boost::asio::ip::address_v4::loopback(), port_of(setup_.base_port, node)}, error);
      if (!error) break;
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  return true;
}

void Launcher::kill(Node node) {
  const auto child = children_.find(node);
  if (child == children_.end()) return;
  ::kill(child->second, SIGKILL);
  ::waitpid(child->second, nullptr, 0);
  children_.erase(child);
}

std::vector<Node> Launcher::fallen() {
  std::vector<Node> gone;
  for (const auto& [node, child] : children_) {
    if (::waitpid(child, nullptr, WNOHANG) == child) gone.push_back(node);
  }
  for (const Node node : gone) children_.erase(node);
  return gone;
}

}  // namespace curp
