/// What is true of all executions of a protocol in which a claim fails: from the
/// source alone, and only as far as one assertion of a certificate speaks of it.
///
/// A question of a certificate is about executions in time 0 … last, of which the
/// last event is at `before last`. Events are numbered by the steps that the
/// question keeps; every other step is one that changes nothing in it. The theory
/// says of that no more than is so (`Theory::frame`, `first_send`): where a step
/// that was left out could change what is spoken of, it says nothing, and what
/// needs it does not follow.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "meaning.h"
#include "tenet/smt/term_ops.h"

namespace tenet::recheck {

/// A statement that the certificate proves: a property of the source, or text that it came up with.
struct Statement {
  std::string text;
  ir::ExprId formula;      ///< closed
  bool fact = false;       ///< a fact about one host, of which the first binder is the host
  bool two_state = false;  ///< with `old`: between any two times
};

enum class Ask : std::uint8_t {
  at_start,       ///< a fact holds at time 0
  by_step,        ///< a step keeps a fact
  over_steps,     ///< a fact about two states holds over no step, and over two spans if over each
  at_end,         ///< a claim holds at the last time if it held before
  by_event,       ///< a claim about two states holds of the last event
  smallest,       ///< a claim holds of values for which a measure is smallest among those that break it
  defined_start,  ///< what is read at the start is there
  defined_step,   ///< what a step reads is there
  begins,         ///< some execution can begin
};

struct Use {
  const Statement* what = nullptr;
  bool earlier = false;  ///< only before the last time
};

struct Question {
  Ask ask = Ask::at_end;
  const Statement* about = nullptr;  ///< of all but `defined_…`
  ir::StepId step;                   ///< by_step, defined_step
  ir::ExprId expr;                   ///< smallest: the measure; defined_start: what is read
  std::vector<ir::LocalId> binders;  ///< smallest: what the measure calls the bound values, in their order
  ir::RoleId role;                   ///< defined_start: of self, if there is one
  std::vector<ir::Formula> axioms;   ///< that may be relied on …
  std::vector<ir::Formula> inits;    ///< … and so may these
  std::vector<Use> uses;
};

class Theory {
 public:
  /// Throws `Refused` if the script's own account of itself makes no sense.
  Theory(Meaning& meaning, const smt::Script& script, const Question& question);

  /// An assertion with the atoms replaced by their definitions.
  [[nodiscard]] Term expanded(Term assertion) const;

  /// Formulas that are true in every execution in question (with a choice of what
  /// names of the certificate stand for) and that an assertion of this kind should
  /// follow from. `everything`: do not go by the kind.
  [[nodiscard]] std::vector<Term> relevant(const std::string& label, const std::string& kind, const std::string& about,
                                           Term expanded_assertion, bool everything);
  /// That the claim fails: what is to be contradicted.
  [[nodiscard]] std::vector<Term> goal() const;
  /// What holds of the start of every execution.
  [[nodiscard]] std::vector<Term> beginning();
  /// What could not be said, and so is missing in the last answer; empty: nothing.
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  struct Layer {
    ir::TypeId type;
    ir::VarId var;  ///< invalid: no variable, so no time
  };
  struct Symbol {
    ir::VarId var;  ///< whose part it is; invalid: of none
    bool natural = false;
    bool of_event = false;
  };
  struct LetterKind {
    ir::MessageId message;
    ir::RoleId from, to;
  };
  struct Sending {
    ir::MessageId message;
    ir::RoleId to;
    Term path;
    ValPtr target;
    ir::StmtId stmt;
    Env env;
  };
  /// One step at one time.
  struct Run {
    std::vector<Term> guard;
    std::map<ir::VarId, ValPtr> written;
    std::vector<Sending> sendings;
    std::vector<Term> demands;
    std::vector<Term> path;
    int choices = 0;
  };
  /// What one assertion speaks of.
  struct Spoken {
    std::vector<Term> events, states;  ///< times
    std::set<ir::VarId> variables;
    std::vector<Term> sizes, tokens, letters, changes;
    std::vector<Term> elements;  ///< terms of uninterpreted sorts
    std::set<Term, bool (*)(Term, Term)> introduced{smt::created_before};
    std::vector<smt::Function> natural_functions;
  };
  /// Names that the certificate introduces, and what they depend on.
  struct Introduction {
    std::vector<Term> names;
    std::vector<Term> from;
    Term axiom;  ///< invalid: made when asked for
    bool done = false, open = false;
  };

  void check_signatures(const smt::Script& script);
  void read_notes(const smt::Script& script);
  void introduce(std::vector<Term> names, std::vector<Term> from, Term axiom);
  void order(std::size_t introduction);
  void order_all();
  Term witness_axiom(Term meaning, const std::vector<Term>& names);
  Term value_axiom(const smt::Note& note);
  Term difference_axiom(const smt::Note& note);
  void read_instance(const smt::Note& note);
  void member_axioms(Term expanded_assertion, const Spoken& spoken, std::vector<Term>& out);
  void lay_out(ir::TypeId type, const std::string& name, ir::VarId var, bool token_parts);
  void name_events();
  void add_goal();
  void check_slice();

  Spoken spoken_of(const std::vector<Term>& terms) const;
  void add_events_before(Spoken& spoken) const;
  void step_facts(Term time, const Spoken& spoken, std::vector<Term>& out);
  void frame(Term time, ir::VarId var, std::vector<Term>& out);
  void sends(Term time, const Run& run, std::size_t number, const Spoken& spoken, std::vector<Term>& out);
  void first_send(Term letter, std::vector<Term>& out);
  void start(const Spoken& spoken, std::vector<Term>& out);
  void last_change(Term change, std::vector<Term>& out);
  void uses(const std::string& about, bool all, const Spoken& spoken, std::vector<Term>& out);
  void counting(const Spoken& spoken, std::vector<Term>& out);
  void types(const Spoken& spoken, std::vector<Term>& out);
  void tokens(const Spoken& spoken, std::vector<Term>& out);
  void constants(std::vector<Term>& out);

  const Run& run(std::size_t number, Term time);
  Run run(ir::StepId step, const std::string& number, Term self, Term time);
  void block(const std::vector<ir::StmtId>& stmts, Env& env, const std::string& name, Run& out, std::size_t guards);
  Term site(const Run& run, const LetterKind& kind, Term addressee, const std::vector<ValPtr>& args);
  Term kind_of(Term time) { return m_.apply("what happens", {time}, m_.tm.integer_sort()); }
  Term is_step(Term time, std::size_t number) {
    return m_.tm.eq(kind_of(time), m_.tm.integer(static_cast<std::int64_t>(number)));
  }
  Term acting(ir::RoleId role, Term time) { return m_.apply("acting " + m_.p[role].name, {time}, m_.role_sort(role)); }
  Term real(Term time) { return m_.between(m_.tm.integer(0), time, last_); }
  /// Of an event about which something is known.
  Term happens(Term time);
  Term next(Term time) { return m_.tm.add({time, m_.tm.integer(1)}); }
  bool last_is_kept() const;
  bool all_kept(ir::VarId var) const;
  bool all_senders_kept(const LetterKind& kind) const;
  [[nodiscard]] static std::string base(const std::string& name);
  std::optional<ValPtr> counted_set(Term size);
  bool finite(ir::TypeId type) const;
  template <typename Make>
  void attempt(Make make) {
    try {
      make();
    } catch (const Refused& refused) {
      missing_ = refused.what;
    }
  }

  Meaning& m_;
  const Question& question_;
  Term before_last_, last_;
  enum class Reach : std::uint8_t { now, step, history } reach_ = Reach::history;
  std::size_t steps_ = 0;  ///< numbers of events
  std::vector<ir::StepId> kept_;
  std::map<std::string, Layer> layers_;
  std::map<std::string, Symbol> symbols_;
  std::map<std::string, LetterKind> letters_;
  std::map<std::uint32_t, ir::TypeId> token_types_;  ///< by sort
  smt::Substitution definitions_;
  std::map<std::string, std::vector<Term>>
      instances_;  ///< by the number of the assertion: what a definition says of values
  std::vector<Introduction> introductions_;
  std::unordered_map<Term, std::size_t> introduced_;
  std::set<Term, bool (*)(Term, Term)> own_{smt::created_before};  ///< names of the goal
  std::vector<Term> setting_;                                      ///< when and of what the claim is supposed to fail …
  std::vector<Term> goal_;                                         ///< … and that it does
  std::map<std::pair<std::size_t, Term>, Run,
           bool (*)(const std::pair<std::size_t, Term>&, const std::pair<std::size_t, Term>&)>
      runs_;
  std::string missing_;
};

}  // namespace tenet::recheck
