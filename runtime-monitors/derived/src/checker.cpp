#include "tenet/derived/checker.h"

namespace tenet::derived {
namespace {

std::string given_text(const Checker& checker, const Schema& schema) {
  const Given& given = checker.given;
  const std::string when = given.as_of ? " as of the handle" : "";
  const std::string again = given.reopened ? ", and the store was opened again since" : "";
  switch (given.view) {
    case View::last:
    case View::last_match:
    case View::first: {
      const std::string which = given.view == View::first ? "the first change" : "the last change";
      if (given.change == Given::kNothing) return "nothing was changed" + when;
      const std::string match = given.view != View::last_match ? ""
                                : given.same                   ? " with the same value"
                                                               : " with another value";
      return which + when + " is " + schema.ops[static_cast<std::size_t>(given.change)].name + match + again;
    }
    case View::queue:
    case View::stack:
      return given.pending ? "something is there" : "nothing is there";
    case View::tally: {
      std::string sum;
      for (std::size_t op = 0; op < checker.weights.size(); ++op) {
        const std::string& name = schema.ops[op].name;
        const std::string value = "the " + schema.roles[kValue] + "s of " + name;
        switch (checker.weights[op]) {
          case Weight::none:
            break;
          case Weight::plus_one:
            sum += " + the number of " + name;
            break;
          case Weight::minus_one:
            sum += " - the number of " + name;
            break;
          case Weight::plus_value:
            sum += " + " + value;
            break;
          case Weight::minus_value:
            sum += " - " + value;
        }
      }
      return "the tally is" + (sum.empty() ? " 0" : sum);
    }
    case View::order: {
      std::string names;
      for (const std::uint16_t op : checker.live) names += (names.empty() ? "" : " or ") + schema.ops[op].name;
      return "a key is there if its last change is " + names;
    }
  }
  return {};
}

constexpr const char* kNearText[kNears] = {"the smallest key",
                                           "the largest key",
                                           "the first key from $key on",
                                           "the last key up to $key",
                                           "the first key after $key",
                                           "the last key before $key",
                                           "the next key",
                                           "the previous key"};

std::string expected_text(const Checker& checker, const Expected& expected, const Schema& schema) {
  if (expected.field == kOutcome) return "outcome is " + schema.outcomes[expected.constant.word];
  const std::string field = schema.roles[expected.field];
  switch (expected.kind) {
    case Expected::Kind::constant:
      return field + " is " + show(expected.constant);
    case Expected::Kind::of_change:
      return field + " is its " + schema.roles[expected.role];
    case Expected::Kind::tally:
      return field + " is the tally";
    case Expected::Kind::near: {
      const std::string near = kNearText[static_cast<std::size_t>(checker.near)];
      if (expected.field == kKey) return field + " is " + near;
      if (expected.field == kValid) return field + " if there is " + near;
      return field + " is the " + schema.roles[expected.role] + " there";
    }
  }
  return {};
}

}  // namespace

std::string sentence(const Checker& checker, const Schema& schema) {
  std::string out = "given " + given_text(checker, schema) + "; when " + schema.ops[checker.op].name + "; then ";
  bool first = true;
  for (const Expected& expected : checker.then) {
    out += (first ? "" : ", ") + expected_text(checker, expected, schema);
    first = false;
  }
  return out;
}

}  // namespace tenet::derived
