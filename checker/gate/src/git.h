/// Reading a Git repository by its own program. Nothing is written to it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tenet/base/result.h"

namespace tenet::gate {

/// A regular file of a commit.
struct Blob {
  std::string path;  ///< from the root of the repository
  std::string id;    ///< of the object: equal ids are equal bytes
};

/// Every question is one child process, its words handed over as they are:
/// there is no shell. What users write stands where Git takes no option.
class Repository {
 public:
  /// The repository that `folder` is in. Errors: `io` if there is no Git or no
  /// repository, in Git's words.
  [[nodiscard]] static Result<Repository> open(const std::string& folder);

  /// The commit that `revision` names. Errors: `bad_input`.
  [[nodiscard]] Result<std::string> commit(const std::string& revision) const;
  /// The best common ancestor; nothing if there is none in what was cloned.
  [[nodiscard]] Result<std::optional<std::string>> merge_base(const std::string& a, const std::string& b) const;
  /// History was cut off when this was cloned.
  [[nodiscard]] bool shallow() const;
  /// Regular files whose name ends in `extension`, ascending. Links are left out.
  [[nodiscard]] Result<std::vector<Blob>> files(const std::string& commit, const std::string& extension) const;
  /// One file of a commit; nothing if it is not there.
  [[nodiscard]] Result<std::optional<std::string>> file(const std::string& commit, const std::string& path) const;
  /// The bytes of the objects, by id. Errors: `io` if one is missing.
  [[nodiscard]] Result<std::map<std::string, std::string>> contents(const std::vector<Blob>& blobs) const;

 private:
  explicit Repository(std::string root) : root_(std::move(root)) {}
  std::string root_;
};

}  // namespace tenet::gate
