/* verify_columns.c - columns that SQL can compute from others, and the values of arguments.
 *
 * Each query selects the rows that are wrong: the run and what to call the row.
 */
#include "traces/store/verify_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "traces/row.h"
#include "traces/store/column.h"

/* The operation of a launch, found by the keys of both tables. */
#define LAUNCH_OP(x) \
	" CROSS JOIN t_launch at ON at.run = " x ".run AND at.launch = " x ".launch" \
	" CROSS JOIN t_op o ON o.run = at.run AND o.op = at.op"
#define COUNTED \
	"(" STORE_COUNT_KERNELS " WHERE kernel IS NOT NULL GROUP BY run, kernel)"

/* A feature of attention, and the argument of launches that has its value. Only for runs with one
 * row of t_attention: of several, a launch does not say which it belongs to. Not all launches have
 * the argument: the recorder leaves out `queries` of 1. */
#define FEATURE(column, found, expected) \
	{ "t_attention." column, "arguments of launches", \
	  "SELECT a.run, '" column " of attention ' || a.attention" \
	  " FROM (SELECT * FROM t_attention GROUP BY run HAVING count(*) = 1) a" \
	  " WHERE EXISTS (SELECT 1" \
	  "  FROM (SELECT DISTINCT call FROM t_op o WHERE o.run = a.run AND o.call IS NOT NULL) o" \
	  "  JOIN t_call c ON c.call = o.call AND c.kernel GLOB 'flash_decode_*'" \
	  "  JOIN t_arg g ON g.call = c.call AND g.name = '" column "'" \
	  "  WHERE " found " IS NOT " expected ")" }
/* A feature of attention that no cache of the run has. A run without caches is not compared. */
#define CACHE(column, found) \
	{ "t_attention." column, "its caches", \
	  "SELECT a.run, '" column " of attention ' || a.attention FROM t_attention a" \
	  " WHERE a." column " IS NOT NULL AND EXISTS (" CACHES ")" \
	  " AND NOT EXISTS (" CACHES " AND " found ")" }
#define CACHES \
	"SELECT 1 FROM t_buffer b WHERE b.run = a.run AND b.name GLOB '[kv]_cache.*'"

#define ACCESS_LINES \
	"SELECT run, launch, coalesce(file, '') AS file, coalesce(line, 0) AS line, kind, space," \
	" sum(counted), count(*), sum(lanes), sum(bytes), sum(sectors), sum(lines)," \
	" sum(conflicts) FROM t_request GROUP BY 1, 2, 3, 4, 5, 6"

static const struct {
	const char *column, *from, *sql;
} checks[] = {
	{ "t_launch.op", "t_op", "SELECT l.run, 'launch ' || l.launch FROM t_launch l"
	  " LEFT JOIN t_op o ON o.run = l.run AND o.op = l.op WHERE o.launch IS NOT l.launch" },
	{ "t_op.launch", "t_launch", "SELECT o.run, 'op ' || o.op FROM t_op o"
	  " LEFT JOIN t_launch l ON l.run = o.run AND l.launch = o.launch"
	  " WHERE o.launch IS NOT NULL AND l.op IS NOT o.op" },
	{ "t_launch.threads", "t_call", "SELECT l.run, 'launch ' || l.launch FROM t_launch l"
	  LAUNCH_OP("l") " LEFT JOIN t_call c ON c.call = o.call"
	  " WHERE l.threads IS NOT c.block_x * c.block_y * c.block_z" },
	/* A mean may be rounded differently by another SQLite. */
	{ "t_kernel_count", "t_launch", "SELECT k.run, 'kernel ' || k.kernel FROM t_kernel_count k"
	  " LEFT JOIN " COUNTED " c ON c.run = k.run AND c.kernel = k.kernel"
	  " WHERE (k.launches, k.first, k.last, k.grid_x, k.grid_y, k.grid_z) IS NOT"
	  " (c.launches, c.first, c.last, c.grid_x, c.grid_y, c.grid_z)"
	  " OR (k.duration_us IS NULL) <> (c.duration_us IS NULL)"
	  " OR abs(k.duration_us - c.duration_us) > 1e-9 * abs(c.duration_us)" },
	{ "t_kernel_count", "t_launch", "SELECT c.run, 'kernel ' || c.kernel FROM " COUNTED " c"
	  " LEFT JOIN t_kernel_count k ON k.run = c.run AND k.kernel = c.kernel"
	  " WHERE k.run IS NULL AND c.run IN (SELECT run FROM t_kernel_count)" },
	{ "t_step", "t_op.step", "SELECT s.run, 'step ' || s.step FROM t_step s"
	  " WHERE EXISTS (SELECT 1 FROM t_op o WHERE o.run = s.run"
	  "  AND o.op BETWEEN s.first_op AND s.last_op AND o.step IS NOT s.step)" },
	{ "t_op.step", "t_step", "SELECT o.run, 'op ' || o.op FROM t_op o WHERE o.step IS NOT NULL"
	  " AND NOT EXISTS (SELECT 1 FROM t_step s WHERE s.run = o.run AND s.step = o.step"
	  "  AND s.first_op <= o.op AND (s.last_op IS NULL OR o.op <= s.last_op))" },
	{ "t_model", "its config", "SELECT run, 'directory ' || directory FROM t_model"
	  " WHERE json_valid(config) AND (layers <> json_extract(config, '$.num_hidden_layers')"
	  "  OR heads <> json_extract(config, '$.num_attention_heads')"
	  "  OR kv_heads <> json_extract(config, '$.num_key_value_heads')"
	  "  OR hidden <> json_extract(config, '$.hidden_size')"
	  "  OR vocabulary <> json_extract(config, '$.vocab_size')"
	  "  OR max_positions <> json_extract(config, '$.max_position_embeddings'))" },
	{ "t_model.max_len", "the shape of its caches", "SELECT m.run, 'max_len ' || m.max_len"
	  " FROM t_model m JOIN t_buffer b ON b.run = m.run WHERE b.name GLOB '[kv]_cache.*'"
	  " AND b.rank = 4 AND json_valid(b.shape)"
	  " AND m.max_len IS NOT json_extract(b.shape, '$[2]')"
	  /* Keys of a page are no capacity. */
	  " AND NOT EXISTS (SELECT 1 FROM t_buffer p WHERE p.run = m.run"
	  "  AND p.name = 'page_table')" },
	CACHE("kv_dtype", "b.dtype = a.kv_dtype"),
	CACHE("page", "json_valid(b.shape) AND json_extract(b.shape, '$[2]') = a.page"),
	FEATURE("window", "g.value", "coalesce(a.window, 0)"),
	FEATURE("sinks", "g.value", "coalesce(a.sinks, 0)"),
	FEATURE("softcap", "g.bits", "coalesce(a.softcap, 0)"),
	FEATURE("page", "g.value", "coalesce(a.page, 0)"),
	FEATURE("queries", "g.value", "a.queries"),
	{ "t_run.complete", "t_run.ended", "SELECT run, 'complete ' || complete FROM t_run"
	  " WHERE complete IS NOT (ended IS NOT NULL)" },
	{ "t_finding.op", "t_launch.op", "SELECT f.run, 'finding ' || f.finding FROM t_finding f"
	  " JOIN t_launch l ON l.run = f.run AND l.launch = f.launch WHERE f.op IS NOT l.op" },
	{ "t_finding.class", "its message", "SELECT run, 'finding ' || finding FROM t_finding"
	  " WHERE json_valid(message) AND class <> json_extract(message, '$.class')" },
	{ "t_counter.kernel", "t_call", "SELECT n.run, 'launch ' || n.launch FROM t_counter n"
	  LAUNCH_OP("n") " LEFT JOIN t_call c ON c.call = o.call WHERE c.kernel IS NOT n.kernel" },
	{ "t_kv.layer", "t_op.layer", "SELECT k.run, 'op ' || k.op FROM t_kv k"
	  " LEFT JOIN t_op o ON o.run = k.run AND o.op = k.op WHERE o.op IS NULL"
	  " OR (o.launch IS NOT NULL AND k.layer IS NOT o.layer)" },
	{ "t_kv.offset", "its place in the cache", "SELECT k.run, 'slot ' || k.slot || ' position '"
	  " || k.position || ' head ' || k.kv_head FROM t_kv k"
	  " JOIN t_buffer b ON b.run = k.run AND b.buffer = k.buffer"
	  " WHERE b.rank = 4 AND json_valid(b.shape) AND k.offset IS NOT k.bytes * (k.position"
	  "  + json_extract(b.shape, '$[2]') * (k.kv_head + json_extract(b.shape, '$[1]')"
	  "  * k.slot))" },
	{ "t_kv.source_offset", "its upload", "SELECT k.run, 'slot ' || k.slot || ' position '"
	  " || k.position || ' head ' || k.kv_head FROM t_kv k"
	  " LEFT JOIN t_op o ON o.run = k.run AND o.op = k.source_op"
	  " WHERE k.source_op IS NOT NULL AND NOT coalesce(k.source_offset >= 0"
	  "  AND k.source_offset + k.bytes * (coalesce(k.more, 0) + 1) <= o.bytes, 0)" },
	{ "t_partial.acc_data", "t_blob", "SELECT p.run, 'launch ' || p.launch FROM t_partial p"
	  " LEFT JOIN t_blob b ON b.data = p.acc_data WHERE p.acc_data IS NOT NULL"
	  " AND NOT coalesce(p.acc_offset >= 0 AND p.acc_bytes >= 0"
	  "  AND p.acc_offset + p.acc_bytes <= b.bytes, 0)" },
	{ "t_request.launch", "t_launch", "SELECT r.run, 'launch ' || r.launch FROM t_request r"
	  " LEFT JOIN t_launch l ON l.run = r.run AND l.launch = r.launch"
	  " LEFT JOIN t_op o ON o.run = l.run AND o.op = l.op"
	  " LEFT JOIN t_call c ON c.call = o.call WHERE NOT coalesce(r.warp >= 0"
	  "  AND r.warp < (l.threads + 31) / 32 * c.grid_x * c.grid_y * c.grid_z, 0)" },
	{ "t_access.request", "t_request", "SELECT a.run, 'launch ' || a.launch FROM t_access a"
	  " LEFT JOIN t_request r ON r.run = a.run AND r.launch = a.launch AND r.warp = a.warp"
	  "  AND r.request = a.request WHERE r.run IS NULL" },
	{ "t_access.buffer", "t_buffer", "SELECT a.run, 'launch ' || a.launch FROM (SELECT run,"
	  "  min(launch) AS launch, buffer, max(offset + bytes) AS past FROM t_access"
	  "  WHERE buffer IS NOT NULL GROUP BY run, buffer) a"
	  " LEFT JOIN t_buffer b ON b.run = a.run AND b.buffer = a.buffer"
	  " WHERE NOT coalesce(a.past <= b.bytes, 0)" },
	{ "t_access_line", "t_request", "SELECT n.run, 'launch ' || n.launch || ' line ' || n.line"
	  " FROM (" ACCESS_LINES " EXCEPT SELECT * FROM t_access_line) n" },
	{ "t_access_line", "t_request", "SELECT n.run, 'launch ' || n.launch || ' line ' || n.line"
	  " FROM (SELECT * FROM t_access_line EXCEPT " ACCESS_LINES ") n" },
	{ "t_line.launch", "t_launch", "SELECT n.run, 'launch ' || n.launch FROM t_line n"
	  " LEFT JOIN t_launch l ON l.run = n.run AND l.launch = n.launch"
	  " WHERE l.run IS NULL OR n.thread < 0" },
	{ "t_source.text", "t_text", "SELECT s.run, 'kernel ' || s.kernel FROM t_source s"
	  " LEFT JOIN t_text t ON t.text = s.text WHERE t.text IS NULL" },
};

int verify_columns_count(void)
{
	return (int)COUNT_OF(checks);
}

struct wrong {
	int64_t count, run;
	char place[64];
};

static enum status take_wrong(void *context, sqlite3_stmt *row)
{
	struct wrong *w = context;

	if (w->count++ == 0) {
		w->run = sqlite3_column_int64(row, 0);
		snprintf(w->place, sizeof w->place, "%s", column_text(row, 1));
	}
	return STATUS_OK;
}

enum status verify_columns(struct store *store, int check)
{
	struct wrong w = { 0 };
	char more[40] = "";

	TRY(store_each(store, checks[check].sql, NULL, 0, take_wrong, &w));
	if (w.count == 0)
		return STATUS_OK;
	if (w.count > 1)
		snprintf(more, sizeof more, ", and %" PRId64 " more rows", w.count - 1);
	return fail(STATUS_DAMAGED, "%s: run %" PRId64 ": %s does not follow from %s: %s%s",
		    store_shown_path(store), w.run, checks[check].column, checks[check].from,
		    w.place, more);
}

/* --- arguments --- */

static bool same_value(const struct value *expected, sqlite3_stmt *row, int column)
{
	switch (sqlite3_column_type(row, column)) {
	case SQLITE_INTEGER:
		return expected->type == VALUE_INT
			&& expected->integer == sqlite3_column_int64(row, column);
	case SQLITE_FLOAT:
		return expected->type == VALUE_REAL
			&& expected->real == sqlite3_column_double(row, column);
	default:
		/* A NaN is stored as NULL. */
		return sqlite3_column_type(row, column) == SQLITE_NULL
			&& (expected->type == VALUE_NULL
			    || (expected->type == VALUE_REAL && expected->real != expected->real));
	}
}

static enum status take_arg(void *context, sqlite3_stmt *row)
{
	struct row_arg arg = {
		.kind = column_text(row, 2), .bits = (uint64_t)sqlite3_column_int64(row, 3),
	};
	struct value value = store_scalar_value(&arg);
	struct store *store = context;

	if (same_value(&value, row, 4))
		return STATUS_OK;
	return fail(STATUS_DAMAGED, "%s: t_arg.value does not follow from its bits: call %lld"
		    " argument %lld", store_shown_path(store), sqlite3_column_int64(row, 0),
		    sqlite3_column_int64(row, 1));
}

enum status verify_args(struct store *store)
{
	return store_each(store, "SELECT call, position, kind, bits, value FROM t_arg"
			  " WHERE bits IS NOT NULL", NULL, 0, take_arg, store);
}
