/* device.h - CUB's device-wide reductions, scans, selections and histograms, for host code of
 * programs.
 *
 * The host computes them, as Thrust's algorithms: it waits for the stream, and copies what lies in
 * device memory to the host and back. Sums of floats are taken in order; a GPU's order is not
 * known. The first of the two calls asks for a byte of temporary storage.
 */
#ifndef SIM_CUB_DEVICE_H
#define SIM_CUB_DEVICE_H

#include <exception>
#include <iterator>
#include <limits>
#include <memory>
#include <vector>

#include "sim/cuda/cub/types.h"
#include "sim/cuda/thrust/staged.h"

namespace cub {

/* --- what all share --- */

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

/* --- reductions --- */

struct DeviceReduce {
	template <class In, class Out, class N, class F, class T>
	static cudaError_t Reduce(void *storage, size_t &bytes, In in, Out out, N count,
				  F operation, T start, cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			auto range = ft_read(in, (size_t)count);
			std::vector<T> total(1, start);

			for (const auto &value : range)
				total[0] = operation(total[0], value);
			ft_write(out, total, 1);
		});
	}
	template <class In, class Out, class N>
	static cudaError_t Sum(void *storage, size_t &bytes, In in, Out out, N count,
			       cudaStream_t stream = 0)
		{ return Reduce(storage, bytes, in, out, count, plus(), ft_value<Out>(), stream); }
	template <class In, class Out, class N>
	static cudaError_t Min(void *storage, size_t &bytes, In in, Out out, N count,
			       cudaStream_t stream = 0)
	{
		return Reduce(storage, bytes, in, out, count, cub::Min(), limits<In>::max(),
			      stream);
	}
	template <class In, class Out, class N>
	static cudaError_t Max(void *storage, size_t &bytes, In in, Out out, N count,
			       cudaStream_t stream = 0)
	{
		return Reduce(storage, bytes, in, out, count, cub::Max(), limits<In>::lowest(),
			      stream);
	}
private:
	template <class In> struct limits : std::numeric_limits<ft_value<In>> {
		static_assert(std::numeric_limits<ft_value<In>>::is_specialized,
			      "cub::DeviceReduce::Min and Max: only of types that "
			      "std::numeric_limits knows");
	};
	/* Of the accumulator's type, also if a value is narrower. */
	struct plus {
		template <class T, class U> T operator()(const T &a, const U &b) const
			{ return (T)(a + b); }
	};
};

/* --- scans --- */

struct DeviceScan {
	template <class In, class Out, class F, class N>
	static cudaError_t InclusiveScan(void *storage, size_t &bytes, In in, Out out, F operation,
					 N count, cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			using value = ft_value<In>;
			auto range = ft_read(in, (size_t)count);
			std::vector<ft_accumulator<F, value, value>> sums(range.begin(),
									  range.end());

			for (size_t i = 1; i < sums.size(); i++)
				sums[i] = operation(sums[i - 1], sums[i]);
			ft_write(out, sums, sums.size());
		});
	}
	template <class In, class Out, class F, class T, class N>
	static cudaError_t ExclusiveScan(void *storage, size_t &bytes, In in, Out out, F operation,
					 T start, N count, cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			using accumulator = ft_accumulator<F, T, ft_value<In>>;
			auto range = ft_read(in, (size_t)count);
			accumulator sum = (accumulator)start;
			std::vector<accumulator> sums;

			for (const auto &value : range) {
				sums.push_back(sum);
				sum = operation(sum, value);
			}
			ft_write(out, sums, sums.size());
		});
	}
	template <class In, class Out, class N>
	static cudaError_t InclusiveSum(void *storage, size_t &bytes, In in, Out out, N count,
					cudaStream_t stream = 0)
		{ return InclusiveScan(storage, bytes, in, out, ft_plus(), count, stream); }
	template <class In, class Out, class N>
	static cudaError_t ExclusiveSum(void *storage, size_t &bytes, In in, Out out, N count,
					cudaStream_t stream = 0)
	{
		return ExclusiveScan(storage, bytes, in, out, ft_plus(), ft_value<In>(), count,
				     stream);
	}
};

/* --- selections --- */

struct DeviceSelect {
	template <class In, class Flags, class Out, class Number, class N>
	static cudaError_t Flagged(void *storage, size_t &bytes, In in, Flags flags, Out out,
				   Number selected, N count, cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			auto marks = ft_read(flags, (size_t)count);
			auto mark = marks.begin();

			select(in, out, selected, (size_t)count, [&](const ft_value<In> *) {
				return (bool)*mark++;
			});
		});
	}
	template <class In, class Out, class Number, class N, class F>
	static cudaError_t If(void *storage, size_t &bytes, In in, Out out, Number selected,
			      N count, F condition, cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			select(in, out, selected, (size_t)count, [&](const ft_value<In> *at) {
				return (bool)condition(*at);
			});
		});
	}
	/* The first of equal neighbours. */
	template <class In, class Out, class Number, class N>
	static cudaError_t Unique(void *storage, size_t &bytes, In in, Out out, Number selected,
				  N count, cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			bool first = true;

			select(in, out, selected, (size_t)count, [&](const ft_value<In> *at) {
				bool other = first || !(at[0] == at[-1]);

				first = false;
				return other;
			});
		});
	}
private:
	template <class In, class Out, class Number, class F>
	static void select(In in, Out out, Number selected, size_t count, F chosen)
	{
		using value = ft_value<In>;
		auto range = ft_read(in, count);
		std::unique_ptr<value[]> values(new value[count]);
		std::vector<value> kept;

		std::copy(range.begin(), range.end(), values.get());
		for (size_t i = 0; i < count; i++)
			if (chosen(&values[i]))
				kept.push_back(values[i]);
		ft_write(out, kept, kept.size());
		ft_write(selected, std::vector<ft_value<Number>>(1, (ft_value<Number>)kept.size()),
			 1);
	}
};

/* --- histograms --- */

struct DeviceHistogram {
	/* Equal bins of the integers from `lower` to below `upper`. */
	template <class In, class Bin, class Level, class N>
	static cudaError_t HistogramEven(void *storage, size_t &bytes, In samples, Bin *histogram,
					 int levels, Level lower, Level upper, N count,
					 cudaStream_t stream = 0)
	{
		static_assert(std::is_integral<ft_value<In>>::value
			      && std::is_integral<Level>::value,
			      "cub::DeviceHistogram: only of integers");
		return ft_device_wide(storage, bytes, stream, [&] {
			auto range = ft_read(samples, (size_t)count);
			std::vector<Bin> bins((size_t)(levels - 1));

			for (const auto &sample : range)
				if (!(sample < lower) && sample < upper)
					bins[(size_t)((__int128)((__int128)sample - lower)
						      * (levels - 1)
						      / ((__int128)upper - lower))]++;
			ft_write(histogram, bins, bins.size());
		});
	}
};

}

#endif
