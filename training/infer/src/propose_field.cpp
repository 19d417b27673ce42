// constant, range, at_most, distinct: the values of each field of each function and variable type.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "proposer.h"

namespace tenet::training {
namespace {

constexpr std::size_t kMostConstants = 3;

std::string_view last_part(std::string_view key) noexcept {
  const auto dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

bool is_one_of(std::string_view part, std::initializer_list<std::string_view> list) noexcept {
  return std::ranges::find(list, part) != list.end();
}

// What a field may be used for.
struct Use {
  bool constant = false;
  bool zero = false;  // a count that should be 0
  bool range = false;
  bool distinct = false;
};

// Switches that say how a computation is meant.
bool is_mode(std::string_view part) noexcept {
  return is_one_of(part, {"training", "train", "mode", "inplace", "is_causal", "enabled"});
}

Use use_of_function(std::string_view key, ValueType type, std::string_view function) {
  const std::string_view part = last_part(key);
  Use use;
  if (is_list_member(key)) return use;
  const bool switches = function.ends_with(".train") || function.ends_with(".eval");
  if (switches && key == "self.training") return use;  // what it was before says nothing
  use.distinct = type == ValueType::ref && part == "id" && function.ends_with('_') && !function.ends_with("__");
  if (is_builtin(function)) return use;
  if (is_computation(function)) {  // their results follow from their inputs; what matters is how they are asked
    use.constant = type == ValueType::boolean && is_mode(part);
    return use;
  }
  switch (type) {
    // Of the switches of the library only those that say how a computation is meant; its own functions a job knows
    // best.
    case ValueType::boolean:
      use.constant =
          is_mode(part) || (!function.starts_with("torch.") && part != "retains_grad" && part != "requires_grad");
      break;
    case ValueType::text:
      // What is exchanged between processes, what goes into a model and what comes out, is the program.
      use.constant = function.find("distributed") == std::string_view::npos && function != "torch.nn.Module.__call__" &&
                     is_one_of(part, {"dtype", "device", "reduction"});
      break;
    case ValueType::integer:
      use.zero = is_one_of(part, {"nan", "inf"});
      break;
    default:
      break;
  }
  return use;
}

Use use_of_variable(std::string_view key, ValueType type, std::string_view variable_type) {
  const std::string_view part = last_part(key);
  Use use;
  switch (type) {
    case ValueType::boolean:
      // What is trained is the program; whether it is in the optimizer, the agreement says.
      use.constant = !is_one_of(part, {"retains_grad", "requires_grad", "in_optimizer"});
      break;
    case ValueType::text:
      use.constant = variable_type != "collective" && is_one_of(part, {"dtype", "device"});
      break;
    case ValueType::integer:
      use.zero = is_one_of(part, {"nan", "inf"});
      use.constant = is_one_of(part, {"missing", "foreign", "idle", "unexpected"});
      break;
    case ValueType::real:
      use.range = variable_type == "torch.nn.Parameter" && part == "norm";
      break;
    case ValueType::hash:
      use.distinct = variable_type.starts_with("batch");
      break;
    default:
      break;
  }
  return use;
}

Use use_of(std::string_view key, ValueType type, std::string_view subject, SubjectKind kind) {
  const std::string_view part = last_part(key);
  if (part.starts_with("is_") || part.starts_with("has_") || part.starts_with("can_")) return {};
  return kind == SubjectKind::function ? use_of_function(key, type, subject) : use_of_variable(key, type, subject);
}

class FieldProposer final : public Proposer {
 public:
  explicit FieldProposer(const ProposerContext& context)
      : context_(context), plumbing_(*context.vocabulary, is_plumbing) {}

  void on_enter(Process&, Thread&, Frame& frame) override {
    if (!plumbing_(frame.function)) see(frame.function, SubjectKind::function, *frame.layout, frame.values);
  }
  void on_exit(Process&, Thread&, Frame& frame, const Record& record) override {
    if (!plumbing_(frame.function)) see(frame.function, SubjectKind::function, *record.layout, record.values);
  }
  void on_state(Process&, Thread&, Variable& variable) override {
    see(variable.type, SubjectKind::variable_type, *variable.layout, variable.values);
  }

  void propose(std::vector<Proposal>& out) override {
    for (const auto& [place, statistics] : fields_) {
      const auto& [kind, subject, key] = place;
      Invariant claim;
      claim.kind = kind;
      claim.subject = context_.vocabulary->text(subject);
      claim.field = context_.vocabulary->text(key);
      if (statistics.constants.size() <= kMostConstants) {
        claim.relation = Relation::constant;
        for (const auto& [value, count] : statistics.constants) {
          claim.value = to_constant(value, *context_.vocabulary);
          out.push_back({claim, {}});
        }
        claim.value.reset();
      }
      if (statistics.distinct) {
        claim.relation = Relation::distinct;
        out.push_back({claim, {}});
      }
      if (statistics.numbers.any) {
        claim.relation = Relation::range;
        out.push_back({claim, statistics.numbers});
      }
    }
  }

 private:
  struct Statistics {
    std::map<Value, std::uint64_t> constants;
    Seen numbers;
    bool distinct = false;
  };
  using Place = std::tuple<SubjectKind, Symbol, Symbol>;
  struct Slot {
    std::size_t field;
    Use use;
    Statistics* statistics;
  };

  void see(Symbol subject, SubjectKind kind, const Layout& layout, std::span<const std::uint64_t> values) {
    for (const Slot& slot : slots(subject, kind, layout)) {
      const Value value{layout.types[slot.field], values[slot.field]};
      Statistics& statistics = *slot.statistics;
      if (slot.use.constant && statistics.constants.size() <= kMostConstants) ++statistics.constants[value];
      if (slot.use.zero && value.bits == 0) ++statistics.constants[value];
      if (slot.use.distinct) statistics.distinct = true;
      if (slot.use.range && std::isfinite(value.real())) {
        Seen& seen = statistics.numbers;
        seen.low = seen.any ? std::min(seen.low, value.real()) : value.real();
        seen.high = seen.any ? std::max(seen.high, value.real()) : value.real();
        seen.any = true;
      }
    }
  }

  // The fields of a layout that are of use for a subject, looked up once.
  const std::vector<Slot>& slots(Symbol subject, SubjectKind kind, const Layout& layout) {
    const std::uint64_t key =
        (static_cast<std::uint64_t>(subject) << 32U | layout.id) << 1U | static_cast<std::uint64_t>(kind);
    const auto [found, fresh] = slots_.try_emplace(key);
    if (!fresh) return found->second;
    const Vocabulary& v = *context_.vocabulary;
    for (std::size_t i = 0; i < layout.keys.size(); ++i) {
      const Use use = use_of(v.text(layout.keys[i]), layout.types[i], v.text(subject), kind);
      if (use.constant || use.zero || use.range || use.distinct) {
        found->second.push_back({i, use, &fields_[{kind, subject, layout.keys[i]}]});
      }
    }
    return found->second;
  }

  ProposerContext context_;
  NameTest plumbing_;
  std::map<Place, Statistics> fields_;
  std::unordered_map<std::uint64_t, std::vector<Slot>> slots_;
};

}  // namespace

std::unique_ptr<Proposer> make_field_proposer(const ProposerContext& context) {
  return std::make_unique<FieldProposer>(context);
}

}  // namespace tenet::training
