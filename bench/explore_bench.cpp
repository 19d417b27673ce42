/// Explores one instance and prints one line: what `bench/run` compares.
///
///   tenet_explore_bench FILE THREADS SYMMETRY CHECKED NAME=SIZE… NAME=LOW..HIGH…
///
/// SYMMETRY is on or off; CHECKED is all (the properties of the protocol) or
/// none (only what can be reached, like a Promela model without assertions).
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "tenet/explore/explorer.h"
#include "tenet/frontend/frontend.h"

namespace {

std::optional<tenet::ir::InstanceEntry> entry(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {};
  tenet::ir::InstanceEntry result;
  result.name = text.substr(0, equals);
  const std::string value(text.substr(equals + 1));
  const std::size_t dots = value.find("..");
  result.low = std::atoll(value.c_str());
  result.is_range = dots != std::string::npos;
  result.high = result.is_range ? std::atoll(value.c_str() + dots + 2) : result.low;
  return result;
}

int fail(const std::string& message) {
  std::fprintf(stderr, "tenet_explore_bench: %s\n", message.c_str());
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return fail("usage: FILE THREADS SYMMETRY CHECKED NAME=SIZE…");
  const auto source = tenet::frontend::read_source(argv[1]);
  if (!source) return fail(source.error().message);
  auto loaded = tenet::frontend::load_protocol(*source);
  if (!loaded.protocol) return fail("the protocol has errors");
  if (std::string_view(argv[4]) == "none") loaded.protocol->properties.clear();
  tenet::ir::InstanceDecl decl{"bench", {}, {}};
  for (int i = 5; i < argc; ++i) {
    const auto parsed = entry(argv[i]);
    if (!parsed) return fail(std::string("cannot read ") + argv[i]);
    decl.entries.push_back(*parsed);
  }
  tenet::Diagnostics diagnostics;
  const auto instance = tenet::ir::Instance::resolve(*loaded.protocol, &decl, diagnostics);
  if (!instance) return fail("the instance has errors");
  tenet::explore::Options options;
  options.threads = static_cast<unsigned>(std::atoi(argv[2]));
  options.symmetry = std::string_view(argv[3]) == "on";
  options.memory_bytes = 16ULL << 30;
  const auto report = tenet::explore::explore(*loaded.protocol, *instance, options);
  if (!report) return fail(report.error().message);
  std::printf("states %llu transitions %llu diameter %u seconds %.3f bytes %.1f complete %d\n",
              static_cast<unsigned long long>(report->states), static_cast<unsigned long long>(report->transitions),
              report->depth, report->seconds, report->bytes_per_state,
              report->end == tenet::explore::End::complete ? 1 : 0);
  return 0;
}
