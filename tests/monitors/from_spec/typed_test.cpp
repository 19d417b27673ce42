// A small two-phase commit in threads that tells its monitor what it does, through the generated header.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "../core/toy.h"
#include "two_phase_commit_monitor.h"

namespace {

using namespace two_phase_commit_monitor;
using tenet::monitor::Monitor;
using tenet::monitor::Option;
using tenet::monitor::Options;

// How the service keeps things is its own business.
struct Coordinator {
  std::mutex lock;
  CoordinatorMonitor monitor;
  std::set<std::uint32_t> ayes, nays;
  std::optional<Decision> decision;

  CoordinatorState stored() const {
    return {ayes, nays, decision ? Option<Decision>(*decision) : Option<Decision>(none)};
  }
};
struct Participant {
  std::mutex lock;
  ParticipantMonitor monitor;
  Vote preference = Vote::yes;
  std::optional<Decision> decision;

  explicit Participant(std::uint32_t index) : monitor(index) {}
  ParticipantState stored() const { return {decision ? Option<Decision>(*decision) : Option<Decision>(none)}; }
};

enum class Fault { none, decides_early, forgets_a_ballot, says_another_decision };

void decide(Coordinator& coordinator, std::vector<std::unique_ptr<Participant>>& participants, Fault fault) {
  MessageId step;
  Decision decision{};
  {
    const std::scoped_lock guard(coordinator.lock);
    const std::size_t needed = fault == Fault::decides_early ? 2 : participants.size();
    if (coordinator.decision) return;
    if (coordinator.ayes.size() >= needed) {
      coordinator.decision = decision = Decision::commit;
      step = coordinator.monitor.decide_commit(coordinator.stored());
    } else if (!coordinator.nays.empty()) {
      coordinator.decision = decision = Decision::abort;
      step = coordinator.monitor.decide_abort(coordinator.stored());
    } else {
      return;
    }
  }
  for (std::uint32_t i = 0; i < participants.size(); ++i) {
    const Decision said = fault == Fault::says_another_decision && i == 1 ? Decision::abort : decision;
    const MessageId id = coordinator.monitor.sends_outcome(step, ParticipantId(i), said);
    Participant& p = *participants[i];
    const std::scoped_lock guard(p.lock);
    if (p.decision) continue;
    p.decision = said;
    p.monitor.receive_outcome(id, CoordinatorId(0), said, p.stored());
  }
}

/// One run; the names of the rules that were violated.
std::set<std::string> run(Fault fault) {
  const toy::Folder folder;
  Options options;
  options.file = folder / "rings";
  std::string error;
  auto monitor = Monitor::start(options, make_rules({1, 3}), error);
  EXPECT_NE(monitor, nullptr) << error;
  Coordinator coordinator;
  coordinator.monitor.begins(coordinator.stored());
  std::vector<std::unique_ptr<Participant>> participants;
  for (std::uint32_t i = 0; i < 3; ++i) {
    participants.push_back(std::make_unique<Participant>(i));
    participants[i]->monitor.begins({participants[i]->preference}, participants[i]->stored());
  }
  const MessageId asked = coordinator.monitor.ask(coordinator.stored());
  std::vector<MessageId> requests;
  for (std::uint32_t i = 0; i < 3; ++i) {
    requests.push_back(coordinator.monitor.sends_request(asked, ParticipantId(i)));
  }
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      MessageId ballot;
      Vote vote{};
      {
        Participant& p = *participants[i];
        const std::scoped_lock guard(p.lock);
        vote = p.preference;
        const MessageId step = p.monitor.receive_request(requests[i], CoordinatorId(0), p.stored());
        ballot = p.monitor.sends_ballot(step, CoordinatorId(0), vote);
      }
      const std::scoped_lock guard(coordinator.lock);
      if (fault != Fault::forgets_a_ballot || i != 2)
        (vote == Vote::yes ? coordinator.ayes : coordinator.nays).insert(i);
      coordinator.monitor.receive_ballot(ballot, ParticipantId(i), vote, coordinator.stored());
    });
    if (fault == Fault::decides_early && i == 1) {
      for (auto& thread : threads) thread.join();
      threads.clear();
      decide(coordinator, participants, fault);
    }
  }
  for (auto& thread : threads) thread.join();
  decide(coordinator, participants, fault);
  EXPECT_TRUE(monitor->flush());
  std::set<std::string> violated;
  for (const auto& rule : monitor->rules()) {
    if (rule.count.violated > 0) violated.insert(rule.info.name);
  }
  EXPECT_EQ(monitor->summary().exit_status(), violated.empty() ? 0 : 1);
  return violated;
}

// Three participants and the coordinator as processes of their own that only record; this one watches all of them.
// Names of messages travel through pipes, as they would through sockets.
std::set<std::string> watched_processes(bool faulty) {
  const toy::Folder folder;
  int requests[3][2];
  int ballots[2];
  int outcomes[3][2];
  for (auto& pipe_ends : requests) EXPECT_EQ(pipe(pipe_ends), 0);
  for (auto& pipe_ends : outcomes) EXPECT_EQ(pipe(pipe_ends), 0);
  EXPECT_EQ(pipe(ballots), 0);
  struct Message {
    std::uint32_t from;
    std::uint32_t what;
    MessageId id;
  };
  const auto put = [](int fd, const Message& m) { return write(fd, &m, sizeof m) == ssize_t{sizeof m}; };
  const auto get = [](int fd) {
    Message m{};
    return read(fd, &m, sizeof m) == ssize_t{sizeof m} ? m : Message{};
  };
  const auto start = [&](const std::string& name) {
    Options options;
    options.file = folder / name;
    options.record_only = true;
    std::string error;
    return Monitor::start(options, make_rules({1, 3}), error);
  };
  std::vector<pid_t> children;
  for (std::uint32_t i = 0; i < 3; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    auto monitor = start("participant" + std::to_string(i));
    Participant p(i);
    p.monitor.begins({p.preference}, p.stored());
    const Message request = get(requests[i][0]);
    const MessageId step = p.monitor.receive_request(request.id, CoordinatorId(0), p.stored());
    const MessageId ballot = p.monitor.sends_ballot(step, CoordinatorId(0), p.preference);
    if (!put(ballots[1], {i, 0, ballot})) _exit(1);
    const Message outcome = get(outcomes[i][0]);
    p.decision = faulty && i == 2 ? Decision::abort : static_cast<Decision>(outcome.what);
    p.monitor.receive_outcome(outcome.id, CoordinatorId(0), static_cast<Decision>(outcome.what), p.stored());
    raise(SIGKILL);  // what was recorded stays
  }
  children.push_back(fork());
  if (children.back() == 0) {
    auto monitor = start("coordinator");
    Coordinator c;
    c.monitor.begins(c.stored());
    const MessageId asked = c.monitor.ask(c.stored());
    for (std::uint32_t i = 0; i < 3; ++i) {
      if (!put(requests[i][1], {0, 0, c.monitor.sends_request(asked, ParticipantId(i))})) _exit(1);
    }
    for (int i = 0; i < 3; ++i) {
      const Message ballot = get(ballots[0]);
      c.ayes.insert(ballot.from);
      c.monitor.receive_ballot(ballot.id, ParticipantId(ballot.from), Vote::yes, c.stored());
    }
    c.decision = Decision::commit;
    const MessageId step = c.monitor.decide_commit(c.stored());
    for (std::uint32_t i = 0; i < 3; ++i) {
      if (!put(outcomes[i][1], {0, 0, c.monitor.sends_outcome(step, ParticipantId(i), Decision::commit)})) _exit(1);
    }
    raise(SIGKILL);
  }
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  Options options;
  options.inline_mode = true;
  options.watch = {folder / "participant0", folder / "participant1", folder / "participant2", folder / "coordinator"};
  std::string error;
  auto monitor = Monitor::start(options, make_rules({1, 3}), error);
  EXPECT_NE(monitor, nullptr) << error;
  EXPECT_TRUE(monitor->flush());
  std::set<std::string> violated;
  for (const auto& rule : monitor->rules()) {
    if (rule.count.violated > 0) violated.insert(rule.info.name);
    if (rule.info.name == "agreement" || rule.info.name == "Outcome.received") {
      EXPECT_GT(rule.count.passed, 0u) << rule.info.name;
    }
  }
  EXPECT_EQ(monitor->summary().gaps, 0u);
  for (auto& pipe_ends : requests) (void)(close(pipe_ends[0]), close(pipe_ends[1]));
  for (auto& pipe_ends : outcomes) (void)(close(pipe_ends[0]), close(pipe_ends[1]));
  (void)(close(ballots[0]), close(ballots[1]));
  return violated;
}

TEST(TwoPhaseCommitService, ProcessesThatWereKilledAreJoinedByAWatcher) {
  EXPECT_THAT(watched_processes(false), testing::IsEmpty());
  EXPECT_THAT(watched_processes(true), testing::IsSupersetOf({"Participant.receive_outcome.effect", "agreement"}));
}

TEST(TwoPhaseCommitService, WithoutFaultThereIsNoAlarm) { EXPECT_THAT(run(Fault::none), testing::IsEmpty()); }
TEST(TwoPhaseCommitService, AnEarlyDecisionBreaksTheGuard) {
  EXPECT_THAT(run(Fault::decides_early), testing::Contains("Coordinator.decide_commit.guard"));
}
TEST(TwoPhaseCommitService, ALostUpdateBreaksTheEffect) {
  EXPECT_THAT(run(Fault::forgets_a_ballot), testing::Contains("Coordinator.receive_ballot.effect"));
}
TEST(TwoPhaseCommitService, AWrongMessageBreaksWhatIsSentAndTheAgreement) {
  EXPECT_THAT(run(Fault::says_another_decision), testing::IsSupersetOf({"Outcome.sent", "agreement"}));
}

}  // namespace
