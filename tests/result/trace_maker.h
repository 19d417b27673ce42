/// Makes traces by hand, with the reference interpreter.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tenet/frontend/frontend.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/interpreter.h"
#include "tenet/ir/printer.h"

namespace tenet::testing {

/// A protocol from text with its first instance, at its first initial state.
class TraceMaker {
 public:
  explicit TraceMaker(const std::string& text) : source_("test.tenet", text) {
    frontend::Loaded loaded = frontend::load_protocol(source_);
    for (const Diagnostic& d : loaded.diagnostics.sorted()) ADD_FAILURE() << render(d, source_, false);
    if (!loaded.protocol) return;
    protocol_ = std::make_shared<ir::Protocol>(std::move(*loaded.protocol));
    Diagnostics diagnostics;
    const ir::InstanceDecl* decl = protocol_->instances.empty() ? nullptr : &protocol_->instances.front();
    auto instance = ir::Instance::resolve(*protocol_, decl, diagnostics);
    if (!instance) {
      ADD_FAILURE() << "no instance";
      return;
    }
    instance_ = std::make_shared<ir::Instance>(std::move(*instance));
    const auto started = ir::enumerate_starts(*protocol_, *instance_, 1'000'000, [&](const ir::Start& start) {
      trace_.constants = start.constants;
      trace_.states = {start.state};
      return false;
    });
    if (!started) ADD_FAILURE() << started.error().message;
  }

  /// Takes the first enabled action that reads `words`: "Acceptor#1 receive
  /// Prepare"; the step's name may be followed by the received message.
  void take(const std::string& words) {
    const ir::Interpreter interpreter(*protocol_, *instance_, trace_.constants);
    bool taken = false;
    const ir::State before = trace_.states.back();
    interpreter.enabled(before, [&](const ir::Action& action, const ir::Outcome& outcome) {
      const auto* happened = std::get_if<ir::Happened>(&outcome);
      if (taken || happened == nullptr || !named(action, words)) return;
      trace_.actions.push_back(action);
      trace_.sends.push_back(happened->sends);
      trace_.states.push_back(happened->next);
      taken = true;
    });
    EXPECT_TRUE(taken) << "not enabled: " << words;
  }

  [[nodiscard]] const ir::Protocol& protocol() const { return *protocol_; }
  [[nodiscard]] const ir::Instance& instance() const { return *instance_; }
  [[nodiscard]] const ir::Trace& trace() const { return trace_; }
  [[nodiscard]] ir::Interpreter interpreter() const { return {*protocol_, *instance_, trace_.constants}; }
  [[nodiscard]] ir::ExprId formula(const std::string& property) const {
    for (const ir::Property& p : protocol_->properties) {
      if (p.name == property) return p.formula;
    }
    ADD_FAILURE() << "no property " << property;
    return {};
  }

 private:
  [[nodiscard]] bool named(const ir::Action& action, const std::string& words) const {
    std::string text = ir::to_source(*protocol_, action.host) + " " + (*protocol_)[action.step].name;
    if (text == words) return true;
    for (std::size_t i = 0; i < action.parameters.size(); ++i) {
      const auto& local = (*protocol_)[(*protocol_)[action.step].parameters[i]];
      text += " " + ir::to_source(*protocol_, *instance_, local.type, action.parameters[i]);
    }
    if (text == words) return true;
    if (!action.received) return false;
    return text + " " + ir::to_source(*protocol_, *instance_, *action.received) == words;
  }

  SourceFile source_;
  std::shared_ptr<const ir::Protocol> protocol_;
  std::shared_ptr<const ir::Instance> instance_;
  ir::Trace trace_;
};

}  // namespace tenet::testing
