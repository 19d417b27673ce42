#include "deliveries.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "proposer.h"

namespace tenet::provenance {

namespace {

using ir::Delivery;
using ir::MessageId;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

/// How often the sampled runs send the same message.
constexpr std::int64_t kMostSampled = 4;

RoleId addressee_of(const ir::Protocol& p, const Stmt& send) {
  const Type target = p[p[send.target].type];
  return RoleId((target.kind == TypeKind::host ? target : p[target.first]).declaration);
}

/// counter[key]…: how often.
ExprId count_at(Builder& b, ExprId counter, const std::vector<ExprId>& keys) {
  for (const ExprId key : keys) counter = b.binary(Op::apply, counter, key);
  return counter;
}

/// The counter with one more at the keys from `at` on.
ExprId one_more(Builder& b, ExprId counter, const std::vector<ExprId>& keys, std::size_t at = 0) {
  if (at == keys.size()) return b.binary(Op::add, counter, b.integer(1));
  return b.update(counter, keys[at], one_more(b, b.binary(Op::apply, counter, keys[at]), keys, at + 1));
}

class Counting {
 public:
  explicit Counting(ir::Protocol& protocol) : p_(protocol), b_(protocol) {}

  Deliveries run() {
    std::set<MessageId> once;
    for (std::size_t m = 0; m < p_.messages.size(); ++m) {
      if (p_.messages[m].delivery != Delivery::at_most_once) continue;
      once.insert(MessageId(m));
      p_.messages[m].delivery = Delivery::any;
    }
    if (once.empty()) return {};
    out_.asked = std::ranges::any_of(
        p_.exprs, [&](const ir::Expr& expr) { return expr.op == Op::sent && once.contains(MessageId(expr.ref)); });
    for (const ir::Step& step : p_.steps) find_routes(step.role, step.body, once);
    const std::size_t steps = p_.steps.size();
    for (std::size_t s = 0; s < steps; ++s) p_.steps[s].body = counted(p_.steps[s].role, std::vector(p_.steps[s].body));
    for (std::size_t s = 0; s < steps; ++s) receive(StepId(s));
    return std::move(out_);
  }

 private:
  void find_routes(RoleId from, const std::vector<StmtId>& block, const std::set<MessageId>& once) {
    for (const StmtId id : block) {
      const Stmt stmt = p_[id];
      find_routes(from, stmt.then_branch, once);
      find_routes(from, stmt.else_branch, once);
      if (stmt.kind == StmtKind::send && once.contains(stmt.message)) route(stmt.message, from, addressee_of(p_, stmt));
    }
  }

  void route(MessageId message, RoleId from, RoleId to) {
    if (out_.find(message, from, to) != nullptr) return;
    Tracked made{message, from, to, {}, {}};
    const std::string& name = p_[message].name;
    made.sent = counter(from, name + " sent to " + p_[to].name, to, message);
    made.received = counter(to, name + " received from " + p_[from].name, from, message);
    out_.tracked.push_back(made);
  }

  /// No identifier has a space.
  VarId counter(RoleId role, const std::string& name, RoleId other, MessageId message) {
    TypeId type = p_.types.integer();
    ExprId zero = b_.integer(0);
    const auto below = [&](TypeId key) {
      type = p_.types.function(key, type);
      zero = b_.constant_function(type, zero);
    };
    const auto& fields = p_[message].fields;
    for (std::size_t f = fields.size(); f > 0; --f) below(fields[f - 1].type);
    below(p_.types.host(other));
    ir::VarDecl decl;
    decl.name = name;
    decl.role = role;
    decl.type = type;
    decl.init = zero;
    const VarId made(p_.variables.size());
    // A range is for all variables of that name, in whatever role.
    const bool bounded = std::ranges::find(p_.variables, name, &ir::VarDecl::name) != p_.variables.end();
    for (ir::InstanceDecl& instance : p_.instances) {
      if (!bounded) instance.entries.push_back({name, 0, kMostSampled, true, {}});
    }
    p_.variables.push_back(std::move(decl));
    p_.roles[role.index()].variables.push_back(made);
    return made;
  }

  /// The block with one more counted after each send.
  std::vector<StmtId> counted(RoleId role, const std::vector<StmtId>& block) {
    std::vector<StmtId> made;
    for (const StmtId id : block) {
      const Stmt stmt = p_[id];
      auto then = counted(role, stmt.then_branch), otherwise = counted(role, stmt.else_branch);
      p_.stmts[id.index()].then_branch = std::move(then);
      p_.stmts[id.index()].else_branch = std::move(otherwise);
      made.push_back(id);
      if (stmt.kind != StmtKind::send) continue;
      const Tracked* tracked = out_.find(stmt.message, role, addressee_of(p_, stmt));
      if (tracked != nullptr) made.push_back(b_.assign(tracked->sent, after_send(stmt, *tracked, role)));
    }
    return made;
  }

  ExprId after_send(const Stmt& send, const Tracked& tracked, RoleId role) {
    const ExprId counter = b_.state_var(tracked.sent, b_.self(role));
    std::vector<ExprId> keys{send.target};
    if (p_[p_[send.target].type].kind == TypeKind::host) {
      keys.insert(keys.end(), send.args.begin(), send.args.end());
      return one_more(b_, counter, keys);
    }
    // To each host of a set: what is sent may depend on the host.
    const LocalId each = p_.add(ir::LocalDecl{"host", p_.types.host(tracked.to), {}});
    std::map<LocalId, ExprId> locals;
    if (send.local.valid()) locals[send.local] = b_.local(each);
    keys.clear();
    for (const ExprId arg : send.args) keys.push_back(rewrite(p_, arg, b_.self(role), locals));
    const ExprId before = b_.binary(Op::apply, counter, b_.local(each));
    const ExprId addressed = b_.binary(Op::contains, b_.local(each), send.target);
    return b_.function_build(each, b_.ite(addressed, one_more(b_, before, keys), before));
  }

  /// A step that does not say whom it receives from gets one for each role that it may be.
  void receive(StepId id) {
    const ir::Step step = p_[id];
    if (!step.receive) return;
    std::vector<const Tracked*> routes;
    for (const Tracked& each : out_.tracked) {
      if (each.message != step.receive->message || each.to != step.role) continue;
      if (!step.receive->from.valid() || step.receive->from == each.from) routes.push_back(&each);
    }
    for (std::size_t r = 0; r < routes.size(); ++r) {
      ir::Step made = received(step, *routes[r]);
      if (r == 0) {
        p_.steps[id.index()] = std::move(made);
        continue;
      }
      p_.roles[step.role.index()].steps.emplace_back(p_.steps.size());
      p_.steps.push_back(std::move(made));
    }
    if (routes.size() > 1) out_.split.push_back(id);
  }

  ir::Step received(ir::Step step, const Tracked& tracked) {
    ir::ReceivePattern& pattern = *step.receive;
    pattern.from = tracked.from;
    if (!pattern.sender.valid()) {
      pattern.sender = p_.add(ir::LocalDecl{"sender", p_.types.host(tracked.from), {}});
    }
    const ExprId self = b_.self(step.role), sender = b_.local(pattern.sender);
    std::vector<ExprId> fields;
    for (const LocalId field : pattern.fields) fields.push_back(b_.local(field));
    const ExprId arrives = on_its_way(p_, tracked, sender, self, fields);
    const bool always = p_[step.guard].op == Op::bool_literal && p_[step.guard].value != 0;
    step.guard = always ? arrives : b_.conjunction({arrives, step.guard});
    fields.insert(fields.begin(), sender);
    const ExprId counter = b_.state_var(tracked.received, self);
    step.body.insert(step.body.begin(), b_.assign(tracked.received, one_more(b_, counter, fields)));
    return step;
  }

  ir::Protocol& p_;
  Builder b_;
  Deliveries out_;
};

}  // namespace

const Tracked* Deliveries::find(MessageId message, RoleId from, RoleId to) const {
  const auto found = std::ranges::find_if(
      tracked, [&](const Tracked& each) { return each.message == message && each.from == from && each.to == to; });
  return found == tracked.end() ? nullptr : &*found;
}

Deliveries count_deliveries(ir::Protocol& protocol) { return Counting(protocol).run(); }

namespace {

/// How often a message was sent, and received.
std::pair<ExprId, ExprId> numbers(Builder& b, const Tracked& tracked, ExprId from, ExprId to,
                                  const std::vector<ExprId>& fields) {
  const auto count = [&](VarId counter, ExprId at, ExprId other) {
    return count_at(b, b.binary(Op::apply, b.state_var(counter, at), other), fields);
  };
  return {count(tracked.sent, from, to), count(tracked.received, to, from)};
}

}  // namespace

ExprId on_its_way(ir::Protocol& protocol, const Tracked& tracked, ExprId from, ExprId to,
                  const std::vector<ExprId>& fields, std::int64_t spare) {
  Builder b(protocol);
  auto [sent, received] = numbers(b, tracked, from, to, fields);
  if (spare != 0) received = b.binary(Op::add, received, b.integer(spare));
  return b.binary(Op::lt, received, sent);
}

namespace {

/// Numbers of a host that count what it sends and receives itself.
class Tallies {
 public:
  Tallies(ir::Protocol& protocol, const Deliveries& deliveries)
      : p_(protocol), deliveries_(deliveries), make_(protocol), b_(make_.b_) {}

  std::vector<Proposal> run() {
    for (std::size_t v = 0; v < p_.variables.size(); ++v) {
      const auto is_counter = [&](const Tracked& each) { return each.sent == VarId(v) || each.received == VarId(v); };
      if (std::ranges::none_of(deliveries_.tracked, is_counter)) tally(VarId(v));
    }
    std::vector<VarId> counters;
    for (const Tracked& each : deliveries_.tracked) counters.insert(counters.end(), {each.sent, each.received});
    for (const VarId less : counters) {
      for (const VarId more : counters) {
        if (less != more && p_[less].role == p_[more].role && p_[less].type == p_[more].type) bounded(less, more);
      }
    }
    return std::move(out_);
  }

 private:
  /// No more answers than questions.
  void bounded(VarId less, VarId more) {
    const LocalId host = make_.fresh("h", p_.types.host(p_[less].role));
    std::vector<LocalId> binders{host};
    std::vector<ExprId> at;
    for (TypeId type = p_[less].type; p_[type].kind == TypeKind::function; type = p_[type].second) {
      binders.push_back(make_.fresh("k", p_[type].first));
      at.push_back(b_.local(binders.back()));
    }
    const auto count = [&](VarId counter) { return count_at(b_, b_.state_var(counter, b_.local(host)), at); };
    out_.push_back(make_.close(binders, b_.binary(Op::le, count(less), count(more)), {}));
  }

  /// A number at each key that starts as something and then goes up with one counter, or down, or both.
  void tally(VarId var) {
    const ir::VarDecl decl = p_[var];
    std::vector<TypeId> keys;
    TypeId type = decl.type;
    for (; p_[type].kind == TypeKind::function; type = p_[type].second) keys.push_back(p_[type].first);
    const bool natural = p_[type].kind == TypeKind::natural;
    if ((!natural && p_[type].kind != TypeKind::integer) || !decl.init.valid()) return;
    const LocalId host = make_.fresh("h", p_.types.host(decl.role));
    std::vector<LocalId> binders{host};
    std::vector<ExprId> at;
    for (const TypeId key : keys) {
      binders.push_back(make_.fresh("k", key));
      at.push_back(b_.local(binders.back()));
    }
    const auto number = [&](ExprId value) { return natural ? b_.unary(Op::to_int, value) : value; };
    const ExprId now = number(count_at(b_, b_.state_var(var, b_.local(host)), at));
    const ExprId initial = number(value_at(rewrite(p_, decl.init, b_.local(host), {}), at));
    const std::vector<ExprId> counters = counters_at(decl.role, b_.local(host), keys, at);
    const auto same = [&](ExprId left, ExprId right) {
      out_.push_back(make_.close(binders, b_.binary(Op::eq, left, right), {}));
    };
    for (const ExprId up : counters) {
      same(now, b_.binary(Op::add, initial, up));
      same(b_.binary(Op::add, now, up), initial);
      for (const ExprId down : counters) {
        if (up != down) same(b_.binary(Op::add, now, down), b_.binary(Op::add, initial, up));
      }
    }
  }

  /// The host's counters that have these keys; a role of one host needs none.
  std::vector<ExprId> counters_at(RoleId role, ExprId host, const std::vector<TypeId>& keys,
                                  const std::vector<ExprId>& at) {
    std::vector<ExprId> result;
    const auto add = [&](VarId counter, RoleId other, MessageId message) {
      const bool single = p_[other].single;
      std::vector<TypeId> needed;
      if (!single) needed.push_back(p_.types.host(other));
      for (const ir::FieldDecl& field : p_[message].fields) needed.push_back(field.type);
      if (needed != keys) return;
      std::vector<ExprId> where = at;
      if (single) where.insert(where.begin(), b_.single_host(other));
      result.push_back(count_at(b_, b_.state_var(counter, host), where));
    };
    for (const Tracked& each : deliveries_.tracked) {
      if (each.from == role) add(each.sent, each.to, each.message);
      if (each.to == role) add(each.received, each.from, each.message);
    }
    return result;
  }

  ExprId value_at(ExprId function, const std::vector<ExprId>& keys) {
    for (const ExprId key : keys) {
      const ir::Expr node = p_[function];
      if (node.op == Op::constant_function) {
        function = node.args[0];
      } else if (node.op == Op::function_build) {
        function = rewrite(p_, node.args[0], ExprId{}, {{node.binders[0], key}});
      } else {
        function = b_.binary(Op::apply, function, key);
      }
    }
    return function;
  }

  ir::Protocol& p_;
  const Deliveries& deliveries_;
  Proposer make_;
  Builder& b_;
  std::vector<Proposal> out_;
};

}  // namespace

std::vector<Proposal> propose_deliveries(ir::Protocol& protocol, const Deliveries& deliveries) {
  Proposer make(protocol);
  Builder& b = make.b_;
  std::vector<Proposal> result;
  for (const Tracked& each : deliveries.tracked) {
    const Atom atom = make.sent(each.message, each.from, each.to);
    std::vector<ExprId> fields;
    for (const LocalId value : atom.values) fields.push_back(b.local(value));
    const ExprId from = b.local(atom.binders[fields.size()]), to = b.local(atom.host);
    const auto [sent, received] = numbers(b, each, from, to, fields);
    result.push_back(make.close(atom.binders, b.binary(Op::le, received, sent), {}));
    result.push_back(make.close(atom.binders,
                                b.binary(Op::implies, on_its_way(protocol, each, from, to, fields), atom.formula), {}));
  }
  std::ranges::move(Tallies(protocol, deliveries).run(), std::back_inserter(result));
  return result;
}

bool counts(const ir::Protocol& protocol, const Deliveries& deliveries, ExprId expr) {
  const ir::Footprint reads = ir::read_by(protocol, expr);
  return std::ranges::any_of(deliveries.tracked, [&](const Tracked& each) {
    return reads.variables.contains(each.sent) || reads.variables.contains(each.received) ||
           reads.messages.contains(each.message);
  });
}

}  // namespace tenet::provenance
