#include "theory.h"

#include <algorithm>

#include "tenet/ir/footprint.h"
#include "tenet/ir/printer.h"
#include "tenet/smt/term_ops.h"

namespace tenet::recheck {

using ir::RoleId;
using ir::StepId;
using ir::TypeId;
using ir::TypeKind;
using ir::VarId;

namespace {

bool is_collection(TypeKind kind) {
  return kind == TypeKind::set || kind == TypeKind::map || kind == TypeKind::function;
}

bool is_constant(Term term) { return term.kind() == smt::Kind::application && term.args().empty(); }

/// A name that a certificate makes.
bool is_made(Term term) { return is_constant(term) && term.function().name().starts_with("some "); }

void add_once(std::vector<Term>& list, Term term) {
  if (std::find(list.begin(), list.end(), term) == list.end()) list.push_back(term);
}

std::vector<Term> made_names(const std::vector<Term>& terms) {
  std::vector<Term> names;
  smt::for_each_subterm(terms, [&](Term part) {
    if (is_made(part)) names.push_back(part);
  });
  return names;
}

bool runs_before(const std::pair<std::size_t, Term>& a, const std::pair<std::size_t, Term>& b) {
  return a.first != b.first ? a.first < b.first : a.second.id() < b.second.id();
}

}  // namespace

Theory::Theory(Meaning& meaning, const smt::Script& script, const Question& question)
    : m_(meaning), question_(question), runs_(runs_before) {
  before_last_ = m_.apply("before last", {}, m_.tm.integer_sort());
  last_ = next(before_last_);
  for (std::size_t v = 0; v < m_.p.variables.size(); ++v) {
    const ir::VarDecl& var = m_.p.variables[v];
    lay_out(var.type, m_.p[var.role].name + "." + var.name, VarId(v), false);
  }
  for (const ir::ConstDecl& decl : m_.p.constants) {
    lay_out(decl.type, (decl.role.valid() ? m_.p[decl.role].name + "." : "") + decl.name, {}, false);
  }
  for (std::size_t t = 0; t < m_.p.types.size(); ++t) {
    const TypeId type(t);
    if (!is_collection(m_.p[type].kind)) continue;
    token_types_.emplace(m_.token_sort(type).id(), type);
    lay_out(type, "in " + ir::to_source(m_.p, type), {}, false);
    if (m_.p[type].kind == TypeKind::function && m_.p[m_.p[type].second].kind == TypeKind::natural) {
      symbols_["sum of " + ir::to_source(m_.p, type)].natural = true;
    }
  }
  for (std::size_t i = 0; i < m_.p.messages.size(); ++i) {
    const ir::MessageId message(i);
    for (const RoleId from : m_.senders(message)) {
      for (const RoleId to : m_.addressees(message)) {
        letters_["send time of " + m_.p[message].name + " from " + m_.p[from].name + " to " + m_.p[to].name] = {
            message, from, to};
      }
    }
  }
  read_notes(script);
  check_slice();
  name_events();
  check_signatures(script);
  add_goal();
  order_all();
}

std::string Theory::base(const std::string& name) { return name.substr(0, name.rfind('!')); }

/// Registers the symbols that the parts of a value have. With `token_parts`
/// collections are tokens, and there is nothing below them.
void Theory::lay_out(TypeId type, const std::string& name, VarId var, bool token_parts) {
  const ir::Type t = m_.p[type];
  const Symbol part{var, t.kind == TypeKind::natural, token_parts};
  layers_.emplace(name, Layer{type, var});
  switch (t.kind) {
    case TypeKind::option:
      symbols_[name + " is some"] = part;
      return lay_out(t.first, name + "?", var, token_parts);
    case TypeKind::structure:
      for (const ir::FieldDecl& field : std::vector(m_.p.structs[t.declaration].fields)) {
        lay_out(field.type, name + "." + field.name, var, token_parts);
      }
      return;
    case TypeKind::set:
    case TypeKind::map:
    case TypeKind::function:
      symbols_[name] = part;
      if (token_parts) return;
      symbols_["size of " + name] = {var, true, false};
      symbols_["value of " + name] = part;
      return lay_out(m_.result_type(type), name + "[]", var, token_parts);
    default:
      symbols_[name] = part;
  }
}

/// The values of events: parameters, received fields and choices of the steps that are kept.
void Theory::name_events() {
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const ir::Step step = m_.p[kept_[i]];
    const std::string name = step.name + "#" + std::to_string(i), full = m_.p[step.role].name + "." + name + " ";
    for (const ir::LocalId local : step.parameters) lay_out(m_.p[local].type, full + m_.p[local].name, {}, true);
    if (step.receive) {
      const std::vector<ir::LocalId>& fields = step.receive->fields;
      for (std::size_t f = 0; f < fields.size(); ++f) {
        lay_out(m_.p[fields[f]].type, full + "in " + std::to_string(f), {}, true);
      }
      for (const RoleId from : m_.senders(step.receive->message)) {
        lay_out(m_.p.types.host(from), full + "sender " + m_.p[from].name, {}, true);
      }
    }
    int choices = 0;
    const std::function<void(const std::vector<ir::StmtId>&)> look = [&](const std::vector<ir::StmtId>& stmts) {
      for (const ir::StmtId id : stmts) {
        const ir::Stmt stmt = m_.p[id];
        if (stmt.kind == ir::StmtKind::choose) {
          lay_out(m_.p[stmt.local].type, name + " choice " + std::to_string(choices++), {}, true);
        }
        look(stmt.then_branch);
        look(stmt.else_branch);
      }
    };
    look(step.body);
  }
}

/// Symbols of the protocol are what the protocol makes of them: what is said of them below goes by their names.
void Theory::check_signatures(const smt::Script& script) {
  const smt::Sort integer = m_.tm.integer_sort();
  for (const smt::Function& function : script.functions) {
    const std::string& full = function.name();
    if (full.starts_with("some ")) continue;
    const std::string name = base(full);
    const std::vector<smt::Sort>& domain = function.domain();
    const auto demand = [&](bool fits) {
      if (!fits) throw Refused{"the symbol '" + full + "' is declared as what it cannot be"};
    };
    const auto of_time = [&] { return !domain.empty() && domain.back() == integer; };
    if (name == "what happens") demand(domain == std::vector{integer} && function.range() == integer);
    for (std::size_t r = 0; r < m_.p.roles.size(); ++r) {
      if (name != "acting " + m_.p[RoleId(r)].name) continue;
      demand(domain == std::vector{integer} && function.range() == m_.role_sort(RoleId(r)));
    }
    if (const auto letter = letters_.find(name); letter != letters_.end()) {
      std::vector<Term> parts;
      for (const ir::FieldDecl& field : std::vector(m_.p[letter->second.message].fields)) {
        m_.flatten(m_.some(field.type, "part"), parts);
      }
      std::vector<smt::Sort> expected{m_.role_sort(letter->second.from), m_.role_sort(letter->second.to)};
      for (const Term part : parts) expected.push_back(part.sort());
      demand(domain == expected && function.range() == integer);
    }
    const auto of_host = [&](VarId var) {
      return domain.size() >= 2 && domain.front() == m_.role_sort(m_.p[var].role) && of_time();
    };
    if (name.starts_with("last change of ")) {
      const auto layer = layers_.find(name.substr(15));
      const bool variable = layer != layers_.end() && layer->second.var.valid();
      demand(function.range() == integer && of_time() && (!variable || of_host(layer->second.var)));
    }
    if (name.starts_with("size of ") || name.starts_with("sum of ")) demand(function.range() == integer);
    const auto symbol = symbols_.find(name);
    if (symbol == symbols_.end()) continue;
    if (symbol->second.of_event) demand(domain == std::vector{integer});
    if (symbol->second.var.valid()) demand(of_host(symbol->second.var));
    if (symbol->second.natural) demand(function.range() == integer);
    if (name.starts_with("value of ")) {
      const auto layer = layers_.find(name.substr(9));
      demand(layer != layers_.end() && function.range() == m_.token_sort(layer->second.type));
    }
  }
}

// --- What the certificate says of itself ---------------------------------------------

void Theory::read_notes(const smt::Script& script) {
  std::vector<const smt::Note*> witnesses, instances;
  for (const smt::Note& note : script.notes) {
    if (note.about == "steps") {
      std::vector<std::size_t> numbers;
      for (const Term part : note.parts) {
        if (part.kind() != smt::Kind::number || part.number().numerator() < 0) throw Refused{"a wrong list of steps"};
        numbers.push_back(static_cast<std::size_t>(part.number().numerator()));
      }
      if (numbers.size() < 2 || numbers[0] > 2 || steps_ != 0) throw Refused{"a wrong list of steps"};
      reach_ = static_cast<Reach>(numbers[0]);
      steps_ = numbers[1];
      for (std::size_t i = 2; i < numbers.size(); ++i) {
        if (numbers[i] >= m_.p.steps.size()) throw Refused{"a step that is not there"};
        kept_.emplace_back(numbers[i]);
      }
    } else if (note.about == "definition") {
      const bool fits = note.symbol.valid() && is_made(note.symbol) && note.variables.empty() &&
                        note.parts.size() == 1 && note.parts[0].sort().is_boolean() &&
                        note.symbol.sort().is_boolean() && note.parts[0].closed();
      if (!fits || !definitions_.emplace(note.symbol, note.parts[0]).second) throw Refused{"a wrong definition"};
    } else if (note.about == "witness") {
      witnesses.push_back(&note);
    } else if (note.about == "instance") {
      instances.push_back(&note);
    } else if (note.about == "value") {
      if (!note.symbol.valid() || !is_made(note.symbol)) continue;  // no help, and no harm
      introduce({note.symbol}, made_names(note.parts), value_axiom(note));
    } else if (note.about == "difference") {
      const Term axiom = difference_axiom(note);
      introduce({note.parts.begin() + 2, note.parts.end()}, made_names({note.parts[0], note.parts[1]}), axiom);
    } else {
      throw Refused{"a note about '" + note.about + "'"};
    }
  }
  if (steps_ == 0 && !m_.p.steps.empty()) throw Refused{"which steps there are is not said"};
  for (const auto& [atom, meaning] : definitions_) {
    for (const Term name : made_names({meaning})) {
      if (definitions_.contains(name)) throw Refused{"a definition that needs another"};
    }
  }
  for (const smt::Note* note : witnesses) {
    const auto found = note->symbol.valid() ? definitions_.find(note->symbol) : definitions_.end();
    if (found == definitions_.end()) throw Refused{"a witness of what is not defined"};
    introduce(note->parts, made_names({found->second}), witness_axiom(found->second, note->parts));
  }
  for (const smt::Note* note : instances) read_instance(*note);
  for (auto& [atom, meaning] : definitions_) meaning = m_.by_cases(meaning);
}

/// Names of the certificate stand for what there is if what they depend on is
/// fixed first: each is introduced once, and none depends on itself.
void Theory::introduce(std::vector<Term> names, std::vector<Term> from, Term axiom) {
  for (const Term name : names) {
    if (!is_made(name) || definitions_.contains(name) || !introduced_.emplace(name, introductions_.size()).second) {
      throw Refused{"the name '" + smt::to_text(name) + "' is introduced twice"};
    }
  }
  introductions_.push_back({std::move(names), std::move(from), axiom, false, false});
}

void Theory::order_all() {
  for (Introduction& one : introductions_) one.done = one.open = false;
  for (std::size_t i = 0; i < introductions_.size(); ++i) order(i);
}

void Theory::order(std::size_t introduction) {
  Introduction& here = introductions_[introduction];
  if (here.done) return;
  if (here.open) throw Refused{"names that depend on themselves"};
  here.open = true;
  for (const Term name : here.names) {
    if (own_.contains(name)) throw Refused{"a name of the claim that is introduced"};
  }
  for (const Term name : here.from) {
    const auto found = introduced_.find(name);
    if (found != introduced_.end()) order(found->second);
  }
  introductions_[introduction].done = true;
  introductions_[introduction].open = false;
}

/// If something makes the meaning what it need not be, these do; if not, numbers among them are 0.
Term Theory::witness_axiom(Term meaning, const std::vector<Term>& names) {
  smt::TermManager& tm = m_.tm;
  if (!meaning.is_quantifier() || meaning.bound().size() != names.size())
    throw NotSupported{"a witness whose parts are collections"};
  std::vector<Term> zero;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].sort() != meaning.bound()[i].sort()) throw NotSupported{"a witness whose parts are collections"};
    if (names[i].sort().kind() == smt::SortKind::integer) zero.push_back(tm.eq(names[i], tm.integer(0)));
  }
  const Term inside = m_.by_cases(smt::instantiate(tm, meaning, names));
  const bool universal = meaning.kind() == smt::Kind::forall;
  const Term found = universal ? tm.not_(inside) : inside;
  const Term by_cases = m_.by_cases(meaning);
  const Term none = universal ? by_cases : tm.not_(by_cases);
  return tm.and_({tm.implies(tm.not_(none), found), tm.implies(none, tm.and_(zero))});
}

/// Of the token of a collection: what it holds, as far as that is of its type.
Term Theory::value_axiom(const smt::Note& note) {
  const auto type = token_types_.find(note.symbol.sort().id());
  if (type == token_types_.end()) throw Refused{"a value of no collection"};
  const TypeId key_type = m_.p[type->second].first;
  // A collection has finitely many members; what a note describes may have more.
  if (!finite(key_type)) return m_.tm.boolean(true);
  std::size_t next = 0;
  const ValPtr key = m_.unflatten(key_type, note.variables, next);
  if (next != note.variables.size()) throw Refused{"a value that does not fit"};
  next = 0;
  const ValPtr value = m_.unflatten(m_.result_type(type->second), note.parts, next);
  if (next != note.parts.size()) throw Refused{"a value that does not fit"};
  const Term same = m_.equal(m_.of_token(type->second, note.symbol)->at(key), value);
  const Term axiom = m_.tm.forall(note.variables, m_.tm.implies(m_.tm.and_({m_.typed(key), m_.typed(value)}), same));
  if (!axiom.closed()) throw Refused{"a value with free variables"};
  return axiom;
}

/// Which values an assertion puts into a definition: what the definition says of them is true by logic alone.
void Theory::read_instance(const smt::Note& note) {
  smt::TermManager& tm = m_.tm;
  const auto found = note.symbol.valid() ? definitions_.find(note.symbol) : definitions_.end();
  if (found == definitions_.end() || note.parts.empty()) throw Refused{"an instance of what is not defined"};
  const Term meaning = found->second;
  const std::vector<Term> values(note.parts.begin() + 1, note.parts.end());
  if (!meaning.is_quantifier() || meaning.bound().size() != values.size()) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].sort() != meaning.bound()[i].sort() || !values[i].closed()) return;  // no help, and no harm
  }
  const Term inside = m_.by_cases(smt::instantiate(tm, meaning, values)), whole = m_.by_cases(meaning);
  instances_[smt::to_text(note.parts[0])].push_back(meaning.kind() == smt::Kind::forall ? tm.implies(whole, inside)
                                                                                        : tm.implies(inside, whole));
}

/// Of two tokens: if they are not the same, a key at which they hold different things.
Term Theory::difference_axiom(const smt::Note& note) {
  smt::TermManager& tm = m_.tm;
  if (note.parts.size() < 3 || note.parts[0].sort() != note.parts[1].sort()) throw Refused{"a difference of what?"};
  const auto type = token_types_.find(note.parts[0].sort().id());
  if (type == token_types_.end()) throw Refused{"a difference of no collections"};
  const std::vector<Term> names(note.parts.begin() + 2, note.parts.end());
  std::size_t next = 0;
  const ValPtr key = m_.unflatten(m_.p[type->second].first, names, next);
  if (next != names.size()) throw Refused{"a difference that does not fit"};
  std::vector<Term> zero;
  for (const Term name : names) {
    if (name.sort().kind() == smt::SortKind::integer) zero.push_back(tm.eq(name, tm.integer(0)));
  }
  const Term same = tm.eq(note.parts[0], note.parts[1]);
  const Term differ = tm.not_(
      m_.equal(m_.of_token(type->second, note.parts[0])->at(key), m_.of_token(type->second, note.parts[1])->at(key)));
  return tm.ite(same, tm.and_(zero), tm.and_({m_.typed(key), differ}));
}

/// A name that occurs here first, in what is said of sizes: a member of one set, or of two that are large enough.
void Theory::member_axioms(Term expanded_assertion, const Spoken& spoken, std::vector<Term>& out) {
  smt::TermManager& tm = m_.tm;
  std::vector<Term> fresh;
  for (const Term name : made_names({expanded_assertion})) {
    if (!introduced_.contains(name) && !own_.contains(name)) fresh.push_back(name);
  }
  if (fresh.size() != 1) return;
  std::vector<ValPtr> sets;
  std::vector<Term> from;
  for (const Term size : spoken.sizes) {
    const auto set = counted_set(size);
    if (!set) return;
    sets.push_back(*set);
    for (const Term name : made_names({size})) from.push_back(name);
  }
  if (sets.empty() || sets.size() > 2) return;
  const ir::Type element = m_.p[m_.p[sets[0]->type].first];
  if (element.kind == TypeKind::option || element.kind == TypeKind::structure || is_collection(element.kind)) return;
  const ValPtr name = m_.made_of(m_.p[sets[0]->type].first, "", [&](const std::string&, smt::Sort sort) {
    if (fresh[0].sort() != sort) throw Refused{"a member of another sort"};
    return fresh[0];
  });
  // One set larger than half shares a host with itself.
  const std::size_t other = sets.size() - 1;
  const std::string kind = base(fresh[0].function().name());
  std::vector<Term> inside;
  for (const ValPtr& set : sets) inside.push_back(set->at(name)->term);
  Term enough;
  if (kind == "some member" && sets.size() == 1) {
    enough = tm.lt(tm.integer(0), spoken.sizes[0]);
  } else if (element.kind == TypeKind::host && sets[0]->type == sets[other]->type) {
    enough = tm.lt(m_.role_size(RoleId(element.declaration)), tm.add({spoken.sizes[0], spoken.sizes[other]}));
  } else {
    return;
  }
  inside.push_back(m_.typed(name));
  introduce(fresh, from, tm.implies(enough, tm.and_(inside)));
  try {
    order_all();  // what was introduced before may depend on it
  } catch (const Refused&) {
    introduced_.erase(fresh[0]);
    introductions_.pop_back();
    throw;
  }
  out.push_back(introductions_.back().axiom);
}

/// What a question leaves out must not change what it asks.
void Theory::check_slice() {
  const std::size_t all = m_.p.steps.size();
  const std::set<StepId> kept(kept_.begin(), kept_.end());
  if (kept.size() != kept_.size() || kept_.size() > steps_) throw Refused{"a wrong list of steps"};
  if (question_.ask == Ask::by_step) {
    if (kept_ != std::vector<StepId>{question_.step}) throw Refused{"the step in question is another one"};
    return;
  }
  if (kept.size() < all && steps_ == kept.size()) throw Refused{"steps are left out without anything in their place"};
  if (reach_ != Reach::step) return;
  if (!question_.about) throw Refused{"a question about the last event that is about no claim"};
  const ir::Footprint asked = ir::read_by(m_.p, question_.about->formula);
  for (std::size_t s = 0; s < all; ++s) {
    if (!kept.contains(StepId(s)) && ir::changed_by(m_.p, StepId(s)).meets(asked)) {
      throw Refused{"step " + m_.p.steps[s].name + ", which can change the claim, is left out"};
    }
  }
}

/// That the claim fails, and what the induction says of the time before.
void Theory::add_goal() {
  smt::TermManager& tm = m_.tm;
  Env env;
  const auto bind = [&](const std::vector<ir::LocalId>& binders, bool first_is_host) {
    for (std::size_t i = 0; i < binders.size(); ++i) {
      const ir::LocalDecl decl = m_.p[binders[i]];
      ValPtr value;
      if (first_is_host && i == 0) {
        value = m_.host(RoleId(m_.p[decl.type].declaration), m_.apply("one host", {}, m_.sort(decl.type)));
      } else {
        value = m_.some(decl.type, first_is_host ? "key" : decl.name);
      }
      env.locals[binders[i]] = value;
      setting_.push_back(m_.typed(value));
      std::vector<Term> parts;
      m_.flatten(value, parts);
      for (const Term part : made_names(parts)) own_.insert(part);
    }
  };
  const auto truth_at = [&](ir::ExprId formula, Term time, Term old_time) {
    Env at = env;
    at.time = time;
    at.old_time = old_time;
    return m_.truth(formula, at);
  };
  const Term zero = tm.integer(0);
  const auto opened = [&](const Statement& statement, bool host_first) {
    const ir::Expr node = m_.p[statement.formula];
    if (node.op != ir::Op::forall || (node.args.size() > 1 && node.args[1].valid())) {
      throw Refused{"a statement that does not begin with 'forall'"};
    }
    bind(node.binders, host_first);
    return node.args[0];
  };
  switch (question_.ask) {
    case Ask::at_start:
      goal_.push_back(tm.not_(truth_at(opened(*question_.about, true), zero, {})));
      return;
    case Ask::by_step: {
      const ir::ExprId body = opened(*question_.about, true);
      const Term self = env.locals.at(m_.p[question_.about->formula].binders[0])->term;
      setting_.push_back(tm.le(zero, before_last_));
      setting_.push_back(is_step(before_last_, 0));
      setting_.push_back(tm.eq(acting(m_.p[question_.step].role, before_last_), self));
      if (!question_.about->two_state) setting_.push_back(truth_at(body, before_last_, {}));
      goal_.push_back(tm.not_(truth_at(body, last_, before_last_)));
      return;
    }
    case Ask::over_steps: {
      const ir::ExprId body = opened(*question_.about, true);
      std::vector<Term> t;
      for (const char* name : {"time 1", "time 2", "time 3"}) t.push_back(m_.apply(name, {}, tm.integer_sort()));
      setting_.push_back(tm.and_({tm.le(zero, t[0]), tm.lt(t[0], t[1]), tm.lt(t[1], t[2]), tm.lt(t[2], last_)}));
      goal_.push_back(tm.or_(
          {tm.and_({truth_at(body, t[1], t[0]), truth_at(body, t[2], t[1]), tm.not_(truth_at(body, t[2], t[0]))}),
           tm.not_(truth_at(body, t[0], t[0]))}));
      return;
    }
    case Ask::at_end:
      env.time = last_;
      goal_.push_back(tm.not_(m_.holds(question_.about->formula, env)));
      return;
    case Ask::by_event:
      env.time = last_;
      env.old_time = before_last_;
      setting_.push_back(tm.le(zero, before_last_));
      goal_.push_back(tm.not_(m_.holds(question_.about->formula, env)));
      return;
    case Ask::smallest: {
      const ir::ExprId body = opened(*question_.about, false);
      const std::vector<ir::LocalId> own = m_.p[question_.about->formula].binders;
      if (own.size() != question_.binders.size()) throw Refused{"a measure of other values"};
      for (std::size_t i = 0; i < own.size(); ++i) env.locals[question_.binders[i]] = env.locals.at(own[i]);
      env.time = last_;
      goal_.push_back(tm.not_(m_.holds(body, env)));
      const ValPtr least = m_.eval(question_.expr, env);
      std::vector<TypeId> types;
      for (const ir::LocalId binder : own) types.push_back(m_.p[binder].type);
      goal_.push_back(m_.quantify(true, types, [&](const std::vector<ValPtr>& values) {
        Env inner = env;
        for (std::size_t i = 0; i < values.size(); ++i) {
          inner.locals[own[i]] = inner.locals[question_.binders[i]] = values[i];
        }
        return tm.implies(m_.less(m_.eval(question_.expr, inner), least), m_.holds(body, inner));
      }));
      return;
    }
    case Ask::defined_start:
      env.time = zero;
      if (question_.role.valid()) env.self = m_.some(m_.p.types.host(question_.role), "host");
      if (env.self) own_.insert(env.self->term);
      goal_.push_back(tm.not_(m_.defined(question_.expr, env)));
      return;
    case Ask::begins:
      return;
    case Ask::defined_step: {
      const auto at = std::find(kept_.begin(), kept_.end(), question_.step);
      if (at == kept_.end()) throw Refused{"the step in question is left out"};
      const Run made = run(question_.step, std::to_string(at - kept_.begin()),
                           acting(m_.p[question_.step].role, before_last_), before_last_);
      goal_.push_back(real(before_last_));
      goal_.push_back(tm.not_(tm.and_(made.demands)));
      return;
    }
  }
}

std::vector<Term> Theory::goal() const {
  std::vector<Term> all = setting_;
  all.insert(all.end(), goal_.begin(), goal_.end());
  return all;
}

Term Theory::expanded(Term assertion) const {
  return definitions_.empty() ? assertion : smt::substitute(m_.tm, assertion, definitions_);
}

// --- What an assertion speaks of -------------------------------------------------------

Theory::Spoken Theory::spoken_of(const std::vector<Term>& terms) const {
  Spoken spoken;
  std::set<std::uint32_t> functions;
  smt::for_each_subterm(terms, [&](Term part) {
    if (token_types_.contains(part.sort().id()) && part.closed() && part.kind() == smt::Kind::application) {
      add_once(spoken.tokens, part);
    }
    if (part.sort().kind() == smt::SortKind::uninterpreted && part.closed()) {
      add_once(spoken.elements, part);
    }
    if (part.kind() != smt::Kind::application) return;
    const std::string& full = part.function().name();
    const std::string name = full.starts_with("some ") ? full : base(full);
    const bool closed = part.closed();
    if (is_made(part)) spoken.introduced.insert(part);
    const bool event = name == "what happens" || name.starts_with("acting ");
    if (event && closed) add_once(spoken.events, part.arg(0));
    if (letters_.contains(name) && closed) {
      add_once(spoken.letters, part);
      add_once(spoken.events, part);
    }
    if (name.starts_with("last change of ") && closed) {
      add_once(spoken.changes, part);
      add_once(spoken.events, part);
      add_once(spoken.states, part.args().back());
    }
    const auto symbol = symbols_.find(name.starts_with("last change of ") ? name.substr(15) : name);
    if (symbol != symbols_.end()) {
      if (symbol->second.var.valid()) {
        spoken.variables.insert(symbol->second.var);
        if (closed && !part.args().empty() && part.args().back().sort().kind() == smt::SortKind::integer) {
          add_once(spoken.states, part.args().back());
        }
      }
      if (symbol->second.natural && functions.insert(part.function().id()).second) {
        spoken.natural_functions.push_back(part.function());
      }
    }
    if (layers_.contains(name.starts_with("last change of ") ? name.substr(15) : "")) {
      const VarId var = layers_.at(name.substr(15)).var;
      if (var.valid()) spoken.variables.insert(var);
    }
    if (name.starts_with("size of ") && closed) add_once(spoken.sizes, part);
    if (symbol != symbols_.end() && symbol->second.of_event && closed) add_once(spoken.events, part.arg(0));
    if (name.find(".another step#") != std::string::npos && part.sort().kind() == smt::SortKind::integer &&
        functions.insert(part.function().id()).second) {
      // Nothing is said of it, so it may as well be natural.
      spoken.natural_functions.push_back(part.function());
    }
  });
  return spoken;
}

/// Where a state is spoken of, so is the event that led to it.
void Theory::add_events_before(Spoken& spoken) const {
  const Term one = m_.tm.integer(1);
  for (const Term state : spoken.states) {
    if (state.kind() != smt::Kind::add || state.args().size() != 2) continue;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      if (state.arg(i) == one) add_once(spoken.events, state.arg(1 - i));
    }
  }
}

std::vector<Term> Theory::beginning() {
  missing_.clear();
  std::vector<Term> out;
  Spoken spoken;
  for (std::size_t v = 0; v < m_.p.variables.size(); ++v) spoken.variables.insert(VarId(v));
  start(spoken, out);
  constants(out);
  out.insert(out.end(), m_.introduced.begin(), m_.introduced.end());
  spoken = spoken_of(out);
  attempt([&] { counting(spoken, out); });
  attempt([&] { tokens(spoken, out); });
  attempt([&] { types(spoken, out); });
  return out;
}

std::vector<Term> Theory::relevant(const std::string& label, const std::string& kind, const std::string& about,
                                   Term assertion, bool everything) {
  missing_.clear();
  std::vector<Term> out;
  Spoken spoken = spoken_of({assertion});
  add_events_before(spoken);
  const auto is = [&](const char* one) { return everything || kind == one; };
  // What has been introduced in terms of others may speak of more.
  for (const Term name : std::vector<Term>(spoken.introduced.begin(), spoken.introduced.end())) {
    const auto found = introduced_.find(name);
    if (found != introduced_.end()) out.push_back(introductions_[found->second].axiom);
  }
  if (is("counting")) attempt([&] { member_axioms(assertion, spoken, out); });
  out.push_back(m_.tm.le(m_.tm.integer(0), last_));
  out.insert(out.end(), setting_.begin(), setting_.end());
  // "kind number: about"
  const std::string numbered = label.substr(0, label.find(':'));
  const auto instance = instances_.find(numbered.substr(numbered.rfind(' ') + 1));
  if (instance != instances_.end()) out.insert(out.end(), instance->second.begin(), instance->second.end());
  // Nothing else may lean on what is to be contradicted: it would follow whatever it says.
  if (kind == "goal" || kind == "hypothesis" || kind.empty()) out.insert(out.end(), goal_.begin(), goal_.end());
  if (is("start")) {
    attempt([&] { start(spoken, out); });
  }
  if (is("step") || is("first send")) {
    for (const Term time : spoken.events) attempt([&] { step_facts(time, spoken, out); });
  }
  if (is("first send")) {
    for (const Term letter : spoken.letters) attempt([&] { first_send(letter, out); });
  }
  if (is("last change")) {
    for (const Term change : spoken.changes) attempt([&] { last_change(change, out); });
  }
  if (is("hypothesis") || is("derived fact")) attempt([&] { uses(about, everything, spoken, out); });
  constants(out);
  std::vector<Term> all = out;
  all.push_back(assertion);
  all.insert(all.end(), m_.introduced.begin(), m_.introduced.end());
  spoken = spoken_of(all);
  out.insert(out.end(), m_.introduced.begin(), m_.introduced.end());
  attempt([&] { counting(spoken, out); });
  attempt([&] { tokens(spoken, out); });
  attempt([&] { types(spoken, out); });
  std::erase_if(out, [](Term term) { return term.is_true(); });
  return out;
}

// --- Types, constants ------------------------------------------------------------------

void Theory::types(const Spoken& spoken, std::vector<Term>& out) {
  smt::TermManager& tm = m_.tm;
  for (const smt::Function& function : spoken.natural_functions) {
    std::vector<Term> args;
    for (const smt::Sort sort : function.domain()) args.push_back(tm.fresh_variable("n", sort));
    const Term value = tm.apply(function, args);
    if (value.sort().kind() != smt::SortKind::integer) continue;
    const Term natural = tm.le(tm.integer(0), value);
    out.push_back(args.empty() ? natural : tm.forall(args, natural, {{value}}));
  }
  for (std::size_t r = 0; r < m_.p.roles.size(); ++r) {
    const RoleId role(r);
    if (!m_.p[role].single) {
      out.push_back(tm.lt(tm.integer(0), m_.role_size(role)));
      continue;
    }
    const smt::Sort sort = m_.role_sort(role);
    const Term only = m_.apply("the only " + m_.p[role].name, {}, sort);
    const Term any = tm.fresh_variable("h", sort);
    out.push_back(tm.forall({any}, tm.eq(any, only)));
    for (const Term host : spoken.elements) {
      if (host.sort() == sort) out.push_back(tm.eq(host, only));
    }
  }
}

void Theory::constants(std::vector<Term>& out) {
  smt::TermManager& tm = m_.tm;
  for (const ir::ConstDecl& decl : std::vector(m_.p.constants)) {
    const bool ring = decl.kind == ir::ConstKind::ring_next || decl.kind == ir::ConstKind::ring_between;
    if (ring) {
      // Hosts stand at the positions 0 … n-1 of a circle, each at its own.
      const RoleId role(m_.p[decl.parameters.front()].declaration);
      const TypeId host = m_.p.types.host(role);
      const auto at = [&](Term h) { return m_.position(role, h); };
      const Term size = m_.role_size(role);
      out.push_back(m_.quantify(
          true, {host}, [&](const std::vector<ValPtr>& h) { return m_.between(tm.integer(0), at(h[0]->term), size); }));
      out.push_back(m_.quantify(true, {host, host}, [&](const std::vector<ValPtr>& h) {
        return tm.implies(tm.eq(at(h[0]->term), at(h[1]->term)), tm.eq(h[0]->term, h[1]->term));
      }));
      out.push_back(m_.quantify(true, {host}, [&](const std::vector<ValPtr>& h) {
        const Term after = next(at(h[0]->term));
        return tm.eq(at(m_.apply("next " + m_.p[role].name, {h[0]->term}, m_.role_sort(role))),
                     tm.ite(tm.eq(after, size), tm.integer(0), after));
      }));
    }
    if (decl.unique && decl.role.valid() && decl.kind == ir::ConstKind::free) {
      const TypeId host = m_.p.types.host(decl.role);
      const std::string name = m_.p[decl.role].name + "." + decl.name;
      out.push_back(m_.quantify(true, {host, host}, [&](const std::vector<ValPtr>& h) {
        return tm.implies(
            m_.equal(m_.named(decl.type, name, {h[0]->term}, {}), m_.named(decl.type, name, {h[1]->term}, {})),
            tm.eq(h[0]->term, h[1]->term));
      }));
    }
  }
}

/// What tokens hold, and that tokens that hold the same are the same.
void Theory::tokens(const Spoken& spoken, std::vector<Term>& out) {
  smt::TermManager& tm = m_.tm;
  const auto holds_same = [&](TypeId type, const ValPtr& a, const ValPtr& b) {
    return m_.quantify(true, {m_.p[type].first},
                       [&](const std::vector<ValPtr>& key) { return m_.equal(a->at(key[0]), b->at(key[0])); });
  };
  for (std::size_t i = 0; i < spoken.tokens.size(); ++i) {
    const Term token = spoken.tokens[i];
    const TypeId type = token_types_.at(token.sort().id());
    const ValPtr held = m_.of_token(type, token);
    const std::string name = base(token.function().name());
    if (name == "the empty value") {
      out.push_back(m_.quantify(true, {m_.p[type].first}, [&](const std::vector<ValPtr>& key) {
        const ValPtr at = held->at(key[0]);
        return m_.p[type].kind == TypeKind::function ? tm.boolean(true) : tm.not_(at->term);
      }));
    }
    if (name.starts_with("value of ") && layers_.contains(name.substr(9))) {
      const Layer layer = layers_.at(name.substr(9));
      std::vector<Term> before(token.args().begin(), token.args().end()), after;
      if (layer.var.valid()) {
        after.push_back(before.back());
        before.pop_back();
      }
      if (layer.type == type) out.push_back(holds_same(type, held, m_.named(type, name.substr(9), before, after)));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (spoken.tokens[j].sort() != token.sort()) continue;
      out.push_back(
          tm.implies(holds_same(type, held, m_.of_token(type, spoken.tokens[j])), tm.eq(token, spoken.tokens[j])));
    }
  }
}

// --- Counting ----------------------------------------------------------------------------

bool Theory::finite(TypeId type) const {
  const ir::Type t = m_.p[type];
  switch (t.kind) {
    case TypeKind::boolean:
    case TypeKind::enumeration:
    case TypeKind::sort:
    case TypeKind::host:
      return true;
    case TypeKind::option:
      return finite(t.first);
    case TypeKind::structure: {
      const auto& fields = m_.p.structs[t.declaration].fields;
      return std::all_of(fields.begin(), fields.end(), [&](const auto& field) { return finite(field.type); });
    }
    default:
      return false;
  }
}

std::optional<ValPtr> Theory::counted_set(Term size) {
  for (const Counted& known : m_.counted) {
    if (known.size == size) return known.set;
  }
  const std::string name = base(size.function().name());
  if (!name.starts_with("size of ")) return std::nullopt;
  const auto layer = layers_.find(name.substr(8));
  if (layer == layers_.end() || m_.p[layer->second.type].kind != TypeKind::set) return std::nullopt;
  std::vector<Term> before(size.args().begin(), size.args().end()), after;
  if (layer->second.var.valid()) {
    after.push_back(before.back());
    before.pop_back();
  }
  // Of infinite sets nothing is said.
  if (!finite(m_.p[layer->second.type].first) && !made_names({size}).empty()) return std::nullopt;
  return m_.named(layer->second.type, layer->first, before, after);
}

void Theory::counting(const Spoken& spoken, std::vector<Term>& out) {
  smt::TermManager& tm = m_.tm;
  struct One {
    Term size;
    ValPtr set;
    TypeId element;
  };
  std::vector<One> all;
  const auto add = [&](Term size, const ValPtr& set) {
    if (std::any_of(all.begin(), all.end(), [&](const One& one) { return one.size == size; })) return;
    all.push_back({size, set, m_.p[set->type].first});
  };
  for (const Term size : spoken.sizes) {
    if (const auto set = counted_set(size)) add(size, *set);
  }
  for (const Counted& known : m_.counted) {
    if (finite(m_.p[known.set->type].first)) add(known.size, known.set);
  }
  const auto for_all = [&](TypeId type, const std::function<Term(const ValPtr&)>& body) {
    return m_.quantify(true, {type}, [&](const std::vector<ValPtr>& x) { return body(x[0]); });
  };
  for (const One& one : all) {
    const auto in = [&](const ValPtr& x) { return one.set->at(x)->term; };
    const ir::Type element = m_.p[one.element];
    out.push_back(tm.le(tm.integer(0), one.size));
    out.push_back(
        for_all(one.element, [&](const ValPtr& x) { return tm.implies(in(x), tm.lt(tm.integer(0), one.size)); }));
    out.push_back(tm.implies(for_all(one.element, [&](const ValPtr& x) { return tm.not_(in(x)); }),
                             tm.eq(one.size, tm.integer(0))));
    if (element.kind == TypeKind::host) {
      const Term role = m_.role_size(RoleId(element.declaration));
      out.push_back(tm.le(one.size, role));
      out.push_back(for_all(one.element, [&](const ValPtr& x) { return tm.implies(tm.le(role, one.size), in(x)); }));
      out.push_back(tm.implies(for_all(one.element, in), tm.eq(one.size, role)));
    }
    if (element.kind == TypeKind::option || element.kind == TypeKind::structure || is_collection(element.kind))
      continue;
    const smt::Sort sort = m_.sort(one.element);
    for (const Term each : spoken.elements) {
      if (each.sort() != sort) continue;
      const ValPtr e = m_.made_of(one.element, "", [&](const std::string&, smt::Sort) { return each; });
      out.push_back(tm.implies(for_all(one.element, [&](const ValPtr& x) { return tm.iff(in(x), m_.equal(x, e)); }),
                               tm.eq(one.size, tm.integer(1))));
      // One element more.
      for (const One& other : all) {
        if (other.element != one.element || other.size == one.size) continue;
        const auto in_other = [&](const ValPtr& x) { return other.set->at(x)->term; };
        const Term more =
            for_all(one.element, [&](const ValPtr& x) { return tm.iff(in_other(x), tm.or_({in(x), m_.equal(x, e)})); });
        out.push_back(tm.implies(more, tm.eq(other.size, tm.ite(in(e), one.size, next(one.size)))));
      }
    }
  }
  for (const One& a : all) {
    for (const One& b : all) {
      if (a.size == b.size || a.element != b.element) continue;
      out.push_back(tm.implies(
          for_all(a.element, [&](const ValPtr& x) { return tm.implies(a.set->at(x)->term, b.set->at(x)->term); }),
          tm.le(a.size, b.size)));
    }
  }
}

// --- Events --------------------------------------------------------------------------------

/// If a step is asked to be defined, nothing is known of what it does: the event at the end is only supposed.
Term Theory::happens(Term time) {
  if (question_.ask != Ask::defined_step) return real(time);
  return m_.tm.and_({real(time), m_.tm.ne(time, before_last_)});
}

/// Whether the last event may be taken for one that was kept, or for one that changes nothing at all. Of a claim about
/// one state that fails for the first time: an event that was left out leaves it as it was (`check_slice`), and before
/// it held, so that the last event is none of those.
bool Theory::last_is_kept() const {
  return reach_ == Reach::step && (question_.ask == Ask::at_end || question_.ask == Ask::by_step);
}

bool Theory::all_kept(VarId var) const {
  for (std::size_t s = 0; s < m_.p.steps.size(); ++s) {
    if (std::find(kept_.begin(), kept_.end(), StepId(s)) == kept_.end() &&
        ir::changed_by(m_.p, StepId(s)).variables.contains(var)) {
      return false;
    }
  }
  return true;
}

bool Theory::all_senders_kept(const LetterKind& kind) const {
  for (std::size_t s = 0; s < m_.p.steps.size(); ++s) {
    if (std::find(kept_.begin(), kept_.end(), StepId(s)) == kept_.end() && m_.p.steps[s].role == kind.from &&
        ir::sent_by(m_.p, StepId(s)).contains(kind.message)) {
      return false;
    }
  }
  return true;
}

const Theory::Run& Theory::run(std::size_t number, Term time) {
  const auto key = std::make_pair(number, time);
  const auto known = runs_.find(key);
  if (known != runs_.end()) return known->second;
  const RoleId role = m_.p[kept_[number]].role;
  return runs_.emplace(key, run(kept_[number], std::to_string(number), acting(role, time), time)).first->second;
}

Theory::Run Theory::run(StepId id, const std::string& number, Term self, Term time) {
  smt::TermManager& tm = m_.tm;
  const ir::Step step = m_.p[id];
  const std::string name = m_.p[step.role].name + "." + step.name + "#" + number + " ";
  Run made;
  Env env;
  env.time = time;
  env.self = m_.host(step.role, self);
  for (const ir::LocalId local : step.parameters) {
    env.locals[local] = m_.of_event(m_.p[local].type, name + m_.p[local].name, time);
    made.guard.push_back(m_.typed(env.locals[local]));
  }
  if (step.receive) {
    const ir::ReceivePattern& pattern = *step.receive;
    if (m_.p[pattern.message].delivery != ir::Delivery::any) throw Refused{"messages that are not delivered at will"};
    std::vector<ValPtr> args;
    for (const ir::LocalId local : pattern.fields) {
      args.push_back(m_.of_event(m_.p[local].type, name + "in " + std::to_string(args.size()), time));
      env.locals[local] = args.back();
      made.guard.push_back(m_.typed(args.back()));
    }
    std::vector<Term> cases;
    for (const RoleId from : m_.senders(pattern.message)) {
      if (pattern.from.valid() && pattern.from != from) continue;
      const ValPtr sender = m_.of_event(m_.p.types.host(from), name + "sender " + m_.p[from].name, time);
      if (pattern.sender.valid()) {
        if (env.locals.contains(pattern.sender)) throw Refused{"a sender of several roles"};
        env.locals[pattern.sender] = sender;
      }
      const auto& to = m_.addressees(pattern.message);
      if (std::find(to.begin(), to.end(), step.role) == to.end()) continue;
      cases.push_back(
          m_.between(tm.integer(0), m_.send_time(pattern.message, from, step.role, sender->term, self, args), time));
    }
    made.guard.push_back(tm.or_(cases));
    if (pattern.sender.valid() && !env.locals.contains(pattern.sender)) throw Refused{"a message that nobody sends"};
  }
  const Term received = tm.and_(made.guard);
  const Term guard = m_.truth(step.guard, env);
  if (question_.ask == Ask::defined_step) {
    made.demands.push_back(tm.implies(received, m_.defined(step.guard, env)));
    made.path = {received, guard};
  }
  made.guard.push_back(guard);
  const std::size_t path = made.path.size();
  block(step.body, env, step.name + "#" + number, made, path);
  made.written = env.written;
  return made;
}

/// `fixed`: so many conditions of the path are the guard's, not a branch's.
void Theory::block(const std::vector<ir::StmtId>& stmts, Env& env, const std::string& name, Run& out,
                   std::size_t fixed) {
  smt::TermManager& tm = m_.tm;
  const bool demanding = question_.ask == Ask::defined_step;
  const std::size_t depth = out.path.size();
  const auto demand = [&](Term condition) {
    if (demanding) out.demands.push_back(tm.implies(tm.and_(out.path), condition));
  };
  const auto branch = [&] {
    return tm.and_(std::vector<Term>(out.path.begin() + static_cast<std::ptrdiff_t>(fixed), out.path.end()));
  };
  for (const ir::StmtId id : stmts) {
    const ir::Stmt stmt = m_.p[id];
    switch (stmt.kind) {
      case ir::StmtKind::assign:
      case ir::StmtKind::let: {
        if (demanding) demand(m_.defined(stmt.value, env));
        const ValPtr value = m_.eval(stmt.value, env);
        if (stmt.kind == ir::StmtKind::let) {
          env.locals[stmt.local] = value;
        } else {
          env.written[stmt.var] = value;
        }
        break;
      }
      case ir::StmtKind::choose: {
        const ValPtr value =
            m_.of_event(m_.p[stmt.local].type, name + " choice " + std::to_string(out.choices++), env.time);
        env.locals[stmt.local] = value;
        out.guard.push_back(tm.implies(branch(), m_.typed(value)));
        if (!stmt.value.valid()) break;
        if (demanding) demand(m_.defined(stmt.value, env));
        const Term chosen = m_.truth(stmt.value, env);
        out.guard.push_back(tm.implies(branch(), chosen));
        out.path.push_back(chosen);
        break;
      }
      case ir::StmtKind::send: {
        if (demanding) {
          demand(m_.defined(stmt.target, env));
          for (const ir::ExprId arg : stmt.args) {
            if (!stmt.local.valid()) {
              demand(m_.defined(arg, env));
              continue;
            }
            const ValPtr target = m_.eval(stmt.target, env);
            demand(m_.quantify(true, {m_.p[stmt.local].type}, [&](const std::vector<ValPtr>& host) {
              Env inner = env;
              inner.locals[stmt.local] = host[0];
              return tm.implies(target->at(host[0])->term, m_.defined(arg, inner));
            }));
          }
        }
        const ir::Type target = m_.p[m_.p[stmt.target].type];
        const RoleId to(target.kind == TypeKind::set ? m_.p[target.first].declaration : target.declaration);
        out.sendings.push_back({stmt.message, to, branch(), m_.eval(stmt.target, env), id, env});
        break;
      }
      case ir::StmtKind::if_: {
        if (demanding) demand(m_.defined(stmt.value, env));
        const Term condition = m_.truth(stmt.value, env);
        Env yes = env, no = env;
        out.path.push_back(condition);
        block(stmt.then_branch, yes, name, out, fixed);
        out.path.back() = tm.not_(condition);
        block(stmt.else_branch, no, name, out, fixed);
        out.path.pop_back();
        std::set<VarId> changed;
        for (const auto& [var, value] : yes.written) changed.insert(var);
        for (const auto& [var, value] : no.written) changed.insert(var);
        const auto value = [&](const Env& side, VarId var) {
          const auto found = side.written.find(var);
          return found != side.written.end() ? found->second : m_.variable(var, env.self->term, env.time);
        };
        for (const VarId var : changed) env.written[var] = m_.pick(condition, value(yes, var), value(no, var));
        break;
      }
    }
  }
  out.path.resize(depth);
}

/// What is the case if an event happens at this time.
void Theory::step_facts(Term time, const Spoken& spoken, std::vector<Term>& out) {
  smt::TermManager& tm = m_.tm;
  const Term number = kind_of(time);
  const Term end = tm.integer(static_cast<std::int64_t>(steps_));
  if (m_.p.steps.empty()) {
    out.push_back(tm.not_(real(time)));
    return;
  }
  // Of a question about one step other events have no numbers.
  if (question_.ask == Ask::by_step && time != before_last_) return;
  out.push_back(m_.between(tm.integer(0), number, end));
  if (reach_ == Reach::now) return;
  if (reach_ == Reach::step && time == before_last_ && question_.ask != Ask::by_step) {
    // One of those that were kept, or one that changes nothing.
    std::vector<Term> which;
    for (std::size_t i = 0; i < kept_.size(); ++i) which.push_back(is_step(time, i));
    which.push_back(is_step(time, steps_ - 1));
    out.push_back(tm.or_(which));
  }
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    attempt([&] {
      const Run& made = run(i, time);
      const Term self = acting(m_.p[kept_[i]].role, time);
      std::vector<Term> all = made.guard;
      for (const auto& [var, value] : made.written) {
        if (!spoken.variables.contains(var)) continue;
        attempt([&, &written = value, &of = var] {
          all.push_back(m_.identical(m_.variable(of, self, next(time)), written));
        });
      }
      attempt([&] { sends(time, made, i, spoken, all); });
      out.push_back(tm.implies(tm.and_({happens(time), is_step(time, i)}), tm.and_(all)));
    });
  }
  for (const VarId var : spoken.variables) frame(time, var, out);
}

/// What no step that is kept writes stays.
void Theory::frame(Term time, VarId var, std::vector<Term>& out) {
  smt::TermManager& tm = m_.tm;
  // Of an event that was left out nothing is known if it may write the variable.
  const bool any_event = all_kept(var) || (time == before_last_ && last_is_kept());
  std::vector<Term> kept;
  if (!any_event) {
    for (std::size_t i = 0; i < kept_.size(); ++i) kept.push_back(is_step(time, i));
  }
  std::vector<Term> writers;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (ir::changed_by(m_.p, kept_[i]).variables.contains(var)) writers.push_back(is_step(time, i));
  }
  const RoleId role = m_.p[var].role;
  out.push_back(m_.quantify(true, {m_.p.types.host(role)}, [&](const std::vector<ValPtr>& host) {
    const Term untouched = tm.or_({tm.not_(tm.or_(writers)), tm.ne(acting(role, time), host[0]->term)});
    const Term known = any_event ? tm.boolean(true) : tm.or_(kept);
    return tm.implies(tm.and_({happens(time), known, untouched}),
                      m_.identical(m_.variable(var, host[0]->term, next(time)), m_.variable(var, host[0]->term, time)));
  }));
}

/// What is sent has been sent after it.
void Theory::sends(Term time, const Run& made, std::size_t number, const Spoken& spoken, std::vector<Term>& out) {
  smt::TermManager& tm = m_.tm;
  const RoleId from = m_.p[kept_[number]].role;
  for (const Sending& sending : made.sendings) {
    const bool asked = std::any_of(spoken.letters.begin(), spoken.letters.end(), [&](Term letter) {
      const LetterKind& kind = letters_.at(base(letter.function().name()));
      return kind.message == sending.message && kind.to == sending.to && kind.from == from;
    });
    if (!asked) continue;
    const ir::Stmt stmt = m_.p[sending.stmt];
    out.push_back(m_.quantify(true, {m_.p.types.host(sending.to)}, [&](const std::vector<ValPtr>& to) {
      Env env = sending.env;
      if (stmt.local.valid()) env.locals[stmt.local] = to[0];
      std::vector<ValPtr> args;
      for (const ir::ExprId arg : stmt.args) args.push_back(m_.eval(arg, env));
      const Term meant = sending.target->kind == Val::Kind::collection ? sending.target->at(to[0])->term
                                                                       : m_.equal(sending.target, to[0]);
      const Term sent = m_.send_time(sending.message, from, sending.to, env.self->term, to[0]->term, args);
      return tm.implies(tm.and_({sending.path, meant}), m_.between(tm.integer(0), sent, next(time)));
    }));
  }
}

/// Whether a step sends this message.
Term Theory::site(const Run& made, const LetterKind& kind, Term addressee, const std::vector<ValPtr>& args) {
  smt::TermManager& tm = m_.tm;
  std::vector<Term> sites;
  for (const Sending& sending : made.sendings) {
    if (sending.message != kind.message || sending.to != kind.to) continue;
    const ir::Stmt stmt = m_.p[sending.stmt];
    const ValPtr to = m_.host(kind.to, addressee);
    Env env = sending.env;
    if (stmt.local.valid()) env.locals[stmt.local] = to;
    std::vector<Term> all{sending.path, sending.target->kind == Val::Kind::collection ? sending.target->at(to)->term
                                                                                      : m_.equal(sending.target, to)};
    for (std::size_t i = 0; i < stmt.args.size(); ++i) all.push_back(m_.equal(m_.eval(stmt.args[i], env), args[i]));
    sites.push_back(tm.and_(all));
  }
  return tm.or_(sites);
}

/// What can be received was first sent by an event before, at a place where it is sent.
void Theory::first_send(Term letter, std::vector<Term>& out) {
  smt::TermManager& tm = m_.tm;
  const LetterKind kind = letters_.at(base(letter.function().name()));
  const bool last_only = reach_ == Reach::step;
  const bool all = all_senders_kept(kind) || (last_only && last_is_kept());
  if (reach_ == Reach::now || (!last_only && !all)) return;
  std::vector<Term> rest(letter.args().begin() + 2, letter.args().end());
  std::size_t used = 0;
  std::vector<ValPtr> args;
  for (const ir::FieldDecl& field : std::vector(m_.p[kind.message].fields)) {
    args.push_back(m_.unflatten(field.type, rest, used));
  }
  std::vector<Term> ways;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (m_.p[kept_[i]].role != kind.from || !ir::sent_by(m_.p, kept_[i]).contains(kind.message)) continue;
    ways.push_back(tm.and_({is_step(letter, i), tm.eq(acting(kind.from, letter), letter.arg(0)),
                            site(run(i, letter), kind, letter.arg(1), args)}));
  }
  std::vector<Term> when{happens(letter)};
  if (last_only) when.push_back(tm.eq(letter, before_last_));
  if (!all) {  // of an event that was left out it is not known what it sends
    std::vector<Term> kept;
    for (std::size_t i = 0; i < kept_.size(); ++i) kept.push_back(is_step(letter, i));
    when.push_back(tm.or_(kept));
  }
  out.push_back(tm.implies(tm.and_(when), tm.or_(ways)));
}

void Theory::start(const Spoken& spoken, std::vector<Term>& out) {
  const Term zero = m_.tm.integer(0);
  for (const VarId var : spoken.variables) {
    const ir::VarDecl decl = m_.p[var];
    if (!decl.init.valid()) continue;
    attempt([&] {
      out.push_back(m_.quantify(true, {m_.p.types.host(decl.role)}, [&](const std::vector<ValPtr>& host) {
        Env env;
        env.time = zero;
        env.self = host[0];
        return m_.identical(m_.variable(var, host[0]->term, zero), m_.eval(decl.init, env));
      }));
    });
  }
  Env env;
  env.time = zero;
  for (const auto* formulas : {&question_.axioms, &question_.inits}) {
    for (const ir::Formula& formula : *formulas) attempt([&] { out.push_back(m_.truth(formula.formula, env)); });
  }
}

/// A value is what it was at the start and has been since, or what its last change made it, and has been since.
void Theory::last_change(Term change, std::vector<Term>& out) {
  smt::TermManager& tm = m_.tm;
  const std::string name = base(change.function().name()).substr(std::string("last change of ").size());
  const auto layer = layers_.find(name);
  if (layer == layers_.end() || !layer->second.var.valid() || reach_ != Reach::history) return;
  const VarId var = layer->second.var;
  if (!all_kept(var) || question_.ask == Ask::defined_start) return;
  const std::vector<Term> before(change.args().begin(), change.args().end() - 1);
  const Term time = change.args().back(), zero = tm.integer(0), never = tm.eq(change, tm.integer(-1));
  const auto at = [&](Term t) { return m_.named(layer->second.type, name, before, {t}); };
  std::vector<Term> writers;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (ir::changed_by(m_.p, kept_[i]).variables.contains(var)) writers.push_back(is_step(change, i));
  }
  out.push_back(tm.le(tm.integer(-1), change));
  out.push_back(tm.ite(tm.lt(zero, time), tm.lt(change, time), never));
  out.push_back(tm.implies(never, m_.alike(at(time), at(zero))));
  out.push_back(tm.implies(tm.not_(never), tm.and_({tm.or_(writers), tm.eq(acting(m_.p[var].role, change), before[0]),
                                                    m_.alike(at(time), at(next(change))),
                                                    tm.not_(m_.alike(at(change), at(next(change))))})));
  const Term since = tm.fresh_variable("t", tm.integer_sort());
  out.push_back(tm.forall({since}, tm.implies(tm.and_({tm.lt(change, since), tm.le(zero, since), tm.le(since, time)}),
                                              m_.alike(at(time), at(since)))));
}

/// What has been shown, at the times that are spoken of.
void Theory::uses(const std::string& about, bool all, const Spoken& spoken, std::vector<Term>& out) {
  smt::TermManager& tm = m_.tm;
  std::vector<Term> times = spoken.states;
  for (const Term time : {before_last_, last_, tm.integer(0)}) add_once(times, time);
  for (const Term time : spoken.events) add_once(times, time);
  // The time that is asked about. Nothing is known later, and what is used only of earlier times not of this one: it
  // may be what is being shown. Where a step reads what is there, claims are known of the state that it reads.
  Term end = last_;
  if (question_.ask == Ask::over_steps) end = m_.apply("time 3", {}, tm.integer_sort());
  if (question_.ask == Ask::at_start) end = tm.integer(0);
  // That a fact holds over no step is shown of the first of three times, whatever terms stand for it.
  const Term first = question_.ask == Ask::over_steps ? m_.apply("time 1", {}, tm.integer_sort()) : end;
  const bool reads = question_.ask == Ask::defined_step;
  for (const Use& use : question_.uses) {
    if (!all && use.what->text != about) continue;
    const auto upto = [&](Term time) {
      if (reads) return tm.le(time, before_last_);
      return use.earlier ? tm.lt(time, first) : tm.le(time, end);
    };
    for (const Term time : times) {
      attempt([&] {
        Env env;
        env.time = time;
        if (!use.what->two_state) {
          const Term said = use.what->fact ? m_.truth(use.what->formula, env) : m_.holds(use.what->formula, env);
          out.push_back(tm.implies(tm.and_({tm.le(tm.integer(0), time), upto(time)}), said));
          return;
        }
        for (const Term old_time : times) {
          if (old_time == time) continue;
          env.old_time = old_time;
          // A fact is shown over any number of steps, a claim over one.
          const bool fact = use.what->fact;
          const Term apart = fact ? tm.le(old_time, time) : tm.eq(next(old_time), time);
          out.push_back(tm.implies(tm.and_({tm.le(tm.integer(0), old_time), apart, upto(time)}),
                                   fact ? m_.truth(use.what->formula, env) : m_.holds(use.what->formula, env)));
        }
      });
    }
  }
}

}  // namespace tenet::recheck
