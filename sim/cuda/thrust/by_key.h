/* by_key.h - algorithms of Thrust on runs of equal keys; the host computes them, as in algorithm.h.
 */
#ifndef SIM_THRUST_BY_KEY_H
#define SIM_THRUST_BY_KEY_H

#include "sim/cuda/thrust/algorithm.h"

namespace thrust {

#define FT_AT(range, i) (range).begin()[(ptrdiff_t)(i)]

/* --- scans, which begin again at each run --- */

template <class K, class V, class Out, class P, class F>
static inline Out inclusive_scan_by_key(K first, K last, V values, Out out, P same, F f)
{
	FT_STAGE(keys, K, first, FT_COUNT(first, last), FT_READS);
	FT_STAGE(from, V, values, keys.count, FT_READS);
	FT_STAGE(to, Out, out, keys.count, FT_WRITES);
	ft_value_of<V> sum{};

	for (size_t i = 0; i < keys.count; i++) {
		if (i > 0 && same(FT_AT(keys, i - 1), FT_AT(keys, i)))
			sum = f(sum, FT_AT(from, i));
		else
			sum = FT_AT(from, i);
		FT_AT(to, i) = sum;
	}
	to.store(keys.count);
	return out + (ptrdiff_t)keys.count;
}
template <class K, class V, class Out, class P>
static inline Out inclusive_scan_by_key(K first, K last, V values, Out out, P same)
{
	return thrust::inclusive_scan_by_key(first, last, values, out, same,
					     plus<ft_value_of<V>>());
}
template <class K, class V, class Out>
static inline Out inclusive_scan_by_key(K first, K last, V values, Out out)
{
	return thrust::inclusive_scan_by_key(first, last, values, out,
					     equal_to<ft_value_of<K>>());
}

template <class K, class V, class Out, class T, class P, class F>
static inline Out exclusive_scan_by_key(K first, K last, V values, Out out, T start, P same, F f)
{
	FT_STAGE(keys, K, first, FT_COUNT(first, last), FT_READS);
	FT_STAGE(from, V, values, keys.count, FT_READS);
	FT_STAGE(to, Out, out, keys.count, FT_WRITES);
	T sum = start;

	for (size_t i = 0; i < keys.count; i++) {
		T next;

		if (i == 0 || !same(FT_AT(keys, i - 1), FT_AT(keys, i)))
			sum = start;
		next = f(sum, FT_AT(from, i));  /* before the store: they may be one place */
		FT_AT(to, i) = sum;
		sum = next;
	}
	to.store(keys.count);
	return out + (ptrdiff_t)keys.count;
}
template <class K, class V, class Out, class T, class P>
static inline Out exclusive_scan_by_key(K first, K last, V values, Out out, T start, P same)
	{ return thrust::exclusive_scan_by_key(first, last, values, out, start, same, plus<T>()); }
template <class K, class V, class Out, class T>
static inline Out exclusive_scan_by_key(K first, K last, V values, Out out, T start)
{
	return thrust::exclusive_scan_by_key(first, last, values, out, start,
					     equal_to<ft_value_of<K>>());
}
template <class K, class V, class Out>
static inline Out exclusive_scan_by_key(K first, K last, V values, Out out)
	{ return thrust::exclusive_scan_by_key(first, last, values, out, ft_value_of<V>(0)); }

/* --- one element for each run --- */

template <class K, class V, class KOut, class VOut, class P, class F>
static inline std::pair<KOut, VOut> reduce_by_key(K first, K last, V values, KOut keys_out,
						   VOut values_out, P same, F f)
{
	FT_STAGE(keys, K, first, FT_COUNT(first, last), FT_READS);
	FT_STAGE(from, V, values, keys.count, FT_READS);
	FT_STAGE(to_keys, KOut, keys_out, keys.count, FT_WRITES);
	FT_STAGE(to, VOut, values_out, keys.count, FT_WRITES);
	size_t n = 0;

	for (size_t i = 0; i < keys.count; ) {
		ft_value_of<V> sum = FT_AT(from, i);
		size_t run = i;

		for (i++; i < keys.count && same(FT_AT(keys, i - 1), FT_AT(keys, i)); i++)
			sum = f(sum, FT_AT(from, i));
		FT_AT(to_keys, n) = FT_AT(keys, run);
		FT_AT(to, n++) = sum;
	}
	to_keys.store(n);
	to.store(n);
	return std::pair<KOut, VOut>(keys_out + (ptrdiff_t)n, values_out + (ptrdiff_t)n);
}
template <class K, class V, class KOut, class VOut, class P>
static inline std::pair<KOut, VOut> reduce_by_key(K first, K last, V values, KOut keys_out,
						   VOut values_out, P same)
{
	return thrust::reduce_by_key(first, last, values, keys_out, values_out, same,
				     plus<ft_value_of<V>>());
}
template <class K, class V, class KOut, class VOut>
static inline std::pair<KOut, VOut> reduce_by_key(K first, K last, V values, KOut keys_out,
						   VOut values_out)
{
	return thrust::reduce_by_key(first, last, values, keys_out, values_out,
				     equal_to<ft_value_of<K>>());
}

/* The first key and value of each run. */
struct ft_first_of_run {
	template <class T> const T &operator()(const T &first, const T &) const { return first; }
};
template <class K, class V, class KOut, class VOut>
static inline std::pair<KOut, VOut> unique_by_key_copy(K first, K last, V values, KOut keys_out,
							VOut values_out)
{
	return thrust::reduce_by_key(first, last, values, keys_out, values_out,
				     equal_to<ft_value_of<K>>(), ft_first_of_run());
}
template <class K, class V>
static inline std::pair<K, V> unique_by_key(K first, K last, V values)
	{ return thrust::unique_by_key_copy(first, last, values, first, values); }

FT_POLICY(inclusive_scan_by_key) FT_POLICY(exclusive_scan_by_key) FT_POLICY(reduce_by_key)
FT_POLICY(unique_by_key_copy) FT_POLICY(unique_by_key)
#undef FT_AT

}

#endif
