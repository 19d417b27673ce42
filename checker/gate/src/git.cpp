#include "git.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "process.h"

namespace tenet::gate {
namespace {

Result<Finished> git(const std::string& folder, const std::vector<std::string>& words, const std::string& input = "") {
  // No pager, no locks for other users, no objects that stand in for others.
  std::vector<std::string> all{"git", "--no-pager", "--no-optional-locks", "--no-replace-objects", "-C", folder};
  all.insert(all.end(), words.begin(), words.end());
  return run_process(all, input);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

tl::unexpected<Error> refused(const std::string& what, const Finished& finished) {
  const std::string why = first_line(finished.errors);
  return failure(ErrorKind::io, what + ": " + (why.empty() ? fmt::format("git ends with {}", finished.status) : why));
}

/// "a/b.tenet": what can be a file under a folder of ours and nowhere else.
bool stays_inside(std::string_view path) {
  if (path.empty() || path.front() == '/') return false;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return true;
}

/// One entry of `ls-tree -z`: "MODE TYPE ID\tPATH".
std::optional<Blob> regular_file(std::string_view entry) {
  const std::size_t tab = entry.find('\t');
  if (tab == std::string_view::npos || !entry.starts_with("100")) return std::nullopt;
  const std::string_view head = entry.substr(0, tab);
  const std::size_t space = head.rfind(' ');
  return Blob{std::string(entry.substr(tab + 1)), std::string(head.substr(space + 1))};
}

}  // namespace

Result<Repository> Repository::open(const std::string& folder) {
  const auto done = git(folder, {"rev-parse", "--show-toplevel"});
  if (!done) return tl::make_unexpected(done.error());
  if (done->status != 0) return refused("no Git repository in '" + folder + "'", *done);
  return Repository(first_line(done->output));
}

Result<std::string> Repository::commit(const std::string& revision) const {
  const auto done = git(root_, {"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  if (!done) return tl::make_unexpected(done.error());
  if (done->status != 0) {
    return failure(ErrorKind::bad_input, fmt::format("there is no commit '{}' in this clone", revision));
  }
  return first_line(done->output);
}

Result<std::optional<std::string>> Repository::merge_base(const std::string& a, const std::string& b) const {
  const auto done = git(root_, {"merge-base", a, b});
  if (!done) return tl::make_unexpected(done.error());
  if (done->status == 1) return std::nullopt;
  if (done->status != 0) return refused("cannot compare the revisions", *done);
  return first_line(done->output);
}

bool Repository::shallow() const {
  const auto done = git(root_, {"rev-parse", "--is-shallow-repository"});
  return done && first_line(done->output) == "true";
}

Result<std::vector<Blob>> Repository::files(const std::string& commit, const std::string& extension) const {
  const auto done = git(root_, {"ls-tree", "-r", "-z", "--full-tree", commit});
  if (!done) return tl::make_unexpected(done.error());
  if (done->status != 0) return refused("cannot list " + commit, *done);
  std::vector<Blob> blobs;
  for (std::size_t begin = 0; begin < done->output.size();) {
    const std::size_t end = std::min(done->output.find('\0', begin), done->output.size());
    auto blob = regular_file(std::string_view(done->output).substr(begin, end - begin));
    begin = end + 1;
    if (!blob || !blob->path.ends_with(extension)) continue;
    if (!stays_inside(blob->path)) return failure(ErrorKind::bad_input, "a path that leaves the tree: " + blob->path);
    blobs.push_back(std::move(*blob));
  }
  std::sort(blobs.begin(), blobs.end(), [](const Blob& a, const Blob& b) { return a.path < b.path; });
  return blobs;
}

Result<std::optional<std::string>> Repository::file(const std::string& commit, const std::string& path) const {
  const auto listed = git(root_, {"ls-tree", "-z", "--full-tree", commit, "--", path});
  if (!listed) return tl::make_unexpected(listed.error());
  if (listed->status != 0) return refused("cannot list " + commit, *listed);
  if (listed->output.empty()) return std::nullopt;
  const auto blob = regular_file(std::string_view(listed->output).substr(0, listed->output.find('\0')));
  if (!blob) return failure(ErrorKind::bad_input, path + " is no regular file");
  auto bytes = contents({*blob});
  if (!bytes) return tl::make_unexpected(bytes.error());
  return std::move(bytes->begin()->second);
}

Result<std::map<std::string, std::string>> Repository::contents(const std::vector<Blob>& blobs) const {
  std::set<std::string> ids;
  for (const Blob& blob : blobs) ids.insert(blob.id);
  std::string input;
  for (const std::string& id : ids) input += id + "\n";
  const auto done = git(root_, {"cat-file", "--batch"}, input);
  if (!done) return tl::make_unexpected(done.error());
  if (done->status != 0) return refused("cannot read the files of a commit", *done);
  std::map<std::string, std::string> found;
  std::size_t at = 0;
  for (const std::string& id : ids) {
    // "ID blob SIZE\n" and so many bytes and "\n"; or "ID missing\n".
    const std::size_t line = std::min(done->output.find('\n', at), done->output.size());
    const std::string_view head = std::string_view(done->output).substr(at, line - at);
    const std::string_view digits = head.substr(head.rfind(' ') + 1);
    std::size_t size = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (!head.starts_with(id + " blob ") || parsed.ec != std::errc() || size > done->output.size() - line) {
      return failure(ErrorKind::io, fmt::format("object {} is not in this clone", id));
    }
    found[id] = done->output.substr(line + 1, size);
    at = line + 1 + size + 1;
  }
  return found;
}

}  // namespace tenet::gate
