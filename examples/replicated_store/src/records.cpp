#include "records.h"

#include "fields.h"

namespace replicated {

void fields(auto& a, LeaderSlot& v) { each(a, v.ballot, v.promised, v.highest, v.proposed, v.value); }
void fields(auto& a, AcceptorSlot& v) { each(a, v.promised, v.voted); }
void fields(auto& a, LearnerSlot& v) { each(a, v.accepts, v.learned); }

std::string encode(const LeaderSlot& slot) { return tenet::system::encoded(slot); }
bool decode(std::string_view bytes, LeaderSlot& slot) { return tenet::system::decoded(bytes, slot); }
std::string encode(const AcceptorSlot& slot) { return tenet::system::encoded(slot); }
bool decode(std::string_view bytes, AcceptorSlot& slot) { return tenet::system::decoded(bytes, slot); }
std::string encode(const LearnerSlot& slot) { return tenet::system::encoded(slot); }
bool decode(std::string_view bytes, LearnerSlot& slot) { return tenet::system::decoded(bytes, slot); }

}  // namespace replicated
