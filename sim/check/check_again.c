/* check_again.c - passes findings from a copy of this process to this one.
 *
 * sim/device/again.c makes the copies and runs launches under other seeds there.
 */
#include "config.h"

#include "base/fd.h"
#include "sim/check/check_find.h"
#include "sim/check/check_state.h"

size_t check_known(const struct check *check)
{
	return check->finding_count;
}

/* The copy's addresses are those of this process, except for memory that it allocated. */
void check_send(const struct check *check, size_t known, uint64_t seed, int file)
{
	for (size_t i = known; i < check->finding_count; i++) {
		struct check_finding finding = check->findings[i];

		/* Which threads wait for which blocks depends on how many the simulator runs at
		 * once. */
		if (check_is_lint(finding.report.class) || finding.report.class == CLASS_DEADLOCK
		    || check_explained(&finding))
			continue;
		finding.words = NULL;
		finding.word_count = 0;
		finding.more_words = true;
		finding.seed = seed;
		if (!fd_write(file, &finding, sizeof finding))
			return;
	}
}

void check_receive(struct check *check, int file)
{
	struct check_finding finding, *added;

	while (fd_read(file, &finding, sizeof finding)) {
		bool known = false;

		for (size_t i = 0; i < check->finding_count && !known; i++)
			known = check_same_report(&check->findings[i].report, &finding.report);
		added = known ? NULL : check_add_finding(check);
		if (!added)
			continue;
		*added = finding;
		check_observe(finding.report.class);
	}
}
