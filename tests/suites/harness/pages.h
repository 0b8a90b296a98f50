/* pages.h - the keys and values of several requests in pages, as FlashInfer's paged_kv_t has them.
 *
 * The pages of a request are not next to each other. Included after FlashInfer's headers.
 */
#ifndef HARNESS_PAGES_H
#define HARNESS_PAGES_H

#include "attention.h"

#include <flashinfer/page.cuh>

/* Which pages the requests have, here and on the device. */
class page_table {
	std::vector<int32_t> first, page, last;

	static std::vector<int32_t> first_pages(const std::vector<int> &lengths, int size)
	{
		std::vector<int32_t> at = { 0 };

		for (int length : lengths)
			at.push_back(at.back() + (length + size - 1) / size);
		return at;
	}
	static std::vector<int32_t> shuffled(generator &random, size_t count)
	{
		std::vector<int32_t> all(count);

		for (size_t i = 0; i < count; i++) {
			size_t other = random.next() % (i + 1);

			all[i] = all[other];
			all[other] = (int32_t)i;
		}
		return all;
	}
	static std::vector<int32_t> last_lengths(const std::vector<int> &lengths, int size)
	{
		std::vector<int32_t> at;

		for (int length : lengths)
			at.push_back(length ? (length - 1) % size + 1 : 0);
		return at;
	}

public:
	const int size;                 /* keys in a page */
	const unsigned requests;
	const device_array<int32_t> device_first, device_page, device_last;

	page_table(generator &random, const std::vector<int> &lengths, int size_)
		: first(first_pages(lengths, size_)), page(shuffled(random, first.back())),
		  last(last_lengths(lengths, size_)), size(size_),
		  requests((unsigned)lengths.size()), device_first(first), device_page(page),
		  device_last(last)
	{
	}
	/* Keys in all pages, those that no request has included. */
	size_t keys() const
	{
		return page.size() * size;
	}
	int page_of(int request, int key) const
	{
		return page[first[request] + key / size];
	}
};

/* Keys and values of several heads. hnd: those of a head are next to each other in a page. */
template <typename T>
class paged_cache {
	const page_table table;
	const unsigned heads, dim;
	const bool hnd;
	const std::vector<T> k, v;
	const device_array<T> device_k, device_v;

	size_t place(int request, int head, int key) const
	{
		const size_t page = table.page_of(request, key), at = key % table.size;

		return (page * table.size * heads
			+ (hnd ? head * table.size + at : at * heads + head)) * dim;
	}

public:
	paged_cache(generator &random, const std::vector<int> &lengths, int page, unsigned heads_,
		    unsigned dim_, bool hnd_)
		: table(random, lengths, page), heads(heads_), dim(dim_), hnd(hnd_),
		  k(numbers<T>(random, table.keys() * heads * dim, 1)),
		  v(numbers<T>(random, k.size(), 1)), device_k(k), device_v(v)
	{
	}
	flashinfer::paged_kv_t<T, int32_t> on_device() const
	{
		return flashinfer::paged_kv_t<T, int32_t>(
			heads, table.size, dim, table.requests,
			hnd ? flashinfer::QKVLayout::kHND : flashinfer::QKVLayout::kNHD,
			device_k.get(), device_v.get(), table.device_page.get(),
			table.device_first.get(), table.device_last.get());
	}
	/* Functions that give a pointer to row i of a request's keys or values of a head. */
	auto keys(int request, int head) const
	{
		return [this, request, head](int i) { return &k[place(request, head, i)]; };
	}
	auto values(int request, int head) const
	{
		return [this, request, head](int i) { return &v[place(request, head, i)]; };
	}
};

#endif
