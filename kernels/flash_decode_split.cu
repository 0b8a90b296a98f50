/* flash_decode_split.cu - rung 5 of the ladder: loads of 16 bytes, several keys per warp, softmax
 * once per tile.
 *
 * Grid (Hkv, M, SPLITS), block (32, SPLIT_WARPS), dynamic shared memory SPLIT_FLOATS +
 * SPLIT_MERGE_FLOATS. A block attends to one split of the keys of sequence m (kernels/split_rule.h)
 * for all query heads of one KV head, so that keys and values are read once. Partials have the
 * layout of flash_decode_chunk, [M, H, SPLITS, D + 2]; flash_decode_merge merges them.
 * The host checks that D is a multiple of 16 up to 256, and H one of Hkv, at most 16 times it.
 */
#include "kernels/split.cuh"

/* Tiles are read where they are. */
struct split_source {
	bool values;
};

INLINE_PIECE void source_begin(struct split_source *source, const struct split *s, int D)
{
	(void)s, (void)D;
	source->values = false;
}

INLINE_PIECE const float4 *source_wait(struct split_source *source, const float *rows,
					    int key, int D)
{
	(void)source;
	return (const float4 *)(rows + (long long)key * D);
}

INLINE_PIECE void source_release(struct split_source *source, const struct split *s, int D)
{
	(void)source, (void)s, (void)D;
}

#include "kernels/split_kernel.cuh"

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_split(const float *q, const float *k, const float *v, float *partials,
		   const int *seq_lens, int H, int Hkv, int D, int max_len, long long stride,
		   float scale)
{
	extern __shared__ __align__(16) float shared[];
	struct split s;

	split_begin(&s, q, k, v, seq_lens, H, Hkv, D, max_len, stride, scale);
	split_run(&s, shared, partials);
}
