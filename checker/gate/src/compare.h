/// From what was found at the base and at the head to what has changed.
#pragma once

#include <string>
#include <vector>

#include "plan.h"
#include "tenet/gate/gate.h"
#include "tenet/result/result_model.h"

namespace tenet::gate {

/// An item with the finding of the head that it is about, if there is one.
struct Compared {
  Item item;
  Span span;
  const result::Finding* finding = nullptr;  ///< in the file result of the head
};

/// `base` and `head`: null if the unit is not there, or if `base` was not
/// verified because nothing at the head could be worse.
[[nodiscard]] std::vector<Compared> compare(const Unit& unit, const result::FileResult* base,
                                            const result::FileResult* head);

/// Whether every answer is as good as any can be, so that the base does not matter.
[[nodiscard]] bool beyond_doubt(const result::FileResult& head);

/// Answers in a file, and those other than "unknown".
struct Answers {
  std::size_t asked = 0, decided = 0;
};
[[nodiscard]] Answers answers(const result::FileResult& file);

}  // namespace tenet::gate
