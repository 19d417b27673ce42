#include <algorithm>

#include "refusal.h"
#include "stepper.h"

namespace tenet::explore {

namespace {

/// Parameters and choices of one step that are tried in one local state.
constexpr double kMostWays = 1 << 22;

}  // namespace

RangeCheck::RangeCheck(const ir::Protocol& protocol, const ir::Instance& instance, Layouts& layouts, ir::TypeId id,
                       const std::string& slot)
    : shape_(&layouts.shape(id)) {
  const ir::Type type = protocol[id];
  const auto allow = [&] {
    allowed_.resize(shape_->words);
    bool all = true;
    const RangeCheck element(protocol, instance, layouts, type.first, slot);
    for (std::uint64_t i = 0; i < shape_->elements->size(); ++i) {
      if (element.holds(shape_->elements->element(i))) {
        set_bit(allowed_.data(), i);
      } else {
        all = false;
      }
    }
    return all;
  };
  switch (type.kind) {
    case ir::TypeKind::integer:
    case ir::TypeKind::natural:
      range_ = instance.numbers(slot, type.kind);
      return;
    case ir::TypeKind::option:
      parts_.emplace_back(protocol, instance, layouts, type.first, slot);
      always_ = parts_[0].always_;
      return;
    case ir::TypeKind::structure:
      always_ = true;
      for (const ir::FieldDecl& field : protocol.structs[type.declaration].fields) {
        parts_.emplace_back(protocol, instance, layouts, field.type, field.name);
        always_ &= parts_.back().always_;
      }
      return;
    case ir::TypeKind::set:
      always_ = allow();
      return;
    case ir::TypeKind::map:
    case ir::TypeKind::function:
      parts_.emplace_back(protocol, instance, layouts, type.second, slot);
      always_ = (type.kind == ir::TypeKind::function || allow()) && parts_[0].always_;
      return;
    default:
      always_ = true;
  }
}

bool RangeCheck::holds(const Cell* cells) const {
  if (always_) return true;
  switch (shape_->kind) {
    case ir::TypeKind::option:
      return cells[0] == 0 || parts_[0].holds(cells + 1);
    case ir::TypeKind::structure:
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (!parts_[i].holds(cells + shape_->offsets[i])) return false;
      }
      return true;
    case ir::TypeKind::set:
    case ir::TypeKind::map:
    case ir::TypeKind::function:
      break;
    default:
      return *cells >= range_.low && *cells <= range_.high;
  }
  for (std::uint32_t i = 0; i < shape_->words; ++i) {
    if ((cells[i] & ~allowed_[i]) != 0) return false;
  }
  if (shape_->kind == ir::TypeKind::set) return true;
  for (std::uint64_t i = 0; i < shape_->elements->size(); ++i) {
    if (shape_->words > 0 && !bit(cells, i)) continue;
    if (!parts_[0].holds(cells + shape_->words + i * shape_->second->cells)) return false;
  }
  return true;
}

Steps::Steps(const ir::Protocol& protocol, const ir::Instance& instance, Layouts& layouts, const Places& places)
    : p_(protocol),
      instance_(instance),
      layouts_(layouts),
      places_(places),
      alone_(protocol.roles.size()),
      receives_(protocol.roles.size(), std::vector<std::vector<CompiledStep>>(protocol.messages.size())) {
  Compiler compiler(protocol, instance, layouts, places, program_, Compiler::Mode::step);
  for (std::size_t i = 0; i < protocol.steps.size(); ++i) {
    const ir::Step& decl = protocol.steps[i];
    CompiledStep compiled = step(compiler, ir::StepId(i));
    auto& list = decl.receive ? receives_[decl.role.index()][decl.receive->message.index()] : alone_[decl.role.index()];
    list.push_back(std::move(compiled));
  }
}

Steps::CompiledStep Steps::step(Compiler& compiler, ir::StepId id) {
  const ir::Step& decl = p_[id];
  CompiledStep result;
  result.id = id;
  for (const ir::LocalId parameter : decl.parameters) {
    result.parameters.push_back({compiler.local(parameter), &layouts_.domain(p_[parameter].type, p_[parameter].name)});
  }
  if (decl.receive) {
    result.receives = true;
    for (const ir::LocalId field : decl.receive->fields) {
      result.fields.emplace_back(compiler.local(field), layouts_.shape(p_[field].type).cells);
    }
    if (decl.receive->sender.valid()) result.sender = compiler.local(decl.receive->sender);
    result.from = decl.receive->from;
  }
  result.guard = compiler.expr(decl.guard);
  result.body = block(compiler, decl.body, result);
  double ways = 1;
  for (const Parameter& parameter : result.parameters) ways *= static_cast<double>(parameter.domain->size());
  for (const auto& [local, domain] : result.chooses) ways *= static_cast<double>(domain->size());
  if (ways > kMostWays) {
    refuse(ErrorKind::too_large, "step '" + decl.name + "' has too many parameters and choices to try them all");
  }
  return result;
}

std::vector<Steps::Statement> Steps::block(Compiler& compiler, const std::vector<ir::StmtId>& body, CompiledStep& of) {
  std::vector<Statement> result;
  for (const ir::StmtId id : body) result.push_back(statement(compiler, p_[id], of));
  return result;
}

Steps::Statement Steps::statement(Compiler& compiler, const ir::Stmt& stmt, CompiledStep& of) {
  if (stmt.kind == ir::StmtKind::send) return send(compiler, stmt);
  Statement result;
  result.kind = stmt.kind;
  if (stmt.value.valid()) result.value = compiler.expr(stmt.value);
  switch (stmt.kind) {
    case ir::StmtKind::assign:
      result.place = places_.variable(stmt.var);
      result.range.emplace(p_, instance_, layouts_, p_[stmt.var].type, p_[stmt.var].name);
      break;
    case ir::StmtKind::if_:
      result.then_branch = block(compiler, stmt.then_branch, of);
      result.else_branch = block(compiler, stmt.else_branch, of);
      break;
    case ir::StmtKind::choose:
      result.choices = &layouts_.domain(p_[stmt.local].type, p_[stmt.local].name);
      result.chosen = stmt.local;
      of.chooses.emplace_back(stmt.local, result.choices);
      [[fallthrough]];
    default:
      result.place = compiler.local(stmt.local);
  }
  return result;
}

Steps::Statement Steps::send(Compiler& compiler, const ir::Stmt& stmt) {
  Statement result;
  result.kind = stmt.kind;
  result.message = stmt.message;
  result.target = compiler.expr(stmt.target);
  const ir::Type& target = p_[p_[stmt.target].type];
  const bool many = target.kind == ir::TypeKind::set;
  result.first_target = places_.first_host(ir::RoleId(many ? p_[target.first].declaration : target.declaration));
  result.binds = stmt.local.valid();
  if (result.binds) result.place = compiler.local(stmt.local);
  const auto& fields = p_[stmt.message].fields;
  for (std::size_t i = 0; i < stmt.args.size(); ++i) {
    result.args.push_back(compiler.expr(stmt.args[i]));
    result.arg_ranges.emplace_back(p_, instance_, layouts_, fields[i].type, fields[i].name);
  }
  return result;
}

}  // namespace tenet::explore
