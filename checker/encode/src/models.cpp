#include "tenet/encode/models.h"

#include <algorithm>

namespace tenet::encode {

using ir::Value;

/// Tables with more rows are not read; what needs them does not replay then.
constexpr std::size_t kDomainLimit = 4096;

const std::vector<Value>& ModelReader::domain(ir::TypeId type) {
  if (e_.enumerable(type)) return e_.domain(type);
  const auto found = domains_.find(type);
  if (found != domains_.end()) return found->second;
  auto values = instance_.domain(e_.protocol(), type, "", kDomainLimit);
  return domains_.emplace(type, values ? std::move(*values) : std::vector<Value>()).first->second;
}

std::optional<bool> ModelReader::truth(Term term) {
  if (term.is_true() || term.is_false()) return term.is_true();
  const auto found = solver_.value(term);
  return found ? std::optional(found->boolean) : std::nullopt;
}

std::optional<Value> ModelReader::value(const SymPtr& symbolic) {
  ir::Protocol& p = e_.protocol();
  const ir::Type type = p[symbolic->type];
  Value made;
  switch (symbolic->kind) {
    case Sym::Kind::scalar: {
      const Term term = symbolic->term;
      if (term.sort().is_boolean()) {
        const auto known = truth(term);
        if (!known) return std::nullopt;
        made.number = *known ? 1 : 0;
        return made;
      }
      // Numbers that are no more than an order are told by their place.
      const std::int64_t low = e_.only_ordered(type.kind) ? e_.instance()->all_numbers(type.kind).low : 0;
      if (term.kind() == smt::Kind::enumerator) {
        made.number = static_cast<std::int64_t>(term.member()) + low;
        return made;
      }
      const auto found = solver_.value(term);
      if (!found) return std::nullopt;
      if (term.sort().kind() == smt::SortKind::enumeration) {
        made.number = static_cast<std::int64_t>(found->member) + low;
        return made;
      }
      if (!found->number || !found->number->integral()) return std::nullopt;
      made.number = found->number->numerator();
      return made;
    }
    case Sym::Kind::option: {
      const auto some = truth(symbolic->term);
      if (!some) return std::nullopt;
      if (!*some) return made;
      made.number = 1;
      auto payload = value(symbolic->parts[0]);
      if (!payload) return std::nullopt;
      made.items.push_back(std::move(*payload));
      return made;
    }
    case Sym::Kind::structure:
      for (const SymPtr& part : symbolic->parts) {
        auto field = value(part);
        if (!field) return std::nullopt;
        made.items.push_back(std::move(*field));
      }
      return made;
    case Sym::Kind::collection:
      break;
  }
  for (const Value& key : domain(type.first)) {
    auto result = value(symbolic->apply(e_.literal(type.first, key)));
    if (!result) return std::nullopt;
    if (type.kind == ir::TypeKind::function) {
      made.items.push_back(std::move(*result));
    } else if (result->number != 0) {  // a member, or some(value)
      made.items.push_back(key);
      if (type.kind == ir::TypeKind::map) made.items.push_back(std::move(result->items.front()));
    }
  }
  return made;
}

std::optional<ir::HostRef> ModelReader::host(const SymPtr& symbolic, ir::RoleId role) {
  const auto number = value(symbolic);
  if (!number) return std::nullopt;
  return ir::HostRef{role, static_cast<std::uint32_t>(number->number)};
}

bool ModelReader::packets(const StatePtr& view, ir::MessageId message, ir::RoleId from, ir::RoleId to,
                          ir::State& into) {
  ir::Protocol& p = e_.protocol();
  std::vector<ir::TypeId> types{p.types.host(from), p.types.host(to)};
  for (const ir::FieldDecl& field : p[message].fields) types.push_back(field.type);
  std::vector<const std::vector<Value>*> domains;
  for (const ir::TypeId type : types) {
    domains.push_back(&domain(type));
    if (domains.back()->empty()) return true;
  }
  std::vector<std::size_t> at(types.size(), 0);
  for (;;) {
    std::vector<SymPtr> symbolic;
    for (std::size_t i = 0; i < types.size(); ++i) symbolic.push_back(e_.literal(types[i], (*domains[i])[at[i]]));
    const Letter letter{message, from, to, symbolic[0], symbolic[1], {symbolic.begin() + 2, symbolic.end()}};
    const auto sent = truth(view->sent(letter));
    if (!sent) return false;
    std::size_t copies = *sent ? 1U : 0U;
    if (*sent && p[message].delivery == ir::Delivery::at_most_once) {
      const auto twice = truth(view->twice(letter));
      if (!twice) return false;
      copies += *twice ? 1U : 0U;
    }
    ir::Packet packet;
    packet.message = message;
    packet.sender = {from, static_cast<std::uint32_t>((*domains[0])[at[0]].number)};
    packet.addressee = {to, static_cast<std::uint32_t>((*domains[1])[at[1]].number)};
    for (std::size_t i = 2; i < types.size(); ++i) packet.args.push_back((*domains[i])[at[i]]);
    into.network.insert(into.network.end(), copies, packet);
    std::size_t next = types.size();
    while (next > 0 && ++at[next - 1] == domains[next - 1]->size()) at[--next] = 0;
    if (next == 0) return true;
  }
}

std::optional<ir::State> ModelReader::variables(const StatePtr& view) {
  ir::Protocol& p = e_.protocol();
  ir::State made;
  made.variables.resize(p.variables.size());
  for (std::size_t v = 0; v < p.variables.size(); ++v) {
    const ir::RoleId role = p.variables[v].role;
    for (const Value& host : domain(p.types.host(role))) {
      auto known = value(view->read(ir::VarId(v), e_.literal(p.types.host(role), host)));
      if (!known) return std::nullopt;
      made.variables[v].push_back(std::move(*known));
    }
  }
  return made;
}

std::optional<ir::State> ModelReader::state(const StatePtr& view) {
  auto made = variables(view);
  if (!made) return std::nullopt;
  bool all = true;
  e_.for_each_letter_kind([&](ir::MessageId message, ir::RoleId from, ir::RoleId to) {
    all = all && packets(view, message, from, to, *made);
  });
  if (!all) return std::nullopt;
  std::sort(made->network.begin(), made->network.end());
  return made;
}

std::optional<ir::Constants> ModelReader::constants() {
  ir::Protocol& p = e_.protocol();
  ir::Constants made;
  made.values.resize(p.constants.size());
  for (std::size_t c = 0; c < p.constants.size(); ++c) {
    std::vector<ir::TypeId> types = p.constants[c].parameters;
    if (p.constants[c].role.valid()) types.insert(types.begin(), p.types.host(p.constants[c].role));
    std::vector<std::vector<SymPtr>> rows{{}};
    for (const ir::TypeId type : types) {
      std::vector<std::vector<SymPtr>> longer;
      for (const auto& row : rows) {
        for (const Value& each : domain(type)) {
          longer.push_back(row);
          longer.back().push_back(e_.literal(type, each));
        }
      }
      rows = std::move(longer);
    }
    for (const auto& row : rows) {
      auto known = value(e_.constant(ir::ConstId(c), row));
      if (!known) return std::nullopt;
      made.values[c].push_back(std::move(*known));
    }
  }
  return made;
}

std::optional<ir::Action> ModelReader::action(const Transition& transition) {
  ir::Action made;
  made.step = transition.which.step;
  const ir::RoleId role = e_.protocol()[made.step].role;
  const auto self = host(transition.self, role);
  if (!self) return std::nullopt;
  made.host = *self;
  for (const SymPtr& parameter : transition.parameters) {
    auto known = value(parameter);
    if (!known) return std::nullopt;
    made.parameters.push_back(std::move(*known));
  }
  for (std::size_t i = 0; i < transition.choices.size(); ++i) {
    const auto reached = truth(transition.chosen[i]);
    if (!reached) return std::nullopt;
    if (!*reached) continue;
    auto known = value(transition.choices[i]);
    if (!known) return std::nullopt;
    made.choices.push_back(std::move(*known));
  }
  for (const Letter& letter : transition.received) {
    ir::Packet packet;
    packet.message = letter.message;
    const auto sender = host(letter.sender, letter.from);
    if (!sender) return std::nullopt;
    packet.sender = *sender;
    packet.addressee = made.host;
    for (const SymPtr& arg : letter.args) {
      auto known = value(arg);
      if (!known) return std::nullopt;
      packet.args.push_back(std::move(*known));
    }
    made.received = std::move(packet);
  }
  return made;
}

}  // namespace tenet::encode
