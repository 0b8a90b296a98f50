/* device_radix_sort.h - cub::DeviceRadixSort, for host code of programs; see device_wide.h.
 *
 * Stable, so that the result does not depend on how it is found.
 */
#ifndef SIM_CUB_DEVICE_RADIX_SORT_H
#define SIM_CUB_DEVICE_RADIX_SORT_H

#include <algorithm>
#include <numeric>

#include "sim/cuda/cub/block_radix_sort.h"
#include "sim/cuda/cub/device_wide.h"

namespace cub {

/* The sorted values are in the other buffer, which becomes the current one. */
template <class T> struct DoubleBuffer {
	T *d_buffers[2];
	int selector;

	DoubleBuffer() : d_buffers{ nullptr, nullptr }, selector(0) { }
	DoubleBuffer(T *current, T *other) : d_buffers{ current, other }, selector(0) { }
	T *Current() { return d_buffers[selector]; }
	T *Alternate() { return d_buffers[selector ^ 1]; }
};

struct DeviceRadixSort {
	template <class K, class N>
	static cudaError_t SortKeys(void *storage, size_t &bytes, const K *keys, K *out, N count,
				    int begin = 0, int end = 8 * sizeof(K), cudaStream_t stream = 0)
		{ return sort_keys(storage, bytes, keys, out, count, begin, end, stream, false); }
	template <class K, class N>
	static cudaError_t SortKeysDescending(void *storage, size_t &bytes, const K *keys, K *out,
					      N count, int begin = 0, int end = 8 * sizeof(K),
					      cudaStream_t stream = 0)
		{ return sort_keys(storage, bytes, keys, out, count, begin, end, stream, true); }
	template <class K, class V, class N>
	static cudaError_t SortPairs(void *storage, size_t &bytes, const K *keys, K *keys_out,
				     const V *values, V *values_out, N count, int begin = 0,
				     int end = 8 * sizeof(K), cudaStream_t stream = 0)
	{
		return sort_pairs(storage, bytes, keys, keys_out, values, values_out, count, begin,
				  end, stream, false);
	}
	template <class K, class V, class N>
	static cudaError_t SortPairsDescending(void *storage, size_t &bytes, const K *keys,
					       K *keys_out, const V *values, V *values_out, N count,
					       int begin = 0, int end = 8 * sizeof(K),
					       cudaStream_t stream = 0)
	{
		return sort_pairs(storage, bytes, keys, keys_out, values, values_out, count, begin,
				  end, stream, true);
	}
	template <class K, class N>
	static cudaError_t SortKeys(void *storage, size_t &bytes, DoubleBuffer<K> &keys, N count,
				    int begin = 0, int end = 8 * sizeof(K), cudaStream_t stream = 0)
	{
		K *from = keys.Current(), *to = keys.Alternate();

		keys.selector ^= storage != nullptr;
		return SortKeys(storage, bytes, from, to, count, begin, end, stream);
	}
	template <class K, class V, class N>
	static cudaError_t SortPairs(void *storage, size_t &bytes, DoubleBuffer<K> &keys,
				     DoubleBuffer<V> &values, N count, int begin = 0,
				     int end = 8 * sizeof(K), cudaStream_t stream = 0)
	{
		K *from = keys.Current(), *to = keys.Alternate();
		V *along = values.Current(), *along_to = values.Alternate();

		keys.selector ^= storage != nullptr;
		values.selector ^= storage != nullptr;
		return SortPairs(storage, bytes, from, to, along, along_to, count, begin, end,
				 stream);
	}
private:
	/* The bits [begin, end) of a key. */
	template <class K> static uint64_t digits(K key, int begin, int end)
	{
		static_assert(std::is_arithmetic<K>::value,
			      "cub::DeviceRadixSort: only keys that are integers, float or double");
		uint64_t bits = ft_radix_of(key) >> begin;

		return end - begin < 64 ? bits & ((1ull << (end - begin)) - 1) : bits;
	}
	/* The numbers of the keys in their new order. */
	template <class Range>
	static std::vector<size_t> order(const Range &keys, int begin, int end, bool descending)
	{
		std::vector<size_t> numbers(keys.count);

		std::iota(numbers.begin(), numbers.end(), (size_t)0);
		if (begin < end)
			std::stable_sort(numbers.begin(), numbers.end(), [&](size_t a, size_t b) {
				uint64_t x = digits(keys.begin()[a], begin, end);
				uint64_t y = digits(keys.begin()[b], begin, end);

				return descending ? y < x : x < y;
			});
		return numbers;
	}
	template <class Range, class T>
	static void write(const Range &range, const std::vector<size_t> &numbers, T *out)
	{
		std::vector<T> values;

		for (size_t number : numbers)
			values.push_back(range.begin()[number]);
		ft_write(out, values, values.size());
	}
	template <class K, class N>
	static cudaError_t sort_keys(void *storage, size_t &bytes, const K *keys, K *out, N count,
				     int begin, int end, cudaStream_t stream, bool descending)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			auto range = ft_read(keys, (size_t)count);

			write(range, order(range, begin, end, descending), out);
		});
	}
	template <class K, class V, class N>
	static cudaError_t sort_pairs(void *storage, size_t &bytes, const K *keys, K *keys_out,
				      const V *values, V *values_out, N count, int begin, int end,
				      cudaStream_t stream, bool descending)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			auto range = ft_read(keys, (size_t)count);
			auto along = ft_read(values, (size_t)count);
			std::vector<size_t> numbers = order(range, begin, end, descending);

			write(range, numbers, keys_out);
			write(along, numbers, values_out);
		});
	}
};

}

#endif
