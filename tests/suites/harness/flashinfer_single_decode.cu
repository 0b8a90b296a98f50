/* flashinfer_single_decode.cu - FlashInfer's decode of one request, against attention in double.
 *
 * usage: flashinfer_single_decode nhd|hnd QUERY_HEADS KV_HEADS LENGTH SPLIT
 *
 * In K and V, hnd has the keys of a head next to each other, and nhd the heads of a key. SPLIT 1
 * gives FlashInfer the buffer with which it splits more than 256 keys over blocks. -D chooses the
 * types QUERY (also of the output) and CACHE, the head size DIM, a soft CAP of logits, and a
 * WINDOW of keys.
 */
#include "attention.h"

#include <cstring>

#include <flashinfer/attention/decode.cuh>
#include <flashinfer/attention/default_decode_params.cuh>
#include <flashinfer/attention/variants.cuh>

#ifndef CAP
#define CAP 0
#endif
#ifndef WINDOW
#define WINDOW -1
#endif

using Params = flashinfer::SingleDecodeParams<QUERY, CACHE, QUERY>;
using Variant = flashinfer::DefaultAttention<false, (WINDOW >= 0), (CAP > 0), false>;

int main(int argc, char **argv)
{
	const bool hnd = argc > 1 && strcmp(argv[1], "hnd") == 0;
	const unsigned heads = argument(argc, argv, 2, "QUERY_HEADS");
	const unsigned kv_heads = argument(argc, argv, 3, "KV_HEADS");
	const unsigned length = argument(argc, argv, 4, "LENGTH");
	const bool split = argument(argc, argv, 5, "SPLIT") != 0;
	const unsigned group = heads / kv_heads;
	const rule logits = { 1 / sqrt((double)DIM), CAP };
	generator random = { 17 };
	const std::vector<QUERY> q = numbers<QUERY>(random, heads * DIM, 4);
	const std::vector<CACHE> k = numbers<CACHE>(random, (size_t)length * kv_heads * DIM, 1);
	const std::vector<CACHE> v = numbers<CACHE>(random, k.size(), 1);
	std::vector<double> o(q.size()), lse(heads);
	const device_array<QUERY> device_q(q), device_o(o.size());
	const device_array<CACHE> device_k(k), device_v(v);
	const device_array<float> device_lse(heads);
	/* A partial result and its logarithm for each 256 keys. */
	const device_array<QUERY> partial((length / 256 + 1) * heads * (DIM + sizeof(float)));
	Params params(device_q.get(), device_k.get(), device_v.get(), device_o.get(), NULL, length,
		      heads, kv_heads,
		      hnd ? flashinfer::QKVLayout::kHND : flashinfer::QKVLayout::kNHD, DIM, WINDOW,
		      CAP, (float)logits.scale, 1, 1e4f);

	params.lse = device_lse.get();
	need(flashinfer::SingleDecodeWithKVCacheDispatched<
		     DIM, flashinfer::PosEncodingMode::kNone, Variant>(
		     params, split ? partial.get() : NULL, 0),
	     "SingleDecodeWithKVCacheDispatched");
	need(cudaDeviceSynchronize(), "cudaDeviceSynchronize");

	for (unsigned h = 0; h < heads; h++) {
		auto see = [=](int i) {
			return WINDOW < 0 || i + WINDOW >= (int)length - 1;
		};

		lse[h] = attend(&q[h * DIM], DIM,
				rows_of(k, hnd, h / group, kv_heads, length, DIM),
				rows_of(v, hnd, h / group, kv_heads, length, DIM), see, length,
				logits, &o[h * DIM], DIM);
	}
	return verdict(compare("o", device_o.values(), o, DIM,
			       output_tolerance<QUERY>(split && length > 256, CAP))
		       + compare("lse", device_lse.values(), lse, 1,
				 log_tolerance(0, CAP)));
}
