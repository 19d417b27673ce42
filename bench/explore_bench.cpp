/// Explores one instance and prints one line: what `bench/run` compares.
///
///   tenet_explore_bench FILE INSTANCE THREADS [symmetry]
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tenet/explore/explorer.h"
#include "tenet/frontend/frontend.h"

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: tenet_explore_bench FILE INSTANCE THREADS [symmetry]\n", stderr);
    return 3;
  }
  const auto source = tenet::frontend::read_source(argv[1]);
  if (!source) {
    std::fprintf(stderr, "%s\n", source.error().message.c_str());
    return 3;
  }
  const auto loaded = tenet::frontend::load_protocol(*source);
  if (!loaded.protocol) return 3;
  const tenet::ir::InstanceDecl* decl = nullptr;
  for (const auto& instance : loaded.protocol->instances) {
    if (instance.name == argv[2]) decl = &instance;
  }
  tenet::Diagnostics diagnostics;
  const auto instance = tenet::ir::Instance::resolve(*loaded.protocol, decl, diagnostics);
  if (decl == nullptr || !instance) {
    std::fprintf(stderr, "no instance %s\n", argv[2]);
    return 3;
  }
  tenet::explore::Options options;
  options.threads = static_cast<unsigned>(std::atoi(argv[3]));
  options.symmetry = argc > 4;
  options.memory_bytes = 16ULL << 30;
  const auto report = tenet::explore::explore(*loaded.protocol, *instance, options);
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().message.c_str());
    return 4;
  }
  std::printf("states %llu transitions %llu diameter %u seconds %.3f bytes %.1f end %d found %zu\n",
              static_cast<unsigned long long>(report->states), static_cast<unsigned long long>(report->transitions),
              report->diameter, report->seconds, report->bytes_per_state, static_cast<int>(report->end),
              report->found.size());
  return 0;
}
