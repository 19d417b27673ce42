/// A small key-value store in memory: puts, removals, reads, and counters beside them.
#pragma once

#include <map>
#include <mutex>
#include <string>

namespace store {

enum class Code { ok, not_found, invalid };

class Store {
 public:
  Store();
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// An empty key is invalid.
  Code put(const std::string& key, const std::string& value);
  Code remove(const std::string& key);
  Code get(const std::string& key, std::string* value) const;
  bool contains(const std::string& key) const;

  /// Counters have names of their own.
  void add(const std::string& counter, int amount);
  int count(const std::string& counter) const;

  /// Throws away what removed keys left behind. Changes nothing that a caller can see.
  void compact();

 private:
  struct Cell {
    std::string value;
    bool removed = false;
  };
  mutable std::mutex lock_;
  std::map<std::string, Cell> cells_;
  std::map<std::string, int> counters_;
};

}  // namespace store
