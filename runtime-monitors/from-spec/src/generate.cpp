#include "tenet/from_spec/generate.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "plan.h"
#include "tenet/ir/printer.h"

namespace tenet::from_spec {
namespace {

// The first declaration that a monitor's events could not carry.
std::string unsupported_declaration(const ir::Protocol& p) {
  const Types types(p);
  for (const ir::VarDecl& variable : p.variables) {
    if (!types.supported(variable.type)) return "variable '" + variable.name + "'";
    if (variable.is_volatile) return "the volatile variable '" + variable.name + "'";
  }
  for (const ir::ConstDecl& constant : p.constants) {
    if (constant.role.valid() && !types.supported(constant.type)) return "constant '" + constant.name + "'";
  }
  for (const ir::MessageDecl& message : p.messages) {
    for (const ir::FieldDecl& field : message.fields) {
      if (!types.supported(field.type)) return "message '" + message.name + "'";
    }
  }
  if (p.roles.size() > 255) return "more than 255 roles";
  if (p.roles.empty()) return "no role";
  return {};
}

}  // namespace

std::string stamp(const ir::Protocol& protocol) {
  const std::string text = ir::print(protocol);
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Result<Generated> generate(const ir::Protocol& protocol, const GenerateOptions& options) {
  const std::string declaration = unsupported_declaration(protocol);
  if (!declaration.empty()) {
    return failure(ErrorKind::unsupported, fmt::format("no monitor can be made of this protocol: {}", declaration));
  }
  Generated out;
  out.stamp = options.stamp.empty() ? stamp(protocol) : options.stamp;
  const Plan plan = make_plan(protocol, options.source, out.stamp, options.derived);
  std::string unsupported;
  out.header_name = plan.name + ".h";
  out.source_name = plan.name + ".cpp";
  out.header = write_header(plan);
  out.source = write_source(plan, unsupported);
  if (!unsupported.empty()) return failure(ErrorKind::unsupported, unsupported);
  for (const RulePlan& rule : plan.rules) out.rules.push_back(rule.name);
  out.notes = plan.notes;
  return out;
}

}  // namespace tenet::from_spec
