#include "tenet/training/trace_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tenet::training {
namespace {

constexpr std::array kKindNames{"?", "enter", "exit", "fail", "state", "context", "scalar", "note"};

std::string_view kind_name(RecordKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::string shown(const Value& value, const CatOptions& options, const Vocabulary& vocabulary) {
  if (!options.raw_values && value.type == ValueType::real) return "real";
  return to_text(value, vocabulary);
}

nlohmann::json to_json(const Value& value, const CatOptions& options, const Vocabulary& vocabulary) {
  switch (value.type) {
    case ValueType::none:
      return nullptr;
    case ValueType::boolean:
      return value.bits != 0;
    case ValueType::integer:
      return value.integer();
    case ValueType::real:
      if (options.raw_values && std::isfinite(value.real())) return value.real();
      return shown(value, options, vocabulary);
    case ValueType::dims:
      return parse_dims(vocabulary.text(value.symbol()));
    default:
      return shown(value, options, vocabulary);
  }
}

std::string text_line(const Record& record, const CatOptions& options, const Vocabulary& vocabulary) {
  std::string line = fmt::format("{:>14.6f} p{} t{} {:<7} ", static_cast<double>(record.time) / 1e9, record.process,
                                 record.thread, kind_name(record.kind));
  if (record.call != 0) line += fmt::format("#{:x} ", record.call);
  line += vocabulary.text(record.name);
  if (record.variable_type != 0) line += fmt::format(" : {}", vocabulary.text(record.variable_type));
  for (std::size_t i = 0; i < record.values.size(); ++i) {
    const std::string_view key = vocabulary.text(record.layout->keys[i]);
    line += fmt::format(" {}={}", key, shown(record.value(i), options, vocabulary));
  }
  return line + "\n";
}

std::string json_line(const Record& record, const CatOptions& options, const Vocabulary& vocabulary) {
  nlohmann::ordered_json line{{"kind", kind_name(record.kind)},
                              {"process", record.process},
                              {"thread", record.thread},
                              {"time", record.time},
                              {"name", vocabulary.text(record.name)}};
  if (record.call != 0) line["call"] = record.call;
  if (record.variable_type != 0) line["type"] = vocabulary.text(record.variable_type);
  auto& fields = line["fields"] = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < record.values.size(); ++i) {
    fields[std::string(vocabulary.text(record.layout->keys[i]))] = to_json(record.value(i), options, vocabulary);
  }
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// The largest entries first, at most ten.
std::string top(const std::map<std::string, std::uint64_t>& counts, std::string_view title) {
  std::vector<std::pair<std::string, std::uint64_t>> order(counts.begin(), counts.end());
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::string text = fmt::format("{} ({}):\n", title, order.size());
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 10); ++i) {
    text += fmt::format("  {:>10}  {}\n", order[i].second, order[i].first);
  }
  return text;
}

}  // namespace

void cat(RecordSource& run, const Vocabulary& vocabulary, const CatOptions& options, const Sink& sink) {
  std::uint64_t written = 0;
  while (const Record* record = run.next()) {
    if (!options.only.empty() && vocabulary.text(record->name).find(options.only) == std::string_view::npos) continue;
    sink(options.json ? json_line(*record, options, vocabulary) : text_line(*record, options, vocabulary));
    if (++written == options.limit) return;
  }
}

TraceStatistics statistics(RecordSource& run, const Vocabulary& vocabulary) {
  std::array<std::uint64_t, kKindNames.size()> kinds{};
  std::vector<std::uint64_t> functions;
  std::vector<std::uint64_t> variables;
  const auto count = [](std::vector<std::uint64_t>& table, Symbol symbol) {
    if (symbol >= table.size()) table.resize(symbol + 1024);
    ++table[symbol];
  };
  TraceStatistics out;
  bool first = true;
  while (const Record* record = run.next()) {
    ++kinds[static_cast<std::size_t>(record->kind)];
    if (first) out.first_time = record->time;
    first = false;
    out.last_time = std::max(out.last_time, record->time);
    if (record->kind == RecordKind::enter) count(functions, record->name);
    if (record->kind == RecordKind::state) count(variables, record->variable_type);
    if (record->kind == RecordKind::context && vocabulary.text(record->name) == "step" && !record->values.empty() &&
        record->layout->types[0] == ValueType::integer) {
      const std::int64_t step = record->value(0).integer();
      out.first_step = out.last_step < out.first_step ? step : std::min(out.first_step, step);
      out.last_step = std::max(out.last_step, step);
    }
  }
  for (std::size_t i = 1; i < kinds.size(); ++i) out.kinds[kKindNames[i]] = kinds[i];
  for (Symbol i = 0; i < functions.size(); ++i) {
    if (functions[i] != 0) out.functions[std::string(vocabulary.text(i))] = functions[i];
  }
  for (Symbol i = 0; i < variables.size(); ++i) {
    if (variables[i] != 0) out.variables[std::string(vocabulary.text(i))] = variables[i];
  }
  out.report = run.report();
  return out;
}

std::string to_text(const TraceStatistics& s) {
  const ReadReport& r = s.report;
  std::string text = fmt::format("{} records of {} processes in {} files, {} bytes ({:.1f} a record), {:.3f} s\n",
                                 r.records, r.processes, r.files, r.bytes,
                                 r.records == 0 ? 0.0 : static_cast<double>(r.bytes) / static_cast<double>(r.records),
                                 static_cast<double>(s.last_time - std::min(s.first_time, s.last_time)) / 1e9);
  if (s.last_step >= s.first_step) text += fmt::format("steps {} to {}\n", s.first_step, s.last_step);
  text += fmt::format("dropped by the writer {}, lost in a crash {}, unreadable {}, torn bytes {}, not closed {}\n",
                      r.dropped, r.lost, r.skipped, r.torn_bytes, r.unclosed);
  text += top(s.kinds, "records by kind") + top(s.functions, "calls by function") + top(s.variables, "states by type");
  for (const std::string& problem : r.problems) text += "note: " + problem + "\n";
  return text;
}

}  // namespace tenet::training
