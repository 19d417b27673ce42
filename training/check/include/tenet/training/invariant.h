/// Invariants of training runs: what is claimed, when it is claimed, and how often it was seen.
///
/// An invariant is one relation with its parameters and a precondition. It is plain data, independent of any trace:
/// names are strings, values carry their type. docs/training-invariants.md describes each relation and the file format.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/training/record.h"

namespace tenet::training {

enum class Relation : std::uint8_t {
  contains_call,    ///< during every call of `subject`, `object` is called
  contains_change,  ///< during every call of `subject`, some variable of type `object` has its `field` changed (`mode`)
  each_change,  ///< after every call of `subject`, each variable of type `object` seen in it has `field` as `mode` says
  before,       ///< between two calls of `object` there is a call of `subject`
  after,        ///< after each call of `subject`, `object` is called before `subject` is called again
  constant,     ///< `field` of `subject` is `value`
  distinct,     ///< `field` of `subject` does not repeat inside one step
  same_on_ranks,  ///< `field` of the n-th `subject` of a step is the same on every process
  pair_equal,     ///< variables `subject` and `object` have the same `field`
  stable,         ///< `field` of variables of type `subject` does not change
  mirrors,  ///< `field` of a variable of type `subject` is `other_field` of the variable of type `object` with the same
            ///< name
  equal_fields,  ///< `field` and `other_field` of `subject` are the same
  at_most,       ///< `field` of `subject` is not above `other_field`
  range,         ///< `field` of `subject` lies in [low, high]
  ratio,         ///< `field` of a variable of type `subject` changes by a factor in [low, high]
  increment,     ///< `field` of a variable of type `subject` changes by a difference in [low, high]
  each_step,     ///< `subject` is called between low and high times in each step
  loop_law,      ///< an equation over quantities of the loop, at the end of the run
};
inline constexpr std::size_t kRelations = 18;
[[nodiscard]] std::string_view name(Relation relation) noexcept;
[[nodiscard]] std::optional<Relation> relation_named(std::string_view name) noexcept;

/// What `subject` names, where a relation applies to both.
/// The subject of an at-most rule about the quantities of the loop; its fields are their names.
inline constexpr std::string_view kLoopSubject = "loop";

enum class SubjectKind : std::uint8_t { function, variable_type };

/// What happened to, or is the state of, an attribute.
enum class Mode : std::uint8_t { none, changes, keeps, clears, fills };
[[nodiscard]] std::string_view name(Mode mode) noexcept;
[[nodiscard]] std::optional<Mode> mode_named(std::string_view name) noexcept;

/// A value that does not depend on a vocabulary.
struct Constant {
  ValueType type = ValueType::none;
  std::uint64_t bits = 0;  ///< boolean, integer, real (by bits)
  std::string text;        ///< text, dims

  friend bool operator==(const Constant&, const Constant&) = default;
  friend auto operator<=>(const Constant&, const Constant&) = default;
};
[[nodiscard]] Constant to_constant(const Value& value, const Vocabulary& vocabulary);
[[nodiscard]] Value to_value(const Constant& constant, Vocabulary& vocabulary);
[[nodiscard]] std::string to_text(const Constant& constant);

/// "`key` is one of `values`", or, with key "step", "the step is at least `min_step`".
struct Condition {
  std::string key;
  std::vector<Constant> values;
  std::int64_t min_step = 0;

  [[nodiscard]] bool is_step() const noexcept { return key == "step"; }
  friend bool operator==(const Condition&, const Condition&) = default;
  friend auto operator<=>(const Condition&, const Condition&) = default;
};
using Conjunction = std::vector<Condition>;

/// A disjunction of conjunctions, or its negation. Without any alternative it always holds.
struct Precondition {
  std::vector<Conjunction> any_of;
  bool inverted = false;

  [[nodiscard]] bool unconditional() const noexcept { return any_of.empty(); }
  friend bool operator==(const Precondition&, const Precondition&) = default;
};

/// How often the invariant was seen to hold where its precondition holds, and to fail where it does not.
struct Evidence {
  std::uint64_t positives = 0;
  std::uint64_t negatives = 0;
  std::uint64_t runs = 0;      ///< runs with at least one positive
  std::uint64_t steps = 0;     ///< steps from the first to the last positive, summed over runs
  std::uint64_t programs = 0;  ///< programs with at least one positive; 0 if the runs were taken for runs of one
};

struct Invariant {
  Relation relation = Relation::constant;
  SubjectKind kind = SubjectKind::function;
  std::string subject;
  std::string object;
  std::string field;
  std::string other_field;
  Mode mode = Mode::none;
  std::optional<Constant> value;
  double low = 0;
  double high = 0;
  Precondition when;
  Evidence evidence;
  std::string silenced;  ///< the reason why violations are not reported; empty = they are

  /// What identifies the claim without precondition and evidence: the same in every run and on every machine.
  [[nodiscard]] std::string key() const;
  /// Twelve hexadecimal digits of `key`, for reports and for silencing.
  [[nodiscard]] std::string id() const;
  /// An English sentence with the precondition and the evidence counts.
  [[nodiscard]] std::string text() const;
  /// The same without precondition and counts.
  [[nodiscard]] std::string claim() const;
};

/// What an invariants file holds.
struct InvariantSet {
  std::vector<Invariant> invariants;
  std::uint64_t runs = 0;             ///< learned from so many runs
  std::vector<std::string> problems;  ///< entries that could not be used, and why
};

/// Version of the invariants file. A file of another version is refused as `unsupported`.
inline constexpr int kInvariantsVersion = 1;

/// Parses the JSON text of an invariants file. Entries that are not understood are left out and listed in `problems`.
[[nodiscard]] Result<InvariantSet> parse_invariants(std::string_view json);
[[nodiscard]] Result<InvariantSet> load_invariants(const std::string& path);
/// Deterministic: the same set gives the same bytes.
[[nodiscard]] std::string print_invariants(const InvariantSet& set);

}  // namespace tenet::training
