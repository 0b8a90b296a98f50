/* scratch_trace.c - a trace in a temporary file; see scratch_trace.h. */
#include "config.h"

#include "traces/store/scratch_trace.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "traces/row.h"
#include "traces/store/store.h"

enum status scratch_trace_make(struct scratch_trace *scratch)
{
	*scratch = (struct scratch_trace){ NULL, NULL };
	TRY(file_make_folder(NULL, "flashtwin-points", &scratch->folder));
	scratch->path = xasprintf("%s/points.twin", scratch->folder);
	return STATUS_OK;
}

enum status scratch_trace_skip(struct store *store, int64_t run)
{
	const struct row_run empty = {
		.device = "sim", .device_name = "", .profile = "", .driver = "",
		.command = "replay", .path = "", .options = "{}", .level = LEVEL_LAUNCH,
		.version = PACKAGE_VERSION, .started = "", .compute = "",
	};
	int64_t number;

	for (int64_t i = 1; i < run; i++) {
		TRY(store_run_begin(store, &empty, &number));
		TRY(store_run_end(store, number, status_name(STATUS_OK), NULL));
	}
	return STATUS_OK;
}

void scratch_trace_remove(struct scratch_trace *scratch)
{
	if (!scratch->folder)
		return;
	unlink(scratch->path);
	rmdir(scratch->folder);
	free(scratch->path);
	free(scratch->folder);
	*scratch = (struct scratch_trace){ NULL, NULL };
}
