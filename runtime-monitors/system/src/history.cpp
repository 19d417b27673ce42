#include "tenet/system/history.h"

#include <algorithm>
#include <map>
#include <set>

namespace tenet::system {

namespace {

/// What a configuration of the search is: who has been done, and the register after it.
struct Configuration {
  std::vector<bool> done;
  std::uint64_t version = 0;
  std::size_t last = SIZE_MAX;  ///< the put whose value is there
  friend auto operator<=>(const Configuration&, const Configuration&) = default;
};

class Search {
 public:
  Search(std::vector<const Operation*> operations, std::size_t most) : operations_(std::move(operations)), most_(most) {
    std::ranges::sort(operations_, {}, &Operation::called);
  }

  /// Depth first, without recursion: a history may be long.
  std::optional<bool> run() {
    std::vector<Configuration> open;
    Configuration first;
    first.done.resize(operations_.size());
    open.push_back(first);
    while (!open.empty()) {
      Configuration at = std::move(open.back());
      open.pop_back();
      if (finished(at)) return true;
      if (!visited_.insert(at).second) continue;
      if (visited_.size() > most_) return std::nullopt;
      expand(at, open);
    }
    return false;
  }

 private:
  [[nodiscard]] bool finished(const Configuration& at) const {
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (!at.done[i] && operations_[i]->returned) return false;
    }
    return true;
  }

  void expand(const Configuration& at, std::vector<Configuration>& open) const {
    // What returned first must be done before anything that was called later.
    std::uint64_t first_return = UINT64_MAX;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (!at.done[i]) first_return = std::min(first_return, operations_[i]->returned.value_or(UINT64_MAX));
    }
    for (std::size_t i = operations_.size(); i-- > 0;) {
      const Operation& operation = *operations_[i];
      if (at.done[i] || operation.called > first_return) continue;
      if (operation.put) {
        if (operation.returned && operation.version != at.version + 1) continue;
      } else {
        if (!operation.returned) continue;  // a read that nobody saw tells nothing
        const bool same =
            at.last == SIZE_MAX ? operation.value.empty() : operations_[at.last]->value == operation.value;
        if (operation.version != at.version || !same) continue;
      }
      Configuration next = at;
      next.done[i] = true;
      if (operation.put) {
        ++next.version;
        next.last = i;
      }
      open.push_back(std::move(next));
    }
  }

  std::vector<const Operation*> operations_;
  std::size_t most_;
  std::set<Configuration> visited_;
};

}  // namespace

Judgement judge(const std::vector<Operation>& history, std::size_t most_configurations) {
  std::map<std::string, std::vector<const Operation*>> keys;
  for (const Operation& operation : history) keys[operation.key].push_back(&operation);
  Judgement judgement;
  for (const auto& [key, operations] : keys) {
    const std::optional<bool> answer = Search(operations, most_configurations).run();
    if (answer == true) continue;
    judgement = {answer != false, answer.has_value(), key,
                 answer ? "no order of the operations on this key explains what was returned"
                        : "too many orders of the operations on this key"};
    if (answer == false) return judgement;
  }
  return judgement;
}

}  // namespace tenet::system
