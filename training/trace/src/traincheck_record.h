// One TrainCheck record to ours: names of fields, types of values, context by difference.
#pragma once

#include <simdjson.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "tenet/training/record.h"

namespace tenet::training {

class TrainCheckConverter {
 public:
  explicit TrainCheckConverter(Vocabulary& vocabulary) : vocabulary_(&vocabulary) {}

  // Appends what the object says: context records for what changed, then the record itself. False (and nothing
  // appended) if a field that is needed is missing or has another type.
  [[nodiscard]] bool convert(simdjson::dom::object object);

  // The records of the last conversion, in order; their values belong to this object.
  [[nodiscard]] std::size_t count() const noexcept { return used_; }
  [[nodiscard]] const Record& record(std::size_t index) const noexcept { return out_[index].record; }
  [[nodiscard]] std::size_t processes() const noexcept { return processes_.size(); }

 private:
  struct Fields {
    std::vector<Symbol> keys;
    std::vector<ValueType> types;
    std::vector<std::uint64_t> values;
  };
  struct Owned {
    Record record;
    std::vector<std::uint64_t> values;
  };
  struct Process {
    std::uint16_t number = 0;
    std::unordered_map<std::int64_t, std::uint16_t> threads;
    std::map<Symbol, Value> context;
  };
  struct Parts;

  void add(std::string_view key, Value value);
  void add_json(std::string& key, simdjson::dom::element value);
  void add_typed(std::string& key, simdjson::dom::element value);
  void add_tensor_attribute(std::string& key, std::string_view name, simdjson::dom::element value);
  void add_variable_attribute(std::string_view name, simdjson::dom::element value);
  void add_context(std::string& key, simdjson::dom::element value, std::map<Symbol, Value>& out);
  void add_results(simdjson::dom::element value);
  [[nodiscard]] bool collect(simdjson::dom::object object, Parts& parts);
  void emit(Record record);
  void emit_context(Process& process, const std::map<Symbol, Value>& now, const Record& place);
  [[nodiscard]] Value scalar(simdjson::dom::element value);

  Vocabulary* vocabulary_;
  std::unordered_map<std::int64_t, Process> processes_;
  Fields fields_;
  std::vector<Owned> out_;
  std::size_t used_ = 0;
};

}  // namespace tenet::training
