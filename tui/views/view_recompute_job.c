/* view_recompute_job.c - replays one launch in a thread of its own; see view_recompute_job.h.
 *
 * The thread has its own connection to the trace, because a store is used by one thread. Once the
 * job is to stop, the next query of the replay fails, of which every operation makes one.
 */
#include "config.h"

#include "tui/views/view_recompute_job.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define STEPS_PER_CHECK 1000            /* steps of SQLite's virtual machine */

/* --- connections --- */

/* Whether the path of an open trace still leads to the file that is open. */
static bool is_in_place(struct store *store)
{
	int moved = 1;

	return sqlite3_file_control(store_db(store), "main", SQLITE_FCNTL_HAS_MOVED, &moved)
		== SQLITE_OK && !moved;
}

static int stopped(void *job)
{
	return atomic_load(&((struct recompute_job *)job)->stop);
}

/* NULL if there is none and none can be opened. */
static struct store *own_connection(struct recompute_job *job, struct store *store)
{
	struct store *own = NULL;
	int i = 0;

	while (i < RECOMPUTE_TRACES && job->traces[i].store && job->traces[i].store != store)
		i++;
	if (i == RECOMPUTE_TRACES || job->traces[i].store)
		return i == RECOMPUTE_TRACES ? NULL : job->traces[i].own;
	if (!store_path(store) || store_open(store_path(store), &own) != STATUS_OK) {
		error_clear();
		return NULL;
	}
	if (!is_in_place(own) || !is_in_place(store)) {
		store_close(own);
		return NULL;
	}
	sqlite3_progress_handler(store_db(own), STEPS_PER_CHECK, stopped, job);
	job->traces[i].store = store;
	job->traces[i].own = own;
	return own;
}

/* --- the thread --- */

static void *run(void *context)
{
	struct recompute_job *job = context;
	struct store *own = own_connection(job, job->store);

	job->status = job->replay(job->context, own, job->run, job->launch, &job->out);
	if (job->status != STATUS_OK)
		snprintf(job->message, sizeof job->message, "%s", error_text());
	atomic_store(&job->done, true);
	return NULL;
}

/* Signals that end or stop the viewer go to its own thread; faults of the simulator's kernels come
 * to the thread that causes them. */
static bool create_thread(struct recompute_job *job)
{
	sigset_t block, before;
	bool created;

	sigfillset(&block);
	sigdelset(&block, SIGSEGV);
	sigdelset(&block, SIGBUS);
	sigdelset(&block, SIGFPE);
	sigdelset(&block, SIGILL);
	sigdelset(&block, SIGTRAP);
	sigdelset(&block, SIGABRT);
	pthread_sigmask(SIG_SETMASK, &block, &before);
	created = pthread_create(&job->thread, NULL, run, job) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return created;
}

/* --- interface --- */

bool recompute_job_start(struct recompute_job *job, struct store *store, int64_t run_number,
			 int64_t launch)
{
	if (!own_connection(job, store))
		return false;
	job->store = store;
	job->run = run_number;
	job->launch = launch;
	job->out = NULL;
	job->message[0] = '\0';
	atomic_store(&job->stop, false);
	atomic_store(&job->done, false);
	job->busy = create_thread(job);
	return job->busy;
}

enum status recompute_job_end(struct recompute_job *job)
{
	pthread_join(job->thread, NULL);
	job->busy = false;
	/* Once the query that was stopped has failed, a replay may end with some other error, which
	 * means no more than that. */
	if (atomic_load(&job->stop) && job->status != STATUS_OK)
		return fail(STATUS_INTERRUPTED, "stopped");
	return job->status == STATUS_OK ? STATUS_OK : fail(job->status, "%s", job->message);
}

void recompute_job_free(struct recompute_job *job)
{
	struct error_record error;

	error_save(&error);
	atomic_store(&job->stop, true);
	if (job->busy && recompute_job_end(job) == STATUS_OK)
		store_close(job->out);
	for (int i = 0; i < RECOMPUTE_TRACES; i++)
		store_close(job->traces[i].own);
	error_restore(&error);
}
