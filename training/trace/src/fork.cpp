// The locks of all open traces are taken around a fork, so that a child never inherits one that nobody will release,
// nor a table that another thread was changing. pthread_atfork needs process-wide state: this is the only one here.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "writer.h"

namespace tenet::training {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<Writer*> writers;
  std::atomic<std::uint64_t> generation{0};
};

Registry& registry() {
  static Registry* const instance = new Registry;  // never destroyed: a fork may come after static destructors
  return *instance;
}

void before_fork() {
  registry().mutex.lock();
  for (Writer* writer : registry().writers) writer->mutex.lock();
}

void after_fork() {
  for (Writer* writer : registry().writers) writer->mutex.unlock();
  registry().mutex.unlock();
}

void after_fork_in_child() {
  registry().generation.fetch_add(1, std::memory_order_relaxed);
  after_fork();
}

}  // namespace

std::uint64_t fork_generation() noexcept { return registry().generation.load(std::memory_order_relaxed); }

void register_for_fork(Writer& writer) {
  static std::once_flag once;
  std::call_once(once, [] { ::pthread_atfork(before_fork, after_fork, after_fork_in_child); });
  const std::scoped_lock lock(registry().mutex);
  registry().writers.push_back(&writer);
}

void unregister_for_fork(Writer& writer) {
  const std::scoped_lock lock(registry().mutex);
  std::erase(registry().writers, &writer);
}

}  // namespace tenet::training
