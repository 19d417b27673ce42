#include "slice.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace tenet::provenance {

using ir::ConstId;
using ir::ExprId;
using ir::Footprint;
using ir::LocalId;
using ir::MessageId;
using ir::Op;
using ir::RoleId;
using ir::StepId;
using ir::StmtId;
using ir::StmtKind;
using ir::TypeId;
using ir::TypeKind;
using ir::VarId;

namespace {

/// Stands around the names of a slice; no identifier has it.
constexpr char kMark = '~';

bool within(const Footprint& small, const Footprint& large) {
  return std::ranges::includes(large.variables, small.variables) &&
         std::ranges::includes(large.messages, small.messages);
}

/// Whether the first had anything that the second lacked, which it has now.
bool joined(Footprint& to, const Footprint& from) {
  const std::size_t before = to.variables.size() + to.messages.size();
  to.join(from);
  return to.variables.size() + to.messages.size() != before;
}

/// Who sends a message to whom.
struct Route {
  MessageId message;
  RoleId from, to;
  friend auto operator<=>(const Route&, const Route&) = default;
};

void routes_in(const ir::Protocol& p, const std::vector<StmtId>& block, RoleId from, std::set<Route>& out) {
  for (const StmtId id : block) {
    const ir::Stmt& stmt = p[id];
    routes_in(p, stmt.then_branch, from, out);
    routes_in(p, stmt.else_branch, from, out);
    if (stmt.kind != StmtKind::send) continue;
    const ir::Type target = p[p[stmt.target].type];
    const ir::Type host = target.kind == TypeKind::host ? target : p[target.first];
    out.insert({stmt.message, from, RoleId(host.declaration)});
  }
}

/// Copies what is asked for, and what that refers to, into a protocol of its own.
class Cutter {
 public:
  Cutter(const ir::Protocol& from, const Footprint& region, bool readable, Slice& out)
      : from_(from), region_(region), readable_(readable), out_(out), to_(out.protocol) {
    for (const MessageId id : region.messages) {
      messages_.emplace(id, MessageId(to_.messages.size()));
      to_.messages.push_back({name('m', to_.messages.size(), from_[id].name), {}, from_[id].delivery, {}, {}});
    }
    for (const MessageId id : region.messages) {
      to_.messages[messages_.at(id).index()].fields = fields(from_[id].fields);
    }
    std::size_t count = 0;
    for (const VarId id : region.variables) variables_.emplace(id, VarId(count++));
    to_.variables.resize(count);
    for (const VarId id : region.variables) variable(id);
  }

  std::string name(char kind, std::size_t number, const std::string& original) {
    if (readable_) return original;
    std::string made{kMark, kind};
    made += std::to_string(number);
    made += kMark;
    out_.names.emplace(made, original);
    return made;
  }

  RoleId role(RoleId id) {
    const auto [at, fresh] = roles_.emplace(id, RoleId(to_.roles.size()));
    const RoleId made = at->second;
    if (fresh) {
      ir::RoleDecl decl;
      decl.name = name('r', made.index(), from_[id].name);
      decl.single = from_[id].single;
      to_.roles.push_back(std::move(decl));
    }
    return made;
  }

  TypeId type(TypeId id) {
    if (!id.valid()) return id;
    if (const auto known = types_.find(id); known != types_.end()) return known->second;
    ir::Type copy = from_[id];
    switch (copy.kind) {
      case TypeKind::enumeration:
        copy.declaration = enumeration(copy.declaration);
        break;
      case TypeKind::sort:
        copy.declaration = sort(copy.declaration);
        break;
      case TypeKind::host:
        copy.declaration = role(RoleId(copy.declaration)).value;
        break;
      case TypeKind::structure:
        copy.declaration = structure(copy.declaration);
        break;
      default:
        copy.first = type(copy.first);
        copy.second = type(copy.second);
    }
    const TypeId made = to_.types.intern(copy);
    types_.emplace(id, made);
    return made;
  }

  LocalId local(LocalId id) {
    if (!id.valid()) return id;
    if (const auto known = locals_.find(id); known != locals_.end()) return known->second;
    ir::LocalDecl copy = from_[id];
    copy.span = {};
    copy.type = type(copy.type);
    copy.name = name('l', to_.locals.size(), copy.name);
    const LocalId made = to_.add(std::move(copy));
    locals_.emplace(id, made);
    return made;
  }

  ExprId expr(ExprId id) {
    if (!id.valid()) return id;
    if (const auto known = exprs_.find(id); known != exprs_.end()) return known->second;
    ir::Expr copy = from_[id];
    copy.span = {};
    copy.type = type(copy.type);
    switch (copy.op) {
      case Op::role_size:
      case Op::single_host:
        copy.ref = role(RoleId(copy.ref)).value;
        break;
      case Op::local:
        copy.ref = local(LocalId(copy.ref)).value;
        break;
      case Op::state_var:
        copy.ref = of_region(variables_, VarId(copy.ref)).value;
        break;
      case Op::host_const:
      case Op::global_const:
        copy.ref = constant(ConstId(copy.ref)).value;
        break;
      case Op::sent:
        copy.ref = of_region(messages_, MessageId(copy.ref)).value;
        break;
      default:
        break;
    }
    for (LocalId& binder : copy.binders) binder = local(binder);
    for (ExprId& arg : copy.args) arg = expr(arg);
    const ExprId made = to_.add(std::move(copy));
    exprs_.emplace(id, made);
    return made;
  }

  /// The statements that matter; all of them if `in_full`.
  std::vector<StmtId> block(const std::vector<StmtId>& stmts, bool in_full) {
    std::vector<StmtId> made;
    for (const StmtId id : stmts) {
      ir::Stmt copy = from_[id];
      copy.span = {};
      if (copy.kind == StmtKind::assign && !region_.variables.contains(copy.var)) continue;
      if (copy.kind == StmtKind::send && !region_.messages.contains(copy.message)) continue;
      copy.then_branch = block(copy.then_branch, in_full);
      copy.else_branch = block(copy.else_branch, in_full);
      if (copy.kind == StmtKind::if_ && !in_full && copy.then_branch.empty() && copy.else_branch.empty()) continue;
      if (copy.kind == StmtKind::assign) copy.var = variables_.at(copy.var);
      if (copy.kind == StmtKind::send) copy.message = messages_.at(copy.message);
      copy.value = expr(copy.value);
      copy.local = local(copy.local);
      for (ExprId& arg : copy.args) arg = expr(arg);
      copy.target = expr(copy.target);
      made.push_back(to_.add(std::move(copy)));
    }
    return made;
  }

  StepId step(StepId id, bool in_full) {
    const ir::Step& original = from_[id];
    ir::Step copy;
    copy.name = name('s', to_.steps.size(), original.name);
    copy.role = role(original.role);
    for (const LocalId parameter : original.parameters) copy.parameters.push_back(local(parameter));
    if (original.receive) {
      ir::ReceivePattern pattern = *original.receive;
      pattern.span = {};
      pattern.message = of_region(messages_, pattern.message);
      for (LocalId& field : pattern.fields) field = local(field);
      pattern.sender = local(pattern.sender);
      if (pattern.from.valid()) pattern.from = role(pattern.from);
      copy.receive = std::move(pattern);
    }
    copy.guard = expr(original.guard);
    copy.body = block(original.body, in_full);
    return add(std::move(copy));
  }

  /// A step that does nothing: whatever was left out.
  void idle(RoleId of) {
    ir::Step made;
    made.name = name('s', to_.steps.size(), "another step");
    made.role = to_.roles.empty() ? role(of) : RoleId(std::size_t{0});
    made.guard = truth();
    add(std::move(made));
  }

  /// A step that sends any such message to any such host.
  void sender(const Route& route) {
    ir::Step made;
    made.name = name('s', to_.steps.size(), "another step");
    made.role = role(route.from);
    made.guard = truth();
    ir::Stmt send;
    send.kind = StmtKind::send;
    send.message = messages_.at(route.message);
    const auto parameter = [&](TypeId type) {
      const LocalId id = to_.add(ir::LocalDecl{name('l', to_.locals.size(), "any"), type, {}});
      made.parameters.push_back(id);
      ir::Expr node;
      node.op = Op::local;
      node.type = type;
      node.ref = id.value;
      return to_.add(std::move(node));
    };
    for (const ir::FieldDecl& field : std::vector(to_[send.message].fields)) send.args.push_back(parameter(field.type));
    send.target = parameter(to_.types.host(role(route.to)));
    made.body = {to_.add(std::move(send))};
    add(std::move(made));
  }

  void formulas(const std::vector<ir::Formula>& from, std::vector<ir::Formula>& to, const Footprint* only,
                const std::function<const Footprint&(ExprId)>& reads) {
    for (const ir::Formula& formula : from) {
      if (only == nullptr || within(reads(formula.formula), *only)) to.push_back({expr(formula.formula), {}});
    }
  }

  DerivedFact fact(const DerivedFact& original, std::size_t number) {
    DerivedFact copy = original;
    copy.name = name('f', number, original.name);
    copy.role = role(original.role);
    copy.host = local(original.host);
    copy.formula = expr(original.formula);
    copy.focus = of_region(variables_, original.focus);
    for (LocalId& key : copy.keys) key = local(key);
    return copy;
  }

 private:
  /// What is left out must not be asked for: the slice would say that it never changes.
  template <typename Id>
  static Id of_region(const std::map<Id, Id>& map, Id id) {
    const auto found = map.find(id);
    if (found == map.end()) throw std::logic_error("a slice lacks what it speaks of");
    return found->second;
  }

  std::uint32_t enumeration(std::uint32_t id) {
    const auto [at, fresh] = enums_.emplace(id, static_cast<std::uint32_t>(to_.enums.size()));
    const std::uint32_t made = at->second;
    if (!fresh) return made;
    to_.enums.push_back({name('e', made, from_.enums[id].name), {}, {}});
    for (const std::string& member : from_.enums[id].members) {
      to_.enums[made].members.push_back(name('k', members_++, member));
    }
    return made;
  }
  std::uint32_t sort(std::uint32_t id) {
    const auto [at, fresh] = sorts_.emplace(id, static_cast<std::uint32_t>(to_.sorts.size()));
    if (fresh) to_.sorts.push_back({name('t', at->second, from_.sorts[id].name), from_.sorts[id].ordered, {}});
    return at->second;
  }
  std::uint32_t structure(std::uint32_t id) {
    const auto [at, fresh] = structs_.emplace(id, static_cast<std::uint32_t>(to_.structs.size()));
    const std::uint32_t made = at->second;
    if (!fresh) return made;
    to_.structs.push_back({name('d', made, from_.structs[id].name), {}, from_.structs[id].ordered, {}});
    auto inner = fields(from_.structs[id].fields);
    to_.structs[made].fields = std::move(inner);
    return made;
  }
  std::vector<ir::FieldDecl> fields(const std::vector<ir::FieldDecl>& original) {
    std::vector<ir::FieldDecl> made;
    for (const ir::FieldDecl& field : original) {
      const TypeId of = type(field.type);
      made.push_back({name('i', fields_++, field.name), of, {}});
    }
    return made;
  }
  ConstId constant(ConstId id) {
    if (const auto known = constants_.find(id); known != constants_.end()) return known->second;
    ir::ConstDecl copy = from_[id];
    copy.span = {};
    copy.doc.clear();
    if (copy.role.valid()) copy.role = role(copy.role);
    for (TypeId& parameter : copy.parameters) parameter = type(parameter);
    copy.type = type(copy.type);
    copy.value = expr(copy.value);  // reads earlier constants only
    const ConstId made(to_.constants.size());
    copy.name = name('c', made.index(), copy.name);
    if (copy.role.valid()) to_.roles[copy.role.index()].constants.push_back(made);
    to_.constants.push_back(std::move(copy));
    constants_.emplace(id, made);
    return made;
  }
  void variable(VarId id) {
    ir::VarDecl copy = from_[id];
    copy.span = {};
    copy.doc.clear();
    copy.role = role(copy.role);
    copy.type = type(copy.type);
    copy.init = expr(copy.init);
    const VarId made = variables_.at(id);
    copy.name = name('v', made.index(), copy.name);
    to_.roles[copy.role.index()].variables.push_back(made);
    to_.variables[made.index()] = std::move(copy);
  }
  StepId add(ir::Step step) {
    const StepId made(to_.steps.size());
    to_.roles[step.role.index()].steps.push_back(made);
    to_.steps.push_back(std::move(step));
    return made;
  }
  ExprId truth() {
    ir::Expr node;
    node.type = to_.types.boolean();
    node.value = 1;
    return to_.add(std::move(node));
  }

  const ir::Protocol& from_;
  const Footprint& region_;
  bool readable_;
  Slice& out_;
  ir::Protocol& to_;
  std::size_t members_ = 0, fields_ = 0;
  std::map<RoleId, RoleId> roles_;
  std::map<VarId, VarId> variables_;
  std::map<MessageId, MessageId> messages_;
  std::map<ConstId, ConstId> constants_;
  std::map<std::uint32_t, std::uint32_t> enums_, sorts_, structs_;
  std::unordered_map<TypeId, TypeId> types_;
  std::unordered_map<LocalId, LocalId> locals_;
  std::unordered_map<ExprId, ExprId> exprs_;
};

}  // namespace

Reach reach_of(const Strategy& strategy) {
  if (strategy.senders) return Reach::history;
  if (strategy.one_state) return Reach::now;
  return strategy.one_step ? Reach::step : Reach::history;
}

std::string Slice::readable(std::string_view about_slice) const {
  std::string_view rest = about_slice;
  std::string result;
  while (!rest.empty()) {
    const std::size_t begin = rest.find(kMark);
    result += rest.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const std::size_t end = rest.find(kMark, begin + 1);
    const auto found =
        end == std::string_view::npos ? names.end() : names.find(std::string(rest.substr(begin, end - begin + 1)));
    if (found == names.end()) {
      result += kMark;
      rest.remove_prefix(begin + 1);
    } else {
      result += found->second;
      rest.remove_prefix(end + 1);
    }
  }
  return result;
}

Slicer::Slicer(const ir::Protocol& protocol, bool readable) : p_(protocol), readable_(readable) {
  for (std::size_t s = 0; s < p_.steps.size(); ++s) changes_.push_back(ir::changed_by(p_, StepId(s)));
}

const Footprint& Slicer::reads(ExprId expr) {
  const auto known = reads_.find(expr);
  return known != reads_.end() ? known->second : reads_.emplace(expr, ir::read_by(p_, expr)).first->second;
}

/// Adds what the statements that matter read. Whether there are any.
bool Slicer::add_statements(const std::vector<StmtId>& block, bool in_full, Footprint& region) {
  bool any = false;
  for (const StmtId id : block) {
    const ir::Stmt& stmt = p_[id];
    if (in_full && stmt.kind == StmtKind::assign) region.variables.insert(stmt.var);
    if (in_full && stmt.kind == StmtKind::send) region.messages.insert(stmt.message);
    if (stmt.kind == StmtKind::assign && !region.variables.contains(stmt.var)) continue;
    if (stmt.kind == StmtKind::send && !region.messages.contains(stmt.message)) continue;
    if (stmt.kind == StmtKind::if_) {
      const bool yes = add_statements(stmt.then_branch, in_full, region);
      const bool no = add_statements(stmt.else_branch, in_full, region);
      if (!yes && !no && !in_full) continue;
    }
    any = true;
    region.join(reads(stmt.value));
    for (const ExprId arg : stmt.args) region.join(reads(arg));
    region.join(reads(stmt.target));
  }
  return any;
}

/// Adds all that what is in the region depends on: in the steps `only`, or in
/// all that change something in it.
void Slicer::grow(Footprint& region, const std::set<StepId>* only, StepId in_full) {
  for (bool growing = true; growing;) {
    const std::size_t before = region.variables.size() + region.messages.size();
    for (std::size_t s = 0; s < p_.steps.size(); ++s) {
      const StepId id(s);
      const bool matters = only != nullptr ? only->contains(id) : id == in_full || changes_[s].meets(region);
      if (!matters) continue;
      const ir::Step& step = p_[id];
      region.join(reads(step.guard));
      if (step.receive) region.messages.insert(step.receive->message);
      add_statements(step.body, id == in_full, region);
    }
    for (const ir::Formula& init : p_.inits) {
      if (reads(init.formula).meets(region)) region.join(reads(init.formula));
    }
    growing = region.variables.size() + region.messages.size() != before;
  }
}

Slice Slicer::cut(const Subject& subject, const std::vector<DerivedFact>& facts,
                  const std::vector<Hypothesis>& hypotheses) {
  Footprint asked;
  for (const ExprId formula : subject.formulas) asked.join(reads(formula));
  // All that it can depend on, in whatever way.
  Footprint cone = asked;
  grow(cone, nullptr, subject.step);

  const Reach reach = subject.reach;
  // The steps that are looked at, and what they and what is known speak of.
  std::set<StepId> kept;
  for (std::size_t s = 0; s < p_.steps.size(); ++s) {
    const StepId id(s);
    const bool changes = reach == Reach::history ? changes_[s].meets(cone) : changes_[s].meets(asked);
    if (id == subject.step || (reach != Reach::now && !subject.only_step && changes)) kept.insert(id);
  }
  Footprint region = reach == Reach::history ? cone : asked;
  std::vector<const Hypothesis*> given;
  for (const Hypothesis& hypothesis : hypotheses) {
    if (!within(reads(hypothesis.formula), cone)) continue;
    given.push_back(&hypothesis);
    region.join(reads(hypothesis.formula));
  }
  grow(region, &kept, subject.step);
  std::vector<bool> known(facts.size(), false);
  for (bool growing = true; growing;) {
    growing = false;
    for (std::size_t f = 0; f < facts.size(); ++f) {
      const Footprint& of = reads(facts[f].formula);
      if (known[f] || !within(of, cone) || !of.meets(region)) continue;
      known[f] = true;
      growing = joined(region, of) || growing;
    }
    if (growing) grow(region, &kept, subject.step);
  }

  Slice slice;
  Cutter cutter(p_, region, readable_, slice);
  for (const StepId id : kept) {
    const StepId made = cutter.step(id, id == subject.step);
    slice.kept.push_back(id);
    if (id == subject.step) slice.subject.step = made;
  }
  if (reach != Reach::history) {
    std::set<Route> routes, present;
    for (std::size_t s = 0; s < p_.steps.size(); ++s) {
      routes_in(p_, p_.steps[s].body, p_.steps[s].role, kept.contains(StepId(s)) ? present : routes);
    }
    for (const Route& route : routes) {
      if (region.messages.contains(route.message) && !present.contains(route)) cutter.sender(route);
    }
  }
  cutter.formulas(p_.axioms, slice.protocol.axioms, nullptr, {});
  cutter.formulas(p_.inits, slice.protocol.inits, &region, [this](ExprId id) -> const Footprint& { return reads(id); });
  for (std::size_t f = 0; f < facts.size(); ++f) {
    if (known[f]) slice.facts.push_back(cutter.fact(facts[f], slice.facts.size()));
  }
  for (const Hypothesis* hypothesis : given) {
    slice.hypotheses.push_back({cutter.name('h', slice.hypotheses.size(), hypothesis->name),
                                cutter.expr(hypothesis->formula), hypothesis->only_before_last});
  }
  slice.subject.name = cutter.name('g', 0, subject.name);
  slice.subject.reach = reach;
  slice.subject.only_step = subject.only_step;
  for (const LocalId local : subject.locals) slice.subject.locals.push_back(cutter.local(local));
  for (const ExprId formula : subject.formulas) slice.subject.formulas.push_back(cutter.expr(formula));
  if (subject.role.valid()) slice.subject.role = cutter.role(subject.role);
  if (kept.size() < p_.steps.size() && !subject.only_step) cutter.idle(p_.steps.front().role);
  if (!readable_) slice.text = text_of(slice);
  return slice;
}

}  // namespace tenet::provenance
