#include "commands.h"
#include "session.h"
#include "tenet/verify/verify.h"

namespace tenet::cli {

int run_invariants(const InvariantsArguments& arguments) {
  verify::Options options;
  Session session(options, arguments.prover, arguments.output);
  const result::RunResult run = verify::invariants(arguments.path, options);
  session.over();
  return deliver(run, arguments.output);
}

}  // namespace tenet::cli
