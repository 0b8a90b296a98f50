/* view_time.c - the timeline: every device operation in the order issued, step by step.
 *
 * Without an address, shows what came before the first step, the first step and the last one. With
 * a second run, shows whether each launch wrote the same bytes in both. Launches that a graph made
 * are indented below the launch of the graph. view_axis.c computes the bars; view_blocks.c draws
 * the details below the launch of the address.
 */
#include "tui/views/kernel/view_axis.h"
#include "tui/views/kernel/view_step_text.h"
#include "tui/views/view_blocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"
#include "tui/views/view_place.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define WITHOUT_STEPS 60                /* operations shown of a run that has no steps */
#define AROUND 8                        /* shown before and after a place outside of steps */
#define TRACKS 4                        /* max number of streams drawn side by side */
#define BAR 18                          /* columns; fewer if a verdict follows: */
#define BAR_AND_VERDICT 11

enum {
	OP, KIND, STEP, LAUNCH, STREAM, CODE, DURATION, BYTES, OFFSET, BUFFER, FROM, OBJECT, KERNEL,
	LAYER, GRID, BLOCK = GRID + 3, TENSOR = BLOCK + 3, GRAPH, NODE, WORK, OWN, NODE_KERNEL,
	NODE_LAYER, MADE, HOST_LAYER
};
static const char operations[] =
	"SELECT o.op, o.kind, o.step, o.launch, o.stream, o.code, o.duration_us, o.bytes, o.offset,"
	" b.name, f.name, o.object, l.kernel, l.layer, l.grid_x, l.grid_y, l.grid_z,"
	" l.block_x, l.block_y, l.block_z,"
	" iif(o.launch IS NULL, NULL, (SELECT min(k.tensor) FROM v_kv k WHERE k.run = o.run"
	"  AND k.op = o.op)),"
	" n.graph, n.node, n.work, n.own, n.kernel, n.layer,"
	" o.launch IS NOT NULL AND o.object IS NOT NULL,"
	" iif(o.kind = 'host_softmax', (SELECT layer FROM v_softmax s WHERE s.run = o.run"
	"  AND s.op = o.op), NULL)"
	/* Restrict both subqueries: SQLite reads the right side of a LEFT JOIN first. */
	" FROM v_op o LEFT JOIN"
	" (SELECT * FROM v_launch WHERE run = ?1 AND launch BETWEEN ?4 AND ?5) l"
	" ON l.run = o.run AND l.launch = o.launch"
	" LEFT JOIN (SELECT * FROM v_node WHERE run = ?1 AND op BETWEEN ?2 AND ?3) n"
	" ON n.run = o.run AND n.op = o.op"
	" LEFT JOIN v_buffer b ON b.run = o.run AND b.buffer = o.buffer"
	" LEFT JOIN v_buffer f ON f.run = o.run AND f.buffer = o.from_buffer"
	" WHERE o.run = ?1 AND o.op BETWEEN ?2 AND ?3 ORDER BY o.op";

struct timeline {
	int64_t step;                   /* of the previous row */
	bool begun;
	struct view_context second;     /* to compare with */
	bool compared;
	int64_t last;                   /* last operation of the range */
	int64_t streams;                /* highest stream number + 1 */
	struct view_axis axis;          /* of the step */
	bool noted, noted_timed;        /* the note on bars was printed */
};

static int bar_columns(const struct timeline *t)
{
	return t->compared ? BAR_AND_VERDICT : BAR;
}

/* Explains the bars: at the first step, and again where measured and logical time alternate. */
static void note_bars(const struct view_context *c, struct timeline *t)
{
	if (t->noted && t->noted_timed == t->axis.timed)
		return;
	t->noted = true;
	t->noted_timed = t->axis.timed;
	view_styled(c, STYLE_NOTE, t->axis.timed
		    ? " bars: measured us; starts are the earliest that streams and events allow\n"
		    : " bars: logical time, 1 per operation; starts are the earliest that streams"
		    " and events allow\n");
}

static void print_columns(const struct view_context *c, struct timeline *t)
{
	view_cell other = "";

	note_bars(c, t);
	if (t->compared && c->other)
		snprintf(other, sizeof other, " second ");
	else if (t->compared)
		snprintf(other, sizeof other, " r%-6" PRId64, t->second.run);
	view_styled(c, STYLE_HEADING, " %-8s %-36s %4s %-*s %7s%s  %-9s %s\n", "address",
		    "operation", "strm", bar_columns(t), t->axis.timed ? "time" : "order",
		    t->axis.timed ? "us" : "", other, "grid", "block");
}

static enum status print_heading(const struct view_context *c, sqlite3_stmt *row,
				 struct timeline *t)
{
	int64_t step = view_null(row, STEP) ? -1 : view_int(row, STEP);

	if (t->begun && t->step == step)
		return STATUS_OK;
	t->begun = true;
	t->step = step;
	if (step < 0)
		view_print(c, "\n outside of steps\n");
	else
		TRY(view_step_text(c, step));
	view_axis_free(&t->axis);
	TRY(view_axis_read(c, view_int(row, OP), t->last, step, &t->axis));
	print_columns(c, t);
	return STATUS_OK;
}

static bool is_kind(sqlite3_stmt *row, const char *prefix)
{
	return strncmp(view_text(row, KIND), prefix, strlen(prefix)) == 0;
}

static bool on_host(sqlite3_stmt *row)
{
	return strcmp(view_text(row, KIND), "host_softmax") == 0;
}

/* What a node of a graph does. The recorder's own nodes save bytes that another is about to
 * overwrite. */
static void describe_node(sqlite3_stmt *row, char *text, size_t bytes)
{
	if (!view_null(row, NODE_KERNEL) && !view_null(row, NODE_LAYER))
		snprintf(text, bytes, "%s  layer %" PRId64, view_text(row, NODE_KERNEL),
			 view_int(row, NODE_LAYER));
	else if (!view_null(row, NODE_KERNEL))
		snprintf(text, bytes, "%s", view_text(row, NODE_KERNEL));
	else
		snprintf(text, bytes, "%s %s", view_int(row, OWN) ? "saves" : view_text(row, WORK),
			 view_null(row, BUFFER) ? "" : view_text(row, BUFFER));
}

/* Describes an event, a graph or an executable graph by its number. */
static void describe_object(sqlite3_stmt *row, char *text, size_t bytes)
{
	int64_t object = view_int(row, OBJECT);

	if (is_kind(row, "event_"))
		snprintf(text, bytes, "%" PRId64, object);
	else if (is_kind(row, "graph_instantiate"))
		snprintf(text, bytes, "graph %" PRId64 " -> executable %" PRId64,
			 view_int(row, GRAPH), object);
	else if (is_kind(row, "graph_launch"))
		snprintf(text, bytes, "executable %" PRId64 " of graph %" PRId64, object,
			 view_int(row, GRAPH));
	else if (is_kind(row, "graph_exec"))
		snprintf(text, bytes, "executable %" PRId64, object);
	else
		snprintf(text, bytes, "graph %" PRId64, object);
}

/* Describes an operation: its kernel and layer, or its buffers and bytes. */
static void describe(sqlite3_stmt *row, char *text, size_t bytes)
{
	view_cell cell;

	if (is_kind(row, "graph_node") && !view_null(row, NODE))
		describe_node(row, text, bytes);
	else if (!view_null(row, TENSOR) && !view_null(row, LAYER))
		snprintf(text, bytes, "%s %s layer %s", view_text(row, KERNEL),
			 view_text(row, TENSOR), view_int_cell(row, LAYER, cell));
	else if (!view_null(row, KERNEL) && view_null(row, LAYER))
		snprintf(text, bytes, "%s", view_text(row, KERNEL));
	else if (!view_null(row, KERNEL))
		snprintf(text, bytes, "%s  layer %s", view_text(row, KERNEL),
			 view_int_cell(row, LAYER, cell));
	else if (!view_null(row, FROM))
		snprintf(text, bytes, "%s -> %s, %s B", view_text(row, FROM),
			 view_text(row, BUFFER), view_int_cell(row, BYTES, cell));
	else if (!view_null(row, BUFFER) && view_int(row, BYTES) == 0)
		snprintf(text, bytes, "%s", view_text(row, BUFFER));
	else if (!view_null(row, BUFFER) && view_int(row, OFFSET) > 0)
		snprintf(text, bytes, "%s, %s B at %" PRId64, view_text(row, BUFFER),
			 view_int_cell(row, BYTES, cell), view_int(row, OFFSET));
	else if (!view_null(row, BUFFER))
		snprintf(text, bytes, "%s, %s B", view_text(row, BUFFER),
			 view_int_cell(row, BYTES, cell));
	else if (!view_null(row, OBJECT))
		describe_object(row, text, bytes);
	else if (!view_null(row, HOST_LAYER))
		snprintf(text, bytes, "layer %" PRId64 ", %s B", view_int(row, HOST_LAYER),
			 view_int_cell(row, BYTES, cell));
	else if (!view_null(row, BYTES))
		snprintf(text, bytes, "%s B", view_int_cell(row, BYTES, cell));
	else
		snprintf(text, bytes, "-");
}

static const char *extent_cell(sqlite3_stmt *row, int column, view_cell cell)
{
	if (view_null(row, column))
		return "";
	snprintf(cell, VIEW_CELL, "%" PRId64 "x%" PRId64 "x%" PRId64, view_int(row, column),
		 view_int(row, column + 1), view_int(row, column + 2));
	return cell;
}

/* The address of a launch or operation, as for --at, or a node of a graph: "g2.0". */
static const char *address_cell(const struct view_context *c, sqlite3_stmt *row, view_cell cell)
{
	if (!view_null(row, LAUNCH))
		return view_launch_cell(c, view_int(row, LAUNCH), cell);
	if (view_null(row, NODE))
		snprintf(cell, VIEW_CELL, "op %" PRId64, view_int(row, OP));
	else
		snprintf(cell, VIEW_CELL, "g%" PRId64 ".%" PRId64, view_int(row, GRAPH),
			 view_int(row, NODE));
	return cell;
}

/* The kind of operation; empty for a launch, which its kernel identifies. */
static const char *kind_cell(sqlite3_stmt *row)
{
	if (view_int(row, MADE))
		return "  ";
	if (is_kind(row, "launch"))
		return "";
	if (is_kind(row, "graph_node"))
		return "node ";
	return view_text(row, KIND) + (is_kind(row, "graph_instantiate")
				       || is_kind(row, "graph_exec") ? strlen("graph_") : 0);
}

/* Kind, description and, for a wait, the operation waited for. */
static void operation_cell(sqlite3_stmt *row, const struct timeline *t, view_cell cell)
{
	const struct view_bar *bar = view_axis_find(&t->axis, view_int(row, OP));
	const char *kind = kind_cell(row);
	char what[48];
	size_t used;

	describe(row, what, sizeof what);
	used = (size_t)snprintf(cell, VIEW_CELL, "%s%s%.40s", kind,
				*kind && kind[strlen(kind) - 1] != ' ' ? " " : "", what);
	if (bar && bar->waited_for >= 0 && used < VIEW_CELL)
		snprintf(cell + used, VIEW_CELL - used, " of op %" PRId64, bar->waited_for);
}

static void anchor_operation(const struct view_context *c, sqlite3_stmt *row)
{
	struct address at = address_none;

	at.run = c->run > 1 ? c->run : -1;
	if (view_null(row, LAUNCH))
		at.op = view_int(row, OP);
	else
		at.launch = view_int(row, LAUNCH);
	display_anchor(c->out, &at);
}

/* Draws a track for each stream, with a mark on the operation's own: '#' for a launch, '=' for
 * bytes, E for an event recorded, W for one waited for. Prints only the stream's number if there is
 * one stream, or more than TRACKS. What the host computed has no stream. */
static void print_stream(const struct view_context *c, sqlite3_stmt *row, int64_t streams)
{
	const char *kind = view_text(row, KIND);
	int64_t own = view_null(row, STREAM) ? -1 : view_int(row, STREAM);
	char mark = strcmp(kind, "event_record") == 0 ? 'E' : strcmp(kind, "event_wait") == 0 ? 'W'
		: view_null(row, BYTES) || view_int(row, BYTES) == 0 ? '#' : '=';
	view_cell cell;

	if (streams < 2 || streams > TRACKS || own < 0 || on_host(row)) {
		view_print(c, " %4s", on_host(row) ? "host" : view_int_cell(row, STREAM, cell));
		return;
	}
	view_print(c, " %*s", (int)(TRACKS - streams), "");
	for (int64_t stream = 0; stream < streams; stream++)
		view_styled(c, STYLE_CHART, "%c", stream == own ? mark : '|');
}

/* Only launches, and what the host computed, get a verdict: nothing else makes results. */
static enum status print_verdict(const struct view_context *c, const struct timeline *t,
				 sqlite3_stmt *row)
{
	bool known = false, equal = false;

	if (!view_null(row, LAUNCH))
		TRY(view_blocks_equal(c, &t->second, view_int(row, LAUNCH), &known, &equal));
	else if (on_host(row))
		TRY(view_computed_equal(c, &t->second, view_int(row, OP), &known, &equal));
	if (known && !equal)
		view_styled(c, STYLE_DIFFERS, " DIFFERS");
	else
		view_print(c, " %-7s", known ? "equal" : "");
	return STATUS_OK;
}

static enum status print_blocks(const struct view_context *c)
{
	struct view_place place;
	bool found;

	TRY(view_place_find(c, "v_launch", &place, &found));
	return found ? view_blocks_draw(c, &place) : STATUS_OK;
}

/* Prints the columns after the bar, for launches and for operations with a duration. */
static enum status print_rest(const struct view_context *c, const struct timeline *t,
			      sqlite3_stmt *row, int columns)
{
	view_cell grid, block, us;

	if (view_null(row, LAUNCH) && view_null(row, DURATION) && !(on_host(row) && t->compared))
		return STATUS_OK;
	view_print(c, "%*s %7s", bar_columns(t) - columns, "",
		   view_null(row, DURATION) ? "" : view_real_cell(row, DURATION, "%.1f", us));
	if (t->compared)
		TRY(print_verdict(c, t, row));
	if (!view_null(row, GRID))
		view_print(c, "  %-9s %s", extent_cell(row, GRID, grid),
			   extent_cell(row, BLOCK, block));
	return STATUS_OK;
}

static enum status print_operation(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct timeline *timeline = state;
	view_cell launch, what;

	TRY(print_heading(c, row, timeline));
	anchor_operation(c, row);
	operation_cell(row, timeline, what);
	view_print(c, " %-8s %-36.36s", address_cell(c, row, launch), what);
	print_stream(c, row, timeline->streams);
	view_print(c, " ");
	TRY(print_rest(c, timeline, row,
		       view_axis_draw(c, &timeline->axis, view_int(row, OP),
				      bar_columns(timeline))));
	if (view_int(row, CODE) != 0)
		view_styled(c, STYLE_WRONG, "  error %" PRId64, view_int(row, CODE));
	view_print(c, "\n");
	if (c->at.launch >= 0 && !view_null(row, LAUNCH) && view_int(row, LAUNCH) == c->at.launch)
		return print_blocks(c);
	return STATUS_OK;
}

/* The first and last launch among operations `first` to `last`. */
static enum status launch_range(const struct view_context *c, int64_t first, int64_t last,
				int64_t *from, int64_t *to)
{
	TRY(VIEW_NUMBER(c, -1, from, "SELECT launch FROM v_op WHERE run = ?1 AND op >= ?2"
			" AND launch IS NOT NULL ORDER BY op LIMIT 1", c->run, first));
	return VIEW_NUMBER(c, -1, to, "SELECT launch FROM v_op WHERE run = ?1 AND op <= ?2"
			   " AND launch IS NOT NULL ORDER BY op DESC LIMIT 1", c->run, last);
}

static enum status print_range(const struct view_context *c, int64_t first, int64_t last)
{
	struct timeline timeline = { .last = last };
	enum status status;
	int64_t from, to;

	TRY(view_second(c, &timeline.second, &timeline.compared));
	TRY(launch_range(c, first, last, &from, &to));
	TRY(VIEW_NUMBER(c, 0, &timeline.streams, "SELECT max(stream) + 1 FROM v_op"
			" WHERE run = ?1 AND op BETWEEN ?2 AND ?3", c->run, first, last));
	status = VIEW_ROWS(c, print_operation, &timeline, operations, c->run, first, last, from,
			   to);
	view_axis_free(&timeline.axis);
	return status;
}

static enum status step_range(const struct view_context *c, int64_t step, int64_t *first,
			      int64_t *last)
{
	TRY(VIEW_NUMBER(c, -1, first, "SELECT min(first_op) FROM v_step"
			" WHERE run = ?1 AND step = ?2", c->run, step));
	TRY(VIEW_NUMBER(c, INT64_MAX, last, "SELECT iif(count(*) = count(last_op), max(last_op),"
			" NULL) FROM v_step WHERE run = ?1 AND step = ?2", c->run, step));
	if (*first < 0)
		return fail(STATUS_USAGE, "run %" PRId64 " has no step s%" PRId64, c->run, step);
	return STATUS_OK;
}

/* The step of the operation, or its neighbours if it is outside of steps. */
static enum status op_range(const struct view_context *c, int64_t op, int64_t *first,
			    int64_t *last)
{
	int64_t known, step;

	TRY(VIEW_NUMBER(c, 0, &known, "SELECT 1 FROM v_op WHERE run = ?1 AND op = ?2", c->run, op));
	if (!known)
		return fail(STATUS_USAGE, "run %" PRId64 " has no op %" PRId64, c->run, op);
	TRY(VIEW_NUMBER(c, -1, &step, "SELECT step FROM v_op WHERE run = ?1 AND op = ?2", c->run,
			op));
	*first = op - AROUND;
	*last = op + AROUND;
	return step < 0 ? STATUS_OK : step_range(c, step, first, last);
}

/* The operations that belong to the address, if it names a place. */
static enum status place_range(const struct view_context *c, int64_t *first, int64_t *last,
			       bool *found)
{
	struct view_place place;

	*found = true;
	if (c->at.op >= 0)
		return op_range(c, c->at.op, first, last);
	if (c->at.step >= 0)
		return step_range(c, c->at.step, first, last);
	*found = c->at.launch >= 0;
	if (!*found)
		return STATUS_OK;
	TRY(view_place_find(c, "v_launch", &place, found));
	return op_range(c, place.op, first, last);
}

static enum status draw_ends(const struct view_context *c)
{
	int64_t steps, ops, first, first_end, last, last_end;

	TRY(VIEW_NUMBER(c, 0, &steps, "SELECT steps FROM v_run WHERE run = ?1", c->run));
	TRY(VIEW_NUMBER(c, 0, &ops, "SELECT ops FROM v_run WHERE run = ?1", c->run));
	if (steps == 0) {
		TRY(print_range(c, 0, WITHOUT_STEPS - 1));
		view_more(c, ops, WITHOUT_STEPS);
		return STATUS_OK;
	}
	TRY(VIEW_NUMBER(c, 0, &first, "SELECT min(step) FROM v_step WHERE run = ?1", c->run));
	TRY(VIEW_NUMBER(c, 0, &last, "SELECT max(step) FROM v_step WHERE run = ?1", c->run));
	TRY(step_range(c, first, &first, &first_end));
	TRY(print_range(c, 0, first_end));
	TRY(step_range(c, last, &last, &last_end));
	if (first == last)
		return STATUS_OK;
	if (last - 1 > first_end)       /* which may be INT64_MAX: an unfinished step */
		view_print(c,
			   "\n ... %" PRId64 " step%s between: --at sN shows one, --all every"
			   " one\n", steps - 2, view_plural(steps - 2));
	return print_range(c, last, INT64_MAX);
}

static enum status draw(const struct view_context *c)
{
	int64_t first, last, host;
	bool found;

	TRY(place_range(c, &first, &last, &found));
	view_title(c, "TIMELINE of run %" PRId64, c->run);
	TRY(VIEW_NUMBER(c, 0, &host, "SELECT 1 FROM v_softmax WHERE run = ?1 LIMIT 1", c->run));
	view_legend(c, " `# launch  `= bytes%s  `E event recorded  `W waited for\n",
		    host ? "  `H computed by the host" : "");
	if (found)
		return print_range(c, first, last);
	return c->all ? print_range(c, 0, INT64_MAX) : draw_ends(c);
}

const struct view view_time = {
	.name = "time", .summary = "operations in the order issued",
	.draw = draw
};
