/* The C ABI between a service and the one monitor core of its process.
 *
 * Every name carries the version of its meaning (`tenet_monitor_v1_`): a later version adds names and keeps these.
 * Generated headers and hook.h are thin wrappers of it; call it directly only from C. Plain C99, and C++11 without
 * exceptions or RTTI.
 *
 * Event path: `begin`, `push` for each word, `commit`. No lock, no allocation, no system call (but for the first event
 * of a thread, which claims a ring), and never waiting: what does not fit is dropped and counted. Without a running
 * monitor `begin` returns 0 and nothing happens. All functions are thread-safe; one record belongs to one thread.
 */
#ifndef TENET_MONITOR_ABI_H
#define TENET_MONITOR_ABI_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TENET_MONITOR_API __attribute__((visibility("default")))
#else
#define TENET_MONITOR_API
#endif

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): this is C. */
#ifdef __cplusplus
extern "C" {
#define TENET_MONITOR_NOEXCEPT noexcept
#else
#define TENET_MONITOR_NOEXCEPT
#endif

/** Longest record, header included, in words of 8 bytes (512 kB). */
#define TENET_MONITOR_V1_MAX_WORDS 65535u
/** Words of a record's header: what, who, key, when. */
#define TENET_MONITOR_V1_HEADER_WORDS 4u
/** Event types below this one belong to the core; 0 is "a host began an incarnation". */
#define TENET_MONITOR_V1_FIRST_TYPE 16u

/** One host of the specification in this process. Lives in the mapped file; never freed. */
typedef struct tenet_monitor_v1_host tenet_monitor_v1_host;

/** One event while it is written. Members are for `push` only. */
typedef struct tenet_monitor_v1_record {
  uint64_t* words;   /**< the thread's ring */
  uint64_t mask;     /**< its size in words, less one (a power of two) */
  uint64_t start;    /**< where this record begins */
  uint64_t position; /**< the next word to write */
  uint64_t limit;    /**< the first word that is not free; position beyond it means "does not fit" */
  void* ring;
  uint64_t incarnation_sequence; /**< incarnation << 40 | sequence: with the host, the event's name everywhere */
  uint32_t host;                 /**< role << 24 | index */
  uint16_t type;
} tenet_monitor_v1_record;

/** Begins an incarnation of host number `index` (from 0) of role number `role`: once per start of the process and
 * host, before its first event. Null without a running monitor or when the table of hosts is full (256). Not for the
 * event path. */
TENET_MONITOR_API tenet_monitor_v1_host* tenet_monitor_v1_begin_host(uint32_t role,
                                                                     uint32_t index) TENET_MONITOR_NOEXCEPT;

/** Takes the host's next sequence number and the time stamp: call it inside the critical section that makes the step
 * atomic. `key` tells independent runs of the protocol apart (0: there is one), and is what sampling goes by. 0: do not
 * push or commit, nothing is recorded. */
TENET_MONITOR_API int tenet_monitor_v1_begin(tenet_monitor_v1_record* record, tenet_monitor_v1_host* host,
                                             uint16_t type, uint64_t key) TENET_MONITOR_NOEXCEPT;

/** Publishes the record, or counts it as dropped if it did not fit. */
TENET_MONITOR_API void tenet_monitor_v1_commit(tenet_monitor_v1_record* record) TENET_MONITOR_NOEXCEPT;

/** Whether events of `key` are recorded now: skip the work of making them if not. */
TENET_MONITOR_API int tenet_monitor_v1_wanted(uint64_t key) TENET_MONITOR_NOEXCEPT;

/** The name of the host's newest event: incarnation << 40 | sequence. What was recorded before has names up to it. */
TENET_MONITOR_API uint64_t tenet_monitor_v1_issued(const tenet_monitor_v1_host* host) TENET_MONITOR_NOEXCEPT;

/** The global switch. Off: events are not recorded (they leave a gap, so that nothing is concluded across it). */
TENET_MONITOR_API void tenet_monitor_v1_enable(int on) TENET_MONITOR_NOEXCEPT;

/** 64-bit hash of bytes, for values that are too long or too private to be recorded. Not cryptographic. */
TENET_MONITOR_API uint64_t tenet_monitor_v1_hash(const void* bytes, size_t length) TENET_MONITOR_NOEXCEPT;

/** Adds one word to the record. */
static inline void tenet_monitor_v1_push(tenet_monitor_v1_record* record, uint64_t word) TENET_MONITOR_NOEXCEPT {
  const uint64_t at = record->position;
  record->position = at + 1;
  if (at < record->limit) record->words[at & record->mask] = word;
}

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-use-using,readability-identifier-naming) */
#endif
