/// One step of one host as terms: when it can happen, and what it leaves.
#pragma once

#include <functional>
#include <vector>

#include "tenet/encode/encoder.h"

namespace tenet::encode {

/// A step, or the receipt of a message from senders of one role.
struct Case {
  ir::StepId step;
  ir::RoleId sender;  ///< of a receive; else invalid
};

/// All cases of all steps, in source order. A message that nobody sends has none.
[[nodiscard]] std::vector<Case> cases_of(const Encoder& encoder);

/// What one `send` puts into the network, from the acting host: to each host
/// of `to` that it is addressed to, a message with these arguments.
struct Sending {
  Term condition;  ///< the statement is reached
  ir::MessageId message;
  ir::RoleId to;
  std::function<Term(const SymPtr& host)> addressed;
  std::function<std::vector<SymPtr>(const SymPtr& host)> arguments;
};

/// What a case does to a state. Holds references to the encoder.
struct Transition {
  Case which;
  SymPtr self;
  std::vector<SymPtr> parameters;
  std::vector<SymPtr> choices;   ///< in the order of the text
  std::vector<Term> chosen;      ///< for each choice: whether its statement is reached
  std::vector<Letter> received;  ///< none or one
  std::vector<Sending> sendings;
  /// Parameters, choices and fields are values of their types, and the message is there.
  std::vector<Term> possible;
  /// Guard and `where` conditions hold; where numbers have ranges also that nothing leaves them.
  std::vector<Term> happens;
  /// What must hold wherever it is possible, so that nothing is read that is not there.
  std::vector<Term> demanded;
  StatePtr after;
};

/// Whether the sending puts this letter into the network, if it is reached.
[[nodiscard]] Term puts(Encoder& encoder, const Sending& sending, const SymPtr& self, const Letter& letter);

/// The case in the state `before`, with new names for all that it chooses. With `fixed` the parameters are these (null:
/// any value).
[[nodiscard]] Transition transition(Encoder& encoder, const Case& which, const StatePtr& before,
                                    const std::vector<SymPtr>& fixed = {});

}  // namespace tenet::encode
