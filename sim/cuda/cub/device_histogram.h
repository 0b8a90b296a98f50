/* device_histogram.h - cub::DeviceHistogram, for host code of programs; see device_wide.h. */
#ifndef SIM_CUB_DEVICE_HISTOGRAM_H
#define SIM_CUB_DEVICE_HISTOGRAM_H

#include <algorithm>

#include "sim/cuda/cub/device_wide.h"

namespace cub {

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
	/* The samples from levels[i] to below levels[i + 1]. */
	template <class In, class Bin, class Levels, class N>
	static cudaError_t HistogramRange(void *storage, size_t &bytes, In samples, Bin *histogram,
					  int count_of_levels, Levels levels, N count,
					  cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			ft_copy<Levels> limits(levels, (size_t)count_of_levels);
			const auto *first = limits.at.get(), *last = first + count_of_levels;
			std::vector<Bin> bins((size_t)(count_of_levels - 1));

			for (const auto &sample : ft_read(samples, (size_t)count)) {
				const auto *above = std::upper_bound(first, last, sample);

				if (above != first && above != last)
					bins[(size_t)(above - first - 1)]++;
			}
			ft_write(histogram, bins, bins.size());
		});
	}
};

}

#endif
