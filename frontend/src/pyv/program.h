/// A file whose names and sorts are known, and the check that finds them out.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ast.h"
#include "tenet/base/diagnostic.h"

namespace tenet::frontend::pyv {

/// What a name that the file declares stands for.
struct Meaning {
  enum class Kind : std::uint8_t { symbol, definition };
  Kind kind = Kind::symbol;
  std::size_t index = 0;  ///< into File::symbols or File::definitions
};

/// The sorts of a symbol's arguments and value.
struct Signature {
  std::vector<Sort> arity;
  Sort result;
};

/// What a formula reads: in which state (0: the first), which symbol, and where.
struct Read {
  int state = 0;
  std::size_t symbol = 0;
  Span span;
};

struct Program {
  File file;  ///< sorts of variables filled in; named claims are definitions, too; free variables are bound
  std::map<std::string, Meaning, std::less<>> names;
  std::vector<Signature> signatures;     ///< of File::symbols
  std::vector<std::vector<Read>> reads;  ///< of File::definitions; each symbol once in each state
  /// Index of each claim's definition; npos for one without a name.
  std::vector<std::size_t> claim_definitions;
  std::size_t safety_definition = 0;  ///< what `safety` stands for: all safety claims

  [[nodiscard]] const Meaning* find(std::string_view name) const {
    const auto found = names.find(name);
    return found == names.end() ? nullptr : &found->second;
  }
};

/// Finds out what every name means and of which sort every variable is. The
/// program is fit for lowering only if there are no errors.
[[nodiscard]] Program check(File file, Diagnostics& diagnostics);

/// Calls `visit(read)` for every symbol that `expr` reads, calls of definitions
/// included, whose own reads must be known.
std::vector<Read> reads_of(const Program& program, const Expr& expr);

}  // namespace tenet::frontend::pyv
