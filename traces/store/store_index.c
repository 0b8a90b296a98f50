/* store_index.c - steps through named points in the order of their table; see store_index.h. */
#include "traces/store/store_index.h"

#include "traces/kernel_names.h"
#include "traces/store/column.h"
#include "traces/store/store_internal.h"

static const char *const next_point[] = {
	"SELECT launch, thread, sequence FROM t_point WHERE run = ?1"
	" AND (launch, thread, sequence) > (?2, ?3, ?4) AND (?5 IS NULL OR name = ?5)"
	" ORDER BY launch, thread, sequence LIMIT 1",
	"SELECT launch, thread, sequence FROM t_point WHERE run = ?1"
	" AND (launch, thread, sequence) < (?2, ?3, ?4) AND (?5 IS NULL OR name = ?5)"
	" ORDER BY launch DESC, thread DESC, sequence DESC LIMIT 1",
};

/* The number of a name; 0: no point in the file has it, so none needs to be read. */
static enum status find_name(struct store *store, const char *name, int64_t *number)
{
	sqlite3_stmt *row;
	int code = sqlite3_prepare_v2(store_db(store), "SELECT name FROM t_point_name"
				      " WHERE content = ?1", -1, &row, NULL);

	*number = 0;
	if (code == SQLITE_OK)
		code = sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
	if (code == SQLITE_OK && (code = sqlite3_step(row)) == SQLITE_ROW)
		*number = sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
	return code == SQLITE_ROW || code == SQLITE_DONE ? STATUS_OK : store_read_failed(store);
}

enum status store_next_point(struct store *store, int64_t run, const char *name, int direction,
			     struct store_point *point, bool *found)
{
	int64_t values[] = { run, point->launch, point->thread, point->sequence, 0 };
	int count = name ? 5 : 4, code;
	sqlite3_stmt *row;
	bool good = true;

	*found = false;
	if (name)
		TRY(find_name(store, name, &values[4]));
	if (name && !values[4])
		return STATUS_OK;
	code = sqlite3_prepare_v2(store_db(store), next_point[direction < 0], -1, &row, NULL);
	for (int i = 0; i < count && code == SQLITE_OK; i++)
		code = sqlite3_bind_int64(row, i + 1, values[i]);
	if (code == SQLITE_OK)
		code = sqlite3_step(row);
	if (code == SQLITE_ROW) {
		*found = true;
		*point = (struct store_point){ column_int(row, 0, 0, INT64_MAX, 0, &good),
					       column_int(row, 1, 0, INT64_MAX, 0, &good),
					       column_int(row, 2, 0, INT64_MAX, 0, &good) };
	}
	sqlite3_finalize(row);
	if (!good)
		return fail(STATUS_DAMAGED, "%s: run %lld: a named point has a bad key",
			    store_shown_path(store), (long long)run);
	return code == SQLITE_ROW || code == SQLITE_DONE ? STATUS_OK : store_read_failed(store);
}

/* Launches l, with their kernels c.kernel, of runs r. What is asked of a run is tested once, before
 * its launches are read. */
#define LAUNCHES_OF_RUN \
	" SELECT r.run, l.launch FROM main.t_run r" \
	" CROSS JOIN main.t_launch l ON l.run = r.run" \
	" CROSS JOIN main.t_op o ON o.run = r.run AND o.op = l.op" \
	" CROSS JOIN main.t_call c ON c.call = o.call WHERE "

enum status store_index_views(struct store *store)
{
	return store_run_sql(store,
			     "CREATE TEMP VIEW IF NOT EXISTS w_point AS"
			     " SELECT p.run, p.launch, p.thread, p.sequence, n.content AS name,"
			     " p.v0 AS v0_bits, p.v1 AS v1_bits, p.v2 AS v2_bits, p.v3 AS v3_bits"
			     " FROM main.t_point p LEFT JOIN main.t_point_name n USING (name);"
			     "CREATE TEMP VIEW IF NOT EXISTS w_request AS SELECT * FROM t_request;"
			     "CREATE TEMP VIEW IF NOT EXISTS w_access AS SELECT * FROM t_access;"
			     "CREATE TEMP VIEW IF NOT EXISTS w_access_line AS"
			     " SELECT * FROM t_access_line;"
			     "CREATE TEMP VIEW IF NOT EXISTS w_attention AS"
			     " SELECT run, launch FROM main.t_partial UNION ALL"
			     LAUNCHES_OF_RUN "c.kernel GLOB 'attention_[ib]*' AND EXISTS (SELECT 1"
			     "  FROM main.t_kernel k WHERE k.run = r.run"
			     "  AND k.kernel GLOB 'attention_[ib]*')"
			     " UNION ALL"
			     LAUNCHES_OF_RUN SQL_CHUNKS("c.kernel") " AND NOT EXISTS (SELECT 1"
			     "  FROM main.t_partial p WHERE p.run = r.run);"
			     "CREATE TEMP VIEW IF NOT EXISTS w_attends AS"
			     " SELECT run, launch FROM w_attention UNION ALL"
			     LAUNCHES_OF_RUN SQL_PREFILLS("c.kernel") " AND EXISTS (SELECT 1"
			     "  FROM main.t_kernel k WHERE k.run = r.run"
			     "  AND " SQL_PREFILLS("k.kernel") ");"
			     "CREATE TEMP VIEW IF NOT EXISTS w_reduction AS"
			     " SELECT run, launch FROM main.t_reduce UNION ALL"
			     LAUNCHES_OF_RUN SQL_MERGES("c.kernel") " AND NOT EXISTS (SELECT 1"
			     "  FROM main.t_reduce p WHERE p.run = r.run)"
			     /* Its blocks merge, of which the trace has no rows. */
			     " UNION ALL"
			     LAUNCHES_OF_RUN SQL_MERGES_OWN("c.kernel") " AND EXISTS (SELECT 1"
			     "  FROM main.t_kernel k WHERE k.run = r.run"
			     "  AND " SQL_MERGES_OWN("k.kernel") ");"
			     "CREATE TEMP VIEW IF NOT EXISTS w_published AS"
			     " SELECT run, launch FROM main.t_point UNION ALL"
			     LAUNCHES_OF_RUN "(c.kernel GLOB 'flash_decode_*'"
			     "  OR c.kernel GLOB 'attention_*') AND NOT EXISTS (SELECT 1"
			     "  FROM main.t_point p WHERE p.run = r.run)");
}

/* v_kv has the rows, but in traces before version 5 not those of uploads, and never those that a
 * window of the recording begins with: these are computed from the offset and size of an upload
 * into a [slots, KV heads, max_len, D] cache. There are few caches and many operations, so
 * operations are read only once. Rows are inserted in the order of the table's key, which only
 * appends. Rows copied out of a cache are left out. */
static const char make_kv[] =
	"CREATE TEMP TABLE IF NOT EXISTS w_kv_cache AS SELECT run, buffer,"
	"  CAST(substr(name, 9) AS INTEGER) AS layer,"
	"  substr(name, 1, 1) AS tensor, json_extract(shape, '$[1]') AS heads,"
	"  json_extract(shape, '$[2]') AS max_len,"
	"  json_extract(shape, '$[0]') * json_extract(shape, '$[1]')"
	"  * json_extract(shape, '$[2]') AS rows, bytes / max(json_extract(shape, '$[0]')"
	"  * json_extract(shape, '$[1]') * json_extract(shape, '$[2]'), 1) AS row_bytes"
	"  FROM main.t_buffer WHERE rank = 4 AND name GLOB '[kv]_cache.*';"
	"CREATE TEMP TABLE IF NOT EXISTS w_kv_load (run, layer, slot, tensor, position, kv_head,"
	" op, buffer, PRIMARY KEY (run, layer, slot, tensor, position, kv_head, op)) WITHOUT ROWID;"
	/* Not more rows than the cache has, or bytes were stored. */
	"WITH RECURSIVE load AS (SELECT o.op, c.*, o.offset / row_bytes AS row,"
	"  min((o.offset + min(o.bytes, d.bytes, length(d.pieces) / 4 * 65536)) / row_bytes,"
	"  c.rows) AS past FROM main.t_op o"
	"  CROSS JOIN w_kv_cache c ON c.run = o.run AND c.buffer = o.buffer"
	"  CROSS JOIN main.t_blob d ON d.data = o.data"
	"  WHERE o.kind IN (SELECT kind FROM main.t_op_kind WHERE name IN ('upload', 'restore'))"
	"  AND o.code = 0 AND row_bytes > 0 AND o.bytes >= row_bytes"
	"  UNION ALL SELECT op, run, buffer, layer, tensor, heads, max_len, rows, row_bytes,"
	"  row + 1, past FROM load WHERE row + 1 < past)"
	" INSERT OR IGNORE INTO w_kv_load"
	" SELECT run, layer, row / max_len / heads AS slot, tensor, row % max_len AS position,"
	"  row / max_len % heads AS kv_head, op, buffer FROM load ORDER BY 1, 2, 3, 4, 5, 6, 7;"
	"CREATE TEMP TABLE IF NOT EXISTS w_kv (run, layer, slot, tensor, position, op, launch,"
	" buffer, source_op, source_offset,"
	" PRIMARY KEY (run, layer, slot, tensor, position, op)) WITHOUT ROWID;"
	"INSERT OR IGNORE INTO w_kv"
	" SELECT run, layer, slot, tensor, position, op, NULL AS launch, buffer,"
	"  NULL AS source_op, NULL AS source_offset FROM w_kv_load WHERE kv_head = 0"
	" UNION ALL SELECT k.run, coalesce(k.layer, -1), k.slot, k.tensor, k.position, k.op,"
	"  k.launch, k.buffer, iif(k.launch IS NULL, NULL, k.source_op),"
	"  iif(k.launch IS NULL, NULL, k.source_offset) FROM v_kv k WHERE k.kv_head = 0"
	"  AND (k.launch IS NOT NULL OR (k.run, k.buffer) IN (SELECT run, buffer FROM w_kv_cache))"
	"  ORDER BY 1, 2, 3, 4, 5, 6;"
	"CREATE TEMP TABLE IF NOT EXISTS w_kv_place (run, layer, slot, tensor, position, first_op,"
	" PRIMARY KEY (run, layer, slot, tensor, position)) WITHOUT ROWID;"
	"INSERT OR IGNORE INTO w_kv_place SELECT run, layer, slot, tensor, position, min(op)"
	" FROM w_kv GROUP BY run, layer, slot, tensor, position";

/* Screens count with positions, as indices of arrays too. */
static enum status check_kv(struct store *store)
{
	sqlite3_stmt *row;
	enum status status;

	TRY(store_select(store, &row, "SELECT run, position FROM w_kv_place WHERE typeof(position)"
			 " <> 'integer' OR position NOT BETWEEN 0 AND 0x7fffffff LIMIT 1", NULL,
			 0));
	status = sqlite3_step(row) == SQLITE_ROW
		? fail(STATUS_DAMAGED, "%s: run %lld: a row of a KV cache has the position %.40s",
		       store_shown_path(store), (long long)sqlite3_column_int64(row, 0),
		       column_text(row, 1)) : STATUS_OK;
	return sqlite3_finalize(row) == SQLITE_OK ? status : store_failed(store, "read");
}

enum status store_index_kv(struct store *store)
{
	/* Every screen calls this, and parsing it again takes longer than many queries. */
	if (store->walks_kv)
		return STATUS_OK;
	TRY(store_run_sql(store, make_kv));
	TRY(check_kv(store));
	store->walks_kv = true;
	return STATUS_OK;
}

static const char make_buffers[] =
	"CREATE TEMP TABLE IF NOT EXISTS w_written AS"
	" SELECT run, buffer, op, entry, launch, offset, bytes FROM main.v_digest"
	"  WHERE after_step = 0"
	" UNION ALL SELECT run, buffer, op, NULL, NULL, coalesce(offset, 0), bytes FROM main.v_op"
	"  WHERE kind IN ('upload', 'upload_pointers', 'copy', 'fill', 'restore');"
	"CREATE INDEX IF NOT EXISTS temp.w_written_buffer ON w_written (run, buffer, op);"
	"CREATE TEMP TABLE IF NOT EXISTS w_given AS"
	" SELECT DISTINCT run, buffer, op FROM main.v_arg"
	"  WHERE buffer IS NOT NULL AND launch IS NOT NULL"
	" UNION ALL SELECT run, coalesce(from_buffer, buffer), op FROM main.v_op"
	"  WHERE launch IS NULL AND kind IN ('download', 'copy');"
	"CREATE INDEX IF NOT EXISTS temp.w_given_buffer ON w_given (run, buffer, op)";

enum status store_index_buffers(struct store *store)
{
	return store_run_sql(store, make_buffers);
}

enum status store_index_kernels(struct store *store)
{
	return store_run_sql(store,
		"CREATE TEMP TABLE IF NOT EXISTS w_kernel AS SELECT * FROM t_kernel_count"
		" UNION ALL " STORE_COUNT_KERNELS " WHERE run IN (SELECT run FROM main.t_run"
		"  EXCEPT SELECT run FROM t_kernel_count) GROUP BY run, kernel");
}

enum status store_index_resume(struct store *store)
{
	if (!sqlite3_get_autocommit(store_db(store)))
		return STATUS_OK;
	store->walks_kv = false;
	store_sums_forget(store);
	TRY(store_run_sql(store, "BEGIN"));
	TRY(store_check_format(store));
	return store_index_views(store);
}
