// A random workload on LevelDB, watched by the checkers of LevelDB's own tests.
//
//   workload FOLDER SEED OPERATIONS [PROFILE] [FINDINGS]
//
// Profiles: "snapshots" (1 kB values, 100 snapshots, 1 MB of memory table: what brings a deleted key back in 1.23),
// "small" (short values, iterators, reopening), "threads" (four clients). Ends with the monitor's exit status and
// prints one line: operations until the first finding, or that there was none.
#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "tenet_leveldb_checkers.h"

namespace {

std::atomic<unsigned long> operations{0};

struct Profile {
  unsigned keys = 2000;
  unsigned hot = 0;  // 0: all keys are as likely
  std::size_t value = 16;
  std::size_t snapshots = 0;  // alive at a time
  unsigned snapshot_every = 50;
  std::size_t memory = 64 << 10;
  unsigned threads = 1;
  bool iterators = true;
  unsigned long reopen_every = 0;
};

std::string key_of(unsigned number) {
  char text[32];
  std::snprintf(text, sizeof text, "key%06u", number);
  return text;
}

class Client {
 public:
  Client(const Profile& profile, unsigned seed) : profile_(profile), random_(seed) {}

  void run(leveldb::DB& db, unsigned long count) {
    for (unsigned long i = 0; i < count; ++i) {
      operations.fetch_add(1, std::memory_order_relaxed);
      step(db);
    }
    for (const leveldb::Snapshot* snapshot : snapshots_) db.ReleaseSnapshot(snapshot);
    snapshots_.clear();
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  // Work wanders over the keys, if the profile says so: then files hold narrow ranges.
  unsigned number() {
    if (profile_.hot == 0) return below(profile_.keys);
    if (below(3000) == 0) hot_ = below(profile_.keys);
    return (hot_ + below(profile_.hot)) % profile_.keys;
  }
  std::string value() {
    std::string text = std::to_string(random_());
    text.resize(profile_.value, static_cast<char>('a' + below(26)));
    return text;
  }
  void step(leveldb::DB& db) {
    const std::string key = key_of(number());
    std::string seen;
    const unsigned what = below(100);
    if (what < 35) {
      db.Put(leveldb::WriteOptions(), key, value());
    } else if (what < 55) {
      db.Delete(leveldb::WriteOptions(), key);
    } else if (what < 58) {
      leveldb::WriteBatch batch;
      for (int i = 0; i < 5; ++i) {
        const std::string other = key_of(number());
        if (below(2) == 0)
          batch.Put(other, value());
        else
          batch.Delete(other);
      }
      db.Write(leveldb::WriteOptions(), &batch);
    } else if (what < 94 || !profile_.iterators) {
      leveldb::ReadOptions options;
      if (!snapshots_.empty() && below(4) == 0)
        options.snapshot = snapshots_[below(static_cast<unsigned>(snapshots_.size()))];
      // Readers come back to what writers have left.
      db.Get(options, below(2) == 0 ? key : key_of(below(profile_.keys)), &seen);
    } else if (what < 97) {
      const std::unique_ptr<leveldb::Iterator> iterator(db.NewIterator(leveldb::ReadOptions()));
      iterator->Seek(key);
      for (int i = 0; i < 10 && iterator->Valid(); ++i) {
        if (below(3) != 0)
          iterator->Next();
        else
          iterator->Prev();
      }
    }
    if (profile_.snapshots > 0 && below(profile_.snapshot_every) == 0) {
      snapshots_.push_back(db.GetSnapshot());
      if (snapshots_.size() > profile_.snapshots) {
        const unsigned which = below(static_cast<unsigned>(snapshots_.size()));
        db.ReleaseSnapshot(snapshots_[which]);
        snapshots_.erase(snapshots_.begin() + which);
      }
    }
    // Now and then all readers end: what was kept for them can be compacted away.
    if (!snapshots_.empty() && below(30000) == 0) {
      for (const leveldb::Snapshot* snapshot : snapshots_) db.ReleaseSnapshot(snapshot);
      snapshots_.clear();
    }
  }

  const Profile& profile_;
  std::mt19937_64 random_;
  unsigned hot_ = 0;
  std::vector<const leveldb::Snapshot*> snapshots_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 3;
  const std::string folder = argv[1];
  const auto seed = static_cast<unsigned>(std::atoi(argv[2]));
  const auto count = std::strtoul(argv[3], nullptr, 10);
  const std::string name = argc > 4 ? argv[4] : "small";
  Profile profile;
  if (name == "snapshots") {
    profile.keys = 3000;
    profile.value = 1000;
    profile.snapshots = 100;
    profile.snapshot_every = 200;
    profile.memory = 1 << 20;
    profile.iterators = false;
  } else if (name == "threads") {
    profile.threads = 4;
    profile.keys = 20000;
  } else {
    profile.reopen_every = 20000;
    profile.snapshots = 10;
  }

  leveldb::DestroyDB(folder, leveldb::Options());
  tenet::monitor::Options options;
  options.file = folder + ".rings";
  options.findings = argc > 5 ? argv[5] : folder + ".findings.jsonl";
  options.ring_bytes = 16u << 20;
  options.memory_bytes = std::size_t{512} << 20;
  options.reveal = true;
  std::remove(options.file.c_str());
  std::string error;
  auto monitor = tenet::monitor::Monitor::start(options, tenet_leveldb::make_rules(), error);
  if (monitor == nullptr) {
    std::fprintf(stderr, "not watched: %s\n", error.c_str());
    return 3;
  }

  unsigned long done = 0, first_finding = 0;
  bool fresh = true;
  while (done < count && first_finding == 0) {
    leveldb::Options opening;
    opening.create_if_missing = true;
    opening.error_if_exists = fresh;
    opening.write_buffer_size = profile.memory;
    opening.compression = leveldb::kNoCompression;  // the sizes are meant
    fresh = false;
    leveldb::DB* opened = nullptr;
    if (!leveldb::DB::Open(opening, folder, &opened).ok()) return 3;
    const std::unique_ptr<leveldb::DB> db(opened);
    const unsigned long until = profile.reopen_every == 0 ? count : std::min(count, done + profile.reopen_every);
    std::vector<Client> clients;
    for (unsigned i = 0; i < profile.threads; ++i)
      clients.emplace_back(profile, seed * 1000 + i + static_cast<unsigned>(done));
    constexpr unsigned long kSlice = 5000;
    while (done < until && first_finding == 0) {
      const unsigned long slice = std::min(kSlice, until - done);
      if (profile.threads == 1) {
        clients.front().run(*db, slice);
      } else {
        std::vector<std::thread> threads;
        for (Client& client : clients) threads.emplace_back([&] { client.run(*db, slice / profile.threads); });
        for (std::thread& thread : threads) thread.join();
      }
      done += slice;
      if (name == "snapshots") {
        std::string seen;
        for (unsigned i = 0; i < profile.keys; ++i) db->Get(leveldb::ReadOptions(), key_of(i), &seen);
      }
      tenet::derived::settle(*monitor, 60000);
      if (monitor->summary().findings > 0) first_finding = done;
    }
  }
  monitor->stop();
  const tenet::monitor::Summary summary = monitor->summary();
  if (first_finding > 0) {
    std::printf("seed %u: found within %lu operations\n", seed, first_finding);
  } else {
    std::printf("seed %u: nothing in %lu operations\n", seed, done);
  }
  std::uint64_t passed = 0, unknown = 0;
  for (const auto& rule : summary.rules) {
    passed += rule.passed;
    unknown += rule.unknown;
  }
  std::printf(
      "  %s; %.2f %% unknown\n", to_text(summary).c_str(),
      passed + unknown == 0 ? 0.0 : 100.0 * static_cast<double>(unknown) / static_cast<double>(passed + unknown));
  leveldb::DestroyDB(folder, leveldb::Options());
  return summary.exit_status();
}
