/* device_wide.h - what CUB's device-wide algorithms share, for host code of programs.
 *
 * The host computes them, as Thrust's algorithms: it waits for the stream, and copies what lies in
 * device memory to the host and back. Sums of floats are taken in order; a GPU's order is not
 * known. The first of the two calls asks for a byte of temporary storage.
 */
#ifndef SIM_CUB_DEVICE_WIDE_H
#define SIM_CUB_DEVICE_WIDE_H

#include <exception>
#include <iterator>
#include <limits>
#include <memory>
#include <vector>

#include "sim/cuda/cub/types.h"
#include "sim/cuda/thrust/staged.h"

namespace cub {

/* A pointer is one to device memory; iterators are used as they are. */
template <class T> static inline thrust::device_ptr<T> ft_place(T *p)
	{ return thrust::device_ptr<T>(p); }
template <class It> static inline It ft_place(It it) { return it; }

template <class It> using ft_range = thrust::ft_staged<decltype(ft_place(std::declval<It>()))>;
template <class It> using ft_value =
	typename std::iterator_traits<decltype(ft_place(std::declval<It>()))>::value_type;

template <class It> static inline ft_range<It> ft_read(It first, size_t count)
	{ return ft_range<It>(ft_place(first), count, thrust::FT_READS); }

/* Writes the first values of the vector to where the iterator is. */
template <class Out, class T>
static inline void ft_write(Out out, const std::vector<T> &values, size_t count)
{
	ft_range<Out> range(ft_place(out), count, thrust::FT_WRITES);

	std::copy(values.begin(), values.begin() + (ptrdiff_t)count, range.begin());
	range.store(count);
}

/* The same for one value. */
template <class Out, class T> static inline void ft_write_one(Out out, const T &value)
	{ ft_write(out, std::vector<ft_value<Out>>(1, (ft_value<Out>)value), 1); }

/* One of the two calls; `work` is what the second one does. */
template <class F>
static inline cudaError_t ft_device_wide(void *storage, size_t &bytes, cudaStream_t stream, F work)
{
	cudaError_t error;

	if (!storage) {
		bytes = 1;
		return cudaSuccess;
	}
	if (bytes < 1)
		return cudaErrorInvalidValue;
	error = cudaStreamSynchronize(stream);
	if (error != cudaSuccess)
		return error;
	try {
		work();
	} catch (const thrust::system_error &e) {
		return e.code();
	} catch (const std::exception &) {      /* a count that no memory has room for */
		return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

/* What an operation gives is also what scans accumulate in: int for smaller integers. */
template <class F, class T, class U>
using ft_accumulator = std::decay_t<decltype(std::declval<F>()(std::declval<const T &>(),
							       std::declval<const U &>()))>;
struct ft_plus {
	template <class T, class U> auto operator()(const T &a, const U &b) const
		-> std::decay_t<decltype(a + b)>
		{ return a + b; }
};

/* A copy of a range that has an address for each value, which std::vector<bool> has not. */
template <class In> struct ft_copy {
	std::unique_ptr<ft_value<In>[]> at;
	size_t count;

	ft_copy(In in, size_t n) : at(new ft_value<In>[n]), count(n)
	{
		auto range = ft_read(in, n);

		std::copy(range.begin(), range.end(), at.get());
	}
	const ft_value<In> &operator[](size_t i) const { return at[i]; }
};

/* Where each run of equal neighbours begins, and at last the count. */
template <class T, class F>
static inline std::vector<size_t> ft_runs(const T &values, size_t count, F equal)
{
	std::vector<size_t> begins;

	for (size_t i = 0; i < count; i++)
		if (i == 0 || !equal(values[i - 1], values[i]))
			begins.push_back(i);
	begins.push_back(count);
	return begins;
}

/* The first value of each run. */
template <class In>
static inline std::vector<ft_value<In>> ft_firsts(const ft_copy<In> &values,
						  const std::vector<size_t> &runs)
{
	std::vector<ft_value<In>> firsts;

	for (size_t r = 0; r + 1 < runs.size(); r++)
		firsts.push_back(values[runs[r]]);
	return firsts;
}

struct ft_equal {
	template <class T> bool operator()(const T &a, const T &b) const { return a == b; }
};

}

#endif
