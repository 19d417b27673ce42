// A queue and two workers in one process, watched. Its exit status is that of the monitor.
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "queue_monitor.h"

using namespace queue_monitor;

int main(int argc, char** argv) {
  const bool faulty = argc > 2;  // with a second argument: a worker takes a second job before it has finished the first

  tenet::monitor::Options options;
  options.file = argc > 1 ? argv[1] : "/dev/shm/queue.ring";  // without a file, nothing of this process is recorded
  std::remove(options.file.c_str());                          // a new run, not a restart
  options.inline_mode = true;                                 // no thread: `flush` below checks everything
  Topology topology;                                          // one field for each role, ROLE_hosts; 1 if not set
  topology.worker_hosts = 2;
  std::string error;
  auto monitor = tenet::monitor::Monitor::start(options, make_rules(topology), error);
  if (!monitor) return std::fprintf(stderr, "%s\n", error.c_str()), 3;

  // What the hosts have stored, and their monitors. `Job` is an uninterpreted type: a number.
  std::set<std::uint64_t> waiting;
  std::map<std::uint64_t, std::uint32_t> taken;
  std::optional<std::uint64_t> current;
  const auto stored = [&] {
    return current ? tenet::monitor::Option<Job>(Job(*current)) : tenet::monitor::Option<Job>(none);
  };
  QueueMonitor queue;
  WorkerMonitor first(0), second(1);

  queue.begins({waiting, taken});  // a set is any container, a map any container of pairs
  first.begins({stored()});
  second.begins({none});

  MessageId takes[2];
  for (const std::uint64_t job : {7u, 8u}) {
    waiting.insert(job);
    queue.the_put(Job(job), {waiting, taken});  // `put` is a name that the generated code needs
    waiting.erase(job);
    taken[job] = 0;
    // The step's parameters, then what it chose, then the state after it.
    const MessageId step = queue.hand_out(WorkerId(0), Job(job), {waiting, taken});
    takes[job - 7] = queue.sends_take(step, WorkerId(0), Job(job));
  }

  current = 7;  // the message's name, its sender, its fields, the state
  first.receive_take(takes[0], QueueId(0), Job(7), {stored()});
  if (faulty) {
    current = 8;
    first.receive_take(takes[1], QueueId(0), Job(8), {stored()});
  }

  const std::uint64_t finished = *current;
  current.reset();
  const MessageId step = first.finish({stored()});
  const MessageId done = first.sends_done(step, QueueId(0), Job(finished));
  taken.erase(finished);
  queue.receive_done(done, WorkerId(0), Job(finished), {waiting, taken});

  monitor->flush();
  monitor->stop();
  std::puts(to_text(monitor->summary()).c_str());
  for (const std::string& finding : monitor->findings()) std::puts(finding.c_str());
  return monitor->summary().exit_status();
}
