// equal_fields, at_most: sizes and types of arguments and results that agree; counts that stay below a maximum, in
// calls and among the quantities of the loop.
#include <algorithm>
#include <map>
#include <string>

#include "field.h"
#include "proposer.h"

namespace tenet::training {
namespace {

// A statistic of a tensor, not an argument of this name.
bool is_statistic(std::string_view key) noexcept {
  for (const std::string_view ending : {".min", ".max", ".mean", ".norm", ".nan", ".inf"}) {
    if (key.ends_with(ending) && (key.starts_with("ret.") || key.find('.') != key.size() - ending.size())) return true;
  }
  return false;
}

class ShapeProposer final : public Proposer {
 public:
  explicit ShapeProposer(const ProposerContext& context)
      : context_(context), plumbing_(*context.vocabulary, is_plumbing) {}

  void on_exit(Process& process, Thread&, Frame& frame, const Record& record) override {
    if (record.kind != RecordKind::exit || plumbing_(frame.function)) return;
    Plan& plan = plan_for(frame.function, *frame.layout, *record.layout);
    for (Pair& pair : plan.pairs) {
      Value a;
      Value b;
      if (pair.a.get(process, frame, &record, a) && pair.b.get(process, frame, &record, b)) count(pair, a, b);
    }
  }

  void on_state(Process& process, Thread&, Variable& variable) override {
    Plan& plan = plan_for(variable.type, *variable.layout);
    for (Pair& pair : plan.pairs) {
      Value a;
      Value b;
      if (pair.a.get(process, variable, a) && pair.b.get(process, variable, b)) count(pair, a, b);
    }
  }

  void on_scalar(Process& process, Symbol name, Value value) override {
    if (value.type != ValueType::integer) return;
    const bool limit = is_limit(name);
    for (const auto& [other, bound] : process.scalars) {
      if (bound.type == ValueType::integer && is_limit(other) != limit) {
        count_loop(limit ? other : name, limit ? bound : value, limit ? name : other, limit ? value : bound);
      }
    }
  }

  void on_step(Process& process, std::int64_t) override {
    for (const auto& [limit, bound] : process.scalars) {
      if (bound.type != ValueType::integer || !is_limit(limit)) continue;
      for (const auto& [amount, value] : process.scalars) {
        if (value.type == ValueType::integer && !is_limit(amount)) count_loop(amount, value, limit, bound);
      }
    }
  }

  void propose(std::vector<Proposal>& out) override {
    for (const auto& [place, tally] : tallies_) {
      const auto& [kind, subject, a, b, relation] = place;
      const bool often = tally.holds >= 2 && 10 * tally.holds >= 9 * tally.all;
      // Two constants that happen to be equal say nothing. Types must have been seen to vary together in this run;
      // sizes in one run or another, for which the proposal carries what they were.
      if (!often || (tally.must_vary && !tally.varied && !tally.sizes.any)) continue;
      if (relation == Relation::at_most && !tally.close) continue;
      Invariant claim;
      claim.relation = relation;
      claim.kind = kind;
      claim.subject = context_.vocabulary->text(subject);
      claim.field = a;
      claim.other_field = b;
      out.push_back({std::move(claim), tally.must_vary ? tally.sizes : Seen{}});
    }
  }

 private:
  struct Tally {
    std::uint64_t holds = 0;
    std::uint64_t all = 0;
    bool must_vary = false;
    bool varied = false;
    bool close = false;
    Value first;
    Seen sizes;
  };
  struct Pair {
    FieldPath a;
    FieldPath b;
    Relation relation;
    Tally* tally;
  };
  struct Plan {
    std::vector<Pair> pairs;
  };
  using Place = std::tuple<SubjectKind, Symbol, std::string, std::string, Relation>;

  static void count(const Pair& pair, const Value& a, const Value& b) {
    Tally& tally = *pair.tally;
    if (a.type == ValueType::none || b.type == ValueType::none) return;
    if (pair.relation == Relation::at_most) {
      if (!a.is_number() || !b.is_number()) return;
      tally.holds += a.number() <= b.number() ? 1U : 0U;
      tally.close = tally.close || (a.number() <= b.number() && a.number() >= 0.8 * b.number());
    } else {
      tally.holds += same_value(a, b) ? 1U : 0U;
    }
    if (a.type == ValueType::integer) {
      tally.sizes.low = tally.sizes.any ? std::min(tally.sizes.low, a.number()) : a.number();
      tally.sizes.high = tally.sizes.any ? std::max(tally.sizes.high, a.number()) : a.number();
      tally.sizes.any = true;
    }
    if (tally.all++ == 0) tally.first = a;
    tally.varied = tally.varied || a != tally.first;
  }

  void add(Plan& plan, SubjectKind kind, Symbol subject, const std::string& a, const std::string& b, Relation relation,
           bool must_vary) {
    Vocabulary& v = *context_.vocabulary;
    Tally& tally = tallies_[{kind, subject, a, b, relation}];
    tally.must_vary = must_vary;
    plan.pairs.push_back({FieldPath(a, v), FieldPath(b, v), relation, &tally});
  }

  // A quantity of the loop that says how much of another there may be: "max_new_tokens", "length_limit".
  bool is_limit(Symbol scalar) {
    const auto [found, fresh] = limits_.try_emplace(scalar, false);
    if (fresh) {
      const std::string_view name = context_.vocabulary->text(scalar);
      found->second = name.find("max") != std::string_view::npos || name.find("limit") != std::string_view::npos;
    }
    return found->second;
  }

  void count_loop(Symbol amount, Value value, Symbol limit, Value bound) {
    const auto [found, fresh] = loop_pairs_.try_emplace({amount, limit}, nullptr);
    if (fresh) {
      const Vocabulary& v = *context_.vocabulary;
      found->second = &tallies_[{SubjectKind::variable_type, context_.vocabulary->intern(kLoopSubject),
                                 std::string(v.text(amount)), std::string(v.text(limit)), Relation::at_most}];
    }
    count({{}, {}, Relation::at_most, found->second}, value, bound);
  }

  struct Named {
    std::string key;
    ValueType type;
  };
  std::vector<Named> fields(const Layout& layout, std::string_view ending) const {
    std::vector<Named> out;
    for (std::size_t i = 0; i < layout.keys.size(); ++i) {
      const std::string_view key = context_.vocabulary->text(layout.keys[i]);
      if (key.ends_with(ending) && !is_list_member(key)) out.push_back({std::string(key), layout.types[i]});
    }
    return out;
  }

  Plan& plan_for(Symbol function, const Layout& arguments, const Layout& results) {
    const auto [found, fresh] = plans_.try_emplace({function, arguments.id, results.id});
    if (!fresh) return found->second;
    Plan& plan = found->second;
    constexpr auto kFunction = SubjectKind::function;
    const auto shapes = fields(arguments, ".shape");
    for (const Named& out : fields(results, ".shape")) {
      for (const Named& in : shapes) {
        add(plan, kFunction, function, in.key + "[0]", out.key + "[0]", Relation::equal_fields, true);
      }
    }
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      for (std::size_t j = i + 1; j < shapes.size(); ++j) {
        add(plan, kFunction, function, shapes[i].key + "[0]", shapes[j].key + "[0]", Relation::equal_fields, true);
      }
    }
    for (const Named& out : fields(results, ".dtype")) {
      for (const Named& in : fields(arguments, ".dtype")) {
        if (in.key.starts_with("arg.0.")) add(plan, kFunction, function, in.key, out.key, Relation::equal_fields, true);
      }
      add(plan, kFunction, function, out.key, "context.autocast.dtype", Relation::equal_fields, false);
    }
    limits(plan, function, arguments, results);
    return plan;
  }

  // Arguments that say how much there may be at most or must be at least.
  void limits(Plan& plan, Symbol function, const Layout& arguments, const Layout& results) {
    for (std::size_t i = 0; i < arguments.keys.size(); ++i) {
      const std::string limit(context_.vocabulary->text(arguments.keys[i]));
      const bool is_number = arguments.types[i] == ValueType::integer || arguments.types[i] == ValueType::real;
      if (!is_number || is_statistic(limit) ||
          (limit.find("max") == std::string::npos && limit.find("min") == std::string::npos))
        continue;
      const bool upper = limit.find("max") != std::string::npos;
      std::vector<std::string> amounts;
      for (const Named& out : fields(results, ".shape")) {
        amounts.push_back(out.key + "[0]");
        amounts.push_back(out.key + "[1]");
      }
      for (const Named& out : fields(results, "")) {
        const bool number = out.type == ValueType::integer || out.type == ValueType::real;
        if (number && !is_statistic(out.key)) amounts.push_back(out.key);
      }
      for (const std::string& amount : amounts) {
        add(plan, SubjectKind::function, function, upper ? amount : limit, upper ? limit : amount, Relation::at_most,
            false);
      }
    }
  }

  // Hashes in one record that say the same, as what was saved and what is alive.
  Plan& plan_for(Symbol type, const Layout& layout) {
    const auto [found, fresh] = state_plans_.try_emplace({type, layout.id});
    if (!fresh) return found->second;
    std::vector<std::string> hashes;
    for (std::size_t i = 0; i < layout.keys.size(); ++i) {
      if (layout.types[i] == ValueType::hash) hashes.emplace_back(context_.vocabulary->text(layout.keys[i]));
    }
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      for (std::size_t j = i + 1; j < hashes.size(); ++j) {
        add(found->second, SubjectKind::variable_type, type, hashes[i], hashes[j], Relation::equal_fields, false);
      }
    }
    return found->second;
  }

  ProposerContext context_;
  NameTest plumbing_;
  std::map<Place, Tally> tallies_;
  std::map<std::pair<Symbol, Symbol>, Tally*> loop_pairs_;
  std::map<Symbol, bool> limits_;
  std::map<std::tuple<Symbol, std::uint32_t, std::uint32_t>, Plan> plans_;
  std::map<std::pair<Symbol, std::uint32_t>, Plan> state_plans_;
};

}  // namespace

std::unique_ptr<Proposer> make_shape_proposer(const ProposerContext& context) {
  return std::make_unique<ShapeProposer>(context);
}

}  // namespace tenet::training
