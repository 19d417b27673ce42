/// Included before a test's source (`-include tenet/derived/gtest.h`) when it is built to be recorded: GoogleTest's
/// assertions tell the recorder which values they compared, and then do what they always do. The test's source is not
/// touched, and macros of its own over these keep their meaning.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "tenet/derived/gtest_abi.h"

namespace tenet {
namespace derived {
namespace recording {

/// The bytes that an assertion compared, where they are bytes; else GoogleTest's text of the value.
inline std::string text(const std::string& value) { return value; }
inline std::string text(const char* value) { return value == nullptr ? std::string() : std::string(value); }
inline std::string text(char* value) { return value == nullptr ? std::string() : std::string(value); }
inline std::string text(bool value) { return value ? "1" : "0"; }
template <class T>
typename std::enable_if<std::is_integral<T>::value, std::string>::type text(T value) {
  return std::to_string(value);
}
template <class T>
auto as_bytes(const T& value, int) -> decltype(std::string(value.data(), value.size())) {
  return std::string(value.data(), value.size());
}
template <class T>
std::string as_bytes(const T& value, long) {
  return ::testing::PrintToString(value);
}
template <class T>
typename std::enable_if<std::is_enum<T>::value, std::string>::type text(T value) {
  return std::to_string(static_cast<long long>(value));
}
template <class T>
typename std::enable_if<!std::is_integral<T>::value && !std::is_enum<T>::value, std::string>::type text(
    const T& value) {
  return as_bytes(value, 0);
}

inline void tell(const char* file, int line, const char* macro, bool passed, const std::string* values, int count) {
  const char* data[2] = {"", ""};
  std::size_t sizes[2] = {0, 0};
  for (int i = 0; i < count; ++i) {
    data[i] = values[i].data();
    sizes[i] = values[i].size();
  }
  tenet_derived_v1_assertion(file, line, macro, passed ? 1 : 0, data, sizes, count);
}

/// Stands for GoogleTest's comparison: tells, then compares.
template <class Compare>
class Pair {
 public:
  Pair(const char* file, int line, const char* macro, Compare compare)
      : file_(file), line_(line), macro_(macro), compare_(compare) {}
  template <class A, class B>
  ::testing::AssertionResult operator()(const char* a_text, const char* b_text, const A& a, const B& b) const {
    ::testing::AssertionResult result = compare_(a_text, b_text, a, b);
    if (tenet_derived_v1_recording() != 0) {
      const std::string values[2] = {text(a), text(b)};
      tell(file_, line_, macro_, static_cast<bool>(result), values, 2);
    }
    return result;
  }

 private:
  const char* file_;
  int line_;
  const char* macro_;
  Compare compare_;
};
template <class Compare>
Pair<Compare> pair(const char* file, int line, const char* macro, Compare compare) {
  return Pair<Compare>(file, line, macro, compare);
}

struct Eq {
  template <class A, class B>
  ::testing::AssertionResult operator()(const char* a_text, const char* b_text, const A& a, const B& b) const {
    return ::testing::internal::EqHelper::Compare(a_text, b_text, a, b);
  }
};
#define TENET_DERIVED_COMPARISON(NAME)                                                                            \
  struct NAME {                                                                                                   \
    template <class A, class B>                                                                                   \
    ::testing::AssertionResult operator()(const char* a_text, const char* b_text, const A& a, const B& b) const { \
      return ::testing::internal::CmpHelper##NAME(a_text, b_text, a, b);                                          \
    }                                                                                                             \
  };
TENET_DERIVED_COMPARISON(NE)
TENET_DERIVED_COMPARISON(LE)
TENET_DERIVED_COMPARISON(LT)
TENET_DERIVED_COMPARISON(GE)
TENET_DERIVED_COMPARISON(GT)
#undef TENET_DERIVED_COMPARISON
struct StrEq {
  ::testing::AssertionResult operator()(const char* a_text, const char* b_text, const char* a, const char* b) const {
    return ::testing::internal::CmpHelperSTREQ(a_text, b_text, a, b);
  }
};

inline bool truth(bool passed, const char* file, int line, const char* macro, bool value) {
  if (tenet_derived_v1_recording() != 0) {
    const std::string text_of = value ? "1" : "0";
    tell(file, line, macro, passed, &text_of, 1);
  }
  return value;
}
inline const ::testing::AssertionResult& truth(bool, const char* file, int line, const char* macro,
                                               const ::testing::AssertionResult& value) {
  if (tenet_derived_v1_recording() != 0) {
    const std::string text_of = value ? "1" : "0";
    tell(file, line, macro, static_cast<bool>(value), &text_of, 1);
  }
  return value;
}
/// The operand of ASSERT_TRUE and its like; pointers and whatever else converts to bool explicitly, too.
template <class T>
auto operand(bool wanted, const char* file, int line, const char* macro, const T& value) ->
    typename std::enable_if<!std::is_same<T, ::testing::AssertionResult>::value, bool>::type {
  const bool holds = static_cast<bool>(value);
  return truth(holds == wanted, file, line, macro, holds);
}
inline const ::testing::AssertionResult& operand(bool wanted, const char* file, int line, const char* macro,
                                                 const ::testing::AssertionResult& value) {
  return truth(wanted, file, line, macro, value);
}

/// ASSERT_THAT: the value is told as a matcher saw it, with whether it matched.
template <class Formatter>
class That {
 public:
  That(const char* file, int line, const char* macro, Formatter formatter)
      : file_(file), line_(line), macro_(macro), formatter_(formatter) {}
  template <class T>
  ::testing::AssertionResult operator()(const char* value_text, const T& value) const {
    ::testing::AssertionResult result = formatter_(value_text, value);
    if (tenet_derived_v1_recording() != 0) {
      const std::string values[2] = {text(value), result ? "1" : "0"};
      tell(file_, line_, macro_, static_cast<bool>(result), values, 2);
    }
    return result;
  }

 private:
  const char* file_;
  int line_;
  const char* macro_;
  Formatter formatter_;
};
template <class Formatter>
That<Formatter> that(const char* file, int line, const char* macro, Formatter formatter) {
  return That<Formatter>(file, line, macro, formatter);
}

class Listener : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo& info) override {
    tenet_derived_v1_test(info.test_suite_name(), info.name(), 0, 1);
  }
  void OnTestEnd(const ::testing::TestInfo& info) override {
    tenet_derived_v1_test(info.test_suite_name(), info.name(), 1, info.result()->Passed() ? 1 : 0);
  }
};
struct Registration {
  Registration() {
    if (tenet_derived_v1_recording() != 0 && tenet_derived_v1_first_listener() != 0) {
      ::testing::UnitTest::GetInstance()->listeners().Append(new Listener);
    }
  }
};
static const Registration registration;  // NOLINT: one listener for the process, whichever source comes first

}  // namespace recording
}  // namespace derived
}  // namespace tenet

#define TENET_DERIVED_PAIR(kind, compare, a, b) \
  kind##_PRED_FORMAT2(::tenet::derived::recording::pair(__FILE__, __LINE__, #kind, compare), a, b)

#undef EXPECT_EQ
#undef ASSERT_EQ
#undef EXPECT_NE
#undef ASSERT_NE
#undef EXPECT_LE
#undef ASSERT_LE
#undef EXPECT_LT
#undef ASSERT_LT
#undef EXPECT_GE
#undef ASSERT_GE
#undef EXPECT_GT
#undef ASSERT_GT
#undef EXPECT_STREQ
#undef ASSERT_STREQ
#undef EXPECT_TRUE
#undef ASSERT_TRUE
#undef EXPECT_FALSE
#undef ASSERT_FALSE
#define EXPECT_EQ(a, b) TENET_DERIVED_PAIR(EXPECT, ::tenet::derived::recording::Eq(), a, b)
#define ASSERT_EQ(a, b) TENET_DERIVED_PAIR(ASSERT, ::tenet::derived::recording::Eq(), a, b)
#define EXPECT_NE(a, b) TENET_DERIVED_PAIR(EXPECT, ::tenet::derived::recording::NE(), a, b)
#define ASSERT_NE(a, b) TENET_DERIVED_PAIR(ASSERT, ::tenet::derived::recording::NE(), a, b)
#define EXPECT_LE(a, b) TENET_DERIVED_PAIR(EXPECT, ::tenet::derived::recording::LE(), a, b)
#define ASSERT_LE(a, b) TENET_DERIVED_PAIR(ASSERT, ::tenet::derived::recording::LE(), a, b)
#define EXPECT_LT(a, b) TENET_DERIVED_PAIR(EXPECT, ::tenet::derived::recording::LT(), a, b)
#define ASSERT_LT(a, b) TENET_DERIVED_PAIR(ASSERT, ::tenet::derived::recording::LT(), a, b)
#define EXPECT_GE(a, b) TENET_DERIVED_PAIR(EXPECT, ::tenet::derived::recording::GE(), a, b)
#define ASSERT_GE(a, b) TENET_DERIVED_PAIR(ASSERT, ::tenet::derived::recording::GE(), a, b)
#define EXPECT_GT(a, b) TENET_DERIVED_PAIR(EXPECT, ::tenet::derived::recording::GT(), a, b)
#define ASSERT_GT(a, b) TENET_DERIVED_PAIR(ASSERT, ::tenet::derived::recording::GT(), a, b)
#define EXPECT_STREQ(a, b) TENET_DERIVED_PAIR(EXPECT, ::tenet::derived::recording::StrEq(), a, b)
#define ASSERT_STREQ(a, b) TENET_DERIVED_PAIR(ASSERT, ::tenet::derived::recording::StrEq(), a, b)
#define EXPECT_TRUE(condition)                                                                                         \
  GTEST_TEST_BOOLEAN_(::tenet::derived::recording::operand(true, __FILE__, __LINE__, "EXPECT", condition), #condition, \
                      false, true, GTEST_NONFATAL_FAILURE_)
#define ASSERT_TRUE(condition)                                                                                         \
  GTEST_TEST_BOOLEAN_(::tenet::derived::recording::operand(true, __FILE__, __LINE__, "ASSERT", condition), #condition, \
                      false, true, GTEST_FATAL_FAILURE_)
#define EXPECT_FALSE(condition)                                                                                \
  GTEST_TEST_BOOLEAN_(!(::tenet::derived::recording::operand(false, __FILE__, __LINE__, "EXPECT", condition)), \
                      #condition, true, false, GTEST_NONFATAL_FAILURE_)
#define ASSERT_FALSE(condition)                                                                                \
  GTEST_TEST_BOOLEAN_(!(::tenet::derived::recording::operand(false, __FILE__, __LINE__, "ASSERT", condition)), \
                      #condition, true, false, GTEST_FATAL_FAILURE_)

#if defined(TENET_DERIVED_WITH_GMOCK) || (defined(__has_include) && __has_include(<gmock/gmock.h>))
#include <gmock/gmock.h>
#undef EXPECT_THAT
#undef ASSERT_THAT
#define TENET_DERIVED_THAT(kind, value, matcher)                                                                       \
  kind##_PRED_FORMAT1(::tenet::derived::recording::that(                                                               \
                          __FILE__, __LINE__, #kind, ::testing::internal::MakePredicateFormatterFromMatcher(matcher)), \
                      value)
#define EXPECT_THAT(value, matcher) TENET_DERIVED_THAT(EXPECT, value, matcher)
#define ASSERT_THAT(value, matcher) TENET_DERIVED_THAT(ASSERT, value, matcher)
#endif
