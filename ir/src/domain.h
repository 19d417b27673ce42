/// The finite domains that the interpreter ranges over, enumerated once.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/ir/confined.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"

namespace tenet::ir {

/// More values than this are not enumerated.
inline constexpr std::size_t kDomainLimit = std::size_t{1} << 20;

/// Domains of the types that functions, quantifiers and set builders range
/// over (any slot), and of the locals that a step chooses (their own slot).
/// Immutable; references protocol and instance only while it is made.
class Domains {
 public:
  Domains(const Protocol& protocol, const Instance& instance);

  /// Null if it was not asked for at construction or cannot be enumerated.
  [[nodiscard]] const std::vector<Value>* of(TypeId type) const;
  [[nodiscard]] const std::vector<Value>* of(LocalId local) const;
  /// Why some domain cannot be enumerated; nothing if all could be.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  /// The same of types alone: what a step chooses is given by an action, so that a replay does not need all of it.
  [[nodiscard]] const std::optional<Error>& error_of_types() const { return error_of_types_; }

  /// Whether a quantifier (of the protocol and instance it was made of) is open; found out once. Thread-safe.
  [[nodiscard]] bool open(const Protocol& protocol, const Instance& instance, ExprId quantifier) const;

 private:
  using Entry = std::optional<std::vector<Value>>;
  void need(const Protocol& protocol, const Instance& instance, TypeId type);
  void need(const Protocol& protocol, const Instance& instance, LocalId local);
  std::vector<Entry> by_type_;
  std::vector<Entry> by_local_;
  std::optional<Error> error_;
  std::optional<Error> error_of_types_;
  OpenQuantifiers open_quantifiers_;
  enum Known : std::uint8_t { not_asked, confined, open_ended };
  mutable std::vector<std::atomic<std::uint8_t>> known_open_;  ///< by expression
};

/// Position of `value` in an ascending domain.
[[nodiscard]] std::optional<std::size_t> index_in(const std::vector<Value>& domain, const Value& value);

}  // namespace tenet::ir
