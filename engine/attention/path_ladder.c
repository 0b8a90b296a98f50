/* path_ladder.c - the rungs of the ladder above flash decoding: kernels with one more idea each.
 *
 * Rung 4 has the chunks, the reduction and the bits of flash decoding; its blocks attend for all
 * query heads of a KV head. From rung 5 up a sequence is split by its own length
 * (kernels/split_rule.h), and all rungs have the same bits in f32; with other types 5 and 6 have,
 * and those from 7 up, which use tensor cores. Rungs 0 to 3 are other paths (path_ladder.h).
 */
#include "engine/attention/path_ladder.h"

#include <stdio.h>
#include <string.h>

#include "engine/attention/ladder_shape.h"
#include "engine/attention/path_parts.h"
#include "kernels/plan_rule.h"

struct ladder {
	struct attention base;
	struct flash_part part;
	enum ladder_form form;          /* with clusters there are no plan and no tickets */
	int blocks;                     /* from rung 9 up: of a launch, as many as run at once */
	struct buffer *plan;            /* i32, from rung 9 up (kernels/split_plan.cuh) */
	struct buffer *tickets;         /* u32 [M * T, Hkv], of rung 10 */
	struct buffer *k_scale, *v_scale;       /* f32 [Hkv], of caches of e4m3 */
};

/* Of the largest form: which one it is depends on the device. */
static size_t shared(const struct attention_shape *s)
{
	size_t single = ladder_shared(s, LADDER_SINGLE);
	size_t clusters = ladder_rung(s) == 10 ? ladder_shared(s, LADDER_CLUSTERS) : 0;

	return clusters > single ? clusters : single;
}

/* --- buffers --- */

/* A plan has room for all splits that the sequences can have. */
static enum status create_plan(struct attention *a, const struct device_info *info)
{
	struct ladder *l = (struct ladder *)a;
	const struct attention_shape *s = &a->shape;
	int64_t units = (int64_t)attention_rows(s) * s->kv_heads * SPLITS;
	int most = ladder_max_blocks(l->form, info->multiprocessors);
	struct buffer_spec plan = { "plan", DTYPE_I32, 1, { 0 } };

	l->blocks = most < units ? most : (int)units;
	plan.shape[0] = PLAN_HEADS(l->blocks) + PLAN_UNIT * units;
	return device_alloc(a->device, &plan, &l->plan);
}

static enum status create_tickets(struct attention *a)
{
	struct ladder *l = (struct ladder *)a;
	const struct attention_shape *s = &a->shape;
	struct buffer_spec tickets = {
		"tickets", DTYPE_U32, 2, { attention_rows(s), s->kv_heads }
	};

	TRY(device_alloc(a->device, &tickets, &l->tickets));
	return device_fill(a->device, NULL, l->tickets, 0, 0,
			   l->tickets->bytes / sizeof(uint32_t));
}

static enum status create_scale(struct attention *a, const char *name, const float *scale,
				struct buffer **out)
{
	struct buffer_spec spec = { name, DTYPE_F32, 1, { a->shape.kv_heads } };
	float one = 1.0f;
	uint32_t bits;

	memcpy(&bits, &one, sizeof bits);
	TRY(device_alloc(a->device, &spec, out));
	return scale ? device_upload(a->device, NULL, *out, 0, scale, (*out)->bytes)
		: device_fill(a->device, NULL, *out, 0, bits, (*out)->bytes / sizeof bits);
}

static enum status create_scales(struct attention *a)
{
	struct ladder *l = (struct ladder *)a;

	TRY(create_scale(a, "k_scale", a->shape.k_scale, &l->k_scale));
	TRY(create_scale(a, "v_scale", a->shape.v_scale, &l->v_scale));
	a->shape.k_scale = a->shape.v_scale = NULL;     /* they may not outlive the call */
	return STATUS_OK;
}

static enum status create(struct attention *a)
{
	struct ladder *l = (struct ladder *)a;
	const struct attention_shape *s = &a->shape;
	int rung = ladder_rung(s);
	struct buffer_spec partials = {
		"partials", DTYPE_F32, 4, { attention_rows(s), s->heads, SPLITS, s->head_dim + 2 }
	};
	struct device_info info;

	if (rung == 4)
		return flash_alloc(a, &l->part);
	TRY(device_info(a->device, &info));
	TRY(device_alloc(a->device, &partials, &l->part.partials));
	if (s->kv_dtype == DTYPE_E4M3)
		TRY(create_scales(a));
	l->form = ladder_form(s, &info);
	if (l->form == LADDER_CLUSTERS || rung < LADDER_PLAN_RUNG)
		return STATUS_OK;
	TRY(create_plan(a, &info));
	return rung < 10 ? STATUS_OK : create_tickets(a);
}

static void destroy(struct attention *a)
{
	struct ladder *l = (struct ladder *)a;

	free_buffers(a->device, &l->plan, 1);
	free_buffers(a->device, &l->tickets, 1);
	free_buffers(a->device, &l->k_scale, 1);
	free_buffers(a->device, &l->v_scale, 1);
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
			(struct dim3){ WARP, (unsigned)(s->heads / s->kv_heads), 1 }, 0, args,
			COUNT(args)));
	return flash_reduce(a, part, layer);
}

static enum status plan(struct attention *a, struct buffer *seq_lens)
{
	const struct ladder *l = (struct ladder *)a;
	const struct attention_shape *s = &a->shape;
	const struct arg args[] = {
		ARG_BUFFER(seq_lens), ARG_BUFFER(l->plan), ARG_I32(s->kv_heads),
		ARG_I32(l->blocks), ARG_I32(s->window), ARG_I32(s->sinks),
	};
	bool options = attention_has_options(s);

	if (!l->plan)
		return STATUS_OK;
	return step_launch(a, options ? "flash_decode_plan_options" : "flash_decode_plan", -1,
			   (struct dim3){ (unsigned)attention_rows(s), 1, 1 },
			   (struct dim3){ PLAN_THREADS, 1, 1 }, 0, args,
			   options ? COUNT(args) : COUNT(args) - 2);
}

static enum status launch_merge(struct attention *a, int layer)
{
	const struct attention_shape *s = &a->shape;
	const struct ladder *l = (struct ladder *)a;
	const struct arg args[] = {
		ARG_BUFFER(l->part.partials), ARG_BUFFER(a->io->out),
		ARG_BUFFER(step_io_lengths(a)->seq_lens.buffer), ARG_I32(s->head_dim),
	};
	const struct arg with_options[] = {
		args[0], args[1], ARG_BUFFER(a->io->lse), args[2], args[3], ARG_I32(s->window),
		ARG_I32(s->sinks),
	};
	bool options = attention_has_options(s);

	return step_launch(a, options ? "flash_decode_merge_options" : "flash_decode_merge", layer,
			   (struct dim3){ (unsigned)s->heads, (unsigned)attention_rows(s), 1 },
			   (struct dim3){ s->head_dim > 128 ? 2 * WARP : WARP, 1, 1 }, 0,
			   options ? with_options : args,
			   options ? COUNT(with_options) : COUNT(args));
}

struct arg_list {
	struct arg args[MAX_ARGS];
	int count;
};

static void add(struct arg_list *to, struct arg arg)
{
	to->args[to->count++] = arg;
}

/* What the kernels of rungs from 5 up begin with. */
static struct arg_list begin_args(struct attention *a, int layer)
{
	const struct ladder *l = (struct ladder *)a;

	return (struct arg_list){ .count = 4, .args = {
		ARG_BUFFER(a->io->q), ARG_BUFFER(a->cache->k[layer]),
		ARG_BUFFER(a->cache->v[layer]), ARG_BUFFER(l->part.partials),
	} };
}

/* What they end with: only those of e4m3 have scales. */
static void end_args(struct arg_list *to, struct attention *a)
{
	const struct attention_shape *s = &a->shape;
	const struct ladder *l = (struct ladder *)a;
	const struct arg sizes[] = {
		ARG_I32(s->heads), ARG_I32(s->kv_heads), ARG_I32(s->head_dim), ARG_I32(s->max_len),
		ARG_I64(kv_cache_stride(a->cache)), ARG_F32(s->scale),
	};
	const struct arg options[] = {
		ARG_F32(s->softcap), ARG_I32(s->window), ARG_I32(s->sinks),
		ARG_BUFFER(a->cache->page_table), ARG_I32(s->pages.rows), ARG_I32(s->pages.each),
		ARG_I32(attention_queries(s)),
	};

	for (int i = 0; i < COUNT(sizes); i++)
		add(to, sizes[i]);
	if (l->k_scale) {
		add(to, ARG_BUFFER(l->k_scale));
		add(to, ARG_BUFFER(l->v_scale));
	}
	for (int i = 0; i < COUNT(options) && attention_has_options(s); i++)
		add(to, options[i]);
}

/* Launches a kernel whose name says if it uses tensor cores, if two of its blocks run on a
 * multiprocessor, if it has options, and the type of a cache that is not f32. */
static enum status launch_attend(struct attention *a, const char *name, int layer,
				 struct dim3 grid, struct arg_list *list)
{
	const struct attention_shape *s = &a->shape;
	const struct ladder *l = (struct ladder *)a;
	bool narrow = s->kv_dtype != DTYPE_F32;
	char kernel[64];
	struct launch launch = {
		.grid = grid, .block = { WARP, SPLIT_WARPS, 1 },
		.shared_bytes = (unsigned)ladder_shared(s, l->form), .args = list->args,
		.layer = layer,
	};

	end_args(list, a);
	launch.arg_count = list->count;
	if (l->form == LADDER_CLUSTERS)
		launch.cluster = (struct dim3){ 1, 1, CLUSTER_BLOCKS };
	snprintf(kernel, sizeof kernel, "%s%s%s%s%s%s", name,
		 ladder_uses_tensor_cores(s) ? "_tensor" : "",
		 l->form == LADDER_PAIRS ? "_pair" : "",
		 attention_has_options(s) ? "_options" : "", narrow ? "_" : "",
		 narrow ? dtype_name(s->kv_dtype) : "");
	return launch_on(a->device, &a->io->target, kernel, &launch);
}

static struct arg lengths_arg(struct attention *a)
{
	return ARG_BUFFER(step_io_lengths(a)->seq_lens.buffer);
}

static enum status launch_split(struct attention *a, const char *name, int layer)
{
	const struct attention_shape *s = &a->shape;
	struct arg_list args = begin_args(a, layer);

	add(&args, lengths_arg(a));
	TRY(launch_attend(a, name, layer,
			  (struct dim3){ (unsigned)s->kv_heads, (unsigned)attention_rows(s),
					 SPLITS }, &args));
	return launch_merge(a, layer);
}

/* With options a plan counts the keys that queries see, and lengths say where they are. */
static void add_plan(struct arg_list *to, struct attention *a)
{
	if (attention_has_options(&a->shape))
		add(to, lengths_arg(a));
	add(to, ARG_BUFFER(((struct ladder *)a)->plan));
}

static enum status launch_planned(struct attention *a, int layer)
{
	const struct ladder *l = (struct ladder *)a;
	struct arg_list args = begin_args(a, layer);

	add_plan(&args, a);
	TRY(launch_attend(a, "flash_decode_planned", layer,
			  (struct dim3){ (unsigned)l->blocks, 1, 1 }, &args));
	return launch_merge(a, layer);
}

static enum status launch_fused(struct attention *a, int layer)
{
	const struct ladder *l = (struct ladder *)a;
	struct arg_list args = begin_args(a, layer);

	add(&args, ARG_BUFFER(a->io->out));
	if (attention_has_options(&a->shape))
		add(&args, ARG_BUFFER(a->io->lse));
	add(&args, ARG_BUFFER(l->tickets));
	add_plan(&args, a);
	return launch_attend(a, "flash_decode_fused", layer,
			     (struct dim3){ (unsigned)l->blocks, 1, 1 }, &args);
}

static enum status launch_clusters(struct attention *a, int layer)
{
	const struct attention_shape *s = &a->shape;
	struct arg_list args = begin_args(a, layer);

	add(&args, ARG_BUFFER(a->io->out));
	add(&args, lengths_arg(a));
	return launch_attend(a, "flash_decode_cluster", layer,
			     (struct dim3){ (unsigned)s->kv_heads, (unsigned)s->slots,
					    CLUSTER_BLOCKS }, &args);
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
	case 7:
		return launch_split(a, "flash_decode", layer);
	case 9:
		return launch_planned(a, layer);
	default:
		return ((struct ladder *)a)->form == LADDER_CLUSTERS ? launch_clusters(a, layer)
			: launch_fused(a, layer);
	}
}

const struct path path_ladder = {
	.name = "ladder",
	.summary = "flash decoding with one more idea per rung, to the memory's speed",
	.size = sizeof(struct ladder), .device_lengths = true, .replayable = true, .narrow = true,
	.options = true,
	.check = ladder_check, .shared = shared,
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
