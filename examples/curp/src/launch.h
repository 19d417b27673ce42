/// Starts and kills the servers of a cluster.
#pragma once

#include <sys/types.h>

#include <map>
#include <vector>

#include "service.h"

namespace curp {

class Launcher {
 public:
  /// `program`: this executable, which serves if it is called with `node`.
  Launcher(Setup setup, std::string program) : setup_(std::move(setup)), program_(std::move(program)) {}
  ~Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  /// Every server, for the first time. False: some does not listen within five seconds.
  [[nodiscard]] bool start_all();
  void start(Node node, bool first, const Death& death = {});
  /// kill -9, and waits until it is gone.
  void kill(Node node);
  /// Those that are there no more, though nobody killed them here: they died at a fail point, or could not begin.
  [[nodiscard]] std::vector<Node> fallen();
  [[nodiscard]] std::vector<Node> servers() const;
  [[nodiscard]] bool runs(Node node) const { return children_.contains(node); }

 private:
  Setup setup_;
  std::string program_;
  std::map<Node, pid_t> children_;
};

/// The words by which `program node` is told the setup.
[[nodiscard]] std::vector<std::string> words(const Setup& setup);

}  // namespace curp
