// A trace file with its tail, from bytes. Checksums are what damage meets first, so half of the inputs get the sums
// they need: byte 0 says how to cut the input into tail rows and a block body.
#include <cstdint>
#include <cstring>
#include <vector>

#include "../../../training/trace/src/block_decode.h"
#include "tenet/training/trace_source.h"

using namespace tenet::training;

namespace {

void read_as_files(const std::uint8_t* data, std::size_t size, std::size_t cut) {
  Vocabulary vocabulary;
  auto source = open_trace_bytes({data, data + cut}, {data + cut, data + size}, vocabulary);
  if (!source) return;
  while ((*source)->next() != nullptr) {
  }
}

void read_as_body_and_rows(const std::uint8_t* data, std::size_t size, std::size_t cut) {
  Vocabulary vocabulary;
  FileDictionary dictionary(vocabulary);
  DecodedRows rows;
  const auto use = [&] {
    std::uint64_t sum = 0;
    for (const Record& record : rows.records) {
      for (std::size_t i = 0; i < record.values.size(); ++i) sum += record.value(i).bits;
    }
    return sum;
  };
  const std::uint32_t records = cut == 0 ? 0 : data[0];
  (void)decode_block({data, cut}, records, dictionary, rows);
  volatile std::uint64_t unused = use();
  (void)decode_rows({data + cut, size - cut}, dictionary, rows);
  unused = use();
  (void)unused;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::size_t cut = (data[1] | static_cast<std::size_t>(data[2]) << 8U) % (size - 2);
  if (data[0] % 2 == 0) {
    read_as_files(data + 3, size - 3, cut > size - 3 ? size - 3 : cut);
  } else {
    read_as_body_and_rows(data + 3, size - 3, cut > size - 3 ? size - 3 : cut);
  }
  return 0;
}
