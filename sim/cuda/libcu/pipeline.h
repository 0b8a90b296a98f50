/* pipeline.h - cuda::pipeline of one thread, and of the threads of a block; see <cuda/pipeline>.
 *
 * A thread's own pipeline is a counter of its groups of asynchronous copies. That of a block has
 * two barriers for each stage: its copies are complete, and its memory is free again.
 */
#ifndef SIM_LIBCU_PIPELINE_H
#define SIM_LIBCU_PIPELINE_H

#include "sim/cuda/libcu/barrier.h"
#include "sim/cuda/libcu/copy.h"

namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope S, unsigned char Stages> struct pipeline_shared_state {
	barrier<S> filled[Stages], freed[Stages];
	unsigned producers;

	pipeline_shared_state() = default;
};

#ifndef FLASHTWIN_HOST
template <thread_scope S> class pipeline {
	barrier<S> *filled_, *freed_;
	unsigned stages_, head_ = 0, tail_ = 0;
	bool produces_, consumes_;
public:
	pipeline(barrier<S> *filled, barrier<S> *freed, unsigned stages, bool produces,
		 bool consumes)
		: filled_(filled), freed_(freed), stages_(stages), produces_(produces),
		  consumes_(consumes) { }
	pipeline(pipeline &&) = default;
	pipeline(const pipeline &) = delete;
	void producer_acquire(FT_CALL)
	{
		if (head_ >= stages_)
			freed_[head_ % stages_].wait_parity((head_ / stages_ - 1) % 2, FT_CALLER);
	}
	void producer_commit() { (void)filled_[head_++ % stages_].arrive(); }
	void consumer_wait(FT_CALL)
		{ filled_[tail_ % stages_].wait_parity(tail_ / stages_ % 2, FT_CALLER); }
	void consumer_release() { (void)freed_[tail_++ % stages_].arrive(); }
	bool quit()
	{
		for (unsigned i = 0; produces_ && i < stages_; i++)
			filled_[i].arrive_and_drop();
		for (unsigned i = 0; consumes_ && i < stages_; i++)
			freed_[i].arrive_and_drop();
		return true;
	}
};

template <> class pipeline<thread_scope_thread> {
	unsigned head_ = 0, tail_ = 0;
public:
	pipeline() = default;
	pipeline(pipeline &&) = default;
	pipeline(const pipeline &) = delete;
	void producer_acquire() { }
	void producer_commit()
	{
		ft_async_commit();
		head_++;
	}
	/* For the oldest stage that was not waited for. It is released at once. */
	void consumer_wait()
	{
		unsigned open = head_ - tail_ - 1;

		if (head_ == tail_)
			return;
		ft_async_wait(open < 8 ? open : 8);
		tail_++;
	}
	void consumer_release() { }
	bool quit() { return true; }
	void ft_wait_prior(unsigned open)
	{
		ft_async_wait(open);
		tail_ = head_ - open;
	}
};

static inline pipeline<thread_scope_thread> make_pipeline() { return {}; }

/* Without roles, every thread produces and consumes. */
template <class Group, thread_scope S, unsigned char Stages>
static inline pipeline<S> ft_make_pipeline(const Group &group,
					   pipeline_shared_state<S, Stages> *state,
					   unsigned producers, unsigned consumers, bool produces,
					   bool consumes)
{
	if (group.thread_rank() == 0)
		for (int i = 0; i < Stages; i++) {
			init(&state->filled[i], producers);
			init(&state->freed[i], consumers);
		}
	group.sync();
	return pipeline<S>(state->filled, state->freed, Stages, produces, consumes);
}

template <class Group, thread_scope S, unsigned char Stages>
static inline pipeline<S> make_pipeline(const Group &group,
					pipeline_shared_state<S, Stages> *state)
{
	unsigned size = (unsigned)group.size();

	return ft_make_pipeline(group, state, size, size, true, true);
}

template <class Group, thread_scope S, unsigned char Stages>
static inline pipeline<S> make_pipeline(const Group &group,
					pipeline_shared_state<S, Stages> *state,
					pipeline_role role)
{
	bool produces = role == pipeline_role::producer;
	unsigned producers, size = (unsigned)group.size();

	if (group.thread_rank() == 0)
		state->producers = 0;
	group.sync();
	if (produces)
		(void)ft_scope_change<S>(&state->producers, [](unsigned old) { return old + 1; });
	group.sync();
	producers = state->producers;
	return ft_make_pipeline(group, state, producers, size - producers, produces, !produces);
}

/* The threads with the lowest ranks produce. */
template <class Group, thread_scope S, unsigned char Stages>
static inline pipeline<S> make_pipeline(const Group &group,
					pipeline_shared_state<S, Stages> *state, size_t producers)
{
	bool produces = group.thread_rank() < producers;
	unsigned size = (unsigned)group.size();

	return ft_make_pipeline(group, state, (unsigned)producers, size - (unsigned)producers,
				produces, !produces);
}

template <uint8_t Prior>
static inline void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &p)
{
	p.ft_wait_prior(Prior);
}
#endif

}

#endif
