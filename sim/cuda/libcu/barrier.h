/* barrier.h - cuda::barrier, and asynchronous copies that it waits for; see <cuda/barrier>.
 *
 * The state is one word: how many arrivals a phase needs and how many are missing, 31 bits each,
 * and in the top bit the parity of the phase. An arrival releases and a wait acquires, by atomics
 * in which the checker sees the order. The copies of a thread complete when it arrives.
 */
#ifndef SIM_LIBCU_BARRIER_H
#define SIM_LIBCU_BARRIER_H

#include "sim/cuda/libcu/call.h"
#include "sim/cuda/libcu/scope.h"

namespace cuda {

namespace std {
struct ft_no_completion { };
}

template <thread_scope S, class Completion = std::ft_no_completion> class barrier {
	static_assert(::std::is_same<Completion, std::ft_no_completion>::value,
		      "a barrier with a completion function is not supported");
	static constexpr int missing = 31, parity = 63;
	static constexpr uint64_t one = 1, mask = (one << 31) - 1;
	alignas(8) uint64_t state_;

	/* `fewer` later phases need one arrival less. */
	uint64_t take(uint64_t count, bool fewer)
	{
		ft_scope_fence<S>();
		return ft_scope_change<S>(&state_, [count, fewer](uint64_t old) -> uint64_t {
			uint64_t needed = (old & mask) - fewer;
			uint64_t left = (old >> missing & mask) - count, phase = old >> parity;

			if (left == 0) {
				left = needed;
				phase ^= 1;
			}
			return needed | left << missing | phase << parity;
		}) >> parity;
	}
#ifndef FLASHTWIN_HOST
	bool passed(uint64_t phase) const
		{ return FT_OWN(uint64_t, state_) >> parity != phase; }
	void acquire() const
	{
		(void)ft_scope_load<S>(&state_);
		ft_scope_fence<S>();
	}
#endif
public:
	class arrival_token {
		friend class barrier;
		uint64_t phase_;
		explicit arrival_token(uint64_t phase) : phase_(phase) { }
	public:
		arrival_token() = default;
	};

	barrier() = default;
	explicit barrier(ptrdiff_t expected) { init(this, expected); }
	barrier(const barrier &) = delete;
	barrier &operator=(const barrier &) = delete;
	friend void init(barrier *b, ptrdiff_t expected)
		{ b->state_ = (uint64_t)expected | (uint64_t)expected << missing; }
	friend void init(barrier *b, ptrdiff_t expected, Completion) { init(b, expected); }
	static constexpr ptrdiff_t max() { return (1 << 20) - 1; }

#ifndef FLASHTWIN_HOST
	arrival_token arrive(ptrdiff_t count = 1)
	{
		ft_async_commit();
		ft_async_wait(0);
		return arrival_token(take((uint64_t)count, false));
	}
	void wait(arrival_token &&token, FT_CALL) const
	{
		while (!passed(token.phase_))
			ft_await(FT_CALL_SITE("barrier::wait"));
		acquire();
	}
	void wait_parity(bool phase, FT_CALL) const
	{
		while (!passed(phase))
			ft_await(FT_CALL_SITE("barrier::wait_parity"));
		acquire();
	}
	bool try_wait(arrival_token &&token, FT_CALL) const
	{
		if (!passed(token.phase_)) {
			ft_await(FT_CALL_SITE("barrier::try_wait"));
			if (!passed(token.phase_))
				return false;
		}
		acquire();
		return true;
	}
	bool try_wait_parity(bool phase, FT_CALL) const
		{ return try_wait(arrival_token(phase), FT_CALLER); }
	void arrive_and_wait(FT_CALL) { wait(arrive(), FT_CALLER); }
	void arrive_and_drop()
	{
		ft_async_commit();
		ft_async_wait(0);
		(void)take(1, true);
	}
#endif
};

namespace std {
template <class Completion = ft_no_completion>
using barrier = ::cuda::barrier<thread_scope_system, Completion>;
}

}

#endif
