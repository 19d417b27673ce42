/// What the sources of a test suite say: its tests, their assertions, and for each operand the operations of the
/// model that its value depends on. Made by the front end that reads C++; as JSON between the steps.
#pragma once

#include <string>
#include <vector>

#include "tenet/base/result.h"

namespace tenet::from_tests {

struct Place {
  std::string file;
  int line = 0, column = 0;
  friend bool operator==(const Place& a, const Place& b) {
    return a.file == b.file && a.line == b.line && a.column == b.column;
  }
};
std::string show(const Place& place);

/// A call of a model's operation that a value depends on.
struct Site {
  std::string op;            ///< as in the model's schema
  bool ignored = false;      ///< the model says that it is of no use
  std::vector<Place> chain;  ///< from the function of the assertion inwards; the last is the call itself
  bool repeated = false;     ///< in a loop of a helper: the value may depend on all its turns
};

/// The backward slice of one operand.
struct Slice {
  std::string text;  ///< as it is written
  std::vector<Site> sites;
  std::vector<std::string> literals;  ///< constants that can become (part of) the value
  std::vector<std::string> opaque;    ///< calls whose definition is not known, and what else hides
  std::string predicate;              ///< the class of a status that it asks for; "=": it is the status itself
  bool negated = false;
  bool equality = false;  ///< a condition `a == b`: the sides are slices of their own
};

struct Assertion {
  Place place;                 ///< where its outermost macro is written
  std::string macro;           ///< the outermost macro: ASSERT_LEVELDB_OK
  std::string relation;        ///< EQ NE LT LE GT GE STREQ TRUE FALSE THAT PRED
  std::string function;        ///< that it is in
  std::vector<Place> callers;  ///< from the test's body to the helper that it is in; empty in the body itself
  std::vector<Slice> operands;
};

struct Test {
  std::string suite, name;
  std::string kind;  ///< TEST, TEST_F, TEST_P, TYPED_TEST
  Place place;
  std::vector<Assertion> assertions;
  std::vector<std::string> notes;  ///< threads, no assertions …
};

struct Trouble {
  std::string file;
  std::string what;
};

struct Suite {
  std::string stamp;  ///< of the model it was read with
  std::vector<Test> tests;
  std::vector<Trouble> troubles;  ///< sources that could not be read, and why
  double seconds = 0;
};

std::string to_json(const Suite& suite);
Result<Suite> read_suite(const std::string& path);

}  // namespace tenet::from_tests
