#include "choices.h"

#include <algorithm>

namespace tenet::result {
namespace {

/// The locals bound by `choose` on one way through a body.
using Path = std::vector<ir::LocalId>;
/// More ways than this through one step are not told apart.
constexpr std::size_t kMaxPaths = 64;

std::vector<Path> paths(const ir::Protocol& protocol, const std::vector<ir::StmtId>& body) {
  std::vector<Path> result{{}};
  for (const ir::StmtId id : body) {
    const ir::Stmt& stmt = protocol[id];
    if (stmt.kind == ir::StmtKind::choose) {
      for (Path& path : result) path.push_back(stmt.local);
    } else if (stmt.kind == ir::StmtKind::if_) {
      std::vector<Path> branches = paths(protocol, stmt.then_branch);
      for (Path& other : paths(protocol, stmt.else_branch)) {
        if (std::find(branches.begin(), branches.end(), other) == branches.end()) branches.push_back(std::move(other));
      }
      std::vector<Path> longer;
      for (const Path& path : result) {
        for (const Path& branch : branches) {
          if (longer.size() >= kMaxPaths) break;
          longer.push_back(path);
          longer.back().insert(longer.back().end(), branch.begin(), branch.end());
        }
      }
      result = std::move(longer);
    }
  }
  return result;
}

}  // namespace

void add_choices(const Words& words, const ir::Step& step, const std::vector<ir::Value>& choices,
                 std::vector<NamedText>& out) {
  if (choices.empty()) return;
  std::vector<Path> candidates = paths(words.protocol, step.body);
  std::erase_if(candidates, [&](const Path& path) {
    if (path.size() != choices.size()) return true;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const ir::LocalDecl& local = words.protocol[path[i]];
      if (!words.instance.within(words.protocol, local.type, local.name, choices[i])) return true;
    }
    return false;
  });
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (candidates.empty()) {
      out.emplace_back("choice " + std::to_string(i + 1), std::to_string(choices[i].number));
      continue;
    }
    const ir::LocalDecl& first = words.protocol[candidates.front()[i]];
    const bool agreed = std::all_of(candidates.begin(), candidates.end(), [&](const Path& path) {
      return words.protocol[path[i]].name == first.name && words.protocol[path[i]].type == first.type;
    });
    out.emplace_back(agreed ? first.name : "choice " + std::to_string(i + 1), words.value(first.type, choices[i]));
  }
}

}  // namespace tenet::result
