#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "arguments.h"
#include "commands.h"
#include "derive.h"
#include "monitor.h"
#include "new.h"
#include "output.h"
#include "train.h"

namespace {

using namespace tenet::cli;

/// Every question of the prover has a solver of its own, which takes some megabytes and gives them back. Where the
/// system is slow to hand out pages, getting them anew each time took nine tenths of a small proof.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMegabyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * kMegabyte);  // what is larger still goes back at once
  mallopt(M_TRIM_THRESHOLD, 256 * kMegabyte);
  mallopt(M_TOP_PAD, 16 * kMegabyte);
#endif
}

int answer(const Answer& answer) {
  if (answer.status != 0) {
    complain(answer.text);
    return answer.status;
  }
  const auto written = write_standard_output(answer.text);
  if (written) return 0;
  complain_of(written.error().message);
  return 3;
}

/// The status of a command that wrote its text by C's standard output.
int said(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  complain_of(std::string("cannot write standard output: ") + std::strerror(errno));
  return 3;
}

int run(const Command& command) {
  if (const auto* ask = std::get_if<VerifyArguments>(&command)) return run_verify(*ask);
  if (const auto* ask = std::get_if<InvariantsArguments>(&command)) return run_invariants(*ask);
  if (const auto* ask = std::get_if<CheckArguments>(&command)) return run_check(*ask);
  if (const auto* ask = std::get_if<FmtArguments>(&command)) return run_fmt(*ask);
  if (const auto* ask = std::get_if<SimulateArguments>(&command)) return run_simulate(*ask);
  if (const auto* ask = std::get_if<GateArguments>(&command)) return run_gate(*ask);
  if (const auto* ask = std::get_if<RecheckArguments>(&command)) return run_recheck(*ask);
  return answer(std::get<Answer>(command));
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that went away is an error to report, not a silent death.
  std::signal(SIGPIPE, SIG_IGN);
  keep_freed_memory();
  try {
    if (argc > 1 && std::string(argv[1]) == "train") return said(run_train(argc - 1, argv + 1));
    if (argc > 1 && std::string(argv[1]) == "monitor") return said(run_monitor(argc - 1, argv + 1));
    if (argc > 1 && std::string(argv[1]) == "derive") return said(run_derive(argc - 1, argv + 1));
    if (argc > 1 && std::string(argv[1]) == "new") return said(run_new(argc - 1, argv + 1));
    return run(parse_arguments(argc, argv));
  } catch (const std::bad_alloc&) {
    complain("tenet: out of memory; a smaller --memory stops cleanly before that\n");
    return 2;
  } catch (const std::exception& error) {
    complain(std::string("tenet: internal error: ") + error.what() +
             "\n  please report this with the command and the file\n");
    return 4;
  }
}
