// Findings of monitors of any contents: they are charted or refused.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "scratch_folder.h"
#include "tenet/charts/charts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tenet::testing::ScratchFolder folder;
  const std::string path = folder.write("findings.jsonl", std::string(reinterpret_cast<const char*>(data), size));
  const auto run = tenet::charts::of_findings({path});
  if (!run) {
    if (run.error().message.find(path) == std::string::npos) std::abort();
    return 0;
  }
  // A chart has every host and cell that its steps speak of.
  for (const auto& file : run->files) {
    for (const auto& finding : file.findings) {
      if (!finding.trace) continue;
      for (const auto& step : finding.trace->steps) {
        for (const auto& [cell, value] : step.cells) {
          if (cell >= finding.trace->initial.size()) std::abort();
        }
        if (step.received && step.received->sent_at && *step.received->sent_at >= finding.trace->steps.size()) {
          std::abort();
        }
      }
    }
  }
  return 0;
}
