// The soundness campaign: random protocols and mutants of the shipped ones,
// prover against explorer. Ends with status 1 if they contradict one another.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "contest.h"
#include "disguise.h"
#include "generator.h"
#include "memory_store.h"
#include "stop_after.h"
#include "tenet/frontend/frontend.h"
#include "tenet/ir/edit.h"
#include "tenet/provenance/prover.h"
#include "tenet/result/result_model.h"

namespace {

namespace fs = std::filesystem;
using namespace tenet;

/// Of the processor. A proof that takes longer is none.
constexpr std::chrono::minutes kStabilityLimit{3};

struct Campaign {
  std::uint64_t seed = 1, protocols = 1000, every = 1, stable = 0, unstable = 0;
  std::string mutants_of, keep = "campaign-failures";
  campaign::Limits limits;
  campaign::Score total;
  /// Mutants of one protocol share what they have in common: an answer that is
  /// used where it is none shows as a contradiction.
  campaign::MemoryStore store;

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
    for (const fs::path& folder : folders(mutants_of)) {
      const std::string name = folder.filename().string();
      const fs::path path = folder / (name + ".tenet");
      const auto file = frontend::read_source(path.string());
      if (!file) continue;
      const auto loaded = frontend::load_protocol(*file);
      if (!loaded.protocol) continue;
      std::size_t number = 0;
      store.answers().clear();
      limits.answers = &store;
      for (const ir::Mutant& mutant : ir::mutants(*loaded.protocol)) {
        ++number;
        if (met++ % every != 0) continue;
        record(campaign::contest(mutant.protocol, limits), fmt::format("{}-mutant-{}", name, number),
               "// " + mutant.description + "\n");
      }
      summary("mutants up to " + name);
    }
  }

  /// Each shipped protocol with several seeds, and in several disguises: what is
  /// proved must not depend on either. Prints a table for docs/proving.md.
  void stability() {
    fmt::print(
        "| protocol | lines | obligations | claims proved | seeds | disguises | resources (thousands): as written, "
        "seeds, disguises | seconds |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (const fs::path& folder : folders(mutants_of)) {
      const auto file = frontend::read_source((folder / (folder.filename().string() + ".tenet")).string());
      if (!file) continue;
      const auto loaded = frontend::load_protocol(*file);
      if (!loaded.protocol) continue;
      const Run plain = prove(*loaded.protocol, 0);
      if (plain.proved < plain.claims) {
        fmt::print("| `{}` | {} | | {} of {} | | | | {:.1f} |\n", folder.filename().string(),
                   result::lines_of_text(file->text()), plain.proved, plain.claims, plain.seconds);
        continue;
      }
      Spread seeds, disguises;
      for (std::uint64_t i = 1; i <= stable; ++i) {
        seeds.add(prove(*loaded.protocol, static_cast<std::uint32_t>(i)), plain);
        disguises.add(prove(campaign::disguise(*loaded.protocol, i).protocol, 0), plain);
      }
      unstable += seeds.different + disguises.different;
      fmt::print(
          "| `{}` | {} | {} | {} of {} | {} the same | {} the same | {:.1f}; {:.1f} to {:.1f}; {:.1f} to {:.1f} | "
          "{:.1f} |\n",
          folder.filename().string(), result::lines_of_text(file->text()), plain.obligations, plain.proved,
          plain.claims, stable - seeds.different, stable - disguises.different, plain.resources, seeds.least,
          seeds.most, disguises.least, disguises.most, plain.seconds);
      std::fflush(stdout);
    }
  }

  struct Run {
    std::size_t proved = 0, claims = 0, obligations = 0;
    double resources = 0, seconds = 0;
  };
  static Run prove(const ir::Protocol& protocol, std::uint32_t seed) {
    provenance::ProveOptions options;
    options.seed = seed;
    const auto begin = campaign::processor_time();
    const campaign::StopAfter stop(kStabilityLimit);
    options.stop = stop.flag();
    const provenance::Proof proof = provenance::prove(protocol, options);
    Run run;
    run.claims = proof.claims.size();
    for (const auto& claim : proof.claims) run.proved += claim.verdict == provenance::ClaimVerdict::proved ? 1 : 0;
    for (const auto& obligation : proof.obligations) {
      run.obligations += obligation.discharged ? 1 : 0;
      run.resources += static_cast<double>(obligation.resources) / 1e3;
    }
    run.seconds = (campaign::processor_time() - begin).count();
    return run;
  }
  struct Spread {
    double least = 0, most = 0;
    std::uint64_t different = 0, runs = 0;
    void add(const Run& run, const Run& plain) {
      least = runs == 0 ? run.resources : std::min(least, run.resources);
      most = std::max(most, run.resources);
      ++runs;
      if (run.proved != plain.proved) ++different;
    }
  };
  static std::vector<fs::path> folders(const fs::path& root) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(root)) found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
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
  app.add_option("--stability", campaign.stable,
                 "instead: prove each protocol of --mutants-of with N seeds and in N disguises");
  CLI11_PARSE(app, argc, argv);
  if (campaign.stable > 0) {
    campaign.stability();
    return campaign.unstable == 0 ? 0 : 1;
  }
  campaign.random();
  if (!campaign.mutants_of.empty()) campaign.mutants();
  campaign.summary("in all");
  return campaign.total.contradictions.empty() ? 0 : 1;
}
