/// The tables behind a TermManager.
#pragma once

#include <deque>
#include <map>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tenet/smt/term_manager.h"
#include "term_data.h"

namespace tenet::smt {

struct TermHash {
  std::size_t operator()(const TermData* term) const;
};
struct TermEqual {
  bool operator()(const TermData* a, const TermData* b) const;
};

/// Deques keep addresses stable, so handles may be read while others are made.
struct TermManager::Tables {
  std::deque<SortData> sorts;
  std::deque<FunctionData> functions;
  std::deque<TermData> terms;
  std::deque<QuantifierData> quantifiers;
  std::deque<std::string> variable_names;
  std::pmr::monotonic_buffer_resource arguments;

  std::unordered_set<const TermData*, TermHash, TermEqual> term_set;
  std::map<std::string, std::vector<const SortData*>, std::less<>> sorts_by_name;
  std::map<std::string, std::vector<const FunctionData*>, std::less<>> functions_by_name;
  std::map<std::string, const std::string*, std::less<>> variables_by_name;
  /// Where the search for a fresh name goes on.
  std::map<std::string, std::uint64_t, std::less<>> fresh_functions, fresh_variables;
};

}  // namespace tenet::smt
