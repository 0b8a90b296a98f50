/* clock.c - vector clocks over the operations of a checked device; see clock.h.
 *
 * check_op.c defines the operations and assigns them to chains.
 */
#include "config.h"

#include "sim/check/clock.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

struct clock {
	size_t chains;
	uint32_t reached[];             /* by chain */
};

static void grow(struct clock **clock, size_t chains)
{
	size_t had = clock_chains(*clock);

	if (chains <= had)
		return;
	*clock = xrealloc(*clock, sizeof **clock + chains * sizeof (*clock)->reached[0]);
	memset((*clock)->reached + had, 0, (chains - had) * sizeof (*clock)->reached[0]);
	(*clock)->chains = chains;
}

void clock_join(struct clock **clock, const struct clock *from)
{
	size_t chains = clock_chains(from);

	grow(clock, chains);
	for (size_t i = 0; i < chains; i++)
		if (from->reached[i] > (*clock)->reached[i])
			(*clock)->reached[i] = from->reached[i];
}

void clock_set(struct clock **clock, size_t chain, uint32_t reached)
{
	grow(clock, chain + 1);
	(*clock)->reached[chain] = reached;
}

uint32_t clock_at(const struct clock *clock, size_t chain)
{
	return chain < clock_chains(clock) ? clock->reached[chain] : 0;
}

size_t clock_chains(const struct clock *clock)
{
	return clock ? clock->chains : 0;
}

void clock_free(struct clock *clock)
{
	free(clock);
}
