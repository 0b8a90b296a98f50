/* path_ladder.c - the rungs of the ladder above flash decoding: kernels with one more idea each.
 *
 * Rung 4 has the chunks, the reduction and the bits of flash decoding; its blocks attend for all
 * query heads of a KV head. From rung 5 up a sequence is split by its own length
 * (kernels/split_rule.h), and all rungs have the same bits in f32; with other types 5 and 6 have,
 * and those from 7 up, which use tensor cores. Rungs 0 to 3 are other paths (path_ladder.h).
 */
#include "engine/attention/path_ladder.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "engine/attention/path_parts.h"
#include "kernels/head_sizes.h"
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

/* --- shapes --- */

static int group_of(const struct attention_shape *s)
{
	return s->kv_heads > 0 ? s->heads / s->kv_heads : 0;
}

/* Whether the rung uses tensor cores: its kernels have "tensor" in their names. */
static bool uses_tensor_cores(const struct attention_shape *s, int rung)
{
	return s->kv_dtype != DTYPE_F32 && rung >= LADDER_TENSOR_RUNG;
}

int ladder_room(const struct attention_shape *s, int rung)
{
	return uses_tensor_cores(s, rung) ? TENSOR_GROUP(group_of(s)) : group_of(s);
}

/* The form of rung 10, by times of an H100 (doc/ladder.md): clusters, as long as those of two
 * launches run at once, so that one begins while the other ends. Then they are on half of the
 * multiprocessors. A long sequence that is alone keeps the memory busy from there, but not from
 * fewer than a third; of several, the longest would keep its cluster when the others have ended. */
enum { CLUSTER_LONG_PART = 3, CLUSTER_MIN_STAGES = 2 };

static int max_clusters(int multiprocessors)
{
	return multiprocessors / (LADDER_CLUSTER_LAUNCHES * CLUSTER_BLOCKS);
}

int ladder_max_clusters(const struct device_info *info)
{
	return info->compute_major < 9 ? 0 : max_clusters(info->multiprocessors);
}

int ladder_cluster_keys(const struct attention_shape *s, int multiprocessors)
{
	return s->slots == 1
		&& (int64_t)s->kv_heads * CLUSTER_BLOCKS * CLUSTER_LONG_PART >= multiprocessors
		? INT_MAX : LADDER_CLUSTER_LEN;
}

/* Whether clusters suit the shape on a GPU with so many multiprocessors. */
static bool suits_clusters(const struct attention_shape *s, int multiprocessors)
{
	return s->max_len <= ladder_cluster_keys(s, multiprocessors)
		&& (int64_t)s->slots * s->kv_heads <= max_clusters(multiprocessors)
		&& CLUSTER_STAGES(ladder_room(s, 10), s->head_dim) >= CLUSTER_MIN_STAGES;
}

/* Whether rungs 9 and 10 have two blocks for each multiprocessor: tensor cores and exchanges keep a
 * warp waiting, and 16 warps hide what 8 do not (doc/ladder.md). With no more splits than
 * multiprocessors each has one, whose larger ring is better. */
static bool suits_pairs(const struct attention_shape *s, int multiprocessors)
{
	int64_t splits = (int64_t)s->slots * s->kv_heads * SPLITS_USED((int64_t)s->max_len);

	return uses_tensor_cores(s, 9) && s->head_dim <= PAIR_MAX_D
		&& SPLIT_KEPT(ladder_room(s, 9)) && splits > multiprocessors;
}

/* Rung 13: the fastest rung for a shape, by times of an H100 and an H200 (doc/ladder.md), which
 * have TABLE_MULTIPROCESSORS; on a GPU with fewer, rung 10 may have its other form for a shape that
 * clusters suit there. The first row that a shape fits is taken. All that it names have the same
 * bits. The times are those of f32; narrow_rung() is for other types. */
enum { SHAPE_TABLE = 13, FP8_RUNG = 11, TABLE_MULTIPROCESSORS = 132 };

static const struct {
	int rung;
	bool clusters;                  /* only shapes that they suit */
	bool alone;                     /* only one sequence */
	int group, len, head_dim;       /* at least: query heads of a KV head; room for keys */
} shape_table[] = {
	{ .rung = 9, .group = 9 },
	{ .rung = 9, .alone = true, .len = (16 << 10) + 1 },
	{ .rung = 10, .clusters = true, .group = 5 },
	{ .rung = 10, .clusters = true, .len = (2 << 10) + 1 },
	{ .rung = 10, .clusters = true, .head_dim = 256 },
	/* A second launch is less than a last block's wait, and than the barriers of a cluster. */
	{ .rung = 9, .alone = true, .len = 3 << 10 },
	{ .rung = 9, .clusters = true },
	{ .rung = 10 },
};

/* The same for other types: a last block for several sequences, and a second launch for one. But
 * clusters for a short one with many query heads, and a second launch for several of e4m3 that may
 * be long. Without two blocks for each multiprocessor, a very long one of e4m3 has a block for each
 * split, and so have many that may be long, and so have different lengths. */
static int narrow_rung(const struct attention_shape *s, bool options)
{
	bool long_rows = s->max_len > 16 << 10, fp8 = s->kv_dtype == DTYPE_E4M3;
	bool pairs = !options && suits_pairs(s, TABLE_MULTIPROCESSORS);

	if (s->slots > 1 && long_rows && fp8)
		return 9;
	if (s->slots > 16 && long_rows && !pairs)
		return LADDER_TENSOR_RUNG;
	if (s->slots > 1)
		return 10;
	if (fp8 && s->max_len > 128 << 10 && !pairs)
		return LADDER_TENSOR_RUNG;
	return group_of(s) >= 5 && s->max_len <= 1 << 10 && !options
		&& suits_clusters(s, TABLE_MULTIPROCESSORS) ? 10 : 9;
}

/* Rung 11 is what the table names for e4m3: all rungs from 7 up fold its scales. */
static bool is_fp8_rung(const struct attention_shape *s)
{
	return s->rung == FP8_RUNG && s->kv_dtype == DTYPE_E4M3;
}

/* Room for the keys that a query sees: with a window, no more than that and the sinks. */
static int visible_room(const struct attention_shape *s)
{
	int64_t seen = (int64_t)s->window + s->sinks;

	return s->window > 0 && seen < s->max_len ? (int)seen : s->max_len;
}

/* With options rung 10 has no clusters, so rows that name it for them do not apply. */
static bool fits_row(const struct attention_shape *s, bool options, int i)
{
	return group_of(s) >= shape_table[i].group && s->max_len >= shape_table[i].len
		&& s->head_dim >= shape_table[i].head_dim
		&& (s->slots == 1 || !shape_table[i].alone)
		&& (!shape_table[i].clusters
		    || (suits_clusters(s, TABLE_MULTIPROCESSORS)
			&& !(options && shape_table[i].rung == 10)));
}

static int f32_rung(const struct attention_shape *s, bool options)
{
	int i = 0;

	while (i + 1 < COUNT(shape_table) && !fits_row(s, options, i))
		i++;
	return shape_table[i].rung;
}

int ladder_rung(const struct attention_shape *s)
{
	struct attention_shape seen = *s;

	if (s->rung > 0 && s->rung != SHAPE_TABLE && !is_fp8_rung(s))
		return s->rung;
	/* Each query is a row of the batch. */
	seen.slots = attention_rows(s);
	seen.max_len = visible_room(s);
	return s->kv_dtype == DTYPE_F32 ? f32_rung(&seen, attention_has_options(s))
		: narrow_rung(&seen, attention_has_options(s));
}

enum ladder_form ladder_form(const struct attention_shape *s, const struct device_info *info)
{
	int rung = ladder_rung(s);

	if (rung < LADDER_PLAN_RUNG || info->compute_major < 9 || attention_has_options(s))
		return LADDER_SINGLE;
	if (rung == 10 && suits_clusters(s, info->multiprocessors))
		return LADDER_CLUSTERS;
	return suits_pairs(s, info->multiprocessors) ? LADDER_PAIRS : LADDER_SINGLE;
}

int ladder_max_blocks(enum ladder_form form, int multiprocessors)
{
	return form == LADDER_PAIRS ? 2 * multiprocessors : multiprocessors;
}

static bool has_rung(const struct attention_shape *s, int rung)
{
	return rung == 5 || rung == 6 || rung == 9 || rung == 10
		|| rung == (s->kv_dtype == DTYPE_F32 ? 4 : LADDER_TENSOR_RUNG);
}

const char *ladder_rungs_of(enum dtype type)
{
	return type == DTYPE_F32 ? "0 to 6, 9, 10 and 13"
		: type == DTYPE_E4M3 ? "5 to 7, 9 to 11 and 13" : "5 to 7, 9, 10 and 13";
}

/* "9", or "9, which best picks,". */
static const char *rung_text(const struct attention_shape *s, char text[40])
{
	int rung = ladder_rung(s);

	snprintf(text, 40, s->rung == rung ? "%d" : "%d, which best picks,", rung);
	return text;
}

/* Rungs that take any head size: rung 0 takes one sequence, with a KV head for each query head. */
static const char *other_rungs(const struct attention_shape *s)
{
	if (s->kv_dtype != DTYPE_F32)
		return "";
	return s->slots > 1 || s->heads != s->kv_heads ? "; rungs 1 to 4 take any up to 256"
		: "; rungs 0 to 4 take any up to 256";
}

static enum status check(const struct attention_shape *s)
{
	int rung = ladder_rung(s);
	char chosen[40];

	if (!has_rung(s, rung))
		return fail(STATUS_USAGE, "ladder: a KV cache of %s has no rung %d; it has %s",
			    dtype_name(s->kv_dtype), rung, ladder_rungs_of(s->kv_dtype));
	if (attention_has_options(s) && rung < LADDER_SPLIT_RUNG)
		return fail(STATUS_USAGE, "ladder: rung %d has no softcap, window, sinks, "
			    "log-sum-exp, pages or several queries, which rungs from %d up have",
			    rung, LADDER_SPLIT_RUNG);
	if (group_of(s) > SPLIT_MAX_GROUP)
		return fail(STATUS_USAGE, "ladder: rung %s takes at most %d query heads for each "
			    "KV head, got %d%s", rung_text(s, chosen), SPLIT_MAX_GROUP, group_of(s),
			    s->kv_dtype == DTYPE_F32 ? "; rungs 1 to 3 take any" : "");
	if (rung == 4)
		return flash_check("ladder", s);
	if (head_size_has(s->head_dim))
		return STATUS_OK;
	return fail(STATUS_USAGE, "ladder: rung %s takes head sizes of " HEAD_SIZES_AND
		    ", got %d%s", rung_text(s, chosen), s->head_dim, other_rungs(s));
}

size_t ladder_shared(const struct attention_shape *s, enum ladder_form form)
{
	int rung = ladder_rung(s), G = ladder_room(s, rung), D = s->head_dim;
	int floats = SPLIT_FLOATS(G, D) + SPLIT_MERGE_FLOATS(G, D);

	if (rung == 4)
		return 0;
	if (form == LADDER_CLUSTERS)
		floats += CLUSTER_RING_FLOATS(G, D) + CLUSTER_FLOATS(G, D);
	else if (form == LADDER_PAIRS)
		floats += PAIR_RING_FLOATS(G, D, dtype_bytes(s->kv_dtype));
	else if (rung >= LADDER_BULK_RUNG)
		floats += SPLIT_RING_FLOATS(G, D);
	return (size_t)floats * sizeof(float);
}

/* Those of smaller types share the memory of one of f32 (kernels/split_ring.cuh). */
int ladder_tiles_in_flight(const struct attention_shape *s, enum ladder_form form)
{
	int rung = ladder_rung(s), G = ladder_room(s, rung), D = s->head_dim, tiles;
	int ratio = (int)(sizeof(float) / dtype_bytes(s->kv_dtype));

	if (rung < LADDER_BULK_RUNG)
		return 0;
	if (form == LADDER_PAIRS)
		return PAIR_PLACES(G, D, dtype_bytes(s->kv_dtype));
	tiles = ratio * (form == LADDER_CLUSTERS ? CLUSTER_STAGES(G, D) : SPLIT_STAGES(G, D));
	return tiles < SPLIT_MAX_PLACES ? tiles : SPLIT_MAX_PLACES;
}

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
			(struct dim3){ WARP, (unsigned)group_of(s), 1 }, 0, args, COUNT(args)));
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
		 uses_tensor_cores(s, ladder_rung(s)) ? "_tensor" : "",
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
