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
  std::string other_constant;  ///< a constant that has another value here than the host began with
  bool determined = false;     ///< there is one action it can be
};

/// What the searches of all runs may still spend: nodes that they make, and actions that they try, twenty for each
/// node. What is copied has a price: large states and many messages cost as much as several.
class Budget {
 public:
  explicit Budget(std::uint64_t nodes);
  [[nodiscard]] static std::uint64_t price(const ir::State& state, std::size_t messages);
  /// False: nothing is left.
  [[nodiscard]] bool node(std::uint64_t price);
  /// How many actions of a price may be tried.
  [[nodiscard]] std::uint64_t tries(std::uint64_t price) const { return tries_ / price; }
  void try_all(std::uint64_t count, std::uint64_t price);

 private:
  std::uint64_t nodes_;
  std::uint64_t tries_;
};

class Replay {
 public:
  Replay(const ir::Protocol& protocol, const Logs& logs, const Mapping& mapping, const Options& options);
  /// Adds the run's part to the report. `values`: what was mentioned of this run, resolved.
  Result<void> run(std::uint64_t key, const std::map<std::string, Logs::HostLog>& hosts, const Values& values,
                   Report& report);
  /// After the last run.
  void finish(Report& report) const;

 private:
  enum class Status { ready, waiting, ambiguous, failed, opaque, done };
  struct Host {
    ir::HostRef ref;
    std::string name;
    const Logs::HostLog* log = nullptr;
  };
  /// What is lost of a host's log. What it sent is not known any more: others may have received anything of it.
  enum class Loss {
    none,
    resumed,  ///< events are missing, and a later one has told the whole state
    blind,    ///< nothing has told the state since
  };
  /// Index into the history; a number beyond it: none.
  using LinkId = std::uint32_t;
  static constexpr LinkId kNone = ~LinkId{0};
  /// One event on the way to a node. Nodes share their past, so that a node of the search costs no copy of it.
  struct Link {
    LinkId before = kNone;
    LinkId cause = kNone;     ///< the step that sent what this one receives
    std::uint32_t host = 0;   ///< index into hosts_, unless `chosen`
    std::uint32_t event = 0;  ///< index into its log
    LinkId chosen = kNone;    ///< index into chosen_: what the search took
    bool trusted = false;     ///< after a loss: not judged
  };
  struct Sent {
    int copies = 0;     ///< that can be received
    int untold = 0;     ///< sends that no line has told; of a message delivered any number of times 1 for all
    LinkId by = kNone;  ///< does not tell networks apart
    friend auto operator<=>(const Sent& a, const Sent& b) {
      return std::pair(a.copies, a.untold) <=> std::pair(b.copies, b.untold);
    }
    friend bool operator==(const Sent& a, const Sent& b) { return a.copies == b.copies && a.untold == b.untold; }
  };
  using Network = std::map<ir::Packet, Sent>;
  /// A point of the search.
  struct Node {
    ir::State state;  ///< variables; its network is not used
    Network network;
    std::vector<std::size_t> position;
    std::vector<Status> status;
    std::vector<std::string> reason;  ///< of failed and opaque hosts
    std::vector<Loss> loss;
    std::uint64_t steps = 0;
    std::uint64_t trusted = 0;  ///< events that were taken as they are, after a loss
    LinkId last = kNone;
    [[nodiscard]] std::uint64_t explained() const;
  };

  Result<void> start(Node& node);
  Result<void> constants(Node& node);
  [[nodiscard]] std::string beyond_instance(const Event& event, const ir::Action& action) const;
  [[nodiscard]] std::string same_unique(std::size_t h, ir::ConstId id) const;
  [[nodiscard]] bool only_about(ir::ExprId id, ir::LocalId host) const;
  [[nodiscard]] Result<void> axioms(const Node& node) const;
  [[nodiscard]] std::string broken_init(const Node& node, std::size_t h) const;
  Result<Event> event(const Host& host, const Logs::HostLog::Item& item) const;
  Result<void> greedy(Node& node);
  Result<void> advance(Node& node, std::size_t h, bool& moved);
  [[nodiscard]] bool after_loss(Node& node, std::size_t h, const Event& event);
  void snapshot(Node& node, std::size_t h, const Event& event);
  void step(Node& node, std::size_t h, const Event& event);
  void take(Node& node, std::size_t h, const ir::Action& action, ir::Happened happened, LinkId chosen);
  void stop(Node& node, std::size_t h, Status status, std::string reason) const;
  void wake(Node& node, Status what) const;
  /// Whether an event told every variable of its host.
  [[nodiscard]] bool whole(const Event& event, ir::HostRef host) const;
  [[nodiscard]] bool available(const Node& node, const ir::Packet& packet) const;
  /// Whether the sender may have sent what is missing in its log.
  [[nodiscard]] bool may_have_sent(const Node& node, ir::HostRef sender) const;
  [[nodiscard]] std::optional<std::string> mismatch(const Event& event, ir::HostRef host, const ir::State& state) const;
  void note(Report& report, std::uint64_t key, const std::string& text);
  [[nodiscard]] static bool any(const Node& node, Status status);
  [[nodiscard]] static bool all_done(const Node& node);
  [[nodiscard]] static bool lost(const Node& node);
  /// Whether the step is one that the event may be.
  [[nodiscard]] bool fits(const Event& event, const ir::Action& action, const ir::Happened& happened) const;

  /// The search of a run.
  struct Search {
    std::uint64_t searched = 0;  ///< nodes
    std::uint64_t tried = 0;     ///< actions
    bool opaque = false;         ///< some host came to where nothing can be known
    bool exceeded = false;
    std::string given_up;  ///< the step at which it ended before everything was tried
    std::string passed;    ///< an action that was passed over, and why
  };
  Result<Node> explain(Node first, Search& search);
  [[nodiscard]] Result<std::vector<Node>> branches(const Node& node, Search& search);
  bool follow(const Node& node, const ir::State& whole, ir::HostRef host, std::size_t h, const Event* wanted,
              Search& search, std::vector<Node>& out);
  [[nodiscard]] std::optional<Node> branch(const Node& node, std::size_t h, const Event* wanted,
                                           const ir::Action& action, const ir::Happened& happened);
  [[nodiscard]] std::vector<std::string> false_guards(const Node& node, const ir::Action& action) const;
  /// `partial`: not everything was tried, or something is lost.
  Result<void> describe(const Node& node, std::uint64_t key, bool partial, Report& report);
  [[nodiscard]] Result<Obstacle> obstacle(const Node& node, std::size_t h, std::uint64_t key, bool partial,
                                          const Event& event) const;
  [[nodiscard]] Obstacle place(std::size_t h, std::size_t event, std::uint64_t key) const;
  void describe_losses(const Node& node, std::uint64_t key, Report& report) const;
  [[nodiscard]] std::vector<LinkId> causes(const Node& node, std::size_t h, const Event& event) const;
  /// The events before an obstacle that it depends on, as a run.
  [[nodiscard]] Result<Execution> execution(const Node& node, std::size_t h, const Event& event) const;
  [[nodiscard]] std::optional<ir::Action> action(const Event& event, ir::HostRef host) const;

  const ir::Protocol& p_;
  const Logs& logs_;
  const Mapping& mapping_;
  const Options& options_;
  ir::Protocol extended_;               ///< with a step for each role that applies its initialisers
  std::vector<ir::StepId> initialise_;  ///< by role
  ir::Constants constants_;
  std::unique_ptr<ir::Interpreter> interpreter_;
  Budget budget_;
  std::size_t notes_ = 0;       ///< on runs, those that were not written included
  std::size_t executions_ = 0;  ///< that were made

  // Of the run that is replayed.
  const Values* values_ = nullptr;
  ir::State start_;
  std::vector<Link> history_;
  std::vector<ir::Action> chosen_;
  std::vector<Host> hosts_;
  std::vector<std::string> missing_;  ///< constants that the logs do not say
  std::vector<std::string> unsaid_;   ///< variables without initialiser that no `begins` names
};

}  // namespace tenet::validate
