/// A file of lines that is appended to, and may be on a full disk. Nothing here waits: a pipe that nobody reads, or
/// that is full, loses lines.
#pragma once

#include <string>

namespace tenet::monitor {

/// Appends whole lines. A line that cannot be written whole is cut off again and reported as lost; the next one is
/// tried anew.
class LineFile {
 public:
  LineFile() = default;
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  /// What a killed process left of a line is cut off. False: it cannot be opened (every line is then lost).
  bool open(const std::string& path);
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  [[nodiscard]] bool empty() const;
  bool append(std::string line);

 private:
  int fd_ = -1;
};

/// All of a regular file, nothing else. False: there is none, or it cannot be read.
bool read_regular(const std::string& path, std::string& text);
/// Replaces the file at once: a reader sees the old text or the new one.
bool replace_file(const std::string& path, const std::string& text);

}  // namespace tenet::monitor
