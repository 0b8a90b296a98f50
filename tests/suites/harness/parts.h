/* parts.h - which keys of which request each block of FlashInfer's decode has. */
#ifndef HARNESS_PARTS_H
#define HARNESS_PARTS_H

#include "attention.h"

class parts {
	struct lists {
		std::vector<int32_t> request, part;     /* of each block */
		std::vector<int32_t> first = { 0 };     /* of each request: its first block */

		lists(const std::vector<int> &lengths, int chunk)
		{
			for (int r = 0; r < (int)lengths.size(); r++) {
				int count = chunk && lengths[r]
					? (lengths[r] + chunk - 1) / chunk : 1;

				for (int i = 0; i < count; i++) {
					request.push_back(r);
					part.push_back(i);
				}
				first.push_back((int)request.size());
			}
		}
	};
	const lists all;
	const device_array<int32_t> request, part, first, size;

public:
	/* A block has at most `chunk` keys of a request, 0: all. */
	parts(const std::vector<int> &lengths, int chunk)
		: all(lengths, chunk), request(all.request), part(all.part), first(all.first),
		  size(std::vector<int32_t>(1, chunk))
	{
	}
	size_t count() const
	{
		return all.request.size();
	}
	template <typename Params>
	void describe(Params &params) const
	{
		params.padded_batch_size = (unsigned)count();
		params.request_indices = request.get();
		params.kv_tile_indices = part.get();
		params.o_indptr = first.get();
		params.kv_chunk_size_ptr = size.get();
	}
};

#endif
