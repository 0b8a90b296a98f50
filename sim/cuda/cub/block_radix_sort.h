/* block_radix_sort.h - cub::BlockRadixSort: a stable sort of the block's keys by some of their
 * bits; see types.h.
 *
 * The result does not depend on how it is found: each thread counts the keys that come before each
 * of its own.
 */
#ifndef SIM_CUB_BLOCK_RADIX_SORT_H
#define SIM_CUB_BLOCK_RADIX_SORT_H

#include "sim/cuda/cub/block_io.h"

namespace cub {

/* A key as an unsigned number with the same order. -0 equals +0. */
template <class Key> static inline uint64_t ft_radix_of(Key key)
{
	const uint64_t sign = 1ull << (8 * sizeof key - 1);
	uint64_t bits = 0;

	memcpy(&bits, &key, sizeof key);
	if (std::is_unsigned<Key>::value)
		return bits;
	if (std::is_integral<Key>::value)
		return bits ^ sign;
	if (bits == sign)
		bits = 0;
	return bits & sign ? ~bits & (sign - 1) : bits | sign;
}

template <class Key, int X, int N, class Value = NullType, int = 4, bool = true, int = 0, int = 0,
	  int Y = 1, int Z = 1, int = 0>
class BlockRadixSort {
	enum { threads = X * Y * Z, all = threads * N };
	static int thread() { return (int)cooperative_groups::ft_thread_linear(); }
public:
	struct TempStorage {
		Key key[all], sorted[all];
		Value value[all];
	};

	explicit BlockRadixSort(TempStorage &temp) : temp(temp) { }
	void Sort(Key (&keys)[N], int begin = 0, int end = 8 * sizeof(Key), FT_CALL)
	{
		NullType none[N];

		sort(keys, none, begin, end, false, false, FT_CALLER);
	}
	void Sort(Key (&keys)[N], Value (&values)[N], int begin = 0, int end = 8 * sizeof(Key),
		  FT_CALL)
		{ sort(keys, values, begin, end, false, false, FT_CALLER); }
	void SortDescending(Key (&keys)[N], int begin = 0, int end = 8 * sizeof(Key), FT_CALL)
	{
		NullType none[N];

		sort(keys, none, begin, end, true, false, FT_CALLER);
	}
	void SortDescending(Key (&keys)[N], Value (&values)[N], int begin = 0,
			    int end = 8 * sizeof(Key), FT_CALL)
		{ sort(keys, values, begin, end, true, false, FT_CALLER); }
	void SortBlockedToStriped(Key (&keys)[N], int begin = 0, int end = 8 * sizeof(Key), FT_CALL)
	{
		NullType none[N];

		sort(keys, none, begin, end, false, true, FT_CALLER);
	}
	void SortBlockedToStriped(Key (&keys)[N], Value (&values)[N], int begin = 0,
				  int end = 8 * sizeof(Key), FT_CALL)
		{ sort(keys, values, begin, end, false, true, FT_CALLER); }
private:
	TempStorage &temp;

	/* How many keys come before that at `place`. */
	static int rank(const Key *keys, int place, int begin, int end, bool descending)
	{
		int count = end - begin, before = 0;
		uint64_t mask = (count < 64 ? 1ull << count : 0) - 1;
		uint64_t own = ft_radix_of(keys[place]) >> begin & mask;

		for (int i = 0; i < all; i++) {
			uint64_t other = ft_radix_of(keys[i]) >> begin & mask;

			before += other == own ? i < place : descending ? other > own : other < own;
		}
		return before;
	}
	template <class V> void put(int place, V value)
	{
		if constexpr (!std::is_same<V, NullType>::value)
			temp.value[place] = value;
	}
	template <class V> void take(V (&values)[N], bool striped)
	{
		if (striped)
			LoadDirectStriped<threads>(thread(), temp.value, values);
		else
			LoadDirectBlocked(thread(), temp.value, values);
	}
	template <class V>
	void sort(Key (&keys)[N], V (&values)[N], int begin, int end, bool descending, bool striped,
		  FT_CALL)
	{
		StoreDirectBlocked(thread(), temp.key, keys);
		FT_CUB_SYNC();
		for (int i = 0; i < N; i++) {
			int to = rank(temp.key, thread() * N + i, begin, end, descending);

			temp.sorted[to] = keys[i];
			put(to, values[i]);
		}
		FT_CUB_SYNC();
		if (striped)
			LoadDirectStriped<threads>(thread(), temp.sorted, keys);
		else
			LoadDirectBlocked(thread(), temp.sorted, keys);
		if constexpr (!std::is_same<V, NullType>::value)
			take(values, striped);
	}
};

}

#endif
