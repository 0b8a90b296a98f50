/* device_select.h - cub::DeviceSelect, DevicePartition and DeviceRunLengthEncode, for host code of
 * programs; see device_wide.h. */
#ifndef SIM_CUB_DEVICE_SELECT_H
#define SIM_CUB_DEVICE_SELECT_H

#include "sim/cuda/cub/device_wide.h"

namespace cub {

/* What DeviceSelect keeps, and what DevicePartition puts first. The caller says which values that
 * are, by their place. */
template <class In, class Out, class Number, class F>
static inline void ft_select(const ft_copy<In> &values, Out out, Number selected, bool rest,
			     F chosen)
{
	std::vector<ft_value<In>> kept, others;
	size_t count;

	for (size_t i = 0; i < values.count; i++)
		(chosen(i) ? kept : others).push_back(values[i]);
	count = kept.size();
	if (rest)
		kept.insert(kept.end(), others.rbegin(), others.rend());
	ft_write(out, kept, kept.size());
	ft_write_one(selected, count);
}

template <class In, class Flags, class Out, class Number>
static inline void ft_select_flagged(In in, Flags flags, Out out, Number selected, size_t count,
				     bool rest)
{
	ft_copy<Flags> marks(flags, count);

	ft_select(ft_copy<In>(in, count), out, selected, rest,
		  [&](size_t i) { return (bool)marks[i]; });
}

template <class In, class Out, class Number, class F>
static inline void ft_select_if(In in, Out out, Number selected, size_t count, F condition,
				bool rest)
{
	ft_copy<In> values(in, count);

	ft_select(values, out, selected, rest,
		  [&](size_t i) { return (bool)condition(values[i]); });
}

struct DeviceSelect {
	template <class In, class Flags, class Out, class Number, class N>
	static cudaError_t Flagged(void *storage, size_t &bytes, In in, Flags flags, Out out,
				   Number selected, N count, cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			ft_select_flagged(in, flags, out, selected, (size_t)count, false);
		});
	}
	template <class In, class Out, class Number, class N, class F>
	static std::enable_if_t<!std::is_convertible<F, cudaStream_t>::value, cudaError_t>
	If(void *storage, size_t &bytes, In in, Out out, Number selected, N count, F condition,
	   cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			ft_select_if(in, out, selected, (size_t)count, condition, false);
		});
	}
	/* In place. */
	template <class It, class Flags, class Number, class N>
	static cudaError_t Flagged(void *storage, size_t &bytes, It data, Flags flags,
				   Number selected, N count, cudaStream_t stream = 0)
		{ return Flagged(storage, bytes, data, flags, data, selected, count, stream); }
	template <class It, class Number, class N, class F>
	static cudaError_t If(void *storage, size_t &bytes, It data, Number selected, N count,
			      F condition, cudaStream_t stream = 0)
		{ return If(storage, bytes, data, data, selected, count, condition, stream); }
	/* The first of equal neighbours. */
	template <class In, class Out, class Number, class N>
	static cudaError_t Unique(void *storage, size_t &bytes, In in, Out out, Number selected,
				  N count, cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			ft_copy<In> values(in, (size_t)count);
			std::vector<size_t> runs = ft_runs(values, values.count, ft_equal());

			ft_write(out, ft_firsts(values, runs), runs.size() - 1);
			ft_write_one(selected, runs.size() - 1);
		});
	}
	/* The first of neighbours with equal keys, and its key. */
	template <class Keys, class In, class KeysOut, class Out, class Number, class N>
	static cudaError_t UniqueByKey(void *storage, size_t &bytes, Keys keys_in, In in,
				       KeysOut keys_out, Out out, Number selected, N count,
				       cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			ft_copy<Keys> keys(keys_in, (size_t)count);
			ft_copy<In> values(in, (size_t)count);
			std::vector<size_t> runs = ft_runs(keys, keys.count, ft_equal());

			ft_write(out, ft_firsts(values, runs), runs.size() - 1);
			ft_write(keys_out, ft_firsts(keys, runs), runs.size() - 1);
			ft_write_one(selected, runs.size() - 1);
		});
	}
};

/* --- partitions: the selected values first, then the others from the last to the first --- */

struct DevicePartition {
	template <class In, class Flags, class Out, class Number, class N>
	static cudaError_t Flagged(void *storage, size_t &bytes, In in, Flags flags, Out out,
				   Number selected, N count, cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			ft_select_flagged(in, flags, out, selected, (size_t)count, true);
		});
	}
	template <class In, class Out, class Number, class N, class F>
	static cudaError_t If(void *storage, size_t &bytes, In in, Out out, Number selected,
			      N count, F condition, cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			ft_select_if(in, out, selected, (size_t)count, condition, true);
		});
	}
};

/* --- runs of equal neighbours --- */

struct DeviceRunLengthEncode {
	template <class In, class Out, class Lengths, class Number>
	static cudaError_t Encode(void *storage, size_t &bytes, In in, Out out, Lengths lengths,
				  Number number, int count, cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			ft_copy<In> values(in, (size_t)count);
			std::vector<size_t> runs = ft_runs(values, values.count, ft_equal());
			std::vector<size_t> sizes;

			for (size_t r = 0; r + 1 < runs.size(); r++)
				sizes.push_back(runs[r + 1] - runs[r]);
			ft_write(out, ft_firsts(values, runs), sizes.size());
			ft_write(lengths, sizes, sizes.size());
			ft_write_one(number, sizes.size());
		});
	}
	/* Runs of at least two: where they begin, and their lengths. */
	template <class In, class Offsets, class Lengths, class Number>
	static cudaError_t NonTrivialRuns(void *storage, size_t &bytes, In in, Offsets offsets,
					  Lengths lengths, Number number, int count,
					  cudaStream_t stream = 0)
	{
		return ft_device_wide(storage, bytes, stream, [&] {
			std::vector<size_t> runs = ft_runs(ft_copy<In>(in, (size_t)count),
							   (size_t)count, ft_equal());
			std::vector<size_t> begins, sizes;

			for (size_t r = 0; r + 1 < runs.size(); r++)
				if (runs[r + 1] - runs[r] > 1) {
					begins.push_back(runs[r]);
					sizes.push_back(runs[r + 1] - runs[r]);
				}
			ft_write(offsets, begins, begins.size());
			ft_write(lengths, sizes, sizes.size());
			ft_write_one(number, sizes.size());
		});
	}
};

}

#endif
