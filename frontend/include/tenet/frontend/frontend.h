/// From protocol text to IR.
///
/// ```
/// tenet::SourceFile file("paxos.tenet", text);
/// tenet::frontend::Loaded loaded = tenet::frontend::load_protocol(file);
/// if (!loaded.protocol) for (auto& d : loaded.diagnostics.sorted()) std::cerr << render(d, file, false);
/// ```
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenet/base/diagnostic.h"
#include "tenet/base/result.h"
#include "tenet/base/source.h"
#include "tenet/ir/edit.h"
#include "tenet/ir/protocol.h"

namespace tenet::frontend {

/// Longer files are refused before parsing.
inline constexpr std::size_t kMaxFileBytes = 8u << 20;
/// Deeper nesting of expressions, types and blocks is refused while parsing.
inline constexpr int kMaxNesting = 200;

/// Reads a file: missing, a directory, a pipe, empty, too large, binary (a NUL
/// byte) or not UTF-8 are errors with a cause.
[[nodiscard]] Result<SourceFile> read_source(const std::string& path);
/// Reads a stream to its end, with the same limits on what is in it; `path` is
/// what to call it.
[[nodiscard]] Result<SourceFile> read_source(std::istream& in, const std::string& path);

/// The languages that are read.
enum class Language {
  tenet,   ///< `.tenet`, and whatever has another name
  mypyvy,  ///< `.pyv`: docs/pyv.md says what of it
};
/// By the ending of the file's name.
[[nodiscard]] Language language_of(const SourceFile& file);
/// Whether files of that name are taken from a folder: `.tenet`, `.pyv`.
[[nodiscard]] bool is_protocol_path(const std::string& path);

enum class FileKind { protocol, variant, unknown };
/// What a file declares, from its first word; comments are skipped. Files in
/// mypyvy's language are protocols.
[[nodiscard]] FileKind kind_of(const SourceFile& file);

struct Loaded {
  std::optional<ir::Protocol> protocol;  ///< only if there are no errors
  Diagnostics diagnostics;
};
/// Parses, resolves names, checks types and lowers. Never throws.
[[nodiscard]] Loaded load_protocol(const SourceFile& file);

/// A wrong variant: an edit of a protocol that must violate a property.
struct Variant {
  std::string name;
  std::string protocol_name;  ///< after `of`
  std::string doc;
  std::string expected_property;
  Span expected_span;
  std::vector<ir::Edit> edits;
  std::string description;  ///< the edits in one line of text
  ir::Protocol protocol;    ///< with the edits applied
};
struct LoadedVariant {
  std::optional<Variant> variant;
  Diagnostics diagnostics;  ///< of the variant file
};
/// The name of the protocol that a variant file edits, without loading it;
/// empty if the text does not say.
[[nodiscard]] std::string protocol_of_variant(const SourceFile& file);
/// Lowers a variant against the protocol in `base` (which must load cleanly).
[[nodiscard]] LoadedVariant load_variant(const SourceFile& file, const SourceFile& base);

/// The text in canonical layout; comments stay where they belong. Applying it
/// twice changes nothing. Errors: the file does not parse.
struct Formatted {
  std::optional<std::string> text;
  Diagnostics diagnostics;
};
[[nodiscard]] Formatted format(const SourceFile& file);

}  // namespace tenet::frontend
