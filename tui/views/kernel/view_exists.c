/* view_exists.c - whether a trace has what an address names.
 *
 * Checks a whole address. view_place_find() checks launches, blocks, warps and lanes, and
 * view_source_line() checks lines of sources; the other parts are checked here.
 */
#include "tui/views/kernel/view_exists.h"

#include <inttypes.h>

#include "tui/views/kernel/view_memory.h"
#include "tui/views/kernel/view_source.h"
#include "tui/views/view_query.h"
#include "tui/views/view_recompute.h"

static enum status check_point(const struct view_context *c, const struct view_place *place,
			       int64_t last)
{
	struct address around = c->at;
	char text[ADDRESS_TEXT];

	if (c->at.point <= last)
		return STATUS_OK;
	around.launch = place->launch;
	around.point = -1;
	address_format(&around, text);
	return fail(STATUS_USAGE, "%s has points p0 to p%" PRId64 ", not p%" PRId64, text, last,
		    c->at.point);
}

#define WHERE_THREAD \
	" WHERE run = ?1 AND launch = ?2 AND (?3 < 0 OR block = ?3) AND (?4 < 0 OR warp = ?4)" \
	" AND (?5 < 0 OR lane = ?5)"

/* A place without points is valid: its screen says why it has none. */
enum status view_check_point(const struct view_context *c, const struct view_place *place)
{
	struct view_recomputed recomputed = { 0 };
	const struct address *at = &c->at;
	int64_t last;

	TRY(view_recompute(c, place->launch, NULL, &recomputed));
	TRY(VIEW_NUMBER(c, -1, &last, "SELECT max(sequence) FROM v_point" WHERE_THREAD, c->run,
			place->launch, at->block, at->warp, at->lane));
	return last < 0 ? STATUS_OK : check_point(c, place, last);
}

static enum status check_access(const struct view_context *c, const struct view_place *place)
{
	struct memory_request request;
	int64_t some;

	TRY(memory_at(c, place, &request));
	if (request.warp >= 0)
		return STATUS_OK;
	TRY(VIEW_NUMBER(c, 0, &some, "SELECT 1 FROM w_access_line WHERE run = ?1 AND launch = ?2"
			" LIMIT 1", c->run, place->launch));
	return some ? fail(STATUS_USAGE, "L%" PRId64 " has no request a%" PRId64 " here",
			   place->launch, c->at.access)
		: fail(STATUS_USAGE, "L%" PRId64 " has no loads or stores recorded, so no a%"
		       PRId64, place->launch, c->at.access);
}

enum status view_check_output(int64_t launch, int64_t count, int64_t output)
{
	if (output < count)
		return STATUS_OK;
	if (count == 0)
		return fail(STATUS_USAGE, "L%" PRId64 " wrote nothing that was recorded, so no o%"
			    PRId64, launch, output);
	return fail(STATUS_USAGE, "L%" PRId64 " has outputs o0 to o%" PRId64 ", not o%" PRId64,
		    launch, count - 1, output);
}

enum status view_check_element(const struct written *w, int64_t launch, int64_t element)
{
	int64_t first = written_first(w), past = first + written_count(w);

	if (element < 0 || (element >= first && element < past))
		return STATUS_OK;
	return fail(STATUS_USAGE, "L%" PRId64 ".o%" PRId64 " has elements e%" PRId64 " to e%"
		    PRId64 ", not e%" PRId64, launch, w->output, first, past - 1, element);
}

static enum status check_output(const struct view_context *c, const struct view_place *place)
{
	struct written written;
	int64_t count;
	bool found;
	enum status status;

	TRY(VIEW_NUMBER(c, 0, &count, "SELECT count(DISTINCT entry) FROM v_digest"
			" WHERE run = ?1 AND op = ?2 AND after_step = 0", c->run, place->op));
	TRY(view_check_output(place->launch, count, c->at.output));
	status = written_read(c->store, c->run, place->launch, c->at.output, &written, &found);
	if (status == STATUS_OK && found)
		status = view_check_element(&written, place->launch, c->at.element);
	written_free(&written);
	return status;
}

static enum status check_in_launch(const struct view_context *c)
{
	struct view_place place;
	int64_t line;
	char file[256];
	bool found;

	TRY(view_place_find(c, "v_launch", &place, &found));
	if (c->at.point >= 0)
		TRY(view_check_point(c, &place));
	if (c->at.access >= 0)
		TRY(check_access(c, &place));
	if (c->at.output >= 0)
		TRY(check_output(c, &place));
	return c->at.file >= 0 || c->at.line >= 0
		? view_source_line(c, file, sizeof file, &line, &found) : STATUS_OK;
}

enum status view_check_address(const struct view_context *c)
{
	int64_t known = 1;

	if (c->at.launch >= 0)
		return check_in_launch(c);
	if (c->at.step >= 0)
		TRY(VIEW_NUMBER(c, 0, &known, "SELECT 1 FROM v_step WHERE run = ?1 AND step = ?2"
				" LIMIT 1", c->run, c->at.step));
	if (!known)
		return fail(STATUS_USAGE, "run %" PRId64 " has no step s%" PRId64, c->run,
			    c->at.step);
	if (c->at.op >= 0)
		TRY(VIEW_NUMBER(c, 0, &known, "SELECT 1 FROM v_op WHERE run = ?1 AND op = ?2",
				c->run, c->at.op));
	return known ? STATUS_OK
		: fail(STATUS_USAGE, "run %" PRId64 " has no op %" PRId64, c->run, c->at.op);
}
