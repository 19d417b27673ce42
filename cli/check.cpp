#include "commands.h"
#include "tenet/verify/verify.h"

namespace tenet::cli {

int run_check(const CheckArguments& arguments) {
  if (!arguments.show.empty()) return show_stage(arguments.paths, arguments.show, arguments.output.colour);
  return deliver(verify::check(arguments.paths, TENET_VERSION), arguments.output);
}

}  // namespace tenet::cli
