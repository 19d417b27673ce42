// What a store must answer, kept beside it by the one client that writes these keys: a std::map with versions. It
// shares nothing with the checkers, and says what was really wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

class Model {
 public:
  /// A value by its hash; none: the key is not there.
  using Content = std::optional<std::size_t>;
  static Content of(const std::string& value) { return std::hash<std::string>()(value); }

  using Change = std::pair<std::string, Content>;
  /// What one write changed, all at once. Not `certain`: it may have happened, or not.
  void write(const std::vector<Change>& changes, bool certain) {
    ++version_;
    for (const auto& [key, content] : changes) {
      auto& all = keys_[key];
      if (all.empty()) all.emplace_back(0, Content());
      if (certain) {
        if (all.back().first == version_) all.pop_back();
        all.emplace_back(version_, content);
        doubtful_.erase(key);
        prune(all);
      } else {
        doubtful_[key].push_back(content);
      }
    }
  }

  [[nodiscard]] std::uint64_t version() const { return version_; }
  void hold(std::uint64_t version) { held_.insert(version); }
  void release(std::uint64_t version) { held_.erase(held_.find(version)); }

  /// Whether this may be seen by a reader of now (`at` is the present version) or of a version that is held.
  bool agrees(const std::string& key, const Content& seen, std::uint64_t at) {
    const auto doubt = doubtful_.find(key);
    if (doubt == doubtful_.end()) return content(key, at) == seen;
    std::vector<Content> possible = doubt->second;
    possible.push_back(content(key, at));
    doubtful_.erase(doubt);
    for (const Content& one : possible) {
      if (one != seen) continue;
      keys_[key].emplace_back(++version_, seen);  // which of them it was is settled
      return true;
    }
    return false;
  }

  /// Whether a key is there between the two (empty: no bound; `from` included if `with_it`, `to` never) as of `at`.
  [[nodiscard]] bool any_between(const std::optional<std::string>& from, bool with_it,
                                 const std::optional<std::string>& to, std::uint64_t at) const {
    auto key = !from ? keys_.begin() : with_it ? keys_.lower_bound(*from) : keys_.upper_bound(*from);
    for (; key != keys_.end() && (!to || key->first < *to); ++key) {
      if (find(key->second, at).has_value()) return true;
    }
    return false;
  }
  [[nodiscard]] Content content(const std::string& key, std::uint64_t at) const {
    const auto found = keys_.find(key);
    return found == keys_.end() ? Content() : find(found->second, at);
  }

 private:
  using Versions = std::vector<std::pair<std::uint64_t, Content>>;  // by version

  static Content find(const Versions& all, std::uint64_t at) {
    Content found;
    for (const auto& [version, content] : all) {
      if (version > at) break;
      found = content;
    }
    return found;
  }
  void prune(Versions& all) {
    const std::uint64_t oldest = held_.empty() ? version_ : *held_.begin();
    std::size_t dead = 0;
    while (dead + 1 < all.size() && all[dead + 1].first <= oldest) ++dead;
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(dead));
  }

  std::uint64_t version_ = 0;
  std::map<std::string, Versions> keys_;
  std::map<std::string, std::vector<Content>> doubtful_;
  std::multiset<std::uint64_t> held_;
};
