/* cuda_awbarrier_primitives.h - barriers of a block as functions on the simulator. */
#ifndef FLASHTWIN_CUDA_AWBARRIER_PRIMITIVES_H
#define FLASHTWIN_CUDA_AWBARRIER_PRIMITIVES_H

#include "sim/cuda/libcu/barrier.h"

typedef cuda::barrier<cuda::thread_scope_block> __mbarrier_t;
typedef cuda::barrier<cuda::thread_scope_block>::arrival_token __mbarrier_token_t;

#ifndef FLASHTWIN_HOST
static inline void __mbarrier_init(__mbarrier_t *barrier, unsigned count) { init(barrier, count); }
static inline void __mbarrier_inval(__mbarrier_t *) { }
static inline __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier)
	{ return barrier->arrive(); }
static inline void __mbarrier_arrive_and_drop(__mbarrier_t *barrier) { barrier->arrive_and_drop(); }
static inline bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token, FT_CALL)
{
	return barrier->try_wait((__mbarrier_token_t &&)token, FT_CALLER);
}
#endif

#endif
