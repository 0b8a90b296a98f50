/* flash_decode_fused_tensor_e4m3.cu - flash_decode_fused with tensor cores, for keys
 * and values of e4m3: rung 10.
 *
 * Elements become f16 for tensor cores. Needs sm_90.
 */
#define SPLIT_E4M3
#define SPLIT_TENSOR
#include "kernels/split_fused.cuh"
#include "kernels/split_tensor_kernel.cuh"

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_fused_tensor_e4m3(const float *q, const unsigned char *k, const unsigned char *v,
			       float *partials, float *out, unsigned *tickets,
			       const int *plan, int H,
			       int Hkv, int D, int max_len, long long stride, float scale,
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
