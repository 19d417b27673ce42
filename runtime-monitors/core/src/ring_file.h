/// The mapped file in which events live until they are checked. It outlives the process that writes it.
///
/// Layout (native byte order, version 1): a page with `FileHeader`, `kHostSlots` of `HostSlot`, `rings` of
/// `RingHeader`, and from the next page on the rings' words, `ring_words` each. docs/monitors.md describes it byte by
/// byte.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace tenet::monitor {

inline constexpr std::size_t kHostSlots = 256;
inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kStampBytes = 64;
inline constexpr std::uint32_t kFileVersion = 1;
inline constexpr int kSequenceBits = 40;

struct FileHeader {
  char magic[8];  ///< "TENETRNG"; written last
  std::uint32_t version;
  std::uint32_t rings;
  std::uint64_t ring_words;   ///< a power of two
  char stamp[kStampBytes];    ///< of the specification, zero-terminated
  std::uint64_t file_id;      ///< random
  std::uint64_t clock_ticks;  ///< the time stamp counter …
  std::uint64_t clock_ns;     ///< … at this time, nanoseconds since 1970
  std::atomic<std::uint32_t> enabled;
  std::atomic<std::uint32_t> sample_one_in;
  std::atomic<std::uint32_t> sample_slice;
  std::atomic<std::uint64_t> no_ring;   ///< events dropped because a thread had no ring, and hosts without a slot
  std::atomic<std::uint32_t> consumer;  ///< process that takes the events, 0 for none; whether it lives, a lock says
};

struct alignas(64) HostSlot {
  std::atomic<std::uint32_t> used;
  std::uint32_t host;
  std::atomic<std::uint32_t> incarnation;
  std::atomic<std::uint64_t> sequence;  ///< the last one taken
};

enum RingOwner : std::uint32_t {
  kFree = 0,
  kOwned = 1,     ///< by a thread of the process that has the file
  kAbandoned = 2  ///< its thread or process is gone; free once it is empty
};

struct RingHeader {
  alignas(64) std::atomic<std::uint64_t> tail;  ///< words published
  std::uint64_t known_head;                     ///< the producer's last look at `head`
  std::atomic<std::uint64_t> dropped;
  alignas(64) std::atomic<std::uint64_t> head;  ///< words consumed
  alignas(64) std::atomic<std::uint32_t> owner;
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(sizeof(FileHeader) <= kPage);

/// A file of rings in memory. Never unmapped while producers may hold pointers into it: see producer.cpp.
class RingFile {
 public:
  /// What `open` found.
  struct Opened {
    std::shared_ptr<RingFile> file;  ///< null if there is none
    std::string error;
    bool anonymous = false;  ///< no room on the disk: memory that dies with the process
    bool foreign = false;    ///< another stamp or layout; made anew (owner) or not read (watcher)
  };
  /// As the process that records: made if missing, kept with its unread events if it fits, locked against a second one.
  static Opened open_to_record(const std::string& path, const std::string& stamp, std::size_t rings,
                               std::size_t ring_words);
  /// To take events from another process.
  static Opened open_to_watch(const std::string& path, const std::string& stamp);
  ~RingFile();
  RingFile(const RingFile&) = delete;
  RingFile& operator=(const RingFile&) = delete;

  [[nodiscard]] FileHeader& header() { return *reinterpret_cast<FileHeader*>(base_); }
  [[nodiscard]] HostSlot& host(std::size_t i) { return reinterpret_cast<HostSlot*>(base_ + kPage)[i]; }
  [[nodiscard]] RingHeader& ring(std::size_t i) {
    return reinterpret_cast<RingHeader*>(base_ + kPage + kHostSlots * sizeof(HostSlot))[i];
  }
  [[nodiscard]] std::uint64_t* words(std::size_t ring_index) {
    return reinterpret_cast<std::uint64_t*>(base_ + data_offset(rings_)) + ring_index * ring_words_;
  }
  /// Lets go of the lock, so that another process may record.
  void unlock();
  /// Takes the lock again. False: another process has it.
  [[nodiscard]] bool lock_again();
  /// Becomes the one that takes events out. False: somebody does so already, in this process or another that lives.
  [[nodiscard]] bool begin_consuming();
  void end_consuming();
  /// Whether `path` names the file that is mapped here.
  [[nodiscard]] bool is_at(const std::string& path) const;
  /// Whether it has this stamp and these sizes.
  [[nodiscard]] bool made_for(const std::string& stamp, std::size_t rings, std::size_t ring_words) const {
    return rings_ == rings && ring_words_ == ring_words && fits(stamp);
  }

  [[nodiscard]] std::size_t rings() const { return rings_; }
  [[nodiscard]] std::uint64_t ring_words() const { return ring_words_; }

 private:
  RingFile() = default;
  /// False: another open file has the lock.
  bool set_consumer_lock(short type);
  static std::size_t data_offset(std::size_t rings);
  static std::size_t total_bytes(std::size_t rings, std::size_t ring_words);
  void make(const std::string& stamp, std::size_t rings, std::size_t ring_words);
  [[nodiscard]] bool fits(const std::string& stamp) const;

  char* base_ = nullptr;
  std::size_t bytes_ = 0;
  int fd_ = -1;
  pid_t consumer_ = 0;  ///< the process in which this takes events, 0: it does not
  std::size_t rings_ = 0;
  std::uint64_t ring_words_ = 0;
};

/// The file that this process records into, or none. Files stay mapped until the process ends: a thread may be in the
/// middle of a record when the monitor stops.
void record_into(std::shared_ptr<RingFile> file);
/// The file at `path` that this process recorded into before, or null.
std::shared_ptr<RingFile> recorded_before(const std::string& path);

/// The processor's time stamp counter, or nanoseconds where there is none.
std::uint64_t ticks() noexcept;

}  // namespace tenet::monitor
