/* digest_thread.h - digests of memory, computed by a thread of its own.
 *
 * Hashing all KV caches after a step takes time, and moves the weights of the model out of the
 * processor's cache. On another processor it takes neither. Used by recorder_digest.c.
 */
#ifndef DIGEST_THREAD_H
#define DIGEST_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"

struct digest_thread;

struct digest_task {
	enum dtype type;
	const void *memory;             /* must not change until digest_thread_wait() */
	size_t bytes;
	uint64_t *digest;               /* set when digest_thread_wait() returns */
};

/* Computes them in the calling thread. */
void digest_tasks_run(const struct digest_task *, size_t count);

/* NULL if no thread can be created. */
struct digest_thread *digest_thread_new(void);
/* Ends the thread, after its tasks. NULL is allowed. */
void digest_thread_free(struct digest_thread *);
/* Begins tasks, which the caller keeps until digest_thread_wait(). None may be in progress. */
void digest_thread_start(struct digest_thread *, const struct digest_task *, size_t count);
/* Runs the tasks that the thread has not begun, and returns when all have ended. */
void digest_thread_wait(struct digest_thread *);

#endif
