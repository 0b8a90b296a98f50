/* kernel_lint.h - lints that only a kernel's entry in the table can judge, for the checker.
 *
 * An entry tells which bytes a launch should not have read, since they mean nothing; the checker
 * knows who read them.
 */
#ifndef KERNEL_LINT_H
#define KERNEL_LINT_H

#include <stdint.h>

#include "kernels/kernel_table.h"

/* X(name, class, lint, why it is a hazard, what usually fixes it): the last classes of findings
 * (sim/check/finding.h). Names are stored in traces. */
#define KERNEL_LINT_LIST(X) \
	X(EMPTY_SPLIT_READ, "empty-split-read", true, "a chunk without keys leaves its " \
	  "accumulators as they were: 0 times whatever is there is NaN for NaN and inf", \
	  "skip the chunk when its sum is 0, before its accumulators are read")

enum kernel_lint_class {
#define X(name, ...) KERNEL_LINT_##name,
	KERNEL_LINT_LIST(X)
#undef X
	KERNEL_LINT_COUNT
};

/* Called for each byte range [offset, offset + bytes) behind pointer parameter `param` that means
 * nothing. detail: why, in words; copied. */
typedef void kernel_unread_fn(void *context, int param, uint64_t offset, uint64_t bytes,
			      const char *detail);

struct kernel_lint {
	enum kernel_lint_class class;
	/* Of a launch that has ended: what it should not have read. */
	void (*judge)(const struct kernel_call *, kernel_unread_fn *, void *context);
};

#endif
