/* bench_rig.c - times work on a device; see bench_rig.h. */
#include "config.h"

#include "tui/bench/bench_rig.h"

#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "tui/bench/bench_sample.h"

#define FLUSH_PATTERN 0x3f800000u       /* 1.0f, a valid number */
#define RANDOM_FLOATS (1u << 20)

/* --- opening --- */

static enum status alloc_flush(struct rig *rig, size_t bytes)
{
	const struct buffer_spec spec = {
		"flush", DTYPE_F32, 1, { (int64_t)(bytes / sizeof(float)) }
	};

	return device_alloc(rig->device, &spec, &rig->flush);
}

enum status rig_open(const char *device, bool check, int runs, size_t flush_bytes,
		     struct rig *out)
{
	const struct device_options options = { .untimed = true, .check = check };

	*out = (struct rig){ .runs = runs };
	TRY(device_open(device, &options, &out->device));
	TRY(device_info(out->device, &out->info));
	out->on_gpu = strcmp(device, "cuda") == 0;
	TRY(device_stream_create(out->device, &out->stream));
	TRY(device_event_create(out->device, &out->from));
	TRY(device_event_create(out->device, &out->to));
	return alloc_flush(out, flush_bytes);
}

void rig_close(struct rig *rig)
{
	if (rig->device)
		device_close(rig->device);      /* and everything allocated on it */
	rig->device = NULL;
}

/* --- buffers --- */

/* Uploads one block of so many bytes and copies the filled part until the buffer is full. */
static enum status spread(struct rig *rig, struct buffer *buffer, const void *block, size_t done)
{
	if (done > buffer->bytes)
		done = buffer->bytes;
	TRY(device_upload(rig->device, NULL, buffer, 0, block, done));
	while (done < buffer->bytes) {
		size_t more = buffer->bytes - done < done ? buffer->bytes - done : done;

		TRY(device_copy(rig->device, NULL, buffer, done, buffer, 0, more));
		done += more;
	}
	return STATUS_OK;
}

enum status rig_fill_random(struct rig *rig, struct buffer *buffer)
{
	float *block = bench_random(RANDOM_FLOATS, &(unsigned){ buffer->id });
	size_t bytes = RANDOM_FLOATS * dtype_bytes(buffer->dtype);
	void *narrow = buffer->dtype == DTYPE_F32 ? NULL : xmalloc(bytes);
	enum status status;

	if (narrow)
		value_round(buffer->dtype, block, RANDOM_FLOATS, narrow);
	status = spread(rig, buffer, narrow ? narrow : block, bytes);
	free(narrow);
	free(block);
	return status;
}

/* --- time --- */

/* A simulator's fill runs on the host, so it must be finished before the clock starts. */
static enum status make_cold(struct rig *rig)
{
	TRY(device_fill(rig->device, rig->stream, rig->flush, 0, FLUSH_PATTERN,
			rig->flush->bytes / sizeof(uint32_t)));
	return rig->on_gpu ? STATUS_OK : device_sync(rig->device, NULL);
}

enum status rig_time_once(struct rig *rig, bool cold, rig_work *work, void *context,
			  struct rig_times *out)
{
	double start;

	TRY(device_sync(rig->device, NULL));
	if (cold)
		TRY(make_cold(rig));
	start = bench_now();
	TRY(device_event_record(rig->device, rig->from, rig->stream));
	TRY(work(rig, context));
	TRY(device_event_record(rig->device, rig->to, rig->stream));
	out->submit = 1e6 * (bench_now() - start);
	TRY(device_sync(rig->device, NULL));
	out->wall = 1e6 * (bench_now() - start);
	TRY(device_event_elapsed(rig->device, rig->from, rig->to, &out->device));
	if (out->device < 0)
		out->device = out->wall;
	return STATUS_OK;
}

static enum status time_all(struct rig *rig, bool cold, rig_work *work, void *context,
			    double *submit, double *wall, double *device)
{
	struct rig_times times;

	TRY(rig_time_once(rig, cold, work, context, &times));       /* warms up */
	for (int i = 0; i < rig->runs; i++) {
		TRY(rig_time_once(rig, cold, work, context, &times));
		submit[i] = times.submit;
		wall[i] = times.wall;
		device[i] = times.device;
	}
	return STATUS_OK;
}

enum status rig_time(struct rig *rig, bool cold, rig_work *work, void *context,
		     struct rig_times *out)
{
	size_t runs = (size_t)rig->runs;
	double *samples = xcalloc(3 * runs, sizeof *samples);
	double *submit = samples, *wall = submit + runs, *device = wall + runs;
	enum status status = time_all(rig, cold, work, context, submit, wall, device);

	if (status == STATUS_OK)
		*out = (struct rig_times){ bench_median(submit, runs), bench_median(wall, runs),
					   bench_median(device, runs) };
	free(samples);
	return status;
}
