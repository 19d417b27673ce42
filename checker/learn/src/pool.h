/// The clauses that hold in everything seen so far, the weakest left out: of
/// those that imply one another only the strongest are kept.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <vector>

#include "table.h"

namespace tenet::learn {

/// Literals, ascending.
using Clause = std::vector<Literal>;

/// The rows of a state, by literal: in which of them it is true.
class Columns {
 public:
  Columns(std::size_t literals, const std::vector<Row>& rows);
  [[nodiscard]] bool holds(const Clause& clause) const;

 private:
  std::size_t words_;
  std::vector<std::uint64_t> beyond_;  ///< bits that are no row
  std::vector<std::uint64_t> bits_;
};

class Pool {
 public:
  Pool(const Table& table, std::size_t literals) : table_(table), most_(literals), alive_(Simpler{&table}) {}

  /// All clauses with up to so many literals (one more with an obstacle) that hold in all rows of the table and have no
  /// stronger one; of those that differ in names of variables one. `stop` ends it early.
  void enumerate(const std::function<bool()>& stop);
  /// A state that every invariant of this form holds in: clauses that do not are replaced by weaker ones.
  void learn(const Columns& state);
  /// The simplest first.
  void visit(const std::function<void(const Clause&)>& use) const {
    for (const Clause& clause : alive_) use(clause);
  }
  /// "There is" counts twice.
  [[nodiscard]] std::size_t weight(const Clause& clause) const { return Simpler{&table_}.weight(clause); }
  /// Takes it out without a replacement.
  void remove(const Clause& clause) { alive_.erase(clause); }
  [[nodiscard]] bool contains(const Clause& clause) const { return alive_.contains(clause); }
  [[nodiscard]] std::size_t size() const { return alive_.size(); }

 private:
  struct Simpler {
    const Table* table = nullptr;
    [[nodiscard]] std::size_t weight(const Clause& clause) const {
      std::size_t sum = 0;
      for (const Literal l : clause) sum += (*table)[l].plain ? 1U : 2U;
      return sum;
    }
    bool operator()(const Clause& a, const Clause& b) const {
      const std::size_t of_a = weight(a), of_b = weight(b);
      return of_a != of_b ? of_a < of_b : a < b;
    }
  };
  void grow(Clause& clause, const std::vector<std::uint64_t>& open, std::size_t wanted,
            const std::function<bool()>& stop);
  void close(Clause& clause, const std::vector<std::uint64_t>& open);
  /// How many literals a clause with this last one may have.
  [[nodiscard]] std::size_t most_with(Literal last) const { return table_[last].obstacle ? most_ + 1 : most_; }
  [[nodiscard]] bool minimal(const Clause& clause) const;
  [[nodiscard]] bool allowed(const Clause& clause, Literal next) const;
  /// The same clause with the names that make it least.
  [[nodiscard]] Clause canonical(const Clause& clause) const;
  [[nodiscard]] bool subsumed(const Clause& clause) const;

  const Table& table_;
  std::size_t most_;
  std::vector<Literal> usable_;
  std::vector<std::vector<std::uint64_t>> columns_;  ///< by literal: the rows in which it is true
  std::set<Clause, Simpler> alive_;
  std::set<Clause> seen_;  ///< ever tried as a weaker one
};

}  // namespace tenet::learn
