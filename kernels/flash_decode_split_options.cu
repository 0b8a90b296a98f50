/* flash_decode_split_options.cu - flash_decode_split with a softcap, a window, sinks, pages and
 * several queries of a sequence.
 *
 * As flash_decode_split, and its bits where none is set. With `softcap` X other than 0, a score is
 * X * tanh(score / X). With `window` other than 0, a query sees the last `window` keys of its
 * sequence and the first `sinks`: these alone are split, as if there were no others
 * (SPLIT_GAP in kernels/split_rule.h). With a page table, i32 [M, pages], the caches are pools of
 * pages [., Hkv, page, D] that are `stride` elements apart, and row r of sequence m is row r % page
 * of page page_table[m, r / page]; max_len is page * pages. Only entries of pages with rows that a
 * query sees are read. The host checks these: none is past the end of the pools.
 *
 * With `queries` other than 1, M is that many times the number of sequences: slot m of q, seq_lens
 * and partials is one of the queries of sequence m / queries, whose keys and row of the page table
 * they share. Each has a length, and so splits, of its own.
 */
#define SPLIT_OPTIONS
#include "kernels/split_direct.cuh"
#include "kernels/split_kernel.cuh"

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_split_options(const float *q, const float *k, const float *v,
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

	SPLIT_DISPATCH(split_run, &in);
}
