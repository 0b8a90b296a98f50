/* flash_decode_fused_e4m3.cu - flash_decode_fused with keys and values of scaled e4m3.
 *
 * As flash_decode_fused. A key is k_scale of its KV head times what its codes say, a value
 * v_scale times that: the queries' scale and the partials contain them. The scales must be complete
 * before the launch before begins. Needs sm_90.
 */
#define SPLIT_E4M3
#include "kernels/split_fused.cuh"

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_fused_e4m3(const float *q, const unsigned char *k, const unsigned char *v,
			float *partials, float *out, unsigned *tickets, const int *plan, int H,
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
