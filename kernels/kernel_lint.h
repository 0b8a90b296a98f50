/* kernel_lint.h - lints specific to one kernel, defined in its table entry. Used by the checker.
 *
 * An entry lists the bytes that a launch should not have read because they have no meaning; the
 * checker finds the threads that read them.
 */
#ifndef KERNEL_LINT_H
#define KERNEL_LINT_H

#include <stdint.h>

#include "kernels/kernel_table.h"

/* X(name, class, lint, why it is a hazard, what usually fixes it): these become the last classes of
 * findings (sim/check/finding.h). Names are stored in traces. */
#define KERNEL_LINT_LIST(X) \
	X(EMPTY_SPLIT_READ, "empty-split-read", true, "a chunk without keys leaves its " \
	  "accumulators unwritten: 0 times their value is NaN if it is NaN or inf", \
	  "skip the chunk if its sum is 0, before its accumulators are read")

enum kernel_lint_class {
#define X(name, ...) KERNEL_LINT_##name,
	KERNEL_LINT_LIST(X)
#undef X
	KERNEL_LINT_COUNT
};

/* Called for each byte range [offset, offset + bytes) after pointer parameter `param` that has no
 * meaning. detail: the reason, as text; copied. */
typedef void kernel_unread_fn(void *context, int param, uint64_t offset, uint64_t bytes,
			      const char *detail);

struct kernel_lint {
	enum kernel_lint_class class;
	/* Calls the function for each range that the launch, which has ended, should not have
	 * read. */
	void (*judge)(const struct kernel_call *, kernel_unread_fn *, void *context);
};

#endif
