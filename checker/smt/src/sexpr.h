/// Reads the answers of SMT-LIB solvers, whatever they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenet::smt {

struct SExpr {
  enum class Kind : std::uint8_t { atom, quoted, text, list };
  Kind kind = Kind::atom;
  std::string value;         ///< atom, `|quoted|` symbol and "text" without their quotes
  std::vector<SExpr> items;  ///< of a list

  [[nodiscard]] bool is_list() const { return kind == Kind::list; }
  [[nodiscard]] bool is_symbol() const { return kind == Kind::atom || kind == Kind::quoted; }
  [[nodiscard]] bool is_atom(std::string_view text) const { return kind == Kind::atom && value == text; }
  friend bool operator==(const SExpr&, const SExpr&) = default;
};

/// Takes bytes as they come and gives out whole expressions. Any input is
/// safe; nesting, size and number of nodes are bounded, and after an error
/// nothing is given out any more.
class SExprReader {
 public:
  /// `limit`: bytes between two expressions that were given out.
  explicit SExprReader(std::size_t limit) : limit_(limit) {}

  void feed(std::string_view bytes) { input_.append(bytes); }
  /// The next whole expression; nullopt: more is needed, or an error.
  [[nodiscard]] std::optional<SExpr> next();
  /// Empty: none.
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  enum class State : std::uint8_t { between, atom, quoted, text, text_quote, comment };

  /// Whether `c` was used up.
  bool step(char c);
  bool between(char c);
  bool text_quote(char c);
  void begin(State state, SExpr::Kind kind);
  void end_token();
  void add(SExpr expr);
  void open();
  void close();
  void fail(std::string why);

  std::size_t limit_;
  std::string input_;
  std::size_t position_ = 0;
  std::size_t used_ = 0;   ///< bytes since the last expression
  std::size_t nodes_ = 0;  ///< since the last expression
  State state_ = State::between;
  SExpr token_;
  std::vector<SExpr> open_;
  std::optional<SExpr> done_;
  std::string error_;
};

}  // namespace tenet::smt
