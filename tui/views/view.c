/* view.c - what views share: queries, cells, titles, and which launch an address means.
 *
 * Knows no screen; each lies in a view_*.c of its own.
 */
#include "tui/views/view.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

const struct view *const view_table[] = {
	&view_summary,
	&view_time,
	&view_launch,
	&view_kv,
	&view_chunks,
	&view_reduce,
	&view_points,
	&view_counters,
	&view_source,
	&view_attention,
	&view_diff,
	&view_findings,
	NULL
};

const struct view *view_find(const char *name)
{
	for (int i = 0; view_table[i]; i++)
		if (strcmp(view_table[i]->name, name) == 0)
			return view_table[i];
	return NULL;
}

enum status view_parse(const char *what, const char *name, const struct view **out)
{
	char names[128];
	size_t used = 0;

	*out = view_find(name);
	if (*out)
		return STATUS_OK;
	for (int i = 0; view_table[i] && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 view_table[i]->name);
	return fail(STATUS_USAGE, "%s %s: there are %s", what, name, names);
}

enum status view_choose_run(struct view_context *c)
{
	int64_t runs;

	TRY(store_run_count(c->store, &runs));
	c->run = c->at.run >= 0 ? c->at.run : 1;
	if (c->run >= 1 && c->run <= runs)
		return STATUS_OK;
	return fail(STATUS_USAGE, "%s has %" PRId64 " run%s, not r%" PRId64, store_path(c->store),
		    runs, runs == 1 ? "" : "s", c->run);
}

/* --- queries --- */

enum status view_rows(const struct view_context *c, view_row_fn *fn, void *state, const char *sql,
		      const int64_t *values, int count)
{
	enum status status = STATUS_OK;
	sqlite3_stmt *row;
	int code = store_borrow(c->store, sql, &row);

	for (int i = 0; i < count && code == SQLITE_OK; i++)
		code = sqlite3_bind_int64(row, i + 1, values[i]);
	if (code == SQLITE_OK)
		while (status == STATUS_OK && (code = sqlite3_step(row)) == SQLITE_ROW)
			status = fn(c, row, state);
	if (status == STATUS_OK && code != SQLITE_DONE)
		status = store_read_failed(c->store);
	store_return(c->store, row);
	return status;
}

struct number {
	int64_t value;
	bool known;
};

static enum status take_number(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct number *number = state;

	(void)c;
	if (!number->known && !view_null(row, 0))
		*number = (struct number){ view_int(row, 0), true };
	return STATUS_OK;
}

enum status view_number(const struct view_context *c, int64_t otherwise, int64_t *out,
			const char *sql, const int64_t *values, int count)
{
	struct number number = { otherwise, false };

	TRY(view_rows(c, take_number, &number, sql, values, count));
	*out = number.value;
	return STATUS_OK;
}

enum status view_second(const struct view_context *c, struct view_context *second, bool *found)
{
	int64_t runs;

	*second = *c;
	second->other = NULL;
	if (c->other) {
		second->store = c->other;
		TRY(store_run_count(c->other, &runs));
		second->run = c->run <= runs ? c->run : 1;
		*found = runs > 0;
		return STATUS_OK;
	}
	TRY(VIEW_NUMBER(c, 0, &second->run, "SELECT run FROM v_run WHERE run <> ?1"
			" ORDER BY run < ?1, run", c->run));
	*found = second->run > 0;
	return STATUS_OK;
}

/* --- cells --- */

const char *view_text(sqlite3_stmt *row, int column)
{
	const unsigned char *text = sqlite3_column_text(row, column);

	return text ? (const char *)text : "-";
}

bool view_null(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL;
}

int64_t view_int(sqlite3_stmt *row, int column)
{
	return sqlite3_column_int64(row, column);
}

const char *view_int_cell(sqlite3_stmt *row, int column, view_cell cell)
{
	if (view_null(row, column))
		return "-";
	snprintf(cell, VIEW_CELL, "%" PRId64, view_int(row, column));
	return cell;
}

const char *view_real_cell(sqlite3_stmt *row, int column, const char *format, view_cell cell)
{
	if (view_null(row, column))
		return "-";
	snprintf(cell, VIEW_CELL, format, sqlite3_column_double(row, column));
	return cell;
}

float view_f32(sqlite3_stmt *row, int column)
{
	uint32_t bits = (uint32_t)view_int(row, column);
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static const char *number_cell(enum view_number number, sqlite3_stmt *row, int column,
			       view_cell cell)
{
	if (view_null(row, column))
		return "-";
	view_format_number(number, (uint32_t)view_int(row, column), cell);
	return cell;
}

const char *view_f32_cell(sqlite3_stmt *row, int column, view_cell cell)
{
	return number_cell(NUMBER_DEC, row, column, cell);
}

const char *view_value_cell(const struct view_context *c, sqlite3_stmt *row, int column,
			    view_cell cell)
{
	return number_cell(c->looks.number, row, column, cell);
}

const char *view_float_cell(const struct view_context *c, float value, view_cell cell)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	view_format_number(c->looks.number, bits, cell);
	return cell;
}

const char *view_byte_cell(int byte, view_cell cell)
{
	static const char escapes[] = "\n\t\r\\'", letters[] = "ntr\\'";
	const char *escape = byte > 0 ? strchr(escapes, byte) : NULL;

	if (escape)
		snprintf(cell, VIEW_CELL, "'\\%c'", letters[escape - escapes]);
	else if (byte >= 0 && byte < 128 && isprint(byte))
		snprintf(cell, VIEW_CELL, "'%c'", byte);
	else
		snprintf(cell, VIEW_CELL, "0x%02x", (unsigned)byte & 0xff);
	return cell;
}

const char *view_launch_cell(const struct view_context *c, int64_t launch, view_cell cell)
{
	struct address a = address_none;
	char text[ADDRESS_TEXT];

	a.run = c->run > 1 ? c->run : -1;
	a.launch = launch;
	address_format(&a, text);
	snprintf(cell, VIEW_CELL, "%.*s", VIEW_CELL - 1, text);
	return cell;
}

const char *view_plural(int64_t count)
{
	return count == 1 ? "" : "s";
}

/* --- drawing --- */

static int print(const struct view_context *c, enum view_style style, const char *format,
		 va_list args)
{
	char small[256], *text = small;
	va_list again;
	int length;

	va_copy(again, args);
	length = vsnprintf(small, sizeof(small), format, args);
	if (length >= (int)sizeof(small)) {
		text = xmalloc((size_t)length + 1);
		vsnprintf(text, (size_t)length + 1, format, again);
	}
	va_end(again);
	display_style(c->out, style);
	display_text(c->out, text);
	if (text != small)
		free(text);
	return length;
}

int view_print(const struct view_context *c, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = print(c, STYLE_PLAIN, format, args);
	va_end(args);
	return length;
}

int view_styled(const struct view_context *c, enum view_style style, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = print(c, style, format, args);
	va_end(args);
	return length;
}

void view_legend(const struct view_context *c, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (const char *at = text; *at; at++) {
		bool mark = *at == '`' && at[1];

		at += mark;
		view_styled(c, mark ? STYLE_CHART : STYLE_NOTE, "%c", *at);
	}
}

void view_row_of(const struct view_context *c, int64_t launch, int64_t block)
{
	struct address at = address_none;

	at.run = c->run > 1 ? c->run : -1;
	at.launch = launch;
	at.block = block;
	display_anchor(c->out, &at);
}

void view_title(const struct view_context *c, const char *format, ...)
{
	va_list args;

	view_print(c, "\n");
	va_start(args, format);
	print(c, STYLE_TITLE, format, args);
	va_end(args);
	view_print(c, "\n");
}

bool view_fits(const struct view_context *c, int64_t shown, int64_t limit)
{
	return c->all || shown < limit;
}

void view_more(const struct view_context *c, int64_t rows, int64_t limit)
{
	if (!view_fits(c, rows - 1, limit))
		view_print(c, "  ... %" PRId64 " more: --all shows them\n", rows - limit);
}

/* --- places --- */

static enum status take_place(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct view_place *place = state;

	(void)c;
	place->launch = view_int(row, 0);
	place->op = view_int(row, 1);
	place->step = view_null(row, 2) ? -1 : view_int(row, 2);
	place->layer = view_null(row, 3) ? -1 : view_int(row, 3);
	for (int i = 0; i < 3; i++) {
		place->grid[i] = view_int(row, 4 + i);
		place->block[i] = view_int(row, 7 + i);
		if (place->grid[i] < 0 || place->block[i] < 0)
			return fail(STATUS_DAMAGED, "run %" PRId64 " L%" PRId64 ": bad launch",
				    c->run, place->launch);
	}
	snprintf(place->kernel, sizeof(place->kernel), "%s", view_text(row, 10));
	return STATUS_OK;
}

/* The last launch of the run up to the end of the address's step, or up to its operation. */
static enum status last_of_address(const struct view_context *c, int64_t *launch)
{
	int64_t op = c->at.op;

	*launch = INT64_MAX;
	if (c->at.step >= 0)
		TRY(VIEW_NUMBER(c, INT64_MAX, &op, "SELECT iif(count(*) = count(last_op),"
				" max(last_op), NULL) FROM v_step WHERE run = ?1 AND step = ?2",
				c->run, c->at.step));
	if (op < 0)
		return STATUS_OK;
	return VIEW_NUMBER(c, -1, launch, "SELECT launch FROM v_op WHERE run = ?1 AND op <= ?2"
			   " AND launch IS NOT NULL ORDER BY op DESC LIMIT 1", c->run, op);
}

/* The last launch up to there that the table has rows for; -1: none. */
static enum status last_launch(const struct view_context *c, const char *table, int64_t *launch)
{
	char sql[128];
	int64_t last;

	TRY(last_of_address(c, &last));
	snprintf(sql, sizeof(sql), "SELECT launch FROM %s WHERE run = ?1 AND launch <= ?2"
		 " ORDER BY launch DESC LIMIT 1", table);
	return VIEW_NUMBER(c, -1, launch, sql, c->run, last);
}

/* No more than INT64_MAX, for a launch that no device would run. */
static int64_t product(const int64_t sizes[3])
{
	int64_t product = sizes[0];

	for (int i = 1; i < 3; i++)
		if (__builtin_mul_overflow(product, sizes[i], &product))
			return INT64_MAX;
	return product;
}

int64_t view_place_blocks(const struct view_place *p)
{
	return product(p->grid);
}

int64_t view_place_threads(const struct view_place *p)
{
	return product(p->block);
}

static enum status check_number(int64_t launch, const char *what, char letter, int64_t number,
				int64_t count)
{
	if (number < count)
		return STATUS_OK;
	return fail(STATUS_USAGE, "L%" PRId64 " has %s %c0 to %c%" PRId64 ", not %c%" PRId64,
		    launch, what, letter, letter, count - 1, letter, number);
}

/* That the block, warp and lane of the address are in the grid. */
static enum status check_place(const struct address *at, const struct view_place *place)
{
	int64_t threads = product(place->block);
	int64_t before = at->warp > 0 ? at->warp * 32 : 0;
	int64_t lanes = threads - before < 32 ? threads - before : 32;

	TRY(check_number(place->launch, "blocks", 'b', at->block, view_place_blocks(place)));
	TRY(check_number(place->launch, "warps", 'w', at->warp,
			 threads / 32 + (threads % 32 != 0)));
	return check_number(place->launch, "lanes", 'l', at->lane, lanes);
}

enum status view_place_find(const struct view_context *c, const char *table,
			    struct view_place *place, bool *found)
{
	int64_t launch = c->at.launch;

	*place = (struct view_place){ .launch = -1 };
	if (launch < 0)
		TRY(last_launch(c, table, &launch));
	*found = launch >= 0;
	if (!*found)
		return STATUS_OK;
	TRY(VIEW_ROWS(c, take_place, place,
		      "SELECT launch, op, step, layer, grid_x, grid_y, grid_z,"
		      " block_x, block_y, block_z, kernel FROM v_launch"
		      " WHERE run = ?1 AND launch = ?2", c->run, launch));
	if (place->launch < 0)
		return fail(launch == c->at.launch ? STATUS_USAGE : STATUS_DAMAGED,
			    "run %" PRId64 " has no launch L%" PRId64, c->run, launch);
	return check_place(&c->at, place);
}

void view_place_title(const struct view_context *c, const char *what, const struct view_place *p)
{
	view_cell cell;

	view_styled(c, STYLE_TITLE, "\n%s %s %s", what, view_launch_cell(c, p->launch, cell),
		    p->kernel);
	if (p->step >= 0)
		view_styled(c, STYLE_TITLE, ", step %" PRId64, p->step);
	if (p->layer >= 0)
		view_styled(c, STYLE_TITLE, ", layer %" PRId64, p->layer);
	view_print(c, "\n");
}
