/* flash_decode_stream_options.cu - flash_decode_stream with a softcap, a window, sinks and pages.
 *
 * As flash_decode_stream, with the parameters and the bits of flash_decode_split_options. A tile
 * with keys on both sides of those that the window leaves out is two copies, and one whose rows are
 * in several pages is one for each.
 */
#define SPLIT_OPTIONS
#include "kernels/split_stream.cuh"
#include "kernels/split_kernel.cuh"

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_stream_options(const float *q, const float *k, const float *v,
			    float *partials, const int *seq_lens, int H, int Hkv, int D,
			    int max_len, long long stride, float scale,
			    float softcap, int window, int sinks,
			    const int *page_table, int page, int pages, int queries)
{
	extern __shared__ __align__(128) float shared[];
	struct split_launch in = {
		.q = q, .k = k, .v = v, .partials = partials,
		.softcap = softcap, .window = window, .sinks = sinks, .seq_lens = seq_lens,
		.page_table = page_table, .page = page, .pages = pages, .queries = queries,
		.H = H, .Hkv = Hkv, .D = D, .max_len = max_len, .stride = stride, .scale = scale,
	};

	SPLIT_DISPATCH(stream_run, &in);
}
