/// What one question depends on, as a protocol of its own.
///
/// A question is put to this protocol and to nothing else, so whatever is not
/// in it cannot matter for the answer: after an edit that leaves the slice as it
/// was, the answer is the same. Its runs are more than those of the protocol (a
/// step that was left out is one that changes nothing), so that what no run of
/// the slice does no run of the protocol does. Names in it are numbers: the
/// text is the same whatever things are called.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "chase.h"
#include "tenet/ir/footprint.h"
#include "tenet/ir/protocol.h"

namespace tenet::provenance {

/// How far back a question looks.
enum class Reach : std::uint8_t {
  now,      ///< at single states: nothing happens
  step,     ///< at the last event, and at nothing before it
  history,  ///< at all causes
};
[[nodiscard]] Reach reach_of(const Strategy& strategy);

/// What a question is about.
struct Subject {
  std::string name;  ///< in the words of the protocol
  Reach reach = Reach::history;
  std::vector<ir::ExprId> formulas;  ///< all that the question evaluates …
  std::vector<ir::LocalId> locals;   ///< … and the free variables in them
  ir::RoleId role;                   ///< of self, if there is one
  ir::StepId step;                   ///< valid: asked about in full
  bool only_step = false;            ///< the last event is this step
};

/// The slice, and the subject in it.
struct Slice {
  ir::Protocol protocol;
  std::vector<DerivedFact> facts;
  std::vector<Hypothesis> hypotheses;
  Subject subject;
  std::vector<ir::StepId> kept;  ///< of the whole protocol: the first steps of the slice, in order
  std::string text;              ///< equal for slices that are equal but for names

  /// A text about the slice in the words of the protocol.
  [[nodiscard]] std::string readable(std::string_view about_slice) const;

  std::unordered_map<std::string, std::string> names;  ///< of the slice: what they stand for
};

/// All of a slice but its names.
[[nodiscard]] std::string text_of(const Slice& slice);

/// Cuts slices out of one protocol, which must outlive it and keep its steps.
class Slicer {
 public:
  /// With `readable` things keep their names, and slices have no text.
  explicit Slicer(const ir::Protocol& protocol, bool readable = false);

  /// Of the facts and hypotheses, those that speak only of what the subject can
  /// depend on: what else is true cannot matter.
  [[nodiscard]] Slice cut(const Subject& subject, const std::vector<DerivedFact>& facts,
                          const std::vector<Hypothesis>& hypotheses);

 private:
  const ir::Footprint& reads(ir::ExprId expr);
  bool add_statements(const std::vector<ir::StmtId>& block, bool in_full, ir::Footprint& region);
  void grow(ir::Footprint& region, const std::set<ir::StepId>* only, ir::StepId in_full);

  const ir::Protocol& p_;
  bool readable_;
  std::vector<ir::Footprint> changes_;  ///< by step
  std::unordered_map<ir::ExprId, ir::Footprint> reads_;
};

}  // namespace tenet::provenance
