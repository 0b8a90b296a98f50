/* flash_decode_tensor_bf16.cu - flash_decode_stream with tensor cores, for keys and
 * values of bf16: rung 7.
 *
 * Needs sm_90.
 */
#define SPLIT_BF16
#define SPLIT_TENSOR
#include "kernels/split_stream.cuh"
#include "kernels/split_tensor_kernel.cuh"

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_tensor_bf16(const float *q, const unsigned short *k, const unsigned short *v,
			 float *partials, const int *seq_lens, int H, int Hkv, int D,
			 int max_len, long long stride, float scale)
{
	extern __shared__ __align__(128) float shared[];
	struct split_launch in = {
		.q = q, .k = k, .v = v, .partials = partials, .seq_lens = seq_lens,
		.H = H, .Hkv = Hkv, .D = D, .max_len = max_len, .stride = stride, .scale = scale,
	};

	SPLIT_DISPATCH(stream_run, &in);
}
