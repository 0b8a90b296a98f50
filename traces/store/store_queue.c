/* store_queue.c - a thread that inserts the rows of an expendable trace, so that the run that is
 * recorded does not wait for SQLite.
 *
 * The caller's rows are copied into batches; the thread inserts them in order. While it works, the
 * connection is its own: whoever wants to use that calls store_drain() first. Without the thread,
 * which the system may refuse, rows are inserted at once. Used by store_sql.c and store.c.
 */
#include "traces/store/store_internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define BATCH_BYTES ((size_t)256 << 10)
#define MAX_WAITING 64                 /* batches; then the caller waits for the thread */

struct batch {
	struct batch *next;
	size_t used, capacity;
	max_align_t bytes[];
};

/* What precedes the values of a row in a batch; the bytes they point to follow them. */
struct header {
	const char *sql;                /* NULL: a row of `table` */
	enum table table;
	size_t count, bytes;            /* values; of all that follows */
};

struct queue {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct batch *first, **end;     /* waiting for the thread */
	int waiting;
	bool idle, busy, stopping;
	struct batch *spare;            /* to be filled again; NULL: none */
	struct batch *open;             /* being filled by the caller */
	atomic_bool failed;             /* rows are no longer inserted */
	enum status status;             /* of the row that failed, */
	struct error_record error;      /* and its message */
};

static size_t rounded(size_t bytes)
{
	return (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
}

/* --- the thread --- */

static void insert_batch(struct store *store, const struct batch *batch)
{
	struct queue *q = store->queue;
	const char *at = (const char *)batch->bytes, *end = at + batch->used;

	while (at < end && !atomic_load(&q->failed)) {
		const struct header *h = (const void *)at;
		const struct value *values = (const void *)(at + rounded(sizeof *h));

		q->status = store_write(store, h->table, h->sql, values, h->count);
		if (q->status != STATUS_OK) {
			error_save(&q->error);
			atomic_store(&q->failed, true);
		}
		at += rounded(sizeof *h) + h->bytes;
	}
}

static struct batch *next_batch(struct queue *q)
{
	struct batch *batch;

	q->idle = true;
	while (!q->first && !q->stopping)
		pthread_cond_wait(&q->changed, &q->lock);
	q->idle = false;
	batch = q->first;
	if (!batch)
		return NULL;
	q->first = batch->next;
	if (!q->first)
		q->end = &q->first;
	q->waiting--;
	return batch;
}

static void *work(void *context)
{
	struct store *store = context;
	struct queue *q = store->queue;
	struct batch *batch;

	pthread_mutex_lock(&q->lock);
	while ((batch = next_batch(q)) != NULL) {
		q->busy = true;
		pthread_mutex_unlock(&q->lock);
		insert_batch(store, batch);
		pthread_mutex_lock(&q->lock);
		free(q->spare);
		q->spare = batch;
		q->busy = false;
		pthread_cond_broadcast(&q->changed);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

/* --- the caller --- */

void store_queue_start(struct store *store)
{
	struct queue *q = xcalloc(1, sizeof *q);
	sigset_t all, before;
	int failed;

	q->end = &q->first;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->changed, NULL);
	store->queue = q;
	/* Signals are for the thread of the command. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&q->thread, NULL, work, store);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!failed)
		return;
	store->queue = NULL;
	free(q);
}

static void submit(struct queue *q)
{
	bool wake;

	if (!q->open)
		return;
	pthread_mutex_lock(&q->lock);
	while (q->waiting >= MAX_WAITING)
		pthread_cond_wait(&q->changed, &q->lock);
	*q->end = q->open;
	q->end = &q->open->next;
	q->waiting++;
	wake = q->idle;
	pthread_mutex_unlock(&q->lock);
	if (wake)
		pthread_cond_broadcast(&q->changed);
	q->open = NULL;
}

/* An empty batch whose memory the system has provided before. */
static struct batch *take_spare(struct queue *q)
{
	struct batch *batch;

	pthread_mutex_lock(&q->lock);
	batch = q->spare;
	q->spare = NULL;
	pthread_mutex_unlock(&q->lock);
	if (batch)
		batch->used = 0;
	return batch;
}

static struct batch *batch_for(struct queue *q, size_t bytes)
{
	size_t capacity = bytes > BATCH_BYTES ? bytes : BATCH_BYTES;

	if (q->open && q->open->capacity - q->open->used < bytes)
		submit(q);
	if (!q->open)
		q->open = take_spare(q);
	if (!q->open || q->open->capacity < bytes) {
		free(q->open);
		q->open = xmalloc(sizeof *q->open + capacity);
		*q->open = (struct batch){ .capacity = capacity };
	}
	q->open->next = NULL;
	return q->open;
}

static size_t bytes_of(const struct value *value)
{
	if (value->type == VALUE_BYTES)
		return value->bytes.count;
	return value->type == VALUE_STRING && value->text ? strlen(value->text) + 1 : 0;
}

enum status store_enqueue(struct store *store, enum table table, const char *sql,
			  const struct value *values, size_t count)
{
	struct queue *q = store->queue;
	struct header *header;
	struct value *copies;
	struct batch *batch;
	size_t bytes = count * sizeof *values;
	char *at;

	if (atomic_load(&q->failed))
		return store_drain(store);
	for (size_t i = 0; i < count; i++)
		bytes += bytes_of(&values[i]);
	bytes = rounded(bytes);
	batch = batch_for(q, rounded(sizeof *header) + bytes);
	at = (char *)batch->bytes + batch->used;
	header = (void *)at;
	*header = (struct header){ .sql = sql, .table = table, .count = count, .bytes = bytes };
	at += rounded(sizeof *header);
	copies = (void *)at;
	if (count > 0)
		memcpy(copies, values, count * sizeof *values);
	at += count * sizeof *values;
	for (size_t i = 0; i < count; i++) {
		size_t size = bytes_of(&values[i]);

		if (!size)
			continue;
		if (values[i].type == VALUE_BYTES)
			copies[i].bytes.start = memcpy(at, values[i].bytes.start, size);
		else
			copies[i].text = memcpy(at, values[i].text, size);
		at += size;
	}
	batch->used += rounded(sizeof *header) + bytes;
	return STATUS_OK;
}

static void stop(struct store *store)
{
	struct queue *q = store->queue;

	submit(q);
	pthread_mutex_lock(&q->lock);
	q->stopping = true;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	pthread_join(q->thread, NULL);
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->changed);
	free(q->spare);
	while (q->first) {
		struct batch *next = q->first->next;

		free(q->first);
		q->first = next;
	}
	store->queue = NULL;
}

enum status store_drain(struct store *store)
{
	struct queue *q = store->queue;
	enum status status;

	if (!q)
		return STATUS_OK;
	submit(q);
	pthread_mutex_lock(&q->lock);
	while (q->first || q->busy)
		pthread_cond_wait(&q->changed, &q->lock);
	pthread_mutex_unlock(&q->lock);
	if (!atomic_load(&q->failed))
		return STATUS_OK;
	stop(store);
	status = q->status;
	error_restore(&q->error);
	free(q);
	return store_write_failed(store, status);
}

void store_queue_end(struct store *store)
{
	struct queue *q = store->queue;

	if (!q)
		return;
	stop(store);
	free(q);
}
