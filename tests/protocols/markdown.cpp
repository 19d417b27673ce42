#include "markdown.h"

#include <sstream>

namespace tenet::tests {

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<Fence> fences(const std::vector<std::string>& page) {
  std::vector<Fence> found;
  bool inside = false;
  for (std::size_t i = 0; i < page.size(); ++i) {
    if (!page[i].starts_with("```")) {
      if (inside) found.back().lines.push_back(page[i]);
      continue;
    }
    inside = !inside;
    if (!inside) continue;
    std::istringstream opening(page[i].substr(3));
    Fence fence;
    opening >> fence.language >> std::ws;
    std::getline(opening, fence.argument);
    fence.first_line = i + 1;
    found.push_back(std::move(fence));
  }
  return found;
}

std::vector<Command> commands(const Fence& fence) {
  std::vector<Command> found;
  for (const std::string& line : fence.lines) {
    if (line.starts_with("$ ")) {
      found.push_back({line.substr(2), {}});
    } else if (!found.empty()) {
      found.back().output.push_back(line);
    }
  }
  return found;
}

}  // namespace tenet::tests
