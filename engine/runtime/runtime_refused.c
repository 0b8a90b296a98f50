/* runtime_refused.c - launches by <<<>>> that were refused, and whether the program asked for the
 * error.
 *
 * Such a launch returns nothing: the program learns of it only by the last error. Each thread has
 * at most one refusal that it has not asked for; all are kept until the runtime ends.
 */
#include "config.h"

#include "engine/runtime/runtime_state.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/xalloc.h"

struct refusal {
	struct refusal *next;           /* an earlier one, of any thread */
	struct error_record error;
	atomic_bool asked;
};

static struct refusal *refusals;
static _Thread_local struct refusal *own;       /* the last; NULL: none, or the program asked */

void refused_note(const char *kernel, struct dim3 grid, struct dim3 block, cudaError_t error,
		  bool has_text)
{
	struct refusal *r;

	if (own)
		return;
	if (!has_text)
		fail_device((int)error, "launch %s with grid (%u,%u,%u) and block (%u,%u,%u)",
			    kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z);
	r = xcalloc(1, sizeof *r);
	error_save(&r->error);
	r->next = refusals;
	own = refusals = r;
}

void refused_asked(void)
{
	if (own)
		atomic_store(&own->asked, true);
	own = NULL;
}

bool refused_end(struct error_record *out)
{
	bool found = false;

	while (refusals) {
		struct refusal *r = refusals;

		if (!atomic_load(&r->asked)) {
			*out = r->error;        /* the first one in the end */
			found = true;
		}
		refusals = r->next;
		free(r);
	}
	own = NULL;
	return found;
}
