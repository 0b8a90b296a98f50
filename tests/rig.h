/* rig.h - for tests: an attention path on a device with the hooks of tests/spy.h, and inputs.
 *
 * Inputs come from a pseudo-random sequence with a fixed seed, so two rigs of the same shape get
 * the same inputs. Used by the test_host_*.c programs.
 */
#ifndef TESTS_RIG_H
#define TESTS_RIG_H

#include "tests/gpu.h"
#include "tests/recording.h"
#include "tests/spy.h"

#include "base/xalloc.h"

enum { RIG_SLOTS = 4, RIG_PATHS = 8 };

/* In a loop test over all devices and paths, _i is device * RIG_PATHS + path. */
#define RIG_DEVICE test_devices[_i / RIG_PATHS]
#define RIG_PATH path_table[_i % RIG_PATHS]

/* True if the path supports one slot only. */
static inline bool rig_single_slot(const struct path *path)
{
	return path == &path_cached;
}

struct rig {
	struct device *device;
	struct attention *a;
	uint32_t random;
	int q_count, kv_count;
	float *q, *k, *v, *out;         /* [M, H, D], [M, Hkv, D] */
	int lengths[RIG_SLOTS];
};

/* A small shape whose sizes are not multiples of each other; `cached` gets one slot and no grouped
 * heads. */
static inline struct attention_shape rig_shape(const struct path *path, int slots)
{
	bool single = rig_single_slot(path);

	return (struct attention_shape){
		.layers = 2, .slots = single ? 1 : slots, .heads = 4, .kv_heads = single ? 4 : 2,
		.head_dim = 5, .max_len = 11, .chunk = 3, .scale = attention_scale(5),
	};
}

/* Draws new inputs, different from those of the last step. */
static inline void rig_fill(struct rig *r)
{
	recording_fill(r->q, r->q_count, &r->random, false);
	recording_fill(r->k, r->kv_count, &r->random, false);
	recording_fill(r->v, r->kv_count, &r->random, false);
}

static inline struct rig rig_open(const char *device, const struct path *path,
				  const struct attention_shape *shape)
{
	struct rig r = { .random = 7 };

	r.q_count = shape->slots * shape->heads * shape->head_dim;
	r.kv_count = shape->slots * shape->kv_heads * shape->head_dim;
	r.q = xcalloc((size_t)r.q_count + 1, sizeof *r.q);
	r.out = xcalloc((size_t)r.q_count + 1, sizeof *r.out);
	r.k = xcalloc((size_t)r.kv_count + 1, sizeof *r.k);
	r.v = xcalloc((size_t)r.kv_count + 1, sizeof *r.v);
	OK(device_open(device, &(struct device_options){ .poison = true }, &r.device));
	spy_on(r.device);
	OK(attention_create(path, r.device, shape, &r.a));
	rig_fill(&r);
	return r;
}

static inline void rig_close(struct rig *r)
{
	attention_destroy(r->a);
	device_close(r->device);
	free(r->q);
	free(r->k);
	free(r->v);
	free(r->out);
}

static inline struct attention_step rig_step(struct rig *r, int layer, const bool *done)
{
	return (struct attention_step){
		.layer = layer, .q = r->q, .k = r->k, .v = r->v, .done = done, .out = r->out,
		.lengths = r->lengths,
	};
}

/* Runs one step of layer 0 with new inputs; it must succeed. */
static inline void rig_run(struct rig *r, const bool *done)
{
	const struct attention_step step = rig_step(r, 0, done);

	rig_fill(r);
	OK(attention_step(r->a, &step));
}

/* --- before and after --- */

struct rig_state {
	uint64_t digest;
	float first_out;
	int lengths[2 * RIG_SLOTS];     /* [layers, slots] of the cache */
};

static inline struct rig_state rig_state(const struct rig *r)
{
	struct rig_state state = { .digest = spy_digest(), .first_out = r->out[0] };

	for (int i = 0; r->a->cache && i < 2 * r->a->shape.slots; i++)
		state.lengths[i] = kv_cache_length(r->a->cache, i / r->a->shape.slots,
						   i % r->a->shape.slots);
	return state;
}

static inline void rig_check_unchanged(const struct rig *r, const struct rig_state *before)
{
	struct rig_state now = rig_state(r);

	ck_assert_msg(now.digest == before->digest, "%s: a buffer was written", r->a->path->name);
	ck_assert_msg(!memcmp(&now.first_out, &before->first_out, sizeof(float)),
		      "%s: the output was written", r->a->path->name);
	ck_assert_mem_eq(now.lengths, before->lengths, sizeof now.lengths);
}

#endif
