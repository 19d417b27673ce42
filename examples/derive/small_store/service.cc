// A service that uses the store, watched by the checkers of its tests.
#include <cstdio>
#include <random>
#include <string>

#include "store.h"
#include "tenet_store_checkers.h"

namespace {

std::string number(const char* prefix, unsigned value) { return prefix + std::to_string(value); }

// Sessions come and go; now and then the store is compacted.
void serve(store::Store& sessions, unsigned seed) {
  std::mt19937 random(seed);
  std::string user;
  for (int request = 0; request < 20000; ++request) {
    const std::string key = number("session", random() % 500);
    switch (random() % 4) {
      case 0:
        sessions.put(key, number("u", random() % 2000));
        break;
      case 1:
        sessions.remove(key);
        break;
      default:
        if (sessions.get(key, &user) == store::Code::ok) sessions.add("served", 1);
    }
    if (request % 5000 == 4999) sessions.compact();
  }
}

}  // namespace

int main(int argc, char** argv) {
  tenet::monitor::Options options;
  options.file = argc > 1 ? argv[1] : "/dev/shm/small_store.tenet";
  options.findings = argc > 2 ? argv[2] : "small_store.findings.jsonl";
  options.ring_bytes = 4u << 20;
  options.reveal = true;  // there is nothing private in here
  std::string error;
  auto monitor = tenet::monitor::Monitor::start(options, tenet_store::make_rules(), error);
  if (monitor == nullptr) std::fprintf(stderr, "not watched: %s\n", error.c_str());

  {
    store::Store sessions;
    serve(sessions, 1);
  }

  if (monitor == nullptr) return 0;
  tenet::derived::settle(*monitor);
  monitor->stop();
  std::printf("%s\n", to_text(monitor->summary()).c_str());
  return monitor->summary().exit_status();
}
