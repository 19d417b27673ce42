/// The last lines of a report: what it all amounts to.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tenet/result/result_model.h"

namespace tenet::report {

struct MutantCounts {
  std::size_t made = 0, refuted = 0, by_error = 0, survived = 0, undecided = 0;
};
[[nodiscard]] MutantCounts count_mutants(const result::FileResult& file);

struct Summary {
  int status = 0;                      ///< result::exit_status
  std::vector<std::string> sentences;  ///< what a reader must not miss
  std::string verdict;                 ///< one line
};
[[nodiscard]] Summary summarise(const result::RunResult& run);

}  // namespace tenet::report
