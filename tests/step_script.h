/* step_script.h - for tests: steps over sequences that grow, pause, end and are replaced by others.
 *
 * The case number determines the whole script, so every path, device and graph mode runs the same
 * one. Lengths start near chunk boundaries, at 0 and near the maximum, and cross boundaries; some
 * slots restart with a prompt. Used by test_path_graph.c, test_launch_list.c and test_graph_twin.c.
 */
#ifndef TESTS_STEP_SCRIPT_H
#define TESTS_STEP_SCRIPT_H

#include "tests/recording.h"

#include "base/xalloc.h"
#include "engine/attention/step_io.h"

enum { SCRIPT_LAYERS = 2, SCRIPT_STEPS = 7, SCRIPT_SLOTS = 17 };

struct script {
	struct attention_shape shape;
	int lengths[SCRIPT_SLOTS];      /* at the start */
	uint32_t random;
};

static inline struct script script_case(int number)
{
	static const int dims[] = { 1, 31, 32, 33, 64, 100, 128, 255, 256 };
	static const int chunks[] = { 1, 4, 7, 16, 31, 32, 33 };
	uint32_t random = (uint32_t)number * 2654435761u + 1;
	struct script s = { .shape = { .layers = SCRIPT_LAYERS } };
	struct attention_shape *shape = &s.shape;
	int group = number % 6 == 5 ? 16 : random_pick(&random, 1, 4);

	shape->slots = number % 7 == 6 ? SCRIPT_SLOTS : number % 2 ? 1 : random_pick(&random, 2, 4);
	shape->kv_heads = random_pick(&random, 1, 2);
	shape->heads = shape->kv_heads * group;
	shape->head_dim = number % 3 ? random_pick(&random, 1, 256) : dims[number / 3 % 9];
	shape->chunk = chunks[number % 7];
	shape->warps = 1 + number / 2 % 2;
	shape->max_len = shape->chunk * random_pick(&random, 1, 3) + random_pick(&random, 1, 5);
	shape->scale = attention_scale(shape->head_dim);
	for (int slot = 0; slot < shape->slots; slot++) {
		int border = shape->chunk * random_pick(&random, 0, shape->max_len / shape->chunk);
		int choices[] = { 0, border - 3, border - 1, shape->max_len - 4, shape->max_len };
		int length = choices[random_pick(&random, 0, 4)];

		s.lengths[slot] = length < 0 ? 0
			: length > shape->max_len ? shape->max_len
						  : length;
	}
	s.random = random;
	return s;
}

static inline size_t script_row(const struct script *s)
{
	return (size_t)s->shape.slots * (size_t)s->shape.heads * (size_t)s->shape.head_dim;
}

/* Loads the keys that each slot holds at the start, different ones in every layer. */
static inline void script_load(const struct script *s, struct attention *a, uint32_t *random)
{
	for (int layer = 0; layer < SCRIPT_LAYERS; layer++)
		for (int slot = 0; slot < s->shape.slots; slot++) {
			int n = s->lengths[slot];
			int count = n * s->shape.kv_heads * s->shape.head_dim;
			float *k = random_values(random, count), *v = random_values(random, count);

			OK(kv_cache_load(a->cache, layer, slot, k, v, n, n));
			free(k);
			free(v);
		}
}

/* A new sequence takes the slot and starts with a prompt of `rows` positions. */
static inline void script_join(const struct script *s, struct attention *a, int slot, int rows,
			       uint32_t *random)
{
	kv_cache_clear(a->cache, slot);
	for (int layer = 0; layer < SCRIPT_LAYERS; layer++) {
		int row = rows * s->shape.head_dim;
		float *q = random_values(random, row * s->shape.heads);
		float *k = random_values(random, row * s->shape.kv_heads);
		float *v = random_values(random, row * s->shape.kv_heads);
		float *out = random_values(random, row * s->shape.heads);

		OK(attention_prefill(a, &(struct attention_prompt){
			.layer = layer, .slot = slot, .rows = rows, .q = q, .k = k, .v = v,
			.out = out }));
		free(q);
		free(k);
		free(v);
		free(out);
	}
}

/* Before a step: lets new sequences join some slots, and sets done[] for slots that pause or are
 * full. */
static inline void script_next(const struct script *s, struct attention *a, uint32_t *random,
			       bool *done)
{
	for (int slot = 0; slot < s->shape.slots; slot++) {
		int action = random_pick(random, 0, 9);
		int max_rows = s->shape.max_len < 6 ? s->shape.max_len : 6;

		if (action == 0)
			script_join(s, a, slot, random_pick(random, 1, max_rows), random);
		done[slot] = action == 1 || action == 2
			|| kv_cache_length(a->cache, 0, slot) == s->shape.max_len;
	}
}

static inline void script_step(const struct script *s, struct attention *a, const bool *done,
			       uint32_t *random, float *outputs)
{
	int kv_row = s->shape.slots * s->shape.kv_heads * s->shape.head_dim;

	for (int layer = 0; layer < SCRIPT_LAYERS; layer++) {
		float *q = random_values(random, script_row(s));
		float *k = random_values(random, kv_row), *v = random_values(random, kv_row);
		int before = kv_cache_length(a->cache, layer, 0), lengths[SCRIPT_SLOTS];

		OK(attention_step(a, &(struct attention_step){
			.layer = layer, .q = q, .k = k, .v = v, .done = done,
			.out = outputs + (size_t)layer * script_row(s), .lengths = lengths }));
		ck_assert_int_eq(lengths[0], before + !done[0]);
		free(q);
		free(k);
		free(v);
	}
}

/* Runs the whole script; returns the outputs, [steps, layers, M, H, D], which the caller frees. */
static inline float *script_run(const struct script *s, const struct path *path,
				enum graph_mode graph, struct device *device)
{
	float *outputs = xcalloc(SCRIPT_STEPS * SCRIPT_LAYERS * script_row(s), sizeof *outputs);
	struct attention_shape shape = s->shape;
	uint32_t random = s->random;
	struct attention *attention;
	bool done[SCRIPT_SLOTS];

	shape.graph = graph;
	OK(attention_create(path, device, &shape, &attention));
	for (int slot = 0; slot < shape.slots; slot++)
		ck_assert_int_eq(kv_cache_length(attention->cache, 0, slot), 0);
	script_load(s, attention, &random);
	for (int step = 0; step < SCRIPT_STEPS; step++) {
		script_next(s, attention, &random, done);
		script_step(s, attention, done, &random,
			    outputs + (size_t)step * SCRIPT_LAYERS * script_row(s));
	}
	attention_destroy(attention);
	return outputs;
}

/* Runs the script on a new device. */
static inline float *script_run_on(const char *device_name, uint64_t seed, const struct script *s,
				   const struct path *path, enum graph_mode graph)
{
	const struct device_options options = { .seed = seed, .poison = true };
	struct device *device;
	float *outputs;

	OK(device_open(device_name, &options, &device));
	outputs = script_run(s, path, graph, device);
	device_close(device);
	return outputs;
}

/* The outputs must be equal bit for bit; `what` names the run in the message. */
static inline void script_expect(const struct script *s, const float *wanted, const float *got,
				 const char *what)
{
	for (size_t i = 0; i < SCRIPT_STEPS * SCRIPT_LAYERS * script_row(s); i++)
		ck_assert_msg(memcmp(&wanted[i], &got[i], sizeof(float)) == 0,
			      "%s: M %d, H %d, Hkv %d, D %d, C %d, max_len %d: step %zu, layer "
			      "%zu, element %zu is %g, not %g", what, s->shape.slots,
			      s->shape.heads, s->shape.kv_heads, s->shape.head_dim, s->shape.chunk,
			      s->shape.max_len, i / (SCRIPT_LAYERS * script_row(s)),
			      i / script_row(s) % SCRIPT_LAYERS, i % script_row(s), (double)got[i],
			      (double)wanted[i]);
}

/* --- all layers of one step, with the same q, k and v --- */

/* Every layer's cache after the step, and the last layer's output. */
struct script_layers {
	float *k[SCRIPT_LAYERS], *v[SCRIPT_LAYERS], *out;
};

static inline float *script_download(struct device *device, const struct buffer *buffer)
{
	float *values = xmalloc(buffer->bytes);

	OK(device_download(device, NULL, buffer, 0, values, buffer->bytes));
	return values;
}

/* Uploads a random step, for which launch() runs attention in every layer. */
static inline struct script_layers script_run_layers(const struct script *s,
						     const struct path *path, uint64_t seed,
						     void (*launch)(struct attention *))
{
	int kv_row = s->shape.slots * s->shape.kv_heads * s->shape.head_dim;
	struct script_layers result;
	uint32_t random = s->random;
	bool done[SCRIPT_SLOTS];
	struct device *device;
	struct attention *a;
	float *q, *k, *v;

	OK(device_open("sim", &(struct device_options){ .seed = seed }, &device));
	OK(attention_create(path, device, &s->shape, &a));
	script_load(s, a, &random);
	script_next(s, a, &random, done);
	q = random_values(&random, script_row(s));
	k = random_values(&random, kv_row);
	v = random_values(&random, kv_row);
	OK(attention_upload(a, &(struct attention_step){
		.q = q, .k = k, .v = v, .done = done, .out = q }));
	launch(a);
	for (int layer = 0; layer < SCRIPT_LAYERS; layer++) {
		result.k[layer] = script_download(device, a->cache->k[layer]);
		result.v[layer] = script_download(device, a->cache->v[layer]);
	}
	result.out = script_download(device, a->io->out);
	attention_destroy(a);
	device_close(device);
	free(q);
	free(k);
	free(v);
	return result;
}

static inline void script_launch_each(struct attention *a)
{
	for (int layer = 0; layer < SCRIPT_LAYERS; layer++)
		OK(attention_launch(a, layer));
}

static inline void script_free_layers(struct script_layers *result)
{
	for (int layer = 0; layer < SCRIPT_LAYERS; layer++) {
		free(result->k[layer]);
		free(result->v[layer]);
	}
	free(result->out);
}

/* launch() must give the results of separate launches. One exception: for a slot that is done,
 * separate launches keep the old output, where a graph may write zeros. */
static inline void script_expect_layers(const struct script *s, const struct path *path,
					uint64_t seed, void (*launch)(struct attention *))
{
	const struct attention_shape *shape = &s->shape;
	size_t cache = (size_t)(shape->slots * shape->kv_heads * shape->max_len * shape->head_dim);
	struct script_layers want = script_run_layers(s, path, 0, script_launch_each);
	struct script_layers got = script_run_layers(s, path, seed, launch);

	for (int layer = 0; layer < SCRIPT_LAYERS; layer++) {
		ck_assert_mem_eq(want.k[layer], got.k[layer], cache * sizeof(float));
		ck_assert_mem_eq(want.v[layer], got.v[layer], cache * sizeof(float));
	}
	for (size_t i = 0; i < script_row(s); i++)
		if (got.out[i] != 0.0f)
			ck_assert_mem_eq(&want.out[i], &got.out[i], sizeof(float));
		else
			ck_assert(isnan(want.out[i]) || want.out[i] == 0.0f);
	script_free_layers(&want);
	script_free_layers(&got);
}

/* --- paths, and a small shape --- */

/* Paths that can run from graphs. */
static const struct path *const graph_paths[] = {
	&path_incremental, &path_incremental_multiwarp, &path_batched, &path_flash_decoding,
};
enum { GRAPH_PATHS = 4 };

/* Two layers, 4 query heads on 2 KV heads of size 5, capacity for 9 keys. */
static inline struct attention *script_open_small(struct device *device, const struct path *path,
						  int slots)
{
	const struct attention_shape shape = {
		.layers = 2, .slots = slots, .heads = 4, .kv_heads = 2, .head_dim = 5,
		.max_len = 9, .chunk = 4, .scale = 0.5f,
	};
	struct attention *a;

	OK(attention_create(path, device, &shape, &a));
	return a;
}

#endif
