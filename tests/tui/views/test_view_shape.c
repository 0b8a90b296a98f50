/* test_view_shape.c - what screens know of the ladder's launches: which block and thread has which
 * head and chunk, and how its last blocks or clusters merge.
 *
 * Attends on the simulator with each rung, and compares the scores that screens read with products
 * computed here, the merge of rung 10 with what rung 9 published, and outputs with those returned.
 */
#include "config.h"

#include "tests/ladder_cache.h"
#include "tests/recording.h"

#include "engine/attention/ladder_shape.h"
#include "engine/attention/path.h"
#include "traces/store/store_index.h"
#include "tui/views/step/step.h"
#include "tui/views/view_query.h"

/* With more room than clusters are for, unless they are on many multiprocessors, rung 10 has its
 * other form. */
enum { ROOM = LADDER_CLUSTER_LEN + 1 };
struct form {
	int rung, room;
	enum dtype type;                /* of keys and values */
};
static const struct form forms[] = {
	{ 4, 0, DTYPE_F32 }, { 5, 0, DTYPE_F32 }, { 6, 0, DTYPE_F32 }, { 9, 0, DTYPE_F32 },
	{ 10, 0, DTYPE_F32 }, { 10, ROOM, DTYPE_F32 }, { 6, 0, DTYPE_F16 }, { 7, 0, DTYPE_F16 },
	{ 9, 0, DTYPE_BF16 }, { 10, 0, DTYPE_E4M3 }, { 10, ROOM, DTYPE_F16 },
};
enum { FORMS = sizeof forms / sizeof forms[0], MAX_SLOTS = 7, GROUPS = 3, RUNS = 7 };

struct batch {
	const char *name;
	int D, group, kv_heads, slots;
	int lengths[MAX_SLOTS];
};

static const struct batch batches[] = {
	{ "one head", 64, 1, 1, 2, { 1, 130 } },
	{ "two of a group", 128, 2, 2, 2, { 257, 9 } },
	{ "three of four", 64, 3, 1, 3, { 1, 140, 7 } },
	{ "four", 128, 4, 2, 3, { 300, 1, 129 } },
	{ "two passes", 64, 8, 1, 2, { 130, 24 } },
	{ "small tiles", 256, 5, 1, 1, { 75 } },
	{ "sixteen of a group", 64, 16, 1, 2, { 141, 10 } },
	/* More splits than blocks: some blocks have several. */
	{ "runs", 64, 1, 8, 7, { 640, 300, 257, 1, 512, 384, 128 } },
	{ "long", 64, 1, 1, 1, { 2200 } },
	{ "a sequence that has ended", 64, 2, 1, 3, { 40, 0, 200 } },
};

struct attended {
	const struct batch *batch;
	enum dtype type;
	void *k_codes, *v_codes;        /* of k and v */
	float *q, *k, *v, *out;         /* [M, H, D], [M, Hkv, n, D] twice, [M, H, D] */
	int max_len;
	struct store *store;
	struct view_context c;
	struct view_shape shape;
};

static void load(struct attended *t, struct attention *a, float *k_new, float *v_new)
{
	const struct batch *b = t->batch;
	size_t slot = (size_t)b->kv_heads * (size_t)t->max_len * (size_t)b->D;
	size_t bytes = slot * dtype_bytes(t->type);

	for (int m = 0; m < b->slots; m++) {
		if (b->lengths[m] == 0)
			continue;
		OK(kv_cache_load(a->cache, 0, m, (char *)t->k_codes + (size_t)m * bytes,
				 (char *)t->v_codes + (size_t)m * bytes, b->lengths[m] - 1,
				 t->max_len));
		recording_newest(a, m, b->lengths[m], t->k + (size_t)m * slot,
				 t->v + (size_t)m * slot, k_new, v_new);
	}
}

/* Rounds the numbers of a cache to the type; their codes. */
static void *codes_of(enum dtype type, float *numbers, size_t count)
{
	void *codes = xcalloc(count, dtype_bytes(type));

	for (size_t i = 0; i < count; i++)
		numbers[i] = cache_put(type, codes, i, numbers[i]);
	return codes;
}

static void decode(struct attended *t, int rung)
{
	const struct batch *b = t->batch;
	struct attention_shape shape = {
		.layers = 1, .slots = b->slots, .heads = b->group * b->kv_heads,
		.kv_heads = b->kv_heads, .head_dim = b->D, .max_len = t->max_len, .chunk = 64,
		.scale = attention_scale(b->D), .rung = rung, .kv_dtype = t->type,
	};
	struct recording_options o = { .level = LEVEL_POINTS, .path = &path_ladder };
	struct device *device = recording_open(t->store, &o);
	size_t rows = (size_t)b->slots * (size_t)b->kv_heads * (size_t)b->D;
	float *k_new = xcalloc(rows, sizeof *k_new), *v_new = xcalloc(rows, sizeof *v_new);
	bool done[MAX_SLOTS];
	struct attention *a;

	for (int m = 0; m < b->slots; m++)
		done[m] = b->lengths[m] == 0;
	OK(attention_create(&path_ladder, device, &shape, &a));
	load(t, a, k_new, v_new);
	OK(device_step_begin(device, 0));
	OK(attention_step(a, &(struct attention_step){
		.layer = 0, .q = t->q, .k = k_new, .v = v_new, .done = done, .out = t->out }));
	OK(device_step_end(device));
	attention_destroy(a);
	OK(recorder_finish(device, STATUS_OK));
	free(k_new);
	free(v_new);
}

static struct view_place place_of(struct attended *t)
{
	struct view_place place;
	bool found;

	OK(view_place_find(&t->c, "v_partial", &place, &found));
	ck_assert(found);
	return place;
}

/* Whether rung 10 has clusters: so many at once. */
static bool has_clusters(const struct batch *b)
{
	return b->slots * b->kv_heads <= 8;
}

/* The same inputs for each rung, with as much room. */
static struct attended attend(const struct batch *b, const struct form *form)
{
	struct attended t = { .batch = b, .type = form->type, .max_len = form->room };
	uint32_t random = 7;
	struct view_place place;

	for (int m = 0; m < b->slots; m++)
		t.max_len = b->lengths[m] > t.max_len ? b->lengths[m] : t.max_len;
	size_t q = (size_t)b->slots * (size_t)b->group * (size_t)b->kv_heads * (size_t)b->D;
	size_t kv = (size_t)b->slots * (size_t)b->kv_heads * (size_t)t.max_len * (size_t)b->D;

	t.q = random_values(&random, q);
	t.k = random_values(&random, kv);
	t.v = random_values(&random, kv);
	t.k_codes = codes_of(t.type, t.k, kv);
	t.v_codes = codes_of(t.type, t.v, kv);
	t.out = xcalloc(q, sizeof *t.out);
	t.store = new_store();
	decode(&t, form->rung);
	OK(store_index_views(t.store));
	t.c = (struct view_context){ .store = t.store, .run = 1, .at = address_none };
	place = place_of(&t);
	OK(view_shape_read(&t.c, &place, &t.shape));
	return t;
}

static void end(struct attended *t)
{
	view_shape_free(&t->shape);
	OK(store_close(t->store));
	free(t->q);
	free(t->k);
	free(t->v);
	free(t->k_codes);
	free(t->v_codes);
	free(t->out);
}

static double score_of(const struct attended *t, int slot, int head, int key)
{
	const struct batch *b = t->batch;
	const float *q = t->q + (slot * b->group * b->kv_heads + head) * b->D;
	const float *k = t->k + ((int64_t)(slot * b->kv_heads + head / b->group) * t->max_len + key)
		* b->D;
	double score = 0.0;

	for (int d = 0; d < b->D; d++)
		score += (double)q[d] * k[d];
	return score * attention_scale(b->D);
}

/* --- the spots of a launch --- */

/* Calls the function with the spot of each chunk that has keys. */
typedef void chunk_fn(struct attended *t, int slot, int head, int chunk, int begin, int end);

struct walk {
	struct attended *attended;
	chunk_fn *fn;
	int count;
};

static enum status take_chunk(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct walk *w = state;

	(void)c;
	w->fn(w->attended, sqlite3_column_int(row, 0), sqlite3_column_int(row, 1),
	      sqlite3_column_int(row, 2), sqlite3_column_int(row, 3), sqlite3_column_int(row, 4));
	w->count++;
	return STATUS_OK;
}

static void each_chunk(struct attended *t, chunk_fn *fn)
{
	struct walk w = { t, fn, 0 };

	OK(VIEW_ROWS(&t->c, take_chunk, &w, "SELECT slot, head, chunk, key_begin, key_end"
		     " FROM v_partial WHERE run = ?1 AND NOT empty", 1));
	ck_assert_int_gt(w.count, 0);
}

static void check_scores(struct attended *t, int slot, int head, int chunk, int begin, int end)
{
	struct view_scores k;

	view_scores_place(&k, &t->shape, slot, head, chunk);
	k.begin = begin;
	k.end = end;
	OK(view_scores_read(&t->c, &k));
	ck_assert_msg(k.score != NULL, "%s, slot %d head %d chunk %d: no scores", t->batch->name,
		      slot, head, chunk);
	for (int key = begin; key < end; key++) {
		double want = score_of(t, slot, head, key), got = k.score[key - begin];

		ck_assert_msg(fabs(got - want) < 1e-5,
			      "%s, slot %d head %d key %d: score %g, not %g", t->batch->name, slot,
			      head, key, got, want);
		ck_assert_ptr_nonnull(view_scores_tile(&k, key));
	}
	view_scores_free(&k);
}

/* The address says which head and chunk it means, whatever was shown last. */
static void check_address(struct attended *t, int slot, int head, int chunk, int begin, int end)
{
	struct view_context c = t->c;
	struct view_spot spot;

	(void)begin;
	(void)end;
	view_shape_address(&t->shape, slot, head, chunk, &c.at);
	c.head = (head + 1) % t->shape.heads;
	c.slot = (slot + 1) % t->shape.slots;
	ck_assert(view_shape_named(&c, &t->shape));
	spot = view_shape_spot(&c, &t->shape);
	ck_assert_msg(spot.slot == slot && spot.head == head && spot.chunk == chunk,
		      "%s, slot %d head %d chunk %d: the address means %d, %d, %d", t->batch->name,
		      slot, head, chunk, (int)spot.slot, (int)spot.head, (int)spot.chunk);
}

/* A block alone means the head and slot shown last, if it has them. */
static void check_block(struct attended *t, int slot, int head, int chunk, int begin, int end)
{
	struct view_context c = t->c;
	struct view_spot spot;

	(void)begin;
	(void)end;
	c.at.launch = t->shape.place.launch;
	c.at.block = view_shape_block(&t->shape, slot, head, chunk);
	c.head = head;
	c.slot = slot;
	spot = view_shape_spot(&c, &t->shape);
	ck_assert_int_eq(spot.slot, slot);
	ck_assert_int_eq(spot.head, head);
	ck_assert_int_eq(view_shape_block(&t->shape, slot, head, spot.chunk), c.at.block);
}

static void check_all(struct attended *t, int slot, int head, int chunk, int begin, int end)
{
	check_scores(t, slot, head, chunk, begin, end);
	check_address(t, slot, head, chunk, begin, end);
	check_block(t, slot, head, chunk, begin, end);
}

START_TEST(chunks_have_their_scores_and_addresses)
{
	for (int f = 0; f < FORMS; f++) {
		struct attended t;

		if (forms[f].room && !has_clusters(&batches[_i]))
			continue;
		t = attend(&batches[_i], &forms[f]);
		if (forms[f].rung == 10)
			ck_assert_int_eq(t.shape.form, has_clusters(&batches[_i]) && !forms[f].room
					 ? SHAPE_CLUSTER : SHAPE_PLANNED);
		each_chunk(&t, check_all);
		end(&t);
	}
}
END_TEST

/* Without this, the batch would test nothing of runs. */
START_TEST(some_blocks_have_several_splits)
{
	struct attended t = attend(&batches[RUNS], &(struct form){ 9, 0, DTYPE_F32 });
	int shared = 0;

	ck_assert_int_eq(t.shape.form, SHAPE_PLANNED);
	for (int64_t i = 1; i < t.shape.unit_count; i++)
		shared += t.shape.units[i].block == t.shape.units[i - 1].block;
	ck_assert_int_gt(shared, 0);
	end(&t);
}
END_TEST

/* --- the merge --- */

static void read_step(struct attended *t, int slot, int head, struct step *s)
{
	struct view_context c = t->c;
	bool found;

	c.slot = slot;
	c.head = head;
	OK(step_find(&c, s, &found));
	ck_assert(found);
	OK(step_read(&c, s));
	ck_assert_int_eq(s->slot, slot);
	ck_assert_int_eq(s->head, head);
	ck_assert_int_eq(s->keys, t->batch->lengths[slot]);
}

static void same_bits(const char *what, float a, float b)
{
	ck_assert_msg(step_same(a, b), "%s: %.9g, not %.9g", what, a, b);
}

static void compare_merges(const struct step *a, const struct step *b)
{
	ck_assert_int_eq(a->live, b->live);
	for (int64_t i = 0; i < a->live; i++) {
		const struct step_chunk *x = &a->chunks[i], *y = &b->chunks[i];

		ck_assert(x->merged && y->merged);
		same_bits("factor", x->merge_factor, y->merge_factor);
		same_bits("sum so far", x->merge_sum, y->merge_sum);
		same_bits("acc[0]", x->merge_acc0, y->merge_acc0);
	}
}

static void compare_rungs(const struct batch *b, int room)
{
	struct attended published = attend(b, &(struct form){ 9, room, DTYPE_F32 });
	struct attended fused = attend(b, &(struct form){ 10, room, DTYPE_F32 });

	for (int slot = 0; slot < b->slots; slot++)
		for (int head = 0; b->lengths[slot] > 0 && head < b->group * b->kv_heads; head++) {
			size_t row = ((size_t)slot * (size_t)(b->group * b->kv_heads)
				      + (size_t)head) * (size_t)b->D;
			struct step a, c;

			read_step(&published, slot, head, &a);
			read_step(&fused, slot, head, &c);
			compare_merges(&c, &a);
			ck_assert(a.has_out && c.has_out);
			same_bits("out[0] of rung 9", a.out0, published.out[row]);
			same_bits("out[0] of rung 10", c.out0, fused.out[row]);
			step_free(&a);
			step_free(&c);
		}
	end(&published);
	end(&fused);
}

START_TEST(rung_10_merges_as_rung_9)
{
	compare_rungs(&batches[_i], 0);
	if (has_clusters(&batches[_i]))
		compare_rungs(&batches[_i], ROOM);
}
END_TEST

/* --- who merges in a cluster --- */

struct merged {
	struct attended *attended;
	int count;
};

enum { M_BLOCK, M_WARP, M_LANE, M_ACC, M_SUM };

/* The last point of a merge: acc[0] / sum is element 0 of the head that the thread is said to have,
 * and the head's element 0 has that thread. */
static enum status check_merger(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct merged *m = state;
	struct attended *t = m->attended;
	int64_t block = sqlite3_column_int64(row, M_BLOCK), slot, head;
	int64_t warp = sqlite3_column_int64(row, M_WARP), lane = sqlite3_column_int64(row, M_LANE);
	float acc = (float)sqlite3_column_double(row, M_ACC);
	float sum = (float)sqlite3_column_double(row, M_SUM);
	struct address at = address_none;

	(void)c;
	head = view_shape_merged_head(&t->shape, block, 32 * warp + lane);
	slot = block / t->shape.kv_heads % t->shape.slots;
	ck_assert_int_ge(head, 0);
	same_bits("out[0]", acc / sum, t->out[(slot * t->shape.heads + head) * t->shape.d]);
	view_shape_merged_by(&t->shape, slot, head, 3, &at);
	ck_assert_int_eq(at.block, block);
	ck_assert_int_eq(at.warp, warp);
	ck_assert_int_eq(at.lane, lane);
	m->count++;
	return STATUS_OK;
}

START_TEST(a_cluster_merges_where_screens_say)
{
	const struct batch *b = &batches[_i];
	struct merged m = { .count = 0 };
	struct attended t;
	int wanted = 0;

	if (!has_clusters(b))
		return;
	t = attend(b, &(struct form){ 10, 0, DTYPE_F32 });
	m.attended = &t;
	OK(VIEW_ROWS(&t.c, check_merger, &m, "SELECT block, warp, lane, v2, v1 FROM (SELECT *,"
		     "  max(sequence) OVER (PARTITION BY block, warp, lane) AS last FROM v_point"
		     "  WHERE run = ?1 AND name = 'reduce') WHERE sequence = last", 1));
	for (int slot = 0; slot < b->slots; slot++)
		wanted += b->lengths[slot] > 0 ? b->group * b->kv_heads : 0;
	ck_assert_int_eq(m.count, wanted);
	ck_assert_int_eq(view_shape_merged_head(&t.shape, 0, 8 * 32 - 1), -1);
	end(&t);
}
END_TEST

/* Each frame has an address of its own, which names its step again. */
static void check_frames(struct attended *t, const struct step *s)
{
	struct step_frame *frames;
	int64_t count;

	OK(step_frames(&t->c, s, &frames, &count));
	ck_assert_int_gt(count, s->live);
	for (int64_t i = 0; i < count; i++) {
		struct view_context c = t->c;
		struct step again;
		bool found;

		ck_assert_int_eq(step_frame_at(frames, count, &frames[i].at), i);
		if (frames[i].kind != FRAME_TILE && frames[i].kind != FRAME_PARTIAL)
			continue;
		c.at = frames[i].at;
		OK(step_find(&c, &again, &found));
		ck_assert_int_eq(again.slot, s->slot);
		ck_assert_int_eq(again.head, s->head);
		ck_assert_int_eq(again.chosen, s->chunks[frames[i].chunk].number);
		step_free(&again);
	}
	free(frames);
}

START_TEST(frames_have_addresses_of_their_own)
{
	for (int f = 0; f < FORMS; f++) {
		struct attended t = attend(&batches[GROUPS], &forms[f]);

		for (int head = 0; head < 8; head++) {
			struct step s;

			read_step(&t, 0, head, &s);
			check_frames(&t, &s);
			step_free(&s);
		}
		end(&t);
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("view_shape");
	int count = sizeof batches / sizeof batches[0];

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, chunks_have_their_scores_and_addresses, 0, count);
	tcase_add_test(tests, some_blocks_have_several_splits);
	tcase_add_loop_test(tests, rung_10_merges_as_rung_9, 0, count);
	tcase_add_loop_test(tests, a_cluster_merges_where_screens_say, 0, count);
	tcase_add_test(tests, frames_have_addresses_of_their_own);
	return run_suite("view_shape", tests);
}
