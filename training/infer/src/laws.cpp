#include "laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

namespace tenet::training {
namespace {

// Forms are tried for all quadruples of quantities.
constexpr std::size_t kMostQuantities = 40;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Quantities that mean the same in every program come first, if there are too many.
bool has_common_meaning(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 4> kCommon{"loop.accumulation", "loop.batches", "loop.epochs",
                                                    "loop.max_steps"};
  return name.starts_with("calls(") || std::ranges::find(kCommon, name) != kCommon.end();
}

// Whole numbers only: a law about a loss would be an accident.
std::vector<std::string> countable(const EvidenceSet& evidence, bool shared) {
  std::set<std::string> names;
  std::set<std::string> broken;
  for (const auto& run : evidence.quantities) {
    for (const Quantities& process : run) {
      for (const auto& [name, value] : process) {
        names.insert(name);
        // The step is counted from 0 in one program and from 1 in the next.
        if (name == "loop.step" || value != std::floor(value) || std::fabs(value) > 1e12) broken.insert(name);
      }
    }
  }
  std::vector<std::string> out;
  std::ranges::set_difference(names, broken, std::back_inserter(out));
  if (shared) std::erase_if(out, [](const std::string& name) { return !has_common_meaning(name); });
  std::ranges::stable_partition(out, [](const std::string& name) { return has_common_meaning(name); });
  if (out.size() > kMostQuantities) out.resize(kMostQuantities);
  std::ranges::sort(out);
  return out;
}

// The right side of a law over quantities by number: y, y * z, ceil(y / z), ceil(y / z) * w.
struct Form {
  std::size_t y, z = kNone, w = kNone;
  bool product = false;  // of y and z; otherwise their quotient, rounded up

  [[nodiscard]] bool uses(std::size_t x) const noexcept { return x == y || x == z || x == w; }
  [[nodiscard]] bool plain() const noexcept { return z == kNone; }
  [[nodiscard]] double value(const std::vector<double>& quantities) const noexcept {
    const double first = quantities[y];
    if (plain()) return first;
    const double second = quantities[z];
    if (product) return first * second;
    if (second == 0) return kUnknown;
    const double steps = std::ceil(first / second);
    return w == kNone ? steps : steps * quantities[w];
  }
  [[nodiscard]] std::string text(const std::vector<std::string>& names) const {
    if (plain()) return names[y];
    if (product) return fmt::format("{} * {}", names[y], names[z]);
    const std::string steps = fmt::format("ceil({} / {})", names[y], names[z]);
    return w == kNone ? steps : fmt::format("{} * {}", steps, names[w]);
  }
};

// Simple ones first.
std::vector<Form> forms_of(const std::vector<std::string>& names) {
  std::vector<Form> plain;
  std::vector<Form> two;
  std::vector<Form> three;
  for (std::size_t y = 0; y < names.size(); ++y) {
    plain.push_back({y});
    for (std::size_t z = 0; z < names.size(); ++z) {
      if (y < z) two.push_back({y, z, kNone, true});
      if (y == z || names[z].starts_with("calls(")) continue;  // parts of what was done, not of what was asked for
      two.push_back({y, z});
      for (std::size_t w = 0; w < names.size(); ++w) {
        if (w != y && w != z) three.push_back({y, z, w});
      }
    }
  }
  plain.insert(plain.end(), two.begin(), two.end());
  plain.insert(plain.end(), three.begin(), three.end());
  return plain;
}

// The quantities of every process in the order of `names`, by run; what a process does not have is not a number.
using Table = std::vector<std::vector<std::vector<double>>>;

Table table_of(const EvidenceSet& evidence, const std::vector<std::string>& names) {
  Table out;
  for (const auto& run : evidence.quantities) {
    out.emplace_back();
    for (const Quantities& process : run) {
      std::vector<double>& row = out.back().emplace_back();
      for (const std::string& name : names) {
        const auto found = process.find(name);
        row.push_back(found == process.end() ? kUnknown : found->second);
      }
    }
  }
  return out;
}

struct Support {
  std::uint64_t processes = 0;
  std::uint64_t runs = 0;
  std::set<std::size_t> groups;
  std::set<double> values;  // of the left side, different ones
  bool holds = true;
};

Support support(const Table& table, std::span<const std::size_t> groups, std::size_t x, const Form& form) {
  Support out;
  for (std::size_t run = 0; run < table.size(); ++run) {
    bool in_run = false;
    for (const std::vector<double>& process : table[run]) {
      const double left = process[x];
      const double right = form.value(process);
      if (std::isnan(left) || std::isnan(right)) continue;
      out.holds = left == right;
      if (!out.holds) return out;
      out.values.insert(left);
      ++out.processes;
      in_run = true;
    }
    if (!in_run) continue;
    ++out.runs;
    out.groups.insert(groups[run]);
  }
  return out;
}

}  // namespace

std::vector<Invariant> loop_laws(const EvidenceSet& evidence, std::span<const std::size_t> groups, bool shared,
                                 std::size_t needed) {
  std::vector<Invariant> out;
  const std::vector<std::string> names = countable(evidence, shared);
  const std::vector<Form> forms = forms_of(names);
  const Table table = table_of(evidence, names);
  for (std::size_t x = 0; x < names.size(); ++x) {
    for (const Form& form : forms) {
      if (form.uses(x) || (form.plain() && form.y < x)) continue;
      const Support found = support(table, groups, x, form);
      if (!found.holds || found.runs < 2 || found.groups.size() < needed ||
          found.values.size() < (form.plain() ? 2U : 3U))
        continue;
      Invariant law;
      law.relation = Relation::loop_law;
      law.subject = names[x];
      law.object = form.text(names);
      law.evidence = {found.processes, 0, found.runs, 0};
      out.push_back(std::move(law));
      // The simplest form is enough; but two variables of the loop may be one number under two names.
      const bool alias = form.plain() && names[x].starts_with("loop.") && names[form.y].starts_with("loop.");
      if (!alias) break;
    }
  }
  return out;
}

}  // namespace tenet::training
