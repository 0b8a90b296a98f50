/* clock.h - vector clocks over the operations of a checked device.
 *
 * Operations form chains, in which each is ordered after the previous one; a clock holds the
 * position known to be reached in each chain. An operation is ordered before another if the other's
 * clock has reached it. NULL is the clock in which no chain has begun.
 */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include <stddef.h>
#include <stdint.h>

struct clock;

/* Sets *clock, allocated if NULL, to the maximum of both in each chain. */
void clock_join(struct clock **clock, const struct clock *from);
void clock_set(struct clock **clock, size_t chain, uint32_t reached);
/* The position reached in the chain; chains from clock_chains() on are at 0. */
uint32_t clock_at(const struct clock *, size_t chain);
size_t clock_chains(const struct clock *);
void clock_free(struct clock *);

#endif
