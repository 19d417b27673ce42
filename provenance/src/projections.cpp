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

  void propose(const Atom& premise, ExprId conclusion) { propose(premise.binders, premise.formula, conclusion); }
  void propose(const std::vector<LocalId>& binders, ExprId premise, ExprId conclusion) {
    Proposal made = make_.close(binders, b_.binary(Op::implies, premise, conclusion), {});
    const bool known =
        std::any_of(out_.begin(), out_.end(), [&](const Proposal& other) { return other.name == made.name; });
    if (!known) out_.push_back(std::move(made));
  }

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
        propose(atom, fact);
        for (const Clock& clock : clocks) {
          if (clock.var != var) propose(atom, b_.disjunction({clock.beyond, b_.conjunction({clock.same, fact})}));
        }
      }
    }
    said_once(step.role, stmt.message, *to);
    if (step.receive) heard_before(step, stmt, *to);
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
    std::vector<ExprId> premises{both};
    for (std::size_t k = 0; k < parts[0].size(); ++k) {
      if (!parts[0][k].number) continue;
      premises.push_back(b_.conjunction({both, b_.binary(Op::eq, parts[0][k].expr, parts[1][k].expr)}));
    }
    for (ExprId premise : premises) {
      for (std::size_t i = 0; i < one.binders.size(); ++i) {
        if (i == n) continue;
        propose(binders, premise, b_.binary(Op::eq, b_.local(one.binders[i]), b_.local(other.binders[i])));
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
    std::vector<Part> said;
    for (std::size_t i = 0; i < n; ++i) make_.parts(b_.local(atom.binders[i]), p_[atom.binders[i]].type, said);
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
      const auto given = [&](ExprId formula) { return optional ? b_.conjunction({some, formula}) : formula; };
      // The whole value against whole fields and the addressee.
      const auto whole = [&](ExprId value) { fact(b_.binary(Op::eq, now, optional ? b_.some(value) : value)); };
      for (std::size_t i = 0; i < n; ++i) {
        if (p_[atom.binders[i]].type == inner) whole(b_.local(atom.binders[i]));
      }
      if (inner == p_[atom.binders[n + 1]].type) whole(to);
      // Numbers in it against numbers in the message.
      std::vector<Part> mine;
      if (t.kind != TypeKind::boolean && t.kind != TypeKind::enumeration) {
        make_.parts(optional ? b_.get(now, true) : now, inner, mine);
      }
      for (const Part& own : mine) {
        for (const Part& other : said) {
          if (!own.number || own.type != other.type) continue;
          fact(given(b_.binary(Op::le, other.expr, own.expr)));
          clocks.push_back(
              {var, given(b_.binary(Op::lt, other.expr, own.expr)), given(b_.binary(Op::eq, other.expr, own.expr))});
        }
      }
    }
    // A host's own constants do not change, so they are no clocks.
    for (ConstId constant : std::vector<ConstId>(p_[role].constants)) {
      for (const Part& other : said) {
        if (p_[constant].type != other.type || !p_[constant].parameters.empty()) continue;
        facts.emplace_back(VarId{}, b_.binary(Op::eq, b_.host_const(constant, sender), other.expr));
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
    const bool own = p_[member].type == p_[owner].type;
    for (const auto& choice : choices) {
      const ExprId came = was_sent(step.receive->message, choice, b_.local(member), b_.local(owner));
      for (ExprId condition : conditions) {
        const ExprId premise = condition.valid() ? b_.conjunction({condition, inside}) : inside;
        propose(binders, premise, came);
        if (own) propose(binders, premise, b_.disjunction({came, b_.binary(Op::eq, b_.local(member), b_.local(owner))}));
      }
    }
  }

  ir::Protocol& p_;
  Proposer make_;
  Builder& b_;
  std::vector<std::pair<MessageId, RoleId>> done_;
  std::vector<Proposal> out_;
};

}  // namespace

std::vector<Proposal> propose_projections(ir::Protocol& protocol) { return Projector(protocol).run(); }

}  // namespace tenet::provenance
