#include "execute.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace tenet::ir {

namespace {

/// Thrown inside this file only: why a run ended early.
struct Ended {
  Ran how;
};

class Run {
 public:
  Run(const Context& context, const State& state, const Action& action)
      : p_(*context.protocol), action_(action), step_(p_[action.step]), evaluator_(context) {
    happened_.next = state;
    Context& c = evaluator_.context();
    c.state = &happened_.next;
    c.self = action.host;
  }

  Ran run();

 private:
  bool well_formed() const;
  bool bind_parameters();
  bool receive();
  void block(const std::vector<StmtId>& stmts);
  void statement(const Stmt& stmt);
  void assign(const Stmt& stmt);
  void choose(const Stmt& stmt);
  void send(const Stmt& stmt);
  void deliver(Packet packet);
  void check(TypeId type, const std::string& slot, const Value& value) const;

  const Protocol& p_;
  const Action& action_;
  const Step& step_;
  Evaluator evaluator_;
  Happened happened_;
  std::size_t choices_used_ = 0;
  /// The first message of which there would be more copies than the instance
  /// allows. Whether there are too many depends on the network alone, so it
  /// counts only when nothing else is wrong with the step.
  std::optional<std::string> overfull_;
};

bool Run::well_formed() const {
  const Instance& instance = *evaluator_.context().instance;
  return action_.host.role == step_.role && action_.host.index < instance.hosts(step_.role) &&
         action_.parameters.size() == step_.parameters.size() &&
         action_.received.has_value() == step_.receive.has_value();
}

bool Run::bind_parameters() {
  for (std::size_t i = 0; i < step_.parameters.size(); ++i) {
    const LocalDecl& decl = p_[step_.parameters[i]];
    if (!evaluator_.context().instance->within(p_, decl.type, decl.name, action_.parameters[i])) return false;
    evaluator_.bind(step_.parameters[i], action_.parameters[i]);
  }
  return true;
}

/// Binds what the pattern names and takes the message out of the network if
/// it is delivered at most once.
bool Run::receive() {
  if (!step_.receive) return true;
  const ReceivePattern& pattern = *step_.receive;
  const Packet& packet = *action_.received;
  if (packet.message != pattern.message || packet.addressee != action_.host) return false;
  if (pattern.from.valid() && packet.sender.role != pattern.from) return false;
  std::vector<Packet>& network = happened_.next.network;
  const auto found = std::lower_bound(network.begin(), network.end(), packet);
  if (found == network.end() || *found != packet) return false;
  for (std::size_t i = 0; i < pattern.fields.size(); ++i) evaluator_.bind(pattern.fields[i], packet.args[i]);
  if (pattern.sender.valid()) evaluator_.bind(pattern.sender, {packet.sender.index, {}});
  if (!evaluator_.truth(step_.guard)) return false;
  if (p_[packet.message].delivery == Delivery::at_most_once) network.erase(found);
  return true;
}

Ran Run::run() {
  if (!well_formed() || !bind_parameters() || !receive()) return Disabled{};
  if (!step_.receive && !evaluator_.truth(step_.guard)) return Disabled{};
  block(step_.body);
  if (choices_used_ != action_.choices.size()) return Disabled{};
  if (overfull_) return CutAtBound{std::move(*overfull_)};
  return std::move(happened_);
}

void Run::block(const std::vector<StmtId>& stmts) {
  for (const StmtId stmt : stmts) statement(p_[stmt]);
}

void Run::statement(const Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::assign:
      return assign(stmt);
    case StmtKind::if_:
      return block(evaluator_.truth(stmt.value) ? stmt.then_branch : stmt.else_branch);
    case StmtKind::send:
      return send(stmt);
    case StmtKind::choose:
      return choose(stmt);
    case StmtKind::let:
      return evaluator_.bind(stmt.local, evaluator_.value(stmt.value));
  }
}

void Run::check(TypeId type, const std::string& slot, const Value& value) const {
  if (auto outside = evaluator_.context().instance->outside(p_, type, slot, value)) throw Ended{CutAtBound{*outside}};
}

void Run::assign(const Stmt& stmt) {
  const VarDecl& decl = p_[stmt.var];
  Value value = evaluator_.value(stmt.value);
  check(decl.type, decl.name, value);
  happened_.next.variables[stmt.var.index()][action_.host.index] = std::move(value);
}

void Run::choose(const Stmt& stmt) {
  if (choices_used_ == action_.choices.size()) throw Ended{NeedsChoice{stmt.local}};
  const Value& chosen = action_.choices[choices_used_++];
  const LocalDecl& decl = p_[stmt.local];
  if (!evaluator_.context().instance->within(p_, decl.type, decl.name, chosen)) throw Ended{Disabled{}};
  evaluator_.bind(stmt.local, chosen);
  if (stmt.value.valid() && !evaluator_.truth(stmt.value)) throw Ended{Disabled{}};
}

void Run::send(const Stmt& stmt) {
  const Type& type = p_[p_[stmt.target].type];
  const bool many = type.kind == TypeKind::set;
  const RoleId role(many ? p_[type.first].declaration : type.declaration);
  Value target = evaluator_.value(stmt.target);
  const std::vector<Value> hosts = many ? std::move(target.items) : std::vector<Value>{std::move(target)};

  const auto arguments = [&] {
    std::vector<Value> args;
    for (const ExprId arg : stmt.args) args.push_back(evaluator_.value(arg));
    return args;
  };
  // Without a binder the arguments are the same for every addressee, and are
  // evaluated even if there is none.
  std::vector<Value> args;
  if (!stmt.local.valid()) args = arguments();
  for (const Value& host : hosts) {
    if (stmt.local.valid()) {
      evaluator_.bind(stmt.local, host);
      args = arguments();
    }
    deliver({stmt.message, action_.host, {role, static_cast<std::uint32_t>(host.number)}, args});
  }
}

void Run::deliver(Packet packet) {
  const MessageDecl& decl = p_[packet.message];
  for (std::size_t i = 0; i < packet.args.size(); ++i) {
    check(decl.fields[i].type, decl.fields[i].name, packet.args[i]);
  }
  std::vector<Packet>& network = happened_.next.network;
  const auto [first, last] = std::equal_range(network.begin(), network.end(), packet);
  if (decl.delivery == Delivery::at_most_once) {
    if (last - first < evaluator_.context().instance->copies()) {
      network.insert(last, packet);
    } else if (!overfull_) {
      overfull_ = decl.name;
    }
  } else if (first == last) {
    network.insert(last, packet);
  }
  happened_.sends.push_back(std::move(packet));
}

}  // namespace

Ran run_action(const Context& context, const State& state, const Action& action) {
  try {
    return Run(context, state, action).run();
  } catch (Ended& ended) {
    return std::move(ended.how);
  } catch (const Stopped& stopped) {
    if (const auto* out = std::get_if<Stopped::OutOfDomain>(&stopped.why)) return CutAtBound{out->slot};
    return std::get<Fault>(stopped.why);
  }
}

}  // namespace tenet::ir
