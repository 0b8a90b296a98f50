/* split_stream.cuh - a block attends to its split, with tiles that bulk copies bring: rung 6.
 *
 * Included only by flash_decode_stream.cu and its versions for other types of keys and values,
 * after they say which (kernels/split_element.cuh).
 */
#ifndef SPLIT_STREAM_CUH
#define SPLIT_STREAM_CUH

#include "kernels/split.cuh"
#include "kernels/split_ring.cuh"

INLINE_PIECE void stream_run(const struct split_launch *in, int heads, split_attend_fn *attend,
			     float *shared)
{
	__shared__ uint64_t landed[SPLIT_WARPS * RING_PLACES];
	struct split_source source;
	struct split s;

	split_place(&s, in, heads, shared, SPLIT_RING_FLOATS(heads, in->D));
	split_of_block(&s, in);
	if (s.begin >= s.end) {
		split_publish_empty(&s, in->partials);
		return;
	}
	source_begin(&source, &s, in, NULL, RING_PLACES_FOR(SPLIT_STAGES(heads, in->D)), landed,
		     false, false);
	attend(&s, &source);
	split_publish(&s, in->partials);
}

#endif
