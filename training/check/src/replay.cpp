#include "replay.h"

#include <algorithm>
#include <string>

namespace tenet::training {
namespace {

constexpr std::size_t kDeepest = 2000;  // frames of one thread; more are the sign of exits that were never recorded

bool find_value(const Layout* layout, std::span<const std::uint64_t> values, Symbol key, Value& out) noexcept {
  if (layout == nullptr) return false;
  const int field = layout->find(key);
  if (field < 0) return false;
  const auto at = static_cast<std::size_t>(field);
  out = {layout->types[at], values[at]};
  return true;
}

std::string_view last_part(std::string_view name) noexcept {
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

void set(Facts& facts, Symbol key, Value value) {
  const auto found = std::ranges::find(facts, key, &Fact::key);
  if (found != facts.end()) {
    found->value = value;
  } else {
    facts.push_back({key, value});
  }
}

}  // namespace

bool Frame::get(Symbol key, Value& out) const noexcept { return find_value(layout, values, key, out); }
bool Variable::get(Symbol key, Value& out) const noexcept { return find_value(layout, values, key, out); }
bool Variable::get_before(Symbol key, Value& out) const noexcept {
  return find_value(layout_before, values_before, key, out);
}

std::uint64_t Variable::last_change(Symbol key) const noexcept {
  for (const auto& [changed_key, event] : changed) {
    if (changed_key == key) return event;
  }
  return 0;
}

Variable* Process::find(Symbol type, Symbol variable) noexcept {
  const auto found = variables.find(key(type, variable));
  return found == variables.end() ? nullptr : found->second.get();
}

bool is_cleared(Symbol key, Symbol norm, const Variable& variable) noexcept {
  Value value;
  if (!variable.get(key, value)) return false;
  if (value.type == ValueType::none) return true;
  if (value.is_number()) return value.number() == 0;
  return variable.get(norm, value) && value.is_number() && value.number() == 0;
}

std::string family_name(std::string_view function) {
  const std::string_view last = last_part(function);
  // "torch.optim.adam.adam": the function that does the work of Adam.step
  if (function.starts_with("torch.optim.") &&
      function == "torch.optim." + std::string(last) + "." + std::string(last)) {
    return "torch.optim.functional";
  }
  const bool method = last == "step" || last == "zero_grad" || last == "add_param_group" || last == "state_dict" ||
                      last == "load_state_dict";
  if (!method || !function.starts_with("torch.optim.")) return std::string(function);
  const bool scheduler = function.find("lr_scheduler") != std::string_view::npos;
  return (scheduler ? "torch.optim.lr_scheduler.LRScheduler." : "torch.optim.Optimizer.") + std::string(last);
}

bool is_essential(std::string_view function) noexcept {
  return function.starts_with("torch.optim.Optimizer.") || function.ends_with(".backward") ||
         function.find("distributed") != std::string_view::npos || function.starts_with("__main__.");
}

Symbol Replay::family(Symbol function) {
  if (function >= families_.size()) families_.resize(function + 256, 0);
  if (families_[function] == 0)
    families_[function] = names_.vocabulary->intern(family_name(names_.vocabulary->text(function)));
  return families_[function];
}

Process& Replay::process(std::uint16_t number) {
  if (number >= processes_.size()) processes_.resize(number + 1U);
  auto& process = processes_[number];
  if (process == nullptr) {
    process = std::make_unique<Process>();
    process->number = number;
  }
  return *process;
}

Thread& Replay::thread(Process& process, std::uint16_t number) {
  if (number >= process.threads.size()) process.threads.resize(number + 1U);
  auto& thread = process.threads[number];
  if (thread == nullptr) {
    thread = std::make_unique<Thread>();
    thread->number = number;
  }
  return *thread;
}

bool Replay::usable(Symbol key, ValueType type) {
  if (type != ValueType::boolean && type != ValueType::text) return false;
  if (key >= usable_.size()) usable_.resize(key + 256, 0);
  const unsigned shift = type == ValueType::boolean ? 0 : 2;
  if ((usable_[key] >> shift & 1U) == 0) {
    const bool yes = may_be_fact(names_.vocabulary->text(key), type);
    usable_[key] = static_cast<std::uint8_t>(usable_[key] | (yes ? 3U : 1U) << shift);
  }
  return (usable_[key] >> shift & 2U) != 0;
}

FactsId Replay::facts_of(const Process& process, const Thread& thread, Symbol caller, const Layout& layout,
                         std::span<const std::uint64_t> values, Facts facts) {
  facts.insert(facts.end(), process.context_facts.begin(), process.context_facts.end());
  for (const Fact& fact : thread.context) set(facts, fact.key, fact.value);
  facts.push_back({names_.caller, Value::text(caller)});
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (usable(layout.keys[i], layout.types[i])) facts.push_back({layout.keys[i], {layout.types[i], values[i]}});
  }
  return facts_->intern(std::move(facts));
}

void Replay::enter(Process& process, Thread& thread, const Record& record) {
  for (std::size_t i = 0; i < thread.depth; ++i) {
    if (thread.frames[i].call == record.call) {
      ++counts_.duplicated;
      return;
    }
  }
  if (thread.depth >= kDeepest) {
    counts_.unfinished += thread.depth;
    thread.depth = 0;
  }
  ++counts_.calls;
  const Symbol function_name = family(record.name);
  const std::uint64_t ordinal = thread.function(function_name).calls;
  const Symbol caller = thread.depth == 0 ? 0 : thread.top()->function;
  if (thread.depth == thread.frames.size()) thread.frames.emplace_back();
  Frame& frame = thread.frames[thread.depth];
  frame.function = function_name;
  frame.caller = caller;
  frame.call = record.call;
  frame.entered = process.event;
  frame.ordinal = ordinal;
  frame.step = process.step;
  frame.layout = record.layout;
  frame.values.assign(record.values.begin(), record.values.end());
  frame.facts =
      facts_of(process, thread, caller, *record.layout, record.values, {{names_.first, Value::of(ordinal == 0)}});
  ++thread.depth;
  ++process.calls[function_name];
  for (Listener* listener : listeners_) listener->on_enter(process, thread, frame);
  FunctionState& function = thread.function(function_name);
  function.last_enter = process.event;
  function.last_facts = frame.facts;
  function.last_step = process.step;
  ++function.calls;
}

void Replay::leave(Process& process, Thread& thread, const Record& record) {
  std::size_t at = thread.depth;
  while (at > 0 && thread.frames[at - 1].call != record.call) --at;
  if (at == 0) {
    ++counts_.unmatched;
    return;
  }
  counts_.unfinished += thread.depth - at;  // calls inside whose exit was never recorded
  thread.depth = at;
  Frame& frame = thread.frames[at - 1];
  for (Listener* listener : listeners_) listener->on_exit(process, thread, frame, record);
  thread.function(frame.function).last_exit = process.event;
  --thread.depth;
}

void Replay::observe(Process& process, Variable& variable, const Record& record) {
  std::swap(variable.layout, variable.layout_before);
  std::swap(variable.values, variable.values_before);
  variable.layout = record.layout;
  variable.values.assign(record.values.begin(), record.values.end());
  variable.observed_before = variable.observed;
  variable.observed = process.event;
  if (variable.layout_before == nullptr) return;
  for (std::size_t i = 0; i < record.values.size(); ++i) {
    Value before;
    const Symbol key = record.layout->keys[i];
    if (variable.get_before(key, before) && before == record.value(i)) continue;
    const auto found = std::ranges::find(variable.changed, key, &std::pair<Symbol, std::uint64_t>::first);
    if (found != variable.changed.end()) {
      found->second = process.event;
    } else {
      variable.changed.emplace_back(key, process.event);
    }
  }
}

void Replay::state(Process& process, Thread& thread, const Record& record) {
  ++counts_.states;
  const std::uint64_t key = Process::key(record.variable_type, record.name);
  auto& slot = process.variables[key];
  auto& order = process.recent[record.variable_type];
  if (slot == nullptr) {
    slot = std::make_unique<Variable>();
    slot->name = record.name;
    slot->type = record.variable_type;
    slot->kind = names_.vocabulary->intern(last_part(names_.vocabulary->text(record.name)));
    order.push_front(slot.get());
    process.places[key] = order.begin();
  } else {
    order.splice(order.begin(), order, process.places[key]);
  }
  Variable& variable = *slot;
  observe(process, variable, record);
  const Symbol caller = thread.depth == 0 ? 0 : thread.top()->function;
  variable.facts = facts_of(process, thread, caller, *record.layout, record.values,
                            {{names_.variable_kind, Value::text(variable.kind)}});
  for (Listener* listener : listeners_) listener->on_state(process, thread, variable);
}

void Replay::context(Process& process, Thread& thread, const Record& record) {
  if (record.values.size() != 1) return;
  const Value value = record.value(0);
  if (record.thread_scope) {
    if (!usable(record.name, value.type) && value.type != ValueType::none) return;
    std::erase_if(thread.context, [&](const Fact& fact) { return fact.key == record.name; });
    if (value.type != ValueType::none) thread.context.push_back({record.name, value});
    return;
  }
  if (record.name == names_.step && value.type == ValueType::integer) {
    if (value.integer() == process.step) return;
    if (value.integer() < process.step) ++counts_.step_restarts;
    for (Listener* listener : listeners_) listener->on_step(process, value.integer());
    process.step = value.integer();
    return;
  }
  if (value.type == ValueType::none) {
    process.context.erase(record.name);
  } else {
    process.context[record.name] = value;
  }
  if (record.name == names_.rank && value.type == ValueType::integer) process.rank = value.integer();
  process.context_facts.clear();
  process.placement.clear();
  for (const auto& [key, current] : process.context) {
    if (usable(key, current.type)) process.context_facts.push_back({key, current});
    if (is_placement(names_.vocabulary->text(key))) process.placement.push_back({key, current});
    if (key == names_.rank) process.context_facts.push_back({names_.first_rank, Value::of(current.integer() == 0)});
  }
  std::ranges::sort(process.placement);
}

void Replay::feed(const Record& record) {
  Process& process = this->process(record.process);
  Thread& thread = this->thread(process, record.thread);
  ++process.event;
  process.time = record.time;
  switch (record.kind) {
    case RecordKind::enter:
      enter(process, thread, record);
      break;
    case RecordKind::exit:
    case RecordKind::fail:
      leave(process, thread, record);
      break;
    case RecordKind::state:
      state(process, thread, record);
      break;
    case RecordKind::context:
      context(process, thread, record);
      break;
    case RecordKind::scalar:
      if (record.values.size() != 1) break;
      process.scalars[record.name] = record.value(0);
      for (Listener* listener : listeners_) listener->on_scalar(process, record.name, record.value(0));
      break;
    case RecordKind::note:
      break;
  }
}

void Replay::finish() {
  for (const auto& process : processes_) {
    if (process == nullptr) continue;
    for (const auto& thread : process->threads) {
      if (thread != nullptr) counts_.unfinished += thread->depth;
    }
    for (Listener* listener : listeners_) listener->on_end(*process);
  }
}

}  // namespace tenet::training
