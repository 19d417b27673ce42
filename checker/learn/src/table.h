/// Which literals are true, for every state and every choice of the variables.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "bits.h"
#include "tenet/ir/protocol.h"
#include "values.h"
#include "vocabulary.h"

namespace tenet::learn {

using Literal = std::uint32_t;

/// An atom, its negation, or "there is a value of the variable with all of these".
struct LiteralMeaning {
  std::vector<Literal> parts;  ///< of "there is": numbers of plain literals
  std::size_t variable = 0;    ///< of "there is": the variable that is bound
  std::size_t atom = 0;        ///< of a plain one
  bool negative = false;
  bool plain = true;
  bool usable = true;     ///< in clauses
  bool rigid = false;     ///< says nothing of what changes
  bool obstacle = false;  ///< "there is" what keeps a guard "for all" from holding, with one literal more
};

/// Truth of all literals for one choice of the universal variables.
using Row = Bits;

/// Literals of a vocabulary and the different rows of the states it was shown.
/// Literal 2a is atom a, 2a + 1 its negation; "there is" literals come after.
class Table {
 public:
  Table(const ir::Protocol& protocol, const Vocabulary& vocabulary);

  /// The states that the literals are chosen by. Those that say the same as a simpler one, or always the same,
  /// are not used.
  void fill(const std::vector<Sample>& samples, bool existential, unsigned threads);
  /// The rows of one more state.
  [[nodiscard]] std::vector<Row> rows_of(const Sample& sample);

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] std::size_t literals() const { return meanings_.size(); }
  [[nodiscard]] const LiteralMeaning& operator[](Literal literal) const { return meanings_[literal]; }
  /// The literal after the renaming of that number; nothing if there is none.
  [[nodiscard]] std::optional<Literal> renamed(Literal literal, std::size_t renaming) const;
  /// The universal variables that occur.
  [[nodiscard]] const std::set<std::size_t>& variables(Literal literal) const { return variables_[literal]; }
  [[nodiscard]] std::size_t renamings() const { return v_.renamings.size(); }

 private:
  /// A row before "there is" literals: the plain literals, and per existential variable and value those with it.
  struct Wide {
    Bits plain;
    std::vector<std::vector<Bits>> bound;
    friend auto operator<=>(const Wide&, const Wide&) = default;
  };
  std::vector<Wide> wide_rows(const Sample& sample, Values& values, std::vector<bool>& unknown) const;
  Row narrow(const Wide& wide) const;
  void add_existential(const std::vector<Wide>& wide);
  void finish();

  const ir::Protocol& p_;
  const Vocabulary& v_;
  Values values_;
  std::vector<std::size_t> existential_;  ///< variables
  std::vector<bool> unknown_;             ///< atoms that somewhere had no value
  std::vector<LiteralMeaning> meanings_;
  std::vector<std::set<std::size_t>> variables_;
  std::map<std::vector<Literal>, Literal> bound_;  ///< "there is" literals by their parts
  std::vector<Row> rows_;
};

}  // namespace tenet::learn
