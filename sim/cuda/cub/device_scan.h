/* device_scan.h - cub::DeviceScan, for host code of programs; see device_wide.h. */
#ifndef SIM_CUB_DEVICE_SCAN_H
#define SIM_CUB_DEVICE_SCAN_H

#include "sim/cuda/cub/device_wide.h"

namespace cub {

struct DeviceScan {
	template <class In, class Out, class F, class N>
	static cudaError_t InclusiveScan(void *storage, size_t &bytes, In in, Out out, F operation,
					 N count, cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			inclusive(in, out, operation, { 0, (size_t)count });
		});
	}
	template <class In, class Out, class F, class T, class N>
	static cudaError_t ExclusiveScan(void *storage, size_t &bytes, In in, Out out, F operation,
					 T start, N count, cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			exclusive(in, out, operation, start, { 0, (size_t)count });
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
	template <class In, class Out, class F, class T, class N>
	static cudaError_t InclusiveScanInit(void *storage, size_t &bytes, In in, Out out,
					     F operation, T start, N count, cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			using accumulator = ft_accumulator<F, ft_value<In>, T>;
			auto range = ft_read(in, (size_t)count);
			accumulator sum = (accumulator)start;
			std::vector<accumulator> sums;

			for (const auto &value : range)
				sums.push_back(sum = operation(sum, value));
			ft_write(out, sums, sums.size());
		});
	}

	/* In place. */
	template <class It, class F, class N>
	static cudaError_t InclusiveScan(void *storage, size_t &bytes, It data, F operation,
					 N count, cudaStream_t stream = 0)
		{ return InclusiveScan(storage, bytes, data, data, operation, count, stream); }
	template <class It, class F, class T, class N>
	static cudaError_t ExclusiveScan(void *storage, size_t &bytes, It data, F operation,
					 T start, N count, cudaStream_t stream = 0)
	{
		return ExclusiveScan(storage, bytes, data, data, operation, start, count, stream);
	}
	template <class It, class N>
	static cudaError_t InclusiveSum(void *storage, size_t &bytes, It data, N count,
					cudaStream_t stream = 0)
		{ return InclusiveSum(storage, bytes, data, data, count, stream); }
	template <class It, class N>
	static cudaError_t ExclusiveSum(void *storage, size_t &bytes, It data, N count,
					cudaStream_t stream = 0)
		{ return ExclusiveSum(storage, bytes, data, data, count, stream); }

	/* They start again at each key that differs from the one before it. */
	template <class Keys, class In, class Out, class F, class N, class G = ft_equal>
	static cudaError_t InclusiveScanByKey(void *storage, size_t &bytes, Keys keys, In in,
					      Out out, F operation, N count, G equal = G(),
					      cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			inclusive(in, out, operation, runs_of(keys, (size_t)count, equal));
		});
	}
	template <class Keys, class In, class Out, class F, class T, class N, class G = ft_equal>
	static cudaError_t ExclusiveScanByKey(void *storage, size_t &bytes, Keys keys, In in,
					      Out out, F operation, T start, N count, G equal = G(),
					      cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			exclusive(in, out, operation, start, runs_of(keys, (size_t)count, equal));
		});
	}
	template <class Keys, class In, class Out, class N, class G = ft_equal>
	static cudaError_t InclusiveSumByKey(void *storage, size_t &bytes, Keys keys, In in,
					     Out out, N count, G equal = G(),
					     cudaStream_t stream = 0)
	{
		return InclusiveScanByKey(storage, bytes, keys, in, out, ft_plus(), count, equal,
					  stream);
	}
	template <class Keys, class In, class Out, class N, class G = ft_equal>
	static cudaError_t ExclusiveSumByKey(void *storage, size_t &bytes, Keys keys, In in,
					     Out out, N count, G equal = G(),
					     cudaStream_t stream = 0)
	{
		return ExclusiveScanByKey(storage, bytes, keys, in, out, ft_plus(),
					  ft_value<In>(), count, equal, stream);
	}
private:
	/* Scans of runs of values, each on its own; see ft_runs(). */
	template <class In, class Out, class F>
	static void inclusive(In in, Out out, F operation, const std::vector<size_t> &runs)
	{
		using value = ft_value<In>;
		auto range = ft_read(in, runs.back());
		std::vector<ft_accumulator<F, value, value>> sums(range.begin(), range.end());

		for (size_t r = 0; r + 1 < runs.size(); r++)
			for (size_t i = runs[r] + 1; i < runs[r + 1]; i++)
				sums[i] = operation(sums[i - 1], sums[i]);
		ft_write(out, sums, sums.size());
	}
	template <class In, class Out, class F, class T>
	static void exclusive(In in, Out out, F operation, T start,
			      const std::vector<size_t> &runs)
	{
		using accumulator = ft_accumulator<F, T, ft_value<In>>;
		ft_copy<In> values(in, runs.back());
		std::vector<accumulator> sums;

		for (size_t r = 0; r + 1 < runs.size(); r++) {
			accumulator sum = (accumulator)start;

			for (size_t i = runs[r]; i < runs[r + 1]; i++) {
				sums.push_back(sum);
				sum = operation(sum, values[i]);
			}
		}
		ft_write(out, sums, sums.size());
	}
	template <class Keys, class F>
	static std::vector<size_t> runs_of(Keys keys, size_t count, F equal)
		{ return ft_runs(ft_copy<Keys>(keys, count), count, equal); }
};

}

#endif
