// Tenet as a library: loads a protocol, explores its default instance and
// says how many states there are.
#include <cstdio>

#include "tenet/explore/explorer.h"
#include "tenet/frontend/frontend.h"
#include "tenet/ir/instance.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: count_states FILE\n");
    return 3;
  }
  const auto file = tenet::frontend::read_source(argv[1]);
  if (!file) {
    std::fprintf(stderr, "%s\n", file.error().message.c_str());
    return 3;
  }
  tenet::frontend::Loaded loaded = tenet::frontend::load_protocol(*file);
  for (const tenet::Diagnostic& diagnostic : loaded.diagnostics.sorted()) {
    std::fprintf(stderr, "%s", tenet::render(diagnostic, *file, false).c_str());
  }
  if (!loaded.protocol) return 3;

  tenet::Diagnostics trouble;
  const auto* declared = loaded.protocol->instances.empty() ? nullptr : &loaded.protocol->instances.front();
  const auto instance = tenet::ir::Instance::resolve(*loaded.protocol, declared, trouble);
  if (!instance) return 3;
  const auto report = tenet::explore::explore(*loaded.protocol, *instance, {});
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().message.c_str());
    return 2;
  }
  bool violated = false;
  for (const auto& found : report->found) violated |= found.kind == tenet::explore::FoundKind::violation;
  std::printf("%s: %llu states, %s\n", loaded.protocol->name.c_str(), static_cast<unsigned long long>(report->states),
              violated ? "violated" : "nothing violated");
  return violated ? 1 : 0;
}
