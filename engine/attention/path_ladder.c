/* path_ladder.c - the rungs of the ladder above flash decoding: kernels with one more idea each.
 *
 * Rung 4 has the chunks, the reduction and the bits of flash decoding; its blocks attend for all
 * query heads of a KV head. From rung 5 up a sequence is split by its own length
 * (kernels/split_rule.h), and all rungs have the same bits. Rungs 0 to 3 are other paths
 * (path_ladder.h).
 */
#include "engine/attention/path_ladder.h"

#include <math.h>

#include "engine/attention/path_parts.h"
#include "kernels/head_sizes.h"
#include "kernels/plan_rule.h"

struct ladder {
	struct attention base;
	struct flash_part part;
	int blocks;                     /* from rung 9 up: of a launch, as many as run at once */
	struct buffer *plan;            /* i32, from rung 9 up (kernels/split_plan.cuh) */
	struct buffer *tickets;         /* u32 [M, Hkv], of rung 10 */
};

/* --- shapes --- */

static int group_of(const struct attention_shape *s)
{
	return s->kv_heads > 0 ? s->heads / s->kv_heads : 0;
}

/* Rung 13: the fastest rung for a shape, by times of an H200 (doc/ladder.md). The first row that a
 * shape fits is taken. All that it names have the same bits. */
enum { SHAPE_TABLE = 13 };

static const struct {
	int min_group;                  /* query heads of a KV head */
	double max_keys;                /* room for these, of all KV heads and slots together */
	int rung;
} shape_table[] = {
	{ 9, INFINITY, 6 },             /* bound by arithmetic and registers: no plan helps */
	{ 0, INFINITY, 10 },
};

int ladder_rung(const struct attention_shape *s)
{
	double keys = (double)s->slots * s->kv_heads * s->max_len;
	int i = 0;

	if (s->rung > 0 && s->rung != SHAPE_TABLE)
		return s->rung;
	while (i + 1 < COUNT(shape_table)
	       && (group_of(s) < shape_table[i].min_group || keys > shape_table[i].max_keys))
		i++;
	return shape_table[i].rung;
}

static enum status check(const struct attention_shape *s)
{
	int rung = ladder_rung(s);

	if (rung != 4 && rung != 5 && rung != 6 && rung != 9 && rung != 10)
		return fail(STATUS_USAGE, "ladder: there is no rung %d; those of f32 are 0 to 6, "
			    "9, 10 and 13", rung);
	if (group_of(s) > SPLIT_MAX_GROUP)
		return fail(STATUS_USAGE, "ladder: rung %d takes at most %d query heads for each "
			    "KV head, got %d; rungs 1 to 3 take any", rung, SPLIT_MAX_GROUP,
			    group_of(s));
	if (rung == 4)
		return flash_check("ladder", s);
	if (head_size_has(s->head_dim))
		return STATUS_OK;
	return fail(STATUS_USAGE, "ladder: rung %d takes head sizes of " HEAD_SIZES_AND
		    ", got %d; rungs 0 to 4 take any up to 256", rung, s->head_dim);
}

static size_t shared(const struct attention_shape *s)
{
	int G = group_of(s), D = s->head_dim, rung = ladder_rung(s);
	int floats = SPLIT_FLOATS(G, D) + SPLIT_MERGE_FLOATS(G, D);

	if (rung == 4)
		return 0;
	if (rung >= LADDER_BULK_RUNG)
		floats += SPLIT_RING_FLOATS(G, D);
	return (size_t)floats * sizeof(float);
}

/* --- buffers --- */

/* A plan has room for all splits that the sequences can have. */
static enum status create_plan(struct attention *a)
{
	struct ladder *l = (struct ladder *)a;
	const struct attention_shape *s = &a->shape;
	int64_t units = (int64_t)s->slots * s->kv_heads * SPLITS;
	struct buffer_spec plan = { "plan", DTYPE_I32, 1, { 0 } };
	struct device_info info;

	TRY(device_info(a->device, &info));
	l->blocks = info.multiprocessors < units ? info.multiprocessors : (int)units;
	plan.shape[0] = PLAN_HEADS(l->blocks) + PLAN_UNIT * units;
	return device_alloc(a->device, &plan, &l->plan);
}

static enum status create(struct attention *a)
{
	struct ladder *l = (struct ladder *)a;
	const struct attention_shape *s = &a->shape;
	int rung = ladder_rung(s);
	struct buffer_spec partials = {
		"partials", DTYPE_F32, 4, { s->slots, s->heads, SPLITS, s->head_dim + 2 }
	};
	struct buffer_spec tickets = { "tickets", DTYPE_U32, 2, { s->slots, s->kv_heads } };

	if (rung == 4)
		return flash_alloc(a, &l->part);
	TRY(device_alloc(a->device, &partials, &l->part.partials));
	if (rung >= LADDER_PLAN_RUNG)
		TRY(create_plan(a));
	if (rung < 10)
		return STATUS_OK;
	TRY(device_alloc(a->device, &tickets, &l->tickets));
	return device_fill(a->device, NULL, l->tickets, 0, 0,
			   l->tickets->bytes / sizeof(uint32_t));
}

static void destroy(struct attention *a)
{
	struct ladder *l = (struct ladder *)a;

	free_buffers(a->device, &l->plan, 1);
	free_buffers(a->device, &l->tickets, 1);
	flash_free(a, &l->part);
}

/* --- launches --- */

static enum status launch_group(struct attention *a, int layer)
{
	const struct attention_shape *s = &a->shape;
	const struct flash_part *part = &((struct ladder *)a)->part;
	const struct arg args[] = {
		ARG_BUFFER(a->io->q), ARG_BUFFER(a->cache->k[layer]),
		ARG_BUFFER(a->cache->v[layer]), ARG_BUFFER(part->partials),
		ARG_BUFFER(step_io_lengths(a)->seq_lens.buffer), ARG_I32(s->heads),
		ARG_I32(s->kv_heads), ARG_I32(s->head_dim), ARG_I32(s->max_len),
		ARG_I64(kv_cache_stride(a->cache)), ARG_I32(s->chunk), ARG_F32(s->scale),
	};

	TRY(step_launch(a, "flash_decode_group", layer,
			(struct dim3){ (unsigned)s->kv_heads, (unsigned)s->slots,
				       (unsigned)part->max_chunks },
			(struct dim3){ WARP, (unsigned)group_of(s), 1 }, 0, args, COUNT(args)));
	return flash_reduce(a, part, layer);
}

static enum status plan(struct attention *a, struct buffer *seq_lens)
{
	const struct ladder *l = (struct ladder *)a;
	const struct arg args[] = {
		ARG_BUFFER(seq_lens), ARG_BUFFER(l->plan), ARG_I32(a->shape.kv_heads),
		ARG_I32(l->blocks),
	};

	if (!l->plan)
		return STATUS_OK;
	return step_launch(a, "flash_decode_plan", -1,
			   (struct dim3){ (unsigned)a->shape.slots, 1, 1 },
			   (struct dim3){ PLAN_THREADS, 1, 1 }, 0, args, COUNT(args));
}

static enum status launch_merge(struct attention *a, int layer)
{
	const struct attention_shape *s = &a->shape;
	const struct ladder *l = (struct ladder *)a;
	const struct arg args[] = {
		ARG_BUFFER(l->part.partials), ARG_BUFFER(a->io->out),
		ARG_BUFFER(step_io_lengths(a)->seq_lens.buffer), ARG_I32(s->head_dim),
	};

	return step_launch(a, "flash_decode_merge", layer,
			   (struct dim3){ (unsigned)s->heads, (unsigned)s->slots, 1 },
			   (struct dim3){ s->head_dim > 128 ? 2 * WARP : WARP, 1, 1 }, 0, args,
			   COUNT(args));
}

static enum status launch_split(struct attention *a, const char *kernel, int layer)
{
	const struct attention_shape *s = &a->shape;
	const struct ladder *l = (struct ladder *)a;
	const struct arg args[] = {
		ARG_BUFFER(a->io->q), ARG_BUFFER(a->cache->k[layer]),
		ARG_BUFFER(a->cache->v[layer]), ARG_BUFFER(l->part.partials),
		ARG_BUFFER(step_io_lengths(a)->seq_lens.buffer),
		ARG_I32(s->heads), ARG_I32(s->kv_heads), ARG_I32(s->head_dim),
		ARG_I32(s->max_len), ARG_I64(kv_cache_stride(a->cache)), ARG_F32(s->scale),
	};

	TRY(step_launch(a, kernel, layer,
			(struct dim3){ (unsigned)s->kv_heads, (unsigned)s->slots, SPLITS },
			(struct dim3){ WARP, SPLIT_WARPS, 1 }, (unsigned)shared(s), args,
			COUNT(args)));
	return launch_merge(a, layer);
}

static enum status launch_planned(struct attention *a, int layer)
{
	const struct attention_shape *s = &a->shape;
	const struct ladder *l = (struct ladder *)a;
	const struct arg args[] = {
		ARG_BUFFER(a->io->q), ARG_BUFFER(a->cache->k[layer]),
		ARG_BUFFER(a->cache->v[layer]), ARG_BUFFER(l->part.partials),
		ARG_BUFFER(l->plan), ARG_I32(s->heads), ARG_I32(s->kv_heads),
		ARG_I32(s->head_dim), ARG_I32(s->max_len), ARG_I64(kv_cache_stride(a->cache)),
		ARG_F32(s->scale),
	};

	TRY(step_launch(a, "flash_decode_planned", layer,
			(struct dim3){ (unsigned)l->blocks, 1, 1 },
			(struct dim3){ WARP, SPLIT_WARPS, 1 }, (unsigned)shared(s), args,
			COUNT(args)));
	return launch_merge(a, layer);
}

static enum status launch_fused(struct attention *a, int layer)
{
	const struct attention_shape *s = &a->shape;
	const struct ladder *l = (struct ladder *)a;
	const struct arg args[] = {
		ARG_BUFFER(a->io->q), ARG_BUFFER(a->cache->k[layer]),
		ARG_BUFFER(a->cache->v[layer]), ARG_BUFFER(l->part.partials),
		ARG_BUFFER(a->io->out), ARG_BUFFER(l->tickets), ARG_BUFFER(l->plan),
		ARG_I32(s->heads), ARG_I32(s->kv_heads), ARG_I32(s->head_dim),
		ARG_I32(s->max_len), ARG_I64(kv_cache_stride(a->cache)), ARG_F32(s->scale),
	};

	return step_launch(a, "flash_decode_fused", layer,
			   (struct dim3){ (unsigned)l->blocks, 1, 1 },
			   (struct dim3){ WARP, SPLIT_WARPS, 1 }, (unsigned)shared(s), args,
			   COUNT(args));
}

static enum status launch(struct attention *a, int layer)
{
	TRY(step_io_scatter(a, layer));
	switch (ladder_rung(&a->shape)) {
	case 4:
		return launch_group(a, layer);
	case 5:
		return launch_split(a, "flash_decode_split", layer);
	case 6:
		return launch_split(a, "flash_decode_stream", layer);
	case 9:
		return launch_planned(a, layer);
	default:
		return launch_fused(a, layer);
	}
}

const struct path path_ladder = {
	.name = "ladder",
	.summary = "flash decoding with one more idea per rung, to the memory's speed",
	.size = sizeof(struct ladder), .device_lengths = true, .replayable = true,
	.check = check, .shared = shared,
	.create = create, .plan = plan, .launch = launch, .destroy = destroy,
};

/* --- rungs that are other paths --- */

const struct path *ladder_path(int rung)
{
	static const struct path *const paths[] = {
		&path_cached, &path_incremental, &path_incremental_multiwarp, &path_flash_decoding
	};

	return rung >= 0 && rung < 4 ? paths[rung] : &path_ladder;
}
