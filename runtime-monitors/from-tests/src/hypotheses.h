/// The relations that are tried.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tenet/derived/checker.h"
#include "tenet/from_tests/model.h"

namespace tenet::from_tests {

/// What was asserted, by operation, situation and result.
class Cases {
 public:
  struct Key {
    std::uint16_t op;
    derived::Given given;
    std::uint8_t field;
  };
  struct Seen {
    Key key;
    std::vector<derived::Value> values;  ///< different ones, a few
    std::vector<std::uint8_t> outcomes;
  };
  void add(const derived::Operation& operation, const derived::Given& given, std::uint8_t field);
  [[nodiscard]] const std::vector<Seen>& all() const { return all_; }

 private:
  std::vector<Seen> all_;
};

/// Checkers of one expectation each.
std::vector<derived::Checker> hypotheses(const Model& model, const Cases& cases);
/// `get_after_put`, `next_in_order` …
std::string name_of(const derived::Checker& checker, const Model& model);

}  // namespace tenet::from_tests
