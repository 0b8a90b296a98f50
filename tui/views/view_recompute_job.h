/* view_recompute_job.h - replays one launch in a thread of its own, so that keys are answered
 * meanwhile. Used by view_recompute.c. */
#ifndef VIEW_RECOMPUTE_JOB_H
#define VIEW_RECOMPUTE_JOB_H

#include <pthread.h>
#include <stdatomic.h>

#include "tui/views/view.h"

#define RECOMPUTE_TRACES 2

/* Begins as zeros. One replay at a time. */
struct recompute_job {
	bool busy;                      /* it has a thread, which job_end() joins */
	struct store *store;            /* whose launch is replayed; the thread does not use it */
	int64_t run, launch;
	view_replay_fn *replay;
	void *context;
	atomic_bool stop, done;
	pthread_t thread;
	struct store *out;              /* the result; owned by whoever ends the job */
	enum status status;
	char message[500];
	/* The thread's own connections, opened when first needed. */
	struct {
		struct store *store, *own;
	} traces[RECOMPUTE_TRACES];
};

/* Starts a replay. False if it cannot run in a thread: the trace is in memory, or its file was
 * replaced since it was opened. */
bool recompute_job_start(struct recompute_job *, struct store *, int64_t run, int64_t launch);
/* Waits for the thread, and returns its status, with its message as the current error. */
enum status recompute_job_end(struct recompute_job *);
/* Stops and ends what runs, and closes the connections. */
void recompute_job_free(struct recompute_job *);

#endif
