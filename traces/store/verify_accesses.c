/* verify_accesses.c - what requests of warps cost, from the loads and stores that they consist of.
 */
#include "traces/store/verify_internal.h"

#include <inttypes.h>

#include "traces/request.h"
#include "traces/row.h"
#include "traces/store/column.h"

enum { LAUNCH, WARP, REQUEST, KEYS, KIND = KEYS, SPACE, LANES, BYTES, SECTORS, LINES, CONFLICTS,
       LANE, BUFFER, OFFSET, SIZE };

struct walk {
	struct store *store;
	int64_t run, key[KEYS];
	struct row_request request;     /* count 0: none */
	struct row_access accesses[REQUEST_LANES];
	struct request_cost stored;
	int64_t lanes;
};

static enum status wrong(const struct walk *w, const char *what)
{
	return fail(STATUS_DAMAGED, "%s: run %" PRId64 ": t_request.%s does not follow from"
		    " t_access: launch %" PRId64 " warp %" PRId64 " request %" PRId64,
		    store_shown_path(w->store), w->run, what, w->key[LAUNCH], w->key[WARP],
		    w->key[REQUEST]);
}

/* Checks the request that was collected. */
static enum status end_request(struct walk *w)
{
	struct request_cost cost;

	if (!w->request.count)
		return STATUS_OK;
	w->request.accesses = w->accesses;
	cost = request_cost(&w->request);
	if (w->lanes != w->request.count)
		return wrong(w, "lanes");
	if (cost.bytes != w->stored.bytes)
		return wrong(w, "bytes");
	if (cost.sectors != w->stored.sectors)
		return wrong(w, "sectors");
	if (cost.lines != w->stored.lines)
		return wrong(w, "lines");
	return cost.conflicts == w->stored.conflicts ? STATUS_OK : wrong(w, "conflicts");
}

static void begin_request(struct walk *w, sqlite3_stmt *row, bool *good)
{
	for (int i = 0; i < KEYS; i++)
		w->key[i] = sqlite3_column_int64(row, i);
	w->request = (struct row_request){
		.kind = (enum access_kind)column_int(row, KIND, 0, ACCESS_BULK_WRITE, 0, good),
		.space = (enum access_space)column_int(row, SPACE, 0, SPACE_SHARED, 0, good),
	};
	w->lanes = column_int(row, LANES, 1, REQUEST_LANES, 0, good);
	w->stored = (struct request_cost){
		.bytes = (unsigned)column_int(row, BYTES, 1, UINT32_MAX, 0, good),
		.sectors = (unsigned)column_int(row, SECTORS, 0, UINT32_MAX, 0, good),
		.lines = (unsigned)column_int(row, LINES, 0, UINT32_MAX, 0, good),
		.conflicts = (unsigned)column_int(row, CONFLICTS, 0, UINT32_MAX, 0, good),
	};
}

static enum status take_access(void *context, sqlite3_stmt *row)
{
	struct walk *w = context;
	bool good = true, same = w->request.count > 0;

	for (int i = 0; i < KEYS; i++)
		same = same && w->key[i] == sqlite3_column_int64(row, i);
	if (!same) {
		TRY(end_request(w));
		begin_request(w, row, &good);
	}
	/* Without rows of its own, a request has one row here, with NULL for the access. */
	for (int i = LANE; i <= SIZE; i++)
		good = good && (i == BUFFER || sqlite3_column_type(row, i) != SQLITE_NULL);
	if (!good || w->request.count == REQUEST_LANES)
		return wrong(w, "lanes");
	w->accesses[w->request.count++] = (struct row_access){
		.lane = (uint8_t)column_int(row, LANE, 0, REQUEST_LANES - 1, -1, &good),
		.buffer = (uint32_t)column_int(row, BUFFER, 0, UINT32_MAX, 0, &good),
		.offset = (uint64_t)column_int(row, OFFSET, 0, INT64_MAX - REQUEST_MAX_BYTES, -1,
					       &good),
		.bytes = (uint8_t)column_int(row, SIZE, 1, REQUEST_MAX_BYTES, -1, &good),
	};
	return good ? STATUS_OK : wrong(w, "lanes");
}

enum status verify_accesses(struct store *store, int64_t run)
{
	struct walk w = { .store = store, .run = run };

	TRY(store_each(store, "SELECT r.launch, r.warp, r.request, r.kind, r.space, r.lanes,"
		       " r.bytes, r.sectors, r.lines, r.conflicts, a.lane, a.buffer, a.offset,"
		       " a.bytes FROM t_request r LEFT JOIN t_access a ON a.run = r.run"
		       " AND a.launch = r.launch AND a.warp = r.warp AND a.request = r.request"
		       " WHERE r.run = ?1 ORDER BY r.launch, r.warp, r.request, a.lane", &run, 1,
		       take_access, &w));
	return end_request(&w);
}
