/// A checker: what must be seen by an operation, given what was done before.
///
/// A definition is data: the judge evaluates it over the shadow of what was done, for each subject by itself. The same
/// data is inferred from tests, written as text that people review, and compiled into services.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenet/derived/operation.h"

namespace tenet::derived {

/// How the past of a subject is looked at.
enum class View : std::uint8_t {
  last,        ///< the last change
  last_match,  ///< the last change, and whether its value is the one that the reader brings
  first,       ///< the first change
  queue,       ///< what was added and not taken, oldest first
  stack,       ///< …newest first
  tally,       ///< a sum over all changes
  order,       ///< the keys that are there, in byte order
};

/// Which pasts a checker is about.
struct Given {
  static constexpr int kAny = -1, kNothing = -2;
  View view = View::last;
  int change = kAny;      ///< views last and first: the operation that the change was, or kNothing
  bool as_of = false;     ///< the reader reads through a handle: the past of the handle's making
  bool reopened = false;  ///< views last and first: the store was opened again since the change
  bool same = false;      ///< view last_match: it is
  bool pending = false;   ///< views queue and stack: something is there
  friend bool operator==(const Given& a, const Given& b) {
    return a.view == b.view && a.change == b.change && a.as_of == b.as_of && a.reopened == b.reopened &&
           a.pending == b.pending && a.same == b.same;
  }
};

/// Where a cursor must be: next to what, among the keys that are there.
enum class Near : std::uint8_t {
  smallest,
  largest,
  at_or_after_key,
  at_or_before_key,
  after_key,
  before_key,
  after_current,
  before_current,
};
constexpr int kNears = 8;

/// How much one change moves a tally.
enum class Weight : std::uint8_t { none, plus_one, minus_one, plus_value, minus_value };

struct Expected {
  enum class Kind : std::uint8_t {
    constant,   ///< `constant`
    of_change,  ///< the argument `role` of the change that the view points at
    tally,      ///< the sum by `Checker::weights`, the judged operation included
    near,       ///< what the key next to `Checker::near` has: valid, key or the argument `role` of its last change
  };
  std::uint8_t field = kOutcome;  ///< of the operation's results, or kOutcome
  Kind kind = Kind::constant;
  Value constant;
  std::uint8_t role = kValue;
  friend bool operator==(const Expected& a, const Expected& b) {
    return a.field == b.field && a.kind == b.kind && (a.kind != Kind::constant || a.constant == b.constant) &&
           a.role == b.role;
  }
};

/// The checker is silent where a condition of the operation, the change or the store has this value.
struct Unless {
  std::uint8_t role = 0;
  Value value;
};

struct Checker {
  std::string name;
  std::uint16_t op = 0;  ///< the operation that is judged
  Given given;
  std::vector<Expected> then;
  Near near = Near::smallest;
  std::vector<Weight> weights;      ///< view tally: by operation
  std::vector<std::uint16_t> live;  ///< view order: a key is there if one of these was its last change
  std::vector<Unless> unless;
  std::vector<std::string> origins;  ///< "DBTest.ReadWrite db_test.cc:512"
  std::uint32_t assertions = 0;      ///< that support it
  std::uint32_t tests = 0;
};

/// The definition in words: `given the last change of key is Put; when Get(key); then outcome = ok, value = …`.
std::string sentence(const Checker& checker, const Schema& schema);

}  // namespace tenet::derived
