/// What each struct consists of, for bytes (tenet/system/wire.h).
#pragma once

#include "message.h"
#include "tenet/system/wire.h"

namespace replicated {

using tenet::system::each;

void fields(auto& a, Ballot& v) { each(a, v.number, v.leader); }
void fields(auto& a, Vote& v) { each(a, v.ballot, v.value); }
void fields(auto& a, Command& v) { each(a, v.client, v.number, v.put, v.key, v.value); }
void fields(auto& a, Batch& v) { each(a, v.commands); }
void fields(auto& a, Result& v) { each(a, v.number, v.version, v.value); }
void fields(auto& a, Node& v) { each(a, v.kind, v.index); }
void fields(auto& a, Name& v) { each(a, v.host, v.sequence); }
void fields(auto& a, Prepare& v) { each(a, v.slot, v.ballot); }
void fields(auto& a, Promise& v) { each(a, v.slot, v.ballot, v.voted); }
void fields(auto& a, Propose& v) { each(a, v.slot, v.vote); }
void fields(auto& a, Accept& v) { each(a, v.slot, v.vote); }
void fields(auto& a, Preempt& v) { each(a, v.slot, v.ballot); }
void fields(auto& a, Request& v) { each(a, v.command); }
void fields(auto& a, Answer& v) { each(a, v.result); }
void fields(auto& a, Beat& v) { each(a, v.next); }
void fields(auto& a, Ask& v) { each(a, v.slot); }

}  // namespace replicated
