/* diff_walk.c - finds the operations of two runs that belong together.
 *
 * Runs recorded in the same windows (or completely) have the same operations. In runs recorded in
 * different windows, each operation has a position: the last step begun and the last launch made,
 * numbered through the whole run. An operation is compared if its position is in the windows of
 * both runs; OP_RESTORE, which only brings a window up to date, never is. diff_ops.c compares the
 * pairs; rows recorded about them are matched by the functions at the end.
 */
#include "traces/diff/diff_walk.h"

/* --- positions --- */

/* Reads the step that begins next, and the launch before its first one, which is the run's position
 * after a gap between windows of steps. */
static enum status read_next_step(struct diff_side *s)
{
	int code = sqlite3_step(s->steps);

	if (code != SQLITE_ROW && code != SQLITE_DONE)
		return store_read_failed(s->diff->store[s->which]);
	s->next_first_op = code == SQLITE_ROW ? sqlite3_column_int64(s->steps, 0) : INT64_MAX;
	return STATUS_OK;
}

static enum status open_steps(struct diff_side *s)
{
	struct store *store = s->diff->store[s->which];

	if (sqlite3_prepare_v2(store_db(store), "SELECT first_op, step, (SELECT launch - 1 FROM"
			       " v_op o WHERE o.run = s.run AND launch IS NOT NULL"
			       " AND op BETWEEN first_op AND last_op ORDER BY op LIMIT 1)"
			       " FROM v_step s WHERE run = ?1 ORDER BY first_op", -1, &s->steps,
			       NULL) != SQLITE_OK
	    || sqlite3_bind_int64(s->steps, 1, s->diff->run[s->which].run) != SQLITE_OK)
		return store_read_failed(store);
	return read_next_step(s);
}

static enum status move_to(struct diff_side *s, const struct row_op *op, int64_t number)
{
	while (s->next_first_op <= number) {
		s->step = sqlite3_column_int64(s->steps, 1);
		if (s->diff->log_at[s->which].unit == 's'
		    && sqlite3_column_type(s->steps, 2) != SQLITE_NULL)
			s->launch = sqlite3_column_int64(s->steps, 2);
		TRY(read_next_step(s));
	}
	if (op->kind == OP_LAUNCH)
		s->launch = op->launch->number;
	return STATUS_OK;
}

/* Whether a run with these windows recorded the position. With windows of launches, the beginning
 * belongs to launch 0; with windows of steps, everything before the first step is recorded. */
static bool recorded(const struct log_at *log_at, const struct diff_side *s)
{
	if (log_at->unit == 'L')
		return log_at_holds(log_at, s->launch < 0 ? 0 : s->launch);
	return s->step < 0 || log_at_holds(log_at, s->step);
}

/* --- the operations of a run --- */

enum status diff_side_open(struct diff_side *s, struct diff *d, int which)
{
	*s = (struct diff_side){ .diff = d, .which = which, .step = -1, .launch = -1 };
	TRY(store_ops_open(d->store[which], d->run[which].run, &s->cursor));
	return d->narrowed ? open_steps(s) : STATUS_OK;
}

enum status diff_side_next(struct diff_side *s, struct row_op *op, int64_t *number, bool *end)
{
	struct diff *d = s->diff;

	for (;;) {
		TRY(store_ops_next(s->cursor, op, number, end));
		if (*end || !d->narrowed)
			return STATUS_OK;
		TRY(move_to(s, op, *number));
		if (op->kind == OP_RESTORE)
			continue;
		if (log_at_keeps(op) || recorded(&d->log_at[!s->which], s))
			return STATUS_OK;
		d->left_out[s->which]++;
	}
}

void diff_side_close(struct diff_side *s)
{
	store_ops_close(s->cursor);
	sqlite3_finalize(s->steps);
}

/* --- what was compared --- */

/* Finds the first operation whose `key` is `number`; false if there is none. */
static bool find_op(const struct diff *d, enum diff_key key, int64_t number, size_t *at)
{
	size_t low = 0, high = d->op_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (d->ops[middle].key[key] < number)
			low = middle + 1;
		else
			high = middle;
	}
	*at = low;
	return low < d->op_count && d->ops[low].key[key] == number;
}

bool diff_common_op(const struct diff *d, int side, int64_t *op)
{
	size_t at;

	if (!find_op(d, side ? KEY_OP_B : KEY_OP_A, *op, &at))
		return false;
	*op = d->ops[at].key[KEY_OP_A];
	return true;
}

bool diff_common_launch(const struct diff *d, int side, int64_t *launch)
{
	size_t at;

	(void)side;
	return find_op(d, KEY_LAUNCH, *launch, &at);
}

int64_t diff_launch_op(const struct diff *d, int64_t launch)
{
	size_t at;

	return find_op(d, KEY_LAUNCH, launch, &at) ? d->ops[at].key[KEY_OP_A] : INT64_MAX;
}
