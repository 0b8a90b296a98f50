/* warp.h - PTX's instructions that several threads execute together. Part of sim/cuda/ptx.h. */
#ifndef SIM_PTX_WARP_H
#define SIM_PTX_WARP_H

/* --- where the thread is --- */

FT_PTX unsigned ft_ptx_linear()
{
	const struct dim3 at = ft_thread_index(), dim = ft_block_dim();

	return at.x + dim.x * (at.y + dim.y * at.z);
}
FT_PTX unsigned ft_ptx_lane() { return ft_ptx_linear() & 31; }
FT_PTX unsigned ft_ptx_warp() { return ft_ptx_linear() >> 5; }
/* Blocks go to the multiprocessors of an H200 in turn. */
FT_PTX unsigned ft_ptx_multiprocessor()
{
	const struct dim3 at = ft_block_index(), dim = ft_grid_dim();

	return (at.x + dim.x * (at.y + dim.y * at.z)) % 132;
}

/* --- barriers --- */

FT_PTX void ft_ptx_barrier(const struct ft_site *site)
	{ ft_block_barrier(site, FT_BLOCK_SYNC, 0); }
FT_PTX unsigned ft_ptx_barrier_count(const struct ft_site *site, bool p)
	{ return (unsigned)ft_block_barrier(site, FT_BLOCK_COUNT, p); }
FT_PTX bool ft_ptx_barrier_and(const struct ft_site *site, bool p)
	{ return ft_block_barrier(site, FT_BLOCK_AND, p) != 0; }
FT_PTX bool ft_ptx_barrier_or(const struct ft_site *site, bool p)
	{ return ft_block_barrier(site, FT_BLOCK_OR, p) != 0; }
/* Other barriers than 0, or not for the whole block. */
FT_PTX void ft_ptx_named_barrier(const struct ft_site *site, unsigned number, unsigned count = 0)
	{ ft_named_barrier(site, number, count, FT_BLOCK_SYNC, 0); }
FT_PTX void ft_ptx_named_arrive(const struct ft_site *site, unsigned number, unsigned count)
	{ ft_named_arrive(site, number, count); }
#define FT_PTX_NAMED(name, type, vote) \
	FT_PTX type ft_ptx_named_##name(const struct ft_site *site, unsigned number, bool p) \
		{ return (type)ft_named_barrier(site, number, 0, vote, p); } \
	FT_PTX type ft_ptx_named_##name(const struct ft_site *site, unsigned number, \
					unsigned count, bool p) \
		{ return (type)ft_named_barrier(site, number, count, vote, p); }
FT_PTX_NAMED(count, unsigned, FT_BLOCK_COUNT)
FT_PTX_NAMED(and, bool, FT_BLOCK_AND)
FT_PTX_NAMED(or, bool, FT_BLOCK_OR)
#undef FT_PTX_NAMED
FT_PTX void ft_ptx_bar_warp_sync(const struct ft_site *site, unsigned mask)
	{ ft_collective(site, FT_SYNC, mask, 0, 0); }
FT_PTX void ft_ptx_nanosleep_u32(unsigned) { ft_yield(); }
FT_PTX void ft_ptx_trap() { ft_trap(719, "trap", __FILE__, __LINE__); }

/* --- shuffles --- */

/* The source lane is in the lane's segment, whose mask is in bits 8 to 12 of `clamp`, with the
 * limit in bits 0 to 4. The second result is whether it is within the limit; if it is not, the lane
 * gets its own value. */
FT_PTX unsigned ft_ptx_shuffle(const struct ft_site *site, ft_reg *within, unsigned value,
			       unsigned source, bool valid, unsigned mask)
{
	within->put(valid);
	return (unsigned)ft_collective(site, FT_SHUFFLE_IDX, mask, value,
				       (valid ? source : ft_ptx_lane()) | 32u << 16);
}
#define FT_PTX_SHUFFLE(name, lane_of_source, valid) \
	FT_PTX unsigned ft_ptx_shfl_sync_##name##_b32(const struct ft_site *site, ft_reg *within, \
		unsigned value, unsigned by, unsigned clamp, unsigned mask) \
	{ \
		const unsigned lane = ft_ptx_lane(), segment = clamp >> 8 & 31; \
		const int last = (int)((lane & segment) | (clamp & 31 & ~segment)); \
		const unsigned delta = by & 31; \
		const int source = (int)(lane_of_source); \
	\
		(void)segment; \
		return ft_ptx_shuffle(site, within, value, (unsigned)source & 31, valid, mask); \
	}
FT_PTX_SHUFFLE(up, lane - delta, source >= last)
FT_PTX_SHUFFLE(down, lane + delta, source <= last)
FT_PTX_SHUFFLE(bfly, lane ^ delta, source <= last)
FT_PTX_SHUFFLE(idx, (lane & segment) | (delta & ~segment), source <= last)
#undef FT_PTX_SHUFFLE

/* --- votes, matches, reductions --- */

#define FT_PTX_VOTE(name, type, kind) \
	FT_PTX type ft_ptx_vote_sync_##name(const struct ft_site *site, bool p, unsigned mask) \
		{ return (type)ft_collective(site, kind, mask, p, 0); }
FT_PTX_VOTE(all_pred, bool, FT_ALL)
FT_PTX_VOTE(any_pred, bool, FT_ANY)
FT_PTX_VOTE(uni_pred, bool, FT_UNIFORM)
FT_PTX_VOTE(ballot_b32, unsigned, FT_BALLOT)
#undef FT_PTX_VOTE

template <class T> FT_PTX unsigned ft_ptx_match_any_sync(const struct ft_site *site, T v,
							 unsigned mask)
	{ return (unsigned)ft_collective(site, FT_MATCH_ANY, mask, v, 0); }
template <class T> FT_PTX unsigned ft_ptx_match_all_sync(const struct ft_site *site, ft_reg *same,
							 T v, unsigned mask)
{
	unsigned lanes = (unsigned)ft_collective(site, FT_MATCH_ALL, mask, v, 0);

	same->put(lanes != 0);
	return lanes;
}

#define FT_PTX_REDUCE(name, kind, signed_kind) \
	template <class T> FT_PTX T ft_ptx_redux_sync_##name(const struct ft_site *site, T v, \
							     unsigned mask) \
	{ \
		return (T)ft_collective(site, std::is_signed<T>::value ? signed_kind : kind, mask, \
					(uint32_t)v, 0); \
	}
FT_PTX_REDUCE(add, FT_REDUCE_ADD, FT_REDUCE_ADD)
FT_PTX_REDUCE(min, FT_REDUCE_MIN, FT_REDUCE_MIN_SIGNED)
FT_PTX_REDUCE(max, FT_REDUCE_MAX, FT_REDUCE_MAX_SIGNED)
#undef FT_PTX_REDUCE
#define FT_PTX_REDUCE(name, kind) \
	FT_PTX unsigned ft_ptx_redux_sync_##name##_b32(const struct ft_site *site, unsigned v, \
						       unsigned mask) \
		{ return (unsigned)ft_collective(site, kind, mask, v, 0); }
FT_PTX_REDUCE(and, FT_REDUCE_AND)
FT_PTX_REDUCE(or, FT_REDUCE_OR)
FT_PTX_REDUCE(xor, FT_REDUCE_XOR)
#undef FT_PTX_REDUCE

FT_PTX unsigned ft_ptx_activemask_b32(const struct ft_site *site) { return ft_active_mask(site); }

#endif
