/* view_axis.c - computes when operations ran, from durations, streams and events; see view_axis.h.
 *
 * Does not model how a device overlaps kernels: two streams are drawn as concurrent wherever
 * nothing orders them.
 */
#include "tui/views/kernel/view_axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define BARS 65536                      /* max per step; further operations get no bar */
#define STREAMS 64                      /* max; further streams share the last entry */
#define EVENTS 256

struct moment {
	int64_t object, op;
	double at;
};

struct schedule {
	struct view_axis *axis;
	double stream[STREAMS];         /* when the work issued to it so far ends */
	double host;                    /* when the host issues the next operation */
	struct moment events[EVENTS];   /* the last record of each */
	int event_count;
};

enum { OP, KIND, STREAM, OBJECT, DURATION };

static bool kind_is(const char *kind, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(kind, *list) == 0)
			return true;
	return false;
}

static const char *const moves_bytes[] = {
	"upload", "upload_pointers", "download", "copy", "fill", "restore", "upload_async",
	"download_async", NULL
};
static const char *const blocks_host[] = {
	"upload", "upload_pointers", "download", "sync", "event_sync", "host_softmax",
	NULL
};

/* Adds a bar; NULL when there are too many. */
static struct view_bar *add_bar(struct view_axis *axis, int64_t op, char mark)
{
	if (axis->count == BARS)
		return NULL;
	if (axis->count == axis->capacity) {
		axis->capacity = axis->capacity ? 2 * axis->capacity : 64;
		axis->bars = xreallocarray(axis->bars, (size_t)axis->capacity, sizeof *axis->bars);
	}
	axis->bars[axis->count] = (struct view_bar){ .op = op, .waited_for = -1, .mark = mark };
	return &axis->bars[axis->count++];
}

static struct moment *find_event(struct schedule *s, int64_t object)
{
	for (int i = 0; i < s->event_count; i++)
		if (s->events[i].object == object)
			return &s->events[i];
	return NULL;
}

static void record_event(struct schedule *s, int64_t object, int64_t op, double at)
{
	struct moment *event = find_event(s, object);

	if (!event && s->event_count < EVENTS)
		event = &s->events[s->event_count++];
	if (event)
		*event = (struct moment){ object, op, at };
}

static char mark_of(const char *kind)
{
	if (strcmp(kind, "launch") == 0)
		return '#';
	if (strcmp(kind, "event_record") == 0)
		return 'E';
	if (strcmp(kind, "event_wait") == 0 || strcmp(kind, "event_sync") == 0)
		return 'W';
	if (strcmp(kind, "host_softmax") == 0)
		return 'H';
	return kind_is(kind, moves_bytes) ? '=' : '.';
}

/* The measured time. Without one: 1 for a launch, copy or work of the host on a logical axis, else
 * 0. */
static double duration_of(const struct schedule *s, sqlite3_stmt *row, char mark)
{
	if (!view_null(row, DURATION))
		return fmax(0.0, sqlite3_column_double(row, DURATION));
	return !s->axis->timed && (mark == '#' || mark == '=' || mark == 'H')
		? 1.0 : 0.0;
}

static enum status take_operation(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct schedule *s = state;
	const char *kind = view_text(row, KIND);
	int64_t op = view_int(row, OP), number = view_null(row, STREAM) ? 0 : view_int(row, STREAM);
	double *stream = &s->stream[number >= 0 && number < STREAMS ? number : STREAMS - 1];
	struct view_bar *bar = add_bar(s->axis, op, mark_of(kind));
	const struct moment *event;

	(void)c;
	if (!bar)
		return STATUS_OK;
	bar->begin = bar->mark == 'H' ? s->host : fmax(*stream, s->host);
	bar->end = bar->begin + duration_of(s, row, bar->mark);
	event = bar->mark == 'W' ? find_event(s, view_int(row, OBJECT)) : NULL;
	if (event) {
		bar->waited_for = event->op;
		bar->end = fmax(bar->end, event->at);
	}
	if (bar->mark == 'E')
		record_event(s, view_int(row, OBJECT), op, bar->end);
	if (strcmp(kind, "sync") == 0)
		for (int i = 0; i < STREAMS; i++)
			bar->end = fmax(bar->end, s->stream[i]);
	if (strcmp(kind, "event_sync") != 0 && bar->mark != 'H')
		*stream = bar->end;
	if (kind_is(kind, blocks_host))
		s->host = fmax(s->host, bar->end);
	s->axis->end = fmax(s->axis->end, bar->end);
	return STATUS_OK;
}

#define OF_STEP " FROM v_op WHERE run = ?1 AND op BETWEEN ?2 AND ?3 AND coalesce(step, -1) = ?4"

enum status view_axis_read(const struct view_context *c, int64_t first, int64_t last, int64_t step,
			   struct view_axis *axis)
{
	struct schedule s = { .axis = axis };
	int64_t timed;

	*axis = (struct view_axis){ 0 };
	if (first < last - BARS)
		last = first + BARS;
	TRY(VIEW_NUMBER(c, 0, &timed, "SELECT min(duration_us IS NOT NULL)" OF_STEP
			" AND kind = 'launch'", c->run, first, last, step));
	axis->timed = timed;
	return VIEW_ROWS(c, take_operation, &s, "SELECT op, kind, stream, object, duration_us"
			 OF_STEP " ORDER BY op", c->run, first, last, step);
}

void view_axis_free(struct view_axis *axis)
{
	free(axis->bars);
	*axis = (struct view_axis){ 0 };
}

static int compare_ops(const void *key, const void *bar)
{
	int64_t a = *(const int64_t *)key, b = ((const struct view_bar *)bar)->op;

	return (a > b) - (a < b);
}

const struct view_bar *view_axis_find(const struct view_axis *axis, int64_t op)
{
	if (axis->count == 0)
		return NULL;
	return bsearch(&op, axis->bars, (size_t)axis->count, sizeof *axis->bars, compare_ops);
}

int view_axis_draw(const struct view_context *c, const struct view_axis *axis, int64_t op,
		   int columns)
{
	const struct view_bar *bar = view_axis_find(axis, op);
	double scale = axis->end > 0.0 ? columns / axis->end : 0.0;
	int first, last;
	char fill;

	if (!bar)
		return 0;
	first = (int)fmin(columns - 1, floor(bar->begin * scale));
	last = (int)fmin(columns - 1, ceil(bar->end * scale) - 1);
	last = last < first ? first : last;
	fill = bar->mark == 'W' || bar->mark == 'E' ? '-' : bar->mark;
	view_print(c, "%*s", first, "");
	for (int i = first; i < last; i++)
		view_styled(c, STYLE_CHART, "%c", fill);
	view_styled(c, STYLE_CHART, "%c", bar->mark);
	return last + 1;
}
