/* flashinfer_mla_decode.cu - FlashInfer's decode with multi-head latent attention, where all heads
 * share keys whose first 512 elements are the values, against attention in double.
 *
 * usage: flashinfer_mla_decode HEADS PAGE CHUNK LENGTH...
 *
 * A page has PAGE keys. CHUNK is the maximum number of keys of a block, whose results are then
 * merged; 0: a block has all keys of a request. -D chooses the types QUERY (also of the output)
 * and CACHE.
 */
#include "attention.h"

#include <flashinfer/attention/decode.cuh>
#include <flashinfer/attention/default_decode_params.cuh>
#include <flashinfer/attention/variants.cuh>

#include "pages.h"
#include "parts.h"

enum { LATENT = 512, POSITION = 64 };

using Params = flashinfer::BatchDecodeParamsMLA<QUERY, CACHE, QUERY, int32_t>;
using Variant = flashinfer::DefaultAttention<false, false, false, false>;

/* Rows of a and of b, one after the other. */
template <typename T>
static std::vector<T> joined(const std::vector<T> &a, const std::vector<T> &b)
{
	std::vector<T> all;

	for (size_t row = 0; row < a.size() / LATENT; row++) {
		all.insert(all.end(), &a[row * LATENT], &a[row * LATENT] + LATENT);
		all.insert(all.end(), &b[row * POSITION], &b[row * POSITION] + POSITION);
	}
	return all;
}

int main(int argc, char **argv)
{
	const unsigned heads = argument(argc, argv, 1, "HEADS");
	const int page = (int)argument(argc, argv, 2, "PAGE");
	const int chunk = (int)argument(argc, argv, 3, "CHUNK");
	const std::vector<int> lengths = arguments(argc, argv, 4, "LENGTH");
	const rule logits = { 1 / sqrt((double)(LATENT + POSITION)), 0 };
	generator random = { 17 };
	const page_table table(random, lengths, page);
	const size_t rows = lengths.size() * heads;
	const std::vector<QUERY> q_latent = numbers<QUERY>(random, rows * LATENT, 4);
	const std::vector<QUERY> q_position = numbers<QUERY>(random, rows * POSITION, 4);
	const std::vector<CACHE> latent = numbers<CACHE>(random, table.keys() * LATENT, 1);
	const std::vector<CACHE> position = numbers<CACHE>(random, table.keys() * POSITION, 1);
	std::vector<double> o(q_latent.size()), lse(rows);
	const parts parts(lengths, chunk);
	const device_array<QUERY> device_q_latent(q_latent), device_q_position(q_position);
	const device_array<QUERY> device_o(o.size()), partial(parts.count() * heads * LATENT);
	const device_array<CACHE> device_latent(latent), device_position(position);
	const device_array<float> device_lse(rows), partial_lse(parts.count() * heads);
	const flashinfer::paged_kv_mla_t<CACHE, int32_t> cache(
		page, LATENT, POSITION, table.requests, device_latent.get(), device_position.get(),
		table.device_page.get(), table.device_first.get(), table.device_last.get());
	Params params(device_q_latent.get(), device_q_position.get(), NULL, cache, device_o.get(),
		      device_lse.get(), heads, -1, 0, (float)logits.scale, 1, 1e4f);

	parts.describe(params);
	need(flashinfer::BatchDecodeWithPagedKVCacheDispatchedMLA<LATENT, POSITION, Variant>(
		     params, chunk ? partial.get() : NULL, partial_lse.get(), false, 0),
	     "BatchDecodeWithPagedKVCacheDispatchedMLA");
	need(cudaDeviceSynchronize(), "cudaDeviceSynchronize");

	const std::vector<QUERY> q = joined(q_latent, q_position);
	const std::vector<CACHE> k = joined(latent, position);

	for (size_t i = 0; i < rows; i++) {
		const int r = (int)(i / heads);
		auto place = [&](int key) {
			return (size_t)table.page_of(r, key) * page + key % page;
		};

		lse[i] = attend(&q[i * (LATENT + POSITION)], LATENT + POSITION,
				[&](int key) { return &k[place(key) * (LATENT + POSITION)]; },
				[&](int key) { return &latent[place(key) * LATENT]; },
				[](int) { return true; }, lengths[r], logits, &o[i * LATENT],
				LATENT);
	}
	return verdict(compare("o", device_o.values(), o, LATENT,
			       output_tolerance<QUERY>(chunk != 0, 0))
		       + compare("lse", device_lse.values(), lse, 1, log_tolerance(0, 0)));
}
