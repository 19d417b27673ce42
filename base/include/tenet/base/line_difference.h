/// How two texts differ, for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tenet {

/// The difference of two texts line by line, in the unified format of POSIX
/// `diff -u` without its two header lines: hunks with three lines around what
/// changed, "-" before what only `before` has, "+" before what only `after` has.
/// Empty if the texts are equal. After `most_lines` lines (at least one) a last
/// line says how many more there are. What differs over more than some thousand
/// lines is shown as one block: correct, but not the shortest.
[[nodiscard]] std::string unified_difference(std::string_view before, std::string_view after, std::size_t most_lines);

/// The first line, from 1, at which the texts differ; 0 if they are equal.
[[nodiscard]] std::size_t first_different_line(std::string_view before, std::string_view after);

}  // namespace tenet
