/// ANSI colours, or none.
#pragma once

#include <string>
#include <string_view>

namespace tenet::report {

class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  [[nodiscard]] std::string bold(std::string_view text) const { return wrap("1", text); }
  [[nodiscard]] std::string dim(std::string_view text) const { return wrap("2", text); }
  [[nodiscard]] std::string bad(std::string_view text) const { return wrap("1;31", text); }
  [[nodiscard]] std::string good(std::string_view text) const { return wrap("32", text); }
  [[nodiscard]] std::string open(std::string_view text) const { return wrap("33", text); }
  [[nodiscard]] std::string name(std::string_view text) const { return wrap("36", text); }

 private:
  [[nodiscard]] std::string wrap(std::string_view code, std::string_view text) const {
    std::string result;
    if (on_) result.append("\x1b[").append(code).append("m");
    result.append(text);
    if (on_) result.append("\x1b[0m");
    return result;
  }
  bool on_;
};

}  // namespace tenet::report
