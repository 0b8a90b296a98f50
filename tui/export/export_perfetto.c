/* export_perfetto.c - the timeline as Chrome-trace JSON, for Perfetto and chrome://tracing.
 *
 * One process per run, one track per stream, one for steps and one for graph launches. Traces have
 * the durations of launches on a GPU, but not their start times: so operations follow each other in
 * issue order, launches with their measured duration, all others as instants. A run without times,
 * such as the simulator's, uses logical time, one microsecond per operation. otherData names the
 * kind of time. No two slices of a track overlap: viewers would nest them.
 */
#include "config.h"

#include "tui/export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

/* Tracks of a run: steps, graph launches, then streams. */
enum { TRACK_STEPS, TRACK_GRAPHS, TRACK_STREAMS };

/* A trace may say any number of a stream. */
#define MAX_TRACK 65536

/* A slice over several consecutive operations. */
struct span {
	int64_t number;                 /* of the step, or of the graph launch; -1: none is open */
	int64_t first_op, last_op;
	double start, end;
};

/* The last record of a CUDA event. */
struct record {
	int64_t event, stream;
	double time;
};

struct writer {
	const struct export_job *job;
	struct export_scope scope;
	json_t *about;                  /* of each run, for otherData */
	bool begun;                     /* an event was written */

	/* The run being written. */
	int64_t run;
	bool timed;
	double now;                     /* end of the last operation, us */
	int64_t instants;               /* operations without a duration */
	struct span step, graph;
	int64_t flows;
	struct record *records;
	size_t record_count;
	bool *named;                    /* whether a track's name was written */
	size_t named_count;
};

/* --- events --- */

/* Takes ownership of the event. */
static void put_event(struct writer *w, json_t *event)
{
	fputs(w->begun ? ",\n" : "\n", w->job->out);
	w->begun = true;
	json_dumpf(event, w->job->out, JSON_COMPACT | JSON_PRESERVE_ORDER);
	json_decref(event);
}

/* An event of a track at a time; the caller adds the fields of its phase. */
static json_t *event_at(const struct writer *w, const char *phase, const char *name,
			const char *category, int64_t track, double time)
{
	return json_pack("{so ss ss sI sI sf}", "name", export_json_text(name), "cat", category,
			 "ph", phase, "pid", (json_int_t)w->run, "tid", (json_int_t)track, "ts",
			 time);
}

static void put_name(struct writer *w, const char *what, int64_t track, const char *name)
{
	put_event(w, json_pack("{ss ss sI sI s{so}}", "name", what, "ph", "M", "pid",
			       (json_int_t)w->run, "tid", (json_int_t)track, "args", "name",
			       export_json_text(name)));
}

/* Writes the name of a track when it is first used; beyond MAX_TRACK it has only its number. */
static void name_track(struct writer *w, int64_t track, const char *name)
{
	size_t number = (size_t)track;

	if (track < 0 || track > MAX_TRACK)
		return;
	if (number >= w->named_count) {
		w->named = xreallocarray(w->named, number + 1, sizeof *w->named);
		memset(w->named + w->named_count, 0, number + 1 - w->named_count);
		w->named_count = number + 1;
	}
	if (w->named[number])
		return;
	w->named[number] = true;
	put_name(w, "thread_name", track, name);
	put_event(w, json_pack("{ss ss sI sI s{sI}}", "name", "thread_sort_index", "ph", "M",
			       "pid", (json_int_t)w->run, "tid", (json_int_t)track, "args",
			       "sort_index", (json_int_t)track));
}

/* --- steps and graph launches --- */

static void close_span(struct writer *w, struct span *s, int64_t track, const char *category,
		       const char *letter)
{
	struct address at = address_none;
	char text[ADDRESS_TEXT], name[40];
	json_t *event;

	if (s->number < 0)
		return;
	name_track(w, track, track == TRACK_STEPS ? "steps" : "graph launches");
	snprintf(name, sizeof name, "%s%" PRId64, letter, s->number);
	at.run = w->run > 1 ? w->run : -1;
	*(track == TRACK_STEPS ? &at.step : &at.op) = s->number;
	address_format(&at, text);
	event = event_at(w, "X", name, category, track, s->start);
	json_object_set_new(event, "dur", json_real(s->end - s->start));
	json_object_set_new(event, "args",
			    json_pack("{ss sI sI}", "address", text, "first_op",
				      (json_int_t)s->first_op, "last_op",
				      (json_int_t)s->last_op));
	put_event(w, event);
	s->number = -1;
}

static void close_spans(struct writer *w, int64_t step, int64_t graph)
{
	if (w->step.number != step)
		close_span(w, &w->step, TRACK_STEPS, "step", "s");
	if (w->graph.number != graph)
		close_span(w, &w->graph, TRACK_GRAPHS, "graph", "op ");
}

/* number -1: the operation has no step or graph launch. */
static void extend_span(struct span *s, int64_t number, int64_t op, double start, double end)
{
	if (number < 0)
		return;
	if (s->number < 0)
		*s = (struct span){ .number = number, .first_op = op, .start = start };
	s->last_op = op;
	s->end = end;
}

/* --- operations --- */

enum {
	OP, KIND, STREAM, STEP, LAUNCH, KERNEL, LAYER, GRID, BLOCK = GRID + 3,
	DURATION = BLOCK + 3, CODE, BUFFER, BYTES, EVENT, GRAPH
};

static const char operations[] =
	"SELECT o.op, o.kind, coalesce(o.stream, 0), o.step, o.launch, l.kernel, l.layer,"
	" l.grid_x, l.grid_y, l.grid_z, l.block_x, l.block_y, l.block_z, o.duration_us, o.code,"
	" (SELECT name FROM v_buffer b WHERE b.run = o.run AND b.buffer = o.buffer), o.bytes,"
	" iif(o.kind IN ('event_record', 'event_wait'), o.object, NULL),"
	" CASE o.kind WHEN 'graph_launch' THEN o.op WHEN 'launch' THEN o.object END"
	" FROM v_op o LEFT JOIN v_launch l ON l.run = o.run AND l.launch = o.launch"
	/* Adding a node to a graph runs nothing. */
	" WHERE o.run = ?1 AND o.op BETWEEN ?2 AND ?3 AND o.kind <> 'graph_node' ORDER BY o.op";

static void set_int(json_t *object, const char *name, sqlite3_stmt *row, int column)
{
	if (!view_null(row, column))
		json_object_set_new(object, name, json_integer(view_int(row, column)));
}

static json_t *extent(sqlite3_stmt *row, int column)
{
	return json_pack("[III]", (json_int_t)view_int(row, column),
			 (json_int_t)view_int(row, column + 1),
			 (json_int_t)view_int(row, column + 2));
}

static json_t *operation_args(const struct writer *w, sqlite3_stmt *row)
{
	json_t *args = json_object();
	struct address at = address_none;
	char text[ADDRESS_TEXT];

	at.run = w->run > 1 ? w->run : -1;
	*(view_null(row, LAUNCH) ? &at.op : &at.launch) =
		view_int(row, view_null(row, LAUNCH) ? OP : LAUNCH);
	address_format(&at, text);
	json_object_set_new(args, "address", json_string(text));
	set_int(args, "op", row, OP);
	set_int(args, "step", row, STEP);
	if (!view_null(row, KERNEL)) {
		json_object_set_new(args, "kernel", export_json_text(view_text(row, KERNEL)));
		json_object_set_new(args, "grid", extent(row, GRID));
		json_object_set_new(args, "block", extent(row, BLOCK));
		set_int(args, "layer", row, LAYER);
	}
	if (!view_null(row, BUFFER))
		json_object_set_new(args, "buffer", export_json_text(view_text(row, BUFFER)));
	set_int(args, "bytes", row, BYTES);
	set_int(args, "event", row, EVENT);
	if (view_int(row, CODE) != 0)
		set_int(args, "error", row, CODE);
	return args;
}

/* A negative duration makes it an instant. */
static void put_operation(struct writer *w, sqlite3_stmt *row, double start, double duration)
{
	bool launch = !view_null(row, KERNEL);
	int64_t stream = view_int(row, STREAM);
	char track[40];
	json_t *event;

	snprintf(track, sizeof track, "stream %" PRId64, stream);
	name_track(w, TRACK_STREAMS + stream, track);
	event = event_at(w, duration < 0 ? "i" : "X",
			 view_text(row, launch ? KERNEL : KIND), launch ? "launch" : "operation",
			 TRACK_STREAMS + stream, start);
	if (duration < 0)
		json_object_set_new(event, "s", json_string("t"));
	else
		json_object_set_new(event, "dur", json_real(duration));
	json_object_set_new(event, "args", operation_args(w, row));
	put_event(w, event);
}

/* --- CUDA events: an arrow from the record to each wait --- */

static struct record *find_record(const struct writer *w, int64_t event)
{
	for (size_t i = 0; i < w->record_count; i++)
		if (w->records[i].event == event)
			return &w->records[i];
	return NULL;
}

static void take_record(struct writer *w, int64_t event, int64_t stream, double time)
{
	struct record *record = find_record(w, event);

	if (!record) {
		w->records = xreallocarray(w->records, w->record_count + 1, sizeof *w->records);
		record = &w->records[w->record_count++];
	}
	*record = (struct record){ event, stream, time };
}

static void put_flow(struct writer *w, const char *phase, int64_t stream, double time)
{
	json_t *event = event_at(w, phase, "event", "event", TRACK_STREAMS + stream, time);

	json_object_set_new(event, "id", json_integer(w->flows));
	/* Bind to the enclosing slice, not to the next one. */
	if (*phase == 'f')
		json_object_set_new(event, "bp", json_string("e"));
	put_event(w, event);
}

static void take_event(struct writer *w, sqlite3_stmt *row, double start)
{
	const struct record *from;

	if (view_null(row, EVENT))
		return;
	if (strcmp(view_text(row, KIND), "event_record") == 0) {
		take_record(w, view_int(row, EVENT), view_int(row, STREAM), start);
		return;
	}
	from = find_record(w, view_int(row, EVENT));
	if (!from)
		return;
	w->flows++;
	put_flow(w, "s", from->stream, from->time);
	put_flow(w, "f", view_int(row, STREAM), start);
}

/* --- runs --- */

static enum status take_operation(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct writer *w = state;
	int64_t step = view_null(row, STEP) ? -1 : view_int(row, STEP);
	int64_t graph = view_null(row, GRAPH) ? -1 : view_int(row, GRAPH);
	double start = w->now, duration = 1;

	(void)c;
	if (view_int(row, STREAM) < 0 || view_int(row, STREAM) > 65535)
		return fail(STATUS_DAMAGED, "%s: op %" PRId64 " is on stream %" PRId64,
			    w->job->name, view_int(row, OP), view_int(row, STREAM));
	if (w->timed)
		duration = view_null(row, DURATION) ? -1 : sqlite3_column_double(row, DURATION);
	w->instants += duration < 0;
	w->now += duration < 0 ? 0 : duration;
	close_spans(w, step, graph);
	extend_span(&w->step, step, view_int(row, OP), start, w->now);
	extend_span(&w->graph, graph, view_int(row, OP), start, w->now);
	/* A graph launch is drawn as the slice over its nodes. */
	if (strcmp(view_text(row, KIND), "graph_launch") != 0)
		put_operation(w, row, start, duration);
	take_event(w, row, start);
	return STATUS_OK;
}

static json_t *about_run(const struct writer *w)
{
	return json_pack("{sI ss sI}", "run", (json_int_t)w->run, "time",
			 w->timed ? "launches have measured durations and follow each other in"
			 " issue order: start times were not recorded"
			 : "logical: one microsecond per operation, in issue order: nothing was"
			 " measured",
			 "operations_without_a_time", (json_int_t)w->instants);
}

static void begin_run(struct writer *w, sqlite3_stmt *row)
{
	char name[200];

	w->run = view_int(row, 0);
	w->now = 0;
	w->instants = 0;
	w->step.number = w->graph.number = -1;
	w->record_count = w->named_count = 0;
	snprintf(name, sizeof name, "%s r%" PRId64 ": %s seed %" PRId64 " %s", w->job->name,
		 w->run, view_text(row, 1), view_int(row, 2), view_text(row, 3));
	put_name(w, "process_name", 0, name);
}

static enum status put_run(const struct view_context *context, sqlite3_stmt *row, void *state)
{
	struct view_context c = *context;
	struct writer *w = state;
	int64_t timed;

	begin_run(w, row);
	c.run = w->run;
	TRY(VIEW_NUMBER(&c, 0, &timed, "SELECT 1 FROM v_op WHERE run = ?1"
			" AND op BETWEEN ?2 AND ?3 AND duration_us IS NOT NULL LIMIT 1", w->run,
			w->scope.first_op, w->scope.last_op));
	w->timed = timed;
	TRY(VIEW_ROWS(&c, take_operation, w, operations, w->run, w->scope.first_op,
		      w->scope.last_op));
	close_spans(w, -1, -1);
	json_array_append_new(w->about, about_run(w));
	return STATUS_OK;
}

static enum status write_perfetto(const struct export_job *job)
{
	struct view_context c = { .store = job->store };
	struct writer w = { .job = job };
	json_t *other;
	enum status status;

	TRY(export_scope_find(job, &w.scope));
	w.about = json_array();
	fputs("{\"traceEvents\":[", job->out);
	status = VIEW_ROWS(&c, put_run, &w, "SELECT run, device, seed, path FROM v_run"
			   " WHERE run BETWEEN ?1 AND ?2 ORDER BY run", w.scope.first_run,
			   w.scope.last_run);
	other = json_pack("{ss so so}", "generator", PACKAGE_STRING, "trace",
			  export_json_text(job->name), "runs", w.about);
	fputs("\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":", job->out);
	json_dumpf(other, job->out, JSON_COMPACT | JSON_PRESERVE_ORDER);
	json_decref(other);
	fputs("}\n", job->out);
	free(w.records);
	free(w.named);
	return status;
}

const struct export_format export_perfetto = { .name = "perfetto", .write = write_perfetto };
