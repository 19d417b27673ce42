// Runs a fuzz target without libFuzzer, so that every test run has a slice of
// fuzzing with any compiler: all seeds, then a fixed number of random changes
// of them, the same in every run.
//
//   slice CHANGES SEED_FOLDER…
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kLongest = 4096;

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::string changed(const std::vector<std::string>& seeds, std::mt19937_64& random) {
  std::string text = seeds[random() % seeds.size()].substr(0, kLongest);
  for (std::size_t edits = 1 + random() % 4; edits > 0 && !text.empty(); --edits) {
    const std::size_t at = random() % text.size();
    const std::size_t length = 1 + random() % 16;
    switch (random() % 5) {
      case 0:
        text[at] = static_cast<char>(random() % 256);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.resize(at);
        break;
      case 3:
        text.insert(at, text.substr(random() % text.size(), length));
        break;
      default: {
        const std::string& other = seeds[random() % seeds.size()];
        if (!other.empty()) text.insert(at, other.substr(random() % other.size(), length));
      }
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 3;
  std::vector<std::filesystem::path> files;
  for (int i = 2; i < argc; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const auto& path : files) {
    std::ifstream in(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  if (seeds.empty()) return 3;
  for (const std::string& seed : seeds) run(seed);
  std::mt19937_64 random(1);
  const long changes = std::strtol(argv[1], nullptr, 10);
  for (long i = 0; i < changes; ++i) run(changed(seeds, random));
  std::printf("%zu seeds and %ld changes of them\n", seeds.size(), changes);
  return 0;
}
