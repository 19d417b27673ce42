#include "faults.h"

#include <array>

namespace replicated {

namespace {

constexpr std::array kFaults = {
    FaultInfo{{"believes_old_news", true, "a leader begins its ballot anew when it hears of an old preemption"},
              Fault::believes_old_news},
    FaultInfo{{"compares_numbers_only", true, "an acceptor compares the numbers of ballots and not their leaders"},
              Fault::compares_numbers_only},
    FaultInfo{{"counts_old_promises", true, "a promise counts whatever ballot it is for"}, Fault::counts_old_promises},
    FaultInfo{{"forgets_its_vote", true, "a vote is sent and never written down"}, Fault::forgets_its_vote},
    FaultInfo{{"ignores_its_promise", true, "an acceptor votes for every proposal"}, Fault::ignores_its_promise},
    FaultInfo{{"insists_on_its_value", true, "a leader proposes its own value whatever was voted for"},
              Fault::insists_on_its_value},
    FaultInfo{{"keeps_its_promises", true, "a leader that tries again counts the promises of its last ballot"},
              Fault::keeps_its_promises},
    FaultInfo{{"tries_the_same_number", true, "a leader that tries again does not go beyond what it was told"},
              Fault::tries_the_same_number},
    FaultInfo{{"acceptor_without_fsync", false, "an acceptor does not fsync", true}, Fault::acceptor_without_fsync},
    FaultInfo{{"leader_without_fsync", false, "a leader does not fsync", true}, Fault::leader_without_fsync},
    FaultInfo{{"learner_without_fsync", false, "a learner does not fsync", true}, Fault::learner_without_fsync},
    FaultInfo{{"accepts_first", false, "an acceptor sends its vote before it has written it"}, Fault::accepts_first},
    FaultInfo{{"swapped_fields", false, "an acceptor stores number and leader of a vote's ballot swapped"},
              Fault::swapped_fields},
    FaultInfo{{"carries_votes_over", false, "a leader takes the highest vote of the slot before for this one's"},
              Fault::carries_votes_over},
    FaultInfo{{"counts_messages", false, "a leader counts promises, and not who made them"}, Fault::counts_messages},
    FaultInfo{{"off_by_one_slot", false, "who asks for a slot's vote is sent the next slot's"}, Fault::off_by_one_slot},
    FaultInfo{{"loses_last_slot", false, "a replica that starts reads one slot too few, and goes on behind it"},
              Fault::loses_last_slot},
    FaultInfo{{"lost_update", false, "every eighth put does not reach the store"}, Fault::lost_update},
    FaultInfo{{"stale_cache", false, "reads are answered from what the replica has applied"}, Fault::stale_cache},
    FaultInfo{{"executes_again", false, "a command that is in two slots is executed twice"}, Fault::executes_again},
    FaultInfo{{"answers_first", false, "a put is answered when it is proposed"}, Fault::answers_first},
    FaultInfo{{"applies_out_of_order", false, "a slot is applied when it is learned"}, Fault::applies_out_of_order},
};

constexpr tenet::system::Names<FailPoint, 10> kPoints("none", "acceptor_before_write", "acceptor_written",
                                                      "acceptor_sent", "leader_before_write", "leader_written",
                                                      "leader_sent", "learner_before_write", "learner_written",
                                                      "replica_applied");

}  // namespace

std::span<const FaultInfo> all_faults() { return kFaults; }

std::optional<Fault> fault_named(std::string_view name) { return tenet::system::named(all_faults(), name); }
std::optional<FailPoint> fail_point_named(std::string_view name) { return kPoints.named(name); }
std::string_view to_string(FailPoint point) { return kPoints.of(point); }
std::span<const FailPoint> all_fail_points() { return kPoints.members(); }

}  // namespace replicated
