/* store_walk.c - steps through named points by the order of their table; see store_walk.h. */
#include "traces/store_walk.h"

#include "traces/store_int.h"

static const char *const next_point[] = {
	"SELECT launch, thread, sequence FROM t_point WHERE run = ?1"
	" AND (launch, thread, sequence) > (?2, ?3, ?4) AND (?5 IS NULL OR name ="
	"  (SELECT n.name FROM t_point_name n WHERE n.content = ?5))"
	" ORDER BY launch, thread, sequence LIMIT 1",
	"SELECT launch, thread, sequence FROM t_point WHERE run = ?1"
	" AND (launch, thread, sequence) < (?2, ?3, ?4) AND (?5 IS NULL OR name ="
	"  (SELECT n.name FROM t_point_name n WHERE n.content = ?5))"
	" ORDER BY launch DESC, thread DESC, sequence DESC LIMIT 1",
};

enum status store_next_point(struct store *store, int64_t run, const char *name, int direction,
			     struct store_point *point, bool *found)
{
	const int64_t values[] = { run, point->launch, point->thread, point->sequence };
	sqlite3_stmt *row;
	int code = sqlite3_prepare_v2(store_db(store), next_point[direction < 0], -1, &row, NULL);

	*found = false;
	for (int i = 0; i < 4 && code == SQLITE_OK; i++)
		code = sqlite3_bind_int64(row, i + 1, values[i]);
	if (code == SQLITE_OK && name)
		code = sqlite3_bind_text(row, 5, name, -1, SQLITE_STATIC);
	if (code == SQLITE_OK)
		code = sqlite3_step(row);
	if (code == SQLITE_ROW) {
		*found = true;
		*point = (struct store_point){ sqlite3_column_int64(row, 0),
					       sqlite3_column_int64(row, 1),
					       sqlite3_column_int64(row, 2) };
	}
	sqlite3_finalize(row);
	return code == SQLITE_ROW || code == SQLITE_DONE ? STATUS_OK : store_read_failed(store);
}

enum status store_walk_views(struct store *store)
{
	return store_run_sql(store,
			     "CREATE TEMP VIEW IF NOT EXISTS w_point AS"
			     " SELECT p.run, p.launch, p.thread, p.sequence, n.content AS name,"
			     " p.v0 AS v0_bits, p.v1 AS v1_bits, p.v2 AS v2_bits, p.v3 AS v3_bits"
			     " FROM main.t_point p LEFT JOIN main.t_point_name n USING (name)");
}
