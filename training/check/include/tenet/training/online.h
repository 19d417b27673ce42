/* The online checker inside a job: a C interface to the same engine that checks finished traces.
 *
 *   tenet_check* c = tenet_check_open("inv.json", "out/run", 0);
 *   ... at the end of a step, or in a thread of its own:
 *   if (tenet_check_poll(c) > 0) puts(tenet_check_message(c, 0));
 *   tenet_check_close(c);
 *
 * The checker reads what the job's trace writer has written (tenet/training/trace.h), including the rows that are still
 * in the mapped tail, so that nothing is recorded twice. One handle is used by one thread at a time. Nothing is
 * printed, thrown or aborted; a null handle is answered with 0, -1 or "".
 */
#ifndef TENET_TRAINING_ONLINE_H
#define TENET_TRAINING_ONLINE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TENET_CHECK_API __attribute__((visibility("default")))
#else
#define TENET_CHECK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenet_check tenet_check;

/* Reads the invariants and follows the run in `trace`, a folder or a file that may not exist yet. On failure returns
 * null and, if `error` is not null, lets it point to a static or thread-local text valid until the next call. */
TENET_CHECK_API tenet_check* tenet_check_open(const char* invariants, const char* trace, const char** error);

/* Judges every record written since the last call. Returns the number of invariants violated so far, -1 on failure. */
TENET_CHECK_API int64_t tenet_check_poll(tenet_check* check);

/* The number of invariants violated so far, and the number judged at least once. */
TENET_CHECK_API int64_t tenet_check_violations(const tenet_check* check);
TENET_CHECK_API int64_t tenet_check_judged(const tenet_check* check);

/* One sentence on the violation that was found as number `index`, from 0; "" if there are fewer. Valid until close. */
TENET_CHECK_API const char* tenet_check_message(const tenet_check* check, size_t index);
/* The step of its first failure, -1 if there is none. */
TENET_CHECK_API int64_t tenet_check_step(const tenet_check* check, size_t index);

/* Everything found so far, grouped and ranked, as one JSON document. Valid until the next call on this handle. */
TENET_CHECK_API const char* tenet_check_report(tenet_check* check);

/* Judges what can be judged only at the end (once), then frees the handle with close. Returns as poll. */
TENET_CHECK_API int64_t tenet_check_finish(tenet_check* check);
TENET_CHECK_API void tenet_check_close(tenet_check* check);

#ifdef __cplusplus
}
#endif
#endif
