/// Questions and their answers, kept by what was asked.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "question.h"
#include "slice.h"
#include "tenet/provenance/prover.h"

namespace tenet::provenance {

/// Puts questions about one protocol to the solver, or finds their answers in
/// `ProveOptions::answers`. A question is put to its slice, and the slice (with
/// everything else that can change an answer) is what its answer is kept under:
/// an answer is never that of another question.
class Answers {
 public:
  /// `protocol` and `options` must outlive it.
  Answers(const ir::Protocol& protocol, const ProveOptions& options);
  /// The same solver, about another protocol.
  Answers(const ir::Protocol& protocol, const Answers& other)
      : options_(other.options_),
        store_(other.store_),
        solvers_(other.solvers_),
        slicer_(protocol, options_.keep_queries) {}

  /// Says what is asked, in the words of the slice. False: there is nothing to ask.
  using Setup = std::function<bool(Question&, const Subject&)>;

  /// `kind` tells one setup from another.
  Answer ask(std::string_view kind, const Subject& subject, const Strategy& strategy,
             const std::vector<DerivedFact>& facts, const std::vector<Hypothesis>& hypotheses, const Setup& setup);

 private:
  [[nodiscard]] std::string key(std::string_view kind, const Slice& slice, const Strategy& strategy) const;
  [[nodiscard]] static Answer in_words(Answer answer, const Slice& slice);

  const ProveOptions& options_;
  AnswerStore* store_;
  std::string solvers_;  ///< names, versions and settings
  Slicer slicer_;
  std::unordered_set<std::size_t> fresh_;  ///< hashes of what was answered in this run
};

}  // namespace tenet::provenance
