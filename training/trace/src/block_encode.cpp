#include "block_encode.h"

#include <algorithm>
#include <cstring>

#include "column.h"
#include "format.h"
#include "tenet/training/trace.h"

namespace tenet::training {
namespace {

using format::RowHeader;

struct Rows {
  std::vector<RowHeader> headers;
  std::vector<const std::uint8_t*> values;
};

Rows collect(std::span<const std::uint8_t> bytes) {
  Rows rows;
  for (std::size_t at = 0; at < bytes.size();) {
    RowHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    if (header.kind < format::kRowString) {
      rows.headers.push_back(header);
      rows.values.push_back(bytes.data() + at + sizeof header);
    }
    at += header.bytes;
  }
  return rows;
}

void put_dictionary(std::span<const std::string> strings, std::span<const LayoutFields> layouts, Bytes& out) {
  put_varint(out, strings.size());
  for (const std::string& text : strings) {
    put_varint(out, text.size());
    put_bytes(out, text.data(), text.size());
  }
  put_varint(out, layouts.size());
  for (const LayoutFields& fields : layouts) {
    put_varint(out, fields.size());
    for (const LayoutField& field : fields) {
      put_varint(out, field.key);
      out.push_back(field.type);
    }
  }
}

template <typename Get>
void put_record_column(const Rows& rows, Get get, std::vector<std::uint64_t>& scratch, Bytes& out) {
  scratch.clear();
  for (const RowHeader& header : rows.headers) scratch.push_back(get(header));
  encode_column(scratch, ColumnKind::integers, out);
}

void put_record_columns(const Rows& rows, std::vector<std::uint64_t>& scratch, Bytes& out) {
  for (const RowHeader& header : rows.headers) {
    out.push_back(static_cast<std::uint8_t>(header.kind | (header.scope != 0 ? format::kScopeBit : 0U)));
  }
  put_record_column(rows, [](const RowHeader& row) { return std::uint64_t{row.thread}; }, scratch, out);
  put_record_column(rows, [](const RowHeader& row) { return row.time; }, scratch, out);
  put_record_column(rows, [](const RowHeader& row) { return std::uint64_t{row.name}; }, scratch, out);
  put_record_column(rows, [](const RowHeader& row) { return std::uint64_t{row.layout}; }, scratch, out);
  put_record_column(rows, [](const RowHeader& row) { return row.reference; }, scratch, out);
}

void put_value_columns(const Rows& rows, std::span<const LayoutFields> layouts, std::vector<std::uint64_t>& scratch,
                       Bytes& out) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < rows.headers.size(); ++i) {
    if (rows.headers[i].layout != 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return rows.headers[i].layout; });
  for (std::size_t first = 0; first < order.size();) {
    const std::uint32_t layout = rows.headers[order[first]].layout;
    std::size_t last = first;
    while (last < order.size() && rows.headers[order[last]].layout == layout) ++last;
    const LayoutFields& fields = layouts[layout - 1];
    for (std::size_t field = 0; field < fields.size(); ++field) {
      const std::uint8_t type = fields[field].type;
      if (type == TENET_TRACE_NONE) continue;
      scratch.resize(last - first);
      for (std::size_t i = first; i < last; ++i) {
        std::memcpy(&scratch[i - first], rows.values[order[i]] + 8 * field, 8);
      }
      const bool words = type == TENET_TRACE_FLOAT || type == TENET_TRACE_HASH;
      encode_column(scratch, words ? ColumnKind::words : ColumnKind::integers, out);
    }
    first = last;
  }
}

}  // namespace

BlockBody encode_block(std::span<const std::uint8_t> bytes, std::span<const std::string> strings,
                       std::size_t first_new_string, std::span<const LayoutFields> layouts,
                       std::size_t first_new_layout) {
  const Rows rows = collect(bytes);
  BlockBody body;
  body.records = static_cast<std::uint32_t>(rows.headers.size());
  std::vector<std::uint64_t> scratch;
  put_dictionary(strings.subspan(first_new_string), layouts.subspan(first_new_layout), body.bytes);
  put_record_columns(rows, scratch, body.bytes);
  put_value_columns(rows, layouts, scratch, body.bytes);
  return body;
}

}  // namespace tenet::training
