/// The protocols and wrong variants of one commit.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "git.h"
#include "tenet/base/diagnostic.h"
#include "tenet/base/result.h"
#include "tenet/base/source.h"
#include "tenet/frontend/frontend.h"
#include "tenet/ir/protocol.h"

namespace tenet::gate {

/// A `.tenet` file. Variants are loaded when they are asked for.
struct TreeFile {
  std::string path;  ///< from the root of the repository
  std::string id;    ///< of its bytes, and of those of the protocol that a variant edits
  std::string bytes;
  std::shared_ptr<const SourceFile> source;  ///< text empty if it cannot be used
  frontend::FileKind kind = frontend::FileKind::unknown;
  std::shared_ptr<const ir::Protocol> protocol;  ///< null: it does not load, or is none
  std::optional<std::size_t> base;               ///< of a variant: the file of its protocol
  std::vector<std::string> errors;               ///< ready to print
};

class Tree {
 public:
  /// Reads every `.tenet` file of the commit. Errors: `io`.
  [[nodiscard]] static Result<Tree> read(const Repository& repository, const std::string& commit);

  [[nodiscard]] const std::vector<TreeFile>& files() const { return files_; }
  [[nodiscard]] const TreeFile* find(const std::string& path) const;
  /// The variant in a file, or why there is none.
  [[nodiscard]] tl::expected<frontend::Variant, std::vector<std::string>> variant(const TreeFile& file) const;

 private:
  [[nodiscard]] std::optional<std::size_t> protocol_for(const TreeFile& variant) const;
  std::vector<TreeFile> files_;
};

/// A folder of our own with all files of a tree; removed with everything in it.
class Checkout {
 public:
  /// Errors: `io`.
  [[nodiscard]] static Result<Checkout> make(const Tree& tree);
  ~Checkout();
  Checkout(Checkout&& other) noexcept : folder_(std::move(other.folder_)) { other.folder_.clear(); }
  Checkout(const Checkout&) = delete;
  Checkout& operator=(const Checkout&) = delete;
  Checkout& operator=(Checkout&&) = delete;

  [[nodiscard]] std::string place(const std::string& path) const { return prefix() + path; }
  /// What stands before the path of every file.
  [[nodiscard]] std::string prefix() const { return folder_ + "/"; }

 private:
  explicit Checkout(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

}  // namespace tenet::gate
