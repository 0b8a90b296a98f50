/* types.h - what all of CUB's collectives share: operators, pairs, and a thread's own items.
 *
 * CUB's block and warp collectives for users' kernels on the simulator; nvcc has the real ones.
 * They combine values in the order of CUB 3.0 (CUDA 13.0), so that sums of floats have the same
 * bits. Algorithms whose order is not known here are refused for floats.
 */
#ifndef SIM_CUB_TYPES_H
#define SIM_CUB_TYPES_H

#include <type_traits>

#include "sim/cuda/groups/tile.h"

namespace cub {

struct NullType { };

struct Sum {
	template <class T> T operator()(const T &a, const T &b) const { return a + b; }
};
struct Max {
	template <class T> T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
struct Min {
	template <class T> T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
struct Equality {
	template <class T> bool operator()(const T &a, const T &b) const { return a == b; }
};
struct Inequality {
	template <class T> bool operator()(const T &a, const T &b) const { return a != b; }
};

template <class Key, class Value> struct KeyValuePair {
	typedef Key Key_;
	typedef Value Value_;
	Key key;
	Value value;
};
/* Of equal values, the pair with the smaller key. */
struct ArgMax {
	template <class Pair> Pair operator()(const Pair &a, const Pair &b) const
		{ return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a; }
};
struct ArgMin {
	template <class Pair> Pair operator()(const Pair &a, const Pair &b) const
		{ return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a; }
};

/* --- a thread's items --- */

/* Sums of up to 4 bytes are taken in pairs, then in pairs of pairs; everything else is combined one
 * by one. */
template <class T, int N, class F>
static inline T ft_reduce_items(const T (&items)[N], F operation)
{
	constexpr bool sum = std::is_same<F, Sum>::value && sizeof(T) < 8;
	static_assert(!sum || std::is_integral<T>::value || sizeof(T) > 2 || N < 4,
		      "cub: four or more 16-bit floats of a thread are not summed here");
	T left[N];

	for (int i = 0; i < N; i++)
		left[i] = items[i];
	if (!sum)
		for (int i = 1; i < N; i++)
			left[0] = operation(left[0], left[i]);
	else
		for (int by = 1; by < N; by *= 2)
			for (int i = 0; i + by < N; i += 2 * by)
				left[i] = operation(left[i], left[i + by]);
	return left[0];
}

/* The scan of a thread's items, after `prefix` if there is one. */
template <class T, int N, class F>
static inline void ft_scan_items(const T (&items)[N], T (&out)[N], F operation, bool inclusive,
				 bool has_prefix, T prefix)
{
	T sum = has_prefix ? operation(prefix, items[0]) : items[0];

	out[0] = inclusive ? sum : prefix;
	for (int i = 1; i < N; i++) {
		T before = sum;

		sum = operation(before, items[i]);
		out[i] = inclusive ? sum : before;
	}
}

#define FT_CUB_SYNC() ft_block_barrier(FT_CALL_SITE("cub"), FT_BLOCK_SYNC, 0)

}

#endif
