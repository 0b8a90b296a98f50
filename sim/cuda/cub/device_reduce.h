/* device_reduce.h - cub::DeviceReduce and DeviceSegmentedReduce, for host code of programs; see
 * device_wide.h. */
#ifndef SIM_CUB_DEVICE_REDUCE_H
#define SIM_CUB_DEVICE_REDUCE_H

#include "sim/cuda/cub/device_wide.h"

namespace cub {

/* Of the accumulator's type, also if a value is narrower. */
struct ft_wide_plus {
	template <class T, class U> T operator()(const T &a, const U &b) const
		{ return (T)(a + b); }
};

struct ft_itself {
	template <class T> const T &operator()(const T &value) const { return value; }
};
template <class In> struct ft_limits : std::numeric_limits<ft_value<In>> {
	static_assert(std::numeric_limits<ft_value<In>>::is_specialized,
		      "cub: extremes only of types that std::numeric_limits knows");
};

struct DeviceReduce {
	template <class In, class Out, class N, class F, class T>
	static cudaError_t Reduce(void *storage, size_t &bytes, In in, Out out, N count,
				  F operation, T start, cudaStream_t stream = 0)
	{
		return TransformReduce(storage, bytes, in, out, count, operation, ft_itself(),
				       start, stream);
	}
	template <class In, class Out, class N>
	static cudaError_t Sum(void *storage, size_t &bytes, In in, Out out, N count,
			       cudaStream_t stream = 0)
	{
		return Reduce(storage, bytes, in, out, count, ft_wide_plus(), ft_value<Out>(),
			      stream);
	}
	template <class In, class Out, class N>
	static cudaError_t Min(void *storage, size_t &bytes, In in, Out out, N count,
			       cudaStream_t stream = 0)
	{
		return Reduce(storage, bytes, in, out, count, cub::Min(), ft_limits<In>::max(),
			      stream);
	}
	template <class In, class Out, class N>
	static cudaError_t Max(void *storage, size_t &bytes, In in, Out out, N count,
			       cudaStream_t stream = 0)
	{
		return Reduce(storage, bytes, in, out, count, cub::Max(), ft_limits<In>::lowest(),
			      stream);
	}
	template <class In, class Out, class N, class F, class G, class T>
	static cudaError_t TransformReduce(void *storage, size_t &bytes, In in, Out out, N count,
					   F operation, G transform, T start,
					   cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			auto range = ft_read(in, (size_t)count);
			std::vector<T> total(1, start);

			for (const auto &value : range)
				total[0] = operation(total[0], transform(value));
			ft_write(out, total, 1);
		});
	}
	/* The value and the place of the first extreme; of nothing the worst value and place 1. */
	template <class In, class Out, class Place>
	static cudaError_t ArgMin(void *storage, size_t &bytes, In in, Out out, Place place,
				  int64_t count, cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			write_pair(first_extreme(in, count, cub::ArgMin(), ft_limits<In>::max()),
				   out, place);
		});
	}
	template <class In, class Out, class Place>
	static cudaError_t ArgMax(void *storage, size_t &bytes, In in, Out out, Place place,
				  int64_t count, cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			write_pair(first_extreme(in, count, cub::ArgMax(), ft_limits<In>::lowest()),
				   out, place);
		});
	}
	/* The same as a KeyValuePair<int, T>. */
	template <class In, class Out>
	static cudaError_t ArgMin(void *storage, size_t &bytes, In in, Out out, int count,
				  cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			write_pair(first_extreme(in, count, cub::ArgMin(), ft_limits<In>::max()),
				   out);
		});
	}
	template <class In, class Out>
	static cudaError_t ArgMax(void *storage, size_t &bytes, In in, Out out, int count,
				  cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			write_pair(first_extreme(in, count, cub::ArgMax(), ft_limits<In>::lowest()),
				   out);
		});
	}
	/* For each run of equal keys, the key and the reduction of its values. */
	template <class Keys, class Unique, class In, class Out, class Number, class F, class N>
	static cudaError_t ReduceByKey(void *storage, size_t &bytes, Keys keys_in, Unique unique,
				       In in, Out out, Number number, F operation, N count,
				       cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			using value = ft_value<In>;
			ft_copy<Keys> keys(keys_in, (size_t)count);
			ft_copy<In> values(in, (size_t)count);
			std::vector<size_t> runs = ft_runs(keys, keys.count, ft_equal());
			std::vector<ft_accumulator<F, value, value>> totals;

			for (size_t r = 0; r + 1 < runs.size(); r++) {
				totals.push_back(values[runs[r]]);
				for (size_t i = runs[r] + 1; i < runs[r + 1]; i++)
					totals.back() = operation(totals.back(), values[i]);
			}
			ft_write(unique, ft_firsts(keys, runs), totals.size());
			ft_write(out, totals, totals.size());
			ft_write_one(number, totals.size());
		});
	}
private:
	template <class In, class F>
	static KeyValuePair<int64_t, ft_value<In>> first_extreme(In in, int64_t count, F better,
								 ft_value<In> worst)
	{
		ft_copy<In> values(in, (size_t)count);
		KeyValuePair<int64_t, ft_value<In>> best = { 1, worst };

		for (int64_t i = 0; i < count; i++) {
			KeyValuePair<int64_t, ft_value<In>> pair = { i, values[(size_t)i] };

			best = i == 0 ? pair : better(best, pair);
		}
		return best;
	}
	template <class Pair, class Out> static void write_pair(const Pair &pair, Out out)
	{
		ft_value<Out> result;

		result.key = (decltype(result.key))pair.key;
		result.value = (decltype(result.value))pair.value;
		ft_write(out, std::vector<ft_value<Out>>(1, result), 1);
	}
	template <class Pair, class Out, class Place>
	static void write_pair(const Pair &pair, Out out, Place place)
	{
		ft_write_one(out, pair.value);
		ft_write_one(place, pair.key);
	}
};

/* Of the values from begins[s] to below ends[s]; a segment whose end is not above its begin has
 * none. */
struct DeviceSegmentedReduce {
	template <class In, class Out, class Begins, class Ends, class F, class T>
	static cudaError_t Reduce(void *storage, size_t &bytes, In in, Out out, int64_t segments,
				  Begins begins, Ends ends, F operation, T start,
				  cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			ft_copy<Begins> from(begins, (size_t)segments);
			ft_copy<Ends> to(ends, (size_t)segments);
			ft_copy<In> values(in, last(to));
			std::vector<T> totals((size_t)segments, start);

			for (size_t s = 0; s < totals.size(); s++)
				for (auto i = from[s]; i < to[s]; i++)
					totals[s] = operation(totals[s], values[(size_t)i]);
			ft_write(out, totals, totals.size());
		});
	}
	template <class In, class Out, class Begins, class Ends>
	static cudaError_t Sum(void *storage, size_t &bytes, In in, Out out, int64_t segments,
			       Begins begins, Ends ends, cudaStream_t stream = 0)
	{
		return Reduce(storage, bytes, in, out, segments, begins, ends, ft_wide_plus(),
			      ft_value<Out>(), stream);
	}
	template <class In, class Out, class Begins, class Ends>
	static cudaError_t Min(void *storage, size_t &bytes, In in, Out out, int64_t segments,
			       Begins begins, Ends ends, cudaStream_t stream = 0)
	{
		return Reduce(storage, bytes, in, out, segments, begins, ends, cub::Min(),
			      ft_limits<In>::max(), stream);
	}
	template <class In, class Out, class Begins, class Ends>
	static cudaError_t Max(void *storage, size_t &bytes, In in, Out out, int64_t segments,
			       Begins begins, Ends ends, cudaStream_t stream = 0)
	{
		return Reduce(storage, bytes, in, out, segments, begins, ends, cub::Max(),
			      ft_limits<In>::lowest(), stream);
	}
private:
	/* How many values the segments reach. */
	template <class Ends> static size_t last(const ft_copy<Ends> &ends)
	{
		size_t most = 0;

		for (size_t s = 0; s < ends.count; s++)
			if (ends[s] > 0 && (size_t)ends[s] > most)
				most = (size_t)ends[s];
		return most;
	}
};

}

#endif
