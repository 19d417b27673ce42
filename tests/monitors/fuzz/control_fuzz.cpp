// Control files of any contents: what is not understood is said, and every rule is then on or off for a reason.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "control.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tenet::monitor::RuleState;
  const auto rule = [](const char* name) {
    RuleState state;
    state.info.name = name;
    return state;
  };
  std::vector<RuleState> rules{rule("agreement"), rule("Acceptor.promised.grows")};
  bool enabled = false;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto problems = tenet::monitor::apply_control(text, rules, enabled);
  for (const std::string& problem : problems) {
    if (problem.rfind("line ", 0) != 0) std::abort();
  }
  for (const RuleState& state : rules) {
    if (!state.on && text.find("off") == std::string::npos) std::abort();
    if (state.silenced_because.empty() != (state.silenced_until == 0)) std::abort();
  }
  // Nothing of an earlier file stays.
  (void)tenet::monitor::apply_control("", rules, enabled);
  for (const RuleState& state : rules) {
    if (!state.on || !enabled || !state.silenced_because.empty()) std::abort();
  }
  return 0;
}
