/* viewer_watch.c - work that takes longer than a key may: says so in time, and lets a key stop it.
 *
 * Long searches and screens spend their time in SQLite, which asks here now and then. Keys typed
 * ahead, before the message was seen, stop nothing: they are for the place that comes.
 */
#include "config.h"

#include "tui/viewer_internal.h"

#include <time.h>

#define STEPS 1000                      /* of SQLite's machine, some 20 us, between two looks */
#define ANSWER 0.03                     /* seconds until the message */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Not 0 ends the query. */
static int look(void *state)
{
	struct viewer *v = state;
	struct viewer_watch *w = &v->watch;

	if (!w->said && now() - w->start < ANSWER)
		return 0;
	if (!w->said) {
		viewer_paint_message("working ... any key stops it");
		w->said = now();
		w->typed_ahead = term_waiting();
	}
	w->stopped = w->stopped || term_interrupted() || term_waiting() > w->typed_ahead;
	return w->stopped;
}

void viewer_watch_begin(struct viewer *v)
{
	v->watch = (struct viewer_watch){ .start = now() };
	for (int i = 0; i < 2; i++)
		if (v->side[i].store)
			sqlite3_progress_handler(store_db(v->side[i].store), STEPS, look, v);
}

void viewer_watch_end(struct viewer *v)
{
	for (int i = 0; i < 2; i++)
		if (v->side[i].store)
			sqlite3_progress_handler(store_db(v->side[i].store), 0, NULL, NULL);
	/* The key that stopped it has done its work. */
	if (v->watch.stopped && term_waiting() > v->watch.typed_ahead)
		term_key();
}
