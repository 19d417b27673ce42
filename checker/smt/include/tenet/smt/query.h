/// A question to a solver as a value: to print, to keep as a certificate, to
/// ask another solver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenet/smt/term.h"

namespace tenet::smt {

enum class Answer : std::uint8_t { sat, unsat, unknown };

[[nodiscard]] std::string_view name_of(Answer answer);

/// A closed Boolean term that is taken as true.
struct Assertion {
  Term term;
  /// For unsat cores; empty: never in a core. Assertions of the same name are
  /// one fact for the core.
  std::string name;
};

/// Are the assertions and the assumptions satisfiable together?
struct Query {
  std::vector<Assertion> assertions;
  std::vector<Term> assumptions;
};

struct DumpOptions {
  std::string logic = "ALL";
  std::optional<Answer> expected;     ///< becomes `(set-info :status …)`
  std::vector<std::string> comments;  ///< lines at the top
  bool cores = false;                 ///< asks for the unsat core after the check
};

/// A stand-alone SMT-LIB 2 script that Z3 and cvc5 accept. Named assertions
/// keep their names (`:named`), assumptions become assertions at the end.
/// Depends only on the query, so the same query gives the same bytes.
[[nodiscard]] std::string to_smtlib(const Query& query, const DumpOptions& options = {});

/// One term as SMT-LIB text, for messages. Names are written as in a dump.
[[nodiscard]] std::string to_text(Term term);

}  // namespace tenet::smt
