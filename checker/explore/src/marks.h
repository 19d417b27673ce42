/// What a local state or a message says about one host or value, without
/// saying which one it is: the raw material of signatures.
#pragma once

#include <functional>

#include "universe.h"

namespace tenet::explore {

/// Gives every host and value a mark; hashes content through the marks. Two
/// contents that differ only by a renaming which respects the marks have equal
/// hashes (the reverse need not hold).
class Marker {
 public:
  /// Number of the mark of a host of a role, or value of a sort.
  using MarkOf = std::function<std::uint64_t(bool host, std::uint32_t declaration, std::uint32_t index)>;
  Marker(const Universe& universe, MarkOf mark) : universe_(universe), mark_(std::move(mark)) {}

  [[nodiscard]] std::uint64_t local(const Local& local) const;
  [[nodiscard]] std::uint64_t message(const Message& message) const;

 private:
  [[nodiscard]] std::uint64_t value(ir::TypeId type, const ir::Value& value) const;
  [[nodiscard]] std::uint64_t host(std::uint32_t number) const;
  const Universe& universe_;
  MarkOf mark_;
};

}  // namespace tenet::explore
