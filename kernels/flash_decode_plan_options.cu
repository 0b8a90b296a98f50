/* flash_decode_plan_options.cu - flash_decode_plan with a window and sinks.
 *
 * As flash_decode_plan. Splits are those of the keys that a query sees (SPLIT_GAP in
 * kernels/split_rule.h), and so are the keys of a unit: those from `sinks` on are further on in the
 * sequence by what the window leaves out.
 */
#include "kernels/split_batch.cuh"

KERNEL __launch_bounds__(PLAN_THREADS)
flash_decode_plan_options(const int *seq_lens, int *plan, int Hkv, int blocks, int window,
			  int sinks)
{
	struct batch b = { .seq_lens = seq_lens, .Hkv = Hkv, .window = window, .sinks = sinks };

	batch_plan(&b, plan, blocks);
}
