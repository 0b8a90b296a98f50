/* recorder_results.c - stores the results of a launch as rows; see recorder_results.h. */
#include "engine/record/recorder_results.h"

#include <stdlib.h>

#include "engine/record/probe.h"
#include "engine/record/recorder_accesses.h"
#include "engine/record/recorder_decode.h"
#include "engine/record/recorder_digest.h"
#include "engine/record/recorder_state.h"
#include "engine/record/recording.h"
#include "engine/record/shadow.h"
#include "traces/store/store.h"

static enum status store_probed(const struct recording *rec, struct probe *probe)
{
	const struct dim3 block = rec->launch->block;
	struct recorder *r = rec->recorder;
	struct row_point *points;
	uint64_t dropped;
	enum status status;
	size_t count;

	TRY(probe_collect(probe, r->points, &points, &count, &dropped));
	/* The observer may be called before the launch's row is stored. */
	status = store_points(r->store, r->run, rec->number,
			      (int64_t)block.x * block.y * block.z, points, count, dropped);
	free(points);
	return status;
}

/* Whether the bytes are results of attention, which are kept: of a launch that publishes partials
 * and merges them itself, those of its parameter `out`. */
static bool is_kept(const struct recording *rec, const struct written *w)
{
	const struct kernel *kernel = rec->launch->kernel;
	int out = kernel_param_index(kernel, "out");

	if (rec->recorder->level < LEVEL_PARTIALS)
		return false;
	if (kernel->role == ROLE_CHUNK)
		return out >= 0 && rec->launch->args[out].buffer == w->shadow->buffer;
	return kernel->role == ROLE_REDUCE || kernel->role == ROLE_ATTENTION;
}

enum status recorder_results(struct recording *rec, struct probe *points)
{
	for (int i = 0; i < rec->written_count; i++)
		if (rec->written[i].ranges.count)
			TRY(recorder_digest_written(rec, &rec->written[i],
						    is_kept(rec, &rec->written[i])));
	TRY(recorder_decode(rec));
	TRY(recorder_accesses_store(rec));
	return points ? store_probed(rec, points) : STATUS_OK;
}
