#include "tenet/ir/verifier.h"

#include "verify.h"

namespace tenet::ir {

std::vector<std::string> verify_ir(const Protocol& protocol) {
  Breaches breaches;
  for (const auto part : {verify_declarations, verify_shape, verify_types, verify_scopes}) {
    part(protocol, breaches);
    if (!breaches.empty()) break;
  }
  return breaches;
}

}  // namespace tenet::ir
