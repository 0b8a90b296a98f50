/* clock.h - vector clocks over the operations of a checked device. Private to sim/.
 *
 * Operations form chains, each member of which comes after the one before it; a clock says how far
 * along each chain something is known to have come. One operation comes before another when the
 * other's clock has reached it.
 */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock {
	uint32_t *reached;              /* by chain; NULL: nothing is known */
	size_t chains;
};

static inline uint32_t clock_at(const struct clock *clock, size_t chain)
{
	return chain < clock->chains ? clock->reached[chain] : 0;
}

/* `clock` knows what both know from now on. */
void clock_join(struct clock *, const struct clock *from);
void clock_set(struct clock *, size_t chain, uint32_t reached);
void clock_free(struct clock *);

#endif
