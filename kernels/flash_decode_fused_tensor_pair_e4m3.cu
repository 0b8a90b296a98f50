/* flash_decode_fused_tensor_pair_e4m3.cu - flash_decode_fused_tensor_e4m3, of which two blocks
 * run on a multiprocessor: rung 10.
 *
 * The same parameters and bits. Blocks have half of its registers and shared memory, so head sizes
 * are at most 128, and KV heads have at most 8 query heads: the host checks that. Needs sm_90.
 */
#define SPLIT_E4M3
#define SPLIT_PAIR
#define SPLIT_TENSOR
#include "kernels/split_fused.cuh"
#include "kernels/split_tensor_kernel.cuh"

KERNEL __launch_bounds__(SPLIT_THREADS, 2)
flash_decode_fused_tensor_pair_e4m3(const float *q, const unsigned char *k,
				    const unsigned char *v, float *partials, float *out,
				    unsigned *tickets, const int *plan, int H, int Hkv, int D,
				    int max_len, long long stride, float scale,
				    const float *k_scale, const float *v_scale)
{
	extern __shared__ __align__(128) float shared[];
	struct split_launch in = {
		.q = q, .k = k, .v = v, .partials = partials, .out = out,
		.k_scale = k_scale, .v_scale = v_scale, .plan = plan, .tickets = tickets,
		.H = H, .Hkv = Hkv, .D = D, .max_len = max_len, .stride = stride, .scale = scale,
	};

	grid_let_next();
	SPLIT_DISPATCH(fused_run, &in);
}
