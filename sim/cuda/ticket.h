/* ticket.h - tickets by which the last of several blocks learns that it is the last, for kernels on
 * both devices.
 *
 *   ticket_take(counter, n)   takes n tickets: adds n to *counter, and returns what it was. What
 *                             the thread has seen written before is visible to whoever takes a
 *                             later ticket: the addition acquires and releases for the device.
 */
#ifndef SIM_TICKET_H
#define SIM_TICKET_H

#ifdef FLASHTWIN_SIM

static inline unsigned ticket_take(unsigned *counter, unsigned n)
{
	unsigned taken;

	__threadfence();
	taken = atomicAdd(counter, n);
	__threadfence();
	return taken;
}

#else

/* Two fences around an atomic addition would wait for much more. */
static __device__ __forceinline__ unsigned ticket_take(unsigned *counter, unsigned n)
{
	unsigned taken;

	asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
		     : "=r"(taken) : "l"(__cvta_generic_to_global(counter)), "r"(n) : "memory");
	return taken;
}

#endif
#endif
