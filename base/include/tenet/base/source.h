/// Source text and positions in it.
///
/// Every construct of a protocol keeps the byte range it was written in, so
/// that a diagnostic, a finding or a trace can point at the user's own words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenet {

/// A half-open range of byte offsets in one source text. An empty span at 0
/// means "not written by the user" (made by a pass or a mutation).
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] bool empty() const { return begin >= end; }
  friend bool operator==(Span, Span) = default;
};

/// A position as people count it: both from 1; columns count code points.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  friend bool operator==(LineColumn, LineColumn) = default;
};

/// One immutable source text with its name. Copies share nothing; pass by
/// reference. Thread-safe after construction.
class SourceFile {
 public:
  SourceFile() = default;
  SourceFile(std::string path, std::string text);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  /// The text of `span`, clipped to the file.
  [[nodiscard]] std::string_view text(Span span) const;
  /// Line and column of a byte offset (clipped to the end of the file).
  [[nodiscard]] LineColumn position(std::uint32_t offset) const;
  /// The whole line (1-based) without its line break; empty if out of range.
  [[nodiscard]] std::string_view line(std::uint32_t number) const;
  [[nodiscard]] std::uint32_t line_count() const { return static_cast<std::uint32_t>(line_starts_.size()); }

 private:
  std::string path_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_{0};
};

}  // namespace tenet
