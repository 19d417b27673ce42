#include "vocabulary.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

#include "tenet/ir/builder.h"

namespace tenet::learn {

namespace {

using ir::ExprId;
using ir::Op;
using ir::Type;
using ir::TypeId;
using ir::TypeKind;

/// No more atoms than this; the simplest come first.
constexpr std::size_t kMostAtoms = 220;
/// No more ways to write the arguments of one message, key or element.
constexpr std::size_t kMostTuples = 40;
/// So deep are types looked into.
constexpr int kDepth = 4;

bool is_host(const ir::Protocol& p, TypeId type, bool single) {
  return p[type].kind == TypeKind::host && p[ir::RoleId(p[type].declaration)].single == single;
}

/// Everything in a type that a clause may quantify over.
void note_types(ir::Protocol& p, TypeId type, bool numbers, std::set<TypeId>& out) {
  const Type t = p[type];
  switch (t.kind) {
    case TypeKind::host:
      if (is_host(p, type, false)) out.insert(type);
      break;
    case TypeKind::sort:
      out.insert(type);
      break;
    case TypeKind::natural:
    case TypeKind::integer:
      if (numbers) out.insert(type);
      break;
    case TypeKind::structure:
      for (const ir::FieldDecl& field : std::vector<ir::FieldDecl>(p[ir::StructId(t.declaration)].fields)) {
        note_types(p, field.type, numbers, out);
      }
      break;
    case TypeKind::option:
      note_types(p, t.first, numbers, out);
      break;
    case TypeKind::set:
      note_types(p, t.first, true, out);
      break;
    case TypeKind::map:
    case TypeKind::function:
      note_types(p, t.first, true, out);
      note_types(p, t.second, false, out);
      break;
    default:
      break;
  }
}

/// Whether an expression reads nothing that changes.
bool rigid(const ir::Protocol& p, ExprId id) {
  const ir::Expr& node = p[id];
  if (node.op == Op::state_var || node.op == Op::sent) return false;
  return std::all_of(node.args.begin(), node.args.end(), [&](ExprId arg) { return !arg.valid() || rigid(p, arg); });
}

class Maker {
 public:
  Maker(ir::Protocol& protocol, const Template& shape) : p_(protocol), b_(protocol), shape_(shape) {}
  Vocabulary make();

 private:
  void variables();
  void variables_of_hosts();
  void constants();
  void messages();
  void equalities();
  void compared();
  void from_text();
  void guards_of(ExprId id, const std::function<void(ExprId)>& use);
  void instances(ExprId formula, std::optional<ir::RoleId> self);
  void obstacle(ExprId guard);
  bool literals_of(ExprId id, bool negative, std::vector<std::pair<ExprId, bool>>& out);
  void renamings();

  void expand(TypeId type, ExprId path, std::vector<ExprId> guards, int depth);
  void add(ExprId formula);
  void add_guarded(const std::vector<ExprId>& guards, ExprId formula) {
    std::vector<ExprId> all = guards;
    all.push_back(formula);
    add(b_.conjunction(all));
  }
  std::vector<ExprId> terms(TypeId type, int depth);
  std::vector<ExprId> hosts(ir::RoleId role);
  std::vector<std::vector<ExprId>> tuples(const std::vector<std::vector<ExprId>>& choices) const;
  std::string key(ExprId id, const std::vector<std::size_t>* renaming);
  void used(ExprId id, std::set<std::size_t>& out);
  std::size_t variable_of(ir::LocalId local) const;

  ir::Protocol& p_;
  ir::Builder b_;
  const Template& shape_;
  Vocabulary made_;
  std::map<std::string, std::size_t> keys_;
  std::map<TypeId, std::vector<ExprId>> of_type_;  ///< the variables of a type
  /// Scalars that can be compared with one another: their guards and themselves.
  struct Path {
    std::vector<ExprId> guards;
    ExprId value;
  };
  std::map<TypeId, std::vector<Path>> paths_;
};

void Maker::variables() {
  const auto declare = [&](TypeId type, std::size_t number, bool existential) {
    const Type t = p_[type];
    std::string name = t.kind == TypeKind::host   ? p_[ir::RoleId(t.declaration)].name
                       : t.kind == TypeKind::sort ? p_.sorts[t.declaration].name
                                                  : "Number";
    name.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(name.front())));
    ir::LocalDecl decl;
    decl.name = name + "_" + std::to_string(number);
    decl.type = type;
    const ir::LocalId local = p_.add(decl);
    made_.variables.push_back({local, type, existential});
    of_type_[type].push_back(b_.local(local));
  };
  for (const auto& [type, count] : shape_.universal) {
    for (std::size_t i = 1; i <= count; ++i) declare(type, i, false);
  }
  if (!shape_.existential) return;
  for (const TypeId type : quantified_types(p_)) {
    if (p_[type].kind != TypeKind::host && p_[type].kind != TypeKind::sort) continue;
    const auto found = shape_.universal.find(type);
    declare(type, found == shape_.universal.end() ? 1 : found->second + 1, true);
  }
}

std::vector<ExprId> Maker::hosts(ir::RoleId role) {
  if (p_[role].single) return {b_.single_host(role)};
  const auto found = of_type_.find(p_.types.host(role));
  return found == of_type_.end() ? std::vector<ExprId>{} : found->second;
}

std::vector<std::vector<ExprId>> Maker::tuples(const std::vector<std::vector<ExprId>>& choices) const {
  std::vector<std::vector<ExprId>> all{{}};
  for (const auto& choice : choices) {
    std::vector<std::vector<ExprId>> longer;
    for (const auto& front : all) {
      for (const ExprId next : choice) {
        if (longer.size() >= kMostTuples) break;
        longer.push_back(front);
        longer.back().push_back(next);
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// Ways to write a value of the type.
std::vector<ExprId> Maker::terms(TypeId type, int depth) {
  std::vector<ExprId> all;
  const Type t = p_[type];
  if (depth > kDepth) return all;
  const auto found = of_type_.find(type);
  if (found != of_type_.end()) all = found->second;
  switch (t.kind) {
    case TypeKind::boolean:
      all = {b_.boolean(false), b_.boolean(true)};
      break;
    case TypeKind::enumeration:
      for (std::size_t i = 0; i < p_.enums[t.declaration].members.size(); ++i) {
        all.push_back(b_.enum_literal(ir::EnumId(t.declaration), i));
      }
      break;
    case TypeKind::host:
      if (is_host(p_, type, true)) all.push_back(b_.single_host(ir::RoleId(t.declaration)));
      break;
    case TypeKind::natural:
    case TypeKind::integer:
      for (std::size_t c = 0; c < p_.constants.size(); ++c) {
        const ir::ConstDecl decl = p_.constants[c];
        if (decl.type != type || !decl.role.valid() || !decl.parameters.empty()) continue;
        for (const ExprId host : hosts(decl.role)) all.push_back(b_.host_const(ir::ConstId(c), host));
      }
      break;
    case TypeKind::option:
      all.push_back(b_.none(type));
      for (const ExprId payload : terms(t.first, depth + 1)) all.push_back(b_.some(payload));
      break;
    case TypeKind::structure: {
      std::vector<std::vector<ExprId>> fields;
      for (const ir::FieldDecl& field : std::vector<ir::FieldDecl>(p_[ir::StructId(t.declaration)].fields)) {
        fields.push_back(terms(field.type, depth + 1));
      }
      for (auto& tuple : tuples(fields)) all.push_back(b_.make_struct(ir::StructId(t.declaration), std::move(tuple)));
      break;
    }
    default:
      break;
  }
  if (t.kind == TypeKind::host || t.kind == TypeKind::sort) {
    for (std::size_t c = 0; c < p_.constants.size(); ++c) {
      const ir::ConstDecl& decl = p_.constants[c];
      if (decl.type == type && !decl.role.valid() && decl.parameters.empty()) {
        all.push_back(b_.global_const(ir::ConstId(c)));
      }
    }
  }
  return all;
}

std::size_t Maker::variable_of(ir::LocalId local) const {
  for (std::size_t v = 0; v < made_.variables.size(); ++v) {
    if (made_.variables[v].local == local) return v;
  }
  return Vocabulary::kNone;
}

void Maker::used(ExprId id, std::set<std::size_t>& out) {
  const ir::Expr& node = p_[id];
  if (node.op == Op::local) {
    const std::size_t v = variable_of(ir::LocalId(node.ref));
    if (v != Vocabulary::kNone) out.insert(v);
  }
  for (const ExprId arg : node.args) {
    if (arg.valid()) used(arg, out);
  }
}

/// The same for expressions that say the same word by word, variables renamed; `a == b` reads as `b == a`.
std::string Maker::key(ExprId id, const std::vector<std::size_t>* renaming) {
  if (!id.valid()) return "_";
  const ir::Expr& node = p_[id];
  if (node.op == Op::local) {
    const std::size_t v = variable_of(ir::LocalId(node.ref));
    if (v != Vocabulary::kNone) return "x" + std::to_string(renaming != nullptr ? (*renaming)[v] : v);
  }
  std::vector<std::string> args;
  for (const ExprId arg : node.args) args.push_back(key(arg, renaming));
  if (node.op == Op::eq && args[1] < args[0]) std::swap(args[0], args[1]);
  std::string text = "(" + std::to_string(static_cast<int>(node.op)) + " " + std::to_string(node.ref) + " " +
                     (node.op == Op::get ? "" : std::to_string(node.value)) + " " + std::to_string(node.type.value);
  for (const ir::LocalId binder : node.binders) text += " b" + std::to_string(binder.value);
  for (const std::string& arg : args) text += " " + arg;
  return text + ")";
}

void Maker::add(ExprId formula) {
  if (made_.atoms.size() >= kMostAtoms) return;
  const ir::Expr& said = p_[formula];
  if (said.op == Op::bool_literal) return;  // it says nothing but about itself
  if (said.op == Op::eq && key(said.args[0], nullptr) == key(said.args[1], nullptr)) return;
  Atom atom;
  atom.formula = formula;
  std::set<std::size_t> variables;
  used(formula, variables);
  // "There is" binds one variable.
  if (std::count_if(variables.begin(), variables.end(), [&](auto v) { return made_.variables[v].existential; }) > 1) {
    return;
  }
  if (!keys_.emplace(key(formula, nullptr), made_.atoms.size()).second) return;
  atom.variables.assign(variables.begin(), variables.end());
  atom.rigid = rigid(p_, formula);
  const ir::Expr& node = p_[formula];
  atom.equality = node.op == Op::eq && p_[node.args[0]].op == Op::local && p_[node.args[1]].op == Op::local;
  made_.atoms.push_back(std::move(atom));
}

/// All that can be said of a value by itself.
void Maker::expand(TypeId type, ExprId path, std::vector<ExprId> guards, int depth) {
  const Type t = p_[type];
  if (depth > kDepth) return;
  switch (t.kind) {
    case TypeKind::boolean:
      add_guarded(guards, path);
      return;
    case TypeKind::enumeration:
      for (const ExprId member : terms(type, 0)) add_guarded(guards, b_.binary(Op::eq, path, member));
      return;
    case TypeKind::host:
    case TypeKind::sort:
    case TypeKind::natural:
    case TypeKind::integer: {
      const bool ordered = t.kind == TypeKind::natural || t.kind == TypeKind::integer ||
                           (t.kind == TypeKind::sort && p_.sorts[t.declaration].ordered);
      for (const ExprId term : terms(type, 0)) {
        if (key(term, nullptr) == key(path, nullptr)) continue;
        add_guarded(guards, b_.binary(Op::eq, path, term));
        if (ordered) add_guarded(guards, b_.binary(Op::lt, path, term));
      }
      paths_[type].push_back({std::move(guards), path});
      return;
    }
    case TypeKind::option: {
      add_guarded(guards, b_.binary(Op::eq, path, b_.none(type)));
      const TypeKind payload = p_[t.first].kind;
      if (payload == TypeKind::enumeration || payload == TypeKind::host || payload == TypeKind::sort) {
        for (const ExprId term : terms(t.first, 0)) add_guarded(guards, b_.binary(Op::eq, path, b_.some(term)));
        if (payload != TypeKind::sort || !p_.sorts[p_[t.first].declaration].ordered) return;
      }
      guards.push_back(b_.binary(Op::ne, path, b_.none(type)));
      return expand(t.first, b_.get(path, true), std::move(guards), depth + 1);
    }
    case TypeKind::structure: {
      const std::size_t fields = p_[ir::StructId(t.declaration)].fields.size();
      for (std::size_t i = 0; i < fields; ++i) {
        expand(p_[ir::StructId(t.declaration)].fields[i].type, b_.field(path, i), guards, depth + 1);
      }
      return;
    }
    case TypeKind::set:
      for (const ExprId element : terms(t.first, 0)) add_guarded(guards, b_.binary(Op::contains, element, path));
      return;
    case TypeKind::map:
      for (const ExprId key : terms(t.first, 0)) {
        const ExprId has = b_.binary(Op::map_has, path, key);
        add_guarded(guards, has);
        std::vector<ExprId> inner = guards;
        inner.push_back(has);
        expand(t.second, b_.binary(Op::map_get, path, key), std::move(inner), depth + 1);
      }
      return;
    case TypeKind::function:
      for (const ExprId argument : terms(t.first, 0)) {
        expand(t.second, b_.binary(Op::apply, path, argument), guards, depth + 1);
      }
      return;
    default:
      return;
  }
}

void Maker::variables_of_hosts() {
  for (std::size_t v = 0; v < p_.variables.size(); ++v) {
    const ir::VarDecl decl = p_.variables[v];
    for (const ExprId host : hosts(decl.role)) expand(decl.type, b_.state_var(ir::VarId(v), host), {}, 0);
  }
}

void Maker::constants() {
  for (std::size_t c = 0; c < p_.constants.size(); ++c) {
    const ir::ConstDecl decl = p_.constants[c];
    if (decl.role.valid()) {
      for (const ExprId host : hosts(decl.role)) expand(decl.type, b_.host_const(ir::ConstId(c), host), {}, 0);
      continue;
    }
    std::vector<std::vector<ExprId>> choices;
    for (const TypeId parameter : decl.parameters) {
      const auto found = of_type_.find(parameter);
      choices.push_back(found == of_type_.end() ? terms(parameter, 0) : found->second);
    }
    for (auto& tuple : tuples(choices)) expand(decl.type, b_.global_const(ir::ConstId(c), std::move(tuple)), {}, 0);
  }
}

void Maker::messages() {
  for (std::size_t m = 0; m < p_.messages.size(); ++m) {
    if (p_.messages[m].delivery != ir::Delivery::any) continue;  // the language cannot ask about them
    const auto [from, to] = ends_of(p_, ir::MessageId(m));
    if (from.size() != 1 || to.size() != 1) continue;
    std::vector<std::vector<ExprId>> choices;
    for (const ir::FieldDecl& field : std::vector<ir::FieldDecl>(p_.messages[m].fields)) {
      choices.push_back(terms(field.type, 0));
      if (choices.back().empty()) choices.back().emplace_back();
    }
    for (const ir::RoleId end : {*from.begin(), *to.begin()}) {
      choices.push_back(p_[end].single ? std::vector<ExprId>{} : hosts(end));
      choices.back().emplace_back();  // any
    }
    for (const auto& tuple : tuples(choices)) {
      ir::Expr node;
      node.op = Op::sent;
      node.type = p_.types.boolean();
      node.ref = static_cast<std::uint32_t>(m);
      node.value = 1;
      node.args = tuple;
      add(p_.add(std::move(node)));
    }
  }
}

void Maker::equalities() {
  for (const auto& [type, vars] : of_type_) {
    for (std::size_t i = 0; i < vars.size(); ++i) {
      for (std::size_t j = i + 1; j < vars.size(); ++j) add(b_.binary(Op::eq, vars[i], vars[j]));
    }
    const Type t = p_[type];
    const bool ordered = t.kind == TypeKind::natural || t.kind == TypeKind::integer ||
                         (t.kind == TypeKind::sort && p_.sorts[t.declaration].ordered);
    for (std::size_t i = 0; ordered && i < vars.size(); ++i) {
      for (std::size_t j = 0; j < vars.size(); ++j) {
        if (i != j) add(b_.binary(Op::lt, vars[i], vars[j]));
      }
    }
  }
}

/// Scalars of one type with one another.
void Maker::compared() {
  for (const auto& [type, paths] : std::map<TypeId, std::vector<Path>>(paths_)) {
    const Type t = p_[type];
    const bool ordered = t.kind == TypeKind::natural || t.kind == TypeKind::integer ||
                         (t.kind == TypeKind::sort && p_.sorts[t.declaration].ordered);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      for (std::size_t j = 0; j < paths.size(); ++j) {
        if (i == j) continue;
        std::vector<ExprId> guards = paths[i].guards;
        guards.insert(guards.end(), paths[j].guards.begin(), paths[j].guards.end());
        if (i < j) add_guarded(guards, b_.binary(Op::eq, paths[i].value, paths[j].value));
        if (ordered) add_guarded(guards, b_.binary(Op::lt, paths[i].value, paths[j].value));
      }
    }
  }
}

/// The smallest Boolean parts of a formula that are no junctions.
void Maker::guards_of(ExprId id, const std::function<void(ExprId)>& use) {
  const ir::Expr node = p_[id];
  switch (node.op) {
    case Op::not_:
    case Op::and_:
    case Op::or_:
    case Op::implies:
    case Op::iff:
      for (const ExprId arg : node.args) guards_of(arg, use);
      return;
    case Op::forall:
      guards_of(node.args[0], use);
      use(id);
      return;
    case Op::ne:
      use(b_.binary(Op::eq, node.args[0], node.args[1]));
      return;
    case Op::bool_literal:
      return;
    default:
      use(id);
  }
}

/// A formula of the text with its own variables replaced by ours in every way.
void Maker::instances(ExprId formula, std::optional<ir::RoleId> self) {
  std::set<ir::LocalId> free;
  bool usable = true;
  const std::function<void(ExprId, std::set<ir::LocalId>)> look = [&](ExprId id, std::set<ir::LocalId> bound) {
    const ir::Expr& node = p_[id];
    usable = usable && node.op != Op::old && node.op != Op::get && node.op != Op::map_get && node.op != Op::set_build &&
             node.op != Op::function_build && !(node.op == Op::sub && p_[node.type].kind == TypeKind::natural) &&
             !(node.op == Op::forall && node.args.size() > 1) && !(node.op == Op::exists && node.args.size() > 1);
    for (const ir::LocalId binder : node.binders) bound.insert(binder);
    if (node.op == Op::local && !bound.contains(ir::LocalId(node.ref))) free.insert(ir::LocalId(node.ref));
    for (const ExprId arg : node.args) {
      if (arg.valid()) look(arg, bound);
    }
  };
  look(formula, {});
  if (!usable) return;
  std::vector<ir::LocalId> order(free.begin(), free.end());
  std::vector<std::vector<ExprId>> choices;
  for (const ir::LocalId local : order) {
    const auto found = of_type_.find(p_[local].type);
    if (found == of_type_.end()) return;
    choices.push_back(found->second);
  }
  choices.push_back(self ? hosts(*self) : std::vector<ExprId>{ExprId{}});
  for (const auto& tuple : tuples(choices)) {
    std::map<ir::LocalId, ExprId> map;
    for (std::size_t i = 0; i < order.size(); ++i) map[order[i]] = tuple[i];
    const ExprId made = substituted(p_, formula, map, tuple.back());
    add(made);
    if (shape_.obstacles) obstacle(made);
  }
}

/// The literals of a formula (or of its negation) if it is a conjunction of literals.
bool Maker::literals_of(ExprId id, bool negative, std::vector<std::pair<ExprId, bool>>& out) {
  const ir::Expr node = p_[id];
  switch (node.op) {
    case Op::not_:
      return literals_of(node.args[0], !negative, out);
    case Op::implies:
      return negative && literals_of(node.args[0], false, out) && literals_of(node.args[1], true, out);
    case Op::and_:
    case Op::or_:
      return (node.op == Op::or_) == negative && std::all_of(node.args.begin(), node.args.end(), [&](ExprId arg) {
               return literals_of(arg, negative, out);
             });
    case Op::forall:
    case Op::exists:
    case Op::iff:
      return false;
    case Op::ne:
      out.emplace_back(b_.binary(Op::eq, node.args[0], node.args[1]), !negative);
      return true;
    default:
      out.emplace_back(id, negative);
      return true;
  }
}

/// Notes what it takes that "for all" does not hold, where one value of one type does it.
void Maker::obstacle(ExprId guard) {
  const ir::Expr node = p_[guard];
  if (node.op != Op::forall || node.args.size() != 1 || node.binders.size() != 1) return;
  const TypeId type = p_[node.binders[0]].type;
  const auto variable = std::find_if(made_.variables.begin(), made_.variables.end(),
                                     [&](const Variable& v) { return v.existential && v.type == type; });
  std::vector<std::pair<ExprId, bool>> literals;
  if (variable == made_.variables.end() || !literals_of(node.args[0], true, literals)) return;
  Vocabulary::Obstacle made;
  made.variable = static_cast<std::size_t>(variable - made_.variables.begin());
  for (const auto& [formula, negative] : literals) {
    const ExprId atom = substituted(p_, formula, {{node.binders[0], b_.local(variable->local)}});
    add(atom);
    const auto found = keys_.find(key(atom, nullptr));
    if (found == keys_.end()) return;
    made.parts.emplace_back(found->second, negative);
  }
  std::sort(made.parts.begin(), made.parts.end());
  made_.obstacles.insert(std::move(made));
}

void Maker::from_text() {
  for (std::size_t i = 0; i < p_.properties.size(); ++i) {
    if (p_.properties[i].kind == ir::PropertyKind::reachable) continue;
    const ExprId whole = p_.properties[i].formula;
    guards_of(whole, [&](ExprId part) {
      if (part != whole) instances(part, std::nullopt);
    });
  }
  for (std::size_t s = 0; s < p_.steps.size(); ++s) {
    const ir::RoleId role = p_.steps[s].role;
    guards_of(p_.steps[s].guard, [&](ExprId part) { instances(part, role); });
  }
}

void Maker::renamings() {
  // Permutations within each group of variables of one type.
  std::vector<std::vector<std::size_t>> all{std::vector<std::size_t>(made_.variables.size())};
  std::iota(all[0].begin(), all[0].end(), std::size_t{0});
  std::size_t at = 0;
  for (const auto& [type, count] : shape_.universal) {
    std::vector<std::vector<std::size_t>> longer;
    for (const auto& base : all) {
      std::vector<std::size_t> order(count);
      std::iota(order.begin(), order.end(), at);
      do {
        longer.push_back(base);
        for (std::size_t i = 0; i < count; ++i) longer.back()[at + i] = order[i];
      } while (std::next_permutation(order.begin(), order.end()));
    }
    all = std::move(longer);
    at += count;
  }
  for (std::size_t r = 1; r < all.size(); ++r) {
    std::vector<std::size_t> map;
    for (const Atom& atom : made_.atoms) {
      const auto found = keys_.find(key(atom.formula, &all[r]));
      map.push_back(found == keys_.end() ? Vocabulary::kNone : found->second);
    }
    made_.renamings.push_back(std::move(map));
  }
}

Vocabulary Maker::make() {
  variables();
  equalities();
  variables_of_hosts();
  constants();
  messages();
  from_text();
  compared();
  renamings();
  made_.pairs = !shape_.obstacles;
  return std::move(made_);
}

}  // namespace

Ends ends_of(const ir::Protocol& protocol, ir::MessageId message) {
  Ends ends;
  const std::function<void(ir::RoleId, const std::vector<ir::StmtId>&)> look = [&](ir::RoleId role, const auto& stmts) {
    for (const ir::StmtId id : stmts) {
      const ir::Stmt& stmt = protocol[id];
      look(role, stmt.then_branch);
      look(role, stmt.else_branch);
      if (stmt.kind != ir::StmtKind::send || stmt.message != message) continue;
      ends.from.insert(role);
      const Type& target = protocol[protocol[stmt.target].type];
      const TypeId host = target.kind == TypeKind::set ? target.first : protocol[stmt.target].type;
      ends.to.insert(ir::RoleId(protocol[host].declaration));
    }
  };
  for (const ir::Step& step : protocol.steps) look(step.role, step.body);
  return ends;
}

std::vector<TypeId> quantified_types(ir::Protocol& protocol) {
  std::set<TypeId> all;
  for (std::size_t r = 0; r < protocol.roles.size(); ++r) {
    if (!protocol.roles[r].single) all.insert(protocol.types.host(ir::RoleId(r)));
  }
  for (std::size_t v = 0; v < protocol.variables.size(); ++v) {
    note_types(protocol, protocol.variables[v].type, false, all);
  }
  for (std::size_t c = 0; c < protocol.constants.size(); ++c) {
    for (const TypeId type : std::vector<TypeId>(protocol.constants[c].parameters)) {
      note_types(protocol, type, true, all);
    }
    note_types(protocol, protocol.constants[c].type, false, all);
  }
  for (std::size_t s = 0; s < protocol.steps.size(); ++s) {
    for (const ir::LocalId parameter : std::vector<ir::LocalId>(protocol.steps[s].parameters)) {
      note_types(protocol, protocol[parameter].type, false, all);
    }
  }
  for (std::size_t m = 0; m < protocol.messages.size(); ++m) {
    for (const ir::FieldDecl& field : std::vector<ir::FieldDecl>(protocol.messages[m].fields)) {
      note_types(protocol, field.type, true, all);
    }
  }
  return {all.begin(), all.end()};
}

Vocabulary make_vocabulary(ir::Protocol& protocol, const Template& shape) { return Maker(protocol, shape).make(); }

ExprId substituted(ir::Protocol& protocol, ExprId id, const std::map<ir::LocalId, ExprId>& locals, ExprId self) {
  if (!id.valid()) return id;
  ir::Expr node = protocol[id];
  if (node.op == Op::local) {
    const auto found = locals.find(ir::LocalId(node.ref));
    return found == locals.end() ? id : found->second;
  }
  if (node.op == Op::self && self.valid()) return self;
  bool changed = false;
  for (ExprId& arg : node.args) {
    const ExprId made = substituted(protocol, arg, locals, self);
    changed = changed || made != arg;
    arg = made;
  }
  return changed ? protocol.add(std::move(node)) : id;
}

namespace {

class Transplant {
 public:
  Transplant(const ir::Protocol& from, ir::Protocol& to) : from_(from), to_(to) {}

  ExprId expr(ExprId id) {
    if (!id.valid()) return id;
    ir::Expr node = from_[id];
    node.type = type(node.type);
    for (ir::LocalId& binder : node.binders) {
      ir::LocalDecl decl = from_[binder];
      decl.type = type(decl.type);
      const ir::LocalId made = to_.add(std::move(decl));
      locals_[binder] = made;
      binder = made;
    }
    if (node.op == Op::local) {
      const auto found = locals_.find(ir::LocalId(node.ref));
      if (found != locals_.end()) node.ref = found->second.value;
    }
    for (ExprId& arg : node.args) arg = expr(arg);
    return to_.add(std::move(node));
  }

 private:
  TypeId type(TypeId id) {
    if (!id.valid()) return id;
    Type t = from_[id];
    t.first = type(t.first);
    t.second = type(t.second);
    return to_.types.intern(t);
  }
  const ir::Protocol& from_;
  ir::Protocol& to_;
  std::map<ir::LocalId, ir::LocalId> locals_;
};

}  // namespace

ExprId transplanted(const ir::Protocol& from, ExprId id, ir::Protocol& to) { return Transplant(from, to).expr(id); }

}  // namespace tenet::learn
