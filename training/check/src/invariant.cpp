#include "tenet/training/invariant.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tenet::training {
namespace {

constexpr std::array<std::string_view, kRelations> kRelationNames{
    "contains-call", "contains-change", "each-change", "before",    "after",     "constant",
    "distinct",      "same-on-ranks",   "pair-equal",  "stable",    "mirrors",   "equal-fields",
    "at-most",       "range",           "ratio",       "increment", "each-step", "loop-law"};
constexpr std::array<std::string_view, 5> kModeNames{"", "changes", "keeps", "clears", "fills"};

template <typename Enum, std::size_t Size>
std::optional<Enum> named(const std::array<std::string_view, Size>& names, std::string_view name) noexcept {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

std::string subject_text(const Invariant& i) {
  return i.kind == SubjectKind::function ? i.subject : fmt::format("variables of type {}", i.subject);
}

std::string count_text(double low, double high) {
  if (low == high) return low == 1 ? "once" : fmt::format("{} times", low);
  return high >= 1e9 ? fmt::format("at least {}", low == 1 ? "once" : fmt::format("{} times", low))
                     : fmt::format("{} to {} times", low, high);
}

std::string state_text(Mode mode) {
  switch (mode) {
    case Mode::changes:
      return "has changed";
    case Mode::keeps:
      return "has not changed";
    case Mode::clears:
      return "is none or zero";
    case Mode::fills:
      return "is there and not zero";
    case Mode::none:
      break;
  }
  return "";
}

std::string change_text(Mode mode) {
  switch (mode) {
    case Mode::clears:
      return "is cleared";
    case Mode::fills:
      return "is filled";
    default:
      return "changes";
  }
}

std::string condition_text(const Condition& condition) {
  if (condition.is_step()) return fmt::format("step >= {}", condition.min_step);
  const auto shown = [&](const Constant& value) {
    return condition.key == "caller" && value.text.empty() ? "the script" : to_text(value);
  };
  if (condition.values.size() == 1) return fmt::format("{} is {}", condition.key, shown(condition.values[0]));
  std::string values;
  for (const Constant& value : condition.values) values += (values.empty() ? "" : ", ") + shown(value);
  return fmt::format("{} in {{{}}}", condition.key, values);
}

}  // namespace

std::string_view name(Relation relation) noexcept { return kRelationNames[static_cast<std::size_t>(relation)]; }
std::optional<Relation> relation_named(std::string_view name) noexcept { return named<Relation>(kRelationNames, name); }
std::string_view name(Mode mode) noexcept { return kModeNames[static_cast<std::size_t>(mode)]; }
std::optional<Mode> mode_named(std::string_view name) noexcept { return named<Mode>(kModeNames, name); }

Constant to_constant(const Value& value, const Vocabulary& vocabulary) {
  if (value.type == ValueType::text || value.type == ValueType::dims) {
    return {value.type, 0, std::string(vocabulary.text(value.symbol()))};
  }
  return {value.type, value.bits, {}};
}

Value to_value(const Constant& constant, Vocabulary& vocabulary) {
  if (constant.type == ValueType::text || constant.type == ValueType::dims) {
    return {constant.type, vocabulary.intern(constant.text)};
  }
  return {constant.type, constant.bits};
}

std::string to_text(const Constant& constant) {
  switch (constant.type) {
    case ValueType::none:
      return "none";
    case ValueType::boolean:
      return constant.bits != 0 ? "true" : "false";
    case ValueType::integer:
      return fmt::format("{}", static_cast<std::int64_t>(constant.bits));
    case ValueType::real:
      return fmt::format("{}", std::bit_cast<double>(constant.bits));
    case ValueType::text:
      return constant.text;
    case ValueType::dims:
      return "[" + constant.text + "]";
    default:
      return fmt::format("{:#x}", constant.bits);
  }
}

std::string Invariant::key() const {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", name(relation), static_cast<int>(kind), subject, object, field,
                     other_field, name(mode),
                     value ? fmt::format("{}:{}", static_cast<int>(value->type), to_text(*value)) : "");
}

std::string Invariant::id() const {
  const std::string identity = key();
  return fmt::format("{:012x}", XXH3_64bits(identity.data(), identity.size()) >> 16U);
}

std::string Invariant::claim() const {
  switch (relation) {
    case Relation::contains_call:
      return fmt::format("every call of {} calls {}", subject, object);
    case Relation::contains_change:
      return fmt::format("during every call of {} the {} of some {} {}", subject, field, object, change_text(mode));
    case Relation::each_change:
      return fmt::format("after every call of {} the {} of each {} seen in it {}", subject, field, object,
                         state_text(mode));
    case Relation::before:
      return fmt::format("{} is called before every call of {}", subject, object);
    case Relation::after:
      return fmt::format("every call of {} is followed by a call of {}", subject, object);
    case Relation::constant:
      return fmt::format("{} of {} is {}", field, subject_text(*this), value ? to_text(*value) : "?");
    case Relation::distinct:
      return fmt::format("{} of {} does not repeat within a step", field, subject_text(*this));
    case Relation::same_on_ranks:
      return fmt::format("{} of {} is the same on every process", field, subject_text(*this));
    case Relation::pair_equal:
      return fmt::format("{} and {} have the same {}", subject, object, field);
    case Relation::stable:
      return fmt::format("{} of {} does not change", field, subject_text(*this));
    case Relation::mirrors:
      return fmt::format("{} of each {} is the {} of the {} with the same name", field, subject, other_field, object);
    case Relation::equal_fields:
      return fmt::format("{} and {} of {} are equal", field, other_field, subject_text(*this));
    case Relation::at_most:
      if (subject == kLoopSubject) return fmt::format("{} is at most {}", field, other_field);
      return fmt::format("{} of {} is at most {}", field, subject_text(*this), other_field);
    case Relation::range:
      return fmt::format("{} of {} lies in [{:.6g}, {:.6g}]", field, subject_text(*this), low, high);
    case Relation::ratio:
      return fmt::format("{} of {} changes by a factor in [{:.6g}, {:.6g}]", field, subject_text(*this), low, high);
    case Relation::increment:
      return low == high ? fmt::format("{} of {} changes by {:.6g}", field, subject_text(*this), low)
                         : fmt::format("{} of {} changes by [{:.6g}, {:.6g}]", field, subject_text(*this), low, high);
    case Relation::each_step:
      return fmt::format("{} is called {} in each step", subject, count_text(low, high));
    case Relation::loop_law:
      return fmt::format("at the end of the run {} = {}", subject, object);
  }
  return "";
}

std::string Invariant::text() const {
  std::string out = claim();
  if (!when.unconditional()) {
    out += when.inverted ? ", except when " : ", when ";
    for (std::size_t i = 0; i < when.any_of.size(); ++i) {
      if (i != 0) out += ", or ";
      for (std::size_t j = 0; j < when.any_of[i].size(); ++j) {
        out += (j != 0 ? " and " : "") + condition_text(when.any_of[i][j]);
      }
    }
  }
  return out + fmt::format(" ({} times in {} run{}{}{})", evidence.positives, evidence.runs,
                           evidence.runs == 1 ? "" : "s",
                           evidence.programs == 0 ? "" : fmt::format(" of {} programs", evidence.programs),
                           evidence.negatives == 0 ? "" : fmt::format(", {} exceptions", evidence.negatives));
}

}  // namespace tenet::training
