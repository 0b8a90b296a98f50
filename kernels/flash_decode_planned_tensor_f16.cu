/* flash_decode_planned_tensor_f16.cu - flash_decode_planned with tensor cores, for keys
 * and values of f16: rung 9.
 *
 * Needs sm_90.
 */
#define SPLIT_F16
#define SPLIT_TENSOR
#include "kernels/split_planned.cuh"
#include "kernels/split_tensor_kernel.cuh"

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_planned_tensor_f16(const float *q, const unsigned short *k, const unsigned short *v,
				float *partials, const int *plan,
				int H, int Hkv, int D, int max_len,
				long long stride, float scale)
{
	extern __shared__ __align__(128) float shared[];
	struct split_launch in = {
		.q = q, .k = k, .v = v, .partials = partials, .plan = plan,
		.H = H, .Hkv = Hkv, .D = D, .max_len = max_len, .stride = stride, .scale = scale,
	};

	grid_let_next();
	SPLIT_DISPATCH(planned_run, &in);
}
