/// Vocabularies with what holds in the samples; a search uses several together.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "pool.h"
#include "samples.h"
#include "table.h"
#include "tenet/ir/protocol.h"
#include "vocabulary.h"

namespace tenet::learn {

/// A clause of a view.
struct Named {
  std::size_t view = 0;
  Clause clause;
  friend auto operator<=>(const Named&, const Named&) = default;
};

/// "For every value of the first there is one of the second": if such arrows form a circle, solvers may not end.
using Sorts = std::pair<ir::TypeId, ir::TypeId>;

/// The arrows of a formula that is true, `outer` being universally quantified around it.
void arrows(const ir::Protocol& protocol, ir::ExprId id, bool positive, std::set<ir::TypeId> outer,
            std::set<Sorts>& out);
/// Whether there is a way from one to the other.
[[nodiscard]] bool leads(const std::set<Sorts>& arrows, ir::TypeId from, ir::TypeId to);

/// The expressions of all views are made in `protocol`, which must outlive them. Not thread-safe.
class Views {
 public:
  explicit Views(ir::Protocol& protocol) : protocol_(protocol) {}

  struct Size {
    std::size_t atoms = 0, literals = 0, rows = 0, candidates = 0;
  };
  /// One more vocabulary; `stop` ends it early.
  Size add(const Template& shape, const std::vector<Sample>& samples, unsigned threads,
           const std::function<bool()>& stop);
  /// With more to choose from, what was taken away may be good after all.
  void refill();

  /// What the views know of a state.
  using Look = std::vector<Columns>;
  [[nodiscard]] Look look_at(const Sample& state) { return look_at(state, 0); }
  /// What views that were added since know of it.
  void complete(Look& look, const Sample& state);

  /// How gladly a clause is taken: the least first; nothing: not at all.
  using Rank = std::function<std::optional<int>(const Named&)>;
  /// Candidates that are false in one of `states`, up to so many. Those with the least rank come first; of those the
  /// ones that are false in most of the states, then the simplest, then those that are false in most of `others`.
  [[nodiscard]] std::vector<Named> best(std::span<const Look* const> states, std::span<const Look* const> others,
                                        const Rank& rank, std::size_t most) const;
  /// A state that every invariant holds in, as far as the views can tell.
  void learn(const Look& state);
  [[nodiscard]] bool contains(const Named& named) const { return views_[named.view]->pool->contains(named.clause); }
  void remove(const Named& named) { views_[named.view]->pool->remove(named.clause); }

  /// As an implication where that reads better.
  [[nodiscard]] ir::ExprId formula_of(const Named& named);
  [[nodiscard]] std::set<Sorts> arrows_of(const Named& named) const;

 private:
  struct View {
    Vocabulary vocabulary;
    std::unique_ptr<Table> table;
    std::vector<std::vector<Sorts>> arrows;  ///< by literal
    std::unique_ptr<Pool> pool, all;         ///< `all`: as enumerated
  };
  Look look_at(const Sample& state, std::size_t from);
  ir::ExprId literal_of(const View& view, Literal literal);

  ir::Protocol& protocol_;
  std::vector<std::unique_ptr<View>> views_;
};

}  // namespace tenet::learn
