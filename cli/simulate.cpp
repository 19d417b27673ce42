#include "commands.h"
#include "interrupt.h"
#include "tenet/verify/verify.h"

namespace tenet::cli {

int run_simulate(const SimulateArguments& arguments) {
  StopFlag stop;
  const InterruptGuard guard(stop);
  verify::SimulateOptions options;
  options.instance = arguments.instance;
  options.runs.seed = arguments.seed;
  options.runs.runs = arguments.runs;
  options.runs.steps = arguments.steps;
  options.runs.stop = &stop;
  options.version = TENET_VERSION;
  return deliver(verify::simulate(arguments.path, options), arguments.output);
}

}  // namespace tenet::cli
