#include "tenet/from_tests/infer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "hypotheses.h"
#include "tenet/derived/shadow.h"

namespace tenet::from_tests {
namespace {

using derived::Answer;
using derived::Checker;
using derived::Expected;
using derived::Given;
using derived::kOutcome;
using derived::Operation;
using derived::Shadow;
using derived::View;

constexpr std::size_t kMostConditions = 3;  // that a checker is constrained by
constexpr std::size_t kMostKept = 200;      // contradictions whose conditions are remembered

/// Replays a test and tells every operation that reads, with its place in the recording.
template <class Each>
void replay(const derived::Schema& schema, const RecordedTest& test, const Each& each) {
  Shadow shadow(schema);
  for (std::size_t i = 0; i < test.items.size(); ++i) {
    if (test.items[i].is_assertion) continue;
    Operation operation = test.items[i].operation;
    operation.id = i;
    shadow.add(std::move(operation));
  }
  shadow.advance(test.known_to, [&](const Operation& operation) { each(shadow, operation); });
}

struct Score {
  std::size_t asserted_passed = 0, asserted_violated = 0;
  std::size_t passed = 0, violated = 0, unknown = 0;
  std::set<std::size_t> supporting;  // observations
  std::set<std::size_t> tests, contradicting;
  std::vector<std::vector<derived::FieldValue>> bad, good;                    // conditions
  std::vector<std::vector<derived::FieldValue>> asserted_bad, asserted_good;  // of what was asserted
};

class Engine {
 public:
  Engine(const Model& model, const Suite& suite, const Recording& recording, const Observed& observed)
      : model_(model), suite_(suite), recording_(recording), observed_(observed) {
    for (std::size_t i = 0; i < observed.observations.size(); ++i) {
      const Observation& o = observed.observations[i];
      by_place_[{o.test, o.item}] = i;
    }
  }

  Inference validate(const std::vector<Checker>& checkers) {
    for (const Checker& checker : checkers) {
      CheckerResult each;
      each.checker = checker;
      result_.kept.push_back(std::move(each));
    }
    constrain(false);
    cover();
    return std::move(result_);
  }

  Inference run() {
    std::vector<Checker> single = hypotheses(model_, cases());
    result_.hypotheses = single.size();
    std::vector<Score> scores = judge(single, true);
    // What is promised differently under an option is promised without it.
    for (std::size_t c = 0; c < single.size(); ++c) {
      if (scores[c].asserted_passed == 0 || scores[c].asserted_violated == 0) continue;
      if (const auto unless = clean_separator(scores[c])) {
        single[c].unless.push_back(*unless);
        scores[c].asserted_violated = 0;
      }
    }
    choose(single, scores);
    constrain(true);
    cover();
    return std::move(result_);
  }

 private:
  /// The situations in which something was asserted, with the results that were.
  Cases cases() {
    Cases all;
    for (std::size_t t = 0; t < recording_.tests.size(); ++t) {
      if (!has_observation(t)) continue;
      replay(model_.schema, recording_.tests[t], [&](const Shadow& shadow, const Operation& operation) {
        const auto found = by_place_.find({t, operation.id});
        if (found == by_place_.end()) return;
        for (const View view :
             {View::last, View::last_match, View::first, View::queue, View::stack, View::tally, View::order}) {
          Given given;
          if (shadow.situation(operation, view, given) != Answer::passed) continue;
          for (const std::uint8_t field : observed_.observations[found->second].fields)
            all.add(operation, given, field);
        }
      });
    }
    return all;
  }
  [[nodiscard]] bool has_observation(std::size_t test) const {
    const auto first = by_place_.lower_bound({test, 0});
    return first != by_place_.end() && first->first.first == test;
  }

  /// What every checker says of every operation of every test.
  std::vector<Score> judge(const std::vector<Checker>& checkers, bool conditions) {
    std::map<std::uint16_t, std::vector<std::size_t>> by_op;
    for (std::size_t c = 0; c < checkers.size(); ++c) by_op[checkers[c].op].push_back(c);
    std::vector<Score> scores(checkers.size());
    for (std::size_t t = 0; t < recording_.tests.size(); ++t) {
      const RecordedTest& test = recording_.tests[t];
      replay(model_.schema, test, [&](const Shadow& shadow, const Operation& operation) {
        const auto concerned = by_op.find(operation.op);
        if (concerned == by_op.end()) return;
        const auto found = by_place_.find({t, operation.id});
        const Observation* observation = found == by_place_.end() ? nullptr : &observed_.observations[found->second];
        for (const std::size_t c : concerned->second) {
          const derived::Judgement judged = shadow.judge(checkers[c], operation);
          if (judged.answer == Answer::not_concerned) continue;
          Score& score = scores[c];
          if (judged.answer == Answer::ambiguous || judged.answer == Answer::unknown) {
            ++score.unknown;
            continue;
          }
          const bool passed = judged.answer == Answer::passed;
          ++(passed ? score.passed : score.violated);
          const bool asserted = observation != nullptr && covers(checkers[c], *observation);
          if (asserted) ++(passed ? score.asserted_passed : score.asserted_violated);
          if (asserted && conditions) {
            auto& list = passed ? score.asserted_good : score.asserted_bad;
            if (list.size() < kMostKept) list.push_back(shadow.conditions(operation));
          }
          if (asserted && passed) {
            score.supporting.insert(found->second);
            score.tests.insert(t);
          }
          // A test that fails promises nothing.
          if (!passed && test.passed) {
            score.contradicting.insert(t);
            if (conditions && score.bad.size() < kMostKept) score.bad.push_back(shadow.conditions(operation));
          } else if (passed && conditions && (asserted || score.good.size() < kMostKept)) {
            score.good.push_back(shadow.conditions(operation));
          }
        }
      });
    }
    return scores;
  }

  /// Whether an observation promises something that a checker expects.
  static bool covers(const Checker& checker, const Observation& observation) {
    return std::any_of(checker.then.begin(), checker.then.end(), [&](const Expected& e) {
      return std::find(observation.fields.begin(), observation.fields.end(), e.field) != observation.fields.end();
    });
  }

  /// For each operation the view that explains most of what was asserted of it; of each case and result in it the
  /// relation that is contradicted least, and of those the plainest.
  void choose(const std::vector<Checker>& single, const std::vector<Score>& scores) {
    std::map<std::pair<std::uint16_t, bool>, std::vector<std::size_t>> groups;
    for (std::size_t c = 0; c < single.size(); ++c) {
      if (scores[c].asserted_passed == 0 || scores[c].asserted_violated != 0) continue;
      if (!believable(single[c], scores[c])) continue;
      groups[{single[c].op, single[c].given.as_of}].push_back(c);
    }
    for (const auto& [group, members] : groups) {
      // The explanation of a view: case and result to the best relation.
      struct Explanation {
        std::map<std::string, std::map<std::uint8_t, std::size_t>> cases;
        std::set<std::pair<std::size_t, std::uint8_t>> explained;
        std::size_t violated = 0;
      };
      std::map<std::string, Explanation> views;
      for (const std::size_t c : members) {
        Explanation& view = views[frame_key(single[c])];
        auto& best = view.cases[case_key(single[c])];
        const std::uint8_t field = single[c].then.front().field;
        const auto known = best.find(field);
        if (known == best.end() || better(single[c], scores[c], single[known->second], scores[known->second]))
          best[field] = c;
      }
      const Explanation* chosen = nullptr;
      for (auto& [key, view] : views) {
        for (const auto& [name, fields] : view.cases) {
          for (const auto& [field, c] : fields) {
            for (const std::size_t o : scores[c].supporting) {
              for (const Expected& e : single[c].then) view.explained.insert({o, e.field});
            }
            view.violated += scores[c].violated;
          }
        }
        if (chosen == nullptr || view.explained.size() > chosen->explained.size() ||
            (view.explained.size() == chosen->explained.size() && view.violated < chosen->violated)) {
          chosen = &view;
        }
      }
      if (chosen == nullptr) continue;
      for (const auto& [name, fields] : chosen->cases) merge(single, scores, fields);
    }
  }

  /// Constants of values are promised only if they say more than that one run had them.
  bool believable(const Checker& checker, const Score& score) const {
    const Expected& expected = checker.then.front();
    if (expected.kind != Expected::Kind::constant || expected.field == kOutcome) return true;
    const bool plain = (expected.constant.number && expected.constant.word <= 1) ||
                       (expected.constant.has_bytes && expected.constant.bytes.empty());
    return plain || score.tests.size() >= 2;
  }

  static std::string frame_key(const Checker& checker) {
    // The plainest views come first: of two that explain as much, the first is taken.
    constexpr const char* kRank = "abfcdeg";  // last, last_match, first, queue, stack, tally, order
    std::string key(1, kRank[static_cast<int>(checker.given.view)]);
    for (const derived::Weight weight : checker.weights) key += static_cast<char>('0' + static_cast<int>(weight));
    for (const std::uint16_t op : checker.live) key += "," + std::to_string(op);
    return key;
  }
  static std::string case_key(const Checker& checker) {
    return std::to_string(checker.given.change) + (checker.given.reopened ? "r" : "") +
           (checker.given.pending ? "p" : "") + (checker.given.same ? "s" : "");
  }

  static int plainness(const Checker& checker) {
    const Expected& e = checker.then.front();
    if (e.field == kOutcome) return 0;
    if (e.kind == Expected::Kind::constant) return e.constant.number ? 1 : 3;
    if (checker.given.view == View::tally) {
      int used = 0;
      for (const derived::Weight weight : checker.weights) used += weight == derived::Weight::none ? 0 : 1;
      return 10 + used;
    }
    return e.field == e.role ? 0 : 2;
  }
  static bool better(const Checker& a, const Score& x, const Checker& b, const Score& y) {
    // Contradictions of unasserted results count only if they are more than a few in a hundred: conditions explain few.
    if (x.asserted_passed != y.asserted_passed) return x.asserted_passed > y.asserted_passed;
    const bool bad_x = x.violated * 10 > x.passed, bad_y = y.violated * 10 > y.passed;
    if (bad_x != bad_y) return bad_y;
    if (plainness(a) != plainness(b)) return plainness(a) < plainness(b);
    return x.violated < y.violated;
  }

  /// One checker of all results of a case.
  void merge(const std::vector<Checker>& single, const std::vector<Score>& scores,
             const std::map<std::uint8_t, std::size_t>& fields) {
    CheckerResult merged;
    bool first = true;
    std::set<std::size_t> supporting, tests;
    // The outcome first: without it the other results mean nothing.
    std::vector<std::size_t> order;
    for (const auto& [field, c] : fields) {
      if (field == kOutcome)
        order.insert(order.begin(), c);
      else
        order.push_back(c);
    }
    for (const std::size_t c : order) {
      if (first) {
        merged.checker = single[c];
      } else {
        for (const derived::Unless& unless : single[c].unless) {
          const bool known =
              std::any_of(merged.checker.unless.begin(), merged.checker.unless.end(),
                          [&](const auto& u) { return u.role == unless.role && u.value == unless.value; });
          if (!known) merged.checker.unless.push_back(unless);
        }
        for (const Expected& e : single[c].then) {
          if (std::none_of(merged.checker.then.begin(), merged.checker.then.end(),
                           [&](const Expected& k) { return k.field == e.field; })) {
            merged.checker.then.push_back(e);
          }
        }
      }
      first = false;
      supporting.insert(scores[c].supporting.begin(), scores[c].supporting.end());
      tests.insert(scores[c].tests.begin(), scores[c].tests.end());
    }
    merged.checker.name = name_of(merged.checker, model_);
    merged.checker.tests = static_cast<std::uint32_t>(tests.size());
    std::set<std::string> origins;
    std::set<std::size_t> assertions;
    for (const std::size_t o : supporting) {
      for (const std::size_t a : observed_.observations[o].assertions) {
        const Observed::One& one = observed_.assertions[a];
        const Test& test = suite_.tests[one.test];
        assertions.insert(a);
        origins.insert(test.suite + "." + test.name + " " + show(test.assertions[one.assertion].place));
      }
    }
    merged.checker.assertions = static_cast<std::uint32_t>(assertions.size());
    merged.checker.origins.assign(origins.begin(), origins.end());
    result_.kept.push_back(std::move(merged));
  }

  /// Conditions that tell contradictions from agreement, one after the other, until there are none or none helps.
  void constrain(bool may_change) {
    std::vector<Checker> checkers;
    for (const CheckerResult& each : result_.kept) checkers.push_back(each.checker);
    std::vector<Score> scores;
    for (std::size_t round = 0; round <= kMostConditions; ++round) {
      scores = judge(checkers, true);
      bool changed = false;
      for (std::size_t c = 0; c < checkers.size() && round < kMostConditions; ++c) {
        if (!may_change || scores[c].bad.empty()) continue;
        if (auto unless = separator(scores[c])) {
          checkers[c].unless.push_back(*unless);
          changed = true;
        }
      }
      if (!changed) break;
    }
    std::vector<CheckerResult> all = std::move(result_.kept);
    result_.kept.clear();
    for (std::size_t c = 0; c < checkers.size(); ++c) {
      CheckerResult& each = all[c];
      each.checker = checkers[c];
      each.passed = scores[c].passed;
      each.violated = scores[c].violated;
      each.unknown = scores[c].unknown;
      each.asserted = scores[c].asserted_passed;
      for (const std::size_t t : scores[c].contradicting) {
        each.contradicted_by.push_back(recording_.tests[t].suite + "." + recording_.tests[t].name);
      }
      const bool keep = each.contradicted_by.empty() && each.asserted > 0;
      (keep ? result_.kept : result_.dropped).push_back(std::move(each));
    }
    std::stable_sort(result_.kept.begin(), result_.kept.end(), [](const CheckerResult& a, const CheckerResult& b) {
      return a.checker.op != b.checker.op ? a.checker.op < b.checker.op : a.checker.name < b.checker.name;
    });
  }

  /// A condition that all asserted contradictions have, and nothing that was asserted and agrees.
  static std::optional<derived::Unless> clean_separator(const Score& score) {
    if (score.asserted_bad.empty()) return std::nullopt;
    const auto has = [](const std::vector<derived::FieldValue>& all, const derived::FieldValue& wanted) {
      return std::any_of(all.begin(), all.end(),
                         [&](const auto& f) { return f.role == wanted.role && f.value == wanted.value; });
    };
    for (const derived::FieldValue& candidate : score.asserted_bad.front()) {
      const auto with = [&](const auto& conditions) { return has(conditions, candidate); };
      if (!std::all_of(score.asserted_bad.begin(), score.asserted_bad.end(), with)) continue;
      if (std::any_of(score.asserted_good.begin(), score.asserted_good.end(), with)) continue;
      derived::Unless unless;
      unless.role = candidate.role;
      unless.value = candidate.value;
      return unless;
    }
    return std::nullopt;
  }

  /// A condition that holds for contradictions and not for agreement.
  static std::optional<derived::Unless> separator(const Score& score) {
    const auto has = [](const std::vector<derived::FieldValue>& all, const derived::FieldValue& wanted) {
      return std::any_of(all.begin(), all.end(),
                         [&](const auto& f) { return f.role == wanted.role && f.value == wanted.value; });
    };
    std::optional<derived::Unless> best;
    std::size_t most = 0;
    for (const auto& conditions : score.bad) {
      for (const derived::FieldValue& candidate : conditions) {
        std::size_t bad = 0, good = 0;
        for (const auto& all : score.bad) bad += has(all, candidate) ? 1u : 0u;
        for (const auto& all : score.good) good += has(all, candidate) ? 1u : 0u;
        // It must not silence what the tests assert: most of the agreement stays.
        if (good * 2 > score.good.size() || bad * 2 < score.bad.size()) continue;
        const std::size_t gain = bad * score.good.size() - good * score.bad.size();
        if (bad * score.good.size() < good * score.bad.size() || gain <= most) continue;
        most = gain;
        derived::Unless unless;
        unless.role = candidate.role;
        unless.value = candidate.value;
        best = unless;
      }
      if (&conditions - score.bad.data() > 8) break;
    }
    return best;
  }

  /// Corrupts every asserted result in turn: does a checker alarm there?
  void cover() {
    std::vector<Checker> checkers;
    for (const CheckerResult& each : result_.kept) checkers.push_back(each.checker);
    std::vector<std::size_t> covered_fields(observed_.assertions.size()), all_fields(observed_.assertions.size());
    std::vector<std::string> why(observed_.assertions.size());
    for (std::size_t t = 0; t < recording_.tests.size(); ++t) {
      if (!has_observation(t)) continue;
      replay(model_.schema, recording_.tests[t], [&](const Shadow& shadow, const Operation& operation) {
        const auto found = by_place_.find({t, operation.id});
        if (found == by_place_.end()) return;
        const Observation& observation = observed_.observations[found->second];
        for (const std::uint8_t field : observation.fields) {
          const Operation broken = corrupted(operation, field);
          bool alarm = false, fires = false, blurred = false;
          for (const Checker& checker : checkers) {
            const Answer before = shadow.judge(checker, operation).answer;
            fires = fires || before == Answer::passed;
            blurred = blurred || before == Answer::ambiguous || before == Answer::unknown;
            alarm = alarm || (before == Answer::passed && shadow.judge(checker, broken).answer == Answer::violated);
          }
          for (const std::size_t a : observation.assertions) {
            ++all_fields[a];
            if (alarm)
              ++covered_fields[a];
            else if (why[a].empty())
              why[a] = fires     ? "no checker looks at this result"
                       : blurred ? "its past is not known for certain"
                                 : reason_for(operation);
          }
        }
      });
    }
    result_.assertion_covered.resize(observed_.assertions.size());
    result_.assertion_reason = why;
    for (std::size_t a = 0; a < observed_.assertions.size(); ++a) {
      result_.assertion_covered[a] = all_fields[a] > 0 && covered_fields[a] == all_fields[a];
      result_.covered += result_.assertion_covered[a] ? 1u : 0u;
    }
  }
  [[nodiscard]] std::string reason_for(const Operation& operation) const {
    for (const CheckerResult& each : result_.dropped) {
      if (each.checker.op == operation.op) return "its checker was contradicted by other tests";
    }
    return "no relation explains it";
  }
  [[nodiscard]] Operation corrupted(Operation operation, std::uint8_t field) const {
    if (field == kOutcome) {
      operation.outcome = static_cast<std::uint8_t>((operation.outcome + 1u) % model_.schema.outcomes.size());
      return operation;
    }
    for (derived::FieldValue& each : operation.fields) {
      if (!each.out || each.role != field) continue;
      if (each.value.number && field == derived::kValid) {
        each.value.word = 1 - each.value.word;
        if (each.value.word == 1) {
          // At a key that nobody wrote.
          operation.fields.push_back({derived::kKey, true, derived::bytes_value("\xff\xff no such key")});
        }
        return operation;
      }
      if (each.value.number) {
        each.value.word += 1;
      } else {
        // Another value, and for keys one that is between: the same with a byte more.
        const bool had = each.value.has_bytes;
        each.value = derived::bytes_value(each.value.bytes + '\x01');
        each.value.has_bytes = had;
      }
      return operation;
    }
    return operation;
  }

  const Model& model_;
  const Suite& suite_;
  const Recording& recording_;
  const Observed& observed_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> by_place_;
  Inference result_;
};

}  // namespace

Inference infer(const Model& model, const Suite& suite, const Recording& recording, const Observed& observed) {
  return Engine(model, suite, recording, observed).run();
}

Inference validate(const Model& model, const Suite& suite, const Recording& recording, const Observed& observed,
                   const std::vector<derived::Checker>& checkers) {
  return Engine(model, suite, recording, observed).validate(checkers);
}

}  // namespace tenet::from_tests
