/* flashinfer_single_prefill.cu - FlashInfer's attention of many queries of one request on tensor
 * cores, against attention in double.
 *
 * usage: flashinfer_single_prefill nhd|hnd QUERY_HEADS KV_HEADS QUERIES KEYS SPLIT
 *
 * In K and V, hnd has the keys of a head next to each other, and nhd the heads of a key. The
 * queries are the last tokens. SPLIT 1 gives FlashInfer the buffer with which it splits keys over
 * blocks. -D chooses the types QUERY (also of the output) and CACHE, the head size DIM, the MASK
 * (kNone, kCausal, kCustom), a soft CAP of logits, and a WINDOW of keys.
 */
#include "attention.h"

#include <cstring>

#include <flashinfer/attention/prefill.cuh>
#include <flashinfer/attention/default_prefill_params.cuh>
#include <flashinfer/attention/variants.cuh>

#ifndef CAP
#define CAP 0
#endif
#ifndef WINDOW
#define WINDOW -1
#endif

using flashinfer::MaskMode;
using Params = flashinfer::SinglePrefillParams<QUERY, CACHE, QUERY>;
using Variant = flashinfer::DefaultAttention<MaskMode::MASK == MaskMode::kCustom, (WINDOW >= 0),
	(CAP > 0), false>;

int main(int argc, char **argv)
{
	const bool hnd = argc > 1 && strcmp(argv[1], "hnd") == 0;
	const unsigned heads = argument(argc, argv, 2, "QUERY_HEADS");
	const unsigned kv_heads = argument(argc, argv, 3, "KV_HEADS");
	const unsigned queries = argument(argc, argv, 4, "QUERIES");
	const unsigned length = argument(argc, argv, 5, "KEYS");
	const bool split = argument(argc, argv, 6, "SPLIT") != 0;
	const rule logits = { 1 / sqrt((double)DIM), CAP };
	generator random = { 17 };
	const std::vector<QUERY> q = numbers<QUERY>(random, queries * heads * DIM, 4);
	const std::vector<CACHE> k = numbers<CACHE>(random, (size_t)length * kv_heads * DIM, 1);
	const std::vector<CACHE> v = numbers<CACHE>(random, k.size(), 1);
	std::vector<uint8_t> mask(queries * length / 8 + 1);
	std::vector<double> o(q.size()), lse(queries * heads);

	for (uint8_t &bits : mask)
		bits = (uint8_t)random.next();

	const device_array<QUERY> device_q(q), device_o(o.size());
	const device_array<CACHE> device_k(k), device_v(v);
	const device_array<uint8_t> device_mask(mask);
	const device_array<float> device_lse(lse.size());
	/* A partial result and its logarithm for each 256 keys. */
	const device_array<QUERY> partial((length / 256 + 1) * queries * heads
					  * (DIM + sizeof(float)));
	Params params(device_q.get(), device_k.get(), device_v.get(), device_mask.get(),
		      device_o.get(), device_lse.get(), NULL, heads, kv_heads, queries, length,
		      heads * DIM, DIM, hnd ? DIM : kv_heads * DIM, hnd ? length * DIM : DIM, DIM,
		      WINDOW, CAP, (float)logits.scale, 1, 1e4f);

	need(flashinfer::SinglePrefillWithKVCacheDispatched<
		     DIM, DIM, flashinfer::PosEncodingMode::kNone, false, MaskMode::MASK, Variant>(
		     params, split ? partial.get() : NULL, 0),
	     "SinglePrefillWithKVCacheDispatched");
	need(cudaDeviceSynchronize(), "cudaDeviceSynchronize");

	for (unsigned i = 0; i < queries * heads; i++) {
		const unsigned query = i / heads, kv_head = i % heads / (heads / kv_heads);
		auto see = [&](int key) {
			const unsigned bit = query * length + key;
			const int distance = (int)(length - queries + query) - key;

			if (MaskMode::MASK == MaskMode::kCustom && !(mask[bit / 8] >> bit % 8 & 1))
				return false;
			return (MaskMode::MASK != MaskMode::kCausal || distance >= 0)
				&& (WINDOW < 0 || distance <= WINDOW);
		};

		lse[i] = attend(&q[i * DIM], DIM, rows_of(k, hnd, kv_head, kv_heads, length, DIM),
				rows_of(v, hnd, kv_head, kv_heads, length, DIM), see, length,
				logits, &o[i * DIM], DIM);
	}
	return verdict(compare("o", device_o.values(), o, DIM,
			       output_tolerance<QUERY>(split ? 2 : 1, CAP))
		       + compare("lse", device_lse.values(), lse, 1,
				 log_tolerance(rounding<QUERY>, CAP)));
}
