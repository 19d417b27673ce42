#include "tenet/result/trace_view.h"

#include <algorithm>
#include <set>

#include "choices.h"
#include "value_text.h"

namespace tenet::result {
namespace {

TraceStep::Message message_text(const Words& words, const ir::Packet& packet) {
  const ir::MessageDecl& decl = words.protocol[packet.message];
  TraceStep::Message message;
  message.name = decl.name;
  message.text = ir::to_source(words.protocol, words.instance, packet);
  message.from = words.host(packet.sender);
  message.to = words.host(packet.addressee);
  for (std::size_t i = 0; i < decl.fields.size() && i < packet.args.size(); ++i) {
    message.fields.emplace_back(decl.fields[i].name, words.value(decl.fields[i].type, packet.args[i]));
  }
  return message;
}

/// Which earlier step sent what the step at `index` receives. Of equal sends
/// the latest one; at-most-once messages are consumed, so there the earliest
/// that was not.
class Senders {
 public:
  Senders(const ir::Protocol& protocol, const ir::Trace& trace) : protocol_(protocol), trace_(trace) {}

  std::optional<std::size_t> find(std::size_t index, const ir::Packet& packet) {
    const bool consumed = protocol_[packet.message].delivery == ir::Delivery::at_most_once;
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < index && i < trace_.sends.size(); ++i) {
      for (std::size_t k = 0; k < trace_.sends[i].size(); ++k) {
        if (trace_.sends[i][k] != packet) continue;
        if (!consumed) {
          found = i;
        } else if (used_.insert({i, k}).second) {
          return i;
        }
      }
    }
    return found;
  }

 private:
  const ir::Protocol& protocol_;
  const ir::Trace& trace_;
  std::set<std::pair<std::size_t, std::size_t>> used_;
};

void add_hosts(const Words& words, TraceView& view) {
  for (std::size_t r = 0; r < words.protocol.roles.size(); ++r) {
    const ir::RoleId role(r);
    for (std::uint32_t h = 0; h < words.instance.hosts(role); ++h) {
      view.hosts.push_back(words.host({role, h}));
      view.roles.push_back(words.protocol[role].name);
    }
  }
}

void add_state(const Words& words, const ir::State& state, std::vector<TraceStep::Change>& out) {
  // Host by host, so that a reader finds one host's variables together.
  for (std::size_t r = 0; r < words.protocol.roles.size(); ++r) {
    const ir::RoleId role(r);
    for (std::uint32_t h = 0; h < words.instance.hosts(role); ++h) {
      for (const ir::VarId var : words.protocol[role].variables) {
        const ir::VarDecl& decl = words.protocol[var];
        out.push_back({words.host({role, h}), decl.name, "", words.value(decl.type, state.variables[var.index()][h])});
      }
    }
  }
}

TraceStep step_without_effect(const Words& words, const ir::Action& action) {
  const ir::Step& decl = words.protocol[action.step];
  TraceStep step;
  step.step = decl.name;
  step.host = words.host(action.host);
  step.span = decl.span;
  for (std::size_t i = 0; i < decl.parameters.size() && i < action.parameters.size(); ++i) {
    const ir::LocalDecl& local = words.protocol[decl.parameters[i]];
    step.arguments.emplace_back(local.name, words.value(local.type, action.parameters[i]));
  }
  add_choices(words, decl, action.choices, step.arguments);
  if (action.received) step.received = message_text(words, *action.received);
  return step;
}

/// Where each variable of each host is in TraceView::initial.
std::vector<std::vector<std::size_t>> cell_indices(const Words& words) {
  std::vector<std::vector<std::size_t>> cells(words.protocol.variables.size());
  std::size_t next = 0;
  for (std::size_t r = 0; r < words.protocol.roles.size(); ++r) {
    for (std::int64_t h = 0; h < words.instance.hosts(ir::RoleId(r)); ++h) {
      for (const ir::VarId var : words.protocol.roles[r].variables) cells[var.index()].push_back(next++);
    }
  }
  return cells;
}

void add_changes(const Words& words, const ir::State& before, const ir::State& after,
                 const std::vector<std::vector<std::size_t>>& cells, TraceStep& step) {
  for (std::size_t v = 0; v < words.protocol.variables.size(); ++v) {
    const ir::VarDecl& decl = words.protocol.variables[v];
    for (std::uint32_t h = 0; h < after.variables[v].size(); ++h) {
      if (before.variables[v][h] == after.variables[v][h]) continue;
      add_differences(words, decl.type, before.variables[v][h], after.variables[v][h], words.host({decl.role, h}),
                      decl.name, step.changes);
      step.cells.emplace_back(cells[v][h], words.value(decl.type, after.variables[v][h]));
    }
  }
}

}  // namespace

TraceView view(const ir::Protocol& protocol, const ir::Instance& instance, const ir::Trace& trace) {
  const Words words{protocol, instance};
  TraceView view;
  view.raw = trace;
  add_hosts(words, view);
  add_constants(words, trace.constants, view.constants);
  if (trace.states.empty()) return view;
  add_state(words, trace.states.front(), view.initial);
  for (const ir::Packet& packet : trace.states.front().network) view.network.push_back(message_text(words, packet));
  Senders senders(protocol, trace);
  const auto cells = cell_indices(words);
  for (std::size_t i = 0; i < trace.actions.size() && i + 1 < trace.states.size(); ++i) {
    TraceStep step = step_without_effect(words, trace.actions[i]);
    if (step.received) step.received->sent_at = senders.find(i, *trace.actions[i].received);
    if (i < trace.sends.size()) {
      for (const ir::Packet& packet : trace.sends[i]) step.sent.push_back(message_text(words, packet));
    }
    add_changes(words, trace.states[i], trace.states[i + 1], cells, step);
    view.steps.push_back(std::move(step));
  }
  add_state(words, trace.states.back(), view.final_state);
  return view;
}

void add_failing_step(TraceView& view, const ir::Protocol& protocol, const ir::Instance& instance,
                      const ir::Action& action, const ir::Fault& fault) {
  TraceStep step = step_without_effect({protocol, instance}, action);
  if (step.received) step.received->sent_at = Senders(protocol, view.raw).find(view.raw.sends.size(), *action.received);
  step.fault = describe(protocol, fault);
  view.steps.push_back(std::move(step));
}

std::string describe(const ir::Protocol& protocol, const ir::Fault& fault) {
  const std::string what(ir::describe(fault.kind));
  return fault.where.valid() ? "'" + ir::to_source(protocol, fault.where) + "' " + what : what;
}

std::string describe(const ir::Protocol& protocol, const ir::Instance& instance) {
  std::vector<std::string> entries;
  std::set<std::string> named;
  const auto decl = std::find_if(protocol.instances.begin(), protocol.instances.end(),
                                 [&](const ir::InstanceDecl& d) { return d.name == instance.name(); });
  if (decl != protocol.instances.end()) {
    for (const ir::InstanceEntry& entry : decl->entries) {
      named.insert(entry.name);
      entries.push_back(entry.name + (entry.is_range
                                          ? " in " + std::to_string(entry.low) + ".." + std::to_string(entry.high)
                                          : " = " + std::to_string(entry.low)));
    }
  }
  for (std::size_t r = 0; r < protocol.roles.size(); ++r) {
    const ir::RoleDecl& role = protocol.roles[r];
    if (role.single || named.count(role.name) != 0) continue;
    entries.push_back(role.name + " = " + std::to_string(instance.hosts(ir::RoleId(r))));
  }
  for (std::size_t s = 0; s < protocol.sorts.size(); ++s) {
    const ir::SortDecl& sort = protocol.sorts[s];
    if (named.count(sort.name) == 0)
      entries.push_back(sort.name + " = " + std::to_string(instance.sort_size(ir::SortId(s))));
  }
  std::string text = instance.name().empty() ? "default" : instance.name();
  for (std::size_t i = 0; i < entries.size(); ++i) text += (i == 0 ? ": " : ", ") + entries[i];
  return text;
}

}  // namespace tenet::result
