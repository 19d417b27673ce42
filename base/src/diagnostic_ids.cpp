#include "tenet/base/diagnostic_ids.h"

#include <algorithm>
#include <array>

namespace tenet {

namespace {

constexpr std::array kIds{
    DiagnosticId{"ambiguous-name", "a name that several enums share stands where nothing says which is meant"},
    DiagnosticId{"any-value-next",
                 "a transition may give something any new value, because its formula says nothing of it"},
    DiagnosticId{"argument-count", "too few or too many arguments, fields or names are given"},
    DiagnosticId{"bad-instance", "an entry of an instance names nothing, or gives it a size or range it cannot have"},
    DiagnosticId{"base-has-errors", "the protocol that a variant edits does not load"},
    DiagnosticId{"duplicate-name", "two things that are visible together have the same name"},
    DiagnosticId{"edit-breaks-protocol", "an edit removes what the rest of the step needs"},
    DiagnosticId{"edit-matches-nothing", "the place that an edit names has nothing that it would change"},
    DiagnosticId{"file-too-complex", "the file has more words, expressions or names in one place than are read"},
    DiagnosticId{"file-too-large", "the file has more bytes than are read"},
    DiagnosticId{"may-be-none", "an option is used as its value where it may be none"},
    DiagnosticId{"nested-too-deeply", "expressions, types or blocks are nested deeper than is read"},
    DiagnosticId{"never-received", "a message is sent but no step receives it"},
    DiagnosticId{"never-sent", "a message is received but no step sends it"},
    DiagnosticId{"no-order", "values are compared by order that have none"},
    DiagnosticId{"not-a-value", "the name of a role, type or message stands where a value is needed"},
    DiagnosticId{"not-allowed-here", "a construct stands in a formula or step that it has no meaning in"},
    DiagnosticId{"not-assignable", "something other than a variable of the acting host is assigned"},
    DiagnosticId{"not-modified", "a transition speaks of the new value of something that it does not list as modified"},
    DiagnosticId{"not-supported-yet", "a construct of the language that this version does not handle"},
    DiagnosticId{"number-too-large", "a number does not fit into 64 bits"},
    DiagnosticId{"recursive-definition", "a definition is defined by itself"},
    DiagnosticId{"recursive-struct", "a struct contains itself"},
    DiagnosticId{"says-nothing-of-states", "a claim on states, or an initial condition, reads nothing that changes"},
    DiagnosticId{"syntax-error", "the text does not follow the grammar"},
    DiagnosticId{"too-many-errors", "there are more errors than are shown"},
    DiagnosticId{"type-mismatch", "a value is of another type than its place needs"},
    DiagnosticId{"unknown-field", "a struct has no such field, or a role no such variable or constant"},
    DiagnosticId{"unknown-import", "there is no library of that name"},
    DiagnosticId{"unknown-meaning", "'none', '{}' or 'all' stands where nothing says of which type it is"},
    DiagnosticId{"unknown-message", "no message of that name is declared"},
    DiagnosticId{"unknown-name", "no value of that name is visible"},
    DiagnosticId{"unknown-place", "an edit names a step, variable or formula that the protocol does not have"},
    DiagnosticId{"unknown-property", "the protocol has no property of that name that could be violated"},
    DiagnosticId{"unknown-protocol", "a variant names another protocol than the one it is applied to"},
    DiagnosticId{"unknown-role", "no role of that name is declared"},
    DiagnosticId{"unknown-sort", "nothing says over which sort a variable ranges"},
    DiagnosticId{"unknown-type", "no type of that name is declared"},
    DiagnosticId{"unterminated-comment", "a comment is never closed"},
    DiagnosticId{"unused-constant", "a constant is never read"},
    DiagnosticId{"unused-message", "a message is never sent or received"},
    DiagnosticId{"unused-variable", "a variable is never read"},
};

constexpr bool before(const DiagnosticId& a, const DiagnosticId& b) { return a.id < b.id; }
static_assert(std::is_sorted(kIds.begin(), kIds.end(), before));

}  // namespace

std::span<const DiagnosticId> diagnostic_ids() { return kIds; }

const DiagnosticId* find_diagnostic_id(std::string_view id) {
  const auto* found = std::lower_bound(kIds.begin(), kIds.end(), DiagnosticId{id, {}}, before);
  return found != kIds.end() && found->id == id ? found : nullptr;
}

}  // namespace tenet
