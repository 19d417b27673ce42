#include "tenet/from_tests/recording.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace tenet::from_tests {
namespace {

using nlohmann::json;

/// Bytes were written as code points below 256: back from UTF-8.
std::string bytes_of(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80 || i + 1 >= text.size()) {
      out += static_cast<char>(c);
    } else {
      out += static_cast<char>(((c & 0x03) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3f));
    }
  }
  return out;
}

derived::Value value_of(const json& value) {
  if (value.is_number()) return derived::number_value(value.get<std::int64_t>());
  if (value.is_string()) return derived::bytes_value(bytes_of(value.get<std::string>()));
  derived::Value hashed;  // too long to be written
  hashed.word = value.at("hash").get<std::uint64_t>();
  return hashed;
}

class Reader {
 public:
  Reader(const Model& model) : model_(model) {}

  Result<Recording> read(const std::string& path, const std::string& binary) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return failure(ErrorKind::io, path + ": cannot be read");
    for (std::string line; std::getline(in, line);) {
      try {
        take(json::parse(line));
      } catch (const json::exception&) {
        ++recording_.malformed;
      }
    }
    if (recording_.tests.empty())
      return failure(ErrorKind::bad_input, path + ": holds no test (was it recorded with TENET_DERIVED_RECORD?)");
    if (!binary.empty()) {
      auto placed = symbolize(binary);
      if (!placed) return tl::make_unexpected(placed.error());
    }
    return std::move(recording_);
  }

 private:
  void take(const json& line) {
    const std::string kind = line.at("e");
    if (kind == "begin") {
      RecordedTest test;
      test.suite = line.at("suite");
      test.name = line.at("name");
      recording_.tests.push_back(std::move(test));
      return;
    }
    if (recording_.tests.empty()) recording_.tests.emplace_back();  // before the first test
    RecordedTest& test = recording_.tests.back();
    if (kind == "end") {
      test.ended = true;
      test.passed = line.at("passed") == 1;
      return;
    }
    if (kind == "cut") {
      test.known_to = line.at("s");
      return;
    }
    Recorded item;
    for (const json& address : line.at("at")) item.frames.push_back(number_of(address.get<std::uint64_t>()));
    if (kind == "assert") {
      item.is_assertion = true;
      item.place = {line.at("file"), line.at("line"), 0};
      item.passed = line.at("passed") == 1;
      for (const json& value : line.at("v")) item.values.push_back(value_of(value));
      ++recording_.assertions;
    } else {
      derived::Operation& operation = item.operation;
      operation.op = line.at("op");
      operation.thread = line.at("t");
      operation.self = line.at("self");
      operation.start = line.at("s");
      operation.end = line.at("f");
      operation.outcome = line.at("o");
      operation.effect = line.at("x");
      if (operation.op >= model_.schema.ops.size() || operation.outcome >= model_.schema.outcomes.size()) {
        ++recording_.malformed;
        return;
      }
      for (const char* side : {"in", "out"}) {
        for (const json& field : line.at(side)) {
          operation.fields.push_back({field.at(0), side[0] == 'o', value_of(field.at(1))});
          if (operation.fields.back().role >= model_.schema.roles.size())
            throw json::other_error::create(501, "role", &line);
        }
      }
      ++recording_.operations;
    }
    test.items.push_back(std::move(item));
  }

  std::uint32_t number_of(std::uint64_t address) {
    const auto [place, is_new] = numbers_.try_emplace(address, static_cast<std::uint32_t>(addresses_.size()));
    if (is_new) addresses_.push_back(address);
    return place->second;
  }

  Result<bool> symbolize(const std::string& binary) {
    recording_.places.resize(addresses_.size());
    std::error_code problem;
    if (!std::filesystem::is_regular_file(binary, problem)) return failure(ErrorKind::io, binary + ": no such program");
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("tenet-derive-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder, problem);
    const std::string in = (folder / "addresses").string(), out = (folder / "places").string();
    {
      std::ofstream addresses(in);
      for (const std::uint64_t address : addresses_) addresses << "0x" << std::hex << address << "\n";
    }
    const bool done = run(binary, in, out);
    std::ifstream places(out);
    // One block for each address: the place, then those it is inlined into; an empty line ends it.
    std::size_t at = 0;
    bool first = true;
    for (std::string line; done && std::getline(places, line) && at < addresses_.size();) {
      if (line.empty()) {
        ++at;
        first = true;
        continue;
      }
      if (first) recording_.places[at] = parse(line);
      first = false;
    }
    std::filesystem::remove_all(folder, problem);
    if (!done)
      return failure(ErrorKind::unsupported,
                     "llvm-symbolizer-19 (package llvm-19) is needed to find where operations were called");
    return true;
  }

  static bool run(const std::string& binary, const std::string& in, const std::string& out) {
    const pid_t child = ::fork();
    if (child < 0) return false;
    if (child == 0) {
      if (std::freopen(in.c_str(), "r", stdin) == nullptr || std::freopen(out.c_str(), "w", stdout) == nullptr)
        ::_exit(127);
      const std::string object = "--obj=" + binary;
      for (const char* program : {"llvm-symbolizer-19", "/usr/lib/llvm-19/bin/llvm-symbolizer", "llvm-symbolizer"}) {
        ::execlp(program, program, object.c_str(), "--functions=none", "--no-inlines", nullptr);
      }
      ::_exit(127);
    }
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  static Place parse(const std::string& line) {
    const auto column = line.rfind(':');
    if (column == std::string::npos || column == 0) return {};
    const auto number = line.rfind(':', column - 1);
    if (number == std::string::npos) return {};
    return {line.substr(0, number), std::atoi(line.c_str() + number + 1), std::atoi(line.c_str() + column + 1)};
  }

  const Model& model_;
  Recording recording_;
  std::vector<std::uint64_t> addresses_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

}  // namespace

Result<Recording> read_recording(const std::string& path, const std::string& binary, const Model& model) {
  return Reader(model).read(path, binary);
}

void append(Recording& to, Recording&& more) {
  const auto base = static_cast<std::uint32_t>(to.places.size());
  to.places.insert(to.places.end(), more.places.begin(), more.places.end());
  for (RecordedTest& test : more.tests) {
    for (Recorded& item : test.items) {
      for (std::uint32_t& frame : item.frames) frame += base;
    }
    to.tests.push_back(std::move(test));
  }
  to.operations += more.operations;
  to.assertions += more.assertions;
  to.malformed += more.malformed;
}

}  // namespace tenet::from_tests
