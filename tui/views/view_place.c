/* view_place.c - finds the launch of an address, and its shape; see view_place.h. */
#include "tui/views/view_place.h"

#include <inttypes.h>
#include <stdio.h>

#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

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
		if (place->grid[i] < 0 || place->grid[i] > UINT32_MAX || place->block[i] < 0
		    || place->block[i] > UINT32_MAX)
			return fail(STATUS_DAMAGED, "run %" PRId64 " L%" PRId64 ": bad launch",
				    c->run, place->launch);
	}
	snprintf(place->kernel, sizeof place->kernel, "%s", view_text(row, 10));
	return STATUS_OK;
}

enum status view_place_last_op(const struct view_context *c, int64_t *op)
{
	*op = c->at.op >= 0 ? c->at.op : INT64_MAX;
	if (c->at.step < 0)
		return STATUS_OK;
	return VIEW_NUMBER(c, INT64_MAX, op, "SELECT iif(count(*) = count(last_op),"
			   " max(last_op), NULL) FROM v_step WHERE run = ?1 AND step = ?2",
			   c->run, c->at.step);
}

/* The last launch of the run up to the end of the address's step, or up to its operation. */
static enum status last_of_address(const struct view_context *c, int64_t *launch)
{
	int64_t op;

	TRY(view_place_last_op(c, &op));
	*launch = INT64_MAX;
	if (op == INT64_MAX)
		return STATUS_OK;
	return VIEW_NUMBER(c, -1, launch, "SELECT launch FROM v_op WHERE run = ?1 AND op <= ?2"
			   " AND launch IS NOT NULL ORDER BY op DESC LIMIT 1", c->run, op);
}

/* The last launch up to last_of_address() that the table has rows for; -1: none. */
static enum status last_launch(const struct view_context *c, const char *table, int64_t *launch)
{
	char sql[128];
	int64_t last;

	TRY(last_of_address(c, &last));
	snprintf(sql, sizeof sql, "SELECT launch FROM %s WHERE run = ?1 AND launch <= ?2"
		 " ORDER BY launch DESC LIMIT 1", table);
	return VIEW_NUMBER(c, -1, launch, sql, c->run, last);
}

/* Saturates at INT64_MAX, because a recorded launch may be too big for any device. */
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

/* Checks that the block, warp and lane of the address are in the grid. */
static enum status check_place(const struct address *at, const struct view_place *place)
{
	int64_t threads = product(place->block), before;

	TRY(check_number(place->launch, "blocks", 'b', at->block, view_place_blocks(place)));
	TRY(check_number(place->launch, "warps", 'w', at->warp,
			 threads / 32 + (threads % 32 != 0)));
	before = at->warp > 0 ? at->warp * 32 : 0;
	return check_number(place->launch, "lanes", 'l', at->lane,
			    threads - before < 32 ? threads - before : 32);
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

int64_t view_place_thread(const struct view_place *p, int64_t block, int64_t thread)
{
	int64_t first;

	if (__builtin_mul_overflow(block, product(p->block), &first)
	    || __builtin_add_overflow(first, thread, &first))
		return INT64_MAX;
	return first;
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
