/* cache_hint.h - stores with an eviction priority for a GPU's L2 cache, for kernels on both
 * devices.
 *
 *   store_kept2(to, value)    stores a float2 that is read again soon: the L2 evicts it after all
 *                             else. Without the hint it is written to memory, and read back, when
 *                             a launch reads more than the L2 holds.
 */
#ifndef SIM_CACHE_HINT_H
#define SIM_CACHE_HINT_H

#ifdef FLASHTWIN_SIM

#define store_kept2(to, value) ((void)(*(to) = (value)))

#else

static __device__ __forceinline__ void store_kept2(float2 *to, float2 value)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
	asm volatile("{ .reg .b64 policy;"
		     " createpolicy.fractional.L2::evict_last.b64 policy, 1.0;"
		     " st.global.L2::cache_hint.v2.f32 [%0], {%1, %2}, policy; }"
		     :: "l"(__cvta_generic_to_global(to)), "f"(value.x), "f"(value.y) : "memory");
#else
	*to = value;
#endif
}

#endif
#endif
