/* flash_decode_stream.cu - rung 6 of the ladder: keys and values reach shared memory by bulk copies
 * while the warps work on earlier ones.
 *
 * As flash_decode_split, and the same bits. Dynamic shared memory SPLIT_RING_FLOATS +
 * SPLIT_MERGE_FLOATS + SPLIT_FLOATS. Each warp has SPLIT_STAGES tiles of its own, so no warp waits
 * for another. A tile is one copy, because the rows of a KV head follow each other. Needs sm_90.
 */
#include "kernels/split_stream.cuh"
#include "kernels/split_kernel.cuh"

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_stream(const float *q, const float *k, const float *v, float *partials,
		    const int *seq_lens, int H, int Hkv, int D, int max_len, long long stride,
		    float scale)
{
	extern __shared__ __align__(128) float shared[];
	struct split_launch in = {
		.q = q, .k = k, .v = v, .partials = partials, .seq_lens = seq_lens,
		.H = H, .Hkv = Hkv, .D = D, .max_len = max_len, .stride = stride, .scale = scale,
	};

	SPLIT_DISPATCH(stream_run, &in);
}
