#include "report_codec.h"

#include <nlohmann/json.hpp>

namespace tenet::verify {
namespace {

using Json = nlohmann::json;

/// One overload for each kind of thing; in a class, so that they see one another.
struct Packer {
  static Json pack(const ir::Value& value) {
    if (value.items.empty()) return value.number;
    Json json = Json::array({value.number});
    for (const ir::Value& item : value.items) json.push_back(pack(item));
    return json;
  }
  template <class T>
  static Json pack_all(const std::vector<T>& items) {
    Json json = Json::array();
    for (const auto& item : items) json.push_back(pack(item));
    return json;
  }
  static Json pack(const std::vector<ir::Value>& values) { return pack_all(values); }
  static Json pack(ir::HostRef host) { return Json::array({host.role.value, host.index}); }
  static Json pack(const ir::Packet& p) {
    return Json::array({p.message.value, pack(p.sender), pack(p.addressee), pack_all(p.args)});
  }
  static Json pack(const std::vector<ir::Packet>& packets) { return pack_all(packets); }
  static Json pack(const ir::State& state) { return Json::array({pack_all(state.variables), pack_all(state.network)}); }
  static Json pack(const ir::Action& a) {
    return Json::array({a.step.value, pack(a.host), pack_all(a.parameters), pack_all(a.choices),
                        a.received ? pack(*a.received) : Json(nullptr)});
  }
  static Json pack(const ir::Trace& t) {
    return Json::array({pack_all(t.constants.values), pack_all(t.actions), pack_all(t.states), pack_all(t.sends)});
  }
  static Json pack(const ir::Interpreter::Binding& b) { return Json::array({b.local.value, pack(b.value)}); }
  static Json pack(const ir::Fault& f) { return Json::array({static_cast<int>(f.kind), f.where.value}); }
  static Json pack(const explore::Found& f) {
    return Json::array({static_cast<int>(f.kind), f.property.value, f.fault ? pack(*f.fault) : Json(nullptr),
                        pack(f.trace), f.failing_action ? pack(*f.failing_action) : Json(nullptr),
                        pack_all(f.binding)});
  }
  static Json pack(const explore::Cut& c) { return Json::array({c.step.value, c.slot, c.count}); }
  template <class Tag>
  static Json pack(ir::Id<Tag> id) {
    return id.value;
  }
};

/// Reads what `Packer` wrote. Malformed input raises a JSON exception, which
/// `decode` turns into "no entry"; ids are checked against the protocol.
class Reader {
 public:
  explicit Reader(const ir::Protocol& protocol) : p_(protocol) {}

  explore::Report report(const Json& j) const {
    explore::Report r;
    r.end = static_cast<explore::End>(small(j.at(0), 5));
    r.initial_states = j.at(1);
    r.states = j.at(2);
    r.transitions = j.at(3);
    r.depth = j.at(4);
    r.seconds = j.at(5);
    r.memory = j.at(6);
    r.bytes_per_state = j.at(7);
    r.deadlocks = j.at(8);
    for (const Json& item : list(j.at(9))) r.found.push_back(found(item));
    for (const Json& item : list(j.at(10))) r.unreached.push_back(id<ir::PropertyId>(item, p_.properties.size()));
    for (const Json& item : list(j.at(11))) r.never_enabled.push_back(id<ir::StepId>(item, p_.steps.size()));
    for (const Json& item : list(j.at(12))) r.never_true.push_back(id<ir::ExprId>(item, p_.exprs.size()));
    for (const Json& item : list(j.at(13))) {
      r.cuts.push_back({id<ir::StepId>(item.at(0), p_.steps.size()), item.at(1), item.at(2)});
    }
    for (const Json& item : list(j.at(14))) r.cut_properties.push_back(id<ir::PropertyId>(item, p_.properties.size()));
    return r;
  }

 private:
  static const Json::array_t& list(const Json& j) { return j.get_ref<const Json::array_t&>(); }
  static int small(const Json& j, int limit) {
    const int number = j.get<int>();
    if (number < 0 || number > limit) throw Json::out_of_range::create(401, "a number is out of range", &j);
    return number;
  }
  template <class IdType>
  static IdType id(const Json& j, std::size_t size, bool optional = false) {
    const auto number = j.get<std::uint32_t>();
    if (optional && number == IdType::kNone) return {};
    if (number >= size) throw Json::out_of_range::create(401, "an id is out of range", &j);
    return IdType(number);
  }
  ir::Value value(const Json& j) const {
    ir::Value v;
    if (!j.is_array()) {
      v.number = j.get<std::int64_t>();
      return v;
    }
    v.number = j.at(0).get<std::int64_t>();
    for (std::size_t i = 1; i < j.size(); ++i) v.items.push_back(value(j[i]));
    return v;
  }
  std::vector<ir::Value> values(const Json& j) const {
    std::vector<ir::Value> result;
    for (const Json& item : list(j)) result.push_back(value(item));
    return result;
  }
  std::vector<std::vector<ir::Value>> rows(const Json& j) const {
    std::vector<std::vector<ir::Value>> result;
    for (const Json& item : list(j)) result.push_back(values(item));
    return result;
  }
  ir::HostRef host(const Json& j) const {
    return {id<ir::RoleId>(j.at(0), p_.roles.size()), j.at(1).get<std::uint32_t>()};
  }
  ir::Packet packet(const Json& j) const {
    return {id<ir::MessageId>(j.at(0), p_.messages.size()), host(j.at(1)), host(j.at(2)), values(j.at(3))};
  }
  std::vector<ir::Packet> packets(const Json& j) const {
    std::vector<ir::Packet> result;
    for (const Json& item : list(j)) result.push_back(packet(item));
    return result;
  }
  ir::Action action(const Json& j) const {
    ir::Action a;
    a.step = id<ir::StepId>(j.at(0), p_.steps.size());
    a.host = host(j.at(1));
    a.parameters = values(j.at(2));
    a.choices = values(j.at(3));
    if (!j.at(4).is_null()) a.received = packet(j.at(4));
    return a;
  }
  ir::Trace trace(const Json& j) const {
    ir::Trace t;
    t.constants.values = rows(j.at(0));
    for (const Json& item : list(j.at(1))) t.actions.push_back(action(item));
    for (const Json& item : list(j.at(2))) t.states.push_back({rows(item.at(0)), packets(item.at(1))});
    for (const Json& item : list(j.at(3))) t.sends.push_back(packets(item));
    return t;
  }
  explore::Found found(const Json& j) const {
    explore::Found f;
    f.kind = static_cast<explore::FoundKind>(small(j.at(0), 3));
    f.property = id<ir::PropertyId>(j.at(1), p_.properties.size(), true);
    if (!j.at(2).is_null()) {
      f.fault = ir::Fault{static_cast<ir::FaultKind>(small(j.at(2).at(0), 5)),
                          id<ir::ExprId>(j.at(2).at(1), p_.exprs.size(), true)};
    }
    f.trace = trace(j.at(3));
    if (!j.at(4).is_null()) f.failing_action = action(j.at(4));
    for (const Json& item : list(j.at(5))) {
      f.binding.push_back({id<ir::LocalId>(item.at(0), p_.locals.size()), value(item.at(1))});
    }
    return f;
  }

  const ir::Protocol& p_;
};

}  // namespace

std::string encode(const explore::Report& r) {
  const Json json =
      Json::array({static_cast<int>(r.end), r.initial_states, r.states, r.transitions, r.depth, r.seconds, r.memory,
                   r.bytes_per_state, r.deadlocks, Packer::pack_all(r.found), Packer::pack_all(r.unreached),
                   Packer::pack_all(r.never_enabled), Packer::pack_all(r.never_true), Packer::pack_all(r.cuts),
                   Packer::pack_all(r.cut_properties)});
  const std::vector<std::uint8_t> bytes = Json::to_cbor(json);
  return {bytes.begin(), bytes.end()};
}

std::optional<explore::Report> decode(std::string_view bytes, const ir::Protocol& protocol) {
  try {
    return Reader(protocol).report(Json::from_cbor(bytes));
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace tenet::verify
