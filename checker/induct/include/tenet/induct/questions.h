/// Single questions about induction, for who asks many of them: hypotheses and
/// goals are chosen anew each time, what was told to the solver stays.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tenet/induct/induct.h"

namespace tenet::induct {

/// What came of one question.
struct Reply {
  Verdict verdict = Verdict::open;
  std::string reason;  ///< of an open one
  std::string solver;
  std::uint64_t resources = 0;
  double seconds = 0;
  std::vector<std::size_t> core;  ///< discharged: the hypotheses that were needed (not the fewest)
  std::string query;
  std::optional<Counterexample> counterexample;  ///< refuted, in an instance
};

/// Which solvers are asked, and how.
struct QuestionOptions {
  std::uint64_t resource_limit = 20'000'000;
  std::uint64_t second_limit = 0;  ///< cvc5, where Z3 has no answer; 0: not
  std::uint32_t seed = 0;
  bool keep_queries = false;
  const StopFlag* stop = nullptr;  ///< once it is requested, what is asked is open; must outlive the questions
};

/// Either for any number of hosts, or in one instance (there every answer is
/// exact, and a refutation has two states). Not thread-safe. The answers depend
/// on what was asked before only in resources and in the choice of
/// counterexamples; the same questions in the same order get the same answers.
class Questions {
 public:
  Questions(const ir::Protocol& protocol, const QuestionOptions& options);
  Questions(const ir::Protocol& protocol, ir::Instance instance, const QuestionOptions& options);
  ~Questions();
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;

  /// What has no translation in steps, axioms or start; empty: nothing.
  [[nodiscard]] const std::string& refused();
  /// The copy that the formulas of claims are made in.
  [[nodiscard]] ir::Protocol& protocol();

  /// A closed formula of `protocol()`; its number, from 0. The same formula has one number.
  std::size_t claim(ir::ExprId formula);
  /// Empty, or what of this claim has no translation.
  [[nodiscard]] const std::string& refused(std::size_t claim) const;
  /// The steps; a receipt from hosts of several roles has a case for each.
  [[nodiscard]] std::size_t cases() const;
  [[nodiscard]] ir::StepId step(std::size_t at) const;
  /// Whether the case can change what the claim says. If not, it is kept.
  [[nodiscard]] bool touches(std::size_t at, std::size_t claim) const;

  /// Does one of the claims fail in an initial state?
  [[nodiscard]] Reply initiation(std::span<const std::size_t> goals);
  /// Is there a state with all hypotheses that the case leads to one without one of the goals?
  [[nodiscard]] Reply consecution(std::size_t at, std::span<const std::size_t> hypotheses,
                                  std::span<const std::size_t> goals);
  /// Is there a state with all hypotheses where the case reads what is not there?
  [[nodiscard]] Reply step_defined(std::size_t at, std::span<const std::size_t> hypotheses);
  /// Do the hypotheses exclude every state in which the case can happen? `core` stays empty.
  [[nodiscard]] Reply impossible(std::size_t at, std::span<const std::size_t> hypotheses);
  /// Do the hypotheses leave a state in which one of the goals fails?
  [[nodiscard]] Reply implication(std::span<const std::size_t> hypotheses, std::span<const std::size_t> goals);
  /// Do axioms, constants, initialisers and `init` formulas read what is not there?
  [[nodiscard]] Reply text_defined();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// An instance with so many hosts of every role and values of every type, and
/// numbers from 0 to `numbers` (integers from -1).
[[nodiscard]] ir::Instance instance_of_size(const ir::Protocol& protocol, const std::vector<std::int64_t>& hosts,
                                            const std::vector<std::int64_t>& values, std::int64_t numbers);

}  // namespace tenet::induct
