/* clock.c - vector clocks over the operations of a checked device; see clock.h.
 *
 * What operations are, and which chain one belongs to, is check_stream.c's part.
 */
#include "config.h"

#include "sim/check/clock.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

static void grow(struct clock *clock, size_t chains)
{
	if (chains <= clock->chains)
		return;
	clock->reached = xreallocarray(clock->reached, chains, sizeof *clock->reached);
	memset(clock->reached + clock->chains, 0,
	       (chains - clock->chains) * sizeof *clock->reached);
	clock->chains = chains;
}

void clock_join(struct clock *clock, const struct clock *from)
{
	grow(clock, from->chains);
	for (size_t i = 0; i < from->chains; i++)
		if (from->reached[i] > clock->reached[i])
			clock->reached[i] = from->reached[i];
}

void clock_set(struct clock *clock, size_t chain, uint32_t reached)
{
	grow(clock, chain + 1);
	clock->reached[chain] = reached;
}

void clock_free(struct clock *clock)
{
	free(clock->reached);
	*clock = (struct clock){ 0 };
}
