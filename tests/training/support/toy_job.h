// A training job in miniature: two parameters, one optimizer, with switches for what can go wrong.
#pragma once

#include "trace_script.h"

namespace tenet::training::testing {

struct ToyJob {
  int steps = 20;
  std::uint64_t seed = 1;
  int rank = -1;  // < 0: a single process
  int zero_grad_until = 1000;
  int step_works_until = 1000;
  int sync_until = 1000;  // replicas agree before
  std::string dtype = "torch.float32";
  std::string program;  // empty: the trace does not name it

  void run(TraceScript& t) const {
    if (!program.empty()) t.context("program", program);
    if (rank >= 0) t.context("rank", std::int64_t{rank});
    t.stage("init");
    for (int p = 0; p < 2; ++p) state(t, p, 0, 0);
    t.stage("training");
    for (int step = 0; step < steps; ++step) one_step(t, step);
    t.stage("evaluation");
    for (int i = 0; i < 6; ++i) {
      forward(t, false);
      for (int p = 0; p < 2; ++p) state(t, p, steps, steps);
    }
  }

 private:
  // `gradient` numbers the contents of the gradient, 0 is none.
  void state(TraceScript& t, int parameter, int version, int gradient) const {
    const bool apart = version > sync_until;
    const std::uint64_t hash = 1000 * seed + 100 * static_cast<std::uint64_t>(parameter) +
                               static_cast<std::uint64_t>(version) * 7919 +
                               (apart ? static_cast<std::uint64_t>(rank) : 0);
    Fields fields{{"data", Hash{hash}}, {"data.dtype", dtype}, {"requires_grad", true}};
    if (gradient > 0) {
      fields.push_back({"grad", Hash{hash ^ (std::uint64_t{0xABCD} + 31 * static_cast<std::uint64_t>(gradient))}});
    } else {
      fields.push_back({"grad", None{}});
    }
    t.state("torch.nn.Parameter", parameter == 0 ? "model.fc.weight" : "model.fc.bias", fields);
  }

  void forward(TraceScript& t, bool training) const {
    const std::string batch = training ? "8" : "5";
    t.call("__main__.Net.forward", {{"arg.x.shape", Dims{batch + ",4"}}, {"self.training", training}},
           {{"ret.shape", Dims{batch + ",2"}}, {"ret.dtype", dtype}});
  }

  void one_step(TraceScript& t, int step) const {
    t.step(step);
    const int version = std::min(step, step_works_until);
    if (step < zero_grad_until) {
      t.enter("torch.optim.optimizer.Optimizer.zero_grad");
      for (int p = 0; p < 2; ++p) state(t, p, version, 0);
      t.exit();
    }
    forward(t, true);
    t.enter("torch.Tensor.backward");
    for (int p = 0; p < 2; ++p) state(t, p, version, step + 1);
    t.exit();
    t.enter("torch.optim.sgd.SGD.step");
    for (int p = 0; p < 2; ++p) state(t, p, std::min(step + 1, step_works_until), step + 1);
    t.exit();
  }
};

}  // namespace tenet::training::testing
