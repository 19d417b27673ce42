/// What rests on what.
#include "order.h"

#include <algorithm>

namespace tenet::provenance {

std::string out_of_order(const std::vector<Obligation>& obligations) {
  std::set<std::string> shown, all;
  for (const Obligation& o : obligations) {
    if (o.discharged) all.insert(o.statement);
  }
  for (const Obligation& o : obligations) {
    if (!o.discharged) continue;
    for (const Use& use : o.uses) {
      if ((use.earlier ? all : shown).contains(use.statement)) continue;
      return "the proof of '" + o.statement + "' (" + o.part + ") uses '" + use.statement +
             "', which is not shown before it";
    }
    shown.insert(o.statement);
  }
  return {};
}

std::set<std::string> foundations(const std::vector<Obligation>& obligations, const std::string& statement) {
  std::set<std::string> found{statement};
  for (bool growing = true; growing;) {
    const std::size_t before = found.size();
    for (const Obligation& o : obligations) {
      if (!o.discharged || !found.contains(o.statement)) continue;
      for (const Use& use : o.uses) found.insert(use.statement);
    }
    growing = found.size() != before;
  }
  return found;
}

}  // namespace tenet::provenance
