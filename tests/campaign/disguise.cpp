#include "disguise.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>

namespace tenet::campaign {

namespace {

using ir::Op;

class Tailor {
 public:
  Tailor(const ir::Protocol& protocol, std::uint64_t seed) : random_(seed), out_{protocol, {}} {}

  Disguise make() {
    rename_all();
    const auto variables = shuffled(out_.protocol.variables);
    const auto steps = shuffled(out_.protocol.steps);
    out_.order = shuffled(out_.protocol.properties);
    const auto place = [](const std::vector<std::size_t>& order) {
      std::vector<std::size_t> now(order.size());
      for (std::size_t i = 0; i < order.size(); ++i) now[order[i]] = i;
      return now;
    };
    const auto variable_now = place(variables), step_now = place(steps);
    for (ir::Expr& expr : out_.protocol.exprs) {
      if (expr.op == Op::state_var) expr.ref = static_cast<std::uint32_t>(variable_now[expr.ref]);
    }
    for (ir::Stmt& stmt : out_.protocol.stmts) {
      if (stmt.var.valid()) stmt.var = ir::VarId(variable_now[stmt.var.index()]);
    }
    for (ir::RoleDecl& role : out_.protocol.roles) {
      for (ir::VarId& id : role.variables) id = ir::VarId(variable_now[id.index()]);
      for (ir::StepId& id : role.steps) id = ir::StepId(step_now[id.index()]);
      std::ranges::sort(role.variables);
      std::ranges::sort(role.steps);
    }
    return std::move(out_);
  }

 private:
  /// Element i of what comes out was element number result[i].
  template <typename T>
  std::vector<std::size_t> shuffled(std::vector<T>& things) {
    std::vector<std::size_t> order(things.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
    std::vector<T> moved;
    for (const std::size_t from : order) moved.push_back(things[from]);
    things = std::move(moved);
    return order;
  }

  /// One name for all that bore the same one: an instance means things by name.
  void rename(std::string& name) {
    constexpr std::string_view kReceive = "receive ";
    if (name.starts_with(kReceive)) {
      std::string message = name.substr(kReceive.size());
      rename(message);
      name = std::string(kReceive) + message;
      return;
    }
    if (name.empty() || name == "_" || name == "nat" || name == "int" || name == "real") return;
    std::string& other = names_[name];
    while (other.empty()) {
      std::string candidate = "n" + std::to_string(random_() % 1'000'000'000);
      if (taken_.insert(candidate).second) other = std::move(candidate);
    }
    name = other;
  }
  template <typename T>
  void rename_each(std::vector<T>& things) {
    for (T& thing : things) rename(thing.name);
  }
  void rename_all() {
    ir::Protocol& p = out_.protocol;
    rename_each(p.enums);
    for (ir::EnumDecl& decl : p.enums)
      std::ranges::for_each(decl.members, [&](std::string& member) { rename(member); });
    rename_each(p.sorts);
    rename_each(p.structs);
    for (ir::StructDecl& decl : p.structs) rename_each(decl.fields);
    rename_each(p.messages);
    for (ir::MessageDecl& decl : p.messages) rename_each(decl.fields);
    rename_each(p.roles);
    rename_each(p.constants);
    rename_each(p.variables);
    rename_each(p.locals);
    rename_each(p.steps);
    rename_each(p.properties);
    for (ir::InstanceDecl& decl : p.instances) rename_each(decl.entries);
  }

  std::mt19937_64 random_;
  Disguise out_;
  std::map<std::string, std::string> names_;
  std::set<std::string> taken_;
};

}  // namespace

Disguise disguise(const ir::Protocol& protocol, std::uint64_t seed) { return Tailor(protocol, seed).make(); }

}  // namespace tenet::campaign
