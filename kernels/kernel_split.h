/* kernel_split.h - what the kernels of the ladder have in common, for their entries.
 *
 * Their blocks attend to a split for all query heads of a KV head. Included only by
 * kernel_ladder.c, kernel_planned.c and kernel_options.h.
 */
#ifndef KERNEL_SPLIT_H
#define KERNEL_SPLIT_H

#include <limits.h>

#include "kernels/kernel_partials.h"
#include "kernels/split_rule.h"

/* Numbers of parameters that all of them have. */
struct ladder_params {
	struct partials_params partials;
	int H, Hkv;
	int scales;                     /* k_scale, and then v_scale, of e4m3; 0: none */
};

/* The scales of all KV heads. */
static inline void scales_read(const struct kernel_call *call, const struct ladder_params *p,
			       kernel_extent_fn *extent, void *context)
{
	uint64_t bytes = value_of(call, p->Hkv) * sizeof(float);

	if (p->scales) {
		extent(context, p->scales, 0, bytes);
		extent(context, p->scales + 1, 0, bytes);
	}
}

/* Tiles of a warp in the longest split. */
static inline uint64_t split_tiles(const struct kernel_call *call, const struct ladder_params *p)
{
	uint64_t max_len = value_of(call, p->partials.max_len);
	uint64_t step = (uint64_t)SPLIT_STEP(value_of(call, p->partials.D));

	return ((uint64_t)SPLIT_KEYS((int64_t)max_len) + step - 1) / step;
}

/* At most: for each tile of its warp, a lane has a softmax point for each pass over four query
 * heads, and scores for each 8 keys of the tile: one for each pass or, on tensor cores, two for
 * each 8 query heads. */
static inline unsigned tiles_points(const struct kernel_call *call, const struct ladder_params *p,
				    uint64_t tiles)
{
	uint64_t Hkv = value_of(call, p->Hkv);
	uint64_t group = Hkv > 0 ? value_of(call, p->H) / Hkv : 0;
	uint64_t scores = (uint64_t)SPLIT_TILE(value_of(call, p->partials.D)) / SPLIT_KEYS_AT_ONCE;
	uint64_t points = tiles * ((group + 3) / 4 + (group + 7) / 8 * 2 * scores);

	return points > UINT_MAX ? UINT_MAX : (unsigned)points;
}

/* A function for an entry: what kernels with parameters `params` read. */
#define LADDER_READS(name, reads, params) \
	static void name(const struct kernel_call *call, kernel_extent_fn *extent, void *context) \
	{ \
		reads(call, params, extent, context); \
	}

/* The entry of a kernel's version for keys and values of another type. */
#define LADDER_NARROW(kernel_name, rung, type, writes_fn, reads_fn, points_fn, ...) \
	const struct kernel kernel_##kernel_name##_##type = { \
		CUDA_C_KERNEL(kernel_name##_##type), \
		.summary = "rung " #rung " with keys and values of " #type, \
		.role = ROLE_CHUNK, .max_threads = 32 * SPLIT_WARPS, \
		.writes = writes_fn, .reads = reads_fn, .points = points_fn, __VA_ARGS__ \
	}

#endif
