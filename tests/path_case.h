/* path_case.h - for tests: random attention shapes, and one step of a path for such a shape.
 *
 * Memory past a sequence's keys and in slots that are done holds the simulator's poison, a NaN, so
 * reading it shows. Used by test_paths.c, test_path_accuracy.c and test_twin.c.
 */
#ifndef TESTS_PATH_CASE_H
#define TESTS_PATH_CASE_H

#include "kernels/head_sizes.h"
#include "tests/recording.h"

/* --- cases --- */

enum scores {
	SCORES_RANDOM,
	SCORES_RISING,
	SCORES_FALLING,
	SCORES_EQUAL,
	SCORES_HUGE,
	SCORES_KINDS
};

struct path_case {
	int slots, heads, kv_heads, head_dim, max_len, chunk, warps, rung;
	int lengths[17];
	enum scores scores;
	float scale;
	float *q, *k, *v;               /* k, v [M, Hkv, max_len, D]: the newest key too */
	enum graph_mode graph;
};

static uint32_t path_random = 20;

static inline int path_pick(int min, int max)
{
	return random_pick(&path_random, min, max);
}

static inline size_t path_rows(const struct path_case *c)
{
	return (size_t)c->slots * (size_t)c->heads;
}

static inline size_t path_slot_size(const struct path_case *c)
{
	return (size_t)c->kv_heads * (size_t)c->max_len * (size_t)c->head_dim;
}

/* Changes `count` elements of queries, keys [heads, rows, D] and the scale so that the scores are
 * of the given kind. Queries become positive if scores rise or fall with the key's position. */
static inline void path_scores(enum scores scores, float *q, size_t count, float *k, size_t heads,
			       size_t rows, size_t D, float *scale)
{
	bool slope = scores == SCORES_RISING || scores == SCORES_FALLING;

	for (size_t i = 0; slope && i < count; i++)
		q[i] = fabsf(q[i]);
	for (size_t i = 0; i < heads * rows * D; i++) {
		float position = (float)(i / D % rows) / (float)rows;

		if (slope)
			k[i] = scores == SCORES_RISING ? position * 8.0f : -position * 8.0f;
		else if (scores == SCORES_EQUAL)
			k[i] = 0.5f;
	}
	if (scores == SCORES_HUGE)
		*scale *= 1e4f;
}

static inline float *path_values(size_t count)
{
	return random_values(&path_random, count);
}

static inline void path_case_fill(struct path_case *c)
{
	c->scale = attention_scale(c->head_dim);
	c->q = path_values(path_rows(c) * (size_t)c->head_dim);
	c->k = path_values((size_t)c->slots * path_slot_size(c));
	c->v = path_values((size_t)c->slots * path_slot_size(c));
	path_scores(c->scores, c->q, path_rows(c) * (size_t)c->head_dim, c->k,
		    (size_t)(c->slots * c->kv_heads), (size_t)c->max_len, (size_t)c->head_dim,
		    &c->scale);
}

static inline void path_case_free(struct path_case *c)
{
	free(c->q);
	free(c->k);
	free(c->v);
}

/* `number` cycles through 1 to 17 slots, 1 to 16 query heads per KV head, all chunk sizes and all
 * kinds of scores. Lengths are 0, 1, the maximum, or near a chunk boundary. */
static inline struct path_case path_case_random(int number, bool one_slot, bool one_group)
{
	static const int dims[] = { 1, 3, 31, 32, 33, 64, 65, 100, 128, 129, 255, 256 };
	static const int chunks[] = { 1, 7, 16, 31, 32, 33, 128 };
	struct path_case c = {
		.slots = one_slot ? 1 : 1 + number * 5 % 17,
		.kv_heads = path_pick(1, 2),
		.head_dim = number % 2 ? path_pick(1, 256) : dims[number / 2 % 12],
		.chunk = chunks[number % 7],
		.warps = 1 + number % 2,
		.scores = (enum scores)(number % SCORES_KINDS),
	};
	int group = one_group ? 1 : 1 + number * 7 % 16;

	c.heads = c.kv_heads * group;
	c.max_len = c.chunk * path_pick(1, 3) + path_pick(0, c.chunk - 1);
	for (int slot = 0; slot < c.slots; slot++) {
		int near = c.chunk * path_pick(0, c.max_len / c.chunk) + path_pick(-1, 1);
		int choices[] = { 0, 1, c.max_len, near, near };
		int length = choices[path_pick(0, 4)];

		c.lengths[slot] = length < 0 ? 0 : length > c.max_len ? c.max_len : length;
	}
	path_case_fill(&c);
	return c;
}

/* --- running a case --- */

static inline struct device *path_simulator(uint64_t seed)
{
	struct device *device;

	OK(device_open("sim", &(struct device_options){ .seed = seed }, &device));
	return device;
}

static inline struct attention *path_open(const struct path *path, struct device *device,
					  const struct path_case *c)
{
	struct attention *attention;

	OK(attention_create(path, device,
			    &(struct attention_shape){ .layers = 1,
						       .slots = c->slots,
						       .heads = c->heads,
						       .kv_heads = c->kv_heads,
						       .head_dim = c->head_dim,
						       .max_len = c->max_len,
						       .chunk = c->chunk,
						       .scale = c->scale,
						       .warps = c->warps,
						       .rung = c->rung,
						       .graph = c->graph },
			    &attention));
	return attention;
}

/* Loads all keys but the newest, then runs the step; returns the output, which the caller frees. */
static inline float *path_run_on(const char *name, uint64_t seed, const struct path *path,
				 const struct path_case *c)
{
	const struct device_options options = { .seed = seed, .poison = true };
	size_t D = (size_t)c->head_dim, Hkv = (size_t)c->kv_heads, M = (size_t)c->slots;
	float *out = path_values(path_rows(c) * D);
	float *k_new = path_values(M * Hkv * D), *v_new = path_values(M * Hkv * D);
	struct attention *a;
	struct device *device;
	bool done[17];
	int lengths[17];

	OK(device_open(name, &options, &device));
	a = path_open(path, device, c);
	for (size_t slot = 0; slot < M; slot++) {
		int n = c->lengths[slot];

		done[slot] = n == 0;
		if (n == 0)
			continue;
		recording_load(a, (int)slot, n, c->k + slot * path_slot_size(c),
			       c->v + slot * path_slot_size(c), k_new, v_new);
	}
	OK(attention_step(a, &(struct attention_step){
		.q = c->q, .k = k_new, .v = v_new, .done = done, .out = out, .lengths = lengths }));
	for (size_t slot = 0; slot < M; slot++)
		ck_assert_int_eq(lengths[slot], c->lengths[slot]);
	attention_destroy(a);
	device_close(device);
	free(k_new);
	free(v_new);
	return out;
}

static inline float *path_run(const struct path *path, const struct path_case *c, uint64_t seed)
{
	return path_run_on("sim", seed, path, c);
}

/* --- paths --- */

/* Every path with separate launches and, if it supports them, with graphs; every rung. */
static const struct path_way {
	const struct path *path;
	enum graph_mode graph;
	int rung;
} path_ways[] = {
	{ &path_prefill, GRAPH_NONE, 0 },
	{ &path_cached, GRAPH_NONE, 0 },
	{ &path_incremental, GRAPH_NONE, 0 },
	{ &path_incremental, GRAPH_CAPTURE, 0 },
	{ &path_incremental, GRAPH_MANUAL, 0 },
	{ &path_incremental_multiwarp, GRAPH_NONE, 0 },
	{ &path_incremental_multiwarp, GRAPH_CAPTURE, 0 },
	{ &path_incremental_multiwarp, GRAPH_MANUAL, 0 },
	{ &path_batched, GRAPH_NONE, 0 },
	{ &path_batched, GRAPH_CAPTURE, 0 },
	{ &path_batched, GRAPH_MANUAL, 0 },
	{ &path_flash_decoding, GRAPH_NONE, 0 },
	{ &path_flash_decoding, GRAPH_MANUAL, 0 },
	{ &path_flash_decoding_graph, GRAPH_NONE, 0 },
	{ &path_auto, GRAPH_NONE, 0 },
	{ &path_ladder, GRAPH_NONE, 4 },
	{ &path_ladder, GRAPH_NONE, 5 },
	{ &path_ladder, GRAPH_CAPTURE, 6 },
	{ &path_ladder, GRAPH_CAPTURE, 9 },
	{ &path_ladder, GRAPH_NONE, 10 },
	{ &path_ladder, GRAPH_MANUAL, 10 },
	{ &path_prefill_tiled, GRAPH_NONE, 0 },
};
enum { PATH_WAYS = 22, PATH_CASES = 51 };

/* The head size nearest to D that a path or rung has; all others have every size. */
static inline int path_head_dim(const struct path *path, int rung, int D)
{
	static const int dims[HEAD_SIZE_COUNT] = { HEAD_SIZES };
	int nearest = dims[0];

	if (rung < 5 && path != &path_prefill_tiled)
		return D;
	for (int i = 1; i < HEAD_SIZE_COUNT; i++)
		if (abs(dims[i] - D) < abs(nearest - D))
			nearest = dims[i];
	return nearest;
}

/* Returns a random case that the path can run. */
static inline struct path_case path_case_for(const struct path_way *way, int number)
{
	bool cached = way->path == &path_cached;
	struct path_case c = path_case_random(number, cached, cached);
	int head_dim = path_head_dim(way->path, way->rung, c.head_dim);

	if (head_dim != c.head_dim) {
		path_case_free(&c);
		c.head_dim = head_dim;
		path_case_fill(&c);
	}
	c.graph = way->graph;
	c.rung = way->rung;
	if (way->path == &path_auto && number % 3 == 0)
		c.chunk = 0;
	return c;
}

#endif
