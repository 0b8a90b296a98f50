/* split_stream.cuh - a block attends to its split, with tiles that asynchronous copies bring: rungs
 * 6 and 7.
 *
 * Included only by flash_decode_stream.cu and its versions for other types of keys and values and
 * for tensor cores, after they say which (kernels/split_element.cuh).
 */
#ifndef SPLIT_STREAM_CUH
#define SPLIT_STREAM_CUH

#include "kernels/split.cuh"
#include "kernels/split_source.cuh"

INLINE_PIECE void stream_run(const struct split_launch *in, int heads, split_attend_fn *attend,
			     float *shared)
{
	struct split_source source;
	struct split s;

	split_place(&s, in, heads, shared, SOURCE_FLOATS(heads, in->D));
	split_of_block(&s, in);
	if (s.begin >= s.end) {
		split_publish_empty(&s, in->partials);
		return;
	}
	source_begin(&source, &s, in, NULL, SOURCE_PLACES(heads, in->D), false, false);
	attend(&s, &source);
	split_publish(&s, in->partials);
}

#endif
