#include "names.h"

#include <algorithm>
#include <array>

namespace tenet::smt {
namespace {

bool simple(unsigned char c) {
  constexpr std::string_view kOthers = "~!@$%^&*_-+=<>.?/";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kOthers.find(static_cast<char>(c)) != std::string_view::npos;
}

/// The bytes that may stand between `|` and `|`.
std::string encoded(std::string_view name) {
  constexpr std::array<char, 16> kDigits = {'0', '1', '2', '3', '4', '5', '6', '7',
                                            '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'};
  std::string result;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e || c == '|' || c == '\\' || c == '%') {
      result += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string Names::allocate(char prefix, std::string_view name) {
  const std::string base = prefix + encoded(name);
  std::string candidate = base;
  std::uint64_t& next = next_.try_emplace(base, 1).first->second;
  while (!taken_.insert(candidate).second) candidate = base + '!' + std::to_string(++next);
  const bool bare =
      std::all_of(candidate.begin(), candidate.end(), [](char c) { return simple(static_cast<unsigned char>(c)); });
  return bare ? candidate : '|' + candidate + '|';
}

const std::string& Names::sort(Sort sort) {
  std::string& text = sorts_[sort];
  if (!text.empty()) return text;
  const bool ours = sort.kind() == SortKind::uninterpreted || sort.kind() == SortKind::enumeration;
  return text = ours ? allocate('$', sort.name()) : sort.name();
}

const std::string& Names::function(Function function) {
  std::string& text = functions_[function];
  return text.empty() ? text = allocate('$', function.name()) : text;
}

const std::string& Names::enumerator(Sort sort, std::size_t member) {
  std::vector<std::string>& texts = members_[sort];
  if (texts.empty()) {
    for (const std::string& name : sort.members()) texts.push_back(allocate('$', sort.name() + '.' + name));
  }
  return texts[member];
}

const std::string& Names::variable(Term variable) {
  std::string& text = variables_[variable];
  return text.empty() ? text = allocate('?', variable.variable_name()) : text;
}

const std::string& Names::label(std::string_view text) {
  const auto found = labels_.find(text);
  if (found != labels_.end()) return found->second;
  return labels_.emplace(std::string(text), allocate('&', text)).first->second;
}

const std::string& Names::quantifier(std::string_view text) {
  const auto found = quantifiers_.find(text);
  if (found != quantifiers_.end()) return found->second;
  return quantifiers_.emplace(std::string(text), allocate('^', text)).first->second;
}

std::size_t Names::find_member(Sort sort, std::string_view symbol) {
  (void)enumerator(sort, 0);
  const std::vector<std::string>& texts = members_[sort];
  const auto bare = [](std::string_view s) {
    return s.size() >= 2 && s.front() == '|' && s.back() == '|' ? s.substr(1, s.size() - 2) : s;
  };
  const auto found =
      std::find_if(texts.begin(), texts.end(), [&](const std::string& t) { return bare(t) == bare(symbol); });
  return static_cast<std::size_t>(found - texts.begin());
}

}  // namespace tenet::smt
