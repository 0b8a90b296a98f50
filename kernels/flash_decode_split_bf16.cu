/* flash_decode_split_bf16.cu - flash_decode_split with keys and values of bf16.
 *
 * As flash_decode_split, and the bits that it has with the same numbers in f32: half the bytes, in
 * loads of four elements, and sums in float.
 */
#define SPLIT_BF16
#include "kernels/split_direct.cuh"
#include "kernels/split_kernel.cuh"

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_split_bf16(const float *q, const unsigned short *k, const unsigned short *v,
			float *partials, const int *seq_lens, int H, int Hkv, int D,
			int max_len, long long stride, float scale)
{
	extern __shared__ __align__(128) float shared[];
	struct split_launch in = {
		.q = q, .k = k, .v = v, .partials = partials, .seq_lens = seq_lens,
		.H = H, .Hkv = Hkv, .D = D, .max_len = max_len, .stride = stride, .scale = scale,
	};

	SPLIT_DISPATCH(split_run, &in);
}
