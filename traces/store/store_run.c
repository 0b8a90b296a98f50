/* store_run.c - begins and ends the runs that a store writes, and counts their launches by kernel.
 */
#include "traces/store/store_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/row.h"

enum status store_run_state(struct store *store, int64_t run, struct run_state **out)
{
	for (int i = 0; i < store->run_count; i++) {
		if (store->runs[i].run == run) {
			*out = &store->runs[i];
			return STATUS_OK;
		}
	}
	*out = NULL;
	return fail(STATUS_INTERNAL, "%s: run %lld was not started by this writer",
		    store_shown_path(store), (long long)run);
}

/* The columns of t_run that its end changes, the last ones. */
enum { RUN_COMPLETE = RUN_COLUMNS - 3, RUN_ENDED, RUN_MESSAGE };

enum status store_run_begin(struct store *store, const struct row_run *e, int64_t *run)
{
	const struct value row[RUN_COLUMNS] = {
		V_NULL, V_TEXT(e->device), V_TEXT(e->device_name), V_TEXT(e->profile),
		V_TEXT(e->driver), V_TEXT(e->compute), V_INT(e->ordinal), V_INT(e->seed),
		V_TEXT(e->command), V_TEXT(e->path), V_TEXT(e->options),
		V_TEXT(log_level_name(e->level)), V_TEXT(e->log_at), V_TEXT(e->version),
		V_TEXT(e->started), V_INT(0), V_NULL, V_NULL,
	};
	struct run_state *state;

	TRY(store_put(store, TABLE_RUN, row, RUN_COLUMNS));
	*run = store_new_id(store, TABLE_RUN);
	store->runs =
		xreallocarray(store->runs, (size_t)store->run_count + 1, sizeof *store->runs);
	state = &store->runs[store->run_count++];
	*state = (struct run_state){ .run = *run, .last_launch = -1, .step = -1,
				     .digest_op = { -1, -1 }, .digest_latest = { -1, -1 } };
	for (int i = 0; i < RUN_COLUMNS; i++) {
		state->row[i] = row[i];
		if (row[i].type == VALUE_STRING && row[i].text)
			state->row[i].text = xstrdup(row[i].text);
	}
	state->row[0] = V_INT(*run);
	return STATUS_OK;
}

void store_run_forget(struct run_state *state)
{
	for (int i = 0; i < RUN_COLUMNS; i++)
		if (state->row[i].type == VALUE_STRING)
			free((char *)state->row[i].text);
	for (int i = 0; i < state->kernel_count; i++)
		free(state->kernels[i].kernel);
	free(state->kernels);
}

/* --- launches by kernel --- */

static struct kernel_count *find_count(struct run_state *state, const struct row_launch *e)
{
	for (int i = 0; i < state->kernel_count; i++)
		if (strcmp(state->kernels[i].kernel, e->kernel) == 0)
			return &state->kernels[i];
	state->kernels = xreallocarray(state->kernels, (size_t)state->kernel_count + 1,
				       sizeof *state->kernels);
	state->kernels[state->kernel_count] =
		(struct kernel_count){ .kernel = xstrdup(e->kernel), .first = e->number };
	return &state->kernels[state->kernel_count++];
}

void store_run_count_launch(struct run_state *state, const struct row_op *op)
{
	const struct row_launch *e = op->launch;
	struct kernel_count *k = find_count(state, e);

	k->launches++;
	k->last = e->number;
	for (int i = 0; i < 3; i++)
		if (e->grid[i] > k->grid[i])
			k->grid[i] = e->grid[i];
	if (op->duration_us == op->duration_us) {
		k->timed++;
		k->duration_us += op->duration_us;
	}
}

static enum status put_kernel_counts(struct store *store, const struct run_state *state)
{
	for (int i = 0; i < state->kernel_count; i++) {
		const struct kernel_count *k = &state->kernels[i];

		TRY(PUT(store, TABLE_KERNEL_COUNT, V_INT(state->run), V_TEXT(k->kernel),
			V_INT(k->launches), V_INT(k->first), V_INT(k->last), V_INT(k->grid[0]),
			V_INT(k->grid[1]), V_INT(k->grid[2]),
			k->timed ? V_REAL(k->duration_us / (double)k->timed) : V_NULL));
	}
	return STATUS_OK;
}

enum status store_run_end(struct store *store, int64_t run, const char *ended, const char *message)
{
	struct value row[RUN_COLUMNS];
	struct run_state *state;

	TRY(store_run_state(store, run, &state));
	state->ended = true;
	TRY(put_kernel_counts(store, state));
	memcpy(row, state->row, sizeof row);
	row[RUN_COMPLETE] = V_INT(1);
	row[RUN_ENDED] = V_TEXT(ended);
	row[RUN_MESSAGE] = V_TEXT(message);
	return store_put(store, TABLE_RUN, row, RUN_COLUMNS);
}
