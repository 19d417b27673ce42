/// Starts of an instance, and why there is none.
#include <numeric>

#include <fmt/format.h>

#include "search.h"
#include "start_rules.h"
#include "tenet/ir/printer.h"
#include "tenet/ir/random_start.h"

namespace tenet::ir {

namespace {

/// Candidates tried for each question asked about a contradiction.
constexpr std::uint64_t kDiagnosisLimit = 200'000;

std::vector<std::size_t> indices(std::size_t count) {
  std::vector<std::size_t> result(count);
  std::iota(result.begin(), result.end(), std::size_t{0});
  return result;
}

/// Finds out which formulas leave an instance without a start.
class Diagnosis {
 public:
  Diagnosis(const Protocol& protocol, const Instance& instance, const Domains& domains)
      : p_(protocol), instance_(instance), domains_(domains) {}

  Error explain() const;

 private:
  using Subset = std::vector<std::size_t>;
  enum class Part { axioms, inits };
  bool contradictory(Part part, const Subset& subset) const;
  Subset alone(Part part, std::size_t count) const;
  Subset core(Part part, Subset subset) const;
  std::string names(Part part, const Subset& subset) const;
  /// What contradicts what, and the first formula that does.
  struct Cause {
    std::string text;
    Span span;
  };
  Cause cause(Part part, std::size_t count) const;
  const Formula& formula(Part part, std::size_t index) const {
    return part == Part::axioms ? p_.axioms[index] : p_.inits[index];
  }
  static Error without_start(std::string message, Span span) {
    return {ErrorKind::bad_input, std::move(message), "no-initial-state", span};
  }
  Cause without_axioms() const;
  std::string where() const {
    return instance_.name().empty() ? " in the default instance" : fmt::format(" in instance '{}'", instance_.name());
  }

  const Protocol& p_;
  const Instance& instance_;
  const Domains& domains_;
};

/// True only if it was found out for certain.
bool Diagnosis::contradictory(Part part, const Subset& subset) const {
  const Wanted wanted =
      part == Part::axioms ? Wanted{subset, {}, true} : Wanted{indices(p_.axioms.size()), subset, false};
  bool found = false;
  const Result<void> ran = Search(p_, instance_, domains_, wanted, kDiagnosisLimit).run([&](const Start&) {
    found = true;
    return false;
  });
  return ran && !found;
}

/// The formulas that contradict themselves (or, for init formulas, the axioms
/// and initialisers).
Diagnosis::Subset Diagnosis::alone(Part part, std::size_t count) const {
  Subset result;
  for (std::size_t i = 0; i < count; ++i) {
    if (contradictory(part, {i})) result.push_back(i);
  }
  return result;
}

/// Drops formulas as long as the rest still contradicts itself.
Diagnosis::Subset Diagnosis::core(Part part, Subset subset) const {
  for (std::size_t i = 0; i < subset.size();) {
    Subset fewer = subset;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (contradictory(part, fewer)) {
      subset = std::move(fewer);
    } else {
      ++i;
    }
  }
  return subset;
}

std::string Diagnosis::names(Part part, const Subset& subset) const {
  std::string result;
  for (std::size_t i = 0; i < subset.size(); ++i) {
    if (i > 0) result += i + 1 == subset.size() ? " and " : ", ";
    result += fmt::format("'{}'", to_source(p_, formula(part, subset[i]).formula));
  }
  return result;
}

Diagnosis::Cause Diagnosis::cause(Part part, std::size_t count) const {
  const std::string what = part == Part::axioms ? "axiom" : "init formula";
  const Subset single = alone(part, count);
  const Subset guilty = single.empty() ? core(part, indices(count)) : single;
  const Span span = guilty.empty() ? Span{} : formula(part, guilty.front()).span;
  if (single.empty()) return {fmt::format("the {}s {} contradict one another", what, names(part, guilty)), span};
  if (single.size() == 1) return {fmt::format("the {} {} alone allows none", what, names(part, guilty)), span};
  return {fmt::format("each of the {}s {} alone allows none", what, names(part, guilty)), span};
}

/// The only other reasons: a type without values, or too few for `unique`.
Diagnosis::Cause Diagnosis::without_axioms() const {
  for (const ConstDecl& decl : p_.constants) {
    if (decl.kind != ConstKind::free || !decl.unique) continue;
    const auto values = instance_.domain(p_, decl.type, decl.name, kDomainLimit);
    const std::int64_t hosts = instance_.hosts(decl.role);
    if (!values || static_cast<std::int64_t>(values->size()) >= hosts) continue;
    return {fmt::format("'{}' is unique, but has {} values for {} hosts", full_name(p_, decl), values->size(), hosts),
            decl.span};
  }
  return {"some type has no values", {}};
}

Error Diagnosis::explain() const {
  if (contradictory(Part::axioms, {})) {
    const Cause why = without_axioms();
    return without_start(fmt::format("no constants exist{}: {}", where(), why.text), why.span);
  }
  if (contradictory(Part::axioms, indices(p_.axioms.size()))) {
    const Cause why = cause(Part::axioms, p_.axioms.size());
    return {ErrorKind::bad_input, fmt::format("no constants satisfy the axioms{}: {}", where(), why.text),
            "contradictory-axioms", why.span};
  }
  if (contradictory(Part::inits, {})) {
    return without_start(fmt::format("no initial state exists{}: some variable has no value to begin with", where()),
                         {});
  }
  const Cause why = cause(Part::inits, p_.inits.size());
  return without_start(fmt::format("no initial state exists{}: {}", where(), why.text), why.span);
}

}  // namespace

Result<void> enumerate_starts(const Protocol& protocol, const Instance& instance, std::uint64_t limit,
                              const std::function<bool(const Start&)>& visit) {
  const Domains domains(protocol, instance);
  bool any = false;
  const Wanted everything{indices(protocol.axioms.size()), indices(protocol.inits.size()), false};
  Result<void> ran = Search(protocol, instance, domains, everything, limit).run([&](const Start& start) {
    any = true;
    return visit(start);
  });
  if (!ran || any) return ran;
  return tl::unexpected<Error>(Diagnosis(protocol, instance, domains).explain());
}

std::optional<Start> random_start(const Protocol& protocol, const Instance& instance, std::uint64_t limit,
                                  std::uint64_t seed) {
  const Domains domains(protocol, instance);
  const Wanted everything{indices(protocol.axioms.size()), indices(protocol.inits.size()), false};
  Search search(protocol, instance, domains, everything, limit);
  search.shuffle(seed);
  std::optional<Start> found;
  const Result<void> ran = search.run([&](const Start& start) {
    found = start;
    return false;
  });
  return ran ? found : std::nullopt;
}

}  // namespace tenet::ir
