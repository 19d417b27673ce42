// stable, ratio, increment, mirrors, pair_equal: variables against their past and against one another.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "proposer.h"

namespace tenet::training {
namespace {

constexpr std::size_t kMostIncrements = 3;
constexpr std::size_t kDistinctValues = 3;  // equal contents seen so often, with so many different contents
constexpr std::size_t kMostContents = 65536;

// What follows from the contents says nothing that their hash does not say.
bool is_statistic(std::string_view field) noexcept {
  for (const std::string_view ending : {".norm", ".min", ".max", ".mean"}) {
    if (field.ends_with(ending)) return true;
  }
  return false;
}

class VariableProposer final : public Proposer {
 public:
  explicit VariableProposer(const ProposerContext& context) : context_(context) {}

  void on_state(Process& process, Thread&, Variable& variable) override {
    const Layout& layout = *variable.layout;
    types_by_name_[variable.name].insert(variable.type);
    for (std::size_t i = 0; i < layout.keys.size(); ++i) {
      const Value value{layout.types[i], variable.values[i]};
      if (value.type == ValueType::hash) content(process, variable, layout.keys[i], value);
      if (value.type != ValueType::hash && !value.is_number()) continue;
      Value before;
      if (!variable.get_before(layout.keys[i], before) || before.type != value.type) continue;
      past(fields_[{variable.type, layout.keys[i]}], value, before);
    }
  }

  void on_step(Process& process, std::int64_t) override { contents_[process.number].clear(); }

  void propose(std::vector<Proposal>& out) override {
    const Vocabulary& v = *context_.vocabulary;
    for (const auto& [place, history] : fields_) {
      Invariant claim;
      claim.kind = SubjectKind::variable_type;
      claim.subject = v.text(place.first);
      claim.field = v.text(place.second);
      claim.relation = Relation::stable;
      // Some programs schedule these, and some do not.
      const bool scheduled = claim.subject == "optimizer.group" &&
                             (claim.field == "lr" || claim.field == "momentum" || claim.field.starts_with("betas."));
      // Who works on gradients is the program's choice, and some do so only now and then: clipping, when they are
      // large.
      const bool worked_on = claim.subject == "torch.nn.Parameter" && claim.field == "grad";
      if (history.same > 0 && history.is_content && !is_statistic(claim.field) && !scheduled && !worked_on)
        out.push_back({claim, {}});
      if (history.ratio.any && claim.field == "data.norm") {
        claim.relation = Relation::ratio;
        out.push_back({claim, history.ratio});
      }
      if (!history.increments.empty() && history.increments.size() <= kMostIncrements && history.is_integer) {
        claim.relation = Relation::increment;
        out.push_back({claim, {*history.increments.begin(), *history.increments.rbegin(), true}});
      }
    }
    for (const auto& [place, values] : pairs_) {
      if (values.size() < kDistinctValues) continue;
      Invariant claim;
      claim.relation = Relation::pair_equal;
      claim.kind = SubjectKind::variable_type;
      claim.subject = v.text(std::get<0>(place));
      claim.object = v.text(std::get<1>(place));
      claim.field = v.text(std::get<2>(place));
      out.push_back({std::move(claim), {}});
    }
    for (const auto& [place, count] : mirrors_) {
      Invariant claim;
      claim.relation = Relation::mirrors;
      claim.kind = SubjectKind::variable_type;
      claim.subject = v.text(std::get<0>(place));
      claim.field = v.text(std::get<1>(place));
      claim.object = v.text(std::get<2>(place));
      claim.other_field = v.text(std::get<3>(place));
      out.push_back({std::move(claim), {}});
    }
  }

 private:
  struct History {
    std::uint64_t same = 0;
    Seen ratio;
    std::set<double> increments;
    bool is_integer = true;
    bool is_content = false;  // a hash or a real number
  };

  static void past(History& history, const Value& value, const Value& before) {
    history.same += value == before ? 1U : 0U;
    history.is_content = value.type != ValueType::integer;
    if (!value.is_number()) return;
    history.is_integer = history.is_integer && value.type == ValueType::integer;
    const double now = value.number();
    const double then = before.number();
    if (now != then && history.increments.size() <= kMostIncrements) history.increments.insert(now - then);
    if (then == 0 || !std::isfinite(now / then)) return;
    Seen& ratio = history.ratio;
    ratio.low = ratio.any ? std::min(ratio.low, now / then) : now / then;
    ratio.high = ratio.any ? std::max(ratio.high, now / then) : now / then;
    ratio.any = true;
  }

  // Who else has these contents: another variable of this type now, or the same name under another type.
  void content(Process& process, const Variable& variable, Symbol key, const Value& value) {
    auto& contents = contents_[process.number];
    if (contents.size() > kMostContents) contents.clear();
    const auto [found, fresh] = contents.try_emplace({variable.type, key, value.bits}, variable.name);
    if (!fresh && found->second != variable.name) {
      const Vocabulary& v = *context_.vocabulary;
      const bool in_order = v.text(found->second) < v.text(variable.name);
      const Symbol first = in_order ? found->second : variable.name;
      const Symbol second = in_order ? variable.name : found->second;
      auto& values = pairs_[{first, second, key}];
      if (values.size() < kDistinctValues) values.insert(value.bits);
    }
    const auto types = types_by_name_.find(variable.name);
    if (types->second.size() < 2) return;
    for (const Symbol type : types->second) {
      const Variable* other = type == variable.type ? nullptr : process.find(type, variable.name);
      if (other == nullptr) continue;
      for (std::size_t i = 0; i < other->values.size(); ++i) {
        if (other->layout->types[i] == ValueType::hash && other->values[i] == value.bits) {
          ++mirrors_[{variable.type, key, type, other->layout->keys[i]}];
        }
      }
    }
  }

  ProposerContext context_;
  std::map<std::pair<Symbol, Symbol>, History> fields_;
  std::map<std::uint16_t, std::map<std::tuple<Symbol, Symbol, std::uint64_t>, Symbol>> contents_;  // by process
  std::map<std::tuple<Symbol, Symbol, Symbol>, std::set<std::uint64_t>> pairs_;
  std::unordered_map<Symbol, std::set<Symbol>> types_by_name_;
  std::map<std::tuple<Symbol, Symbol, Symbol, Symbol>, std::uint64_t> mirrors_;
};

}  // namespace

std::unique_ptr<Proposer> make_variable_proposer(const ProposerContext& context) {
  return std::make_unique<VariableProposer>(context);
}

}  // namespace tenet::training
