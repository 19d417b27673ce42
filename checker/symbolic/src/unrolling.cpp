#include "unrolling.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "tenet/ir/footprint.h"

namespace tenet::symbolic {

using encode::Scope;
using encode::Sending;
using encode::StateView;
using encode::Sym;
using encode::Transition;
using ir::TypeKind;

namespace {

/// Collections with at most so many keys get a symbol for each.
constexpr std::size_t kTable = 64;

/// Nothing to name: a literal or a symbol.
bool is_leaf(Term term) {
  switch (term.kind()) {
    case smt::Kind::boolean:
    case smt::Kind::number:
    case smt::Kind::enumerator:
      return true;
    case smt::Kind::application:
      return term.args().empty();
    default:
      return false;
  }
}

}  // namespace

Unrolling::Unrolling(Encoder& encoder) : e_(encoder), p_(encoder.protocol()), cases_(encode::cases_of(encoder)) {
  begin();
}

void Unrolling::begin() {
  const Encoder::Demands nobody(e_, nullptr);
  facts.push_back(e_.constant_facts());
  for (std::size_t c = 0; c < p_.constants.size(); ++c) {
    const ir::ConstDecl decl = p_.constants[c];
    if (decl.kind != ir::ConstKind::free || !decl.parameters.empty()) continue;
    if (!decl.role.valid()) {
      note(e_.constant(ir::ConstId(c), {}), inputs_);
      continue;
    }
    const ir::TypeId owner = p_.types.host(decl.role);
    for (const ir::Value& host : e_.domain(owner)) {
      note(e_.constant(ir::ConstId(c), {e_.literal(owner, host)}), inputs_);
    }
  }
  for (const ir::Formula& axiom : p_.axioms) facts.push_back(e_.holds_and_defined(axiom.formula, Scope{}));

  const StatePtr free = e_.named_state(" 0");
  const StatePtr start = e_.initial_state(free);
  Cells cells(p_.variables.size());
  for (std::size_t v = 0; v < p_.variables.size(); ++v) {
    const ir::VarId var(v);
    const ir::TypeId owner = p_.types.host(p_[var].role);
    for (const ir::Value& host : e_.domain(owner)) {
      const SymPtr value = start->read(var, e_.literal(owner, host));
      facts.push_back(e_.well_typed(value, p_[var].name));
      if (!p_[var].init.valid()) note(value, inputs_);
      cells[v].push_back(settle(value, fmt::format("{} of {} 0", p_[var].name, host.number)));
    }
  }
  states_.push_back(view(std::move(cells), 0));
  Scope scope;
  scope.now = states_.back();
  for (const ir::Formula& init : p_.inits) facts.push_back(e_.holds_and_defined(init.formula, scope));
}

/// Numbers in it; of collections that cannot be written out, none.
void Unrolling::note(const SymPtr& value, std::vector<Term>& into) {
  if (value->kind == Sym::Kind::collection) {
    const ir::TypeId keys = p_[value->type].first;
    if (!e_.enumerable(keys) || e_.domain(keys).size() > kTable) return;
    for (const ir::Value& key : e_.domain(keys)) note(value->apply(e_.literal(keys, key)), into);
    return;
  }
  if (value->kind == Sym::Kind::scalar && value->term.sort().kind() == smt::SortKind::integer) {
    if (value->term.kind() != smt::Kind::number) into.push_back(value->term);
  }
  for (const SymPtr& part : value->parts) note(part, into);
}

/// The same value with symbols instead of terms.
SymPtr Unrolling::settle(const SymPtr& value, const std::string& name) {
  if (value->kind == Sym::Kind::collection) {
    const ir::TypeId keys = p_[value->type].first;
    if (e_.enumerable(keys) && e_.domain(keys).size() <= kTable) {
      std::vector<std::pair<SymPtr, SymPtr>> rows;
      for (const ir::Value& key : e_.domain(keys)) {
        const SymPtr literal = e_.literal(keys, key);
        rows.emplace_back(literal, settle(value->apply(literal), name + "[]"));
      }
      return e_.collection(value->type, [e = &e_, rows = std::move(rows)](const SymPtr& key) {
        SymPtr result = rows.back().second;
        for (std::size_t i = rows.size() - 1; i-- > 0;)
          result = e->pick(e->equal(key, rows[i].first), rows[i].second, result);
        return result;
      });
    }
    // What it is at a key is computed once.
    auto known = std::make_shared<std::unordered_map<std::string, SymPtr>>();
    return e_.collection(
        value->type,
        [e = &e_, value, known](const SymPtr& key) {
          std::vector<Term> parts;
          e->flatten(key, parts);
          std::string which;
          for (const Term part : parts) which += std::to_string(part.id()) + " ";
          const auto found = known->find(which);
          if (found != known->end()) return found->second;
          return known->emplace(which, value->apply(key)).first->second;
        },
        value->support);
  }
  auto made = std::make_shared<Sym>();
  made->kind = value->kind;
  made->type = value->type;
  made->term = value->term;
  if (value->term.valid() && !is_leaf(value->term)) {
    made->term = e_.terms.fresh_constant(name, value->term.sort());
    facts.push_back(e_.terms.eq(made->term, value->term));
    if (made->term.sort().kind() == smt::SortKind::integer) computed_.push_back(made->term);
  }
  for (const SymPtr& part : value->parts) made->parts.push_back(settle(part, name + "."));
  return made;
}

StatePtr Unrolling::view(Cells cells, std::size_t at) {
  cells_.push_back(std::move(cells));
  sent_.emplace_back();
  copies_.emplace_back();
  auto state = std::make_shared<StateView>();
  state->read = [this, at](ir::VarId var, const SymPtr& host) {
    const std::vector<SymPtr>& values = cells_[at][var.index()];
    const ir::TypeId owner = p_.types.host(p_[var].role);
    SymPtr result = values.back();
    for (std::size_t h = values.size() - 1; h-- > 0;) {
      const SymPtr literal = e_.literal(owner, {static_cast<std::int64_t>(h), {}});
      result = e_.pick(e_.equal(host, literal), values[h], result);
    }
    return result;
  };
  state->sent = [this, at](const Letter& letter) { return sent(letter, at); };
  state->twice = [this, at](const Letter& letter) { return e_.terms.le(e_.terms.integer(2), copies(letter, at)); };
  return state;
}

// --- The network -----------------------------------------------------------------

std::string Unrolling::key_of(const Letter& letter) {
  std::vector<Term> parts;
  e_.flatten(letter.sender, parts);
  e_.flatten(letter.addressee, parts);
  for (const SymPtr& arg : letter.args) e_.flatten(arg, parts);
  std::string key = fmt::format("{} {} {}", letter.message.value, letter.from.value, letter.to.value);
  for (const Term part : parts) key += fmt::format(" {}", part.id());
  return key;
}

/// Whether the letter is in the network of that state.
Term Unrolling::sent(const Letter& letter, std::size_t at) {
  smt::TermManager& tm = e_.terms;
  if (at == 0) return tm.boolean(false);
  if (p_[letter.message].delivery == ir::Delivery::at_most_once) {
    return tm.le(tm.integer(1), copies(letter, at));
  }
  const std::string key = key_of(letter);
  if (const auto known = sent_[at].find(key); known != sent_[at].end()) return known->second;
  std::vector<Term> ways{sent(letter, at - 1)};
  for (const Branch& branch : branches_[at - 1]) {
    if (p_[branch.transition.which.step].role != letter.from) continue;
    for (const Sending& sending : branch.transition.sendings) {
      ways.push_back(tm.and_({branch.taken, encode::puts(e_, sending, branch.transition.self, letter)}));
    }
  }
  return sent_[at].emplace(key, tm.or_(ways)).first->second;
}

/// Of a message that arrives at most once: how many of the letter were sent and not received yet.
Term Unrolling::copies(const Letter& letter, std::size_t at) {
  smt::TermManager& tm = e_.terms;
  if (at == 0) return tm.integer(0);
  const std::string key = key_of(letter);
  if (const auto known = copies_[at].find(key); known != copies_[at].end()) return known->second;
  std::vector<Term> changes{copies(letter, at - 1)};
  const auto change = [&](const Branch& branch, Term condition, std::int64_t by) {
    const Term happens = tm.and_({branch.taken, condition});
    if (!happens.is_false()) changes.push_back(tm.ite(happens, tm.integer(by), tm.integer(0)));
  };
  for (const Branch& branch : branches_[at - 1]) {
    for (const Letter& received : branch.transition.received) change(branch, e_.same_letter(letter, received), -1);
    if (p_[branch.transition.which.step].role != letter.from) continue;
    for (const Sending& sending : branch.transition.sendings) {
      change(branch, encode::puts(e_, sending, branch.transition.self, letter), 1);
    }
  }
  return copies_[at].emplace(key, tm.add(changes)).first->second;
}

/// A step that would leave more copies of a message than the instance allows does not happen.
void Unrolling::bound_copies(const Branch& branch, std::size_t at) {
  smt::TermManager& tm = e_.terms;
  for (const Sending& sending : branch.transition.sendings) {
    if (p_[sending.message].delivery != ir::Delivery::at_most_once) continue;
    const ir::TypeId host = p_.types.host(sending.to);
    for (const ir::Value& value : e_.domain(host)) {
      const SymPtr to = e_.literal(host, value);
      const Letter letter{
          sending.message,      p_[branch.transition.which.step].role, sending.to, branch.transition.self, to,
          sending.arguments(to)};
      facts.push_back(tm.implies(tm.and_({branch.taken, sending.condition, sending.addressed(to)}),
                                 tm.le(copies(letter, at), tm.integer(e_.instance()->copies()))));
    }
  }
}

// --- Steps -----------------------------------------------------------------------

const std::vector<Branch>& Unrolling::next() {
  if (!next_.empty()) return next_;
  for (const encode::Case& each : cases_) {
    next_.push_back({e_.terms.fresh_constant(fmt::format("taken {}", steps()), e_.terms.boolean_sort()),
                     encode::transition(e_, each, states_.back())});
    for (const SymPtr& parameter : next_.back().transition.parameters) note(parameter, inputs_);
    for (const SymPtr& choice : next_.back().transition.choices) note(choice, inputs_);
  }
  return next_;
}

Unrolling::Cells Unrolling::after(const std::vector<Branch>& branches) {
  Cells cells = cells_.back();
  std::vector<ir::Footprint> changes;
  for (const Branch& branch : branches) changes.push_back(ir::changed_by(p_, branch.transition.which.step));
  for (std::size_t v = 0; v < cells.size(); ++v) {
    const ir::VarId var(v);
    const ir::TypeId owner = p_.types.host(p_[var].role);
    for (std::size_t h = 0; h < cells[v].size(); ++h) {
      const SymPtr host = e_.literal(owner, {static_cast<std::int64_t>(h), {}});
      SymPtr value = cells[v][h];
      for (std::size_t b = 0; b < branches.size(); ++b) {
        if (!changes[b].variables.contains(var)) continue;
        value = e_.pick(branches[b].taken, branches[b].transition.after->read(var, host), value);
      }
      if (value != cells[v][h]) cells[v][h] = settle(value, fmt::format("{} of {} {}", p_[var].name, h, steps() + 1));
    }
  }
  return cells;
}

void Unrolling::step() {
  smt::TermManager& tm = e_.terms;
  (void)next();
  std::vector<Term> taken;
  for (const Branch& branch : next_) {
    std::vector<Term> all = branch.transition.possible;
    all.insert(all.end(), branch.transition.happens.begin(), branch.transition.happens.end());
    all.insert(all.end(), branch.transition.demanded.begin(), branch.transition.demanded.end());
    facts.push_back(tm.implies(branch.taken, tm.and_(all)));
    for (const Term other : taken) facts.push_back(tm.or_({tm.not_(branch.taken), tm.not_(other)}));
    taken.push_back(branch.taken);
  }
  facts.push_back(tm.or_(taken));
  Cells cells = after(next_);
  branches_.push_back(std::exchange(next_, {}));
  states_.push_back(view(std::move(cells), steps()));
  if (!e_.bounded()) return;
  for (const Branch& branch : branches_.back()) bound_copies(branch, steps());
}

}  // namespace tenet::symbolic
