/// What is asked of every state or transition, compiled.
#pragma once

#include <vector>

#include "compiler.h"
#include "program.h"
#include "universe.h"

namespace tenet::explore {

struct Check {
  enum class Role : std::uint8_t {
    claim,      ///< must be true (safety, lemma, transition)
    witness,    ///< should be true somewhere (reachable)
    antecedent  ///< the left side of an implication in a claim, for some values: should be true somewhere
  };
  Role role = Role::claim;
  bool transition = false;  ///< of a step rather than a state
  ir::PropertyId property;
  ir::ExprId formula;  ///< the whole formula; antecedent: the left side
  Compiled compiled;
};

/// All checks of an exploration. Immutable after construction.
class Checks {
 public:
  Checks(const ir::Protocol& protocol, const ir::Instance& instance, Layouts& layouts, const Places& places,
         const std::vector<ir::PropertyId>& properties);

  [[nodiscard]] const std::vector<Check>& all() const { return checks_; }
  [[nodiscard]] const Check& operator[](std::size_t i) const { return checks_[i]; }
  [[nodiscard]] std::size_t size() const { return checks_.size(); }
  [[nodiscard]] std::vector<Footprint> footprints() const { return footprints_; }
  [[nodiscard]] std::uint32_t frame_cells() const { return program_.frame_cells(); }
  /// The bit that stands for check `i` in masks; the last bit stands for all
  /// from there on.
  [[nodiscard]] static std::uint64_t mask_of(std::size_t i) { return 1ULL << std::min<std::size_t>(i, 63); }

 private:
  struct Path;
  void antecedents(Compiler& compiler, const ir::Property& property, ir::PropertyId id, ir::ExprId formula, Path& path);
  void add(Check check, ir::ExprId whole);
  void read(ir::ExprId id, Footprint& footprint) const;

  const ir::Protocol& p_;
  const Places& places_;
  Layouts& layouts_;
  Program program_;
  std::vector<Check> checks_;
  std::vector<Footprint> footprints_;
};

}  // namespace tenet::explore
