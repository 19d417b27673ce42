#include "tenet/verify/verify.h"

#include <algorithm>
#include <thread>

#include "commands.h"
#include "default_memory.h"
#include "interrupt.h"
#include "results_cache.h"
#include "terminal.h"

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
  options.max_violations = arguments.max_violations;
  options.accept_bounded = arguments.accept_bounded;
  options.version = TENET_VERSION;

  options.prove = !arguments.explore_only;
  options.prove_seconds = arguments.prove_seconds;
  ResultsCache cache(!arguments.no_cache);
  cache.use(options);

  StopFlag stop;
  options.stop = &stop;
  const InterruptGuard guard(stop);
  ProgressLine line(arguments.output.quiet);
  options.progress = [&](const verify::Progress& progress) { line.show(progress); };

  const result::RunResult run = verify::verify(arguments.paths, options);
  line.clear();
  cache.complain_of_trouble();
  return deliver(run, arguments.output);
}

}  // namespace tenet::cli
