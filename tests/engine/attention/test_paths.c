/* test_paths.c - every attention path on the simulator: which paths agree bit for bit, replays,
 * prompts, and whole decodes.
 *
 * The reply to a prompt must not depend on other slots. Accuracy is tested in test_path_accuracy.c,
 * what paths refuse in test_host_behaviour.c.
 */
#include "config.h"

#include "tests/path_case.h"

#include "engine/attention/prefill.h"
#include "engine/model/generate.h"
#include "engine/replay/replay.h"
#include "tests/indirect.h"
#include "tests/sample.h"
#include "traces/row.h"

/* --- equalities, bit for bit --- */

static void check_equal_runs(const struct path *one, const struct path_case *c,
			     const struct path *other, const struct path_case *d)
{
	float *a = path_run(one, c, 0), *b = path_run(other, d, 5);

	ck_assert_msg(memcmp(a, b, path_rows(c) * (size_t)c->head_dim * sizeof(float)) == 0,
		      "%s and %s differ: M %d, D %d, max_len %d", one->name, other->name, c->slots,
		      c->head_dim, c->max_len);
	free(a);
	free(b);
}

START_TEST(incremental_equals_batched_and_flash_decoding_of_one_chunk)
{
	for (int i = 0; i < 15; i++) {
		struct path_case c = path_case_random(i, false, false), whole = c;

		whole.chunk = c.max_len;
		whole.warps = 1;
		check_equal_runs(&path_incremental, &c, &path_batched, &c);
		check_equal_runs(&path_incremental, &c, &path_flash_decoding, &whole);
		path_case_free(&c);
	}
}
END_TEST

/* `auto` switches from one path to another at these lengths and sizes: it has the bits of the one,
 * and not of the other. */
START_TEST(auto_switches_where_expected)
{
	static const struct {
		int slots, head_dim, chunk, length;
		const struct path *is, *is_not;
	} switches[] = {
		{ 1, 64, 0, 127, &path_incremental, &path_incremental_multiwarp },
		{ 1, 64, 0, 128, &path_incremental_multiwarp, &path_incremental },
		{ 1, 65, 0, 127, &path_incremental_multiwarp, &path_incremental },
		{ 1, 64, 16, 90, &path_flash_decoding, &path_incremental },
		{ 2, 16, 128, 1024, &path_batched, &path_flash_decoding },
		{ 2, 16, 128, 1025, &path_flash_decoding, &path_batched },
		{ 2, 16, 0, 1025, &path_batched, &path_incremental_multiwarp },
	};

	for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
		struct path_case c = { .slots = switches[i].slots, .heads = 2, .kv_heads = 1,
				       .head_dim = switches[i].head_dim, .max_len = 1030,
				       .chunk = switches[i].chunk,
				       .lengths = { switches[i].length, 33 } };
		struct path_case chunked;
		float *out, *not;

		path_case_fill(&c);
		chunked = c;
		chunked.chunk = c.chunk ? c.chunk : 1030;
		check_equal_runs(&path_auto, &c, switches[i].is, &chunked);
		out = path_run(&path_auto, &c, 0);
		not = path_run(switches[i].is_not, &chunked, 0);
		ck_assert_mem_ne(out, not, path_rows(&c) * (size_t)c.head_dim * sizeof(float));
		free(out);
		free(not);
		path_case_free(&c);
	}
}
END_TEST

/* A slot gives the same row in a batch as alone. */
START_TEST(a_batched_row_equals_a_solo_row)
{
	static const struct path *const several[] = {
		&path_prefill, &path_incremental, &path_incremental_multiwarp, &path_batched,
		&path_flash_decoding, &path_prefill_tiled,
	};

	for (int i = 0; i < 5; i++) {
		const struct path_way way = { several[_i], GRAPH_NONE, 0 };
		struct path_case c = path_case_for(&way, i + 4);
		float *together = path_run(several[_i], &c, 0);
		size_t row = (size_t)c.heads * (size_t)c.head_dim;

		for (size_t slot = 0; slot < (size_t)c.slots; slot++) {
			struct path_case alone = c;
			float *out;

			alone.slots = 1;
			alone.lengths[0] = c.lengths[slot];
			alone.q = c.q + slot * row;
			alone.k = c.k + slot * path_slot_size(&c);
			alone.v = c.v + slot * path_slot_size(&c);
			out = path_run(several[_i], &alone, slot);
			ck_assert_mem_eq(out, together + slot * row, row * sizeof(float));
			free(out);
		}
		free(together);
		path_case_free(&c);
	}
}
END_TEST

/* --- rows of the tiled prefill --- */

struct rows {
	struct prefill prefill;
	float *q, *k, *v, *out;         /* [H, Nq, D], [Hkv, Nk, D] twice, [H, Nq, D] */
};

/* The row with `keys` keys of the head, in a launch of its own, is the row of the other launch. */
static void check_alone(const struct rows *all, struct device *device, int head, int row, int keys)
{
	const struct prefill *p = &all->prefill;
	struct prefill one = *p;
	size_t D = (size_t)p->head_dim, bytes = D * sizeof(float);
	size_t at = ((size_t)head * (size_t)p->queries + (size_t)row) * D;
	size_t kv = (size_t)(head * p->kv_heads / p->heads) * (size_t)p->keys * D;
	float out[256];

	one.heads = one.kv_heads = one.queries = 1;
	one.keys = one.stride = keys;
	OK(prefill_run(device, &one, all->q + at, all->k + kv, all->v + kv, out));
	ck_assert_msg(memcmp(out, all->out + at, bytes) == 0,
		      "D %d, head %d, row %d of %d, %d keys", p->head_dim, head, row, p->queries,
		      keys);
}

/* A NaN after the last key that a row sees changes nothing either. */
START_TEST(a_tiled_row_has_the_same_bits_in_any_launch)
{
	static const int dims[] = { 64, 80, 96, 128, 256 };
	struct rows all = { .prefill = {
		.heads = 4, .kv_heads = 2, .queries = 150, .keys = 210, .head_dim = dims[_i],
		.value_dim = dims[_i], .stride = 210, .mask = MASK_BOTTOM_RIGHT, .scale = 0.2f,
		.layer = -1, .tiled = true } };
	const struct prefill *p = &all.prefill;
	size_t row = (size_t)p->head_dim, last = (size_t)(p->keys - 1) * row;
	struct device *device = path_simulator(5);

	all.q = path_values((size_t)(p->heads * p->queries) * row);
	all.k = path_values((size_t)(p->kv_heads * p->keys) * row);
	all.v = path_values((size_t)(p->kv_heads * p->keys) * row);
	all.out = path_values((size_t)(p->heads * p->queries) * row);
	for (size_t i = 0; i < row; i++)
		all.k[last + i] = all.v[last + i] = NAN;
	OK(prefill_run(device, p, all.q, all.k, all.v, all.out));
	for (int i = 0; i < p->queries - 1; i += 1 + i % 7)
		check_alone(&all, device, i % p->heads, i, p->keys - p->queries + i + 1);
	ck_assert(isnan(all.out[(size_t)(p->queries - 1) * row]));
	device_close(device);
	free(all.q);
	free(all.k);
	free(all.v);
	free(all.out);
}
END_TEST

START_TEST(lengths_in_device_memory_change_no_bit)
{
	static const int lengths[] = { 1, 2, 4, 31, 33, 128, 129, INDIRECT_MAX_LEN };
	float by_value[INDIRECT_H * INDIRECT_D], indirect[INDIRECT_H * INDIRECT_D];
	struct device *device = path_simulator(0);

	for (int i = 0; i < 8; i++)
		for (unsigned warps = 1; warps <= 4; warps += 3) {
			indirect_run(device, lengths[i], warps, true, by_value);
			indirect_run(device, lengths[i], warps, false, indirect);
			ck_assert_mem_eq(by_value, indirect, sizeof by_value);
		}
	device_close(device);
}
END_TEST

START_TEST(a_replay_equals_its_recording)
{
	static const struct path *const paths[] = {
		&path_prefill, &path_incremental, &path_incremental_multiwarp,
		&path_batched, &path_auto, &path_prefill_tiled,
	};
	const struct recording_options recording = { .level = LEVEL_POINTS,
						     .slots = 2,
						     .path = paths[_i] };
	struct replay_options options = { .device = "sim", .target = { .seed = 7, .jobs = 2 } };
	struct replay_report report;
	struct store *store = new_store();

	recording_make(store, &recording, NULL);
	OK(replay_compare(store, 1, &options, &report));
	ck_assert_int_eq(report.diff.differences, 0);
	ck_assert_int_gt(query(store, "SELECT count(*) FROM v_point"), 0);
	/* Every new row is recorded: 2 tensors, 2 layers, 2 slots, 2 KV heads per step. */
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_kv"), 16 * REC_STEPS);
	ck_assert_int_eq(query(store, "SELECT count(DISTINCT slot) FROM v_kv"), 2);
	diff_report_free(&report.diff);
	OK(store_close(store));
}
END_TEST

/* --- behaviours --- */

START_TEST(invalid_shapes_are_refused)
{
	struct attention_shape shape = { .layers = 1,
					 .slots = 1,
					 .heads = 4,
					 .kv_heads = 2,
					 .head_dim = 4,
					 .max_len = 3,
					 .chunk = 2,
					 .scale = 1.0f };

	FAILS(attention_check(&path_cached, &shape), STATUS_USAGE,
	      "cached: expected as many KV heads as query heads, got 4 query heads and 2 KV heads; "
	      "the ladder's rungs from 1 up take fewer");
	shape.heads = 2;
	OK(attention_check(&path_cached, &shape));
	shape.slots = 2;
	FAILS(attention_check(&path_cached, &shape), STATUS_USAGE,
	      "cached: expected 1 sequence, got 2; the ladder's rungs from 1 up take several");
	shape.warps = 3;
	FAILS(attention_check(&path_flash_decoding, &shape), STATUS_USAGE,
	      "warps per chunk, got 3");
	shape.warps = 2;
	shape.chunk = 0;
	FAILS(attention_check(&path_batched, &shape), STATUS_USAGE, "keys, got 0");
	OK(attention_check(&path_auto, &shape));
	FAILS(attention_step(NULL, &(struct attention_step){ 0 }), STATUS_USAGE,
	      "call attention_create() first");
}
END_TEST

/* --- prompts --- */

/* A prompt in two parts gives what single steps give, up to rounding. */
START_TEST(prompts_append_to_earlier_keys)
{
	enum { ROWS = 40, PER_ROW = 4 * 20 };
	struct path_case c = { .slots = 2,
			       .heads = 4,
			       .kv_heads = 4,
			       .head_dim = 20,
			       .max_len = ROWS + 1,
			       .chunk = 16 };
	float *q = path_values((ROWS + 1) * PER_ROW), *k = path_values((ROWS + 1) * PER_ROW);
	float *v = path_values((ROWS + 1) * PER_ROW), *out = path_values(ROWS * PER_ROW);
	float q2[2 * PER_ROW], k2[2 * PER_ROW], v2[2 * PER_ROW], stepped[2 * PER_ROW];
	struct device *device = path_simulator(0);
	struct attention *a, *b;

	c.scale = attention_scale(20);
	a = path_open(&path_flash_decoding, device, &c);
	b = path_open(&path_flash_decoding, device, &c);
	for (int part = 0; part < 2; part++) {
		size_t from = part == 0 ? 0 : 7 * PER_ROW;

		OK(attention_prefill(a, &(struct attention_prompt){
			.slot = 1, .rows = part == 0 ? 7 : ROWS - 7, .q = q + from, .k = k + from,
			.v = v + from, .out = out + from }));
	}
	ck_assert_int_eq(kv_cache_length(a->cache, 0, 1), ROWS);
	ck_assert_int_eq(kv_cache_length(a->cache, 0, 0), 0);
	for (size_t row = 0; row < ROWS; row++) {
		memcpy(q2 + PER_ROW, q + row * PER_ROW, sizeof q2 / 2);
		memcpy(k2 + PER_ROW, k + row * PER_ROW, sizeof k2 / 2);
		memcpy(v2 + PER_ROW, v + row * PER_ROW, sizeof v2 / 2);
		OK(attention_step(
			b,
			&(struct attention_step){ .q = q2,
						  .k = k2,
						  .v = v2,
						  .out = stepped,
						  .done = (const bool[]){ true, false } }));
		ck_assert_double_le(
			max_difference(stepped + PER_ROW, out + row * PER_ROW, PER_ROW), 2e-6);
	}
	attention_destroy(a);
	attention_destroy(b);
	device_close(device);
	free(q);
	free(k);
	free(v);
	free(out);
}
END_TEST

/* Whether a prompt that had waited began while another slot continued. */
struct order {
	int64_t step;                   /* in which the last such prompt began */
	int64_t overlap;                /* the same, if another slot continued in it */
	int slot;
};

static enum status on_token(void *context, const struct row_token *token)
{
	struct order *order = context;

	if (token->prompt && token->step > 0) {
		order->step = token->step;
		order->slot = token->slot;
	} else if (token->step == order->step && token->slot != order->slot) {
		order->overlap = token->step;
	}
	return STATUS_OK;
}

/* Decodes bytes[i] bytes of each of `count` prompts in `slots` slots; replies are
 * [prompts][bytes]. */
static void decode(const struct llama *model, const struct path *path, const char *const *prompts,
		   const size_t *bytes, int count, int slots, unsigned char replies[][32])
{
	struct order order = { .step = -1, .overlap = -1 };
	struct sequence sequences[4] = { { 0 } };
	struct device *device = path_simulator(0);
	struct attention_shape shape;
	struct attention *attention;

	for (int i = 0; i < count; i++)
		sequences[i] = (struct sequence){
			.prompt = (const unsigned char *)prompts[i],
			.prompt_bytes = strlen(prompts[i]),
			.count = bytes[i],
			.reply = replies[i],
		};
	shape = generate_shape(model, path, sequences, count, slots, 16);
	OK(attention_create(path, device, &shape, &attention));
	OK(generate_run(model, attention, sequences, count,
			&(struct generate_options){ .token = on_token, .context = &order }));
	for (int i = 0; i < count; i++)
		ck_assert_uint_eq(sequences[i].reply_bytes, bytes[i]);
	ck_assert_int_eq(order.overlap > 0, count > slots);
	attention_destroy(attention);
	device_close(device);
}

/* Sequences end at different times, and waiting prompts take their slots while others continue. */
START_TEST(other_slots_change_no_reply)
{
	static const char *const prompts[] = { "ROMEO:", "O", "My lord, what is", "KING:\n" };
	static const struct path *const paths[] = {
		&path_flash_decoding, &path_batched, &path_incremental, &path_incremental_multiwarp,
		&path_prefill, &path_flash_decoding_graph, &path_prefill_tiled,
	};
	static const size_t bytes[] = { 12, 5, 3, 9 };
	unsigned char together[4][32], alone[1][32];
	struct llama *model;

	OK(llama_open(SAMPLE_DIRECTORY, &model));
	/* Two slots: the last two prompts wait. */
	decode(model, paths[_i], prompts, bytes, 4, 2, together);
	for (int i = 0; i < 4; i++) {
		decode(model, paths[_i], prompts + i, bytes + i, 1, 1, alone);
		ck_assert_mem_eq(alone[0], together[i], bytes[i]);
	}
	llama_close(model);
}
END_TEST

/* Rung 4 has the bits of flash decoding; those from 5 up have each other's, whatever the order of
 * blocks is, alone and in a batch. */
START_TEST(rungs_have_the_same_bits)
{
	static const int higher[] = { 6, 10 };

	for (int number = 0; number < 20; number++) {
		const struct path_way way = { &path_ladder, GRAPH_NONE, 5 };
		struct path_case c = path_case_for(&way, number);
		size_t bytes = path_rows(&c) * (size_t)c.head_dim * sizeof(float);
		float *first = path_run(&path_ladder, &c, 0), *chunks;

		for (int i = 0; i < 2; i++)
			for (uint64_t seed = 0; seed < 3; seed++) {
				float *out;

				c.rung = higher[i];
				out = path_run(&path_ladder, &c, seed);
				ck_assert_msg(memcmp(out, first, bytes) == 0,
					      "case %d, rung %d, seed %d", number, c.rung,
					      (int)seed);
				free(out);
			}
		free(first);
		c.rung = 4;
		first = path_run(&path_ladder, &c, 0);
		c.warps = 1;
		chunks = path_run(&path_flash_decoding, &c, 0);
		ck_assert_msg(memcmp(first, chunks, bytes) == 0, "case %d", number);
		free(first);
		free(chunks);
		path_case_free(&c);
	}
}
END_TEST

int main(void)
{
	TCase *equal = tcase_create("equal");
	TCase *behaviour = tcase_create("behaviour"), *whole = tcase_create("whole");

	tcase_set_timeout(equal, 120);
	tcase_set_timeout(whole, 120);
	tcase_add_test(equal, incremental_equals_batched_and_flash_decoding_of_one_chunk);
	tcase_add_test(equal, auto_switches_where_expected);
	tcase_add_loop_test(equal, a_batched_row_equals_a_solo_row, 0, 6);
	tcase_add_loop_test(equal, a_tiled_row_has_the_same_bits_in_any_launch, 0, 5);
	tcase_add_test(equal, lengths_in_device_memory_change_no_bit);
	tcase_add_loop_test(equal, a_replay_equals_its_recording, 0, 6);
	tcase_add_test(equal, rungs_have_the_same_bits);
	tcase_add_test(behaviour, invalid_shapes_are_refused);
	tcase_add_test(behaviour, prompts_append_to_earlier_keys);
	tcase_add_loop_test(whole, other_slots_change_no_reply, 0, 7);
	return run_suites("paths", (TCase *[]){ equal, behaviour, whole }, 3);
}
