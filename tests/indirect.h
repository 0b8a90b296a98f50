/* indirect.h - for tests: runs the kernels that read position and length from device memory, and
 * their counterparts that take them by value.
 *
 * Graphs need the former, because a launch in a graph keeps its arguments. Used by test_paths.c and
 * test_twin.c.
 */
#ifndef TESTS_INDIRECT_H
#define TESTS_INDIRECT_H

#include "engine/attention/step_io.h"
#include "tests/recording.h"

enum { INDIRECT_H = 4, INDIRECT_HKV = 2, INDIRECT_D = 70, INDIRECT_MAX_LEN = 150 };

struct indirect {
	struct device *device;
	struct buffer *q, *rows, *k, *v, *out, *length, *position;
	int n;                          /* keys after the append */
	unsigned warps;                 /* 1 or 4 */
	bool by_value;
};

static inline struct buffer *indirect_buffer(struct device *device, const char *name,
					     enum dtype dtype, int64_t count, uint32_t *random)
{
	struct buffer_spec spec = { .name = name, .dtype = dtype, .rank = 1, .shape = { count } };
	float *values = calloc((size_t)count, sizeof *values);
	struct buffer *buffer;

	OK(device_alloc(device, &spec, &buffer));
	recording_fill(values, (int)count, random, false);
	OK(device_upload(device, NULL, buffer, 0, values, buffer->bytes));
	free(values);
	return buffer;
}

static inline void indirect_scatter(const struct indirect *c, struct buffer *cache)
{
	const struct arg position = c->by_value ? ARG_I32(c->n - 1) : ARG_BUFFER(c->position);
	const struct arg indirect[] = {
		ARG_BUFFER(c->rows), ARG_BUFFER(cache), position, ARG_I32(INDIRECT_D),
		ARG_I32(INDIRECT_MAX_LEN),
	};
	const struct arg by_value[] = { indirect[0], indirect[1], indirect[3], indirect[4],
					position };

	OK(launch_kernel(c->device, c->by_value ? "kv_scatter" : "kv_scatter_indirect", 0,
			 (struct dim3){ INDIRECT_HKV, 1, 1 }, (struct dim3){ INDIRECT_D, 1, 1 }, 0,
			 c->by_value ? by_value : indirect, COUNT(indirect)));
}

static inline void indirect_attend(const struct indirect *c)
{
	static const char *const names[2][2] = {
		{ "attention_incremental_indirect", "attention_incremental" },
		{ "attention_incremental_multiwarp_indirect", "attention_incremental_multiwarp" },
	};
	const struct arg q = ARG_BUFFER(c->q), k = ARG_BUFFER(c->k), v = ARG_BUFFER(c->v);
	const struct arg out = ARG_BUFFER(c->out), scale = ARG_F32(attention_scale(INDIRECT_D));
	const struct arg heads = ARG_I32(INDIRECT_HKV), D = ARG_I32(INDIRECT_D);
	const struct arg max_len = ARG_I32(INDIRECT_MAX_LEN);
	const struct arg length = ARG_BUFFER(c->length);
	const struct arg indirect[] = { q, k, v, out, length, heads, D, max_len, scale };
	const struct arg by_value[] = { q, k, v, out, heads, D, max_len, ARG_I32(c->n), scale };

	OK(launch_kernel(c->device, names[c->warps > 1][c->by_value], 0,
			 (struct dim3){ INDIRECT_H, 1, 1 }, (struct dim3){ 32 * c->warps, 1, 1 },
			 c->warps * (INDIRECT_D + 2) * 4, c->by_value ? by_value : indirect,
			 COUNT(indirect)));
}

/* Appends one row to n - 1 keys and attends; out is [H, D]. */
static inline void indirect_run(struct device *device, int n, unsigned warps, bool by_value,
				float *out)
{
	uint32_t random = (uint32_t)n;
	int64_t cache = (int64_t)INDIRECT_HKV * INDIRECT_MAX_LEN * INDIRECT_D;
	int32_t position = n - 1;
	struct indirect c = { .device = device, .n = n, .warps = warps, .by_value = by_value };

	c.q = indirect_buffer(device, "q", DTYPE_F32, INDIRECT_H * INDIRECT_D, &random);
	c.rows = indirect_buffer(device, "rows", DTYPE_F32, INDIRECT_HKV * INDIRECT_D, &random);
	c.k = indirect_buffer(device, "k_cache.0", DTYPE_F32, cache, &random);
	c.v = indirect_buffer(device, "v_cache.0", DTYPE_F32, cache, &random);
	c.out = indirect_buffer(device, "out", DTYPE_F32, INDIRECT_H * INDIRECT_D, &random);
	c.length = indirect_buffer(device, "seq_len", DTYPE_I32, 1, &random);
	c.position = indirect_buffer(device, "position", DTYPE_I32, 1, &random);
	OK(device_upload(device, NULL, c.length, 0, &n, sizeof n));
	OK(device_upload(device, NULL, c.position, 0, &position, sizeof position));
	indirect_scatter(&c, c.k);
	indirect_scatter(&c, c.v);
	indirect_attend(&c);
	OK(device_download(device, NULL, c.out, 0, out, c.out->bytes));
	free_buffers(device,
		     (struct buffer *[]){ c.q, c.rows, c.k, c.v, c.out, c.length, c.position }, 7);
}

#endif
