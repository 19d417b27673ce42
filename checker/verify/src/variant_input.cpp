#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "session.h"

namespace tenet::verify {

using result::FileResult;
namespace fs = std::filesystem;

Protocols::Found Protocols::find(const std::string& variant, const std::string& name) {
  std::error_code error;
  fs::path folder = fs::absolute(variant, error).lexically_normal().parent_path();
  // The path as the user wrote it, shortened like the folder, for messages.
  fs::path shown = fs::path(variant).lexically_normal().parent_path();
  while (!error) {
    const LoadedFile* found = nullptr;
    const LoadedFile* other = nullptr;
    for (const LoadedFile& file : in_folder(folder, shown)) {
      const bool named_so = fs::path(file.result.source->path()).stem().string() == name;
      if (file.result.ir ? file.result.protocol != name : !named_so) continue;
      if (named_so) {
        found = &file;
        other = nullptr;
        break;
      }
      (found == nullptr ? found : other) = &file;
    }
    if (found != nullptr) {
      return {found->result.source, found->result.ir == nullptr, other != nullptr ? other->result.source->path() : ""};
    }
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
    shown = shown.empty() || shown.filename() == ".." ? shown / ".." : shown.parent_path();
  }
  return {};
}

const std::vector<LoadedFile>& Protocols::in_folder(const fs::path& folder, const fs::path& shown) {
  const auto known = folders_.find(folder);
  if (known != folders_.end()) return known->second;
  std::vector<fs::path> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".tenet") names.push_back(at->path().filename());
  }
  std::sort(names.begin(), names.end());
  std::vector<LoadedFile> files;
  for (const fs::path& name : names) {
    LoadedFile file = load_file((shown / name).string());
    if (file.kind == frontend::FileKind::protocol) files.push_back(std::move(file));
  }
  return folders_[folder] = std::move(files);
}

PreparedVariant prepare_variant(Protocols& protocols, LoadedFile loaded) {
  PreparedVariant result{std::move(loaded.result), std::nullopt};
  FileResult& file = result.file;
  if (!file.findings.empty() && loaded.kind != frontend::FileKind::variant) return result;
  if (loaded.kind != frontend::FileKind::variant) {
    file.findings.push_back(bad_input("not-a-variant", "this is no wrong variant: it does not begin with 'variant'"));
    return result;
  }
  const std::string name = frontend::protocol_of_variant(*file.source);
  const Protocols::Found base = name.empty() ? Protocols::Found{} : protocols.find(file.source->path(), name);
  if (!name.empty() && (!base.source || base.broken)) {
    file.findings.push_back(bad_input(
        "no-such-protocol", base.source
                                ? fmt::format("the protocol '{}' in {} has errors", name, base.source->path())
                                : fmt::format("no protocol '{}' in the folder of this variant or above it", name)));
    return result;
  }
  if (!base.other.empty()) {
    file.findings.push_back(
        bad_input("ambiguous-protocol",
                  fmt::format("{} and {} both declare the protocol '{}'", base.source->path(), base.other, name),
                  fmt::format("call the one that is meant {}.tenet", name)));
    return result;
  }
  // Without a protocol only the syntax can be looked at.
  const SourceFile no_base;
  frontend::LoadedVariant variant = frontend::load_variant(*file.source, base.source ? *base.source : no_base);
  add_diagnostics(variant.diagnostics, file);
  if (!variant.variant || variant.diagnostics.has_errors()) return result;
  result.variant = std::move(variant.variant);
  file.protocol = result.variant->name;
  file.trace_source = base.source;
  file.ir = std::make_shared<ir::Protocol>(result.variant->protocol);
  return result;
}

}  // namespace tenet::verify
