/* store_memory.c - rows of loads and stores, of the requests of warps that they form, and of lines
 * that threads reached.
 *
 * What requests cost is stored with them, and summed by source line, so that readers need not read
 * every access; verify_accesses.c checks both.
 */
#include "traces/store/store_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/request.h"
#include "traces/row.h"

/* A row of t_access_line. */
struct sum {
	const char *file;
	int line;
	enum access_kind kind;
	enum access_space space;
	int64_t counted, requests, lanes, bytes, sectors, lines, conflicts;
};

struct sums {
	struct sum *list;
	size_t count;
};

/* The sum that the request belongs to; consecutive requests are often of the same lines. */
static struct sum *sum_of(struct sums *sums, const struct row_request *r)
{
	const char *file = r->file ? r->file : "";

	for (size_t i = sums->count; i > 0; i--) {
		struct sum *sum = &sums->list[i - 1];

		if (sum->line == r->line && sum->kind == r->kind && sum->space == r->space
		    && !strcmp(sum->file, file))
			return sum;
	}
	sums->list = xreallocarray(sums->list, sums->count + 1, sizeof *sums->list);
	sums->list[sums->count] = (struct sum){
		.file = file, .line = r->line, .kind = r->kind, .space = r->space,
	};
	return &sums->list[sums->count++];
}

static enum status put_request(struct store *store, int64_t run, int64_t launch, int64_t warp,
			       const struct row_request *r, struct sums *sums)
{
	struct request_cost cost = request_cost(r);
	struct sum *sum = sum_of(sums, r);
	bool global = r->space == SPACE_GLOBAL;

	sum->counted += r->counted;
	sum->requests++;
	sum->lanes += r->count;
	sum->bytes += cost.bytes;
	sum->sectors += cost.sectors;
	sum->lines += cost.lines;
	sum->conflicts += cost.conflicts;
	return PUT(store, TABLE_REQUEST, V_INT(run), V_INT(launch), V_INT(warp), V_INT(r->number),
		   V_INT(r->kind), V_INT(r->space), V_INT(r->counted), V_INT(r->count),
		   V_INT(cost.bytes), V_INT_IF(global, cost.sectors), V_INT_IF(global, cost.lines),
		   V_INT_IF(!global, cost.conflicts), V_TEXT(r->file), V_INT_IF(r->file, r->line));
}

static enum status put_accesses(struct store *store, int64_t run, int64_t launch, int64_t warp,
				const struct row_request *r)
{
	for (unsigned i = 0; i < r->count; i++) {
		const struct row_access *a = &r->accesses[i];

		TRY(PUT(store, TABLE_ACCESS, V_INT(run), V_INT(launch), V_INT(warp),
			V_INT(r->number), V_INT(a->lane), V_INT_IF(a->buffer, a->buffer),
			V_INT(a->offset), V_INT(a->bytes), V_INT_IF(a->known, a->bits)));
	}
	return STATUS_OK;
}

static enum status put_sums(struct store *store, int64_t run, int64_t launch,
			    const struct sums *sums)
{
	for (size_t i = 0; i < sums->count; i++) {
		const struct sum *s = &sums->list[i];
		bool global = s->space == SPACE_GLOBAL;

		TRY(PUT(store, TABLE_ACCESS_LINE, V_INT(run), V_INT(launch), V_TEXT(s->file),
			V_INT(s->line), V_INT(s->kind), V_INT(s->space), V_INT(s->counted),
			V_INT(s->requests), V_INT(s->lanes), V_INT(s->bytes),
			V_INT_IF(global, s->sectors), V_INT_IF(global, s->lines),
			V_INT_IF(!global, s->conflicts)));
	}
	return STATUS_OK;
}

static enum status put_lines(struct store *store, int64_t run, int64_t launch, int64_t threads,
			     const struct row_memory *memory)
{
	for (size_t i = 0; i < memory->line_count; i++) {
		const struct row_reach *r = &memory->lines[i];

		TRY(PUT(store, TABLE_LINE, V_INT(run), V_INT(launch),
			V_INT((int64_t)r->block * threads + r->thread), V_INT(r->sequence),
			V_TEXT(r->file), V_INT(r->line)));
	}
	return STATUS_OK;
}

enum status store_memory(struct store *store, int64_t run, int64_t launch, int64_t threads,
			 const struct row_memory *memory)
{
	int64_t warps = (threads + REQUEST_LANES - 1) / REQUEST_LANES;
	enum status status = STATUS_OK;
	struct sums sums = { 0 };

	for (size_t i = 0; i < memory->request_count && status == STATUS_OK; i++) {
		const struct row_request *r = &memory->requests[i];
		int64_t warp = (int64_t)r->block * warps + r->warp;

		status = put_request(store, run, launch, warp, r, &sums);
		if (status == STATUS_OK)
			status = put_accesses(store, run, launch, warp, r);
	}
	if (status == STATUS_OK)
		status = put_sums(store, run, launch, &sums);
	if (status == STATUS_OK)
		status = put_lines(store, run, launch, threads, memory);
	free(sums.list);
	return status;
}
