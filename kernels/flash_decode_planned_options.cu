/* flash_decode_planned_options.cu - flash_decode_planned with a softcap, a window, sinks and pages.
 *
 * As flash_decode_planned, with the options and the bits of flash_decode_split_options, and with
 * the plan of flash_decode_plan_options. Reads seq_lens [M] too, because a plan counts the keys
 * that a query sees and does not say where they are. flash_decode_merge_options merges.
 */
#define SPLIT_OPTIONS
#include "kernels/split_planned.cuh"
#include "kernels/split_kernel.cuh"

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_planned_options(const float *q, const float *k, const float *v, float *partials,
			     const int *seq_lens, const int *plan, int H, int Hkv, int D,
			     int max_len, long long stride, float scale, float softcap, int window,
			     int sinks, const int *page_table, int page, int pages, int queries)
{
	extern __shared__ __align__(128) float shared[];
	struct split_launch in = {
		.q = q, .k = k, .v = v, .partials = partials,
		.softcap = softcap, .window = window, .sinks = sinks, .seq_lens = seq_lens,
		.plan = plan, .page_table = page_table, .page = page, .pages = pages,
		.queries = queries,
		.H = H, .Hkv = Hkv, .D = D, .max_len = max_len, .stride = stride, .scale = scale,
	};

	grid_let_next();
	SPLIT_DISPATCH(planned_run, &in);
}
