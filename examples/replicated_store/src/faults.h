/// Switches that make the system wrong in one way each, for finding out who notices, and fail points at which a process
/// can be made to die. None is on unless a test or a command line says so, and none touches how events are told.
#pragma once

#include <array>

#include "tenet/system/role.h"

namespace replicated {

using tenet::system::FailPoint;
using tenet::system::Switch;

// Called as on the command line.
// NOLINTBEGIN(readability-identifier-naming)
namespace fault {
// Each wrong variant of the specification, under its name.
inline constexpr Switch believes_old_news{"believes_old_news", true,
                                          "a leader begins its ballot anew when it hears of an old preemption"};
inline constexpr Switch compares_numbers_only{"compares_numbers_only", true,
                                              "an acceptor compares the numbers of ballots and not their leaders"};
inline constexpr Switch counts_old_promises{"counts_old_promises", true, "a promise counts whatever ballot it is for"};
inline constexpr Switch forgets_its_vote{"forgets_its_vote", true, "a vote is sent and never written down"};
inline constexpr Switch ignores_its_promise{"ignores_its_promise", true, "an acceptor votes for every proposal"};
inline constexpr Switch insists_on_its_value{"insists_on_its_value", true,
                                             "a leader proposes its own value whatever was voted for"};
inline constexpr Switch keeps_its_promises{"keeps_its_promises", true,
                                           "a leader that tries again counts the promises of its last ballot"};
inline constexpr Switch tries_the_same_number{"tries_the_same_number", true,
                                              "a leader that tries again does not go beyond what it was told"};
// Faults of the implementation, which the specification has no words for.
inline constexpr Switch acceptor_without_fsync{"acceptor_without_fsync", false, "an acceptor does not fsync", true};
inline constexpr Switch leader_without_fsync{"leader_without_fsync", false, "a leader does not fsync", true};
inline constexpr Switch learner_without_fsync{"learner_without_fsync", false, "a learner does not fsync", true};
inline constexpr Switch accepts_first{"accepts_first", false, "an acceptor sends its vote before it has written it"};
inline constexpr Switch swapped_fields{"swapped_fields", false,
                                       "an acceptor stores number and leader of a vote's ballot swapped"};
inline constexpr Switch carries_votes_over{"carries_votes_over", false,
                                           "a leader takes the highest vote of the slot before for this one's"};
inline constexpr Switch counts_messages{"counts_messages", false, "a leader counts promises, and not who made them"};
inline constexpr Switch off_by_one_slot{"off_by_one_slot", false, "who asks for a slot's vote is sent the next slot's"};
inline constexpr Switch loses_last_slot{"loses_last_slot", false,
                                        "a replica that starts reads one slot too few, and goes on behind it"};
inline constexpr Switch lost_update{"lost_update", false, "every eighth put does not reach the store"};
inline constexpr Switch stale_cache{"stale_cache", false, "reads are answered from what the replica has applied"};
inline constexpr Switch executes_again{"executes_again", false, "a command that is in two slots is executed twice"};
inline constexpr Switch answers_first{"answers_first", false, "a put is answered when it is proposed"};
inline constexpr Switch applies_out_of_order{"applies_out_of_order", false, "a slot is applied when it is learned"};
}  // namespace fault

inline constexpr std::array kFaults = {
    fault::believes_old_news,    fault::compares_numbers_only, fault::counts_old_promises,
    fault::forgets_its_vote,     fault::ignores_its_promise,   fault::insists_on_its_value,
    fault::keeps_its_promises,   fault::tries_the_same_number, fault::acceptor_without_fsync,
    fault::leader_without_fsync, fault::learner_without_fsync, fault::accepts_first,
    fault::swapped_fields,       fault::carries_votes_over,    fault::counts_messages,
    fault::off_by_one_slot,      fault::loses_last_slot,       fault::lost_update,
    fault::stale_cache,          fault::executes_again,        fault::answers_first,
    fault::applies_out_of_order,
};

namespace point {
inline constexpr FailPoint acceptor_before_write = "acceptor_before_write";
inline constexpr FailPoint acceptor_written = "acceptor_written";  // and nobody was told
inline constexpr FailPoint acceptor_sent = "acceptor_sent";
inline constexpr FailPoint leader_before_write = "leader_before_write";
inline constexpr FailPoint leader_written = "leader_written";
inline constexpr FailPoint leader_sent = "leader_sent";
inline constexpr FailPoint learner_before_write = "learner_before_write";
inline constexpr FailPoint learner_written = "learner_written";
inline constexpr FailPoint replica_applied = "replica_applied";  // and no client was answered
}  // namespace point
// NOLINTEND(readability-identifier-naming)

inline constexpr std::array kFailPoints = {
    point::acceptor_before_write, point::acceptor_written, point::acceptor_sent,
    point::leader_before_write,   point::leader_written,   point::leader_sent,
    point::learner_before_write,  point::learner_written,  point::replica_applied};

}  // namespace replicated
