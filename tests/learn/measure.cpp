/// Learns invariants for protocol files and prints one line each: what was measured for docs/learning.md.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string_view>

#include "tenet/frontend/frontend.h"
#include "tenet/learn/learn.h"

int main(int argc, char** argv) {
  const bool loud = std::getenv("LOUD") != nullptr;
  for (int i = 1; i < argc; ++i) {
    const auto file = tenet::frontend::read_source(argv[i]);
    if (!file) return 3;
    const auto loaded = tenet::frontend::load_protocol(*file);
    for (const auto& d : loaded.diagnostics.sorted()) {
      if (d.severity == tenet::Severity::error) fmt::print("{}", render(d, *file, false));
    }
    if (!loaded.protocol) return 3;
    tenet::learn::Options options;
    options.threads = 2;
    const std::clock_t before = std::clock();
    if (loud) {
      options.progress = [&](const std::string& what) {
        fmt::print(stderr, "  {:6.2f} {}\n", static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, what);
      };
    }
    const auto learned = tenet::learn::learn(*loaded.protocol, options);
    const auto& s = learned.statistics;
    fmt::print("| `{}` | {} | {:.2f} | {:.2f} | {} | {} | {} | {} | {} | {}\n",
               std::filesystem::path(argv[i]).stem().string(),
               learned.reason.empty() && !learned.proved.empty() ? "proved" : "open", s.seconds,
               static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, s.states, s.atoms, s.candidates,
               s.questions, learned.lemmas.size(), learned.reason);
    if (loud) {
      for (const auto& lemma : learned.lemmas) fmt::print("    {}\n", lemma.text);
    }
    std::fflush(stdout);
  }
  return 0;
}
