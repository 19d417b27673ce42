#include "commands.h"
#include "interrupt.h"
#include "results_cache.h"
#include "tenet/verify/verify.h"
#include "terminal.h"

namespace tenet::cli {

int run_invariants(const InvariantsArguments& arguments) {
  verify::Options options;
  options.version = TENET_VERSION;
  options.prove_seconds = arguments.prove_seconds;
  ResultsCache cache(!arguments.no_cache);
  cache.use(options);

  StopFlag stop;
  options.stop = &stop;
  const InterruptGuard guard(stop);
  ProgressLine line(arguments.output.quiet);
  options.progress = [&](const verify::Progress& progress) { line.show(progress); };

  const result::RunResult run = verify::invariants(arguments.path, options);
  line.clear();
  cache.complain_of_trouble();
  return deliver(run, arguments.output);
}

}  // namespace tenet::cli
