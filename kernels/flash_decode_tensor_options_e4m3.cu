/* flash_decode_tensor_options_e4m3.cu - flash_decode_tensor_e4m3 with softcap, window, sinks
 * and pages.
 *
 * Elements become f16 for tensor cores. Needs sm_90.
 */
#define SPLIT_E4M3
#define SPLIT_OPTIONS
#define SPLIT_TENSOR
#include "kernels/split_stream.cuh"
#include "kernels/split_tensor_kernel.cuh"

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_tensor_options_e4m3(const float *q, const unsigned char *k, const unsigned char *v,
				 float *partials, const int *seq_lens, int H, int Hkv, int D,
				 int max_len, long long stride, float scale,
				 const float *k_scale, const float *v_scale,
				 float softcap, int window, int sinks,
				 const int *page_table, int page, int pages, int queries)
{
	extern __shared__ __align__(128) float shared[];
	struct split_launch in = {
		.q = q, .k = k, .v = v, .partials = partials,
		.k_scale = k_scale, .v_scale = v_scale,
		.softcap = softcap, .window = window, .sinks = sinks, .seq_lens = seq_lens,
		.page_table = page_table, .page = page, .pages = pages, .queries = queries,
		.H = H, .Hkv = Hkv, .D = D, .max_len = max_len, .stride = stride, .scale = scale,
	};

	SPLIT_DISPATCH(stream_run, &in);
}
