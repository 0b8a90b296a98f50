/* path_case.h - for tests: random shapes of attention, and one step of a path over them on the
 * simulator.
 *
 * Memory beyond a sequence's keys and in slots that are done is the simulator's poison, a NaN, so
 * that a read of it shows.
 */
#ifndef TESTS_PATH_CASE_H
#define TESTS_PATH_CASE_H

#include "tests/recording.h"

#include "traces/xalloc.h"

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
	int slots, heads, kv_heads, head_dim, max_len, chunk, warps;
	int lengths[17];
	enum scores scores;
	float scale;
	float *q, *k, *v;               /* k, v [M, Hkv, max_len, D]: the newest key too */
};

static uint32_t path_random = 20;

static inline int path_pick(int least, int most)
{
	path_random = path_random * 1664525u + 1013904223u;
	return least + (int)((uint64_t)(path_random >> 8) * (uint64_t)(most - least + 1) >> 24);
}

static inline size_t path_rows(const struct path_case *c)
{
	return (size_t)c->slots * (size_t)c->heads;
}

static inline size_t path_slot_size(const struct path_case *c)
{
	return (size_t)c->kv_heads * (size_t)c->max_len * (size_t)c->head_dim;
}

/* Keys that lie along the first query's direction by as much as their place says. */
static inline void path_case_arrange(struct path_case *c)
{
	size_t D = (size_t)c->head_dim, keys = (size_t)(c->slots * c->kv_heads * c->max_len);

	for (size_t i = 0; i < keys * D; i++) {
		float place = (float)(i / D % (size_t)c->max_len) / (float)c->max_len;

		if (c->scores == SCORES_RISING)
			c->k[i] = place * 8.0f;
		else if (c->scores == SCORES_FALLING)
			c->k[i] = -place * 8.0f;
		else if (c->scores == SCORES_EQUAL)
			c->k[i] = 0.5f;
	}
	if (c->scores == SCORES_HUGE)
		c->scale *= 1e4f;
}

static inline float *path_values(size_t count)
{
	float *values = xcalloc(count + 1, sizeof(*values));

	recording_fill(values, (int)count, &path_random, false);
	return values;
}

static inline void path_case_fill(struct path_case *c)
{
	c->scale = attention_scale(c->head_dim);
	c->q = path_values(path_rows(c) * (size_t)c->head_dim);
	c->k = path_values((size_t)c->slots * path_slot_size(c));
	c->v = path_values((size_t)c->slots * path_slot_size(c));
	path_case_arrange(c);
}

static inline void path_case_free(struct path_case *c)
{
	free(c->q);
	free(c->k);
	free(c->v);
}

/* Lengths around chunk borders, none, one, and all there is room for. */
static inline struct path_case path_case_random(int number, bool one_slot, bool one_group)
{
	static const int dims[] = { 1, 3, 31, 32, 33, 64, 65, 100, 128, 129, 255, 256 };
	static const int chunks[] = { 1, 7, 16, 31, 32, 33, 128 };
	struct path_case c = {
		.slots = one_slot	  ? 1
			: number % 5 == 4 ? 17
					  : path_pick(1, 4),
		.kv_heads = path_pick(1, 2),
		.head_dim = number % 2 ? path_pick(1, 256) : dims[number / 2 % 12],
		.chunk = chunks[number % 7],
		.warps = 1 + number % 2,
		.scores = (enum scores)(number % SCORES_KINDS),
	};
	int group = one_group ? 1 : number % 9 == 8 ? 16 : path_pick(1, 4);

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
						       .warps = c->warps },
			    &attention));
	return attention;
}

/* Loads all keys but the newest, then runs the step; returns the output, the caller frees. */
static inline float *path_run(const struct path *path, const struct path_case *c, uint64_t seed)
{
	size_t D = (size_t)c->head_dim, Hkv = (size_t)c->kv_heads, M = (size_t)c->slots;
	float *out = path_values(path_rows(c) * D);
	float *k_new = path_values(M * Hkv * D), *v_new = path_values(M * Hkv * D);
	struct device *device = path_simulator(seed);
	struct attention *a = path_open(path, device, c);
	bool done[17];
	int lengths[17];

	for (size_t slot = 0; slot < M; slot++) {
		int n = c->lengths[slot];

		done[slot] = n == 0;
		if (n == 0)
			continue;
		OK(kv_cache_load(a->cache, 0, (int)slot, c->k + slot * path_slot_size(c),
				 c->v + slot * path_slot_size(c), n - 1, c->max_len));
		for (size_t h = 0; h < Hkv; h++) {
			size_t from =
				slot * path_slot_size(c) + (h * (size_t)c->max_len + (size_t)n - 1) * D;

			memcpy(k_new + (slot * Hkv + h) * D, c->k + from, D * sizeof(float));
			memcpy(v_new + (slot * Hkv + h) * D, c->v + from, D * sizeof(float));
		}
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

#endif
