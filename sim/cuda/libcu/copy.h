/* copy.h - cuda::memcpy_async of one thread and of a group; see <cuda/barrier>.
 *
 * Copies in pieces of 16, 8 or 4 bytes, the largest that the addresses and the size allow; others
 * are made at once, as on a GPU, whose instruction has these sizes. Threads of a group take turns.
 */
#ifndef SIM_LIBCU_COPY_H
#define SIM_LIBCU_COPY_H

#include <cstddef>
#include <cstdint>

namespace cuda {

template <size_t A> struct aligned_size_t {
	static constexpr size_t align = A;
	size_t value;

	explicit constexpr aligned_size_t(size_t size) : value(size) { }
	constexpr operator size_t() const { return value; }
};

#ifndef FLASHTWIN_HOST
/* Pieces number rank, rank + threads, and so on. */
static inline void ft_copy_pieces(void *to, const void *from, size_t bytes, size_t rank,
				  size_t threads)
{
	uintptr_t bits = (uintptr_t)to | (uintptr_t)from | bytes;
	size_t piece = bits % 16 == 0 ? 16 : bits % 8 == 0 ? 8 : bits % 4 == 0 ? 4 : 0;
	size_t step = piece ? piece : 1;

	for (size_t at = rank * step; at < bytes; at += threads * step)
		if (piece)
			ft_async_copy((char *)to + at, (const char *)from + at, piece, 0);
		else
			((char *)to)[at] = ((const char *)from)[at];
}

template <class Sync>
static inline void memcpy_async(void *to, const void *from, size_t bytes, Sync &)
{
	ft_copy_pieces(to, from, bytes, 0, 1);
}

template <class Group, class Sync, class = decltype(((const Group *)nullptr)->thread_rank())>
static inline void memcpy_async(const Group &group, void *to, const void *from, size_t bytes,
				Sync &)
{
	ft_copy_pieces(to, from, bytes, group.thread_rank(), group.size());
}
#endif

}

#endif
