/// The search for starts: backtracking over constants, then over initial
/// states.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "certain.h"
#include "tenet/ir/interpreter.h"

namespace tenet::ir {

/// Which formulas a search has to satisfy.
struct Wanted {
  std::vector<std::size_t> axioms;  ///< indices into Protocol::axioms
  std::vector<std::size_t> inits;   ///< indices into Protocol::inits
  bool constants_only = false;      ///< stop at the constants, without a state
};

/// Assigns the cells of all constants in order of declaration, host by host,
/// values ascending; after each, drops the branch if a formula that reads the
/// constant is certainly false already. Then the same for the variables that
/// have no initialiser. One search, used once.
class Search {
 public:
  Search(const Protocol& protocol, const Instance& instance, const Domains& domains, Wanted wanted,
         std::uint64_t limit);

  /// Takes values in an order of chance from here on.
  void shuffle(std::uint64_t seed) { random_.emplace(seed); }
  /// Visits every start until `visit` returns false.
  Result<void> run(const std::function<bool(const Start&)>& visit);

 private:
  struct Claim {
    ExprId formula;
    std::vector<bool> reads;  ///< by ConstId or VarId
  };
  /// Each returns whether to go on.
  bool constant(std::size_t id);
  bool constant_cell(std::size_t id, std::size_t cell, const std::vector<Value>& domain);
  bool with_constants();
  bool variable(std::size_t id);
  bool variable_cell(std::size_t id, std::size_t cell, const std::vector<Value>& domain);
  bool with_state();

  bool set_initialised();
  [[nodiscard]] bool contradicted(const std::vector<Claim>& claims, std::optional<std::size_t> assigned);
  bool hold(const std::vector<Claim>& claims, const char* what, bool& fine);
  bool try_one();
  /// In which order values are tried.
  [[nodiscard]] std::vector<std::size_t> order(std::size_t values);
  bool fail(ErrorKind kind, std::string message, std::string id = {}, Span span = {});
  std::optional<std::vector<Value>> domain(TypeId type, const std::string& slot, const std::string& name);
  Context context() const;

  const Protocol& p_;
  const Instance& instance_;
  const Domains& domains_;
  Wanted wanted_;
  std::uint64_t limit_;
  std::uint64_t tried_ = 0;
  std::optional<std::mt19937_64> random_;
  std::vector<Claim> axioms_;
  std::vector<Claim> inits_;
  Start start_;
  const std::function<bool(const Start&)>* visit_ = nullptr;
  std::optional<Error> error_;
};

}  // namespace tenet::ir
