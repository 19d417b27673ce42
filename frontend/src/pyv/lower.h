/// From a checked file to a protocol.
#pragma once

#include <set>
#include <string>

#include "program.h"
#include "tenet/base/diagnostic.h"
#include "tenet/base/source.h"
#include "tenet/ir/protocol.h"
#include "translate.h"

namespace tenet::frontend::pyv {

/// The mutable symbols become variables of one role with a single host,
/// transitions its steps, safety claims `safety`, invariants `lemma`, theorems
/// and traces trace queries. docs/pyv.md describes it.
class Lowering {
 public:
  Lowering(const Program& program, const SourceFile& file, Diagnostics& diagnostics);

  /// Of use only if no error was reported.
  ir::Protocol run();

 private:
  // lower.cpp
  void declarations();
  void symbol(std::size_t index);
  void derivations();
  void axioms();
  void initial();
  void properties();
  void property(ir::PropertyKind kind, const std::string& name, ir::ExprId formula, Span span);
  [[nodiscard]] std::string claim_name(const Claim& claim);
  [[nodiscard]] std::string line_name(Span span) const;
  [[nodiscard]] static std::string unique(const std::string& name, std::set<std::string>& taken);

  // lower_traces.cpp
  void theorem(const Claim& claim);
  void trace(const Trace& trace);
  [[nodiscard]] ir::TraceItem called(const Component& component);
  void assert_derived(ir::TraceQuery& query, Reading reading, int state);
  void add_assertion(ir::TraceQuery& query, ir::ExprId formula, Span span);

  // lower_step.cpp
  void step(const Definition& definition);
  [[nodiscard]] bool changes(std::size_t derived, const std::set<std::size_t>& modified) const;
  void choose(ir::Step& step);
  void assign(ir::Step& step);

  const Program& p_;
  const SourceFile& file_;
  Diagnostics& diagnostics_;
  ir::Protocol ir_;
  Tables tables_;
  Bindings bindings_;
  Translator translate_;
  /// Derived relations that are defined by their formula: their values in the
  /// state after a step, by symbol.
  std::map<std::size_t, const Next*> derived_;
  Planner deriver_;
  std::deque<Next> derived_next_;
  std::map<std::size_t, std::set<std::size_t>> derived_reads_;  ///< symbols that each of them is derived from
  std::set<std::string> property_names_;
  std::set<std::string> trace_names_;

  // Of the step being lowered.
  New new_;
  struct Chosen {
    std::size_t symbol = 0;
    ir::LocalId local;
    std::vector<ir::ExprId> where;
  };
  std::vector<Chosen> chosen_;
};

}  // namespace tenet::frontend::pyv
