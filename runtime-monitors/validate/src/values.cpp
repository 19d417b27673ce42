#include "values.h"

#include <fmt/format.h>

#include <algorithm>

#include "tenet/base/diagnostic.h"
#include "tenet/ir/printer.h"

namespace tenet::validate {
namespace {

Result<void> wrong(const ir::Protocol& p, ir::TypeId type, const Json& json) {
  return failure(ErrorKind::bad_input, fmt::format("{} is no value of type {}", json.dump(), ir::to_source(p, type)));
}

tl::unexpected<Error> bad(std::string message) { return failure(ErrorKind::bad_input, std::move(message)); }

/// The member, if it is there, has to be an object of these names and no other: a name that is spelt wrong would leave
/// unsaid what the line was written to say.
Result<void> only_named(const Json& line, const char* member, const std::vector<std::string>& names,
                        const std::string& owner) {
  if (!line.contains(member)) return {};
  const Json& json = line[member];
  if (!json.is_object())
    return bad(fmt::format("'{}' is no object with a value for each name: {}", member, json.dump()));
  for (const auto& entry : json.items()) {
    if (std::find(names.begin(), names.end(), entry.key()) != names.end()) continue;
    const std::string guess = did_you_mean(entry.key(), names);
    return bad(fmt::format("{} has no '{}' for '{}'{}", owner, entry.key(), member,
                           guess.empty() ? "" : fmt::format(" (did you mean '{}'?)", guess)));
  }
  return {};
}

}  // namespace

Result<ir::HostRef> Values::host(const std::string& name) const {
  const std::size_t mark = name.find('#');
  const std::string role = name.substr(0, mark);
  for (std::size_t r = 0; r < p_.roles.size(); ++r) {
    if (p_.roles[r].name != role) continue;
    std::uint32_t index = 0;
    if (mark != std::string::npos) {
      const std::string digits = name.substr(mark + 1);
      if (digits.empty() || digits.size() > 6 || digits.find_first_not_of("0123456789") != std::string::npos) break;
      if (std::stoul(digits) == 0) break;
      index = static_cast<std::uint32_t>(std::stoul(digits)) - 1;
    } else if (!p_.roles[r].single) {
      break;
    }
    if (instance_ && index >= static_cast<std::uint64_t>(instance_->hosts(ir::RoleId(r)))) break;
    return ir::HostRef{ir::RoleId(r), index};
  }
  return failure(ErrorKind::bad_input, fmt::format("there is no host '{}'", name));
}

Result<void> Values::collect_fields(const std::vector<ir::FieldDecl>& fields, const Json& json) {
  for (const ir::FieldDecl& field : fields) {
    if (!json.contains(field.name)) continue;
    if (auto done = collect(field.type, json[field.name]); !done) return done;
  }
  return {};
}

Result<void> Values::collect(ir::TypeId id, const Json& json) {
  const ir::Type& type = p_[id];
  switch (type.kind) {
    case ir::TypeKind::integer:
    case ir::TypeKind::natural:
      if (!json.is_number_integer() || (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX)) {
        return wrong(p_, id, json);
      }
      low_ = std::min(low_, json.get<std::int64_t>());
      high_ = std::max(high_, json.get<std::int64_t>());
      return {};
    case ir::TypeKind::sort:
      if (!json.is_number() && !json.is_string()) return wrong(p_, id, json);
      sort_values_[type.declaration].insert(json);
      return {};
    case ir::TypeKind::host: {
      if (!json.is_string()) return wrong(p_, id, json);
      const auto ref = host(json.get<std::string>());
      if (!ref) return tl::make_unexpected(ref.error());
      if (ref->role.value != type.declaration) return wrong(p_, id, json);
      auto& size = sizes_[ref->role.value];
      size = std::max<std::int64_t>(size, std::int64_t{ref->index} + 1);
      return {};
    }
    case ir::TypeKind::option:
      if (json.is_null()) return {};
      if (p_[type.first].kind == ir::TypeKind::option && json.is_object() && json.contains("some")) {
        return collect(type.first, json["some"]);
      }
      return collect(type.first, json);
    case ir::TypeKind::set:
      if (!json.is_array()) return wrong(p_, id, json);
      for (const Json& element : json) {
        if (auto done = collect(type.first, element); !done) return done;
      }
      return {};
    case ir::TypeKind::map:
    case ir::TypeKind::function: {
      const bool function = type.kind == ir::TypeKind::function;
      if (function && (!json.is_object() || !json.contains("otherwise") || !json.contains("entries"))) {
        return wrong(p_, id, json);
      }
      const Json& entries = function ? json["entries"] : json;
      if (!entries.is_array()) return wrong(p_, id, json);
      if (function) {
        if (auto done = collect(type.second, json["otherwise"]); !done) return done;
      }
      for (const Json& entry : entries) {
        if (!entry.is_array() || entry.size() != 2) return wrong(p_, id, json);
        if (auto done = collect(type.first, entry[0]); !done) return done;
        if (auto done = collect(type.second, entry[1]); !done) return done;
      }
      return {};
    }
    case ir::TypeKind::structure:
      if (!json.is_object()) return wrong(p_, id, json);
      return collect_fields(p_.structs[type.declaration].fields, json);
    case ir::TypeKind::boolean:
    case ir::TypeKind::enumeration:
      return {};
    default:
      return failure(ErrorKind::unsupported, "values of type " + ir::to_source(p_, id));
  }
}

const ir::Step* Values::step(ir::RoleId role, const std::string& name, ir::StepId& id) const {
  for (const ir::StepId candidate : p_[role].steps) {
    if (p_[candidate].name == name) {
      id = candidate;
      return &p_[candidate];
    }
  }
  return nullptr;
}

Result<void> Values::collect_line(const Json& line) {
  const auto ref = host(line["host"].get<std::string>());
  if (!ref) return tl::make_unexpected(ref.error());
  auto& size = sizes_[ref->role.value];
  size = std::max<std::int64_t>(size, std::int64_t{ref->index} + 1);
  const ir::RoleDecl& role = p_[ref->role];
  const auto named = [&](const auto& ids, const char* member, const std::string& owner) -> Result<void> {
    if (!line.contains(member)) return {};
    std::vector<std::string> names;
    for (const auto id : ids) names.push_back(p_[id].name);
    if (auto done = only_named(line, member, names, owner); !done) return done;
    for (const auto id : ids) {
      if (!line[member].contains(p_[id].name)) continue;
      if (auto done = collect(p_[id].type, line[member][p_[id].name]); !done) return done;
    }
    return {};
  };
  if (auto done = named(role.variables, "state", role.name); !done) return done;
  if (auto done = named(role.constants, "constants", role.name); !done) return done;
  ir::MessageId expected;
  if (line.contains("step") && !line["step"].is_string()) {
    return bad(fmt::format("'step' is the name of a step, not {}", line["step"].dump()));
  }
  if (line.contains("snapshot") && (line.contains("step") || line.contains("send"))) {
    return bad("a line is one event: a snapshot, a step or a send");
  }
  if (line.contains("snapshot") && line["snapshot"] != "begins" && line["snapshot"] != "recovers") {
    return bad("'snapshot' is \"begins\" or \"recovers\"");
  }
  if (line.contains("step")) {
    ir::StepId id;
    const ir::Step* found = step(ref->role, line["step"].get<std::string>(), id);
    if (found == nullptr) {
      return failure(ErrorKind::bad_input,
                     fmt::format("{} has no step '{}'", role.name, line["step"].get<std::string>()));
    }
    if (auto done = named(found->parameters, "parameters", "step " + found->name); !done) return done;
    if (found->receive) {
      expected = found->receive->message;
    } else if (line.contains("message")) {
      return bad(fmt::format("step {} receives nothing, and the line has a 'message'", found->name));
    }
  }
  for (const char* member : {"from", "to"}) {
    if (!line.contains(member) || !line[member].is_string()) continue;
    const auto other = host(line[member].get<std::string>());
    if (!other) return tl::make_unexpected(other.error());
    auto& other_size = sizes_[other->role.value];
    other_size = std::max<std::int64_t>(other_size, std::int64_t{other->index} + 1);
  }
  for (const char* member : {"message", "send"}) {
    if (!line.contains(member) || !line[member].is_string()) continue;
    const auto message = std::find_if(p_.messages.begin(), p_.messages.end(),
                                      [&](const auto& m) { return m.name == line[member].get<std::string>(); });
    if (message == p_.messages.end()) return bad(fmt::format("there is no message {}", line[member].dump()));
    expected = ir::MessageId(static_cast<std::size_t>(message - p_.messages.begin()));
  }
  if (!expected.valid() || !line.contains("arguments")) return {};
  const ir::MessageDecl& message = p_[expected];
  std::vector<std::string> names;
  for (const ir::FieldDecl& field : message.fields) names.push_back(field.name);
  if (auto done = only_named(line, "arguments", names, "message " + message.name); !done) return done;
  return collect_fields(message.fields, line["arguments"]);
}

Result<void> Values::resolve(const Options& options, const Logs& logs) {
  Diagnostics diagnostics;
  ir::InstanceDecl decl;
  decl.name = "traces";
  const ir::InstanceDecl* chosen = &decl;
  if (!options.instance.empty()) {
    const auto found = std::find_if(p_.instances.begin(), p_.instances.end(),
                                    [&](const auto& instance) { return instance.name == options.instance; });
    if (found == p_.instances.end()) {
      return failure(ErrorKind::bad_input, fmt::format("there is no instance '{}'", options.instance));
    }
    chosen = &*found;
  } else {
    for (std::size_t r = 0; r < p_.roles.size(); ++r) {
      if (p_.roles[r].single) continue;
      std::int64_t size = std::max<std::int64_t>(1, sizes_[static_cast<std::uint32_t>(r)]);
      for (const auto* source : {&logs.hosts, &options.hosts}) {
        const auto said = source->find(p_.roles[r].name);
        if (said != source->end()) size = std::max(size, said->second);
      }
      decl.entries.push_back({p_.roles[r].name, size, size, false, {}});
    }
    for (std::uint32_t s = 0; s < p_.sorts.size(); ++s) {
      const auto size = std::max<std::int64_t>(1, static_cast<std::int64_t>(sort_values_[s].size()));
      decl.entries.push_back({p_.sorts[s].name, size, size, false, {}});
    }
    const std::int64_t low = low_ == INT64_MIN ? low_ : low_ - 1, high = high_ == INT64_MAX ? high_ : high_ + 1;
    decl.entries.push_back({"nat", 0, high, true, {}});
    decl.entries.push_back({"int", low, high, true, {}});
  }
  if (auto resolved = ir::Instance::resolve(p_, chosen, diagnostics)) {
    instance_ = std::make_shared<const ir::Instance>(std::move(*resolved));
  } else {
    const auto all = diagnostics.sorted();
    return failure(ErrorKind::unsupported, "the traces make no instance of the protocol: " +
                                               (all.empty() ? std::string("unknown reason") : all.front().message));
  }
  for (const auto& [sort, values] : sort_values_) {
    if (static_cast<std::int64_t>(values.size()) > instance_->sort_size(ir::SortId(sort))) {
      return failure(ErrorKind::bad_input,
                     fmt::format("the traces have more values of {} than the instance", p_.sorts[sort].name));
    }
    std::int64_t next = 0;
    for (const Json& value : values) sort_index_[sort][value] = next++;
  }
  return {};
}

Result<const std::vector<ir::Value>*> Values::arguments(ir::TypeId type) const {
  auto known = arguments_.find(type);
  if (known == arguments_.end()) {
    auto domain = instance_->domain(p_, type, "", 100'000);
    if (!domain) return tl::make_unexpected(domain.error());
    known = arguments_.emplace(type, std::move(*domain)).first;
  }
  return &known->second;
}

Result<ir::Value> Values::read(ir::TypeId id, const Json& json) const {
  const ir::Type& type = p_[id];
  ir::Value value;
  const auto bad = [&] { return tl::make_unexpected(wrong(p_, id, json).error()); };
  switch (type.kind) {
    case ir::TypeKind::boolean:
      if (!json.is_boolean()) return bad();
      value.number = json.get<bool>() ? 1 : 0;
      return value;
    case ir::TypeKind::integer:
    case ir::TypeKind::natural:
      if (!json.is_number_integer()) return bad();
      value.number = json.get<std::int64_t>();
      return value;
    case ir::TypeKind::enumeration: {
      if (!json.is_string()) return bad();
      const auto& members = p_.enums[type.declaration].members;
      const auto found = std::find(members.begin(), members.end(), json.get<std::string>());
      if (found == members.end()) return bad();
      value.number = found - members.begin();
      return value;
    }
    case ir::TypeKind::sort: {
      const auto sort = sort_index_.find(type.declaration);
      if (sort == sort_index_.end()) return bad();
      const auto found = sort->second.find(json);
      if (found == sort->second.end()) return bad();
      value.number = found->second;
      return value;
    }
    case ir::TypeKind::host: {
      if (!json.is_string()) return bad();
      const auto ref = host(json.get<std::string>());
      if (!ref) return tl::make_unexpected(ref.error());
      if (ref->role.value != type.declaration) return bad();
      value.number = ref->index;
      return value;
    }
    case ir::TypeKind::option: {
      if (json.is_null()) return value;
      const bool nested = p_[type.first].kind == ir::TypeKind::option && json.is_object() && json.contains("some");
      auto payload = read(type.first, nested ? json["some"] : json);
      if (!payload) return payload;
      value.number = 1;
      value.items.push_back(std::move(*payload));
      return value;
    }
    case ir::TypeKind::set:
      if (!json.is_array()) return bad();
      for (const Json& element : json) {
        auto item = read(type.first, element);
        if (!item) return item;
        value.items.push_back(std::move(*item));
      }
      std::sort(value.items.begin(), value.items.end());
      value.items.erase(std::unique(value.items.begin(), value.items.end()), value.items.end());
      return value;
    case ir::TypeKind::map:
    case ir::TypeKind::function: {
      const bool function = type.kind == ir::TypeKind::function;
      std::map<ir::Value, ir::Value> entries;
      for (const Json& entry : function ? json["entries"] : json) {
        auto key = read(type.first, entry[0]);
        auto result = read(type.second, entry[1]);
        if (!key) return key;
        if (!result) return result;
        entries[*key] = *result;
      }
      if (!function) {
        for (auto& [key, result] : entries) {
          value.items.push_back(key);
          value.items.push_back(result);
        }
        return value;
      }
      auto otherwise = read(type.second, json["otherwise"]);
      if (!otherwise) return otherwise;
      const auto domain = arguments(type.first);
      if (!domain) return tl::make_unexpected(domain.error());
      for (const ir::Value& argument : **domain) {
        const auto entry = entries.find(argument);
        value.items.push_back(entry == entries.end() ? *otherwise : entry->second);
      }
      return value;
    }
    case ir::TypeKind::structure:
      for (const ir::FieldDecl& field : p_.structs[type.declaration].fields) {
        if (!json.is_object() || !json.contains(field.name)) return bad();
        auto item = read(field.type, json[field.name]);
        if (!item) return item;
        value.items.push_back(std::move(*item));
      }
      return value;
    default:
      return bad();
  }
}

bool SaidMessage::complete() const {
  return message.valid() && peer &&
         std::all_of(args.begin(), args.end(), [](const std::optional<ir::Value>& arg) { return arg.has_value(); });
}

bool SaidMessage::fits(const ir::Packet& packet, ir::HostRef other) const {
  if (message.valid() && packet.message != message) return false;
  if (peer && *peer != other) return false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] && *args[i] != packet.args[i]) return false;
  }
  return true;
}

Result<SaidMessage> Values::said_message(const Json& line, const char* name, const char* peer,
                                         ir::MessageId expected) const {
  SaidMessage out;
  out.message = expected;
  if (line.contains(name)) {
    out.said = true;
    if (!line[name].is_string()) return bad(fmt::format("'{}' is the name of a message", name));
    const auto found = std::find_if(p_.messages.begin(), p_.messages.end(),
                                    [&](const auto& m) { return m.name == line[name].get<std::string>(); });
    if (found == p_.messages.end()) return bad(fmt::format("there is no message {}", line[name].dump()));
    out.message = ir::MessageId(static_cast<std::size_t>(found - p_.messages.begin()));
  }
  if (line.contains(peer)) {
    out.said = true;
    if (!line[peer].is_string()) return bad(fmt::format("'{}' is the name of a host", peer));
    const auto other = host(line[peer].get<std::string>());
    if (!other) return tl::make_unexpected(other.error());
    out.peer = *other;
  }
  const bool arguments = line.contains("arguments");
  out.said = out.said || arguments;
  if (!out.message.valid()) {
    return arguments ? bad("'arguments' mean nothing without the name of their message") : Result<SaidMessage>(out);
  }
  const ir::MessageDecl& decl = p_[out.message];
  out.args.resize(decl.fields.size());
  for (std::size_t i = 0; arguments && i < decl.fields.size(); ++i) {
    const ir::FieldDecl& field = decl.fields[i];
    if (!line["arguments"].contains(field.name)) continue;
    auto value = read(field.type, line["arguments"][field.name]);
    if (!value) return tl::make_unexpected(value.error());
    out.args[i] = std::move(*value);
  }
  return out;
}

}  // namespace tenet::validate
