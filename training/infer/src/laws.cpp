#include "laws.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>
#include <set>

namespace tenet::training {
namespace {

constexpr std::size_t kMostQuantities = 14;  // forms are tried for all triples of them

struct Form {
  std::string text;
  std::function<std::optional<double>(const Quantities&)> value;
};

std::optional<double> get(const Quantities& quantities, const std::string& name) {
  const auto found = quantities.find(name);
  return found == quantities.end() ? std::nullopt : std::optional(found->second);
}

// Whole numbers only: a law about a loss would be an accident.
std::vector<std::string> countable(const EvidenceSet& evidence) {
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
  for (const std::string& name : names) {
    if (!broken.contains(name) && out.size() < kMostQuantities) out.push_back(name);
  }
  return out;
}

std::vector<Form> forms_of(const std::vector<std::string>& names) {
  std::vector<Form> out;
  for (const std::string& y : names) {
    out.push_back({y, [y](const Quantities& q) { return get(q, y); }});
  }
  for (const std::string& y : names) {
    for (const std::string& z : names) {
      if (y < z) {
        out.push_back({fmt::format("{} * {}", y, z), [y, z](const Quantities& q) -> std::optional<double> {
                         const auto a = get(q, y);
                         const auto b = get(q, z);
                         return a && b ? std::optional(*a * *b) : std::nullopt;
                       }});
      }
      if (y == z || z.starts_with("calls(")) continue;  // parts of what was done, not of what was asked for
      const auto steps = [y, z](const Quantities& q) -> std::optional<double> {
        const auto a = get(q, y);
        const auto b = get(q, z);
        return a && b && *b != 0 ? std::optional(std::ceil(*a / *b)) : std::nullopt;
      };
      out.push_back({fmt::format("ceil({} / {})", y, z), steps});
      for (const std::string& w : names) {
        if (w == y || w == z) continue;
        out.push_back({fmt::format("ceil({} / {}) * {}", y, z, w), [steps, w](const Quantities& q) -> std::optional<double> {
                         const auto a = steps(q);
                         const auto b = get(q, w);
                         return a && b ? std::optional(*a * *b) : std::nullopt;
                       }});
      }
    }
  }
  return out;
}

struct Support {
  std::uint64_t processes = 0;
  std::uint64_t runs = 0;
  std::set<double> values;  // of the left side, different ones
};

std::optional<Support> support(const EvidenceSet& evidence, const std::string& x, const Form& form) {
  Support out;
  for (const auto& run : evidence.quantities) {
    bool in_run = false;
    for (const Quantities& process : run) {
      const auto left = get(process, x);
      const auto right = form.value(process);
      if (!left || !right) continue;
      if (*left != *right) return std::nullopt;
      out.values.insert(*left);
      ++out.processes;
      in_run = true;
    }
    out.runs += in_run ? 1U : 0U;
  }
  return out;
}

}  // namespace

std::vector<Invariant> loop_laws(const EvidenceSet& evidence) {
  std::vector<Invariant> out;
  const std::vector<std::string> names = countable(evidence);
  const std::vector<Form> forms = forms_of(names);
  for (const std::string& x : names) {
    for (const Form& form : forms) {
      if (form.text.find(x) != std::string::npos || (form.text.find(' ') == std::string::npos && form.text < x)) continue;
      const auto found = support(evidence, x, form);
      const std::size_t needed = form.text.find(' ') == std::string::npos ? 2 : 3;
      if (!found || found->runs < 2 || found->values.size() < needed) continue;
      Invariant law;
      law.relation = Relation::loop_law;
      law.subject = x;
      law.object = form.text;
      law.evidence = {found->processes, 0, found->runs, 0};
      out.push_back(std::move(law));
      break;  // the simplest form is enough
    }
  }
  return out;
}

}  // namespace tenet::training
