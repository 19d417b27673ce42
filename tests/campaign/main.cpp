// The soundness campaign: random protocols and mutants of the shipped ones,
// prover against explorer. Ends with status 1 if they contradict one another.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "contest.h"
#include "generator.h"
#include "tenet/frontend/frontend.h"
#include "tenet/ir/edit.h"

namespace {

namespace fs = std::filesystem;
using namespace tenet;

struct Campaign {
  std::uint64_t seed = 1, protocols = 1000, every = 1;
  std::string mutants_of, keep = "campaign-failures";
  campaign::Limits limits;
  campaign::Score total;

  void record(const campaign::Score& score, const std::string& name, const std::string& text) {
    total.add(score);
    for (const std::string& what : score.contradictions) {
      fmt::print(stderr, "CONTRADICTION {}: {}\n", name, what);
      fs::create_directories(keep);
      std::ofstream(fs::path(keep) / (name + ".tenet")) << text;
    }
  }

  void random() {
    std::uint64_t made = 0;
    for (std::uint64_t s = seed; made < protocols; ++s) {
      const std::string text = campaign::random_protocol(s);
      const auto loaded = frontend::load_protocol(SourceFile("random.tenet", text));
      if (!loaded.protocol) continue;
      ++made;
      record(campaign::contest(*loaded.protocol, limits), fmt::format("random-{}", s), text);
      if (made % 50 == 0) summary(fmt::format("{} random protocols", made));
    }
  }

  void mutants() {
    std::uint64_t met = 0;
    for (const auto& entry : fs::directory_iterator(mutants_of)) {
      const fs::path path = entry.path() / (entry.path().filename().string() + ".tenet");
      const auto file = frontend::read_source(path.string());
      if (!file) continue;
      const auto loaded = frontend::load_protocol(*file);
      if (!loaded.protocol) continue;
      const std::string name = entry.path().filename().string();
      std::size_t number = 0;
      for (const ir::Mutant& mutant : ir::mutants(*loaded.protocol)) {
        ++number;
        if (met++ % every != 0) continue;
        record(campaign::contest(mutant.protocol, limits), fmt::format("{}-mutant-{}", name, number),
               "// " + mutant.description + "\n");
      }
      summary("mutants up to " + name);
    }
  }

  void summary(const std::string& what) const {
    fmt::print(
        "{}: {} protocols, {} claims: {} violated, {} proved, {} undecided; the prover was stopped in {}; {} "
        "contradictions\n",
        what, total.protocols, total.claims, total.violated, total.proved, total.claims - total.violated - total.proved,
        total.stopped, total.contradictions.size());
    std::fflush(stdout);
  }
};

}  // namespace

int main(int argc, char** argv) {
  Campaign campaign;
  CLI::App app("Random protocols and mutants: whatever the prover proves, the explorer must not violate.");
  app.add_option("--protocols", campaign.protocols, "random protocols")->capture_default_str();
  app.add_option("--seed", campaign.seed, "of the first")->capture_default_str();
  app.add_option("--mutants-of", campaign.mutants_of, "also the mutants of each protocol in this folder");
  app.add_option("--every", campaign.every, "only every n-th mutant")->check(CLI::PositiveNumber);
  app.add_option("--prove-ms", campaign.limits.prove_milliseconds, "for the prover, a protocol")->capture_default_str();
  app.add_option("--generations", campaign.limits.generations, "causes followed")->capture_default_str();
  app.add_option("--keep", campaign.keep, "folder for what was contradictory")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  campaign.random();
  if (!campaign.mutants_of.empty()) campaign.mutants();
  campaign.summary("in all");
  return campaign.total.contradictions.empty() ? 0 : 1;
}
