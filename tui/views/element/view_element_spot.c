/* view_element_spot.c - the two runs that are compared, and where they differ.
 *
 * Converts addresses of a run to places in the walk through differences (traces/diff/diff_spot.h),
 * and back.
 */
#include "tui/views/element/view_element_spot.h"

#include <inttypes.h>

#include "traces/store/verified.h"
#include "tui/views/view_place.h"
#include "tui/views/view_query.h"

enum status element_pair(const struct view_context *c, struct diff_pair *pair, bool *some)
{
	struct store *other = c->other ? c->other : c->store;
	int64_t runs, run = c->other_run;

	TRY(store_run_count(other, &runs));
	if (run < 1)
		run = c->other ? (c->run <= runs ? c->run : 1) : c->run < runs ? c->run + 1 : 1;
	*pair = (struct diff_pair){ { c->store, other }, { c->run, run } };
	*some = c->other || run != c->run;
	/* Nothing is shown as equal because of digests that are not those of its rows. */
	for (int i = 0; i < 2 && *some; i++) {
		enum verified how;

		TRY(verified_digests(pair->store[i], pair->run[i], &how));
		TRY(verified_points(pair->store[i], pair->run[i], &how));
	}
	return STATUS_OK;
}

static enum status threads_of(const struct view_context *c, int64_t launch, int64_t *threads)
{
	struct view_context here = *c;
	struct view_place place;
	bool found;

	here.at = address_none;
	here.at.launch = launch;
	TRY(view_place_find(&here, "v_launch", &place, &found));
	*threads = view_place_threads(&place);
	return *threads > 0 ? STATUS_OK : fail(STATUS_DAMAGED, "L%" PRId64 ": blocks of %" PRId64
					       " threads", launch, *threads);
}

enum status element_spot_address(const struct view_context *c, const struct diff_spot *spot,
				 struct address *at)
{
	int64_t threads;

	*at = address_none;
	at->run = c->run > 1 ? c->run : -1;
	at->launch = spot->launch;
	if (spot->part == SPOT_WRITTEN) {
		at->output = spot->major;
		at->element = spot->minor;
	} else if (spot->part == SPOT_POINT) {
		TRY(threads_of(c, spot->launch, &threads));
		at->block = spot->major / threads;
		at->warp = spot->major % threads / 32;
		at->lane = spot->major % threads % 32;
		at->point = spot->minor;
	}
	return STATUS_OK;
}

enum status element_address_spot(const struct view_context *c, const struct address *at,
				 struct diff_spot *spot)
{
	int64_t threads, op;

	*spot = (struct diff_spot){ at->launch, SPOT_BEFORE, 0, 0 };
	if (at->launch < 0) {
		op = at->op;
		if (at->step >= 0)
			TRY(VIEW_NUMBER(c, -1, &op, "SELECT min(first_op) FROM v_step"
					" WHERE run = ?1 AND step = ?2", c->run, at->step));
		TRY(VIEW_NUMBER(c, -1, &spot->launch, "SELECT launch FROM v_op WHERE run = ?1"
				" AND op < ?2 AND launch IS NOT NULL ORDER BY op DESC LIMIT 1",
				c->run, op));
		spot->part = SPOT_AFTER;
	} else if (at->output >= 0) {
		*spot = (struct diff_spot){ at->launch, SPOT_WRITTEN, at->output, at->element };
	} else if (at->block >= 0) {
		TRY(threads_of(c, at->launch, &threads));
		*spot = (struct diff_spot){ at->launch, SPOT_POINT, at->block * threads
			+ (at->warp > 0 ? at->warp * 32 : 0) + (at->lane > 0 ? at->lane : 0),
			at->point };
	} else if (at->end) {
		spot->part = SPOT_AFTER;
	}
	return STATUS_OK;
}
