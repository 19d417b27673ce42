/// Sorting that keeps the order of equals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenet {

/// Sorts `items` from index `from` on by `key(item)`, ascending; items of
/// equal key keep their order. Each key is computed once.
template <class T, class Key>
void stable_sort_by(std::vector<T>& items, std::size_t from, const Key& key) {
  using Value = std::decay_t<std::invoke_result_t<const Key&, const T&>>;
  std::vector<std::pair<Value, std::size_t>> order;
  order.reserve(items.size() - from);
  for (std::size_t i = from; i < items.size(); ++i) order.emplace_back(std::invoke(key, items[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<T> sorted;
  sorted.reserve(order.size());
  for (const auto& [value, index] : order) sorted.push_back(std::move(items[index]));
  std::move(sorted.begin(), sorted.end(), items.begin() + static_cast<std::ptrdiff_t>(from));
}

}  // namespace tenet
