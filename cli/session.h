/// What every command that verifies has around its work.
#pragma once

#include "arguments.h"
#include "interrupt.h"
#include "results_cache.h"
#include "tenet/base/stop.h"
#include "terminal.h"

namespace tenet::cli {

/// The user's cache, Ctrl-C and a progress line for one run of `options`,
/// which it fills in and must not outlive.
class Session {
 public:
  Session(verify::Options& options, bool use_cache, bool quiet) : cache_(use_cache), guard_(stop_), line_(quiet) {
    options.version = TENET_VERSION;
    options.stop = &stop_;
    options.progress = [this](const verify::Progress& progress) { line_.show(progress); };
    cache_.use(options);
  }
  Session(verify::Options& options, const ProverArguments& prover, const OutputArguments& output)
      : Session(options, !prover.no_cache, output.quiet) {
    options.prove_seconds = prover.seconds;
    options.seed = prover.seed;
    options.recheck = prover.recheck;
    options.keep_queries = !output.certificate.empty();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The work is done: nothing stands in the way of its report.
  void over() {
    work_is_done();
    line_.clear();
    cache_.complain_of_trouble();
  }

 private:
  ResultsCache cache_;
  StopFlag stop_;
  const InterruptGuard guard_;
  ProgressLine line_;
};

}  // namespace tenet::cli
