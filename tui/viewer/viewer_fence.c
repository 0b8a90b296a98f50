/* viewer_fence.c - restricts c and C to a range of places: `:fence L10..L20`.
 *
 * viewer_break.c finds the next stop; this file undoes a stop outside the range.
 */
#include "config.h"

#include "tui/viewer/viewer_fence.h"

#include <string.h>

#include "tui/viewer/viewer_actions.h"
#include "tui/viewer/viewer_walk.h"
#include "tui/views/view_query.h"

/* The first and the last operation of the address in `text`. */
static enum status read_place(struct viewer *v, const char *text, int64_t *first, int64_t *last)
{
	struct view_context c = viewer_context(v, 0);
	struct address at;

	TRY(address_parse(":fence", text, &at));
	TRY(walk_op(&c, &at, first));
	*last = *first;
	if (*first < 0)
		return fail(STATUS_USAGE, ":fence %s: no such place in run %lld", text,
			    (long long)c.run);
	if (at.step >= 0)
		TRY(VIEW_NUMBER(&c, *first, last, "SELECT max(last_op) FROM v_step"
				" WHERE run = ?1 AND step = ?2", c.run, at.step));
	return STATUS_OK;
}

static enum status read_range(struct viewer *v, const char *range, struct viewer_fence *fence)
{
	const char *dots = strstr(range, "..");
	char from[ADDRESS_TEXT];
	int64_t ignored;

	if (!dots || dots - range >= (int)sizeof from || strlen(range) >= sizeof fence->text)
		return fail(STATUS_USAGE, ":fence %s: expected a range as in L10..L20", range);
	snprintf(from, sizeof from, "%.*s", (int)(dots - range), range);
	TRY(read_place(v, from, &fence->first, &ignored));
	TRY(read_place(v, dots + 2, &ignored, &fence->last));
	if (fence->last < fence->first)
		return fail(STATUS_USAGE, ":fence %s: the range ends before it begins", range);
	strcpy(fence->text, range);
	fence->set = true;
	return STATUS_OK;
}

enum status viewer_fence(struct viewer *v, const char *range)
{
	struct viewer_fence fence = { .set = false };

	if (!*range) {
		viewer_say(v, v->fence.set ? "fence removed"
			   : "no fence; :fence L10..L20 restricts c and C to that range");
		v->fence.set = false;
		return STATUS_OK;
	}
	TRY(read_range(v, range, &fence));
	v->fence = fence;
	viewer_say(v, "c and C stay within %s; :fence alone removes the fence", range);
	return STATUS_OK;
}

static enum status fenced(struct viewer *v, int key, enum status (*run)(struct viewer *, int))
{
	struct viewer_place before = v->here, jump = v->before_jump;
	int visited = v->visited.count;
	struct view_context c;
	int64_t op;

	TRY(run(v, key));
	if (!v->fence.set || address_equal(&before.at, &v->here.at))
		return STATUS_OK;
	c = viewer_context(v, 0);
	TRY(walk_op(&c, &v->here.at, &op));
	if (op >= v->fence.first && op <= v->fence.last)
		return STATUS_OK;
	v->here.view = before.view;
	viewer_go(v, &before.at);
	v->before_jump = jump;
	v->visited.count = visited;
	viewer_say(v, "nowhere to stop in that direction within the fence %s", v->fence.text);
	return STATUS_OK;
}

enum status viewer_fenced_next(struct viewer *v, int key)
{
	return fenced(v, key, viewer_next_break);
}

enum status viewer_fenced_previous(struct viewer *v, int key)
{
	return fenced(v, key, viewer_previous_break);
}
