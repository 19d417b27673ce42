#include "tree.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

namespace tenet::gate {
namespace {

namespace fs = std::filesystem;

void add_errors(const Diagnostics& diagnostics, const SourceFile& source, std::vector<std::string>& errors) {
  for (const Diagnostic& each : diagnostics.sorted()) {
    if (each.severity != Severity::error) continue;
    const LineColumn at = source.position(each.span.begin);
    errors.push_back(fmt::format("{}:{}:{}: {}", source.path(), at.line, at.column, each.message));
  }
}

TreeFile load(const Blob& blob, const std::string& bytes) {
  TreeFile file;
  file.path = blob.path;
  file.id = blob.id;
  file.bytes = bytes;
  std::istringstream stream(bytes);
  auto source = frontend::read_source(stream, blob.path);
  if (!source) {
    file.source = std::make_shared<SourceFile>(blob.path, "");
    file.errors.push_back(source.error().message);
    return file;
  }
  file.source = std::make_shared<SourceFile>(std::move(*source));
  file.kind = frontend::kind_of(*file.source);
  if (file.kind == frontend::FileKind::variant) return file;
  frontend::Loaded loaded = frontend::load_protocol(*file.source);
  add_errors(loaded.diagnostics, *file.source, file.errors);
  if (loaded.protocol && file.errors.empty()) {
    file.protocol = std::make_shared<ir::Protocol>(std::move(*loaded.protocol));
  }
  return file;
}

}  // namespace

Result<Tree> Tree::read(const Repository& repository, const std::string& commit) {
  const auto blobs = repository.files(commit, ".tenet");
  if (!blobs) return tl::make_unexpected(blobs.error());
  const auto contents = repository.contents(*blobs);
  if (!contents) return tl::make_unexpected(contents.error());
  Tree tree;
  for (const Blob& blob : *blobs) tree.files_.push_back(load(blob, contents->at(blob.id)));
  for (TreeFile& file : tree.files_) {
    if (file.kind != frontend::FileKind::variant) continue;
    file.base = tree.protocol_for(file);
    if (file.base) file.id += " of " + tree.files_[*file.base].path + " " + tree.files_[*file.base].id;
  }
  return tree;
}

const TreeFile* Tree::find(const std::string& path) const {
  const auto at = std::lower_bound(files_.begin(), files_.end(), path,
                                   [](const TreeFile& file, const std::string& wanted) { return file.path < wanted; });
  return at != files_.end() && at->path == path ? &*at : nullptr;
}

/// As `verify` finds it: in the nearest folder at or above that of the variant.
std::optional<std::size_t> Tree::protocol_for(const TreeFile& variant) const {
  const std::string name = frontend::protocol_of_variant(*variant.source);
  for (fs::path folder = fs::path(variant.path).parent_path();; folder = folder.parent_path()) {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const TreeFile& file = files_[i];
      const fs::path path(file.path);
      if (file.kind != frontend::FileKind::protocol || path.parent_path() != folder) continue;
      if (file.protocol ? file.protocol->name == name : path.stem() == name) return i;
    }
    if (folder.empty()) return std::nullopt;
  }
}

tl::expected<frontend::Variant, std::vector<std::string>> Tree::variant(const TreeFile& file) const {
  using Errors = std::vector<std::string>;
  if (!file.base) {
    return tl::make_unexpected(Errors{fmt::format("{}: no protocol '{}' in the folder of this variant or above it",
                                                  file.path, frontend::protocol_of_variant(*file.source))});
  }
  const TreeFile& protocol = files_[*file.base];
  if (!protocol.protocol) {
    return tl::make_unexpected(Errors{fmt::format("{}: the protocol in {} has errors", file.path, protocol.path)});
  }
  frontend::LoadedVariant loaded = frontend::load_variant(*file.source, *protocol.source);
  Errors errors;
  add_errors(loaded.diagnostics, *file.source, errors);
  if (loaded.variant && errors.empty()) return std::move(*loaded.variant);
  return tl::make_unexpected(errors);
}

Result<Checkout> Checkout::make(const Tree& tree) {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  if (error) return failure(ErrorKind::io, "no folder for temporary files: " + error.message());
  std::string folder = (temporary / "tenet-gate-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    return failure(ErrorKind::io,
                   "cannot make a folder in " + temporary.string() + ": " + std::generic_category().message(errno));
  }
  Checkout checkout(std::move(folder));
  for (const TreeFile& file : tree.files()) {
    const fs::path place = checkout.place(file.path);
    fs::create_directories(place.parent_path(), error);
    std::ofstream out(place, std::ios::binary);
    out.write(file.bytes.data(), static_cast<std::streamsize>(file.bytes.size()));
    out.close();
    if (!out) return failure(ErrorKind::io, "cannot write " + place.string());
  }
  return checkout;
}

Checkout::~Checkout() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

}  // namespace tenet::gate
