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
  bool names_message = false;         ///< says what it received, perhaps in part
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
  void take(Node& node, std::size_t h, const ir::Action& action, ir::Happened happened);
  [[nodiscard]] bool available(const Node& node, const ir::Packet& packet) const;
  [[nodiscard]] std::optional<std::string> mismatch(const Event& event, ir::HostRef host, const ir::State& state) const;
  [[nodiscard]] Result<std::vector<Node>> branches(const Node& node);
  [[nodiscard]] bool matches(const Event& event, const ir::Action& action) const;
  [[nodiscard]] std::vector<std::string> false_guards(const Node& node, std::size_t h, const ir::Action& action) const;
  void describe(const Node& node, std::uint64_t key, Report& report);
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
