#include "store.h"

namespace store {

Store::Store() {}
Store::~Store() {}

Code Store::put(const std::string& key, const std::string& value) {
  if (key.empty()) return Code::invalid;
  std::lock_guard<std::mutex> guard(lock_);
  Cell& cell = cells_[key];
  cell.value = value;
  cell.removed = false;
  return Code::ok;
}

Code Store::remove(const std::string& key) {
  if (key.empty()) return Code::invalid;
  std::lock_guard<std::mutex> guard(lock_);
  auto cell = cells_.find(key);
  if (cell != cells_.end()) cell->second.removed = true;
  return Code::ok;
}

Code Store::get(const std::string& key, std::string* value) const {
  std::lock_guard<std::mutex> guard(lock_);
  auto cell = cells_.find(key);
  if (cell == cells_.end() || cell->second.removed) return Code::not_found;
  *value = cell->second.value;
  return Code::ok;
}

bool Store::contains(const std::string& key) const {
  std::lock_guard<std::mutex> guard(lock_);
  auto cell = cells_.find(key);
  return cell != cells_.end() && !cell->second.removed;
}

void Store::add(const std::string& counter, int amount) {
  std::lock_guard<std::mutex> guard(lock_);
  counters_[counter] += amount;
}

int Store::count(const std::string& counter) const {
  std::lock_guard<std::mutex> guard(lock_);
  auto found = counters_.find(counter);
  return found == counters_.end() ? 0 : found->second;
}

void Store::compact() {
  std::lock_guard<std::mutex> guard(lock_);
  for (auto cell = cells_.begin(); cell != cells_.end();) {
#ifdef STORE_BUG_COMPACTION
    // The bug: a removed key whose value is short comes back.
    if (cell->second.removed && cell->second.value.size() < 4) {
      cell->second.removed = false;
      ++cell;
      continue;
    }
#endif
    cell = cell->second.removed ? cells_.erase(cell) : ++cell;
  }
}

}  // namespace store
