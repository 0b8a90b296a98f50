/* bench_rungs_read.c - times a read of as many bytes as attention reads, by kernels that do nothing
 * else: what the memory gives at this size.
 */
#include "config.h"

#include "tui/bench/bench_rungs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/attention/launch_kernel.h"
#include "kernels/read_rule.h"

enum { VECTOR = 16, MAX_BLOCKS_EACH = 8 };

/* One way to read. */
struct way {
	const char *kernel;
	int blocks;                     /* per multiprocessor */
	unsigned shared;
	int compute_major;              /* that it needs */
};

static const struct way ways[] = {
	{ "read_bulk", 1, READ_RING_BYTES, 9 },
	{ "read_direct", 2, 0, 0 }, { "read_direct", 4, 0, 0 },
	{ "read_direct", MAX_BLOCKS_EACH, 0, 0 },
};

struct reading {
	const struct way *way;
	struct buffer **from;           /* [copies] */
	struct buffer *sums;
	int64_t vectors;
};

static enum status launch_read(struct rig *rig, void *context, int copy)
{
	const struct reading *r = context;
	const struct launch_target target = { .stream = rig->stream };
	const struct arg args[] = {
		ARG_BUFFER(r->from[copy]), ARG_BUFFER(r->sums), ARG_I64(r->vectors),
	};

	return launch_on(rig->device, &target, r->way->kernel, &(struct launch){
		.grid = { (unsigned)(r->way->blocks * rig->info.multiprocessors), 1, 1 },
		.block = { WARP, READ_WARPS, 1 }, .shared_bytes = r->way->shared,
		.args = args, .arg_count = COUNT(args), .layer = -1 });
}

static enum status alloc_all(struct rig *rig, struct reading *r, int copies)
{
	struct buffer_spec spec = { "read", DTYPE_F32, 1, { r->vectors * VECTOR / 4 } };
	struct buffer_spec sums = {
		"sums", DTYPE_U32, 1, { (int64_t)rig->info.multiprocessors * MAX_BLOCKS_EACH
					* READ_WARPS }
	};

	TRY(device_alloc(rig->device, &sums, &r->sums));
	for (int i = 0; i < copies; i++)
		TRY(device_alloc(rig->device, &spec, &r->from[i]));
	TRY(rig_fill_random(rig, r->from[0]));
	for (int i = 1; i < copies; i++)
		TRY(device_copy(rig->device, NULL, r->from[i], 0, r->from[0], 0,
				r->from[0]->bytes));
	return STATUS_OK;
}

/* Keeps the fastest way in `out`. */
static enum status time_ways(struct rig *rig, struct reading *r, int copies,
			     struct rungs_time *out)
{
	for (int i = 0; i < COUNT(ways); i++) {
		struct rungs_time time = { .us = NAN, .p10 = NAN, .p90 = NAN };

		if (rig->on_gpu && rig->info.compute_major < ways[i].compute_major)
			continue;
		r->way = &ways[i];
		TRY(rungs_time_work(rig, copies, launch_read, r, &time));
		snprintf(time.note, sizeof time.note, "%s, %d blocks", ways[i].kernel,
			 ways[i].blocks * rig->info.multiprocessors);
		if (!(out->us <= time.us))
			*out = time;
	}
	return STATUS_OK;
}

enum status rungs_time_read(struct rig *rig, double bytes, struct rungs_time *out)
{
	int copies = rungs_copies(rig, bytes, bytes);
	struct reading r = { .vectors = (int64_t)bytes / VECTOR };
	struct error_record error;
	enum status status;

	*out = (struct rungs_time){ .us = NAN, .p10 = NAN, .p90 = NAN, .copies = copies };
	r.from = xcalloc((size_t)copies, sizeof *r.from);
	status = alloc_all(rig, &r, copies);
	if (status == STATUS_OK)
		status = time_ways(rig, &r, copies, out);
	error_save(&error);
	free_buffers(rig->device, &r.sums, 1);
	free_buffers(rig->device, r.from, copies);
	error_restore(&error);
	free(r.from);
	return rungs_fits(status, "does not fit in memory", out);
}
