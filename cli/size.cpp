#include <cctype>
#include <charconv>
#include <limits>

#include "arguments.h"

namespace tenet::cli {

bool parse_size(const std::string& text, std::uint64_t& bytes) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest == text.data()) return false;
  std::string unit(rest, end);
  for (char& c : unit) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (unit.size() == 3 && unit.ends_with("ib")) unit.resize(1);
  if (unit.size() == 2 && unit.ends_with("b")) unit.resize(1);
  int shift = 0;
  if (unit == "k") {
    shift = 10;
  } else if (unit == "m") {
    shift = 20;
  } else if (unit == "g") {
    shift = 30;
  } else if (unit == "t") {
    shift = 40;
  } else if (!unit.empty() && unit != "b") {
    return false;
  }
  if (number > (std::numeric_limits<std::uint64_t>::max() >> shift)) return false;
  bytes = number << shift;
  return true;
}

}  // namespace tenet::cli
