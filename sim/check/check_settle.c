/* check_settle.c - delays the report of two racing writes until the second has happened.
 *
 * Only then it is known whether the value changed. check_race.c finds the races.
 */
#include "config.h"

#include "sim/check/check_settle.h"

#include <string.h>

#include "sim/check/check_find.h"
#include "sim/check/check_state.h"
#include "sim/check/check_volatile.h"
#include "sim/exec/steps.h"

void check_wait(const struct access *a, const struct check_report *report)
{
	struct check *check = a->check;

	if (check->waiting_count == sizeof check->waiting / sizeof check->waiting[0])
		return;
	check->waiting[check->waiting_count++] = *report;
	memcpy(check->old, (const void *)a->address, a->bytes);
	ft_check_block.pending |= PENDING_WRITE;
}

void check_settle_write(struct check *check)
{
	bool equal;

	if (!(ft_check_block.pending & PENDING_WRITE))
		return;
	ft_check_block.pending &= ~PENDING_WRITE;
	equal = memcmp(check->old, (const void *)check->waiting[0].address,
		       check->waiting[0].bytes) == 0;
	for (unsigned i = 0; i < check->waiting_count; i++) {
		if (equal)
			check->waiting[i].class = CLASS_EQUAL_VALUE_RACE;
		check_report(check, &check->waiting[i]);
	}
	check->waiting_count = 0;
}

void check_settle(struct check *check)
{
	check_release_held(false);
	check_settle_write(check);
}
