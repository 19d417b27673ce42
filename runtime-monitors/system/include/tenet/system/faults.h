/// Fault switches and fail points that the code knows as members of an enum, whose first member is `none`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "tenet/system/campaign.h"

namespace tenet::system {

/// A switch, and the member by which the code asks for it.
template <class Fault>
struct FaultInfo : Switch {
  Fault fault;
};
/// The member of that name; nothing if no switch is called so.
template <class Fault>
[[nodiscard]] std::optional<Fault> named(std::span<const FaultInfo<Fault>> all, std::string_view name) {
  if (name == "none") return Fault::none;
  const auto found = std::ranges::find(all, name, &FaultInfo<Fault>::name);
  return found == all.end() ? std::nullopt : std::optional(found->fault);
}

/// The names of an enum's members, in their order, `none` first.
template <class Enum, std::size_t N>
class Names {
 public:
  template <class... Texts>
  explicit constexpr Names(const Texts&... names) : names_{names...} {
    for (std::size_t i = 0; i + 1 < N; ++i) members_[i] = static_cast<Enum>(i + 1);
  }
  [[nodiscard]] std::optional<Enum> named(std::string_view name) const {
    const auto found = std::ranges::find(names_, name);
    return found == names_.end() ? std::nullopt : std::optional(static_cast<Enum>(found - names_.begin()));
  }
  [[nodiscard]] std::string_view of(Enum member) const { return names_.at(static_cast<std::size_t>(member)); }
  /// All but `none`.
  [[nodiscard]] std::span<const Enum> members() const { return members_; }

 private:
  std::array<std::string_view, N> names_;
  std::array<Enum, N - 1> members_{};
};

}  // namespace tenet::system
