/// History-free projections of provenance: claims about one state that say
/// what a send or a receive left behind.
#include <algorithm>
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

class Projector {
 public:
  explicit Projector(ir::Protocol& protocol) : p_(protocol), make_(protocol), b_(make_.b_) {}

  std::vector<Proposal> run() {
    for (std::size_t s = 0; s < p_.steps.size(); ++s) {
      const ir::Step step = p_.steps[s];
      visit(step, step.body);
      for (StmtId id : step.body) chosen(step, p_[id]);
    }
    for (std::size_t r = 0; r < p_.roles.size(); ++r) held(RoleId(r));
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
    Proposal made = make_.close(binders, b_.binary(Op::implies, premise, conclusion), {});
    const auto known = named_.emplace(made.name, out_.size());
    if (!known.second) return known.first->second;
    made.stronger = std::move(stronger);
    made.family = family_;
    out_.push_back(std::move(made));
    return out_.size() - 1;
  }

  /// A part of a value that may be none.
  struct Said {
    Part part;
    ExprId none;  ///< invalid: it is always there

    friend bool comparable(const Said& a, const Said& b) {
      return a.part.number && b.part.number && a.part.type == b.part.type;
    }
  };
  std::vector<Said> parts_of(ExprId value, TypeId type, bool inside = false) {
    const Type t = p_[type];
    const bool optional = t.kind == TypeKind::option;
    std::vector<Part> parts;
    make_.parts(optional ? b_.get(value, true) : value, optional ? t.first : type, parts, inside);
    std::vector<Said> result;
    const ExprId none = optional ? b_.binary(Op::eq, value, b_.none(type)) : ExprId{};
    for (const Part& part : parts) result.push_back({part, none});
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
    std::vector<Said> said;
    for (std::size_t i = 0; i < p_[message].fields.size(); ++i) {
      for (const Said& part : parts_of(b_.local(atom.binders[i]), p_[atom.binders[i]].type)) said.push_back(part);
    }
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
    std::vector<Said> xs, ys;
    for (std::size_t i = 0; i < n; ++i) {
      for (const Said& part : parts_of(b_.local(one.binders[i]), p_[one.binders[i]].type)) xs.push_back(part);
    }
    for (std::size_t i = 0; i < m; ++i) {
      for (const Said& part : parts_of(b_.local(other.binders[i]), p_[other.binders[i]].type)) ys.push_back(part);
    }
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
      const TypeId type = p_[atom.binders[i]].type;
      if (p_[type].kind != TypeKind::option) continue;
      const ExprId value = b_.local(atom.binders[i]);
      const ExprId some = b_.binary(Op::ne, value, b_.none(type));
      for (const ExprId came : received_by(role, b_.local(atom.binders[n]), value, type)) {
        propose(atom.binders, b_.conjunction({atom.formula, some}), came);
      }
    }
  }

  /// That `host` was sent an optional value (or what is in it), in any way there is.
  std::vector<ExprId> received_by(RoleId role, ExprId host, ExprId value, TypeId type) {
    std::vector<ExprId> result;
    std::vector<MessageId> seen;
    for (StepId id : std::vector<StepId>(p_[role].steps)) {
      const ir::Step step = p_[id];
      if (!step.receive || std::find(seen.begin(), seen.end(), step.receive->message) != seen.end()) continue;
      seen.push_back(step.receive->message);
      const std::size_t n = p_[step.receive->message].fields.size();
      for (std::size_t f = 0; f < n; ++f) {
        const TypeId field = p_[step.receive->message].fields[f].type;
        std::vector<ExprId> args(n);
        if (field == type) args[f] = value;
        if (field == p_[type].first) args[f] = b_.get(value, true);
        if (args[f].valid()) result.push_back(was_sent(step.receive->message, args, ExprId{}, host));
      }
    }
    return result;
  }

  /// A value that a host holds had been received.
  void held(RoleId role) {
    for (VarId var : std::vector<VarId>(p_[role].variables)) {
      const TypeId type = p_[var].type;
      if (p_[type].kind != TypeKind::option) continue;
      const LocalId owner = make_.fresh("h", p_.types.host(role));
      const ExprId value = b_.state_var(var, b_.local(owner));
      for (const ExprId came : received_by(role, b_.local(owner), value, type)) {
        propose({owner}, b_.binary(Op::ne, value, b_.none(type)), came);
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
        propose(binders, b_.conjunction({both, b_.binary(Op::eq, parts[0][k].expr, parts[1][k].expr)}), equal,
                {always});
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
    std::vector<Said> said;
    for (std::size_t i = 0; i < n; ++i) {
      for (const Said& part : parts_of(b_.local(atom.binders[i]), p_[atom.binders[i]].type)) said.push_back(part);
    }
    for (VarId var : std::vector<VarId>(p_[role].variables)) {
      const ExprId now = b_.state_var(var, sender);
      const TypeId type = p_[var].type;
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
      for (const Said& own : parts_of(now, type)) {
        for (const Said& other : said) {
          if (own.part.type != other.part.type) continue;
          if (!own.part.number) {
            if (optional) fact(if_some(other, if_some(own, compare(Op::eq, own, other))));
            continue;
          }
          fact(if_some(other, and_some(own, compare(Op::le, other, own))));
          if (other.none.valid()) continue;
          clocks.push_back(
              {var, and_some(own, compare(Op::lt, other, own)), and_some(own, compare(Op::eq, other, own))});
        }
      }
    }
    std::vector<Said> all_said;
    for (std::size_t i = 0; i < n; ++i) {
      for (const Said& part : parts_of(b_.local(atom.binders[i]), p_[atom.binders[i]].type, true)) {
        all_said.push_back(part);
      }
    }
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
    const TypeId type = p_[stmt.var].type;
    if (p_[type].kind != TypeKind::option && p_[type].kind != TypeKind::boolean) return;
    const LocalId owner = make_.fresh("h", p_.types.host(step.role));
    const ExprId now = b_.state_var(stmt.var, b_.local(owner));
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
    all.push_back(b_.binary(Op::eq, now, rewrite(p_, stmt.value, b_.local(owner), locals)));
    const ExprId premise = p_[type].kind == TypeKind::option ? b_.binary(Op::ne, now, b_.none(type)) : now;
    propose({owner}, premise, b_.quantifier(Op::exists, binders, b_.conjunction(all)));
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
    std::vector<Said> said;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (args[i].valid()) continue;
      const TypeId type = p_[step.receive->fields[i]].type;
      const LocalId value = make_.fresh(p_[step.receive->message].fields[i].name, type);
      binders.push_back(value);
      args[i] = b_.local(value);
      for (const Said& part : parts_of(args[i], type)) said.push_back(part);
    }
    const ExprId premise =
        b_.conjunction({inside, was_sent(step.receive->message, args, b_.local(member), b_.local(owner))});
    for (VarId var : std::vector<VarId>(p_[step.role].variables)) {
      if (var == set) continue;
      for (const Said& own : parts_of(b_.state_var(var, b_.local(owner)), p_[var].type)) {
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
  std::vector<std::pair<MessageId, RoleId>> done_;
  std::vector<Proposal> out_;
  std::size_t family_ = 0;                    ///< of what is proposed now
  std::size_t families_ = 0;                  ///< so far
  std::map<std::string, std::size_t> named_;  ///< where in `out_`
};

}  // namespace

std::vector<Proposal> propose_projections(ir::Protocol& protocol) { return Projector(protocol).run(); }

}  // namespace tenet::provenance
