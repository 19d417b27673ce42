/// Events, and the principles of executions as ground facts.
#include <algorithm>
#include <cassert>

#include "execution.h"

namespace tenet::provenance {

using ir::MessageId;
using ir::RoleId;
using ir::StepId;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;
using ir::TypeId;
using ir::TypeKind;
using smt::Term;

// --- Naming events -----------------------------------------------------------

std::size_t Execution::event(Term time) {
  const auto found = event_index_.find(time.id());
  if (found != event_index_.end()) return found->second;
  const std::size_t index = events.size();
  events.push_back({time, generation, {}, false});
  event_index_[time.id()] = index;
  after_index_[logic_->next(time).id()] = index;
  smt::TermManager& tm = logic_->terms;
  const Term number = kind(time);
  if (protocol_->steps.empty()) {
    add(tm.not_(real(time)), Principle::step, "there are no steps");
    return index;
  }
  add(tm.and_({tm.le(zero_, number), tm.lt(number, tm.integer(static_cast<std::int64_t>(protocol_->steps.size())))}),
      Principle::step, "one of the steps");
  return index;
}

std::size_t Execution::event_of(Term time, RoleId role, Term who) {
  const bool known = event_index_.count(time.id()) != 0;
  const std::size_t index = event(time);
  if (!known) {
    events[index].role = role;
    events[index].who = who;
  }
  return index;
}

Term Execution::self_of(std::size_t index, StepId step) {
  const RoleId role = (*protocol_)[step].role;
  return events[index].role == role ? events[index].who : actor(role, events[index].time);
}

Term Execution::happens(std::size_t index, StepId step) {
  const Term time = events[index].time;
  return logic_->terms.and_(
      {real(time), is_step(time, step), logic_->terms.eq(actor((*protocol_)[step].role, time), self_of(index, step))});
}

Term Execution::kind(Term time) {
  smt::TermManager& tm = logic_->terms;
  return tm.apply(tm.function("what happens", {tm.integer_sort()}, tm.integer_sort()), {time});
}

Term Execution::is_step(Term time, StepId step) {
  return logic_->terms.eq(kind(time), logic_->number(static_cast<std::int64_t>(step.index())));
}

Term Execution::actor(RoleId role, Term time) {
  smt::TermManager& tm = logic_->terms;
  const Term term =
      tm.apply(tm.function("acting " + (*protocol_)[role].name, {tm.integer_sort()}, logic_->role_sort(role)), {time});
  host(role, term);
  return term;
}

/// Says that this event, if it is `step`, was enabled.
void Execution::consider(std::size_t index, StepId step) {
  auto& considered = events[index].considered;
  if (std::find(considered.begin(), considered.end(), step) != considered.end()) return;
  considered.push_back(step);
  const Running& running = run(index, step);
  smt::TermManager& tm = logic_->terms;
  add(tm.implies(happens(index, step), tm.and_(running.guard)), Principle::step, (*protocol_)[step].name);
}

// --- Running a step ------------------------------------------------------------

const Execution::Running& Execution::run(std::size_t index, StepId step_id) {
  const auto key = std::make_pair(index, step_id);
  const auto found = running_.find(key);
  if (found != running_.end()) return found->second;
  const ir::Step& step = (*protocol_)[step_id];
  const Term time = events[index].time;
  smt::TermManager& tm = logic_->terms;
  Running out;
  Scope scope;
  scope.time = time;
  scope.self = host(step.role, self_of(index, step_id));
  const std::string prefix =
      (*protocol_)[step.role].name + "." + step.name + "#" + std::to_string(step_id.index()) + " ";
  for (ir::LocalId local : step.parameters) {
    scope.locals[local] = argument((*protocol_)[local].type, prefix + (*protocol_)[local].name, time);
  }
  if (step.receive) {
    const ir::ReceivePattern& pattern = *step.receive;
    std::vector<SymPtr> args;
    for (ir::LocalId local : pattern.fields) {
      args.push_back(argument((*protocol_)[local].type, prefix + "in " + std::to_string(args.size()), time));
      scope.locals[local] = args.back();
    }
    std::vector<Term> cases;
    for (RoleId from : sender_roles(pattern.message)) {
      if (pattern.from.valid() && pattern.from != from) continue;
      const SymPtr sender = argument(protocol_->types.host(from), prefix + "sender " + (*protocol_)[from].name, time);
      if (pattern.sender.valid()) scope.locals[pattern.sender] = sender;
      cases.push_back(in_network(letter(pattern.message, from, step.role, sender->term, scope.self->term, args), time));
    }
    if (pattern.sender.valid() && scope.locals.count(pattern.sender) == 0) {
      scope.locals[pattern.sender] = default_value((*protocol_)[pattern.sender].type);  // nobody sends it
    }
    out.guard.push_back(tm.or_(cases));
    // What is delivered at most once has been counted.
    if ((*protocol_)[pattern.message].delivery != ir::Delivery::any) refuse("messages that arrive in order");
  }
  std::vector<Demand>* outer = demands_;
  std::vector<Term> path;
  std::swap(path, path_);
  demands_ = &out.demands;
  path_.push_back(tm.and_(out.guard));
  out.guard.push_back(eval_term(step.guard, scope));
  path_.push_back(out.guard.back());
  run_block(step.body, scope, index, step_id, out);
  demands_ = outer;
  std::swap(path, path_);
  out.written = scope.written;
  return running_.emplace(key, std::move(out)).first->second;
}

void Execution::run_block(const std::vector<StmtId>& block, Scope& scope, std::size_t event_index, StepId step,
                          Running& out) {
  smt::TermManager& tm = logic_->terms;
  // The first two conditions of the path are the step's guard.
  const auto branch_condition = [this, &tm] { return tm.and_(std::vector<Term>(path_.begin() + 2, path_.end())); };
  const std::size_t depth = path_.size();
  for (StmtId id : block) {
    const Stmt& stmt = (*protocol_)[id];
    switch (stmt.kind) {
      case StmtKind::assign:
        scope.written[stmt.var] = eval(stmt.value, scope);
        break;
      case StmtKind::let:
        scope.locals[stmt.local] = eval(stmt.value, scope);
        break;
      case StmtKind::choose: {
        const std::string name =
            (*protocol_)[step].name + "#" + std::to_string(step.index()) + " choice " + std::to_string(out.choices++);
        scope.locals[stmt.local] = argument((*protocol_)[stmt.local].type, name, events[event_index].time);
        if (!stmt.value.valid()) break;
        const Term chosen = eval_term(stmt.value, scope);
        out.guard.push_back(tm.implies(branch_condition(), chosen));
        path_.push_back(chosen);  // what follows is done with this choice
        break;
      }
      case StmtKind::send: {
        Sent sent;
        sent.message = stmt.message;
        sent.path = branch_condition();
        sent.target = eval(stmt.target, scope);
        const ir::Type target = (*protocol_)[sent.target->type];
        const TypeId host_type = target.kind == TypeKind::host ? sent.target->type : target.first;
        sent.target_role = RoleId((*protocol_)[host_type].declaration);
        sent.stmt = id;
        sent.scope = scope;
        demand_arguments(sent);
        out.sends.push_back(std::move(sent));
        break;
      }
      case StmtKind::if_: {
        const Term condition = eval_term(stmt.value, scope);
        Scope yes = scope, no = scope;
        path_.push_back(condition);
        run_block(stmt.then_branch, yes, event_index, step, out);
        path_.back() = tm.not_(condition);
        run_block(stmt.else_branch, no, event_index, step, out);
        path_.pop_back();
        for (const auto* side : {&yes, &no}) {
          for (const auto& [var, value] : side->written) {
            if (scope.written.count(var) == 0) {
              scope.written[var] = read_variable(var, scope.self->term, scope.time);
            }
          }
        }
        for (auto& [var, value] : scope.written) {
          const auto a = yes.written.find(var), b = no.written.find(var);
          value =
              pick(condition, a == yes.written.end() ? value : a->second, b == no.written.end() ? value : b->second);
        }
        break;
      }
    }
  }
  path_.resize(depth);
}

/// Demands that the fields of a message are defined, for each of its addressees.
void Execution::demand_arguments(const Sent& sent) {
  const Stmt& stmt = (*protocol_)[sent.stmt];
  if (demands_ == nullptr) return;
  if (!stmt.local.valid()) {
    for (ir::ExprId arg : stmt.args) (void)eval(arg, sent.scope);
    return;
  }
  for (ir::ExprId arg : stmt.args) demand_all(arg, arg, {stmt.local}, sent.target, sent.scope);
}

// --- Messages ------------------------------------------------------------------

std::vector<RoleId> Execution::sender_roles(MessageId message) const {
  std::vector<RoleId> roles;
  for (std::size_t s = 0; s < protocol_->steps.size(); ++s) {
    const RoleId role = protocol_->steps[s].role;
    if (sends(StepId(s), message) && std::find(roles.begin(), roles.end(), role) == roles.end()) roles.push_back(role);
  }
  return roles;
}

std::vector<RoleId> Execution::addressee_roles(MessageId message) const {
  std::vector<RoleId> roles;
  for (const Stmt& stmt : protocol_->stmts) {
    if (stmt.kind != StmtKind::send || stmt.message != message || !stmt.target.valid()) continue;
    const ir::Type type = (*protocol_)[(*protocol_)[stmt.target].type];
    const ir::Type host_type = type.kind == TypeKind::host ? type : (*protocol_)[type.first];
    const RoleId role(host_type.declaration);
    if (std::find(roles.begin(), roles.end(), role) == roles.end()) roles.push_back(role);
  }
  return roles;
}

Term Execution::in_network(Term sent_at, Term time) {
  return logic_->terms.and_({logic_->terms.le(zero_, sent_at), logic_->terms.lt(sent_at, time)});
}

/// The time of the first send of a message; names the message.
Term Execution::letter(MessageId message, RoleId from, RoleId to, Term sender, Term addressee,
                       const std::vector<SymPtr>& args) {
  smt::TermManager& tm = logic_->terms;
  std::vector<Term> terms{sender, addressee};
  for (const SymPtr& arg : args) {
    flatten(arg, terms);
    name_tuple(arg);
  }
  std::vector<smt::Sort> domain;
  std::vector<std::uint32_t> key{message.value, from.value, to.value};
  for (Term term : terms) {
    domain.push_back(term.sort());
    key.push_back(term.id());
  }
  const std::string name = "send time of " + (*protocol_)[message].name + " from " + (*protocol_)[from].name + " to " +
                           (*protocol_)[to].name;
  const Term sent_at = tm.apply(tm.function(name, domain, tm.integer_sort()), terms);
  if (letter_index_.count(key) == 0) {
    letter_index_[key] = letters.size();
    Letter made;
    made.message = message;
    made.sender_role = from;
    made.addressee_role = to;
    made.sender = sender;
    made.addressee = addressee;
    made.args = args;
    made.sent_at = sent_at;
    made.generation = generation;
    letters.push_back(std::move(made));
    sendings_.insert(sent_at.id());
  }
  return sent_at;
}

void Execution::explain_letter(std::size_t index) {
  letters[index].explained = true;
  const Term time = letters[index].sent_at;
  events[event_of(time, letters[index].sender_role, letters[index].sender)].asked = true;
  std::vector<Term> kinds;
  for (std::size_t s = 0; s < protocol_->steps.size(); ++s) {
    if (protocol_->steps[s].role == letters[index].sender_role && sends(StepId(s), letters[index].message)) {
      kinds.push_back(is_step(time, StepId(s)));
    }
  }
  kinds.push_back(logic_->terms.not_(in_network(time, last_)));
  add(logic_->terms.or_(kinds), Principle::first_send, (*protocol_)[letters[index].message].name);
}

void Execution::add_sites(std::size_t index, StepId step, std::size_t at) {
  letters[index].sites.push_back(step);
  const Letter letter = letters[index];
  smt::TermManager& tm = logic_->terms;
  const Term time = events[at].time;
  const RoleId role = letter.sender_role;
  std::vector<Term> sites;
  if ((*protocol_)[step].role == role) {
    const std::deque<Sent> sends_of_step(run(at, step).sends.begin(), run(at, step).sends.end());
    for (const Sent& sent : sends_of_step) {
      if (sent.message != letter.message || sent.target_role != letter.addressee_role) continue;
      const Stmt& stmt = (*protocol_)[sent.stmt];
      const SymPtr addressee = host(letter.addressee_role, letter.addressee);
      std::vector<Term> all{sent.path};
      all.push_back(sent.target->kind == Sym::Kind::collection ? sent.target->collection->apply(addressee)->term
                                                               : tm.eq(sent.target->term, letter.addressee));
      Scope scope = sent.scope;
      if (stmt.local.valid()) scope.locals[stmt.local] = addressee;
      const std::size_t compared = comparisons.size();
      for (std::size_t i = 0; i < stmt.args.size(); ++i) {
        all.push_back(equal(eval(stmt.args[i], scope), letter.args[i]));
      }
      for (std::size_t c = compared; c < comparisons.size(); ++c) comparisons[c].late = true;
      sites.push_back(tm.and_(all));
    }
  }
  const Term sent_now = tm.and_({tm.eq(letter.sent_at, time), in_network(time, last_), is_step(time, step)});
  Term how = tm.or_(sites);
  if (!sites.empty()) {
    how = tm.and_({tm.eq(actor(role, time), letter.sender), tm.implies(tm.eq(letter.sender, self_of(at, step)), how)});
  }
  add(tm.implies(sent_now, how), Principle::first_send, (*protocol_)[letter.message].name);
}

void Execution::add_sends(std::size_t at, StepId step, MessageId message, Term to) {
  smt::TermManager& tm = logic_->terms;
  const Term time = events[at].time;
  const RoleId role = (*protocol_)[step].role;
  const std::deque<Sent> sends_of_step(run(at, step).sends.begin(), run(at, step).sends.end());
  for (const Sent& sent : sends_of_step) {
    if (sent.message != message || logic_->role_sort(sent.target_role) != to.sort()) continue;
    const Stmt& stmt = (*protocol_)[sent.stmt];
    const SymPtr addressee = host(sent.target_role, to);
    const Term meant = sent.target->kind == Sym::Kind::collection ? sent.target->collection->apply(addressee)->term
                                                                  : tm.eq(sent.target->term, to);
    Scope scope = sent.scope;
    if (stmt.local.valid()) scope.locals[stmt.local] = addressee;
    std::vector<SymPtr> args;
    for (ir::ExprId arg : stmt.args) args.push_back(eval(arg, scope));
    const Term sent_at = letter(message, role, sent.target_role, self_of(at, step), to, args);
    add(tm.implies(tm.and_({happens(at, step), sent.path, meant}), in_network(sent_at, logic_->next(time))),
        Principle::step, (*protocol_)[message].name);
  }
}

// --- Variables -------------------------------------------------------------------

void Execution::add_start(std::size_t index) {
  reads[index].at_start = true;
  Cell cell = reads[index].cell;
  const ir::VarDecl& var = (*protocol_)[cell.var];
  if (!var.init.valid()) return;
  Scope scope;
  scope.time = zero_;
  scope.self = host(var.role, cell.host);
  const SymPtr initial = descend(eval(var.init, scope), cell);
  // A time that some model has at 0 need not be 0 in another.
  cell.time = zero_;
  Read& first = reads[touch(cell)];
  first.at_start = true;
  add(same_scalars(first.value, initial), Principle::start, describe(cell));
}

void Execution::quieten_read(std::size_t index) {
  const Term literal = fresh("quiet", logic_->terms.boolean_sort());
  reads[index].quiet = literal;
  Cell cell = reads[index].cell;
  const ir::VarDecl& var = (*protocol_)[cell.var];
  SymPtr at_start;
  if (var.init.valid()) {
    Scope scope;
    scope.time = zero_;
    scope.self = host(var.role, cell.host);
    at_start = descend(eval(var.init, scope), cell);
  } else {
    cell.time = zero_;
    at_start = reads[touch(cell)].value;
  }
  add(logic_->terms.implies(literal, same_scalars(reads[index].value, at_start)), Principle::extension, kQuiet);
}

void Execution::quieten_letter(std::size_t index) {
  const Term literal = fresh("quiet", logic_->terms.boolean_sort());
  letters[index].quiet = literal;
  add(logic_->terms.implies(literal, logic_->terms.not_(in_network(letters[index].sent_at, last_))),
      Principle::extension, kQuiet);
}

/// That the event at `time` does not write the cell's variable.
Term Execution::untouched(const Cell& cell, Term time) {
  smt::TermManager& tm = logic_->terms;
  const RoleId role = (*protocol_)[cell.var].role;
  std::vector<Term> writers;
  for (std::size_t s = 0; s < protocol_->steps.size(); ++s) {
    if (writes(StepId(s), cell.var)) writers.push_back(is_step(time, StepId(s)));
  }
  return tm.or_({tm.not_(tm.or_(writers)), tm.ne(actor(role, time), cell.host)});
}

void Execution::add_frame(std::size_t index) {
  reads[index].framed = true;
  Cell before = reads[index].cell;
  const Term time = events[reads[index].after].time;
  const Term unchanged = untouched(before, time);
  before.time = time;
  const SymPtr old_value = reads[touch(before)].value;
  add(logic_->terms.implies(logic_->terms.and_({real(time), unchanged}), same_scalars(reads[index].value, old_value)),
      Principle::step, describe(before));
}

SymPtr Execution::value_after(std::size_t event_index, StepId step, const Cell& cell) {
  return descend(run(event_index, step).written.at(cell.var), cell);
}

Execution::Change Execution::probe(std::size_t event_index, StepId step, const Cell& cell, const SymPtr& unless_named) {
  (void)run(event_index, step);
  Cell before = cell;
  before.host = self_of(event_index, step);
  before.time = events[event_index].time;
  probing_.emplace(before, unless_named);
  Change change{value_of(before), value_after(event_index, step, cell)};
  probing_.reset();
  return change;
}

void Execution::add_effect(std::size_t index, StepId step) {
  reads[index].effects.push_back(step);
  const std::size_t at = reads[index].after;
  consider(at, step);
  const Cell cell = reads[index].cell;
  const SymPtr after = value_after(at, step, cell);
  smt::TermManager& tm = logic_->terms;
  add(tm.implies(tm.and_({happens(at, step), tm.eq(self_of(at, step), cell.host)}),
                 same_scalars(reads[index].value, after)),
      Principle::step, describe(cell));
}

/// The value was produced by a last change, or has been there since the start.
void Execution::explain_read(std::size_t index) {
  reads[index].explained = true;
  const Cell cell = reads[index].cell;
  smt::TermManager& tm = logic_->terms;
  std::vector<smt::Sort> domain{cell.host.sort()};
  std::vector<Term> args{cell.host};
  for (Term key : cell.keys) {
    domain.push_back(key.sort());
    args.push_back(key);
  }
  domain.push_back(tm.integer_sort());
  args.push_back(cell.time);
  const Term changed = tm.apply(tm.function("last change of " + describe(cell), domain, tm.integer_sort()), args);
  reads[index].changed_at = changed;
  events[event_of(changed, (*protocol_)[cell.var].role, cell.host)].asked = true;
  const Term after = logic_->next(changed);
  Cell here = cell;
  here.time = changed;
  const SymPtr value_before = reads[touch(here)].value;
  here.time = after;
  const SymPtr value_after = reads[touch(here)].value;
  here.time = zero_;
  const SymPtr value_at_start = reads[touch(here)].value;
  const SymPtr value = reads[index].value;
  const Term never = tm.eq(changed, tm.integer(-1));
  add(tm.and_({tm.le(tm.integer(-1), changed), tm.implies(tm.lt(zero_, cell.time), tm.lt(changed, cell.time)),
               tm.implies(tm.le(cell.time, zero_), never), tm.implies(never, same_scalars(value, value_at_start)),
               tm.implies(tm.not_(never), tm.and_({tm.not_(untouched(cell, changed)), same_scalars(value, value_after),
                                                   tm.not_(same_scalars(value_before, value_after))}))}),
      Principle::last_change, describe(cell));
}

/// Since its last change the value has been what it is.
void Execution::add_held(std::size_t explained, std::size_t other) {
  smt::TermManager& tm = logic_->terms;
  const Read& a = reads[explained];
  const Read& b = reads[other];
  std::vector<Term> same{tm.eq(a.cell.host, b.cell.host), tm.lt(a.changed_at, b.cell.time),
                         tm.le(b.cell.time, a.cell.time)};
  for (std::size_t i = 0; i < a.cell.keys.size(); ++i) same.push_back(tm.eq(a.cell.keys[i], b.cell.keys[i]));
  add(tm.implies(tm.and_(same), same_scalars(a.value, b.value)), Principle::last_change, describe(a.cell));
}

/// The set in a variable that a counted cell speaks of: `cell.layer` is the
/// layer below it, so the last key is left out.
SymPtr Execution::set_at(const SymPtr& variable, const Cell& cell) {
  const Layer& layer = layouts_.at(cell.var)[cell.layer];
  SymPtr at = variable;
  std::size_t used = 0, key = 0;
  for (std::size_t i = 0; i + 1 < layer.path.size(); ++i) {
    const Selector& selector = layer.path[i];
    if (selector.kind == Selector::Kind::key) {
      const SymPtr argument_value = unflatten(layer.keys[key++], cell.keys, used);
      at = at->collection->apply(argument_value);
    } else {
      at = at->parts[selector.kind == Selector::Kind::payload ? 0 : selector.index];
    }
  }
  return at;
}

// --- Instances and witnesses -------------------------------------------------------

void Execution::add_witness(Quantified& quantified_formula) {
  quantified_formula.witnessed = true;
  std::vector<SymPtr> values;
  for (TypeId type : quantified_formula.types) {
    values.push_back(arbitrary(type, "witness", &quantified_formula.witness));
  }
  const Term inside = quantified_formula.body(values);
  smt::TermManager& tm = logic_->terms;
  add(quantified_formula.universal ? tm.implies(tm.not_(quantified_formula.atom), tm.not_(inside))
                                   : tm.implies(quantified_formula.atom, inside),
      Principle::extension, quantified_formula.about);
}

void Execution::add_instance(std::size_t index, const std::vector<SymPtr>& values) {
  std::vector<std::uint32_t> key;
  for (const SymPtr& value : values) {
    std::vector<Term> terms;
    flatten(value, terms);
    for (Term term : terms) key.push_back(term.id());
  }
  const auto known = quantified[index].bodies.find(key);
  const Term inside = known != quantified[index].bodies.end() ? known->second : quantified[index].body(values);
  smt::TermManager& tm = logic_->terms;
  const Quantified& q = quantified[index];
  const std::size_t before = facts.size();
  add(q.universal ? tm.implies(q.atom, inside) : tm.implies(inside, q.atom), Principle::extension, q.about);
  if (facts.size() == before) return;
  facts.back().atom = q.atom;
  facts.back().instance = values;
}

void Execution::add_witness(Comparison& comparison) {
  comparison.witnessed = true;
  const SymPtr key = arbitrary(comparison.key, "difference", &comparison.witness);
  const Term differs = difference(comparison, key);
  add(logic_->terms.implies(logic_->terms.not_(comparison.atom), differs), Principle::extension, "difference");
}

void Execution::add_instance(std::size_t index, const SymPtr& key) {
  const Term differs = difference(comparisons[index], key);
  add(logic_->terms.implies(comparisons[index].atom, logic_->terms.not_(differs)), Principle::extension, "equality");
}

void Execution::add_twins(const std::vector<SymPtr>& left, const std::vector<SymPtr>& right) {
  for (std::size_t i = 0; i < left.size(); ++i) speak(equal(left[i], right[i]));
}

Term Execution::difference(const Comparison& comparison, const SymPtr& key) {
  const SymPtr left = comparison.left->collection->apply(key);
  const SymPtr right = comparison.right->collection->apply(key);
  if (comparison.subset) return logic_->terms.and_({left->term, logic_->terms.not_(right->term)});
  return logic_->terms.not_(equal(left, right));
}

void Execution::add_unique(const UniqueValue& a, const UniqueValue& b) {
  smt::TermManager& tm = logic_->terms;
  add(tm.implies(tm.eq(a.value, b.value), tm.eq(a.host, b.host)), Principle::start,
      (*protocol_)[a.constant].name + " is unique");
}

}  // namespace tenet::provenance
