/* viewer_provenance.c - the keys w and r: who wrote the data at the place, and who reads it.
 *
 * For an element, output or access, they search the run for operations on its bytes, by the extents
 * of digests and the rows of KV caches. For a launch, w covers the buffers passed to it and r those
 * it wrote; at a step, that launch is the one on the screen. For another operation, they cover its
 * bytes. A trace does not record which bytes a launch reads, so readers are listed as possible;
 * a const parameter shows that it cannot write. On the KV screen, w lists the rows of the layer's
 * caches, with the address of an element each, where w and r work again.
 */
#include "config.h"

#include "tui/viewer/viewer_provenance.h"

#include <inttypes.h>

#include "traces/store/store_index.h"
#include "traces/store/written.h"
#include "tui/viewer/viewer_actions.h"
#include "tui/viewer/viewer_walk.h"
#include "tui/views/kernel/view_memory.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"
#include "tui/views/view_place.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define SHOWN 24                        /* operations listed at first */
#define LIMIT " LIMIT ?7"

/* Bytes of a buffer. */
struct range {
	int64_t buffer, from, past;
	int64_t op;                     /* operation of the launch at the place */
	int64_t element;                /* element at the place, -1: none */
	char name[100];
};

/* --- the list --- */

enum { OP, LAUNCH, KIND, KERNEL, STEP, BUFFER, OUTPUT, HOW, ELEMENT };

static enum status list_op(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct address at = address_none;
	struct viewer_ops *ops = state;
	char text[ADDRESS_TEXT];

	/* One more than are listed is read. */
	ops->more = ops->listed == ops->limit;
	if (ops->more)
		return STATUS_OK;
	ops->listed++;

	at.run = c->run > 1 ? c->run : -1;
	at.op = view_null(row, LAUNCH) ? view_int(row, OP) : -1;
	at.launch = view_null(row, LAUNCH) ? -1 : view_int(row, LAUNCH);
	address_format(&at, text);
	/* From an element, lead to the same element there. */
	if (!view_null(row, OUTPUT) && !view_null(row, ELEMENT)) {
		at.output = view_int(row, OUTPUT);
		at.element = view_int(row, ELEMENT);
	}
	display_anchor(c->out, &at);
	/* The place of a row of a cache fits into 80 columns. */
	view_print(c, "  %-10s %-26.26s", text,
		   view_text(row, view_null(row, KERNEL) ? KIND : KERNEL));
	if (!view_null(row, STEP))
		view_print(c, " step %-4" PRId64, view_int(row, STEP));
	view_print(c, " %s%s%s\n", view_text(row, BUFFER), view_null(row, HOW) ? "" : "  ",
		   view_null(row, HOW) ? "" : view_text(row, HOW));
	return STATUS_OK;
}

/* --- bytes: ?2 the operation, ?3 the buffer, ?4 and ?5 the range, ?6 the element or -1 --- */

/* The digest of scattered rows includes the gaps; v_kv has the extents of the rows. */
#define WROTE(condition, order) \
	" SELECT w.op, w.entry FROM w_written w WHERE w.run = ?1 AND w.buffer = ?3" \
	"  AND w." condition " AND w.offset < ?5 AND (w.bytes IS NULL OR w.offset + w.bytes > ?4)" \
	"  AND (w.launch IS NULL OR NOT EXISTS (SELECT 1 FROM v_kv k WHERE k.run = ?1" \
	"    AND k.op = w.op AND k.buffer = ?3)" \
	"   OR EXISTS (SELECT 1 FROM v_kv k WHERE k.run = ?1 AND k.op = w.op" \
	"    AND k.buffer = ?3 AND k.offset < ?5 AND k.offset + k.bytes > ?4))" \
	"  ORDER BY w.op" order

/* A join with v_launch would read all launches: SQLite cannot flatten a join on the right side. */
#define KERNEL_OF_OP \
	"(SELECT l.kernel FROM v_launch l WHERE l.run = o.run AND l.launch = o.launch)"

#define DESCRIBED(how) \
	" SELECT o.op, o.launch, o.kind, " KERNEL_OF_OP ", o.step, b.name, f.entry, " how \
	", nullif(?6, -1) FROM found f CROSS JOIN v_op o ON o.run = ?1 AND o.op = f.op" \
	" LEFT JOIN v_buffer b ON b.run = ?1 AND b.buffer = ?3"

static const char wrote_bytes[] =
	"WITH found (op, entry) AS (" WROTE("op <= ?2", " DESC") LIMIT ")"
	DESCRIBED("NULL") " ORDER BY o.op DESC" LIMIT;

/* Ends with the operation that overwrites the bytes, which may read them first. */
static const char reads_bytes[] =
	"WITH over (op, entry) AS (" WROTE("op > ?2", "") " LIMIT 1),"
	" found (op, entry, how) AS (SELECT o.op, NULL, iif(o.op IN (SELECT op FROM over),"
	"  'overwrites them', CASE WHEN o.launch IS NULL THEN 'reads'"
	"   WHEN (SELECT min(a.type LIKE 'const %') FROM v_arg a WHERE a.run = ?1 AND a.op = o.op"
	"    AND a.buffer = ?3) THEN 'may read' ELSE 'may read or write' END)"
	"  FROM (SELECT op FROM w_given WHERE run = ?1 AND buffer = ?3 AND op > ?2"
	"   UNION SELECT op FROM over) g CROSS JOIN v_op o ON o.run = ?1 AND o.op = g.op"
	"  WHERE o.op <= coalesce((SELECT op FROM over), 9e18) AND ((o.launch IS NULL"
	"   AND o.kind IN ('download', 'copy') AND coalesce(o.from_buffer, o.buffer) = ?3"
	"   AND coalesce(o.from_offset, o.offset, 0) < ?5)"
	"   OR o.op IN (SELECT op FROM over)"
	"   OR (o.launch IS NOT NULL AND EXISTS (SELECT 1 FROM v_arg a WHERE a.run = ?1"
	"    AND a.op = o.op AND a.buffer = ?3 AND coalesce(a.offset, 0) < ?5)"
	/* A scatter of other rows does not touch these. */
	"   AND NOT EXISTS (SELECT 1 FROM v_kv k WHERE k.run = ?1 AND k.op = o.op"
	"    AND k.buffer = ?3)))"
	"  ORDER BY o.op" LIMIT ")"
	DESCRIBED("f.how") " ORDER BY o.op";

/* --- launches: ?2 the operation, ?3 the number of the launch --- */

/* For each buffer passed to the launch, the last earlier operation that wrote it. */
static const char wrote_given[] =
	"WITH given AS (SELECT DISTINCT buffer FROM v_arg WHERE run = ?1 AND launch = ?3"
	"  AND buffer IS NOT NULL),"
	" last AS (SELECT g.buffer, (SELECT max(w.op) FROM w_written w WHERE w.run = ?1"
	"   AND w.buffer = g.buffer AND w.op < ?2) AS op FROM given g)"
	" SELECT o.op, o.launch, o.kind, " KERNEL_OF_OP ", o.step, b.name, NULL, NULL, NULL"
	" FROM last"
	" CROSS JOIN v_op o ON o.run = ?1 AND o.op = last.op"
	" LEFT JOIN v_buffer b ON b.run = ?1 AND b.buffer = last.buffer ORDER BY o.op DESC" LIMIT;

/* Later operations that use a buffer that the launch wrote. */
static const char reads_written[] =
	"WITH wrote AS (SELECT DISTINCT buffer FROM v_digest WHERE run = ?1 AND op = ?2"
	"  AND after_step = 0),"
	" found AS (SELECT g.op, g.buffer FROM wrote w CROSS JOIN w_given g ON g.run = ?1"
	"  AND g.buffer = w.buffer AND g.op > ?2 WHERE ?3 >= 0 ORDER BY g.op" LIMIT ")"
	" SELECT o.op, o.launch, o.kind, " KERNEL_OF_OP ", o.step, b.name, NULL, NULL, NULL"
	" FROM found f"
	" CROSS JOIN v_op o ON o.run = ?1 AND o.op = f.op"
	" LEFT JOIN v_buffer b ON b.run = ?1 AND b.buffer = f.buffer ORDER BY o.op";

/* Rows of the caches, latest first. */
#define WROTE_ROWS(which) \
	"SELECT w.op, w.launch, o.kind, " KERNEL_OF_OP ", o.step, b.name," \
	" (SELECT d.entry FROM v_digest d WHERE d.run = ?1 AND d.launch = w.launch" \
	"  AND d.after_step = 0 AND d.buffer = w.buffer LIMIT 1)," \
	" 'slot ' || w.slot || ' position ' || w.position," \
	" (SELECT k.offset / 4 FROM v_kv k WHERE k.run = ?1 AND k.op = w.op AND w.launch >= 0" \
	"  AND k.buffer = w.buffer AND k.slot = w.slot AND k.position = w.position" \
	"  ORDER BY k.kv_head LIMIT 1)" \
	" FROM w_kv w JOIN v_op o ON o.run = ?1 AND o.op = w.op" \
	" LEFT JOIN v_buffer b ON b.run = ?1 AND b.buffer = w.buffer" \
	" WHERE w.run = ?1 AND w.op <= ?2 AND " which \
	" ORDER BY w.op DESC, w.slot, w.position DESC" LIMIT

/* Those of the layer of the launch, or of the last operation that wrote or copied rows. */
static const char wrote_rows[] = WROTE_ROWS(
	"w.layer = coalesce((SELECT layer FROM v_launch WHERE run = ?1 AND launch = ?3),"
	" (SELECT layer FROM v_kv WHERE run = ?1 AND op <= ?2 ORDER BY op DESC LIMIT 1))");
/* Of all layers, up to the end of a step. */
static const char wrote_in_steps[] = WROTE_ROWS("?3 < 0");

/* --- the place --- */

/* The numbers may be anything: a damaged trace has them. */
static void set_bytes(struct range *r, int64_t from, int64_t bytes, const char *name)
{
	r->from = from;
	if (bytes < 0)
		bytes = 0;
	if (__builtin_add_overflow(from, bytes, &r->past))
		r->past = INT64_MAX;
	snprintf(r->name, sizeof r->name, "bytes %" PRId64 " to %" PRId64 " of %.40s", r->from,
		 r->past > INT64_MIN ? r->past - 1 : r->past, name);
}

/* What the lane of the place accesses, or the first lane of its request. */
static enum status range_of_access(const struct view_context *c, struct range *r, bool *some)
{
	struct memory_request request;
	struct view_place place;
	unsigned lane;
	char name[48];

	*some = false;
	TRY(view_place_find(c, "w_access_line", &place, some));
	if (!*some)
		return STATUS_OK;
	TRY(memory_at(c, &place, &request));
	*some = request.warp >= 0 && !request.shared;
	if (!*some)
		return STATUS_OK;
	lane = (unsigned)__builtin_ctz(request.lanes);
	if (c->at.lane >= 0 && c->at.lane < REQUEST_LANES && request.lanes >> c->at.lane & 1)
		lane = (unsigned)c->at.lane;
	*r = (struct range){
		.buffer = (int64_t)(request.address[lane] >> MEMORY_BUFFER), .op = place.op,
		.element = -1,
	};
	*some = r->buffer > 0;
	TRY(memory_buffer(c, request.address[lane], name, sizeof name));
	set_bytes(r, MEMORY_OFFSET(request.address[lane]), request.bytes[lane], name);
	return STATUS_OK;
}

/* The bytes of the element, output or access at the place; *some false: the place is none. */
static enum status range_here(struct viewer *v, struct range *r, bool *some)
{
	const struct address *at = &v->here.at;
	struct view_context c = viewer_context(v, 0);
	struct written w;
	enum status status;
	int64_t size;

	if (at->access >= 0)
		return range_of_access(&c, r, some);
	*some = at->launch >= 0 && at->output >= 0;
	if (!*some)
		return STATUS_OK;
	status = written_read(c.store, c.run, at->launch, at->output, &w, some);
	if (status == STATUS_OK && *some) {
		size = (int64_t)dtype_bytes(w.dtype);
		*r = (struct range){ .buffer = w.buffer, .op = w.op, .element = at->element };
		if (at->element < 0)
			set_bytes(r, w.offset, w.bytes, w.name);
		else
			set_bytes(r, at->element <= INT64_MAX / size ? at->element * size
				  : INT64_MAX, size, w.name);
	}
	written_free(&w);
	return status;
}

/* The bytes that an operation other than a launch wrote, or for `w` also those it copied. */
static enum status take_op(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct range *r = state;

	(void)c;
	if (view_null(row, 0) || view_null(row, 2))
		return STATUS_OK;
	*r = (struct range){ .buffer = view_int(row, 0), .element = -1 };
	set_bytes(r, view_int(row, 1), view_int(row, 2), view_text(row, 3));
	return STATUS_OK;
}

static enum status range_of_op(struct viewer *v, bool source, struct range *r, bool *some)
{
	struct view_context c = viewer_context(v, 0);

	*r = (struct range){ .buffer = -1 };
	TRY(VIEW_ROWS(&c, take_op, r, "SELECT iif(?3, coalesce(o.from_buffer, o.buffer), o.buffer),"
		      " coalesce(iif(?3, coalesce(o.from_offset, o.offset), o.offset), 0), o.bytes,"
		      " b.name FROM v_op o LEFT JOIN v_buffer b ON b.run = o.run AND b.buffer ="
		      "  iif(?3, coalesce(o.from_buffer, o.buffer), o.buffer)"
		      " WHERE o.run = ?1 AND o.op = ?2 AND o.launch IS NULL", c.run, v->here.at.op,
		      source));
	r->op = v->here.at.op;
	*some = r->buffer >= 0;
	return STATUS_OK;
}

/* Draws the list; one that is made longer stays where it is. */
static enum status show_ops(struct viewer *v, const char *title, struct viewer_ops ops)
{
	struct view_context c = viewer_context(v, 0);
	long row = v->list_row, top = v->list_top;
	bool longer = v->list != NULL;
	enum status status;

	ops.listed = 0;
	ops.more = false;
	c.out = display_create(NULL, &address_none);
	status = VIEW_ROWS(&c, list_op, &ops, ops.sql, ops.values[0], ops.values[1], ops.values[2],
			   ops.values[3], ops.values[4], ops.values[5], ops.limit + 1);
	if (status != STATUS_OK) {
		display_free(c.out);
		return status;
	}
	if (ops.listed == 0)
		view_print(&c, "  none in this run\n");
	else if (ops.more)
		view_print(&c, "  ... more: + lists them\n");
	viewer_show_list(v, title, c.out);
	v->ops = ops;
	if (longer) {
		v->list_row = row;
		v->list_top = top;
	}
	return STATUS_OK;
}

static enum status list_bytes(struct viewer *v, const char *what, const char *sql,
			      const struct range *r)
{
	char title[sizeof v->list_title];

	snprintf(title, sizeof title, " who %s %.60s ", what, r->name);
	return show_ops(v, title, (struct viewer_ops){
		.sql = sql, .limit = SHOWN, .values = { v->side[0].run, r->op, r->buffer, r->from,
							r->past, r->element } });
}

/* launch -1: up to an operation. */
static enum status list_launch(struct viewer *v, const char *title, const char *sql, int64_t op,
			       int64_t launch)
{
	return show_ops(v, title, (struct viewer_ops){
		.sql = sql, .limit = SHOWN, .values = { v->side[0].run, op, launch, 0, 0, -1 } });
}

enum status viewer_list_more(struct viewer *v)
{
	struct viewer_ops ops = v->ops;
	char title[sizeof v->list_title];

	if (!ops.sql || !ops.more) {
		viewer_say(v, "this list is complete");
		return STATUS_OK;
	}
	ops.limit *= 4;
	snprintf(title, sizeof title, "%s", v->list_title);
	return show_ops(v, title, ops);
}

/* At a step, the launch that the screen shows. */
static enum status ask_launch(struct viewer *v, bool wrote)
{
	struct view_context c = viewer_context(v, 0);
	const char *table = v->here.view->table ? v->here.view->table : "v_launch";
	char title[sizeof v->list_title];
	struct view_place place;
	view_cell launch;
	bool found;

	TRY(view_place_find(&c, table, &place, &found));
	if (!found) {
		viewer_say(v, "no launch up to here: f goes to the next one");
		return STATUS_OK;
	}
	view_launch_cell(&c, place.launch, launch);
	if (wrote)
		snprintf(title, sizeof title, " who last wrote the inputs of %.40s ", launch);
	else
		snprintf(title, sizeof title, " who uses what %.40s wrote ", launch);
	return list_launch(v, title, wrote ? wrote_given : reads_written, place.op, place.launch);
}

static enum status ask(struct viewer *v, bool wrote)
{
	struct range range;
	bool some;

	TRY(store_index_buffers(v->side[0].store));
	TRY(range_here(v, &range, &some));
	if (!some && v->here.at.op >= 0)
		TRY(range_of_op(v, wrote, &range, &some));
	if (some)
		return list_bytes(v, wrote ? "wrote" : "reads", wrote ? wrote_bytes : reads_bytes,
				  &range);
	return ask_launch(v, wrote);
}

static bool at_rows(const struct viewer *v)
{
	return v->here.view == &view_kv && v->here.at.output < 0;
}

enum status viewer_who_wrote(struct viewer *v, int key)
{
	struct view_context c = viewer_context(v, 0);
	int64_t op;

	(void)key;
	if (!at_rows(v))
		return ask(v, true);
	TRY(store_index_kv(c.store));
	if (v->here.at.launch < 0 && v->here.at.op < 0) {
		TRY(view_place_last_op(&c, &op));
		return list_launch(v, " who wrote rows of the cache, latest first ",
				   wrote_in_steps, op, -1);
	}
	TRY(walk_op(&c, &v->here.at, &op));
	return list_launch(v, " who wrote the rows of this layer, latest first ", wrote_rows, op,
			   v->here.at.launch);
}

enum status viewer_who_reads(struct viewer *v, int key)
{
	(void)key;
	return ask(v, false);
}
