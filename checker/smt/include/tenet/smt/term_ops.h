/// Operations on whole terms. All take terms of any depth without recursion
/// on it (only nested quantifiers recurse).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tenet/smt/term_manager.h"

namespace tenet::smt {

/// Calls `visit` once for every different subterm of `roots`, arguments
/// before what uses them, in a fixed order. Bodies of quantifiers are
/// visited, patterns and binders are not. Where `skip` says so a term is left
/// out with everything below it.
void for_each_subterm(std::span<const Term> roots, const std::function<void(Term)>& visit,
                      const std::function<bool(Term)>& skip = {});

/// Free variables in order of first occurrence.
[[nodiscard]] std::vector<Term> free_variables(Term term);

/// Number of different subterms.
[[nodiscard]] std::size_t dag_size(Term term);

/// Functions that occur, patterns included, in order of creation.
[[nodiscard]] std::vector<Function> functions_of(std::span<const Term> roots);

/// Sorts that occur, patterns, binders and signatures included, in order of
/// creation.
[[nodiscard]] std::vector<Sort> sorts_of(std::span<const Term> roots);

/// What replaces what: variables, constants or any other terms, each by a
/// term of the same sort.
using Substitution = std::unordered_map<Term, Term>;

/// `term` with every free occurrence replaced, all at once (results are not
/// substituted again). Bound variables are renamed where a replacement would
/// be captured. A replaced term with variables is matched as written. A
/// pattern that stops being one (`good_pattern`) is dropped.
[[nodiscard]] Term substitute(TermManager& manager, Term term, const Substitution& substitution);

/// The body of a quantifier with its variables replaced by `values`, in order.
[[nodiscard]] Term instantiate(TermManager& manager, Term quantifier, std::span<const Term> values);

}  // namespace tenet::smt
