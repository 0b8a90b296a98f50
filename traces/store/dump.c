/* dump.c - prints every view of a trace in a canonical form, so that traces can be compared as
 * text.
 *
 * Leaves out clock columns and everything that depends on how bytes were packed. Ids of stored
 * bytes become hashes of the bytes, so a dump also reads and verifies all of them.
 */
#include "traces/store/dump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/visible.h"
#include "traces/store/store.h"

/* Every view of schema.sql; rows in the order of their keys. */
static const struct {
	const char *view, *order;
} views[] = {
	{ "v_run", "run" },
	{ "v_model", "run" },
	{ "v_attention", "run, attention" },
	{ "v_source", "run, kernel, entry" },
	{ "v_op", "run, op" },
	{ "v_launch", "run, launch" },
	{ "v_node", "run, op" },
	{ "v_arg", "run, op, position" },
	{ "v_pointer", "run, op, position, entry" },
	{ "v_buffer", "run, op" },
	{ "v_digest", "run, op, after_step, entry" },
	{ "v_kv", "run, op, tensor, slot, position, kv_head" },
	{ "v_softmax", "run, op" },
	{ "v_partial", "run, launch, slot, head, chunk" },
	{ "v_reduce", "run, launch, slot, head, sequence" },
	{ "v_point", "run, launch, block, warp, lane, sequence" },
	{ "v_request", "run, launch, block, warp, request" },
	{ "v_access", "run, launch, block, warp, request, lane" },
	{ "v_access_line", "run, launch, file, line, kind, space" },
	{ "v_line", "run, launch, block, warp, lane, sequence" },
	{ "v_finding", "run, finding" },
	{ "v_counter", "run, launch" },
	{ "v_hit", "run, launch, file, line" },
	{ "v_diff", "run_a, run_b, what, launch, op, buffer, offset, place, name" },
	{ "v_step", "run, first_op" },
	{ "v_token", "run, step, slot, position" },
};

/* Clock readings differ between runs that are otherwise identical. */
static const char *const clock_columns[] = { "started", "start_us", "duration_us" };

struct dump {
	struct store *store;
	FILE *out;
	sqlite3_stmt *rows;
	/* The bytes hashed last: consecutive rows often refer to the same ones. */
	int64_t data;
	size_t bytes;
	XXH128_hash_t hash;
};

static bool is_clock(const char *name)
{
	for (size_t i = 0; i < sizeof clock_columns / sizeof clock_columns[0]; i++)
		if (strcmp(name, clock_columns[i]) == 0)
			return true;
	return false;
}

static bool is_data(const char *name)
{
	return strcmp(name, "data") == 0 || strcmp(name, "acc_data") == 0
		|| strcmp(name, "q_data") == 0;
}

static enum status print_data(struct dump *d, int64_t data)
{
	void *bytes;

	if (data != d->data) {
		TRY(store_data(d->store, data, &bytes, &d->bytes));
		d->hash = XXH3_128bits(bytes, d->bytes);
		d->data = data;
		free(bytes);
	}
	fprintf(d->out, "%zu:%016llx%016llx", d->bytes, (unsigned long long)d->hash.high64,
		(unsigned long long)d->hash.low64);
	return STATUS_OK;
}

/* Escapes control characters, so that each row stays on one line, and backslashes. */
static void print_text(FILE *out, const char *text)
{
	char next[VISIBLE_BYTES];

	while (*text) {
		if (*text == '\\') {
			fputs("\\\\", out);
			text++;
			continue;
		}
		text += visible_next(text, next);
		fputs(next, out);
	}
}

static enum status print_column(struct dump *d, int column)
{
	const char *name = sqlite3_column_name(d->rows, column);
	int type = sqlite3_column_type(d->rows, column);

	if (type == SQLITE_NULL || is_clock(name))
		return STATUS_OK;
	fprintf(d->out, "\t%s=", name);
	if (type == SQLITE_INTEGER && is_data(name))
		return print_data(d, sqlite3_column_int64(d->rows, column));
	if (type == SQLITE_FLOAT)
		fprintf(d->out, "%.17g", sqlite3_column_double(d->rows, column));
	else
		print_text(d->out, (const char *)sqlite3_column_text(d->rows, column));
	return STATUS_OK;
}

static enum status print_row(struct dump *d, const char *view)
{
	int count = sqlite3_column_count(d->rows);

	fputs(view, d->out);
	for (int i = 0; i < count; i++)
		TRY(print_column(d, i));
	if (putc('\n', d->out) == EOF)
		return fail(STATUS_IO, "cannot write the dump: %s", strerror(errno));
	return STATUS_OK;
}

static enum status print_view(struct dump *d, const char *view, const char *order)
{
	enum status status = STATUS_OK;
	char sql[160];
	int rc = SQLITE_DONE;

	snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY %s", view, order);
	if (sqlite3_prepare_v2(store_db(d->store), sql, -1, &d->rows, NULL) != SQLITE_OK)
		return store_read_failed(d->store);
	while (status == STATUS_OK && (rc = sqlite3_step(d->rows)) == SQLITE_ROW)
		status = print_row(d, view);
	if (status == STATUS_OK && rc != SQLITE_DONE)
		status = store_read_failed(d->store);
	sqlite3_finalize(d->rows);
	return status;
}

enum status dump_logical(struct store *store, FILE *out)
{
	struct dump d = { .store = store, .out = out };

	for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
		TRY(print_view(&d, views[i].view, views[i].order));
	if (fflush(out) != 0)
		return fail(STATUS_IO, "cannot write the dump: %s", strerror(errno));
	return STATUS_OK;
}
