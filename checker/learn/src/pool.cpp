#include "pool.h"

#include <algorithm>
#include <bit>

namespace tenet::learn {

namespace {
/// More clauses than this are not kept.
constexpr std::size_t kMostClauses = 40'000;
}  // namespace

Columns::Columns(std::size_t literals, const std::vector<Row>& rows)
    : words_((rows.size() + 63) / 64), beyond_(words_, 0), bits_(literals * words_, 0) {
  if (rows.size() % 64 != 0) beyond_.back() = ~std::uint64_t{0} << (rows.size() % 64);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::vector<std::uint64_t>& row = rows[r].words();
    for (std::size_t w = 0; w < row.size(); ++w) {
      for (std::uint64_t rest = row[w]; rest != 0; rest &= rest - 1) {
        const std::size_t literal = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        bits_[literal * words_ + r / 64] |= std::uint64_t{1} << (r % 64);
      }
    }
  }
}

bool Columns::holds(const Clause& clause) const {
  for (std::size_t w = 0; w < words_; ++w) {
    std::uint64_t covered = beyond_[w];
    for (const Literal l : clause) covered |= bits_[l * words_ + w];
    if (covered != ~std::uint64_t{0}) return false;
  }
  return true;
}

bool Pool::allowed(const Clause& clause, Literal next) const {
  const LiteralMeaning& meaning = table_[next];
  for (const Literal l : clause) {
    if (l == next) return false;
    const LiteralMeaning& other = table_[l];
    if (!meaning.plain && !other.plain) return false;  // one "there is" at most
    if (meaning.plain && other.plain && meaning.atom == other.atom) return false;
  }
  return true;
}

void Pool::enumerate(const std::function<bool()>& stop) {
  const std::size_t rows = table_.rows().size();
  const std::size_t words = (rows + 63) / 64;
  columns_.assign(table_.literals(), std::vector<std::uint64_t>(words, 0));
  for (std::size_t r = 0; r < rows; ++r) {
    for (Literal l = 0; l < table_.literals(); ++l) {
      if (table_.rows()[r].test(l)) columns_[l][r / 64] |= std::uint64_t{1} << (r % 64);
    }
  }
  for (Literal l = 0; l < table_.literals(); ++l) {
    const bool never = std::all_of(columns_[l].begin(), columns_[l].end(), [](std::uint64_t w) { return w == 0; });
    if (table_[l].usable && !never) usable_.push_back(l);
  }
  std::vector<std::uint64_t> open(words, ~std::uint64_t{0});
  if (rows % 64 != 0 && words > 0) open.back() = (std::uint64_t{1} << (rows % 64)) - 1;
  if (rows == 0) return;
  const bool obstacles = std::any_of(usable_.begin(), usable_.end(), [&](Literal l) { return table_[l].obstacle; });
  for (std::size_t size = 1; size <= (obstacles ? most_ + 1 : most_); ++size) {
    Clause clause;
    grow(clause, open, size, stop);
  }
}

void Pool::grow(Clause& clause, const std::vector<std::uint64_t>& open, std::size_t wanted,
                const std::function<bool()>& stop) {
  if (alive_.size() >= kMostClauses || stop()) return;
  if (clause.size() + 1 == wanted) return close(clause, open);
  const auto begin = clause.empty() ? usable_.begin() : std::upper_bound(usable_.begin(), usable_.end(), clause.back());
  std::vector<std::uint64_t> rest(open.size());
  for (auto l = begin; l != usable_.end(); ++l) {
    if (!allowed(clause, *l)) continue;
    // Obstacles come last, and there is one at most.
    if (wanted > most_ && !table_[*l].plain) break;
    std::uint64_t left = 0, covered = 0;
    for (std::size_t w = 0; w < open.size(); ++w) {
      rest[w] = open[w] & ~columns_[*l][w];
      left |= rest[w];
      covered |= open[w] & columns_[*l][w];
    }
    // What covers nothing, or all, leads to no minimal clause of this size.
    if (left == 0 || covered == 0) continue;
    clause.push_back(*l);
    grow(clause, rest, wanted, stop);
    clause.pop_back();
  }
}

/// The last literal has to cover all that is left.
void Pool::close(Clause& clause, const std::vector<std::uint64_t>& open) {
  std::size_t first = 0;
  while (first < open.size() && open[first] == 0) ++first;
  if (first == open.size()) return;
  const Row& row = table_.rows()[first * 64 + static_cast<std::size_t>(std::countr_zero(open[first]))];
  const auto begin = clause.empty() ? usable_.begin() : std::upper_bound(usable_.begin(), usable_.end(), clause.back());
  for (auto l = begin; l != usable_.end(); ++l) {
    if (!row.test(*l) || clause.size() >= most_with(*l) || !allowed(clause, *l)) continue;
    bool all = true;
    for (std::size_t w = first; w < open.size() && all; ++w) all = (open[w] & ~columns_[*l][w]) == 0;
    if (!all) continue;
    Clause made = clause;
    made.push_back(*l);
    if (!minimal(made) || canonical(made) != made) continue;
    // What says nothing of what changes follows from the axioms, or is false in larger instances.
    if (std::all_of(made.begin(), made.end(), [&](Literal each) { return table_[each].rigid; })) continue;
    alive_.insert(std::move(made));
  }
}

/// No literal can be left out.
bool Pool::minimal(const Clause& clause) const {
  for (std::size_t out = 0; out < clause.size(); ++out) {
    bool holds = true;
    for (std::size_t w = 0; w < columns_[0].size() && holds; ++w) {
      std::uint64_t covered = 0, all = ~std::uint64_t{0};
      for (std::size_t i = 0; i < clause.size(); ++i) {
        if (i != out) covered |= columns_[clause[i]][w];
      }
      if (w + 1 == columns_[0].size() && table_.rows().size() % 64 != 0) {
        all = (std::uint64_t{1} << (table_.rows().size() % 64)) - 1;
      }
      holds = (covered & all) == all;
    }
    if (holds) return false;
  }
  return true;
}

Clause Pool::canonical(const Clause& clause) const {
  Clause least = clause;
  for (std::size_t r = 0; r < table_.renamings(); ++r) {
    Clause other;
    for (const Literal l : clause) {
      const auto to = table_.renamed(l, r);
      if (!to) break;
      other.push_back(*to);
    }
    if (other.size() != clause.size()) continue;
    std::sort(other.begin(), other.end());
    least = std::min(least, other);
  }
  return least;
}

/// Whether a part of it is in the pool.
bool Pool::subsumed(const Clause& clause) const {
  const std::size_t subsets = std::size_t{1} << clause.size();
  for (std::size_t mask = 1; mask < subsets; ++mask) {
    Clause part;
    for (std::size_t i = 0; i < clause.size(); ++i) {
      if (((mask >> i) & 1U) != 0) part.push_back(clause[i]);
    }
    const Clause least = canonical(part);
    if (alive_.contains(least)) return true;
  }
  return false;
}

void Pool::learn(const Columns& state) {
  std::vector<Clause> fallen;
  for (const Clause& clause : alive_) {
    if (!state.holds(clause)) fallen.push_back(clause);
  }
  for (const Clause& clause : fallen) alive_.erase(clause);
  for (const Clause& clause : fallen) {
    if (clause.size() > most_) continue;
    for (const Literal l : usable_) {
      if (alive_.size() >= kMostClauses) return;
      if (!allowed(clause, l)) continue;
      Clause weaker = clause;
      weaker.insert(std::upper_bound(weaker.begin(), weaker.end(), l), l);
      if (weaker.size() > most_with(weaker.back())) continue;
      if (!state.holds(weaker)) continue;
      weaker = canonical(weaker);
      if (!seen_.insert(weaker).second || subsumed(weaker)) continue;
      alive_.insert(std::move(weaker));
    }
  }
}

}  // namespace tenet::learn
