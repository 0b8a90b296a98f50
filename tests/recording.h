/* recording.h - for tests: a few steps of flash decoding on the simulator, recorded.
 *
 * Inputs are pseudo-random with a fixed seed: every call records the same run unless its options
 * differ.
 */
#ifndef TESTS_RECORDING_H
#define TESTS_RECORDING_H

#include "tests/support.h"

#include <math.h>
#include <stdint.h>

#include "base/xalloc.h"
#include "engine/attention/path.h"
#include "engine/record/recorder.h"
#include "traces/store/store.h"

enum { REC_LAYERS = 2, REC_HEADS = 4, REC_KV_HEADS = 2, REC_D = 20, REC_CHUNK = 4, REC_STEPS = 9 };

/* Options of a recording. All zeros: 9 steps of one sequence at level launch. */
struct recording_options {
	enum log_level level;
	const char *points, *log_at;
	int slots;                      /* 0: 1 */
	uint64_t seed;                  /* of the simulator */
	const struct path *path;        /* NULL: flash decoding */
	const struct attention_shape *shape;    /* its layers are ignored; NULL: a small one */
	int prompt;                     /* positions of a prompt in slot 0 */
	int steps;                      /* 0: REC_STEPS */
	const char *device;             /* NULL: "sim" */
	uint32_t random;                /* seed of the inputs; 0: 1 */
	bool nan;                       /* some inputs are NaN */
	int flip_step;                  /* flip a bit of q in step flip_step - 1; 0: in none */
	bool cut;                       /* leave the run unfinished, as if the process had died */
};

static inline float recording_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (float)(*state >> 8) / (float)(1 << 23) - 1.0f;
}

static inline void recording_fill(float *values, int count, uint32_t *state, bool nan)
{
	for (int i = 0; i < count; i++)
		values[i] = nan && i % 7 == 3 ? NAN : recording_random(state);
}

/* A random integer from min to max. */
static inline int random_pick(uint32_t *state, int min, int max)
{
	*state = *state * 1664525u + 1013904223u;
	return min + (int)((uint64_t)(*state >> 8) * (uint64_t)(max - min + 1) >> 24);
}

/* Returns `count` random floats, which the caller frees; `count` may be 0. */
static inline float *random_values(uint32_t *state, size_t count)
{
	float *values = xcalloc(count + 1, sizeof *values);

	recording_fill(values, (int)count, state, false);
	return values;
}

static inline struct attention_shape recording_shape(const struct recording_options *o)
{
	struct attention_shape shape = {
		.slots = o->slots ? o->slots : 1,
		.heads = REC_HEADS,
		.kv_heads = REC_KV_HEADS,
		.head_dim = REC_D,
		.max_len = 12,
		.chunk = REC_CHUNK,
		.scale = attention_scale(REC_D),
	};

	if (o->shape)
		shape = *o->shape;
	shape.layers = REC_LAYERS;
	if (o->path == &path_ladder && !shape.rung)
		shape.rung = 4;         /* takes any head size */
	if (o->path == &path_prefill_tiled && shape.head_dim == REC_D)
		shape.head_dim = 64;    /* which does not */
	return shape;
}

/* Copies the newest of a slot's n keys and values ([Hkv, max_len, D]), for a step to append, to the
 * slot's rows of k_new and v_new ([M, Hkv, D]). */
static inline void recording_newest(struct attention *a, int slot, int n, const float *k,
				    const float *v, float *k_new, float *v_new)
{
	size_t D = (size_t)a->shape.head_dim, Hkv = (size_t)a->shape.kv_heads;

	for (size_t h = 0; h < Hkv; h++) {
		size_t from = (h * (size_t)a->shape.max_len + (size_t)n - 1) * D;
		size_t to = ((size_t)slot * Hkv + h) * D;

		memcpy(k_new + to, k + from, D * sizeof(float));
		memcpy(v_new + to, v + from, D * sizeof(float));
	}
}

/* The same, and loads the others into layer 0's cache. */
static inline void recording_load(struct attention *a, int slot, int n, const float *k,
				  const float *v, float *k_new, float *v_new)
{
	OK(kv_cache_load(a->cache, 0, slot, k, v, n - 1, a->shape.max_len));
	recording_newest(a, slot, n, k, v, k_new, v_new);
}

/* Runs a prompt in slot 0, in a step of its own before the others. */
static inline void recording_prompt(struct attention *attention, const struct recording_options *o,
				    uint32_t *random)
{
	int row = attention->shape.heads * attention->shape.head_dim;
	int kv_row = attention->shape.kv_heads * attention->shape.head_dim;
	float *q = calloc((size_t)(o->prompt * row), sizeof *q);
	float *out = calloc((size_t)(o->prompt * row), sizeof *out);
	float *k = calloc((size_t)(o->prompt * kv_row), sizeof *k);
	float *v = calloc((size_t)(o->prompt * kv_row), sizeof *v);

	OK(device_step_begin(attention->device, 0));
	for (int layer = 0; layer < REC_LAYERS; layer++) {
		recording_fill(q, o->prompt * row, random, o->nan);
		recording_fill(k, o->prompt * kv_row, random, o->nan);
		recording_fill(v, o->prompt * kv_row, random, false);
		OK(attention_prefill(attention, &(struct attention_prompt){
			.layer = layer, .rows = o->prompt, .q = q, .k = k, .v = v, .out = out }));
	}
	OK(device_step_end(attention->device));
	free(q);
	free(k);
	free(v);
	free(out);
}

/* Runs the steps, with device_step_begin() and device_step_end() around each. Writes the outputs of
 * all steps and layers to `outputs` ([steps, layers, rows, heads, D]) unless it is NULL. */
static inline void recording_decode(struct device *device, const struct recording_options *o,
				    float *outputs)
{
	const struct attention_shape shape = recording_shape(o);
	int rows = attention_rows(&shape);
	int q_count = rows * shape.heads * shape.head_dim;
	int kv_count = rows * shape.kv_heads * shape.head_dim;
	float *q = calloc((size_t)q_count, sizeof *q), *out = calloc((size_t)q_count, sizeof *out);
	float *k = calloc((size_t)kv_count, sizeof *k), *v = calloc((size_t)kv_count, sizeof *v);
	struct attention *attention;
	uint32_t random = o->random ? o->random : 1;

	OK(attention_create(o->path ? o->path : &path_flash_decoding, device, &shape, &attention));
	if (o->prompt > 0)
		recording_prompt(attention, o, &random);
	for (int step = 0; step < (o->steps ? o->steps : REC_STEPS); step++) {
		OK(device_step_begin(device, step + (o->prompt > 0)));
		for (int layer = 0; layer < REC_LAYERS; layer++) {
			recording_fill(q, q_count, &random, o->nan);
			recording_fill(k, kv_count, &random, o->nan);
			recording_fill(v, kv_count, &random, false);
			if (step + 1 == o->flip_step && layer == 0)
				((uint32_t *)q)[5] ^= 1u << 20;
			OK(attention_step(attention, &(struct attention_step){
				.layer = layer, .q = q, .k = k, .v = v, .out = out }));
			if (outputs)
				memcpy(outputs + (step * REC_LAYERS + layer) * q_count, out,
				       (size_t)q_count * sizeof *out);
		}
		OK(device_step_end(device));
	}
	attention_destroy(attention);
	free(q);
	free(k);
	free(v);
	free(out);
}

/* A trace in memory. */
static inline struct store *new_store(void)
{
	struct store *store;

	OK(store_create(NULL, NULL, &store));
	return store;
}

/* Opens a recorder on a new device. */
static inline struct device *recording_open(struct store *store, const struct recording_options *o)
{
	struct device_options sim = { .seed = o->seed, .poison = true };
	struct recorder_options options = {
		.store = store, .level = o->level, .command = "test",
		.path = o->path ? o->path->name : "flash-decoding",
		.seed = o->seed, .points = o->points, .log_at = o->log_at,
	};
	struct device *inner, *recorder;

	OK(device_open(o->device ? o->device : "sim", &sim, &inner));
	OK(recorder_open(inner, &options, &recorder));
	return recorder;
}

/* Records a whole run into the store; returns its number. */
static inline int64_t recording_make(struct store *store, const struct recording_options *o,
				     float *outputs)
{
	struct device *recorder = recording_open(store, o);
	int64_t run = recorder_run(recorder);

	recording_decode(recorder, o, outputs);
	if (o->cut) {
		device_close(recorder);
		OK(store_commit(store));
	} else {
		OK(recorder_finish(recorder, STATUS_OK));
	}
	return run;
}

/* A valid launch of kv_scatter on a new buffer; tests change it to make it fail. */
struct recording_scatter {
	struct arg args[5];
	struct launch launch;
};

static inline void recording_scatter(struct device *device, struct recording_scatter *s)
{
	const struct buffer_spec spec = { "b", DTYPE_F32, 1, { 4096 } };
	struct buffer *b;

	OK(device_alloc(device, &spec, &b));
	*s = (struct recording_scatter){
		.args = { ARG_BUFFER(b), ARG_AT(b, 1024), ARG_I32(4), ARG_I32(4), ARG_I32(0) },
		.launch = {
			.kernel = kernel_find("kv_scatter"), .grid = { 1, 1, 1 },
			.block = { 32, 1, 1 }, .args = s->args, .arg_count = 5, .layer = -1,
		},
	};
}

/* Runs a query that returns one integer. */
static inline int64_t query(struct store *store, const char *sql)
{
	sqlite3_stmt *rows;
	int64_t value;

	ck_assert_msg(sqlite3_prepare_v2(store_db(store), sql, -1, &rows, NULL) == SQLITE_OK,
		      "%s: %s", sql, sqlite3_errmsg(store_db(store)));
	ck_assert_msg(sqlite3_step(rows) == SQLITE_ROW, "%s: no row", sql);
	value = sqlite3_column_int64(rows, 0);
	sqlite3_finalize(rows);
	return value;
}

#endif
