/// Names for SMT-LIB text: valid in every solver, different for different
/// things, and the same in every run.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tenet/smt/term.h"

namespace tenet::smt {

/// Hands out printed names. A first character that no solver's own symbols
/// begin with keeps the user's names apart from `and`, `str.len` and the like:
/// `$` for sorts, functions and enumerators, `?` for variables, `&` for
/// labels, `^` for the names of quantifiers. Other bytes than simple-symbol characters make a quoted symbol;
/// `|`, `\` and everything outside printable ASCII are written `%XX` (so is
/// `%`). A name that is taken gets `!2`, `!3` ….
class Names {
 public:
  const std::string& sort(Sort sort);
  const std::string& function(Function function);
  const std::string& enumerator(Sort sort, std::size_t member);
  const std::string& variable(Term variable);
  /// One name per label text.
  const std::string& label(std::string_view text);
  /// One name per text; never that of a label, as cvc5 declares them.
  const std::string& quantifier(std::string_view text);
  /// Different from every other name, each time.
  std::string fresh_label(std::string_view text) { return allocate('&', text); }
  /// The index of the member printed as `symbol`; members().size() if none is.
  std::size_t find_member(Sort sort, std::string_view symbol);

 private:
  std::string allocate(char prefix, std::string_view name);

  std::unordered_map<Sort, std::string> sorts_;
  std::unordered_map<Function, std::string> functions_;
  std::unordered_map<Term, std::string> variables_;
  std::unordered_map<Sort, std::vector<std::string>> members_;
  std::map<std::string, std::string, std::less<>> labels_, quantifiers_;
  std::set<std::string> taken_;
  std::map<std::string, std::uint64_t> next_;
};

}  // namespace tenet::smt
