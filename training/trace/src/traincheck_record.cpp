#include "traincheck_record.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tenet::training {

using simdjson::dom::element;
using simdjson::dom::element_type;

struct TrainCheckConverter::Parts {
  std::string_view type, function, call, variable, variable_type, exception;
  std::int64_t process = 0, thread = 0, time = 0;
  bool has_time = false, has_process = false, has_context = false;
  std::map<Symbol, Value> context;
};

namespace {

// TrainCheck's own attributes carry a prefix, an older one in older traces.
std::string_view without_prefix(std::string_view name, bool& had) {
  for (const std::string_view prefix : {"_TRAINCHECK_", "_ML_DAIKON_"}) {
    if (name.starts_with(prefix)) {
      had = true;
      return name.substr(prefix.size());
    }
  }
  had = false;
  return name;
}

// Text of a list of integers; false if the list holds anything else.
bool dims_text(simdjson::dom::array list, std::string& out) {
  for (const element item : list) {
    std::int64_t value = 0;
    if (item.get_int64().get(value) != simdjson::SUCCESS) return false;
    if (!out.empty()) out += ',';
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
  return true;
}

class Extended {
 public:
  Extended(std::string& key, std::string_view part) : key_(key), size_(key.size()) {
    if (!key.empty()) key += '.';
    key += part;
  }
  ~Extended() { key_.resize(size_); }
  Extended(const Extended&) = delete;
  Extended& operator=(const Extended&) = delete;

 private:
  std::string& key_;
  std::size_t size_;
};

std::int64_t integer_or_zero(element value) {
  std::int64_t out = 0;
  return value.get_int64().get(out) == simdjson::SUCCESS ? out : 0;
}

std::string_view text_or_empty(element value) {
  std::string_view out;
  return value.get_string().get(out) == simdjson::SUCCESS ? out : std::string_view{};
}

std::uint64_t bits_of(element value) {
  std::int64_t number = 0;
  if (value.get_int64().get(number) == simdjson::SUCCESS) return static_cast<std::uint64_t>(number);
  std::uint64_t large = 0;
  return value.get_uint64().get(large) == simdjson::SUCCESS ? large : 0;
}

}  // namespace

void TrainCheckConverter::add(std::string_view key, Value value) {
  fields_.keys.push_back(vocabulary_->intern(key));
  fields_.types.push_back(value.type);
  fields_.values.push_back(value.bits);
}

Value TrainCheckConverter::scalar(element value) {
  switch (value.type()) {
    case element_type::BOOL:
      return Value::of(bool(value));
    case element_type::INT64:
      return Value::of(std::int64_t(value));
    case element_type::UINT64:
      return {ValueType::integer, std::uint64_t(value)};
    case element_type::DOUBLE:
      return Value::of(double(value));
    case element_type::STRING:
      return Value::text(vocabulary_->intern(std::string_view(value)));
    default:
      return {};
  }
}

void TrainCheckConverter::add_json(std::string& key, element value) {
  if (value.is_object()) {
    for (const auto field : simdjson::dom::object(value)) {
      const Extended below(key, field.key);
      add_json(key, field.value);
    }
  } else if (value.is_array()) {
    std::string dims;
    const simdjson::dom::array list(value);
    if (dims_text(list, dims)) {
      add(key, {ValueType::dims, vocabulary_->intern(dims)});
    } else {
      const Extended below(key, "len");
      add(key, Value::of(static_cast<std::int64_t>(list.size())));
    }
  } else {
    add(key, scalar(value));
  }
}

void TrainCheckConverter::add_tensor_attribute(std::string& key, std::string_view name, element value) {
  bool own = false;
  name = without_prefix(name, own);
  if (own && name.ends_with("_ID")) {
    const Extended below(key, name == "data_ID" ? "id" : name == "grad_ID" ? "grad.id" : name);
    add(key, value.is_null() ? Value{} : Value{ValueType::ref, bits_of(value)});
    return;
  }
  const Extended below(key, name);
  add_json(key, value);
}

// `{type name: value}`.
void TrainCheckConverter::add_typed(std::string& key, element value) {
  if (!value.is_object()) return add_json(key, value);
  for (const auto field : simdjson::dom::object(value)) {
    if (field.value.is_object()) {
      {
        const Extended below(key, "type");
        add(key, Value::text(vocabulary_->intern(field.key)));
      }
      for (const auto attribute : simdjson::dom::object(field.value)) {
        add_tensor_attribute(key, attribute.key, attribute.value);
      }
    } else {
      add_json(key, field.value);
    }
    return;
  }
}

void TrainCheckConverter::add_results(element value) {
  std::string key = "ret";
  if (!value.is_array()) return add_typed(key, value);
  std::size_t index = 0;
  for (const element item : simdjson::dom::array(value)) {
    const Extended below(key, std::to_string(index++));
    add_typed(key, item);
  }
}

void TrainCheckConverter::add_variable_attribute(std::string_view name, element value) {
  bool own = false;
  name = without_prefix(name, own);
  if (name == "data" || name == "grad") {
    const bool is_number = value.is_int64() || value.is_uint64();
    if (is_number) return add(name, {ValueType::hash, bits_of(value)});
    std::string key(name);
    return add_json(key, value);
  }
  if (own && name.ends_with("_ID")) {
    const std::string key = std::string(name.substr(0, name.size() - 3)) + ".id";
    return add(key, value.is_null() ? Value{} : Value{ValueType::ref, bits_of(value)});
  }
  std::string key = name == "dtype" || name == "shape" ? "data." + std::string(name) : std::string(name);
  add_json(key, value);
}

void TrainCheckConverter::add_context(std::string& key, element value, std::map<Symbol, Value>& out) {
  if (value.is_object()) {
    for (const auto field : simdjson::dom::object(value)) {
      const Extended below(key, field.key);
      add_context(key, field.value, out);
    }
    return;
  }
  if (!value.is_null() && !value.is_array()) out[vocabulary_->intern(key)] = scalar(value);
}

bool TrainCheckConverter::collect(simdjson::dom::object object, Parts& parts) {
  std::string key;
  for (const auto [name, value] : object) {
    if (name == "type")
      parts.type = text_or_empty(value);
    else if (name == "function")
      parts.function = text_or_empty(value);
    else if (name == "func_call_id")
      parts.call = text_or_empty(value);
    else if (name == "var_name")
      parts.variable = text_or_empty(value);
    else if (name == "var_type")
      parts.variable_type = text_or_empty(value);
    else if (name == "exception")
      parts.exception = text_or_empty(value);
    else if (name == "process_id") {
      parts.has_process = value.is_int64();
      parts.process = integer_or_zero(value);
    } else if (name == "thread_id")
      parts.thread = integer_or_zero(value);
    else if (name == "time") {
      parts.has_time = value.is_int64();
      parts.time = integer_or_zero(value);
    } else if (name == "meta_vars") {
      parts.has_context = true;
      add_context(key, value, parts.context);
    } else if (name.starts_with("meta_vars.")) {
      parts.has_context = true;
      key = name.substr(10);
      add_context(key, value, parts.context);
      key.clear();
    } else if (name == "args" || name == "kwargs") {
      if (!value.is_object()) continue;
      for (const auto [argument, content] : simdjson::dom::object(value)) {
        key = "arg";
        {
          const Extended below(key, argument);
          add_typed(key, content);
        }
        key.clear();
      }
    } else if (name == "return_values")
      add_results(value);
    else if (name == "attributes") {
      if (!value.is_object()) continue;
      for (const auto [attribute, content] : simdjson::dom::object(value)) add_variable_attribute(attribute, content);
    } else if (name.starts_with("attributes."))
      add_variable_attribute(name.substr(11), value);
    else if (name == "obj_id" && value.is_int64())
      add("self", {ValueType::ref, bits_of(value)});
    else if (name == "mode" || name == "dump_loc" || name == "exception_msg")
      add(name, scalar(value));
  }
  return parts.has_time && parts.has_process && !parts.type.empty();
}

void TrainCheckConverter::emit(Record record) {
  if (used_ == out_.size()) out_.emplace_back();
  Owned& owned = out_[used_++];
  owned.values = fields_.values;
  owned.record = record;
  owned.record.layout = vocabulary_->layout(fields_.keys, fields_.types);
  owned.record.values = owned.values;
}

void TrainCheckConverter::emit_context(Process& process, const std::map<Symbol, Value>& now, const Record& place) {
  const Fields kept = std::move(fields_);
  const auto change = [&](Symbol key, Value value) {
    fields_ = Fields{{0}, {value.type}, {value.bits}};
    Record record = place;
    record.kind = RecordKind::context;
    record.name = key;
    record.call = 0;
    record.variable_type = 0;
    emit(record);
  };
  for (const auto& [key, value] : process.context) {
    if (!now.contains(key)) change(key, {});
  }
  for (const auto& [key, value] : now) {
    const auto before = process.context.find(key);
    if (before == process.context.end() || before->second != value) change(key, value);
  }
  process.context = now;
  fields_ = kept;
}

bool TrainCheckConverter::convert(simdjson::dom::object object) {
  used_ = 0;
  fields_ = Fields{};
  Parts parts;
  if (!collect(object, parts)) return false;
  Record record;
  if (parts.type == "state_change") {
    if (parts.variable.empty()) return false;
    record.kind = RecordKind::state;
    record.name = vocabulary_->intern(parts.variable);
    record.variable_type = vocabulary_->intern(parts.variable_type);
  } else {
    if (parts.call.empty()) return false;
    record.call = XXH3_64bits(parts.call.data(), parts.call.size());
    if (parts.type == "function_call (pre)") {
      if (parts.function.empty()) return false;
      record.kind = RecordKind::enter;
      record.name = vocabulary_->intern(parts.function);
    } else if (parts.type == "function_call (post)") {
      record.kind = RecordKind::exit;
    } else if (parts.type == "function_call (post) (exception)") {
      record.kind = RecordKind::fail;
      record.name = vocabulary_->intern(parts.exception);
    } else {
      return false;
    }
  }
  const auto [found, is_new] = processes_.try_emplace(parts.process);
  Process& process = found->second;
  if (is_new) process.number = static_cast<std::uint16_t>(processes_.size() - 1);
  record.process = process.number;
  record.thread =
      process.threads.try_emplace(parts.thread, static_cast<std::uint16_t>(process.threads.size())).first->second;
  record.time = static_cast<std::uint64_t>(parts.time);
  if (parts.has_context) emit_context(process, parts.context, record);
  emit(record);
  return true;
}

}  // namespace tenet::training
