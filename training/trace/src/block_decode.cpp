#include "block_decode.h"

#include <algorithm>

#include "column.h"
#include "tenet/training/trace.h"

namespace tenet::training {
namespace {

// No writer makes more (its tail is at most 32 MiB of rows); more is an attack or damage.
constexpr std::size_t kMaxRecords = std::size_t{1} << 20U;
constexpr std::size_t kMaxValues = std::size_t{1} << 22U;

bool valid_kind(std::uint8_t kind) noexcept { return kind >= TENET_TRACE_KIND_ENTER && kind <= TENET_TRACE_KIND_NOTE; }

bool read_strings(ByteReader& in, FileDictionary& dictionary) {
  const std::uint64_t count = in.varint();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const std::string_view text = in.text(in.varint());
    if (in.ok()) dictionary.add_block_string(text);
  }
  return in.ok();
}

bool read_layouts(ByteReader& in, FileDictionary& dictionary) {
  const std::uint64_t count = in.varint();
  std::vector<std::uint64_t> fields;
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const std::uint64_t size = in.varint();
    if (size > format::kMaxFields) return false;
    fields.clear();
    for (std::uint64_t field = 0; field < size && in.ok(); ++field) {
      const std::uint64_t key = in.varint();
      fields.push_back((key & 0xFFFFFFFFU) | static_cast<std::uint64_t>(in.byte()) << 32U);
    }
    if (!in.ok() || !dictionary.add_block_layout(fields)) return false;
  }
  return in.ok();
}

// Names, references and string values are ids of the file; here they become symbols.
void finish(Record& record, std::uint64_t name, std::uint64_t reference, const FileDictionary& dictionary) noexcept {
  record.name = dictionary.symbol(name);
  if (record.kind == RecordKind::state) {
    record.variable_type = dictionary.symbol(reference);
  } else {
    record.call = reference;
  }
}

std::uint64_t translate(std::uint64_t bits, ValueType type, const FileDictionary& dictionary) noexcept {
  switch (type) {
    case ValueType::none:
      return 0;
    case ValueType::boolean:
      return bits != 0 ? 1 : 0;
    case ValueType::text:
    case ValueType::dims:
      return dictionary.symbol(bits);
    default:
      return bits;
  }
}

struct RecordColumns {
  std::vector<std::uint64_t> thread, time, name, layout, reference;
};

bool read_record_columns(ByteReader& in, std::uint32_t records, RecordColumns& columns) {
  for (auto* column : {&columns.thread, &columns.time, &columns.name, &columns.layout, &columns.reference}) {
    column->resize(records);
    if (!decode_column(in, ColumnKind::integers, *column)) return false;
  }
  return true;
}

// Gives every record its layout and its place in the values; false if a layout is unknown or there are too many values.
bool place_values(const RecordColumns& columns, const FileDictionary& dictionary, DecodedRows& out) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < out.records.size(); ++i) {
    out.records[i].layout = dictionary.layout(columns.layout[i]);
    if (out.records[i].layout == nullptr) return false;
    total += out.records[i].layout->keys.size();
    if (total > kMaxValues) return false;
  }
  out.values.assign(total, 0);
  std::size_t at = 0;
  for (Record& record : out.records) {
    record.values = {out.values.data() + at, record.layout->keys.size()};
    at += record.layout->keys.size();
  }
  return true;
}

bool read_value_columns(ByteReader& in, const RecordColumns& columns, const FileDictionary& dictionary,
                        DecodedRows& out) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < out.records.size(); ++i) {
    if (columns.layout[i] != 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return columns.layout[i]; });
  std::vector<std::uint64_t> column;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && columns.layout[order[last]] == columns.layout[order[first]]) ++last;
    const Layout& layout = *out.records[order[first]].layout;
    column.resize(last - first);
    for (std::size_t field = 0; field < layout.keys.size(); ++field) {
      const ValueType type = layout.types[field];
      if (type == ValueType::none) continue;
      const bool words = type == ValueType::real || type == ValueType::hash;
      if (!decode_column(in, words ? ColumnKind::words : ColumnKind::integers, column)) return false;
      for (std::size_t i = first; i < last; ++i) {
        const auto slot = static_cast<std::size_t>(out.records[order[i]].values.data() - out.values.data()) + field;
        out.values[slot] = translate(column[i - first], type, dictionary);
      }
    }
    first = last;
  }
  return true;
}

bool read_body(ByteReader& in, std::uint32_t records, FileDictionary& dictionary, DecodedRows& out) {
  if (records > kMaxRecords || !read_strings(in, dictionary) || !read_layouts(in, dictionary)) return false;
  out.records.assign(records, Record{});
  for (Record& record : out.records) {
    const std::uint8_t kind = in.byte();
    record.thread_scope = (kind & format::kScopeBit) != 0;
    if (!valid_kind(kind & 0x7FU)) return false;
    record.kind = static_cast<RecordKind>(kind & 0x7FU);
  }
  RecordColumns columns;
  if (!read_record_columns(in, records, columns) || !place_values(columns, dictionary, out)) return false;
  if (!read_value_columns(in, columns, dictionary, out)) return false;
  for (std::size_t i = 0; i < records; ++i) {
    out.records[i].thread = static_cast<std::uint16_t>(columns.thread[i]);
    out.records[i].time = columns.time[i];
    finish(out.records[i], columns.name[i], columns.reference[i], dictionary);
  }
  return true;
}

}  // namespace

FileDictionary::FileDictionary(Vocabulary& vocabulary) : vocabulary_(&vocabulary) {
  layouts_.push_back(vocabulary.layout({}, {}));
}

bool FileDictionary::add_layout(std::span<const std::uint64_t> fields) {
  std::vector<Symbol> keys;
  std::vector<ValueType> types;
  for (const std::uint64_t field : fields) {
    const std::uint64_t key = field & 0xFFFFFFFFU;
    const std::uint64_t type = field >> 32U;
    if (key >= symbols_.size() || type > TENET_TRACE_REF) return false;
    keys.push_back(symbols_[key]);
    types.push_back(static_cast<ValueType>(type));
  }
  layouts_.push_back(vocabulary_->layout(std::move(keys), std::move(types)));
  return true;
}

bool decode_block(std::span<const std::uint8_t> body, std::uint32_t records, FileDictionary& dictionary,
                  DecodedRows& out) {
  ByteReader in(body);
  const bool good = read_body(in, records, dictionary, out) && in.ok();
  if (!good) {
    out.records.clear();
    out.values.clear();
  }
  return good;
}

bool decode_rows(std::span<const std::uint8_t> rows, FileDictionary& dictionary, DecodedRows& out) {
  out.records.clear();
  out.values.assign(rows.size() / 8 + 1, 0);  // never more values than 8-byte words: the spans stay valid
  std::size_t used = 0;
  std::vector<std::uint64_t> fields;
  for (std::size_t at = 0; at < rows.size();) {
    format::RowHeader row;
    if (rows.size() - at < sizeof row) return false;
    std::memcpy(&row, rows.data() + at, sizeof row);
    if (row.bytes < sizeof row || row.bytes % 8 != 0 || row.bytes > rows.size() - at) return false;
    const auto payload = rows.subspan(at + sizeof row, row.bytes - sizeof row);
    if (row.kind == format::kRowString) {
      if (row.layout > payload.size() || row.name > dictionary.strings() + 1) return false;
      if (row.name == dictionary.strings() + 1) {
        dictionary.add_string({reinterpret_cast<const char*>(payload.data()), row.layout});
      }
    } else if (row.kind == format::kRowLayout) {
      if (payload.size() != 8 * std::size_t{row.layout} || row.name > dictionary.layouts() + 1) return false;
      fields.resize(row.layout);
      if (!fields.empty()) std::memcpy(fields.data(), payload.data(), payload.size());
      if (row.name == dictionary.layouts() + 1 && !dictionary.add_layout(fields)) return false;
    } else {
      Record record;
      record.layout = dictionary.layout(row.layout);
      if (!valid_kind(row.kind) || record.layout == nullptr || payload.size() != 8 * record.layout->keys.size()) {
        return false;
      }
      record.kind = static_cast<RecordKind>(row.kind);
      record.thread_scope = row.scope != 0;
      record.thread = row.thread;
      record.time = row.time;
      std::uint64_t* to = out.values.data() + used;
      if (!payload.empty()) std::memcpy(to, payload.data(), payload.size());
      for (std::size_t i = 0; i < record.layout->keys.size(); ++i) {
        to[i] = translate(to[i], record.layout->types[i], dictionary);
      }
      record.values = {to, record.layout->keys.size()};
      used += record.layout->keys.size();
      finish(record, row.name, row.reference, dictionary);
      out.records.push_back(record);
    }
    at += row.bytes;
  }
  return true;
}

}  // namespace tenet::training
