#include "table.h"

#include <algorithm>
#include <thread>

namespace tenet::learn {

namespace {
/// No more "there is" literals than this are looked at.
constexpr std::size_t kMostBound = 3000;
constexpr std::size_t kMostRows = 40'000;
/// States whose rows are made at the same time.
constexpr std::size_t kBatch = 64;
/// Of rows with "there is" literals, which are wide.
constexpr std::size_t kMostWideRows = 12'000;
}  // namespace

Table::Table(const ir::Protocol& protocol, const Vocabulary& vocabulary)
    : p_(protocol), v_(vocabulary), values_(protocol), unknown_(vocabulary.atoms.size(), false) {
  for (std::size_t i = 0; i < v_.variables.size(); ++i) {
    if (v_.variables[i].existential) existential_.push_back(i);
  }
  for (std::size_t a = 0; a < v_.atoms.size(); ++a) {
    for (const bool negative : {false, true}) {
      LiteralMeaning meaning;
      meaning.atom = a;
      meaning.negative = negative;
      meaning.rigid = v_.atoms[a].rigid;
      const auto& vars = v_.atoms[a].variables;
      const bool bound =
          std::any_of(vars.begin(), vars.end(), [&](std::size_t x) { return v_.variables[x].existential; });
      // "x != y or …" says no more than "…" with one variable for both.
      meaning.usable = !bound && !(negative && v_.atoms[a].equality);
      meanings_.push_back(std::move(meaning));
      variables_.emplace_back(vars.begin(), vars.end());
    }
  }
}

std::vector<Table::Wide> Table::wide_rows(const Sample& sample, Values& values, std::vector<bool>& unknown) const {
  values.look_at(sample);
  std::vector<const std::vector<ir::Value>*> domains;
  for (const Variable& variable : v_.variables) domains.push_back(&values.domain(variable.type));
  // Each atom once for all values of its own variables.
  std::vector<std::vector<bool>> truth(v_.atoms.size());
  for (std::size_t a = 0; a < v_.atoms.size(); ++a) {
    const Atom& atom = v_.atoms[a];
    std::vector<std::size_t> at(atom.variables.size(), 0);
    bool empty = false;
    for (const std::size_t x : atom.variables) empty = empty || domains[x]->empty();
    while (!empty) {
      for (std::size_t i = 0; i < at.size(); ++i) {
        values.bind(v_.variables[atom.variables[i]].local, (*domains[atom.variables[i]])[at[i]]);
      }
      truth[a].push_back(values.truth(atom.formula));
      if (!values.known()) unknown[a] = true;
      std::size_t next = at.size();
      while (next > 0 && ++at[next - 1] == domains[atom.variables[next - 1]]->size()) at[--next] = 0;
      if (next == 0) break;
    }
  }
  std::vector<Wide> rows;
  const std::size_t universal = v_.variables.size() - existential_.size();
  std::vector<std::size_t> at(v_.variables.size(), 0);
  for (std::size_t x = 0; x < v_.variables.size(); ++x) {
    if (domains[x]->empty()) return rows;
  }
  // What one value more of a variable means for the place in `truth`.
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> strides(v_.atoms.size());
  for (std::size_t a = 0; a < v_.atoms.size(); ++a) {
    std::size_t stride = 1;
    for (std::size_t i = v_.atoms[a].variables.size(); i-- > 0;) {
      const std::size_t x = v_.atoms[a].variables[i];
      strides[a].emplace_back(x, stride);
      stride *= domains[x]->size();
    }
  }
  const auto value = [&](std::size_t a) {
    std::size_t index = 0;
    for (const auto& [x, stride] : strides[a]) index += stride * at[x];
    return static_cast<bool>(truth[a][index]);
  };
  for (;;) {
    Wide row;
    row.plain = Bits(2 * v_.atoms.size());
    for (std::size_t a = 0; a < v_.atoms.size(); ++a) {
      const Atom& atom = v_.atoms[a];
      if (!atom.variables.empty() && atom.variables.back() >= universal) continue;
      row.plain.set(2 * a + (value(a) ? 0 : 1));
    }
    for (const std::size_t e : existential_) {
      row.bound.emplace_back();
      for (at[e] = 0; at[e] < domains[e]->size(); ++at[e]) {
        Bits bits(2 * v_.atoms.size());
        for (std::size_t a = 0; a < v_.atoms.size(); ++a) {
          const Atom& atom = v_.atoms[a];
          // Only this existential variable, and it last.
          if (atom.variables.empty() || atom.variables.back() != e) continue;
          if (atom.variables.size() > 1 && atom.variables[atom.variables.size() - 2] >= universal) continue;
          bits.set(2 * a + (value(a) ? 0 : 1));
        }
        row.bound.back().push_back(std::move(bits));
      }
      at[e] = 0;
      std::sort(row.bound.back().begin(), row.bound.back().end());
      row.bound.back().erase(std::unique(row.bound.back().begin(), row.bound.back().end()), row.bound.back().end());
    }
    rows.push_back(std::move(row));
    std::size_t next = universal;
    while (next > 0 && ++at[next - 1] == domains[next - 1]->size()) at[--next] = 0;
    if (next == 0) break;
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

void Table::fill(const std::vector<Sample>& samples, bool existential, unsigned threads) {
  std::set<Wide> all;
  const std::size_t most = existential ? kMostWideRows : kMostRows;
  // From all instances and depths alike, so that a limit leaves out none of them.
  constexpr std::size_t kStrides = 64;
  std::vector<const Sample*> order;
  for (std::size_t first = 0; first < kStrides; ++first) {
    for (std::size_t i = first; i < samples.size(); i += kStrides) order.push_back(&samples[i]);
  }
  struct Worker {
    Values values;
    std::vector<bool> unknown;
  };
  std::vector<Worker> workers(std::max(1U, threads), Worker{Values(p_), unknown_});
  for (std::size_t begin = 0; begin < order.size() && all.size() < most; begin += kBatch) {
    const std::size_t end = std::min(order.size(), begin + kBatch);
    // Those of one instance after one another.
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<std::vector<Wide>> made(end - begin);
    const auto work = [&](std::size_t t) {
      for (std::size_t i = begin + t; i < end; i += workers.size()) {
        made[i - begin] = wide_rows(*order[i], workers[t].values, workers[t].unknown);
      }
    };
    {
      std::vector<std::jthread> others;
      for (std::size_t t = 1; t < workers.size(); ++t) others.emplace_back(work, t);
      work(0);
    }
    for (std::vector<Wide>& rows : made) {
      for (Wide& row : rows) all.insert(std::move(row));
    }
  }
  for (const Worker& worker : workers) {
    for (std::size_t a = 0; a < unknown_.size(); ++a) unknown_[a] = unknown_[a] || worker.unknown[a];
  }
  const std::vector<Wide> wide(all.begin(), all.end());
  if (existential) add_existential(wide);
  std::set<Row> different;
  for (const Wide& row : wide) different.insert(narrow(row));
  rows_.assign(different.begin(), different.end());
  finish();
}

/// Single literals with an existential variable, and pairs of them or what stands in the way of a guard with one more.
void Table::add_existential(const std::vector<Wide>& wide) {
  for (std::size_t k = 0; k < existential_.size(); ++k) {
    const std::size_t e = existential_[k];
    std::vector<Literal> with;
    for (std::size_t a = 0; a < v_.atoms.size(); ++a) {
      const auto& vars = v_.atoms[a].variables;
      if (vars.empty() || vars.back() != e || unknown_[a] || v_.atoms[a].equality) continue;
      if (vars.size() > 1 && v_.variables[vars[vars.size() - 2]].existential) continue;
      with.push_back(static_cast<Literal>(2 * a));
      with.push_back(static_cast<Literal>(2 * a + 1));
    }
    std::vector<std::vector<Literal>> cubes;
    for (const Literal l : with) cubes.push_back({l});
    for (std::size_t i = 0; i < with.size() && v_.pairs; ++i) {
      for (std::size_t j = i + 1; j < with.size(); ++j) {
        if (with[i] / 2 != with[j] / 2 && cubes.size() < kMostBound) cubes.push_back({with[i], with[j]});
      }
    }
    const std::size_t first_obstacle = cubes.size();
    for (const Vocabulary::Obstacle& obstacle : v_.obstacles) {
      const bool known = std::none_of(obstacle.parts.begin(), obstacle.parts.end(),
                                      [&](const auto& part) { return unknown_[part.first]; });
      if (obstacle.variable != e || !known) continue;
      std::vector<Literal> parts;
      for (const auto& [atom, negative] : obstacle.parts) {
        parts.push_back(static_cast<Literal>(2 * atom + (negative ? 1 : 0)));
      }
      for (const Literal more : with) {
        if (std::any_of(parts.begin(), parts.end(), [&](Literal part) { return part / 2 == more / 2; })) continue;
        cubes.push_back(parts);
        cubes.back().push_back(more);
        std::sort(cubes.back().begin(), cubes.back().end());
      }
    }
    std::set<std::vector<bool>> columns;
    for (std::size_t c = 0; c < cubes.size(); ++c) {
      std::vector<Literal>& cube = cubes[c];
      std::vector<bool> column;
      for (const Wide& row : wide) {
        column.push_back(std::any_of(row.bound[k].begin(), row.bound[k].end(), [&](const Bits& bits) {
          return std::all_of(cube.begin(), cube.end(), [&](Literal l) { return bits.test(l); });
        }));
      }
      const auto trues = std::count(column.begin(), column.end(), true);
      if (trues == 0 || trues == static_cast<std::ptrdiff_t>(column.size())) continue;
      if (!columns.insert(std::move(column)).second) continue;
      LiteralMeaning meaning;
      meaning.plain = false;
      meaning.variable = e;
      meaning.parts = cube;
      meaning.obstacle = c >= first_obstacle;
      meaning.rigid = std::all_of(cube.begin(), cube.end(), [&](Literal l) { return v_.atoms[l / 2].rigid; });
      std::set<std::size_t> vars;
      for (const Literal l : cube) {
        for (const std::size_t x : v_.atoms[l / 2].variables) {
          if (x != e) vars.insert(x);
        }
      }
      bound_.emplace(std::move(cube), static_cast<Literal>(meanings_.size()));
      meanings_.push_back(std::move(meaning));
      variables_.push_back(std::move(vars));
    }
  }
}

Row Table::narrow(const Wide& wide) const {
  Row row(meanings_.size());
  for (Literal l = 0; l < meanings_.size(); ++l) {
    const LiteralMeaning& meaning = meanings_[l];
    if (meaning.plain) {
      if (wide.plain.test(l)) row.set(l);
      continue;
    }
    const auto k = static_cast<std::size_t>(std::find(existential_.begin(), existential_.end(), meaning.variable) -
                                            existential_.begin());
    const bool some = std::any_of(wide.bound[k].begin(), wide.bound[k].end(), [&](const Bits& bits) {
      return std::all_of(meaning.parts.begin(), meaning.parts.end(), [&](Literal part) { return bits.test(part); });
    });
    if (some) row.set(l);
  }
  return row;
}

std::vector<Row> Table::rows_of(const Sample& sample) {
  values_.forget_instance();
  std::set<Row> different;
  for (const Wide& row : wide_rows(sample, values_, unknown_)) different.insert(narrow(row));
  return {different.begin(), different.end()};
}

void Table::finish() {
  for (LiteralMeaning& meaning : meanings_) {
    if (meaning.plain && unknown_[meaning.atom]) meaning.usable = false;
  }
}

std::optional<Literal> Table::renamed(Literal literal, std::size_t renaming) const {
  const LiteralMeaning& meaning = meanings_[literal];
  const auto& map = v_.renamings[renaming];
  if (meaning.plain) {
    const std::size_t to = map[meaning.atom];
    if (to == Vocabulary::kNone) return std::nullopt;
    return static_cast<Literal>(2 * to + (meaning.negative ? 1 : 0));
  }
  std::vector<Literal> parts;
  for (const Literal part : meaning.parts) {
    const std::size_t to = map[part / 2];
    if (to == Vocabulary::kNone) return std::nullopt;
    parts.push_back(static_cast<Literal>(2 * to + part % 2));
  }
  std::sort(parts.begin(), parts.end());
  const auto found = bound_.find(parts);
  return found == bound_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tenet::learn
