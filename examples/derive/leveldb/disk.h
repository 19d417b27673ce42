// A disk that can lose its power, below LevelDB: the system calls of its files go through here.
//
// Names (creating, renaming, removing) are kept as they are; of a file's bytes, those are sure that were there at its
// last fdatasync. That is more than POSIX promises for names, so that what is found is not an old quarrel about
// directories.
#pragma once

#include <string>

namespace disk {

/// Follows the files in this folder from now on.
void watch(const std::string& folder);
/// After so many more writes (`of_tables`: to tables) the power fails in the middle of one: a part of its bytes is
/// written (of a log, perhaps all of its length), and nothing reaches the disk any more.
void fail_after(unsigned writes, bool of_tables, unsigned long seed);
/// Whether it has failed.
bool failed();
/// The power is back: of what was not synced, all, nothing or a random beginning is there. `keep`: all (only the
/// process died).
void restart(bool keep, unsigned long seed);

}  // namespace disk
