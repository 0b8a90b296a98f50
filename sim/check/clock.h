/* clock.h - vector clocks over the operations of a checked device.
 *
 * Operations form chains, each member of which comes after the one before it; a clock says how far
 * along each chain something is known to have come. One operation comes before another when the
 * other's clock has reached it. NULL is the clock that knows nothing.
 */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include <stddef.h>
#include <stdint.h>

struct clock;

/* *clock, made where it was NULL, knows what both know from now on. */
void clock_join(struct clock **clock, const struct clock *from);
void clock_set(struct clock **clock, size_t chain, uint32_t reached);
/* How far the chain is known; chains from clock_chains() on are at 0. */
uint32_t clock_at(const struct clock *, size_t chain);
size_t clock_chains(const struct clock *);
void clock_free(struct clock *);

#endif
