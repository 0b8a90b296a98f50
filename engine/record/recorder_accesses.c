/* recorder_accesses.c - records the loads and stores of blocks of launches; see
 * recorder_accesses.h. */
#include "engine/record/recorder_accesses.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/record/recorder.h"
#include "engine/record/recorder_state.h"
#include "engine/record/recording.h"
#include "engine/record/shadow.h"
#include "traces/row.h"
#include "traces/store/store.h"

enum status recorder_accesses_open(struct recorder *r, const struct recorder_options *options)
{
	if (r->level < LEVEL_ACCESS)
		return STATUS_OK;
	TRY(log_at_parse(options->recorded_at ? options->recorded_at : options->log_at,
			 &r->blocks));
	if (!r->blocks.blocks && !options->recorded_at)
		return fail(STATUS_USAGE, "level access needs blocks, such as L4.b0..L4.b7");
	if (r->blocks.blocks && device_watch(r->device.inner, NULL, 0) == STATUS_OK)
		return STATUS_OK;
	error_clear();
	r->level = LEVEL_POINTS;
	return STATUS_OK;
}

enum status recorder_accesses_watch(struct recorder *r, const struct launch *launch, int64_t number)
{
	const struct block_range *ranges;
	int64_t blocks = (int64_t)launch->grid.x * launch->grid.y * launch->grid.z;
	int count;

	if (r->level < LEVEL_ACCESS)
		return STATUS_OK;
	count = log_at_blocks(&r->blocks, number, &ranges);
	if (count && ranges[count - 1].last >= blocks)
		return fail(STATUS_USAGE, "--log-at: launch L%" PRId64 " has no block b%" PRId64
			    ": its last one is b%" PRId64, number, ranges[count - 1].last,
			    blocks - 1);
	return device_watch(r->device.inner, ranges, (size_t)count);
}

/* --- buffers --- */

static int by_address(const void *one, const void *other)
{
	const struct shadow *const *a = one, *const *b = other;
	uint64_t x = (*a)->buffer->address, y = (*b)->buffer->address;

	return (x > y) - (x < y);
}

static bool holds(const struct shadow *shadow, const struct row_access *access)
{
	const struct buffer *buffer = shadow->buffer;

	return access->address >= buffer->address
		&& access->address - buffer->address < buffer->bytes;
}

static const struct shadow *find(const struct shadow *const *shadows, int count,
				 const struct row_access *access)
{
	int low = 0, high = count;

	while (low < high) {
		int middle = (low + high) / 2;

		if (shadows[middle]->buffer->address <= access->address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && holds(shadows[low - 1], access) ? shadows[low - 1] : NULL;
}

/* Addresses differ between devices and runs: the trace has buffers and offsets. */
static void find_buffers(struct recorder *r, struct row_memory *memory)
{
	const struct shadow **shadows = xcalloc((size_t)r->shadow_count + 1, sizeof *shadows);
	const struct shadow *last = NULL;

	for (int i = 0; i < r->shadow_count; i++)
		shadows[i] = &r->shadows[i];
	qsort(shadows, (size_t)r->shadow_count, sizeof *shadows, by_address);
	for (size_t i = 0; i < memory->access_count; i++) {
		struct row_access *access = &memory->accesses[i];

		if (!last || !holds(last, access))
			last = find(shadows, r->shadow_count, access);
		if (last) {
			access->buffer = last->id;
			access->offset = access->address - last->buffer->address;
		}
	}
	free(shadows);
}

/* --- results --- */

static enum status check_limit(struct recorder *r, int64_t launch, const struct row_memory *memory)
{
	r->access_count += memory->access_count;
	r->line_count += memory->line_count;
	if (r->access_count <= ACCESS_LIMIT && r->line_count <= ACCESS_LIMIT)
		return STATUS_OK;
	return fail(STATUS_LIMIT, "--log access: %" PRIu64 " %s up to launch L%" PRId64
		    ", and a trace holds at most %d: record fewer blocks",
		    r->access_count > ACCESS_LIMIT ? r->access_count : r->line_count,
		    r->access_count > ACCESS_LIMIT ? "loads and stores" : "lines of threads",
		    launch, ACCESS_LIMIT);
}

enum status recorder_accesses_store(struct recording *rec)
{
	const struct dim3 block = rec->launch->block;
	struct recorder *r = rec->recorder;
	const struct block_range *ranges;
	struct row_memory memory;

	if (r->level < LEVEL_ACCESS || !log_at_blocks(&r->blocks, rec->number, &ranges))
		return STATUS_OK;
	device_memory(r->device.inner, &memory);
	TRY(check_limit(r, rec->number, &memory));
	find_buffers(r, &memory);
	return store_memory(r->store, r->run, rec->number,
			    (int64_t)block.x * block.y * block.z, &memory);
}
