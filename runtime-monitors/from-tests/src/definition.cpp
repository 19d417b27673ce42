#include "tenet/from_tests/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tenet/base/diagnostic.h"

namespace tenet::from_tests {
namespace {

using derived::Checker;
using derived::Expected;
using derived::Given;
using derived::kOutcome;
using derived::Near;
using derived::Value;
using derived::View;
using derived::Weight;

constexpr std::array<const char*, derived::kNears> kNearWords = {
    "the smallest key",       "the largest key",         "the first key from key on",
    "the last key up to key", "the first key after key", "the last key before key",
    "the next key",           "the previous key"};

std::string print_value(const Value& value) {
  if (value.number) return std::to_string(static_cast<std::int64_t>(value.word));
  if (!value.has_bytes) return fmt::format("~{:016x}", value.word);
  std::string out = "\"";
  for (const char raw : value.bytes) {
    const auto c = static_cast<unsigned char>(raw);
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
      out += raw;
    } else {
      out += fmt::format("\\x{:02x}", c);
    }
  }
  return out + "\"";
}

std::string print_given(const Checker& checker, const Model& model) {
  const Given& given = checker.given;
  const auto& ops = model.schema.ops;
  switch (given.view) {
    case View::last:
    case View::last_match:
    case View::first: {
      if (given.change == Given::kNothing)
        return given.view == View::last    ? "nothing was changed"
               : given.view == View::first ? "nothing was first"
                                           : "nothing to match";
      return fmt::format("{} change is {}{}{}", given.view == View::first ? "first" : "last",
                         ops[static_cast<std::size_t>(given.change)].name,
                         given.view != View::last_match ? ""
                         : given.same                   ? " with the same value"
                                                        : " with another value",
                         given.reopened ? ", opened again since" : "");
    }
    case View::queue:
      return given.pending ? "queue holds something" : "queue is empty";
    case View::stack:
      return given.pending ? "stack holds something" : "stack is empty";
    case View::tally: {
      std::string out = "tally of";
      for (std::size_t op = 0; op < checker.weights.size(); ++op) {
        const Weight weight = checker.weights[op];
        if (weight == Weight::none) continue;
        const bool minus = weight == Weight::minus_one || weight == Weight::minus_value;
        const bool value = weight == Weight::plus_value || weight == Weight::minus_value;
        out += fmt::format(" {} {}{}", minus ? "-" : "+", value ? "value of " : "", ops[op].name);
      }
      return out;
    }
    case View::order: {
      std::string out = "keys are there after";
      for (const std::uint16_t op : checker.live) out += " " + ops[op].name;
      return out;
    }
  }
  return {};
}

std::string print_expected(const Checker& checker, const Expected& expected, const Model& model) {
  if (expected.field == kOutcome) return "outcome = " + model.schema.outcomes[expected.constant.word];
  const std::string field = model.schema.roles[expected.field];
  switch (expected.kind) {
    case Expected::Kind::constant:
      return field + " = " + print_value(expected.constant);
    case Expected::Kind::of_change:
      return field + " = its " + model.schema.roles[expected.role];
    case Expected::Kind::tally:
      return field + " = the tally";
    case Expected::Kind::near:
      return field + " = " +
             (expected.field == derived::kValid || expected.field == derived::kKey
                  ? ""
                  : "its " + model.schema.roles[expected.role] + " at ") +
             kNearWords[static_cast<std::size_t>(checker.near)];
  }
  return {};
}

/// The words of one line, with what it expects when they run out.
class Line {
 public:
  Line(std::string text) : text_(std::move(text)) {}
  bool take(const std::string& words) {
    skip();
    if (text_.compare(at_, words.size(), words) != 0) return false;
    const std::size_t end = at_ + words.size();
    const bool name = std::isalnum(static_cast<unsigned char>(words.back())) != 0;
    if (name && end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_'))
      return false;
    at_ = end;
    return true;
  }
  std::string word() {
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) == 0 && text_[at_] != ',' &&
           text_[at_] != '=')
      ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::string rest() {
    skip();
    std::string out = text_.substr(at_);
    at_ = text_.size();
    return out;
  }
  bool done() {
    skip();
    return at_ == text_.size();
  }
  bool value(Value& out) {
    skip();
    if (at_ >= text_.size()) return false;
    if (text_[at_] == '~') {
      const std::string digits = text_.substr(at_ + 1, 16);
      if (digits.size() != 16 || digits.find_first_not_of("0123456789abcdef") != std::string::npos) return false;
      out = Value();
      out.word = std::stoull(digits, nullptr, 16);
      at_ += 17;
      return true;
    }
    if (text_[at_] == '"') return quoted(out);
    std::size_t end = at_ + (text_[at_] == '-' ? 1 : 0);
    const std::size_t digits = end;
    while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end])) != 0) ++end;
    if (end == digits || end - digits > 18) return false;
    out = derived::number_value(std::stoll(text_.substr(at_, end - at_)));
    at_ = end;
    return true;
  }

 private:
  bool quoted(Value& out) {
    std::string bytes;
    for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] == '"') {
        out = derived::bytes_value(bytes);
        at_ = i + 1;
        return true;
      }
      if (text_[i] == '\\') {
        const std::string digits = text_.substr(i + 2, 2);
        if (i + 3 >= text_.size() || text_[i + 1] != 'x' ||
            digits.find_first_not_of("0123456789abcdef") != std::string::npos)
          return false;
        bytes += static_cast<char>(std::stoi(digits, nullptr, 16));
        i += 3;
      } else {
        bytes += text_[i];
      }
    }
    return false;
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  std::string text_;
  std::size_t at_ = 0;
};

class Parser {
 public:
  Parser(const std::string& path, const Model& model) : path_(path), model_(model) {}

  Result<std::vector<Checker>> run(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      ++line_;
      const auto begin = line.find_first_not_of(" \t\r");
      if (begin == std::string::npos || line[begin] == '#') continue;
      take(Line(line));
      if (!error_.empty()) return failure(ErrorKind::bad_input, fmt::format("{}:{}: {}", path_, line_, error_));
    }
    finish();
    if (!error_.empty()) return failure(ErrorKind::bad_input, fmt::format("{}:{}: {}", path_, line_, error_));
    return std::move(all_);
  }

 private:
  void wrong(const std::string& what) {
    if (error_.empty()) error_ = what;
  }
  int op(const std::string& name) {
    const int number = model_.op(name);
    if (number >= 0) return number;
    std::vector<std::string> names;
    for (const auto& each : model_.schema.ops) names.push_back(each.name);
    const std::string guess = did_you_mean(name, names);
    wrong(fmt::format("'{}' is no operation of the model{}", name,
                      guess.empty() ? "" : fmt::format("; did you mean {}", guess)));
    return 0;
  }
  std::uint8_t role(const std::string& name) {
    const int number = model_.role(name);
    if (number < 0) wrong(fmt::format("'{}' is no role of the model", name));
    return static_cast<std::uint8_t>(std::max(number, 0));
  }

  void take(Line line) {
    if (line.take("system")) {
      const std::string name = line.word();
      if (name != model_.system)
        wrong(fmt::format("these are checkers of {}, the model is of {}", name, model_.system));
    } else if (line.take("checker")) {
      finish();
      Checker checker;
      checker.name = line.word();
      if (checker.name.empty()) wrong("a checker has a name");
      for (const Checker& other : all_) {
        if (other.name == checker.name) wrong(fmt::format("two checkers are called {}", checker.name));
      }
      all_.push_back(std::move(checker));
      has_when_ = has_given_ = false;
    } else if (all_.empty()) {
      wrong("before the first checker only 'system NAME' can stand");
    } else if (line.take("from")) {
      all_.back().origins.push_back(line.rest());
    } else if (line.take("support")) {
      all_.back().assertions = static_cast<std::uint32_t>(std::atoi(line.word().c_str()));
      (void)line.take("assertions");
      (void)line.take(",");
      all_.back().tests = static_cast<std::uint32_t>(std::atoi(line.word().c_str()));
      (void)line.rest();
    } else if (line.take("given")) {
      has_given_ = true;
      given(line);
    } else if (line.take("when")) {
      has_when_ = true;
      all_.back().op = static_cast<std::uint16_t>(op(line.word()));
      if (!derived::reads(model_.schema.ops[all_.back().op].kind)) wrong("a checker judges an operation that reads");
      if (line.take("as of the handle")) all_.back().given.as_of = true;
    } else if (line.take("then")) {
      expected(line);
    } else if (line.take("unless")) {
      derived::Unless unless;
      unless.role = role(line.word());
      if (!line.take("=") || !line.value(unless.value)) wrong("a condition is 'unless NAME = VALUE'");
      all_.back().unless.push_back(unless);
    } else {
      wrong("a checker's lines begin with from, given, when, then, unless or support");
    }
    if (error_.empty() && !line.done()) wrong(fmt::format("'{}' was not expected here", line.rest()));
  }

  void given(Line& line) {
    Checker& checker = all_.back();
    Given& given = checker.given;
    if (line.take("nothing was changed")) {
      given.change = Given::kNothing;
    } else if (line.take("nothing to match")) {
      given.view = View::last_match;
      given.change = Given::kNothing;
    } else if (line.take("nothing was first")) {
      given.view = View::first;
      given.change = Given::kNothing;
    } else if (line.take("last change is") || (line.take("first change is") && ((given.view = View::first), true))) {
      given.change = op(line.word());
      if (line.take("with the same value")) {
        given.view = View::last_match;
        given.same = true;
      } else if (line.take("with another value")) {
        given.view = View::last_match;
      }
      given.reopened = line.take(", opened again since");
    } else if (line.take("queue holds something")) {
      given.view = View::queue;
      given.pending = true;
    } else if (line.take("queue is empty")) {
      given.view = View::queue;
    } else if (line.take("stack holds something")) {
      given.view = View::stack;
      given.pending = true;
    } else if (line.take("stack is empty")) {
      given.view = View::stack;
    } else if (line.take("tally of")) {
      given.view = View::tally;
      checker.weights.assign(model_.schema.ops.size(), Weight::none);
      while (!line.done() && error_.empty()) {
        const bool minus = line.take("-");
        if (!minus && !line.take("+")) wrong("a tally is a sum: tally of + value of Add - Remove");
        const bool value = line.take("value of");
        const int number = op(line.word());
        checker.weights[static_cast<std::size_t>(number)] =
            value ? (minus ? Weight::minus_value : Weight::plus_value) : (minus ? Weight::minus_one : Weight::plus_one);
      }
    } else if (line.take("keys are there after")) {
      given.view = View::order;
      while (!line.done() && error_.empty()) checker.live.push_back(static_cast<std::uint16_t>(op(line.word())));
    } else {
      wrong(
          "a given is 'last change is OP', 'first change is OP', 'nothing was changed', 'queue holds something', "
          "'queue is "
          "empty', 'tally of + value of OP', or 'keys are there after OP'");
    }
  }

  void expected(Line& line) {
    Checker& checker = all_.back();
    Expected expected;
    const std::string field = line.word();
    if (!line.take("=")) wrong("an expectation is 'then RESULT = …'");
    if (field == "outcome") {
      const std::string name = line.word();
      const int outcome = model_.outcome(name);
      if (outcome < 0) wrong(fmt::format("'{}' is no outcome of the model", name));
      expected.constant = derived::number_value(std::max(outcome, 0));
      checker.then.push_back(expected);
      return;
    }
    expected.field = role(field);
    expected.role = expected.field;
    if (line.take("the tally")) {
      expected.kind = Expected::Kind::tally;
    } else if (checker.given.view == View::order) {
      expected.kind = Expected::Kind::near;
      if (line.take("its")) {
        expected.role = role(line.word());
        if (!line.take("at")) wrong("of a key that a cursor is at: 'value = its value at the next key'");
      }
      bool found = false;
      for (std::size_t i = 0; i < kNearWords.size() && !found; ++i) {
        if (!line.take(kNearWords[i])) continue;
        checker.near = static_cast<Near>(i);
        found = true;
      }
      if (!found) wrong("where a cursor is: the smallest key, the next key, the first key from key on …");
    } else if (line.take("its")) {
      expected.kind = Expected::Kind::of_change;
      expected.role = role(line.word());
    } else if (!line.value(expected.constant)) {
      wrong("a result is a number, a text in quotes, 'its ROLE' or 'the tally'");
    }
    checker.then.push_back(expected);
  }

  void finish() {
    if (all_.empty() || !error_.empty()) return;
    if (!has_given_ || !has_when_ || all_.back().then.empty()) {
      wrong(fmt::format("checker {} needs given, when and then", all_.back().name));
    }
  }

  const std::string path_;
  const Model& model_;
  std::vector<Checker> all_;
  std::string error_;
  int line_ = 0;
  bool has_when_ = false, has_given_ = false;
};

}  // namespace

std::string print_checkers(const std::vector<Checker>& checkers, const Model& model) {
  std::string out = fmt::format(
      "# Checkers of {}, derived from its tests. Edit and delete as you see fit: this text is what is compiled.\n"
      "# 'its value' is that of the change in 'given'.\nsystem {}\n",
      model.system, model.system);
  for (const Checker& checker : checkers) {
    out += fmt::format("\nchecker {}\n  given   {}\n  when    {}{}\n", checker.name, print_given(checker, model),
                       model.schema.ops[checker.op].name, checker.given.as_of ? " as of the handle" : "");
    for (const Expected& expected : checker.then) out += "  then    " + print_expected(checker, expected, model) + "\n";
    for (const derived::Unless& unless : checker.unless) {
      out += fmt::format("  unless  {} = {}\n", model.schema.roles[unless.role], print_value(unless.value));
    }
    out += fmt::format("  support {} assertions, {} tests\n", checker.assertions, checker.tests);
    for (const std::string& origin : checker.origins) out += "  from    " + origin + "\n";
  }
  return out;
}

Result<std::vector<Checker>> parse_checkers(const std::string& text, const std::string& path, const Model& model) {
  return Parser(path, model).run(text);
}

Result<std::vector<Checker>> read_checkers(const std::string& path, const Model& model) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return failure(ErrorKind::io, path + ": cannot be read");
  return parse_checkers(std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>()), path,
                        model);
}

}  // namespace tenet::from_tests
