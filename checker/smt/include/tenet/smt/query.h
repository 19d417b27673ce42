/// A question to a solver as a value: to print, to keep as a certificate, to
/// ask another solver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenet/base/result.h"
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

/// Something said about a symbol of a query to whoever reads the script and is no solver.
struct Note {
  std::string about;            ///< what kind of thing it says: one word
  Term symbol;                  ///< invalid: it is about the whole
  std::vector<Term> variables;  ///< free in the parts
  std::vector<Term> parts;
};

/// Are the assertions and the assumptions satisfiable together?
struct Query {
  std::vector<Assertion> assertions;
  std::vector<Term> assumptions;
  std::vector<Note> notes;  ///< solvers do not see them
};

struct DumpOptions {
  std::string logic = "ALL";
  std::optional<Answer> expected;     ///< becomes `(set-info :status …)`
  std::vector<std::string> comments;  ///< lines at the top
  bool cores = false;                 ///< asks for the unsat core after the check
};

/// A stand-alone SMT-LIB 2 script that Z3 and cvc5 accept. Named assertions
/// keep their names (`:named`), assumptions become assertions at the end. A
/// note is `(set-info :note-ABOUT "(symbol ((variable sort)…) part…)")`.
/// Depends only on the query, so the same query gives the same bytes.
[[nodiscard]] std::string to_smtlib(const Query& query, const DumpOptions& options = {});

/// What a script says, read back.
struct Script {
  struct Line {
    Assertion assertion;
    std::size_t line = 0;  ///< in the text, from 1
  };
  std::vector<Line> assertions;
  std::vector<Note> notes;
  std::vector<Function> functions;  ///< as declared, in order; names as printed, without the leading `$`
  bool asks = false;                ///< it ends with `(check-sat)`
};

/// Reads what `to_smtlib` writes, and no more of SMT-LIB than that. The names of
/// sorts, functions and members are those of the text without the leading `$`.
/// The error says which line is wrong. Linear in the text.
[[nodiscard]] Result<Script> read_smtlib(std::string_view text, TermManager& manager);

/// One term as SMT-LIB text, for messages. Names are written as in a dump.
[[nodiscard]] std::string to_text(Term term);

}  // namespace tenet::smt
