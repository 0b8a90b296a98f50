/* digest_thread.c - digests of memory, computed by a thread of its own; see digest_thread.h. */
#include "engine/record/digest_thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "traces/digest.h"

struct digest_thread {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const struct digest_task *tasks;
	size_t count, next;             /* of them; the first that nobody has begun */
	bool busy, ending;              /* the thread has begun one; shall end */
};

static void run(const struct digest_task *task)
{
	*task->digest = digest_bytes(task->type, task->memory, task->bytes);
}

void digest_tasks_run(const struct digest_task *tasks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		run(&tasks[i]);
}

/* Runs the next task without the lock, which the caller holds. */
static void run_next(struct digest_thread *t)
{
	const struct digest_task *task = &t->tasks[t->next++];

	pthread_mutex_unlock(&t->lock);
	run(task);
	pthread_mutex_lock(&t->lock);
}

static void *thread_main(void *context)
{
	struct digest_thread *t = context;

	pthread_mutex_lock(&t->lock);
	for (;;) {
		while (t->next == t->count && !t->ending)
			pthread_cond_wait(&t->changed, &t->lock);
		if (t->next == t->count)
			break;
		t->busy = true;
		run_next(t);
		t->busy = false;
		pthread_cond_signal(&t->changed);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* Signals go to the threads that expect them. */
static bool create_thread(struct digest_thread *t)
{
	sigset_t all, before;
	bool created;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	created = pthread_create(&t->thread, NULL, thread_main, t) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return created;
}

struct digest_thread *digest_thread_new(void)
{
	struct digest_thread *t = xcalloc(1, sizeof *t);

	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->changed, NULL);
	if (create_thread(t))
		return t;
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
	free(t);
	return NULL;
}

void digest_thread_free(struct digest_thread *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->ending = true;
	pthread_cond_signal(&t->changed);
	pthread_mutex_unlock(&t->lock);
	pthread_join(t->thread, NULL);
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

void digest_thread_start(struct digest_thread *t, const struct digest_task *tasks, size_t count)
{
	pthread_mutex_lock(&t->lock);
	t->tasks = tasks;
	t->count = count;
	t->next = 0;
	pthread_cond_signal(&t->changed);
	pthread_mutex_unlock(&t->lock);
}

void digest_thread_wait(struct digest_thread *t)
{
	pthread_mutex_lock(&t->lock);
	while (t->next < t->count)
		run_next(t);
	while (t->busy)
		pthread_cond_wait(&t->changed, &t->lock);
	pthread_mutex_unlock(&t->lock);
}
