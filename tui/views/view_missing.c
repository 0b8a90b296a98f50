/* view_missing.c - why a screen has nothing to show; see view_missing.h.
 *
 * One reason is a level that is too low: the simulator can replay the trace at a higher level, with
 * the same bits. Another is a kernel that publishes nothing; no option helps then.
 */
#include "tui/views/view_missing.h"

#include <inttypes.h>
#include <string.h>

#include "traces/kernel_names.h"
#include "traces/store/store.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

static enum status print_next(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	view_cell launch;

	(void)state;
	view_row_of(c, view_int(row, 0), -1);
	view_print(c, "  the next launch that does: %s %s\n",
		   view_launch_cell(c, view_int(row, 0), launch), view_text(row, 1));
	return STATUS_OK;
}

enum status view_missing_next(const struct view_context *c, const struct view_place *place,
			      enum view_role role)
{
#define NEXT(condition) \
	"SELECT launch, kernel FROM v_launch WHERE run = ?1 AND launch > ?2" \
	" AND launch <= ?2 + ?3 AND " condition " ORDER BY launch LIMIT 1"
	if (view_role(place->kernel) == role)
		return STATUS_OK;
	return VIEW_ROWS(c, print_next, NULL, role == VIEW_CHUNKS ? NEXT(SQL_CHUNKS("kernel"))
			 : NEXT(SQL_MERGES("kernel")), c->run, place->launch, VIEW_NEAR);
#undef NEXT
}

static enum status take_level(const struct view_context *c, sqlite3_stmt *row, void *level)
{
	return log_level_from_name(view_text(row, 0), level) ? STATUS_OK
		: fail(STATUS_DAMAGED, "%s: run %" PRId64 " is damaged",
		       store_shown_path(c->store), c->run);
}

enum status view_trust(const struct view_context *c, const char **option)
{
	int64_t launch;

	TRY(VIEW_NUMBER(c, 0, &launch, "SELECT 1 FROM v_run WHERE command = 'launch' AND ?1"
			" LIMIT 1", 1));
	*option = launch ? " --trust" : "";
	return STATUS_OK;
}

enum status view_missing(const struct view_context *c, const struct view_place *place,
			 enum log_level level, const char *what)
{
	const char *path = store_shown_path(c->store), *slash = strrchr(path, '/');
	enum log_level of_run = LEVEL_LAUNCH;
	const char *trust;

	/* Not store_run_read(), which would also count the rows of the run. */
	TRY(VIEW_ROWS(c, take_level, &of_run, "SELECT level FROM v_run WHERE run = ?1", c->run));
	TRY(view_trust(c, &trust));
	if (of_run < level)
		view_styled(c, STYLE_NOTE, "  run %" PRId64 " was recorded at level %s, which keeps"
			    " no %s. To record them on the simulator:\n"
			    "  flashtwin replay %.40s%s --log points -o T2.twin\n", c->run,
			    log_level_name(of_run), what, slash ? slash + 1 : path, trust);
	else if (place)
		view_styled(c, STYLE_NOTE, "  run %" PRId64 " was recorded at level %s, and %s"
			    " published no %s here\n", c->run, log_level_name(of_run),
			    place->kernel, what);
	else
		view_styled(c, STYLE_NOTE, "  run %" PRId64 " was recorded at level %s, and none of"
			    " its kernels published any\n", c->run, log_level_name(of_run));
	return STATUS_OK;
}

enum status view_missing_points(const struct view_context *c, const struct view_place *place)
{
	int64_t others, empty;
	struct view_shape shape;
	struct view_spot at;
	enum status status;

	TRY(VIEW_NUMBER(c, 0, &others, "SELECT 1 FROM w_point WHERE run = ?1 AND launch = ?2"
			" LIMIT 1", c->run, place->launch));
	if (!others || c->at.block < 0)
		return view_missing(c, place, LEVEL_POINTS, "points");
	status = view_shape_read(c, place, &shape);
	at = view_shape_spot(c, &shape);
	view_shape_free(&shape);
	TRY(status);
	TRY(VIEW_NUMBER(c, 0, &empty, "SELECT empty FROM v_partial WHERE run = ?1 AND launch = ?2"
			" AND chunk = ?3 AND head = ?4 AND slot = ?5", c->run, place->launch,
			at.chunk, at.head, at.slot));
	view_styled(c, STYLE_NOTE, "  none by this %s%s; others in this launch published some\n",
		    c->at.warp >= 0 ? "thread" : "block",
		    empty ? ", whose chunk holds no keys" : "");
	return STATUS_OK;
}
