/// History-free projections of provenance: claims about one state that say
/// what a send or a receive left behind.
#include <algorithm>
#include <cctype>
#include <optional>

#include "proposer.h"

namespace tenet::provenance {

namespace {

using ir::ConstId;
using ir::MessageId;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

constexpr std::size_t kNoKey = static_cast<std::size_t>(-1);

class Projector {
 public:
  explicit Projector(ir::Protocol& protocol)
      : p_(protocol), make_(protocol), b_(make_.b_), key_sorts_(make_.key_sorts()) {}

  std::vector<Proposal> run() {
    for (std::size_t s = 0; s < p_.steps.size(); ++s) {
      const ir::Step step = p_.steps[s];
      visit(step, step.body);
      for (StmtId id : step.body) chosen(step, p_[id]);
    }
    for (std::size_t r = 0; r < p_.roles.size(); ++r) {
      held(RoleId(r));
      held_in_order(RoleId(r));
    }
    for (std::size_t c = 0; c < p_.constants.size(); ++c) {
      if (p_.constants[c].kind == ir::ConstKind::ring_between) round_the_ring(ConstId(c));
    }
    return std::move(out_);
  }

 private:
  void visit(const ir::Step& step, const std::vector<StmtId>& block) {
    for (StmtId id : block) {
      const Stmt stmt = p_[id];
      if (stmt.kind == StmtKind::send) sent(step, stmt);
      if (stmt.kind == StmtKind::assign && step.receive) received(step, stmt);
      visit(step, stmt.then_branch);
      visit(step, stmt.else_branch);
    }
  }

  using Index = std::size_t;
  Index propose(const Atom& premise, ExprId conclusion, std::vector<Index> stronger = {}) {
    return propose(premise.binders, premise.formula, conclusion, std::move(stronger));
  }
  Index propose(const std::vector<LocalId>& binders, ExprId premise, ExprId conclusion,
                std::vector<Index> stronger = {}) {
    return always(binders, b_.binary(Op::implies, premise, conclusion), std::move(stronger));
  }
  Index always(std::vector<LocalId> binders, ExprId body, std::vector<Index> stronger = {}) {
    for (const LocalId key : any_keys_) {
      if (make_.mentions(body, key)) binders.push_back(key);
    }
    Proposal made = make_.close(std::move(binders), body, {});
    const auto known = named_.emplace(made.name, out_.size());
    if (!known.second) return known.first->second;
    made.stronger = std::move(stronger);
    made.family = family_;
    out_.push_back(std::move(made));
    return out_.size() - 1;
  }

  // --- Values at keys -------------------------------------------------------------

  /// Keys at which the collections of one claim are looked at.
  struct Key {
    ExprId expr;
    TypeId type;
  };
  using Keys = std::vector<Key>;

  /// The keys that a value names.
  void keys_in(ExprId value, TypeId type, Keys& keys) {
    const Type t = p_[type];
    if (key_sorts_.contains(type)) keys.push_back({value, type});
    if (t.kind != TypeKind::structure) return;
    for (std::size_t f = 0; f < p_.structs[t.declaration].fields.size(); ++f) {
      keys_in(b_.field(value, f), p_.structs[t.declaration].fields[f].type, keys);
    }
  }
  /// Any key, for a collection of which no key is named.
  void any_key_of(TypeId type, Keys& keys) {
    const Type t = p_[type];
    if (t.kind != TypeKind::function || !key_sorts_.contains(t.first)) return;
    if (std::any_of(keys.begin(), keys.end(), [&](const Key& key) { return key.type == t.first; })) return;
    any_keys_.push_back(make_.fresh(key_name(t.first), t.first));
    keys.push_back({b_.local(any_keys_.back()), t.first});
  }
  std::string key_name(TypeId sort) {
    std::string name = p_.sorts[p_[sort].declaration].name;
    name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
    return name;
  }
  Keys keys_of(const std::vector<ExprId>& values) {
    Keys keys;
    for (const ExprId value : values) keys_in(value, p_[value].type, keys);
    for (const ExprId value : values) any_key_of(p_[value].type, keys);
    return keys;
  }
  std::vector<ExprId> fields_of(const Atom& atom, std::size_t n) {
    std::vector<ExprId> result;
    for (std::size_t i = 0; i < n; ++i) result.push_back(b_.local(atom.binders[i]));
    return result;
  }

  /// A value, or what it is at a key.
  struct Place {
    ExprId value;
    TypeId type;
    std::size_t key = kNoKey;  ///< in the keys of the claim
  };
  std::vector<Place> places_of(ExprId value, TypeId type, const Keys& keys) {
    const Type t = p_[type];
    if (t.kind != TypeKind::function) return {{value, type}};
    std::vector<Place> result;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (keys[k].type == t.first) result.push_back({b_.binary(Op::apply, value, keys[k].expr), t.second, k});
    }
    return result;
  }

  /// A part of a value that may be none.
  struct Said {
    Part part;
    ExprId none;  ///< invalid: it is always there
    std::size_t key = kNoKey;

    friend bool comparable(const Said& a, const Said& b) { return a.part.number && b.part.number && same_kind(a, b); }
    /// Of one type, and not at two keys.
    friend bool same_kind(const Said& a, const Said& b) {
      return a.part.type == b.part.type && (a.key == b.key || a.key == kNoKey || b.key == kNoKey);
    }
  };
  std::vector<Said> parts_of(const Place& place, bool inside = false) {
    const Type t = p_[place.type];
    const bool optional = t.kind == TypeKind::option;
    std::vector<Part> parts;
    make_.parts(optional ? b_.get(place.value, true) : place.value, optional ? t.first : place.type, parts, inside);
    std::vector<Said> result;
    const ExprId none = optional ? b_.binary(Op::eq, place.value, b_.none(place.type)) : ExprId{};
    for (const Part& part : parts) result.push_back({part, none, place.key});
    return result;
  }
  std::vector<Said> parts_of(const std::vector<ExprId>& values, const Keys& keys, bool inside = false) {
    std::vector<Said> result;
    for (const ExprId value : values) {
      for (const Place& place : places_of(value, p_[value].type, keys)) {
        for (const Said& part : parts_of(place, inside)) result.push_back(part);
      }
    }
    return result;
  }
  /// The formula, where the part is there.
  ExprId if_some(const Said& said, ExprId formula) {
    return said.none.valid() ? b_.disjunction({said.none, formula}) : formula;
  }
  /// The part is there, and the formula.
  ExprId and_some(const Said& said, ExprId formula) {
    return said.none.valid() ? b_.conjunction({b_.negate(said.none), formula}) : formula;
  }
  ExprId compare(Op op, const Said& a, const Said& b) { return b_.binary(op, a.part.expr, b.part.expr); }

  // --- What the sender of a message is from then on ---------------------------

  /// A comparison of one part of the sender's state with what the message says.
  struct Clock {
    VarId var;
    ExprId beyond, same;
  };

  void sent(const ir::Step& step, const Stmt& stmt) {
    if (make_.senders(stmt.message).size() != 1) return;
    const std::optional<RoleId> to = addressee(stmt);
    if (!to) return;
    // Sends of one message to one role are all described by one family.
    for (const auto& [message, role] : done_) {
      if (message == stmt.message && role == *to) return;
    }
    done_.emplace_back(stmt.message, *to);
    const std::size_t n = p_[stmt.message].fields.size();
    {
      const Atom atom = make_.sent(stmt.message, step.role, *to);
      const ExprId sender = b_.local(atom.binders[n]);
      std::vector<std::pair<VarId, ExprId>> facts;
      std::vector<Clock> clocks;
      about_sender(step.role, atom, n, sender, facts, clocks);
      for (const auto& [var, fact] : facts) {
        const Index always = propose(atom, fact);
        for (const Clock& clock : clocks) {
          if (clock.var == var) continue;
          propose(atom, b_.disjunction({clock.beyond, b_.conjunction({clock.same, fact})}), {always});
        }
      }
    }
    said_once(step.role, stmt.message, *to);
    fields_in_order(step.role, stmt.message, *to);
    said_in_order(step.role, stmt.message, *to);
    carried(step.role, stmt.message, *to);
    if (step.receive) heard_before(step, stmt, *to);
  }

  /// Numbers of one message against each other.
  void fields_in_order(RoleId role, MessageId message, RoleId to) {
    const Atom atom = make_.sent(message, role, to);
    const std::vector<ExprId> fields = fields_of(atom, p_[message].fields.size());
    const std::vector<Said> said = parts_of(fields, keys_of(fields));
    for (std::size_t i = 0; i < said.size(); ++i) {
      for (std::size_t j = 0; j < said.size(); ++j) {
        if (i == j || !comparable(said[i], said[j])) continue;
        const auto in_order = [&](Op op) { return if_some(said[i], if_some(said[j], compare(op, said[i], said[j]))); };
        const Index strictly = propose(atom, in_order(Op::lt));
        propose(atom, in_order(Op::le), {strictly});
      }
    }
  }

  /// What was said with a smaller number is known to what is said with a larger one.
  void said_in_order(RoleId role, MessageId message, RoleId to) {
    const std::size_t n = p_[message].fields.size();
    for (const auto& [earlier, earlier_to] : done_) {
      if (make_.senders(earlier).front() != role) continue;
      const Atom one = make_.sent(earlier, role, earlier_to);
      const Atom other = make_.sent(message, role, to);
      relate(one, p_[earlier].fields.size(), other, n);
      if (earlier != message) relate(other, n, one, p_[earlier].fields.size());
    }
  }
  void relate(const Atom& one, std::size_t n, const Atom& other, std::size_t m) {
    const LocalId sender = one.binders[n];
    std::vector<LocalId> binders = one.binders;
    for (std::size_t i = 0; i < other.binders.size(); ++i) {
      if (i != m) binders.push_back(other.binders[i]);
    }
    const std::map<LocalId, ExprId> same{{other.binders[m], b_.local(sender)}};
    const ExprId both = b_.conjunction({one.formula, rewrite(p_, other.formula, ExprId{}, same)});
    const std::vector<ExprId> one_says = fields_of(one, n), other_says = fields_of(other, m);
    std::vector<ExprId> all = one_says;
    all.insert(all.end(), other_says.begin(), other_says.end());
    const Keys keys = keys_of(all);
    const std::vector<Said> xs = parts_of(one_says, keys), ys = parts_of(other_says, keys);
    for (const Said& x : xs) {
      for (const Said& y : ys) {
        if (!comparable(x, y) || x.none.valid() || y.none.valid()) continue;
        const ExprId premise = b_.conjunction({both, compare(Op::lt, x, y)});
        for (const Said& z : ys) {
          if (z.none.valid() && comparable(x, z)) propose(binders, premise, and_some(z, compare(Op::le, x, z)));
        }
      }
    }
  }

  /// A value that may be none, if there is one, had been received.
  void carried(RoleId role, MessageId message, RoleId to) {
    const std::size_t n = p_[message].fields.size();
    for (std::size_t i = 0; i < n; ++i) {
      const Atom atom = make_.sent(message, role, to);
      came(role, atom.binders[n], b_.local(atom.binders[i]), atom.binders, atom.formula);
    }
  }

  /// A value that a host holds had been received.
  void held(RoleId role) {
    for (VarId var : std::vector<VarId>(p_[role].variables)) {
      const LocalId owner = make_.fresh("h", p_.types.host(role));
      came(role, owner, b_.state_var(var, b_.local(owner)), {owner}, ExprId{});
    }
  }

  /// If there is a value (at a key), it had been sent: to `host`, or to anybody.
  void came(RoleId role, LocalId host, ExprId value, const std::vector<LocalId>& binders, ExprId premise) {
    const Keys keys = keys_of({value});
    for (const Place& place : places_of(value, p_[value].type, keys)) {
      if (p_[place.type].kind != TypeKind::option) continue;
      const ExprId key = place.key == kNoKey ? ExprId{} : keys[place.key].expr;
      const ExprId some = b_.binary(Op::ne, place.value, b_.none(place.type));
      const ExprId there = premise.valid() ? b_.conjunction({premise, some}) : some;
      std::vector<bool> received(p_.messages.size(), false);
      for (StepId id : std::vector<StepId>(p_[role].steps)) {
        const ir::Step& step = p_[id];
        if (step.receive) received[step.receive->message.value] = true;
      }
      bool any = false;
      for (const bool own : {true, false}) {
        for (std::size_t m = 0; m < p_.messages.size() && (own || !any); ++m) {
          if (received[m] != own) continue;
          for (const std::vector<ExprId>& args : ways_to_say(MessageId(m), place, key)) {
            any = true;
            std::vector<Index> stronger;
            if (own) stronger.push_back(propose(binders, there, was_sent(MessageId(m), args, {}, b_.local(host))));
            // Without a key somebody else's message has never helped, and in Paxos it led far astray.
            if (!own || key.valid()) propose(binders, there, was_sent(MessageId(m), args, {}, {}), stronger);
          }
        }
      }
    }
  }

  /// A message's fields, one of them the optional value, what is in it, or that and its key, the others anything.
  std::vector<std::vector<ExprId>> ways_to_say(MessageId message, const Place& place, ExprId key) {
    const std::size_t n = p_[message].fields.size();
    const TypeId inner = p_[place.type].first;
    const auto made_of = [&](TypeId type) {
      if (type == place.type) return place.value;
      if (type == inner) return b_.get(place.value, true);
      const Type t = p_[type];
      if (!key.valid() || t.kind != TypeKind::structure) return ExprId{};
      const auto& fields = p_.structs[t.declaration].fields;
      if (fields.size() != 2) return ExprId{};
      for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
        if (fields[at].type != p_[key].type || fields[1 - at].type != inner) continue;
        std::vector<ExprId> parts(2);
        parts[at] = key;
        parts[1 - at] = b_.get(place.value, true);
        return b_.make_struct(ir::StructId(t.declaration), parts);
      }
      return ExprId{};
    };
    std::vector<std::vector<ExprId>> result;
    for (std::size_t f = 0; f < n; ++f) {
      std::vector<ExprId> args(n);
      args[f] = made_of(p_[message].fields[f].type);
      if (args[f].valid()) result.push_back(std::move(args));
    }
    return result;
  }

  /// Numbers of one host against each other, as far as messages keep them in order.
  void held_in_order(RoleId role) {
    const LocalId owner = make_.fresh("h", p_.types.host(role));
    std::vector<ExprId> values;
    for (VarId var : std::vector<VarId>(p_[role].variables)) values.push_back(b_.state_var(var, b_.local(owner)));
    const Keys keys = keys_of(values);
    for (const ExprId one : values) {
      for (const ExprId other : values) {
        if (one == other) continue;
        for (const Said& x : parts_of({one}, keys)) {
          for (const Said& y : parts_of({other}, keys)) {
            if (!comparable(x, y) || !x.none.valid()) continue;
            const auto in_order = [&](Op op) { return if_some(x, and_some(y, compare(op, x, y))); };
            const Index strictly = always({owner}, in_order(Op::lt));
            always({owner}, in_order(Op::le), {strictly});
          }
        }
      }
    }
  }

  // --- What goes round a ring ---------------------------------------------------

  /// A number that goes round is some host's own, and where it has come to, it
  /// has passed only hosts with smaller ones, or only with larger ones.
  void round_the_ring(ConstId between) {
    const RoleId role(p_[p_[between].parameters.front()].declaration);
    const TypeId host = p_.types.host(role);
    for (ConstId number : std::vector<ConstId>(p_[role].constants)) {
      if (!p_[number].unique) continue;
      const TypeId type = p_[number].type;
      const std::size_t passing = ++families_, origins = ++families_;
      const LocalId origin = make_.fresh("o", host), passed = make_.fresh("b", host);
      const ExprId own = b_.host_const(number, b_.local(origin));
      const auto reached = [&](std::vector<LocalId> binders, ExprId premise, LocalId where) {
        ir::Expr node;
        node.op = Op::global_const;
        node.type = p_.types.boolean();
        node.ref = between.value;
        node.args = {b_.local(origin), b_.local(passed), b_.local(where)};
        const ExprId on_the_way = p_.add(std::move(node));
        binders.insert(binders.begin(), origin);
        binders.push_back(passed);
        family_ = passing;
        for (const Op order : {Op::le, Op::ge}) {
          propose(binders, b_.conjunction({premise, on_the_way}),
                  b_.binary(order, b_.host_const(number, b_.local(passed)), own));
        }
      };
      for (VarId var : std::vector<VarId>(p_[role].variables)) {
        const TypeId held_type = p_[var].type;
        const bool optional = p_[held_type].kind == TypeKind::option;
        if ((optional ? p_[held_type].first : held_type) != type) continue;
        const LocalId holder = make_.fresh("h", host);
        const ExprId value = b_.state_var(var, b_.local(holder));
        const ExprId is_own = b_.binary(Op::eq, value, optional ? b_.some(own) : own);
        reached({holder}, is_own, holder);
        if (!optional) continue;
        family_ = origins;
        propose({holder}, b_.binary(Op::ne, value, b_.none(held_type)), b_.quantifier(Op::exists, {origin}, is_own));
      }
      for (std::size_t m = 0; m < p_.messages.size(); ++m) {
        for (std::size_t f = 0; f < p_.messages[m].fields.size(); ++f) {
          if (p_.messages[m].fields[f].type != type) continue;
          const LocalId addressee = make_.fresh("d", host);
          std::vector<ExprId> args(p_.messages[m].fields.size());
          args[f] = own;
          reached({addressee}, was_sent(MessageId(m), args, ExprId{}, b_.local(addressee)), addressee);
          const LocalId said = make_.fresh(p_.messages[m].fields[f].name, type);
          args[f] = b_.local(said);
          family_ = origins;
          propose({said}, was_sent(MessageId(m), args, ExprId{}, ExprId{}),
                  b_.quantifier(Op::exists, {origin}, b_.binary(Op::eq, b_.local(said), own)));
        }
      }
      family_ = 0;
    }
  }

  /// Two messages of one sender that agree in a number (or in nothing) agree in more.
  void said_once(RoleId role, MessageId message, RoleId to) {
    const Atom one = make_.sent(message, role, to);
    Atom other = make_.sent(message, role, to);
    const std::size_t n = p_[message].fields.size();
    const LocalId sender = one.binders[n];
    std::vector<LocalId> binders = one.binders;
    for (std::size_t i = 0; i < other.binders.size(); ++i) {
      if (i != n) binders.push_back(other.binders[i]);
    }
    const std::map<LocalId, ExprId> same{{other.binders[n], b_.local(sender)}};
    const ExprId both = b_.conjunction({one.formula, rewrite(p_, other.formula, ExprId{}, same)});
    std::vector<std::vector<Part>> parts(2);
    for (std::size_t i = 0; i < n; ++i) {
      make_.parts(b_.local(one.binders[i]), p_[one.binders[i]].type, parts[0]);
      make_.parts(b_.local(other.binders[i]), p_[other.binders[i]].type, parts[1]);
    }
    for (std::size_t i = 0; i < one.binders.size(); ++i) {
      if (i == n) continue;
      const ExprId equal = b_.binary(Op::eq, b_.local(one.binders[i]), b_.local(other.binders[i]));
      const Index always = propose(binders, both, equal);
      for (std::size_t k = 0; k < parts[0].size(); ++k) {
        const ir::Expr& part = p_[parts[0][k].expr];
        const bool itself = part.op == Op::local && LocalId(part.ref) == one.binders[i];
        if (!parts[0][k].number || itself) continue;
        const ExprId level = b_.conjunction({both, b_.binary(Op::eq, parts[0][k].expr, parts[1][k].expr)});
        const Index once = propose(binders, level, equal, {always});
        for (std::size_t key = 0; key < parts[0].size(); ++key) {
          if (!key_sorts_.contains(parts[0][key].type)) continue;
          const ExprId same_key = b_.binary(Op::eq, parts[0][key].expr, parts[1][key].expr);
          propose(binders, b_.conjunction({level, same_key}), equal, {always, once});
        }
      }
    }
  }

  std::optional<RoleId> addressee(const Stmt& stmt) {
    const Type type = p_[p_[stmt.target].type];
    const Type host = type.kind == TypeKind::host ? type : p_[type.first];
    if (host.kind != TypeKind::host) return std::nullopt;
    return RoleId(host.declaration);
  }

  void about_sender(RoleId role, const Atom& atom, std::size_t n, ExprId sender,
                    std::vector<std::pair<VarId, ExprId>>& facts, std::vector<Clock>& clocks) {
    const ExprId to = b_.local(atom.binders[n + 1]);
    const std::vector<ExprId> fields = fields_of(atom, n);
    const Keys keys = keys_of(fields);
    const std::vector<Said> said = parts_of(fields, keys);
    std::vector<std::pair<VarId, Place>> places;
    for (VarId var : std::vector<VarId>(p_[role].variables)) {
      const ExprId value = b_.state_var(var, sender);
      for (const Place& place : places_of(value, p_[var].type, keys)) places.emplace_back(var, place);
      for (const Key& key : keys) {
        const Type t = p_[p_[var].type];
        if (t.kind != TypeKind::set || t.first != key.type) continue;
        facts.emplace_back(var, b_.binary(Op::contains, key.expr, value));
      }
    }
    for (const auto& [of, place] : places) {
      const VarId var = of;
      const ExprId now = place.value;
      const TypeId type = place.type;
      const Type t = p_[type];
      const auto fact = [&](ExprId formula) { facts.emplace_back(var, formula); };
      if (t.kind == TypeKind::boolean) fact(now);
      if (t.kind == TypeKind::enumeration) {
        for (std::size_t m = 0; m < p_.enums[t.declaration].members.size(); ++m) {
          fact(b_.binary(Op::eq, now, b_.enum_literal(ir::EnumId(t.declaration), m)));
        }
      }
      const bool optional = t.kind == TypeKind::option;
      const TypeId inner = optional ? t.first : type;
      const ExprId some = optional ? b_.binary(Op::ne, now, b_.none(type)) : ExprId{};
      if (optional) fact(some);
      // The whole value against whole fields and the addressee.
      const auto whole = [&](ExprId value) {
        fact(b_.binary(Op::eq, now, optional ? b_.some(value) : value));
        if (optional) fact(b_.disjunction({b_.negate(some), b_.binary(Op::eq, b_.get(now, true), value)}));
      };
      for (std::size_t i = 0; i < n; ++i) {
        if (p_[atom.binders[i]].type == inner) whole(b_.local(atom.binders[i]));
      }
      if (inner == p_[atom.binders[n + 1]].type) whole(to);
      if (t.kind == TypeKind::boolean || t.kind == TypeKind::enumeration) continue;
      // Parts of it against parts of the message.
      for (const Said& own : parts_of(place)) {
        for (const Said& other : said) {
          if (!same_kind(own, other)) continue;
          if (!own.part.number) {
            if (optional) fact(if_some(other, if_some(own, compare(Op::eq, own, other))));
            continue;
          }
          fact(if_some(other, and_some(own, compare(Op::le, other, own))));
          if (other.none.valid() || own.key != kNoKey) continue;
          clocks.push_back(
              {var, and_some(own, compare(Op::lt, other, own)), and_some(own, compare(Op::eq, other, own))});
        }
      }
    }
    const std::vector<Said> all_said = parts_of(fields, {}, true);
    // A host's own constants do not change, so they are no clocks.
    for (ConstId constant : std::vector<ConstId>(p_[role].constants)) {
      for (const Said& other : all_said) {
        if (p_[constant].type != other.part.type || !p_[constant].parameters.empty() || other.none.valid()) continue;
        facts.emplace_back(VarId{}, b_.binary(Op::eq, b_.host_const(constant, sender), other.part.expr));
      }
    }
  }

  /// Sent on receiving: what was received had been sent.
  void heard_before(const ir::Step& step, const Stmt& stmt, RoleId to) {
    const Atom atom = make_.sent(stmt.message, step.role, to);
    const std::size_t n = p_[stmt.message].fields.size();
    std::map<LocalId, ExprId> passed_on;
    for (std::size_t i = 0; i < stmt.args.size(); ++i) {
      if (p_[stmt.args[i]].op == Op::local) passed_on[LocalId(p_[stmt.args[i]].ref)] = b_.local(atom.binders[i]);
    }
    if (p_[stmt.target].op == Op::local) passed_on[LocalId(p_[stmt.target].ref)] = b_.local(atom.binders[n + 1]);
    const auto known = [&](LocalId local) {
      const auto found = passed_on.find(local);
      return found == passed_on.end() ? ExprId{} : found->second;
    };
    std::vector<ExprId> args;
    for (LocalId local : step.receive->fields) args.push_back(known(local));
    const ExprId from = step.receive->sender.valid() ? known(step.receive->sender) : ExprId{};
    propose(atom, was_sent(step.receive->message, args, from, b_.local(atom.binders[n])));
  }

  ExprId was_sent(MessageId message, const std::vector<ExprId>& args, ExprId from, ExprId to) {
    ir::Expr node;
    node.op = Op::sent;
    node.type = p_.types.boolean();
    node.ref = message.value;
    node.value = 1;
    node.args = args;
    node.args.push_back(from);
    node.args.push_back(to);
    return p_.add(std::move(node));
  }

  // --- What a step was taken with -----------------------------------------------

  /// A step's parameter is forgotten, but not that there was one.
  void chosen(const ir::Step& step, const Stmt& stmt) {
    if (stmt.kind != StmtKind::assign || step.receive || step.parameters.empty()) return;
    TypeId type = p_[stmt.var].type;
    const LocalId owner = make_.fresh("h", p_.types.host(step.role));
    ExprId now = b_.state_var(stmt.var, b_.local(owner));
    ExprId value = stmt.value, key;
    std::vector<LocalId> whose{owner};
    const ir::Expr put = p_[stmt.value];
    if (put.op == Op::update && p_[type].kind == TypeKind::function && key_sorts_.contains(p_[type].first)) {
      whose.push_back(make_.fresh(key_name(p_[type].first), p_[type].first));
      key = b_.local(whose.back());
      now = b_.binary(Op::apply, now, key);
      type = p_[type].second;
      value = put.args[2];
    }
    if (p_[type].kind != TypeKind::option && p_[type].kind != TypeKind::boolean) return;
    std::vector<LocalId> binders;
    std::map<LocalId, ExprId> locals;
    for (LocalId parameter : step.parameters) {
      binders.push_back(make_.fresh(p_[parameter].name, p_[parameter].type));
      locals[parameter] = b_.local(binders.back());
    }
    std::vector<ExprId> all;
    const std::vector<ExprId> conjuncts =
        p_[step.guard].op == Op::and_ ? p_[step.guard].args : std::vector<ExprId>{step.guard};
    for (ExprId conjunct : conjuncts) {
      const bool about = std::any_of(step.parameters.begin(), step.parameters.end(),
                                     [&](LocalId parameter) { return make_.mentions(conjunct, parameter); });
      if (about) all.push_back(rewrite(p_, conjunct, b_.local(owner), locals));
    }
    if (all.empty()) return;
    if (key.valid()) all.push_back(b_.binary(Op::eq, rewrite(p_, put.args[1], b_.local(owner), locals), key));
    all.push_back(b_.binary(Op::eq, now, rewrite(p_, value, b_.local(owner), locals)));
    const ExprId premise = p_[type].kind == TypeKind::option ? b_.binary(Op::ne, now, b_.none(type)) : now;
    propose(whose, premise, b_.quantifier(Op::exists, binders, b_.conjunction(all)));
  }

  // --- Who is in a set ----------------------------------------------------------

  /// `set += sender` in a receive: a member has sent that message.
  void received(const ir::Step& step, const Stmt& stmt) {
    const LocalId sender = step.receive->sender;
    if (!sender.valid()) return;
    TypeId type = p_[stmt.var].type;
    const LocalId owner = make_.fresh("h", p_.types.host(step.role));
    ExprId set = b_.state_var(stmt.var, b_.local(owner));
    std::vector<LocalId> binders{owner};
    std::optional<LocalId> key;
    if (p_[type].kind == TypeKind::function) {
      key = make_.fresh("key", p_[type].first);
      binders.push_back(*key);
      set = b_.binary(Op::apply, set, b_.local(*key));
      type = p_[type].second;
    }
    if (p_[type].kind != TypeKind::set || p_[type].first != p_[sender].type) return;
    const LocalId member = make_.fresh("k", p_[sender].type);
    binders.push_back(member);
    const ExprId inside = b_.binary(Op::contains, b_.local(member), set);

    // Each field: anything, the key, or what a variable or constant of the owner says.
    std::vector<std::vector<ExprId>> choices{{}};
    for (LocalId field : step.receive->fields) {
      std::vector<ExprId> options{ExprId{}};
      if (key && p_[*key].type == p_[field].type) options.push_back(b_.local(*key));
      for (VarId var : std::vector<VarId>(p_[step.role].variables)) {
        if (p_[var].type == p_[field].type) options.push_back(b_.state_var(var, b_.local(owner)));
      }
      for (ConstId constant : std::vector<ConstId>(p_[step.role].constants)) {
        if (p_[constant].type == p_[field].type) options.push_back(b_.host_const(constant, b_.local(owner)));
      }
      std::vector<std::vector<ExprId>> longer;
      for (const auto& choice : choices) {
        for (ExprId option : options) {
          longer.push_back(choice);
          longer.back().push_back(option);
        }
      }
      choices = std::move(longer);
    }
    std::vector<ExprId> conditions{ExprId{}};
    for (VarId var : std::vector<VarId>(p_[step.role].variables)) {
      const Type t = p_[p_[var].type];
      const ExprId value = b_.state_var(var, b_.local(owner));
      if (t.kind == TypeKind::boolean) {
        conditions.push_back(value);
        conditions.push_back(b_.negate(value));
      }
      if (t.kind != TypeKind::enumeration) continue;
      for (std::size_t m = 0; m < p_.enums[t.declaration].members.size(); ++m) {
        const ExprId member_of = b_.enum_literal(ir::EnumId(t.declaration), m);
        conditions.push_back(b_.binary(Op::ne, value, member_of));
        conditions.push_back(b_.binary(Op::eq, value, member_of));
      }
    }
    for (const auto& choice : choices) counted(step, stmt.var, binders, owner, member, inside, choice);
    const bool own = p_[member].type == p_[owner].type;
    // The more of the message is tied to the owner, the stronger.
    std::stable_sort(choices.begin(), choices.end(), [](const auto& x, const auto& y) {
      const auto open = [](const auto& choice) {
        return std::count_if(choice.begin(), choice.end(), [](ExprId arg) { return !arg.valid(); });
      };
      return open(x) < open(y);
    });
    std::map<std::pair<std::size_t, bool>, std::vector<Index>> before;
    for (const auto& choice : choices) {
      const ExprId came = was_sent(step.receive->message, choice, b_.local(member), b_.local(owner));
      std::vector<Index> always;
      for (std::size_t c = 0; c < conditions.size(); ++c) {
        const ExprId premise = conditions[c].valid() ? b_.conjunction({conditions[c], inside}) : inside;
        std::vector<Index> stronger = before[{c, false}];
        stronger.insert(stronger.end(), always.begin(), always.end());
        const Index plain = propose(binders, premise, came, stronger);
        before[{c, false}].push_back(plain);
        if (c == 0) always.push_back(plain);
        if (!own) continue;
        stronger = before[{c, true}];
        stronger.push_back(plain);
        stronger.insert(stronger.end(), always.begin(), always.end());
        const Index or_itself = propose(
            binders, premise, b_.disjunction({came, b_.binary(Op::eq, b_.local(member), b_.local(owner))}), stronger);
        before[{c, true}].push_back(or_itself);
        if (c == 0) always.push_back(or_itself);
      }
    }
  }

  /// What a member's message said has been taken account of.
  void counted(const ir::Step& step, VarId set, std::vector<LocalId> binders, LocalId owner, LocalId member,
               ExprId inside, std::vector<ExprId> args) {
    std::vector<ExprId> open;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (args[i].valid()) continue;
      const TypeId type = p_[step.receive->fields[i]].type;
      const LocalId value = make_.fresh(p_[step.receive->message].fields[i].name, type);
      binders.push_back(value);
      args[i] = b_.local(value);
      open.push_back(args[i]);
    }
    const Keys keys = keys_of(open);
    const std::vector<Said> said = parts_of(open, keys);
    const ExprId premise =
        b_.conjunction({inside, was_sent(step.receive->message, args, b_.local(member), b_.local(owner))});
    for (VarId var : std::vector<VarId>(p_[step.role].variables)) {
      if (var == set) continue;
      for (const Said& own : parts_of({b_.state_var(var, b_.local(owner))}, keys)) {
        for (const Said& other : said) {
          if (comparable(own, other))
            propose(binders, premise, if_some(other, and_some(own, compare(Op::le, other, own))));
        }
      }
    }
  }

  ir::Protocol& p_;
  Proposer make_;
  Builder& b_;
  const std::set<TypeId> key_sorts_;
  std::vector<LocalId> any_keys_;  ///< of claims about any key
  std::vector<std::pair<MessageId, RoleId>> done_;
  std::vector<Proposal> out_;
  std::size_t family_ = 0;                    ///< of what is proposed now
  std::size_t families_ = 0;                  ///< so far
  std::map<std::string, std::size_t> named_;  ///< where in `out_`
};

}  // namespace

std::vector<Proposal> propose_projections(ir::Protocol& protocol) { return Projector(protocol).run(); }

}  // namespace tenet::provenance
