// Starts the monitor of a program whose main knows nothing of it, as TENET_LEVELDB_MODE says: off (or unset), sampled
// (one key in 16), full. At the end it prints how much processor time went to the service and to the checker, in ms.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "tenet_leveldb_checkers.h"

namespace {

double milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

// Of the threads at the lowest priority: the checker.
double checker_time() {
  double total = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream in(task.path() / "stat");
    std::string text;
    std::getline(in, text);
    std::istringstream words(text.substr(text.rfind(')') + 2));
    std::string word;
    double ticks = 0;
    int nice = 0;
    for (int field = 3; words >> word; ++field) {
      if (field == 14 || field == 15) ticks += std::atof(word.c_str());
      if (field == 19) nice = std::atoi(word.c_str());
    }
    if (nice == 19) total += ticks * 1e3 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  return total;
}

class FromEnvironment {
 public:
  FromEnvironment() {
    const char* mode = std::getenv("TENET_LEVELDB_MODE");
    if (mode == nullptr || std::string(mode) == "off") return;
    tenet::monitor::Options options;
    options.file = "/dev/shm/tenet_leveldb." + std::to_string(::getpid());
    options.ring_bytes = 64u << 20;
    options.memory_bytes = std::size_t{2} << 30;
    if (std::string(mode) == "sampled") options.sample_one_in = 16;
    std::string error;
    monitor_ = tenet::monitor::Monitor::start(options, tenet_leveldb::make_rules(), error);
    if (monitor_ == nullptr) std::fprintf(stderr, "not watched: %s\n", error.c_str());
    std::remove(options.file.c_str());
  }
  ~FromEnvironment() {
    const double checker = checker_time();
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const double all = milliseconds(used.ru_utime) + milliseconds(used.ru_stime);
    std::printf("tenet: service %.0f checker %.0f resident %ld\n", all - checker, checker, used.ru_maxrss);
    if (monitor_ == nullptr) return;
    tenet::derived::settle(*monitor_, 60000);
    std::printf("tenet: %s\n", to_text(monitor_->summary()).c_str());
  }

 private:
  std::unique_ptr<tenet::monitor::Monitor> monitor_;
};

const FromEnvironment from_environment;

}  // namespace
