#include "support.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace tenet::smt {

std::string output_of(const std::string& command) {
  std::string result;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer;
  for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    result.append(buffer.data(), got);
  ::pclose(pipe);
  return result;
}

std::string run_script(const std::string& program, const std::string& script) {
  std::string path = "/tmp/tenet-smt-XXXXXX";
  const int fd = ::mkstemp(path.data());
  if (fd < 0) return "no temporary file";
  ::close(fd);
  std::ofstream(path) << script;
  std::string result = output_of(program + " " + path + " 2>&1");
  ::unlink(path.c_str());
  return result;
}

}  // namespace tenet::smt
