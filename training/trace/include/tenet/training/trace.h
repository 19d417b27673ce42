/* The trace writer: what a training job links or loads to record what it does.
 *
 * One handle is one trace. It writes `PREFIX.PID.tnt`, a file of compressed columnar blocks, and next to it
 * `PREFIX.PID.tnt.tail`, a mapped file that holds the rows since the last block. A row is in the page cache as soon as
 * the call that wrote it returns: after `_exit` or `kill -9` nothing that was written is lost, and a row that was being
 * written is counted as lost. (A crash of the machine is not covered.) The format is described byte by byte in
 * docs/training-trace-format.md.
 *
 *   tenet_trace* t = tenet_trace_open("out/run", 0);
 *   uint32_t fn   = tenet_trace_string(t, "torch.optim.sgd.SGD.step", 24);
 *   uint32_t keys[1] = { tenet_trace_string(t, "arg.lr", 6) };
 *   uint8_t types[1] = { TENET_TRACE_FLOAT };
 *   uint32_t layout = tenet_trace_layout(t, keys, types, 1);
 *   double lr = 0.1;
 *   uint64_t call = tenet_trace_enter(t, fn, layout, &lr, sizeof lr);
 *   ...
 *   tenet_trace_exit(t, call, 0, 0, 0);
 *   tenet_trace_close(t);
 *
 * From a scripting language: keep the ids of strings and layouts in a table, pack the values of a record as 8-byte
 * little-endian slots (Python: struct.pack("<dqQ", ...)), and make one call per record.
 *
 * Threads: every function except open and close may be called from any thread on the same handle; a lock is held for
 * about a hundred nanoseconds, or some milliseconds when a block is sealed (once per 4 MiB of rows). Each record is
 * attributed to the calling thread.
 * Fork: in a child the handle stays valid and continues in a new file `PREFIX.CHILDPID.tnt`; ids of strings and
 * layouts stay valid; the parent's files are not touched by the child.
 * Errors: nothing is thrown, printed or aborted. A record that cannot be written (disk full, too large) is dropped and
 * counted; the count is part of the trace.
 */
#ifndef TENET_TRAINING_TRACE_H
#define TENET_TRAINING_TRACE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TENET_TRACE_API __attribute__((visibility("default")))
#else
#define TENET_TRACE_API
#endif

/* C, with the names of C. */
/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming) */
#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenet_trace tenet_trace;

/* Kinds of values. Every value takes one 8-byte slot. */
enum {
  TENET_TRACE_NONE = 0,  /* present and null (Python None); the slot is ignored, write 0 */
  TENET_TRACE_BOOL = 1,  /* 0 or 1 */
  TENET_TRACE_INT = 2,   /* int64 */
  TENET_TRACE_FLOAT = 3, /* IEEE double; NaN and infinities are allowed */
  TENET_TRACE_STR = 4,   /* id from tenet_trace_string */
  TENET_TRACE_HASH = 5,  /* uint64 content hash: equal contents, equal hash */
  TENET_TRACE_DIMS = 6,  /* id of a string "64,1,28,28": a list of integers (shape, strides); "" is the empty list */
  TENET_TRACE_REF = 7    /* uint64 identity (address, object id): compared inside one process only, never learned */
};

/* Kinds of records. */
enum {
  TENET_TRACE_KIND_ENTER = 1,   /* a call begins: name = function, call = its id */
  TENET_TRACE_KIND_EXIT = 2,    /* it returned: call = the same id */
  TENET_TRACE_KIND_FAIL = 3,    /* it raised: name = exception type */
  TENET_TRACE_KIND_STATE = 4,   /* what a variable looks like now: name = variable, call = id of its type's string */
  TENET_TRACE_KIND_CONTEXT = 5, /* from here on `name` has this value (one field) */
  TENET_TRACE_KIND_SCALAR = 6,  /* a quantity of the loop: name, one field */
  TENET_TRACE_KIND_NOTE = 7     /* something about the trace itself (a hook was disabled, ...) */
};

/* Whom a context record concerns. */
enum { TENET_TRACE_PROCESS = 0, TENET_TRACE_THREAD = 1 };

/* Results: 0 is success. */
enum {
  TENET_TRACE_OK = 0,
  TENET_TRACE_EIO = -1,     /* a file could not be created, mapped or written */
  TENET_TRACE_EINVAL = -2,  /* a null handle, an unknown id, a length that does not match the layout */
  TENET_TRACE_ETOOBIG = -3, /* the record does not fit into the tail */
  TENET_TRACE_ENOMEM = -4,  /* out of memory */
  TENET_TRACE_ECLOSED = -5  /* the trace has failed for good; records are dropped and counted */
};

typedef struct tenet_trace_options {
  size_t struct_size; /* sizeof(tenet_trace_options) */
  size_t tail_bytes;  /* size of the mapped tail, a block is sealed when it is full; 0 = 4 MiB, at least 64 KiB */
  int compression;    /* zstd level; 0 = 3 */
} tenet_trace_options;

typedef struct tenet_trace_statistics {
  size_t struct_size;    /* in: sizeof(tenet_trace_statistics) */
  uint64_t records;      /* written by this process to this file */
  uint64_t dropped;      /* could not be written */
  uint64_t blocks;       /* sealed */
  uint64_t stored_bytes; /* of the sealed blocks on disk */
  uint64_t raw_bytes;    /* of the rows of the sealed blocks */
} tenet_trace_statistics;

/* Creates PREFIX.PID.tnt (PREFIX.PID-1.tnt, ... when taken; folders are not created). `options` may be null.
 * Returns null when the files cannot be created; errno says why. */
TENET_TRACE_API tenet_trace* tenet_trace_open(const char* prefix, const tenet_trace_options* options);

/* Seals the tail, marks the trace as complete, removes the tail file and frees the handle. Null is allowed. */
TENET_TRACE_API int tenet_trace_close(tenet_trace* trace);

/* Path of the file that is being written, valid until close or the next fork. */
TENET_TRACE_API const char* tenet_trace_path(const tenet_trace* trace);

/* Id of a string (any bytes), the same for the same bytes; 0 is the empty string and also the answer on failure. */
TENET_TRACE_API uint32_t tenet_trace_string(tenet_trace* trace, const char* bytes, size_t length);

/* Id of a list of fields; `keys` are string ids, `types` TENET_TRACE_*. The same list has the same id; 0 is the empty
 * list and also the answer on failure. At most 4096 fields. */
TENET_TRACE_API uint32_t tenet_trace_layout(tenet_trace* trace, const uint32_t* keys, const uint8_t* types,
                                            size_t count);

/* Begins a call and returns its id (never 0; 0 on failure, which exit and fail then ignore). Calls of one thread nest;
 * the caller is the innermost open call of the same thread. `values` is layout's count times 8 bytes. */
TENET_TRACE_API uint64_t tenet_trace_enter(tenet_trace* trace, uint32_t function, uint32_t layout, const void* values,
                                           size_t bytes);

/* The call returned, with what it returned. */
TENET_TRACE_API int tenet_trace_exit(tenet_trace* trace, uint64_t call, uint32_t layout, const void* values,
                                     size_t bytes);

/* The call raised an exception of this type. */
TENET_TRACE_API int tenet_trace_fail(tenet_trace* trace, uint64_t call, uint32_t exception, uint32_t layout,
                                     const void* values, size_t bytes);

/* The state of variable `name` of type `type` now. Written before the exit record of the call that changed it, so that
 * the change belongs to that call. */
TENET_TRACE_API int tenet_trace_state(tenet_trace* trace, uint32_t name, uint32_t type, uint32_t layout,
                                      const void* values, size_t bytes);

/* From here on context variable `key` has this value, for the process or for the calling thread; type
 * TENET_TRACE_NONE removes it. `value` is the slot (a double is passed by its bits). */
TENET_TRACE_API int tenet_trace_context(tenet_trace* trace, int scope, uint32_t key, uint8_t type, uint64_t value);

/* A quantity of the training loop (steps, epochs, accumulation, loss, ...). */
TENET_TRACE_API int tenet_trace_scalar(tenet_trace* trace, uint32_t name, uint8_t type, uint64_t value);

/* A remark about the trace itself. */
TENET_TRACE_API int tenet_trace_note(tenet_trace* trace, uint32_t text, uint32_t layout, const void* values,
                                     size_t bytes);

/* Adds to the count of records that the caller knows it has not written. */
TENET_TRACE_API void tenet_trace_count_dropped(tenet_trace* trace, uint64_t count);

/* Writes the rows of the tail as a block now. Not needed for safety; useful before handing the file on. */
TENET_TRACE_API int tenet_trace_flush(tenet_trace* trace);

TENET_TRACE_API int tenet_trace_get_statistics(tenet_trace* trace, tenet_trace_statistics* out);

/* One row with everything given, for importers and replayers: thread and time as recorded elsewhere, `reference` as in
 * the table of kinds (call id, or id of the type's string). */
typedef struct tenet_trace_row {
  uint8_t kind;    /* TENET_TRACE_KIND_* */
  uint8_t scope;   /* TENET_TRACE_PROCESS or _THREAD, for context records */
  uint16_t thread; /* small number of the thread */
  uint32_t name;
  uint32_t layout;
  uint64_t time; /* ns */
  uint64_t reference;
} tenet_trace_row;
TENET_TRACE_API int tenet_trace_put(tenet_trace* trace, const tenet_trace_row* row, const void* values, size_t bytes);

/* English text of a result, static storage. */
TENET_TRACE_API const char* tenet_trace_message(int result);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-use-using,readability-identifier-naming) */
#endif
