// Runs of a protocol, made by the reference interpreter, told to a monitor as a service would tell them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tenet/ir/instance.h"
#include "tenet/ir/interpreter.h"
#include "tenet/ir/protocol.h"
#include "tenet/monitor/hook.h"
#include "tenet/monitor/monitor.h"

namespace drive {

/// A protocol of the repository, its first instance, and some of its starts.
struct Subject {
  tenet::ir::Protocol protocol;
  std::optional<tenet::ir::Instance> instance;
  std::vector<tenet::ir::Start> starts;
};
/// `path` below protocols/; a variant with the protocol it edits; with this instance, or the last if there are fewer.
Subject load(const std::string& path, std::size_t instance = 0);
std::vector<std::string> variants(const std::string& protocol);
const std::vector<std::string>& protocols();

/// The generated rules of a shipped protocol for an instance.
std::unique_ptr<tenet::monitor::Rules> rules(const std::string& protocol, const Subject& subject,
                                             const tenet::ir::Start& start);

/// What goes wrong while a run is told, each with a probability in percent.
struct Trouble {
  int unnamed = 0;  ///< a message travels without its name
  int muted = 0;    ///< the monitor is off for a step
  int killed = 0;   ///< a host restarts after a step, and recovers what it had
  int silent = 0;   ///< a host restarts without saying its state
  int swapped = 0;  ///< a value in the state that is told is not what was stored: a fault of the service
  int skipped = 0;  ///< a step is taken and not told: a fault of the instrumentation, or a lost update
};

/// One run: hosts, their state, and messages under way.
class Told {
 public:
  /// `names`: the protocol whose monitor watches (steps are found in it by name).
  /// `beside`: a run of the same hosts with another key; they are begun once for both.
  Told(const Subject& subject, const Subject& names, const tenet::ir::Start& start, std::uint64_t key,
       const Told* beside = nullptr);
  /// Tells how every host begins.
  void begin();
  /// Takes and tells a random step. False: there is none.
  bool step(std::mt19937& random, const Trouble& trouble, tenet::monitor::Monitor& monitor);
  [[nodiscard]] const tenet::ir::State& state() const { return state_; }
  [[nodiscard]] std::uint64_t faults() const { return faults_; }

 private:
  using Handle = tenet_monitor_v1_host*;
  struct Layout {
    std::vector<std::uint16_t> begins;           // by role
    std::map<std::string, std::uint16_t> steps;  // by "Role/step"
    std::vector<std::uint16_t> sends;            // by message
  };
  void write(tenet::monitor::Writer& out, tenet::ir::TypeId type, const tenet::ir::Value& value,
             const tenet::ir::Value* otherwise = nullptr) const;
  void write_state(tenet::monitor::Writer& out, tenet::ir::HostRef host, const tenet::ir::State& state) const;
  void snapshot(tenet::ir::HostRef host, bool fresh);
  void tell(const tenet::ir::Action& action, const tenet::ir::State& next, const std::vector<tenet::ir::Packet>& sends,
            std::mt19937& random, const Trouble& trouble);
  static Handle handle(tenet::ir::HostRef host);

  const Subject& subject_;
  tenet::ir::Start start_;
  tenet::ir::Interpreter interpreter_;
  Layout layout_;
  std::uint64_t key_;
  tenet::ir::State state_;
  std::map<tenet::ir::Packet, tenet::monitor::MessageId> names_;
  std::shared_ptr<std::map<tenet::ir::HostRef, Handle>> handles_;
  std::uint64_t faults_ = 0;
};

}  // namespace drive
