/// The fenced blocks of a Markdown page, enough to try what a page shows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tenet::tests {

/// One fenced block: "```LANGUAGE ARGUMENT" … "```".
struct Fence {
  std::string language;
  std::string argument;  ///< the rest of the opening line
  std::vector<std::string> lines;
  std::size_t first_line = 0;  ///< index in the page of the line after the opening one
};

[[nodiscard]] std::vector<std::string> split_lines(const std::string& text);
[[nodiscard]] std::string join_lines(const std::vector<std::string>& lines);
[[nodiscard]] std::vector<Fence> fences(const std::vector<std::string>& page);

/// A command of a `console` block ("$ …") and what it printed.
struct Command {
  std::string text;
  std::vector<std::string> output;
};
[[nodiscard]] std::vector<Command> commands(const Fence& fence);

}  // namespace tenet::tests
