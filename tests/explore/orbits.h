/// Orbits the slow way: the smallest of all images under all permutations
/// that map the set of starts to itself.
#pragma once

#include <numeric>
#include <set>
#include <vector>

#include "oracle.h"

namespace tenet::explore::oracle {

class Orbits {
 public:
  Orbits(const ir::Protocol& p, const ir::Instance& instance) : p_(p), instance_(instance) {
    std::set<Whole> starts;
    (void)ir::enumerate_starts(p, instance, 1u << 22, [&](const ir::Start& start) {
      starts.insert({start.constants.values, start.state});
      return true;
    });
    Renaming renaming;
    for (std::size_t i = 0; i < p.roles.size(); ++i) renaming.push_back(identity(instance.hosts(ir::RoleId(i))));
    for (std::size_t i = 0; i < p.sorts.size(); ++i) renaming.push_back(identity(instance.sort_size(ir::SortId(i))));
    extend(renaming, 0, starts);
  }

  [[nodiscard]] Whole smallest(const Whole& whole) const {
    Whole best = whole;
    for (const Renaming& renaming : group_) best = std::min(best, image(whole, renaming));
    return best;
  }
  [[nodiscard]] std::size_t order() const { return group_.size(); }

 private:
  using Numbers = std::vector<std::size_t>;
  using Renaming = std::vector<Numbers>;  ///< roles, then sorts

  static Numbers identity(std::int64_t size) {
    Numbers numbers(static_cast<std::size_t>(size));
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
  }

  void extend(Renaming& renaming, std::size_t next, const std::set<Whole>& starts) {
    if (next == renaming.size()) {
      for (const Whole& start : starts) {
        if (!starts.contains(image(start, renaming))) return;
      }
      group_.push_back(renaming);
      return;
    }
    const std::size_t sort = next - std::min(next, p_.roles.size());
    if (next >= p_.roles.size() && p_.sorts[sort].ordered) return extend(renaming, next + 1, starts);
    Numbers& numbers = renaming[next];
    std::sort(numbers.begin(), numbers.end());
    do {
      extend(renaming, next + 1, starts);
    } while (std::next_permutation(numbers.begin(), numbers.end()));
  }

  [[nodiscard]] ir::Value rename(ir::TypeId id, const ir::Value& from, const Renaming& renaming) const {
    const ir::Type type = p_[id];
    ir::Value to = from;
    const auto place = static_cast<std::size_t>(from.number);
    switch (type.kind) {
      case ir::TypeKind::host:
        to.number = static_cast<std::int64_t>(renaming[type.declaration][place]);
        break;
      case ir::TypeKind::sort:
        to.number = static_cast<std::int64_t>(renaming[p_.roles.size() + type.declaration][place]);
        break;
      case ir::TypeKind::option:
      case ir::TypeKind::set:
        for (ir::Value& item : to.items) item = rename(type.first, item, renaming);
        std::sort(to.items.begin(), to.items.end());
        break;
      case ir::TypeKind::structure:
        for (std::size_t i = 0; i < to.items.size(); ++i) {
          to.items[i] = rename(p_.structs[type.declaration].fields[i].type, from.items[i], renaming);
        }
        break;
      case ir::TypeKind::map: {
        std::map<ir::Value, ir::Value> entries;
        for (std::size_t i = 0; i < from.items.size(); i += 2) {
          entries[rename(type.first, from.items[i], renaming)] = rename(type.second, from.items[i + 1], renaming);
        }
        to.items.clear();
        for (const auto& [key, value] : entries) {
          to.items.push_back(key);
          to.items.push_back(value);
        }
        break;
      }
      case ir::TypeKind::function: {
        const auto domain = *instance_.domain(p_, type.first, "", 1u << 20);
        for (std::size_t i = 0; i < domain.size(); ++i) {
          const ir::Value argument = rename(type.first, domain[i], renaming);
          const auto at =
              static_cast<std::size_t>(std::lower_bound(domain.begin(), domain.end(), argument) - domain.begin());
          to.items[at] = rename(type.second, from.items[i], renaming);
        }
        break;
      }
      default:
        break;
    }
    return to;
  }

  [[nodiscard]] ir::HostRef rename(ir::HostRef host, const Renaming& renaming) const {
    return {host.role, static_cast<std::uint32_t>(renaming[host.role.index()][host.index])};
  }

  /// Where a row of a constant's table goes.
  [[nodiscard]] std::size_t row(const ir::ConstDecl& decl, std::size_t row, const Renaming& renaming) const {
    if (decl.role.valid()) return renaming[decl.role.index()][row];
    std::size_t result = 0;
    std::size_t stride = 1;
    for (std::size_t i = decl.parameters.size(); i-- > 0;) {
      const auto domain = *instance_.domain(p_, decl.parameters[i], "", 1u << 20);
      const ir::Value argument = rename(decl.parameters[i], domain[row % domain.size()], renaming);
      result +=
          stride * static_cast<std::size_t>(std::lower_bound(domain.begin(), domain.end(), argument) - domain.begin());
      row /= domain.size();
      stride *= domain.size();
    }
    return result;
  }

  [[nodiscard]] Whole image(const Whole& from, const Renaming& renaming) const {
    Whole to = from;
    for (std::size_t c = 0; c < p_.constants.size(); ++c) {
      for (std::size_t i = 0; i < from.first[c].size(); ++i) {
        to.first[c][row(p_.constants[c], i, renaming)] = rename(p_.constants[c].type, from.first[c][i], renaming);
      }
    }
    for (std::size_t v = 0; v < p_.variables.size(); ++v) {
      for (std::size_t i = 0; i < from.second.variables[v].size(); ++i) {
        to.second.variables[v][renaming[p_.variables[v].role.index()][i]] =
            rename(p_.variables[v].type, from.second.variables[v][i], renaming);
      }
    }
    for (ir::Packet& packet : to.second.network) {
      packet.sender = rename(packet.sender, renaming);
      packet.addressee = rename(packet.addressee, renaming);
      for (std::size_t i = 0; i < packet.args.size(); ++i) {
        packet.args[i] = rename(p_[packet.message].fields[i].type, packet.args[i], renaming);
      }
    }
    std::sort(to.second.network.begin(), to.second.network.end());
    return to;
  }

  const ir::Protocol& p_;
  const ir::Instance& instance_;
  std::vector<Renaming> group_;
};

}  // namespace tenet::explore::oracle
