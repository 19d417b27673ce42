#include "tenet/from_tests/observe.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace tenet::from_tests {
namespace {

using derived::kOutcome;
using derived::OpKind;
using derived::Value;

std::string base_name(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}
bool same_line(const Place& a, const Place& b) { return a.line == b.line && base_name(a.file) == base_name(b.file); }

std::optional<std::string> text_of(const Value& value) {
  if (value.number) return std::to_string(static_cast<std::int64_t>(value.word));
  if (value.has_bytes) return value.bytes;
  return std::nullopt;
}
/// Whether a result is what an assertion compared, bytes with bytes or a number with its digits.
bool equal(const Value& result, const Value& compared) {
  if (!result.number) return result.word == compared.word && !compared.number;
  const auto text = text_of(compared);
  return text && *text == std::to_string(static_cast<std::int64_t>(result.word));
}

class Observer {
 public:
  Observer(const Model& model, const Suite& suite, const Recording& recording)
      : model_(model), suite_(suite), recording_(recording) {}

  Observed run() {
    for (std::size_t t = 0; t < suite_.tests.size(); ++t) {
      for (std::size_t a = 0; a < suite_.tests[t].assertions.size(); ++a) {
        Observed::One one;
        one.test = t;
        one.assertion = a;
        one.on_query = on_query(suite_.tests[t].assertions[a]);
        result_.assertions.push_back(one);
      }
    }
    for (std::size_t t = 0; t < recording_.tests.size(); ++t) read_test(t);
    for (Observed::One& one : result_.assertions) {
      if (one.fate == Fate::not_executed)
        one.reason = why_static(suite_.tests[one.test].assertions[one.assertion], one);
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool reads(const std::string& op) const {
    const int number = model_.op(op);
    if (number < 0) return false;
    const OpKind kind = model_.schema.ops[static_cast<std::size_t>(number)].kind;
    return derived::reads(kind) || kind == OpKind::observe;
  }
  [[nodiscard]] bool on_query(const Assertion& assertion) const {
    for (const Slice& slice : assertion.operands) {
      for (const Site& site : slice.sites) {
        if (!site.ignored && reads(site.op)) return true;
      }
    }
    return false;
  }
  [[nodiscard]] std::string why_static(const Assertion& assertion, Observed::One& one) const {
    std::set<std::string> white_box, hidden;
    bool any = false;
    for (const Slice& slice : assertion.operands) {
      for (const Site& site : slice.sites) {
        if (site.ignored) white_box.insert(site.op);
        any = any || !site.ignored;
      }
      hidden.insert(slice.opaque.begin(), slice.opaque.end());
    }
    if (any) return "it was not executed when the suite was recorded";
    one.fate = Fate::no_operation;
    if (!white_box.empty()) return "it looks inside: " + *white_box.begin();
    if (!hidden.empty()) return "it depends on no operation of the model, but on " + *hidden.begin();
    return "it depends on no operation of the model";
  }

  [[nodiscard]] const Place& place(std::uint32_t frame) const {
    static const Place kNone;
    return frame < recording_.places.size() ? recording_.places[frame] : kNone;
  }
  /// Whether the frames hold a chain of calls, innermost first.
  [[nodiscard]] bool called_by(const Recorded& item, const std::vector<Place>& chain) const {
    std::size_t left = chain.size();
    for (const std::uint32_t frame : item.frames) {
      if (left > 0 && same_line(place(frame), chain[left - 1])) --left;
    }
    return left == 0;
  }
  [[nodiscard]] bool inside(const Recorded& item, const Place& outer) const {
    return std::any_of(item.frames.begin(), item.frames.end(),
                       [&](std::uint32_t f) { return same_line(place(f), outer); });
  }

  void read_test(std::size_t number) {
    const RecordedTest& test = recording_.tests[number];
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < result_.assertions.size(); ++i) {
      const Test& written = suite_.tests[result_.assertions[i].test];
      if (same_test(written, test)) candidates.push_back(i);
    }
    for (std::size_t i = 0; i < test.items.size(); ++i) {
      const Recorded& item = test.items[i];
      if (!item.is_assertion) continue;
      for (const std::size_t c : candidates) {
        Observed::One& one = result_.assertions[c];
        const Assertion& assertion = suite_.tests[one.test].assertions[one.assertion];
        if (!same_line(assertion.place, item.place)) continue;
        if (!assertion.callers.empty() && !called_by(item, assertion.callers)) continue;
        if (!item.passed || !test.passed) {
          if (one.fate == Fate::not_executed) set(one, Fate::not_generalised, "the test failed");
          continue;
        }
        judge(number, i, c);
      }
    }
  }

  static bool same_test(const Test& written, const RecordedTest& ran) {
    // Instances of TEST_P and typed tests: Prefix/Suite.Name/0.
    std::string suite = ran.suite, name = ran.name;
    if (const auto slash = name.find('/'); slash != std::string::npos) name.resize(slash);
    if (written.kind == "TEST_P") {
      if (const auto slash = suite.find('/'); slash != std::string::npos) suite = suite.substr(slash + 1);
    } else if (const auto slash = suite.find('/'); slash != std::string::npos) {
      suite.resize(slash);
    }
    return suite + "_" + name == written.suite + "_" + written.name;
  }

  static void set(Observed::One& one, Fate fate, const std::string& reason) {
    if (one.fate == Fate::observed) return;
    one.fate = fate;
    one.reason = reason;
  }

  /// The operations that an operand's value came from, in the order in which they happened.
  std::vector<std::size_t> sources(const RecordedTest& test, std::size_t at, const Slice& slice) const {
    std::set<std::size_t> all;
    const std::uint32_t thread = 0;
    (void)thread;
    for (const Site& site : slice.sites) {
      if (site.ignored) continue;
      const int op = model_.op(site.op);
      bool found = false;
      for (std::size_t i = at; i-- > 0;) {
        const Recorded& item = test.items[i];
        const bool is_inside = inside(item, site.chain.front());
        if (found && !is_inside) break;
        if (item.is_assertion || !is_inside || item.operation.op != op || !called_by(item, site.chain)) continue;
        all.insert(i);
        found = true;
        if (!site.repeated) break;
      }
    }
    // What a cursor shows is the result of its last move.
    std::set<std::size_t> moved;
    for (const std::size_t i : all) {
      if (model_.schema.ops[test.items[i].operation.op].kind != OpKind::observe) {
        moved.insert(i);
        continue;
      }
      const Value* cursor = test.items[i].operation.in(derived::kCursor);
      for (std::size_t j = i; cursor != nullptr && j-- > 0;) {
        const Recorded& item = test.items[j];
        if (item.is_assertion || model_.schema.ops[item.operation.op].kind != OpKind::position) continue;
        const Value* other = item.operation.in(derived::kCursor);
        if (other == nullptr || *other != *cursor) continue;
        moved.insert(j);
        break;
      }
    }
    return {moved.begin(), moved.end()};
  }

  using Pins = std::vector<std::pair<std::size_t, std::uint8_t>>;  // item and field

  /// The results that decide something: outcomes, and what is true or false.
  void pin_decisions(const RecordedTest& test, std::size_t item, Pins& pins) const {
    const derived::Operation& operation = test.items[item].operation;
    if (model_.schema.ops[operation.op].has_outcome) pins.emplace_back(item, kOutcome);
    for (const derived::FieldValue& field : operation.fields) {
      // True or false.
      if (field.out && field.value.number && field.value.word <= 1) pins.emplace_back(item, field.role);
    }
  }

  void pin_field(const RecordedTest& test, std::size_t item, std::uint8_t role, Pins& pins) const {
    pins.emplace_back(item, role);
    const derived::Operation& operation = test.items[item].operation;
    if (model_.schema.ops[operation.op].has_outcome) pins.emplace_back(item, kOutcome);
    if (role != derived::kValid && operation.out(derived::kValid) != nullptr) pins.emplace_back(item, derived::kValid);
  }

  /// A value that is exactly one result.
  bool pin_equal(const RecordedTest& test, const std::vector<std::size_t>& from, const Value& value, Pins& pins) const {
    for (auto i = from.rbegin(); i != from.rend(); ++i) {
      for (const derived::FieldValue& field : test.items[*i].operation.fields) {
        if (!field.out || !equal(field.value, value)) continue;
        if (field.role == derived::kHandle || field.role == derived::kCursor) continue;
        pin_field(test, *i, field.role, pins);
        return true;
      }
    }
    return false;
  }

  /// A value that is put together of results, in the order in which they came, and constants of the slice.
  bool pin_concatenation(const RecordedTest& test, const std::vector<std::size_t>& from, const std::string& whole,
                         const std::vector<std::string>& literals, Pins& pins) const {
    struct Piece {
      std::size_t item;
      std::uint8_t role;
      std::string text;
    };
    std::vector<Piece> pieces;
    for (const std::size_t i : from) {
      for (const derived::FieldValue& field : test.items[i].operation.fields) {
        const auto text = field.out && !field.value.number ? text_of(field.value) : std::nullopt;
        if (text) pieces.push_back({i, field.role, *text});
      }
    }
    // reach[p][i]: the first p characters are told by the first i pieces.
    constexpr std::size_t kMost = 4096;
    if (pieces.empty() || whole.size() > kMost || pieces.size() > 512) return false;
    std::set<std::pair<std::size_t, std::size_t>> dead;
    std::vector<std::size_t> used;
    const auto parse = [&](const auto& self, std::size_t at, std::size_t next) -> bool {
      if (at == whole.size() && !used.empty()) return true;
      if (at >= whole.size() || dead.count({at, next}) != 0) return false;
      for (std::size_t i = next; i < pieces.size(); ++i) {
        const std::string& text = pieces[i].text;
        if (text.empty() || whole.compare(at, text.size(), text) != 0) continue;
        used.push_back(i);
        if (self(self, at + text.size(), i + 1)) return true;
        used.pop_back();
      }
      for (const std::string& literal : literals) {
        if (literal.empty() || whole.compare(at, literal.size(), literal) != 0) continue;
        if (self(self, at + literal.size(), next)) return true;
      }
      dead.insert({at, next});
      return false;
    };
    if (!parse(parse, 0, 0)) return false;
    for (const std::size_t i : used) pin_field(test, pieces[i].item, pieces[i].role, pins);
    // Where a walk ended is told, too: nothing more came after it.
    for (const std::size_t i : from) {
      const Value* valid = test.items[i].operation.out(derived::kValid);
      if (valid != nullptr && valid->word == 0 && i > pieces[used.back()].item) pins.emplace_back(i, derived::kValid);
    }
    return true;
  }

  /// Pins of one operand whose value is known; empty with a reason if its shape is not understood.
  Pins pin_value(const RecordedTest& test, const std::vector<std::size_t>& from, const Slice& slice, const Value& value,
                 std::string& reason) const {
    Pins pins;
    if (slice.predicate == "=") {
      pins.emplace_back(from.back(), kOutcome);
      return pins;
    }
    if (pin_equal(test, from, value, pins)) return pins;
    const auto text = text_of(value);
    if (!text) {
      reason = "its value is too long to be taken apart";
      return pins;
    }
    if (std::find(slice.literals.begin(), slice.literals.end(), *text) != slice.literals.end()) {
      // A constant that a helper chooses by what the operation said.
      for (const std::size_t i : from) pin_decisions(test, i, pins);
      if (from.size() == 1 && !pins.empty()) return pins;
      pins.clear();
    }
    if (pin_concatenation(test, from, *text, slice.literals, pins)) return pins;
    reason = text->empty() && from.size() > 1 ? "an empty text of several operations"
                                              : "its value is no result, and not put together of results";
    // A walk that saw nothing.
    if (text->empty()) {
      for (const std::size_t i : from) {
        const Value* valid = test.items[i].operation.out(derived::kValid);
        if (valid == nullptr) continue;
        if (valid->word != 0) return {};
        pins.emplace_back(i, derived::kValid);
      }
      if (!pins.empty()) reason.clear();
    }
    return pins;
  }

  void judge(std::size_t test_number, std::size_t at, std::size_t index) {
    const RecordedTest& test = recording_.tests[test_number];
    const Recorded& item = test.items[at];
    Observed::One& one = result_.assertions[index];
    const Assertion& assertion = suite_.tests[one.test].assertions[one.assertion];
    std::string reason;
    Pins pins;
    bool any_source = false;
    const auto& relation = assertion.relation;
    if (relation == "EQ" || relation == "STREQ") {
      for (std::size_t k = 0; k < assertion.operands.size() && k < item.values.size(); ++k) {
        const Slice& slice = assertion.operands[k];
        const auto from = sources(test, at, slice);
        if (from.empty()) continue;
        any_source = true;
        const Pins more = pin_value(test, from, slice, item.values[k], reason);
        pins.insert(pins.end(), more.begin(), more.end());
      }
    } else if (relation == "TRUE" || relation == "FALSE" || relation == "THAT") {
      truth(test, at, assertion, pins, reason, any_source);
    } else {
      for (const Slice& slice : assertion.operands) any_source = any_source || !sources(test, at, slice).empty();
      reason = "it compares by " + relation + ", which promises no value";
    }
    if (!any_source) {
      const std::string why = why_static(assertion, one);
      set(one, one.fate == Fate::no_operation ? Fate::no_operation : Fate::not_generalised,
          one.fate == Fate::no_operation ? why : "the operations of its slice were not seen before it");
      return;
    }
    if (pins.empty()) {
      set(one, Fate::not_generalised, reason.empty() ? "nothing is promised about a result" : reason);
      return;
    }
    bool read = false;
    for (const auto& [i, field] : pins) {
      if (!derived::reads(model_.schema.ops[test.items[i].operation.op].kind)) continue;
      read = true;
      add(test_number, i, field, index);
    }
    if (read) {
      one.fate = Fate::observed;
      one.reason.clear();
      ++one.observations;
    } else {
      set(one, Fate::status_of_change, "it is the status of an operation that reads nothing");
    }
  }

  void truth(const RecordedTest& test, std::size_t at, const Assertion& assertion, Pins& pins, std::string& reason,
             bool& any_source) {
    const Recorded& item = test.items[at];
    if (assertion.operands.empty()) return;
    const Slice& slice = assertion.operands.front();
    const auto from = sources(test, at, slice);
    if (from.empty()) return;
    any_source = true;
    const bool matched = item.values.empty() || (text_of(item.values.back()).value_or("1") == "1");
    if (!slice.predicate.empty() && slice.predicate != "=") {
      if (matched == slice.negated) {
        reason = "it says only what an outcome is not";
        return;
      }
      const int wanted = model_.outcome(slice.predicate);
      if (test.items[from.back()].operation.outcome == wanted &&
          model_.schema.ops[test.items[from.back()].operation.op].has_outcome) {
        pins.emplace_back(from.back(), kOutcome);
      } else {
        reason = "the outcome that it asks for is not that of the operation";
      }
      return;
    }
    if (assertion.relation == "THAT") {
      if (!slice.predicate.empty()) pins.emplace_back(from.back(), kOutcome);
      if (pins.empty()) reason = "its matcher is not understood";
      return;
    }
    if (slice.equality && assertion.operands.size() == 3) {
      if (matched == slice.negated) {
        reason = "it says only what a value is not";
        return;
      }
      for (int side = 1; side <= 2; ++side) {
        const Slice& mine = assertion.operands[static_cast<std::size_t>(side)];
        const Slice& other = assertion.operands[static_cast<std::size_t>(3 - side)];
        const auto mine_from = sources(test, at, mine);
        if (mine_from.empty() || !other.sites.empty() || !other.opaque.empty() || other.literals.size() != 1) continue;
        const Pins more = pin_value(test, mine_from, mine, derived::bytes_value(other.literals.front()), reason);
        pins.insert(pins.end(), more.begin(), more.end());
      }
      if (pins.empty() && reason.empty()) reason = "it compares inside a condition";
      return;
    }
    // A result that is true or false itself.
    const bool holds = matched != slice.negated;
    for (auto i = from.rbegin(); i != from.rend() && pins.empty(); ++i) {
      for (const derived::FieldValue& field : test.items[*i].operation.fields) {
        if (field.out && field.value.number && field.value.word == (holds ? 1u : 0u)) {
          pin_field(test, *i, field.role, pins);
          break;
        }
      }
    }
    if (pins.empty()) reason = "a condition that is no result itself";
  }

  void add(std::size_t test, std::size_t item, std::uint8_t field, std::size_t assertion) {
    const auto [place, is_new] = known_.try_emplace({test, item}, result_.observations.size());
    if (is_new) {
      Observation observation;
      observation.test = test;
      observation.item = item;
      result_.observations.push_back(observation);
    }
    Observation& observation = result_.observations[place->second];
    const auto insert = [](auto& list, const auto& value) {
      if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
    };
    insert(observation.fields, field);
    insert(observation.assertions, assertion);
  }

  const Model& model_;
  const Suite& suite_;
  const Recording& recording_;
  Observed result_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known_;
};

}  // namespace

Observed observe(const Model& model, const Suite& suite, const Recording& recording) {
  return Observer(model, suite, recording).run();
}

}  // namespace tenet::from_tests
