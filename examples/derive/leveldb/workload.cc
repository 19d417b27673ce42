// A random workload on LevelDB, watched by the checkers of LevelDB's own tests, and compared with a model of its own.
//
//   workload FOLDER SEED OPERATIONS [PROFILE [FINDINGS]]
//
// It ends when the checkers and the model have both found something, or after OPERATIONS, and prints one line of JSON:
// after how many operations the checkers had found something (`found_within`; they are asked after each slice), at
// which the model did (`wrong_at`), how many answers were wrong, how many operations failed though no power failed
// (`errors`), and how often the checkers passed and did not know. Status 1 if the checkers found something; 2 if only
// the model did.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "disk.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "model.h"
#include "tenet_leveldb_checkers.h"

namespace {

struct Profile {
  std::string name;
  unsigned keys = 2000;
  std::size_t value = 16;
  std::size_t memory = 64 << 10;
  unsigned threads = 1;
  std::size_t snapshots = 0;  // alive at a time
  unsigned snapshot_every = 50;
  unsigned iterators = 3;       // per cent of the operations
  unsigned iterator_seeks = 1;  // of one iterator; with more than one, it is written between them
  unsigned sync_one_in = 0;
  unsigned read_back_one_in = 0;  // what was just written
  unsigned long reopen_every = 0;
  bool power_fails =
      false;  // …at a random moment; then all clients but the last one sync, and nobody reads what that writes
  unsigned compact_every = 0;  // by hand, a random range
  unsigned flush_every = 0;    // the memory table, and nothing else
  unsigned spread = 0;         // not 0: writes come in bursts between flushes, near one key or spread
  bool sweeps = false;         // all keys are read after each slice
  unsigned long slice = 1000;
};

const Profile kProfiles[] = {
    {.name = "small", .snapshots = 10, .reopen_every = 20000},
    {.name = "threads",
     .keys = 20000,
     .threads = 4,
     .snapshots = 3,
     .sync_one_in = 8,
     .read_back_one_in = 4,
     .slice = 4000},
    // What brings a deleted key back in 1.23: many versions of large values.
    {.name = "snapshots",
     .keys = 3000,
     .value = 1000,
     .memory = 1 << 20,
     .snapshots = 100,
     .snapshot_every = 200,
     .iterators = 0,
     .sweeps = true,
     .slice = 5000},
    // Fewer keys, so that the versions of one reach over the end of a file.
    {.name = "versions",
     .keys = 300,
     .value = 1000,
     .memory = 256 << 10,
     .snapshots = 100,
     .snapshot_every = 20,
     .iterators = 1,
     .compact_every = 3000,
     .sweeps = true},
    // Files of level 0 that are too large for a compaction to take more of them than it was asked for.
    {.name = "compaction",
     .keys = 3000,
     .value = 10000,
     .memory = 16 << 20,
     .iterators = 1,
     .compact_every = 6000,
     .sweeps = true,
     .slice = 5000},
    {.name = "layout",
     .keys = 300,
     .iterators = 1,
     .compact_every = 5000,
     .flush_every = 12,
     .spread = 8,
     .sweeps = true},
    {.name = "turning", .keys = 200, .memory = 16 << 10, .snapshots = 5, .iterators = 20, .iterator_seeks = 4},
    {.name = "crash",
     .keys = 500,
     .memory = 32 << 10,
     .threads = 3,
     .iterators = 0,
     .power_fails = true,
     .slice = 1500},
};

std::atomic<unsigned long> operations{0}, wrong{0}, wrong_at{0}, errors{0};

void disagree() {
  unsigned long none = 0;
  wrong_at.compare_exchange_strong(none, operations.load(std::memory_order_relaxed));
  ++wrong;
}

std::string key_of(unsigned number) {
  char text[32];
  std::snprintf(text, sizeof text, "key%06u", number);
  return text;
}

class Client {
 public:
  Client(const Profile& profile, unsigned index, unsigned long seed)
      : profile_(profile),
        index_(index),
        unread_(profile.power_fails ? profile.threads - 1 : profile.threads),
        random_(seed) {}

  /// Fewer, if the power fails.
  void run(leveldb::DB& db, unsigned long count) {
    for (unsigned long i = 0; i < count && !disk::failed(); ++i) {
      operations.fetch_add(1, std::memory_order_relaxed);
      step(db);
    }
  }
  void release(leveldb::DB& db) {
    for (const Held& held : snapshots_) let_go(db, held);
    snapshots_.clear();
  }
  void sweep(leveldb::DB& db) {
    for (unsigned i = 0; i < profile_.keys; ++i) get(db, i, nullptr);
  }

 private:
  struct Held {
    const leveldb::Snapshot* snapshot;
    std::uint64_t version;
  };

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  bool one_in(unsigned many) { return many > 0 && below(many) == 0; }
  // Every key has one client that writes it, and knows what is there.
  [[nodiscard]] bool is_mine(unsigned number) const { return number % profile_.threads == index_; }
  unsigned mine(unsigned number) const {
    return std::min(number - number % profile_.threads + index_,
                    profile_.keys - profile_.keys % profile_.threads - profile_.threads + index_);
  }
  unsigned number() {
    if (profile_.spread == 0) return mine(below(profile_.keys));
    if (burst_ == 0 || one_in(profile_.flush_every)) {
      burst_ = one_in(2) ? 3 : profile_.keys / (1 + below(profile_.spread));
      base_ = below(profile_.keys);
    }
    return (base_ + below(burst_)) % profile_.keys;
  }
  std::string value() {
    std::string text = std::to_string(random_());
    text.resize(profile_.value, static_cast<char>('a' + below(26)));
    return text;
  }
  leveldb::WriteOptions writing() {
    leveldb::WriteOptions options;
    options.sync = profile_.power_fails ? index_ != unread_ : one_in(profile_.sync_one_in);
    return options;
  }
  void wrote(const leveldb::Status& status, const std::vector<Model::Change>& changes) {
    model_.write(changes, status.ok());
    if (!status.ok() && !disk::failed()) ++errors;
  }
  const Held* some_snapshot() {
    return snapshots_.empty() || !one_in(4) ? nullptr : &snapshots_[below(static_cast<unsigned>(snapshots_.size()))];
  }
  void let_go(leveldb::DB& db, const Held& held) {
    db.ReleaseSnapshot(held.snapshot);
    model_.release(held.version);
  }

  void get(leveldb::DB& db, unsigned number, const Held* held) {
    if (number % profile_.threads == unread_) return;
    leveldb::ReadOptions options;
    if (held != nullptr) options.snapshot = held->snapshot;
    const std::string key = key_of(number);
    std::string seen;
    const leveldb::Status status = db.Get(options, key, &seen);
    if (!status.ok() && !status.IsNotFound()) {
      if (!disk::failed()) ++errors;
      return;
    }
    if (!is_mine(number)) return;
    const Model::Content content = status.ok() ? Model::of(seen) : Model::Content();
    if (!model_.agrees(key, content, held != nullptr ? held->version : model_.version())) disagree();
  }

  void put_or_delete(leveldb::DB& db, bool put) {
    const unsigned which = number();
    const std::string key = key_of(which);
    if (put) {
      const std::string written = value();
      wrote(db.Put(writing(), key, written), {{key, Model::of(written)}});
    } else {
      wrote(db.Delete(writing(), key), {{key, Model::Content()}});
    }
    if (one_in(profile_.read_back_one_in)) get(db, which, nullptr);
  }
  void write_batch(leveldb::DB& db) {
    leveldb::WriteBatch batch;
    std::vector<Model::Change> changes;
    for (int i = 0; i < 5; ++i) {
      const std::string key = key_of(number());
      if (one_in(2)) {
        const std::string written = value();
        batch.Put(key, written);
        changes.emplace_back(key, Model::of(written));
      } else {
        batch.Delete(key);
        changes.emplace_back(key, Model::Content());
      }
    }
    wrote(db.Write(writing(), &batch), changes);
  }

  [[nodiscard]] bool knows(const std::string& key) const {
    return is_mine(static_cast<unsigned>(std::strtoul(key.c_str() + 3, nullptr, 10)));
  }
  /// The iterator went up from (or down to) `from`; `with_it`: it may stay there.
  void compare(const leveldb::Iterator& iterator, std::optional<std::string> from, bool with_it, bool up,
               std::uint64_t at) {
    std::optional<std::string> seen;
    if (iterator.Valid()) seen = iterator.key().ToString();
    bool agrees = true;
    if (seen && from) agrees = up ? (with_it ? *seen >= *from : *seen > *from) : *seen < *from;
    if (agrees && seen && knows(*seen)) agrees = model_.content(*seen, at) == Model::of(iterator.value().ToString());
    if (agrees)
      agrees = !(up ? model_.any_between(from, with_it, seen, at) : model_.any_between(seen, !seen, from, at));
    if (!agrees) disagree();
  }
  void iterate(leveldb::DB& db) {
    const Held* held = profile_.iterator_seeks > 1 ? some_snapshot() : nullptr;
    leveldb::ReadOptions options;
    if (held != nullptr) options.snapshot = held->snapshot;
    const std::uint64_t at = held != nullptr ? held->version : model_.version();
    model_.hold(at);
    const std::unique_ptr<leveldb::Iterator> iterator(db.NewIterator(options));
    for (unsigned seek = 0; seek < profile_.iterator_seeks; ++seek) {
      if (seek > 0) {
        for (unsigned i = below(4); i > 0; --i) put_or_delete(db, one_in(2));
      }
      const unsigned way = profile_.iterator_seeks > 1 ? below(8) : 2;
      if (way == 0) {
        iterator->SeekToFirst();
        compare(*iterator, {}, true, true, at);
      } else if (way == 1) {
        iterator->SeekToLast();
        compare(*iterator, {}, true, false, at);
      } else {
        const std::string target = key_of(below(profile_.keys));
        iterator->Seek(target);
        compare(*iterator, target, true, true, at);
      }
      for (int i = 0; i < 10 && iterator->Valid(); ++i) {
        const std::string from = iterator->key().ToString();
        const bool up = !one_in(profile_.iterator_seeks > 1 ? 2 : 3);
        if (up) {
          iterator->Next();
        } else {
          iterator->Prev();
        }
        compare(*iterator, from, false, up, at);
      }
    }
    if (!iterator->status().ok()) ++errors;
    model_.release(at);
  }

  void maintain(leveldb::DB& db) {
    if (profile_.snapshots > 0 && one_in(profile_.snapshot_every)) {
      snapshots_.push_back({db.GetSnapshot(), model_.version()});
      model_.hold(model_.version());
      if (snapshots_.size() > profile_.snapshots) {
        const unsigned which = below(static_cast<unsigned>(snapshots_.size()));
        let_go(db, snapshots_[which]);
        snapshots_.erase(snapshots_.begin() + which);
      }
    }
    // Now and then all readers end: what was kept for them can be compacted away.
    if (!snapshots_.empty() && one_in(30000)) release(db);
    if (one_in(profile_.flush_every)) {
      const leveldb::Slice from("~"),
          to("~~");  // behind all keys: the memory table is written out, no table is compacted
      db.CompactRange(&from, &to);
    }
    if (one_in(profile_.compact_every)) {
      const std::string low = key_of(below(profile_.keys)), high = key_of(below(profile_.keys));
      const leveldb::Slice from(low), to(high);
      if (low <= high) {
        db.CompactRange(&from, &to);
      } else {
        db.CompactRange(nullptr, nullptr);
      }
    }
  }

  void step(leveldb::DB& db) {
    const unsigned what = below(100);
    if (what < profile_.iterators) {
      iterate(db);
    } else if (what < 38) {
      put_or_delete(db, true);
    } else if (what < 58) {
      put_or_delete(db, false);
    } else if (what < 61) {
      write_batch(db);
    } else if (index_ != unread_) {
      const Held* held = some_snapshot();
      get(db, one_in(2) ? number() : below(profile_.keys), held);
    }
    maintain(db);
  }

  const Profile& profile_;
  const unsigned index_;
  const unsigned unread_;  // the client whose keys nobody reads
  std::mt19937_64 random_;
  unsigned burst_ = 0, base_ = 0;
  Model model_;
  std::vector<Held> snapshots_;
};

/// The checker takes the lowest priority, and the workload waits for it after each slice: on a busy machine that would
/// be most of the time. (Only root may raise it; else nothing changes.)
void raise_checker() {
  const int mine = ::getpriority(PRIO_PROCESS, 0);
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(std::atoi(task.path().filename().c_str())), mine);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 3;
  const std::string folder = argv[1];
  const auto seed = std::strtoul(argv[2], nullptr, 10);
  const auto count = std::strtoul(argv[3], nullptr, 10);
  const std::string name = argc > 4 ? argv[4] : "small";
  const auto* const profile =
      std::find_if(std::begin(kProfiles), std::end(kProfiles), [&](const Profile& p) { return p.name == name; });
  if (profile == std::end(kProfiles)) {
    std::fprintf(stderr, "workload: no profile %s\n", name.c_str());
    return 3;
  }

  leveldb::DestroyDB(folder, leveldb::Options());
  if (profile->power_fails) disk::watch(folder);
  tenet::monitor::Options options;
  options.file = folder + ".rings";
  options.findings = argc > 5 ? argv[5] : folder + ".findings.jsonl";
  options.ring_bytes = 16u << 20;
  options.memory_bytes = std::size_t{512} << 20;
  options.reveal = true;
  std::remove(options.file.c_str());
  std::remove(options.findings.c_str());
  std::string error;
  auto monitor = tenet::monitor::Monitor::start(options, tenet_leveldb::make_rules(), error);
  if (monitor == nullptr) {
    std::fprintf(stderr, "not watched: %s\n", error.c_str());
    return 3;
  }

  std::mt19937_64 random(seed);
  std::vector<Client> clients;
  for (unsigned i = 0; i < profile->threads; ++i) clients.emplace_back(*profile, i, seed * 1000 + i);
  unsigned long found_within = 0;
  unsigned openings = 0;
  const auto over = [&] { return operations >= count || (found_within > 0 && wrong > 0); };
  while (!over()) {
    leveldb::Options opening;
    opening.create_if_missing = true;
    opening.error_if_exists = openings == 0;
    opening.write_buffer_size = profile->memory;
    opening.max_file_size = 1 << 20;
    opening.compression = leveldb::kNoCompression;  // the sizes are meant
    leveldb::DB* opened = nullptr;
    const leveldb::Status status = leveldb::DB::Open(opening, folder, &opened);
    if (!status.ok()) {
      ++errors;
      std::fprintf(stderr, "workload: %s\n", status.ToString().c_str());
      break;
    }
    ++openings;
    std::unique_ptr<leveldb::DB> db(opened);
    // After a power loss all is read before the power fails again.
    if (profile->power_fails) {
      for (Client& client : clients) client.sweep(*db);
      const bool in_table = random() % 2 == 0;
      disk::fail_after(1 + static_cast<unsigned>(random() % (in_table ? 4 : 3000)), in_table, random());
    }
    const unsigned long until =
        profile->reopen_every == 0 ? count : std::min<unsigned long>(count, operations + profile->reopen_every);
    while (operations < until && !over() && !disk::failed()) {
      const unsigned long slice = std::min(profile->slice, until - operations);
      std::vector<std::thread> threads;
      for (Client& client : clients) {
        if (clients.size() == 1) {
          client.run(*db, slice);
        } else {
          threads.emplace_back([&] { client.run(*db, slice / profile->threads + 1); });
        }
      }
      for (std::thread& thread : threads) thread.join();
      if (profile->sweeps) clients.front().sweep(*db);
      tenet::derived::settle(*monitor, 60000);
      if (openings == 1) raise_checker();
      if (found_within == 0 && monitor->summary().findings > 0) found_within = operations;
    }
    for (Client& client : clients) client.release(*db);
    db.reset();
    if (disk::failed()) disk::restart(random() % 4 == 0, random());
  }
  tenet::derived::settle(*monitor, 60000);
  monitor->stop();
  const tenet::monitor::Summary summary = monitor->summary();
  if (found_within == 0 && summary.findings > 0) found_within = operations;
  std::uint64_t passed = 0, unknown = 0, violated = 0;
  for (const auto& rule : summary.rules) {
    passed += rule.passed;
    unknown += rule.unknown;
    violated += rule.violated;
  }
  std::printf(
      "{\"profile\": \"%s\", \"seed\": %lu, \"operations\": %lu, \"openings\": %u, \"found_within\": %lu, "
      "\"wrong_at\": %lu, "
      "\"wrong\": %lu, \"errors\": %lu, \"violated\": %llu, \"passed\": %llu, \"unknown\": %llu, \"lost\": %llu}\n",
      name.c_str(), seed, operations.load(), openings, found_within, wrong_at.load(), wrong.load(), errors.load(),
      static_cast<unsigned long long>(violated), static_cast<unsigned long long>(passed),
      static_cast<unsigned long long>(unknown), static_cast<unsigned long long>(summary.dropped + summary.gaps));
  leveldb::DestroyDB(folder, leveldb::Options());
  if (summary.crashed) return 3;
  return summary.findings > 0 ? 1 : wrong > 0 ? 2 : 0;
}
