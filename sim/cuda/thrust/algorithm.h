/* algorithm.h - algorithms of Thrust: sorting, scans, reductions, transformations, copies.
 *
 * The host computes them, from left to right, on a copy of what lies in device memory, except for
 * generate(). So sums of floats may have other bits than on a GPU, where Thrust chooses the order;
 * like cuBLAS's results, they come from the host and are not compared. Algorithms by key are in
 * by_key.h.
 */
#ifndef SIM_THRUST_ALGORITHM_H
#define SIM_THRUST_ALGORITHM_H

#include <algorithm>
#include <numeric>

#include "sim/cuda/thrust/staged.h"
#include "sim/cuda/thrust/zip.h"

namespace thrust {

/* --- filling and copying --- */

template <class It, class T> static inline void fill(It first, It last, const T &value)
{
	FT_STAGE(range, It, first, FT_COUNT(first, last), FT_WRITES);

	std::fill(range.begin(), range.end(), value);
	range.store(range.count);
}
template <class It, class N, class T> static inline It fill_n(It first, N n, const T &value)
{
	fill(first, first + n, value);
	return first + n;
}
template <class It, class T> static inline void sequence(It first, It last, T value, T step)
{
	FT_STAGE(range, It, first, FT_COUNT(first, last), FT_WRITES);

	for (auto at = range.begin(); at != range.end(); ++at, value = value + step)
		*at = value;
	range.store(range.count);
}
template <class It> static inline void sequence(It first, It last)
{
	typedef typename std::iterator_traits<It>::value_type T;

	sequence(first, last, T(0), T(1));
}
template <class It, class T> static inline void sequence(It first, It last, T value)
	{ sequence(first, last, value, T(1)); }
#ifdef FLASHTWIN_PROGRAM
/* A functor without arguments can depend on its thread only, and on __CUDA_ARCH__: for device
 * memory it runs there. Which thread makes which element is Thrust's choice. */
template <class V, class F> __global__ void ft_generate(V *out, size_t count, F f)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

	if (i < count)
		out[i] = f();
}
template <class V, class F> static inline void ft_generate_there(V *values, size_t count, F f)
{
	const size_t threads = 256;
	cudaError_t error;
	V *made;

	if (count == 0)
		return;
	ft_check(cudaMalloc((void **)&made, count * sizeof *made), "thrust::generate");
	error = (cudaError_t)ft_configure(dim3((unsigned)((count + threads - 1) / threads)),
					  dim3(threads), 0, 0);
	if (error == cudaSuccess) {
		ft_generate<V, F>(made, count, f);
		error = cudaGetLastError();
	}
	if (error == cudaSuccess)
		error = cudaMemcpy((void *)values, made, count * sizeof *made,
				   cudaMemcpyDeviceToHost);
	cudaFree(made);
	ft_check(error, "thrust::generate");
}
#endif
template <class It, class F> static inline void generate(It first, It last, F f)
{
	FT_STAGE(range, It, first, FT_COUNT(first, last), FT_WRITES);

#ifdef FLASHTWIN_PROGRAM
	if constexpr (ft_on_device<It>::value && std::is_class<F>::value)
		ft_generate_there(&*range.begin(), range.count, f);
	else
#endif
		std::generate(range.begin(), range.end(), f);
	range.store(range.count);
}
template <class In, class Out> static inline Out copy(In first, In last, Out out)
{
	FT_STAGE(from, In, first, FT_COUNT(first, last), FT_READS);
	FT_STAGE(to, Out, out, from.count, FT_WRITES);

	std::copy(from.begin(), from.end(), to.begin());
	to.store(from.count);
	return out + (ptrdiff_t)from.count;
}
template <class In, class N, class Out> static inline Out copy_n(In first, N n, Out out)
	{ return thrust::copy(first, first + n, out); }
template <class In, class Out, class P>
static inline Out copy_if(In first, In last, Out out, P keep)
{
	FT_STAGE(from, In, first, FT_COUNT(first, last), FT_READS);
	FT_STAGE(to, Out, out, from.count, FT_WRITES);
	size_t n = (size_t)(std::copy_if(from.begin(), from.end(), to.begin(), keep)
			    - to.begin());

	to.store(n);
	return out + (ptrdiff_t)n;
}
/* Keeps the elements at whose places the stencil's do. */
template <class In, class S, class Out, class P>
static inline Out copy_if(In first, In last, S stencil, Out out, P keep)
{
	FT_STAGE(from, In, first, FT_COUNT(first, last), FT_READS);
	FT_STAGE(by, S, stencil, from.count, FT_READS);
	FT_STAGE(to, Out, out, from.count, FT_WRITES);
	size_t n = 0;

	for (size_t i = 0; i < from.count; i++)
		if (keep(by.begin()[(ptrdiff_t)i]))
			to.begin()[(ptrdiff_t)n++] = from.begin()[(ptrdiff_t)i];
	to.store(n);
	return out + (ptrdiff_t)n;
}
template <class It, class P> static inline It remove_if(It first, It last, P drop)
{
	FT_STAGE(range, It, first, FT_COUNT(first, last), FT_READS | FT_WRITES);
	auto end = std::remove_if(range.begin(), range.end(), drop);

	range.store(range.count);
	return range.back(end);
}
template <class It> static inline It unique(It first, It last)
{
	FT_STAGE(range, It, first, FT_COUNT(first, last), FT_READS | FT_WRITES);
	auto end = std::unique(range.begin(), range.end());

	range.store(range.count);
	return range.back(end);
}
template <class It> static inline void reverse(It first, It last)
{
	FT_STAGE(range, It, first, FT_COUNT(first, last), FT_READS | FT_WRITES);

	std::reverse(range.begin(), range.end());
	range.store(range.count);
}

/* --- transformations --- */

template <class In, class Out, class F>
static inline Out transform(In first, In last, Out out, F f)
{
	FT_STAGE(from, In, first, FT_COUNT(first, last), FT_READS);
	FT_STAGE(to, Out, out, from.count, FT_WRITES);

	std::transform(from.begin(), from.end(), to.begin(), f);
	to.store(from.count);
	return out + (ptrdiff_t)from.count;
}
template <class A, class B, class Out, class F>
static inline Out transform(A first, A last, B second, Out out, F f)
{
	FT_STAGE(a, A, first, FT_COUNT(first, last), FT_READS);
	FT_STAGE(b, B, second, a.count, FT_READS);
	FT_STAGE(to, Out, out, a.count, FT_WRITES);

	std::transform(a.begin(), a.end(), b.begin(), to.begin(), f);
	to.store(a.count);
	return out + (ptrdiff_t)a.count;
}
template <class It, class F> static inline It for_each(It first, It last, F f)
{
	FT_STAGE(range, It, first, FT_COUNT(first, last), FT_READS | FT_WRITES);

	std::for_each(range.begin(), range.end(), f);
	range.store(range.count);
	return last;
}
template <class In, class Out, class F>
static inline Out adjacent_difference(In first, In last, Out out, F f)
{
	FT_STAGE(from, In, first, FT_COUNT(first, last), FT_READS);
	FT_STAGE(to, Out, out, from.count, FT_WRITES);

	std::adjacent_difference(from.begin(), from.end(), to.begin(), f);
	to.store(from.count);
	return out + (ptrdiff_t)from.count;
}
template <class In, class Out> static inline Out adjacent_difference(In first, In last, Out out)
{
	return thrust::adjacent_difference(first, last, out,
					   minus<typename std::iterator_traits<In>::value_type>());
}
/* out[i] = from[map[i]] */
template <class M, class In, class Out>
static inline Out gather(M first, M last, In from, Out out)
{
	return thrust::copy(make_permutation_iterator(from, first),
			    make_permutation_iterator(from, last), out);
}
/* out[map[i]] = from[i] */
template <class In, class M, class Out>
static inline void scatter(In first, In last, M map, Out out)
	{ thrust::copy(first, last, make_permutation_iterator(out, map)); }

/* --- reductions --- */

template <class It, class T, class F> static inline T reduce(It first, It last, T start, F f)
{
	FT_STAGE(range, It, first, FT_COUNT(first, last), FT_READS);

	return std::accumulate(range.begin(), range.end(), start, f);
}
template <class It, class T> static inline T reduce(It first, It last, T start)
	{ return thrust::reduce(first, last, start, plus<T>()); }
template <class It>
static inline typename std::iterator_traits<It>::value_type reduce(It first, It last)
{
	typedef typename std::iterator_traits<It>::value_type T;

	return thrust::reduce(first, last, T(0), plus<T>());
}
template <class It, class M, class T, class F>
static inline T transform_reduce(It first, It last, M map, T start, F f)
{
	FT_STAGE(range, It, first, FT_COUNT(first, last), FT_READS);

	for (auto at = range.begin(); at != range.end(); ++at)
		start = f(start, map(*at));
	return start;
}
template <class A, class B, class T>
static inline T inner_product(A first, A last, B second, T start)
{
	FT_STAGE(a, A, first, FT_COUNT(first, last), FT_READS);
	FT_STAGE(b, B, second, a.count, FT_READS);

	return std::inner_product(a.begin(), a.end(), b.begin(), start);
}
template <class It, class T>
static inline typename std::iterator_traits<It>::difference_type count(It first, It last,
								      const T &value)
{
	FT_STAGE(range, It, first, FT_COUNT(first, last), FT_READS);

	return std::count(range.begin(), range.end(), value);
}
template <class It, class P>
static inline typename std::iterator_traits<It>::difference_type count_if(It first, It last,
									 P holds)
{
	FT_STAGE(range, It, first, FT_COUNT(first, last), FT_READS);

	return std::count_if(range.begin(), range.end(), holds);
}
#define FT_FIND(name, ...) \
	FT_STAGE(range, It, first, FT_COUNT(first, last), FT_READS); \
	return range.back(std::name(range.begin(), range.end(), ##__VA_ARGS__));
template <class It> static inline It max_element(It first, It last) { FT_FIND(max_element) }
template <class It> static inline It min_element(It first, It last) { FT_FIND(min_element) }
template <class It, class T> static inline It find(It first, It last, const T &value)
	{ FT_FIND(find, value) }
template <class It, class P> static inline It find_if(It first, It last, P holds)
	{ FT_FIND(find_if, holds) }
template <class It, class T> static inline It lower_bound(It first, It last, const T &value)
	{ FT_FIND(lower_bound, value) }
template <class It, class T> static inline It upper_bound(It first, It last, const T &value)
	{ FT_FIND(upper_bound, value) }
#undef FT_FIND
template <class A, class B> static inline bool equal(A first, A last, B second)
{
	FT_STAGE(a, A, first, FT_COUNT(first, last), FT_READS);
	FT_STAGE(b, B, second, a.count, FT_READS);

	return std::equal(a.begin(), a.end(), b.begin());
}

/* --- scans --- */

template <class In, class Out, class F>
static inline Out inclusive_scan(In first, In last, Out out, F f)
{
	FT_STAGE(from, In, first, FT_COUNT(first, last), FT_READS);
	FT_STAGE(to, Out, out, from.count, FT_WRITES);

	std::partial_sum(from.begin(), from.end(), to.begin(), f);
	to.store(from.count);
	return out + (ptrdiff_t)from.count;
}
template <class In, class Out> static inline Out inclusive_scan(In first, In last, Out out)
{
	return thrust::inclusive_scan(first, last, out,
				      plus<typename std::iterator_traits<In>::value_type>());
}
template <class In, class Out, class T, class F>
static inline Out exclusive_scan(In first, In last, Out out, T start, F f)
{
	FT_STAGE(from, In, first, FT_COUNT(first, last), FT_READS);
	FT_STAGE(to, Out, out, from.count, FT_WRITES);
	auto at = to.begin();

	for (auto in = from.begin(); in != from.end(); ++in, ++at) {
		T next = f(start, *in);         /* before the store: they may be one place */

		*at = start;
		start = next;
	}
	to.store(from.count);
	return out + (ptrdiff_t)from.count;
}
template <class In, class Out, class T>
static inline Out exclusive_scan(In first, In last, Out out, T start)
	{ return thrust::exclusive_scan(first, last, out, start, plus<T>()); }
template <class In, class Out> static inline Out exclusive_scan(In first, In last, Out out)
{
	typedef typename std::iterator_traits<In>::value_type T;

	return thrust::exclusive_scan(first, last, out, T(0), plus<T>());
}

/* --- sorting, stable as Thrust's --- */

template <class It, class F> static inline void sort(It first, It last, F less)
{
	FT_STAGE(range, It, first, FT_COUNT(first, last), FT_READS | FT_WRITES);

	std::stable_sort(range.begin(), range.end(), less);
	range.store(range.count);
}
template <class It> static inline void sort(It first, It last)
	{ thrust::sort(first, last, less<typename std::iterator_traits<It>::value_type>()); }
template <class It> static inline void stable_sort(It first, It last)
	{ thrust::sort(first, last); }
template <class It, class F> static inline void stable_sort(It first, It last, F less)
	{ thrust::sort(first, last, less); }
template <class K, class V, class F>
static inline void sort_by_key(K first, K last, V second, F less)
{
	typedef typename std::iterator_traits<K>::value_type key;
	typedef typename std::iterator_traits<V>::value_type value;
	FT_STAGE(keys, K, first, FT_COUNT(first, last), FT_READS | FT_WRITES);
	FT_STAGE(values, V, second, keys.count, FT_READS | FT_WRITES);
	std::vector<std::pair<key, value>> pairs;

	for (size_t i = 0; i < keys.count; i++)
		pairs.emplace_back(keys.begin()[i], values.begin()[i]);
	std::stable_sort(pairs.begin(), pairs.end(),
			 [&less](const std::pair<key, value> &a, const std::pair<key, value> &b)
			 { return less(a.first, b.first); });
	for (size_t i = 0; i < keys.count; i++) {
		keys.begin()[i] = pairs[i].first;
		values.begin()[i] = pairs[i].second;
	}
	keys.store(keys.count);
	values.store(keys.count);
}
template <class K, class V> static inline void sort_by_key(K first, K last, V second)
{
	thrust::sort_by_key(first, last, second,
			    less<typename std::iterator_traits<K>::value_type>());
}
template <class K, class V> static inline void stable_sort_by_key(K first, K last, V second)
	{ thrust::sort_by_key(first, last, second); }
template <class It> static inline bool is_sorted(It first, It last)
{
	FT_STAGE(range, It, first, FT_COUNT(first, last), FT_READS);

	return std::is_sorted(range.begin(), range.end());
}

FT_POLICY(fill) FT_POLICY(fill_n) FT_POLICY(sequence) FT_POLICY(generate) FT_POLICY(copy)
FT_POLICY(copy_n) FT_POLICY(copy_if) FT_POLICY(remove_if) FT_POLICY(unique) FT_POLICY(reverse)
FT_POLICY(transform) FT_POLICY(for_each) FT_POLICY(adjacent_difference) FT_POLICY(reduce)
FT_POLICY(transform_reduce) FT_POLICY(inner_product) FT_POLICY(count) FT_POLICY(count_if)
FT_POLICY(max_element) FT_POLICY(min_element) FT_POLICY(find) FT_POLICY(find_if)
FT_POLICY(lower_bound) FT_POLICY(upper_bound) FT_POLICY(equal) FT_POLICY(inclusive_scan)
FT_POLICY(exclusive_scan) FT_POLICY(sort) FT_POLICY(stable_sort) FT_POLICY(sort_by_key)
FT_POLICY(stable_sort_by_key) FT_POLICY(is_sorted) FT_POLICY(gather) FT_POLICY(scatter)

}

#endif
