/* probe.c - sizes the probe buffers before a launch and turns their records into points after it.
 *
 * Every thread of the launch has its own region of `capacity` records and a counter, so that
 * records need no sorting: by thread, then by record, is the order of a trace. Most threads of a
 * static grid publish nothing (empty chunks), so only regions in use are downloaded. Kernels write
 * the records (kernels/points.h); the recorder, which uses this file, stores the points.
 */
#include "config.h"

#include "engine/record/probe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "kernels/points.h"
#include "traces/row.h"

#define PROBE_LIMIT ((uint64_t)2 << 30)
/* Regions this close together are read in one download: a transfer costs more than its bytes. */
#define GAP_BYTES ((uint64_t)64 << 10)

struct probe {
	struct device *device;
	struct buffer *records, *counts;
	const char *const *names;       /* of the points of the prepared launch's kernel, */
	unsigned name_count;
	uint64_t threads;               /* its threads */
	unsigned block_threads, capacity;
};

static const char *const project_names[] = {
#define X(name, a, b, c, d) [POINT_##name] = #name,
	POINT_LIST(X)
#undef X
	NULL
};

/* --- the filter: a set of point ids, one bit each --- */

_Static_assert(POINT_COUNT <= 64, "a filter is one 64-bit word");

static int point_find(const char *const *names, const char *name, size_t length)
{
	for (int id = 0; names[id]; id++)
		if (strlen(names[id]) == length && !memcmp(names[id], name, length))
			return id;
	return -1;
}

/* The name in a list after the one at `at`; NULL after the last. */
static const char *next_name(const char *at)
{
	size_t length = strcspn(at, ",");

	return at[length] ? at + length + 1 : NULL;
}

/* Ignores names of other kernels' points. */
static uint64_t filter_set(const char *filter, const char *const *names)
{
	uint64_t set = filter ? 0 : UINT64_MAX;

	for (const char *at = filter; at; at = next_name(at)) {
		int id = point_find(names, at, strcspn(at, ","));

		if (id >= 0)
			set |= UINT64_C(1) << id;
	}
	return set;
}

enum status probe_check_filter(const char *filter)
{
	for (const char *at = filter; at; at = next_name(at)) {
		size_t length = strcspn(at, ",");

		if (kernel_registered_point(at, length))
			continue;
#define X(name, a, b, c, d) " " #name
		if (point_find(project_names, at, length) < 0)
			return fail(STATUS_USAGE, "--points: unknown point '%.*s'; known are:"
				    POINT_LIST(X), (int)length, at);
#undef X
	}
	return STATUS_OK;
}

/* --- before the launch --- */

struct probe *probe_new(struct device *device)
{
	struct probe *probe = xcalloc(1, sizeof *probe);

	probe->device = device;
	return probe;
}

void probe_free(struct probe *probe)
{
	if (!probe)
		return;
	/* Errors do not matter: device_close() frees what is left. */
	if (probe->records)
		device_free(probe->device, probe->records);
	if (probe->counts)
		device_free(probe->device, probe->counts);
	free(probe);
}

/* Never shrinks the buffer, because launches of a decode step alternate between sizes. */
static enum status buffer_grow(struct device *device, struct buffer **buffer, const char *name,
			       uint64_t bytes)
{
	struct buffer_spec spec = {
		.name = name, .dtype = DTYPE_U32, .rank = 1, .shape = { (int64_t)(bytes / 4) },
	};
	struct buffer *bigger;

	if (*buffer && (*buffer)->bytes >= bytes)
		return STATUS_OK;
	TRY(device_alloc(device, &spec, &bigger));
	if (*buffer) {
		enum status status = device_free(device, *buffer);

		*buffer = bigger;
		return status;
	}
	*buffer = bigger;
	return STATUS_OK;
}

static uint64_t dim3_count(struct dim3 d)
{
	return (uint64_t)d.x * d.y * d.z;
}

/* Bytes of both buffers; on overflow a value above the limit. */
static uint64_t probe_bytes(uint64_t blocks, uint64_t block_threads, uint64_t capacity)
{
	uint64_t region = capacity * sizeof(struct point_record) + sizeof(unsigned);
	uint64_t threads, bytes;

	if (__builtin_mul_overflow(blocks, block_threads, &threads)
	    || __builtin_mul_overflow(threads, region, &bytes))
		return UINT64_MAX;
	return bytes;
}

enum status probe_check(const struct kernel *kernel, const struct kernel_call *call, bool *active)
{
	unsigned capacity = kernel->points ? kernel->points(call) : 0;
	uint64_t blocks = dim3_count(call->grid), block_threads = dim3_count(call->block);

	*active = false;
	/* The device rejects a launch without threads. */
	if (!capacity || !blocks || !block_threads)
		return STATUS_OK;
	if (probe_bytes(blocks, block_threads, capacity) > PROBE_LIMIT)
		return fail(STATUS_USAGE, "%s: points of %" PRIu64 " blocks of %" PRIu64
			    " threads, up to %u of %zu bytes each, exceed the limit of %" PRIu64
			    " bytes: log fewer launches (--log-at) or at a lower level (--log)",
			    kernel->name, blocks, block_threads, capacity,
			    sizeof(struct point_record), PROBE_LIMIT);
	*active = true;
	return STATUS_OK;
}

/* The download of one counter waits for the fill, and for nothing else. */
enum status probe_clear(struct probe *probe)
{
	unsigned first;

	TRY(device_fill(probe->device, NULL, probe->counts, 0, 0, probe->threads));
	return device_download(probe->device, NULL, probe->counts, 0, &first, sizeof first);
}

enum status probe_point_here(struct probe *probe)
{
	return device_set_points(probe->device, probe->records, probe->counts, probe->capacity);
}

enum status probe_prepare(struct probe *probe, const struct kernel *kernel,
			  const struct kernel_call *call, bool *active)
{
	struct device *device = probe->device;
	uint64_t block_threads = dim3_count(call->block);
	uint64_t threads = dim3_count(call->grid) * block_threads;
	unsigned capacity;

	TRY(probe_check(kernel, call, active));
	if (!*active)
		return STATUS_OK;
	capacity = kernel->points(call);
	TRY(buffer_grow(device, &probe->records, "probe.records",
			threads * capacity * sizeof(struct point_record)));
	TRY(buffer_grow(device, &probe->counts, "probe.counts", threads * sizeof(unsigned)));
	probe->names = kernel->point_names ? kernel->point_names : project_names;
	for (probe->name_count = 0; probe->names[probe->name_count]; )
		probe->name_count++;
	probe->threads = threads;
	probe->block_threads = (unsigned)block_threads;
	probe->capacity = capacity;
	TRY(probe_clear(probe));
	return probe_point_here(probe);
}

/* --- after the launch --- */

/* The state of probe_collect(). */
struct collection {
	const struct probe *probe;
	const unsigned *counts;         /* [threads] */
	struct point_record *records;   /* [threads * capacity]; only regions in use are read */
	uint64_t filter;
	struct row_point *points;
	size_t count;
};

static unsigned written(const struct probe *probe, unsigned passed)
{
	return passed < probe->capacity ? passed : probe->capacity;
}

/* The first thread from `t` on that published a point; `threads` if none did. */
static uint64_t next_in_use(const struct collection *c, uint64_t t)
{
	while (t < c->probe->threads && !c->counts[t])
		t++;
	return t;
}

static enum status download_records(struct collection *c)
{
	const struct probe *probe = c->probe;
	uint64_t region = probe->capacity * sizeof(struct point_record);
	uint64_t begin = next_in_use(c, 0);

	while (begin < probe->threads) {
		uint64_t end = begin + 1, next = next_in_use(c, end);

		while (next < probe->threads && (next - end) * region <= GAP_BYTES) {
			end = next + 1;
			next = next_in_use(c, end);
		}
		TRY(device_download(probe->device, NULL, probe->records, begin * region,
				    c->records + begin * probe->capacity, (end - begin) * region));
		begin = next;
	}
	return STATUS_OK;
}

static enum status decode_thread(struct collection *c, uint64_t thread)
{
	const struct probe *probe = c->probe;
	unsigned records = written(probe, c->counts[thread]);

	for (unsigned i = 0; i < records; i++) {
		const struct point_record *record = &c->records[thread * probe->capacity + i];
		unsigned id = record->head & 0xffff, values = record->head >> 16;
		struct row_point *point = &c->points[c->count];

		if (id >= probe->name_count || values > POINT_VALUES)
			return fail(STATUS_INTERNAL, "point %u of thread %" PRIu64
				    " has an invalid head 0x%08x", i, thread,
				    record->head);
		if (!(c->filter >> id & 1))
			continue;
		*point = (struct row_point){
			.block = thread / probe->block_threads,
			.thread = (uint32_t)(thread % probe->block_threads),
			.sequence = i, .name = probe->names[id], .count = (int)values,
		};
		memcpy(point->bits, record->value, values * sizeof point->bits[0]);
		c->count++;
	}
	return STATUS_OK;
}

/* Reads and decodes the records, whose counts are already read. */
static enum status collect_records(struct collection *c, uint64_t *dropped)
{
	const struct probe *probe = c->probe;
	size_t total = 0;

	for (uint64_t t = 0; t < probe->threads; t++) {
		total += written(probe, c->counts[t]);
		*dropped += c->counts[t] - written(probe, c->counts[t]);
	}
	if (!total)
		return STATUS_OK;
	c->records = xreallocarray(NULL, probe->threads * probe->capacity, sizeof *c->records);
	c->points = xreallocarray(NULL, total, sizeof *c->points);
	TRY(download_records(c));
	for (uint64_t t = 0; t < probe->threads; t++)
		TRY(decode_thread(c, t));
	return STATUS_OK;
}

enum status probe_collect(struct probe *probe, const char *filter, struct row_point **points,
			  size_t *count, uint64_t *dropped)
{
	struct collection c = { .probe = probe, .filter = filter_set(filter, probe->names) };
	enum status status;
	unsigned *counts;

	*points = NULL;
	*count = 0;
	*dropped = 0;
	counts = xreallocarray(NULL, probe->threads, sizeof *counts);
	c.counts = counts;
	status = device_download(probe->device, NULL, probe->counts, 0, counts,
				 probe->threads * sizeof *counts);
	if (status == STATUS_OK)
		status = collect_records(&c, dropped);
	free(counts);
	free(c.records);
	if (status != STATUS_OK || !c.count) {
		free(c.points);
		return status;
	}
	*points = c.points;
	*count = c.count;
	return STATUS_OK;
}
