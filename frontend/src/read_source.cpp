#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>
#include <string_view>

#include "tenet/base/utf8.h"
#include "tenet/frontend/frontend.h"

namespace tenet::frontend {

namespace {

tl::unexpected<Error> unreadable(const std::string& path, std::string_view cause) {
  return failure(ErrorKind::bad_input, fmt::format("cannot read '{}': {}", path, cause));
}

/// "byte 12 (line 2)": columns are no use where the text is none.
std::string byte_in(std::string_view text, std::size_t at) {
  return fmt::format("byte {} (line {})", at,
                     1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

}  // namespace

Result<SourceFile> read_source(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return unreadable(path, "there is no such file");
  if (error) return unreadable(path, error.message());
  if (std::filesystem::is_directory(status)) return unreadable(path, "it is a directory");
  // Opening a pipe that nobody writes to would wait for ever.
  if (std::filesystem::is_fifo(status)) return unreadable(path, "it is a pipe; a file is needed");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return unreadable(path, errno != 0 ? std::strerror(errno) : "it cannot be opened");
  return read_source(in, path);
}

Result<SourceFile> read_source(std::istream& in, const std::string& path) {
  // Piece by piece, because a device has no size to ask for; one byte more than
  // allowed shows that there is too much.
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  std::string text;
  while (in && text.size() <= kMaxFileBytes) {
    const std::size_t before = text.size();
    text.resize(std::min(before + kPiece, kMaxFileBytes + 1));
    in.read(text.data() + before, static_cast<std::streamsize>(text.size() - before));
    text.resize(before + static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) return unreadable(path, "reading failed");
  if (text.empty()) return unreadable(path, "the file is empty");
  if (text.size() > kMaxFileBytes) {
    return unreadable(path, fmt::format("the file is too large: at most {} bytes ({} MB) are read", kMaxFileBytes,
                                        kMaxFileBytes >> 20));
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos) {
    return unreadable(path, fmt::format("this is no text: {} is zero", byte_in(text, zero)));
  }
  if (const std::size_t bad = first_invalid_utf8(text); bad != std::string::npos) {
    return unreadable(path, fmt::format("this is not UTF-8: {} is 0x{:02x}", byte_in(text, bad),
                                        static_cast<unsigned char>(text[bad])));
  }
  return SourceFile(path, std::move(text));
}

}  // namespace tenet::frontend
