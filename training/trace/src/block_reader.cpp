#include "block_reader.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace tenet::training {

Result<bool> BlockReader::read_header() {
  std::array<std::uint8_t, sizeof header_> bytes{};
  const std::size_t size = file_->read(0, bytes);
  std::memcpy(&header_, bytes.data(), sizeof header_);
  if (size < sizeof header_ || header_.magic != format::kFileMagic) {
    return failure(ErrorKind::bad_input,
                   fmt::format("{}: not a training trace (it should begin with TENETTRC)", name_));
  }
  if (header_.version != format::kVersion) {
    return failure(ErrorKind::unsupported, fmt::format("{}: version {} of the trace format; this is version {}", name_,
                                                       header_.version, format::kVersion));
  }
  if (header_.checksum != format::checksum(header_)) {
    return failure(ErrorKind::bad_input, fmt::format("{}: the file header is damaged (checksum)", name_));
  }
  return true;
}

BlockReader::Step BlockReader::next(FileDictionary& dictionary, DecodedRows& rows, std::string& why) {
  rows.records.clear();
  const std::uint64_t left = unread_bytes();
  if (left == 0) return Step::end;
  format::BlockHeader header;
  std::array<std::uint8_t, sizeof header> bytes{};
  const auto damaged = [&](const char* text) {
    why = text;
    return Step::damaged;
  };
  if (left < sizeof header || file_->read(offset_, bytes) < sizeof header) return damaged("ends inside a block header");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != format::kBlockMagic || header.sequence != sequence_) {
    return damaged("what follows is not the next block");
  }
  if (header.stored_bytes > left - sizeof header) return damaged("the last block is cut off");
  if (header.body_bytes > format::kMaxBodyBytes) return damaged("a block is larger than any writer makes");
  stored_.resize(header.stored_bytes);
  if (file_->read(offset_ + sizeof header, stored_) < stored_.size() ||
      header.checksum != format::checksum(header, stored_.data())) {
    return damaged("a block does not match its checksum");
  }
  body_.resize(header.body_bytes);
  const std::size_t size = ZSTD_decompress(body_.data(), body_.size(), stored_.data(), stored_.size());
  if (ZSTD_isError(size) != 0 || size != body_.size() || !decode_block(body_, header.records, dictionary, rows)) {
    rows.records.clear();
    return damaged("a block is not well formed");
  }
  for (Record& record : rows.records) record.time += clock_offset();
  offset_ += sizeof header + header.stored_bytes;
  ++sequence_;
  dropped_ = header.dropped;
  closed_ = (header.flags & format::kLastBlockFlag) != 0;
  return Step::block;
}

bool TailReader::read_header(const format::FileHeader& trace, format::TailHeader& out) {
  std::array<std::uint8_t, sizeof out> bytes{};
  const bool whole = file_->read(0, bytes) == sizeof out;
  std::memcpy(&out, bytes.data(), sizeof out);
  return whole && out.magic == format::kTailMagic && out.version == format::kVersion &&
         out.rows_offset == format::kTailRowsOffset && out.identity == trace.identity;
}

std::vector<std::uint8_t> TailReader::rows(const format::TailHeader& header, std::uint64_t from) {
  const std::uint64_t end = std::min<std::uint64_t>(header.committed_bytes, format::kMaxBodyBytes);
  std::vector<std::uint8_t> bytes(end - std::min(from, end));
  bytes.resize(file_->read(header.rows_offset + from, bytes));
  return bytes;
}

std::unique_ptr<TailReader> open_tail(const std::string& trace_path) {
  std::error_code none;
  const std::string path = trace_path + ".tail";
  if (!std::filesystem::exists(path, none)) return nullptr;
  auto file = open_file(path);
  return file ? std::make_unique<TailReader>(std::move(*file)) : nullptr;
}

}  // namespace tenet::training
