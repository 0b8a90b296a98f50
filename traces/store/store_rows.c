/* store_rows.c - stores what launches computed: digests, partials, reductions, KV rows, points.
 *
 * Also stores findings and counters. Rows are small because there are many: the views in schema.sql
 * compute what is left out. Operations and launches themselves are in store_write.c.
 */
#include "config.h"

#include "traces/store/store_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/row.h"

/* Larger outputs are not searched for accumulators: the copy would cost more than it saves. */
#define KEPT_MAX ((size_t)16 << 20)

/* --- digests --- */

/* Entries of an operation are numbered consecutively across calls. Most operations are later than
 * all that have digests already; work that ends after its call may come back to an earlier one. */
static enum status find_entry(struct store *store, struct run_state *state, int64_t op,
			      bool after_step)
{
	const int64_t key[] = { state->run, op, after_step };

	if (state->digest_op[after_step] == op)
		return STATUS_OK;
	state->digest_op[after_step] = op;
	state->digest_entry[after_step] = 0;
	if (op > state->digest_latest[after_step]) {
		state->digest_latest[after_step] = op;
		return STATUS_OK;
	}
	return store_integer(store, "SELECT max(entry) + 1 FROM t_digest"
			     " WHERE run = ? AND op = ? AND after_step = ?", key, 3, 0,
			     &state->digest_entry[after_step]);
}

static void keep(struct store *store, int64_t run, int64_t op, const struct row_digest *e,
		 int64_t data)
{
	struct kept *kept = &store->kept;

	if (e->bytes > KEPT_MAX)
		return;
	kept->run = run;
	kept->op = op;
	kept->data = data;
	kept->count = e->bytes;
	kept->bytes = xrealloc(kept->bytes, e->bytes);
	memcpy(kept->bytes, e->data, e->bytes);
}

enum status store_digests(struct store *store, int64_t run, int64_t op, bool after_step,
			  const struct row_digest *digests, size_t count)
{
	struct run_state *state;

	TRY(store_run_state(store, run, &state));
	TRY(find_entry(store, state, op, after_step));
	for (size_t i = 0; i < count; i++) {
		const struct row_digest *e = &digests[i];
		int64_t data = 0;

		if (e->data) {
			TRY(pages_put(store, e->data, e->bytes, &data));
			keep(store, run, op, e, data);
		}
		TRY(PUT(store, TABLE_DIGEST, V_INT(run), V_INT(op), V_INT(after_step),
			V_INT(state->digest_entry[after_step]++), V_INT(e->buffer),
			V_INT(e->offset), V_INT(e->bytes), V_INT(e->digest), V_INT_IF(data, data)));
	}
	return STATUS_OK;
}

/* --- partials --- */

static bool is_empty(const struct row_partial *e)
{
	return e->key_begin >= e->key_end;
}

/* True if b is the empty chunk after a and differs only in where its keys begin. */
static bool continues(const struct row_partial *a, const struct row_partial *b)
{
	return is_empty(a) && is_empty(b) && a->slot == b->slot && a->head == b->head
		&& a->kv_head == b->kv_head && a->chunk + 1 == b->chunk && a->key_end == b->key_end
		&& a->max_bits == b->max_bits && a->sum_bits == b->sum_bits
		&& !memcmp(&a->lse, &b->lse, sizeof a->lse) && a->share == b->share
		&& !a->acc && !b->acc;
}

/* How many empty chunks follow the first of `e` at equal steps; views expand at most 255. */
static size_t count_more(const struct row_partial *e, size_t count)
{
	size_t more = 0;

	while (more + 1 < count && more < 255 && continues(&e[more], &e[more + 1])
	       && e[more + 1].key_begin - e[more].key_begin == e[1].key_begin - e[0].key_begin)
		more++;
	return more;
}

/* Where the accumulators of a launch are: in the bytes kept of its output, or in bytes of their
 * own. */
struct accumulators {
	const struct kept *kept;        /* NULL: the launch's output was not kept */
	size_t from;                    /* they are in order: the search continues here */
	unsigned char *own;
	size_t own_bytes;
	struct place {
		bool kept;
		size_t offset;
	} *places;
};

static void find_accumulator(struct accumulators *a, const struct row_partial *e,
			     struct place *place)
{
	const unsigned char *found = NULL;

	if (a->kept)
		found = memmem(a->kept->bytes + a->from, a->kept->count - a->from, e->acc,
			       e->acc_bytes);
	/* Zeros may match at an unaligned offset. */
	place->kept = found && (found - a->kept->bytes) % (ptrdiff_t)sizeof(float) == 0;
	if (place->kept) {
		place->offset = (size_t)(found - a->kept->bytes);
		a->from = place->offset + e->acc_bytes;
		return;
	}
	place->offset = a->own_bytes;
	a->own = xrealloc(a->own, a->own_bytes + e->acc_bytes);
	memcpy(a->own + a->own_bytes, e->acc, e->acc_bytes);
	a->own_bytes += e->acc_bytes;
}

static enum status put_partial(struct store *store, int64_t run, int64_t launch,
			       const struct row_partial *e, const struct place *place,
			       int64_t data, size_t more)
{
	bool acc = e->acc != NULL;

	return PUT(store, TABLE_PARTIAL, V_INT(run), V_INT(launch), V_INT(e->slot), V_INT(e->head),
		   V_INT(e->chunk), V_INT(e->kv_head), V_INT(e->key_begin), V_INT(e->key_end),
		   V_F32(e->max_bits), V_F32(e->sum_bits), V_REAL(e->lse), V_REAL(e->share),
		   V_INT_IF(acc, data), V_INT_IF(acc, place->offset), V_INT_IF(acc, e->acc_bytes),
		   V_INT_IF(more, more), more ? V_INT(e[1].key_begin - e[0].key_begin) : V_NULL);
}

static enum status put_partials(struct store *store, int64_t run, int64_t launch,
				const struct row_partial *partials, size_t count,
				struct accumulators *a)
{
	int64_t own = 0;

	for (size_t i = 0; i < count; i++)
		if (partials[i].acc)
			find_accumulator(a, &partials[i], &a->places[i]);
	if (a->own_bytes)
		TRY(pages_put(store, a->own, a->own_bytes, &own));
	for (size_t i = 0; i < count; i++) {
		size_t more = count_more(&partials[i], count - i);

		TRY(put_partial(store, run, launch, &partials[i], &a->places[i],
				a->places[i].kept ? a->kept->data : own, more));
		i += more;
	}
	return STATUS_OK;
}

enum status store_partials(struct store *store, int64_t run, int64_t launch,
			   const struct row_partial *partials, size_t count)
{
	const int64_t key[] = { run, launch };
	struct accumulators a = { 0 };
	enum status status;
	int64_t op;

	TRY(store_integer(store, "SELECT op FROM t_launch WHERE run = ? AND launch = ?", key, 2, -1,
			  &op));
	if (store->kept.bytes && store->kept.run == run && store->kept.op == op)
		a.kept = &store->kept;
	a.places = xcalloc(count, sizeof *a.places);
	status = put_partials(store, run, launch, partials, count, &a);
	free(a.places);
	free(a.own);
	return status;
}

/* --- reductions and KV rows --- */

enum status store_reduces(struct store *store, int64_t run, int64_t launch,
			  const struct row_reduce *reduces, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct row_reduce *e = &reduces[i];

		TRY(PUT(store, TABLE_REDUCE, V_INT(run), V_INT(launch), V_INT(e->slot),
			V_INT(e->head), V_INT(e->order), V_INT(e->chunk), V_REAL(e->factor),
			V_REAL(e->sum)));
	}
	return STATUS_OK;
}

enum status store_kv(struct store *store, int64_t run, int64_t op, const struct row_kv *rows,
		     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct row_kv *e = &rows[i];
		bool known = e->source_op >= 0;

		TRY(PUT(store, TABLE_KV, V_INT(run), V_INT(op), V_INT(e->tensor == 'v'),
			V_INT(e->slot), V_INT(e->position), V_INT(e->kv_head),
			V_INT_IF(e->layer >= 0, e->layer), V_INT(e->buffer), V_INT(e->offset),
			V_INT(e->bytes), V_INT_IF(known, e->source_op),
			V_INT_IF(known, e->source_offset), V_INT_IF(e->more, e->more)));
	}
	return STATUS_OK;
}

/* --- named points --- */

static enum status point_name(struct store *store, const char *name, int64_t *id)
{
	for (int i = 0; i < store->point_name_count; i++) {
		if (strcmp(store->point_names[i], name) == 0) {
			*id = i + 1;
			return STATUS_OK;
		}
	}
	*id = store->point_name_count + 1;
	TRY(PUT(store, TABLE_POINT_NAME, V_INT(*id), V_TEXT(name)));
	store->point_names = xreallocarray(store->point_names, (size_t)*id, sizeof(char *));
	store->point_names[store->point_name_count++] = xstrdup(name);
	return STATUS_OK;
}

uint64_t store_point_digest(const struct row_point *e, int64_t threads)
{
	uint64_t words[6] = {
		XXH3_64bits(e->name, strlen(e->name)), (uint64_t)threads,
		e->block << 32 | e->thread, (uint64_t)e->sequence << 8 | (uint64_t)e->count,
	};

	for (int i = 0; i < e->count; i++) {
		bool nan = (e->bits[i] & 0x7fffffff) > 0x7f800000;

		words[4 + i / 2] |= (uint64_t)(nan ? 0x7fffffff : e->bits[i]) << (i % 2 * 32);
	}
	return XXH3_64bits(words, sizeof words);
}

/* A sum, because the order of points differs between devices. */
static enum status put_point_sum(struct store *store, int64_t run, int64_t launch, int64_t threads,
				 const struct row_point *points, size_t count)
{
	uint64_t digest = 0;

	for (size_t i = 0; i < count; i++)
		digest += store_point_digest(&points[i], threads);
	return PUT(store, TABLE_POINT_SUM, V_INT(run), V_INT(launch), V_INT(count), V_INT(digest));
}

enum status store_points(struct store *store, int64_t run, int64_t launch, int64_t threads,
			 const struct row_point *points, size_t count, uint64_t dropped)
{
	int64_t name;

	TRY(PUT(store, TABLE_PROBE, V_INT(run), V_INT(launch), V_INT(dropped)));
	TRY(put_point_sum(store, run, launch, threads, points, count));
	for (size_t i = 0; i < count; i++) {
		const struct row_point *e = &points[i];

		TRY(point_name(store, e->name, &name));
		TRY(PUT(store, TABLE_POINT, V_INT(run), V_INT(launch),
			V_INT((int64_t)e->block * threads + e->thread), V_INT(e->sequence),
			V_INT(name), e->count > 0 ? V_F32(e->bits[0]) : V_NULL,
			e->count > 1 ? V_F32(e->bits[1]) : V_NULL,
			e->count > 2 ? V_F32(e->bits[2]) : V_NULL,
			e->count > 3 ? V_F32(e->bits[3]) : V_NULL));
	}
	return STATUS_OK;
}

/* --- findings --- */

enum status store_finding(struct store *store, int64_t run, const struct row_finding *e,
			  const char *message)
{
	const struct row_side *mine = &e->sides[0], *other = &e->sides[1];
	const int64_t in_run[] = { run }, at_launch[] = { run, e->launch };
	struct run_state *state;
	int64_t number, op;

	TRY(store_run_state(store, run, &state));
	/* Other orders may add a finding to a run that has ended. */
	state->summed = false;
	TRY(store_integer(store, "SELECT count(*) FROM t_finding WHERE run = ?", in_run, 1, 0,
			  &number));
	TRY(store_integer(store, "SELECT op FROM t_launch WHERE run = ? AND launch = ?", at_launch,
			  2, -1, &op));
	return PUT(store, TABLE_FINDING, V_INT(run), V_INT(number), V_TEXT(e->class),
		   V_INT_IF(op >= 0, op), V_INT_IF(e->launch >= 0, e->launch),
		   V_INT_IF(mine->what, mine->place), V_INT_IF(other->what, other->place),
		   V_INT_IF(e->buffer, e->buffer), V_INT_IF(e->buffer, e->offset),
		   V_INT_IF(e->bytes, e->bytes), V_TEXT(mine->file),
		   V_INT_IF(mine->line, mine->line), V_INT_IF(other->line, other->line),
		   V_TEXT(message));
}

/* --- counters --- */

enum status store_counters(struct store *store, int64_t run, const struct row_counters *e)
{
	if (e->counted)
		TRY(PUT(store, TABLE_COUNTER, V_INT(run), V_INT(e->launch), V_TEXT(e->kernel),
			V_INT(e->load_bytes), V_INT(e->store_bytes), V_INT(e->load_distinct_bytes),
			V_INT(e->load_requests), V_INT(e->load_sectors), V_INT(e->store_requests),
			V_INT(e->store_sectors), V_INT(e->atomics), V_INT(e->shared_atomics),
			V_INT(e->shared_load_requests), V_INT(e->shared_load_conflicts),
			V_INT(e->shared_store_requests), V_INT(e->shared_store_conflicts),
			V_INT(e->barriers), V_INT(e->shuffles), V_INT(e->divergent_branches),
			V_INT(e->basic_blocks), V_INT(e->left_out)));
	for (size_t i = 0; i < e->line_count; i++)
		TRY(PUT(store, TABLE_HIT, V_INT(run), V_INT(e->launch), V_TEXT(e->lines[i].file),
			V_INT(e->lines[i].line), V_INT(e->lines[i].hits)));
	return STATUS_OK;
}
