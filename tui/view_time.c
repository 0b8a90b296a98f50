/* view_time.c - the timeline: every device operation in the order issued, step by step.
 *
 * Without an address, what came before the first step, the first step and the last one. With
 * several runs in the file, each launch says whether it wrote the same bytes in the next run. Times
 * are shown where some were measured. Launches that a graph made are below its launch, indented.
 */
#include "tui/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WITHOUT_STEPS 60                /* operations shown of a run that has no steps */
#define AROUND 8                        /* and before and after a place outside of steps */
#define TRACKS 4                        /* streams drawn beside each other, at most */
#define SLOTS 4                         /* whose bytes a step's heading shows */

enum {
	OP, KIND, STEP, LAUNCH, STREAM, CODE, DURATION, BYTES, OFFSET, BUFFER, FROM, OBJECT, KERNEL,
	LAYER, GRID, BLOCK = GRID + 3, TENSOR = BLOCK + 3, VERDICT, GRAPH, NODE, WORK, OWN, NODE_KERNEL,
	NODE_LAYER, MADE
};
static const char operations[] =
	"SELECT o.op, o.kind, o.step, o.launch, o.stream, o.code, o.duration_us, o.bytes, o.offset,"
	" b.name, f.name, o.object, l.kernel, l.layer, l.grid_x, l.grid_y, l.grid_z,"
	" l.block_x, l.block_y, l.block_z,"
	" (SELECT min(k.tensor) FROM v_kv k WHERE k.run = o.run AND k.launch = o.launch),"
	" (SELECT CASE WHEN sum(x.digest <> y.digest) > 0 THEN 'DIFFERS'"
	"  WHEN count(*) > 0 THEN 'equal' END"
	"  FROM v_digest x JOIN v_digest y ON y.run = ?4"
	"  AND y.op = (SELECT op FROM v_launch WHERE run = ?4 AND launch = x.launch)"
	"  AND y.after_step = 0 AND y.entry = x.entry"
	"  WHERE x.run = o.run AND x.op = o.op AND x.after_step = 0),"
	" n.graph, n.node, n.work, n.own, n.kernel, n.layer,"
	" o.launch IS NOT NULL AND o.object IS NOT NULL"
	/* Only what is needed of the two: as right sides of a LEFT JOIN they are read first. */
	" FROM v_op o LEFT JOIN"
	" (SELECT * FROM v_launch WHERE run = ?1 AND launch BETWEEN ?5 AND ?6) l"
	" ON l.run = o.run AND l.launch = o.launch"
	" LEFT JOIN (SELECT * FROM v_node WHERE run = ?1 AND op BETWEEN ?2 AND ?3) n"
	" ON n.run = o.run AND n.op = o.op"
	" LEFT JOIN v_buffer b ON b.run = o.run AND b.buffer = o.buffer"
	" LEFT JOIN v_buffer f ON f.run = o.run AND f.buffer = o.from_buffer"
	" WHERE o.run = ?1 AND o.op BETWEEN ?2 AND ?3 ORDER BY o.op";

struct timeline {
	int64_t step;                   /* of the row before */
	bool begun;
	int64_t other;                  /* run to compare with; 0: none */
	int64_t streams;                /* greatest number and 1 */
	bool timed;                     /* some operation's time was measured */
};

/* The keys a step processed in each slot, and the byte that came of them: prompt bytes were given
 * to the step, any other is what an earlier step produced for the position before the new one. The
 * slot may have held other sequences before, hence the last such step. */
static const char tokens[] =
	"WITH mine AS (SELECT slot, position, byte, prompt FROM v_token"
	"  WHERE run = ?1 AND step = ?2),"
	" made AS (SELECT slot, position, byte FROM mine WHERE NOT prompt),"
	" used AS (SELECT slot, position, byte FROM mine WHERE prompt UNION"
	"  SELECT slot, position, byte FROM (SELECT t.slot, t.position, t.byte, max(t.step)"
	"   FROM v_token t JOIN made USING (slot) WHERE t.run = ?1 AND t.step <= ?2"
	"   AND t.position = made.position - 1 GROUP BY t.slot)),"
	" ends AS (SELECT slot, min(position) AS first, max(position) AS last FROM used"
	"  GROUP BY slot)"
	" SELECT e.slot, e.first, e.last, f.byte, l.byte, made.position, made.byte FROM ends e"
	" JOIN used f ON f.slot = e.slot AND f.position = e.first"
	" JOIN used l ON l.slot = e.slot AND l.position = e.last"
	" LEFT JOIN made ON made.slot = e.slot ORDER BY e.slot";
enum { T_SLOT, T_FIRST, T_LAST, T_FIRST_BYTE, T_LAST_BYTE, T_MADE, T_MADE_BYTE };

static enum status print_token(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	int64_t *slots = state;
	int64_t first = view_int(row, T_FIRST), last = view_int(row, T_LAST);
	view_cell byte;

	if (!view_fits(c, (*slots)++, SLOTS))
		return STATUS_OK;
	view_print(c, "%sslot %" PRId64, *slots > 1 ? "\n      " : "  ", view_int(row, T_SLOT));
	if (first < last)
		view_print(c, "  keys %" PRId64 "..%" PRId64 " %s..", first, last,
			   view_byte_cell((int)view_int(row, T_FIRST_BYTE), byte));
	else
		view_print(c, "  key %" PRId64 " ", last);
	view_print(c, "%s", view_byte_cell((int)view_int(row, T_LAST_BYTE), byte));
	if (!view_null(row, T_MADE))
		view_print(c, "  -> byte %" PRId64 " %s", view_int(row, T_MADE),
			   view_byte_cell((int)view_int(row, T_MADE_BYTE), byte));
	return STATUS_OK;
}

static enum status print_heading(const struct view_context *c, sqlite3_stmt *row,
				 struct timeline *t)
{
	int64_t step = view_null(row, STEP) ? -1 : view_int(row, STEP), slots = 0;

	if (t->begun && t->step == step)
		return STATUS_OK;
	t->begun = true;
	t->step = step;
	if (step < 0) {
		view_print(c, "\n outside of steps\n");
	} else {
		view_print(c, "\n s%" PRId64, step);
		TRY(VIEW_ROWS(c, print_token, &slots, tokens, c->run, step));
		view_print(c, "\n");
		view_more(c, slots, SLOTS);
	}
	view_styled(c, STYLE_HEADING, "    op  %-8s %-12s %-29s %-9s %-8s %4s", "address",
		    "operation", "what", "grid", "block", "strm");
	if (t->timed)
		view_styled(c, STYLE_HEADING, " %7s", "us");
	if (t->other > 0)
		view_styled(c, STYLE_HEADING, " r%" PRId64, t->other);
	view_print(c, "\n");
	return STATUS_OK;
}

static bool is_kind(sqlite3_stmt *row, const char *prefix)
{
	return strncmp(view_text(row, KIND), prefix, strlen(prefix)) == 0;
}

/* What a node of a graph does; the recorder's own save what another is about to overwrite. */
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

/* What has a number: an event, a graph, an executable graph. */
static void describe_object(sqlite3_stmt *row, char *text, size_t bytes)
{
	int64_t object = view_int(row, OBJECT);

	if (is_kind(row, "event_"))
		snprintf(text, bytes, "event %" PRId64, object);
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

/* What the operation is about: a kernel and its layer, or buffers and bytes. */
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
	else
		snprintf(text, bytes, "-");
}

static const char *extent_cell(sqlite3_stmt *row, int column, view_cell cell)
{
	if (view_null(row, column))
		return "-";
	snprintf(cell, VIEW_CELL, "%" PRId64 "x%" PRId64 "x%" PRId64, view_int(row, column),
		 view_int(row, column + 1), view_int(row, column + 2));
	return cell;
}

/* A launch, or a node of a graph: "g2.0". */
static const char *address_cell(const struct view_context *c, sqlite3_stmt *row, view_cell cell)
{
	if (!view_null(row, LAUNCH))
		return view_launch_cell(c, view_int(row, LAUNCH), cell);
	if (view_null(row, NODE))
		return "-";
	snprintf(cell, VIEW_CELL, "g%" PRId64 ".%" PRId64, view_int(row, GRAPH),
		 view_int(row, NODE));
	return cell;
}

static const char *kind_cell(sqlite3_stmt *row)
{
	if (view_int(row, MADE))
		return "  launch";
	if (is_kind(row, "graph_instantiate") || is_kind(row, "graph_exec"))
		return view_text(row, KIND) + strlen("graph_");
	return view_text(row, KIND);
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

/* A track for each stream, and what the operation is on its own: '#' a launch, '=' bytes, E an
 * event recorded, W one waited for. The number alone where there is one stream, or many. */
static void print_stream(const struct view_context *c, sqlite3_stmt *row, int64_t streams)
{
	const char *kind = view_text(row, KIND);
	int64_t own = view_null(row, STREAM) ? -1 : view_int(row, STREAM);
	char mark = strcmp(kind, "event_record") == 0 ? 'E' : strcmp(kind, "event_wait") == 0 ? 'W'
		: view_null(row, BYTES) || view_int(row, BYTES) == 0 ? '#' : '=';
	view_cell cell;

	if (streams < 2 || streams > TRACKS || own < 0) {
		view_print(c, " %4s", view_int_cell(row, STREAM, cell));
		return;
	}
	view_print(c, " %*s", (int)(TRACKS - streams), "");
	for (int64_t stream = 0; stream < streams; stream++)
		view_styled(c, STYLE_CHART, "%c", stream == own ? mark : '|');
}

static enum status print_operation(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct timeline *timeline = state;
	view_cell launch, grid, block, us;
	char what[30];

	TRY(print_heading(c, row, timeline));
	anchor_operation(c, row);
	describe(row, what, sizeof(what));
	view_print(c, " %5" PRId64 "  %-8s %-12s %-29s %-9s %-8s", view_int(row, OP),
		   address_cell(c, row, launch), kind_cell(row), what, extent_cell(row, GRID, grid),
		   extent_cell(row, BLOCK, block));
	print_stream(c, row, timeline->streams);
	if (timeline->timed)
		view_print(c, " %7s", view_real_cell(row, DURATION, "%.1f", us));
	/* Only launches have written anything that could differ. */
	if (timeline->other > 0 && !view_null(row, VERDICT))
		view_styled(c, view_text(row, VERDICT)[0] == 'D' ? STYLE_WRONG : STYLE_PLAIN,
			    " %s", view_text(row, VERDICT));
	if (view_int(row, CODE) != 0)
		view_styled(c, STYLE_WRONG, "  error %" PRId64, view_int(row, CODE));
	view_print(c, "\n");
	return STATUS_OK;
}

/* The run to compare with: the next one, else the first; 0: there is no other. */
static enum status other_run(const struct view_context *c, int64_t *other)
{
	return VIEW_NUMBER(c, 0, other,
			   "SELECT run FROM v_run WHERE run <> ?1 ORDER BY run < ?1, run", c->run);
}

/* The first launch from operation `first` on, the last one up to `last`. */
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
	struct timeline timeline = { 0 };
	int64_t timed, from, to;

	TRY(other_run(c, &timeline.other));
	TRY(launch_range(c, first, last, &from, &to));
	TRY(VIEW_NUMBER(c, 0, &timed, "SELECT max(duration_us IS NOT NULL) FROM v_op"
			" WHERE run = ?1 AND op BETWEEN ?2 AND ?3", c->run, first, last));
	TRY(VIEW_NUMBER(c, 0, &timeline.streams, "SELECT max(stream) + 1 FROM v_op"
			" WHERE run = ?1 AND op BETWEEN ?2 AND ?3", c->run, first, last));
	timeline.timed = timed;
	return VIEW_ROWS(c, print_operation, &timeline, operations, c->run, first, last,
			 timeline.other, from, to);
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

/* The step of the operation, or what is around it when it belongs to none. */
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

/* The operations that belong to the address, when it has a place. */
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
	if (last > first_end + 1)
		view_print(c,
			   "\n ... %" PRId64 " steps between: --at sN shows one, --all every one\n",
			   steps - 2);
	return print_range(c, last, INT64_MAX);
}

static enum status draw(const struct view_context *c)
{
	int64_t first, last, other;
	bool found;

	TRY(place_range(c, &first, &last, &found));
	TRY(other_run(c, &other));
	view_title(c, "TIMELINE of run %" PRId64, c->run);
	if (other > 0)
		view_print(c, " r%" PRId64 ": whether that run wrote the same bytes\n", other);
	if (found)
		return print_range(c, first, last);
	return c->all ? print_range(c, 0, INT64_MAX) : draw_ends(c);
}

const struct view view_time = {
	.name = "time", .summary = "operations in the order issued",
	.draw = draw
};
