/* kernel_ladder.c - kernel table entries of the ladder: flash_decode_group, and the kernels whose
 * blocks attend to a split for all query heads of a KV head.
 *
 * Their grids are (Hkv, M, splits); with clusters, (Hkv, M, CLUSTER_BLOCKS). Those with a plan are
 * in kernel_planned.c.
 */
#include "kernels/kernel_options.h"

#define GROUP_PARAMS(element, scales) { { 0, 1, 2, 3, 4, 7, 8, 9, element }, 5, 6, scales }
static const struct ladder_params group_params = GROUP_PARAMS(sizeof(float), 0);
static const struct ladder_params params_of_16 = GROUP_PARAMS(2, 0);
static const struct ladder_params params_of_e4m3 = GROUP_PARAMS(1, 11);

static void writes_partials(const struct kernel_call *call, const struct ladder_params *p,
			    kernel_extent_fn *extent, void *context)
{
	partials_written(call, &p->partials, value_of(call, p->H), extent, context);
}

static void reads_keys(const struct kernel_call *call, const struct ladder_params *p,
		       kernel_extent_fn *extent, void *context)
{
	keys_read(call, &p->partials, value_of(call, p->H), call->grid.x, extent, context);
	scales_read(call, p, extent, context);
}

/* --- flash_decode_group(q, k, v, partials, seq_lens, H, Hkv, D, max_len, stride, C, scale), and
 *     flash_decode_split and _stream, without C; grid (Hkv, M, max_chunks or SPLITS) --- */

/* flash_decode_group has C where the others have scale. */
enum { GROUP_C = 10 };

static void group_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	writes_partials(call, &group_params, extent, context);
}

LADDER_READS(group_reads, reads_keys, &group_params)
LADDER_READS(reads_16, reads_keys, &params_of_16)
LADDER_READS(reads_e4m3, reads_keys, &params_of_e4m3)

static unsigned group_points(const struct kernel_call *call)
{
	uint64_t C = value_of(call, GROUP_C);
	uint64_t max_len = value_of(call, group_params.partials.max_len);

	return tile_points(C < max_len ? C : max_len);
}

static unsigned split_points(const struct kernel_call *call, const struct ladder_params *p)
{
	return tiles_points(call, p, split_tiles(call, p));
}

static unsigned stream_points(const struct kernel_call *call)
{
	return split_points(call, &group_params);
}

const struct kernel kernel_flash_decode_group = {
	CUDA_C_KERNEL(flash_decode_group),
	.summary = "rung 4: flash_decode_chunk with the query heads of a KV head in one block",
	.role = ROLE_CHUNK, .independent = true, .max_threads = 32 * SPLIT_MAX_GROUP,
	.writes = group_writes, .reads = group_reads, .points = group_points,
};

const struct kernel kernel_flash_decode_split = {
	CUDA_C_KERNEL(flash_decode_split),
	.summary = "rung 5: 16-byte loads, several keys per warp, softmax once per tile",
	.role = ROLE_CHUNK, .independent = true, .max_threads = 32 * SPLIT_WARPS,
	.writes = group_writes, .reads = group_reads, .points = stream_points,
};

const struct kernel kernel_flash_decode_stream = {
	CUDA_C_KERNEL(flash_decode_stream),
	.summary = "rung 6: tiles reach shared memory by bulk copies",
	.role = ROLE_CHUNK, .independent = true, .max_threads = 32 * SPLIT_WARPS,
	.writes = group_writes, .reads = group_reads, .points = stream_points,
};

/* --- flash_decode_split, _stream and _tensor with keys and values of f16, bf16 and e4m3, the
 *     latter with k_scale and v_scale at the end --- */

#define NARROW(kernel_name, rung, type, reads) \
	LADDER_NARROW(kernel_name, rung, type, group_writes, reads, stream_points, \
		      .independent = true)

NARROW(flash_decode_split, 5, f16, reads_16);
NARROW(flash_decode_split, 5, bf16, reads_16);
NARROW(flash_decode_split, 5, e4m3, reads_e4m3);
NARROW(flash_decode_stream, 6, f16, reads_16);
NARROW(flash_decode_stream, 6, bf16, reads_16);
NARROW(flash_decode_stream, 6, e4m3, reads_e4m3);
NARROW(flash_decode_tensor, 7, f16, reads_16);
NARROW(flash_decode_tensor, 7, bf16, reads_16);
NARROW(flash_decode_tensor, 7, e4m3, reads_e4m3);
#undef NARROW

/* --- the same with options at the end: softcap, window, sinks, page_table, page, pages and
 *     queries --- */

/* Only keys that a query sees: a page table need not have pages for others. */
static void reads_options(const struct kernel_call *call, const struct ladder_params *p,
			  kernel_extent_fn *extent, void *context)
{
	const struct partials_params *of = &p->partials;

	extent(context, of->q, 0, value_of(call, p->H) * call->grid.y * value_of(call, of->D)
	       * sizeof(float));
	extent(context, of->seq_lens, 0, call->grid.y * sizeof(int32_t));
	for (unsigned m = 0; m < call->grid.y; m++) {
		struct visible_rows v = visible_rows_of(call, p, m);

		for (int i = 0; i < 2; i++)
			rows_read(call, p, (struct rows){
				sequence_of(call, p, m), 0, call->grid.x, v.begin[i], v.end[i] },
				extent, context);
	}
	scales_read(call, p, extent, context);
}

LADDER_READS(options_reads, reads_options, &group_params)
LADDER_READS(options_reads_16, reads_options, &params_of_16)
LADDER_READS(options_reads_e4m3, reads_options, &params_of_e4m3)

#define OPTIONS(kernel_name, suffix, rung, of, reads_cache) \
	const struct kernel kernel_##kernel_name##_options##suffix = { \
		CUDA_C_KERNEL(kernel_name##_options##suffix), \
		.summary = "rung " #rung " with softcap, window, sinks, pages, queries" of, \
		.role = ROLE_CHUNK, .independent = true, .max_threads = 32 * SPLIT_WARPS, \
		.later_params = OPTIONS_LATER, \
		.writes = group_writes, .reads = reads_cache, .points = stream_points, \
	}

OPTIONS(flash_decode_split, , 5, "", options_reads);
OPTIONS(flash_decode_split, _f16, 5, ", f16", options_reads_16);
OPTIONS(flash_decode_split, _bf16, 5, ", bf16", options_reads_16);
OPTIONS(flash_decode_split, _e4m3, 5, ", e4m3", options_reads_e4m3);
OPTIONS(flash_decode_stream, , 6, "", options_reads);
OPTIONS(flash_decode_stream, _f16, 6, ", f16", options_reads_16);
OPTIONS(flash_decode_stream, _bf16, 6, ", bf16", options_reads_16);
OPTIONS(flash_decode_stream, _e4m3, 6, ", e4m3", options_reads_e4m3);
OPTIONS(flash_decode_tensor, _f16, 7, ", f16", options_reads_16);
OPTIONS(flash_decode_tensor, _bf16, 7, ", bf16", options_reads_16);
OPTIONS(flash_decode_tensor, _e4m3, 7, ", e4m3", options_reads_e4m3);
#undef OPTIONS

/* --- flash_decode_cluster(q, k, v, partials, out, seq_lens, H, Hkv, D, max_len, stride, scale),
 *     of e4m3 with k_scale and v_scale at the end; grid (Hkv, M, CLUSTER_BLOCKS) --- */

#define CLUSTER_PARAMS(element, scales) { { 0, 1, 2, 3, 5, 8, 9, 10, element }, 6, 7, scales }
static const struct ladder_params cluster_params = CLUSTER_PARAMS(sizeof(float), 0);
static const struct ladder_params cluster_params_16 = CLUSTER_PARAMS(2, 0);
static const struct ladder_params cluster_params_e4m3 = CLUSTER_PARAMS(1, 12);
enum { CLUSTER_OUT = 4 };

static void cluster_writes(const struct kernel_call *call, kernel_extent_fn *extent, void *context)
{
	const struct ladder_params *p = &cluster_params;
	uint64_t rows = call->grid.y * value_of(call, p->H), D = value_of(call, p->partials.D);

	extent(context, p->partials.partials, 0, rows * SPLITS * (D + 2) * sizeof(float));
	extent(context, CLUSTER_OUT, 0, rows * D * sizeof(float));
}

LADDER_READS(cluster_reads, reads_keys, &cluster_params)
LADDER_READS(cluster_reads_16, reads_keys, &cluster_params_16)
LADDER_READS(cluster_reads_e4m3, reads_keys, &cluster_params_e4m3)

/* Those of its splits, and then of one row that the thread merges. */
static unsigned cluster_points(const struct kernel_call *call)
{
	uint64_t tiles = CLUSTER_SPLITS * split_tiles(call, &cluster_params);
	unsigned points = tiles_points(call, &cluster_params, tiles);

	return points > UINT_MAX - SPLITS ? UINT_MAX : points + SPLITS;
}

const struct kernel kernel_flash_decode_cluster = {
	CUDA_C_KERNEL(flash_decode_cluster),
	.summary = "rung 10: one launch, whose clusters merge through shared memory",
	.role = ROLE_CHUNK, .independent = true, .programmatic = true,
	.max_threads = 32 * SPLIT_WARPS,
	.writes = cluster_writes, .reads = cluster_reads, .points = cluster_points,
};

#define NARROW(type, reads) \
	LADDER_NARROW(flash_decode_cluster_tensor, 10, type, cluster_writes, reads, \
		      cluster_points, .independent = true, .programmatic = true)

NARROW(f16, cluster_reads_16);
NARROW(bf16, cluster_reads_16);
NARROW(e4m3, cluster_reads_e4m3);
