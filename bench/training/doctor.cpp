// Healthy traces made wrong: what a rule has to notice if it says anything at all.
//
//   tenet_doctor RUN -o PREFIX KIND SEED
//
// Each kind of damage strikes at random places, the same for the same seed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tenet/training/trace_source.h"
#include "tenet/training/trace_tools.h"

namespace tenet::training {
namespace {

struct Copy {
  Record record;
  std::vector<std::uint64_t> values;
  std::size_t partner = 0;  // of the entry of a call its end, and the other way round; itself if there is none
};

class Doctored final : public RecordSource {
 public:
  Doctored(RecordSource& run, Vocabulary& vocabulary, std::uint64_t seed) : vocabulary_(vocabulary), random_(seed) {
    std::map<std::pair<std::uint16_t, std::uint64_t>, std::size_t> open;
    while (const Record* record = run.next()) {
      const std::size_t at = records_.size();
      records_.push_back({*record, {record->values.begin(), record->values.end()}, at});
      const std::pair call{record->process, record->call};
      if (record->kind == RecordKind::enter) open[call] = at;
      if (record->kind != RecordKind::exit) continue;
      if (const auto found = open.find(call); found != open.end()) {
        records_[at].partner = found->second;
        records_[found->second].partner = at;
      }
    }
    report_ = run.report();
  }

  const Record* next() override {
    while (at_ < records_.size() && dropped(at_)) ++at_;
    if (at_ == records_.size()) return nullptr;
    Copy& copy = records_[at_++];
    copy.record.values = copy.values;
    return &copy.record;
  }
  const ReadReport& report() const override { return report_; }

  // All calls of a fifth of the functions are gone.
  void lose_functions() {
    std::map<Symbol, bool> lost;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (!is_entry(i)) continue;
      const auto [found, fresh] = lost.try_emplace(records_[i].record.name, false);
      if (fresh) found->second = chance(0.2);
      if (found->second) drop(i);
    }
  }

  // One call in ten is gone.
  void lose_calls() {
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (is_entry(i) && chance(0.1)) drop(i);
    }
  }

  // A call and the next one of the same caller change places, with their arguments and results.
  void swap_calls() {
    std::map<std::pair<std::uint16_t, std::uint16_t>, std::vector<std::size_t>> stacks;  // the last call of each depth
    for (std::size_t i = 0; i < records_.size(); ++i) {
      auto& stack = stacks[{records_[i].record.process, records_[i].record.thread}];
      if (is_entry(i)) stack.push_back(kNone);
      if (records_[i].record.kind != RecordKind::exit || records_[i].partner == i || stack.empty()) continue;
      stack.pop_back();
      if (stack.empty()) stack.push_back(kNone);
      std::size_t& last = stack.back();
      const std::size_t entry = records_[i].partner;
      if (last != kNone && chance(0.2)) {
        exchange(records_[records_[last].partner], records_[entry]);
        exchange(records_[last], records_[i]);
      }
      last = i;
    }
  }

  // One value in twenty is another one of its type.
  void change_values() {
    for (Copy& copy : records_) {
      if (copy.record.name == vocabulary_.find("step") && copy.record.kind == RecordKind::context) continue;
      for (std::size_t i = 0; i < copy.values.size(); ++i) {
        if (chance(0.05)) copy.values[i] = another(copy.record.layout->types[i], copy.values[i]);
      }
    }
  }

  // Fields of one key in five have the value of the record before, of the same name.
  void repeat_values() {
    std::map<std::tuple<std::uint16_t, RecordKind, Symbol, Symbol>, std::uint64_t> before;
    std::map<Symbol, bool> struck;
    for (Copy& copy : records_) {
      for (std::size_t i = 0; i < copy.values.size(); ++i) {
        const Symbol key = copy.record.layout->keys[i];
        const auto [found, fresh] = struck.try_emplace(key, false);
        if (fresh) found->second = chance(0.2);
        const auto [last, first] =
            before.try_emplace({copy.record.process, copy.record.kind, copy.record.name, key}, copy.values[i]);
        if (found->second && !first && copy.record.kind != RecordKind::context) copy.values[i] = last->second;
        last->second = copy.values[i];
      }
    }
  }

  // One hash in five is none, or what is none a hash; a norm is zero.
  void clear_values() {
    for (Copy& copy : records_) {
      std::vector<ValueType> types = copy.record.layout->types;
      for (std::size_t i = 0; i < types.size(); ++i) {
        const bool strikes = chance(0.2);
        if (strikes && types[i] == ValueType::real) copy.values[i] = 0;
        if (copy.record.kind != RecordKind::state || !strikes) continue;
        if (types[i] == ValueType::hash) {
          types[i] = ValueType::none;
          copy.values[i] = 0;
        } else if (types[i] == ValueType::none) {
          types[i] = ValueType::hash;
          copy.values[i] = random_();
        }
      }
      copy.record.layout = vocabulary_.layout(copy.record.layout->keys, types);
    }
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  bool chance(double probability) { return std::uniform_real_distribution<>(0, 1)(random_) < probability; }
  bool is_entry(std::size_t i) const {
    return records_[i].record.kind == RecordKind::enter && records_[i].partner != i;
  }
  void drop(std::size_t entry) {
    dropped_.resize(records_.size(), false);
    dropped_[entry] = dropped_[records_[entry].partner] = true;
  }
  bool dropped(std::size_t i) const { return i < dropped_.size() && dropped_[i]; }

  static void exchange(Copy& a, Copy& b) {
    std::swap(a.record.name, b.record.name);
    std::swap(a.record.layout, b.record.layout);
    std::swap(a.values, b.values);
  }

  std::uint64_t another(ValueType type, std::uint64_t bits) {
    switch (type) {
      case ValueType::boolean:
        return 1 - bits;
      case ValueType::integer:
        return bits + 1 + random_() % 3;
      case ValueType::real:
        return std::bit_cast<std::uint64_t>(std::bit_cast<double>(bits) * (chance(0.5) ? 1000 : 0.001));
      case ValueType::text:
        return vocabulary_.intern("doctored");
      case ValueType::dims:
        return vocabulary_.intern(fmt::format("{},{}", 1 + random_() % 100, 1 + random_() % 100));
      case ValueType::hash:
        return random_();
      default:
        return bits;
    }
  }

  Vocabulary& vocabulary_;
  std::mt19937_64 random_;
  std::vector<Copy> records_;
  std::vector<bool> dropped_;
  std::size_t at_ = 0;
  ReadReport report_;
};

constexpr std::array<std::pair<std::string_view, void (Doctored::*)()>, 6> kKinds{
    {{"lose-functions", &Doctored::lose_functions},
     {"lose-calls", &Doctored::lose_calls},
     {"swap-calls", &Doctored::swap_calls},
     {"change-values", &Doctored::change_values},
     {"repeat-values", &Doctored::repeat_values},
     {"clear-values", &Doctored::clear_values}}};

int run(const std::vector<std::string>& words) {
  const auto* kind = words.size() != 5 || words[1] != "-o"
                         ? kKinds.end()
                         : std::ranges::find(kKinds, words[3], [](const auto& entry) { return entry.first; });
  if (kind == kKinds.end()) {
    std::fputs("tenet_doctor RUN -o PREFIX KIND SEED, of the kinds", stderr);
    for (const auto& [name, unused] : kKinds) fmt::print(stderr, " {}", name);
    std::fputs("\n", stderr);
    return 3;
  }
  Vocabulary vocabulary;
  auto source = open_run(words[0], vocabulary);
  if (!source) {
    fmt::print(stderr, "tenet_doctor: {}\n", source.error().message);
    return 3;
  }
  Doctored doctored(**source, vocabulary, std::stoull(words[4]));
  (doctored.*kind->second)();
  auto done = convert(doctored, vocabulary, words[2]);
  if (!done) fmt::print(stderr, "tenet_doctor: {}\n", done.error().message);
  return done ? 0 : 4;
}

}  // namespace
}  // namespace tenet::training

int main(int count, char** words) {
  try {
    return tenet::training::run({words + 1, words + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tenet_doctor: %s\n", error.what());
    return 3;
  }
}
