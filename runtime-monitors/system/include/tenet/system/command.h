/// The command line of a system: `int main(int n, char** words) { return tenet::system::run_command(system, n, words);
/// }`
#pragma once

#include "tenet/system/role.h"

namespace tenet::system {

/// Be a server (node), start all of them (start), load them (load), watch them (watch), kill them (chaos), play seeded
/// schedules of them (sweep), and measure what watching costs (bench); --help says more. The exit status: 0 all is
/// well, 1 something is violated or not linearizable or unanswered, 2 not decided, 3 usage, 4 it could not be done.
[[nodiscard]] int run_command(System& system, int count, char** words);

}  // namespace tenet::system
