/// Forward chaining: what follows at once from what facts say, in the order of
/// how far it is from the goal.
///
/// A model gives every term a value, also those that no fact speaks of. To look
/// at what breaks a fact in the model only by such a value would name more and
/// more that does not matter. So an instance counts only if all of its parts but
/// one are decided by what facts say: then that one follows (unit propagation
/// over lazily named terms).
#include <algorithm>

#include "chase.h"

namespace tenet::provenance {

using smt::Term;

namespace {
/// How much later what is known of a sender has its turn than what is known of its message.
constexpr int kSenderCost = 1;
}  // namespace

/// Whether its turn comes later.
bool Chase::too_far(int generation) {
  if (generation < depth_) return false;
  nearest_ = std::min(nearest_.value_or(generation), generation);
  return true;
}

/// Whether what facts say makes the term what it is in the model: a term that
/// no fact speaks of may be anything.
bool Chase::known(Term term) {
  if (const auto found = known_.find(term.id()); found != known_.end()) return found->second;
  bool is = false;
  const auto args = term.args();
  switch (term.kind()) {
    case smt::Kind::boolean:
    case smt::Kind::number:
    case smt::Kind::enumerator:
      is = true;
      break;
    case smt::Kind::application:
      is = x_.spoken(term);
      if (is || args.empty()) break;
      if (!spoken_applications_) {
        spoken_applications_.emplace();
        for (const Term spoken : x_.spoken_applications()) spoken_applications_->insert(application_key(spoken));
      }
      is = std::all_of(args.begin(), args.end(), [this](Term arg) { return known(arg); }) &&
           spoken_applications_->contains(application_key(term));
      break;
    case smt::Kind::ite:
      is = known(args[0]) && known(is_true(args[0]) ? args[1] : args[2]);
      break;
    case smt::Kind::and_:
    case smt::Kind::or_:
    case smt::Kind::implies:
      is = truth_known(term);
      break;
    default:
      is = std::all_of(args.begin(), args.end(), [this](Term arg) { return known(arg); });
  }
  known_.emplace(term.id(), is);
  return is;
}

bool Chase::truth_known(Term term) {
  const auto args = term.args();
  const auto all = [&] { return std::all_of(args.begin(), args.end(), [this](Term arg) { return known(arg); }); };
  const auto some = [&](bool truth) {
    return std::any_of(args.begin(), args.end(), [&](Term arg) { return known(arg) && is_true(arg) == truth; });
  };
  switch (term.kind()) {
    case smt::Kind::and_:
      return some(false) || all();
    case smt::Kind::or_:
      return some(true) || all();
    default:  // implies
      return (known(args[0]) && !is_true(args[0])) || (known(args[1]) && is_true(args[1])) || all();
  }
}

/// Of a formula that is to have a truth: how many parts, none of which facts
/// decide, could give it that truth. With none it contradicts what is known,
/// with one this part follows.
int Chase::open_parts(Term term, bool wanted) {
  if (known(term)) return 0;
  const auto args = term.args();
  const auto any_of_them = [&](bool arg_wanted) {
    int sum = 0;
    for (const Term arg : args) sum += open_parts(arg, arg_wanted);
    return sum;
  };
  const auto all_of_them = [&](bool arg_wanted) {
    int least = -1;
    for (const Term arg : args) {
      if (known(arg) && is_true(arg) == arg_wanted) continue;
      const int open = open_parts(arg, arg_wanted);
      if (least < 0 || open < least) least = open;
    }
    return std::max(least, 0);
  };
  switch (term.kind()) {
    case smt::Kind::not_:
      return open_parts(args[0], !wanted);
    case smt::Kind::and_:
      return wanted ? all_of_them(true) : any_of_them(false);
    case smt::Kind::or_:
      return wanted ? any_of_them(true) : all_of_them(false);
    case smt::Kind::implies:
      if (wanted) return open_parts(args[0], false) + open_parts(args[1], true);
      if (known(args[0])) return open_parts(args[1], false);
      if (known(args[1])) return open_parts(args[0], true);
      return std::min(open_parts(args[0], true), open_parts(args[1], false));
    default:
      return 1;
  }
}

/// Whether it says of something that no fact speaks of that it is there, from
/// which more may follow: a message, a member, a flag. Numbers lead nowhere.
bool Chase::leads_on(Term term) {
  if (x_.spoken(term)) return false;
  const bool flag = term.kind() == smt::Kind::application && term.sort().kind() == smt::SortKind::boolean;
  if (flag || x_.is_sending(term)) return true;
  return std::any_of(term.args().begin(), term.args().end(), [this](Term arg) { return leads_on(arg); });
}

/// Names the events in which messages were sent.
bool Chase::explain_senders() {
  bool any = false;
  for (std::size_t l = 0; l < x_.letters.size(); ++l) {
    const Letter& letter = x_.letters[l];
    if (letter.explained || !x_.spoken(letter.sent_at) || !is_true(x_.in_network(letter.sent_at, x_.last()))) continue;
    if (too_far(letter.generation)) continue;
    x_.generation = letter.generation + kSenderCost;
    x_.explain_letter(l);
    any = true;
  }
  return any;
}

}  // namespace tenet::provenance
