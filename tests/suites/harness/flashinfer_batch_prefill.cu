/* flashinfer_batch_prefill.cu - FlashInfer's attention of many queries of several requests on
 * tensor cores, with keys and values in pages, against attention in double.
 *
 * usage: flashinfer_batch_prefill nhd|hnd QUERY_HEADS KV_HEADS PAGE CHUNK [QUERIES KEYS]...
 *
 * A page has PAGE keys; in it, hnd has the keys of a head next to each other, and nhd the heads of
 * a key. CHUNK is the maximum number of keys of a block, whose results are then merged; 0: a block
 * has all keys of a request. The queries of a request are its last tokens. -D chooses the types
 * QUERY (also of the output) and CACHE, the head size DIM, the MASK (kNone, kCausal), and TILE,
 * the rows of a block.
 */
#include "attention.h"

#include <cstring>

#include <flashinfer/attention/prefill.cuh>
#include <flashinfer/attention/default_prefill_params.cuh>
#include <flashinfer/attention/variants.cuh>

#include "pages.h"

using flashinfer::MaskMode;
using Params = flashinfer::BatchPrefillPagedParams<QUERY, CACHE, QUERY, int32_t>;
using Variant = flashinfer::DefaultAttention<false, false, false, false>;

/* The blocks of the grid, and where results begin. */
struct plan {
	std::vector<int32_t> requests, tiles, chunks;           /* of each block */
	std::vector<int32_t> first_query = { 0 };               /* of each request */
	std::vector<int32_t> first_row = { 0 };                 /* the same in partial results */
	std::vector<int32_t> first_part = { 0 };                /* of each query in these */

	/* Rows of a tile are the queries of the heads that share keys. */
	plan(const std::vector<int> &queries, const std::vector<int> &keys, int group, int chunk)
	{
		for (int r = 0; r < (int)queries.size(); r++) {
			int parts = chunk && keys[r] ? (keys[r] + chunk - 1) / chunk : 1;

			for (int tile = 0; tile * TILE < queries[r] * group; tile++) {
				for (int part = 0; part < parts; part++) {
					requests.push_back(r);
					tiles.push_back(tile);
					chunks.push_back(part);
				}
			}
			for (int query = 0; query < queries[r]; query++)
				first_part.push_back(first_part.back() + parts);
			first_query.push_back(first_query.back() + queries[r]);
			first_row.push_back(first_row.back() + queries[r] * parts);
		}
	}
};

int main(int argc, char **argv)
{
	const bool hnd = argc > 1 && strcmp(argv[1], "hnd") == 0;
	const unsigned heads = argument(argc, argv, 2, "QUERY_HEADS");
	const unsigned kv_heads = argument(argc, argv, 3, "KV_HEADS");
	const unsigned page = argument(argc, argv, 4, "PAGE");
	const int chunk = (int)argument(argc, argv, 5, "CHUNK");
	const std::vector<int> lengths = arguments(argc, argv, 6, "QUERIES");
	std::vector<int> queries, keys;

	for (size_t i = 0; i < lengths.size(); i += 2) {
		queries.push_back(lengths[i]);
		keys.push_back((int)argument(argc, argv, (int)i + 7, "KEYS"));
	}

	const plan plan(queries, keys, heads / kv_heads, chunk);
	const rule logits = { 1 / sqrt((double)DIM), 0 };
	const int rows = plan.first_query.back(), parts = plan.first_row.back();
	generator random = { 17 };
	const paged_cache<CACHE> cache(random, keys, page, kv_heads, DIM, hnd);
	const std::vector<QUERY> q = numbers<QUERY>(random, rows * heads * DIM, 4);
	std::vector<double> o(q.size()), lse(rows * heads);
	const device_array<QUERY> device_q(q), device_o(o.size());
	const device_array<QUERY> partial(parts * heads * DIM);
	const device_array<float> device_lse(lse.size()), partial_lse(parts * heads);
	const device_array<int32_t> requests(plan.requests), tiles(plan.tiles), chunks(plan.chunks);
	const device_array<int32_t> first_query(plan.first_query), first_row(plan.first_row);
	const device_array<int32_t> first_part(plan.first_part);
	const device_array<int32_t> device_chunk(std::vector<int32_t>(1, chunk ? chunk : 1 << 20));
	Params params(device_q.get(), cache.on_device(), NULL, first_query.get(), NULL, NULL,
		      device_o.get(), device_lse.get(), NULL, heads, heads * DIM, DIM, -1, 0,
		      (float)logits.scale, 1, 1e4f);

	params.padded_batch_size = (unsigned)plan.requests.size();
	params.request_indices = requests.get();
	params.qo_tile_indices = tiles.get();
	params.kv_tile_indices = chunks.get();
	params.o_indptr = first_row.get();
	params.merge_indptr = first_part.get();
	params.kv_chunk_size_ptr = device_chunk.get();
	params.max_total_num_rows = rows;
	need(flashinfer::BatchPrefillWithPagedKVCacheDispatched<
		     TILE, DIM, DIM, flashinfer::PosEncodingMode::kNone, false, MaskMode::MASK,
		     Variant>(params, chunk ? partial.get() : NULL, partial_lse.get(), false, 0),
	     "BatchPrefillWithPagedKVCacheDispatched");
	need(cudaDeviceSynchronize(), "cudaDeviceSynchronize");

	for (int r = 0; r < (int)queries.size(); r++) {
		for (unsigned i = 0; i < queries[r] * heads; i++) {
			const int own = keys[r] - queries[r] + i / heads;
			const int kv_head = i % heads / (heads / kv_heads);
			const size_t at = plan.first_query[r] * heads + i;
			auto see = [=](int key) {
				return MaskMode::MASK != MaskMode::kCausal || key <= own;
			};

			lse[at] = attend(&q[at * DIM], DIM, cache.keys(r, kv_head),
					 cache.values(r, kv_head), see, keys[r], logits,
					 &o[at * DIM], DIM);
		}
	}
	return verdict(compare("o", device_o.values(), o, DIM,
			       output_tolerance<QUERY>(chunk ? 2 : 1, 0))
		       + compare("lse", device_lse.values(), lse, 1,
				 log_tolerance(rounding<QUERY>, 0)));
}
