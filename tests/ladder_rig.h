/* ladder_rig.h - for tests: batches of sequences that attend by a rung of the ladder, on any
 * device, with keys and values of any type that the ladder takes.
 *
 * Keys and values are copied on the device from a buffer of random numbers, so that long sequences
 * cost little; memory past a sequence's keys stays poison, a NaN. A sequence is known by a number
 * and has the same queries, keys and values in every batch. Nothing is recorded. Used by
 * tests/engine/attention/test_ladder.c and tests/gpu/ladder_rows.c.
 */
#ifndef TESTS_LADDER_RIG_H
#define TESTS_LADDER_RIG_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "engine/attention/path.h"
#include "engine/attention/path_ladder.h"
#include "kernels/head_sizes.h"
#include "kernels/plan_rule.h"

enum { RIG_SLOTS = 128, RIG_NOISE = (1 << 20) + 17, RIG_STRETCHES = 64, RIG_KV_HEADS = 8 };

static const int rig_rungs[] = { 4, 5, 6, 9, 10, 13 };          /* of f32 */
static const int rig_narrow_rungs[] = { 5, 6, 7, 9, 10, 13 };   /* of the other types */
static const int rig_dims[] = { HEAD_SIZES };
static const int rig_groups[] = { 1, 2, 3, 4, 6, 7, 8, 16 };
enum { RIG_RUNGS = 6, RIG_DIMS = HEAD_SIZE_COUNT, RIG_GROUPS = 8 };

/* RISING to EQUAL: keys in up to RIG_STRETCHES stretches of equal keys, and positive queries. HUGE:
 * queries times 1e4. INFINITE: an element of some queries is infinite, of others NaN. */
enum rig_scores {
	RIG_RANDOM, RIG_RISING, RIG_FALLING, RIG_EQUAL, RIG_HUGE, RIG_INFINITE, RIG_SCORES
};

struct rig_batch {
	enum dtype kv_dtype;            /* 0: f32 */
	int rung, head_dim, group, kv_heads, slots;
	int capacity;                   /* keys of a slot; 0: as many as the longest has */
	enum rig_scores scores;
	enum graph_mode graph;
	int lengths[RIG_SLOTS];
	int sequences[RIG_SLOTS];       /* number of the sequence in each slot */
};

struct rig {
	struct device *device;
	struct buffer *noise[DTYPE_COUNT];      /* of each type that batches had */
	float *host_noise;
	const struct device_ops *real;
	struct device_ops ops;          /* those of the device, with an alloc that keeps: */
	struct buffer *partials;
	struct rig *next;
};

/* A batch that has its keys and values, except the last key of each sequence, which a step
 * appends. */
struct rig_attention {
	struct rig *rig;
	struct rig_batch batch;
	struct attention *attention;
	float *q, *k_new, *v_new, *out;
	bool *done;
};

/* A call that must succeed, also outside of a libcheck test. */
#define RIG_OK(call) rig_must((call), #call, __FILE__, __LINE__)
static inline void rig_must(enum status status, const char *call, const char *file, int line)
{
	if (status == STATUS_OK)
		return;
	printf("Bail out! %s:%d: %s: %s\n", file, line, call, error_text());
	exit(2);
}

/* --- devices --- */

static struct rig *rigs;

static inline enum status rig_alloc(struct device *device, const struct buffer_spec *spec,
				    struct buffer **out)
{
	struct rig *rig = rigs;

	while (rig->device != device)
		rig = rig->next;
	TRY(rig->real->alloc(device, spec, out));
	if (strcmp(spec->name, "partials") == 0)
		rig->partials = *out;
	return STATUS_OK;
}

static inline float rig_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (float)(*state >> 8) / (float)(1 << 23) - 1.0f;
}

static inline struct rig *rig_open(const char *name, uint64_t seed)
{
	const struct device_options options = { .seed = seed, .poison = true };
	struct rig *rig = xcalloc(1, sizeof *rig);
	uint32_t state = 18;

	RIG_OK(device_open(name, &options, &rig->device));
	rig->real = rig->device->ops;
	rig->ops = *rig->real;
	rig->ops.alloc = rig_alloc;
	rig->device->ops = &rig->ops;
	rig->next = rigs;
	rigs = rig;
	rig->host_noise = xcalloc(RIG_NOISE, sizeof(float));
	for (int i = 0; i < RIG_NOISE; i++)
		rig->host_noise[i] = rig_random(&state);
	return rig;
}

static inline void rig_close(struct rig *rig)
{
	struct rig **at = &rigs;

	while (*at != rig)
		at = &(*at)->next;
	*at = rig->next;
	rig->device->ops = rig->real;
	device_close(rig->device);
	free(rig->host_noise);
	free(rig);
}

/* --- data --- */

/* Where the numbers of a sequence's part begin in the noise: of K or V of a KV head, of queries or
 * of the newest rows. */
static inline uint64_t rig_start(int sequence, int part)
{
	uint64_t z = (uint64_t)sequence * 0x9e3779b97f4a7c15u
		+ (uint64_t)part * 0xbf58476d1ce4e5b9u;

	z = (z ^ z >> 30) * 0x94d049bb133111ebu;
	return (z ^ z >> 31) % RIG_NOISE;
}

/* Parts of a sequence; those with an index for each KV head come last. */
enum { PART_QUERIES, PART_NEW_KEYS, PART_NEW_VALUES, PART_KEYS };

static inline void rig_host_part(const struct rig *rig, int sequence, int part, float *to,
				 size_t count)
{
	uint64_t from = rig_start(sequence, part);

	for (size_t i = 0; i < count; i++)
		to[i] = rig->host_noise[(from + i) % RIG_NOISE];
}

static inline void rig_round(enum dtype type, const float *from, size_t count, void *to)
{
	if (type == DTYPE_F32)
		memcpy(to, from, count * sizeof *from);
	else
		value_round(type, from, count, to);
}

/* The random numbers on the device, rounded to a type. */
static inline struct buffer *rig_noise(struct rig *rig, enum dtype type)
{
	const struct buffer_spec spec = { "noise", type, 1, { RIG_NOISE } };
	struct buffer **noise = &rig->noise[type];
	void *rounded;

	if (*noise)
		return *noise;
	rounded = xcalloc(RIG_NOISE, dtype_bytes(type));
	rig_round(type, rig->host_noise, RIG_NOISE, rounded);
	RIG_OK(device_alloc(rig->device, &spec, noise));
	RIG_OK(device_upload(rig->device, NULL, *noise, 0, rounded, (*noise)->bytes));
	free(rounded);
	return *noise;
}

/* Sets `count` elements of a cache from element `at` on. */
static inline void rig_device_part(struct rig *rig, int sequence, int part, struct buffer *to,
				   uint64_t at, uint64_t count)
{
	uint64_t from = rig_start(sequence, part), each = dtype_bytes(to->dtype);
	struct buffer *noise = rig_noise(rig, to->dtype);

	while (count > 0) {
		uint64_t piece = RIG_NOISE - from < count ? RIG_NOISE - from : count;

		RIG_OK(device_copy(rig->device, NULL, to, at * each, noise, from * each,
				   piece * each));
		at += piece;
		count -= piece;
		from = 0;
	}
}

/* A word of the same elements, each the value in this type. */
static inline uint32_t rig_word(enum dtype type, float value)
{
	float values[] = { value, value, value, value };
	uint32_t words[4];

	rig_round(type, values, 4, words);
	return words[0];
}

/* Keys in stretches: each has the same elements everywhere. */
static inline void rig_stretches(struct rig *rig, enum rig_scores scores, struct buffer *to,
				 uint64_t at, uint64_t keys, uint64_t D)
{
	uint64_t count = scores == RIG_EQUAL ? 1 : keys < RIG_STRETCHES ? keys : RIG_STRETCHES;
	uint64_t each = dtype_bytes(to->dtype);

	for (uint64_t i = 0; i < count; i++) {
		uint64_t begin = i * keys / count, end = (i + 1) * keys / count;
		float value = (float)i / (float)count;

		RIG_OK(device_fill(rig->device, NULL, to, (at + begin * D) * each,
				   rig_word(to->dtype, scores == RIG_FALLING ? -value : value),
				   (end - begin) * D * each / sizeof(uint32_t)));
	}
}

static inline void rig_load_slot(struct rig_attention *r, int slot)
{
	const struct rig_batch *b = &r->batch;
	struct kv_cache *cache = r->attention->cache;
	uint64_t D = (uint64_t)b->head_dim, row = (uint64_t)b->capacity * D;
	uint64_t keys = b->lengths[slot] > 0 ? (uint64_t)b->lengths[slot] - 1 : 0;
	bool stretches = b->scores == RIG_RISING || b->scores == RIG_FALLING
		|| b->scores == RIG_EQUAL;

	for (int h = 0; h < b->kv_heads && keys > 0; h++) {
		uint64_t at = (uint64_t)(slot * b->kv_heads + h) * row;
		int sequence = b->sequences[slot], part = PART_KEYS + 2 * h;

		if (stretches)
			rig_stretches(r->rig, b->scores, cache->k[0], at, keys, D);
		else
			rig_device_part(r->rig, sequence, part, cache->k[0], at, keys * D);
		rig_device_part(r->rig, sequence, part + 1, cache->v[0], at, keys * D);
	}
	cache->lengths[slot] = (int)keys;
}

static inline size_t rig_row(const struct rig_batch *b)
{
	return (size_t)(b->kv_heads * b->group * b->head_dim);
}

/* Changes the queries of a sequence as the scores are to be. */
static inline void rig_change_queries(const struct rig_batch *b, float *q)
{
	size_t D = (size_t)b->head_dim, heads = (size_t)(b->kv_heads * b->group);

	for (size_t i = 0; i < heads * D; i++)
		if (b->scores == RIG_HUGE)
			q[i] *= 1e4f;
		else if (b->scores != RIG_RANDOM && b->scores != RIG_INFINITE)
			q[i] = fabsf(q[i]);
	for (size_t h = 0; h < heads && b->scores == RIG_INFINITE; h++)
		q[h * D + h % D] = (const float[]){ INFINITY, -INFINITY, NAN, 1.0f }[h % 4];
}

static inline void rig_host_slot(struct rig_attention *r, int slot)
{
	const struct rig_batch *b = &r->batch;
	size_t kv = (size_t)(b->kv_heads * b->head_dim), row = rig_row(b);
	int sequence = b->sequences[slot];

	rig_host_part(r->rig, sequence, PART_QUERIES, r->q + (size_t)slot * row, row);
	rig_change_queries(b, r->q + (size_t)slot * row);
	rig_host_part(r->rig, sequence, PART_NEW_KEYS, r->k_new + (size_t)slot * kv, kv);
	rig_host_part(r->rig, sequence, PART_NEW_VALUES, r->v_new + (size_t)slot * kv, kv);
	r->done[slot] = b->lengths[slot] == 0;
}

/* --- batches --- */

static inline int rig_longest(const struct rig_batch *b)
{
	int longest = 1;

	for (int slot = 0; slot < b->slots; slot++)
		if (b->lengths[slot] > longest)
			longest = b->lengths[slot];
	return longest;
}

/* Scales of e4m3, not powers of two. */
static const float rig_k_scale[RIG_KV_HEADS] = { .7f, 1.7f, .9f, 1.1f, .3f, 1.3f, .6f, 1.9f };
static const float rig_v_scale[RIG_KV_HEADS] = { 1.3f, .3f, .6f, 1.9f, .7f, 1.1f, 1.7f, .9f };

static inline struct rig_attention rig_attend(struct rig *rig, const struct rig_batch *batch)
{
	struct rig_attention r = { .rig = rig, .batch = *batch };
	struct rig_batch *b = &r.batch;
	size_t slots = (size_t)b->slots, kv = (size_t)(b->kv_heads * b->head_dim);
	bool scaled = b->kv_dtype == DTYPE_E4M3;

	if (b->capacity == 0)
		b->capacity = rig_longest(b);
	RIG_OK(attention_create(ladder_path(b->rung), rig->device, &(struct attention_shape){
		.layers = 1, .slots = b->slots, .heads = b->kv_heads * b->group,
		.kv_heads = b->kv_heads, .head_dim = b->head_dim, .max_len = b->capacity,
		.chunk = 128, .scale = attention_scale(b->head_dim), .graph = b->graph,
		.rung = b->rung, .kv_dtype = b->kv_dtype,
		.k_scale = scaled ? rig_k_scale : NULL,
		.v_scale = scaled ? rig_v_scale : NULL }, &r.attention));
	r.q = xcalloc(slots * rig_row(b), sizeof(float));
	r.out = xcalloc(slots * rig_row(b), sizeof(float));
	r.k_new = xcalloc(slots * kv, sizeof(float));
	r.v_new = xcalloc(slots * kv, sizeof(float));
	r.done = xcalloc(slots, sizeof(bool));
	for (int slot = 0; slot < b->slots; slot++) {
		rig_load_slot(&r, slot);
		rig_host_slot(&r, slot);
	}
	return r;
}

static inline struct attention_step rig_request(struct rig_attention *r)
{
	return (struct attention_step){ .q = r->q, .k = r->k_new, .v = r->v_new, .done = r->done,
					.out = r->out };
}

/* Attends once; the batch is then as it was, so that it can attend again. Returns the output,
 * [slots, kv_heads * group, head_dim], which belongs to the batch. */
static inline const float *rig_step(struct rig_attention *r)
{
	struct attention_step step = rig_request(r);

	memset(r->out, 0xff, (size_t)r->batch.slots * rig_row(&r->batch) * sizeof(float));
	RIG_OK(attention_step(r->attention, &step));
	for (int slot = 0; slot < r->batch.slots; slot++)
		if (!r->done[slot])
			r->attention->cache->lengths[slot]--;
	return r->out;
}

/* Makes sequences shorter or longer, up to what the batch was loaded with. The key that a step
 * appends replaces the one there. */
static inline void rig_set_length(struct rig_attention *r, int slot, int keys)
{
	r->done[slot] = keys == 0;
	r->attention->cache->lengths[slot] = keys > 0 ? keys - 1 : 0;
}

/* The partials of the last step, which the caller frees; rungs 0 to 2 have none. */
static inline float *rig_partials(struct rig_attention *r, size_t *count)
{
	struct buffer *from = r->rig->partials;
	float *partials = xcalloc(1, from ? from->bytes : 1);

	*count = from ? from->bytes / sizeof(float) : 0;
	if (from)
		RIG_OK(device_download(r->rig->device, NULL, from, 0, partials, from->bytes));
	return partials;
}

static inline void rig_free(struct rig_attention *r)
{
	attention_destroy(r->attention);
	r->rig->partials = NULL;
	free(r->q);
	free(r->k_new);
	free(r->v_new);
	free(r->out);
	free(r->done);
}

/* --- comparing --- */

/* Differing values; a NaN equals a NaN. */
static inline size_t rig_differences(const float *a, const float *b, size_t count)
{
	size_t differ = 0;

	for (size_t i = 0; i < count; i++)
		differ += memcmp(a + i, b + i, sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i]));
	return differ;
}

/* "rung 5, f32, D 64, G 4, B 3, 1025 keys, scores 0" */
static inline const char *rig_name(const struct rig_batch *b, char *text, size_t size)
{
	snprintf(text, size, "rung %d, %s, D %d, G %d, B %d, %d keys, scores %d", b->rung,
		 dtype_name(b->kv_dtype), b->head_dim, b->group, b->slots, rig_longest(b),
		 (int)b->scores);
	return text;
}

/* A batch of one slot: that of the other batch. */
static inline struct rig_batch rig_alone(const struct rig_batch *b, int slot)
{
	struct rig_batch alone = *b;

	alone.slots = 1;
	alone.capacity = 0;
	alone.lengths[0] = b->lengths[slot];
	alone.sequences[0] = b->sequences[slot];
	return alone;
}

#endif
