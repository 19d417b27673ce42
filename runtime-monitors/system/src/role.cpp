#include "tenet/system/role.h"

#include <algorithm>

namespace tenet::system {

const Switch* fault_named(const System& system, std::string_view name) {
  const auto all = system.faults();
  const auto found = std::ranges::find(all, name, &Switch::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tenet::system
