/* flash_decode_split.cu - rung 5 of the ladder: loads of 16 bytes, several keys per warp, softmax
 * once per tile.
 *
 * Grid (Hkv, M, splits), block (32, SPLIT_WARPS), dynamic shared memory SPLIT_FLOATS +
 * SPLIT_MERGE_FLOATS. A block attends to one split of the keys of sequence m (kernels/split_rule.h)
 * for all query heads of one KV head, so that keys and values are read once. Partials have the
 * layout of flash_decode_chunk, [M, H, SPLITS, D + 2]; flash_decode_merge merges them.
 * The host checks that D is a head size of the ladder, and H one of Hkv, at most 16 times it.
 */
#include "kernels/split_direct.cuh"
#include "kernels/split_kernel.cuh"

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_split(const float *q, const float *k, const float *v, float *partials,
		   const int *seq_lens, int H, int Hkv, int D, int max_len, long long stride,
		   float scale)
{
	extern __shared__ __align__(128) float shared[];
	struct split_launch in = {
		.q = q, .k = k, .v = v, .partials = partials, .seq_lens = seq_lens,
		.H = H, .Hkv = Hkv, .D = D, .max_len = max_len, .stride = stride, .scale = scale,
	};

	SPLIT_DISPATCH(split_run, &in);
}
