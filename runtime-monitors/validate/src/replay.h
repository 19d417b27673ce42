/// One run: the logs of its hosts, and the search for an execution that explains them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "log.h"
#include "tenet/ir/interpreter.h"
#include "values.h"

namespace tenet::validate {

/// What a line of a log says of a step; what it does not say is absent.
struct Event {
  enum class Kind { snapshot, step, send };
  Kind kind = Kind::step;
  bool fresh = false;  ///< snapshot: the host begins
  ir::StepId step;
  std::vector<std::optional<ir::Value>> parameters;
  std::optional<ir::Packet> message;  ///< received, or sent
  SaidMessage said;                   ///< the same as far as the line says it
  std::vector<std::pair<ir::VarId, ir::Value>> state;
  bool determined = false;  ///< there is one action it can be
};

class Replay {
 public:
  Replay(const ir::Protocol& protocol, const Values& values, const Logs& logs, const Mapping& mapping,
         const Options& options);
  /// Adds the run's part to the report.
  Result<void> run(std::uint64_t key, const std::map<std::string, Logs::HostLog>& hosts, Report& report);

 private:
  enum class Status { ready, waiting, ambiguous, failed, opaque, done };
  struct Host {
    ir::HostRef ref;
    std::string name;
    const Logs::HostLog* log = nullptr;
  };
  /// A point of the search.
  struct Node {
    ir::State state;  ///< variables; its network is not used
    std::map<ir::Packet, int> network;
    std::vector<std::size_t> position;
    std::vector<Status> status;
    std::vector<std::string> reason;  ///< of failed and opaque hosts
    std::uint64_t steps = 0;
    [[nodiscard]] std::uint64_t explained() const;
  };

  Result<void> start(Node& node);
  Result<void> constants(Node& node);
  Result<Event> event(const Host& host, const Logs::HostLog::Item& item) const;
  Result<void> greedy(Node& node);
  Result<void> advance(Node& node, std::size_t h, bool& moved);
  void take(Node& node, std::size_t h, const ir::Action& action, ir::Happened happened) const;
  [[nodiscard]] bool available(const Node& node, const ir::Packet& packet) const;
  [[nodiscard]] std::optional<std::string> mismatch(const Event& event, ir::HostRef host, const ir::State& state) const;
  [[nodiscard]] static bool any(const Node& node, Status status);
  [[nodiscard]] static bool all_done(const Node& node);

  /// What the search of a run has left, and what it could not follow.
  struct Search {
    std::uint64_t nodes = 0;   ///< that may still be made
    std::uint64_t tries = 0;   ///< actions that may still be tried
    std::uint64_t unused = 0;  ///< of these, when the nodes were used up
    std::uint64_t searched = 0;
    bool opaque = false;  ///< some host came to where nothing can be known
    bool exceeded = false;
    std::string given_up;  ///< the step at which it ended before everything was tried
    std::string passed;    ///< an action that was passed over, and why
  };
  Result<Node> explain(Node first, Search& search);
  [[nodiscard]] Result<std::vector<Node>> branches(const Node& node, Search& search) const;
  bool follow(const Node& node, const ir::State& whole, ir::HostRef host, std::size_t h, const Event* wanted,
              Search& search, std::vector<Node>& out) const;
  [[nodiscard]] std::optional<Node> branch(const Node& node, std::size_t h, const Event* wanted,
                                           const ir::Action& action, const ir::Happened& happened) const;
  [[nodiscard]] std::vector<std::string> false_guards(const Node& node, std::size_t h, const ir::Action& action) const;
  /// `partial`: the search did not try everything.
  void describe(const Node& node, std::uint64_t key, bool partial, Report& report);
  [[nodiscard]] std::optional<ir::Action> action(const Event& event, ir::HostRef host) const;

  const ir::Protocol& p_;
  const Values& values_;
  const Logs& logs_;
  const Mapping& mapping_;
  const Options& options_;
  ir::Protocol extended_;               ///< with a step for each role that applies its initialisers
  std::vector<ir::StepId> initialise_;  ///< by role
  ir::Constants constants_;
  std::unique_ptr<ir::Interpreter> interpreter_;
  std::vector<Host> hosts_;
  std::vector<std::string> missing_;  ///< constants that the logs do not say
};

}  // namespace tenet::validate
