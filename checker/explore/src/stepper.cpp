#include "stepper.h"

#include <algorithm>
#include <cstring>

namespace tenet::explore {

Stepper::Stepper(const Steps& steps, Universe& universe) : steps_(steps), universe_(universe) {
  frame_.cells.resize(steps.program_.frame_cells());
}

void Stepper::run(const Local& local, std::optional<std::uint32_t> message, const Visit& visit) {
  local_ = &local;
  message_ = message;
  visit_ = &visit;
  const ir::HostRef self = universe_.places().host(local.host);
  frame_.self = self.index;
  frame_.config = universe_.config(local.config).cells.data();
  if (!message) {
    for (const auto& step : steps_.alone_[self.role.index()]) run_step(step);
    return;
  }
  const Message& received = universe_.message(*message);
  for (const auto& step : steps_.receives_[self.role.index()][received.constructor.index()]) {
    if (step.from.valid() && universe_.places().host(received.sender).role != step.from) continue;
    run_step(step);
  }
}

/// Every assignment of the parameters, the last one varying fastest.
void Stepper::run_step(const Steps::CompiledStep& step) {
  parameters_.assign(step.parameters.size(), 0);
  for (const auto& parameter : step.parameters) {
    if (parameter.domain->size() == 0) return;
  }
  while (true) {
    run_choices(step);
    std::size_t i = parameters_.size();
    while (i > 0 && ++parameters_[i - 1] == step.parameters[i - 1].domain->size()) parameters_[--i] = 0;
    if (i == 0) return;
  }
}

/// Every sequence of choices, found by running the step again and again.
void Stepper::run_choices(const Steps::CompiledStep& step) {
  choices_.clear();
  do {
    const Ran ran = run_once(step);
    // What was not reached in this run is no choice of it.
    choices_.resize(std::min(choices_.size(), choices_used_));
    if (ran == Ran::odd) {
      ask_interpreter(step);
    } else if (ran == Ran::happened) {
      Effect effect;
      effect.step = step.id;
      effect.local = universe_.intern_local(local_->host, local_->config, work_.data());
      effect.sends = sends_;
      (*visit_)(std::move(effect));
    }
  } while (next_choice());
}

bool Stepper::next_choice() {
  while (!choices_.empty() && ++choices_.back().index >= choices_.back().domain->size()) choices_.pop_back();
  return !choices_.empty();
}

Stepper::Ran Stepper::run_once(const Steps::CompiledStep& step) {
  frame_.odd = false;
  choices_used_ = 0;
  sends_.clear();
  work_ = local_->cells;
  frame_.work = work_.data();
  for (std::size_t i = 0; i < step.parameters.size(); ++i) {
    const Domain& domain = *step.parameters[i].domain;
    const Cell* value = domain.element(parameters_[i]);
    std::copy(value, domain.element(parameters_[i] + 1), frame_.cells.data() + step.parameters[i].place);
  }
  if (step.receives) {
    const Message& message = universe_.message(*message_);
    const Cell* from = message.args.data();
    for (const auto& [place, width] : step.fields) {
      std::copy_n(from, width, frame_.cells.data() + place);
      from += width;
    }
    if (step.sender) frame_.cells[*step.sender] = universe_.places().host(message.sender).index;
  }
  const bool enabled = step.guard.truth(frame_);
  if (frame_.odd) return Ran::odd;
  if (!enabled) return Ran::disabled;
  return block(step.body);
}

Stepper::Ran Stepper::block(const std::vector<Statement>& body) {
  for (const Statement& statement : body) {
    Ran ran = Ran::happened;
    switch (statement.kind) {
      case ir::StmtKind::assign:
        ran = assign(statement);
        break;
      case ir::StmtKind::if_: {
        const bool truth = statement.value.truth(frame_);
        if (frame_.odd) return Ran::odd;
        ran = block(truth ? statement.then_branch : statement.else_branch);
        break;
      }
      case ir::StmtKind::send:
        ran = send(statement);
        break;
      case ir::StmtKind::choose:
        ran = choose(statement);
        break;
      case ir::StmtKind::let:
        statement.value.store(frame_, frame_.cells.data() + statement.place);
        if (frame_.odd) ran = Ran::odd;
        break;
    }
    if (ran != Ran::happened) return ran;
  }
  return Ran::happened;
}

Stepper::Ran Stepper::assign(const Statement& statement) {
  Cell* place = work_.data() + statement.place;
  if (statement.value.shape->scalar) {
    const Cell value = statement.value.scalar(frame_);
    if (frame_.odd || !statement.range->holds(&value)) return Ran::odd;
    *place = value;
    return Ran::happened;
  }
  const Cell* value = statement.value.cells(frame_);
  if (frame_.odd || !statement.range->holds(value)) return Ran::odd;
  std::memmove(place, value, statement.value.shape->cells * sizeof(Cell));
  return Ran::happened;
}

Stepper::Ran Stepper::choose(const Statement& statement) {
  if (choices_used_ == choices_.size()) {
    if (statement.choices->size() == 0) return Ran::disabled;
    choices_.push_back({statement.chosen, statement.choices, 0});
  }
  const std::uint64_t index = choices_[choices_used_++].index;
  std::copy(statement.choices->element(index), statement.choices->element(index + 1),
            frame_.cells.data() + statement.place);
  if (statement.value.node == nullptr) return Ran::happened;
  const bool holds = statement.value.truth(frame_);
  if (frame_.odd) return Ran::odd;
  return holds ? Ran::happened : Ran::disabled;
}

Stepper::Ran Stepper::send(const Statement& statement) {
  if (statement.target.shape->scalar) {
    const auto host = static_cast<std::uint32_t>(statement.target.scalar(frame_));
    if (frame_.odd) return Ran::odd;
    if (statement.binds) frame_.cells[statement.place] = host;
    return deliver(statement, statement.first_target + host);
  }
  const Cell* set = statement.target.cells(frame_);
  if (frame_.odd) return Ran::odd;
  const std::vector<Cell> hosts(set, set + statement.target.shape->cells);
  const std::uint64_t count = statement.target.shape->elements->size();
  bool any = false;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!bit(hosts.data(), i)) continue;
    any = true;
    if (statement.binds) frame_.cells[statement.place] = static_cast<Cell>(i);
    const Ran ran = deliver(statement, statement.first_target + static_cast<std::uint32_t>(i));
    if (ran != Ran::happened) return ran;
  }
  if (!any && !statement.binds) {
    // The arguments are evaluated even if nobody gets them.
    std::vector<Cell> unused;
    for (const Compiled& arg : statement.args) {
      unused.resize(arg.shape->cells);
      arg.store(frame_, unused.data());
    }
    if (frame_.odd) return Ran::odd;
  }
  return Ran::happened;
}

Stepper::Ran Stepper::deliver(const Statement& statement, std::uint32_t addressee) {
  std::vector<Cell> args(universe_.argument_cells(statement.message));
  const auto& offsets = universe_.field_offsets(statement.message);
  for (std::size_t i = 0; i < statement.args.size(); ++i) {
    statement.args[i].store(frame_, args.data() + offsets[i]);
    if (frame_.odd || !statement.arg_ranges[i].holds(args.data() + offsets[i])) return Ran::odd;
  }
  sends_.push_back(universe_.intern_message(statement.message, local_->host, addressee, std::move(args)));
  return Ran::happened;
}

void Stepper::report(ir::StepId step, const ir::Outcome& outcome) {
  Effect effect;
  effect.step = step;
  if (const auto* cut = std::get_if<ir::CutAtBound>(&outcome)) {
    effect.kind = Effect::Kind::cut;
    effect.slot = cut->slot;
  } else if (const auto* fault = std::get_if<ir::Fault>(&outcome)) {
    effect.kind = Effect::Kind::faults;
    effect.fault = *fault;
  } else if (const auto* happened = std::get_if<ir::Happened>(&outcome)) {
    const std::vector<Cell> cells = universe_.cells_of(*local_, happened->next);
    effect.local = universe_.intern_local(local_->host, local_->config, cells.data());
    for (const ir::Packet& packet : happened->sends) effect.sends.push_back(universe_.intern_packet(packet));
  } else {
    return;
  }
  (*visit_)(std::move(effect));
}

void Stepper::ask_interpreter(const Steps::CompiledStep& step) {
  const ir::Protocol& p = universe_.protocol();
  const ir::Constants constants = universe_.constants_seen_by(*local_);
  const ir::Interpreter interpreter(p, universe_.instance(), constants);
  ir::State state;
  universe_.read_variables(*local_, state);
  ir::Action action{step.id, universe_.places().host(local_->host), {}, {}, {}};
  if (message_) {
    action.received = universe_.packet(*message_);
    state.network.push_back(*action.received);
  }
  const auto value_of = [&](ir::LocalId local, const Domain& domain, std::uint64_t index) {
    return universe_.value(p[local].type, domain.element(index));
  };
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    action.parameters.push_back(value_of(p[step.id].parameters[i], *step.parameters[i].domain, parameters_[i]));
  }
  std::vector<ir::Value> candidates;
  for (const auto& [local, domain] : step.chooses) {
    for (std::uint64_t i = 0; i < domain->size(); ++i) candidates.push_back(value_of(local, *domain, i));
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  for (const Choice& choice : choices_) action.choices.push_back(value_of(choice.local, *choice.domain, choice.index));
  const std::size_t limit = step.chooses.size();
  const auto extend = [&](const auto& again) -> void {
    const ir::Outcome outcome = interpreter.apply(state, action);
    if (!std::holds_alternative<ir::Disabled>(outcome)) return report(step.id, outcome);
    if (action.choices.size() == limit) return;
    for (const ir::Value& value : candidates) {  // it may want a choice more
      action.choices.push_back(value);
      again(again);
      action.choices.pop_back();
    }
  };
  extend(extend);
}

}  // namespace tenet::explore
