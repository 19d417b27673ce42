#include "tenet/verify/verify.h"

#include <algorithm>
#include <thread>

#include "commands.h"
#include "default_memory.h"
#include "session.h"

namespace tenet::cli {

int run_verify(const VerifyArguments& arguments) {
  if (!arguments.show.empty()) return show_stage(arguments.paths, arguments.show, arguments.output.colour);
  verify::Options options;
  options.instance = arguments.instance;
  options.properties = arguments.properties;
  options.variants = arguments.variants;
  options.mutate = arguments.mutate;
  options.jobs = arguments.jobs != 0 ? arguments.jobs : std::max(1U, std::thread::hardware_concurrency());
  options.memory_bytes = arguments.memory != 0 ? arguments.memory : default_memory();
  options.explore_seconds = arguments.explore_seconds;
  options.max_violations = arguments.max_violations;
  options.accept_bounded = arguments.accept_bounded;
  options.prove = !arguments.explore_only;
  options.infer = arguments.infer;
  options.symbolic_depth = arguments.symbolic_depth;
  Session session(options, arguments.prover, arguments.output);
  const result::RunResult run = verify::verify(arguments.paths, options);
  session.over();
  return deliver(run, arguments.output);
}

}  // namespace tenet::cli
