#include "transition.h"

#include <algorithm>
#include <utility>

namespace tenet::induct {

namespace {

using ir::StmtKind;
using ir::TypeKind;

/// What one `send` puts into the network.
struct Sending {
  Term condition;
  ir::MessageId message;
  ir::RoleId to;
  std::function<Term(const Letter&)> matches;  ///< of letters of this kind, from the acting host
};

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
  void stay_in_range();
  /// A value of the instance's range for the slot of that name.
  void typed(const SymPtr& value, const std::string& slot) { made_.possible.push_back(e_.well_typed(value, slot)); }

  Encoder& e_;
  ir::Protocol& p_;
  const ir::Step step_;
  StatePtr before_;
  Scope scope_;
  Transition made_;
  std::vector<Sending> sendings_;
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
  if (e_.ground()) stay_in_range();
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
  const auto arguments = [e, args = stmt.args](const Scope& where) {
    std::vector<SymPtr> values;
    for (const ir::ExprId arg : args) values.push_back(e->eval(arg, where));
    return values;
  };
  Sending sending{e_.terms.and_(branch_), stmt.message, role, {}};
  const auto same = [e](const std::vector<SymPtr>& values, const Letter& letter) {
    std::vector<Term> all;
    for (std::size_t i = 0; i < values.size(); ++i) all.push_back(e->equal(values[i], letter.args[i]));
    return e->terms.and_(all);
  };
  const auto addressed = [e, many, target](const SymPtr& host) {
    return many ? target->apply(host)->term : e->equal(target, host);
  };
  if (!stmt.local.valid()) {
    sending.matches = [e, same, addressed, values = arguments(scope)](const Letter& letter) {
      return e->terms.and_({addressed(letter.addressee), same(values, letter)});
    };
  } else {
    // What the arguments read is read for every addressee.
    (void)e_.quantify(true, {p_[stmt.local].type}, [&](const std::vector<SymPtr>& host) {
      const Encoder::OnPath on(e_, addressed(host[0]));
      Scope inner = scope;
      inner.locals[stmt.local] = host[0];
      (void)arguments(inner);
      return e_.terms.boolean(true);
    });
    sending.matches = [e, same, addressed, arguments, scope, local = stmt.local](const Letter& letter) {
      const Encoder::Demands nobody(*e, nullptr);
      Scope inner = scope;
      inner.locals[local] = letter.addressee;
      return e->terms.and_({addressed(letter.addressee), same(arguments(inner), letter)});
    };
  }
  sendings_.push_back(std::move(sending));
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
  const auto network = [e, before, self, role, receipt, sendings = sendings_, received = made_.received](
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
      if (sending.message != letter.message || letter.from != role || sending.to != letter.to) continue;
      const Term added = tm.and_({sending.condition, e->equal(letter.sender, self), sending.matches(letter)});
      if (once) more = tm.or_({more, tm.and_({present, added})});
      present = tm.or_({present, added});
    }
    return twice ? more : present;
  };
  state->sent = [network](const Letter& letter) { return network(letter, false); };
  state->twice = [network](const Letter& letter) { return network(letter, true); };
  return state;
}

/// In an instance a step that leaves a range does not happen. (Nor does one that
/// would make too many copies of a message; that is left to the replay.)
void Run::stay_in_range() {
  for (const auto& [var, value] : scope_.written) made_.happens.push_back(e_.well_typed(value, p_[var].name));
  for (const Sending& sending : sendings_) {
    const ir::MessageId message = sending.message;
    made_.happens.push_back(e_.for_all_letters(message, step_.role, sending.to, [&](const Letter& letter) {
      std::vector<Term> typed;
      for (std::size_t i = 0; i < letter.args.size(); ++i) {
        typed.push_back(e_.well_typed(letter.args[i], p_[message].fields[i].name));
      }
      const Term all = e_.terms.and_(typed);
      return all.is_true() ? all : e_.terms.implies(made_.after->sent(letter), all);
    }));
  }
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

Transition transition(Encoder& encoder, const Case& which, const StatePtr& before, const std::vector<SymPtr>& fixed) {
  return Run(encoder, which, before).run(fixed);
}

}  // namespace tenet::induct
