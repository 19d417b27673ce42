#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tenet/frontend/frontend.h"
#include "utf8.h"

namespace tenet::frontend {

Result<SourceFile> read_source(const std::string& path) {
  const auto fail = [&](std::string cause) {
    return failure(ErrorKind::bad_input, fmt::format("cannot read '{}': {}", path, cause));
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return fail("there is no such file");
  if (error) return fail(error.message());
  if (std::filesystem::is_directory(status)) return fail("it is a directory");
  // Opening a pipe that nobody writes to would wait for ever.
  if (std::filesystem::is_fifo(status)) return fail("it is a pipe; a file is needed");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(errno != 0 ? std::strerror(errno) : "it cannot be opened");
  // One byte more than allowed shows that there is too much; a pipe or a
  // device has no size to ask for.
  std::string text(kMaxFileBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) return fail("reading failed");
  if (text.empty()) return fail("the file is empty");
  if (text.size() > kMaxFileBytes) {
    return fail(
        fmt::format("the file is too large: at most {} bytes ({} MB) are read", kMaxFileBytes, kMaxFileBytes >> 20));
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos) {
    return fail(fmt::format("this is no text: byte {} is zero", zero));
  }
  if (const std::size_t bad = first_invalid_utf8(text); bad != std::string::npos) {
    return fail(fmt::format("this is not UTF-8: byte {} is 0x{:02x}", bad, static_cast<unsigned char>(text[bad])));
  }
  return SourceFile(path, std::move(text));
}

}  // namespace tenet::frontend
