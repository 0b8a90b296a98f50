/* export_npz.c - NumPy arrays: device memory after an operation, and chunk partials.
 *
 *     buffer.NAME          every buffer with known contents, after the last operation
 *     L12.arg.PARAM        the memory of a pointer argument of launch 12, after the launch
 *     L12.partial.FIELD    (slots, heads, chunks): max, sum, lse, share, key_begin, key_end;
 *                          acc has a fourth dimension, D
 *     L12.reduce.FIELD     (slots, heads, steps of the reduction): chunk, factor, sum
 *     NAME.known           for a tensor of which only some elements are known: which ones
 *     about                JSON, as bytes
 *
 * KV caches are exported as buffers, not as arguments. bf16 and e4m3, which NumPy lacks, are uint16
 * and uint8 under NAME.bf16 and NAME.e4m3. Unknown elements are NaN or have all bits set; see
 * traces/store/state.h.
 */
#include "config.h"

#include "tui/export/export.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy.h"
#include "base/npz.h"
#include "base/xalloc.h"
#include "traces/store/sparse.h"
#include "traces/store/state.h"
#include "tui/export/export_rows.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

struct writer {
	const struct export_job *job;
	struct view_context c;
	struct export_scope scope;
	struct npz *npz;
	struct state *state;
	json_t *left_out;               /* names of tensors without known contents */
};

/* --- tensors --- */

/* Elements of a buffer from an offset on. */
struct tensor {
	const struct state_buffer *buffer;
	size_t offset;
};

static void read_bytes(void *context, size_t at, void *bytes, size_t count)
{
	const struct tensor *t = context;

	sparse_read(t->buffer->content, t->offset + at, bytes, NULL, count);
}

/* True for elements of which all bytes are known; `at` and `count` are of elements. */
static void read_known(void *context, size_t at, void *bytes, size_t count)
{
	const struct tensor *t = context;
	size_t size = dtype_bytes(t->buffer->dtype);
	unsigned char *known = bytes, flags[16];

	for (size_t i = 0; i < count; i++) {
		sparse_read(t->buffer->content, t->offset + (at + i) * size, NULL, flags, size);
		known[i] = !memchr(flags, 0, size);
	}
}

static enum status put_elements(struct writer *w, const char *name, struct tensor *t,
				enum dtype dtype, npz_read_fn *read)
{
	size_t left = t->buffer->bytes - t->offset;
	int64_t flat = (int64_t)(left / dtype_bytes(t->buffer->dtype));

	if (t->offset == 0 && t->buffer->rank <= NPY_MAX_RANK)
		return npz_add_pieces(w->npz, name, dtype, t->buffer->rank, t->buffer->shape, read,
				      t);
	return npz_add_pieces(w->npz, name, dtype, 1, &flat, read, t);
}

static enum status put_known(struct writer *w, const char *name, struct tensor *t)
{
	char *full = xasprintf("%s.known", name);
	enum status status = put_elements(w, full, t, DTYPE_BOOL, read_known);

	free(full);
	return status;
}

/* What NumPy has: the bits of other types are stored as integers, under a name that says so. */
static enum dtype stored_as(enum dtype type)
{
	return type == DTYPE_BF16 ? DTYPE_U16 : type == DTYPE_E4M3 ? DTYPE_U8 : type;
}

/* Frees the name. */
static enum status put_tensor(struct writer *w, char *name, struct tensor *t)
{
	const struct state_buffer *b = t->buffer;
	enum dtype dtype = stored_as(b->dtype);
	enum state_known known = state_known(b);
	enum status status = STATUS_OK;
	char *full;

	/* Pointers have no meaning outside the run. */
	if (known == STATE_NOTHING || dtype == DTYPE_POINTER
	    || t->offset > b->bytes || t->offset % dtype_bytes(dtype) != 0) {
		json_array_append_new(w->left_out, json_string(name));
		free(name);
		return STATUS_OK;
	}
	full = dtype == b->dtype ? xstrdup(name) : xasprintf("%s.%s", name, dtype_name(b->dtype));
	status = put_elements(w, full, t, dtype, read_bytes);
	if (status == STATUS_OK && known == STATE_PARTLY)
		status = put_known(w, full, t);
	free(full);
	free(name);
	return status;
}

/* A name for use in a zip file: other characters become '_'. The caller frees it. */
static char *clean_name(const char *text)
{
	char *name = xstrdup(*text ? text : "_");

	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			*c = '_';
	return name;
}

/* --- buffers --- */

/* Whether an earlier buffer that was not freed has the same name. */
static bool name_taken(const struct state *s, size_t number)
{
	const struct state_buffer *b = state_buffer(s, number);

	for (size_t i = 0; i < number; i++)
		if (!state_buffer(s, i)->freed && strcmp(state_buffer(s, i)->name, b->name) == 0)
			return true;
	return false;
}

static enum status put_buffers(struct writer *w)
{
	for (size_t i = 0; i < state_count(w->state); i++) {
		struct tensor t = { state_buffer(w->state, i), 0 };
		enum status status;
		char *name;

		if (t.buffer->freed)
			continue;
		name = clean_name(t.buffer->name);
		status = put_tensor(w, name_taken(w->state, i)
				    ? xasprintf("buffer.%s.%u", name, t.buffer->id)
				    : xasprintf("buffer.%s", name), &t);
		free(name);
		TRY(status);
	}
	return STATUS_OK;
}

/* --- launches --- */

static enum status put_arg(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct writer *w = state;
	struct tensor t = {
		state_find(w->state, (uint32_t)view_int(row, 2)), (size_t)view_int(row, 3)
	};
	char *name = clean_name(view_text(row, 1));
	enum status status = STATUS_OK;

	(void)c;
	if (t.buffer && !t.buffer->freed)
		status = put_tensor(w, xasprintf("L%" PRId64 ".arg.%s", view_int(row, 0), name),
				    &t);
	free(name);
	return status;
}

/* Columns: launch, operation. */
static enum status put_launch(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct writer *w = state;
	int64_t launch = view_int(row, 0);

	TRY(state_advance(w->state, view_int(row, 1)));
	TRY(VIEW_ROWS(c, put_arg, w, "SELECT launch, name, buffer, offset FROM v_arg"
		      " WHERE run = ?1 AND op = ?2 AND buffer IS NOT NULL AND buffer NOT IN"
		      " (SELECT buffer FROM v_kv WHERE run = ?1 AND launch IS NOT NULL)"
		      " ORDER BY position", c->run,
		      view_int(row, 1)));
	return export_launch_rows(c, launch, w->npz);
}

/* --- all of it --- */

static enum status put_about(struct writer *w)
{
	char at[ADDRESS_TEXT];
	int64_t length;
	json_t *about;
	enum status status;
	char *text;

	address_format(&w->c.at, at);
	about = json_pack("{si ss so sI ss so}", "schema", 1, "flashtwin", PACKAGE_VERSION, "trace",
			  export_json_text(w->job->name), "run", (json_int_t)w->c.run, "at", at,
			  "not_known", json_incref(w->left_out));
	text = xcheck(json_dumps(about, JSON_COMPACT | JSON_PRESERVE_ORDER));
	length = (int64_t)strlen(text);
	status = npz_add(w->npz, "about", DTYPE_U8, 1, &length, text);
	free(text);
	json_decref(about);
	return status;
}

static enum status put_all(struct writer *w)
{
	TRY(VIEW_ROWS(&w->c, put_launch, w, "SELECT launch, op FROM v_launch WHERE run = ?1"
		      " AND launch BETWEEN ?2 AND ?3 ORDER BY launch", w->c.run,
		      w->scope.first_launch, w->scope.last_launch));
	TRY(state_advance(w->state, w->scope.last_op));
	TRY(put_buffers(w));
	return put_about(w);
}

/* Without an address, chooses the last launch: after it, a run frees its memory. */
static enum status choose_place(struct writer *w)
{
	struct export_job job = *w->job;

	w->c = (struct view_context){ .store = job.store, .at = job.at };
	TRY(view_choose_run(&w->c));
	if (w->c.at.launch < 0 && w->c.at.step < 0 && w->c.at.op < 0) {
		TRY(VIEW_NUMBER(&w->c, -1, &w->c.at.launch,
				"SELECT max(launch) FROM v_launch WHERE run = ?1", w->c.run));
		if (w->c.at.launch < 0)
			return fail(STATUS_USAGE, "%s: run %" PRId64 " has no launches: npz"
				    " needs --at 'op N'", w->job->name, w->c.run);
	}
	job.at = w->c.at;
	return export_scope_find(&job, &w->scope);
}

static enum status write_npz(const struct export_job *job)
{
	struct writer w = { .job = job };
	enum status status;

	TRY(choose_place(&w));
	TRY(state_open(job->store, w.c.run, &w.state));
	w.left_out = json_array();
	status = npz_open(job->out, &w.npz);
	if (status == STATUS_OK) {
		status = put_all(&w);
		if (status == STATUS_OK)
			status = npz_close(w.npz);
		else
			npz_discard(w.npz);
	}
	json_decref(w.left_out);
	state_close(w.state);
	return status;
}

const struct export_format export_npz = { .name = "npz", .binary = true, .write = write_npz };
