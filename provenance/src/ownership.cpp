/// Something that is in one place at a time: held by a host, or on its way.
#include <algorithm>
#include <optional>

#include "deliveries.h"
#include "effects.h"

namespace tenet::provenance {

namespace {

using ir::VarId;

/// A place where the thing may be. What kind of thing: the type of its key, if
/// there is one for each key. An option is a flag, too: that it is none.
struct Place {
  Atom atom;
  std::optional<LocalId> key;
  bool absent = false;          ///< it is there if the flag is down
  VarId holder;                 ///< the variable that says that a host has it, now or once the message is received
  ExprId twice;                 ///< of messages that are delivered at most once: there are two of them
  std::vector<ExprId> numbers;  ///< of messages: what they say of the thing, as numbers
};

class Owners {
 public:
  Owners(ir::Protocol& protocol, const Deliveries& deliveries)
      : p_(protocol), deliveries_(deliveries), make_(protocol), b_(make_.b_) {}

  std::vector<Proposal> run() {
    const std::vector<Place> held = holders(), flights = in_flight();
    // Fresh variables for the second of two.
    const std::vector<Place> held_too = holders(), flights_too = in_flight();
    for (const Place& holder : held) {
      for (const Place& flight : flights) exclude(holder, flight);
      for (std::size_t j = index(held, holder); j < held_too.size(); ++j) {
        if (held_too[j].holder == holder.holder && held_too[j].absent == holder.absent) {
          same_if_both(holder, held_too[j]);
        } else {
          exclude(holder, held_too[j]);
        }
      }
      highest(holder);
      noted(holder);
    }
    for (const Place& flight : flights) {
      for (std::size_t j = index(flights, flight); j < flights_too.size(); ++j) {
        if (j == index(flights, flight)) {
          same_if_both(flight, flights_too[j]);
        } else {
          exclude(flight, flights_too[j]);
        }
      }
      if (flight.twice.valid()) {
        propose(flight.atom.binders, b_.negate(b_.conjunction({flight.atom.formula, flight.twice})));
      }
      highest(flight);
      noted(flight);
    }
    return std::move(out_);
  }

 private:
  static std::size_t index(const std::vector<Place>& all, const Place& one) {
    return static_cast<std::size_t>(&one - all.data());
  }

  /// Options only where something is handed over by messages that are delivered at most once.
  bool is_flag(const Type& type) {
    return type.kind == TypeKind::boolean || (type.kind == TypeKind::option && !deliveries_.tracked.empty());
  }
  /// Whether the value of a flag says that it is up.
  ExprId raised(ExprId value) {
    const ir::Expr node = p_[value];
    if (p_[node.type].kind != TypeKind::option) return value;
    if (node.op == Op::none || node.op == Op::some) return b_.boolean(node.op == Op::none);
    if (node.op != Op::ite) return b_.binary(Op::eq, value, b_.none(node.type));
    const ExprId yes = raised(node.args[1]), no = raised(node.args[2]);
    return b_.disjunction({b_.conjunction({node.args[0], yes}), b_.conjunction({b_.negate(node.args[0]), no})});
  }

  /// Flags, and sets and tables of flags for things that are no hosts.
  std::vector<Place> holders() {
    std::vector<Place> result;
    for (std::size_t v = 0; v < p_.variables.size(); ++v) {
      const ir::VarDecl var = p_.variables[v];
      const Type t = p_[var.type];
      const bool flag = is_flag(t);
      const bool keyed =
          (t.kind == TypeKind::set || (t.kind == TypeKind::function && p_[t.second].kind == TypeKind::boolean)) &&
          p_[t.first].kind != TypeKind::host;
      if (!flag && !keyed) continue;
      Place place;
      place.holder = VarId(v);
      place.atom.host_role = var.role;
      place.atom.host = make_.fresh("h", p_.types.host(var.role));
      place.atom.binders = {place.atom.host};
      place.atom.formula = b_.state_var(VarId(v), b_.local(place.atom.host));
      if (flag) place.atom.formula = raised(place.atom.formula);
      if (keyed) {
        place.key = make_.fresh("k", t.first);
        place.atom.binders.push_back(*place.key);
        place.atom.formula = t.kind == TypeKind::set ? b_.binary(Op::contains, b_.local(*place.key), place.atom.formula)
                                                     : b_.binary(Op::apply, place.atom.formula, b_.local(*place.key));
      }
      result.push_back(place);
      // What is counted out and in again is with a host that does not have it noted.
      if (deliveries_.tracked.empty()) continue;
      place.absent = true;
      place.atom.formula = b_.negate(place.atom.formula);
      result.push_back(std::move(place));
    }
    return result;
  }

  /// A message is there, and once its addressee takes it that host holds the thing.
  std::vector<Place> in_flight() {
    std::vector<Place> result;
    for (std::size_t s = 0; s < p_.steps.size(); ++s) {
      const ir::Step step = p_.steps[s];
      if (!step.receive || !step.parameters.empty()) continue;
      for (RoleId from : make_.senders(step.receive->message)) {
        if (step.receive->from.valid() && step.receive->from != from) continue;
        const Tracked* tracked = deliveries_.find(step.receive->message, from, step.role);
        const bool refuses = tracked != nullptr && p_[step.guard].op == Op::and_;
        for (VarId var : std::vector<VarId>(p_[step.role].variables)) {
          const auto add = [&](bool absent, bool accepted) {
            if (auto place = flight(step, from, var, absent, accepted)) result.push_back(std::move(*place));
          };
          add(false, true);
          if (!deliveries_.tracked.empty()) add(true, true);
          // What is refused stays on its way.
          if (refuses) add(false, false);
          if (refuses) add(true, false);
        }
      }
    }
    return result;
  }

  /// `accepted`: the step's guard holds.
  std::optional<Place> flight(const ir::Step& step, RoleId from, VarId var, bool absent, bool accepted) {
    const TypeId type = p_[var].type;
    const Type t = p_[type];
    const bool flag = is_flag(t);
    const bool set = t.kind == TypeKind::set;
    const bool table = t.kind == TypeKind::function && p_[t.second].kind == TypeKind::boolean;
    if (!flag && ((!set && !table) || p_[t.first].kind == TypeKind::host)) return std::nullopt;
    Place place;
    place.holder = var;
    place.absent = absent;
    place.atom = make_.sent(step.receive->message, from, step.role);
    const ExprId self = b_.local(place.atom.host);
    std::map<LocalId, ExprId> locals;
    const std::size_t n = step.receive->fields.size();
    for (std::size_t i = 0; i < n; ++i) locals[step.receive->fields[i]] = b_.local(place.atom.binders[i]);
    if (step.receive->sender.valid()) locals[step.receive->sender] = b_.local(place.atom.binders[n]);
    Effects effects(p_, step, self, locals);
    const ExprId after = effects.after(var);
    if (!after.valid()) return std::nullopt;
    ExprId now = after;
    if (flag) {
      now = raised(after);
    } else {
      place.key = make_.fresh("k", t.first);
      place.atom.binders.push_back(*place.key);
      now = set ? effects.member(b_.local(*place.key), after) : effects.result(after, b_.local(*place.key));
    }
    const ExprId newly = without(absent ? opposite(now) : now, var, absent);
    if (p_[newly].op == Op::bool_literal && p_[newly].value == 0) return std::nullopt;
    ExprId guard = rewrite(p_, step.guard, self, locals);
    std::vector<ExprId> all{place.atom.formula};
    if (const Tracked* tracked = deliveries_.find(step.receive->message, from, step.role)) {
      std::vector<ExprId> fields;
      for (std::size_t i = 0; i < n; ++i) fields.push_back(b_.local(place.atom.binders[i]));
      const ExprId sender = b_.local(place.atom.binders[n]);
      place.twice = on_its_way(p_, *tracked, sender, self, fields, 1);
      if (!accepted) guard = on_its_way(p_, *tracked, sender, self, fields);
    }
    for (ExprId part : {guard, newly}) {
      if (p_[part].op != Op::bool_literal) all.push_back(part);
    }
    place.atom.formula = b_.conjunction(std::move(all));
    for (std::size_t i = 0; i < n; ++i) numbers(b_.local(place.atom.binders[i]), place);
    return place;
  }

  /// What was there before does not count as on its way.
  ExprId without(ExprId formula, VarId var, bool absent) {
    if (was_there(formula, var, absent)) return b_.boolean(false);
    const ir::Expr node = p_[formula];
    if (node.op != Op::or_) return formula;
    std::vector<ExprId> rest;
    for (const ExprId arg : node.args) {
      const ExprId part = without(arg, var, absent);
      if (p_[part].op != Op::bool_literal || p_[part].value != 0) rest.push_back(part);
    }
    return b_.disjunction(std::move(rest));
  }
  bool was_there(ExprId formula, VarId var, bool absent) {
    const ir::Expr& node = p_[formula];
    if (node.op == Op::and_) {
      return std::ranges::any_of(node.args, [&](ExprId arg) { return was_there(arg, var, absent); });
    }
    return absent ? node.op == Op::not_ && is_flag_of(node.args[0], var) : is_flag_of(formula, var);
  }
  bool is_flag_of(ExprId id, VarId var) {
    const ir::Expr& node = p_[id];
    const bool none = node.op == Op::eq && p_[node.args[1]].op == Op::none && is_variable(node.args[0], var);
    return none || (node.op == Op::contains && is_variable(node.args[1], var)) ||
           (node.op == Op::apply && is_variable(node.args[0], var)) || is_variable(id, var);
  }
  /// The negation, with `not` as far inside as it goes.
  ExprId opposite(ExprId formula) {
    const ir::Expr node = p_[formula];
    if (node.op == Op::not_) return node.args[0];
    if (node.op == Op::bool_literal) return b_.boolean(node.value == 0);
    if (node.op != Op::and_ && node.op != Op::or_) return b_.negate(formula);
    std::vector<ExprId> parts;
    for (const ExprId arg : node.args) parts.push_back(opposite(arg));
    return node.op == Op::and_ ? b_.disjunction(std::move(parts)) : b_.conjunction(std::move(parts));
  }
  bool is_variable(ExprId id, VarId var) { return p_[id].op == Op::state_var && VarId(p_[id].ref) == var; }

  bool is_number(TypeId type) { return p_[type].kind == TypeKind::natural || p_[type].kind == TypeKind::integer; }
  /// Numbers in a field: by itself, in an option, or at the thing's key.
  void numbers(ExprId field, Place& place) {
    const TypeId type = p_[field].type;
    const Type t = p_[type];
    if (is_number(type)) place.numbers.push_back(field);
    if (!place.key || t.first != p_[*place.key].type) return;
    if (t.kind == TypeKind::map && is_number(t.second)) {
      place.numbers.push_back(b_.binary(Op::map_get, field, b_.local(*place.key)));
    }
    if (t.kind != TypeKind::function) return;
    const ExprId at = b_.binary(Op::apply, field, b_.local(*place.key));
    if (is_number(t.second)) place.numbers.push_back(at);
    if (p_[t.second].kind == TypeKind::option && is_number(p_[t.second].first)) {
      place.numbers.push_back(b_.get(at, true));
    }
  }

  static bool alike(const ir::Protocol& p, const Place& a, const Place& b) {
    return a.key.has_value() == b.key.has_value() && (!a.key || p[*a.key].type == p[*b.key].type);
  }

  /// The second place's formula and binders, about the same thing as the first's.
  std::pair<ExprId, std::vector<LocalId>> of_the_same(const Place& first, const Place& second) {
    if (!second.key) return {second.atom.formula, second.atom.binders};
    std::vector<LocalId> binders = second.atom.binders;
    std::erase(binders, *second.key);
    return {rewrite(p_, second.atom.formula, ExprId{}, {{*second.key, b_.local(*first.key)}}), binders};
  }

  void propose(std::vector<LocalId> binders, ExprId body) { out_.push_back(make_.close(std::move(binders), body, {})); }

  void exclude(const Place& a, const Place& b) {
    if (!alike(p_, a, b)) return;
    const auto [other, binders] = of_the_same(a, b);
    std::vector<LocalId> all = a.atom.binders;
    all.insert(all.end(), binders.begin(), binders.end());
    propose(std::move(all), b_.negate(b_.conjunction({a.atom.formula, other})));
  }

  void same_if_both(const Place& a, const Place& b) {
    const auto [other, binders] = of_the_same(a, b);
    std::vector<ExprId> same;
    std::vector<LocalId> mine = a.atom.binders;
    if (a.key) std::erase(mine, *a.key);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      same.push_back(b_.binary(Op::eq, b_.local(mine[i]), b_.local(binders[i])));
    }
    std::vector<LocalId> all = a.atom.binders;
    all.insert(all.end(), binders.begin(), binders.end());
    propose(std::move(all),
            b_.binary(Op::implies, b_.conjunction({a.atom.formula, other}), b_.conjunction(std::move(same))));
  }

  /// Who has the thing, or is to get it or gave it away, is whom another host notes, in an option or a set; and a
  /// number that is there or comes with it is the one that a single host has.
  void noted(const Place& place) {
    if (deliveries_.tracked.empty()) return;
    for (std::size_t v = 0; v < p_.variables.size(); ++v) {
      const ir::VarDecl decl = p_.variables[v];
      if (VarId(v) == place.holder) continue;
      if (p_[decl.role].single) {
        note(place, VarId(v), b_.single_host(decl.role), LocalId{});
        continue;
      }
      for (const LocalId by : place.atom.binders) {
        if (p_[by].type == p_.types.host(decl.role)) note(place, VarId(v), b_.local(by), by);
      }
    }
  }
  /// `by` is the local `self`, if it is one.
  void note(const Place& place, VarId var, ExprId by, LocalId self) {
    const Type type = p_[p_[var].type];
    const ExprId value = b_.state_var(var, by);
    const auto says = [&](ExprId what) {
      propose(place.atom.binders, b_.binary(Op::implies, place.atom.formula, what));
    };
    const bool option = type.kind == TypeKind::option, set = type.kind == TypeKind::set;
    if ((option || set) && p_[type.first].kind == TypeKind::host) {
      for (const LocalId noted : place.atom.binders) {
        if (noted == self || p_[noted].type != type.first) continue;
        says(option ? b_.binary(Op::eq, value, b_.some(b_.local(noted)))
                    : b_.binary(Op::contains, b_.local(noted), value));
      }
    }
    if (!is_number(p_[var].type) || self.valid()) return;
    std::vector<ExprId> there = place.numbers;
    if (!place.atom.message) {
      for (const VarId own : std::vector<VarId>(p_[place.atom.host_role].variables)) {
        if (own != var) there.push_back(b_.state_var(own, b_.local(place.atom.host)));
      }
    }
    for (const ExprId number : there) {
      if (p_[number].type == p_[var].type) says(b_.binary(Op::eq, number, value));
    }
  }

  /// Where the thing is, its number is the highest.
  void highest(const Place& place) {
    const RoleId role = place.atom.host_role;
    for (VarId var : std::vector<VarId>(p_[role].variables)) {
      const Type t = p_[p_[var].type];
      const bool keyed = t.kind == TypeKind::function && place.key && t.first == p_[*place.key].type;
      if (!is_number(p_[var].type) && !(keyed && is_number(t.second))) continue;
      const auto number_of = [&](LocalId host) {
        const ExprId value = b_.state_var(var, b_.local(host));
        return keyed ? b_.binary(Op::apply, value, b_.local(*place.key)) : value;
      };
      const LocalId other = make_.fresh("g", p_.types.host(role));
      std::vector<LocalId> binders = place.atom.binders;
      binders.push_back(other);
      const auto claim = [&](Op op, ExprId number) {
        if (p_[number].type != p_[number_of(other)].type) return;
        propose(binders, b_.binary(Op::implies, place.atom.formula, b_.binary(op, number_of(other), number)));
      };
      if (!place.atom.message) claim(Op::le, number_of(place.atom.host));
      for (ExprId number : place.numbers) claim(Op::lt, number);
    }
  }

  ir::Protocol& p_;
  const Deliveries& deliveries_;
  Proposer make_;
  Builder& b_;
  std::vector<Proposal> out_;
};

}  // namespace

std::vector<Proposal> propose_ownership(ir::Protocol& protocol, const Deliveries& deliveries) {
  return Owners(protocol, deliveries).run();
}

}  // namespace tenet::provenance
