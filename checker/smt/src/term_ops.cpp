#include "tenet/smt/term_ops.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <unordered_set>
#include <utility>

namespace tenet::smt {
namespace {

/// One entry of an explicit stack: a term and the next argument to look at.
struct Frame {
  Term term;
  std::size_t next = 0;
};

/// Post-order over what `enter` lets in, each term once.
template <class Enter, class Visit>
void walk(std::span<const Term> roots, std::unordered_set<Term>& seen, const Enter& enter, const Visit& visit) {
  std::vector<Frame> stack;
  const auto push = [&](Term term) {
    if (enter(term) && seen.insert(term).second) stack.push_back({term});
  };
  for (const Term root : roots) {
    push(root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.term.args().size()) {
        push(top.term.arg(top.next++));
      } else {
        const Term done = top.term;
        stack.pop_back();
        visit(done);
      }
    }
  }
}

bool contains(std::span<const Term> list, Term term) { return std::find(list.begin(), list.end(), term) != list.end(); }

/// Subterms with binders and patterns, each once.
void for_each_part(std::span<const Term> roots, const std::function<void(Term)>& visit) {
  std::unordered_set<Term> seen;
  std::vector<Term> todo(roots.begin(), roots.end());
  while (!todo.empty()) {
    std::vector<Term> later;
    walk(
        todo, seen, [](Term) { return true; },
        [&](Term term) {
          visit(term);
          if (!term.is_quantifier()) return;
          later.insert(later.end(), term.bound().begin(), term.bound().end());
          for (const auto& pattern : term.patterns()) later.insert(later.end(), pattern.begin(), pattern.end());
        });
    todo = std::move(later);
  }
}

/// Sorts before the sorts made after them.
template <class T>
struct ById {
  bool operator()(T a, T b) const { return a.id() < b.id(); }
};

}  // namespace

void for_each_subterm(std::span<const Term> roots, const std::function<void(Term)>& visit,
                      const std::function<bool(Term)>& skip) {
  std::unordered_set<Term> seen;
  walk(roots, seen, [&](Term term) { return !skip || !skip(term); }, visit);
}

std::vector<Term> free_variables(Term term) {
  std::vector<Term> result;
  std::unordered_set<Term> seen;
  const auto add = [&](Term variable) {
    if (!contains(result, variable)) result.push_back(variable);
  };
  // Closed parts have none; a quantifier hides its own, so it is asked apart.
  const auto visit = [&](Term t) {
    if (t.kind() == Kind::variable) add(t);
  };
  const auto enter = [&](Term t) {
    if (t.closed()) return false;
    if (!t.is_quantifier()) return true;
    if (!seen.insert(t).second) return false;
    for (const Term variable : free_variables(t.body())) {
      if (!contains(t.bound(), variable)) add(variable);
    }
    return false;
  };
  walk({&term, 1}, seen, enter, visit);
  return result;
}

std::size_t dag_size(Term term) {
  std::size_t count = 0;
  for_each_subterm({&term, 1}, [&](Term) { ++count; });
  return count;
}

std::vector<Function> functions_of(std::span<const Term> roots) {
  std::set<Function, ById<Function>> found;
  for_each_part(roots, [&](Term term) {
    if (term.kind() == Kind::application) found.insert(term.function());
  });
  return {found.begin(), found.end()};
}

std::vector<Sort> sorts_of(std::span<const Term> roots) {
  std::set<Sort, ById<Sort>> found;
  for_each_part(roots, [&](Term term) {
    found.insert(term.sort());
    if (term.kind() != Kind::application) return;
    const std::vector<Sort>& domain = term.function().domain();
    found.insert(domain.begin(), domain.end());
  });
  return {found.begin(), found.end()};
}

bool good_pattern(std::span<const Term> variables, std::span<const Term> pattern) {
  if (pattern.empty()) return false;
  bool good = true;
  for (const Term element : pattern) good = good && element.kind() == Kind::application;
  std::unordered_set<Term> seen;
  walk(
      pattern, seen, [](Term) { return true; },
      [&](Term term) {
        switch (term.kind()) {
          case Kind::application:
          case Kind::variable:
          case Kind::number:
          case Kind::enumerator:
          case Kind::boolean:
          case Kind::add:
          case Kind::mul:
            break;
          default:
            good = false;
        }
      });
  return good && std::all_of(variables.begin(), variables.end(), [&](Term v) { return seen.contains(v); });
}

namespace {

/// One substitution in one scope; quantifiers open scopes of their own.
class Substituter {
 public:
  Substituter(TermManager& manager, Substitution substitution)
      : m_(manager), substitution_(std::move(substitution)), done_(substitution_) {
    for (const auto& [from, to] : substitution_) {
      assert(from.sort() == to.sort());
      variables_only_ = variables_only_ && from.kind() == Kind::variable;
    }
  }

  Term run(Term root) {
    std::unordered_set<Term> seen;
    const auto enter = [&](Term term) {
      if (done_.contains(term) || unaffected(term)) return false;
      if (term.is_quantifier()) done_.emplace(term, quantifier(term));
      return !term.is_quantifier();
    };
    walk({&root, 1}, seen, enter, [&](Term term) {
      std::vector<Term> args;
      args.reserve(term.args().size());
      for (const Term arg : term.args()) args.push_back(result(arg));
      done_.emplace(term, m_.rebuild(term, args));
    });
    return result(root);
  }

 private:
  /// When only variables are replaced, closed parts stay as they are.
  [[nodiscard]] bool unaffected(Term term) const { return variables_only_ && term.closed(); }

  [[nodiscard]] Term result(Term term) const {
    const auto found = done_.find(term);
    return found == done_.end() ? term : found->second;
  }

  Term quantifier(Term term);

  TermManager& m_;
  const Substitution substitution_;
  Substitution done_;
  bool variables_only_ = true;
};

Term Substituter::quantifier(Term term) {
  // What mentions a variable bound here means another thing inside.
  Substitution inner;
  std::unordered_set<Term> captured;
  for (const auto& [from, to] : substitution_) {
    const std::vector<Term> hidden = free_variables(from);
    if (std::any_of(hidden.begin(), hidden.end(), [&](Term v) { return contains(term.bound(), v); })) continue;
    inner.emplace(from, to);
    for (const Term variable : free_variables(to)) captured.insert(variable);
  }
  std::vector<Term> bound;
  for (const Term variable : term.bound()) {
    bound.push_back(captured.contains(variable) ? m_.fresh_variable(variable.variable_name(), variable.sort())
                                                : variable);
    if (bound.back() != variable) inner.emplace(variable, bound.back());
  }
  Substituter body(m_, std::move(inner));
  std::vector<std::vector<Term>> patterns;
  for (const std::vector<Term>& pattern : term.patterns()) {
    std::vector<Term> changed;
    changed.reserve(pattern.size());
    for (const Term element : pattern) changed.push_back(body.run(element));
    if (good_pattern(bound, changed)) patterns.push_back(std::move(changed));
  }
  const Term changed_body = body.run(term.body());
  return term.kind() == Kind::forall
             ? m_.forall(std::move(bound), changed_body, std::move(patterns), term.quantifier_name())
             : m_.exists(std::move(bound), changed_body, std::move(patterns), term.quantifier_name());
}

}  // namespace

Term substitute(TermManager& manager, Term term, const Substitution& substitution) {
  if (substitution.empty()) return term;
  return Substituter(manager, substitution).run(term);
}

Term instantiate(TermManager& manager, Term quantifier, std::span<const Term> values) {
  assert(quantifier.is_quantifier() && quantifier.bound().size() == values.size());
  Substitution substitution;
  for (std::size_t i = 0; i < values.size(); ++i) substitution.emplace(quantifier.bound()[i], values[i]);
  return substitute(manager, quantifier.body(), substitution);
}

}  // namespace tenet::smt
