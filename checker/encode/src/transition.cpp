#include "tenet/encode/transition.h"

#include <algorithm>
#include <utility>

namespace tenet::encode {

namespace {

using ir::StmtKind;
using ir::TypeKind;

class Run {
 public:
  Run(Encoder& encoder, const Case& which, StatePtr before)
      : e_(encoder), p_(encoder.protocol()), step_(p_[which.step]), before_(std::move(before)) {
    made_.which = which;
    scope_.now = before_;
  }

  Transition run(const std::vector<SymPtr>& fixed);

 private:
  void begin(const std::vector<SymPtr>& fixed);
  void block(const std::vector<ir::StmtId>& stmts);
  void statement(const ir::Stmt& stmt);
  void branch(const ir::Stmt& stmt);
  void choose(const ir::Stmt& stmt);
  void send(const ir::Stmt& stmt);
  StatePtr after();
  /// Where numbers have ranges, a step that leaves one does not happen.
  void stay_in_range(Term condition) { made_.happens.push_back(e_.terms.implies(e_.terms.and_(branch_), condition)); }
  /// A value of the instance's range for the slot of that name.
  void typed(const SymPtr& value, const std::string& slot) { made_.possible.push_back(e_.well_typed(value, slot)); }

  Encoder& e_;
  ir::Protocol& p_;
  const ir::Step step_;
  StatePtr before_;
  Scope scope_;
  Transition made_;
  std::vector<Term> branch_;  ///< conditions of the branches that this statement is in
};

void Run::begin(const std::vector<SymPtr>& fixed) {
  const ir::TypeId own = p_.types.host(step_.role);
  made_.self = p_[step_.role].single ? e_.only(step_.role) : e_.arbitrary(own, "self");
  scope_.self = made_.self;
  for (std::size_t i = 0; i < step_.parameters.size(); ++i) {
    const ir::LocalDecl decl = p_[step_.parameters[i]];
    SymPtr value = i < fixed.size() && fixed[i] ? fixed[i] : e_.arbitrary(decl.type, decl.name);
    typed(value, decl.name);
    scope_.locals[step_.parameters[i]] = value;
    made_.parameters.push_back(std::move(value));
  }
  if (!step_.receive) return;
  const ir::ReceivePattern& pattern = *step_.receive;
  const ir::RoleId role = made_.which.sender;
  Letter letter;
  letter.message = pattern.message;
  letter.from = role;
  letter.to = step_.role;
  letter.sender = p_[role].single ? e_.only(role) : e_.arbitrary(p_.types.host(role), "sender");
  letter.addressee = made_.self;
  for (std::size_t i = 0; i < p_[pattern.message].fields.size(); ++i) {
    const ir::FieldDecl field = p_[pattern.message].fields[i];
    letter.args.push_back(e_.arbitrary(field.type, field.name));
    typed(letter.args.back(), field.name);
    scope_.locals[pattern.fields[i]] = letter.args.back();
  }
  if (pattern.sender.valid()) scope_.locals[pattern.sender] = letter.sender;
  made_.possible.push_back(before_->sent(letter));
  made_.received.push_back(std::move(letter));
}

Transition Run::run(const std::vector<SymPtr>& fixed) {
  begin(fixed);
  {
    const Encoder::Demands here(e_, &made_.demanded);
    const Term guard = e_.holds(step_.guard, scope_);
    made_.happens.push_back(guard);
    e_.assume_on_path(guard);
    block(step_.body);
  }
  made_.after = after();
  return std::move(made_);
}

void Run::block(const std::vector<ir::StmtId>& stmts) {
  for (const ir::StmtId id : stmts) {
    const ir::Stmt stmt = p_[id];
    statement(stmt);
  }
}

void Run::statement(const ir::Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::assign:
      scope_.written[stmt.var] = e_.eval(stmt.value, scope_);
      if (e_.bounded()) stay_in_range(e_.well_typed(scope_.written[stmt.var], p_[stmt.var].name));
      return;
    case StmtKind::let:
      scope_.locals[stmt.local] = e_.eval(stmt.value, scope_);
      return;
    case StmtKind::if_:
      return branch(stmt);
    case StmtKind::choose:
      return choose(stmt);
    case StmtKind::send:
      return send(stmt);
  }
}

void Run::branch(const ir::Stmt& stmt) {
  const Term condition = e_.holds(stmt.value, scope_);
  const auto start = scope_.written;
  {
    const Encoder::OnPath on(e_, condition);
    branch_.push_back(condition);
    block(stmt.then_branch);
    branch_.pop_back();
  }
  auto then = std::exchange(scope_.written, start);
  {
    const Encoder::OnPath on(e_, e_.terms.not_(condition));
    branch_.push_back(e_.terms.not_(condition));
    block(stmt.else_branch);
    branch_.pop_back();
  }
  auto otherwise = std::exchange(scope_.written, start);
  const auto value = [&](const std::map<ir::VarId, SymPtr>& written, ir::VarId var) {
    const auto found = written.find(var);
    return found != written.end() ? found->second : before_->read(var, scope_.self);
  };
  for (const auto* side : {&then, &otherwise}) {
    for (const auto& [var, ignored] : *side) {
      scope_.written[var] = e_.pick(condition, value(then, var), value(otherwise, var));
    }
  }
}

void Run::choose(const ir::Stmt& stmt) {
  const ir::LocalDecl decl = p_[stmt.local];
  const SymPtr value = e_.arbitrary(decl.type, decl.name);
  const Term reached = e_.terms.and_(branch_);
  scope_.locals[stmt.local] = value;
  made_.choices.push_back(value);
  made_.chosen.push_back(reached);
  typed(value, decl.name);
  if (!stmt.value.valid()) return;
  // Taken only if the step gets here; what follows may rely on it.
  const Term condition = e_.terms.implies(reached, e_.holds(stmt.value, scope_));
  made_.happens.push_back(condition);
  e_.assume_on_path(condition);
}

void Run::send(const ir::Stmt& stmt) {
  const ir::Type target_type = p_[p_[stmt.target].type];
  const bool many = target_type.kind == TypeKind::set;
  const ir::RoleId role(many ? p_[target_type.first].declaration : target_type.declaration);
  const SymPtr target = e_.eval(stmt.target, scope_);
  const Scope scope = scope_;
  // What is kept outlives this object: it refers to the encoder alone.
  Encoder* e = &e_;
  const auto evaluate = [e, args = stmt.args](const Scope& where) {
    std::vector<SymPtr> values;
    for (const ir::ExprId arg : args) values.push_back(e->eval(arg, where));
    return values;
  };
  Sending sending;
  sending.condition = e_.terms.and_(branch_);
  sending.message = stmt.message;
  sending.to = role;
  sending.addressed = [e, many, target](const SymPtr& host) {
    return many ? target->apply(host)->term : e->equal(target, host);
  };
  if (!stmt.local.valid()) {
    sending.arguments = [values = evaluate(scope)](const SymPtr&) { return values; };
  } else {
    // What the arguments read is read for every addressee.
    (void)e_.quantify(true, {p_[stmt.local].type}, [&](const std::vector<SymPtr>& host) {
      const Encoder::OnPath on(e_, sending.addressed(host[0]));
      Scope inner = scope;
      inner.locals[stmt.local] = host[0];
      (void)evaluate(inner);
      return e_.terms.boolean(true);
    });
    sending.arguments = [e, evaluate, scope, local = stmt.local](const SymPtr& host) {
      const Encoder::Demands nobody(*e, nullptr);
      Scope inner = scope;
      inner.locals[local] = host;
      return evaluate(inner);
    };
  }
  if (e_.bounded()) {
    stay_in_range(e_.quantify(true, {p_.types.host(role)}, [&](const std::vector<SymPtr>& host) {
      std::vector<Term> typed;
      const std::vector<SymPtr> args = sending.arguments(host[0]);
      for (std::size_t i = 0; i < args.size(); ++i) {
        typed.push_back(e_.well_typed(args[i], p_[stmt.message].fields[i].name));
      }
      return e_.terms.implies(sending.addressed(host[0]), e_.terms.and_(typed));
    }));
  }
  made_.sendings.push_back(std::move(sending));
}

/// Closures made here outlive this object: they hold what they need.
StatePtr Run::after() {
  auto state = std::make_shared<StateView>();
  Encoder* e = &e_;
  const StatePtr before = before_;
  const SymPtr self = made_.self;
  const ir::RoleId role = step_.role;
  state->read = [e, before, self, written = scope_.written](ir::VarId var, const SymPtr& host) {
    const auto found = written.find(var);
    if (found == written.end()) return before->read(var, host);
    const Term own = e->equal(host, self);
    return own.is_true() ? found->second : e->pick(own, found->second, before->read(var, host));
  };
  // What is left of more than two copies is open: a relation of this receipt alone.
  std::string receipt;
  if (!made_.received.empty()) {
    receipt = " " + e_.terms.fresh_constant("receipt", e_.terms.boolean_sort()).function().name();
  }
  // The two relations of a kind of message after the receipt and each sending, in order.
  const auto network = [e, before, self, role, receipt, sendings = made_.sendings, received = made_.received](
                           const Letter& letter, bool twice) {
    smt::TermManager& tm = e->terms;
    const bool once = e->protocol()[letter.message].delivery == ir::Delivery::at_most_once;
    Term present = before->sent(letter);
    Term more = once ? before->twice(letter) : tm.boolean(false);
    if (once && !received.empty()) {
      // One copy less. Of two or more, two or more may be left; in an instance there are at most two.
      const Term same = e->same_letter(letter, received[0]);
      present = tm.and_({present, tm.or_({tm.not_(same), more})});
      const Term left = e->ground() ? tm.boolean(false) : e->in_network("still twice", letter, receipt);
      more = tm.and_({more, tm.or_({tm.not_(same), left})});
    }
    for (const Sending& sending : sendings) {
      if (letter.from != role) continue;
      const Term added = puts(*e, sending, self, letter);
      if (once) more = tm.or_({more, tm.and_({present, added})});
      present = tm.or_({present, added});
    }
    return twice ? more : present;
  };
  state->sent = [network](const Letter& letter) { return network(letter, false); };
  state->twice = [network](const Letter& letter) { return network(letter, true); };
  return state;
}

}  // namespace

std::vector<Case> cases_of(const Encoder& encoder) {
  // The encoder is only read; its protocol is not const because types may be added.
  ir::Protocol& p = const_cast<Encoder&>(encoder).protocol();
  std::vector<Case> all;
  for (std::size_t s = 0; s < p.steps.size(); ++s) {
    const ir::Step& step = p.steps[s];
    if (!step.receive) {
      all.push_back({ir::StepId(s), {}});
      continue;
    }
    const auto& to = encoder.addressee_roles(step.receive->message);
    if (std::find(to.begin(), to.end(), step.role) == to.end()) continue;
    for (const ir::RoleId from : encoder.sender_roles(step.receive->message)) {
      if (!step.receive->from.valid() || step.receive->from == from) all.push_back({ir::StepId(s), from});
    }
  }
  return all;
}

Term puts(Encoder& encoder, const Sending& sending, const SymPtr& self, const Letter& letter) {
  if (sending.message != letter.message || sending.to != letter.to) return encoder.terms.boolean(false);
  std::vector<Term> all{sending.condition, encoder.equal(letter.sender, self), sending.addressed(letter.addressee)};
  const std::vector<SymPtr> values = sending.arguments(letter.addressee);
  for (std::size_t i = 0; i < values.size(); ++i) all.push_back(encoder.equal(values[i], letter.args[i]));
  return encoder.terms.and_(all);
}

Transition transition(Encoder& encoder, const Case& which, const StatePtr& before, const std::vector<SymPtr>& fixed) {
  return Run(encoder, which, before).run(fixed);
}

}  // namespace tenet::encode
