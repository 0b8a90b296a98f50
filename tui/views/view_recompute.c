/* view_recompute.c - recomputes what a trace lacks of a launch; see view_recompute.h. */
#include "tui/views/view_recompute.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "traces/store/overlay.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"
#include "tui/views/view_recompute_job.h"

#define DRAW_MS 20                      /* drawing waits for replays, which often take less */
#define WAIT_NS 2000000                 /* between looks at a thread */
#define REFUSED 32                      /* refusals remembered; the oldest are forgotten */

struct refusal {
	const struct store *store;
	int64_t run, launch;
	char why[RECOMPUTED_TEXT];
};

struct view_recompute {
	view_replay_fn *replay;
	void *context;
	struct refusal refused[REFUSED];
	size_t refusals;                /* so far */
	bool aside;                     /* in a thread: */
	struct recompute_job job;
	bool wanted;                    /* by what was drawn last */
	int64_t until_ms;               /* drawing waits until then */
	view_stopped_fn *stopped;       /* not NULL: wait for it */
	void *stopped_context;
};

struct view_recompute *view_recompute_create(view_replay_fn *replay, void *context)
{
	struct view_recompute *r = replay ? xcalloc(1, sizeof *r) : NULL;

	if (r) {
		r->replay = r->job.replay = replay;
		r->context = r->job.context = context;
	}
	return r;
}

void view_recompute_free(struct view_recompute *r)
{
	if (r)
		recompute_job_free(&r->job);
	free(r);
}

/* --- refusals --- */

static const struct refusal *find_refusal(const struct view_context *c, int64_t launch)
{
	const struct view_recompute *r = c->recompute;

	for (size_t i = 0; i < r->refusals && i < REFUSED; i++)
		if (r->refused[i].store == c->store && r->refused[i].run == c->run
		    && r->refused[i].launch == launch)
			return &r->refused[i];
	return NULL;
}

/* The trace's name is on the screen anyway, and would leave no space for the reason. */
static void add_refusal(struct view_recompute *r, const struct store *store, int64_t run,
			int64_t launch, const char *why)
{
	struct refusal *refusal = &r->refused[r->refusals++ % REFUSED];
	const char *path = store_shown_path(store);
	size_t length = strlen(path);

	if (strncmp(why, path, length) == 0 && strncmp(why + length, ": ", 2) == 0)
		why += length + 2;
	*refusal = (struct refusal){ .store = store, .run = run, .launch = launch };
	snprintf(refusal->why, sizeof refusal->why, "%s", why);
}

/* --- one launch --- */

static enum status is_recorded(const struct view_context *c, int64_t launch, const char *point,
			       bool *recorded)
{
	char sql[200];
	int64_t some;

	snprintf(sql, sizeof sql, "SELECT 1 FROM w_point WHERE run = ?1 AND launch = ?2%s%s%s"
		 " LIMIT 1", point ? " AND name = '" : "", point ? point : "", point ? "'" : "");
	TRY(VIEW_NUMBER(c, 0, &some, sql, c->run, launch));
	*recorded = some;
	return STATUS_OK;
}

/* Whether a replay can be expected to publish points: kernels of users may. */
static enum status publishes(const struct view_context *c, int64_t launch, bool *does)
{
	int64_t some;

	TRY(VIEW_NUMBER(c, 0, &some, "SELECT 1 FROM v_launch l JOIN v_run r USING (run)"
			" WHERE l.run = ?1 AND l.launch = ?2 AND (kernel GLOB 'attention_*'"
			" OR kernel GLOB 'flash_decode_*' OR r.command = 'launch')", c->run,
			launch));
	*does = some;
	return STATUS_OK;
}

/* Takes what a replay published, and remembers why there is nothing. INTERRUPTED if it was
 * stopped. */
static enum status take(struct view_recompute *r, struct store *store, int64_t run, int64_t launch,
			enum status status, struct store *from)
{
	struct error_record error;

	if (status == STATUS_OK) {
		status = overlay_add(store, from, run, launch);
		error_save(&error);
		status = error_first(status, &error, store_close(from));
	}
	if (status == STATUS_OK || status == STATUS_INTERRUPTED)
		return status;
	add_refusal(r, store, run, launch, error_text());
	error_clear();
	return STATUS_OK;
}

static enum status recompute_here(const struct view_context *c, int64_t launch)
{
	struct view_recompute *r = c->recompute;
	struct store *from = NULL;
	enum status status = r->replay(r->context, c->store, c->run, launch, &from);

	return take(r, c->store, c->run, launch, status, from);
}

/* --- in a thread --- */

/* Takes the result of a replay that has ended. One that was stopped leaves nothing. */
static enum status collect(struct view_recompute *r)
{
	struct recompute_job *job = &r->job;
	enum status status;

	if (!job->busy || !atomic_load(&job->done))
		return STATUS_OK;
	status = recompute_job_end(job);
	if (status == STATUS_INTERRUPTED && atomic_load(&job->stop)) {
		error_clear();
		return STATUS_OK;
	}
	return take(r, job->store, job->run, job->launch, status, job->out);
}

static bool is_of(const struct recompute_job *job, const struct view_context *c, int64_t launch)
{
	return job->busy && job->store == c->store && job->run == c->run && job->launch == launch;
}

/* Waits for the replay that is under way, if any, and takes its result. Without `stopped`, gives up
 * when drawing has taken too long. */
static enum status wait_for(struct view_recompute *r)
{
	const struct timespec moment = { .tv_nsec = WAIT_NS };

	while (r->job.busy && !atomic_load(&r->job.done)) {
		if (!r->stopped && clock_ms() >= r->until_ms)
			return STATUS_OK;
		if (r->stopped && r->stopped(r->stopped_context))
			return fail(STATUS_INTERRUPTED, "stopped");
		nanosleep(&moment, NULL);
	}
	return collect(r);
}

/* A replay that is under way for another launch ends first. *later: this one has not ended. */
static enum status recompute_aside(const struct view_context *c, int64_t launch, bool *later)
{
	struct view_recompute *r = c->recompute;

	*later = false;
	if (!is_of(&r->job, c, launch))
		TRY(wait_for(r));
	if (!r->job.busy && !recompute_job_start(&r->job, c->store, c->run, launch))
		return recompute_here(c, launch);
	r->wanted = r->wanted || is_of(&r->job, c, launch);
	if (is_of(&r->job, c, launch))
		TRY(wait_for(r));
	*later = r->job.busy;
	return STATUS_OK;
}

void view_recompute_aside(struct view_recompute *r, view_stopped_fn *wait, void *context)
{
	if (!r)
		return;
	r->aside = true;
	r->stopped = wait;
	r->stopped_context = context;
}

void view_recompute_begin(struct view_recompute *r)
{
	if (!r)
		return;
	/* What cannot be taken now is replayed again. */
	if (collect(r) != STATUS_OK)
		error_clear();
	r->wanted = false;
	r->until_ms = clock_ms() + DRAW_MS;
}

void view_recompute_end(struct view_recompute *r)
{
	if (r && r->job.busy && !r->wanted)
		atomic_store(&r->job.stop, true);
}

bool view_recompute_under_way(const struct view_recompute *r, bool *ready)
{
	*ready = r && r->job.busy && atomic_load(&r->job.done);
	return r && r->job.busy;
}

/* --- one launch, from wherever --- */

static void note(struct view_recomputed *out, enum recomputed how, const struct refusal *refusal)
{
	if (how > out->how)
		out->how = how;
	if (refusal)
		memcpy(out->why, refusal->why, sizeof out->why);
}

enum status view_recompute(const struct view_context *c, int64_t launch, const char *point,
			   struct view_recomputed *out)
{
	const struct refusal *refusal;
	bool known, does, later = false;

	if (!c->recompute || launch < 0)
		return STATUS_OK;
	TRY(overlay_has(c->store, c->run, launch, &known));
	if (known) {
		note(out, RECOMPUTED_OK, NULL);
		return STATUS_OK;
	}
	TRY(is_recorded(c, launch, point, &known));
	TRY(publishes(c, launch, &does));
	if (known || !does)
		return STATUS_OK;
	if (!find_refusal(c, launch))
		TRY(c->recompute->aside ? recompute_aside(c, launch, &later)
		    : recompute_here(c, launch));
	refusal = find_refusal(c, launch);
	note(out, refusal ? RECOMPUTED_REFUSED : later ? RECOMPUTED_LATER : RECOMPUTED_OK, refusal);
	return STATUS_OK;
}

bool view_recomputed_note(const struct view_context *c, const struct view_recomputed *r)
{
	switch (r->how) {
	case RECOMPUTED_NOT:
		return false;
	case RECOMPUTED_OK:
		view_styled(c, STYLE_NOTE, " recomputed on the simulator\n");
		break;
	case RECOMPUTED_LATER:
		view_styled(c, STYLE_NOTE, " being recomputed on the simulator\n");
		break;
	case RECOMPUTED_REFUSED:
		view_styled(c, STYLE_NOTE, " not recomputed: %.*s\n",
			    (c->columns > 20 && c->columns < 100 ? c->columns : 100) - 18, r->why);
		break;
	}
	return true;
}
