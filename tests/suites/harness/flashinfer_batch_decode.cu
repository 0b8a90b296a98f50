/* flashinfer_batch_decode.cu - FlashInfer's decode of several requests, with keys and values in
 * pages, against attention in double.
 *
 * usage: flashinfer_batch_decode nhd|hnd QUERY_HEADS KV_HEADS PAGE CHUNK LENGTH...
 *
 * A page has PAGE keys; in it, hnd has the keys of a head next to each other, and nhd the heads of
 * a key. CHUNK is the maximum number of keys of a block, whose results are then merged; 0: a block
 * has all keys of a request. -D chooses the types QUERY (also of the output) and CACHE, the head
 * size DIM, and with DEPENDENT=true programmatic dependent launch.
 */
#include "attention.h"

#include <cstring>

#include <flashinfer/attention/decode.cuh>
#include <flashinfer/attention/default_decode_params.cuh>
#include <flashinfer/attention/variants.cuh>

#include "pages.h"
#include "parts.h"

#ifndef DEPENDENT
#define DEPENDENT false
#endif

using Params = flashinfer::BatchDecodeParams<QUERY, CACHE, QUERY, int32_t>;
using Variant = flashinfer::DefaultAttention<false, false, false, false>;

int main(int argc, char **argv)
{
	const bool hnd = argc > 1 && strcmp(argv[1], "hnd") == 0;
	const unsigned heads = argument(argc, argv, 2, "QUERY_HEADS");
	const unsigned kv_heads = argument(argc, argv, 3, "KV_HEADS");
	const int page = (int)argument(argc, argv, 4, "PAGE");
	const int chunk = (int)argument(argc, argv, 5, "CHUNK");
	const std::vector<int> lengths = arguments(argc, argv, 6, "LENGTH");
	const rule logits = { 1 / sqrt((double)DIM), 0 };
	generator random = { 17 };
	const paged_cache<CACHE> cache(random, lengths, page, kv_heads, DIM, hnd);
	const std::vector<QUERY> q = numbers<QUERY>(random, lengths.size() * heads * DIM, 4);
	std::vector<double> o(q.size()), lse(lengths.size() * heads);
	const parts parts(lengths, chunk);
	const device_array<QUERY> device_q(q), device_o(o.size());
	const device_array<QUERY> partial(parts.count() * heads * DIM);
	const device_array<float> device_lse(lse.size()), partial_lse(parts.count() * heads);
	Params params(device_q.get(), NULL, cache.on_device(), device_o.get(), device_lse.get(),
		      NULL, heads, heads * DIM, DIM, -1, 0, (float)logits.scale, 1, 1e4f);

	parts.describe(params);
	need(flashinfer::BatchDecodeWithPagedKVCacheDispatched<
		     DIM, flashinfer::PosEncodingMode::kNone, Variant>(
		     params, chunk ? partial.get() : NULL, partial_lse.get(), DEPENDENT, 0),
	     "BatchDecodeWithPagedKVCacheDispatched");
	need(cudaDeviceSynchronize(), "cudaDeviceSynchronize");

	for (size_t i = 0; i < lse.size(); i++) {
		const int r = (int)(i / heads), kv_head = i % heads / (heads / kv_heads);
		auto see = [](int) {
			return true;
		};

		lse[i] = attend(&q[i * DIM], DIM, cache.keys(r, kv_head), cache.values(r, kv_head),
				see, lengths[r], logits, &o[i * DIM], DIM);
	}
	return verdict(compare("o", device_o.values(), o, DIM,
			       output_tolerance<QUERY>(chunk != 0, 0))
		       + compare("lse", device_lse.values(), lse, 1, log_tolerance(0, 0)));
}
