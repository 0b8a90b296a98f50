/* mbarrier.h - barriers in shared memory that count arrivals and copied bytes, for the simulator.
 *
 * The barrier of the PTX ISA (mbarrier) and the bulk copies that it waits for. Kernels use it
 * through sim/cuda/async.h, or by inline PTX. The word holds how many arrivals each phase needs
 * (bits 0 to 19), how many are missing (20 to 39), how many bytes are missing (40 to 61, two's
 * complement), a bit that each bulk copy inverts (62), and the parity of the phase (63). An arrival
 * releases and a wait acquires, by atomics in which the checker sees the order.
 */
#ifndef SIM_MBARRIER_H
#define SIM_MBARRIER_H

/* Inlined, so that a finding names the line of the call. */
#define FT_MBARRIER static inline __attribute__((always_inline, unused))

#define FT_MBARRIER_BYTES 0x3fffffu
#define FT_MBARRIER_COUNT 0xfffffu

/* The word after arrivals, `dropped` of which no later phase needs, after `bytes` more that are
 * expected (less, if negative), and after the beginning of `copies`. */
FT_MBARRIER uint64_t ft_mbarrier_next(uint64_t old, unsigned arrivals, unsigned dropped, int bytes,
				      unsigned copies)
{
	uint64_t needed = (old & FT_MBARRIER_COUNT) - dropped;
	uint64_t missing = ((old >> 20) - arrivals) & FT_MBARRIER_COUNT;
	uint64_t left = ((old >> 40) + (uint64_t)(int64_t)bytes) & FT_MBARRIER_BYTES;
	uint64_t begun = (old >> 62 & 1) ^ copies, parity = old >> 63;

	if (missing == 0 && left == 0) {
		missing = needed;
		parity ^= 1;
	}
	return needed | missing << 20 | left << 40 | begun << 62 | parity << 63;
}

/* Returns the word before. wide: it releases to the threads of a cluster, not only of its block. */
FT_MBARRIER uint64_t ft_mbarrier_change_in(int wide, uint64_t *barrier, unsigned arrivals,
					   unsigned dropped, int bytes, unsigned copies)
{
	uint64_t old, next;

	ft_fence(wide);
	ft_yield();
	__atomic_load(barrier, &old, __ATOMIC_RELAXED);
	do {
		next = ft_mbarrier_next(old, arrivals, dropped, bytes, copies);
	} while (!__atomic_compare_exchange(barrier, &old, &next, 0, __ATOMIC_SEQ_CST,
					    __ATOMIC_RELAXED));
	return old;
}
FT_MBARRIER uint64_t ft_mbarrier_change(uint64_t *barrier, unsigned arrivals, unsigned dropped,
					int bytes, unsigned copies)
{
	return ft_mbarrier_change_in(0, barrier, arrivals, dropped, bytes, copies);
}

FT_MBARRIER void ft_mbarrier_acquire(int wide, uint64_t *barrier)
{
	(void)ft_mbarrier_change_in(wide, barrier, 0, 0, 0, 0);
	ft_fence(wide);
}

FT_MBARRIER void ft_mbarrier_init(uint64_t *barrier, unsigned count)
{
	*barrier = (uint64_t)count | (uint64_t)count << 20;
}

FT_MBARRIER bool ft_mbarrier_is_past(uint64_t *barrier, bool parity)
{
	return (FT_OWN(uint64_t, *barrier) >> 63) != parity;
}

/* Whether the phase of this parity is complete. Bulk copies for the barrier land now, because they
 * may land at any time: a thread that does not wait finds poison, or races. Those that begin while
 * this thread acquires the others land later. */
FT_MBARRIER bool ft_mbarrier_test_in(int wide, uint64_t *barrier, bool parity)
{
	uint64_t last = ft_mbarrier_is_past(barrier, parity) ? 0 : ft_bulk_pending(barrier);

	if (last) {
		unsigned landed;

		ft_mbarrier_acquire(ft_cluster_size() > 1, barrier);
		landed = ft_bulk_land(barrier, last);
		if (landed > 0)
			(void)ft_mbarrier_change(barrier, 0, 0, -(int)landed, 0);
	}
	if (!ft_mbarrier_is_past(barrier, parity))
		return false;
	ft_mbarrier_acquire(wide, barrier);
	return true;
}

/* Lets other threads run if it is not, because the thread may be in a loop that waits. */
FT_MBARRIER bool ft_mbarrier_try_in(int wide, const struct ft_site *site, uint64_t *barrier,
				    bool parity)
{
	if (ft_mbarrier_test_in(wide, barrier, parity))
		return true;
	ft_await(site);
	return ft_mbarrier_test_in(wide, barrier, parity);
}
FT_MBARRIER bool ft_mbarrier_try(const struct ft_site *site, uint64_t *barrier, bool parity)
{
	return ft_mbarrier_try_in(0, site, barrier, parity);
}

FT_MBARRIER void ft_mbarrier_wait_in(int wide, const struct ft_site *site, uint64_t *barrier,
				     bool parity)
{
	while (!ft_mbarrier_test_in(wide, barrier, parity))
		ft_await(site);
}
FT_MBARRIER void ft_mbarrier_wait(const struct ft_site *site, uint64_t *barrier, bool parity)
{
	ft_mbarrier_wait_in(0, site, barrier, parity);
}

/* The calling thread's copies of 4, 8 or 16 bytes count as complete, and then it arrives. */
FT_MBARRIER void ft_mbarrier_arrive_copied(uint64_t *barrier)
{
	ft_async_commit();
	ft_async_wait(0);
	(void)ft_mbarrier_change(barrier, 1, 0, 0, 0);
}

/* Who lets it land acquires what the thread releases here: its beginning. */
FT_MBARRIER void ft_bulk_begin(uint64_t *barrier)
{
	(void)ft_mbarrier_change_in(ft_cluster_size() > 1, barrier, 0, 0, 0, 1);
	ft_bulk_begun(barrier);
}

FT_MBARRIER void ft_bulk_load(void *to, const void *from, unsigned bytes, uint64_t *barrier)
{
	ft_bulk_copy(to, from, bytes, barrier);
	ft_bulk_begin(barrier);
}

/* To the same places in the blocks of the cluster whose bits are set. */
FT_MBARRIER void ft_bulk_load_to(void *to, const void *from, unsigned bytes, uint64_t *barrier,
				 unsigned ranks)
{
	for (unsigned rank = 0; rank < FT_CLUSTER_BLOCKS; rank++)
		if (ranks >> rank & 1)
			ft_bulk_load(ft_cluster_map(to, rank), from, bytes,
				     (uint64_t *)ft_cluster_map(barrier, rank));
}

FT_MBARRIER void ft_bulk_put(void *to, const void *value, unsigned bytes, uint64_t *barrier)
{
	ft_bulk_store(to, value, bytes, barrier);
	ft_bulk_begin(barrier);
}

#endif
