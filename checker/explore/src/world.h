/// Everything that an exploration shares between its threads.
#pragma once

#include <memory>
#include <vector>

#include "canvas.h"
#include "checks.h"
#include "layout.h"
#include "memo.h"
#include "places.h"
#include "stepper.h"
#include "symmetry.h"
#include "tenet/explore/explorer.h"
#include "universe.h"

namespace tenet::explore {

struct World {
  /// Throws Refusal.
  World(const ir::Protocol& protocol, const ir::Instance& instance, const Options& options);

  const ir::Protocol& p;
  const ir::Instance& instance;
  std::vector<ir::PropertyId> properties;  ///< that are checked
  Layouts layouts;
  Places places;
  Steps steps;
  Checks checks;
  Universe universe;
  Memos memos;
  Canvas canvas;
  Symmetry symmetry;
  Symmetry::Labelling labelling;

  /// Widens the packing to hold all that was discovered. False: it would be
  /// wider than a packed state may be.
  [[nodiscard]] bool widen();
  /// Replaces a state by the canonical one of its orbit. False: that does not
  /// fit the packing. Only while no other thread is at work.
  [[nodiscard]] bool canonical(Packed& state) { return canonical(canvas, state); }
  /// The same for a state in another packing.
  [[nodiscard]] bool canonical(const Canvas& of, Packed& state);
  [[nodiscard]] std::uint64_t memory() const { return universe.memory() + memos.memory() + symmetry.memory(); }
};

/// Something worth a trace, found in a state that is stored.
struct Candidate {
  FoundKind kind = FoundKind::violation;
  std::uint32_t what = 0;  ///< number of the check or problem
  std::uint32_t depth = 0;
  std::uint32_t index = 0;  ///< the state; of a transition or faulting step: the state before it
  std::uint64_t hash = 0;   ///< of that state
  std::uint64_t next = 0;   ///< violated by a transition: hash of the state after it
  friend bool operator==(const Candidate&, const Candidate&) = default;
  [[nodiscard]] bool before(const Candidate& other) const {
    return hash != other.hash ? hash < other.hash : next < other.next;
  }
};

}  // namespace tenet::explore
