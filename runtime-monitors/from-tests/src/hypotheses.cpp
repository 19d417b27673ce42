#include "hypotheses.h"

#include <algorithm>
#include <cctype>

namespace tenet::from_tests {
namespace {

using derived::Checker;
using derived::Expected;
using derived::Given;
using derived::kOutcome;
using derived::Near;
using derived::OpInfo;
using derived::OpKind;
using derived::View;
using derived::Weight;

constexpr std::size_t kMostValues = 4;   // constants that are tried in one case
constexpr std::size_t kMostWeighed = 4;  // operations that a tally counts

bool has(const std::vector<std::uint8_t>& roles, std::uint8_t role) {
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

class Maker {
 public:
  explicit Maker(const Model& model) : model_(model) {}

  std::vector<Checker> run(const Cases& cases) {
    for (const Cases::Seen& seen : cases.all()) {
      const OpKind kind = model_.schema.ops[seen.key.op].kind;
      if (kind == OpKind::position) {
        if (seen.key.given.view == View::order) order(seen);
        continue;
      }
      switch (seen.key.given.view) {
        case View::order:
          break;
        case View::tally:
          tally(seen);
          break;
        case View::queue:
        case View::stack:
          if (!taken_from(seen.key.op)) break;
          constants(seen, {});
          changes(seen);
          break;
        default:
          constants(seen, {});
          changes(seen);
      }
    }
    return std::move(all_);
  }

 private:
  /// Whether an operation takes something away from subjects of the same kind, and says what: only then are they
  /// queues.
  [[nodiscard]] bool taken_from(std::uint16_t reader) const {
    return std::any_of(model_.schema.ops.begin(), model_.schema.ops.end(), [&](const OpInfo& op) {
      return op.kind == OpKind::update && op.space == model_.schema.ops[reader].space && has(op.out, derived::kValue) &&
             !has(op.in, derived::kValue);
    });
  }
  Checker base(const Cases::Seen& seen) const {
    Checker checker;
    checker.op = seen.key.op;
    checker.given = seen.key.given;
    return checker;
  }

  void constants(const Cases::Seen& seen, const std::vector<Weight>& weights) {
    if (seen.key.field == kOutcome) {
      for (const std::uint8_t outcome : seen.outcomes) {
        Checker checker = base(seen);
        checker.weights = weights;
        Expected expected;
        expected.constant = derived::number_value(outcome);
        checker.then.push_back(expected);
        all_.push_back(std::move(checker));
      }
      return;
    }
    for (const derived::Value& value : seen.values) {
      Checker checker = base(seen);
      checker.weights = weights;
      Expected expected;
      expected.field = seen.key.field;
      expected.constant = value;
      checker.then.push_back(expected);
      all_.push_back(std::move(checker));
    }
  }

  /// The result is an argument of the change that the view points at: of the same role, or of another.
  void changes(const Cases::Seen& seen) {
    if (seen.key.field == kOutcome) return;
    const Given& given = seen.key.given;
    std::set<std::uint8_t> roles;
    if (given.view == View::queue || given.view == View::stack) {
      if (!given.pending) return;
      roles.insert(derived::kValue);
    } else {
      if (given.change < 0) return;
      for (const std::uint8_t role : model_.schema.ops[static_cast<std::size_t>(given.change)].in) {
        if (role != derived::kKey) roles.insert(role);
      }
    }
    for (const std::uint8_t role : roles) {
      Checker checker = base(seen);
      Expected expected;
      expected.field = seen.key.field;
      expected.kind = Expected::Kind::of_change;
      expected.role = role;
      checker.then.push_back(expected);
      all_.push_back(std::move(checker));
    }
  }

  /// All small sums over the operations that change subjects of the same kind.
  void tally(const Cases::Seen& seen) {
    if (seen.key.field == kOutcome) return;
    if (std::none_of(seen.values.begin(), seen.values.end(), [](const auto& v) { return v.number; })) return;
    const OpInfo& reader = model_.schema.ops[seen.key.op];
    const bool keyed = has(reader.in, derived::kKey);
    std::vector<std::size_t> changing;
    for (std::size_t op = 0; op < model_.schema.ops.size(); ++op) {
      const OpInfo& info = model_.schema.ops[op];
      if (derived::changes(info.kind) && info.space == reader.space && has(info.in, derived::kKey) == keyed)
        changing.push_back(op);
    }
    if (changing.empty() || changing.size() > kMostWeighed) return;
    std::vector<Weight> weights(model_.schema.ops.size(), Weight::none);
    const auto each = [&](const auto& self, std::size_t at) -> void {
      if (at == changing.size()) {
        if (std::all_of(weights.begin(), weights.end(), [](Weight w) { return w == Weight::none; })) return;
        Checker checker = base(seen);
        checker.weights = weights;
        Expected expected;
        expected.field = seen.key.field;
        expected.kind = Expected::Kind::tally;
        checker.then.push_back(expected);
        all_.push_back(std::move(checker));
        return;
      }
      for (const Weight weight :
           {Weight::none, Weight::plus_one, Weight::minus_one, Weight::plus_value, Weight::minus_value}) {
        const bool of_value = weight == Weight::plus_value || weight == Weight::minus_value;
        if (of_value && !has(model_.schema.ops[changing[at]].in, derived::kValue)) continue;
        weights[changing[at]] = weight;
        self(self, at + 1);
      }
      weights[changing[at]] = Weight::none;
    };
    each(each, 0);
  }

  /// Where a cursor goes, for every notion of which keys are there.
  void order(const Cases::Seen& seen) {
    const OpInfo& info = model_.schema.ops[seen.key.op];
    std::vector<std::uint16_t> changing;
    for (std::size_t op = 0; op < model_.schema.ops.size(); ++op) {
      const OpInfo& other = model_.schema.ops[op];
      if (derived::changes(other.kind) && other.space == 0 && has(other.in, derived::kKey))
        changing.push_back(static_cast<std::uint16_t>(op));
    }
    if (changing.empty() || changing.size() > 6) return;
    for (int near = 0; near < derived::kNears; ++near) {
      const bool needs_key =
          near >= static_cast<int>(Near::at_or_after_key) && near <= static_cast<int>(Near::before_key);
      if (needs_key != has(info.in, derived::kKey)) continue;
      for (std::uint32_t set = 1; set < (1u << changing.size()); ++set) {
        Checker checker = base(seen);
        checker.given.as_of = false;
        checker.near = static_cast<Near>(near);
        for (std::size_t i = 0; i < changing.size(); ++i) {
          if ((set >> i & 1) != 0) checker.live.push_back(changing[i]);
        }
        Expected expected;
        expected.kind = Expected::Kind::near;
        expected.field = seen.key.field;
        expected.role = seen.key.field;
        checker.then.push_back(expected);
        if (!known(checker)) all_.push_back(std::move(checker));
      }
    }
  }
  [[nodiscard]] bool known(const Checker& checker) const {
    return std::any_of(all_.begin(), all_.end(), [&](const Checker& other) {
      return other.op == checker.op && other.given == checker.given && other.near == checker.near &&
             other.live == checker.live && other.then == checker.then;
    });
  }

  const Model& model_;
  std::vector<Checker> all_;
};

std::string lower(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (std::isupper(c) != 0 && i > 0 && std::islower(static_cast<unsigned char>(text[i - 1])) != 0) out += '_';
    out += std::isalnum(c) != 0 ? static_cast<char>(std::tolower(c)) : '_';
  }
  return out;
}

}  // namespace

void Cases::add(const derived::Operation& operation, const derived::Given& given, std::uint8_t field) {
  Seen* seen = nullptr;
  for (Seen& each : all_) {
    if (each.key.op == operation.op && each.key.given == given && each.key.field == field) seen = &each;
  }
  if (seen == nullptr) {
    all_.push_back({{operation.op, given, field}, {}, {}});
    seen = &all_.back();
  }
  if (field == kOutcome) {
    if (std::find(seen->outcomes.begin(), seen->outcomes.end(), operation.outcome) == seen->outcomes.end())
      seen->outcomes.push_back(operation.outcome);
    return;
  }
  const derived::Value* value = operation.out(field);
  if (value == nullptr || seen->values.size() >= kMostValues) return;
  if (std::find(seen->values.begin(), seen->values.end(), *value) == seen->values.end()) seen->values.push_back(*value);
}

std::vector<Checker> hypotheses(const Model& model, const Cases& cases) { return Maker(model).run(cases); }

std::string name_of(const Checker& checker, const Model& model) {
  const auto& ops = model.schema.ops;
  std::string name = lower(ops[checker.op].name);
  const Given& given = checker.given;
  switch (given.view) {
    case View::last:
    case View::last_match:
    case View::first:
      name += given.change == Given::kNothing ? "_of_nothing"
              : given.view == View::first ? "_keeps_first_" + lower(ops[static_cast<std::size_t>(given.change)].name)
                                          : "_after_" + lower(ops[static_cast<std::size_t>(given.change)].name);
      break;
    case View::queue:
    case View::stack:
      name += given.pending ? (given.view == View::queue ? "_oldest" : "_newest") : "_of_empty";
      break;
    case View::tally:
      name += "_is_tally";
      break;
    case View::order:
      name += "_in_order";
  }
  if (given.view == View::last_match && given.change != Given::kNothing) name += given.same ? "_of_same" : "_of_other";
  if (given.as_of) name += "_as_of_handle";
  if (given.reopened) name += "_reopened";
  return name;
}

}  // namespace tenet::from_tests
