// Invariants and evidence files of any contents. What is understood survives printing and parsing, and can be used.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tenet/training/check.h"
#include "tenet/training/infer.h"

using namespace tenet::training;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto set = parse_invariants(text)) {
    auto again = parse_invariants(print_invariants(*set));
    if (!again || again->invariants.size() != set->invariants.size()) std::abort();
    Vocabulary vocabulary;
    Checker checker(vocabulary, *set, {});
    (void)checker.finish();
  }
  if (auto evidence = parse_evidence(text)) {
    (void)conclude(*evidence, {});
    (void)merge(*evidence, *evidence);
  }
  return 0;
}
